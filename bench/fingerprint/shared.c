// Robots and clips of the optional test data.
#include "bench/fingerprint/calls.h"
#include "bench/fingerprint/cases.h"
#include "bench/fingerprint/record.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (int)(sizeof(a) / sizeof((a)[0]))

static const char *file_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

// Calls run for every file that matches, in the order of their names.
static void each_file(const char *pattern, void (*run)(const char *path)) {
  char full[4096];
  glob_t files;
  snprintf(full, sizeof full, "%s/data/%s", subject_shared_folder(), pattern);
  if (glob(full, 0, NULL, &files) != 0) {
    return;
  }
  for (size_t i = 0; i < files.gl_pathc; ++i) {
    run(files.gl_pathv[i]);
  }
  globfree(&files);
}

// --------------------------------------------------------------------- solves

static void solve_some(const subject *s, const options *o, bool with_bank, int count) {
  sinew_solver *solver = make_solver(s, o, NULL);
  sinew_bank *bank = with_bank ? make_bank(s, 1024) : NULL;
  double *q = take((size_t)s->nq, sizeof *q);
  sinew_target *targets = take((size_t)s->count, sizeof *targets);
  sinew_global_def def = sinew_default_global_def();
  def.bank = bank;
  def.max_starts = 100;
  for (int i = 0; solver != NULL && i < count; ++i) {
    sinew_report report = {0};
    sinew_configuration_random(s->model, 51, (uint64_t)i, q);
    subject_targets_at(s, q, 1.0, targets);
    sinew_configuration_middle(s->model, q);
    record_step(i);
    measured_solve_global(solver, &def, targets, s->count, q, &report);
    record_values("q", q, (size_t)s->nq);
    record_report(&report);
    sinew_configuration_random(s->model, 52, (uint64_t)i, q);
    measured_solve(solver, targets, s->count, q, &report);
    record_values("q", q, (size_t)s->nq);
    record_report(&report);
  }
  if (solver != NULL) {
    record_end();
  } else {
    record_skip();
  }
  free(targets);
  free(q);
  end_bank(bank);
  end_solver(solver);
}

static void solve_arm(const char *path) {
  static const int widths[] = {-1, 1, 2, 4, 8};
  for (int w = 0; w < 2 * COUNT(widths); ++w) {
    subject s;
    const options o = {.lanes = widths[w / 2]};
    if (record_begin("shared/arms/%s%s/%d-lanes", file_of(path), w % 2 ? "-bank" : "", o.lanes)) {
      subject_open(&s, path, SUBJECT_AS_IT_IS);
      subject_deepest(&s);
      solve_some(&s, &o, w % 2 == 1, 20);
      subject_close(&s);
    }
  }
}

static void solve_humanoid(const char *file, const char *links) {
  static const int widths[] = {-1, 1, 2, 4, 8};
  for (int w = 0; w < 2 * COUNT(widths); ++w) {
    subject s;
    char path[4096];
    const options o = {.lanes = widths[w / 2]};
    const bool floats = w % 2 == 1;
    if (record_begin("shared/humanoids/%s%s/%d-lanes", file, floats ? "-floats-bank" : "",
                     o.lanes)) {
      snprintf(path, sizeof path, "%s/data/urdf/%s", subject_shared_folder(), file);
      subject_open(&s, path, floats ? SUBJECT_FLOATS : SUBJECT_AS_IT_IS);
      subject_effectors(&s, links, SINEW_TASK_POSE);
      solve_some(&s, &o, floats, 4);
      subject_close(&s);
    }
  }
}

// --------------------------------------------------------------------- tracks

static void follow(const subject *s, sinew_solver *solver, int steps) {
  double *q = take((size_t)s->nq, sizeof *q);
  sinew_target *targets = take((size_t)s->count, sizeof *targets);
  sinew_configuration_start(s->model, q);
  for (int step = 0; step < steps; ++step) {
    sinew_report report = {0};
    subject_targets(s, step, targets);
    measured_update(solver, targets, s->count, q, &report);
    record_step(step);
    record_values("q", q, (size_t)s->nq);
    record_report(&report);
  }
  free(targets);
  free(q);
}

static void track(const char *path) {
  static const options methods[] = {
      {.name = "default"},
      {.name = "dls", .method = SINEW_METHOD_DLS},
      {.name = "newton", .method = SINEW_METHOD_NEWTON},
      {.name = "sdls", .method = SINEW_METHOD_SDLS},
  };
  const bool bvh = strstr(path, ".bvh") != NULL;
  for (int m = 0; m < (bvh ? 4 : 2); ++m) {
    if (record_begin("shared/%s/%s/%s", bvh ? "clips" : "robots", file_of(path), methods[m].name)) {
      subject s;
      subject_open(&s, path, SUBJECT_AS_IT_IS);
      sinew_solver *solver = make_solver(&s, &methods[m], NULL);
      follow(&s, solver, bvh ? 100 : 50);
      record_end();
      end_solver(solver);
      subject_close(&s);
    }
  }
}

void shared_cases(void) {
  if (subject_shared_folder() == NULL) {
    return;
  }
  each_file("arms/*.urdf", solve_arm);
  solve_humanoid("g1_29dof.urdf", "left_rubber_hand,right_rubber_hand,left_ankle_roll_link,"
                                  "right_ankle_roll_link");
  solve_humanoid("atlas_drake.urdf", "l_hand,r_hand,l_foot,r_foot");
  solve_humanoid("h1.urdf", "left_elbow_link,right_elbow_link,left_ankle_link,right_ankle_link");
  each_file("bvh/*.bvh", track);
  each_file("urdf/*.urdf", track);
}
