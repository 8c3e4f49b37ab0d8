// What the C library answers, for the tests of the browser package. Prints one row of numbers a
// line.
//
//   oracle updates SCENE STEPS           joint values after each update of a built-in scene
//   oracle clip FILE.bvh STRIDE TIP...   the same for a clip, followed by position targets
//   oracle solve FILE.urdf TIP COUNT     outcome and joint values of global solves in two lanes:
//                                        target i is the pose at random (1, i), seed random (2, i)
//   oracle all FILE.urdf TIP COUNT       the number of solutions of each such target
//   oracle branch FILE.urdf TIP         the signs of the branch at each row of joint values on
//                                        standard input
//   oracle kind FILE CASE STEPS          joint values after each update of a case of tasks, towards
//                                        targets at random (1, 0) from random (2, 0)
//   oracle fk FILE.urdf TIP              poses of TIP at the rows of joint values on standard input
#include "scenes/scenes.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TASKS 16
#define MOST_SOLUTIONS 64

typedef struct figure {
  sinew_document *document;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  double *q;
  int nq;
} figure;

static void require(sinew_result result, const sinew_error *error) {
  if (result == SINEW_OK)
    return;
  fprintf(stderr, "oracle: %s\n", error != NULL ? error->message : sinew_result_string(result));
  exit(2);
}

static void print_row(const double *values, int count) {
  for (int i = 0; i < count; ++i)
    printf(i + 1 < count ? "%.17g " : "%.17g\n", values[i]);
}

static void make(const sinew_model_def *def, figure *f) {
  sinew_error error;
  require(sinew_model_create(def, &f->model, &error), &error);
  require(sinew_state_create(f->model, NULL, &f->state, &error), &error);
  f->nq = sinew_model_nq(f->model);
  f->q = calloc((size_t)f->nq + 1, sizeof *f->q);
  sinew_configuration_middle(f->model, f->q);
}

static figure open_file(const char *path) {
  figure f = {0};
  sinew_error error;
  require(sinew_document_open(path, NULL, &f.document, &error), &error);
  make(&f.document->model, &f);
  return f;
}

static void prepare(figure *f, const sinew_task *tasks, int count, int lanes, double tolerance) {
  sinew_error error;
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = count;
  def.lanes = lanes;
  def.tolerances.position = def.tolerances.orientation = tolerance;
  require(sinew_solver_create(&def, f->model, &f->solver, &error), &error);
  require(sinew_solver_set_tasks(f->solver, tasks, count, &error), &error);
}

static void update(figure *f, const sinew_target *targets, int count) {
  require(sinew_solver_update(f->solver, targets, count, f->q, NULL),
          sinew_solver_last_error(f->solver));
  print_row(f->q, f->nq);
}

static int run_updates(const char *name, int steps) {
  figure f = {0};
  sinew_scene *scene = sinew_scene_create(name);
  sinew_target targets[MOST_TASKS];
  if (scene == NULL || scene->task_count > MOST_TASKS)
    return 2;
  for (int i = 0; i < MOST_TASKS; ++i)
    targets[i] = sinew_default_target();
  make(&scene->model, &f);
  prepare(&f, scene->tasks, scene->task_count, 0, 1e-6);
  for (int step = 0; step < steps; ++step) {
    sinew_scene_targets(scene, f.state, (step + 1) * scene->time_step, targets);
    update(&f, targets, scene->task_count);
  }
  return 0;
}

static int run_clip(const char *path, int stride, char **tips, int count) {
  figure f = open_file(path);
  sinew_task tasks[MOST_TASKS];
  sinew_target targets[MOST_TASKS];
  if (count > MOST_TASKS)
    return 2;
  for (int i = 0; i < count; ++i) {
    tasks[i] = sinew_default_task();
    tasks[i].link = sinew_model_find_link(f.model, tips[i]);
    targets[i] = sinew_default_target();
  }
  prepare(&f, tasks, count, 0, 1e-6);
  const sinew_motion *motion = &f.document->motion;
  memcpy(f.q, motion->q, (size_t)f.nq * sizeof *f.q);
  for (int frame = 0; frame < motion->frame_count; frame += stride) {
    require(sinew_state_forward(f.state, motion->q + (size_t)frame * (size_t)f.nq), NULL);
    for (int i = 0; i < count; ++i)
      require(sinew_state_point(f.state, tasks[i].link, NULL, targets[i].position), NULL);
    update(&f, targets, count);
  }
  return 0;
}

