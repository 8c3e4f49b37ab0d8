// The options of sinew track and sinew solve that set constants of methods: one update of two links
// in a plane against the equations.
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
#include "sinew/math.h"
#include "sinew/solver.h"

#define SIZE (LENGTH1 + LENGTH2)
#define CASES 12
#define PI 3.14159265358979323846

// Two angles, a target, and what follows from them: e is the way from the tip to the target, J the
// Jacobian of the tip, row-major.
typedef struct problem {
  double q[2], target[2], e[2], J[4];
} problem;

// Columns of J at a point that turns with the fore arm: d/dt of a point at r is (-r_z, r_x).
static void jacobian(const double q[2], const double point[2], double J[4]) {
  const double elbow[2] = {LENGTH1 * cos(q[0]), LENGTH1 * sin(q[0])};
  J[0] = -point[1];
  J[2] = point[0];
  J[1] = -(point[1] - elbow[1]);
  J[3] = point[0] - elbow[0];
}

// Far from a singularity, with a target a way off.
static problem random_problem(uint64_t seed, double length) {
  problem p;
  const double angle = 2 * PI * sinew_random_uniform(seed, 2);
  p.q[0] = -1 + 2 * sinew_random_uniform(seed, 0);
  p.q[1] = 0.6 + 1.6 * sinew_random_uniform(seed, 1);
  const double tip[2] = {LENGTH1 * cos(p.q[0]) + LENGTH2 * cos(p.q[0] + p.q[1]),
                         LENGTH1 * sin(p.q[0]) + LENGTH2 * sin(p.q[0] + p.q[1])};
  p.e[0] = length * cos(angle);
  p.e[1] = length * sin(angle);
  for (int i = 0; i < 2; ++i)
    p.target[i] = tip[i] + p.e[i];
  jacobian(p.q, tip, p.J);
  return p;
}

// x = J^T (J J^T + lambda^2 I)^-1 e. Source: Buss 2009, eq. 11; with lambda 0 the pseudoinverse of
// a J of full rank, section 4.
static void damped(const double J[4], double square, const double e[2], double x[2]) {
  const double a = J[0] * J[0] + J[1] * J[1] + square, b = J[0] * J[2] + J[1] * J[3],
               d = J[2] * J[2] + J[3] * J[3] + square, determinant = a * d - b * b;
  const double y[2] = {(d * e[0] - b * e[1]) / determinant, (a * e[1] - b * e[0]) / determinant};
  x[0] = J[0] * y[0] + J[2] * y[1];
  x[1] = J[1] * y[0] + J[3] * y[1];
}

// The change of the angles in one update by a method, with options and their values up to NULL.
static void update(const problem *p, const char *method, const char *const *options, double x[2]) {
  char seed[128], text[256];
  char *words[32] = {W("sinew"),  W("track"), W(two_link_file()), W("--out"), W("-"),
                     W("--seed"), seed,       W("--method"),      W(method),  W("--targets")};
  int count = 10;
  snprintf(seed, sizeof seed, "%.17g,%.17g,0", p->q[0], p->q[1]);
  snprintf(text, sizeof text, "time,tip.x,tip.y,tip.z\n0,%.17g,0,%.17g\n", p->target[0],
           p->target[1]);
  words[count++] = W(write_all("one.csv", text));
  for (; *options; ++options)
    words[count++] = W(*options);
  result got = run_words(words);
  if (got.exit_code != 0)
    fail_msg("exit %d: %s", got.exit_code, got.err);
  double row[3];
  assert_int_equal(sscanf(line_of(got.out, 1), "%lf,%lf,%lf", &row[0], &row[1], &row[2]), 3);
  for (int i = 0; i < 2; ++i)
    x[i] = row[1 + i] - p->q[i];
  release(&got);
}

#define OPTIONS(...)                                                                               \
  (const char *const[]) {                                                                          \
    __VA_ARGS__, NULL                                                                              \
  }

static void expect_step(const problem *p, const char *method, const char *const *options,
                        const double wanted[2]) {
  double x[2];
  update(p, method, options, x);
  for (int i = 0; i < 2; ++i)
    if (!(fabs(x[i] - wanted[i]) < 1e-10))
      fail_msg("%s %s: joint %d moves by %.12g, not %.12g", method, options[0], i, x[i], wanted[i]);
}

// Buss's DLS, at dampings over decades.
static void damping_is_that_of_buss(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < CASES; ++seed) {
    const problem p = random_problem(seed, 0.1);
    const double lambda = 0.01 * pow(10, 0.1 * (double)seed);
    char text[32];
    double x[2];
    snprintf(text, sizeof text, "%.17g", lambda);
    damped(p.J, lambda * lambda, p.e, x);
    expect_step(&p, "dls",
                OPTIONS("--constant-damping", text, "--error-damping", "0", "--damping-floor", "0",
                        "--max-turn", "9", "--dls-form",
                        (const char *[]){"smaller", "rows", "columns", "stacked"}[seed % 4]),
                x);
  }
}

