// The experiments: their tables are written, and tell what the documents say.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli_run.h"
#include "sample.h"
#include "experiments/learned.h"
#include "experiments/motion.h"
#include "experiments/solved.h"
#include "sinew/solver.h"

// A folder for an experiment's files.
static const char *folder_of(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/experiment-%s", getenv("SINEW_SCRATCH_DIR"), name);
  return path;
}

// A written file; free() it.
static char *read_file(const char *folder, const char *name) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  char *text = calloc((size_t)size + 1, 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, (size_t)size, file), size);
  fclose(file);
  return text;
}

// The numbers of a line that begins with a text, from its second comma on.
static int numbers_of(const char *text, const char *begin, double *values, int most) {
  const char *line = strstr(text, begin);
  int count = 0;
  assert_non_null(line);
  for (line += strlen(begin); count < most && *line == ','; ++count) {
    char *end;
    values[count] = strtod(line + 1, &end);
    line = end;
  }
  return count;
}

// Strength and order of joints, straight paths, keys and postures of a clip.
// req: D19 F5 F6
static void motions_are_shaped(void **state) {
  (void)state;
  motion_facts m;
  assert_true(motion_measure(true, &m));
  assert_true(m.tip_share_ccd > 1.5 * m.tip_share_inverse);
  assert_true(m.tip_share_ccd > 1.2 * m.root_share_ccd);
  assert_true(m.share_strong > 3.0 * m.share_weak);
  assert_true(m.bow_straight < 0.01);
  assert_true(m.bow_joints > 5.0 * m.bow_straight && m.bow_joints > 3.0 * m.bow_keys[0]);
  assert_true(m.bow_keys[0] > 3.0 * m.bow_keys[1]);
  // The clip does not lie in what its components span; along them solutions are near it all the
  // same, along those of another clip they are not.
  assert_true(m.natural_rest > 0.1);
  assert_true(m.natural_synergy < 0.6 * m.natural_plain);
  assert_true(m.natural_synergy < 0.5 * m.natural_foreign);
}

// Steps to the targets, head to head with DLS: the third-order step needs fewer, SDLS more, as do
// the methods that do not converge quadratically. req: G4
static void convergence_is_counted(void **state) {
  (void)state;
  const char *folder = folder_of("convergence");
  result got = RUN(W("experiment"), W("convergence"), W("--brief"), W("--out"), W(folder));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  char *csv = read_file(folder, "convergence.csv");
  static const char *const figures[] = {"y", "double-y-25", "arm7", "chain-10"};
  static const struct {
    const char *method;
    int sign; // 1: fewer steps than DLS; -1: more
  } expected[] = {{"halley", 1}, {"sdls", -1}, {"transpose", -1}, {"bfgs", -1}, {"ccd", -1}};
  for (int f = 0; f < 3; ++f) {
    for (int m = 0; m < 5; ++m) {
      char begin[64];
      double v[5];
      snprintf(begin, sizeof begin, "%s,%s", figures[f], expected[m].method);
      assert_int_equal(numbers_of(csv, begin, v, 5), 5);
      assert_true(v[3] + v[4] <= v[0] && v[2] <= v[0]);
      assert_true(expected[m].sign > 0 ? v[3] > v[4] : v[3] < v[4]);
    }
  }
  free(csv);
}

// A larger set of joints reaches farther. req: G5
static void larger_sets_reach_farther(void **state) {
  (void)state;
  const char *folder = folder_of("joint-sets");
  result got = RUN(W("experiment"), W("joint-sets"), W("--out"), W(folder));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  char *csv = read_file(folder, "joint-sets.csv");
  double arm, upper, all;
  numbers_of(csv, "the arm,0.8", &arm, 1);
  numbers_of(csv, "arm and upper body,0.8", &upper, 1);
  assert_true(upper < arm);
  numbers_of(csv, "arm and upper body,2.0", &upper, 1);
  numbers_of(csv, "all,2.0", &all, 1);
  assert_true(all < upper);
  free(csv);
}

// The two-link arm's table, the tree's layout, and the trimmed columns.
// req: G6 G7 G8
static void facts_are_printed(void **state) {
  (void)state;
  result got = RUN(W("experiment"), W("two-link"));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "0.1175    0.6435      0.6435   -0.6435     0.0000"));
  assert_non_null(strstr(got.out, "the same                0.1848")); // |(1.75, 0.7)| - 1.7
  release(&got);
  got = RUN(W("experiment"), W("tree"));
  assert_non_null(strstr(got.out, "leaf4        xxxxxxxxx......xxx............"));
  release(&got);
  got = RUN(W("experiment"), W("trimming"));
  assert_non_null(strstr(got.out, "0.000  0.000  1.000, rotation rows 0 0 0"));
  assert_non_null(strstr(got.out, "-0.479  0.878  0.000, rotation rows 0 0 1"));
  release(&got);
}

