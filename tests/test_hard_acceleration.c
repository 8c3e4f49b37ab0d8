// Hard intervals with limits of acceleration: intervals yield to these, never the other way round.
// Random trees are pressed against intervals of positions, rotations and directions that move or
// jump, so that they cannot be kept within the accelerations allowed.
//
//   test_hard_acceleration [FIGURES [FIRST]]    of each case, default 24 from number 0 on
#include "fixtures.h"
#include "inspect.h"
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#define MOST 128
#define MOST_TASKS 8
#define UPDATES 240
#define PERIOD 40      // updates from one goal of the targets to the next
#define ROUNDING 1e-12 // of the change of a motion [rad or m]
#define KEPT 1e-9      // the most by which an update may leave an end [sizes of the figure, rad]

enum { VALUES, BALLS, CONES, JOINTS };    // of the figure
enum { NO_PLANE, FAR_PLANE, NEAR_PLANE }; // a clearance of its last link

typedef struct figure {
  sinew_model *model;
  sinew_solver *solver;
  sinew_task tasks[MOST_TASKS];
  sinew_target targets[MOST_TASKS], goals[MOST_TASKS];
  int task_count, moved_count, nv; // tasks, those whose targets move
  double time_step, accelerations[MOST], q[MOST], motion[MOST];
} figure;

typedef struct figure_options {
  int joints, plane;
  bool level;       // a task of level 1
  double influence; // of the intervals
} figure_options;

typedef struct tally {
  int updates, accelerated, rows; // updates, accelerations that yield, rows that do
  double yielded;                 // what accelerations yield by, all together [rad and m an update]
} tally;

static int figure_count = 24, first_figure = 0;

// ---------------------------------------------------------------------- figures

static sinew_task interval_of(random_stream *r, int link, double influence) {
  static const sinew_task_kind kinds[] = {SINEW_TASK_POSITION, SINEW_TASK_ORIENTATION,
                                          SINEW_TASK_POSE, SINEW_TASK_DIRECTION};
  sinew_task task = task_of(kinds[random_below(r, 4)], link);
  const double width = pow(10.0, random_between(r, -2.0, -0.5));
  random_vector(r, 0.2, task.point_l);
  task.hard = true;
  task.influence = influence;
  task.cone_angle = random_between(r, 0.1, 0.6);
  for (int i = 0; i < 6; ++i) {
    task.range_lower[i] = -width;
    task.range_upper[i] = random_below(r, 3) == 0 ? INFINITY : width;
  }
  task.weight_axes = (sinew_task_axes)random_below(r, 3);
  reset_unread_fields(&task);
  return task;
}

static sinew_model *make_model(random_stream *r, uint64_t seed, int joints) {
  static random_tree tree;
  const unsigned values = 1u << SINEW_JOINT_REVOLUTE | 1u << SINEW_JOINT_CONTINUOUS |
                          1u << SINEW_JOINT_PRISMATIC | 1u << SINEW_JOINT_SCREW |
                          1u << SINEW_JOINT_EULER | 1u << SINEW_JOINT_UNIVERSAL;
  random_tree_options options = random_tree_defaults();
  options.joints = 3 + random_below(r, 8);
  options.kinds = joints == VALUES ? values : values | 1u << SINEW_JOINT_SPHERICAL;
  options.chain = 0.9;
  options.limited = 0.3;
  options.cones = joints == CONES ? 1.0 : 0.0;
  random_tree_make(&tree, seed, &options);
  sinew_model *model = NULL;
  assert_ok(sinew_model_create(&tree.def, &model, NULL));
  assert_true(sinew_model_nq(model) <= MOST);
  return model;
}

// One to three intervals, a target, and where options say so one of level 1 and a plane.
static void add_tasks(figure *f, random_stream *r, const figure_options *options) {
  const int links = sinew_model_link_count(f->model), intervals = 1 + random_below(r, 3);
  for (int t = 0; t < intervals; ++t) {
    f->tasks[f->task_count++] = interval_of(r, links - 1 - random_below(r, 2), options->influence);
  }
  f->tasks[f->task_count++] =
      task_of(random_below(r, 2) == 0 ? SINEW_TASK_POSITION : SINEW_TASK_POSE, links - 1);
  if (options->level) {
    f->tasks[f->task_count] = task_of(SINEW_TASK_POSITION, links - 2);
    f->tasks[f->task_count++].level = 1;
  }
  f->moved_count = f->task_count;
  if (options->plane != NO_PLANE) {
    sinew_task *plane = &f->tasks[f->task_count++];
    *plane = task_of(SINEW_TASK_PLANE, links - 1);
    plane->hard = true;
    plane->range_upper[0] = INFINITY;
  }
}

