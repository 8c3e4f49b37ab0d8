// The built-in figures: their models, and the properties of their targets.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "scenes/scenes.h"
#include "shared_data.h"
#include "sinew/sinew.h"

typedef struct figure {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
} figure;

static figure figure_of(const char *name) {
  figure f = {.scene = sinew_scene_create(name)};
  sinew_error error = {0};
  assert_non_null(f.scene);
  if (sinew_model_create(&f.scene->model, &f.model, &error) != SINEW_OK)
    fail_msg("%s: %s", name, error.message);
  assert_int_equal(sinew_state_create(f.model, NULL, &f.state, &error), SINEW_OK);
  return f;
}

static void release(figure *f) {
  sinew_state_destroy(f->state);
  sinew_model_destroy(f->model);
  sinew_scene_destroy(f->scene);
}

static const char *const all[] = {"two-link",  "y",        "double-y-25",    "double-y-16",
                                  "reference", "arm6",     "arm7",           "planar",
                                  "spider",    "humanoid", "humanoid-poses", "humanoid-cones",
                                  "hand",      "snake",    "chain-1",        "chain-5"};
enum { ALL = sizeof all / sizeof all[0] };

static void scene_names_are_known(void **state) {
  (void)state;
  for (int i = 0; i < ALL; ++i) {
    figure f = figure_of(all[i]);
    assert_string_equal(f.scene->name, all[i]);
    assert_true(f.scene->task_count > 0);
    release(&f);
  }
  // Each listed name is one of these, and none is unknown.
  int count = 0;
  for (const char *name; (name = sinew_scene_name(count)) != NULL; ++count)
    assert_true(count == ALL - 2 || strcmp(name, all[count]) == 0);
  assert_string_equal(sinew_scene_name(count - 1), "chain-N");
  static const char *const none[] = {"",         "Y",        "chain-",
                                     "chain-0",  "chain-05", "chain-x",
                                     "chain-5 ", "chain--1", "chain-99999999999"};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; ++i)
    assert_null(sinew_scene_create(none[i]));
}

// The documented degrees of freedom. req: A5 G1
static void scenes_have_documented_sizes(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int nv, effectors;
  } wanted[] = {{"two-link", 2, 1},
                {"y", 7, 2},
                {"double-y-25", 25, 4},
                {"double-y-16", 16, 4},
                {"reference", 30, 6},
                {"arm6", 6, 1},
                {"arm7", 7, 1},
                {"chain-33", 99, 1},
                {"humanoid-poses", 57, 5},
                {"humanoid-cones", 49, 5},
                {"hand", 24, 5},
                {"snake", 40, 3}};
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
    figure f = figure_of(wanted[i].name);
    assert_int_equal(sinew_model_nv(f.model), wanted[i].nv);
    assert_int_equal(f.scene->task_count, wanted[i].effectors);
    release(&f);
  }
  figure f = figure_of("reference");
  int balls = 0;
  for (int j = 0; j < f.scene->model.joint_count; ++j)
    balls += f.scene->model.joints[j].kind == SINEW_JOINT_SPHERICAL;
  assert_int_equal(balls, 8);
  release(&f);
  // Every joint of the hand has limits on both sides.
  f = figure_of("hand");
  for (int v = 0; v < sinew_model_nv(f.model); ++v)
    assert_true(isfinite(sinew_model_lower(f.model)[v]) && isfinite(sinew_model_upper(f.model)[v]));
  release(&f);
}

