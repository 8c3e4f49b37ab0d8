// Influence of tasks: goals between where a task would be without it and its target.
#include "counting_allocator.h"
#include "fixtures.h"
#include "inspect.h"
#include "sample.h"

#include <stdlib.h>

#define MOST 128

static sinew_solver *blending_solver(const sinew_model *model, const sinew_task *tasks, int count,
                                     int levels) {
  sinew_solver_def def = sinew_default_solver_def();
  def.influences = 2;
  def.lower.levels = levels;
  return solver_with(&def, model, tasks, count);
}

static sinew_solver *plain_solver(const sinew_model *model, const sinew_task *tasks, int count,
                                  int levels) {
  sinew_solver_def def = sinew_default_solver_def();
  def.lower.levels = levels;
  return solver_with(&def, model, tasks, count);
}

// The distance and the angle of a task alone at q.
static void errors_at(const sinew_model *model, const sinew_task *task, const sinew_target *target,
                      const double *q, double errors[2]) {
  double at[MOST];
  sinew_task whole = *task;
  whole.influence = 1.0;
  sinew_solver *solver = solver_with(NULL, model, &whole, 1);
  memcpy(at, q, (size_t)sinew_model_nq(model) * sizeof *at);
  assert_ok(sinew_solver_update(solver, target, 1, at, NULL)); // errors before the update
  assert_ok(sinew_solver_task_error(solver, 0, &errors[0], &errors[1]));
  sinew_solver_destroy(solver);
}

// Whether more than one place meets the task's goal.
static bool has_room(const sinew_task *task) {
  return task->range_lower[0] < task->range_upper[0] || task->cone_angle > 0.0;
}

// The angle from the axis of a LOOK_AT to the direction to its target; about the axis, from its up
// axis to the up direction, if it has one; and what the latter counts: the sine of the angle
// between axis and up direction.
typedef struct gaze {
  double aim, up, counts;
} gaze;

static gaze gaze_at(const sinew_model *model, const sinew_task *task, const sinew_target *target,
                    const double *q) {
  const sinew_target here = target_at(model, task, q); // 0.7 m before the tool
  const double *up = target->direction;
  double a[3], d[3], m[3], across[3], side[3];
  sinew_quaternion_rotate(here.rotation, task->axis_l, a);
  sinew_quaternion_rotate(here.rotation, task->up_axis, m);
  for (int i = 0; i < 3; ++i) {
    d[i] = target->position[i] - (here.position[i] - 0.7 * a[i]);
  }
  sinew_cross(a, d, across);
  gaze out = {.aim = atan2(sinew_norm(across), sinew_dot(a, d))};
  if (sinew_norm(m) > 0.0) {
    sinew_cross(m, up, side);
    out.up = atan2(sinew_dot(a, side), sinew_dot(m, up) - sinew_dot(a, m) * sinew_dot(a, up));
    sinew_cross(a, up, across);
    out.counts = sinew_norm(across);
  }
  return out;
}

// Both angles of a gaze are 1 - h of what they were, the first one less the angle of its cone.
static void check_gaze(const sinew_task *task, double h, gaze was, gaze is) {
  const double beyond = fmax(0.0, was.aim - task->cone_angle), share = (1.0 - h) * beyond;
  const bool exact = !(task->cone_angle > 0.0);
  assert_true(is.aim <= share + task->cone_angle + 3e-6 && (!exact || is.aim >= share - 3e-6));
  assert_near(is.counts * is.counts * (is.up - (1.0 - h) * was.up), 0.0, 3e-6);
}

// A task alone goes h of the way, of each kind with all that varies: distances and angles are 1 - h
// of what they were, and at most that where the goal has a range or a cone.
static void a_task_alone_goes_a_share_of_the_way(void **state) {
  (void)state;
  random_stream random = random_stream_of(5);
  const int kinds = sinew_task_kind_count();
  int links[HUMANOID_PLACES], met[16] = {0};
  sinew_model *model = fixture_humanoid(true, links);
  for (int round = 0; round < 40 * kinds; ++round) {
    double q[MOST], wanted[MOST], before[2], after[2];
    const sinew_task_kind kind = (sinew_task_kind)(round % kinds);
    sinew_task task = task_of(kind, links[HUMANOID_LEFT_HAND]);
    random_unit(&random, 3, task.axis_l);
    random_unit(&random, 4, task.rotation_l);
    vary_task(&random, model, &task);
    for (int i = 0; i < 6; ++i) {
      task.axis_weights[i] = 1.0; // errors are weighted
      if (kind == SINEW_TASK_POSE || kind == SINEW_TASK_ORIENTATION) {
        task.range_lower[i] = task.range_upper[i] = 0.0; // axes of ranges rotate with the goal
      }
    }
    const double h = round % 2 == 0 ? 0.5 : random_between(&random, 0.1, 0.9);
    task.influence = h;
    sinew_configuration_random(model, 7, (uint64_t)(2 * round), q);
    sinew_configuration_random(model, 7, (uint64_t)(2 * round + 1), wanted);
    const sinew_target target = target_at(model, &task, wanted);
    sinew_solver *solver = blending_solver(model, &task, 1, 0);
    sinew_report report;
    errors_at(model, &task, &target, q, before);
    const gaze was = gaze_at(model, &task, &target, q);
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    errors_at(model, &task, &target, q, after);
    if (report.outcome == SINEW_OUTCOME_CONVERGED) {
      if (kind == SINEW_TASK_LOOK_AT) {
        check_gaze(&task, h, was, gaze_at(model, &task, &target, q));
      }
      const bool exact = !has_room(&task);
      for (int i = 0; kind != SINEW_TASK_LOOK_AT && i < 2; ++i) {
        const double share = (1.0 - h) * before[i];
        assert_true(after[i] <= share + 3e-6 && (!exact || after[i] >= share - 3e-6));
      }
      ++met[kind];
    }
    sinew_solver_destroy(solver);
  }
  for (int kind = 0; kind < kinds; ++kind) {
    assert_true(met[kind] >= 20);
  }
  sinew_model_destroy(model);
}

