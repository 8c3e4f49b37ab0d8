// All solutions: their number against closed forms and against many random starts, their order,
// whole turns, and which of them count as equal.
#include "fixtures.h"
#include "inspect.h"
#include "sinew/global.h"

#define MOST 64

static sinew_task tip_of(sinew_task_kind kind, int link, double length) {
  sinew_task task = task_of(kind, link);
  task.point_l[0] = length;
  return task;
}

static double wrapped(double angle) {
  return angle - 2.0 * PI * floor(angle / (2.0 * PI) + 0.5);
}

static bool is_same_rotation(int n, const double *a, const double *b, double tolerance) {
  for (int i = 0; i < n; ++i) {
    if (fabs(wrapped(a[i] - b[i])) > tolerance) {
      return false;
    }
  }
  return true;
}

static double squared(int n, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sum;
}

// Every row reaches the target, is within limits, and is no nearer to the seed than the rows before
// it.
static void check_rows(const sinew_model *model, const sinew_task *task, const sinew_target *target,
                       const double *seed, int found, const double *rows) {
  const int n = sinew_model_nq(model);
  double before = 0.0;
  for (int i = 0; i < found; ++i) {
    double distance, angle;
    measure(model, task, target, rows + i * n, &distance, &angle);
    assert_at_most(distance, 1.000001e-6);
    assert_at_most(angle, 1.000001e-6);
    assert_true(outside_limits(model, rows + i * n) == 0.0);
    const double far = squared(n, rows + i * n, seed);
    assert_true(far >= before - 1e-12);
    before = far;
  }
}

// ------------------------------------------------------------ two and three links

// Elbow up and elbow down by the law of cosines; links of 1 m.
static void two_links(double x, double y, double q[2][2]) {
  const double bend = acos((x * x + y * y - 2.0) / 2.0);
  for (int i = 0; i < 2; ++i) {
    q[i][1] = i == 0 ? bend : -bend;
    q[i][0] = atan2(y, x) - 0.5 * q[i][1];
  }
}

