// Columns of revolute and spherical joints by cross products of vectors.
//
// A revolute joint of axis w through p moves a point s with the velocity, per radian,
//
//   linear = w x (s - p),   angular = w
//
// (Buss 2009, section 2). A spherical joint has three such columns, w along its moved axes or, in
// root-frame coordinates (problem.h), along those of the root link. With s plus
// the predicted error in place of s, and J_l^-1 w in place of w in the angular part, J_l the left
// Jacobian of SO(3), the same columns are those of the second factor of Newton's matrix:
// curvature.c.
#include "problem/columns.h"
#include "kinematics/jacobian.h"
#include "math/root_frame_columns.h"
#include "math/rotation.h"
#include "simd/four.h"

// The inputs and outputs of the columns of one task. values: columns of J at the point; e . column
// is added to the gradient of each, and its squares to square, unless gradient is NULL. second:
// columns at the predicted point, angular parts times inverse. Either may be NULL.
typedef struct column_inputs {
  double position, orientation; // weights
  double *values, *gradient;
  sinew_four at;                // the point of the linear columns of values
  sinew_four e, e_turn, square; // e, e_turn: the rows' error
  double *second;
  sinew_four predicted; // that of second
  const sinew_columns *inverse;
} column_inputs;

// The column of a revolute joint with axis w through p: r rows, from entry k of the block.
SINEW_ALWAYS_INLINE void store_revolute(int r, column_inputs *to, sinew_four w, sinew_four p,
                                        double scale, int active_column, int k) {
  const sinew_four position = SINEW_FOUR_OF(scale * to->position),
                   orientation = SINEW_FOUR_OF(scale * to->orientation);
  if (to->values != NULL) {
    const sinew_four linear = position * sinew_four_cross(w, to->at - p);
    const sinew_four angular = orientation * w;
    if (r == 3) {
      sinew_four_store3(to->values + k, linear);
    } else {
      sinew_four_store(to->values + k, linear); // the fourth entry is overwritten next
      sinew_four_store3(to->values + k + 3, angular);
    }
    if (to->gradient != NULL) {
      sinew_four product = linear * to->e, square = linear * linear;
      if (r == 6) {
        product += angular * to->e_turn;
        square += angular * angular;
      }
      to->gradient[active_column] += sinew_four_sum3(product);
      to->square += square;
    }
  }
  if (to->second != NULL) {
    const sinew_four linear = position * sinew_four_cross(w, to->predicted - p);
    if (r == 3) {
      sinew_four_store3(to->second + k, linear);
    } else {
      sinew_four_store(to->second + k, linear);
      sinew_four_store3(to->second + k + 3, orientation * sinew_columns_rotate(*to->inverse, w));
    }
  }
}

// The angular rows of three columns, r apart: all x, all y, all z for the columns of x.
SINEW_SPECIALISED void store_angular(int r, sinew_columns x, sinew_four all, double *out) {
  sinew_four_store3(out + 3, all * x.x);
  sinew_four_store3(out + r + 3, all * x.y);
  sinew_four_store3(out + 2 * r + 3, all * x.z);
}

