// One figure from a seed, by local and global solves, and all of its solutions.
#include "bench/fingerprint/calls.h"
#include "bench/fingerprint/cases.h"
#include "bench/fingerprint/record.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (int)(sizeof(a) / sizeof((a)[0]))
#define CAPACITY 24 // of the array of solutions

static const int widths[] = {-1, 1, 2, 4, 8, 0};

// The effectors' poses at a random configuration; every fifth time beyond reach.
static void random_targets(const subject *s, int i, sinew_target *targets) {
  double *q = take((size_t)s->nq, sizeof *q);
  sinew_configuration_random(s->model, 11, (uint64_t)i, q);
  subject_targets_at(s, q, i % 5 == 4 ? 3.0 : 1.0, targets);
  free(q);
}

typedef struct problem {
  subject s;
  sinew_target *targets;
  double *q;
} problem;

static void open_problem(problem *p, const char *name, unsigned changes) {
  subject_open(&p->s, name, changes);
  p->targets = take((size_t)p->s.count, sizeof *p->targets);
  p->q = take((size_t)p->s.nq, sizeof *p->q);
}

static void close_problem(problem *p) {
  free(p->q);
  free(p->targets);
  subject_close(&p->s);
}

static void pose_problem(problem *p, int i) {
  record_step(i);
  random_targets(&p->s, i, p->targets);
  sinew_configuration_random(p->s.model, 12, (uint64_t)i, p->q);
}

static void record_answer(const problem *p, const sinew_solver *solver,
                          const sinew_report *report) {
  record_values("q", p->q, (size_t)p->s.nq);
  record_report(report);
  record_task_errors(solver, p->s.count);
}

// ------------------------------------------------------------------- from a seed

static void solve(const char *name, unsigned changes, const char *change, const options *o,
                  int count) {
  problem p;
  if (!record_begin("solve/%s%s/%s", name, change, o->name)) {
    return;
  }
  open_problem(&p, name, changes);
  options scaled = *o;
  scaled.damping *= sinew_model_size(p.s.model);
  bounds b = {.frozen = take((size_t)p.s.nv, 1), .gains = take((size_t)p.s.nv, sizeof *b.gains)};
  for (int v = 0; v < p.s.nv; ++v) {
    b.frozen[v] = v % 4 == 2;
    b.gains[v] = 0.4 + 0.3 * (v % 3);
  }
  sinew_solver *solver = make_solver(&p.s, &scaled, strstr(o->name, "frozen") ? &b : NULL);
  for (int i = 0; i < count; ++i) {
    sinew_report report = {0};
    pose_problem(&p, i);
    measured_solve(solver, p.targets, p.s.count, p.q, &report);
    record_answer(&p, solver, &report);
  }
  record_end();
  free(b.frozen);
  free(b.gains);
  end_solver(solver);
  close_problem(&p);
}

static void solve_each(const char *name) {
  static const options methods[] = {
      {.name = "default", .lanes = -1},
      {.name = "transpose", .method = SINEW_METHOD_TRANSPOSE, .max_steps = 60},
      {.name = "pseudoinverse", .method = SINEW_METHOD_PSEUDOINVERSE, .max_steps = 60},
      {.name = "dls", .method = SINEW_METHOD_DLS},
      {.name = "dls-damped", .method = SINEW_METHOD_DLS, .damping = 0.15, .max_steps = 60},
      {.name = "sdls", .method = SINEW_METHOD_SDLS, .max_steps = 60},
      {.name = "newton", .method = SINEW_METHOD_NEWTON},
      {.name = "frozen"},
      {.name = "one-attempt", .max_starts = 1}};
  for (int m = 0; m < COUNT(methods); ++m) {
    solve(name, SUBJECT_AS_IT_IS, "", &methods[m], 25);
  }
}

// --------------------------------------------------------------------- global

static const char *const modes[] = {"first", "nearest", "best"};

// The first count problems; without a solver the case is skipped.
static void record_searches(problem *p, sinew_solver *solver, const sinew_global_def *def,
                            int count) {
  if (solver == NULL) {
    record_skip();
    return;
  }
  for (int i = 0; i < count; ++i) {
    sinew_report report = {0};
    pose_problem(p, i);
    measured_solve_global(solver, def, p->targets, p->s.count, p->q, &report);
    record_answer(p, solver, &report);
  }
  record_end();
}

// A time limit that ends about half of the searches.
static void solve_late(const char *name, int mode, int lanes) {
  problem p;
  if (!record_begin("global/%s-late/%s/%d-lanes", name, modes[mode], lanes)) {
    return;
  }
  open_problem(&p, name, SUBJECT_AS_IT_IS);
  const options o = {.lanes = lanes, .clock_calls = 12.5};
  sinew_solver *solver = make_solver(&p.s, &o, NULL);
  sinew_global_def def = sinew_default_global_def();
  def.mode = (sinew_global_mode)mode;
  record_searches(&p, solver, &def, 15);
  end_solver(solver);
  close_problem(&p);
}

