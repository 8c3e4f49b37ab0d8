// Relative tasks: closed loops, and two hands on one box. What is measured comes from forward
// kinematics alone.
#include "inspect.h"
#include "mechanism.h"
#include "sample.h"

#define MOST_NQ 128

// The gap of a closed loop [m, rad].
#define CLOSED 1e-9

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

// Closes a mechanism and follows its driver, its last task, once around in so many frames: by
// solves the driver is met too, by updates at most so far off as said.
static void follow(mechanism *m, void (*drive)(mechanism *, double), int frames, double off,
                   const double *start) {
  const int nq = sinew_model_nq(m->model), loops = m->count - 1;
  for (int by_updates = 0; by_updates < 2; ++by_updates) {
    double q[MOST_NQ];
    sinew_report report;
    memcpy(q, start, (size_t)nq * sizeof *q);
    drive(m, 0.0);
    assert_ok(sinew_solver_solve_local(m->solver, m->targets, m->count, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_at_most(gap_of(m, 0, m->count, q), CLOSED);
    for (int frame = 1; frame <= frames; ++frame) {
      drive(m, 2.0 * PI * frame / frames);
      if (by_updates == 1) {
        assert_ok(sinew_solver_update(m->solver, m->targets, m->count, q, NULL));
      } else {
        assert_ok(sinew_solver_solve_local(m->solver, m->targets, m->count, q, &report));
        assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
        assert_int_equal(report.worst_task >= 0, 1);
      }
      assert_at_most(gap_of(m, 0, loops, q), CLOSED);
      assert_at_most(gap_of(m, loops, m->count, q), by_updates == 1 ? off : CLOSED);
    }
    sinew_solver_reset(m->solver);
  }
}

// The same at several rates, from 30 frames for a turn to 1440.
static void follow_at_rates(mechanism *m, void (*drive)(mechanism *, double), double off,
                            const double *start) {
  const int frames[] = {30, 90, 360, 1440};
  for (int i = 0; i < 4; ++i) {
    follow(m, drive, frames[i], off, start);
  }
}

// req: A8
static void four_bars_close_and_stay_closed(void **state) {
  (void)state;
  mechanism m;
  four_bar(&m);
  mechanism_start(&m);
  const double start[3] = {0.5, 0.7, 1.5};
  follow_at_rates(&m, turn_crank, 1e-2, start);
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
  follow_at_rates(&m, move_platform, 1e-2, start);
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
  follow_at_rates(&m, carry, 1e-2, q);
  mechanism_end(&m);
}

// --------------------------------------------------------------- random loops

// A plane that the driver, the last task, may not go beyond.
static void add_plane(mechanism *m, double radius, const double *q) {
  sinew_task plane = m->tasks[m->count - 1];
  plane.kind = SINEW_TASK_PLANE;
  plane.level = 0;
  plane.range_lower[0] = -0.3 * radius;
  plane.range_upper[0] = INFINITY;
  plane.hard = true;
  m->tasks[m->count] = plane;
  m->targets[m->count] = target_at(m->model, &plane, q);
  m->targets[m->count].direction[0] = 1.0;
  m->targets[m->count].direction[1] = m->targets[m->count].direction[2] = 0.0;
  ++m->count;
}

// Of updates with a target in motion: those that leave the figure where it is, and the largest
// change of a joint's motion [rad, m].
typedef struct motion_counts {
  int updates, stopped;
  double change;
} motion_counts;

// most: of each joint's motion. last: that of the last update.
static void watch_motion(const mechanism *m, const double *before, const double *q, double most,
                         double *last, motion_counts *counts) {
  double moved[MOST_NQ], motion = 0.0, change = 0.0;
  sinew_configuration_difference(m->model, before, q, moved);
  for (int v = 0; v < sinew_model_nv(m->model); ++v) {
    assert_at_most(fabs(moved[v]), most * (1.0 + 1e-12));
    motion = fmax(motion, fabs(moved[v]));
    change = fmax(change, fabs(moved[v] - last[v]));
    last[v] = moved[v];
  }
  ++counts->updates;
  counts->stopped += motion < 1e-12;
  counts->change = fmax(counts->change, change);
}

// Loops stay closed in every update, within limits and speeds, while the driver goes around twice
// and rests: in reach and beyond. frames: of a turn.
static void follow_random_loops(uint64_t seed, int frames, const loop_options *options,
                                motion_counts *counts) {
  mechanism m;
  double q[MOST_NQ], before[MOST_NQ], last[MOST_NQ] = {0.0};
  const double radius = random_loops(seed, options, &m, q);
  const int driver = m.count - 1;
  sinew_target *target = &m.targets[driver];
  const double p[3] = {target->position[0], target->position[1], target->position[2]};
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = options->speed < INFINITY ? 2.0 / frames : 0.0;
  def.lower.levels = options->level;
  if (options->hard) {
    add_plane(&m, radius, q);
    def.hard_rows = 1;
  }
  m.solver = solver_with(&def, m.model, m.tasks, m.count);
  for (int frame = 0; frame < 2 * frames + 20; ++frame) {
    const double angle = 2.0 * PI * (frame < 2 * frames ? frame : 2 * frames - 5) / frames;
    target->position[0] = p[0] + radius * (cos(angle) - 1.0);
    target->position[1] = p[1] + radius * sin(angle);
    target->position[2] = p[2] + (options->planar ? 0.0 : 0.5 * radius * sin(2.0 * angle));
    memcpy(before, q, sizeof before);
    assert_ok(sinew_solver_update(m.solver, m.targets, m.count, q, NULL));
    assert_at_most(gap_of(&m, 0, driver, q), CLOSED);
    assert_at_most(outside_limits(m.model, q), 1e-15);
    if (frame > 0 && frame < 2 * frames) {
      const double time = def.tracking.time_step;
      watch_motion(&m, before, q, time > 0.0 ? options->speed * time : INFINITY, last, counts);
    }
    if (options->hard) {
      const sinew_target at = target_at(m.model, &m.tasks[m.count - 1], q);
      assert_at_most(p[0] - 0.3 * radius - at.position[0], 1e-9 * m.solver->problem.size);
    }
  }
  mechanism_end(&m);
}

// None of them was used while the constants of solve/loops.c were chosen.
#define RANDOM_LOOPS 100

// Returns the largest change of a joint's motion [rad, m]. Figures stop where the mechanism or its
// limits leave no other motion, with loops that are not kept closed about half as often.
static double follow_all(int frames, const loop_options *options) {
  motion_counts counts = {0, 0, 0.0};
  for (int seed = 0; seed < RANDOM_LOOPS; ++seed) {
    if (is_sampled(seed)) {
      follow_random_loops(1000 + (uint64_t)seed, frames, options, &counts);
    }
  }
  assert_at_most(counts.stopped, 0.02 * counts.updates);
  return counts.change;
}

// req: A8
static void random_loops_stay_closed(void **state) {
  (void)state;
  for (int kind = 0; kind < 8; ++kind) {
    const loop_options options = {.planar = kind % 2 == 1,
                                  .limit = kind / 2 % 2 == 1 ? 2.0 : 0.0,
                                  .speed = INFINITY,
                                  .level = kind / 4,
                                  .reach = 1.0};
    follow_all(15, &options);
    follow_all(60, &options);
    follow_all(240, &options);
  }
}

// Far beyond reach loops may be closed only far from where the steps end: the update is shortened.
static void closing_loops_does_not_move_figures_far(void **state) {
  (void)state;
  const double most = 2.0 * sinew_default_solver_def().tracking.max_change;
  for (int level = 0; level < 2; ++level) {
    const loop_options options = {.planar = true, .speed = INFINITY, .level = level, .reach = 2.0};
    assert_at_most(follow_all(240, &options), most);
  }
}

// req: A8
static void loops_stay_closed_within_speeds(void **state) {
  (void)state;
  for (int kind = 0; kind < 8; ++kind) {
    const loop_options options = {.planar = kind % 2 == 1,
                                  .limit = kind / 2 % 2 == 1 ? 2.0 : 0.0,
                                  .speed = 0.5,
                                  .level = kind / 4,
                                  .reach = 1.0};
    follow_all(30, &options);
    follow_all(120, &options);
  }
}

// req: A8
static void loops_stay_closed_beside_hard_tasks(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; ++kind) {
    const loop_options options = {
        .planar = kind % 2 == 1, .speed = INFINITY, .level = kind / 2, .hard = true, .reach = 1.0};
    follow_all(60, &options);
  }
}

// Joints that are outside of their limits come in, where loops can be closed there and where not.
static void limits_come_before_loops(void **state) {
  (void)state;
  const loop_options options = {.planar = true, .speed = INFINITY, .reach = 1.0};
  for (int seed = 0; seed < RANDOM_LOOPS; ++seed) {
    mechanism m;
    double q[MOST_NQ], lower[MOST_NQ], upper[MOST_NQ];
    random_loops(2000 + (uint64_t)seed, &options, &m, q);
    mechanism_start(&m);
    for (int v = 0; v < sinew_model_nv(m.model); ++v) { // all are of one value
      lower[v] = v % 3 == seed % 3 ? q[v] + 0.02 : -INFINITY;
      upper[v] = INFINITY;
    }
    assert_ok(sinew_solver_set_limits(m.solver, lower, upper));
    for (int frame = 0; frame < 20; ++frame) {
      assert_ok(sinew_solver_update(m.solver, m.targets, m.count, q, NULL));
      for (int v = 0; v < sinew_model_nv(m.model); ++v) {
        assert_true(q[v] >= lower[v]);
      }
    }
    mechanism_end(&m);
  }
}

// ------------------------------------------------------------- special loops

// A parallelogram folds flat twice in a turn, where its rows are dependent.
static void turn_parallelogram(mechanism *m, double angle) {
  turn_crank(m, angle + 1.0);
}

// req: A8
static void parallelograms_stay_closed(void **state) {
  (void)state;
  const double start[3] = {1.0, -1.0, 1.0};
  mechanism m;
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
  builder_add(&b, 1, SINEW_JOINT_REVOLUTE, 1.0, 0.0, 0.0);
  builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 2.0, 0.0, 0.0);
  m = (mechanism){.model = builder_make(&b), .count = 2};
  m.tasks[0] = pin(2, 2.0, 0.0, 3);
  m.targets[0] = sinew_default_target();
  m.targets[0].position[0] = 1.0;
  m.tasks[1] = task_of(SINEW_TASK_DIRECTION, 1);
  m.tasks[1].axis_l[0] = 1.0;
  m.tasks[1].axis_l[2] = 0.0;
  m.targets[1] = sinew_default_target();
  mechanism_start(&m);
  for (int frames = 60; frames <= 960; frames *= 4) {
    double q[3];
    memcpy(q, start, sizeof q);
    for (int frame = 0; frame <= 2 * frames; ++frame) {
      turn_parallelogram(&m, 2.0 * PI * frame / frames);
      assert_ok(sinew_solver_update(m.solver, m.targets, m.count, q, NULL));
      assert_at_most(gap_of(&m, 0, 1, q), CLOSED);
      assert_at_most(gap_of(&m, 1, 2, q), 0.3); // what damping leaves where it unfolds
    }
    sinew_solver_reset(m.solver);
  }
  mechanism_end(&m);
}

