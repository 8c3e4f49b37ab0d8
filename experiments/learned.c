// Learned inverse kinematics. An arm has several configurations for a target. A net f(target) that
// is trained for the least mean squared error learns their mean, which is in general no solution;
// the error of the hand has a floor that no size of net and no training lowers. A net
// f(target, q0), which has the configuration before the motion as well, knows the branch, and its
// error falls with the training.
//
// Both nets have the same layers and as many examples. The first has the target, in sizes of the
// figure, and gives values in halves of the joints' ranges. The second has the displacement of the
// target from the hand at q0, and the cosine and sine of each joint there, and gives the change
// from q0; both in units of what they vary by.
#include "experiments/learned.h"
#include "experiments/experiments.h"
#include "experiments/output.h"
#include "experiments/perceptron.h"
#include "scenes/expect.h"
#include "scenes/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRAIN_SEED 1801
#define BEFORE_SEED 1802
#define TEST_SEED 1803
#define NET_SEED 1804

// q0 is within this of the configuration looked for [rad]: some frames of a motion.
#define NEAR 0.1

#define STEPS 12000
#define STEPS_BRIEF 1500
#define TESTS 2000

static const char *const figures[] = {"two-link", "planar", "arm6", "arm7"};

enum { FIGURES = sizeof figures / sizeof figures[0] };

typedef struct lesson {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
  int n;
  uint64_t seed;
  bool with_before;
  double size;
  double middle[PERCEPTRON_MOST], half[PERCEPTRON_MOST];
  double q[PERCEPTRON_MOST], before[PERCEPTRON_MOST], target[3], hand[3];
} lesson;

static void lesson_end(lesson *l) {
  sinew_state_destroy(l->state);
  sinew_model_destroy(l->model);
  if (l->scene != NULL) {
    sinew_scene_destroy(l->scene);
  }
}

// The range of random configurations: the limits, or a turn where there are none.
static void find_ranges(lesson *l) {
  const double *lower = sinew_model_lower(l->model), *upper = sinew_model_upper(l->model);
  for (int v = 0; v < l->n; ++v) {
    const bool limited = upper[v] - lower[v] < 1e3;
    l->middle[v] = limited ? 0.5 * (lower[v] + upper[v]) : 0.0;
    l->half[v] = limited ? 0.5 * (upper[v] - lower[v]) : 3.14159265358979323846;
  }
}

static bool lesson_begin(lesson *l, const char *figure) {
  sinew_error error = {0};
  *l = (lesson){.scene = sinew_scene_create(figure)};
  if (l->scene == NULL || sinew_model_create(&l->scene->model, &l->model, &error) != SINEW_OK ||
      sinew_state_create(l->model, NULL, &l->state, &error) != SINEW_OK) {
    fprintf(stderr, "sinew: %s: %s\n", figure, error.message);
    return false;
  }
  l->n = sinew_model_nv(l->model);
  l->size = sinew_model_size(l->model);
  if (2 * l->n + 3 > PERCEPTRON_MOST || sinew_model_nq(l->model) != l->n) {
    fprintf(stderr, "sinew: %s: its joints are too many, or spherical\n", figure);
    return false;
  }
  find_ranges(l);
  return true;
}

// The place of the first effector.
static void hand_of(lesson *l, const double *q, double p[3]) {
  const sinew_task *task = &l->scene->tasks[0];
  sinew_expect_ok(sinew_state_forward(l->state, q));
  sinew_expect_ok(sinew_state_point(l->state, task->link, task->point_l, p));
}

// A configuration and its target, and the one before with its hand.
static void draw(lesson *l, uint64_t number) {
  sinew_configuration_random(l->model, l->seed, number, l->q);
  hand_of(l, l->q, l->target);
  for (int v = 0; v < l->n; ++v) {
    const uint64_t counter = number * (uint64_t)l->n + (uint64_t)v;
    const double u = 2.0 * sinew_random_uniform(l->seed ^ BEFORE_SEED, counter) - 1.0;
    const double lowest = l->middle[v] - l->half[v], highest = l->middle[v] + l->half[v];
    l->before[v] = fmin(fmax(l->q[v] + NEAR * u, lowest), highest);
  }
  hand_of(l, l->before, l->hand);
}

static void put_inputs(const lesson *l, float *inputs) {
  const double scale = l->with_before ? 1.0 / (NEAR * l->size) : 1.0 / l->size;
  for (int i = 0; i < 3; ++i) {
    *inputs++ = (float)(scale * (l->target[i] - (l->with_before ? l->hand[i] : 0.0)));
  }
  for (int v = 0; l->with_before && v < l->n; ++v) {
    *inputs++ = (float)cos(l->before[v]);
    *inputs++ = (float)sin(l->before[v]);
  }
}

// The unit of a net's outputs is what they vary by.
static double unit_of(const lesson *l, int v) {
  return l->with_before ? NEAR : l->half[v];
}

static double origin_of(const lesson *l, int v) {
  return l->with_before ? l->before[v] : l->middle[v];
}

static void example(void *context, uint64_t number, float *inputs, float *outputs) {
  lesson *l = context;
  draw(l, number);
  put_inputs(l, inputs);
  for (int v = 0; v < l->n; ++v) {
    outputs[v] = (float)((l->q[v] - origin_of(l, v)) / unit_of(l, v));
  }
}

