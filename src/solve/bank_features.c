// The features of a posture: where it brings the tasks' effectors.
//
// Two postures are as far apart as their effectors, squared distances of points and
// sin^2 of half the angles between turns and between axes summed. What a task leaves
// free is left out: of the axes of rotation one left free leaves that axis of the target
// to be met, and two nothing that a posture could be told by; a point with free axes is
// left out as well.
//
// Where the base floats it can bring any one effector to its target, so that only how
// effectors stand to each other tells a posture: all are told in the axes of one of them,
// from its point if it has one, and else points by how far they are from each other.
#include "math/vector.h"
#include "solve/bank.h"

#include <string.h>

// Features beyond this are as good as infinite; their squares are not.
#define MOST 1e15

bool sinew_bank_has_point(const sinew_task *task) {
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

bool sinew_bank_has_axis(const sinew_task *task) {
  const int axis = free_turn(task);
  return task->orientation_weight > 0.0 &&
         (task->kind == SINEW_TASK_DIRECTION ||
          (task->kind != SINEW_TASK_POSITION && axis >= 0 && axis < 3));
}

bool sinew_bank_has_turn(const sinew_task *task) {
  return (task->kind == SINEW_TASK_ORIENTATION || task->kind == SINEW_TASK_POSE) &&
         task->orientation_weight > 0.0 && free_turn(task) < 0;
}

void sinew_bank_axis_of_link(const sinew_task *task, double axis_l[3]) {
  if (task->kind == SINEW_TASK_DIRECTION) {
    sinew_unit(task->axis_l, axis_l);
  } else {
    axis_l[0] = axis_l[1] = axis_l[2] = 0.0;
    axis_l[free_turn(task)] = 1.0;
  }
}

// R of a quaternion that need not be of unit length, and that of unit length.
static void turn_of(const double rotation[4], double q[4], double R[9]) {
  memcpy(q, rotation, 4 * sizeof(double));
  sinew_quaternion_normalize(q);
  sinew_quaternion_to_matrix(q, R);
}

void sinew_bank_axis_of_target(const sinew_task *task, const sinew_target *target, double axis[3]) {
  double q[4], R[9];
  if (task->kind == SINEW_TASK_DIRECTION) {
    sinew_unit(target->direction, axis);
    return;
  }
  turn_of(target->rotation, q, R);
  for (int i = 0; i < 3; ++i) {
    axis[i] = R[3 * i + free_turn(task)];
  }
}

// ---------------------------------------------------------------------- plan

static void add(sinew_bank_features *features, const sinew_bank_term *term) {
  const bool turn = term->kind == SINEW_BANK_TURN;
  const int more = turn ? 9 : term->kind == SINEW_BANK_LENGTH ? 1 : 3;
  if (features->distance_rows + 9 * features->turns + more <= SINEW_BANK_MOST_COORDINATES) {
    features->terms[features->term_count++] = *term;
    features->distance_rows += turn ? 0 : more;
    features->turns += turn;
  }
}

// In whose axes all are told where the base floats: a pose, or else what has a turn.
static void choose_reference(sinew_bank_features *features, const sinew_task *tasks, int count) {
  for (int t = 0; t < count && !features->centred; ++t) {
    if (sinew_bank_has_turn(&tasks[t]) &&
        (features->reference < 0 || sinew_bank_has_point(&tasks[t]))) {
      features->reference = t;
      features->centred = sinew_bank_has_point(&tasks[t]);
    }
  }
}

static void add_lengths(sinew_bank_features *features, const sinew_task *tasks, int t,
                        double scale) {
  for (int other = 0; other < t; ++other) {
    if (sinew_bank_has_point(&tasks[other])) {
      add(features,
          &(sinew_bank_term){.kind = SINEW_BANK_LENGTH, .task = t, .other = other, .scale = scale});
    }
  }
}

void sinew_bank_features_plan(sinew_bank_features *features, const sinew_task *tasks, int count,
                              double size, bool floats) {
  features->term_count = features->distance_rows = features->turns = 0;
  features->reference = -1;
  features->centred = false;
  if (floats) {
    choose_reference(features, tasks, count);
  }
  const bool points = !floats || features->centred, axes = !floats || features->reference >= 0;
  for (int t = 0; t < count; ++t) {
    const bool centre = features->centred && t == features->reference;
    if (sinew_bank_has_point(&tasks[t]) && points && !centre) {
      add(features, &(sinew_bank_term){.kind = SINEW_BANK_POINT, .task = t, .scale = 1.0 / size});
    } else if (sinew_bank_has_point(&tasks[t]) && !points) {
      add_lengths(features, tasks, t, 1.0 / size);
    }
    if (sinew_bank_has_axis(&tasks[t]) && axes) {
      add(features, &(sinew_bank_term){.kind = SINEW_BANK_AXIS, .task = t});
    }
  }
  for (int t = 0; t < count; ++t) {
    if (sinew_bank_has_turn(&tasks[t]) && t != features->reference) {
      add(features, &(sinew_bank_term){.kind = SINEW_BANK_TURN, .task = t});
    }
  }
}

// -------------------------------------------------------------------- values

// Where effectors are, and where they shall be, told alike: of a task its point, its axis,
// its turn.
typedef struct sight {
  const sinew_task *tasks;
  const sinew_state *state;    // where they are; or NULL:
  const sinew_target *targets; // where they shall be
} sight;

static void see_point(const sight *s, int t, double p[3]) {
  if (s->state == NULL) {
    memcpy(p, s->targets[t].position, 3 * sizeof(double));
    return;
  }
  sinew_frame frame;
  sinew_state_link(s->state, s->tasks[t].link, &frame);
  sinew_frame_transform(&frame, s->tasks[t].point_l, p);
}

static void see_turn(const sight *s, int t, double q[4], double R[9]) {
  if (s->state == NULL) {
    turn_of(s->targets[t].rotation, q, R);
    return;
  }
  sinew_frame frame;
  sinew_state_link(s->state, s->tasks[t].link, &frame);
  sinew_frame_get(&frame, R, NULL);
  sinew_quaternion_from_matrix(R, q);
}

static void see_axis(const sight *s, int t, double axis[3]) {
  if (s->state == NULL) {
    sinew_bank_axis_of_target(&s->tasks[t], &s->targets[t], axis);
    return;
  }
  double R[9], q[4];
  see_turn(s, t, q, R);
  sinew_bank_axis_of_link(&s->tasks[t], axis);
  sinew_rotate(R, axis, axis);
}

static float *put(int count, const double *v, double scale, float *to) {
  for (int i = 0; i < count; ++i) {
    to[i] = (float)sinew_clamp(scale * v[i], -MOST, MOST);
  }
  return to + count;
}

static double length_between(const sight *s, const sinew_bank_term *term) {
  double a[3], b[3];
  see_point(s, term->task, a);
  see_point(s, term->other, b);
  const double away[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sinew_norm_safe(away);
}

// In the axes of the reference, and from its point.
typedef struct axes {
  double R[9], q[4], p[3];
} axes;

// rows and coordinates alike, of what counts by distance.
static float *put_distance(const sight *s, const sinew_bank_term *term, const axes *from,
                           float *to) {
  double v[3] = {0.0, 0.0, 0.0};
  if (term->kind == SINEW_BANK_LENGTH) {
    v[0] = length_between(s, term);
    return put(1, v, term->scale, to);
  }
  if (term->kind == SINEW_BANK_POINT) {
    see_point(s, term->task, v);
    for (int i = 0; from != NULL && i < 3; ++i) {
      v[i] -= from->p[i];
    }
  } else {
    see_axis(s, term->task, v);
  }
  if (from != NULL) {
    sinew_rotate_back(from->R, v, v);
  }
  return put(3, v, term->kind == SINEW_BANK_POINT ? term->scale : 0.5, to);
}

static void put_turn(const sight *s, const sinew_bank_term *term, const axes *from, float *row,
                     float *coordinate) {
  double q[4], R[9];
  see_turn(s, term->task, q, R);
  if (from != NULL) {
    const double back[4] = {from->q[0], -from->q[1], -from->q[2], -from->q[3]};
    sinew_quaternion_multiply(back, q, q);
    sinew_quaternion_to_matrix(q, R);
  }
  put(4, q, 1.0, row);
  put(9, R, SINEW_BANK_TURN_SCALE, coordinate);
}

static void put_all(const sinew_bank_features *features, const sight *s, float *rows,
                    float *coordinates) {
  axes reference = {.p = {0.0, 0.0, 0.0}};
  const axes *from = NULL;
  if (features->reference >= 0) {
    see_turn(s, features->reference, reference.q, reference.R);
    if (features->centred) {
      see_point(s, features->reference, reference.p);
    }
    from = &reference;
  }
  const int turn_start = features->term_count - features->turns;
  float *to = rows;
  for (int k = 0; k < turn_start; ++k) {
    to = put_distance(s, &features->terms[k], from, to);
  }
  if (features->distance_rows > 0) {
    memcpy(coordinates, rows, (size_t)features->distance_rows * sizeof(float));
  }
  coordinates += features->distance_rows;
  for (int k = turn_start; k < features->term_count; ++k, to += 4, coordinates += 9) {
    put_turn(s, &features->terms[k], from, to, coordinates);
  }
}

void sinew_bank_look(const sinew_bank_features *features, const sinew_task *tasks,
                     const sinew_state *state, float *rows, float *coordinates) {
  put_all(features, &(sight){.tasks = tasks, .state = state}, rows, coordinates);
}

void sinew_bank_aim(const sinew_bank_features *features, const sinew_task *tasks,
                    const sinew_target *targets, float *rows, float *coordinates) {
  put_all(features, &(sight){.tasks = tasks, .targets = targets}, rows, coordinates);
}
