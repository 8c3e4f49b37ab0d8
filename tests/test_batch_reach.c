// The rows of a batch say how far the chain reaches where a target is proven to be out of reach, as
// the report of a solve does: in lanes, one after the other, and for each limb by itself.
#include "fixtures.h"
#include "inspect.h"
#include "scenes/scenes.h"
#include "sinew/batch.h"

#define PROBLEMS 40
#define MOST_NQ 24
#define MOST_TASKS 4

typedef struct problems {
  sinew_model *model;
  sinew_task tasks[MOST_TASKS];
  int count, nq, size;
  sinew_target targets[PROBLEMS * MOST_TASKS];
  double values[PROBLEMS * MOST_TASKS * 7], seeds[PROBLEMS * MOST_NQ];
} problems;

// Of every second problem one target is moved outward, from the origin, by up to 3 times.
static void fill(problems *p) {
  p->nq = sinew_model_nq(p->model);
  p->size = 0;
  for (int t = 0; t < p->count; ++t) {
    p->size += sinew_task_target_size(&p->tasks[t]);
  }
  assert_true(p->nq <= MOST_NQ);
  for (int i = 0; i < PROBLEMS; ++i) {
    double q[MOST_NQ], *row = p->values + i * p->size;
    sinew_configuration_random(p->model, 41, (uint64_t)i, q);
    sinew_configuration_random(p->model, 42, (uint64_t)i, p->seeds + i * p->nq);
    for (int t = 0; t < p->count; ++t) {
      sinew_target *target = &p->targets[i * p->count + t];
      *target = target_at(p->model, &p->tasks[t], q);
      if (i % 2 == 0 && t == i / 2 % p->count) {
        sinew_scale(1.5 + 0.1 * (i % 15), target->position, target->position);
      }
      memcpy(row, target->position, sizeof target->position);
      memcpy(row + 3, target->rotation, sizeof target->rotation);
      row += sinew_task_target_size(&p->tasks[t]);
    }
  }
}

// Each problem by a batch and by a solver. Returns how many are out of reach.
static int compare(problems *p, const sinew_batch_def *def) {
  sinew_batch *batch;
  sinew_batch_worker *worker;
  sinew_batch_row rows[PROBLEMS];
  double q[PROBLEMS * MOST_NQ];
  int out_of_reach = 0;
  assert_ok(sinew_batch_create(def, p->model, p->tasks, p->count, &batch, NULL));
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  const sinew_batch_arrays arrays = {.targets = p->values, .seeds = p->seeds, .q = q, .rows = rows};
  memset(rows, 0x55, sizeof rows);
  assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, PROBLEMS));
  sinew_solver *solver = solver_with(NULL, p->model, p->tasks, p->count);
  for (int i = 0; i < PROBLEMS; ++i) {
    const sinew_batch_row *row = &rows[i];
    const sinew_target *targets = &p->targets[i * p->count];
    sinew_report report;
    assert_ok(sinew_solver_solve(solver, targets, p->count, p->seeds + i * p->nq, &report));
    assert_int_equal(row->outcome, report.outcome);
    if (row->outcome != SINEW_OUTCOME_OUT_OF_REACH) {
      assert_int_equal(row->reach_task, -1);
      assert_true(row->reach == -1.0 && row->target_distance == -1.0);
      continue;
    }
    ++out_of_reach;
    assert_int_equal(row->reach_task, report.reach_task);
    assert_near(row->target_distance, report.target_distance, 1e-12 * report.target_distance);
    assert_near(row->reach, report.reach, 1e-12 * report.target_distance);
    assert_true(row->reach >= 0.0 && row->reach != row->target_distance);
    // Where it is a distance between two targets, both have an error.
    assert_true(fabs(row->target_distance - row->reach) <= 2.0 * row->position_error + 1e-9);
  }
  sinew_solver_destroy(solver);
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
  return out_of_reach;
}

// req: D22
static void an_arm_by_lanes(void **state) {
  (void)state;
  static const sinew_task_kind kinds[] = {SINEW_TASK_POSITION, SINEW_TASK_POSE};
  static const int lanes[] = {1, 0};
  for (int k = 0; k < 4; ++k) {
    static problems p;
    p = (problems){.model = fixture_arm(), .count = 1};
    sinew_batch_def def = sinew_default_batch_def();
    def.lanes = lanes[k % 2];
    p.tasks[0] = task_of(kinds[k / 2], ARM_FLANGE);
    fill(&p);
    const int found = compare(&p, &def);
    assert_true(found >= PROBLEMS / 4 && found <= PROBLEMS / 2);
    sinew_model_destroy(p.model);
  }
}

// With an objective problems are solved one after the other.
static void an_arm_without_lanes(void **state) {
  (void)state;
  static problems p;
  p = (problems){.model = fixture_arm(), .count = 1};
  sinew_objective objective = sinew_default_objective();
  objective.level = 1;
  sinew_batch_def def = sinew_default_batch_def();
  def.objectives = &objective;
  def.objective_count = 1;
  p.tasks[0] = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  fill(&p);
  assert_true(compare(&p, &def) >= PROBLEMS / 4);
  sinew_model_destroy(p.model);
}

// The limb out of reach is another one from problem to problem: its task is named.
static void limbs_of_a_star(void **state) {
  (void)state;
  const sinew_scene_star_def star = {3, 5, 0, 7};
  sinew_scene *scene = sinew_scene_star(&star);
  static problems p;
  p = (problems){.count = 3};
  const sinew_batch_def def = sinew_default_batch_def();
  assert_non_null(scene);
  assert_ok(sinew_model_create(&scene->model, &p.model, NULL));
  memcpy(p.tasks, scene->tasks, 3 * sizeof *p.tasks);
  fill(&p);
  assert_true(compare(&p, &def) >= PROBLEMS / 4);
  sinew_model_destroy(p.model);
  sinew_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arm_by_lanes),
      cmocka_unit_test(an_arm_without_lanes),
      cmocka_unit_test(limbs_of_a_star),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
