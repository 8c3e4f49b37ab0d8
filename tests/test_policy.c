// The laws of src/policy/ against the equations at the top of their files, written out here with
// their constants, at random scalars over decades; and each instruction set against one double.
#include "each_set.h"
#include "inspect.h"
#include "near.h"
#include "policy_functions.h"

#include <float.h>

enum { COUNT = 4096, TRIALS = 6 };

static const policy_functions *const sets[SINEW_LANE_SET_COUNT] = {
    [SINEW_LANE_SET_BASE] = &policy_functions_base,
    [SINEW_LANE_SET_PAIR] = &policy_functions_pair,
#ifdef __x86_64__
    [SINEW_LANE_SET_FMA] = &policy_functions_fma,
    [SINEW_LANE_SET_AVX2] = &policy_functions_avx2,
    [SINEW_LANE_SET_AVX512] = &policy_functions_avx512,
#endif
};

static const policy_functions *set_of(void **state) {
  return sets[set_of_state(state)];
}

// ---------------------------------------------------------------- figures

static double in[POLICY_INPUTS * COUNT], out[POLICY_OUTPUTS * COUNT];

static double uniform(int k, int trial, int i) {
  return sinew_random_uniform((uint64_t)(100 * trial + k), (uint64_t)i);
}

// From 10^-most to 10^most.
static double decades(int k, int trial, int i, double most) {
  return pow(10.0, most * (2.0 * uniform(k, trial, i) - 1.0));
}

// An integer below most, often 0.
static double number(int k, int trial, int i, double most) {
  return i % 3 == 0 ? 0.0 : floor(most * uniform(k, trial, i));
}

static void fill(int trial) {
  for (int i = 0; i < COUNT; ++i) {
    for (int k = 0; k < POLICY_INPUTS; ++k) {
      in[k * COUNT + i] = decades(k, trial, i, 6.0);
    }
    double *one = in + i;
    one[POLICY_E_NEW * COUNT] = one[POLICY_E * COUNT] * 2.0 * uniform(20, trial, i);
    one[POLICY_REST * COUNT] = number(21, trial, i, i % 2 == 0 ? 50.0 : 20000.0);
    one[POLICY_PREDICTED * COUNT] = uniform(22, trial, i);
    one[POLICY_FACTOR * COUNT] = 1e10 * one[POLICY_FACTOR * COUNT] + 1.0;
    one[POLICY_X * COUNT] = uniform(23, trial, i) - 0.5;
    one[POLICY_X_LAST * COUNT] = uniform(24, trial, i) - 0.5;
    one[POLICY_LOWER * COUNT] = i % 4 == 0 ? 0.0 : uniform(25, trial, i) - 0.7;
    one[POLICY_UPPER * COUNT] =
        one[POLICY_LOWER * COUNT] + (i % 4 == 1 ? 0.0 : uniform(26, trial, i));
    one[POLICY_LOWER * COUNT] *= i % 10 == 4 ? 2e-12 : 1.0;
    one[POLICY_SLOW * COUNT] = number(27, trial, i, 6.0);
    one[POLICY_STEPS * COUNT] = number(28, trial, i, 40.0);
    one[POLICY_MOTION * COUNT] = i % 5 == 0 ? 0.0 : 0.7 * pow(uniform(29, trial, i), 2.0);
    one[POLICY_RECENT * COUNT] = i % 7 == 0 ? -1.0 : 0.3 * pow(uniform(30, trial, i), 4.0);
    one[POLICY_DISTANCE * COUNT] =
        i % 6 == 0 ? -uniform(31, trial, i) : 3.0 * pow(uniform(31, trial, i), 3.0);
    one[POLICY_SQUARE * COUNT] = i % 3 == 0 ? one[POLICY_SQUARE * COUNT] : uniform(34, trial, i);
    one[POLICY_CLAMPED * COUNT] =
        one[POLICY_SQUARE * COUNT] * (i % 5 == 0 ? 1.0 : uniform(35, trial, i));
    if (i % 2 == 0) { // errors at which steps end
      one[POLICY_E * COUNT] = 1e-8 * pow(uniform(32, trial, i), 8.0);
      one[POLICY_E_NEW * COUNT] = one[POLICY_E * COUNT] * 0.2 * uniform(33, trial, i);
    }
  }
  // Ends of their ranges
  const int ends[] = {POLICY_E,     POLICY_GRADIENT, POLICY_LAST,
                      POLICY_FIRST, POLICY_SQUARE,   POLICY_X};
  for (int k = 0; k < 6; ++k) {
    in[ends[k] * COUNT + 7 * k + 1] = 0.0;
  }
  in[POLICY_REST * COUNT] = -1.0; // after a reset
}