// Two limbs that no joint connects go each its own share, of two influences.
static void two_influences_are_of_two_tasks(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(false, links);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, links[HUMANOID_RIGHT_HAND]),
                         task_of(SINEW_TASK_POSITION, links[HUMANOID_RIGHT_FOOT])};
  for (int round = 0; round < SAMPLE_OF(20); ++round) {
    double q[MOST], wanted[MOST], v[MOST], before[2], after[2], none[2];
    sinew_target targets[2];
    tasks[0].influence = round % 2 == 0 ? 0.3 : 0.8;
    tasks[1].influence = 0.6;
    sinew_configuration_random(model, 7, (uint64_t)round, q);
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      v[i] = 0.1 * sin(round + i);
    }
    sinew_configuration_integrate(model, q, v, wanted);
    for (int t = 0; t < 2; ++t) {
      targets[t] = target_at(model, &tasks[t], wanted);
      measure(model, &tasks[t], &targets[t], q, &before[t], &none[t]);
    }
    sinew_solver *solver = blending_solver(model, tasks, 2, 0);
    assert_ok(sinew_solver_solve_local(solver, targets, 2, q, NULL));
    for (int t = 0; t < 2; ++t) {
      measure(model, &tasks[t], &targets[t], q, &after[t], &none[t]);
      assert_near(after[t], (1.0 - tasks[t].influence) * before[t], 3e-6);
    }
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// With almost no influence each kind is met where it is, with all weights, ranges and cones.
static void without_influence_goals_are_where_tasks_are(void **state) {
  (void)state;
  random_stream random = random_stream_of(6);
  const int kinds = sinew_task_kind_count();
  for (int round = 0; round < 40 * kinds; ++round) {
    static random_tree tree;
    random_tree_options options = random_tree_defaults();
    sinew_model *model = NULL;
    double q[MOST], start[MOST], wanted[MOST];
    random_tree_make(&tree, (uint64_t)round, &options);
    for (int l = 0; l <= options.joints; ++l) {
      tree.links[l].mass = random_between(&random, 0.1, 9.0);
    }
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    sinew_task task = task_of((sinew_task_kind)(round % kinds),
                              random_below(&random, sinew_model_link_count(model)));
    random_unit(&random, 3, task.axis_l);
    random_unit(&random, 4, task.rotation_l);
    vary_task(&random, model, &task);
    task.influence = 1e-12;
    sinew_configuration_random(model, 7, (uint64_t)(2 * round), q);
    sinew_configuration_random(model, 7, (uint64_t)(2 * round + 1), wanted);
    memcpy(start, q, sizeof q);
    const sinew_target target = target_at(model, &task, wanted);
    sinew_solver *solver = blending_solver(model, &task, 1, 0);
    sinew_report report;
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_int_equal(report.steps, 0);
    for (int i = 0; i < sinew_model_nq(model); ++i) {
      assert_near(q[i], start[i], 1e-14); // quaternions are normalised
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// An update with half of the influence is the update to the goal half way, to the bit.
static void an_update_goes_half_way(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  sinew_solver *plain = solver_with(NULL, model, &task, 1);
  task.influence = 0.5;
  sinew_solver *half = blending_solver(model, &task, 1, 0);
  double q[7], goal[7], a[7], b[7];
  for (int round = 0; round < SAMPLE_OF(20); ++round) {
    sinew_configuration_random(model, 3, (uint64_t)round, q);
    sinew_configuration_random(model, 4, (uint64_t)round, goal);
    const sinew_target target = target_at(model, &task, goal), here = target_at(model, &task, q);
    sinew_target middle = target;
    for (int i = 0; i < 3; ++i) {
      middle.position[i] = 0.5 * (target.position[i] + here.position[i]);
    }
    memcpy(a, q, sizeof a);
    memcpy(b, q, sizeof b);
    sinew_solver_reset(plain);
    sinew_solver_reset(half);
    assert_ok(sinew_solver_update(plain, &middle, 1, a, NULL));
    assert_ok(sinew_solver_update(half, &target, 1, b, NULL));
    for (int i = 0; i < 7; ++i) {
      assert_near(a[i], b[i], 1e-12);
    }
  }
  sinew_solver_destroy(plain);
  sinew_solver_destroy(half);
  sinew_model_destroy(model);
}

// In an update with an influence of 1 after others of .5 the figure goes where it would with almost
// 1: directions and points to face, whose goals are not of the kind of their targets.
static void the_last_of_the_way_is_continuous(void **state) {
  (void)state;
  static const sinew_task_kind kinds[] = {SINEW_TASK_DIRECTION, SINEW_TASK_LOOK_AT};
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(false, links);
  for (int round = 0; round < SAMPLE_OF(40); ++round) {
    double start[MOST], wanted[MOST], q[2][MOST];
    sinew_configuration_start(model, start);
    configuration_towards(model, start, (uint64_t)round, 0.2, start);
    configuration_towards(model, start, (uint64_t)(1000 + round), 0.3, wanted);
    const sinew_task tasks[2] = {task_of(kinds[round % 2], links[HUMANOID_HEAD]),
                                 task_of(SINEW_TASK_POSITION, links[HUMANOID_LEFT_HAND])};
    const sinew_target targets[2] = {target_at(model, &tasks[0], wanted),
                                     target_at(model, &tasks[1], wanted)};
    for (int whole = 0; whole < 2; ++whole) {
      double h[2] = {0.5, 1.0};
      sinew_solver *solver = blending_solver(model, tasks, 2, 0);
      memcpy(q[whole], start, sizeof start);
      for (int update = 0; update < 4; ++update) {
        h[0] = update < 3 ? 0.5 : whole == 0 ? 1.0 - 1e-9 : 1.0;
        assert_ok(sinew_solver_set_influences(solver, h, 2));
        assert_ok(sinew_solver_update(solver, targets, 2, q[whole], NULL));
      }
      sinew_solver_destroy(solver);
    }
    for (int i = 0; i < sinew_model_nq(model); ++i) {
      assert_near(q[0][i], q[1][i], 1e-7);
    }
  }
  sinew_model_destroy(model);
}

// ------------------------------------------------------------- without influence

static void same_report(const sinew_report *a, const sinew_report *b) {
  assert_int_equal(a->outcome, b->outcome);
  assert_true(a->position_error == b->position_error &&
              a->orientation_error == b->orientation_error && a->steps == b->steps &&
              a->counted_tasks == b->counted_tasks);
}

// A solver with tasks of influence 0 among others and one without these give the same bits, in
// every call; their targets are not read, and the report numbers tasks as the caller does.
static void without_influence_bits_are_those_without_the_task(void **state) {
  (void)state;
  random_stream random = random_stream_of(9);
  const int kinds = sinew_task_kind_count();
  for (int round = 0; round < SAMPLE_OF(40); ++round) {
    static random_tree tree;
    random_tree_options options = random_tree_defaults();
    options.chain = 0.8;
    options.limited = 0.5;
    sinew_model *model = NULL;
    random_tree_make(&tree, (uint64_t)round, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    const int links = sinew_model_link_count(model), nq = sinew_model_nq(model);
    sinew_task all[4], some[2];
    sinew_target targets[4], few[2];
    double goal[MOST], a[MOST], b[MOST];
    const int levels = round % 3 == 2 ? 2 : 0;
    sinew_configuration_random(model, 1, (uint64_t)round, goal);
    for (int t = 0; t < 4; ++t) {
      const sinew_task_kind kind = (sinew_task_kind)random_below(&random, kinds);
      all[t] = task_of(kind, random_below(&random, links));
      vary_task(&random, model, &all[t]);
      all[t].center_of_mass = false;
      all[t].frame_link = all[t].frame_link < all[t].link ? all[t].frame_link : -1; // no cycle
      all[t].level = levels > 0 && t >= 2 ? t - 1 : 0;
      all[t].influence = t % 2 == 0 ? 0.0 : 1.0;
      random_vector(&random, t % 2 == 0 ? 9.0 : 0.1, all[t].point_l);
      targets[t] = target_at(model, &all[t], goal);
    }
    for (int k = 0; k < 2; ++k) {
      some[k] = all[2 * k + 1];
      few[k] = targets[2 * k + 1];
    }
    sinew_solver *with = blending_solver(model, all, 4, levels);
    sinew_solver *without = plain_solver(model, some, 2, levels);
    sinew_report x, y;
    sinew_configuration_random(model, 2, (uint64_t)round, a);
    memcpy(b, a, sizeof b);
    for (int update = 0; update < 5; ++update) {
      assert_ok(sinew_solver_update(with, targets, 4, a, &x));
      assert_ok(sinew_solver_update(without, few, 2, b, &y));
      assert_memory_equal(a, b, (size_t)nq * sizeof *a);
      same_report(&x, &y);
      assert_int_equal(x.worst_task, y.worst_task < 0 ? -1 : 2 * y.worst_task + 1);
    }
    assert_ok(sinew_solver_solve_local(with, targets, 4, a, &x));
    assert_ok(sinew_solver_solve_local(without, few, 2, b, &y));
    assert_memory_equal(a, b, (size_t)nq * sizeof *a);
    same_report(&x, &y);
    sinew_configuration_random(model, 3, (uint64_t)round, a);
    memcpy(b, a, sizeof b);
    assert_ok(sinew_solver_solve(with, targets, 4, a, &x));
    assert_ok(sinew_solver_solve(without, few, 2, b, &y));
    assert_memory_equal(a, b, (size_t)nq * sizeof *a);
    same_report(&x, &y);
    double error;
    assert_ok(sinew_solver_task_error(with, 2, &error, NULL));
    assert_true(error == -1.0);
    assert_int_equal(sinew_solver_task_error(with, 4, &error, NULL), SINEW_ERROR_INDEX);
    sinew_solver_destroy(with);
    sinew_solver_destroy(without);
    sinew_model_destroy(model);
  }
}

// Batches: the values of a task without influence are in the row of a problem, and nothing more;
// with some influence the result is that of a solver.
static void batches_have_influences(void **state) {
  (void)state;
  enum { COUNT = 40 };
  sinew_model *model = fixture_arm();
  sinew_task tasks[2] = {task_of(SINEW_TASK_DIRECTION, 4), task_of(SINEW_TASK_POSE, ARM_FLANGE)};
  double rows[COUNT * 10], poses[COUNT * 7], seeds[COUNT * 7], a[COUNT * 7], b[COUNT * 7];
  for (int i = 0; i < COUNT; ++i) {
    double goal[7];
    sinew_configuration_random(model, 1, (uint64_t)i, goal);
    sinew_configuration_random(model, 2, (uint64_t)i, seeds + 7 * i);
    const sinew_target targets[2] = {target_at(model, &tasks[0], goal),
                                     target_at(model, &tasks[1], goal)};
    sinew_target_pack(&tasks[0], &targets[0], rows + 10 * i);
    sinew_target_pack(&tasks[1], &targets[1], rows + 10 * i + 3);
    memcpy(poses + 7 * i, rows + 10 * i + 3, 7 * sizeof(double));
  }
  for (int round = 0; round < 2; ++round) {
    const sinew_batch_def def = sinew_default_batch_def();
    sinew_batch *with = NULL, *without = NULL;
    sinew_batch_worker *worker = NULL, *other = NULL;
    tasks[0].influence = round == 0 ? 0.0 : 0.3;
    assert_ok(sinew_batch_create(&def, model, tasks, 2, &with, NULL));
    assert_int_equal(sinew_batch_target_size(with), 10);
    assert_ok(sinew_batch_worker_create(with, &worker, NULL));
    const sinew_batch_arrays arrays = {.targets = rows, .seeds = seeds, .q = a};
    assert_ok(sinew_batch_solve(with, worker, &arrays, 0, COUNT));
    if (round == 0) {
      assert_ok(sinew_batch_create(&def, model, tasks + 1, 1, &without, NULL));
      assert_ok(sinew_batch_worker_create(without, &other, NULL));
      const sinew_batch_arrays few = {.targets = poses, .seeds = seeds, .q = b};
      assert_ok(sinew_batch_solve(without, other, &few, 0, COUNT));
      assert_memory_equal(a, b, sizeof a);
    }
    for (int i = 0; round == 1 && i < COUNT; ++i) {
      sinew_solver *solver = blending_solver(model, tasks, 2, 0);
      sinew_global_def search = sinew_default_global_def();
      sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
      sinew_target_unpack(&tasks[0], rows + 10 * i, &targets[0]);
      sinew_target_unpack(&tasks[1], rows + 10 * i + 3, &targets[1]);
      assert_ok(sinew_solver_search(solver, &search, targets, 2, seeds + 7 * i, NULL));
      for (int k = 0; k < 7; ++k) {
        assert_near(seeds[7 * i + k], a[7 * i + k], 1e-9);
      }
      sinew_solver_destroy(solver);
    }
    rows[1] = NAN;
    assert_int_equal(sinew_batch_check(with, &arrays, 0, NULL), SINEW_ERROR_NOT_FINITE);
    rows[1] = 0.5;
    sinew_batch_worker_destroy(worker);
    sinew_batch_worker_destroy(other);
    sinew_batch_destroy(with);
    sinew_batch_destroy(without);
  }
  sinew_model_destroy(model);
}

// -------------------------------------------------------------------- smoothness

enum { FRAMES = 60 };

// Up and down, without a jump of speed.
static double ramp(int frame) {
  const double s = sin(PI * frame / FRAMES);
  return s * s;
}

// The largest second difference of count values over frames first to last.
static double second_difference(const double *values, int count, int first, int last) {
  double most = 0.0;
  for (int f = first + 1; f < last; ++f) {
    for (int i = 0; i < count; ++i) {
      const double *at = values + (size_t)(f * count + i);
      most = fmax(most, fabs(at[count] - 2.0 * at[0] + at[-count]));
    }
  }
  return most;
}

// A clip: two joint configurations and a smooth way between.
static void clip_at(const sinew_model *model, const double *from, const double *to, int frame,
                    double *q) {
  double v[MOST];
  sinew_configuration_difference(model, from, to, v);
  for (int i = 0; i < sinew_model_nv(model); ++i) {
    v[i] *= 0.5 * ramp(frame / 2);
  }
  sinew_configuration_integrate(model, from, v, q);
}

// On a clip, in which the left hand follows its own target in every frame, two more tasks fade in
// and out, in every other clip to different influences. The figure moves as smoothly as where their
// goals on the straight way were given by hand: second differences are at most 1.2 times those.
static void fading_is_smooth_on_a_clip(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  const int nq = sinew_model_nq(model);
  for (int round = 0; round < 6; ++round) {
    static double path[(FRAMES + 1) * MOST], wanted[(FRAMES + 1) * MOST];
    double rest[MOST], other[MOST], near[MOST], v[MOST], q[MOST];
    random_stream random = random_stream_of((uint64_t)round);
    sinew_task tasks[3] = {task_of(SINEW_TASK_POSITION, links[HUMANOID_LEFT_HAND]),
                           task_of(SINEW_TASK_POSE, links[HUMANOID_RIGHT_HAND]),
                           task_of(SINEW_TASK_POSITION, links[HUMANOID_RIGHT_FOOT])};
    sinew_configuration_middle(model, rest);
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      v[i] = random_between(&random, -0.25, 0.25);
    }
    sinew_configuration_integrate(model, rest, v, other);
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      v[i] = random_between(&random, -0.2, 0.2);
    }
    sinew_configuration_integrate(model, rest, v, near);
    sinew_solver *base = plain_solver(model, tasks, 1, 0);
    sinew_solver *whole = plain_solver(model, tasks, 3, 0);
    sinew_solver *fading = blending_solver(model, tasks, 3, 0);
    for (int f = 0; f <= FRAMES; ++f) {
      const double h[3] = {1.0, ramp(f), round % 2 == 0 ? ramp(f) : 0.6 * ramp(f)};
      double clip[MOST];
      clip_at(model, rest, other, f, clip);
      sinew_target targets[3], goals[3];
      for (int t = 0; t < 3; ++t) {
        targets[t] = target_at(model, &tasks[t], near);
      }
      targets[0] = target_at(model, &tasks[0], clip);
      targets[0].position[2] += 0.03;
      memcpy(q, clip, sizeof q);
      assert_ok(sinew_solver_set_influences(fading, h, 3));
      assert_ok(sinew_solver_solve_local(fading, targets, 3, q, NULL));
      memcpy(path + (size_t)(f * nq), q, (size_t)nq * sizeof *q);
      // by hand: each from where the clip with the left hand's task has it
      memcpy(q, clip, sizeof q);
      assert_ok(sinew_solver_solve_local(base, targets, 1, q, NULL));
      goals[0] = targets[0];
      for (int t = 1; t < 3; ++t) {
        double turn[4], w[3];
        goals[t] = target_at(model, &tasks[t], q);
        const double back[4] = {goals[t].rotation[0], -goals[t].rotation[1], -goals[t].rotation[2],
                                -goals[t].rotation[3]};
        for (int i = 0; i < 3; ++i) {
          goals[t].position[i] += h[t] * (targets[t].position[i] - goals[t].position[i]);
        }
        sinew_quaternion_multiply(targets[t].rotation, back, turn);
        sinew_quaternion_log(turn, w);
        for (int i = 0; i < 3; ++i) {
          w[i] *= h[t];
        }
        sinew_quaternion_exp(w, turn);
        sinew_quaternion_multiply(turn, goals[t].rotation, goals[t].rotation);
      }
      memcpy(q, clip, sizeof q);
      assert_ok(sinew_solver_solve_local(whole, goals, 3, q, NULL));
      memcpy(wanted + (size_t)(f * nq), q, (size_t)nq * sizeof *q);
    }
    const double ours = second_difference(path, nq, 0, FRAMES);
    const double smooth = second_difference(wanted, nq, 0, FRAMES);
    if (getenv("SINEW_PRINT") != NULL) {
      print_message("clip %d: %.3e, smooth %.3e, ratio %.3f\n", round, ours, smooth, ours / smooth);
    }
    assert_true(ours <= 1.2 * smooth + 1e-5);
    sinew_solver_destroy(base);
    sinew_solver_destroy(whole);
    sinew_solver_destroy(fading);
  }
  sinew_model_destroy(model);
}

// Two influences that cross: hands on arms that share no joint go as each goes alone, at every
// frame. A law with a smooth crossing for all tasks does not exist: docs/tasks.md.
static void crossing_influences_of_two_arms_do_not_meet(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(false, links);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, links[HUMANOID_LEFT_HAND]),
                         task_of(SINEW_TASK_POSITION, links[HUMANOID_RIGHT_HAND])};
  for (int t = 0; t < 2; ++t) {
    tasks[t].chain_root = links[HUMANOID_CHEST];
    tasks[t].influence = 0.5;
  }
  sinew_solver *both = blending_solver(model, tasks, 2, 0);
  sinew_solver *alone[2] = {blending_solver(model, &tasks[0], 1, 0),
                            blending_solver(model, &tasks[1], 1, 0)};
  for (int round = 0; round < 4; ++round) {
    double rest[MOST], near[MOST], v[MOST], q[MOST], p[MOST];
    random_stream random = random_stream_of((uint64_t)(200 + round));
    sinew_configuration_middle(model, rest);
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      v[i] = random_between(&random, -0.2, 0.2);
    }
    sinew_configuration_integrate(model, rest, v, near);
    const sinew_target targets[2] = {target_at(model, &tasks[0], near),
                                     target_at(model, &tasks[1], near)};
    for (int f = 0; f <= FRAMES; f += 2) {
      const double h[2] = {0.2 + 0.6 * ramp(f), 0.8 - 0.6 * ramp(f)};
      memcpy(q, rest, sizeof q);
      assert_ok(sinew_solver_set_influences(both, h, 2));
      assert_ok(sinew_solver_solve_local(both, targets, 2, q, NULL));
      memcpy(p, rest, sizeof p);
      for (int t = 0; t < 2; ++t) {
        assert_ok(sinew_solver_set_influences(alone[t], &h[t], 1));
        assert_ok(sinew_solver_solve_local(alone[t], &targets[t], 1, p, NULL));
      }
      for (int t = 0; t < 2; ++t) {
        const sinew_target a = target_at(model, &tasks[t], q), b = target_at(model, &tasks[t], p);
        for (int i = 0; i < 3; ++i) {
          assert_near(a.position[i], b.position[i], 1e-5);
        }
      }
    }
  }
  sinew_solver_destroy(both);
  sinew_solver_destroy(alone[0]);
  sinew_solver_destroy(alone[1]);
  sinew_model_destroy(model);
}

