// Columns by cross products, whole vectors at a time.
//
// A turn about the axis w through p moves a point s as w x (s - p), and turns what is there about
// w (Buss 2009, section 2). A ball has three of them, along its moved axes. Where the point is the
// one at which a target is expected to be seen, the same columns are those of Newton's step:
// expect.c.
#include "task/columns.h"
#include "kinematics/jacobian.h"
#include "math/four.h"

// Where columns are taken; what brings their turns over (NULL: nothing); and what is summed up on
// the way (gradient NULL: nothing): e . column into the gradient of each, and squares.
typedef struct vantage {
  sinew_four at;
  const sinew_columns *inverse;
  double position, orientation; // weights
  sinew_four e, e_turn;         // the rows' error
  double *gradient;
  sinew_four square;
} vantage;

// The column of a turn about an axis, arm away, of r rows.
SINEW_ALWAYS_INLINE void store_turn(int r, vantage *from, sinew_four axis, sinew_four arm,
                                    double scale, int slot, double *out) {
  const sinew_four linear = sinew_four_of(scale * from->position) * sinew_four_cross(axis, arm);
  sinew_four product = linear * from->e, square = linear * linear;
  if (r == 3) {
    sinew_four_store3(out, linear);
  } else {
    const sinew_four angular =
        sinew_four_of(scale * from->orientation) *
        (from->inverse != NULL ? sinew_columns_rotate(*from->inverse, axis) : axis);
    sinew_four_store(out, linear); // the fourth is written over
    sinew_four_store3(out + 3, angular);
    product += angular * from->e_turn;
    square += angular * angular;
  }
  if (from->gradient != NULL) {
    from->gradient[slot] += sinew_four_sum3(product);
    from->square += square;
  }
}

// Column i of any node, added.
static void add_other(const sinew_task_set *set, const sinew_state *state,
                      const sinew_task_plan *plan, const sinew_task_span *span, const double at[3],
                      double *out) {
  const double scale = set->scale[span->slot];
  double linear[3], angular[3];
  sinew_node_column(state, span->node, span->i, at, linear, angular);
  for (int i = 0; i < 3; ++i) {
    out[i] += scale * plan->scale * linear[i];
    if (plan->row_count == 6) {
      out[3 + i] += scale * plan->task.orientation_weight * angular[i];
    }
  }
}

// The spans of one kind of node each; those of other kinds are left to the caller.
SINEW_ALWAYS_INLINE void fill_spans(int r, const sinew_task_set *set, const sinew_state *state,
                                    const sinew_task_plan *plan, vantage *from, double *values) {
  const sinew_frame *frames = state->frames;
  const double *scales = set->scale;
  const sinew_task_span *span = set->spans + plan->span_start, *end = span + plan->span_count;
  for (; span < end; ++span) {
    const double(*column)[4] = frames[span->node].column;
    const double *scale = scales + span->slot;
    const sinew_four arm = from->at - sinew_four_load(column[3]);
    double *out = values + span->k * r;
    if (span->kind == SINEW_SPAN_TURN) {
      store_turn(r, from, sinew_four_load(column[2]), arm, scale[0], span->slot, out);
    } else if (span->kind == SINEW_SPAN_BALL) {
      for (int i = 0; i < 3; ++i) {
        store_turn(r, from, sinew_four_load(column[i]), arm, scale[i], span->slot + i, out + i * r);
      }
    }
  }
}

SINEW_ALWAYS_INLINE void fill_plain(const sinew_task_set *set, const sinew_state *state,
                                    const sinew_task_plan *plan, const double at[3], double *values,
                                    double *gradient, double *square) {
  const double *e = set->rows.residual + set->rows.blocks[plan - set->plans].row;
  const sinew_four zero = sinew_four_of(0.0);
  vantage from = {.at = sinew_four_load3(at),
                  .position = plan->scale,
                  .orientation = plan->task.orientation_weight,
                  .e = sinew_four_load3(e),
                  .e_turn = zero,
                  .gradient = gradient,
                  .square = zero};
  if (plan->row_count == 3) {
    fill_spans(3, set, state, plan, &from, values);
  } else {
    from.e_turn = sinew_four_load3(e + 3);
    fill_spans(6, set, state, plan, &from, values);
  }
  *square += sinew_four_sum3(from.square);
}

