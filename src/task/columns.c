// Columns by cross products, whole vectors at a time.
//
// A turn about the axis w through p moves a point s as w x (s - p), and turns what is there about
// w (Buss 2009, section 2). A ball has three of them, along its moved axes. Where the point is the
// one at which a target is expected to be seen, the same columns are those of Newton's step:
// expect.c. Free balls turn about the axes of the root link's frame: task.h.
#include "task/columns.h"
#include "kinematics/jacobian.h"
#include "math/ball.h"
#include "math/four.h"
#include "math/rotation.h"

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
  const sinew_four linear = SINEW_FOUR_OF(scale * from->position) * sinew_four_cross(axis, arm);
  sinew_four product = linear * from->e, square = linear * linear;
  if (r == 3) {
    sinew_four_store3(out, linear);
  } else {
    const sinew_four angular =
        SINEW_FOUR_OF(scale * from->orientation) *
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

// The columns of a free ball: linear e_i x a, angular e_i, or what the inverse makes of it. Those
// of linear have each entry of a twice, and their products with e are a x e.
SINEW_ALWAYS_INLINE void store_free(int r, vantage *from, sinew_four arm, double scale, int slot,
                                    double *out) {
  const sinew_four a = SINEW_FOUR_OF(scale * from->position) * arm;
  sinew_four product = sinew_four_cross(a, from->e), square = a * a + a * a;
  sinew_ball_store(r, a, out);
  if (r == 6) {
    const sinew_four all = SINEW_FOUR_OF(scale * from->orientation);
    const sinew_four x = {1.0, 0.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0, 0.0};
    const sinew_columns *inverse = from->inverse;
    sinew_four_store3(out + 3, all * (inverse != NULL ? inverse->x : x));
    sinew_four_store3(out + 9, all * (inverse != NULL ? inverse->y : y));
    sinew_four_store3(out + 15, all * (inverse != NULL ? inverse->z : z));
    product += all * from->e_turn;
    square += all * all;
  }
  if (from->gradient != NULL) {
    sinew_four_store3(from->gradient + slot, sinew_four_load3(from->gradient + slot) + product);
    from->square += square;
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
    } else if (span->kind == SINEW_SPAN_FREE) {
      store_free(r, from, arm, scale[0], span->slot, out);
    } else if (span->kind == SINEW_SPAN_BALL) {
      for (int i = 0; i < 3; ++i) {
        store_turn(r, from, sinew_four_load(column[i]), arm, scale[i], span->slot + i, out + i * r);
      }
    }
  }
}

// The vantage of a task's point, or of its target (Buss 2009, section 2, the alternate Jacobian).
SINEW_ALWAYS_INLINE vantage vantage_of(const sinew_task_set *set, const sinew_task_plan *plan) {
  const double *e = set->rows.residual + set->rows.blocks[plan - set->plans].row;
  const sinew_four zero = SINEW_FOUR_OF(0.0), s = sinew_four_load3(plan->s);
  return (vantage){.at = set->at_target ? s + sinew_four_load3(plan->error) : s,
                   .position = plan->scale,
                   .orientation = plan->task.orientation_weight,
                   .e = sinew_four_load3(e),
                   .e_turn = plan->row_count == 6 ? sinew_four_load3(e + 3) : zero,
                   .square = zero};
}

SINEW_ALWAYS_INLINE void fill_plain(sinew_task_set *set, const sinew_state *state,
                                    double *gradient) {
  for (int t = 0; t < set->count; ++t) {
    const sinew_task_plan *plan = &set->plans[t];
    double *values = set->rows.values + set->rows.blocks[t].value_start;
    if (!plan->whole) {
      continue;
    }
    vantage from = vantage_of(set, plan);
    from.gradient = gradient;
    if (plan->row_count == 3) {
      fill_spans(3, set, state, plan, &from, values);
    } else {
      fill_spans(6, set, state, plan, &from, values);
    }
    set->rows.square += sinew_four_sum3(from.square);
  }
}

SINEW_TWICE(fill, (sinew_task_set * set, const sinew_state *state, double *gradient),
            (set, state, gradient))

void sinew_task_columns(sinew_task_set *set, const sinew_state *state, double *gradient) {
  fill(state->wide, set, state, gradient);
}

SINEW_ALWAYS_INLINE sinew_columns matrix_columns(const double M[9]) {
  return (sinew_columns){{M[0], M[3], M[6], 0.0},
                         {M[1], M[4], M[7], 0.0},
                         {M[2], M[5], M[8], 0.0},
                         SINEW_FOUR_OF(0.0)};
}

// What is left of three rows' error, in its own unit.
SINEW_ALWAYS_INLINE sinew_four left_of(const double error[3], double share, const double *left,
                                       double weight) {
  const sinew_four all = SINEW_FOUR_OF(share) * sinew_four_load3(error);
  return left != NULL ? all + sinew_four_load3(left) / SINEW_FOUR_OF(weight) : all;
}

SINEW_ALWAYS_INLINE void expect_plain(sinew_task_set *set, const sinew_state *state,
                                      const double *left, double share) {
  for (int t = 0; t < set->count; ++t) {
    const sinew_task_plan *plan = &set->plans[t];
    const sinew_row_block *block = &set->rows.blocks[t];
    const double *rest = left != NULL ? left + block->row : NULL;
    double *second = set->rows.second + block->value_start;
    if (!plan->whole) {
      continue;
    }
    vantage from = vantage_of(set, plan);
    from.at = sinew_four_load3(plan->s) + left_of(plan->error, share, rest, plan->scale);
    if (plan->row_count == 3) {
      fill_spans(3, set, state, plan, &from, second);
      continue;
    }
    double turn[3], inverse[9];
    sinew_four_store3(turn, left_of(plan->turn, share, rest != NULL ? rest + 3 : NULL,
                                    plan->task.orientation_weight));
    sinew_rotation_left_jacobian_inverse(turn, inverse);
    const sinew_columns columns = matrix_columns(inverse);
    from.inverse = &columns;
    fill_spans(6, set, state, plan, &from, second);
  }
}

SINEW_TWICE(expect,
            (sinew_task_set * set, const sinew_state *state, const double *left, double share),
            (set, state, left, share))

void sinew_task_columns_expected(sinew_task_set *set, const sinew_state *state, const double *left,
                                 double share) {
  expect(state->wide, set, state, left, share);
}

void sinew_task_expected_error(const sinew_task_plan *plan, const double *left, double share,
                               double error[3], double turn[3]) {
  sinew_four_store3(error, left_of(plan->error, share, left, plan->scale));
  if (plan->row_count == 6) {
    sinew_four_store3(turn, left_of(plan->turn, share, left != NULL ? left + 3 : NULL,
                                    plan->task.orientation_weight));
  }
}
