// Limits of swing and twist of four joints at once are those of each joint alone.
#include "fixtures.h"
#include "inspect.h"
#include "random_tree.h"

#include <string.h>

#define ROUNDS 2000

// Some joints, each with limits of its own, an angle from its last rotation, and a motion.
typedef struct joints {
  sinew_cone cone[SINEW_CONE_FOUR];
  double q[SINEW_CONE_FOUR][4], w[SINEW_CONE_FOUR][3];
  const sinew_cone *cones[SINEW_CONE_FOUR];
  const double *at[SINEW_CONE_FOUR], *ways[SINEW_CONE_FOUR];
} joints;

static void make_joints(random_stream *random, joints *made) {
  for (int i = 0; i < SINEW_CONE_FOUR; ++i) {
    double axis[3], axis2[3], lower[3], upper[3];
    random_unit(random, 3, axis);
    random_unit(random, 3, axis2);
    for (int k = 0; k < 3; ++k) {
      const bool none = k == 0 && random_below(random, 2) == 0;
      lower[k] = none ? -INFINITY : -random_between(random, 0.1, 1.5);
      upper[k] = none ? INFINITY : random_between(random, 0.1, 1.5);
    }
    sinew_cone_set(&made->cone[i], axis, axis2, lower, upper);
    double u[3];
    for (int k = 0; k < 3; ++k) {
      u[k] = random_between(random, 0.0, 1.0);
    }
    sinew_cone_of_uniform(&made->cone[i], u, made->q[i]);
    random_vector(random, 0.3, made->w[i]);
    sinew_cone_move(&made->cone[i], true, made->w[i], made->q[i]); // some to their border
    random_vector(random, 0.3, made->w[i]);
    made->cones[i] = &made->cone[i];
    made->at[i] = made->q[i];
    made->ways[i] = made->w[i];
  }
}

static void assert_all_near(int count, const double *a, const double *b) {
  for (int i = 0; i < count; ++i) {
    assert_true(a[i] == b[i] || fabs(a[i] - b[i]) <= 1e-13 * (1.0 + fabs(b[i])));
  }
}

// The axes and limits of a step, far from and at limits, and without those that are far.
static void steps_are_those_of_each(void **state) {
  (void)state;
  random_stream random = random_stream_of(1);
  for (int round = 0; round < ROUNDS; ++round) {
    joints all;
    make_joints(&random, &all);
    const int count = 1 + random_below(&random, SINEW_CONE_FOUR);
    sinew_cone_step made[SINEW_CONE_FOUR], *to[SINEW_CONE_FOUR];
    double far[SINEW_CONE_FOUR];
    for (int i = 0; i < SINEW_CONE_FOUR; ++i) {
      memset(&made[i], 0, sizeof made[i]);
      far[i] = random_below(&random, 2) == 0 ? INFINITY : 0.1;
      to[i] = &made[i];
    }
    sinew_cone_fours_set(count, all.cones, all.at, far, to);
    for (int i = 0; i < SINEW_CONE_FOUR; ++i) {
      sinew_cone_step alone = {.most = 0.0};
      if (i < count) {
        sinew_cone_step_set(&alone, all.cones[i], all.q[i], far[i]);
      }
      assert_all_near(sizeof alone / sizeof(double), made[i].row[0], alone.row[0]);
    }
  }
}

// Rotations, held within limits: those that are said to be inside need not be held.
static void rotations_are_those_of_each(void **state) {
  (void)state;
  random_stream random = random_stream_of(2);
  int held = 0, certain = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    joints all;
    make_joints(&random, &all);
    const int count = 1 + random_below(&random, SINEW_CONE_FOUR);
    double moved[SINEW_CONE_FOUR][4], *to[SINEW_CONE_FOUR];
    memcpy(moved, all.q, sizeof moved);
    for (int i = 0; i < SINEW_CONE_FOUR; ++i) {
      to[i] = moved[i];
    }
    const unsigned outside = sinew_cone_fours_rotate(count, all.cones, all.ways, to);
    double rotated[SINEW_CONE_FOUR][4];
    memcpy(rotated, moved, sizeof moved);
    sinew_cone_fours_hold(count, all.cones, all.at, to);
    for (int i = 0; i < SINEW_CONE_FOUR; ++i) {
      double alone[4];
      memcpy(alone, all.q[i], sizeof alone);
      if (i < count) {
        sinew_cone_move(all.cones[i], true, all.w[i], alone);
        const bool inside = (outside >> i & 1u) == 0;
        certain += inside;
        held += memcmp(rotated[i], moved[i], sizeof alone) != 0;
        assert_true(!inside || memcmp(rotated[i], moved[i], sizeof alone) == 0);
      }
      assert_all_near(4, moved[i], alone);
    }
  }
  assert_true(held > ROUNDS / 4);
  assert_true(certain > ROUNDS / 4);
}

// Motions, limited: those that are said not to reach a limit are left as they are.
static void motions_are_those_of_each(void **state) {
  (void)state;
  random_stream random = random_stream_of(3);
  int limited = 0, free_of_limits = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    joints all;
    make_joints(&random, &all);
    const int count = 1 + random_below(&random, SINEW_CONE_FOUR);
    const double share = round % 2 == 0 ? 0.02 : 0.3;
    sinew_cone_step step[SINEW_CONE_FOUR];
    sinew_cone_motion of[SINEW_CONE_FOUR];
    double x[SINEW_CONE_FOUR][3], *to[SINEW_CONE_FOUR];
    const double *from[SINEW_CONE_FOUR];
    for (int i = 0; i < SINEW_CONE_FOUR; ++i) {
      sinew_cone_step_set(&step[i], all.cones[i], all.q[i], INFINITY);
      of[i] = (sinew_cone_motion){.cone = all.cones[i],
                                  .step = &step[i],
                                  .lower = {-INFINITY, step[i].down, -INFINITY},
                                  .upper = {step[i].most, step[i].up, INFINITY},
                                  .most = 0.1};
      memcpy(of[i].q, all.q[i], sizeof of[i].q);
      random_vector(&random, 0.1 * share, of[i].moved);
      random_vector(&random, 0.2 * share, of[i].last);
      random_vector(&random, share, x[i]);
      memcpy(all.w[i], x[i], sizeof x[i]);
      from[i] = to[i] = x[i];
    }
    const unsigned reach = sinew_cone_fours_reach(count, of, from);
    sinew_cone_fours_limit(count, of, to);
    for (int i = 0; i < SINEW_CONE_FOUR; ++i) {
      double alone[3];
      memcpy(alone, all.w[i], sizeof alone);
      if (i < count) {
        sinew_cone_limit_motion(&of[i], alone);
        const bool may = (reach >> i & 1u) != 0;
        limited += may;
        free_of_limits += !may;
        assert_true(may || memcmp(x[i], all.w[i], sizeof alone) == 0);
      }
      assert_all_near(3, x[i], alone);
    }
  }
  assert_true(limited > ROUNDS / 4);
  assert_true(free_of_limits > ROUNDS / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_those_of_each),
      cmocka_unit_test(rotations_are_those_of_each),
      cmocka_unit_test(motions_are_those_of_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
