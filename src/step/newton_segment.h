// A segment of Newton's step (segment.h) in the scratch of newton.h.
#ifndef SINEW_STEP_NEWTON_SEGMENT_H
#define SINEW_STEP_NEWTON_SEGMENT_H

#include "step/newton.h"
#include "step/segment.h"

// The members of a segment that elimination and substitution read.
static inline void sinew_newton_fill_segment(const sinew_rows *rows, const sinew_row_segment *of,
                                             const signed char *active, const double *x,
                                             const sinew_newton_scratch *scratch,
                                             sinew_segment *s) {
  s->r = of->row_count;
  s->count = of->count;
  s->w = scratch->w + of->start;
  s->top = of->top;
  s->tip = of->tip;
  s->mu = scratch->mu;
  s->fixed = active != NULL ? active + of->first : NULL;
  s->spherical = rows->spherical != NULL ? rows->spherical + of->first : NULL;
  s->pivot = scratch->pivot + of->first;
  s->y = scratch->y + of->first;
  s->off_diagonal = scratch->off_diagonal + of->first;
  s->x = x + of->first;
  s->rest = scratch->unconstrained + of->first;
  s->point = of->point;
  if (of->value_start >= 0) {
    s->u = rows->values + of->value_start;
    s->v = rows->second + of->value_start;
  } else {
    s->u = s->w;
    s->v = scratch->v + of->start;
  }
}

#endif