// Two influences that cross on one limb: the second difference there is what the law has, the rate
// of the crossing times what the tasks do together beyond what each does alone.
static void a_crossing_on_one_limb_is_as_its_law(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(4, 0.5);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 4), task_of(SINEW_TASK_POSITION, 2)};
  tasks[0].point_l[0] = 0.5;
  tasks[1].point_l[0] = 0.5;
  sinew_solver_def def = sinew_default_solver_def();
  def.influences = 2;
  def.tolerances.position = def.tolerances.orientation = 1e-10;
  sinew_solver *solver = solver_with(&def, model, tasks, 2);
  const double rest[4] = {0.3, 0.2, 0.2, 0.2}, near[4] = {0.304, 0.197, 0.206, 0.195};
  const sinew_target targets[2] = {target_at(model, &tasks[0], near),
                                   target_at(model, &tasks[1], near)};
  const double step = 0.02;
  double ends[4][4], path[3][4];
  for (int k = 0; k < 7; ++k) { // no task, each alone, both; and around the crossing
    const double h[2] = {k < 4 ? k & 1 : 0.5 + (k - 5) * step,
                         k < 4 ? k >> 1 : 0.5 - (k - 5) * step};
    double *q = k < 4 ? ends[k] : path[k - 4];
    memcpy(q, rest, sizeof rest);
    assert_ok(sinew_solver_set_influences(solver, h, 2));
    assert_ok(sinew_solver_solve_local(solver, targets, 2, q, NULL));
  }
  double most = 0.0;
  for (int i = 0; i < 4; ++i) {
    const double second = path[2][i] - 2.0 * path[1][i] + path[0][i];
    const double law = 2.0 * step * (ends[1][i] + ends[2][i] - ends[0][i] - ends[3][i]);
    assert_near(second, law, 0.1 * fabs(law) + 2e-6);
    most = fmax(most, fabs(law));
  }
  assert_true(most > 3e-5);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// While updates follow a moving hand, another task fades in and out. At the ends of the fade, where