// mu = c min(E, 1/2) + floor, where E is half the square of the residual e / size.
static void dampings_of_the_error_add_up(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < CASES; ++seed) {
    const problem p = random_problem(seed, 0.1);
    double x[2];
    const double E = 0.5 * (0.1 * 0.1) / (SIZE * SIZE);
    damped(p.J, (3 * E + 0.02) * SIZE * SIZE, p.e, x);
    expect_step(&p, "dls",
                OPTIONS("--error-damping", "3", "--damping-floor", "0.02", "--max-turn", "9"), x);
  }
}

// Buss's DLS': the error is clamped to D_max. It is the same at every method that clamps.
static void errors_are_clamped(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < CASES; ++seed) {
    const problem p = random_problem(seed, 0.1);
    const double clamped[2] = {0.3 * p.e[0], 0.3 * p.e[1]};
    double x[2];
    damped(p.J, 0.04, clamped, x);
    expect_step(&p, "dls",
                OPTIONS("--error-clamp", "0.03", "--constant-clamp", "--constant-damping", "0.2",
                        "--error-damping", "0", "--damping-floor", "0", "--max-turn", "9"),
                x);
    damped(p.J, 0, clamped, x);
    expect_step(&p, "pseudoinverse",
                OPTIONS("--error-clamp", "0.03", "--constant-clamp", "--max-turn", "9"), x);
  }
}

static void gains_turns_and_targets(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < CASES; ++seed) {
    const problem p = random_problem(seed, 0.1);
    double x[2], J[4], short_x[2];
    damped(p.J, 0, p.e, x);
    expect_step(&p, "pseudoinverse", OPTIONS("--error-gain", "0.25", "--max-turn", "9"),
                (double[]){0.25 * x[0], 0.25 * x[1]});
    const double most = fmax(fabs(x[0]), fabs(x[1]));
    update(&p, "pseudoinverse", OPTIONS("--max-turn", "0.01"), short_x);
    assert_true(most > 0.01);
    assert_near(fmax(fabs(short_x[0]), fabs(short_x[1])), 0.01, 1e-12);
    // Columns at the target (section 2).
    jacobian(p.q, p.target, J);
    damped(J, 0.04, p.e, x);
    expect_step(&p, "dls",
                OPTIONS("--target-jacobian", "--constant-damping", "0.2", "--error-damping", "0",
                        "--damping-floor", "0", "--max-turn", "9"),
                x);
  }
}

// Where the smaller singular value is cut off, x = v (u e) / sigma of the larger one: the solution
// in the direction v of the largest eigenvalue of J^T J.
static void small_singular_values_are_cut(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < CASES; ++seed) {
    const problem p = random_problem(seed, 0.1);
    const double a = p.J[0] * p.J[0] + p.J[2] * p.J[2], b = p.J[0] * p.J[1] + p.J[2] * p.J[3],
                 d = p.J[1] * p.J[1] + p.J[3] * p.J[3];
    const double angle = 0.5 * atan2(2 * b, a - d), v[2] = {cos(angle), sin(angle)};
    const double Jv[2] = {p.J[0] * v[0] + p.J[1] * v[1], p.J[2] * v[0] + p.J[3] * v[1]};
    const double y = (Jv[0] * p.e[0] + Jv[1] * p.e[1]) / (Jv[0] * Jv[0] + Jv[1] * Jv[1]);
    expect_step(&p, "pseudoinverse", OPTIONS("--singular-cut", "0.999", "--max-turn", "9"),
                (double[]){y * v[0], y * v[1]});
  }
}

// More damping, shorter steps.
static void damping_scale_shortens_steps(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < CASES; ++seed) {
    const problem p = random_problem(seed, 0.1);
    double x[2], longer[2];
    update(&p, "newton", OPTIONS("--damping-scale", "30"), x);
    update(&p, "newton", OPTIONS("--damping-scale", "1"), longer);
    assert_true(hypot(x[0], x[1]) < hypot(longer[0], longer[1]));
  }
}