static policy_constants constants_of(int trial) {
  const double small = pow(10.0, -trial);
  return (policy_constants){.c = 0.1 * small,
                            .lambda = trial % 2 == 0 ? 0.0 : 0.3 * small,
                            .floor = 1e-6 * small,
                            .scale = 0.25 * (trial + 1),
                            .n = trial == 0 ? 0 : 1 << trial,
                            .time_step = trial < 2 ? 0.0 : 0.3 * pow(0.4, trial),
                            .braking = trial == 5 ? INFINITY : 0.02 * (trial + 1),
                            .error_gain = trial == 0 ? 1.0 : pow(0.25, trial),
                            .max_change = trial == 5 ? INFINITY : 0.1 * (trial + 1),
                            .keep = 0.5 + 0.08 * trial,
                            .most_slow = trial,
                            .most_steps = trial == 4 ? INFINITY : 8.0 * trial,
                            .far = trial == 3 ? INFINITY : 1e3};
}

// -------------------------------------------------------------- equations

static double least(double a, double b) {
  return a < b ? a : b;
}

static double most(double a, double b) {
  return a > b ? a : b;
}

// policy/damping.h
static void write_damping(const policy_constants *c, const double *v, double *w) {
  const double E = least(v[POLICY_E], 0.5);
  w[POLICY_OF_ERROR] = c->c * E + c->floor;
  w[POLICY_DLS] = c->c * E + c->lambda * c->lambda + c->floor;
  w[POLICY_NEWTON] =
      most(least(0.3 * c->scale * sqrt(2.0 * E), 10.0 * v[POLICY_GRADIENT]), v[POLICY_FIRST]) +
      1e-5;
  w[POLICY_INCREASE] = 2.0 * v[POLICY_MU] + 1e-4;
}

// policy/tracking.h
static void write_tracking(const policy_constants *c, const double *v, double *w) {
  const double s = v[POLICY_REST], e = sqrt(2.0 * v[POLICY_E]), r = v[POLICY_PREDICTED];
  const double length = sqrt(v[POLICY_SQUARE]);
  const double against_error = 0.7 * c->scale * e * sqrt(least(e, 1.0) + 0.02);
  const double k = 50.0 / sqrt(c->n > 0 ? (double)c->n : 1.0);
  w[POLICY_COUNT_REST] = v[POLICY_X] > 0.0 || s < 0.0 ? 0.0 : least(s + 1.0, 10000.0);
  w[POLICY_REMEMBERED] = s < 1.0 ? 0.0 : most(v[POLICY_GRADIENT], 0.6 * v[POLICY_LAST]);
  w[POLICY_TRACKING] =
      1e-5 + (s < 1.0 ? against_error
                      : least(20.0 / (20.0 + s) * against_error, 20.0 / s * k * v[POLICY_LAST]));
  w[POLICY_STEP_DAMPING] = most(v[POLICY_MU] * (0.3 + 0.7 * r * r), v[POLICY_FIRST]);
  w[POLICY_CHANGE_SHARE] = length > c->max_change ? c->max_change / length : 1.0;
  w[POLICY_LIMITED] = v[POLICY_X_LAST] + r * (v[POLICY_X] - v[POLICY_X_LAST]);
}

// The longest motion v ahead of a limit at a distance d: v, v - c, v - 2 c, .. add up to d.
static double brake(double d, double c) {
  int k = 1;
  while (d > 0.5 * c * k * (k + 1)) {
    ++k;
  }
  return d < c ? d : d / k + 0.5 * c * (k - 1);
}

