// The shape of motions.
//
// Synergies: the postures of a clip lie near a plane through their mean, along its first principal
// components p_k. A posture mean + sum c_k p_k is brought as near to the targets as the c_k allow,
// by damped least squares on them, and then solved for all joints: of all solutions one like those
// of the clip. Source: Santello, Flanders and Soechting, Postural hand synergies for tool use,
// 1998.
#include "experiments/motion.h"
#include "experiments/experiments.h"
#include "experiments/output.h"
#include "scenes/expect.h"
#include "scenes/scenes.h"
#include "sinew/solver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 16
#define COMPONENTS 3
#define FRAMES 200

typedef struct arm {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
  sinew_task task;
  int n;
} arm;

static void arm_end(arm *a) {
  sinew_state_destroy(a->state);
  sinew_model_destroy(a->model);
  if (a->scene != NULL) {
    sinew_scene_destroy(a->scene);
  }
}

static bool arm_begin(arm *a, const char *scene) {
  sinew_error error = {0};
  *a = (arm){.scene = sinew_scene_create(scene)};
  if (a->scene == NULL || sinew_model_create(&a->scene->model, &a->model, &error) != SINEW_OK ||
      sinew_state_create(a->model, NULL, &a->state, &error) != SINEW_OK ||
      sinew_model_nv(a->model) > MOST || sinew_model_nq(a->model) != sinew_model_nv(a->model)) {
    fprintf(stderr, "sinew: %s: %s\n", scene, error.message);
    arm_end(a);
    return false;
  }
  a->task = sinew_default_task();
  a->task.link = a->scene->tasks[0].link;
  a->n = sinew_model_nv(a->model);
  return true;
}

static void hand_at(const arm *a, const double *q, double p[3]) {
  sinew_expect_ok(sinew_state_forward(a->state, q));
  sinew_expect_ok(sinew_state_point(a->state, a->task.link, NULL, p));
}

static sinew_solver *solver_of(const arm *a, const sinew_solver_def *def) {
  sinew_solver *solver = NULL;
  sinew_expect_ok(sinew_solver_create(def, a->model, &solver, NULL));
  sinew_expect_ok(sinew_solver_set_tasks(solver, &a->task, 1, NULL));
  return solver;
}

// ------------------------------------------------------------------- joint shares

// The share of the motion of one joint in single steps, of random starts and targets.
static double share_of(const arm *a, sinew_method method, const double *gains, int joint) {
  sinew_solver_def def = sinew_default_solver_def();
  double sum = 0.0, own = 0.0;
  def.step.method = method;
  sinew_solver *solver = solver_of(a, &def);
  sinew_expect_ok(sinew_solver_set_gains(solver, gains));
  for (int i = 0; i < 200; ++i) {
    double q[MOST], before[MOST];
    sinew_target target = sinew_default_target();
    sinew_configuration_random(a->model, 51, (uint64_t)i, q);
    hand_at(a, q, target.position);
    sinew_configuration_random(a->model, 52, (uint64_t)i, q);
    memcpy(before, q, sizeof q);
    sinew_expect_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    for (int j = 0; j < a->n; ++j) {
      sum += fabs(q[j] - before[j]);
      own += j == joint ? fabs(q[j] - before[j]) : 0.0;
    }
  }
  sinew_solver_destroy(solver);
  return own / sum;
}

// ---------------------------------------------------------------------- paths

