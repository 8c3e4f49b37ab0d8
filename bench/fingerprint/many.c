// Many problems at once, and many figures.
#include "bench/fingerprint/calls.h"
#include "bench/fingerprint/cases.h"
#include "bench/fingerprint/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (int)(sizeof(a) / sizeof((a)[0]))
#define PROBLEMS 27 // not a multiple of any lane count
#define FIGURES 13  // likewise

static const int widths[] = {1, 2, 4, 8, 0};

// One row of target values, as batches and crowds read them.
static double *write_row(const subject *s, const sinew_target *targets, double *row) {
  for (int t = 0; t < s->count; ++t) {
    const sinew_task *task = &s->tasks[t];
    const bool point = task->kind == SINEW_TASK_POSITION, free = point && task->free_axes != 0;
    if (point || task->kind == SINEW_TASK_POSE) {
      memcpy(row, targets[t].position, sizeof targets[t].position);
      row += 3;
    }
    if (task->kind == SINEW_TASK_DIRECTION) {
      memcpy(row, targets[t].direction, sizeof targets[t].direction);
      row += 3;
    } else if (!point || free) {
      memcpy(row, targets[t].rotation, sizeof targets[t].rotation);
      row += 4;
    }
  }
  return row;
}

// ----------------------------------------------------------------------- batches

typedef struct table {
  double *targets, *seeds, *q;
  sinew_batch_row rows[PROBLEMS];
} table;

static void fill_table(const subject *s, int row, table *t) {
  const size_t nq = (size_t)s->nq;
  sinew_target *targets = take((size_t)s->count, sizeof *targets);
  *t = (table){.targets = take((size_t)PROBLEMS * (size_t)row, sizeof(double)),
               .seeds = take(PROBLEMS * nq, sizeof(double)),
               .q = take(PROBLEMS * nq, sizeof(double))};
  for (int i = 0; i < PROBLEMS; ++i) {
    double *seed = t->seeds + (size_t)i * nq;
    sinew_configuration_random(s->model, 21, (uint64_t)i, seed);
    subject_targets_at(s, seed, i % 9 == 8 ? 3.0 : 1.0, targets);
    const double *end = write_row(s, targets, t->targets + (size_t)i * (size_t)row);
    if (end != t->targets + (size_t)(i + 1) * (size_t)row) {
      record_fail("rows are of %d values", row);
    }
    sinew_configuration_random(s->model, 22, (uint64_t)i, seed);
  }
  t->targets[(size_t)5 * (size_t)row] = NAN; // an invalid problem
  free(targets);
}

static void solve_batch(const char *name, unsigned changes, bool seeded, bool with_bank,
                        int lanes) {
  subject s;
  batch b;
  table t;
  if (!record_begin("batch/%s%s%s%s/%d-lanes", name, changes != 0 ? "-mixed" : "",
                    seeded ? "-seeds" : "", with_bank ? "-bank" : "", lanes)) {
    return;
  }
  subject_open(&s, name, changes);
  sinew_bank *bank = with_bank ? make_bank(&s, 1024) : NULL;
  if (make_batch(&s, lanes, 60, bank, &b)) {
    fill_table(&s, b.row, &t);
    measured_batch(&b, t.targets, seeded ? t.seeds : NULL, t.q, t.rows, 0, 10);
    measured_batch(&b, t.targets, seeded ? t.seeds : NULL, t.q, t.rows, 10, PROBLEMS - 10);
    record_values("q", t.q, (size_t)PROBLEMS * (size_t)s.nq);
    record_rows(t.rows, PROBLEMS);
    record_end();
    free(t.targets);
    free(t.seeds);
    free(t.q);
    end_batch(&b);
  } else {
    record_skip();
  }
  end_bank(bank);
  subject_close(&s);
}

void batch_cases(void) {
  static const char *const names[] = {"two-link", "y",        "reference", "arm6",     "arm7",
                                      "planar",   "humanoid", "kinds",     "arm6.urdf"};
  static const unsigned mixed =
      SUBJECT_ALL_KINDS | SUBJECT_FREE_AXES | SUBJECT_WEIGHTS | SUBJECT_POINTS;
  for (int i = 0; i < COUNT(names); ++i) {
    for (int w = 0; w < COUNT(widths); ++w) {
      solve_batch(names[i], SUBJECT_AS_IT_IS, true, false, widths[w]);
      solve_batch(names[i], SUBJECT_AS_IT_IS, false, false, widths[w]);
      solve_batch(names[i], SUBJECT_AS_IT_IS, false, true, widths[w]);
      solve_batch(names[i], mixed, true, true, widths[w]);
    }
  }
  solve_batch("chain-100", SUBJECT_AS_IT_IS, true, false, 0); // too many joints for lanes
}

