// How far a joint may rotate about one axis within its limits of swing and twist, against many
// rotations on the way.
#include "fixtures.h"
#include "inspect.h"
#include "sample.h"

#include <string.h>

#define STEP 1e-3 // between these rotations [rad]
#define CLEAR 1e-5

// Semi-axes from narrow to wide, also beyond a right angle.
static sinew_cone random_cone(random_stream *r) {
  double axis[3], axis2[3], lower[3], upper[3];
  sinew_cone cone;
  random_unit(r, 3, axis);
  random_unit(r, 3, axis2);
  lower[0] = -random_between(r, 0.05, 3.0);
  upper[0] = random_between(r, 0.05, 3.0);
  for (int i = 1; i < 3; ++i) {
    lower[i] = -pow(10.0, random_between(r, -1.3, 0.45));
    upper[i] = pow(10.0, random_between(r, -1.3, 0.45));
  }
  sinew_cone_set(&cone, axis, axis2, lower, upper);
  return cone;
}

static void rotated(const double q[4], const double n[3], double s, double out[4]) {
  const double w[3] = {s * n[0], s * n[1], s * n[2]};
  memcpy(out, q, 4 * sizeof *out);
  sinew_quaternion_apply(out, w);
}

// The first of these rotations that is outside, and the largest excess of those before it.
static double brute_exit(const sinew_cone *cone, const double q[4], const sinew_cone_arc *arc,
                         double *excess) {
  *excess = 0.0;
  for (double s = arc->from; s <= arc->to; s += STEP) {
    double at[4];
    rotated(q, arc->n, s, at);
    *excess = sinew_cone_excess(cone, at);
    if (*excess > CLEAR) {
      return s;
    }
  }
  return INFINITY;
}

// An arc is inside where all rotations on it are; else it ends where the first one leaves the
// limits, and moving against the normal there leads back. req: E8
static void arcs_end_where_rotations_leave_their_limits(void **unused) {
  (void)unused;
  int inside = 0, outside = 0;
  for (int seed = 0; seed < SAMPLE_OF(4000); ++seed) {
    random_stream r = random_stream_of(4100 + (uint64_t)seed);
    const sinew_cone cone = random_cone(&r);
    const double u[3] = {random_between(&r, 0.0, 1.0), random_between(&r, 0.0, 1.0),
                         random_between(&r, 0.0, 1.0)};
    sinew_cone_room room;
    sinew_cone_exit exit;
    sinew_cone_arc arc = {.slack = 1e-12, .to = random_between(&r, 0.01, 2.0)};
    double q[4], at[4], excess;
    random_unit(&r, 3, arc.n);
    sinew_cone_of_uniform(&cone, u, q);
    sinew_cone_room_set(&room, &cone, q);
    const bool has = sinew_cone_room_has(&room, &arc, &exit);
    const double first = brute_exit(&cone, q, &arc, &excess);
    assert_true(!has || first == INFINITY);
    inside += has;
    if (has) {
      continue;
    }
    ++outside;
    assert_true(exit.at <= first);
    rotated(q, arc.n, exit.at, at);
    assert_at_most(sinew_cone_excess(&cone, at), 1e-9);
    rotated(q, arc.n, exit.at + 1e-9, at);
    assert_true(sinew_cone_excess(&cone, at) > 0.0);
    assert_near(sinew_norm(exit.normal), 1.0, 1e-12);
  }
  print_message("%d arcs inside, %d outside\n", inside, outside);
  assert_true(inside > SAMPLE_OF(400) && outside > SAMPLE_OF(400));
}

// An arc within a round cone whose swing is at most `top`, at a way from its begin; whether it is
// inside.
static bool has_arc_to(const sinew_cone *cone, double top, double way) {
  const double tilt = 0.5 * (top - 0.1); // about an axis between the middle and the swing
  const double middle[3] = {cos(tilt), sin(tilt), 0.0};
  const sinew_swing_twist at = {0.0, {0.0, top}};
  sinew_cone_room room;
  sinew_cone_arc arc = {.to = 2.0 * way, .slack = 1e-12};
  double q[4], inverse[4], begin[4];
  sinew_swing_twist_to(cone, &at, q);
  for (int i = 0; i < 4; ++i) {
    inverse[i] = i == 0 ? q[i] : -q[i];
  }
  sinew_quaternion_rotate(inverse, middle, arc.n);
  rotated(q, arc.n, -way, begin);
  sinew_cone_room_set(&room, cone, begin);
  return sinew_cone_room_has(&room, &arc, NULL);
}

// An arc that leaves a limit for a short part only, between two evaluations, is found.
static void short_parts_outside_are_found(void **unused) {
  (void)unused;
  const double lower[3] = {-3.0, -0.8, -0.8}, upper[3] = {3.0, 0.8, 0.8};
  const double axis[3] = {1.0, 0.0, 0.0}, axis2[3] = {0.0, 1.0, 0.0};
  sinew_cone cone;
  sinew_cone_set(&cone, axis, axis2, lower, upper);
  for (double way = 0.2; way < 0.4; way += 0.0071) {
    for (double beyond = -2e-7; beyond < 2e-7; beyond += 3.1e-8) {
      assert_true(has_arc_to(&cone, 0.8 + beyond, way) == (beyond <= 0.0));
    }
  }
}

// From outside, arcs that lead no further out are inside.
static void rotations_outside_may_come_in(void **unused) {
  (void)unused;
  for (int seed = 0; seed < SAMPLE_OF(500); ++seed) {
    random_stream r = random_stream_of(8100 + (uint64_t)seed);
    const sinew_cone cone = random_cone(&r);
    sinew_cone_arc arc = {.to = 1e-4, .slack = 1e-12};
    sinew_swing_twist at = {0.5 * (cone.lower[0] + cone.upper[0]), {1.01 * cone.upper[1], 0.0}};
    sinew_cone_room room;
    sinew_cone_rows rows;
    double q[4];
    sinew_swing_twist_to(&cone, &at, q);
    sinew_cone_linearize(&cone, q, &rows);
    sinew_cone_room_set(&room, &cone, q);
    memcpy(arc.n, rows.swing, sizeof arc.n);
    assert_false(sinew_cone_room_has(&room, &arc, NULL));
    for (int i = 0; i < 3; ++i) {
      arc.n[i] = -arc.n[i];
    }
    assert_true(sinew_cone_room_has(&room, &arc, NULL));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arcs_end_where_rotations_leave_their_limits),
      cmocka_unit_test(short_parts_outside_are_found),
      cmocka_unit_test(rotations_outside_may_come_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
