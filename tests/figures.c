// See figures.h.
#include "figures.h"
#include "root_frame.h"
#include "scenes/scenes.h"
#include "sinew/formats.h"
#include "link.h"

// ------------------------------------------------------------------ models

sinew_model *figure_spherical_chain(int count) {
  sinew_link_def *links = calloc((size_t)count + 1, sizeof *links);
  sinew_joint_def *joints = calloc((size_t)count, sizeof *joints);
  char(*names)[16] = calloc((size_t)count + 1, sizeof *names);
  assert_true(links != NULL && joints != NULL && names != NULL);
  for (int i = 0; i <= count; ++i) {
    snprintf(names[i], sizeof names[i], "link%d", i);
    links[i] = (sinew_link_def)LINK(names[i]);
  }
  for (int i = 0; i < count; ++i) {
    joints[i] = sinew_default_joint_def();
    joints[i].name = names[i + 1];
    joints[i].kind = SINEW_JOINT_SPHERICAL;
    joints[i].parent = i;
    joints[i].child = i + 1;
    joints[i].placement.position[0] = i > 0 ? 1.0 / count : 0.0;
  }
  sinew_model_def def = sinew_default_model_def();
  def.links = links;
  def.link_count = count + 1;
  def.joints = joints;
  def.joint_count = count;
  sinew_model *model = NULL;
  assert_ok(sinew_model_create(&def, &model, NULL));
  free(links);
  free(joints);
  free(names);
  return model;
}

static sinew_model *read_humanoid(void) {
  sinew_document *document = NULL;
  sinew_model *model = NULL;
  sinew_error error;
  if (sinew_document_open("models/humanoid.bvh", NULL, &document, &error) != SINEW_OK) {
    fail_msg("%s", error.message);
  }
  assert_ok(sinew_model_create(&document->model, &model, &error));
  sinew_document_destroy(document);
  return model;
}

// ----------------------------------------------------------------- figures

void figure_of(figure *f, const char *name, sinew_model *model, const sinew_task *tasks, int count,
               const sinew_solver_def *def) {
  memset(f, 0, sizeof *f);
  snprintf(f->name, sizeof f->name, "%s", name);
  f->model = model;
  f->nq = sinew_model_nq(model);
  f->nv = sinew_model_nv(model);
  f->count = count;
  memcpy(f->tasks, tasks, (size_t)count * sizeof *tasks);
  f->solver = solver_with(def, model, tasks, count);
  assert_ok(sinew_state_create(model, NULL, &f->state, NULL));
}

static void make_chain(figure *f, int count, const sinew_solver_def *def) {
  char name[32];
  sinew_task task = task_of(SINEW_TASK_POSITION, count);
  task.point_l[0] = 1.0 / count;
  snprintf(name, sizeof name, "%d spherical", count);
  figure_of(f, name, figure_spherical_chain(count), &task, 1, def);
}

static void make_humanoid(figure *f, bool clip, const sinew_solver_def *def) {
  static const char *const names[4] = {"LeftHand", "RightHand", "LeftFoot", "RightFoot"};
  static const int places[4] = {HUMANOID_LEFT_HAND, HUMANOID_RIGHT_HAND, HUMANOID_LEFT_FOOT,
                                HUMANOID_RIGHT_FOOT};
  int links[HUMANOID_PLACES];
  sinew_model *model = clip ? read_humanoid() : fixture_humanoid(false, links);
  sinew_task tasks[4];
  for (int i = 0; i < 4; ++i) {
    const int link = clip ? sinew_model_find_link(model, names[i]) : links[places[i]];
    assert_true(link >= 0);
    tasks[i] = task_of(SINEW_TASK_POSITION, link);
  }
  figure_of(f, clip ? "humanoid.bvh" : "humanoid", model, tasks, 4, def);
  f->floats = clip;
}

static void make_double_y(figure *f, const sinew_solver_def *def) {
  sinew_scene *scene = sinew_scene_create("double-y-25");
  sinew_model *model = NULL;
  assert_non_null(scene);
  assert_ok(sinew_model_create(&scene->model, &model, NULL));
  figure_of(f, "double-Y", model, scene->tasks, scene->task_count, def);
  sinew_scene_destroy(scene);
}