// req: F2 E6
static void two_links_have_two_solutions(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(2, 1.0);
  const sinew_task task = tip_of(SINEW_TASK_POSITION, 2, 1.0);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  random_stream random = random_stream_of(401);
  for (int round = 0; round < 100; ++round) {
    const double r = random_between(&random, 0.1, 1.9), a = random_between(&random, -PI, PI);
    sinew_target target = sinew_default_target();
    target.position[0] = r * cos(a);
    target.position[1] = r * sin(a);
    const double seed[2] = {random_between(&random, -PI, PI), random_between(&random, -PI, PI)};
    double rows[8][2], closed[2][2];
    int found = -1;
    sinew_report report;
    assert_ok(
        sinew_solver_solve_all(solver, NULL, &target, 1, seed, 8, &rows[0][0], &found, &report));
    assert_int_equal(found, 2);
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    check_rows(model, &task, &target, seed, found, &rows[0][0]);
    two_links(target.position[0], target.position[1], closed);
    const bool crossed = !is_same_rotation(2, rows[0], closed[0], 1e-4);
    assert_true(is_same_rotation(2, rows[0], closed[crossed], 1e-4));
    assert_true(is_same_rotation(2, rows[1], closed[!crossed], 1e-4));
    // Joints without limits are brought to within half a turn of the seed.
    assert_true(fabs(rows[0][0] - seed[0]) <= PI + 1e-9 && fabs(rows[1][1] - seed[1]) <= PI + 1e-9);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Three links with a position and a direction have two solutions as well; with the position alone,
// a one-dimensional set, of which as many samples are returned as fit.
// req: F2
static void three_links_with_and_without_a_direction(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(3, 1.0);
  const sinew_task pose = tip_of(SINEW_TASK_POSE, 3, 1.0);
  const sinew_task place = tip_of(SINEW_TASK_POSITION, 3, 1.0);
  for (uint64_t round = 0; round < 50; ++round) {
    double goal[3], seed[3] = {0.1, 0.2, 0.3}, rows[20][3];
    int found;
    sinew_configuration_random(model, 402, round, goal);
    if (fabs(sin(goal[1])) < 0.05) {
      continue;
    }
    const sinew_target target = target_at(model, &pose, goal);
    sinew_solver *solver = solver_with(NULL, model, &pose, 1);
    assert_ok(
        sinew_solver_solve_all(solver, NULL, &target, 1, seed, 20, &rows[0][0], &found, NULL));
    check_rows(model, &pose, &target, seed, found, &rows[0][0]);
    assert_int_equal(found, 2);
    // The first link of the other solution: the wrist is the end of a two-link arm.
    double closed[2][2];
    two_links(cos(goal[0]) + cos(goal[0] + goal[1]), sin(goal[0]) + sin(goal[0] + goal[1]), closed);
    for (int i = 0; i < 2; ++i) {
      assert_true(is_same_rotation(2, rows[i], closed[0], 1e-3) ||
                  is_same_rotation(2, rows[i], closed[1], 1e-3));
    }
    assert_ok(sinew_solver_set_tasks(solver, &place, 1, NULL));
    assert_ok(
        sinew_solver_solve_all(solver, NULL, &target, 1, seed, 20, &rows[0][0], &found, NULL));
    check_rows(model, &place, &target, seed, found, &rows[0][0]);
    assert_int_equal(found, 20);
    for (int i = 0; i < 20; ++i) {
      for (int j = 0; j < i; ++j) {
        assert_false(is_same_rotation(3, rows[i], rows[j], 0.0099));
      }
    }
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// Where fewer fit, the nearest are kept, and nothing is written past them.
// req: F2
static void nearest_solutions_are_kept(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(2, 1.0);
  const sinew_task task = tip_of(SINEW_TASK_POSITION, 2, 1.0);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  for (uint64_t round = 0; round < 50; ++round) {
    double goal[2], seed[2], both[2][2], one[2][2] = {{7.0, 7.0}, {7.0, 7.0}};
    int found;
    sinew_configuration_random(model, 403, round, goal);
    sinew_configuration_random(model, 404, round, seed);
    if (fabs(sin(goal[1])) < 0.05) {
      continue;
    }
    const sinew_target target = target_at(model, &task, goal);
    assert_ok(sinew_solver_solve_all(solver, NULL, &target, 1, seed, 2, &both[0][0], &found, NULL));
    assert_int_equal(found, 2);
    assert_ok(sinew_solver_solve_all(solver, NULL, &target, 1, seed, 1, &one[0][0], &found, NULL));
    assert_int_equal(found, 1);
    assert_true(farthest(2, one[0], both[0]) < 1e-4);
    assert_true(one[1][0] == 7.0 && one[1][1] == 7.0);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// ------------------------------------------------------------------ whole turns

// The number of whole turns that keep x within +-most.
static int turns_within(double x, double most) {
  int count = 0;
  for (int k = -10; k <= 10; ++k) {
    count += fabs(x + 2.0 * PI * k) <= most;
  }
  return count;
}

// With limits of 2.3 turns either way each solution is returned once for each combination of whole
// turns within limits; where they do not fit, the nearest are.
// req: F2 E6
static void whole_turns_are_returned_on_request(void **state) {
  (void)state;
  const double most = 4.6 * PI;
  sinew_model *model = fixture_planar_limited(2, 1.0, -most, most, INFINITY);
  const sinew_task task = tip_of(SINEW_TASK_POSITION, 2, 1.0);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_global_def def = sinew_default_global_def();
  for (uint64_t round = 0; round < 30; ++round) {
    double goal[2], seed[2], rows[64][2], few[7][2], closed[2][2];
    int found, expected = 0;
    sinew_configuration_random(model, 405, round, goal);
    sinew_configuration_random(model, 406, round, seed);
    if (fabs(sin(goal[1])) < 0.05) {
      continue;
    }
    const sinew_target target = target_at(model, &task, goal);
    def.images = false;
    assert_ok(
        sinew_solver_solve_all(solver, &def, &target, 1, seed, 64, &rows[0][0], &found, NULL));
    assert_int_equal(found, 2);
    def.images = true;
    assert_ok(
        sinew_solver_solve_all(solver, &def, &target, 1, seed, 64, &rows[0][0], &found, NULL));
    check_rows(model, &task, &target, seed, found, &rows[0][0]);
    two_links(target.position[0], target.position[1], closed);
    for (int i = 0; i < 2; ++i) {
      expected += turns_within(closed[i][0], most) * turns_within(closed[i][1], most);
    }
    assert_true(expected >= 32 && expected <= 50);
    assert_int_equal(found, expected);
    for (int i = 0; i < found; ++i) {
      for (int j = 0; j < i; ++j) {
        assert_true(squared(2, rows[i], rows[j]) > 1e-4);
      }
    }
    assert_ok(sinew_solver_solve_all(solver, &def, &target, 1, seed, 7, &few[0][0], &found, NULL));
    assert_int_equal(found, 7);
    for (int i = 0; i < 7; ++i) {
      assert_near(squared(2, few[i], seed), squared(2, rows[i], seed), 1e-3);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Joints without limits, prismatic joints, and drivers of fractional couplings have no images.
// req: F2 A3
static void unlimited_and_prismatic_joints_have_no_images(void **state) {
  (void)state;
  for (int way = 0; way < 3; ++way) {
    builder b;
    builder_start(&b);
    sinew_joint_def *first = builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
    sinew_joint_def *second = builder_add(&b, 1, SINEW_JOINT_REVOLUTE, 1.0, 0.0, 0.0);
    builder_limit(second, -1.0, 1.0);
    if (way == 1) { // a turn of the first by 2 pi turns a third joint by pi
      builder_limit(first, -9.0, 9.0);
      sinew_joint_def *third = builder_add(&b, 2, SINEW_JOINT_REVOLUTE, 1.0, 0.0, 0.0);
      third->driver = 0;
      third->ratio = 0.5;
    } else if (way == 2) {
      second->kind = SINEW_JOINT_PRISMATIC;
      second->axis[0] = 1.0;
      second->axis[2] = 0.0;
      builder_limit(second, -50.0, 50.0);
    }
    sinew_model *model = builder_make(&b);
    const sinew_task task = tip_of(SINEW_TASK_POSITION, way == 1 ? 3 : 2, 1.0);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    const double goal[2] = {0.3, 0.7}, seed[2] = {0.2, 0.5};
    const sinew_target target = target_at(model, &task, goal);
    sinew_global_def def = sinew_default_global_def();
    double plain[40][2], images[40][2];
    int found, more;
    assert_ok(
        sinew_solver_solve_all(solver, &def, &target, 1, seed, 40, &plain[0][0], &found, NULL));
    def.images = true;
    assert_ok(
        sinew_solver_solve_all(solver, &def, &target, 1, seed, 40, &images[0][0], &more, NULL));
    check_rows(model, &task, &target, seed, found, &plain[0][0]);
    assert_true(found >= 1);
    assert_int_equal(found, more);
    // The prismatic joint reaches from both sides: half a turn away with the opposite sign.
    assert_true(way != 2 || found == 2);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// Limits of any size: images are no further than 1e5 rad from 0, so that all meet their target; a
// value to which a whole turn adds nothing has none. The search ends in any case.
// req: F2 C3
static void huge_limits_end_the_list_of_images(void **state) {
  (void)state;
  static const double limits[] = {1e4, 1e6, 1e16, 1e30, 1e99};
  static double rows[2000][2];
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 8; ++k) {
      const double at = pow(10.0, 4.0 * k), goal[2] = {fmin(at, limits[i]), 0.7};
      sinew_model *model = fixture_planar_limited(2, 1.0, -limits[i], limits[i], INFINITY);
      const sinew_task task = tip_of(SINEW_TASK_POSITION, 2, 1.0);
      sinew_solver *solver = solver_with(NULL, model, &task, 1);
      sinew_target target = target_at(model, &task, goal);
      sinew_global_def def = sinew_default_global_def();
      int found;
      def.images = true;
      assert_ok(
          sinew_solver_solve_all(solver, &def, &target, 1, goal, 2000, rows[0], &found, NULL));
      assert_true(at >= 1e5 || found == 2000); // of about 2 * 30,000^2
      check_rows(model, &task, &target, goal, found, rows[0]);
      sinew_solver_destroy(solver);
      sinew_model_destroy(model);
    }
  }
}

// Half a turn in either direction is equally near, and each is returned once.
// req: E6
static void half_turns_are_returned_once_each(void **state) {
  (void)state;
  sinew_model *model = fixture_planar_limited(1, 1.0, -3.0 * PI - 0.1, 3.0 * PI + 0.1, INFINITY);
  const sinew_task task = task_of(SINEW_TASK_ORIENTATION, 1);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  const double goal = PI, seed = 0.0;
  const sinew_target target = target_at(model, &task, &goal);
  sinew_global_def def = sinew_default_global_def();
  double rows[8];
  int found;
  def.images = true;
  assert_ok(sinew_solver_solve_all(solver, &def, &target, 1, &seed, 8, rows, &found, NULL));
  assert_int_equal(found, 4);
  for (int i = 0; i < 4; ++i) {
    assert_near(fabs(rows[i]), i < 2 ? PI : 3.0 * PI, 1e-5);
    assert_true(i == 0 || fabs(rows[i] - rows[i - 1]) > 1.0);
  }
  assert_true(rows[0] * rows[1] < 0.0 && rows[2] * rows[3] < 0.0);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A spherical joint at an orientation has one solution, though q and -q represent it.
// req: A5 F2
static void spherical_joints_have_one_solution(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
  builder_add(&b, 1, SINEW_JOINT_FIXED, 1.0, 0.0, 0.0);
  sinew_model *model = builder_make(&b);
  const sinew_task task = task_of(SINEW_TASK_ORIENTATION, 2);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  for (uint64_t round = 0; round < 50; ++round) {
    double goal[4], seed[4], rows[8][4];
    int found;
    sinew_configuration_random(model, 407, round, goal);
    sinew_configuration_random(model, 408, round, seed);
    const sinew_target target = target_at(model, &task, goal);
    assert_ok(sinew_solver_solve_all(solver, NULL, &target, 1, seed, 8, &rows[0][0], &found, NULL));
    assert_int_equal(found, 1);
    double along = 0.0, to_seed = 0.0;
    for (int i = 0; i < 4; ++i) {
      along += rows[0][i] * goal[i];
      to_seed += rows[0][i] * seed[i];
    }
    assert_near(fabs(along), 1.0, 1e-9);
    assert_true(to_seed >= -1e-6);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Solutions that differ by less than a given angle are one.
// req: F2
static void distinct_angle_separates_solutions(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(2, 1.0);
  const sinew_task task = tip_of(SINEW_TASK_POSITION, 2, 1.0);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  const double goal[2] = {0.3, 0.2}, seed[2] = {0.0, 0.1}; // the other: (0.5, -0.2)
  const sinew_target target = target_at(model, &task, goal);
  sinew_global_def def = sinew_default_global_def();
  double rows[8][2];
  int found;
  def.distinct = 0.39;
  assert_ok(sinew_solver_solve_all(solver, &def, &target, 1, seed, 8, &rows[0][0], &found, NULL));
  assert_int_equal(found, 2);
  def.distinct = 0.41;
  assert_ok(sinew_solver_solve_all(solver, &def, &target, 1, seed, 8, &rows[0][0], &found, NULL));
  assert_int_equal(found, 1);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);

  // A crank of 10 m, 0.1 rad to either side of dead centre: its prismatic joint differs by 2 m, a
  // fifth of the model's size.
  builder b;
  builder_start(&b);
  sinew_joint_def *slide = builder_add(&b, 0, SINEW_JOINT_PRISMATIC, 0.0, 0.0, 0.0);
  memcpy(slide->axis, (double[3]){1.0, 0.0, 0.0}, sizeof slide->axis);
  builder_add(&b, 1, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
  builder_add(&b, 2, SINEW_JOINT_FIXED, 10.0, 0.0, 0.0);
  model = builder_make(&b);
  assert_near(sinew_model_size(model), 10.0, 1e-9);
  const sinew_task crank = task_of(SINEW_TASK_POSITION, 3);
  const double side[2] = {0.0, PI / 2 + 0.1}, near[2] = {0.5, PI / 2 - 0.05};
  const sinew_target top = target_at(model, &crank, side);
  solver = solver_with(NULL, model, &crank, 1);
  for (int i = 0; i < 2; ++i) {
    def.distinct = i == 0 ? 0.19 : 0.21;
    assert_ok(sinew_solver_solve_all(solver, &def, &top, 1, near, 8, &rows[0][0], &found, NULL));
    assert_int_equal(found, i == 0 ? 2 : 1);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// ----------------------------------------------------------------------- mirrors

// Four joints; the axes of the last three intersect, are parallel, or neither.
static sinew_model *four_joints(random_stream *random, int way) {
  builder b;
  builder_start(&b);
  for (int i = 0; i < 5; ++i) {
    double place[3], turn[3];
    random_vector(random, 1.0, place);
    random_vector(random, 3.0, turn);
    const bool within = i == 2 || i == 3;
    sinew_joint_def *joint =
        builder_add(&b, i, i < 4 ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_FIXED,
                    within && way == 0 ? 0.0 : place[0], within && way == 0 ? 0.0 : place[1],
                    within && way == 0 ? 0.0 : place[2]);
    sinew_quaternion_from_rpy((double[3]){within && way == 1 ? 0.0 : turn[0],
                                          within && way == 1 ? 0.0 : turn[1], turn[2]},
                              joint->placement.rotation);
  }
  return builder_make(&b);
}

// A flipped wrist or elbow brings the links after it to the same pose; no other three joints do.
// The mirror of a mirror is the configuration itself.
// req: E6
static void mirrors_of_wrists_and_elbows_are_exact(void **state) {
  (void)state;
  random_stream random = random_stream_of(413);
  for (int round = 0; round < 300; ++round) {
    sinew_mirror mirrors[8];
    double q[4], mirrored[4], back[4], distance, angle;
    sinew_model *model = four_joints(&random, round % 3);
    const sinew_task task = task_of(SINEW_TASK_POSE, 5);
    assert_int_equal(sinew_mirrors_find(model, mirrors), 2);
    for (int v = 0; v < 4; ++v) {
      q[v] = random_between(&random, -3.0, 3.0);
    }
    const sinew_target target = target_at(model, &task, q);
    const sinew_mirror *last = mirrors[1].node > mirrors[0].node ? &mirrors[1] : &mirrors[0];
    sinew_mirror_apply(model, last, q, mirrored);
    assert_true(mirrored[0] == q[0]);
    assert_false(is_same_rotation(4, mirrored, q, 1e-6));
    measure(model, &task, &target, mirrored, &distance, &angle);
    assert_true(round % 3 == 2 ? angle + distance > 1e-6 : angle < 1e-7 && distance < 1e-9);
    if (round % 3 != 2) {
      sinew_mirror_apply(model, last, mirrored, back);
      assert_true(is_same_rotation(4, back, q, 1e-7));
    }
    sinew_model_destroy(model);
  }
}

// ------------------------------------------------------------------ six joints

// The Universal Robots UR5 by its maker's Denavit-Hartenberg parameters [m].
#define A2 -0.425
#define A3 -0.39225
#define D1 0.089159
#define D4 0.10915
#define D5 0.09465
#define D6 0.0823
static const double ur_a[6] = {0.0, A2, A3, 0.0, 0.0, 0.0};
static const double ur_d[6] = {D1, 0.0, 0.0, D4, D5, D6};
static const double ur_alpha[6] = {PI / 2, 0.0, 0.0, PI / 2, -PI / 2, 0.0};

// Link 7 is the flange; limits +-most.
static sinew_model *six_joints(double most) {
  builder b;
  builder_start(&b);
  for (int i = 0; i < 7; ++i) {
    // The transform between two joints: along z by d, along x by a, about x by alpha.
    sinew_joint_def *joint = builder_add(&b, i, i < 6 ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_FIXED,
                                         i > 0 ? ur_a[i - 1] : 0.0, 0.0, i > 0 ? ur_d[i - 1] : 0.0);
    sinew_quaternion_from_rpy((double[3]){i > 0 ? ur_alpha[i - 1] : 0.0, 0.0, 0.0},
                              joint->placement.rotation);
    if (i < 6) {
      builder_limit(joint, -most, most);
    }
  }
  return builder_make(&b);
}

typedef struct matrix {
  double m[4][4];
} matrix;

static matrix product(const matrix *a, const matrix *b) {
  matrix c = {{{0.0}}};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 4; ++k) {
        c.m[i][j] += a->m[i][k] * b->m[k][j];
      }
    }
  }
  return c;
}

static matrix inverse(const matrix *a) {
  matrix b = {{{0.0}}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      b.m[i][j] = a->m[j][i];
      b.m[i][3] -= a->m[j][i] * a->m[j][3];
    }
  }
  b.m[3][3] = 1.0;
  return b;
}

// The Denavit-Hartenberg matrix of a joint.
static matrix link_of(int i, double theta) {
  const double c = cos(theta), s = sin(theta), ca = cos(ur_alpha[i]), sa = sin(ur_alpha[i]);
  return (matrix){{{c, -s * ca, s * sa, ur_a[i] * c},
                   {s, c * ca, -c * sa, ur_a[i] * s},
                   {0.0, sa, ca, ur_d[i]},
                   {0.0, 0.0, 0.0, 1.0}}};
}

static matrix forward(const double q[6]) {
  matrix T = link_of(0, q[0]);
  for (int i = 1; i < 6; ++i) {
    const matrix A = link_of(i, q[i]);
    T = product(&T, &A);
  }
  return T;
}

// The candidates for joints 2, 3, 4 where 1, 5, 6 are known: three parallel axes.
static int close_elbow(const matrix *T, double q[6], double found[][6], int count) {
  const matrix A1 = link_of(0, q[0]), A5 = link_of(4, q[4]), A6 = link_of(5, q[5]);
  const matrix A56 = product(&A5, &A6), B1 = inverse(&A1), B56 = inverse(&A56);
  const matrix T16 = product(&B1, T), T14 = product(&T16, &B56);
  const double x = T14.m[0][3], y = T14.m[1][3];
  const double c3 = (x * x + y * y - A2 * A2 - A3 * A3) / (2.0 * A2 * A3);
  for (int elbow = 0; fabs(c3) <= 1.0 && elbow < 2; ++elbow) {
    q[2] = elbow == 0 ? acos(c3) : -acos(c3);
    q[1] = atan2(y, x) - atan2(A3 * sin(q[2]), A2 + A3 * c3);
    q[3] = atan2(T14.m[1][0], T14.m[0][0]) - q[1] - q[2];
    const matrix reached = forward(q);
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) {
        worst = fmax(worst, fabs(reached.m[i][j] - T->m[i][j]));
      }
    }
    if (worst < 1e-9) { // the signs that forward kinematics confirms
      memcpy(found[count++], q, 6 * sizeof(double));
    }
  }
  return count;
}

// All solutions in closed form. Source: Hawkins, Analytic inverse kinematics for the Universal
// Robots UR-5/UR-10 arms, 2013; both signs of joint 6 are tried, and candidates that forward
// kinematics does not confirm are dropped.
static int closed_form(const matrix *T, double found[][6]) {
  const double x = T->m[0][3] - D6 * T->m[0][2], y = T->m[1][3] - D6 * T->m[1][2];
  int count = 0;
  for (int way = 0; way < 8; ++way) {
    double q[6];
    const double shoulder = acos(D4 / hypot(x, y));
    q[0] = atan2(y, x) + PI / 2 + (way & 1 ? shoulder : -shoulder);
    const double s = sin(q[0]), c = cos(q[0]);
    const double c5 = (T->m[0][3] * s - T->m[1][3] * c - D4) / D6;
    if (!(fabs(c5) <= 1.0)) {
      continue;
    }
    q[4] = way & 2 ? acos(c5) : -acos(c5);
    const double along = T->m[0][0] * s - T->m[1][0] * c, across = T->m[1][1] * c - T->m[0][1] * s;
    q[5] = way & 4 ? atan2(across, along) : atan2(-across, -along);
    count = close_elbow(T, q, found, count);
  }
  return count;
}

static sinew_target target_of(const matrix *T) {
  sinew_target target = sinew_default_target();
  double R[9];
  for (int i = 0; i < 3; ++i) {
    target.position[i] = T->m[i][3];
    for (int j = 0; j < 3; ++j) {
      R[3 * i + j] = T->m[i][j];
    }
  }
  sinew_quaternion_from_matrix(R, target.rotation);
  return target;
}

// Away from singularities: bent elbow, bent wrist, and a wrist off the first axis.
static bool is_regular(const double q[6], const matrix *T) {
  return fabs(sin(q[2])) > 0.1 && fabs(sin(q[4])) > 0.1 &&
         hypot(T->m[0][3] - D6 * T->m[0][2], T->m[1][3] - D6 * T->m[1][2]) > D4 + 0.02;
}

// 200 poses, most of which have eight solutions: exactly those of the closed form; and the nearest
// three where three are asked for.
// req: F2 E6
static void six_joints_match_the_closed_form(void **state) {
  (void)state;
  sinew_model *model = six_joints(2.0 * PI);
  const sinew_task task = task_of(SINEW_TASK_POSE, 7);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  int rounds = 0, eight = 0, missed = 0, steps = 0;
  for (uint64_t round = 0; rounds < 200; ++round) {
    double goal[6], seed[6], closed[16][6], rows[32][6];
    int found;
    sinew_configuration_random(model, 409, round, goal);
    sinew_configuration_random(model, 410, round, seed);
    const matrix T = forward(goal);
    if (!is_regular(goal, &T)) {
      continue;
    }
    ++rounds;
    const sinew_target target = target_of(&T);
    const int expected = closed_form(&T, closed);
    assert_true(expected >= 2 && expected <= 8);
    sinew_report report;
    assert_ok(
        sinew_solver_solve_all(solver, NULL, &target, 1, seed, 32, &rows[0][0], &found, &report));
    check_rows(model, &task, &target, seed, found, &rows[0][0]);
    double few[3][6];
    int kept;
    assert_ok(sinew_solver_solve_all(solver, NULL, &target, 1, seed, 3, &few[0][0], &kept, NULL));
    assert_int_equal(kept, found < 3 ? found : 3);
    for (int i = 0; i < kept; ++i) {
      assert_true(is_same_rotation(6, few[i], rows[i], 1e-3));
    }
    steps += report.steps;
    eight += expected == 8;
    assert_true(found <= expected);
    missed += expected - found;
    for (int i = 0; i < found; ++i) {
      int same = 0;
      for (int k = 0; k < expected; ++k) {
        same += is_same_rotation(6, rows[i], closed[k], 1e-3);
      }
      assert_int_equal(same, 1);
    }
  }
  print_message("%d of 200 poses have eight solutions; %d missed; %d updates a pose\n", eight,
                missed, steps / 200);
  assert_true(eight > 100);
  assert_int_equal(missed, 0);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// One pose against local solves from 2000 random starts: eight solutions, and their 512 images
// within two turns of each joint.
// req: F2 E6
static void six_joints_match_random_starts(void **state) {
  (void)state;
  sinew_model *model = six_joints(2.0 * PI);
  const sinew_task task = task_of(SINEW_TASK_POSE, 7);
  sinew_solver_def local = sinew_default_solver_def();
  local.budget.max_starts = 1;
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_solver *alone = solver_with(&local, model, &task, 1);
  const double goal[6] = {0.4, -1.2, 1.5, -0.6, 0.9, 0.3}, seed[6] = {0.0};
  const sinew_target target = target_at(model, &task, goal);
  static double rows[600][6], known[16][6];
  int count = 0, found;
  for (uint64_t attempt = 0; attempt < 2000; ++attempt) {
    double q[6];
    sinew_report report;
    bool is_new = true;
    sinew_configuration_random(model, 411, attempt, q);
    assert_ok(sinew_solver_solve_local(alone, &target, 1, q, &report));
    for (int i = 0; i < count; ++i) {
      is_new = is_new && !is_same_rotation(6, known[i], q, 1e-3);
    }
    if (is_new && report.outcome == SINEW_OUTCOME_CONVERGED) {
      assert_true(count < 16);
      memcpy(known[count++], q, sizeof q);
    }
  }
  assert_int_equal(count, 8);
  assert_ok(sinew_solver_solve_all(solver, NULL, &target, 1, seed, 600, &rows[0][0], &found, NULL));
  assert_int_equal(found, 8);
  for (int i = 0; i < 8; ++i) {
    int same = 0;
    for (int k = 0; k < 8; ++k) {
      same += is_same_rotation(6, rows[i], known[k], 1e-3);
    }
    assert_int_equal(same, 1);
  }
  sinew_global_def def = sinew_default_global_def();
  def.images = true;
  assert_ok(sinew_solver_solve_all(solver, &def, &target, 1, seed, 600, &rows[0][0], &found, NULL));
  assert_int_equal(found, 8 * 64); // each joint has two whole turns
  check_rows(model, &task, &target, seed, found, &rows[0][0]);
  sinew_solver_destroy(alone);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// One angle of a goal at a distance s of a singularity: of the elbow, the wrist, or of the
// shoulder, where the wrist's centre is above the circle of radius D4.
static void go_near_singularity(int kind, double s, double goal[6]) {
  if (kind < 2) {
    goal[kind == 0 ? 2 : 4] = s;
    return;
  }
  for (int step = 0; step < 100; ++step) { // d(hypot)/d(q2) by differences
    double radius[2];
    for (int k = 0; k < 2; ++k) {
      goal[1] += k == 0 ? 0.0 : 1e-6;
      const matrix T = forward(goal);
      radius[k] = hypot(T.m[0][3] - D6 * T.m[0][2], T.m[1][3] - D6 * T.m[1][2]);
    }
    const double along = sqrt(fmax(radius[0] * radius[0] - D4 * D4, 0.0));
    const double slope = (sqrt(fmax(radius[1] * radius[1] - D4 * D4, 0.0)) - along) / 1e-6;
    goal[1] += -1e-6 + fmin(fmax((fabs(s) - along) / slope, -0.2), 0.2);
  }
}

// Whether two solutions of a set are so near that it depends on rounding whether they are one.
static bool is_close(const double a[6], const double b[6]) {
  return is_same_rotation(6, a, b, 0.015);
}

// Poses at 1e-1 to 1e-5 from a singularity, where a curve of configurations is within the
// tolerance: each solution of the closed form is returned, and returned once. Where two have just
// merged and vanished there is a curve without a solution, of which one point is returned.
// req: F2 E6
static void near_singularities_solutions_are_returned_once(void **state) {
  (void)state;
  sinew_model *model = six_joints(2.0 * PI);
  const sinew_task task = task_of(SINEW_TASK_POSE, 7);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  int missed = 0, twice = 0, more = 0, total = 0;
  for (uint64_t round = 3000; round < 6000; ++round) {
    double goal[6], seed[6], closed[16][6], rows[32][6];
    int found, times[16] = {0};
    sinew_configuration_random(model, 419, round, goal);
    sinew_configuration_random(model, 420, round, seed);
    const double s = pow(10.0, -1.0 - 4.0 * sinew_random_uniform(421, round));
    go_near_singularity((int)(round % 3), round % 2 == 0 ? s : -s, goal);
    const matrix T = forward(goal);
    const sinew_target target = target_of(&T);
    const int expected = closed_form(&T, closed);
    assert_ok(
        sinew_solver_solve_all(solver, NULL, &target, 1, seed, 32, &rows[0][0], &found, NULL));
    check_rows(model, &task, &target, seed, found, &rows[0][0]);
    for (int i = 0; i < found; ++i) {
      int same = 0;
      for (int k = 0; k < expected; ++k) {
        const bool is = is_close(rows[i], closed[k]);
        times[k] += is;
        same += is;
      }
      more += same == 0;
    }
    for (int k = 0; k < expected; ++k) {
      int near = 0;
      for (int i = 0; i < expected; ++i) {
        near += is_close(closed[i], closed[k]);
      }
      missed += times[k] == 0;
      twice += times[k] > near;
      ++total;
    }
  }
  print_message("%d solutions: %d missed, %d twice, %d others\n", total, missed, twice, more);
  assert_true(total > 12000);
  assert_int_equal(missed, 0);
  assert_int_equal(twice, 0);
  assert_true(more <= 15);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Limits remove the solutions beyond them and no others.
// req: A8 F2
static void limits_remove_solutions(void **state) {
  (void)state;
  sinew_model *model = six_joints(2.0 * PI);
  const sinew_task task = task_of(SINEW_TASK_POSE, 7);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  const double lower[6] = {-PI, -PI, -PI, -PI, 0.0, -PI}, upper[6] = {PI, 0.0, PI, PI, PI, PI};
  assert_ok(sinew_solver_set_limits(solver, lower, upper));
  int missed = 0, total = 0;
  for (uint64_t round = 0; round < 100; ++round) {
    double goal[6], closed[16][6], rows[16][6];
    const double seed[6] = {0.0, -1.0, 0.0, 0.0, 1.0, 0.0};
    int found, within = 0;
    sinew_configuration_random(model, 412, round, goal);
    const matrix T = forward(goal);
    if (!is_regular(goal, &T)) {
      continue;
    }
    const int expected = closed_form(&T, closed);
    const sinew_target target = target_of(&T);
    sinew_report report;
    assert_ok(
        sinew_solver_solve_all(solver, NULL, &target, 1, seed, 16, &rows[0][0], &found, &report));
    for (int k = 0; k < expected; ++k) {
      within += wrapped(closed[k][1]) < 0.0 && wrapped(closed[k][4]) > 0.0;
    }
    assert_true(found <= within);
    assert_true((report.outcome == SINEW_OUTCOME_CONVERGED) == (found > 0));
    total += within;
    missed += within - found;
    for (int i = 0; i < found; ++i) {
      for (int v = 0; v < 6; ++v) {
        assert_true(rows[i][v] >= lower[v] && rows[i][v] <= upper[v]);
      }
    }
  }
  print_message("%d solutions within limits, %d missed\n", total, missed);
  assert_true(total > 80);
  assert_int_equal(missed, 0);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// With few starts and narrow limits most searches find nothing within them. What they return does
// not depend on earlier calls, keeps frozen values, and is not called out of reach.
static void few_starts_and_narrow_limits(void **state) {
  (void)state;
  const double axes[6][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
  const unsigned char frozen[9] = {1, 1, 1};
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0, 0, 0);
  for (int j = 0; j < 6; ++j) {
    sinew_joint_def *joint =
        builder_add(&b, j + 1, SINEW_JOINT_REVOLUTE, j < 4 ? 0.3 : 0.0, 0, 0.05 * j);
    memcpy(joint->axis, axes[j], sizeof joint->axis);
    builder_limit(joint, -0.7, 0.7);
  }
  sinew_model *model = builder_make(&b);
  const int nq = sinew_model_nq(model);
  const sinew_task task = task_of(SINEW_TASK_POSE, 7);
  sinew_solver *used = solver_with(NULL, model, &task, 1);
  assert_ok(sinew_solver_set_frozen(used, frozen));
  for (uint64_t i = 0; i < 200; ++i) {
    sinew_solver *fresh = solver_with(NULL, model, &task, 1);
    assert_ok(sinew_solver_set_frozen(fresh, frozen));
    double q[10], seed[10], all[2][16 * 10] = {{0}};
    int found[2];
    sinew_report report[2];
    sinew_global_def def = sinew_default_global_def();
    def.max_starts = 1;
    sinew_configuration_random(model, 1, i, q);
    sinew_configuration_random(model, 2, i, seed);
    memcpy(q, seed, 4 * sizeof *q); // the frozen joint's
    const sinew_target target = target_at(model, &task, q);
    sinew_solver *const both[2] = {fresh, used};
    for (int k = 0; k < 2; ++k) {
      assert_ok(sinew_solver_solve_all(both[k], &def, &target, 1, seed, 16, all[k], &found[k],
                                       &report[k]));
      assert_int_not_equal(report[k].outcome, SINEW_OUTCOME_OUT_OF_REACH);
      for (int f = 0; f < found[k]; ++f) {
        assert_memory_equal(all[k] + f * nq, seed, 4 * sizeof *seed);
      }
    }
    assert_int_equal(found[0], found[1]);
    assert_int_equal(report[0].outcome, report[1].outcome);
    assert_memory_equal(all[0], all[1], sizeof all[0]);
    sinew_solver_destroy(fresh);
  }
  sinew_solver_destroy(used);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_starts_and_narrow_limits),
      cmocka_unit_test(two_links_have_two_solutions),
      cmocka_unit_test(three_links_with_and_without_a_direction),
      cmocka_unit_test(nearest_solutions_are_kept),
      cmocka_unit_test(whole_turns_are_returned_on_request),
      cmocka_unit_test(unlimited_and_prismatic_joints_have_no_images),
      cmocka_unit_test(huge_limits_end_the_list_of_images),
      cmocka_unit_test(half_turns_are_returned_once_each),
      cmocka_unit_test(spherical_joints_have_one_solution),
      cmocka_unit_test(distinct_angle_separates_solutions),
      cmocka_unit_test(mirrors_of_wrists_and_elbows_are_exact),
      cmocka_unit_test(six_joints_match_the_closed_form),
      cmocka_unit_test(six_joints_match_random_starts),
      cmocka_unit_test(near_singularities_solutions_are_returned_once),
      cmocka_unit_test(limits_remove_solutions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
