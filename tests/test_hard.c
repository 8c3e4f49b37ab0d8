// Hard tasks: ranges, heights, clearances, cones of angle and support polygons that updates keep as
// inequalities.
//
//   test_hard [FIGURES]    how many figures are held at barriers, default 120
//
// Of 9,000 figures none leaves its barrier, and 6,288 are held at its end; of none of these the
// speed along its normal changes its sign there, and all are at rest after 500 updates.
#include "barriers.h"
#include "fixtures.h"
#include "inspect.h"

#include <stdlib.h>
#include <string.h>

#define MOST 64
#define AT_END 1e-3 // from there on a barrier that holds a figure is at its end [sizes, rad]
#define KEPT 1e-9   // the most by which an update may leave a barrier [sizes of the figure, rad]

// ------------------------------------------------------------------ quantities

static sinew_solver *hard_solver(const sinew_model *model, const sinew_task *tasks, int count,
                                 double time_step) {
  sinew_solver_def def = sinew_default_solver_def();
  def.hard_rows = 40;
  def.task_capacity = 12;
  def.tracking.time_step = time_step;
  return solver_with(&def, model, tasks, count);
}

// ------------------------------------------------------- rows and second derivatives

static sinew_task any_hard_task(random_stream *r, const sinew_model *model) {
  static const sinew_task_kind kinds[] = {
      SINEW_TASK_POSITION,  SINEW_TASK_ORIENTATION, SINEW_TASK_POSE,    SINEW_TASK_DIRECTION,
      SINEW_TASK_DIRECTION, SINEW_TASK_PLANE,       SINEW_TASK_DISTANCE};
  const int links = sinew_model_link_count(model), frame = 1 + random_below(r, 3);
  sinew_task task = task_of(kinds[random_below(r, 7)], links - 1 - random_below(r, 3));
  random_vector(r, 0.3, task.point_l);
  task.hard = true;
  task.frame_link = random_below(r, 3) == 0 && frame != task.link ? frame : -1;
  if (task.kind == SINEW_TASK_DIRECTION) {
    task.kind = random_below(r, 2) == 0 ? SINEW_TASK_LOOK_AT : SINEW_TASK_DIRECTION;
    task.cone_angle = random_between(r, 0.2, 1.0);
    return task;
  }
  for (int i = 0; i < 6; ++i) {
    task.range_lower[i] = -random_between(r, 0.1, 0.3);
    task.range_upper[i] = random_between(r, 0.1, 0.3);
  }
  task.weight_axes = (sinew_task_axes)random_below(r, 3);
  if (random_below(r, 3) == 0 && task.kind != SINEW_TASK_ORIENTATION &&
      task.kind != SINEW_TASK_POSE && task.weight_axes != SINEW_AXES_TOOL) {
    task.center_of_mass = true;
    task.frame_link = -1;
  }
  reset_unread_fields(&task);
  return task;
}

// The lower end of row i at q, less its quantity, in units of rows; upper of cones.
static double end_at(sinew_solver *solver, const sinew_target *target, const double *q, int i) {
  sinew_solver_evaluate(solver, target, q);
  sinew_solver_linearize(solver, q, 0.0, false);
  sinew_hard_begin(solver, target);
  const sinew_task_side *side = &solver->hard.sides[i];
  return side->upper / (side->angle ? 1.0 : solver->problem.size);
}

// q moved by x, which is over the step's columns: about the root's axes for some joints.
static void move_by(sinew_solver *solver, const sinew_frame *frames, const double *q,
                    const double *d, double h, double *out) {
  const sinew_problem *problem = &solver->problem;
  for (int j = 0; j < problem->pattern.dof_count; ++j) {
    solver->linear.x[j] = h * d[j];
  }
  for (int g = 0; g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    for (int i = 0; group->root_frame && i < 3; ++i) {
      solver->linear.x[group->column + i] = h * sinew_dot(frames[g].column[i], d + group->column);
    }
  }
  sinew_solver_apply_step(solver, q, out);
}