// A target that jumps by 15 cm after some frames at rest.
static void max_change_spreads_a_jump(void **state) {
  (void)state;
  const char *targets =
      write_all("jump.csv", "time,tip.x,tip.y,tip.z\n0,0.8,0,0.5\n1,0.8,0,0.5\n2,0.8,0,0.5\n"
                            "3,0.7,0,0.61\n4,0.7,0,0.61\n5,0.7,0,0.61\n");
  for (int i = 0; i < 2; ++i) {
    const double most = i == 0 ? 0.005 : 0.05;
    result got = RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"), W("-"),
                     W("--max-change"), W(i == 0 ? "0.005" : "0.05"));
    double rows[6][3], change[2] = {0, 0}, worst = 0;
    assert_int_equal(got.exit_code, 0);
    for (int f = 0; f < 6; ++f)
      assert_int_equal(
          sscanf(line_of(got.out, 1 + f), "%lf,%lf,%lf", &rows[f][0], &rows[f][1], &rows[f][2]), 3);
    for (int f = 2; f < 6; ++f) {
      const double now[2] = {rows[f][1] - rows[f - 1][1], rows[f][2] - rows[f - 1][2]};
      worst = fmax(worst, hypot(now[0] - change[0], now[1] - change[1]));
      memcpy(change, now, sizeof now);
    }
    assert_true(worst > 0.9 * most && worst < most + 1e-12);
    release(&got);
  }
}

// The name of the option for a field of the solver's definition.
static const char *option_of(const char *field) {
  static char name[64];
  if (strcmp(field, "step.error_clamp_adaptive") == 0)
    return "--constant-clamp";
  if (strcmp(field, "step.damping") == 0)
    return "--constant-damping"; // --damping is an objective
  snprintf(name, sizeof name, "--%s", strchr(field, '.') + 1);
  for (char *c = name; *c != '\0'; ++c)
    *c = *c == '_' ? '-' : *c;
  return name;
}

static bool uses(const sinew_method_info *method, const char *field) {
  for (const char *const *used = method->fields; *used; ++used)
    if (strcmp(*used, field) == 0)
      return true;
  return false;
}

// Each field that a method uses is an option of 'track'; with a method that does not use it, it is
// refused and the methods that do are named.
static void every_constant_is_an_option(void **state) {
  (void)state;
  int refusals = 0;
  result help = RUN(W("track"), W("--help"));
  for (int m = 0; m < SINEW_METHOD_COUNT; ++m)
    for (const char *const *field = sinew_method_info_of(m)->fields; *field; ++field) {
      char line[80];
      const char *option = option_of(*field);
      snprintf(line, sizeof line, "\n  %s", option);
      if (!strstr(help.out, line))
        fail_msg("%s of %s is no option", option, sinew_method_info_of(m)->name);
      const char *value = strcmp(option, "--dls-form") == 0      ? "rows"
                          : strcmp(option, "--damping-law") == 0 ? "bound"
                                                                 : "0.5";
      const bool flag =
          strcmp(option, "--constant-clamp") == 0 || strcmp(option, "--target-jacobian") == 0;
      char joined[96];
      snprintf(joined, sizeof joined, flag ? "%s" : "%s=%s", option, value);
      for (int other = 0; other < SINEW_METHOD_COUNT; ++other)
        if (!uses(sinew_method_info_of(other), *field) && is_sampled(refusals++))
          expect_refusal(RUN(W("track"), W("m"), W("--targets"), W("t"), W("--out"), W("o"),
                             W("--method"), W(sinew_method_info_of(other)->name), W(joined)),
                         "does not use", sinew_method_info_of(m)->name);
    }
  release(&help);
  expect_refusal(RUN(W("track"), W("m"), W("--targets"), W("t"), W("--out"), W("o"), W("--method"),
                     W("dls"), W("--constant-clamp")),
                 "--constant-clamp", "--error-clamp");
}

// A constant asks for the local solver, and reaches it: a damping that is far too large stops every
// step short.
static void solves_take_constants(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                     W("0.6,0,0.6"), W("--max-starts"), W("1"), W("--constant-damping"),
                     W(i == 0 ? "1e-3" : "1e4"), W("--method"), W("dls"), W("--json"));
    json_t *root = parse_output(&got, i);
    assert_true((strcmp(text_of(root, "outcome"), "converged") == 0) == (i == 0));
    json_decref(root);
    release(&got);
  }
  expect_refusal(RUN(W("solve"), W("m"), W("--tip"), W("t"), W("--position"), W("0,0,0"),
                     W("--constant-damping"), W("1"), W("--all"), W("2")),
                 "local solver", "exclude");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(damping_is_that_of_buss),
      cmocka_unit_test(dampings_of_the_error_add_up),
      cmocka_unit_test(errors_are_clamped),
      cmocka_unit_test(gains_turns_and_targets),
      cmocka_unit_test(small_singular_values_are_cut),
      cmocka_unit_test(damping_scale_shortens_steps),
      cmocka_unit_test(max_change_spreads_a_jump),
      cmocka_unit_test(every_constant_is_an_option),
      cmocka_unit_test(solves_take_constants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
