// Claims about figures that follow moving targets: H1 to H4, H6, the smoothness in H11.
#include "experiments/claims.h"
#include "experiments/methods.h"
#include "experiments/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARM_UP 100
#define MEASURED 3000
#define MEASURED_BRIEF 600

// lambda over the figure's size; D_max over it.
#define LAMBDA 0.2
#define CLAMP 0.1

// Jitter below which motion counts as smooth [rad].
#define SMOOTH 0.01

static study *study_of(const char *scene, bool brief) {
  return study_create(scene, WARM_UP, brief ? MEASURED_BRIEF : MEASURED);
}

static bool track(const study *s, const sinew_solver_def *def, tally *out) {
  return study_track(s, def, 1, out, NULL);
}

// The same, with a curve: the error at each step of the first stay in reach, or the jitter of the
// first stay out of reach.
static bool track_curve(const study *s, const sinew_solver_def *def, tally *out,
                        sinew_scene_reach reach, claim_curve *curve) {
  study_step *steps = calloc((size_t)s->step_count, sizeof *steps);
  const bool good = steps != NULL && study_track(s, def, 1, out, steps);
  int i = s->warm_up;
  while (good && i < s->step_count && s->reach[i] != reach) {
    ++i;
  }
  for (; good && i < s->step_count && s->reach[i] == reach; ++i) {
    claim_curve_put(curve, i - s->warm_up,
                    reach == SINEW_SCENE_IN_REACH ? steps[i].error : steps[i].jitter);
  }
  free(steps);
  return good;
}

static sinew_solver_def def_of(const study *s, const char *name, double lambda) {
  const double size = sinew_model_size(s->model);
  return method_def(method_find(name),
                    (method_setting){.lambda = lambda * size, .clamp = CLAMP * size});
}

// H1: error of the transpose in reach over that of DLS.
int claim_single_effector(bool brief, claim_result *out) {
  static const char *const scenes[] = {"planar", "chain-5", "chain-20", "arm6", "arm7"};
  tally found[2];
  double several = 0.0;
  for (int i = 0; i < 6; ++i) {
    const char *scene = i < 5 ? scenes[i] : "double-y-25";
    study *s = study_of(scene, brief);
    bool good = s != NULL;
    for (int k = 0; good && k < 2; ++k) {
      const sinew_solver_def def = def_of(s, k == 0 ? "transpose" : "dls", LAMBDA);
      claim_curve *curve = i == 0 ? claim_curve_begin(out, k == 0 ? "transpose" : "DLS") : NULL;
      good = track_curve(s, &def, &found[k], SINEW_SCENE_IN_REACH, curve);
    }
    study_destroy(s);
    if (!good) {
      return -1;
    }
    if (i < 5) {
      out->figures[i] = found[0].error / found[1].error;
      out->names[i] = scenes[i];
    } else {
      several = found[0].error / found[1].error;
    }
  }
  snprintf(out->extra, sizeof out->extra, "with four effectors (double-Y): %.2g", several);
  return 5;
}

// The least lambda of a sweep from which on the jitter out of reach is smooth; NaN: none.
static double least_lambda(const study *s, const char *name, bool brief, double *error,
                           claim_curve *curve) {
  const int count = brief ? 9 : 17;
  double least = NAN;
  for (int i = count - 1; i >= 0; --i) {
    const double lambda = 0.01 * pow(100.0, (double)i / (count - 1));
    const sinew_solver_def def = def_of(s, name, lambda);
    tally found;
    if (!track(s, &def, &found)) {
      break;
    }
    claim_curve_put(curve, lambda, found.jitter);
    if (!(found.jitter < SMOOTH)) {
      break;
    }
    least = lambda;
    *error = found.error;
  }
  return least;
}

// H2
int claim_clamped_errors(bool brief, claim_result *out) {
  static const char *const scenes[] = {"y", "double-y-25"};
  double errors[2][2] = {{NAN, NAN}, {NAN, NAN}};
  for (int i = 0; i < 2; ++i) {
    study *s = study_of(scenes[i], brief);
    if (s == NULL) {
      return -1;
    }
    out->names[i] = scenes[i];
    claim_curve *clamped = i == 0 ? claim_curve_begin(out, "DLS'") : NULL;
    claim_curve *plain = i == 0 ? claim_curve_begin(out, "DLS") : NULL;
    out->figures[i] = least_lambda(s, "dls-clamped", brief, &errors[i][1], clamped) /
                      least_lambda(s, "dls", brief, &errors[i][0], plain);
    study_destroy(s);
  }
  snprintf(out->extra, sizeof out->extra,
           "errors there, DLS' and DLS: %.3g and %.3g, %.3g and %.3g", errors[0][1], errors[0][0],
           errors[1][1], errors[1][0]);
  return 2;
}

// H3: with the clamp of Buss's program and without any.
int claim_clamped_steps(bool brief, claim_result *out) {
  static const char *const tried[] = {"transpose", "pseudoinverse", "dls"};
  static const char *const labels[] = {
      "transpose on Y",        "pseudoinverse on Y",        "DLS on Y",
      "transpose on double-Y", "pseudoinverse on double-Y", "DLS on double-Y"};
  double worst = 0.0;
  for (int i = 0; i < 6; ++i) {
    study *s = study_of(i < 3 ? "y" : "double-y-25", brief);
    tally with, without;
    bool good = s != NULL;
    if (good) {
      sinew_solver_def def = def_of(s, tried[i % 3], LAMBDA);
      good = track(s, &def, &with);
      def.step.max_turn = 1e9;
      good = good && track(s, &def, &without);
    }
    study_destroy(s);
    if (!good) {
      return -1;
    }
    out->names[i] = labels[i];
    out->figures[i] = with.jitter / without.jitter;
    worst = fmax(worst, without.jitter_most);
  }
  snprintf(out->extra, sizeof out->extra, "largest change in a step without: %.3g rad", worst);
  return 6;
}