// its rows come and go, nothing moves more abruptly than elsewhere.
static void fading_is_smooth_in_updates(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  const int nq = sinew_model_nq(model);
  for (int round = 0; round < 8; ++round) {
    static double path[(2 * FRAMES + 21) * MOST];
    double rest[MOST], near[MOST], v[MOST], q[MOST];
    random_stream random = random_stream_of((uint64_t)(100 + round));
    sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]),
                           task_of(SINEW_TASK_POSE, links[HUMANOID_RIGHT_HAND])};
    sinew_configuration_middle(model, rest);
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      v[i] = random_between(&random, -0.2, 0.2);
    }
    sinew_configuration_integrate(model, rest, v, near);
    tasks[1].influence = 0.0;
    sinew_solver *fading = blending_solver(model, tasks, 2, 0);
    const sinew_target home = target_at(model, &tasks[0], rest);
    sinew_target targets[2] = {home, target_at(model, &tasks[1], near)};
    memcpy(q, rest, sizeof q);
    const int last = FRAMES + 20;
    for (int f = 0; f <= last; ++f) {
      const double h[2] = {1.0, f < 10 || f > FRAMES + 10 ? 0.0 : ramp(f - 10)};
      targets[0].position[0] = home.position[0] + 0.05 * sin(0.1 * f);
      targets[0].position[2] = home.position[2] + 0.05 * (1.0 - cos(0.1 * f));
      assert_ok(sinew_solver_set_influences(fading, h, 2));
      assert_ok(sinew_solver_update(fading, targets, 2, q, NULL));
      memcpy(path + (size_t)(f * nq), q, (size_t)nq * sizeof *q);
    }
    // f - 1 and f + 1 around the frames at which rows come and go
    const double middle = second_difference(path, nq, 13, FRAMES + 7);
    const double ends = fmax(second_difference(path, nq, 8, 13),
                             second_difference(path, nq, FRAMES + 7, FRAMES + 12));
    if (getenv("SINEW_PRINT") != NULL) {
      print_message("updates %d: middle %.3e, ends %.3e\n", round, middle, ends);
    }
    assert_true(ends <= 1.2 * middle);
    sinew_solver_destroy(fading);
  }
  sinew_model_destroy(model);
}