SINEW_TWICE(fill,
            (const sinew_task_set *set, const sinew_state *state, const sinew_task_plan *plan,
             const double at[3], double *values, double *gradient, double *square),
            (set, state, plan, at, values, gradient, square))

SINEW_ALWAYS_INLINE void fill_bent_plain(const sinew_task_set *set, const sinew_state *state,
                                         const sinew_task_plan *plan, const double at[3],
                                         const double *inverse, double *values) {
  const sinew_four zero = sinew_four_of(0.0);
  vantage from = {.at = sinew_four_load3(at),
                  .position = plan->scale,
                  .orientation = plan->task.orientation_weight,
                  .e = zero,
                  .e_turn = zero,
                  .square = zero};
  if (plan->row_count == 3) {
    fill_spans(3, set, state, plan, &from, values);
  } else {
    const sinew_columns columns = {{inverse[0], inverse[3], inverse[6], 0.0},
                                   {inverse[1], inverse[4], inverse[7], 0.0},
                                   {inverse[2], inverse[5], inverse[8], 0.0},
                                   zero};
    from.inverse = &columns;
    fill_spans(6, set, state, plan, &from, values);
  }
}

SINEW_TWICE(fill_bent,
            (const sinew_task_set *set, const sinew_state *state, const sinew_task_plan *plan,
             const double at[3], const double *inverse, double *values),
            (set, state, plan, at, inverse, values))

bool sinew_task_columns(const sinew_task_set *set, const sinew_state *state,
                        const sinew_task_plan *plan, const double at[3], double *values,
                        double *gradient, double *square) {
  fill(state->wide, set, state, plan, at, values, gradient, square);
  for (int c = 0; plan->added && c < plan->span_count; ++c) {
    const sinew_task_span *span = &set->spans[plan->span_start + c];
    if (span->kind == SINEW_SPAN_OTHER) {
      add_other(set, state, plan, span, at, values + span->k * plan->row_count);
    }
  }
  return !plan->added;
}

// Columns of slides know no curvature; those of coupled joints stay of first order.
static void bend_other(const sinew_task_set *set, const sinew_state *state,
                       const sinew_task_plan *plan, const sinew_task_span *span,
                       const double error[3], const double inverse[9], const double *u, double *v) {
  const sinew_node *node = &state->model->nodes[span->node];
  const int r = plan->row_count;
  double axis[3], moved[3];
  memcpy(v, u, (size_t)r * sizeof(double));
  if (span->shared || node->kind == SINEW_NODE_SLIDE) {
    return;
  }
  const double scale = set->scale[span->slot];
  sinew_frame_column(&state->frames[span->node], node->kind == SINEW_NODE_BALL ? span->i : 2, axis);
  sinew_cross(axis, error, moved);
  for (int k = 0; k < 3; ++k) {
    v[k] += scale * plan->scale * moved[k];
  }
  if (r == 6) {
    sinew_rotate(inverse, axis, axis);
    sinew_scale(scale * plan->task.orientation_weight, axis, v + 3);
  }
}

void sinew_task_columns_bent(const sinew_task_set *set, const sinew_state *state,
                             const sinew_task_plan *plan, const double error[3],
                             const double inverse[9], double *second) {
  const double at[3] = {plan->s[0] + error[0], plan->s[1] + error[1], plan->s[2] + error[2]};
  const double *values = set->rows.values + set->rows.blocks[plan - set->plans].value_start;
  fill_bent(state->wide, set, state, plan, at, inverse, second);
  for (int c = 0; plan->added && c < plan->span_count; ++c) {
    const sinew_task_span *span = &set->spans[plan->span_start + c];
    const int from = span->k * plan->row_count;
    if (span->kind == SINEW_SPAN_OTHER) {
      bend_other(set, state, plan, span, error, inverse, values + from, second + from);
    }
  }
}