static double distance_between(const double a[3], const double b[3]) {
  double square = 0.0;
  for (int i = 0; i < 3; ++i) {
    square += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sqrt(square);
}

// The distance of a point from the line between two, over the line's length.
static double bow_of(const double from[3], const double to[3], const double p[3]) {
  double d[3], v[3], dd = 0.0, dv = 0.0, vv = 0.0;
  for (int i = 0; i < 3; ++i) {
    d[i] = to[i] - from[i];
    v[i] = p[i] - from[i];
    dd += d[i] * d[i];
    dv += d[i] * v[i];
    vv += v[i] * v[i];
  }
  return sqrt(fmax(0.0, vv - dv * dv / dd) / dd);
}

static void target_between(const double from[3], const double to[3], double u,
                           sinew_target *target) {
  *target = sinew_default_target();
  for (int i = 0; i < 3; ++i) {
    target->position[i] = from[i] + u * (to[i] - from[i]);
  }
}

// The largest bow of a reach: its ends, the keys between them solved, and interpolated. At the end
// the distance from it counts.
static double bow_of_keys(const arm *a, const double *start, const double *end, int keys) {
  const sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = solver_of(a, &def);
  double times[16], key[16 * MOST], from[3], to[3], q[MOST], p[3], most = 0.0;
  hand_at(a, start, from);
  hand_at(a, end, to);
  memcpy(q, start, (size_t)a->n * sizeof(double));
  for (int k = 0; k < keys; ++k) {
    sinew_target target;
    target_between(from, to, (double)k / (keys - 1), &target);
    sinew_expect_ok(sinew_solver_solve_local(solver, &target, 1, q, NULL));
    memcpy(key + k * a->n, q, (size_t)a->n * sizeof(double));
    times[k] = k;
  }
  for (int i = 0; i <= 100; ++i) {
    sinew_expect_ok(
        sinew_configuration_keyframes(a->model, times, key, keys, (keys - 1) * i / 100.0, q));
    hand_at(a, q, p);
    most = fmax(most, bow_of(from, to, p));
  }
  most = fmax(most, distance_between(p, to) / distance_between(from, to));
  sinew_solver_destroy(solver);
  return most;
}

static double bow_of_targets(const arm *a, const double *start, const double *end) {
  const sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = solver_of(a, &def);
  double from[3], to[3], q[MOST], p[3], most = 0.0;
  hand_at(a, start, from);
  hand_at(a, end, to);
  memcpy(q, start, (size_t)a->n * sizeof(double));
  for (int i = 0; i <= 200; ++i) {
    sinew_target target;
    target_between(from, to, i / 200.0, &target);
    sinew_expect_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    hand_at(a, q, p);
    most = fmax(most, bow_of(from, to, p));
  }
  sinew_solver_destroy(solver);
  return most;
}

// ------------------------------------------------------------------- synergies

// What the clip has beside its three waves: each joint's own motion, and the bend of the surface of
// its postures [rad].
#define OWN_MOTION 0.04
#define BEND 0.3

typedef struct synergies {
  double mean[MOST], p[COMPONENTS][MOST];
} synergies;

// The largest components of the clip's covariance, by the power method with deflation.
static void find_synergies(const arm *a, double (*clip)[MOST], int frames, synergies *s) {
  double C[MOST * MOST] = {0.0};
  const int n = a->n;
  memset(s, 0, sizeof *s);
  for (int f = 0; f < frames; ++f) {
    for (int j = 0; j < n; ++j) {
      s->mean[j] += clip[f][j] / frames;
    }
  }
  for (int f = 0; f < frames; ++f) {
    for (int i = 0; i < n * n; ++i) {
      C[i] += (clip[f][i / n] - s->mean[i / n]) * (clip[f][i % n] - s->mean[i % n]) / frames;
    }
  }
  for (int k = 0; k < COMPONENTS; ++k) {
    double *v = s->p[k], value = 0.0;
    for (int j = 0; j < n; ++j) {
      v[j] = 1.0 + 0.1 * j;
    }
    for (int round = 0; round < 300; ++round) {
      double next[MOST], square = 0.0;
      for (int i = 0; i < n; ++i) {
        next[i] = 0.0;
        for (int j = 0; j < n; ++j) {
          next[i] += C[i * n + j] * v[j];
        }
        square += next[i] * next[i];
      }
      value = sqrt(square);
      for (int i = 0; i < n && value > 0.0; ++i) {
        v[i] = next[i] / value;
      }
    }
    for (int i = 0; i < n * n; ++i) {
      C[i] -= value * v[i / n] * v[i % n];
    }
  }
}

// q = mean + sum c_k p_k, the hand as near to the target as the c_k bring it: gradient steps with
// the best length, which three unknowns need not many of.
static void move_along(const arm *a, const synergies *s, const double target[3], double *q) {
  double J[6 * MOST], c[COMPONENTS] = {0.0};
  memcpy(q, s->mean, (size_t)a->n * sizeof(double));
  for (int step = 0; step < 200; ++step) {
    double p[3], e[3], B[3][COMPONENTS], g[COMPONENTS], f[3] = {0.0}, ff = 0.0, gg = 0.0;
    hand_at(a, q, p);
    sinew_expect_ok(
        sinew_state_jacobian(a->state, a->task.link, NULL, sinew_model_root(a->model), J));
    for (int i = 0; i < 3; ++i) {
      e[i] = target[i] - p[i];
    }
    for (int k = 0; k < COMPONENTS; ++k) {
      g[k] = 0.0;
      for (int i = 0; i < 3; ++i) {
        B[i][k] = 0.0;
        for (int j = 0; j < a->n; ++j) {
          B[i][k] += J[i * a->n + j] * s->p[k][j];
        }
        g[k] += B[i][k] * e[i];
      }
      gg += g[k] * g[k];
    }
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < COMPONENTS; ++k) {
        f[i] += B[i][k] * g[k];
      }
      ff += f[i] * f[i];
    }
    const double alpha = ff > 0.0 ? gg / ff : 0.0;
    const double share = fmin(1.0, 0.3 / fmax(1e-9, alpha * sqrt(gg)));
    for (int k = 0; k < COMPONENTS; ++k) {
      c[k] += share * alpha * g[k];
    }
    for (int j = 0; j < a->n; ++j) {
      q[j] = s->mean[j];
      for (int k = 0; k < COMPONENTS; ++k) {
        q[j] += c[k] * s->p[k][j];
      }
    }
  }
}

