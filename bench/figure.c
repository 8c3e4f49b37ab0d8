// Figures from files, with a solver, a bank and tasks; checks of results by forward kinematics.
#include "bench/common.h"
#include "bench/figure.h"
#include "scenes/expect.h"
#include "sinew/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double median_of(double *times) {
  sort_ascending(times, ROUNDS);
  return times[ROUNDS / 2];
}

void print_times(double *seconds, int count) {
  double sum = 0.0;
  sort_ascending(seconds, count);
  for (int i = 0; i < count; ++i) {
    sum += seconds[i];
  }
  printf("mean %.1f us, median %.1f, 99 %% %.1f, longest %.1f", 1e6 * sum / count,
         1e6 * seconds[count / 2], 1e6 * seconds[(99 * count + 99) / 100 - 1],
         1e6 * seconds[count - 1]);
}

// --------------------------------------------------------------------- figures

// A figure with a floating base: a link that no joint moves, with the root on a FREE joint.
static void create_floating(const sinew_model_def *def, int root, sinew_model **model) {
  sinew_error error;
  sinew_model_def floating = *def;
  sinew_link_def *links = take((size_t)def->link_count + 1, sizeof *links);
  sinew_joint_def *joints = take((size_t)def->joint_count + 1, sizeof *joints);
  memcpy(links, def->links, (size_t)def->link_count * sizeof *links);
  memcpy(joints, def->joints, (size_t)def->joint_count * sizeof *joints);
  links[def->link_count] = sinew_default_link_def();
  links[def->link_count].name = "the_world";
  joints[def->joint_count] = sinew_default_joint_def();
  joints[def->joint_count].name = "floating";
  joints[def->joint_count].kind = SINEW_JOINT_FREE;
  joints[def->joint_count].parent = def->link_count;
  joints[def->joint_count].child = root;
  floating.links = links;
  floating.link_count = def->link_count + 1;
  floating.joints = joints;
  floating.joint_count = def->joint_count + 1;
  require(sinew_model_create(&floating, model, &error), &error);
  free(joints);
  free(links);
}

void open_figure(figure *f, const char *path, bool floats) {
  sinew_document *document;
  sinew_error error;
  *f = (figure){0};
  require(sinew_document_open(path, NULL, &document, &error), &error);
  require(sinew_model_create(&document->model, &f->model, &error), &error);
  if (floats) {
    const int root = sinew_model_root(f->model);
    sinew_model_destroy(f->model);
    create_floating(&document->model, root, &f->model);
  }
  sinew_document_destroy(document);
  f->nq = sinew_model_nq(f->model);
  require(sinew_state_create(f->model, NULL, &f->state, &error), &error);
}

void add_task(figure *f, const char *link) {
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(f->model, link);
  if (task.link < 0 || f->count == MOST_TASKS) {
    fail(link);
  }
  f->tasks[f->count++] = task;
}

void create_solver(figure *f) {
  sinew_error error;
  sinew_solver_def def = sinew_default_solver_def();
  const sinew_bank_def bank = sinew_default_bank_def();
  def.task_capacity = MOST_TASKS;
  def.tolerances.position = TOLERANCE;
  def.tolerances.orientation = TOLERANCE;
  require(sinew_solver_create(&def, f->model, &f->solver, &error), &error);
  require(sinew_solver_set_tasks(f->solver, f->tasks, f->count, &error), &error);
  const double begin = now();
  require(sinew_bank_create(&bank, f->model, f->tasks, f->count, &f->bank, &error), &error);
  printf("  a bank of %d postures, %.1f MiB, created in %.0f ms\n", sinew_bank_size(f->bank),
         (double)sinew_bank_bytes(f->bank) / 1048576.0, 1e3 * (now() - begin));
}

void close_figure(figure *f) {
  sinew_bank_destroy(f->bank);
  sinew_solver_destroy(f->solver);
  sinew_state_destroy(f->state);
  sinew_model_destroy(f->model);
}

void set_targets_at(figure *f, const double *q, sinew_target *targets) {
  sinew_expect_ok(sinew_state_forward(f->state, q));
  for (int t = 0; t < f->count; ++t) {
    sinew_pose pose;
    sinew_expect_ok(sinew_state_link_pose(f->state, f->tasks[t].link, &pose));
    targets[t] = sinew_default_target();
    memcpy(targets[t].position, pose.position, sizeof pose.position);
    memcpy(targets[t].rotation, pose.rotation, sizeof pose.rotation);
  }
}

bool is_true(figure *f, const double *q, const sinew_target *targets) {
  const double bound = TOLERANCE * (1.0 + 1e-6);
  sinew_target reached[MOST_TASKS];
  set_targets_at(f, q, reached);
  for (int t = 0; t < f->count; ++t) {
    double square = 0.0, back[4], turn[4], w[3];
    const double *r = reached[t].rotation;
    for (int i = 0; i < 3; ++i) {
      square += pow(reached[t].position[i] - targets[t].position[i], 2.0);
      back[i + 1] = -r[i + 1];
    }
    back[0] = r[0];
    sinew_quaternion_multiply(back, targets[t].rotation, turn);
    sinew_quaternion_log(turn, w);
    const double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (!(sqrt(square) <= bound && angle <= bound)) {
      return false;
    }
  }
  return true;
}
