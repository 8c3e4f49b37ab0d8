// Relative tasks: closed loops, and two hands on one box. What is measured comes from forward
// kinematics alone.
#include "fixtures.h"
#include "inspect.h"

#define MOST_NQ 128

// The tasks of a mechanism: those that close its loops, then the one that drives it.
typedef struct mechanism {
  sinew_model *model;
  sinew_task tasks[4];
  sinew_target targets[4];
  int count;
  sinew_solver *solver;
} mechanism;

static void mechanism_start(mechanism *m) {
  sinew_solver_def def = sinew_default_solver_def();
  def.tolerances.position = def.tolerances.orientation = 1e-10;
  m->solver = solver_with(&def, m->model, m->tasks, m->count);
}

static void mechanism_end(mechanism *m) {
  sinew_solver_destroy(m->solver);
  sinew_model_destroy(m->model);
}

static double gap_of(const mechanism *m, int first, int end, const double *q) {
  double most = 0.0;
  for (int t = first; t < end; ++t) {
    double distance, angle;
    measure(m->model, &m->tasks[t], &m->targets[t], q, &distance, &angle);
    most = fmax(most, fmax(distance, angle));
  }
  return most;
}

// A point of a link relative to a frame link: where the two are pinned together.
static sinew_task pin(int link, double x, double y, int frame) {
  sinew_task task = task_of(SINEW_TASK_POSITION, link);
  task.point_l[0] = x;
  task.point_l[1] = y;
  task.frame_link = frame;
  return task;
}

// Crank 1, coupler 3.5, rocker 3, ground 4: the crank turns all around.
static void four_bar(mechanism *m) {
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0); // 1: crank
  builder_add(&b, 1, SINEW_JOINT_REVOLUTE, 1.0, 0.0, 0.0); // 2: coupler
  builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 4.0, 0.0, 0.0); // 3: rocker
  *m = (mechanism){.model = builder_make(&b), .count = 2};
  m->tasks[0] = pin(2, 3.5, 0.0, 3);
  m->targets[0] = sinew_default_target();
  m->targets[0].position[0] = 3.0;
  m->tasks[1] = task_of(SINEW_TASK_DIRECTION, 1);
  m->tasks[1].axis_l[0] = 1.0;
  m->tasks[1].axis_l[2] = 0.0;
  m->targets[1] = sinew_default_target();
}

static void turn_crank(mechanism *m, double angle) {
  m->targets[1].direction[0] = cos(angle);
  m->targets[1].direction[1] = sin(angle);
  m->targets[1].direction[2] = 0.0;
}

// The angle of the rocker from the law of cosines, its joint above the ground.
static double rocker_angle(double crank) {
  const double x = cos(crank) - 4.0, y = sin(crank), d = hypot(x, y);
  return atan2(y, x) - acos((d * d + 9.0 - 3.5 * 3.5) / (2.0 * d * 3.0));
}