// ---------------------------------------------------------------------- refusals

static void refused(sinew_result result, sinew_result wanted, const sinew_error *error,
                    const char *words) {
  assert_int_equal(result, wanted);
  if (strstr(error->message, words) == NULL && strstr(error->name, words) == NULL) {
    fail_msg("\"%s\" is not in \"%s: %s\"", words, error->name, error->message);
  }
}

static void mistakes_are_refused_by_name(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(4, 1.0);
  sinew_task tasks[3] = {task_of(SINEW_TASK_POSITION, 4), task_of(SINEW_TASK_POSITION, 2),
                         task_of(SINEW_TASK_POSITION, 3)};
  sinew_solver_def def = sinew_default_solver_def();
  sinew_error error;
  sinew_solver *none = NULL;
  def.influences = 17;
  refused(sinew_solver_create(&def, model, &none, &error), SINEW_ERROR_ARGUMENT, &error,
          "influences");
  def.influences = 1;
  sinew_solver *plain = solver_with(NULL, model, tasks, 3);
  sinew_solver *solver = solver_with(&def, model, tasks, 3);
  const double bad[] = {-1e-9, 1.0 + 1e-9, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    const double h[3] = {1.0, bad[i], 1.0};
    tasks[1].influence = bad[i];
    refused(sinew_solver_set_tasks(solver, tasks, 3, &error), SINEW_ERROR_ARGUMENT, &error,
            "task 1: influence");
    assert_int_equal(sinew_solver_set_influences(solver, h, 3), SINEW_ERROR_ARGUMENT);
    refused(SINEW_OK, SINEW_OK, sinew_solver_last_error(solver), "task 1: influence");
  }
  tasks[1].influence = 0.5;
  refused(sinew_solver_set_tasks(plain, tasks, 3, &error), SINEW_ERROR_CAPACITY, &error,
          "task 1: influence 0.5");
  assert_int_equal(sinew_solver_set_influences(plain, bad, 3), SINEW_ERROR_CAPACITY);
  tasks[2].influence = 0.25;
  refused(sinew_solver_set_tasks(solver, tasks, 3, &error), SINEW_ERROR_CAPACITY, &error,
          "task 2: influence 0.25");
  tasks[2].influence = 0.5;
  assert_ok(sinew_solver_set_tasks(solver, tasks, 3, &error));
  assert_int_equal(sinew_solver_set_influences(solver, bad, 2), SINEW_ERROR_ARGUMENT);
  // targets are named by the caller's numbers, also of tasks that have no part
  sinew_target targets[3] = {sinew_default_target(), sinew_default_target(),
                             sinew_default_target()};
  const double h[3] = {0.0, 0.5, 1.0};
  double q[4] = {0.1, 0.2, 0.3, 0.4}, seed[4];
  memcpy(seed, q, sizeof seed);
  assert_ok(sinew_solver_set_influences(solver, h, 3));
  for (int t = 0; t < 3; ++t) {
    char words[16];
    snprintf(words, sizeof words, "target %d", t);
    targets[t].position[1] = NAN;
    assert_int_equal(sinew_solver_update(solver, targets, 3, q, NULL), SINEW_ERROR_NOT_FINITE);
    refused(SINEW_OK, SINEW_OK, sinew_solver_last_error(solver), words);
    targets[t].position[1] = 0.3;
  }
  assert_int_equal(sinew_solver_update(solver, targets, 2, q, NULL), SINEW_ERROR_ARGUMENT);
  refused(SINEW_OK, SINEW_OK, sinew_solver_last_error(solver), "count of targets is 2, of tasks 3");
  assert_memory_equal(q, seed, sizeof q);
  assert_ok(sinew_solver_update(solver, targets, 3, q, NULL));
  // crowds and banks
  const sinew_crowd_def crowd_def = sinew_default_crowd_def();
  sinew_crowd *crowd = NULL;
  tasks[2].influence = 1.0;
  refused(sinew_crowd_create(&crowd_def, model, tasks, 3, &crowd, &error), SINEW_ERROR_ARGUMENT,
          &error, "task 1: influence 0.5");
  const sinew_bank_def bank_def = sinew_default_bank_def();
  sinew_bank *bank = NULL;
  tasks[1].influence = 0.0;
  refused(sinew_bank_create(&bank_def, model, tasks, 3, &bank, &error), SINEW_ERROR_ARGUMENT,
          &error, "task 1");
  sinew_solver_destroy(plain);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// The stages' solvers are made with the solver: each allocation may fail, and nothing is left.
static void each_allocation_may_fail(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  for (int fail = 0; fail <= 3; ++fail) {
    counter count = {.fail_at = fail};
    sinew_solver_def def = sinew_default_solver_def();
    sinew_solver *solver = NULL;
    def.influences = 2;
    def.allocator = allocator_of(&count);
    assert_int_equal(sinew_solver_create(&def, model, &solver, NULL),
                     fail < 3 ? SINEW_ERROR_MEMORY : SINEW_OK);
    assert_true((solver != NULL) == (fail == 3));
    sinew_solver_destroy(solver);
    assert_int_equal(count.live, 0);
  }
  sinew_model_destroy(model);
}

// Settings reach the solvers of the stages: with a frozen joint, limits, gains and an objective, a
// task of influence h and one of influence 1 leave what is frozen and stay within limits, at every
// h; and h = 1 is a solver without influences.
static void settings_hold_at_every_influence(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, ARM_FLANGE),
                         task_of(SINEW_TASK_DIRECTION, 5)};
  const unsigned char frozen[7] = {0, 0, 1, 0, 0, 0, 0};
  const double gains[7] = {1.0, 0.5, 1.0, 1.0, 2.0, 1.0, 1.0};
  double lower[7], upper[7], home[7];
  sinew_configuration_middle(model, home);
  for (int i = 0; i < 7; ++i) {
    lower[i] = home[i] - 0.2;
    upper[i] = home[i] + 0.2;
  }
  for (int round = 0; round < SAMPLE_OF(20); ++round) {
    double goal[7], a[7], b[7];
    sinew_solver *solver = blending_solver(model, tasks, 2, 0);
    sinew_solver *plain = plain_solver(model, tasks, 2, 0);
    sinew_solver *const both[2] = {solver, plain};
    for (int i = 0; i < 2; ++i) {
      assert_ok(sinew_solver_set_frozen(both[i], frozen));
      assert_ok(sinew_solver_set_gains(both[i], gains));
      assert_ok(sinew_solver_set_limits(both[i], lower, upper));
    }
    sinew_configuration_random(model, 8, (uint64_t)round, goal);
    const sinew_target targets[2] = {target_at(model, &tasks[0], goal),
                                     target_at(model, &tasks[1], goal)};
    memcpy(a, home, sizeof a);
    for (int f = 0; f < 20; ++f) {
      const double h[2] = {f % 3 == 0 ? 1.0 : 0.7, f / 19.0};
      assert_ok(sinew_solver_set_influences(solver, h, 2));
      assert_ok(sinew_solver_update(solver, targets, 2, a, NULL));
      assert_true(a[2] == home[2]);
      for (int i = 0; i < 7; ++i) {
        assert_true(a[i] >= lower[i] && a[i] <= upper[i]);
      }
    }
    assert_ok(sinew_solver_set_influences(solver, (double[]){1.0, 1.0}, 2));
    memcpy(b, a, sizeof b);
    sinew_solver_reset(solver);
    for (int f = 0; f < 3; ++f) {
      assert_ok(sinew_solver_update(solver, targets, 2, a, NULL));
      assert_ok(sinew_solver_update(plain, targets, 2, b, NULL));
      assert_memory_equal(a, b, sizeof a);
    }
    sinew_solver_destroy(solver);
    sinew_solver_destroy(plain);
  }
  sinew_model_destroy(model);
}