// The columns of a spherical joint at p in root-frame coordinates: linear e_i x a, a the arm,
// angular e_i or inverse e_i. Each entry of a is in two of the linear columns, and their products
// with e are a x e.
SINEW_SPECIALISED void store_root_frame(int r, column_inputs *to, sinew_four p, double scale,
                                        int active_column, int k) {
  const sinew_four position = SINEW_FOUR_OF(scale * to->position),
                   orientation = SINEW_FOUR_OF(scale * to->orientation);
  if (to->values != NULL) {
    const sinew_four a = position * (to->at - p);
    sinew_four product = sinew_four_cross(a, to->e), square = a * a + a * a;
    sinew_spherical_columns_store(r, a, to->values + k);
    if (r == 6) {
      const sinew_columns one = {
          {1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, SINEW_FOUR_OF(0.0)};
      store_angular(6, one, orientation, to->values + k);
      product += orientation * to->e_turn;
      square += orientation * orientation;
    }
    if (to->gradient != NULL) {
      double *gradient = to->gradient + active_column;
      sinew_four_store3(gradient, sinew_four_load3(gradient) + product);
      to->square += square;
    }
  }
  if (to->second != NULL) {
    sinew_spherical_columns_store(r, position * (to->predicted - p), to->second + k);
    if (r == 6) {
      store_angular(6, *to->inverse, orientation, to->second + k);
    }
  }
}

// The columns of revolute and spherical joints.
SINEW_ALWAYS_INLINE void fill_spans(int r, const sinew_problem *problem, const sinew_state *state,
                                    const sinew_compiled_task *task,
                                    const sinew_evaluation *evaluation, column_inputs *to) {
  const sinew_frame *frames = state->frames;
  const double *scales = problem->scale;
  const sinew_task_span *span = problem->spans + task->span_start, *end = span + task->span_count;
  for (; span < end; ++span) {
    const double(*column)[4] = frames[span->node].column;
    const double *scale = scales + span->column;
    const sinew_four p = sinew_four_load(column[3]);
    const int active_column = span->column, k = span->k * r;
    if (span->kind == SINEW_SPAN_REVOLUTE) {
      store_revolute(r, to, sinew_four_load(column[2]), p, scale[0], active_column, k);
    } else if (span->kind == SINEW_SPAN_ROOT_FRAME) {
      store_root_frame(r, to, p, scale[0], active_column, k);
    } else if (span->kind != SINEW_SPAN_OTHER) {
      const bool cone = span->kind == SINEW_SPAN_CONE && evaluation->in_cones;
      const sinew_frame *axes = cone ? &evaluation->cones[span->i] : &frames[span->node];
      for (int i = 0; i < 3; ++i) {
        store_revolute(r, to, sinew_four_load(axes->column[i]), p, scale[i], active_column + i,
                       k + i * r);
      }
    }
  }
}

// The predicted error of three rows, without weight: share error + left / weight (left NULL: 0).
SINEW_ALWAYS_INLINE sinew_four predicted_error(const double error[3], double share,
                                               const double *left, double weight) {
  const sinew_four all = SINEW_FOUR_OF(share) * sinew_four_load3(error);
  return left != NULL ? all + sinew_four_load3(left) / SINEW_FOUR_OF(weight) : all;
}

// The inverse left Jacobian at the predicted rotation error.
SINEW_ALWAYS_INLINE sinew_columns predicted_inverse(const sinew_compiled_task *task,
                                                    const sinew_task_evaluation *at,
                                                    const double *left, double share) {
  double turn[3], M[9];
  sinew_four_store3(turn, predicted_error(at->turn, share, left != NULL ? left + 3 : NULL,
                                          task->task.orientation_weight));
  sinew_rotation_left_jacobian_inverse(turn, M);
  return (sinew_columns){{M[0], M[3], M[6], 0.0},
                         {M[1], M[4], M[7], 0.0},
                         {M[2], M[5], M[8], 0.0},
                         SINEW_FOUR_OF(0.0)};
}

// One task's columns: values, second, or both. Position columns are for its point or, in values
// with at_target, for its target (the alternate Jacobian of Buss 2009, section 2).
SINEW_SPECIALISED void fill_task(const sinew_problem *problem, const sinew_state *state, int t,
                                 bool values, double *gradient, bool second, const double *left,
                                 double share, sinew_evaluation *out) {
  const sinew_compiled_task *task = &problem->tasks[t];
  const sinew_task_evaluation *at = &out->tasks[t];
  const sinew_row_block *block = &out->rows.blocks[t];
  const double *e = out->rows.residual + block->row,
               *rest = left != NULL ? left + block->row : NULL;
  const sinew_four s = sinew_four_load3(at->s);
  column_inputs to = {.position = task->scale, .orientation = task->task.orientation_weight};
  if (values) {
    to.values = out->rows.values + block->value_start;
    to.gradient = gradient;
    to.at = out->at_target ? s + sinew_four_load3(at->error) : s;
    // sinew_four_load3(e), written so that GCC 12 does not use an encoding of vmovq that
    // valgrind 3.19 does not support.
    to.e = (sinew_four){e[0], e[1], 0.0, 0.0};
    to.e[2] = e[2];
  }
  if (second) {
    to.second = out->rows.second + block->value_start;
    to.predicted = s + predicted_error(at->error, share, rest, task->scale);
  }
  if (task->row_count == 3) {
    fill_spans(3, problem, state, task, out, &to);
  } else {
    sinew_columns inverse;
    if (second) {
      inverse = predicted_inverse(task, at, rest, share);
      to.inverse = &inverse;
    }
    if (values) {
      to.e_turn = sinew_four_load3(e + 3);
    }
    fill_spans(6, problem, state, task, out, &to);
  }
  out->rows.square += values ? sinew_four_sum3(to.square) : 0.0;
}

void sinew_fill_columns(const sinew_problem *problem, const sinew_state *state, double *gradient,
                        sinew_evaluation *out) {
  for (int t = 0; t < problem->count; ++t) {
    if (problem->tasks[t].whole && gradient == NULL) {
      fill_task(problem, state, t, true, NULL, false, NULL, 1.0, out);
    } else if (problem->tasks[t].whole) {
      fill_task(problem, state, t, true, gradient, false, NULL, 1.0, out);
    }
  }
}

void sinew_fill_columns_curved(const sinew_problem *problem, const sinew_state *state,
                               double *gradient, sinew_evaluation *out) {
  for (int t = 0; t < problem->count; ++t) {
    if (problem->tasks[t].whole) {
      fill_task(problem, state, t, true, gradient, true, NULL, 1.0, out);
    }
  }
}

void sinew_fill_columns_predicted(const sinew_problem *problem, const sinew_state *state,
                                  const double *left, double share, sinew_evaluation *out) {
  for (int t = 0; t < problem->count; ++t) {
    if (problem->tasks[t].whole) {
      fill_task(problem, state, t, false, NULL, true, left, share, out);
    }
  }
}

// ----------------------------------------------------------------- rows of J

// What rows of one task are written from and to.
typedef struct row_outputs {
  const sinew_problem *problem;
  const sinew_frame *frames;
  const sinew_compiled_task *task;
  sinew_four at;            // the point
  const int *column_of_dof; // the place of a degree of freedom in a row; NULL: that of its column
  int stride;
  double *J; // the task's first row
} row_outputs;

static int place_of(const row_outputs *to, const sinew_task_span *span) {
  return to->column_of_dof != NULL ? to->column_of_dof[to->problem->dof_of_column[span->column]]
                                   : span->column;
}

// The column of one revolute joint.
static void write_revolute(const row_outputs *to, const sinew_task_span *span) {
  const sinew_frame *frame = &to->frames[span->node];
  const double scale = to->problem->scale[span->column];
  const sinew_four w = sinew_four_load(frame->column[2]);
  const sinew_four linear = SINEW_FOUR_OF(scale * to->task->scale) *
                            sinew_four_cross(w, to->at - sinew_four_load(frame->column[3]));
  const sinew_four angular = SINEW_FOUR_OF(scale * to->task->task.orientation_weight) * w;
  double *out = to->J + place_of(to, span);
  for (int i = 0; i < 3; ++i) {
    out[i * to->stride] = linear[i];
    if (to->task->row_count == 6) {
      out[(3 + i) * to->stride] = angular[i];
    }
  }
}

// The first three entries of vectors of four nodes' frames, one vector for each entry. Spans are in
// order from the tip to the root, columns from the root outward.
SINEW_ALWAYS_INLINE void gather_nodes(const row_outputs *to, const sinew_task_span *span,
                                      int column, sinew_four out[4]) {
  sinew_four of[4];
  for (int i = 0; i < 4; ++i) {
    of[i] = sinew_four_load(to->frames[span[3 - i].node].column[column]);
  }
  sinew_four_transpose(of, out);
}

// The columns of four revolute joints, which are next to each other.
SINEW_ALWAYS_INLINE void write_four(int r, const row_outputs *to, const sinew_task_span *span) {
  sinew_four w[4], a[4];
  gather_nodes(to, span, 2, w);
  gather_nodes(to, span, 3, a);
  for (int i = 0; i < 3; ++i) {
    a[i] = SINEW_FOUR_OF(to->at[i]) - a[i];
  }
  const sinew_four linear[3] = {w[1] * a[2] - w[2] * a[1], w[2] * a[0] - w[0] * a[2],
                                w[0] * a[1] - w[1] * a[0]};
  const sinew_four scale = sinew_four_load(to->problem->scale + span[3].column),
                   position = scale * SINEW_FOUR_OF(to->task->scale),
                   orientation = scale * SINEW_FOUR_OF(to->task->task.orientation_weight);
  double *out = to->J + place_of(to, &span[3]);
  for (int i = 0; i < 3; ++i, out += to->stride) {
    sinew_four_store(out, position * linear[i]);
  }
  for (int i = 0; r == 6 && i < 3; ++i, out += to->stride) {
    sinew_four_store(out, orientation * w[i]);
  }
}

// Whether four columns are next to each other, in the problem and in the rows, where the order of
// the degrees of freedom need not be that of the nodes.
static inline bool are_neighbours(const row_outputs *to, const sinew_task_span *span) {
  const int last = place_of(to, &span[3]);
  return span[0].column - span[3].column == 3 && place_of(to, &span[0]) - last == 3 &&
         place_of(to, &span[1]) - last == 2 && place_of(to, &span[2]) - last == 1;
}

// The rows of one task.
SINEW_ALWAYS_INLINE void write_task(int r, const row_outputs *to, const sinew_task_span *span) {
  const int count = to->task->span_count;
  for (int i = 0; i < count;) {
    const int four = i + 4 <= count || count < 4 ? i : count - 4; // the last ones again
    if (four + 4 <= count && are_neighbours(to, span + four)) {
      write_four(r, to, span + four);
      i = four + 4;
    } else {
      write_revolute(to, span + i++);
    }
  }
}

void sinew_fill_rows(const sinew_problem *problem, const sinew_state *state,
                     const sinew_evaluation *evaluation, const int *column_of_dof, int stride,
                     double *J) {
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    const sinew_task_evaluation *at = &evaluation->tasks[t];
    const sinew_task_span *span = problem->spans + task->span_start;
    row_outputs to = {.problem = problem,
                      .frames = state->frames,
                      .task = task,
                      .at = sinew_four_load3(at->s),
                      .column_of_dof = column_of_dof,
                      .stride = stride,
                      .J = J + evaluation->rows.blocks[t].row * stride};
    if (SINEW_UNLIKELY(evaluation->at_target)) {
      to.at += sinew_four_load3(at->error);
    }
    if (task->row_count == 6) {
      write_task(6, &to, span);
    } else {
      write_task(3, &to, span);
    }
  }
}

void sinew_predicted_error(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                           const double *left, double share, double error[3], double turn[3]) {
  sinew_four_store3(error, predicted_error(at->error, share, left, task->scale));
  if (task->row_count == 6) {
    sinew_four_store3(turn, predicted_error(at->turn, share, left != NULL ? left + 3 : NULL,
                                            task->task.orientation_weight));
  }
}