static void ask(const perceptron *net, const lesson *l, double *q) {
  float inputs[PERCEPTRON_MOST], outputs[PERCEPTRON_MOST];
  put_inputs(l, inputs);
  perceptron_run(net, inputs, outputs);
  for (int v = 0; v < l->n; ++v) {
    q[v] = origin_of(l, v) + unit_of(l, v) * outputs[v];
  }
}

static double error_of(lesson *l, const double *q) {
  double p[3], square = 0.0;
  hand_of(l, q, p);
  for (int i = 0; i < 3; ++i) {
    square += (p[i] - l->target[i]) * (p[i] - l->target[i]);
  }
  return sqrt(square) / l->size;
}

static perceptron *train(lesson *l, bool with_before, int steps) {
  l->seed = TRAIN_SEED;
  l->with_before = with_before;
  perceptron *net = perceptron_create(with_before ? 3 + 2 * l->n : 3, l->n, NET_SEED);
  if (net != NULL) {
    perceptron_train(net, steps, example, l);
  }
  return net;
}

static void test(lesson *l, perceptron *const nets[2], learned *out) {
  *out = (learned){0};
  l->seed = TEST_SEED;
  for (int i = 0; i < TESTS; ++i) {
    double q[2][PERCEPTRON_MOST];
    draw(l, (uint64_t)i);
    for (int k = 0; k < 2; ++k) {
      l->with_before = k == 1;
      ask(nets[k], l, q[k]);
    }
    out->target_only += error_of(l, q[0]) / TESTS;
    out->with_before += error_of(l, q[1]) / TESTS;
    out->before += error_of(l, l->before) / TESTS;
    if (i < LEARNED_ELBOWS && l->n > 1) {
      out->elbows[i][0] = l->q[1];
      out->elbows[i][1] = q[0][1];
      out->elbows[i][2] = q[1][1];
    }
  }
}

bool learned_measure(const char *figure, int steps, learned *out) {
  lesson l;
  perceptron *nets[2] = {NULL, NULL};
  bool good = lesson_begin(&l, figure);
  for (int k = 0; good && k < 2; ++k) {
    nets[k] = train(&l, k == 1, steps);
    good = nets[k] != NULL;
  }
  if (good) {
    test(&l, nets, out);
  }
  perceptron_destroy(nets[0]);
  perceptron_destroy(nets[1]);
  lesson_end(&l);
  return good;
}

// ------------------------------------------------------------------ the experiment

// The second joint of the two-link arm: f(target) gives the mean of both branches.
static bool draw_branches(const char *folder, const learned *arm) {
  FILE *picture = picture_open(folder, "learned", 800, 400);
  if (picture == NULL) {
    return true;
  }
  fputs("$elbows << END\n", picture);
  for (int i = 0; i < LEARNED_ELBOWS; ++i) {
    fprintf(picture, "%.4g %.4g %.4g\n", arm->elbows[i][0], arm->elbows[i][1], arm->elbows[i][2]);
  }
  fputs("END\nset multiplot layout 1,2\nset size square\nset grid\n"
        "set xrange [-3.2:3.2]\nset yrange [-3.2:3.2]\nunset key\n"
        "set xlabel 'elbow of the two-link arm [rad]'\nset ylabel 'elbow by the net [rad]'\n"
        "set title 'f(target)'\n"
        "plot $elbows using 1:2 with points pt 7 ps 0.3 lc rgb '#b0413e'\n"
        "set title 'f(target, q0)'\n"
        "plot $elbows using 1:3 with points pt 7 ps 0.3 lc rgb '#1b5aa5'\nunset multiplot\n",
        picture);
  return picture_close(picture, folder, "learned");
}

static bool measure_figure(int f, const sinew_experiment_options *options, FILE *csv) {
  learned got;
  if (!learned_measure(figures[f], options->brief ? STEPS_BRIEF : STEPS, &got)) {
    return false;
  }
  printf("  %-10s %10.3g %14.3g %10.3g %8.1f\n", figures[f], 100.0 * got.target_only,
         100.0 * got.with_before, 100.0 * got.before, got.target_only / got.with_before);
  fflush(stdout);
  options->progress((f + 1.0) / FIGURES);
  if (csv != NULL) {
    fprintf(csv, "%s,%.6g,%.6g,%.6g\n", figures[f], got.target_only, got.with_before, got.before);
  }
  return csv == NULL || f > 0 || draw_branches(options->folder, &got);
}

bool sinew_experiment_learned(const sinew_experiment_options *options) {
  static const char name[] = "learned.csv";
  FILE *csv = options->folder != NULL ? output_open(options->folder, name) : NULL;
  bool good = options->folder == NULL || csv != NULL;
  if (csv != NULL) {
    fputs("figure,target_only,with_q0,q0_itself\n", csv);
  }
  printf("Mean distance of the hand from the target by a net, %% of the figure's size; q0 within "
         "%g rad\n  %-10s %10s %14s %10s %8s\n",
         NEAR, "", "f(target)", "f(target, q0)", "q0 itself", "ratio");
  for (int f = 0; good && f < FIGURES; ++f) {
    good = measure_figure(f, options, csv);
  }
  return (csv == NULL || output_close(csv, name)) && good;
}