// A matrix of weights reaches the stages: with hardly any influence of the second task, the result
// is that of the first alone, which the matrix decides. Together they leave the arm no free motion.
static void a_matrix_of_weights_reaches_the_stages(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  sinew_task tasks[2];
  sinew_solver_def def = sinew_default_solver_def();
  double W[49] = {0.0};
  int met = 0, differ = 0;
  tasks[0] = task_of(SINEW_TASK_POSITION, 5);
  tasks[1] = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  tasks[1].influence = 1e-9;
  def.step.method = SINEW_METHOD_WEIGHTED;
  for (int i = 0; i < 7; ++i) {
    W[i * 7 + i] = i < 2 ? 100.0 : 1.0;
  }
  sinew_solver *plain = solver_with(&def, model, tasks, 1);
  def.influences = 1;
  sinew_solver *blending = solver_with(&def, model, tasks, 2);
  sinew_solver *const both[2] = {plain, blending};
  for (int round = 0; round < 20; ++round) {
    double from[7], goal[7], ends[2][2][7]; // of W and NULL, plain and blending
    sinew_report reports[2];
    bool converged = true;
    sinew_configuration_random(model, 9, (uint64_t)round, from);
    sinew_configuration_random(model, 10, (uint64_t)round, goal);
    for (int i = 0; i < 7; ++i) {
      goal[i] = 0.98 * from[i] + 0.02 * goal[i];
    }
    const sinew_target targets[2] = {target_at(model, &tasks[0], goal),
                                     target_at(model, &tasks[1], goal)};
    for (int k = 0; k < 2; ++k) {
      for (int s = 0; s < 2; ++s) {
        memcpy(ends[k][s], from, sizeof from);
        assert_ok(sinew_solver_set_weights(both[s], k == 0 ? W : NULL));
        assert_ok(sinew_solver_solve_local(both[s], targets, 1 + s, ends[k][s], &reports[s]));
        converged &= reports[s].outcome == SINEW_OUTCOME_CONVERGED;
      }
    }
    met += converged;
    differ += converged && fabs(ends[0][0][2] - ends[1][0][2]) > 3e-3;
    for (int i = 0; converged && i < 14; ++i) {
      assert_near(ends[i / 7][1][i % 7], ends[i / 7][0][i % 7], 1e-4);
    }
  }
  assert_true(met >= 10 && differ >= 5);
  sinew_solver_destroy(plain);
  sinew_solver_destroy(blending);
  sinew_model_destroy(model);
}