// policy/tracking.h: parts and steps
static void write_parts(const policy_constants *c, const double *v, double *w) {
  const double m = v[POLICY_MOTION], R = v[POLICY_RECENT], r = v[POLICY_PREDICTED];
  const double least_parts = least(most(ceil(60.0 * c->time_step - 1e-6), 1.0), 24.0);
  w[POLICY_SQUARE_MOTION] = m + 0.35 * 0.35 * R;
  w[POLICY_MEAN_MOTION] = R >= 0.0 ? 0.5 * (m + R) : m;
  w[POLICY_NEXT_RECENT] = most(m, 0.8 * R);
  w[POLICY_IS_JUMP] = R >= 0.0 && m > 0.1 && m > 4.0 * R;
  w[POLICY_PARTS] = most(least(most(ceil(m / 0.016), 1.0), 24.0), least_parts);
  w[POLICY_RATE] =
      c->time_step > 0.0 ? most((v[POLICY_STEPS] + 1.0) / 60.0 / c->time_step, 1.0) : 1.0;
  w[POLICY_MAX_CHANGE] = c->max_change * least(most(1.0, c->n / 25.0), 3.0) / w[POLICY_RATE];
  w[POLICY_IS_IN_REACH] = r <= 0.2;
  w[POLICY_CONTINUES] = sqrt(2.0 * v[POLICY_E_NEW]) > 1e-5 &&
                        (r <= 0.5 || sqrt(v[POLICY_E_NEW] / v[POLICY_E]) <= 0.28);
  w[POLICY_BRAKE] = brake(v[POLICY_DISTANCE], c->braking);
}

// policy/tracking.h: limits of the change, ends of steps, gains of parts
static void write_bounds_and_ends(const policy_constants *c, const double *v, double *w) {
  const double b = c->max_change, d = v[POLICY_DISTANCE], r = v[POLICY_PREDICTED];
  const double square = v[POLICY_SQUARE], clamped = v[POLICY_CLAMPED];
  const double longest = b + most(v[POLICY_X_LAST], 0.0);
  const double factor = sqrt(most(b * b - clamped, 0.0) / (square - clamped));
  w[POLICY_BOUND] = fabs(v[POLICY_LOWER]) < 1e-12 ? 0.0 : v[POLICY_LOWER];
  w[POLICY_MAY_BRAKE] = d < 0.5 * longest * (longest / c->braking + 1.0);
  w[POLICY_MAY_CONTINUE] = r <= 0.9 && sqrt(2.0 * v[POLICY_E]) > 1e-5;
  w[POLICY_CUT_CONTINUES] =
      sqrt(v[POLICY_E_NEW] / v[POLICY_E]) < 0.9 && sqrt(2.0 * v[POLICY_E_NEW]) > 1e-12;
  w[POLICY_EXCEEDS] = square > b * b;
  w[POLICY_SMALLER_SHARE] = clamped < square ? r * factor : 0.0;
  w[POLICY_PART_GAIN] = 1.0 - pow(1.0 - c->error_gain, 1.0 / (v[POLICY_STEPS] + 1.0));
}

// policy/gradient.h, policy/acceptance.h
static void write_acceptance(const double *v, double *w) {
  const double g = v[POLICY_X], f = v[POLICY_FACTOR];
  const bool blocked = (g > 0.0 && v[POLICY_UPPER] <= 0.0) || (g < 0.0 && v[POLICY_LOWER] >= 0.0);
  const bool accepted = v[POLICY_E_NEW] < v[POLICY_E];
  w[POLICY_FREE_GRADIENT] = blocked ? 0.0 : g;
  w[POLICY_ACCEPTED] = accepted;
  w[POLICY_NEXT_FACTOR] = accepted ? most(1.0, 0.25 * f) : 8.0 * f;
  w[POLICY_EXHAUSTED] = f > 1e14;
}

// policy/stall.h
static void write_stall(const policy_constants *c, const double *v, double *w) {
  const double E = v[POLICY_E], E_new = v[POLICY_E_NEW], g2 = v[POLICY_GRADIENT];
  const bool gains = E_new < c->keep * E;
  w[POLICY_GAIN] = (E - E_new) / E;
  w[POLICY_GAIN_BY_DISTANCE] = (E - E_new) / (E <= 0.5 ? E : sqrt(E / 2.0));
  w[POLICY_COSINE] = g2 > 0.0 ? g2 / (2.0 * E * v[POLICY_MU]) : 0.0;
  w[POLICY_GAINS] = gains;
  w[POLICY_SLOW_STEPS] = gains ? 0.0 : v[POLICY_SLOW] + 1.0;
  w[POLICY_DROPPED] =
      v[POLICY_SLOW] > c->most_slow || v[POLICY_STEPS] >= c->most_steps || E > c->far;
}