static void set_targets(figure *f, const figure_options *options) {
  for (int t = 0; t < f->task_count; ++t) {
    f->targets[t] = f->goals[t] = target_at(f->model, &f->tasks[t], f->q);
  }
  for (int t = f->moved_count; t < f->task_count; ++t) { // below the link
    sinew_task point = f->tasks[t];
    point.kind = SINEW_TASK_POSITION;
    f->targets[t] = target_at(f->model, &point, f->q);
    f->targets[t].position[2] -= options->plane == FAR_PLANE ? 100.0 : 0.01;
    f->targets[t].direction[0] = f->targets[t].direction[1] = 0.0;
    f->targets[t].direction[2] = 1.0;
  }
}

static figure make_figure(uint64_t seed, const figure_options *options) {
  random_stream r = random_stream_of(700 + 13 * seed);
  figure f = {.model = make_model(&r, seed, options->joints)};
  sinew_solver_def def = sinew_default_solver_def();
  add_tasks(&f, &r, options);
  f.nv = sinew_model_nv(f.model);
  def.hard_rows = sinew_task_hard_rows(f.tasks, f.task_count);
  def.task_capacity = MOST_TASKS;
  def.lower.levels = options->level ? 1 : 0;
  def.influences = options->influence < 1.0 ? 1 : 0;
  f.time_step = def.tracking.time_step = pow(10.0, random_between(&r, -2.7, -1.2));
  f.solver = solver_with(&def, f.model, f.tasks, f.task_count);
  const double acceleration = pow(10.0, random_between(&r, 0.0, 1.7));
  for (int v = 0; v < f.nv; ++v) {
    f.accelerations[v] = acceleration * random_between(&r, 0.5, 1.0);
  }
  assert_ok(sinew_solver_set_accelerations(f.solver, f.accelerations));
  sinew_configuration_random(f.model, 31, seed, f.q);
  set_targets(&f, options);
  return f;
}

static void end_figure(const figure *f) {
  sinew_solver_destroy(f->solver);
  sinew_model_destroy(f->model);
}

// Goals that the figure meets on the way to a random configuration.
static void choose_goals(figure *f, random_stream *r, uint64_t number) {
  double to[MOST];
  const double share = random_between(r, 0.05, 0.5);
  configuration_towards(f->model, f->q, number, share, to);
  for (int t = 0; t < f->moved_count; ++t) {
    f->goals[t] = target_at(f->model, &f->tasks[t], to);
  }
}

static void move_towards(int count, double share, const double *goal, double *at) {
  for (int i = 0; i < count; ++i) {
    at[i] += share * (goal[i] - at[i]);
  }
}

static void move_targets(figure *f, double share) {
  for (int t = 0; t < f->moved_count; ++t) {
    sinew_target *at = &f->targets[t];
    move_towards(3, share, f->goals[t].position, at->position);
    move_towards(3, share, f->goals[t].direction, at->direction);
    move_towards(4, share, f->goals[t].rotation, at->rotation);
    sinew_quaternion_normalize(at->rotation);
  }
}

// ----------------------------------------------------------------------- checks

// Each motion changes by no more than its acceleration allows, and what that reports to yield.
static int check_accelerations(figure *f, const double *before, double *yielded) {
  const double square = f->time_step * f->time_step;
  double motion[MOST];
  int yields = 0;
  sinew_configuration_difference(f->model, before, f->q, motion);
  for (int v = 0; v < f->nv; ++v) {
    sinew_bound_report report;
    assert_ok(sinew_solver_bound(f->solver, f->q, v, &report));
    assert_at_most(fabs(motion[v] - f->motion[v]),
                   (f->accelerations[v] + report.yielded) * square + ROUNDING);
    f->motion[v] = motion[v];
    yields += report.yielded > 0.0;
    *yielded += report.yielded * square;
  }
  return yields;
}

// By how much rows are beyond their ends at q.
static void find_beyond(const figure *f, const double *q, double *beyond) {
  sinew_task_side sides[MOST];
  sinew_solver_evaluate(f->solver, f->targets, q);
  sinew_hard_find_sides(f->solver, f->targets, sides);
  for (int i = 0; i < f->solver->hard.total; ++i) {
    beyond[i] = sinew_max(-sides[i].upper, 0.0) - sinew_max(sides[i].lower, 0.0);
  }
}