// The jitter of a chain that follows a target around its own root, at a tenth of its length.
static double folded_jitter(bool target_jacobian) {
  sinew_scene *scene = sinew_scene_create("planar");
  sinew_model *model = NULL;
  sinew_solver *solver = NULL;
  double q[32] = {0.0}, before[32], last[32] = {0.0}, sum = 0.0;
  sinew_solver_def def = sinew_default_solver_def();
  const int steps = 2000;
  double jitter = NAN;
  if (scene != NULL && sinew_model_create(&scene->model, &model, NULL) == SINEW_OK) {
    const double size = sinew_model_size(model);
    def.step.method = SINEW_METHOD_DLS;
    def.step.error_damping = 0.0;
    def.step.damping = LAMBDA * size;
    def.step.target_jacobian = target_jacobian;
    if (sinew_solver_create(&def, model, &solver, NULL) == SINEW_OK &&
        sinew_solver_set_tasks(solver, scene->tasks, 1, NULL) == SINEW_OK) {
      sinew_scene_motion(scene, model, 0.0, q);
      for (int i = 0; i < steps; ++i) {
        sinew_target target = sinew_default_target();
        double square = 0.0;
        target.position[0] = 0.1 * size * cos(0.02 * i);
        target.position[1] = 0.1 * size * sin(0.02 * i);
        memcpy(before, q, sizeof q);
        if (sinew_solver_update(solver, &target, 1, q, NULL) != SINEW_OK) {
          break;
        }
        for (int j = 0; j < sinew_model_nq(model); ++j) {
          square += pow(q[j] - before[j] - last[j], 2.0);
          last[j] = q[j] - before[j];
        }
        sum += i >= steps / 4 ? sqrt(square) : 0.0;
      }
      jitter = sum / (steps - steps / 4);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  if (scene != NULL) {
    sinew_scene_destroy(scene);
  }
  return jitter;
}

// H4
int claim_target_jacobian(bool brief, claim_result *out) {
  static const char *const scenes[] = {"y", "double-y-25"};
  for (int i = 0; i < 2; ++i) {
    study *s = study_of(scenes[i], brief);
    tally found[2];
    bool good = s != NULL;
    for (int k = 0; good && k < 2; ++k) { // at a damping that does not suppress all jitter
      const sinew_solver_def def = def_of(s, k == 0 ? "dls" : "dls-target", 0.5 * LAMBDA);
      claim_curve *curve = i == 0 ? claim_curve_begin(out, k == 0 ? "J" : "target J") : NULL;
      good = track_curve(s, &def, &found[k], SINEW_SCENE_OUT_OF_REACH, curve);
    }
    study_destroy(s);
    if (!good) {
      return -1;
    }
    out->names[i] = scenes[i];
    out->figures[i] = found[0].jitter / found[1].jitter;
  }
  out->names[2] = "a folded chain";
  out->figures[2] = folded_jitter(true) / folded_jitter(false);
  return 3;
}

// Error in reach times jitter out of reach; infinite where there is no such step.
static double product_of(const study *s, const sinew_solver_def *def, claim_curve *curve) {
  tally found;
  if (!track(s, def, &found)) {
    return NAN;
  }
  claim_curve_put(curve, found.error, found.jitter);
  return found.error * found.jitter;
}

// H6: for each law, its best of a few settings over the constant law's best lambda; the geometric
// mean over figures.
int claim_laws(bool brief, claim_result *out) {
  static const char *const scenes[] = {"y", "double-y-25", "arm7", "planar"};
  static const double lambdas[] = {0.02, 0.05, 0.1, 0.2, 0.4};
  const int scene_count = brief ? 2 : 4;
  double logs[SINEW_DAMPING_COUNT] = {0.0};
  for (int i = 0; i < scene_count; ++i) {
    study *s = study_of(scenes[i], brief);
    double best[SINEW_DAMPING_COUNT];
    if (s == NULL) {
      return -1;
    }
    for (int law = 0; law < SINEW_DAMPING_COUNT; ++law) {
      const char *name = sinew_damping_law_string((sinew_damping_law)law);
      claim_curve *curve = i == 0 ? claim_curve_begin(out, name) : NULL;
      best[law] = INFINITY;
      for (int k = 0; k < 5; ++k) {
        sinew_solver_def def = sinew_default_solver_def();
        def.step.method = SINEW_METHOD_DLS;
        def.step.damping_law = (sinew_damping_law)law;
        def.step.damping =
            law == SINEW_DAMPING_ERROR ? 0.0 : lambdas[k] * sinew_model_size(s->model);
        def.step.error_damping = 5.0 * lambdas[k];
        def.step.max_turn = 5.0 * lambdas[k];
        best[law] = fmin(best[law], product_of(s, &def, curve));
      }
    }
    for (int law = 0; law < SINEW_DAMPING_COUNT; ++law) {
      logs[law] += log(best[law] / best[SINEW_DAMPING_CONSTANT]);
    }
    study_destroy(s);
  }
  int count = 0;
  for (int law = 0; law < SINEW_DAMPING_COUNT; ++law) {
    if (law != SINEW_DAMPING_CONSTANT) {
      out->names[count] = sinew_damping_law_string((sinew_damping_law)law);
      out->figures[count++] = exp(logs[law] / scene_count);
    }
  }
  return count;
}