// Rows are the derivatives of their quantities along any motion, and the curvature that a step gets
// is the second derivative.
static void rows_are_derivatives(void **unused) {
  (void)unused;
  static random_tree tree;
  random_stream r = random_stream_of(11);
  int rows = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    random_tree_options options = random_tree_defaults();
    options.coupled = 0.3;
    random_tree_make(&tree, seed, &options);
    for (int l = 0; l < tree.def.link_count; ++l) {
      tree.links[l].mass = random_between(&r, 0.0, 2.0);
    }
    sinew_model *model = NULL;
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    const sinew_task task = any_hard_task(&r, model);
    sinew_solver *solver = hard_solver(model, &task, 1, 0.0);
    const int n = solver->problem.pattern.dof_count;
    sinew_target target = sinew_default_target();
    random_vector(&r, 1.0, target.position);
    random_unit(&r, 4, target.rotation);
    random_unit(&r, 3, target.direction);
    double q[2 * MOST], moved[2 * MOST], d[MOST], K[MOST * MOST];
    sinew_frame frames[MOST];
    sinew_configuration_random(model, 5, seed, q);
    for (int i = 0; n > 0 && i < solver->hard.total; ++i, ++rows) {
      const double here = end_at(solver, &target, q, i), h = 1e-4;
      double first = 0.0, second = 0.0;
      memset(solver->hard.multiplier, 0, (size_t)solver->hard.total * sizeof(double));
      solver->hard.multiplier[i] = 1.0;
      const double *found = sinew_hard_find_curvature(solver);
      for (int g = 0; g < solver->problem.group_count; ++g) {
        frames[g] = solver->state.frames[solver->problem.groups[g].node];
      }
      for (int j = 0; j < n; ++j) {
        d[j] = random_between(&r, -1.0, 1.0);
        first += solver->hard.entries[i * n + j] * d[j];
      }
      for (int j = 0; found != NULL && j < n * n; ++j) {
        K[j] = found[j];
      }
      for (int j = 0; found != NULL && j < n; ++j) {
        for (int k = 0; k < n; ++k) {
          second += d[j] * d[k] * K[j > k ? j * n + k : k * n + j];
        }
      }
      move_by(solver, frames, q, d, h, moved);
      const double after = end_at(solver, &target, moved, i);
      move_by(solver, frames, q, d, -h, moved);
      const double before = end_at(solver, &target, moved, i);
      assert_near((before - after) / (2.0 * h), first, 1e-6);
      assert_near((2.0 * here - before - after) / (h * h), second, 1e-4 * (1.0 + fabs(second)));
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(rows > 300);
}

// --------------------------------------------------------------------- barriers

// The target is still for 500 updates. The barrier is kept in each. Once the figure is held at its
// end, the speed along its normal does not change its sign. The end that the report names is the
// one there is. Counts those that are held in the end, and those that are not at rest.
static void expect_rest_at_barrier(const sinew_model *model, const barrier *b, double *q,
                                   int *active, int *moving) {
  double change[MOST] = {0.0}, last[2 * MOST], delta[MOST], second = 0.0, speed = 0.0;
  sinew_solver *solver = hard_solver(model, b->tasks, 2, 0.0);
  const int nv = sinew_model_nv(model);
  double y =
      barrier_outside(&b->tasks[0], barrier_quantity(model, &b->tasks[0], &b->targets[0], q));
  const double size = b->tasks[0].kind == SINEW_TASK_DIRECTION ? 1.0 : solver->problem.size;
  const bool above =
      b->tasks[0].kind == SINEW_TASK_PLANE || b->tasks[0].kind == SINEW_TASK_DISTANCE;
  sinew_hard_row_report report;
  for (int update = 0; update < 500; ++update) {
    memcpy(last, q, (size_t)sinew_model_nq(model) * sizeof *q);
    assert_ok(sinew_solver_update(solver, b->targets, 2, q, NULL));
    const double now =
        barrier_outside(&b->tasks[0], barrier_quantity(model, &b->tasks[0], &b->targets[0], q));
    assert_ok(sinew_solver_hard_row(solver, 0, &report));
    assert_at_most(now, KEPT * size);
    assert_int_not_equal(report.side, above ? 1 : -1);
    const bool at_end = report.side != 0 && now > -AT_END * size;
    if (at_end && speed > KEPT * size) {
      assert_true(now - y > -KEPT * size);
    }
    speed = at_end ? now - y : 0.0;
    y = now;
    sinew_configuration_difference(model, last, q, delta);
    second = 0.0;
    for (int v = 0; v < nv; ++v) {
      second = fmax(second, fabs(delta[v] - change[v]));
      change[v] = delta[v];
    }
  }
  *moving += report.side != 0 && second > 1e-9;
  *active += report.side != 0;
  sinew_solver_destroy(solver);
}

static int figure_count = 120;

// These still moved after 500 updates, along valleys of the error, as long as no step was longer by
// what it carries on of the last motion, and 916, until that had the length of the valley; 1131 and
// 1203 turned just before the end of their cone, since holding a joint within its limits of swing
// took the angle back.
static bool failed_before(uint64_t seed) {
  return seed == 302 || seed == 916 || seed == 2145 || seed == 2681 || seed == 1131 || seed == 1203;
}

// req: E8
static void figures_rest_at_barriers(void **unused) {
  (void)unused;
  static random_tree tree;
  random_stream r = random_stream_of(12), arms = r;
  int active = 0, moving = 0;
  for (uint64_t seed = 0; seed < (uint64_t)figure_count || seed <= 2681; ++seed) {
    random_tree_options options = random_tree_defaults();
    options.chain = 0.8;
    options.limited = seed % 3 == 0 ? 0.5 : 0.0;
    options.cones = seed % 3 == 0 ? 0.5 : 0.0;
    random_tree_make(&tree, 100 + seed, &options);
    sinew_model *model = NULL;
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    double q[2 * MOST];
    barrier b;
    sinew_configuration_random(model, 6, seed, q);
    barrier_make(&r, model, q, (int)(seed % 4), &b);
    arms = seed < (uint64_t)figure_count ? r : arms;
    if (seed < (uint64_t)figure_count || failed_before(seed)) {
      expect_rest_at_barrier(model, &b, q, &active, &moving);
    }
    sinew_model_destroy(model);
  }
  sinew_model *arm = fixture_arm();
  for (int kind = 0; kind < 8; ++kind) {
    double q[7];
    barrier b;
    sinew_configuration_random(arm, 7, (uint64_t)kind, q);
    barrier_make(&arms, arm, q, kind % 4, &b);
    expect_rest_at_barrier(arm, &b, q, &active, &moving);
  }
  sinew_model_destroy(arm);
  print_message("%d figures are held, %d of them are not at rest\n", active, moving);
  assert_true(active > figure_count / 2);
  assert_int_equal(moving, 0);
}

// ----------------------------------------------------------------- contradictions

// Half-spaces a . x >= b, in the order in which they yield, the last to yield first.
#define MOST_PLANES 16
typedef struct planes {
  int count;
  double a[MOST_PLANES][3], b[MOST_PLANES];
} planes;

static bool is_inside(const planes *of, int count, const double x[3]) {
  bool inside = true;
  for (int i = 0; i < count; ++i) {
    inside &= sinew_dot(of->a[i], x) >= of->b[i] - 1e-9;
  }
  return inside;
}

// The point of three planes; false where they have none.
static bool find_corner(const planes *of, const int at[3], double x[3]) {
  double cross[3], sum[3] = {0.0, 0.0, 0.0};
  sinew_cross(of->a[at[1]], of->a[at[2]], cross);
  const double volume = sinew_dot(of->a[at[0]], cross);
  for (int k = 0; k < 3; ++k) {
    sinew_cross(of->a[at[(k + 1) % 3]], of->a[at[(k + 2) % 3]], cross);
    for (int i = 0; i < 3; ++i) {
      sum[i] += of->b[at[k]] * cross[i];
    }
  }
  sinew_scale(fabs(volume) > 1e-6 ? 1.0 / volume : 0.0, sum, x);
  return fabs(volume) > 1e-6;
}

// The largest a . x over the first count half-spaces, which leave a polytope: at a corner of it.
static double largest(const planes *of, int count, const double a[3]) {
  double most = -INFINITY, x[3];
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count; ++j) {
      for (int k = j + 1; k < count; ++k) {
        if (find_corner(of, (int[]){i, j, k}, x) && is_inside(of, count, x)) {
          most = fmax(most, sinew_dot(a, x));
        }
      }
    }
  }
  return most;
}