// A network is for all tasks, and the stages go without: the errors of a task with influence h are
// 1 - h of those where it would be without the task, as in a search without a network. Settings
// of searches are refused before the stages read them.
static void searches_with_a_network_go_half_way(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  sinew_task tasks[2];
  sinew_network *network = NULL;
  sinew_report report;
  sinew_target targets[2];
  double q[7];
  int met = 0;
  tasks[0] = task_of(SINEW_TASK_DIRECTION, ARM_FLANGE);
  tasks[1] = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  tasks[1].influence = 0.5;
  assert_ok(sinew_network_create(NULL, model, tasks, 2, &network, NULL));
  sinew_solver *solver = blending_solver(model, tasks, 2, 0);
  sinew_solver *first = plain_solver(model, tasks, 1, 0);
  sinew_global_def def = sinew_default_global_def();
  for (int round = 0; round < 20; ++round) {
    double from[7], goal[7], errors[2], left[2];
    sinew_configuration_random(model, 11, (uint64_t)round, from);
    sinew_configuration_random(model, 12, (uint64_t)round, goal);
    for (int i = 0; i < 7; ++i) {
      goal[i] = 0.8 * from[i] + 0.2 * goal[i];
    }
    for (int t = 0; t < 2; ++t) {
      targets[t] = target_at(model, &tasks[t], goal);
    }
    memcpy(q, from, sizeof q);
    def.network = NULL;
    assert_ok(sinew_solver_search(first, &def, targets, 1, q, NULL));
    errors_at(model, &tasks[1], &targets[1], q, errors);
    memcpy(q, from, sizeof q);
    def.network = network;
    assert_ok(sinew_solver_search(solver, &def, targets, 2, q, &report));
    errors_at(model, &tasks[1], &targets[1], q, left);
    if (report.outcome == SINEW_OUTCOME_CONVERGED) {
      assert_near(left[0], 0.5 * errors[0], 1e-5);
      ++met;
    }
  }
  assert_true(met >= 10);
  memset(&def, 0, sizeof def);
  targets[0].position[0] = NAN;
  assert_int_equal(sinew_solver_search(solver, &def, targets, 2, q, &report), SINEW_ERROR_ARGUMENT);
  assert_int_equal(report.outcome, SINEW_OUTCOME_BAD_INPUT);
  sinew_solver_destroy(first);
  sinew_solver_destroy(solver);
  sinew_network_destroy(network);
  sinew_model_destroy(model);
}

