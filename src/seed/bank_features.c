// The features of a posture: the poses of the tasks' effectors.
//
//   distance^2 = sum |p - p'|^2 + sum sin^2(angle / 2)
//
// summed over the points p, and over the angles between orientations and between axes. Free axes
// are left out: with one free axis of rotation, the feature is that axis; with two or three there
// is none; a point with free axes is left out.
//
// A floating base can bring any one effector to its target, so that only the effectors' relative
// poses distinguish postures. All features are then in the axes of one of them and relative to its
// point, if it has one; if no task controls an orientation, the features are the distances between
// points.
#define SINEW_CALLS
#include "math/vector.h"
#include "seed/bank.h"
#include "task/task.h"

#include <string.h>

// The limit on features, whose squares must stay finite.
#define MOST 1e15

bool sinew_bank_has_point(const sinew_task *task) {
  return (sinew_task_posture_features(task) & SINEW_POSTURE_POINT) != 0;
}

bool sinew_bank_has_axis(const sinew_task *task) {
  return (sinew_task_posture_features(task) & SINEW_POSTURE_AXIS) != 0;
}

bool sinew_bank_has_orientation(const sinew_task *task) {
  return (sinew_task_posture_features(task) & SINEW_POSTURE_ORIENTATION) != 0;
}

// ---------------------------------------------------------------------- plan

static void add(sinew_bank_features *features, const sinew_bank_term *term) {
  const bool turn = term->kind == SINEW_BANK_ORIENTATION;
  const int more = turn ? 9 : term->kind == SINEW_BANK_LENGTH ? 1 : 3;
  if (features->distance_rows + 9 * features->turns + more <= SINEW_BANK_MOST_COORDINATES) {
    features->terms[features->term_count++] = *term;
    features->distance_rows += turn ? 0 : more;
    features->turns += turn;
  }
}

// Chooses the reference for a floating base: a pose, or else a task with an orientation.
static void choose_reference(sinew_bank_features *features, const sinew_task *tasks, int count) {
  for (int t = 0; t < count && !features->centred; ++t) {
    if (sinew_bank_has_orientation(&tasks[t]) &&
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
    if (sinew_bank_has_orientation(&tasks[t]) && t != features->reference) {
      add(features, &(sinew_bank_term){.kind = SINEW_BANK_ORIENTATION, .task = t});
    }
  }
}

// -------------------------------------------------------------------- values
//
// The same code reads features of states and of targets. All of it is inlined except rare cases,
// since the time of a look-up matters.

// The source of the points, axes and rotations of tasks.
typedef struct source {
  const sinew_task *tasks;
  const sinew_state *state;    // features of effectors; or NULL:
  const sinew_target *targets; // features of targets
} source;

// The axes and the point of the reference.
typedef struct axes {
  double R[9], p[3];
} axes;

// Normalizes a quaternion; R = s times its matrix.
SINEW_ALWAYS_INLINE void turn_of(const double rotation[4], double s, double q[4], double R[9]) {
  double n = rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2] +
             rotation[3] * rotation[3];
  memcpy(q, rotation, 4 * sizeof(double));
  if (!(n > 1e-200 && n < 1e200)) {
    sinew_quaternion_normalize(q);
    n = 1.0;
  }
  const double w = q[0], x = q[1], y = q[2], z = q[3], k = 2.0 * s / n, unit = 1.0 / sqrt(n);
  R[0] = s - k * (y * y + z * z);
  R[1] = k * (x * y - w * z);
  R[2] = k * (x * z + w * y);
  R[3] = k * (x * y + w * z);
  R[4] = s - k * (x * x + z * z);
  R[5] = k * (y * z - w * x);
  R[6] = k * (x * z - w * y);
  R[7] = k * (y * z + w * x);
  R[8] = s - k * (x * x + y * y);
  for (int i = 0; i < 4; ++i) {
    q[i] *= unit;
  }
}

SINEW_ALWAYS_INLINE void read_point(const source *s, int t, double p[3]) {
  if (s->state == NULL) {
    memcpy(p, s->targets[t].position, 3 * sizeof(double));
    return;
  }
  sinew_frame frame, tool;
  sinew_state_link(s->state, s->tasks[t].link, &frame);
  sinew_task_tool(&s->tasks[t], &frame, &tool);
  sinew_frame_get(&tool, NULL, p);
}

SINEW_ALWAYS_INLINE void read_rotation(const source *s, int t, double R[9]) {
  double q[4];
  sinew_frame frame, tool;
  if (s->state == NULL) {
    turn_of(s->targets[t].rotation, 1.0, q, R);
    return;
  }
  sinew_state_link(s->state, s->tasks[t].link, &frame);
  sinew_task_tool(&s->tasks[t], &frame, &tool);
  sinew_frame_get(&tool, R, NULL);
}

