// The history of a solver: see history.h. A row has
//
//   whether components are updated by themselves
//   of the whole, then of each component: its numbers
//   X of the last part (nv) and the active bounds (2 nv)
//   what the last predictor found: the error, and what it removed of it
//   of each task its last target
//   with DLS what the adaptive clamp reads
//   of hard tasks: multipliers, and the active rows of their program
//   the last updates, where steps of level 0 were left to levels below
//   of a level below 0: what its steps anticipate, their active bounds, the curvature of its cost
#include "batch/history.h"
#include "solve/components.h"
#include "solve/levels.h"
#include "solve/solver.h"

// Reads or writes values one after another.
typedef struct cursor {
  const double *from; // read, or
  double *to;         // written; neither: only counted
  int stride, count;
} cursor;

static void pass(cursor *c, double *value) {
  if (c->from != NULL) {
    *value = c->from[c->count * c->stride];
  } else if (c->to != NULL) {
    c->to[c->count * c->stride] = *value;
  }
  ++c->count;
}

static void pass_all(cursor *c, int count, double *values) {
  for (int i = 0; i < count; ++i) {
    pass(c, &values[i]);
  }
}

static void pass_int(cursor *c, int *value) {
  double number = *value;
  pass(c, &number);
  *value = (int)number;
}

static void pass_flag(cursor *c, bool *value) {
  double number = *value;
  pass(c, &number);
  *value = number != 0.0;
}

// Active bounds and the like.
static void pass_ends(cursor *c, int count, signed char *ends) {
  for (int i = 0; i < count; ++i) {
    double end = ends[i];
    pass(c, &end);
    ends[i] = (signed char)end;
  }
}

static void pass_fields(cursor *c, sinew_history *history) {
  pass(c, &history->updates_at_rest);
  pass(c, &history->recent);
  pass(c, &history->motion);
  pass(c, &history->predicted);
  pass(c, &history->keeps);
  pass(c, &history->gradient);
  pass(c, &history->E);
  pass(c, &history->caution);
  pass(c, &history->place);
  pass(c, &history->slide);
  pass(c, &history->spread);
  pass_int(c, &history->parts);
  pass_flag(c, &history->cut);
  pass_flag(c, &history->has_before);
  history->steady &= c->from == NULL; // factors are not part of a row
}

// All fields: those of components are in another order than their tasks.
static void pass_target(cursor *c, sinew_target *target) {
  pass_all(c, 3, target->position);
  pass_all(c, 4, target->rotation);
  pass_all(c, 3, target->direction);
  pass(c, &target->distance);
}

static void pass_arrays(cursor *c, sinew_solver *solver) {
  const bool tracking = solver->def.step.method == SINEW_METHOD_DEFAULT;
  pass_all(c, solver->model->nv, solver->history.step);
  pass_ends(c, 2 * solver->model->nv, solver->history.active);
  pass_all(c, tracking ? 6 * solver->problem.count : 0, solver->history.kept_error);
  pass_all(c, tracking ? 6 * solver->problem.count : 0, solver->history.removed);
  for (int t = 0; t < solver->problem.count; ++t) {
    if (tracking) {
      pass_target(c, &solver->history.targets[t]);
    } else {
      sinew_last_update *before = &solver->history.before[t];
      pass_all(c, 3, before->target);
      pass_all(c, 9, before->target_R);
      pass(c, &before->error);
    }
  }
}

static void pass_hard(cursor *c, sinew_solver *solver) {
  sinew_hard *hard = &solver->hard;
  if (hard->total > 0) {
    pass_all(c, hard->total, hard->multiplier);
    pass_ends(c, 2 * solver->model->nv + hard->capacity, hard->scratch.program.active);
  }
}

static void pass_level(cursor *c, int columns, sinew_lower_level *level) {
  sinew_overshoot *overshoot = &level->overshoot;
  pass(c, &level->share);
  pass(c, &level->kept);
  pass_flag(c, &level->longer);
  pass_int(c, &level->keeps);
  pass(c, &overshoot->factor);
  pass_int(c, &overshoot->known);
  pass_flag(c, &overshoot->alone);
  pass_all(c, columns, overshoot->x);
  pass_all(c, columns, overshoot->dx);
  pass_all(c, columns, overshoot->s);
  pass_all(c, columns, overshoot->ds);
}

