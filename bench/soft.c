// What soft tasks cost a search: bench_global soft.
//
// docs/levels.md: exactly the targets are solved that are solved without soft tasks.
#include "bench/soft.h"
#include "bench/figure.h"
#include "bench/ten_arms.h"
#include "scenes/expect.h"

#include <stdio.h>
#include <string.h>

#define MOST_JOINTS 16
#define POSTURE_WEIGHT 0.3

enum { WITHOUT, WITH, WAYS };

typedef struct tally {
  int poses, solved[WAYS], false_ones[WAYS];
  int alone[WAYS]; // solved this way and not the other
} tally;

// The link above one; the root's is -1.
static int parent_of(const sinew_model *model, int link) {
  int parent = -1;
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    parent = joint.child == link ? joint.parent : parent;
  }
  return parent;
}

// The link half way from the root to another one.
static int middle_link(const sinew_model *model, int link) {
  int depth = 0;
  for (int above = parent_of(model, link); above >= 0; above = parent_of(model, above)) {
    ++depth;
  }
  for (int i = 0; i < depth / 2; ++i) {
    link = parent_of(model, link);
  }
  return link;
}

static void open_arm(const char *path, figure *f) {
  open_figure(f, path, false);
  f->tasks[0] = sinew_default_task();
  f->tasks[0].kind = SINEW_TASK_POSE;
  f->tasks[0].link = ten_arms_tip(path, f->model);
  f->count = 1;
  if (f->tasks[0].link < 0 || f->nq > MOST_JOINTS) {
    fail(path);
  }
}

// A solver for the pose alone, or with the direction of a link and a posture, the middle of the
// limits, below it.
static sinew_solver *solver_of(const figure *f, int way) {
  sinew_error error;
  sinew_solver *solver;
  sinew_solver_def def = sinew_default_solver_def();
  sinew_task tasks[WAYS] = {f->tasks[0], sinew_default_task()};
  sinew_objective posture = sinew_default_objective();
  double middle[MOST_JOINTS];
  sinew_configuration_middle(f->model, middle);
  tasks[WITH].kind = SINEW_TASK_DIRECTION;
  tasks[WITH].link = middle_link(f->model, f->tasks[0].link);
  tasks[WITH].level = 1;
  posture.posture = middle;
  posture.weight = POSTURE_WEIGHT;
  def.lower.levels = def.lower.objectives = way;
  require(sinew_solver_create(&def, f->model, &solver, &error), &error);
  require(sinew_solver_set_tasks(solver, tasks, 1 + way, &error), &error);
  require(sinew_solver_set_objectives(solver, &posture, way, &error), &error);
  return solver;
}

// Pose i, and a direction.
static void make_targets(figure *f, uint64_t random_seed, int i, sinew_target targets[WAYS]) {
  double goal[MOST_JOINTS];
  sinew_configuration_random(f->model, random_seed, (uint64_t)i, goal);
  set_targets_at(f, goal, targets);
  targets[WITH] = sinew_default_target();
  for (int k = 0; k < 3; ++k) {
    targets[WITH].direction[k] =
        2.0 * sinew_random_uniform(random_seed + 2, (uint64_t)(3 * i + k)) - 1.0;
  }
}

static tally measure_arm(figure *f, int count, uint64_t random_seed) {
  tally t = {.poses = count};
  sinew_solver *solvers[WAYS] = {solver_of(f, WITHOUT), solver_of(f, WITH)};
  for (int i = 0; i < count; ++i) {
    sinew_target targets[WAYS];
    bool solved[WAYS];
    make_targets(f, random_seed, i, targets);
    for (int way = 0; way < WAYS; ++way) {
      double q[MOST_JOINTS];
      sinew_report report;
      sinew_configuration_random(f->model, random_seed + 1, (uint64_t)i, q);
      sinew_expect_ok(sinew_solver_solve(solvers[way], targets, 1 + way, q, &report));
      const bool met = is_true(f, q, targets) && is_within(f->model, q);
      solved[way] = met && report.outcome == SINEW_OUTCOME_CONVERGED;
      t.solved[way] += solved[way];
      t.false_ones[way] += !met && report.outcome == SINEW_OUTCOME_CONVERGED;
    }
    t.alone[WITHOUT] += solved[WITHOUT] && !solved[WITH];
    t.alone[WITH] += solved[WITH] && !solved[WITHOUT];
  }
  sinew_solver_destroy(solvers[WITHOUT]);
  sinew_solver_destroy(solvers[WITH]);
  return t;
}

static void print_tally(const char *name, const tally *t) {
  printf("  %-8s %7d %9d %7d %14d %11d %7d\n", name, t->poses, t->solved[WITHOUT], t->solved[WITH],
         t->alone[WITHOUT], t->alone[WITH], t->false_ones[WITHOUT] + t->false_ones[WITH]);
}

static void add_tally(const tally *t, tally *sum) {
  sum->poses += t->poses;
  for (int way = 0; way < WAYS; ++way) {
    sum->solved[way] += t->solved[way];
    sum->false_ones[way] += t->false_ones[way];
    sum->alone[way] += t->alone[way];
  }
}

void bench_soft(int count, uint64_t random_seed) {
  tally all = {0};
  for (int number = 0; number < TEN_ARMS; ++number) {
    char path[4096];
    figure f;
    if (!ten_arms_file(number, path, sizeof path)) {
      continue;
    }
    if (all.poses == 0) {
      printf("\nPoses from random starts, solved without and with soft tasks\n"
             "  %-8s %7s %9s %7s %14s %11s %7s\n",
             "arm", "poses", "without", "with", "without alone", "with alone", "false");
    }
    open_arm(path, &f);
    const tally t = measure_arm(&f, count, random_seed);
    print_tally(ten_arms[number], &t);
    add_tally(&t, &all);
    close_figure(&f);
  }
  if (all.poses == 0) {
    puts("skipped: the optional data has no arms");
  } else {
    print_tally("all", &all);
  }
}