static void make_arm(figure *f, bool limited, const sinew_solver_def *def) {
  const sinew_task flange = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  double lower[7], upper[7];
  figure_of(f, limited ? "arm with limits" : "arm", fixture_arm(), &flange, 1, def);
  for (int i = 0; i < 7; ++i) {
    lower[i] = -INFINITY;
    upper[i] = INFINITY;
  }
  assert_ok(sinew_solver_set_limits(f->solver, limited ? NULL : lower, limited ? NULL : upper));
}

void figure_make(figure *f, figure_kind kind, const sinew_solver_def *def) {
  static const int counts[] = {3, 10, 30, 100};
  const sinew_task y[2] = {task_of(SINEW_TASK_POSITION, Y_EFFECTOR_0),
                           task_of(SINEW_TASK_POSITION, Y_EFFECTOR_1)};
  switch (kind) {
  case FIGURE_Y:
    figure_of(f, "Y", fixture_y(), y, 2, def);
    break;
  case FIGURE_DOUBLE_Y:
    make_double_y(f, def);
    break;
  case FIGURE_ARM:
  case FIGURE_ARM_LIMITED:
    make_arm(f, kind == FIGURE_ARM_LIMITED, def);
    break;
  case FIGURE_HUMANOID:
  case FIGURE_HUMANOID_BVH:
    make_humanoid(f, kind == FIGURE_HUMANOID_BVH, def);
    break;
  default:
    make_chain(f, counts[kind - FIGURE_CHAIN_3], def);
  }
}

void figure_end(figure *f) {
  sinew_state_destroy(f->state);
  sinew_solver_destroy(f->solver);
  sinew_model_destroy(f->model);
}

// ---------------------------------------------------------------- measures

void figure_points(const figure *f, const double *q, double *points) {
  assert_ok(sinew_state_forward(f->state, q));
  for (int t = 0; t < f->count; ++t) {
    assert_ok(sinew_state_point(f->state, f->tasks[t].link, f->tasks[t].point_l, points + 3 * t));
  }
}

double figure_moved(const figure *f, const double *q0, const double *q1) {
  sinew_pose pose[2];
  double most = 0.0, point[2][3];
  for (int t = 0; t < f->count; ++t) {
    const sinew_task *task = &f->tasks[t];
    for (int i = 0; i < 2; ++i) {
      assert_ok(sinew_state_forward(f->state, i == 0 ? q0 : q1));
      assert_ok(sinew_state_point(f->state, task->link, task->point_l, point[i]));
      assert_ok(sinew_state_link_pose(f->state, task->link, &pose[i]));
    }
    most = fmax(most, hypot(hypot(point[1][0] - point[0][0], point[1][1] - point[0][1]),
                            point[1][2] - point[0][2]));
    if (task->kind == SINEW_TASK_POSE) {
      double sum = 0.0, other = 0.0;
      for (int i = 0; i < 4; ++i) {
        sum += pow(pose[0].rotation[i] - pose[1].rotation[i], 2.0);
        other += pow(pose[0].rotation[i] + pose[1].rotation[i], 2.0);
      }
      most = fmax(most, 2.0 * sqrt(fmin(sum, other)) * sinew_model_size(f->model));
    }
  }
  return most;
}

void figure_targets_at(const figure *f, const double *q, sinew_target *targets) {
  for (int t = 0; t < f->count; ++t) {
    targets[t] = target_at(f->model, &f->tasks[t], q);
  }
}

// The largest distance that a task's point can have from the root link.
static double reach_of(const figure *f, const sinew_task *task) {
  double q[FIGURE_NV * 2], at[3], next[3];
  sinew_joint joint;
  sinew_configuration_start(f->model, q);
  assert_ok(sinew_state_forward(f->state, q));
  assert_ok(sinew_state_point(f->state, task->link, task->point_l, at));
  double sum = 0.0;
  for (int link = task->link, j; (j = sinew_model_link_joint(f->model, link)) >= 0;
       link = joint.parent) {
    assert_ok(sinew_model_joint(f->model, j, &joint));
    assert_ok(sinew_state_point(f->state, link, NULL, next));
    sum += hypot(hypot(at[0] - next[0], at[1] - next[1]), at[2] - next[2]);
    memcpy(at, next, sizeof at);
  }
  return sum + hypot(hypot(at[0], at[1]), at[2]);
}

