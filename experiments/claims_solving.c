// Claims about solves: H7, H10, H11, H12.
#include "experiments/claims.h"
#include "experiments/solved.h"
#include "experiments/study.h"
#include "scenes/expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// H7: of the targets of three figures. A method that solves fewer is not robust; of those that
// solve as many, the one with the fewest steps is the fastest.
int claim_damped_inverse(bool brief, claim_result *out) {
  static const char *const scenes[] = {"arm6", "arm7", "humanoid"};
  static const char *const labels[] = {"arm6, solved", "arm6, steps",      "arm7, solved",
                                       "arm7, steps",  "humanoid, solved", "humanoid, steps"};
  static const sinew_method methods[] = {SINEW_METHOD_TRANSPOSE, SINEW_METHOD_PSEUDOINVERSE,
                                         SINEW_METHOD_DLS};
  double times[3] = {0.0};
  for (int i = 0; i < 3; ++i) {
    solved got[3];
    for (int m = 0; m < 3; ++m) {
      sinew_solver_def def = sinew_default_solver_def();
      def.step.method = methods[m];
      if (!solved_measure(scenes[i], &def, brief ? 30 : 200, &got[m])) {
        return -1;
      }
      times[m] += got[m].microseconds / got[m].count / 3.0;
    }
    const int best = got[0].restarted > got[1].restarted ? got[0].restarted : got[1].restarted;
    out->names[2 * i] = labels[2 * i];
    out->figures[2 * i] = (double)best / got[2].restarted;
    out->names[2 * i + 1] = labels[2 * i + 1];
    out->figures[2 * i + 1] =
        (double)got[2].steps / (double)(got[0].steps < got[1].steps ? got[0].steps : got[1].steps);
  }
  snprintf(out->extra, sizeof out->extra,
           "time of a solve [us]: transpose %.0f, pseudoinverse %.0f, DLS %.0f", times[0], times[1],
           times[2]);
  return 6;
}

// A figure, its task and a solver.
typedef struct walk {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
  double *q, *there;
} walk;

static void walk_end(walk *w) {
  sinew_state_destroy(w->state);
  sinew_model_destroy(w->model);
  if (w->scene != NULL) {
    sinew_scene_destroy(w->scene);
  }
  free(w->q);
  free(w->there);
}

static bool walk_begin(walk *w, const char *scene) {
  *w = (walk){.scene = sinew_scene_create(scene)};
  sinew_error error = {0};
  if (w->scene == NULL || sinew_model_create(&w->scene->model, &w->model, &error) != SINEW_OK ||
      sinew_state_create(w->model, NULL, &w->state, &error) != SINEW_OK) {
    fprintf(stderr, "sinew: %s: %s\n", scene, error.message);
    return false;
  }
  w->q = calloc((size_t)sinew_model_nq(w->model), sizeof *w->q);
  w->there = calloc((size_t)sinew_model_nq(w->model), sizeof *w->there);
  return w->q != NULL && w->there != NULL;
}

