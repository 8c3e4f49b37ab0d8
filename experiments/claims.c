// The experiment "claims": a row for each claim of the sources.
#include "experiments/claims.h"
#include "experiments/experiments.h"
#include "experiments/output.h"
#include "experiments/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Rules first: the thresholds were written down before the measurements were made.
static const claim claims[] = {
    {.id = "H1",
     .text = "the Jacobian transpose works well with a single end effector",
     .source = "Buss 2009, section 3",
     .figure = "its error in reach over that of DLS, figures of one effector",
     .below = true,
     .threshold = 2.0,
     .command = "sinew experiment trackers",
     .axes = {.caption = "How far a planar chain stays behind its target while it is first in "
                         "reach, one update a step.",
              .x = "measured step",
              .y = "error [size of the chain]",
              .logarithmic_y = true,
              .lines = true},
     .measure = claim_single_effector},
    {.id = "H2",
     .text = "clamping e permits a much smaller lambda, and so is faster",
     .source = "Buss 2009, section 8",
     .figure = "least lambda with jitter below 0.01 rad, DLS' over DLS",
     .below = true,
     .threshold = 0.7,
     .command = "sinew experiment buss",
     .axes = {.caption = "Jitter of the Y over the damping: smooth motion is below 0.01 rad.",
              .x = "lambda [size of the figure]",
              .y = "jitter out of reach [rad]",
              .logarithmic_x = true,
              .logarithmic_y = true,
              .points = true,
              .lines = true},
     .measure = claim_clamped_errors},
    {.id = "H3",
     .text = "the largest change of an angle should almost always be clamped",
     .source = "Buss 2009, section 4",
     .figure = "jitter with a clamp over that without one",
     .below = true,
     .threshold = 0.99,
     .command = "sinew experiment buss",
     .measure = claim_clamped_steps},
    {.id = "H4",
     .text = "the target Jacobian oscillates less out of reach, and jerks where links fold back",
     .source = "Buss 2009, section 2",
     .figure = "jitter out of reach, J over target J; and near the root, target J over J",
     .below = false,
     .threshold = 1.1,
     .command = "sinew experiment buss",
     .axes = {.caption = "How the steps of the Y change while its targets are first out of reach.",
              .x = "measured step",
              .y = "jitter [rad]",
              .logarithmic_y = true,
              .lines = true},
     .measure = claim_target_jacobian},
    {.id = "H5",
     .text = "the m x m form of DLS is cheaper than the n x n form where m is much less than n",
     .source = "Buss 2009, section 5",
     .figure = "multiplications, m x m over n x n, m = 3",
     .below = true,
     .threshold = 0.5,
     .command = "bench_core --only update",
     .measure = claim_forms},
    {.id = "H6",
     .text = "a damping that changes is better than a constant one",
     .source = "Buss 2009, section 5, on the laws of the literature",
     .figure = "error times jitter over that of the constant law's best lambda",
     .below = true,
     .threshold = 0.9,
     .command = "sinew experiment damping",
     .axes = {.caption = "The damping laws on the Y, each at five settings: the nearer to the "
                         "lower left, the better.",
              .x = "error in reach [m]",
              .y = "jitter out of reach [rad]",
              .logarithmic_x = true,
              .logarithmic_y = true,
              .points = true},
     .measure = claim_laws},
    {.id = "H7",
     .text = "the singularity-robust inverse is the best in robustness and speed",
     .source = "Rabbani",
     .figure = "targets solved, the better of transpose and pseudoinverse over DLS; and steps, DLS "
               "over the better",
     .below = true,
     .threshold = 1.0 + 1e-9,
     .command = "sinew experiment methods",
     .measure = claim_damped_inverse},
    {.id = "H8",
     .text = "the Jacobian in the body frame is cheaper than in the world frame",
     .source = "Rabbani",
     .figure = "multiplications, body over world",
     .below = true,
     .threshold = 0.95,
     .command = "bench_core --only jacobian",
     .measure = claim_frames},
    {.id = "H9",
     .text = "finite differences are sensitive to the step",
     .source = "Rabbani",
     .figure = "largest over least error of J, steps 1e-12 to 0.1 rad",
     .below = false,
     .threshold = 1e3,
     .command = "sinew experiment claims",
     .axes = {.caption = "Each kind of finite difference has one best step: shorter ones are "
                         "rounded off, longer ones truncated.",
              .x = "step [rad]",
              .y = "largest error of J [m/rad, rad/rad]",
              .logarithmic_x = true,
              .logarithmic_y = true,
              .points = true,
              .lines = true},
     .measure = claim_differences},
    {.id = "H10",
     .text = "the transpose needs twice the steps of the pseudoinverse",
     .source = "lecture notes, after Das, Slotine and Sheridan 1988",
     .figure = "median steps to 1 % of the size, |log2(ratio / 2)|",
     .below = true,
     .threshold = 0.585, // a ratio of 1.33 to 3
     .command = "sinew experiment convergence",
     .measure = claim_twice_the_steps},
    {.id = "H11",
     .text = "CCD is cheap, stable at singularities, and not smooth; with a finish it converges",
     .source = "lecture notes",
     .figure = "DLS over CCD in multiplications; 1 rad over its step at a singularity; jitter over "
               "that of DLS; targets solved with the finish over CCD",
     .below = false,
     .threshold = 1.0,
     .command = "sinew experiment methods; sinew experiment trackers",
     .measure = claim_ccd},
    {.id = "H12",
     .text = "a step that is too large overshoots, one too small crawls",
     .source = "the article on the pseudoinverse",
     .figure =
         "steps of J^T e times a gain, over those of the best gain: a hundredth and a hundred "
         "times as large",
     .below = false,
     .threshold = 10.0,
     .command = "sinew experiment claims",
     .axes = {.caption = "Steps of gain J^T e to 1 % of the size: few near one gain only; 5000 "
                         "counts as never.",
              .x = "gain [1 / square of the size]",
              .y = "mean steps to the target",
              .logarithmic_x = true,
              .logarithmic_y = true,
              .points = true,
              .lines = true},
     .measure = claim_step_size}};

