// sinew info --urdf: the file has the same kinematics as the model that it was written of.
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli_run.h"
#include "scenes/scenes.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

#define MOST_NQ 512
#define assert_ok(call) assert_int_equal((call), SINEW_OK)

static double distance_of(const sinew_pose *a, const sinew_pose *b) {
  double most = 0, dot = 0;
  for (int i = 0; i < 3; ++i)
    most = fmax(most, fabs(a->position[i] - b->position[i]));
  for (int i = 0; i < 4; ++i)
    dot += a->rotation[i] * b->rotation[i];
  return fmax(most, 1 - fabs(dot));
}

// Limits, speeds, and all links' poses in random configurations.
static void expect_same(const sinew_model *a, const sinew_model *b, const char *name) {
  double q[MOST_NQ];
  sinew_state *at_a, *at_b;
  assert_true(sinew_model_nq(a) <= MOST_NQ);
  assert_int_equal(sinew_model_nq(a), sinew_model_nq(b));
  assert_int_equal(sinew_model_nv(a), sinew_model_nv(b));
  assert_int_equal(sinew_model_link_count(a), sinew_model_link_count(b));
  for (int v = 0; v < sinew_model_nv(a); ++v) {
    assert_true(sinew_model_lower(a)[v] == sinew_model_lower(b)[v]);
    assert_true(sinew_model_upper(a)[v] == sinew_model_upper(b)[v]);
    assert_true(sinew_model_velocity(a)[v] == sinew_model_velocity(b)[v]);
  }
  assert_ok(sinew_state_create(a, NULL, &at_a, NULL));
  assert_ok(sinew_state_create(b, NULL, &at_b, NULL));
  for (uint64_t i = 0; i < 20; ++i) {
    sinew_configuration_random(a, 3, i, q);
    assert_ok(sinew_state_forward(at_a, q));
    assert_ok(sinew_state_forward(at_b, q));
    for (int l = 0; l < sinew_model_link_count(a); ++l) {
      sinew_pose of_a, of_b;
      assert_string_equal(sinew_model_link_name(a, l), sinew_model_link_name(b, l));
      assert_ok(sinew_state_link_pose(at_a, l, &of_a));
      assert_ok(sinew_state_link_pose(at_b, l, &of_b));
      if (distance_of(&of_a, &of_b) > 1e-13 * (1 + sinew_model_size(a)))
        fail_msg("%s: %s is %g off", name, sinew_model_link_name(a, l), distance_of(&of_a, &of_b));
    }
  }
  sinew_state_destroy(at_a);
  sinew_state_destroy(at_b);
}

static sinew_model *model_of(const char *text, sinew_document **document) {
  sinew_error error = {0};
  sinew_model *model = NULL;
  if (sinew_urdf_read(text, strlen(text), NULL, document, &error) != SINEW_OK ||
      sinew_model_create(&(*document)->model, &model, &error) != SINEW_OK)
    fail_msg("%s: %s", error.name, error.message);
  return model;
}

// Whether a spherical joint has limits: other ones than URDF can give it.
static bool has_cones(const sinew_scene *scene) {
  for (int j = 0; j < scene->model.joint_count; ++j) {
    const sinew_joint_def *joint = &scene->model.joints[j];
    for (int v = 0; v < 3 && joint->kind == SINEW_JOINT_SPHERICAL; ++v)
      if (isfinite(joint->lower[v]) || isfinite(joint->upper[v]))
        return true;
  }
  return false;
}

// Every built-in figure, written and read again; one that URDF does not have is refused.
static void figures_are_read_again(void **state) {
  (void)state;
  for (int i = 0; sinew_scene_name(i) != NULL; ++i) {
    const char *name =
        strcmp(sinew_scene_name(i), "chain-N") == 0 ? "chain-7" : sinew_scene_name(i);
    sinew_scene *scene = sinew_scene_create(name);
    sinew_document *document;
    sinew_model *model = NULL;
    assert_non_null(scene);
    assert_ok(sinew_model_create(&scene->model, &model, NULL));
    result got = RUN(W("info"), W(name), W("--urdf"));
    if (has_cones(scene)) {
      assert_int_equal(got.exit_code, 2);
      assert_string_equal(got.out, "");
      assert_non_null(strstr(got.err, "URDF has no such limits"));
    } else {
      assert_int_equal(got.exit_code, 0);
      assert_string_equal(got.err, "");
      sinew_model *again = model_of(got.out, &document);
      assert_string_equal(sinew_model_name(again), name);
      expect_same(model, again, name);
      sinew_model_destroy(again);
      sinew_document_destroy(document);
    }
    sinew_model_destroy(model);
    sinew_scene_destroy(scene);
    release(&got);
  }
}