// A row that yields reports by how much it is beyond its end, and one that the update has taken
// further out yields: in updates of one part, in which ends do not move on the way.
static int check_rows(const figure *f, const double *before) {
  double was[MOST], is[MOST];
  sinew_hard_row_report reports[MOST];
  const int count = sinew_solver_hard_row_count(f->solver);
  int yields = 0;
  assert_true(count <= MOST);
  for (int i = 0; i < count; ++i) {
    assert_ok(sinew_solver_hard_row(f->solver, i, &reports[i]));
  }
  find_beyond(f, before, was);
  find_beyond(f, f->q, is);
  for (int i = 0; i < count; ++i) {
    const double kept = KEPT * fmax(1.0, f->solver->problem.size);
    if (reports[i].yielded != 0.0) {
      assert_near(reports[i].yielded, is[i], kept);
      ++yields;
    } else if (f->solver->track.now.parts == 1) {
      assert_at_most(fabs(is[i]), fabs(was[i]) + kept);
    }
  }
  return yields;
}

static tally follow_all(const figure_options *options) {
  tally sum = {0};
  for (int i = 0; i < SAMPLE_OF(figure_count); ++i) {
    const uint64_t seed = (uint64_t)(first_figure + i);
    random_stream r = random_stream_of(57 + seed);
    figure f = make_figure(seed, options);
    for (int number = 0; number < UPDATES; ++number) {
      double before[MOST];
      if (number % PERIOD == 0) {
        choose_goals(&f, &r, 100 * seed + (uint64_t)number);
      }
      const bool jumps = number / PERIOD % 3 == 2;
      move_targets(&f, jumps ? 1.0 : fmin(1.0, number % PERIOD / 25.0));
      memcpy(before, f.q, sizeof before);
      assert_ok(sinew_solver_update(f.solver, f.targets, f.task_count, f.q, NULL));
      sum.accelerated += check_accelerations(&f, before, &sum.yielded) > 0;
      sum.rows += options->influence == 1.0 && check_rows(&f, before) > 0;
      ++sum.updates;
    }
    end_figure(&f);
  }
  print_message("%d updates: accelerations yield in %d, by %.3g, rows in %d\n", sum.updates,
                sum.accelerated, sum.yielded, sum.rows);
  return sum;
}

// ------------------------------------------------------------------------ tests

// Of all kinds of joints, on two levels, with part of an influence, and with a clearance that is
// far away. req: E8 E11
static void accelerations_do_not_yield_to_intervals(void **unused) {
  (void)unused;
  for (int joints = 0; joints < JOINTS; ++joints) {
    const figure_options options[] = {
        {.joints = joints, .influence = 1.0},
        {.joints = joints, .influence = 1.0, .level = true},
        {.joints = joints, .influence = 0.6},
        {.joints = joints, .influence = 1.0, .plane = FAR_PLANE},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
      const tally sum = follow_all(&options[i]);
      assert_int_equal(sum.accelerated, 0);
      assert_true(options[i].influence < 1.0 || sum.rows > sum.updates / 4);
    }
  }
}

// A clearance comes before accelerations, which report by how much they yield. Those of the joints
// that move it most do: by index it is 39 rad or m and more of 5,760 updates, 9 as it is. req: E8
// E11
static void accelerations_yield_to_clearances_beside_intervals(void **unused) {
  (void)unused;
  int accelerated = 0, rows = 0, updates = 0;
  double yielded = 0.0;
  for (int joints = 0; joints < JOINTS; ++joints) {
    const figure_options options = {.joints = joints, .influence = 1.0, .plane = NEAR_PLANE};
    const tally sum = follow_all(&options);
    accelerated += sum.accelerated;
    rows += sum.rows;
    updates += joints != CONES ? sum.updates : 0;
    yielded += joints != CONES ? sum.yielded : 0.0;
  }
  assert_at_most(yielded, 2e-3 * updates);
  assert_true(accelerated > 0 && rows > 0);
}

int main(int argc, char **argv) {
  figure_count = argc > 1 ? atoi(argv[1]) : figure_count;
  first_figure = argc > 2 ? atoi(argv[2]) : first_figure;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accelerations_do_not_yield_to_intervals),
      cmocka_unit_test(accelerations_yield_to_clearances_beside_intervals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
