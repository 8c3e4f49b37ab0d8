// Coupled (mimic) joints: their drivers, also through chains; the limits and speeds that they leave
// their driver; faults.
#include "kinematic_scene.h"
#include "link.h"

#define ROUNDING 1e-13 // a few joints: some tens of roundings of numbers of size 1 to 10

// A chain of revolute joints about z, 1 m apart: joint i moves link i + 1.
enum { JOINTS = 4 };
typedef struct fingers {
  sinew_link_def links[JOINTS + 1];
  sinew_joint_def joints[JOINTS];
  sinew_model_def def;
} fingers;

static void fingers_make(fingers *f) {
  static const char *const link_names[JOINTS + 1] = {"palm", "l0", "l1", "l2", "l3"};
  static const char *const joint_names[JOINTS] = {"a", "b", "c", "d"};
  memset(f, 0, sizeof *f);
  for (int i = 0; i <= JOINTS; ++i) {
    f->links[i] = (sinew_link_def)LINK(link_names[i]);
  }
  for (int j = 0; j < JOINTS; ++j) {
    f->joints[j] = sinew_default_joint_def();
    f->joints[j].name = joint_names[j];
    f->joints[j].kind = SINEW_JOINT_REVOLUTE;
    f->joints[j].parent = j;
    f->joints[j].child = j + 1;
    f->joints[j].placement.position[0] = 1.0;
    f->joints[j].axis[0] = 0.0;
    f->joints[j].axis[2] = 1.0;
  }
  f->def = sinew_default_model_def();
  f->def.links = f->links;
  f->def.link_count = JOINTS + 1;
  f->def.joints = f->joints;
  f->def.joint_count = JOINTS;
}

static void couple(fingers *f, int joint, int driver, double ratio, double offset) {
  f->joints[joint].driver = driver;
  f->joints[joint].ratio = ratio;
  f->joints[joint].offset = offset;
}

static void limit(fingers *f, int joint, double lower, double upper) {
  f->joints[joint].lower[0] = lower;
  f->joints[joint].upper[0] = upper;
}

static sinew_model *made(const fingers *f) {
  sinew_model *model = NULL;
  sinew_error error;
  if (sinew_model_create(&f->def, &model, &error) != SINEW_OK) {
    fail_msg("refused: %s: %s", error.name, error.message);
  }
  return model;
}

static void assert_limits(const fingers *f, double lower, double upper) {
  sinew_model *model = made(f);
  if (isfinite(lower)) {
    assert_near(sinew_model_lower(model)[0], lower, 1e-15);
  } else {
    assert_true(sinew_model_lower(model)[0] == lower);
  }
  if (isfinite(upper)) {
    assert_near(sinew_model_upper(model)[0], upper, 1e-15);
  } else {
    assert_true(sinew_model_upper(model)[0] == upper);
  }
  assert_null(sinew_model_warning(model, 0));
  sinew_model_destroy(model);
}

// ------------------------------------------------------------------ following

// c = -3 b + 0.5, b = 2 a + 0.1, so c = -6 a + 0.2; whatever the order of joints.
// req: A10
static void couplings_work_through_chains(void **unused) {
  (void)unused;
  fingers f;
  for (int reversed = 0; reversed < 2; ++reversed) {
    const int a = reversed ? 2 : 0, b = 1, c = reversed ? 0 : 2;
    fingers_make(&f);
    couple(&f, b, a, 2.0, 0.1);
    couple(&f, c, b, -3.0, 0.5);
    sinew_model *model = made(&f);
    sinew_joint joint;
    assert_int_equal(sinew_model_nv(model), 2);
    assert_int_equal(sinew_model_joint(model, c, &joint), SINEW_OK);
    assert_int_equal(joint.driver, a);
    assert_int_equal(joint.nq, 0);
    assert_int_equal(joint.nv, 0);
    assert_near(joint.ratio, -6.0, 1e-15);
    assert_near(joint.offset, 0.2, 1e-15);
    assert_int_equal(sinew_model_joint(model, b, &joint), SINEW_OK);
    assert_int_equal(joint.driver, a);
    assert_near(joint.ratio, 2.0, 0.0);
    const double q[2] = {0.3, -0.7}; // a and d
    double values[JOINTS] = {9, 9, 9, 9};
    assert_int_equal(sinew_model_joint_values(model, q, NULL), JOINTS);
    assert_int_equal(sinew_model_joint_values(model, q, values), JOINTS);
    assert_near(values[a], 0.3, 0.0);
    assert_near(values[b], 0.7, 1e-15);
    assert_near(values[c], -1.6, 1e-15);
    assert_near(values[3], -0.7, 0.0);
    sinew_model_destroy(model);
  }
}