static sinew_target target_at(figure *f, int link, int number) {
  sinew_target target = sinew_default_target();
  sinew_pose pose;
  sinew_configuration_random(f->model, 1, (uint64_t)number, f->q);
  require(sinew_state_forward(f->state, f->q), NULL);
  require(sinew_state_link_pose(f->state, link, &pose), NULL);
  memcpy(target.position, pose.position, sizeof target.position);
  memcpy(target.rotation, pose.rotation, sizeof target.rotation);
  sinew_configuration_random(f->model, 2, (uint64_t)number, f->q);
  return target;
}

static int run_solves(const char *path, const char *tip, int count, bool all) {
  figure f = open_file(path);
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(f.model, tip);
  prepare(&f, &task, 1, 2, 1e-6);
  double *solutions = calloc((size_t)f.nq * MOST_SOLUTIONS, sizeof *solutions);
  for (int i = 0; i < count; ++i) {
    const sinew_target target = target_at(&f, task.link, i);
    sinew_report report;
    if (all) {
      int found;
      require(sinew_solver_solve_all(f.solver, NULL, &target, 1, f.q, MOST_SOLUTIONS, solutions,
                                     &found, &report),
              sinew_solver_last_error(f.solver));
      printf("%d\n", found);
      continue;
    }
    require(sinew_solver_solve(f.solver, &target, 1, f.q, &report),
            sinew_solver_last_error(f.solver));
    printf("%d ", (int)report.outcome);
    print_row(f.q, f.nq);
  }
  free(solutions);
  return 0;
}

// ---- Kinds of tasks and objectives ----

// A case: what it sets, from the defaults, on the links that it names. The same cases stand in
// kinds.test.mjs.
typedef struct kind_case {
  int count, objective_count;
  sinew_task tasks[MOST_TASKS];
  sinew_target targets[MOST_TASKS];
  sinew_objective objectives[2];
  sinew_task point;
  double values[64];
} kind_case;

static int named(const figure *f, const char *link) {
  return sinew_model_find_link(f->model, link);
}

// A task of a link, with a target where the link is at the state's configuration.
static sinew_task *add_task(kind_case *c, const figure *f, const char *link, sinew_task_kind kind) {
  sinew_task *task = &c->tasks[c->count];
  sinew_target *target = &c->targets[c->count++];
  sinew_pose pose;
  *task = sinew_default_task();
  *target = sinew_default_target();
  task->kind = kind;
  task->link = named(f, link);
  require(sinew_state_link_pose(f->state, task->link, &pose), NULL);
  memcpy(target->position, pose.position, sizeof target->position);
  memcpy(target->rotation, pose.rotation, sizeof target->rotation);
  target->direction[0] = 0.6, target->direction[1] = 0.0, target->direction[2] = 0.8;
  return task;
}

static void set3(double *to, double x, double y, double z) {
  to[0] = x, to[1] = y, to[2] = z;
}

static sinew_objective *add_objective(kind_case *c, sinew_objective_kind kind) {
  sinew_objective *objective = &c->objectives[c->objective_count++];
  *objective = sinew_default_objective();
  objective->kind = kind;
  return objective;
}