// A clip in which the joints move mostly together: three waves drive all of them, by shares that
// the random seed gives. Products of two waves bend the surface of its postures, and each joint has
// a motion of its own, so that no few components span the clip.
static void fill_clip(const arm *a, uint64_t random_seed, double (*clip)[MOST], int frames) {
  double middle[MOST];
  sinew_configuration_middle(a->model, middle);
  for (int f = 0; f < frames; ++f) {
    double wave[COMPONENTS];
    for (int k = 0; k < COMPONENTS; ++k) {
      wave[k] = sin((0.07 + 0.05 * k) * f + k);
    }
    for (int j = 0; j < a->n; ++j) {
      clip[f][j] = middle[j] + OWN_MOTION * sin((0.31 + 0.043 * j) * f + 2.0 * j);
      for (int k = 0; k < COMPONENTS; ++k) {
        const uint64_t place = (uint64_t)(j * COMPONENTS + k);
        const double part = sinew_random_uniform(random_seed, place) - 0.5;
        const double bend = sinew_random_uniform(random_seed + 1, place) - 0.5;
        clip[f][j] += 0.9 * part * wave[k] + BEND * bend * wave[k] * wave[(k + 1) % COMPONENTS];
      }
    }
  }
}

// The distance of a posture from the mean and all that the components make of it.
static double distance_from(const synergies *s, int n, const double *q) {
  double square = 0.0;
  for (int j = 0; j < n; ++j) {
    square += (q[j] - s->mean[j]) * (q[j] - s->mean[j]);
  }
  for (int k = 0; k < COMPONENTS; ++k) {
    double along = 0.0;
    for (int j = 0; j < n; ++j) {
      along += (q[j] - s->mean[j]) * s->p[k][j];
    }
    square -= along * along;
  }
  return sqrt(fmax(0.0, square));
}

// The distance of a solution for a posture's hand from the posture, from a start.
static double miss_from(const arm *a, sinew_solver *solver, const sinew_target *target, double *q,
                        const double *posture) {
  double square = 0.0;
  sinew_expect_ok(sinew_solver_solve_local(solver, target, 1, q, NULL));
  for (int j = 0; j < a->n; ++j) {
    square += (q[j] - posture[j]) * (q[j] - posture[j]);
  }
  return sqrt(square);
}

// The mean distance of solutions from the clip's postures, whose hands are the targets: from the
// mean posture; from it moved along the components; and along those of another clip. Frames that
// the components were found from are not measured.
static void measure_synergies(const arm *a, motion_facts *out) {
  static double clip[2 * FRAMES][MOST], other[FRAMES][MOST];
  const sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = solver_of(a, &def);
  synergies s, foreign;
  fill_clip(a, 61, clip, 2 * FRAMES);
  find_synergies(a, clip, FRAMES, &s);
  fill_clip(a, 67, other, FRAMES);
  find_synergies(a, other, FRAMES, &foreign);
  memcpy(foreign.mean, s.mean, sizeof s.mean);
  out->natural_plain = out->natural_synergy = out->natural_foreign = out->natural_rest = 0.0;
  for (int f = FRAMES; f < 2 * FRAMES; ++f) {
    sinew_target target = sinew_default_target();
    double q[MOST];
    hand_at(a, clip[f], target.position);
    memcpy(q, s.mean, sizeof q);
    out->natural_plain += miss_from(a, solver, &target, q, clip[f]) / FRAMES;
    move_along(a, &s, target.position, q);
    out->natural_synergy += miss_from(a, solver, &target, q, clip[f]) / FRAMES;
    move_along(a, &foreign, target.position, q);
    out->natural_foreign += miss_from(a, solver, &target, q, clip[f]) / FRAMES;
    out->natural_rest += distance_from(&s, a->n, clip[f]) / FRAMES;
  }
  sinew_solver_destroy(solver);
}