static void solve_global(const char *name, unsigned changes, int mode, bool with_bank, int lanes,
                         int count) {
  problem p;
  if (!record_begin("global/%s%s/%s%s/%d-lanes", name, changes != 0 ? "-changed" : "", modes[mode],
                    with_bank ? "-bank" : "", lanes)) {
    return;
  }
  open_problem(&p, name, changes);
  const options o = {.lanes = lanes};
  sinew_solver *solver = make_solver(&p.s, &o, NULL);
  sinew_bank *bank = with_bank ? make_bank(&p.s, 1024) : NULL;
  sinew_global_def def = sinew_default_global_def();
  def.mode = (sinew_global_mode)mode;
  def.max_starts = 60;
  def.bank = bank;
  record_searches(&p, solver, &def, count);
  end_bank(bank);
  end_solver(solver);
  close_problem(&p);
}

static void global_each(const char *name, unsigned changes, int count) {
  for (int w = 0; w < COUNT(widths); ++w) {
    for (int mode = 0; mode < 3; ++mode) {
      solve_global(name, changes, mode, false, widths[w], mode == 0 ? count : count / 3);
      solve_global(name, changes, mode, true, widths[w], mode == 0 ? count : count / 3);
    }
  }
}

// ------------------------------------------------------------------ all solutions

static void solve_all(const char *name, bool images, int lanes) {
  problem p;
  if (!record_begin("all/%s%s/%d-lanes", name, images ? "-images" : "", lanes)) {
    return;
  }
  open_problem(&p, name, SUBJECT_AS_IT_IS);
  const options o = {.lanes = lanes};
  sinew_solver *solver = make_solver(&p.s, &o, NULL);
  double *solutions = take((size_t)CAPACITY * (size_t)p.s.nq, sizeof *solutions);
  double *distances = take((size_t)p.s.nv, sizeof *distances);
  sinew_global_def def = sinew_default_global_def();
  def.images = images;
  for (int v = 0; v < p.s.nv; ++v) {
    distances[v] = 1.0 / (v + 1);
  }
  for (int i = 0; solver != NULL && i < 5; ++i) {
    sinew_report report = {0};
    pose_problem(&p, i);
    def.distances = i % 2 == 1 ? distances : NULL;
    const int found =
        measured_solve_all(solver, &def, p.targets, p.s.count, p.q, CAPACITY, solutions, &report);
    record_value("found", found);
    record_values("solutions", solutions, (size_t)found * (size_t)p.s.nq);
    record_report(&report);
  }
  if (solver != NULL) {
    record_end();
  } else {
    record_skip();
  }
  free(distances);
  free(solutions);
  end_solver(solver);
  close_problem(&p);
}

// ------------------------------------------------------------------------- banks

static void look_up(const char *name, unsigned changes) {
  problem p;
  double found[16];
  if (!record_begin("bank/%s%s", name, changes & SUBJECT_FLOATS ? "-floats" : "")) {
    return;
  }
  open_problem(&p, name, changes);
  sinew_bank *bank = make_bank(&p.s, 2000);
  for (int i = 0; i < 50; ++i) {
    pose_problem(&p, i);
    measured_find(bank, p.targets, 8, found);
    record_values("found", found, 8);
    measured_posture(bank, (int)found[0], p.targets, p.q);
    record_values("posture", p.q, (size_t)p.s.nq);
  }
  record_end();
  end_bank(bank);
  close_problem(&p);
}

// ------------------------------------------------------------------------- cases

void solve_cases(void) {
  static const char *const from_seed[] = {
      "two-link", "y",        "double-y-16", "reference", "arm6",      "arm7",     "planar",
      "spider",   "humanoid", "chain-10",    "kinds",     "arm6.urdf", "arm7.urdf"};
  static const char *const anywhere[] = {"two-link", "y", "arm6", "arm7", "planar", "arm7.urdf"};
  static const char *const all[] = {"two-link", "arm6", "arm7", "planar", "arm6.urdf"};
  static const char *const banks[] = {"y",        "arm6",  "arm7",        "planar",
                                      "humanoid", "kinds", "humanoid.bvh"};
  static const unsigned mixed =
      SUBJECT_ALL_KINDS | SUBJECT_FREE_AXES | SUBJECT_WEIGHTS | SUBJECT_POINTS;
  const options usual = {.name = "default"};
  for (int i = 0; i < COUNT(from_seed); ++i) {
    solve_each(from_seed[i]);
    solve(from_seed[i], mixed, "-mixed", &usual, 15);
  }
  for (int i = 0; i < COUNT(anywhere); ++i) {
    global_each(anywhere[i], SUBJECT_AS_IT_IS, 24);
  }
  global_each("humanoid", SUBJECT_AS_IT_IS, 9);
  global_each("kinds", SUBJECT_AS_IT_IS, 6);
  global_each("arm7", SUBJECT_POSES | SUBJECT_FREE_AXES | SUBJECT_POINTS, 12);
  global_each("humanoid", mixed, 6);
  global_each("humanoid.bvh", SUBJECT_AS_IT_IS, 6);
  for (int w = 0; w < COUNT(widths); ++w) {
    for (int mode = 0; mode < 3; ++mode) {
      solve_late("arm7", mode, widths[w]);
    }
    for (int i = 0; i < COUNT(all); ++i) {
      solve_all(all[i], false, widths[w]);
      solve_all(all[i], true, widths[w]);
    }
  }
  for (int i = 0; i < COUNT(banks); ++i) {
    look_up(banks[i], SUBJECT_AS_IT_IS);
  }
  look_up("arm6.urdf", SUBJECT_FLOATS);
}