// Loops that contradict each other, by 0.1 mm, cannot be closed, and do not stop the figure.
static void contradicting_loops_do_not_stop_figures(void **state) {
  (void)state;
  double q[3] = {0.0, 0.7, 1.5};
  mechanism m;
  four_bar(&m);
  m.tasks[2] = m.tasks[0];
  m.targets[2] = m.targets[0];
  m.targets[2].position[0] += 1e-4;
  m.count = 3;
  mechanism_start(&m);
  for (int frame = 0; frame <= 360; ++frame) {
    turn_crank(&m, frame * PI / 180.0);
    assert_ok(sinew_solver_update(m.solver, m.targets, m.count, q, NULL));
    assert_at_most(fmax(gap_of(&m, 0, 1, q), gap_of(&m, 2, 3, q)), 2e-4);
    assert_at_most(gap_of(&m, 1, 2, q), 1e-2);
  }
  mechanism_end(&m);
}

// An open loop does not keep another mechanism's from being closed, and is closed itself.
static void mechanisms_close_apart(void **state) {
  (void)state;
  enum { BARS = 2 };
  mechanism m = {.count = 0};
  builder b;
  builder_start(&b);
  for (int i = 0; i < BARS; ++i) {
    builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 0.0, 0.0, i);
    builder_add(&b, 3 * i + 1, SINEW_JOINT_REVOLUTE, 1.0, 0.0, 0.0);
    builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 4.0, 0.0, i);
    m.tasks[2 * i] = pin(3 * i + 2, 3.5, 0.0, 3 * i + 3);
    m.targets[2 * i] = sinew_default_target();
    m.targets[2 * i].position[0] = 3.0;
    m.tasks[2 * i + 1] = task_of(SINEW_TASK_DIRECTION, 3 * i + 1);
    m.tasks[2 * i + 1].axis_l[0] = 1.0;
    m.tasks[2 * i + 1].axis_l[2] = 0.0;
    m.targets[2 * i + 1] = sinew_default_target();
    m.targets[2 * i + 1].direction[2] = 0.0;
    m.targets[2 * i + 1].direction[0] = 1.0;
  }
  m.model = builder_make(&b);
  m.count = 2 * BARS;
  mechanism_start(&m);
  double q[3 * BARS] = {0.0, 0.7, 1.5, 0.0, 0.7, 1.5};
  assert_ok(sinew_solver_solve_local(m.solver, m.targets, m.count, q, NULL));
  sinew_solver_reset(m.solver);
  for (int frame = 0; frame < 100; ++frame) {
    q[4] += frame == 20 ? 0.4 : 0.0; // the caller opens the second one
    m.targets[1].direction[0] = m.targets[3].direction[0] = cos(0.05 * frame);
    m.targets[1].direction[1] = m.targets[3].direction[1] = sin(0.05 * frame);
    assert_ok(sinew_solver_update(m.solver, m.targets, m.count, q, NULL));
    assert_at_most(gap_of(&m, 0, 1, q), CLOSED);
    assert_at_most(gap_of(&m, 2, 3, q), frame < 20 || frame > 40 ? CLOSED : 1.0);
  }
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
      cmocka_unit_test(random_loops_stay_closed),
      cmocka_unit_test(closing_loops_does_not_move_figures_far),
      cmocka_unit_test(loops_stay_closed_within_speeds),
      cmocka_unit_test(loops_stay_closed_beside_hard_tasks),
      cmocka_unit_test(limits_come_before_loops),
      cmocka_unit_test(parallelograms_stay_closed),
      cmocka_unit_test(contradicting_loops_do_not_stop_figures),
      cmocka_unit_test(mechanisms_close_apart),
      cmocka_unit_test(only_joints_between_the_links_move),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