// --------------------------------------------------------------------- results

static void measure_shares(const arm *a, motion_facts *out) {
  double gains[MOST];
  out->tip_share_ccd = share_of(a, SINEW_METHOD_CCD, NULL, a->n - 1);
  out->root_share_ccd = share_of(a, SINEW_METHOD_CCD, NULL, 0);
  out->tip_share_inverse = share_of(a, SINEW_METHOD_PSEUDOINVERSE, NULL, a->n - 1);
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < a->n; ++j) {
      gains[j] = j == 0 ? (k == 0 ? 0.3 : 3.0) : 1.0;
    }
    *(k == 0 ? &out->share_weak : &out->share_strong) = share_of(a, SINEW_METHOD_DLS, gains, 0);
  }
}

static void measure_paths(const arm *a, motion_facts *out) {
  double start[MOST], end[MOST], v[MOST];
  sinew_configuration_middle(a->model, start);
  for (int j = 0; j < a->n; ++j) {
    v[j] = j % 2 == 0 ? 0.5 : -0.4;
  }
  sinew_configuration_integrate(a->model, start, v, end);
  out->bow_straight = bow_of_targets(a, start, end);
  out->bow_joints = bow_of_keys(a, start, end, 2);
  out->bow_keys[0] = bow_of_keys(a, start, end, 3);
  out->bow_keys[1] = bow_of_keys(a, start, end, 9);
}

bool motion_measure(bool brief, motion_facts *out) {
  arm planar, arm7;
  (void)brief;
  if (!arm_begin(&planar, "planar")) {
    return false;
  }
  measure_shares(&planar, out);
  arm_end(&planar);
  if (!arm_begin(&arm7, "arm7")) {
    return false;
  }
  measure_paths(&arm7, out);
  measure_synergies(&arm7, out);
  arm_end(&arm7);
  return true;
}

bool sinew_experiment_motion(const sinew_experiment_options *options) {
  static const char name[] = "motion.csv";
  motion_facts m;
  FILE *csv = options->folder != NULL ? output_open(options->folder, name) : NULL;
  bool good = (options->folder == NULL || csv != NULL) && motion_measure(options->brief, &m);
  if (good) {
    printf("Share of the last joint of a planar arm in a step: CCD %.2f, of the first %.2f;\n"
           "pseudoinverse %.2f\n",
           m.tip_share_ccd, m.root_share_ccd, m.tip_share_inverse);
    printf("Share of the first joint with strength 0.3: %.2f, with 3: %.2f\n", m.share_weak,
           m.share_strong);
    printf("Distance of the hand from a straight line, over its length: targets along it %.3f, "
           "joints\ninterpolated %.3f, 3 keys %.3f, 9 keys %.4f\n",
           m.bow_straight, m.bow_joints, m.bow_keys[0], m.bow_keys[1]);
    printf(
        "Distance of solutions from a clip's postures [rad]: from the mean posture %.3f, moved "
        "along the\nfirst %d principal components %.3f, along those of another clip %.3f; of the "
        "clip itself from what\nthe components span %.3f\n",
        m.natural_plain, COMPONENTS, m.natural_synergy, m.natural_foreign, m.natural_rest);
  }
  if (good && csv != NULL) {
    fprintf(csv,
            "fact,value\ntip_share_ccd,%.6g\nroot_share_ccd,%.6g\n"
            "tip_share_pseudoinverse,%.6g\nshare_weak,%.6g\nshare_strong,%.6g\nbow_straight,%."
            "6g\nbow_joints,%.6g\nbow_3_keys,%.6g\n"
            "bow_9_keys,%.6g\nfrom_mean,%.6g\nfrom_synergies,%.6g\nfrom_others,%.6g\n"
            "beyond_synergies,%.6g\n",
            m.tip_share_ccd, m.root_share_ccd, m.tip_share_inverse, m.share_weak, m.share_strong,
            m.bow_straight, m.bow_joints, m.bow_keys[0], m.bow_keys[1], m.natural_plain,
            m.natural_synergy, m.natural_foreign, m.natural_rest);
  }
  options->progress(1.0);
  return (csv == NULL || output_close(csv, name)) && good;
}