static bool fill_arm_case(kind_case *c, const figure *f, const char *name) {
  static const char tip[] = "flange";
  sinew_task *task;
  sinew_objective *objective;
  if (strcmp(name, "look_at") == 0) {
    task = add_task(c, f, tip, SINEW_TASK_LOOK_AT);
    set3(task->point_l, 0.0, 0.1, 0.0);
    set3(task->axis_l, 1.0, 0.0, 1.0);
    set3(task->up_axis, 0.0, 1.0, 0.0);
    task->cone_angle = 0.1;
  } else if (strcmp(name, "plane") == 0) {
    task = add_task(c, f, tip, SINEW_TASK_PLANE);
    task->range_lower[0] = -INFINITY;
    task->range_upper[0] = -0.1;
  } else if (strcmp(name, "line") == 0) {
    task = add_task(c, f, tip, SINEW_TASK_LINE);
    task->chain_root = named(f, "link2");
  } else if (strcmp(name, "distance") == 0) {
    add_task(c, f, tip, SINEW_TASK_DISTANCE);
    c->targets[0].distance = 0.2;
  } else if (strcmp(name, "yaw") == 0) {
    task = add_task(c, f, tip, SINEW_TASK_YAW);
    set3(task->axis_l, 1.0, 0.0, 0.0);
    set3(task->up_axis, 0.0, 0.0, 2.0);
  } else if (strcmp(name, "cone") == 0) {
    task = add_task(c, f, tip, SINEW_TASK_DIRECTION);
    task->cone_angle = 0.3;
  } else if (strcmp(name, "tool") == 0) {
    task = add_task(c, f, tip, SINEW_TASK_POSE);
    const double rotation[4] = {0.5, 0.5, -0.5, 0.5};
    memcpy(task->rotation_l, rotation, sizeof rotation);
    const double weights[6] = {1.0, 0.0, 2.0, 1.0, 3.0, 0.0};
    memcpy(task->axis_weights, weights, sizeof weights);
    task->range_lower[0] = -0.05;
    task->range_upper[4] = 0.2;
    task->weight_axes = SINEW_AXES_TOOL;
    task->position_weight = 2.0;
  } else if (strcmp(name, "hard") == 0) {
    add_task(c, f, tip, SINEW_TASK_POSITION)->range_upper[2] = 0.1;
    c->tasks[0].hard = true;
    task = add_task(c, f, tip, SINEW_TASK_DIRECTION);
    task->cone_angle = 0.3;
    task->hard = true;
    add_task(c, f, "link4", SINEW_TASK_POSITION);
  } else if (strcmp(name, "levels") == 0) {
    add_task(c, f, tip, SINEW_TASK_POSITION);
    task = add_task(c, f, "link4", SINEW_TASK_PLANE);
    task->level = 1;
    task->required = SINEW_REQUIRED;
    task = add_task(c, f, tip, SINEW_TASK_ORIENTATION);
    task->level = 2;
  } else if (strcmp(name, "influence") == 0) {
    task = add_task(c, f, tip, SINEW_TASK_POSITION);
    task->influence = 0.5;
    task = add_task(c, f, "link4", SINEW_TASK_POSITION);
    task->required = SINEW_NOT_REQUIRED;
  } else if (strcmp(name, "objectives") == 0) {
    add_task(c, f, tip, SINEW_TASK_POSITION);
    objective = add_objective(c, SINEW_OBJECTIVE_POSTURE);
    for (int i = 0; i < 7; ++i) {
      c->values[i] = 0.1 * i;
      c->values[7 + i] = 1.0 + i;
    }
    objective->posture = c->values;
    objective->weights = c->values + 7;
    objective->gain = 0.5;
    c->point = sinew_default_task();
    c->point.kind = SINEW_TASK_POSITION;
    c->point.link = named(f, tip);
    set3(c->point.point_l, 0.0, 0.0, 0.1);
    objective = add_objective(c, SINEW_OBJECTIVE_MANIPULABILITY);
    objective->level = 2;
    objective->weight = 0.3;
    objective->task = &c->point;
  } else if (strcmp(name, "coupling") == 0) {
    add_task(c, f, tip, SINEW_TASK_POSITION);
    objective = add_objective(c, SINEW_OBJECTIVE_COUPLING);
    c->values[0] = 1.0, c->values[2] = -2.0;
    objective->coefficients = c->values;
    objective->value = 0.2;
    objective = add_objective(c, SINEW_OBJECTIVE_POLE);
    objective->level = 2;
    objective->links[0] = named(f, "link2");
    objective->links[1] = named(f, "link4");
    objective->links[2] = named(f, "link6");
    set3(objective->pole, 0.0, 1.0, 0.5);
    objective->pole_is_direction = true;
  } else
    return false;
  return true;
}