// Of what is printed below a claim's first line.
#define INDENT 6

enum { COUNT = sizeof claims / sizeof claims[0] };

const claim *claim_at(int index) {
  return index >= 0 && index < COUNT ? &claims[index] : NULL;
}

const char *verdict_string(verdict v) {
  return v == CLAIM_CONFIRMED ? "confirmed" : v == CLAIM_REFUTED ? "refuted" : "mixed";
}

// A case without a figure (NaN) does not hold.
verdict claim_verdict(const claim *self, const double *figures, int count) {
  int holds = 0;
  for (int i = 0; i < count; ++i) {
    holds += self->below ? figures[i] < self->threshold : figures[i] > self->threshold;
  }
  return holds == count ? CLAIM_CONFIRMED : holds == 0 ? CLAIM_REFUTED : CLAIM_MIXED;
}

static void print_indented(const char *text) {
  printf("%*s", INDENT, "");
  text_wrap(text, INDENT);
}

static void print_claim(const claim *self, const claim_result *result, int count) {
  char text[512];
  const int used =
      printf("%-4s %-9s  ", self->id, verdict_string(claim_verdict(self, result->figures, count)));
  text_wrap(self->text, used);
  snprintf(text, sizeof text, "(%s) %s: %s %g", self->source, self->figure,
           self->below ? "below" : "above", self->threshold);
  print_indented(text);
  size_t length = 0;
  for (int i = 0; i < count && length < sizeof text; ++i) {
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %.3g", i > 0 ? ", " : "",
                               result->names[i], result->figures[i]);
  }
  print_indented(text);
  if (result->extra[0] != '\0') {
    print_indented(result->extra);
  }
  print_indented(self->command);
}

static void write_claim(FILE *csv, const claim *self, const claim_result *result, int count) {
  for (int i = 0; i < count; ++i) {
    fprintf(csv, "%s,%s,%s,%.6g,%s,%g\n", self->id,
            verdict_string(claim_verdict(self, result->figures, count)), result->names[i],
            result->figures[i], self->below ? "below" : "above", self->threshold);
  }
}

// By how much a case is on its claim's side of the threshold: above 1 it holds. Within 1e-3 and
// 1e3.
static double margin_of(const claim *self, double figure) {
  const double margin = self->below ? self->threshold / figure : figure / self->threshold;
  return margin > 1e-3 ? fmin(margin, 1e3) : 1e-3; // of a NaN too
}

// The picture's data: a line for each case, the claims from top to bottom.
static void put_margins(FILE *picture, int row, const double *figures, int count) {
  for (int i = 0; picture != NULL && i < count; ++i) {
    fprintf(picture, "%.4g %d %d\n", margin_of(&claims[row], figures[i]), COUNT - row,
            (int)claim_verdict(&claims[row], figures, count));
  }
}

// All cases of all claims, by their margins.
static bool draw_margins(FILE *picture, const char *folder) {
  if (picture == NULL) {
    return true;
  }
  fputs("END\nset logscale x\nset xrange [8e-4:1.2e3]\nset format x '10^{%T}'\nset grid x\n"
        "set xlabel 'figure of a case over the threshold, or the reverse: right of 1 the claim "
        "holds'\nset key outside bottom center horizontal\n"
        "set arrow from 1, graph 0 to 1, graph 1 nohead lw 2 lc rgb '#5c6670'\nset ytics (",
        picture);
  for (int i = 0; i < COUNT; ++i) {
    fprintf(picture, "%s'%s' %d", i > 0 ? ", " : "", claims[i].id, COUNT - i);
  }
  fprintf(picture,
          ")\nset yrange [0:%d]\n"
          "plot $cases using 1:($3 == %d ? $2 : NaN) with points pt 7 lc rgb '#2a9d5c' title "
          "'confirmed', "
          "$cases using 1:($3 == %d ? $2 : NaN) with points pt 7 lc rgb '#e08a1e' title 'mixed', "
          "$cases using 1:($3 == %d ? $2 : NaN) with points pt 7 lc rgb '#b0413e' title "
          "'refuted'\n",
          COUNT + 1, CLAIM_CONFIRMED, CLAIM_MIXED, CLAIM_REFUTED);
  return picture_close(picture, folder, "claims");
}

bool sinew_experiment_claims(const sinew_experiment_options *options) {
  static const char name[] = "claims.csv";
  FILE *csv = options->folder != NULL ? output_open(options->folder, name) : NULL;
  bool good = options->folder == NULL || csv != NULL;
  FILE *picture = good && csv != NULL ? picture_open(options->folder, "claims", 900, 480) : NULL;
  if (csv != NULL) {
    fputs("claim,verdict,case,figure,side,threshold\n", csv);
  }
  if (picture != NULL) {
    fputs("$cases << END\n", picture);
  }
  for (int i = 0; good && i < COUNT; ++i) {
    claim_result result = {0};
    const int count = claims[i].measure(options->brief, &result);
    good = count >= 0;
    if (good) {
      print_claim(&claims[i], &result, count);
      fflush(stdout);
    }
    if (good && csv != NULL) {
      write_claim(csv, &claims[i], &result, count);
      good = claim_draw(&claims[i], &result, options->folder);
    }
    put_margins(picture, i, result.figures, good ? count : 0);
    options->progress((i + 1.0) / COUNT);
  }
  good = draw_margins(picture, options->folder) && good;
  return (csv == NULL || output_close(csv, name)) && good;
}
