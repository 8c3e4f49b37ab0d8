// Claims about cost, by counts of multiplications with the time beside them: H5, H8; and H9.
#include "experiments/claims.h"
#include "experiments/clock.h"
#include "experiments/study.h"
#include "scenes/expect.h"
#include "sinew/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Multiplications of damped least squares in the m x m and in the n x n form: the product, the
// factor of a symmetric matrix, two substitutions, and J^T times a vector.
static double by_rows(double m, double n) {
  return m * (m + 1.0) / 2.0 * n + m * m * m / 6.0 + m * m + m * n;
}

static double by_columns(double m, double n) {
  return n * (n + 1.0) / 2.0 * m + n * n * n / 6.0 + n * n + m * n;
}

// Microseconds of an update of a chain.
static double time_of(const char *scene, sinew_dls_form form) {
  study *s = study_create(scene, 0, 50);
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = SINEW_METHOD_DLS;
  def.step.dls_form = form;
  const double time = s != NULL ? study_time(s, &def) : NAN;
  study_destroy(s);
  return time;
}

// H5
int claim_forms(bool brief, claim_result *out) {
  static const char *const labels[] = {"n = 6", "n = 15", "n = 60"};
  static const char *const scenes[] = {"chain-2", "chain-5", "chain-20"};
  static const double n[] = {6.0, 15.0, 60.0};
  size_t used = 0;
  (void)brief;
  for (int i = 0; i < 3; ++i) {
    out->names[i] = labels[i];
    out->figures[i] = by_rows(3.0, n[i]) / by_columns(3.0, n[i]);
    used +=
        (size_t)snprintf(out->extra + used, sizeof out->extra - used, "%s%.2g / %.2g",
                         i == 0 ? "time of an update [us], m x m / n x n: " : ", ",
                         time_of(scenes[i], SINEW_DLS_ROWS), time_of(scenes[i], SINEW_DLS_COLUMNS));
  }
  return 3;
}

// Microseconds of a Jacobian of an arm of seven joints.
static double jacobian_time(bool body) {
  sinew_scene *scene = sinew_scene_create("arm7");
  sinew_model *model = NULL;
  sinew_state *state = NULL;
  double q[16], J[6 * 16], least = INFINITY;
  if (scene != NULL && sinew_model_create(&scene->model, &model, NULL) == SINEW_OK &&
      sinew_state_create(model, NULL, &state, NULL) == SINEW_OK && sinew_model_nv(model) <= 16) {
    const int link = scene->tasks[0].link;
    sinew_configuration_middle(model, q);
    for (int repeat = 0; repeat < 5; ++repeat) {
      const double begin = clock_microseconds();
      for (int i = 0; i < 5000; ++i) {
        q[0] = 1e-4 * i;
        if (body) {
          sinew_expect_ok(sinew_state_jacobian_body(state, q, link, NULL, J, NULL));
        } else {
          sinew_expect_ok(sinew_state_forward(state, q));
          sinew_expect_ok(sinew_state_jacobian(state, link, NULL, sinew_model_root(model), J));
        }
      }
      least = fmin(least, (clock_microseconds() - begin) / 5000.0);
    }
  }
  sinew_state_destroy(state);
  sinew_model_destroy(model);
  if (scene != NULL) {
    sinew_scene_destroy(scene);
  }
  return least;
}

// H8. Of a revolute joint: a product of two motions takes 27 + 9 multiplications, in either
// direction along the chain; a column a x (s - p) takes 6, of the adjoint too, since a is an axis
// of the frame and the rest of the column is zero. Where the poses are known already, the world
// frame needs the columns alone, and the body frame also turns both halves of each, 9 each.
int claim_frames(bool brief, claim_result *out) {
  const double product = 36.0, column = 6.0, turn = 18.0;
  (void)brief;
  out->names[0] = "from joint values";
  out->figures[0] = (product + column) / (product + column);
  out->names[1] = "from known poses";
  out->figures[1] = (column + turn) / column;
  snprintf(out->extra, sizeof out->extra,
           "time of an arm of seven joints [us]: body %.2g, world %.2g", jacobian_time(true),
           jacobian_time(false));
  return 2;
}

// The largest difference of J by finite differences from the exact one.
static double error_of(sinew_state *state, const sinew_model *model, int link, const double *q,
                       sinew_difference kind, double epsilon) {
  double J[6 * 16], exact[6 * 16], most = 0.0;
  sinew_expect_ok(sinew_state_forward(state, q));
  sinew_expect_ok(sinew_state_jacobian(state, link, NULL, sinew_model_root(model), exact));
  sinew_expect_ok(sinew_state_jacobian_differences(state, q, link, NULL, kind, epsilon, J));
  for (int i = 0; i < 6 * sinew_model_nv(model); ++i) {
    most = fmax(most, fabs(J[i] - exact[i]));
  }
  return most;
}

// H9
int claim_differences(bool brief, claim_result *out) {
  static const sinew_difference kinds[] = {SINEW_DIFFERENCE_FORWARD, SINEW_DIFFERENCE_CENTRAL};
  sinew_scene *scene = sinew_scene_create("arm7");
  sinew_model *model = NULL;
  sinew_state *state = NULL;
  double q[16], best[2] = {0.0, 0.0};
  bool good = scene != NULL && sinew_model_create(&scene->model, &model, NULL) == SINEW_OK &&
              sinew_state_create(model, NULL, &state, NULL) == SINEW_OK &&
              sinew_model_nv(model) <= 16;
  for (int k = 0; good && k < 2; ++k) {
    claim_curve *curve = claim_curve_begin(out, k == 0 ? "forward" : "central");
    double least = INFINITY, most = 0.0;
    for (int i = 0; i <= 22; ++i) {
      const double epsilon = pow(10.0, -12.0 + 0.5 * i);
      double error = 0.0;
      for (int trial = 0; trial < (brief ? 3 : 20); ++trial) {
        sinew_configuration_random(model, 99, (uint64_t)trial, q);
        error = fmax(error, error_of(state, model, scene->tasks[0].link, q, kinds[k], epsilon));
      }
      claim_curve_put(curve, epsilon, error);
      best[k] = error < least ? epsilon : best[k];
      least = fmin(least, error);
      most = fmax(most, error);
    }
    out->figures[k] = most / least;
  }
  out->names[0] = "forward";
  out->names[1] = "central";
  snprintf(out->extra, sizeof out->extra, "least error at a step of %.1g rad forward, %.1g central",
           best[0], best[1]);
  sinew_state_destroy(state);
  sinew_model_destroy(model);
  if (scene != NULL) {
    sinew_scene_destroy(scene);
  }
  return good ? 2 : -1;
}