// A margin has the effect of limits that are narrower by as much, at every influence: of a
// spherical joint and of two revolute ones. req: E8
static void margins_hold_at_every_influence(void **state) {
  (void)state;
  double ends[2][6];
  for (int narrow = 0; narrow < 2; ++narrow) {
    const double margin = 0.3, half = narrow ? 1.0 - margin : 1.0;
    builder b;
    builder_start(&b);
    for (int j = 0; j < 3; ++j) {
      builder_limit(builder_add(&b, j, j == 0 ? SINEW_JOINT_SPHERICAL : SINEW_JOINT_REVOLUTE,
                                j == 0 ? 0.0 : 0.5, 0.0, 0.0),
                    -half, half);
    }
    sinew_model *model = builder_make(&b);
    sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 3), task_of(SINEW_TASK_DIRECTION, 2)};
    tasks[0].point_l[0] = 0.5;
    tasks[1].influence = 0.5;
    sinew_solver_def def = sinew_default_solver_def();
    def.influences = 1;
    sinew_solver *solver = solver_with(&def, model, tasks, 2);
    assert_ok(sinew_solver_set_margins(solver, 0.0, narrow ? 0.0 : margin));
    sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
    targets[0].position[1] = 1.2;
    targets[1].direction[0] = 1.0;
    targets[1].direction[2] = 0.5;
    sinew_configuration_start(model, ends[narrow]);
    for (int update = 0; update < 200; ++update) {
      assert_ok(sinew_solver_update(solver, targets, 2, ends[narrow], NULL));
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  for (int i = 0; i < 6; ++i) {
    assert_near(ends[0][i], ends[1][i], 1e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_task_alone_goes_a_share_of_the_way),
      cmocka_unit_test(two_influences_are_of_two_tasks),
      cmocka_unit_test(without_influence_goals_are_where_tasks_are),
      cmocka_unit_test(an_update_goes_half_way),
      cmocka_unit_test(the_last_of_the_way_is_continuous),
      cmocka_unit_test(without_influence_bits_are_those_without_the_task),
      cmocka_unit_test(batches_have_influences),
      cmocka_unit_test(fading_is_smooth_on_a_clip),
      cmocka_unit_test(crossing_influences_of_two_arms_do_not_meet),
      cmocka_unit_test(a_crossing_on_one_limb_is_as_its_law),
      cmocka_unit_test(fading_is_smooth_in_updates),
      cmocka_unit_test(mistakes_are_refused_by_name),
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(settings_hold_at_every_influence),
      cmocka_unit_test(margins_hold_at_every_influence),
      cmocka_unit_test(a_matrix_of_weights_reaches_the_stages),
      cmocka_unit_test(searches_with_a_network_go_half_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