// A reachable position near a random configuration, which q becomes.
static sinew_target near_target(walk *w, int number) {
  const int nv = sinew_model_nv(w->model);
  double *v = calloc((size_t)nv + 1, sizeof *v);
  sinew_target target = sinew_default_target();
  sinew_configuration_random(w->model, 1010, (uint64_t)number, w->q);
  for (int i = 0; v != NULL && i < nv; ++i) {
    v[i] = 0.6 * (sinew_random_uniform(1011 + (uint64_t)i, (uint64_t)number) - 0.5);
  }
  sinew_configuration_integrate(w->model, w->q, v, w->there);
  free(v);
  sinew_expect_ok(sinew_state_forward(w->state, w->there));
  sinew_expect_ok(sinew_state_point(w->state, w->scene->tasks[0].link, NULL, target.position));
  return target;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The median number of steps until the position is within 1 % of the size.
static double median_steps(walk *w, sinew_method method, int trials) {
  double counts[200];
  sinew_solver *solver = NULL;
  sinew_solver_def def = sinew_default_solver_def();
  sinew_task task = sinew_default_task();
  task.link = w->scene->tasks[0].link;
  def.step.method = method;
  def.step.singular_cut = 1e-3;
  sinew_expect_ok(sinew_solver_create(&def, w->model, &solver, NULL));
  sinew_expect_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
  for (int i = 0; i < trials; ++i) {
    const sinew_target target = near_target(w, i);
    sinew_report report;
    int steps = 0;
    sinew_solver_reset(solver);
    for (; steps < 2000; ++steps) {
      sinew_expect_ok(sinew_solver_update(solver, &target, 1, w->q, &report));
      if (report.position_error < 0.01 * sinew_model_size(w->model)) {
        break;
      }
    }
    counts[i] = steps;
  }
  sinew_solver_destroy(solver);
  qsort(counts, (size_t)trials, sizeof counts[0], compare);
  return counts[trials / 2];
}

// H10
int claim_twice_the_steps(bool brief, claim_result *out) {
  static const char *const scenes[] = {"two-link", "planar", "chain-10", "arm6", "arm7"};
  size_t used = 0;
  for (int i = 0; i < 5; ++i) {
    walk w;
    bool good = walk_begin(&w, scenes[i]);
    if (good) {
      const int trials = brief ? 41 : 199;
      const double by_transpose = median_steps(&w, SINEW_METHOD_TRANSPOSE, trials);
      const double by_inverse = median_steps(&w, SINEW_METHOD_PSEUDOINVERSE, trials);
      const double ratio = by_transpose / fmax(by_inverse, 1.0);
      out->names[i] = scenes[i];
      out->figures[i] = fabs(log2(fmax(ratio, 1e-9) / 2.0));
      used += (size_t)snprintf(out->extra + used, sizeof out->extra - used, "%s%.3g",
                               i == 0 ? "ratios: " : ", ", ratio);
    }
    walk_end(&w);
    if (!good) {
      return -1;
    }
  }
  return 5;
}

// Multiplications of one sweep over a chain of n revolute joints: for each joint the pair of the
// effector (12), its rotation (12), and the rotation of the effector's point (9) and joint's frame;
// of one DLS step, m = 3: poses 36 n, columns 6 n, J J^T m (m + 1) n / 2, factor, J^T y m n.
static double dls_over_ccd(int n) {
  const double m = 3.0;
  const double dls = 36.0 * n + 6.0 * n + m * (m + 1.0) * n / 2.0 + m * m * m / 6.0 + m * m + m * n;
  return dls / (33.0 * n);
}

// |dq| of a step beside a singularity: two links in line, the target farther in.
static double step_at_singularity(sinew_method method) {
  walk w;
  double step = NAN;
  if (walk_begin(&w, "two-link")) {
    double q[2] = {0.3, 1e-6}, tip[3], root[3];
    sinew_solver *solver = NULL;
    sinew_solver_def def = sinew_default_solver_def();
    sinew_target target = sinew_default_target();
    def.step.method = method;
    def.step.max_turn = 1e9;
    def.step.singular_cut = 1e-9;
    sinew_expect_ok(sinew_state_forward(w.state, q));
    sinew_expect_ok(sinew_state_point(w.state, 1, NULL, root));
    sinew_expect_ok(sinew_state_point(w.state, w.scene->tasks[0].link, NULL, tip));
    for (int k = 0; k < 3; ++k) {
      target.position[k] = tip[k] - 0.02 * (tip[k] - root[k]);
    }
    sinew_expect_ok(sinew_solver_create(&def, w.model, &solver, NULL));
    sinew_expect_ok(sinew_solver_set_tasks(solver, w.scene->tasks, 1, NULL));
    sinew_expect_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    step = hypot(q[0] - 0.3, q[1] - 1e-6);
    sinew_solver_destroy(solver);
  }
  walk_end(&w);
  return step;
}

// H11
int claim_ccd(bool brief, claim_result *out) {
  sinew_solver_def def = sinew_default_solver_def();
  tally found[2];
  solved got[2];
  study *s = study_create("arm7", 100, brief ? 600 : 3000);
  bool good = s != NULL;
  for (int k = 0; good && k < 2; ++k) {
    const sinew_method ccd[2] = {SINEW_METHOD_CCD, SINEW_METHOD_CCD_NEWTON};
    def.step.method = k == 0 ? SINEW_METHOD_CCD : SINEW_METHOD_DLS;
    good = study_track(s, &def, 1, &found[k], NULL);
    def.step.method = ccd[k];
    good = good && solved_measure("arm7", &def, brief ? 30 : 200, &got[k]);
  }
  study_destroy(s);
  if (!good) {
    return -1;
  }
  const double ours = step_at_singularity(SINEW_METHOD_CCD);
  out->names[0] = "cheap";
  out->figures[0] = dls_over_ccd(7);
  out->names[1] = "stable";
  out->figures[1] = 1.0 / ours;
  out->names[2] = "not smooth";
  out->figures[2] = found[0].jitter_in / found[1].jitter_in;
  out->names[3] = "with a finish";
  out->figures[3] = got[1].restarted / fmax(got[0].restarted, 1.0);
  snprintf(out->extra, sizeof out->extra,
           "step at the singularity [rad]: CCD %.2g, pseudoinverse %.2g; time of a solve [us]: CCD "
           "%.0f, with the finish %.0f",
           ours, step_at_singularity(SINEW_METHOD_PSEUDOINVERSE),
           got[0].microseconds / got[0].count, got[1].microseconds / got[1].count);
  return 4;
}

// The mean steps of x = k J^T e to 1 % of the size, at most 5000 each: 5000 counts as never.
static double steps_of_gain(walk *w, double k, int trials) {
  const int nv = sinew_model_nv(w->model), most = 5000;
  const double size = sinew_model_size(w->model);
  double *J = calloc(6 * (size_t)nv, sizeof *J), *v = calloc((size_t)nv, sizeof *v), sum = 0.0;
  for (int i = 0; J != NULL && v != NULL && i < trials; ++i) {
    const sinew_target target = near_target(w, i);
    int step = 0;
    for (; step < most; ++step) {
      double p[3], e[3];
      sinew_expect_ok(sinew_state_forward(w->state, w->q));
      sinew_expect_ok(sinew_state_point(w->state, w->scene->tasks[0].link, NULL, p));
      sinew_expect_ok(sinew_state_jacobian(w->state, w->scene->tasks[0].link, NULL,
                                           sinew_model_root(w->model), J));
      double square = 0.0;
      for (int a = 0; a < 3; ++a) {
        e[a] = target.position[a] - p[a];
        square += e[a] * e[a];
      }
      if (sqrt(square) < 0.01 * size) {
        break;
      }
      for (int j = 0; j < nv; ++j) {
        v[j] = k * (J[j] * e[0] + J[nv + j] * e[1] + J[2 * nv + j] * e[2]) / (size * size);
      }
      sinew_configuration_integrate(w->model, w->q, v, w->q);
    }
    sum += step;
  }
  free(J);
  free(v);
  return sum / trials;
}

// H12
int claim_step_size(bool brief, claim_result *out) {
  static const char *const scenes[] = {"planar", "arm7"};
  static const char *const labels[] = {"planar, too small", "planar, too large", "arm7, too small",
                                       "arm7, too large"};
  const int trials = brief ? 5 : 20;
  size_t used = 0;
  for (int i = 0; i < 2; ++i) {
    walk w;
    double best = INFINITY, gain = 0.0;
    claim_curve *curve = claim_curve_begin(out, scenes[i]);
    const bool good = walk_begin(&w, scenes[i]);
    for (int k = -4; good && k <= 6; ++k) {
      const double steps = steps_of_gain(&w, pow(2.0, k), trials);
      claim_curve_put(curve, pow(2.0, k), steps);
      gain = steps < best ? pow(2.0, k) : gain;
      best = fmin(best, steps);
    }
    for (int k = 0; good && k < 2; ++k) {
      out->names[2 * i + k] = labels[2 * i + k];
      const double wrong = gain * (k == 0 ? 0.01 : 100.0);
      const double steps = steps_of_gain(&w, wrong, trials);
      claim_curve_put(curve, wrong, steps);
      out->figures[2 * i + k] = steps / fmax(best, 1.0);
    }
    walk_end(&w);
    if (!good) {
      return -1;
    }
    used += (size_t)snprintf(out->extra + used, sizeof out->extra - used,
                             "%sbest gain of %s: %g, %.3g steps", i == 0 ? "" : "; ", scenes[i],
                             gain, best);
  }
  return 4;
}