static void pass_differences(cursor *c, int count, sinew_backward_differences *of) {
  pass_int(c, &of->known);
  pass_int(c, &of->order);
  pass_all(c, SINEW_BACKWARD_DIFFERENCES + 1, of->squares);
  for (int i = 0; i <= SINEW_BACKWARD_DIFFERENCES; ++i) {
    pass_all(c, count, of->D[i]);
  }
}

// Of past updates those that are mostly enough (solve/left_out.c).
#define PAST_UPDATES 3

static void pass_past(cursor *c, sinew_solver *solver, sinew_past_update *past, double *q) {
  const int rows = 6 * solver->problem.count;
  pass_all(c, solver->model->nq, q);
  pass_all(c, solver->model->nv, past->step);
  for (int t = 0; t < solver->problem.count; ++t) {
    pass_target(c, &past->targets[t]);
  }
  pass(c, &past->rest);
  pass(c, &past->recent);
  pass(c, &past->motion);
  pass_int(c, &past->parts);
  pass_fields(c, &past->history);
  pass_ends(c, 2 * solver->model->nv, past->history.active);
  pass_all(c, rows, past->history.kept_error);
  pass_all(c, rows, past->history.removed);
}

// From the last update on, which is at the place of the next one until that begins.
static void pass_left_out(cursor *c, sinew_solver *solver, sinew_left_out *left) {
  pass_flag(c, &left->some);
  pass_flag(c, &left->saved);
  pass_int(c, &left->count);
  pass_int(c, &left->whole);
  pass_int(c, &left->next);
  left->now = &left->past[left->next];
  for (int i = 0; i < PAST_UPDATES; ++i) {
    sinew_past_update *past = &left->past[(left->next - i) & LEFT_OUT_UPDATES];
    pass_flag(c, &past->alone);
    const bool begun = i == 0 && left->some && past->alone;
    pass_past(c, solver, past, begun ? solver->levels->before : past->q);
  }
  const int most = PAST_UPDATES - 1; // before the last one
  left->count = c->from != NULL && left->count > most ? most : left->count;
}

// Of levels with objectives alone, as crowds have them.
static void pass_levels(cursor *c, sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  const int rows = solver->problem.pattern.row_count;
  const int each = sinew_levels_marks(&solver->def, solver->model);
  if (levels->used) {
    pass_int(c, &levels->failed);
    pass_int(c, &levels->idle);
    pass_int(c, &levels->waited);
    pass_int(c, &levels->bounds);
    pass_flag(c, &levels->expects);
    pass_flag(c, &levels->was_alone);
    pass(c, &levels->rest);
    pass_all(c, solver->model->nv, levels->last);
    pass_left_out(c, solver, levels->left_out);
    pass_differences(c, rows, &levels->beyond);
    pass_ends(c, levels->count * each, levels->active);
    for (int k = 0; k < levels->count; ++k) {
      pass_level(c, levels->n, &levels->lower[k]);
    }
  }
}

// Where it is read, components get their arrays before.
static void pass_history(cursor *c, sinew_solver *solver) {
  bool tracked = solver->components.tracked;
  pass_flag(c, &tracked);
  if (tracked && c->from != NULL) {
    sinew_components_count(solver);
    solver->components.tracked = false;
    sinew_components_track(solver);
  }
  solver->components.tracked = tracked;
  pass_fields(c, &solver->history);
  for (int k = 0; k < solver->problem.component_count; ++k) {
    sinew_history none = {0};
    pass_fields(c, tracked ? &solver->components.solvers[k].history : &none);
  }
  pass_arrays(c, solver);
  pass_hard(c, solver);
  pass_levels(c, solver);
}

int sinew_solver_history_size(sinew_solver *solver) {
  cursor c = {.count = 0};
  pass_history(&c, solver);
  return c.count;
}

void sinew_solver_load_history(sinew_solver *solver, const double *row, int stride) {
  cursor c = {.from = row, .stride = stride};
  pass_history(&c, solver);
}

void sinew_solver_store_history(sinew_solver *solver, double *row, int stride) {
  cursor c = {.to = row, .stride = stride};
  pass_history(&c, solver);
}
