// Two threads with one model, each with a state and a solver of its own: the same bits as one
// thread alone. Also runs under ThreadSanitizer.
#include "fixtures.h"

#include <pthread.h>

#define THREADS 2
#define ROUNDS 40
#define MOST 64

typedef struct job {
  const sinew_model *model;
  const int *links;
  double answers[ROUNDS][MOST];
  sinew_report reports[ROUNDS];
  double places[ROUNDS][3];
  bool failed;
} job;

// No assertions here: cmocka leaves a test by longjmp(), which must not leave a thread.
static void *work(void *context) {
  job *j = context;
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, j->links[HUMANOID_LEFT_HAND]),
                               task_of(SINEW_TASK_POSITION, j->links[HUMANOID_RIGHT_FOOT])};
  const sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = NULL;
  sinew_state *state = NULL;
  j->failed = sinew_solver_create(&def, j->model, &solver, NULL) != SINEW_OK ||
              sinew_solver_set_tasks(solver, tasks, 2, NULL) != SINEW_OK ||
              sinew_state_create(j->model, NULL, &state, NULL) != SINEW_OK;
  for (int round = 0; round < ROUNDS && !j->failed; ++round) {
    double *q = j->answers[round];
    sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
    sinew_pose pose;
    sinew_configuration_random(j->model, 121, (uint64_t)round, q);
    j->failed |= sinew_state_forward(state, q) != SINEW_OK;
    for (int t = 0; t < 2; ++t) {
      j->failed |= sinew_state_link_pose(state, tasks[t].link, &pose) != SINEW_OK;
      memcpy(targets[t].position, pose.position, sizeof pose.position);
      memcpy(targets[t].rotation, pose.rotation, sizeof pose.rotation);
    }
    sinew_configuration_middle(j->model, q);
    j->failed |= sinew_solver_update(solver, targets, 2, q, NULL) != SINEW_OK;
    j->failed |= sinew_solver_solve(solver, targets, 2, q, &j->reports[round]) != SINEW_OK;
    j->failed |= sinew_state_forward(state, q) != SINEW_OK;
    j->failed |= sinew_state_point(state, tasks[0].link, NULL, j->places[round]) != SINEW_OK;
  }
  sinew_state_destroy(state);
  sinew_solver_destroy(solver);
  return NULL;
}

static bool same(const job *a, const job *b, int nq) {
  bool equal = true;
  for (int round = 0; round < ROUNDS; ++round) {
    const sinew_report *r = &a->reports[round], *s = &b->reports[round];
    equal &= memcmp(a->answers[round], b->answers[round], (size_t)nq * sizeof(double)) == 0;
    equal &= memcmp(a->places[round], b->places[round], sizeof a->places[round]) == 0;
    equal &= r->outcome == s->outcome && r->steps == s->steps &&
             r->position_error == s->position_error &&
             r->orientation_error == s->orientation_error &&
             r->limiting_joint == s->limiting_joint && r->worst_task == s->worst_task;
  }
  return equal;
}

// req: F3
static void two_threads_share_a_model(void **state) {
  (void)state;
  static job alone, together[THREADS];
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  assert_true(sinew_model_nq(model) <= MOST);
  alone = (job){.model = model, .links = links};
  work(&alone);
  assert_false(alone.failed);
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; ++t) {
    together[t] = (job){.model = model, .links = links};
    assert_int_equal(pthread_create(&threads[t], NULL, work, &together[t]), 0);
  }
  for (int t = 0; t < THREADS; ++t) {
    assert_int_equal(pthread_join(threads[t], NULL), 0);
  }
  for (int t = 0; t < THREADS; ++t) {
    assert_false(together[t].failed);
    assert_true(same(&alone, &together[t], sinew_model_nq(model)));
  }
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_threads_share_a_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