// A driver's column is the sum of its own and its followers', each times its ratio; an effector
// that only a follower moves has the follower's part.
// req: A10 B1
static void followers_add_to_the_drivers_column(void **unused) {
  (void)unused;
  fingers f;
  kinematic_scene scene;
  fingers_make(&f);
  couple(&f, 1, 0, 2.0, 0.1);
  couple(&f, 3, 0, -0.5, 0.0);
  f.joints[3].parent = 0; // a thumb on the palm
  scene_open(&scene, &f.def);
  scene.q[0] = 0.4;
  scene.q[1] = -0.3;
  scene_place(&scene);
  assert_at_most(scene_place_error(&scene), ROUNDING);
  const double tip[3] = {1.0, 0.0, 0.0};
  for (int link = 0; link <= JOINTS; ++link) {
    assert_at_most(scene_jacobian_error(&scene, link, tip), ROUNDING);
  }
  // l2 rotates with a, b = 2 a + 0.1 and c; in the plane angles add up
  assert_int_equal(sinew_state_jacobian(scene.state, 3, tip, 0, scene.J), SINEW_OK);
  assert_near(scene.J[5 * 2], 3.0, 1e-15);
  assert_near(scene.J[5 * 2 + 1], 1.0, 1e-15);
  // the thumb by half of a, backwards: its tip is 1 m from its joint
  assert_int_equal(sinew_state_jacobian(scene.state, 4, tip, 0, scene.J), SINEW_OK);
  assert_near(scene.J[5 * 2], -0.5, 1e-15);
  assert_near(scene.J[5 * 2 + 1], 0.0, 0.0);
  assert_near(scene.J[0], -0.5 * sin(0.2), 1e-15);
  assert_near(scene.J[2], -0.5 * cos(0.2), 1e-15);
  scene_close(&scene);
}

// Any joint of one value can follow any other: a prismatic joint that follows a revolute one.
// req: A10
static void prismatic_joints_follow_revolute_joints(void **unused) {
  (void)unused;
  fingers f;
  kinematic_scene scene;
  fingers_make(&f);
  f.joints[1].kind = SINEW_JOINT_PRISMATIC;
  f.joints[2].kind = SINEW_JOINT_SCREW;
  f.joints[2].pitch = 0.1;
  snprintf(f.joints[3].channels, sizeof f.joints[3].channels, "Y");
  f.joints[3].kind = SINEW_JOINT_EULER;
  couple(&f, 1, 0, 0.5, 1.0);
  couple(&f, 2, 0, 0.25, 0.0);
  couple(&f, 3, 1, 4.0, -1.0);
  scene_open(&scene, &f.def);
  assert_int_equal(scene.nv, 1);
  for (int i = -3; i < 4; ++i) {
    const double point[3] = {0.5, 0.25, 1.0};
    scene.q[0] = i;
    scene_place(&scene);
    assert_at_most(scene_place_error(&scene), ROUNDING);
    assert_at_most(scene_jacobian_error(&scene, 4, point), ROUNDING);
  }
  scene_close(&scene);
}

// -------------------------------------------------------------------- narrowing

// req: A10
static void limits_bound_the_driver(void **unused) {
  (void)unused;
  fingers f;
  fingers_make(&f);
  limit(&f, 0, -1.0, 1.0);
  couple(&f, 1, 0, 2.0, 0.1);
  limit(&f, 1, -0.5, 1.2);
  assert_limits(&f, -0.3, 0.55);
  f.joints[1].ratio = -2.0; // the ends are exchanged
  assert_limits(&f, -0.55, 0.3);
  limit(&f, 1, -10.0, 10.0); // wider than the driver's own limits
  assert_limits(&f, -1.0, 1.0);
  limit(&f, 1, -INFINITY, 0.5); // one side: -2 a + 0.1 <= 0.5
  assert_limits(&f, -0.2, 1.0);
  limit(&f, 1, -INFINITY, INFINITY);
  assert_limits(&f, -1.0, 1.0);
  limit(&f, 0, -INFINITY, INFINITY); // an unlimited driver
  limit(&f, 1, -0.5, 1.1);
  assert_limits(&f, -0.5, 0.3);
  f.joints[0].kind = SINEW_JOINT_CONTINUOUS;
  assert_limits(&f, -0.5, 0.3);
}

