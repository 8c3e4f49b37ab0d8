// Steps of the default tracker that keep the last prediction of the residual: targets that leave
// reach and come back.
#include "fixtures.h"
#include "scenes/scenes.h"
#include "sinew/solver.h"

#define MOST 512
#define STARTS 12
#define AWAY 2000 // updates each way

// A figure whose first target moves straight away from the root, by 1.2 times its distance, and
// back, from one of several starts.
typedef struct outing {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  sinew_target targets[8];
  double home[3], q[MOST], step[MOST];
  double changes; // the sum of |dq_t - dq_(t-1)|
  int systems[2]; // on the first half of the way out, and on the last half of it
} outing;

static void begin(const char *name, int start, outing *o) {
  *o = (outing){.scene = sinew_scene_create(name)};
  assert_non_null(o->scene);
  assert_ok(sinew_model_create(&o->scene->model, &o->model, NULL));
  assert_ok(sinew_state_create(o->model, NULL, &o->state, NULL));
  assert_true(sinew_model_nq(o->model) <= MOST && o->scene->task_count <= 8);
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = o->scene->task_count;
  o->solver = solver_with(&def, o->model, o->scene->tasks, o->scene->task_count);
  sinew_scene_motion(o->scene, o->model, 1.7 * start, o->q);
  assert_ok(sinew_state_forward(o->state, o->q));
  for (int t = 0; t < o->scene->task_count; ++t) {
    sinew_pose pose;
    assert_ok(sinew_state_link_pose(o->state, o->scene->tasks[t].link, &pose));
    o->targets[t] = sinew_default_target();
    memcpy(o->targets[t].position, pose.position, sizeof pose.position);
    memcpy(o->targets[t].rotation, pose.rotation, sizeof pose.rotation);
  }
  memcpy(o->home, o->targets[0].position, sizeof o->home);
}

static void end(outing *o) {
  sinew_solver_destroy(o->solver);
  sinew_state_destroy(o->state);
  sinew_model_destroy(o->model);
  sinew_scene_destroy(o->scene);
}

// One update with the first target at a share of its way out.
static void follow(outing *o, double share) {
  double before[MOST], dq[MOST], sum = 0.0;
  memcpy(before, o->q, sizeof before);
  for (int k = 0; k < 3; ++k) {
    o->targets[0].position[k] = o->home[k] * (1.0 + 1.2 * share);
  }
  assert_ok(sinew_solver_update(o->solver, o->targets, o->scene->task_count, o->q, NULL));
  sinew_configuration_difference(o->model, before, o->q, dq);
  for (int v = 0; v < sinew_model_nv(o->model); ++v) {
    sum += pow(dq[v] - o->step[v], 2.0);
    o->step[v] = dq[v];
  }
  o->changes += sqrt(sum);
}

static void follow_out_and_back(outing *o) {
  for (int i = 0; i < 2 * AWAY; ++i) {
    follow(o, 1.0 - fabs(1.0 - (double)i / AWAY));
    if (i < AWAY) {
      o->systems[2 * i >= AWAY] += sinew_solver_systems(o->solver);
    }
  }
}

static double distance(const outing *o) {
  sinew_pose pose;
  assert_ok(sinew_state_forward(o->state, o->q));
  assert_ok(sinew_state_link_pose(o->state, o->scene->tasks[0].link, &pose));
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) {
    sum += pow(pose.position[k] - o->targets[0].position[k], 2.0);
  }
  return sqrt(sum) / sinew_model_size(o->model);
}

// Far out of reach seven of eight steps keep the prediction: nine systems in eight updates. A
// target that comes back is met, and the figure moves as smoothly as with a predictor in each step:
// the bounds on changes are 3 % above those. A planar arm that keeps its prediction while it begins
// to bend exceeds its bound by 3 %, a chain of 100 joints that keeps it while the error changes
// much by 13 %. req: C8
static void predictions_are_kept_out_of_reach(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double changes; // of a run, in the mean
  } figures[] = {{"planar", 0.2915},
                 {"chain-5", 0.235},
                 {"chain-20", 0.28},
                 {"chain-100", 0.282},
                 {"arm7", 0.42}};
  for (int k = 0; k < 5; ++k) {
    double changes = 0.0;
    int systems = 0;
    for (int s = 0; s < STARTS; ++s) {
      outing o;
      begin(figures[k].name, s, &o);
      follow_out_and_back(&o);
      changes += o.changes / STARTS;
      systems += o.systems[1];
      assert_at_most(distance(&o), 1e-5);
      end(&o);
    }
    const double each = (double)systems / (STARTS * AWAY / 2);
    print_message("%s: changes of %.4f rad, %.3f systems an update\n", figures[k].name, changes,
                  each);
    assert_at_most(changes, figures[k].changes);
    assert_at_most(each, 1.25);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(predictions_are_kept_out_of_reach),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