void figure_targets_beyond(const figure *f, random_stream *random, double share,
                           sinew_target *targets) {
  for (int t = 0; t < f->count; ++t) {
    const double distance = (1.0 + share) * reach_of(f, &f->tasks[t]);
    targets[t] = sinew_default_target();
    random_unit(random, 3, targets[t].position);
    random_unit(random, 4, targets[t].rotation);
    for (int i = 0; i < 3; ++i) {
      targets[t].position[i] *= distance;
    }
  }
}

// --------------------------------------------------------------- curvature

// The gradient after active column k has moved by x.
static void gradient_at(sinew_solver *solver, const sinew_target *targets, const double *q, int k,
                        double x, double *moved) {
  const int n = solver->evaluation.rows.dof_count;
  double turns[FIGURE_NV];
  sinew_solver_evaluate(solver, targets, q);
  memset(turns, 0, sizeof turns);
  turns[solver->problem.dof_of_column[k]] = x * solver->problem.gain[k];
  root_frame_to_body(solver, turns);
  for (int column = 0; column < n; ++column) {
    solver->linear.x[column] = turns[solver->problem.dof_of_column[column]];
  }
  sinew_solver_apply_step(solver, q, moved);
  sinew_solver_evaluate(solver, targets, moved);
  sinew_solver_linearize(solver, moved, 0.0, true);
}

int figure_curvature(sinew_solver *solver, const sinew_target *targets, const double *q,
                     double *H) {
  const double h = 1e-4;
  const int n = solver->evaluation.rows.dof_count;
  const size_t nv = (size_t)solver->model->nv, bytes = nv * sizeof(double);
  double *moved = calloc((size_t)solver->model->nq, sizeof(double));
  double *limits = calloc(2 * nv, sizeof(double));
  assert_true(moved != NULL && limits != NULL);
  memcpy(limits, solver->problem.lower, bytes); // ignores limits
  memcpy(limits + nv, solver->problem.upper, bytes);
  for (size_t v = 0; v < nv; ++v) {
    solver->problem.lower[v] = -INFINITY;
    solver->problem.upper[v] = INFINITY;
  }
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      H[j * n + k] = 0.0;
    }
    // Central differences of fourth order: error h^4 and rounding / h.
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0};
    static const double weight[4] = {1.0, -8.0, 8.0, -1.0};
    for (int i = 0; i < 4; ++i) {
      gradient_at(solver, targets, q, k, at[i] * h, moved);
      for (int j = 0; j < n; ++j) {
        H[j * n + k] -= weight[i] * solver->linear.gradient[j] / (12.0 * h);
      }
    }
  }
  // The derivative by column k of the gradient's entry j, with j applied after k: the order of
  // exp(k) exp(j), where the axes move along. Where the axes of j stand still, the transpose is the
  // right entry; and within a spherical joint that moves by one rotation vector, the mean of both,
  // in the frames before and after j's rotation.
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) {
      const int a = solver->problem.dof_of_column[j], b = solver->problem.dof_of_column[k];
      const unsigned char *balls = solver->problem.spherical;
      if (balls[j] != 0 && balls[k] != 0 && solver->model->q_of_v[a] == solver->model->q_of_v[b]) {
        H[j * n + k] = H[k * n + j] = 0.5 * (H[j * n + k] + H[k * n + j]);
      } else if (solver->problem.free[a] != 0) {
        H[j * n + k] = H[k * n + j];
      } else {
        H[k * n + j] = H[j * n + k];
      }
    }
  }
  memcpy(solver->problem.lower, limits, bytes);
  memcpy(solver->problem.upper, limits + nv, bytes);
  free(limits);
  free(moved);
  sinew_solver_evaluate(solver, targets, q);
  sinew_solver_linearize(solver, q, 0.0, true);
  return n;
}