// Through a chain: c = -6 a + 0.2 within [-1, 2].
// req: A10
static void limits_bound_the_driver_through_a_chain(void **unused) {
  (void)unused;
  fingers f;
  fingers_make(&f);
  couple(&f, 1, 0, 2.0, 0.1);
  couple(&f, 2, 1, -3.0, 0.5);
  limit(&f, 2, -1.0, 2.0);
  assert_limits(&f, -0.3, 0.2);
  limit(&f, 1, -0.3, 5.0); // and of the joint between: a >= -0.2
  assert_limits(&f, -0.2, 0.2);
}

// A limit that would leave no value or a single one is dropped, and the warning names both joints.
// req: A10
static void limits_that_leave_no_range_are_dropped(void **unused) {
  (void)unused;
  const double limits[3][2] = {{3.0, 4.0}, {1.0, 2.0}, {0.0, 0.0}}; // empty, one value, one value
  for (int i = 0; i < 3; ++i) {
    fingers f;
    fingers_make(&f);
    limit(&f, 0, -1.0, 1.0);
    couple(&f, 1, 0, 1.0, 0.0);
    limit(&f, 1, limits[i][0], limits[i][1]);
    sinew_model *model = made(&f);
    assert_near(sinew_model_lower(model)[0], -1.0, 0.0);
    assert_near(sinew_model_upper(model)[0], 1.0, 0.0);
    const char *warning = sinew_model_warning(model, 0);
    assert_non_null(warning);
    assert_non_null(strstr(warning, "\"a\""));
    assert_non_null(strstr(warning, "\"b\""));
    assert_null(sinew_model_warning(model, 1));
    sinew_model_destroy(model);
  }
}

// A driver whose own limits are equal stays at that value, without a warning.
// req: A10
static void drivers_may_have_equal_limits(void **unused) {
  (void)unused;
  fingers f;
  fingers_make(&f);
  limit(&f, 0, 0.25, 0.25);
  couple(&f, 1, 0, 2.0, 0.0);
  assert_limits(&f, 0.25, 0.25);
  limit(&f, 1, -1.0, 1.0);
  assert_limits(&f, 0.25, 0.25);
}

// A limit that only an unusable value of the driver would satisfy is dropped too.
// req: A10
static void limits_at_unusable_values_are_dropped(void **unused) {
  (void)unused;
  fingers f;
  fingers_make(&f);
  couple(&f, 1, 0, 1e-150, 0.0);
  limit(&f, 1, 1.0, 2.0);
  sinew_model *model = made(&f);
  double q[JOINTS];
  sinew_state *state = NULL;
  assert_non_null(sinew_model_warning(model, 0));
  sinew_configuration_start(model, q);
  assert_near(q[0], 0.0, 0.0);
  assert_int_equal(sinew_state_create(model, NULL, &state, NULL), SINEW_OK);
  assert_int_equal(sinew_state_forward(state, q), SINEW_OK);
  sinew_state_destroy(state);
  sinew_model_destroy(model);
}

// With a ratio of 0 the joint is constant and bounds nothing.
// req: A10
static void ratio_of_zero_is_constant(void **unused) {
  (void)unused;
  fingers f;
  fingers_make(&f);
  limit(&f, 0, -1.0, 1.0);
  couple(&f, 1, 0, 0.0, 0.7);
  limit(&f, 1, 0.0, 0.1);
  f.joints[1].velocity[0] = 0.5;
  assert_limits(&f, -1.0, 1.0);
  sinew_model *model = made(&f);
  const double q[3] = {0.5, 0, 0};
  double values[JOINTS];
  sinew_model_joint_values(model, q, values);
  assert_near(values[1], 0.7, 0.0);
  assert_true(sinew_model_velocity(model)[0] == INFINITY);
  sinew_model_destroy(model);
}