// Each damping law has a row for each figure. req: H6
static void laws_are_on_one_bench(void **state) {
  (void)state;
  const char *folder = folder_of("damping");
  result got = RUN(W("experiment"), W("damping"), W("--brief"), W("--out"), W(folder));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  char *csv = read_file(folder, "laws.csv");
  for (int law = 0; law < SINEW_DAMPING_COUNT; ++law) {
    char begin[64];
    double v[5];
    snprintf(begin, sizeof begin, "arm7,%s", sinew_damping_law_string((sinew_damping_law)law));
    assert_int_equal(numbers_of(csv, begin, v, 5), 5);
    assert_true(v[1] > 0.0 && v[4] > 0.5);
  }
  free(csv);
}

// A net that has the target alone learns the mean of the branches: its error stays, however long it
// is trained. One that has the configuration before too is at least ten times as near, and learns.
// req: D18
static void a_net_without_a_start_averages_branches(void **state) {
  (void)state;
  static const char *const figures[] = {"two-link", "arm6", "arm7"};
  for (int f = 0; f < SAMPLE_OF(3); ++f) {
    learned little, more;
    assert_true(learned_measure(figures[f], 500, &little));
    assert_true(learned_measure(figures[f], 2000, &more));
    print_message("%s: %g, %g, %g\n", figures[f], more.target_only, more.with_before, more.before);
    assert_true(more.target_only > 0.8 * little.target_only);
    assert_true(more.target_only > 10.0 * more.with_before);
    assert_true(more.with_before < 0.8 * little.with_before);
    assert_true(more.with_before < 0.7 * more.before);
    double spread = 0.0; // of the elbow by f(target), against that of the solutions
    for (int i = 0; i < LEARNED_ELBOWS; ++i) {
      spread += (fabs(more.elbows[i][1]) - fabs(more.elbows[i][0])) / LEARNED_ELBOWS;
    }
    assert_true(f > 0 || spread < -0.8);
  }
}

static int lines_of(const char *text) {
  int lines = 0;
  for (; *text != '\0'; ++text) {
    lines += *text == '\n';
  }
  return lines;
}

// Each method's series is beside the table, as long as that of the targets.
static void series_are_complete(const char *folder) {
  for (int f = 0; f < SOLVED_FIGURES; ++f) {
    char name[128];
    snprintf(name, sizeof name, "series-%s-targets.csv", solved_figure(f));
    char *targets = read_file(folder, name);
    assert_int_equal(lines_of(targets), 301);
    free(targets);
    for (int m = 0; m < SINEW_METHOD_COUNT; ++m) {
      snprintf(name, sizeof name, "series-%s-%s.csv", solved_figure(f),
               sinew_method_info_of(m)->name);
      char *series = read_file(folder, name);
      double first[3], last[3];
      assert_int_equal(lines_of(series), 301);
      assert_int_equal(numbers_of(series, "\n0", first, 3), 3);
      assert_int_equal(numbers_of(series, "\n299", last, 3), 3);
      assert_true(first[0] >= 0.0 && last[0] >= 0.0 && isfinite(last[2]));
      free(series);
    }
  }
}

// Every method has a row for each figure, with what it solves for and how it follows targets.
// req: G2 G4
static void every_method_is_on_every_figure(void **state) {
  (void)state;
  if (!is_sampled(1)) { // the page has the same tables
    skip();
  }
  const char *folder = folder_of("methods");
  result got = RUN(W("experiment"), W("methods"), W("--brief"), W("--out"), W(folder));
  assert_int_equal(got.exit_code, 0);
  assert_null(strstr(got.out, "nan"));
  assert_non_null(strstr(got.out, "-: not measured"));
  char *csv = read_file(folder, "every-method.csv");
  double least[2] = {INFINITY, INFINITY}; // error in reach on arm7: of all, of the default
  for (int f = 0; f < SOLVED_FIGURES; ++f) {
    char heading[64];
    snprintf(heading, sizeof heading, "\n%s: steps and time", solved_figure(f));
    assert_non_null(strstr(got.out, heading));
    for (int m = 0; m < SINEW_METHOD_COUNT; ++m) {
      // targets, first, restarted, steps, time, time of an update, error, jitter, change
      char begin[64];
      double v[9];
      snprintf(begin, sizeof begin, "\n%s,%s", sinew_method_info_of(m)->name, solved_figure(f));
      assert_int_equal(numbers_of(csv, begin, v, 9), 9);
      assert_true(v[1] <= v[0] && v[2] <= v[0] && v[3] > 0.0 && v[6] >= 0.0);
      assert_true(v[8] > 0.0 && !(v[7] > v[8]));
      if (strcmp(solved_figure(f), "y") == 0) {
        least[0] = fmin(least[0], v[6]);
        least[1] = m == SINEW_METHOD_DEFAULT ? v[6] : least[1];
      }
    }
  }
  assert_true(least[1] <= 2.0 * least[0]);
  series_are_complete(folder);
  release(&got);
  free(csv);
}

