// The features of a posture: where it brings the tasks' effectors.
//
// Two postures are as far apart as their effectors, squared distances of points and
// sin^2 of half the angles between turns and between axes summed. What a task leaves
// free is left out: of the axes of rotation one left free leaves that axis of the target
// to be met, and two nothing that a posture could be told by; a point with free axes is
// left out as well.
#include "math/vector.h"
#include "solve/bank.h"

#include <string.h>

// Features beyond this are as good as infinite; their squares are not.
#define MOST 1e15

static bool has_point(const sinew_task *task) {
  return (task->kind == SINEW_TASK_POSITION || task->kind == SINEW_TASK_POSE) &&
         task->position_weight > 0.0 && (task->free_axes & 7u) == 0;
}

// The axis of rotation that is the only one left free; -1: none, 3: more.
static int free_turn(const sinew_task *task) {
  switch (task->free_axes >> 3) {
  case 0:
    return -1;
  case 1:
    return 0;
  case 2:
    return 1;
  case 4:
    return 2;
  default:
    return 3;
  }
}

static bool has_axis(const sinew_task *task) {
  const int axis = free_turn(task);
  return task->orientation_weight > 0.0 &&
         (task->kind == SINEW_TASK_DIRECTION ||
          (task->kind != SINEW_TASK_POSITION && axis >= 0 && axis < 3));
}

static bool has_turn(const sinew_task *task) {
  return (task->kind == SINEW_TASK_ORIENTATION || task->kind == SINEW_TASK_POSE) &&
         task->orientation_weight > 0.0 && free_turn(task) < 0;
}

static void add(sinew_bank_features *features, const sinew_bank_term *term) {
  const int more = term->kind == SINEW_BANK_TURN ? 9 : 3;
  if (sinew_bank_coordinates(features) + more <= SINEW_BANK_MOST_COORDINATES) {
    features->terms[features->term_count++] = *term;
    features->distance_terms += term->kind != SINEW_BANK_TURN;
  }
}

static void add_axis(sinew_bank_features *features, const sinew_task *task, int t) {
  sinew_bank_term term = {.kind = SINEW_BANK_AXIS, .task = t, .axis = -1};
  if (task->kind == SINEW_TASK_DIRECTION) {
    sinew_unit(task->axis_l, term.axis_l);
  } else {
    term.axis = free_turn(task);
    term.axis_l[term.axis] = 1.0;
  }
  add(features, &term);
}

void sinew_bank_features_plan(sinew_bank_features *features, const sinew_task *tasks, int count,
                              double size) {
  features->term_count = features->distance_terms = 0;
  for (int t = 0; t < count; ++t) {
    if (has_point(&tasks[t])) {
      add(features, &(sinew_bank_term){.kind = SINEW_BANK_POINT, .task = t, .scale = 1.0 / size});
    }
    if (has_axis(&tasks[t])) {
      add_axis(features, &tasks[t], t);
    }
  }
  for (int t = 0; t < count; ++t) {
    if (has_turn(&tasks[t])) {
      add(features, &(sinew_bank_term){.kind = SINEW_BANK_TURN, .task = t});
    }
  }
}

int sinew_bank_rows(const sinew_bank_features *features) {
  return 4 * features->term_count - features->distance_terms;
}

int sinew_bank_coordinates(const sinew_bank_features *features) {
  return 9 * features->term_count - 6 * features->distance_terms;
}

// ------------------------------------------------------------------ values

static void put3(const double v[3], double scale, float *rows, float *coordinates) {
  for (int i = 0; i < 3; ++i) {
    rows[i] = coordinates[i] = (float)sinew_clamp(scale * v[i], -MOST, MOST);
  }
}

static void put_turn(const double q[4], const double R[9], float *rows, float *coordinates) {
  for (int i = 0; i < 4; ++i) {
    rows[i] = (float)q[i];
  }
  for (int i = 0; i < 9; ++i) {
    coordinates[i] = (float)(SINEW_BANK_TURN_SCALE * R[i]);
  }
}

void sinew_bank_look(const sinew_bank_features *features, const sinew_task *tasks,
                     const sinew_state *state, float *rows, float *coordinates) {
  for (int k = 0; k < features->term_count; ++k) {
    const sinew_bank_term *term = &features->terms[k];
    const sinew_task *task = &tasks[term->task];
    sinew_frame frame;
    double R[9], v[3], q[4];
    sinew_state_link(state, task->link, &frame);
    sinew_frame_get(&frame, R, NULL);
    if (term->kind == SINEW_BANK_TURN) {
      sinew_quaternion_from_matrix(R, q);
      put_turn(q, R, rows, coordinates);
      rows += 4;
      coordinates += 9;
      continue;
    }
    if (term->kind == SINEW_BANK_POINT) {
      sinew_frame_transform(&frame, task->point_l, v);
      put3(v, term->scale, rows, coordinates);
    } else {
      sinew_rotate(R, term->axis_l, v);
      put3(v, 0.5, rows, coordinates);
    }
    rows += 3;
    coordinates += 3;
  }
}

// R of a quaternion that need not be of unit length, and that of unit length.
static void turn_of(const double rotation[4], double q[4], double R[9]) {
  memcpy(q, rotation, 4 * sizeof(double));
  sinew_quaternion_normalize(q);
  sinew_quaternion_to_matrix(q, R);
}

static void aim_axis(const sinew_bank_term *term, const sinew_target *target, double v[3]) {
  double q[4], R[9];
  if (term->axis < 0) {
    sinew_unit(target->direction, v);
    return;
  }
  turn_of(target->rotation, q, R);
  for (int i = 0; i < 3; ++i) {
    v[i] = R[3 * i + term->axis];
  }
}

void sinew_bank_aim(const sinew_bank_features *features, const sinew_target *targets, float *rows,
                    float *coordinates) {
  for (int k = 0; k < features->term_count; ++k) {
    const sinew_bank_term *term = &features->terms[k];
    const sinew_target *target = &targets[term->task];
    double R[9], v[3], q[4];
    if (term->kind == SINEW_BANK_TURN) {
      turn_of(target->rotation, q, R);
      put_turn(q, R, rows, coordinates);
      rows += 4;
      coordinates += 9;
      continue;
    }
    if (term->kind == SINEW_BANK_POINT) {
      put3(target->position, term->scale, rows, coordinates);
    } else {
      aim_axis(term, target, v);
      put3(v, 0.5, rows, coordinates);
    }
    rows += 3;
    coordinates += 3;
  }
}