// |ratio| times the driver's speed must not exceed the follower's; 0 in a definition means no
// limit.
// req: A10
static void velocities_bound_the_driver(void **unused) {
  (void)unused;
  const struct {
    double own, followers, ratio, expected;
  } cases[] = {{3.0, 1.0, 2.0, 0.5},      {3.0, 1.0, -2.0, 0.5},     {0.25, 1.0, 2.0, 0.25},
               {0.0, 1.0, 0.5, 2.0},      {INFINITY, 1.0, 0.5, 2.0}, {3.0, 0.0, 2.0, 3.0},
               {3.0, INFINITY, 2.0, 3.0}, {0.0, 0.0, 2.0, INFINITY}};
  for (int i = 0; i < 8; ++i) {
    fingers f;
    fingers_make(&f);
    couple(&f, 1, 0, cases[i].ratio, 0.0);
    f.joints[0].velocity[0] = cases[i].own;
    f.joints[1].velocity[0] = cases[i].followers;
    sinew_model *model = made(&f);
    assert_true(sinew_model_velocity(model)[0] == cases[i].expected);
    sinew_model_destroy(model);
  }
}

// ----------------------------------------------------------------------- faults

static void assert_refused(const fingers *f, sinew_result code, const char *name,
                           const char *words) {
  sinew_model *model = NULL;
  sinew_error error;
  assert_int_equal(sinew_model_create(&f->def, &model, &error), code);
  assert_null(model);
  assert_string_equal(error.name, name);
  if (strstr(error.message, words) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", error.message, words);
  }
}

// req: A10
static void faults_name_the_joint(void **unused) {
  (void)unused;
  fingers f;
  fingers_make(&f);
  couple(&f, 1, 1, 1.0, 0.0);
  assert_refused(&f, SINEW_ERROR_MODEL, "b", "itself");
  fingers_make(&f); // a loop of two; the joint before it is valid
  couple(&f, 1, 2, 1.0, 0.0);
  couple(&f, 2, 1, 1.0, 0.0);
  assert_refused(&f, SINEW_ERROR_MODEL, "b", "loop");
  fingers_make(&f); // a loop of three, with another joint coupled to it
  couple(&f, 0, 1, 1.0, 0.0);
  couple(&f, 1, 2, 1.0, 0.0);
  couple(&f, 2, 3, 1.0, 0.0);
  couple(&f, 3, 1, 1.0, 0.0);
  assert_refused(&f, SINEW_ERROR_MODEL, "b", "loop");
  const int no_joint[] = {4, INT32_MAX};
  for (int i = 0; i < 2; ++i) {
    fingers_make(&f);
    couple(&f, 1, no_joint[i], 1.0, 0.0);
    assert_refused(&f, SINEW_ERROR_MODEL, "b", "not a joint");
  }
  const sinew_joint_kind many[] = {SINEW_JOINT_FIXED,       SINEW_JOINT_SPHERICAL,
                                   SINEW_JOINT_UNIVERSAL,   SINEW_JOINT_PLANAR,
                                   SINEW_JOINT_CYLINDRICAL, SINEW_JOINT_FREE};
  for (int i = 0; i < 12; ++i) { // as driver, as follower
    fingers_make(&f);
    couple(&f, 1, 0, 1.0, 0.0);
    f.joints[i % 2].kind = many[i / 2];
    f.joints[i % 2].axis[0] = 1.0;
    f.joints[i % 2].axis[2] = 0.0;
    assert_refused(&f, SINEW_ERROR_MODEL, "b", "one degree of freedom");
  }
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e200};
  for (int i = 0; i < 4; ++i) {
    fingers_make(&f);
    couple(&f, 1, 0, bad[i], 0.0);
    assert_refused(&f, SINEW_ERROR_NOT_FINITE, "b", "ratio");
    couple(&f, 1, 0, 1.0, bad[i]);
    assert_refused(&f, SINEW_ERROR_NOT_FINITE, "b", "offset");
  }
  fingers_make(&f); // each is valid, the product is not
  couple(&f, 1, 0, 1e60, 0.0);
  couple(&f, 2, 1, 1e60, 0.0);
  assert_refused(&f, SINEW_ERROR_NOT_FINITE, "c", "chain");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(couplings_work_through_chains),
      cmocka_unit_test(followers_add_to_the_drivers_column),
      cmocka_unit_test(prismatic_joints_follow_revolute_joints),
      cmocka_unit_test(limits_bound_the_driver),
      cmocka_unit_test(limits_bound_the_driver_through_a_chain),
      cmocka_unit_test(limits_that_leave_no_range_are_dropped),
      cmocka_unit_test(drivers_may_have_equal_limits),
      cmocka_unit_test(limits_at_unusable_values_are_dropped),
      cmocka_unit_test(ratio_of_zero_is_constant),
      cmocka_unit_test(velocities_bound_the_driver),
      cmocka_unit_test(faults_name_the_joint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