// Masses, coupled joints, a screw, a slide, a spherical joint with limits, names with characters of
// XML.
static void robots_are_read_again(void **state) {
  (void)state;
  static const char text[] =
      "<robot name=\"a &lt;b&gt;\"><link name=\"base\"/><link name=\"x &amp; y\"><inertial>"
      "<origin xyz=\"0 0.1 0.2\"/><mass value=\"2.5\"/></inertial></link><link name=\"c\"/>"
      "<link name=\"d\"/><link name=\"e\"/><link name=\"f\"/>"
      "<joint name=\"j&quot;\" type=\"prismatic\"><parent link=\"base\"/><child link=\"x &amp; "
      "y\"/><origin xyz=\"1 2 3\" rpy=\"0.3 1.5707963267948966 -2\"/><axis xyz=\"0 0.6 0.8\"/>"
      "<limit lower=\"-1\" upper=\"0.5\" velocity=\"2\" effort=\"1\"/></joint>"
      "<joint name=\"k\" type=\"continuous\"><parent link=\"x &amp; y\"/><child link=\"c\"/>"
      "<origin rpy=\"3 0.2 1\"/><axis xyz=\"0 0 1\"/></joint>"
      "<joint name=\"m\" type=\"continuous\"><parent link=\"c\"/><child link=\"d\"/>"
      "<axis xyz=\"1 0 0\"/><mimic joint=\"k\" multiplier=\"-2.5\" offset=\"0.25\"/></joint>"
      "<drake:joint name=\"s\" type=\"screw\"><parent link=\"d\"/><child link=\"e\"/>"
      "<axis xyz=\"0 1 0\"/><drake:screw_thread_pitch value=\"0.3\"/></drake:joint>"
      "<joint name=\"ball\" type=\"spherical\"><parent link=\"e\"/><child link=\"f\"/>"
      "<limit effort=\"3\" lower=\"0.4\" upper=\"1.9\" twist=\"0.7\"/></joint></robot>";
  char path[4096];
  snprintf(path, sizeof path, "%s/robot.urdf", getenv("SINEW_SCRATCH_DIR"));
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  sinew_document *first, *second;
  sinew_model *model = model_of(text, &first);
  result got = RUN(W("info"), W(path), W("--urdf"));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "Inertia tensors and efforts are 0"));
  assert_non_null(strstr(got.out, " lower=\"0.4\" upper=\"1.9\" twist=\"0.7\"/>"));
  sinew_model *again = model_of(got.out, &second);
  assert_string_equal(sinew_model_name(again), "a <b>");
  expect_same(model, again, "robot.urdf");
  assert_true(second->model.links[1].mass == 2.5 &&
              second->model.links[1].center_of_mass[2] == 0.2);
  sinew_model_destroy(model);
  sinew_model_destroy(again);
  sinew_document_destroy(first);
  sinew_document_destroy(second);
  release(&got);
}

// What URDF does not have is refused by the joint's name; other outputs exclude it.
static void other_joints_are_refused(void **state) {
  (void)state;
  result got = RUN(W("info"), W("models/humanoid.bvh"), W("--urdf"));
  assert_int_equal(got.exit_code, 2);
  assert_string_equal(got.out, "");
  assert_non_null(strstr(got.err, "Hips: URDF has no joint of its kind"));
  release(&got);
  got = RUN(W("info"), W("arm6"), W("--urdf"), W("--json"));
  assert_int_equal(got.exit_code, 2);
  assert_non_null(strstr(got.err, "--json"));
  release(&got);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figures_are_read_again),
      cmocka_unit_test(robots_are_read_again),
      cmocka_unit_test(other_joints_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