SINEW_ALWAYS_INLINE void read_axis(const source *s, int t, double axis[3]) {
  double R[9];
  if (s->state == NULL) {
    sinew_task_axis_of_target(&s->tasks[t], &s->targets[t], axis);
    return;
  }
  read_rotation(s, t, R);
  sinew_task_axis_of_tool(&s->tasks[t], axis);
  sinew_rotate(R, axis, axis);
}

static double length_between(const source *s, const sinew_bank_term *term) {
  double a[3], b[3];
  read_point(s, term->task, a);
  read_point(s, term->other, b);
  const double away[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sinew_norm_safe(away);
}

SINEW_ALWAYS_INLINE float bounded(double x) {
  return (float)sinew_clamp(x, -MOST, MOST);
}

// A term compared by Euclidean distance, for rows or coordinates. Returns the position after it.
SINEW_ALWAYS_INLINE float *put_distance(const source *s, const sinew_bank_term *term,
                                        const axes *from, float *to) {
  double v[3], scale = 0.5;
  if (term->kind == SINEW_BANK_LENGTH) {
    to[0] = bounded(term->scale * (length_between(s, term) - term->centre[0]));
    return to + 1;
  }
  if (term->kind == SINEW_BANK_POINT) {
    scale = term->scale;
    read_point(s, term->task, v);
    for (int i = 0; from != NULL && i < 3; ++i) {
      v[i] -= from->p[i];
    }
  } else {
    read_axis(s, term->task, v);
  }
  if (from != NULL) {
    sinew_rotate_back(from->R, v, v);
  }
  for (int i = 0; i < 3; ++i) {
    to[i] = bounded(scale * (v[i] - term->centre[i]));
  }
  return to + 3;
}

SINEW_ALWAYS_INLINE void put_turn(const source *s, const sinew_bank_term *term, const axes *from,
                                  float row[4], float coordinate[9]) {
  double q[4], R[9], own[9], back[9];
  double scale = SINEW_BANK_ORIENTATION_SCALE;
  if (s->state == NULL && from == NULL) { // the common case of a look-up
    turn_of(s->targets[term->task].rotation, scale, q, R);
    scale = 1.0;
  } else {
    read_rotation(s, term->task, R);
    if (from != NULL) {
      memcpy(own, R, sizeof own);
      for (int i = 0; i < 9; ++i) {
        back[i] = from->R[3 * (i % 3) + i / 3];
      }
      sinew_matrix_multiply(back, own, R);
    }
    sinew_quaternion_from_matrix(R, q);
  }
  for (int i = 0; i < 4; ++i) {
    row[i] = (float)q[i];
  }
  for (int i = 0; i < 9; ++i) {
    coordinate[i] = (float)(scale * R[i]);
  }
}

SINEW_ALWAYS_INLINE void put_all(const sinew_bank_features *features, const source *s,
                                 const axes *from, float *rows, float *coordinates) {
  const sinew_bank_term *term = features->terms, *end = term + features->term_count;
  const sinew_bank_term *turns = end - features->turns;
  float *to = rows;
  for (; term < turns; ++term) {
    float *next = put_distance(s, term, from, to);
    for (; to < next; ++to) {
      *coordinates++ = *to;
    }
  }
  for (; term < end; ++term, to += 4, coordinates += 9) {
    put_turn(s, term, from, to, coordinates);
  }
}

static void put_relative(const sinew_bank_features *features, const source *s, float *rows,
                         float *coordinates) {
  axes from = {.p = {0.0, 0.0, 0.0}};
  read_rotation(s, features->reference, from.R);
  if (features->centred) {
    read_point(s, features->reference, from.p);
  }
  put_all(features, s, &from, rows, coordinates);
}

void sinew_bank_features_of_state(const sinew_bank_features *features, const sinew_task *tasks,
                                  const sinew_state *state, float *rows, float *coordinates) {
  const source s = {.tasks = tasks, .state = state};
  if (features->reference >= 0) {
    put_relative(features, &s, rows, coordinates);
  } else {
    put_all(features, &s, NULL, rows, coordinates);
  }
}

void sinew_bank_features_of_targets(const sinew_bank_features *features, const sinew_task *tasks,
                                    const sinew_target *targets, float *rows, float *coordinates) {
  const source s = {.tasks = tasks, .targets = targets};
  if (features->reference >= 0) {
    put_relative(features, &s, rows, coordinates);
  } else {
    put_all(features, &s, NULL, rows, coordinates);
  }
}