// Closes a mechanism and follows its driver: by solves to 1e-9 m and rad, by updates to most, since
// one update leaves terms of second order in the driver's motion.
static void follow(mechanism *m, void (*drive)(mechanism *, double), double step, double most,
                   const double *start) {
  enum { FRAMES = 360 };
  const int nq = sinew_model_nq(m->model);
  for (int by_updates = 0; by_updates < 2; ++by_updates) {
    double q[MOST_NQ];
    sinew_report report;
    memcpy(q, start, (size_t)nq * sizeof *q);
    drive(m, 0.0);
    assert_ok(sinew_solver_solve_local(m->solver, m->targets, m->count, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_at_most(gap_of(m, 0, m->count, q), 1e-9);
    for (int frame = 1; frame <= FRAMES; ++frame) {
      drive(m, frame * step);
      if (by_updates == 1) {
        assert_ok(sinew_solver_update(m->solver, m->targets, m->count, q, NULL));
      } else {
        assert_ok(sinew_solver_solve_local(m->solver, m->targets, m->count, q, &report));
        assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
        assert_int_equal(report.worst_task >= 0, 1);
      }
      assert_at_most(gap_of(m, 0, m->count, q), by_updates == 1 ? most : 1e-9);
    }
    sinew_solver_reset(m->solver);
  }
}

// req: A8
static void four_bars_close_and_stay_closed(void **state) {
  (void)state;
  mechanism m;
  four_bar(&m);
  mechanism_start(&m);
  const double start[3] = {0.5, 0.7, 1.5};
  follow(&m, turn_crank, PI / 180.0, 1e-7, start);
  double q[3] = {0.0, 0.7, 1.5};
  for (int k = 0; k < 12; ++k) { // the rocker's angle by the law of cosines
    turn_crank(&m, k * PI / 6.0);
    assert_ok(sinew_solver_solve_local(m.solver, m.targets, m.count, q, NULL));
    assert_near(remainder(q[2] - rocker_angle(k * PI / 6.0), 2.0 * PI), 0.0, 1e-8);
  }
  mechanism_end(&m);
}

#define LEG 1.2
#define PLATFORM 0.4

// Where the pivots of the three legs are on the ground, and on the platform.
static void corner(double radius, int leg, double p[2]) {
  p[0] = radius * cos(2.0 * PI * leg / 3.0);
  p[1] = radius * sin(2.0 * PI * leg / 3.0);
}

// Three legs of two links each, and a platform: a planar parallel robot of three degrees of
// freedom. The first leg carries the platform, the others are pinned to it.
static void three_legs(mechanism *m) {
  builder b;
  double ground[2], top[2];
  builder_start(&b);
  for (int leg = 0; leg < 3; ++leg) {
    corner(2.0, leg, ground);
    builder_add(&b, 0, SINEW_JOINT_REVOLUTE, ground[0], ground[1], 0.0);
    builder_add(&b, 2 * leg + 1, SINEW_JOINT_REVOLUTE, LEG, 0.0, 0.0);
  }
  builder_add(&b, 2, SINEW_JOINT_REVOLUTE, LEG, 0.0, 0.0); // 7: the platform, its origin a corner
  *m = (mechanism){.model = builder_make(&b), .count = 3};
  corner(PLATFORM, 0, ground);
  for (int leg = 1; leg < 3; ++leg) {
    corner(PLATFORM, leg, top);
    m->tasks[leg - 1] = pin(2 * leg + 2, LEG, 0.0, 7);
    m->targets[leg - 1] = sinew_default_target();
    m->targets[leg - 1].position[0] = top[0] - ground[0];
    m->targets[leg - 1].position[1] = top[1] - ground[1];
  }
  m->tasks[2] = task_of(SINEW_TASK_POSE, 7);
  m->tasks[2].point_l[0] = -ground[0]; // the platform's centre
  m->tasks[2].point_l[1] = -ground[1];
  m->targets[2] = sinew_default_target();
}

static void move_platform(mechanism *m, double angle) {
  const double turn = 0.3 * sin(angle);
  m->targets[2].position[0] = 0.3 * cos(angle);
  m->targets[2].position[1] = 0.3 * sin(angle);
  m->targets[2].rotation[0] = cos(0.5 * turn);
  m->targets[2].rotation[3] = sin(0.5 * turn);
}

// req: A8
static void parallel_robots_close_and_stay_closed(void **state) {
  (void)state;
  mechanism m;
  three_legs(&m);
  mechanism_start(&m);
  const double start[7] = {2.5, 1.0, -1.5, 1.0, 0.5, 1.0, -3.0};
  follow(&m, move_platform, PI / 180.0, 1e-4, start);
  mechanism_end(&m);
}

// Both hands of a person on a box: the right one relative to the left, which carries the box.
static void box_in_hands(mechanism *m, int links[HUMANOID_PLACES]) {
  *m = (mechanism){.model = fixture_humanoid(false, links), .count = 2};
  m->tasks[0] = task_of(SINEW_TASK_POSE, links[HUMANOID_RIGHT_HAND]);
  m->tasks[0].frame_link = links[HUMANOID_LEFT_HAND];
  m->tasks[1] = task_of(SINEW_TASK_POSITION, links[HUMANOID_LEFT_HAND]);
}

static double centre[3];

static void carry(mechanism *m, double angle) {
  m->targets[1] = sinew_default_target();
  m->targets[1].position[0] = centre[0] + 0.1 * sin(angle);
  m->targets[1].position[1] = centre[1] + 0.05 * sin(2.0 * angle);
  m->targets[1].position[2] = centre[2] + 0.1 * (1.0 - cos(angle));
}

// req: A8
static void two_hands_hold_a_box(void **state) {
  (void)state;
  mechanism m;
  int links[HUMANOID_PLACES];
  double q[MOST_NQ];
  box_in_hands(&m, links);
  sinew_configuration_middle(m.model, q);
  m.targets[0] = target_at(m.model, &m.tasks[0], q);
  const sinew_target hand = target_at(m.model, &m.tasks[1], q);
  memcpy(centre, hand.position, sizeof centre);
  mechanism_start(&m);
  follow(&m, carry, PI / 180.0, 1e-5, q);
  mechanism_end(&m);
}

// Joints that move both links alike have no column, and neither have those above chain_root.
static void only_joints_between_the_links_move(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  sinew_task task = task_of(SINEW_TASK_POSE, links[HUMANOID_RIGHT_HAND]);
  task.frame_link = links[HUMANOID_LEFT_HAND];
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  const int between = solver->problem.pattern.dof_count;
  const sinew_task hands[2] = {task_of(SINEW_TASK_POSE, links[HUMANOID_RIGHT_HAND]),
                               task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND])};
  assert_ok(sinew_solver_set_tasks(solver, hands, 2, NULL));
  const int all = solver->problem.pattern.dof_count;
  task.chain_root = links[HUMANOID_CHEST]; // above both
  assert_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
  assert_int_equal(solver->problem.pattern.dof_count, between);
  assert_true(between < all && between > 0 && between % 2 == 0);
  task.frame_link = links[HUMANOID_LEFT_FOOT]; // its joints are not below the chest
  assert_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
  assert_int_equal(solver->problem.pattern.dof_count, between / 2);
  task.frame_link = sinew_model_root(model); // the default
  task.chain_root = -1;
  assert_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
  assert_true(solver->problem.tasks[0].whole);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_bars_close_and_stay_closed),
      cmocka_unit_test(parallel_robots_close_and_stay_closed),
      cmocka_unit_test(two_hands_hold_a_box),
      cmocka_unit_test(only_joints_between_the_links_move),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