// The makers' flange positions: the first arm at zero, from its parameters; the second as
// models/arm7.urdf.
static void test_arms(void **state) {
  (void)state;
  figure f = figure_of("arm6");
  double q[7] = {0}, p[3];
  assert_int_equal(sinew_state_forward(f.state, q), SINEW_OK);
  assert_int_equal(sinew_state_point(f.state, f.scene->tasks[0].link, NULL, p), SINEW_OK);
  assert_true(fabs(p[0] - (-0.425 - 0.39225)) < 1e-12);
  assert_true(fabs(p[1] - (-0.10915 - 0.0823)) < 1e-12);
  assert_true(fabs(p[2] - (0.089159 - 0.09465)) < 1e-12);
  release(&f);

  f = figure_of("arm7");
  assert_int_equal(sinew_state_forward(f.state, q), SINEW_OK);
  assert_int_equal(sinew_state_point(f.state, f.scene->tasks[0].link, NULL, p), SINEW_OK);
  assert_true(fabs(p[0] - 0.088) < 1e-12 && fabs(p[1]) < 1e-12);
  assert_true(fabs(p[2] - (0.333 + 0.316 + 0.384 - 0.107)) < 1e-12);
  release(&f);
}

// The curves at chosen times, computed a second time. req: G1
static void curves_match_their_formulas(void **state) {
  (void)state;
  figure f = figure_of("y");
  sinew_target targets[4];
  const double t = 1.7;
  sinew_scene_targets(f.scene, f.state, t, targets);
  assert_true(fabs(targets[0].position[0] - (2.0 + 1.5 * sin(6 * t))) < 1e-15);
  assert_true(fabs(targets[1].position[1] - (0.8 + 0.3 * sin(4 * t))) < 1e-15);
  release(&f);
  f = figure_of("double-y-16");
  sinew_scene_targets(f.scene, f.state, t, targets);
  assert_true(fabs(targets[2].position[2] - (0.3 + sin(8 * t))) < 1e-15);
  release(&f);
}

// A moving figure stays within its limits, moves little in a step, and its configuration shows that
// the targets are in reach.
static void motions_stay_within_limits(void **state) {
  (void)state;
  for (int i = 0; i < ALL; ++i) {
    figure f = figure_of(all[i]);
    double q[96], last[96], v[96];
    sinew_target targets[16];
    const double *lower = sinew_model_lower(f.model), *upper = sinew_model_upper(f.model);
    for (int step = 0; step < 900; ++step) {
      const double time = f.scene->time_step * (step + 1);
      sinew_scene_motion(f.scene, f.model, time, q);
      sinew_configuration_difference(f.model, step > 0 ? last : q, q, v);
      memcpy(last, q, sizeof last);
      for (int k = 0; k < sinew_model_nv(f.model); ++k)
        assert_true(fabs(v[k]) < 0.03);
      for (int j = 0; j < sinew_model_joint_count(f.model); ++j) {
        sinew_joint joint;
        assert_int_equal(sinew_model_joint(f.model, j, &joint), SINEW_OK);
        if (joint.nq == 1)
          assert_true(q[joint.q_index] >= lower[joint.v_index] &&
                      q[joint.q_index] <= upper[joint.v_index]);
      }
      sinew_scene_targets(f.scene, f.state, time, targets);
      if (f.scene->waves != NULL ||
          sinew_scene_reach_at(f.scene, step, targets) != SINEW_SCENE_IN_REACH)
        continue;
      assert_int_equal(sinew_state_forward(f.state, q), SINEW_OK);
      for (int t = 0; t < f.scene->task_count; ++t) {
        double p[3];
        assert_int_equal(sinew_state_point(f.state, f.scene->tasks[t].link, NULL, p), SINEW_OK);
        for (int k = 0; k < 3; ++k)
          assert_true(fabs(p[k] - targets[t].position[k]) < 1e-12);
      }
    }
    release(&f);
  }
}