// ------------------------------------------------------------------ tests

// Whether b is a, or within a few roundings of numbers of its size; what cancels has the size of
// its terms.
static bool is_near(double a, double b, double size) {
  const double allowed = 8.0 * DBL_EPSILON * most(fabs(a), size);
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= allowed;
}

// The size of terms that may cancel.
static double size_of(int output, const double *v) {
  const double E = v[POLICY_E], terms = most(E, v[POLICY_E_NEW]);
  return output == POLICY_GAIN               ? terms / E
         : output == POLICY_GAIN_BY_DISTANCE ? terms / (E <= 0.5 ? E : sqrt(E / 2.0))
         : output == POLICY_LIMITED          ? 1.0
         : output == POLICY_PART_GAIN        ? 1.0
         : output == POLICY_SQUARE_MOTION    ? 1.0
                                             : 0.0;
}

static void figure_of(int i, double v[POLICY_INPUTS]) {
  for (int k = 0; k < POLICY_INPUTS; ++k) {
    v[k] = in[k * COUNT + i];
  }
}

// Each law follows its equation.
static void laws_follow_their_equations(void **state) {
  const policy_functions *set = set_of(state);
  for (int trial = 0; trial < TRIALS; ++trial) {
    const policy_constants c = constants_of(trial);
    fill(trial);
    set->all(&c, COUNT, in, out);
    for (int i = 0; i < COUNT; ++i) {
      double v[POLICY_INPUTS], w[POLICY_OUTPUTS];
      figure_of(i, v);
      write_damping(&c, v, w);
      write_tracking(&c, v, w);
      write_parts(&c, v, w);
      write_bounds_and_ends(&c, v, w);
      write_acceptance(v, w);
      write_stall(&c, v, w);
      for (int k = 0; k < POLICY_OUTPUTS; ++k) {
        if (!is_near(w[k], out[k * COUNT + i], size_of(k, v))) {
          print_message("%s: output %d of figure %d: %.17g, not %.17g\n", set->name, k, i,
                        out[k * COUNT + i], w[k]);
          fail();
        }
      }
    }
  }
}

// Sets without fused products give the bits of one double; sets with them those of each other.
static void widths_agree(void **state) {
  static double other[POLICY_OUTPUTS * COUNT];
  const policy_functions *set = set_of(state);
  for (int trial = 0; trial < TRIALS; ++trial) {
    const policy_constants c = constants_of(trial);
    fill(trial);
    set->all(&c, COUNT, in, out);
    for (int s = 0; s < SINEW_LANE_SET_COUNT; ++s) {
      if (sets[s] != NULL && sinew_lane_set_usable((sinew_lane_set)s) &&
          sets[s]->fused == set->fused) {
        sets[s]->all(&c, COUNT, in, other);
        assert_memory_equal(out, other, sizeof out);
      }
    }
  }
}

// A figure's values do not depend on its neighbours.
static void neighbours_do_not_matter(void **state) {
  static double one[POLICY_INPUTS * 8], alone[POLICY_OUTPUTS * 8];
  const policy_functions *set = set_of(state);
  const policy_constants c = constants_of(1);
  fill(1);
  set->all(&c, COUNT, in, out);
  for (int i = 0; i < 64; ++i) {
    for (int k = 0; k < 8 * POLICY_INPUTS; ++k) {
      one[k] = k % 8 == 7 - i % 8 ? in[k / 8 * COUNT + i] : in[k / 8 * COUNT + 100 + k % 8];
    }
    set->all(&c, 8, one, alone);
    for (int k = 0; k < POLICY_OUTPUTS; ++k) {
      assert_memory_equal(&alone[8 * k + 7 - i % 8], &out[k * COUNT + i], sizeof(double));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ON_EACH_SET(laws_follow_their_equations),
      ON_EACH_SET(widths_agree),
      ON_EACH_SET(neighbours_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