// ------------------------------------------------------------------------ crowds

// Each figure at another moment of the motion; ranges that do not end at whole vectors; a reset,
// and a target with a NaN.
static void follow(const subject *s, const crowd *c, int updates, bool resting) {
  const size_t nq = (size_t)s->nq, row = (size_t)c->row;
  sinew_batch_row rows[FIGURES];
  sinew_target *targets = take((size_t)s->count, sizeof *targets);
  double *targets_of_all = take(FIGURES * row, sizeof *targets_of_all),
         *q = take(FIGURES * nq, sizeof *q);
  for (int i = 0; i < FIGURES; ++i) {
    sinew_configuration_start(s->model, q + (size_t)i * nq);
  }
  for (int update = 0; update < updates; ++update) {
    for (int i = 0; i < FIGURES; ++i) {
      subject_targets(s, (resting ? 0 : update) + 17 * i, targets);
      write_row(s, targets, targets_of_all + (size_t)i * row);
    }
    if (update == updates / 2) {
      reset_crowd(c, 3, 4);
      targets_of_all[2 * row] = NAN;
    }
    const size_t cut = update % 3 == 0 ? 6 : 8;
    measured_crowd(c, targets_of_all, q, rows, 0, cut);
    measured_crowd(c, targets_of_all, q, rows, cut, FIGURES - cut);
    record_step(update);
    record_values("q", q, FIGURES * nq);
    record_rows(rows, FIGURES);
  }
  free(q);
  free(targets_of_all);
  free(targets);
}

static void run_crowd(const char *name, const char *change, unsigned changes, const options *o,
                      int lanes, int updates) {
  subject s;
  crowd c;
  if (!record_begin("crowd/%s%s/%s/%d-lanes", name, change, o->name, lanes)) {
    return;
  }
  subject_open(&s, name, changes);
  options scaled = *o;
  scaled.lanes = lanes;
  scaled.damping *= sinew_model_size(s.model);
  scaled.clamp *= sinew_model_size(s.model);
  scaled.time_step = changes & SUBJECT_SPEEDS ? s.time_step : 0.0;
  if (make_crowd(&s, &scaled, FIGURES, &c)) {
    follow(&s, &c, updates, strcmp(change, "-rests") == 0);
    record_end();
    end_crowd(&c);
  } else {
    record_skip();
  }
  subject_close(&s);
}

void crowd_cases(void) {
  static const options methods[] = {
      {.name = "default"},
      {.name = "default-calm", .calm = 4.0, .max_change = 0.03, .error_gain = 0.6},
      {.name = "dls", .method = SINEW_METHOD_DLS},
      {.name = "dls-damped", .method = SINEW_METHOD_DLS, .damping = 0.15, .max_turn = 0.3},
      {.name = "dls-clamped", .method = SINEW_METHOD_DLS, .damping = 0.1, .clamp = 0.1}};
  static const char *const names[] = {"y",      "double-y-25", "double-y-16", "arm7",
                                      "planar", "spider",      "humanoid",    "reference",
                                      "kinds",  "chain-10",    "humanoid.bvh"};
  for (int w = 0; w < COUNT(widths); ++w) {
    for (int m = 0; m < COUNT(methods); ++m) {
      for (int i = 0; i < COUNT(names); ++i) {
        run_crowd(names[i], "", SUBJECT_AS_IT_IS, &methods[m], widths[w], 48);
      }
    }
    for (int m = 0; m < 3; m += 2) {
      run_crowd("chain-100", "", SUBJECT_AS_IT_IS, &methods[m], widths[w], 5);
      run_crowd("spider", "-orientations", SUBJECT_ORIENTATIONS, &methods[m], widths[w], 48);
      for (int i = 3; i < COUNT(names); ++i) {
        run_crowd(names[i], "-rests", SUBJECT_AS_IT_IS, &methods[m], widths[w], 64);
        run_crowd(names[i], "-speeds", SUBJECT_SPEEDS, &methods[m], widths[w], 48);
        run_crowd(names[i], "-weights", SUBJECT_POSES | SUBJECT_WEIGHTS | SUBJECT_POINTS,
                  &methods[m], widths[w], 48);
        run_crowd(names[i], "-chain-roots", SUBJECT_CHAIN_ROOTS, &methods[m], widths[w], 48);
      }
    }
  }
}