// A target called out of reach is not reached from forty starts; one called in reach is. Every
// scene has both.
static void reach_is_as_documented(void **state) {
  (void)state;
  static const char *const names[] = {"two-link",       "y",        "arm7",    "planar",
                                      "spider",         "humanoid", "chain-5", "humanoid-poses",
                                      "humanoid-cones", "hand",     "snake"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    figure f = figure_of(names[i]);
    sinew_solver_def def = sinew_default_solver_def();
    sinew_solver *solver;
    sinew_target targets[16];
    double q[96];
    int in = 0, out = 0;
    def.budget.max_starts = 40;
    def.tolerances.position = 1e-3;
    assert_int_equal(sinew_solver_create(&def, f.model, &solver, NULL), SINEW_OK);
    assert_int_equal(sinew_solver_set_tasks(solver, f.scene->tasks, f.scene->task_count, NULL),
                     SINEW_OK);
    for (int step = 5; step < 900; step += 60) {
      sinew_report report;
      const double time = f.scene->time_step * (step + 1);
      sinew_scene_targets(f.scene, f.state, time, targets);
      const sinew_scene_reach reach = sinew_scene_reach_at(f.scene, step, targets);
      sinew_scene_motion(f.scene, f.model, time, q);
      assert_int_equal(sinew_solver_solve_local(solver, targets, f.scene->task_count, q, &report),
                       SINEW_OK);
      if (reach == SINEW_SCENE_IN_REACH)
        assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      if (reach == SINEW_SCENE_OUT_OF_REACH)
        assert_int_not_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      in += reach == SINEW_SCENE_IN_REACH;
      out += reach == SINEW_SCENE_OUT_OF_REACH;
    }
    if (in == 0 || out == 0)
      fail_msg("%s: %d steps in reach, %d out of it", names[i], in, out);
    sinew_solver_destroy(solver);
    release(&f);
  }
}

// ---- Against the published data, if present ----

static json_t *read_experiment(void) {
  json_t *root = json_load_file(shared_file("data/experiments/buss.json"), 0, NULL);
  assert_non_null(root);
  return root;
}

static double number_at(const json_t *array, size_t index) {
  return json_number_value(json_array_get(array, index));
}

// Rest positions, axes and effectors of each node, and the runs of steps. req: G1
static void compare(const json_t *root, const char *name, const char *key) {
  figure f = figure_of(name);
  const json_t *nodes = json_object_get(json_object_get(root, "shapes"), key);
  double q[64] = {0};
  assert_int_equal(sinew_state_forward(f.state, q), SINEW_OK);
  assert_int_equal(json_array_size(nodes), f.scene->model.joint_count);
  for (int i = 0; i < f.scene->model.joint_count; ++i) {
    const json_t *node = json_array_get(nodes, (size_t)i);
    const json_t *axis = json_object_get(node, "axis"), *pos = json_object_get(node, "pos");
    double p[3];
    assert_int_equal(sinew_state_point(f.state, i + 1, NULL, p), SINEW_OK);
    for (size_t k = 0; k < 3; ++k) {
      assert_true(fabs(p[k] - number_at(pos, k)) < 1e-15);
      if (json_integer_value(json_object_get(node, "effector")) < 0)
        assert_true(f.scene->model.joints[i].axis[k] == number_at(axis, k));
    }
    const json_int_t effector = json_integer_value(json_object_get(node, "effector"));
    if (effector >= 0)
      assert_int_equal(f.scene->tasks[effector].link, i + 1);
  }
  const json_t *runs = json_object_get(json_object_get(root, "reachable"), key);
  assert_int_equal(json_array_size(runs), f.scene->run_count);
  for (int i = 0; i < f.scene->run_count; ++i)
    assert_int_equal(json_integer_value(json_array_get(runs, (size_t)i)), f.scene->runs[i]);
  release(&f);
}

static void scenes_match_the_published_data(void **state) {
  (void)state;
  json_t *root = read_experiment();
  compare(root, "y", "Y");
  compare(root, "double-y-25", "doubleY25");
  json_decref(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scene_names_are_known),
      cmocka_unit_test(scenes_have_documented_sizes),
      cmocka_unit_test(test_arms),
      cmocka_unit_test(curves_match_their_formulas),
      cmocka_unit_test(motions_stay_within_limits),
      cmocka_unit_test(reach_is_as_documented),
      cmocka_unit_test(scenes_match_the_published_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