// By how much each yields: no further than those before it make it. They are moved by that.
static void yield_in_order(planes *of, int first, double *yielded) {
  for (int i = first; i < of->count; ++i) {
    yielded[i] = fmax(of->b[i] - largest(of, i, of->a[i]), 0.0);
    of->b[i] -= yielded[i];
  }
}

// Three slides along x, y and z from -1 to 1 m.
static sinew_model *make_slides(double speed) {
  builder b;
  builder_start(&b);
  for (int i = 0; i < 3; ++i) {
    sinew_joint_def *joint = builder_add(&b, i, SINEW_JOINT_PRISMATIC, 0.0, 0.0, 0.0);
    for (int k = 0; k < 3; ++k) {
      joint->axis[k] = k == i ? 1.0 : 0.0;
    }
    builder_limit(joint, -1.0, 1.0);
    joint->velocity[0] = speed;
  }
  return builder_make(&b);
}

// Planes of both ranks that leave nothing of the slides' range, or something. A figure that has
// come to rest is beyond each as little as those before it allow, whatever its goal, and the report
// names them. So does a solve. req: E8 E11
static void contradicting_rows_yield_in_order(void **unused) {
  (void)unused;
  sinew_model *model = make_slides(0.0);
  random_stream r = random_stream_of(13);
  int contradictions = 0;
  for (int round = 0; round < 120; ++round) {
    const int planes_count = 1 + random_below(&r, 4), boxes = random_below(&r, 3);
    planes of = {.count = 6 + planes_count + boxes};
    sinew_task tasks[12];
    sinew_target targets[12];
    double yielded[MOST_PLANES] = {0.0}, q[3];
    for (int i = 0; i < 6; ++i) {
      of.a[i][i / 2] = i % 2 == 0 ? 1.0 : -1.0;
      of.b[i] = -1.0;
    }
    for (int i = 6; i < of.count; ++i) {
      const bool plane = i < 6 + planes_count;
      sinew_task *task = &tasks[i - 6];
      sinew_target *target = &targets[i - 6];
      double rotation[4] = {1.0, 0.0, 0.0, 0.0}, R[9];
      random_unit(&r, 4, rotation);
      sinew_quaternion_to_matrix(rotation, R);
      for (int k = 0; k < 3; ++k) { // the x axis of a target's axes
        of.a[i][k] = R[3 * k];
      }
      of.b[i] = random_between(&r, -0.8, 1.6);
      *task = task_of(plane ? SINEW_TASK_PLANE : SINEW_TASK_POSITION, 3);
      task->hard = true;
      for (int k = 0; k < 6; ++k) {
        task->range_lower[k] = k == 0 ? 0.0 : -INFINITY;
        task->range_upper[k] = INFINITY;
      }
      *target = sinew_default_target();
      memcpy(target->rotation, rotation, sizeof rotation);
      memcpy(target->direction, of.a[i], sizeof of.a[i]);
      sinew_scale(of.b[i], of.a[i], target->position);
    }
    const int count = of.count - 6;
    tasks[count] = task_of(SINEW_TASK_POSITION, 3);
    targets[count] = sinew_default_target();
    random_vector(&r, 2.0, targets[count].position);
    yield_in_order(&of, 6, yielded);
    sinew_solver *solver = hard_solver(model, tasks, count + 1, 0.0);
    random_vector(&r, 1.0, q);
    if (round % 2 == 0) {
      assert_ok(sinew_solver_solve(solver, targets, count + 1, q, NULL));
    }
    for (int update = 0; round % 2 == 1 && update < 150; ++update) {
      assert_ok(sinew_solver_update(solver, targets, count + 1, q, NULL));
    }
    assert_int_equal(sinew_solver_hard_row_count(solver), count);
    for (int i = 6; i < of.count; ++i) {
      sinew_hard_row_report report;
      assert_ok(sinew_solver_hard_row(solver, i - 6, &report));
      assert_int_equal(report.task, i - 6);
      assert_int_equal(report.rank,
                       i < 6 + planes_count ? SINEW_RANK_CLEARANCE : SINEW_RANK_INTERVAL);
      assert_true(sinew_dot(of.a[i], q) >= of.b[i] - 1e-6);
      assert_near(report.yielded, -yielded[i], 1e-6);
      contradictions += yielded[i] > 1e-6;
    }
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
  assert_true(contradictions > 40);
}

// A plane that rises faster than the slides may move: they go as fast as they may, the plane
// yields, and limits hold.
static void speeds_and_limits_never_yield(void **unused) {
  (void)unused;
  sinew_model *model = make_slides(0.5);
  sinew_task tasks[2] = {task_of(SINEW_TASK_PLANE, 3), task_of(SINEW_TASK_POSITION, 3)};
  tasks[0].range_upper[0] = INFINITY;
  tasks[0].hard = true;
  sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  targets[0].direction[2] = 1.0;
  sinew_solver *solver = hard_solver(model, tasks, 2, 0.02);
  double q[3] = {0.0, 0.0, 0.0};
  int yields = 0;
  for (int update = 0; update < 200; ++update) {
    const double z = q[2];
    sinew_hard_row_report report;
    targets[0].position[2] = -0.5 + 0.02 * update; // 1 m/s, to above the slides
    assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
    assert_at_most(fabs(q[2] - z), 0.01 + 1e-12);
    assert_at_most(fabs(q[2]), 1.0);
    assert_ok(sinew_solver_hard_row(solver, 0, &report));
    yields += report.yielded < 0.0;
  }
  assert_near(q[2], 1.0, 1e-9);
  assert_true(yields > 50);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A slide that is too fast to stop ahead of the end: a limit of acceleration yields to a clearance,
// and an interval to it. req: E11
static void accelerations_are_between_clearances_and_intervals(void **unused) {
  (void)unused;
  for (int clearance = 0; clearance < 2; ++clearance) {
    sinew_model *model = make_slides(INFINITY);
    sinew_task tasks[2] = {task_of(clearance != 0 ? SINEW_TASK_PLANE : SINEW_TASK_POSITION, 3),
                           task_of(SINEW_TASK_POSITION, 3)};
    sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
    tasks[0].hard = true;
    tasks[0].weight_axes = SINEW_AXES_FRAME;
    for (int i = 0; i < 6; ++i) {
      tasks[0].range_lower[i] = -INFINITY;
      tasks[0].range_upper[i] = i == 0 ? 0.5 : INFINITY;
    }
    tasks[0].range_lower[0] = -2.0;
    reset_unread_fields(&tasks[0]);
    targets[0].direction[0] = 1.0;
    targets[0].direction[2] = 0.0;
    sinew_solver *solver = hard_solver(model, tasks, 2, 0.02);
    const double accelerations[3] = {1.0, 1.0, 1.0};
    double q[3] = {-0.9, 0.0, 0.0}, most = 0.0, change = 0.0, moved = 0.0, yielded = 0.0, row = 0.0;
    assert_ok(sinew_solver_set_accelerations(solver, accelerations));
    for (int update = 0; update < 150; ++update) {
      const double x = q[0];
      sinew_bound_report bound;
      sinew_hard_row_report report;
      targets[1].position[0] = 0.9;
      targets[0].position[0] = update < 40 ? 1.0 : 0.0; // the end comes nearer on the way
      assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
      assert_ok(sinew_solver_bound(solver, q, 0, &bound));
      assert_ok(sinew_solver_hard_row(solver, 0, &report));
      change = fmax(change, fabs(q[0] - x - moved));
      moved = q[0] - x;
      most = fmax(most, q[0]);
      yielded = fmax(yielded, bound.yielded);
      row = fmax(row, report.yielded);
    }
    if (clearance != 0) {
      assert_at_most(most, 0.5 + 1e-9);
      assert_true(change > 5e-4);
      assert_near(yielded, change / 4e-4 - 1.0, 1e-6); // what the motion exceeds the limit by
      assert_true(row == 0.0);
    } else {
      assert_at_most(change, 4e-4 + 1e-12);
      assert_true(most > 0.51 && row > 0.0);
      assert_true(yielded == 0.0);
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// ---------------------------------------------------------------- support polygon

// Figures that reach for what is far away. Their centre of mass, which leaves a square otherwise,
// stays above it. req: E8
static void centre_of_mass_stays_above_the_polygon(void **unused) {
  (void)unused;
  static random_tree tree;
  random_stream r = random_stream_of(14);
  int left = 0;
  for (uint64_t seed = 0; seed < 24; ++seed) {
    const random_tree_options options = random_tree_defaults();
    sinew_model *model = barrier_figure(&tree, &r, seed, &options);
    sinew_task tasks[5];
    sinew_target targets[5];
    double home[2 * MOST], most[2];
    sinew_configuration_random(model, 8, seed, home);
    for (int hard = 0; hard < 2; ++hard) {
      barrier_stand(model, home, hard != 0, tasks, targets);
      sinew_solver *solver = hard_solver(model, tasks, 5, 0.0);
      most[hard] = barrier_reach(model, solver, targets, home, 80);
      for (int i = 0; hard != 0 && i < 4; ++i) {
        sinew_hard_row_report report;
        assert_ok(sinew_solver_hard_row(solver, i, &report));
        assert_int_equal(report.rank, SINEW_RANK_POLYGON);
        assert_true(report.side <= 0);
      }
      sinew_solver_destroy(solver);
    }
    left += most[0] > 1e-3;
    assert_at_most(most[1], 1e-8);
    sinew_model_destroy(model);
  }
  assert_true(left > 5);
}

// -------------------------------------------------------------------- bad input

// A small angle of any magnitude, or 0.
static double hardly(random_stream *r) {
  return random_below(r, 2) ? pow(10.0, random_between(r, -17.0, -1.0)) : 0.0;
}

// Figures that begin outside of one or two planes, stretched or folded or nearly so across them,
// where joints hardly move them inwards: no joint turns further in an update than max_turn, and
// most come in. Ends may be huge instead of infinite.
// req: E8
static void stretched_figures_come_in_slowly(void **unused) {
  (void)unused;
  random_stream r = random_stream_of(71);
  int outside_now = 0;
  for (int round = 0; round < 1500; ++round) {
    const int count = 2 + (round % 3 == 0);
    const bool reversed = round % 5 == 0;
    sinew_model *model =
        round % 2 ? fixture_planar_limited(3, 0.3, -3.0, 3.0, INFINITY) : fixture_planar(3, 0.3);
    sinew_task tasks[3] = {task_of(SINEW_TASK_POSITION, 3), task_of(SINEW_TASK_PLANE, 3),
                           task_of(SINEW_TASK_PLANE, 2)};
    sinew_target targets[3];
    const double turn = random_between(&r, -2.9, 2.9),
                 folded = random_below(&r, 4) == 0 ? 2.9 : 0.0;
    const double q_start[3] = {turn + hardly(&r), folded + hardly(&r), hardly(&r)};
    double q[3], before[3];
    memcpy(q, q_start, sizeof q);
    for (int t = 0; t < 3; ++t) {
      const double at = t == 0 ? 1.5 : random_between(&r, -0.1, 0.85);
      targets[t] = sinew_default_target();
      const double out[3] = {cos(turn), sin(turn), 0.0};
      sinew_scale(at, out, targets[t].position);
      sinew_scale(reversed ? -1.0 : 1.0, out, targets[t].direction);
      tasks[t].hard = t > 0;
      tasks[t].range_lower[0] = t == 0 || reversed ? 0.0 : -INFINITY;
      tasks[t].range_upper[0] = t > 0 && reversed ? 1e30 : 0.0;
    }
    sinew_solver *solver = hard_solver(model, tasks, count, 0.0);
    for (int update = 0; update < 60; ++update) {
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, targets, count, q, NULL));
      assert_at_most(farthest(3, q, before), 1.0 + 1e-9);
    }
    outside_now +=
        barrier_outside(&tasks[1], barrier_quantity(model, &tasks[1], &targets[1], q)) > 1e-6;
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(outside_now < 140); // 168 if all rows were to come in as fast
}

// An end that is huge is as none: figures pressed against the other one move alike.
// req: E8
static void huge_ends_are_as_none(void **unused) {
  (void)unused;
  random_stream r = random_stream_of(72);
  for (int round = 0; round < 40; ++round) {
    sinew_model *model = fixture_planar(4, 0.3);
    sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 4), task_of(SINEW_TASK_PLANE, 4)};
    sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
    double q[2][4];
    for (int i = 0; i < 4; ++i) {
      q[0][i] = q[1][i] = random_between(&r, 0.1, 0.7);
    }
    tasks[1].hard = true;
    memcpy(targets[1].direction, (double[]){0.0, 1.0, 0.0}, 3 * sizeof(double));
    targets[0].position[1] = -0.2; // below the plane, and moving along it
    for (int huge = 0; huge < 2; ++huge) {
      tasks[1].range_upper[0] = huge ? pow(10.0, 12.0 + round) : INFINITY;
      sinew_solver *solver = hard_solver(model, tasks, 2, 0.0);
      for (int update = 0; update < 100; ++update) {
        targets[0].position[0] = 0.4 + 0.3 * sin(0.1 * update);
        assert_ok(sinew_solver_update(solver, targets, 2, q[huge], NULL));
      }
      sinew_solver_destroy(solver);
    }
    assert_at_most(farthest(4, q[0], q[1]), 1e-9);
    assert_near(barrier_quantity(model, &tasks[1], &targets[1], q[0]), 0.0, 1e-3);
    sinew_model_destroy(model);
  }
}

// Slides do not go through a plane to a target that is very far.
// req: E8
static void slides_stop_at_planes(void **unused) {
  (void)unused;
  builder b;
  builder_start(&b);
  for (int i = 0; i < 3; ++i) {
    sinew_joint_def *joint = builder_add(&b, i, SINEW_JOINT_PRISMATIC, 0.1, 0.0, 0.0);
    memset(joint->axis, 0, sizeof joint->axis);
    joint->axis[i] = 1.0;
  }
  sinew_model *model = builder_make(&b);
  sinew_task tasks[2] = {task_of(SINEW_TASK_PLANE, 3), task_of(SINEW_TASK_POSITION, 3)};
  sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  double q[3] = {0.0};
  tasks[0].hard = true;
  tasks[0].range_lower[0] = -INFINITY;
  memcpy(targets[0].direction, (double[]){1.0, 0.0, 0.0}, 3 * sizeof(double));
  targets[0].position[0] = 1.0;
  targets[1].position[0] = 5000.0;
  sinew_solver *solver = hard_solver(model, tasks, 2, 0.0);
  for (int update = 0; update < 300; ++update) {
    assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
    assert_at_most(target_at(model, &tasks[1], q).position[0], 1.0 + 1e-9);
  }
  assert_near(target_at(model, &tasks[1], q).position[0], 1.0, 1e-6);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// The room that tasks need is counted exactly: with one row less they are refused. After a solve by
// a method that does not keep them each row says at which end forward kinematics finds its
// quantity, and how far beyond.
static void rows_are_counted_and_measured(void **unused) {
  (void)unused;
  sinew_model *model = fixture_arm();
  random_stream r = random_stream_of(17);
  int ends = 0, outside_count = 0;
  for (int round = 0; round < 200; ++round) {
    sinew_task tasks[2];
    sinew_target targets[2];
    double q[7], goal[7];
    sinew_configuration_random(model, 21, (uint64_t)round, goal);
    sinew_configuration_random(model, 22, (uint64_t)round, q);
    tasks[0] = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
    targets[0] = target_at(model, &tasks[0], goal);
    do {
      tasks[1] = any_hard_task(&r, model);
    } while (tasks[1].center_of_mass || tasks[1].frame_link >= 0);
    targets[1] = sinew_default_target();
    random_vector(&r, 0.5, targets[1].position);
    random_unit(&r, 3, targets[1].direction);
    const int rows = sinew_task_hard_rows(tasks, 2);
    assert_int_equal(rows, sinew_task_hard_rows(&tasks[1], 1));
    sinew_solver_def def = sinew_default_solver_def();
    def.hard_rows = rows - 1;
    sinew_solver *solver = solver_with(&def, model, NULL, 0);
    sinew_error error;
    assert_int_equal(sinew_solver_set_tasks(solver, tasks, 2, &error), SINEW_ERROR_CAPACITY);
    sinew_solver_destroy(solver);
    def.hard_rows = rows;
    def.step.method = SINEW_METHOD_DLS;
    solver = solver_with(&def, model, tasks, 2);
    assert_int_equal(sinew_solver_hard_row_count(solver), rows);
    assert_ok(sinew_solver_solve_local(solver, targets, 2, q, NULL));
    if (tasks[1].kind == SINEW_TASK_PLANE || tasks[1].kind == SINEW_TASK_DIRECTION) {
      const double y = barrier_quantity(model, &tasks[1], &targets[1], q),
                   out = barrier_outside(&tasks[1], y);
      sinew_hard_row_report report;
      assert_ok(sinew_solver_hard_row(solver, 0, &report));
      assert_int_equal(report.task, 1);
      assert_int_equal(report.side != 0, out >= -1e-6);
      assert_near(fabs(report.yielded), out > 1e-6 ? out : 0.0, 1e-9);
      ends += report.side != 0;
      outside_count += report.yielded != 0.0;
    }
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
  assert_true(ends > 10 && outside_count > 3);
  const sinew_task none = {.kind = (sinew_task_kind)99, .hard = true};
  assert_int_equal(sinew_task_hard_rows(&none, 1), 0);
}

// A hard task beside tasks that fade: its height is kept whatever their influence, and its report
// names the task as the caller numbers it.
static void fading_tasks_yield_to_hard_ones(void **unused) {
  (void)unused;
  sinew_model *model = fixture_arm();
  sinew_solver_def def = sinew_default_solver_def();
  def.hard_rows = 1;
  def.influences = 1;
  sinew_task tasks[3] = {task_of(SINEW_TASK_ORIENTATION, ARM_FLANGE),
                         task_of(SINEW_TASK_POSITION, ARM_FLANGE),
                         task_of(SINEW_TASK_PLANE, ARM_FLANGE)};
  tasks[0].influence = 0.0;
  tasks[1].influence = 0.0;
  tasks[2].range_upper[0] = INFINITY;
  tasks[2].hard = true;
  sinew_solver *solver = solver_with(&def, model, tasks, 3);
  double q[7], start[7];
  int held = 0;
  sinew_configuration_middle(model, q);
  for (int i = 0; i < 7; ++i) {
    q[i] += 0.1 * (i + 1) / 7;
  }
  memcpy(start, q, sizeof q);
  sinew_target targets[3] = {target_at(model, &tasks[0], q), target_at(model, &tasks[1], q),
                             sinew_default_target()};
  memcpy(targets[2].position, targets[1].position, sizeof targets[2].position);
  targets[2].position[2] -= 0.03;
  targets[2].direction[2] = 1.0;
  targets[1].position[2] -= 0.2;
  for (int frame = 0; frame < 120; ++frame) {
    const double h = 0.5 - 0.5 * cos(6.283185307179586 * frame / 60.0);
    sinew_hard_row_report report;
    assert_ok(sinew_solver_set_influences(solver, (double[]){0.0, h, 1.0}, 3));
    assert_ok(sinew_solver_update(solver, targets, 3, q, NULL));
    assert_true(barrier_quantity(model, &tasks[2], &targets[2], q) >= -KEPT);
    assert_ok(sinew_solver_hard_row(solver, 0, &report));
    assert_int_equal(report.task, 2);
    held += report.side == -1;
  }
  assert_true(held > 20);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

static void bad_input_is_refused_by_name(void **unused) {
  (void)unused;
  sinew_model *model = fixture_arm();
  sinew_error error;
  sinew_solver_def def = sinew_default_solver_def();
  sinew_task task = task_of(SINEW_TASK_PLANE, ARM_FLANGE);
  task.hard = true;
  task.range_upper[0] = INFINITY;
  sinew_solver *solver = solver_with(&def, model, NULL, 0);
  assert_int_equal(sinew_solver_set_tasks(solver, &task, 1, &error), SINEW_ERROR_CAPACITY);
  assert_non_null(strstr(error.message, "hard_rows"));
  sinew_solver_destroy(solver);
  solver = hard_solver(model, NULL, 0, 0.0);
  const struct {
    sinew_task task;
    const char *text;
  } cases[] = {
      {task_of(SINEW_TASK_POSITION, ARM_FLANGE), "range"},
      {task_of(SINEW_TASK_DIRECTION, ARM_FLANGE), "range"},
      {task_of(SINEW_TASK_LINE, ARM_FLANGE), "range"},
      {task, "level"},
  };
  for (int i = 0; i < 4; ++i) {
    sinew_task bad = cases[i].task;
    bad.hard = true;
    bad.level = i == 3;
    assert_int_equal(sinew_solver_set_tasks(solver, &bad, 1, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "hard"));
    assert_non_null(strstr(error.message, cases[i].text));
  }
  sinew_hard_row_report report;
  assert_int_equal(sinew_solver_hard_row_count(solver), 0);
  assert_int_equal(sinew_solver_hard_row(solver, 0, &report), SINEW_ERROR_INDEX);
  sinew_solver_destroy(solver);
  for (int i = 0; i < 2; ++i) {
    def = sinew_default_solver_def();
    def.hard_rows = i == 0 ? -1 : 1001;
    assert_int_equal(sinew_solver_create(&def, model, &solver, &error), SINEW_ERROR_ARGUMENT);
    assert_string_equal(error.name, "hard_rows");
  }
  // What updates do not keep them with: it is refused by name, and solves are not.
  def = sinew_default_solver_def();
  def.hard_rows = 1;
  def.step.method = SINEW_METHOD_DLS;
  const sinew_task both[2] = {task, task_of(SINEW_TASK_POSITION, ARM_FLANGE)};
  sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  targets[0].direction[2] = 1.0;
  sinew_report got;
  double q[7] = {0.0}, same[7] = {0.0};
  solver = solver_with(&def, model, both, 2);
  assert_int_equal(sinew_solver_update(solver, targets, 2, q, &got), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(sinew_solver_last_error(solver)->message, "step.method"));
  assert_int_equal(got.outcome, SINEW_OUTCOME_BAD_INPUT);
  assert_memory_equal(q, same, sizeof q);
  assert_ok(sinew_solver_solve_local(solver, targets, 2, q, NULL));
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(int argc, char **argv) {
  figure_count = argc > 1 ? atoi(argv[1]) : figure_count;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_derivatives),
      cmocka_unit_test(figures_rest_at_barriers),
      cmocka_unit_test(contradicting_rows_yield_in_order),
      cmocka_unit_test(speeds_and_limits_never_yield),
      cmocka_unit_test(accelerations_are_between_clearances_and_intervals),
      cmocka_unit_test(centre_of_mass_stays_above_the_polygon),
      cmocka_unit_test(stretched_figures_come_in_slowly),
      cmocka_unit_test(huge_ends_are_as_none),
      cmocka_unit_test(slides_stop_at_planes),
      cmocka_unit_test(rows_are_counted_and_measured),
      cmocka_unit_test(fading_tasks_yield_to_hard_ones),
      cmocka_unit_test(bad_input_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