static bool fill_figure_case(kind_case *c, const figure *f, const char *name) {
  if (strcmp(name, "relative") == 0) {
    add_task(c, f, "LeftHand", SINEW_TASK_POSE)->frame_link = named(f, "RightHand");
    set3(c->targets[0].position, 5.0, -2.0, 1.0);
    const double rotation[4] = {1.0, 1.0, 0.0, 0.0};
    memcpy(c->targets[0].rotation, rotation, sizeof rotation);
    add_task(c, f, "RightHand", SINEW_TASK_POSITION);
    return true;
  }
  if (strcmp(name, "mass") == 0) {
    sinew_task *task = add_task(c, f, "lower", SINEW_TASK_LINE);
    task->center_of_mass = true;
    set3(c->targets[0].direction, 0.0, 0.0, 1.0);
    add_task(c, f, "lower", SINEW_TASK_POSITION)->level = 1;
    return true;
  }
  return false;
}

static int run_kind(const char *path, const char *name, int steps) {
  figure f = open_file(path);
  sinew_error error;
  kind_case c = {0};
  sinew_configuration_random(f.model, 1, 0, f.q);
  require(sinew_state_forward(f.state, f.q), NULL);
  if (!fill_arm_case(&c, &f, name) && !fill_figure_case(&c, &f, name))
    return 2;
  sinew_configuration_random(f.model, 2, 0, f.q);
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = c.count;
  def.lower.levels = 2;
  def.lower.objectives = def.lower.rows = 2;
  def.influences = 1;
  def.hard_rows = sinew_task_hard_rows(c.tasks, c.count);
  require(sinew_solver_create(&def, f.model, &f.solver, &error), &error);
  require(sinew_solver_set_tasks(f.solver, c.tasks, c.count, &error), &error);
  require(sinew_solver_set_objectives(f.solver, c.objectives, c.objective_count, &error), &error);
  for (int i = 0; i < steps; ++i)
    update(&f, c.targets, c.count);
  return 0;
}

// Reads the next configuration from standard input.
static bool read_q(const figure *f) {
  for (int i = 0; i < f->nq; ++i)
    if (scanf("%lf", &f->q[i]) != 1)
      return false;
  return true;
}

static int run_branch(const char *path, const char *tip) {
  figure f = open_file(path);
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(f.model, tip);
  prepare(&f, &task, 1, 2, 1e-6);
  while (read_q(&f)) {
    sinew_branch branch;
    require(sinew_solver_branch(f.solver, f.q, &branch), NULL);
    printf("%d", branch.count);
    for (int i = 0; i < branch.count; ++i)
      printf(" %d", branch.signs[i]);
    putchar('\n');
  }
  return 0;
}

static int run_fk(const char *path, const char *tip) {
  figure f = open_file(path);
  const int link = sinew_model_find_link(f.model, tip);
  while (read_q(&f)) {
    sinew_pose pose;
    require(sinew_state_forward(f.state, f.q), NULL);
    require(sinew_state_link_pose(f.state, link, &pose), NULL);
    const double row[7] = {pose.position[0], pose.position[1], pose.position[2], pose.rotation[0],
                           pose.rotation[1], pose.rotation[2], pose.rotation[3]};
    print_row(row, 7);
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 3 ? argv[1] : "";
  if (strcmp(what, "updates") == 0)
    return run_updates(argv[2], atoi(argv[3]));
  if (strcmp(what, "clip") == 0)
    return run_clip(argv[2], atoi(argv[3]), argv + 4, argc - 4);
  if (strcmp(what, "solve") == 0 && argc == 5)
    return run_solves(argv[2], argv[3], atoi(argv[4]), false);
  if (strcmp(what, "all") == 0 && argc == 5)
    return run_solves(argv[2], argv[3], atoi(argv[4]), true);
  if (strcmp(what, "kind") == 0 && argc == 5)
    return run_kind(argv[2], argv[3], atoi(argv[4]));
  if (strcmp(what, "branch") == 0)
    return run_branch(argv[2], argv[3]);
  if (strcmp(what, "fk") == 0)
    return run_fk(argv[2], argv[3]);
  fputs("usage: see oracle.c\n", stderr);
  return 2;
}