// Every number of an attribute's animations is within a panel.
static void assert_in_panel(const char *film, const char *attribute) {
  char begin[64];
  int numbers = 0;
  snprintf(begin, sizeof begin, "<animate attributeName=\"%s\"", attribute);
  for (const char *at = strstr(film, begin); at != NULL; at = strstr(at, begin)) {
    at = strstr(at, " values=\"") + strlen(" values=\"");
    while (*at != '"') {
      char *end;
      const double value = strtod(at, &end);
      if (end != at) {
        assert_true(value >= 0.0 && value <= 220.0);
        ++numbers;
      }
      at = end != at ? end : at + 1; // a letter or a semicolon
    }
  }
  assert_true(numbers > 1000);
}

// Every point of a script's blocks is within the ranges that were set before it.
static void assert_in_ranges(char *script) {
  double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY}, at[2];
  bool block = false;
  int points = 0;
  for (char *line = strtok(script, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    const bool begins = strstr(line, "<< END") != NULL;
    block = begins || (block && strcmp(line, "END") != 0);
    if (block && !begins && sscanf(line, "%lf %lf", &at[0], &at[1]) == 2) {
      assert_true(at[0] >= x[0] && at[0] <= x[1] && at[1] >= y[0] && at[1] <= y[1]);
      ++points;
    }
    sscanf(line, "set xrange [%lf:%lf]", &x[0], &x[1]);
    sscanf(line, "set yrange [%lf:%lf]", &y[0], &y[1]);
  }
  assert_true(points > 500);
}

// One page with every table, which refers to no other file; refused without a folder.
static void the_page_has_every_table(void **state) {
  (void)state;
  static const char *const names[] = {"buss",        "methods",  "claims",     "damping",
                                      "convergence", "motion",   "joint-sets", "two-link",
                                      "tree",        "trimming", "learned"};
  const char *folder = folder_of("all");
  result got = RUN(W("experiment"), W("all"), W("--brief"), W("--out"), W(folder));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "index.html"));
  release(&got);
  char *page = read_file(folder, "index.html");
  for (int i = 0; i < (int)(sizeof names / sizeof names[0]); ++i) {
    char heading[64];
    snprintf(heading, sizeof heading, "<h2>%s</h2>", names[i]);
    assert_non_null(strstr(page, heading));
  }
  assert_non_null(strstr(page, "confirmed"));
  assert_non_null(strstr(page, "<title>"));                                // films, which move
  assert_non_null(strstr(page, "<figcaption>claims.svg"));                 // margins of the cases
  const char *of_h9 = strstr(page, "largest error of J [m/rad, rad/rad]"); // a curve, its axes
  assert_non_null(of_h9);
  assert_non_null(strstr(of_h9, "step [rad]"));
  assert_non_null(strstr(of_h9, "<figcaption>claims-H12.svg")); // in the order of the claims
  assert_non_null(strstr(page, "<animate attributeName=\"d\""));
  assert_null(strstr(page, "<img"));
  assert_null(strstr(page, "<script"));
  assert_null(strstr(page, "<link"));
  free(page);
  static const char *const films[] = {"film-y.svg", "film-double-y-25.svg"};
  for (int i = 0; i < 2; ++i) { // no target and no limb beyond the edge
    char *film = read_file(folder, films[i]);
    assert_in_panel(film, "cx");
    assert_in_panel(film, "cy");
    assert_in_panel(film, "d");
    free(film);
  }
  char *claims = read_file(folder, "claims.txt"); // no line that the page would cut off
  for (const char *line = claims; *line != '\0'; line += strcspn(line, "\n") + 1) {
    assert_true(strcspn(line, "\n") <= 80);
  }
  free(claims);
  char *script = read_file(folder, "figures.gnuplot");
  assert_in_ranges(script);
  free(script);
  got = RUN(W("experiment"), W("all"));
  assert_int_equal(got.exit_code, 2);
  assert_non_null(strstr(got.err, "--out"));
  release(&got);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motions_are_shaped),
      cmocka_unit_test(convergence_is_counted),
      cmocka_unit_test(larger_sets_reach_farther),
      cmocka_unit_test(facts_are_printed),
      cmocka_unit_test(a_net_without_a_start_averages_branches),
      cmocka_unit_test(every_method_is_on_every_figure),
      cmocka_unit_test(laws_are_on_one_bench),
      cmocka_unit_test(the_page_has_every_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
