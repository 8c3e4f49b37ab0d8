// Models: the faults of a definition, each named with its joint or link, and the contents of a
// model.
#include "near.h"
#include "sinew/sinew.h"
#include "link.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

// A base, a shoulder, an elbow, a hand: each test makes one fault in it.
typedef struct arm {
  sinew_link_def links[4];
  sinew_joint_def joints[3];
  sinew_shape_def shapes[2];
  sinew_link_pair pairs[1];
  sinew_model_def def;
} arm;

static void arm_make(arm *a) {
  static const char *const link_names[4] = {"base", "upper", "lower", "hand"};
  static const char *const joint_names[3] = {"shoulder", "elbow", "wrist"};
  memset(a, 0, sizeof *a);
  for (int i = 0; i < 4; ++i) {
    a->links[i] = (sinew_link_def)LINK(link_names[i]);
  }
  for (int j = 0; j < 3; ++j) {
    a->joints[j] = sinew_default_joint_def();
    a->joints[j].name = joint_names[j];
    a->joints[j].kind = SINEW_JOINT_REVOLUTE;
    a->joints[j].parent = j;
    a->joints[j].child = j + 1;
    a->joints[j].placement.position[2] = 0.5;
  }
  for (int i = 0; i < 2; ++i) {
    a->shapes[i] = (sinew_shape_def){.cookie = SINEW_COOKIE_SHAPE,
                                     .size = sizeof(sinew_shape_def),
                                     .link = i + 1,
                                     .b = {0, 0, 0.5},
                                     .radius = 0.1};
  }
  a->pairs[0] = (sinew_link_pair){1, 2};
  a->def = sinew_default_model_def();
  a->def.name = "arm";
  a->def.links = a->links;
  a->def.link_count = 4;
  a->def.joints = a->joints;
  a->def.joint_count = 3;
  a->def.shapes = a->shapes;
  a->def.shape_count = 2;
  a->def.ignored_pairs = a->pairs;
  a->def.ignored_pair_count = 1;
}

// Refused with this code; the error has the name, and the text in its message.
static void assert_refused(const arm *a, sinew_result code, const char *name, const char *words) {
  sinew_model *model = (sinew_model *)(uintptr_t)a; // must be overwritten
  sinew_error error;
  memset(&error, 0x55, sizeof error);
  assert_int_equal(sinew_model_create(&a->def, &model, &error), code);
  assert_null(model);
  assert_int_equal(error.code, code);
  assert_string_equal(error.name, name);
  assert_int_equal(error.line, 0);
  assert_string_equal(error.file, "");
  if (strstr(error.message, words) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", error.message, words);
  }
  assert_int_equal(sinew_model_create(&a->def, &model, NULL), code); // error may be NULL
}

static sinew_model *made(const arm *a) {
  sinew_model *model = NULL;
  sinew_error error;
  if (sinew_model_create(&a->def, &model, &error) != SINEW_OK) {
    fail_msg("refused: %s: %s", error.name, error.message);
  }
  return model;
}

// ------------------------------------------------------------------- arguments

static void wrong_arguments_are_refused(void **unused) {
  (void)unused;
  arm a;
  sinew_error error;
  sinew_model *model = NULL;
  arm_make(&a);
  assert_int_equal(sinew_model_create(NULL, &model, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_model_create(&a.def, NULL, &error), SINEW_ERROR_ARGUMENT);
  a.def.cookie = 0;
  assert_refused(&a, SINEW_ERROR_ARGUMENT, "", "sinew_default_model_def");
  arm_make(&a);
  a.def.links = NULL;
  assert_refused(&a, SINEW_ERROR_ARGUMENT, "", "NULL");
  arm_make(&a);
  a.def.joints = NULL;
  assert_refused(&a, SINEW_ERROR_ARGUMENT, "", "NULL");
  arm_make(&a);
  a.def.shapes = NULL;
  assert_refused(&a, SINEW_ERROR_ARGUMENT, "", "NULL");
  arm_make(&a);
  a.def.ignored_pairs = NULL;
  assert_refused(&a, SINEW_ERROR_ARGUMENT, "", "NULL");
  const int counts[] = {0, -1, INT32_MIN};
  for (int i = 0; i < 3; ++i) {
    arm_make(&a);
    a.def.link_count = counts[i];
    assert_refused(&a, SINEW_ERROR_MODEL, "", "link");
  }
  int *const others[] = {&a.def.joint_count, &a.def.shape_count, &a.def.ignored_pair_count};
  for (int i = 0; i < 3; ++i) {
    arm_make(&a);
    *others[i] = -1;
    assert_refused(&a, SINEW_ERROR_MODEL, "", "negative");
  }
}

// ----------------------------------------------------------------------- names

static void names_must_exist_and_differ(void **unused) {
  (void)unused;
  arm a;
  arm_make(&a);
  a.links[2].name = "upper";
  assert_refused(&a, SINEW_ERROR_MODEL, "upper", "two links, 1 and 2");
  arm_make(&a);
  a.joints[2].name = "shoulder";
  assert_refused(&a, SINEW_ERROR_MODEL, "shoulder", "two joints, 0 and 2");
  const char *const none[] = {NULL, ""};
  for (int i = 0; i < 2; ++i) {
    arm_make(&a);
    a.links[3].name = none[i];
    assert_refused(&a, SINEW_ERROR_MODEL, "", "link 3 has no name");
    arm_make(&a);
    a.joints[1].name = none[i];
    assert_refused(&a, SINEW_ERROR_MODEL, "", "joint 1 has no name");
  }
  arm_make(&a); // a joint and a link may have the same name
  a.joints[0].name = "upper";
  sinew_model_destroy(made(&a));
}

// A name of any length is kept; in an error it is truncated.
static void long_names_are_kept_and_truncated_in_errors(void **unused) {
  (void)unused;
  enum { LENGTH = 5000 };
  static char name[LENGTH + 1];
  memset(name, 'n', LENGTH);
  arm a;
  arm_make(&a);
  a.links[1].name = name;
  sinew_model *model = made(&a);
  assert_string_equal(sinew_model_link_name(model, 1), name);
  assert_int_equal(sinew_model_find_link(model, name), 1);
  sinew_model_destroy(model);
  a.links[1].mass = -1.0;
  sinew_error error;
  assert_int_equal(sinew_model_create(&a.def, &model, &error), SINEW_ERROR_MODEL);
  assert_int_equal(strlen(error.name), sizeof error.name - 1);
}

// -------------------------------------------------------------------- the tree

// req: A1
static void trees_have_one_root_and_one_path_to_each_link(void **unused) {
  (void)unused;
  arm a;
  arm_make(&a); // two parents
  a.joints[2].child = 2;
  a.joints[2].parent = 0;
  assert_refused(&a, SINEW_ERROR_MODEL, "wrist", "\"lower\" is also the child of joint \"elbow\"");
  arm_make(&a); // two roots
  a.def.joint_count = 2;
  assert_refused(&a, SINEW_ERROR_MODEL, "hand", "\"base\" and \"hand\"");
  arm_make(&a); // a loop of all
  a.links[0] = a.links[3];
  a.def.link_count = 3;
  a.joints[2].child = 0;
  assert_refused(&a, SINEW_ERROR_MODEL, "hand", "loop");
  arm_make(&a); // a loop apart from the root: elbow and wrist are each other's parents
  a.joints[1].parent = 3;
  assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "loop");
  arm_make(&a); // a joint on its own link
  a.joints[2].parent = 3;
  assert_refused(&a, SINEW_ERROR_MODEL, "wrist", "loop");
  const int no_link[] = {-1, 4, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 4; ++i) {
    arm_make(&a);
    a.joints[1].parent = no_link[i];
    assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "not a link");
    arm_make(&a);
    a.joints[1].child = no_link[i];
    assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "not a link");
  }
}

// Joints in any order, the root anywhere among the links.
// req: A1
static void joints_may_be_in_any_order(void **unused) {
  (void)unused;
  arm a;
  arm_make(&a);
  const sinew_joint_def last = a.joints[2];
  a.joints[2] = a.joints[0];
  a.joints[0] = last;
  sinew_model *model = made(&a);
  assert_int_equal(sinew_model_root(model), 0);
  assert_int_equal(sinew_model_link_joint(model, 3), 0);
  assert_int_equal(sinew_model_find_joint(model, "shoulder"), 2);
  sinew_model_destroy(model);
}

// ---------------------------------------------------------------------- joints

static void kinds_must_exist(void **unused) {
  (void)unused;
  const int kinds[] = {-1, (int)SINEW_JOINT_FUNCTION + 1, 1000};
  for (int i = 0; i < 3; ++i) {
    arm a;
    arm_make(&a);
    memcpy(&a.joints[1].kind, &kinds[i], sizeof kinds[i]);
    assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "kind");
  }
}

static const sinew_joint_kind AXIAL[] = {
    SINEW_JOINT_REVOLUTE,  SINEW_JOINT_CONTINUOUS,  SINEW_JOINT_PRISMATIC, SINEW_JOINT_SCREW,
    SINEW_JOINT_UNIVERSAL, SINEW_JOINT_CYLINDRICAL, SINEW_JOINT_PLANAR};

static void axes_must_have_a_direction(void **unused) {
  (void)unused;
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e200};
  arm a;
  for (int k = 0; k < 7; ++k) {
    arm_make(&a);
    a.joints[1].kind = AXIAL[k];
    a.joints[1].axis[0] = 0.0;
    assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "zero");
    for (int i = 0; i < 4; ++i) {
      sinew_model *model = NULL;
      sinew_error error;
      arm_make(&a);
      a.joints[1].kind = AXIAL[k];
      a.joints[1].axis[1] = bad[i];
      assert_int_not_equal(sinew_model_create(&a.def, &model, &error), SINEW_OK);
      assert_string_equal(error.name, "elbow");
      arm_make(&a);
      a.joints[1].kind = SINEW_JOINT_UNIVERSAL;
      a.joints[1].axis2[2] = bad[i];
      assert_int_not_equal(sinew_model_create(&a.def, &model, &error), SINEW_OK);
      assert_string_equal(error.name, "elbow");
    }
  }
  arm_make(&a);
  a.joints[1].kind = SINEW_JOINT_UNIVERSAL;
  const double parallel[3] = {-3.0, 0.0, 0.0};
  memcpy(a.joints[1].axis2, parallel, sizeof parallel);
  assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "parallel");
  const sinew_joint_kind without[] = {SINEW_JOINT_FIXED, SINEW_JOINT_SPHERICAL, SINEW_JOINT_FREE};
  for (int k = 0; k < 3; ++k) { // not checked for a kind without an axis
    arm_make(&a);
    a.joints[1].kind = without[k];
    a.joints[1].axis[0] = 0.0;
    sinew_model_destroy(made(&a));
  }
}

// A finite axis of any length is valid: only its direction counts.
static void axes_have_any_length(void **unused) {
  (void)unused;
  const double lengths[] = {1e-90, 1e-3, 1e90};
  for (int i = 0; i < 6; ++i) {
    arm a;
    arm_make(&a);
    a.joints[0].kind = i < 3 ? SINEW_JOINT_PRISMATIC : SINEW_JOINT_UNIVERSAL;
    a.joints[0].axis[0] = a.joints[0].axis2[1] = lengths[i % 3];
    sinew_model *model = made(&a);
    sinew_state *state = NULL;
    assert_int_equal(sinew_state_create(model, NULL, &state, NULL), SINEW_OK);
    double q[4] = {0.25, 0, 0, 0}, J[6 * 4];
    assert_int_equal(sinew_state_forward(state, q), SINEW_OK);
    assert_int_equal(sinew_state_jacobian(state, 1, NULL, 0, J), SINEW_OK);
    assert_near(J[i < 3 ? 0 : 3 * sinew_model_nv(model)], 1.0, 1e-15);
    sinew_state_destroy(state);
    sinew_model_destroy(model);
  }
}

static void placements_must_be_finite(void **unused) {
  (void)unused;
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e200};
  arm a;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 7; ++k) {
      arm_make(&a);
      sinew_pose *placement = &a.joints[2].placement;
      *(k < 3 ? &placement->position[k] : &placement->rotation[k - 3]) = bad[i];
      assert_refused(&a, SINEW_ERROR_NOT_FINITE, "wrist", "placement");
    }
    arm_make(&a);
    a.joints[2].kind = SINEW_JOINT_SCREW;
    a.joints[2].pitch = bad[i];
    assert_refused(&a, SINEW_ERROR_NOT_FINITE, "wrist", "pitch");
  }
  arm_make(&a);
  memset(a.joints[2].placement.rotation, 0, sizeof a.joints[2].placement.rotation);
  assert_refused(&a, SINEW_ERROR_MODEL, "wrist", "quaternion");
}

static void limits_must_not_be_empty(void **unused) {
  (void)unused;
  arm a;
  arm_make(&a);
  a.joints[1].lower[0] = 0.5;
  a.joints[1].upper[0] = 0.25;
  assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "above");
  const double no_lower[] = {NAN, INFINITY, 1e200}, no_upper[] = {NAN, -INFINITY, -1e200};
  for (int i = 0; i < 3; ++i) {
    arm_make(&a);
    a.joints[1].lower[0] = no_lower[i];
    assert_refused(&a, SINEW_ERROR_NOT_FINITE, "elbow", "limits");
    arm_make(&a);
    a.joints[1].upper[0] = no_upper[i];
    assert_refused(&a, SINEW_ERROR_NOT_FINITE, "elbow", "limits");
  }
  arm_make(&a);
  a.joints[1].velocity[0] = NAN;
  assert_refused(&a, SINEW_ERROR_NOT_FINITE, "elbow", "velocity");
  arm_make(&a);
  a.joints[1].velocity[0] = -1.0;
  assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "velocity");
  arm_make(&a); // also for the second value of a joint
  a.joints[1].kind = SINEW_JOINT_CYLINDRICAL;
  a.joints[1].lower[1] = 2.0;
  a.joints[1].upper[1] = 1.0;
  assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "above");
  arm_make(&a); // values that the joint does not have are not checked
  a.joints[1].lower[1] = NAN;
  sinew_model_destroy(made(&a));
  arm_make(&a); // limits of zero width are valid
  a.joints[1].lower[0] = a.joints[1].upper[0] = 0.25;
  sinew_model_destroy(made(&a));
}

// The rotation of a free joint and a continuous joint cannot have limits.
static void free_rotations_and_continuous_joints_have_no_limits(void **unused) {
  (void)unused;
  arm a;
  for (int side = 0; side < 2; ++side) {
    for (int i = 3; i < 6; ++i) {
      arm_make(&a);
      a.joints[1].kind = SINEW_JOINT_FREE;
      (side ? a.joints[1].upper : a.joints[1].lower)[i] = side ? 1.0 : -1.0;
      assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "free joint");
    }
    arm_make(&a);
    a.joints[1].kind = SINEW_JOINT_CONTINUOUS;
    (side ? a.joints[1].upper : a.joints[1].lower)[0] = side ? 1.0 : -1.0;
    assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "continuous");
  }
  arm_make(&a); // the position of a free joint may have them
  a.joints[1].kind = SINEW_JOINT_FREE;
  a.joints[1].lower[2] = -1.0;
  sinew_model_destroy(made(&a));
}

// Each fault of limits of swing and twist is named.
static void swing_and_twist_are_checked(void **unused) {
  (void)unused;
  static const struct {
    double lower[3], upper[3];
    const char *words;
  } bad[] = {{{-1, -1, 1}, {1, 1, -1}, "lower limit 1 is above the upper limit -1"},
             {{1, -1, -1}, {-1, 1, 1}, "lower limit 1 is above the upper limit -1"},
             {{-1, 0.2, -1}, {1, 1, 1}, "limits 0.2, 1 of swing"},
             {{-1, -1, -1}, {1, 1, 0}, "limits -1, 0 of swing"},
             {{-1, -INFINITY, -1}, {1, 1, 1}, "where swing or twist is limited"},
             {{-1, -INFINITY, -INFINITY}, {1, INFINITY, INFINITY}, "swing or twist is limited"},
             {{-1, -1, -1}, {1, 1, 3.1}, "wider than"},
             {{4, -1, -1}, {5, 1, 1}, "limits 4, 5 of twist are beyond"}};
  arm a;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    arm_make(&a);
    a.joints[1].kind = SINEW_JOINT_SPHERICAL;
    memcpy(a.joints[1].lower, bad[i].lower, sizeof bad[i].lower);
    memcpy(a.joints[1].upper, bad[i].upper, sizeof bad[i].upper);
    assert_refused(&a, SINEW_ERROR_MODEL, "elbow", bad[i].words);
  }
  const double lower[3] = {-INFINITY, -3, -0.5}, upper[3] = {1, 0.001, 2};
  arm_make(&a);
  a.joints[1].kind = SINEW_JOINT_SPHERICAL;
  memcpy(a.joints[1].lower, lower, sizeof lower);
  memcpy(a.joints[1].upper, upper, sizeof upper);
  double from[3], to[3];
  sinew_model *model = made(&a);
  assert_true(sinew_model_swing_twist(model, 1, from, to));
  assert_false(sinew_model_swing_twist(model, 0, from, to));
  assert_near(from[0], -3.14159265358979, 1e-12); // no limit: a whole turn
  assert_near(to[2], 2.0, 0.0);
  sinew_model_destroy(model);
  a.joints[1].axis2[1] = 0.0; // parallel to axis
  a.joints[1].axis2[0] = a.joints[1].axis[0];
  memcpy(a.joints[1].axis, a.joints[1].axis2, sizeof a.joints[1].axis);
  a.joints[1].axis[0] = a.joints[1].axis2[0] = 1.0;
  assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "parallel");
}

// req: A3 A4 A6
static void channels_are_checked(void **unused) {
  (void)unused;
  const char *const bad_euler[] = {"",    "XX", "XYY", "XXY", "XYZX",
                                   "XYx", "x",  "ABC", "X Y", "XYZXYZ"};
  const char *const bad_channels[] = {"",     "xx", "xyx",  "XX",  "XxX",
                                      "XYZX", "Q",  "xyzw", "x,y", "\xff"};
  arm a;
  for (int i = 0; i < 10; ++i) {
    for (int kind = 0; kind < 2; ++kind) {
      sinew_model *model = NULL;
      sinew_error error;
      arm_make(&a);
      a.joints[1].kind = kind ? SINEW_JOINT_CHANNELS : SINEW_JOINT_EULER;
      snprintf(a.joints[1].channels, sizeof a.joints[1].channels, "%s",
               (kind ? bad_channels : bad_euler)[i]);
      assert_int_equal(sinew_model_create(&a.def, &model, &error), SINEW_ERROR_MODEL);
      assert_string_equal(error.name, "elbow");
      assert_non_null(strstr(error.message, "channel"));
    }
  }
  arm_make(&a); // seven letters without a terminator
  a.joints[1].kind = SINEW_JOINT_CHANNELS;
  memset(a.joints[1].channels, 'X', sizeof a.joints[1].channels);
  assert_refused(&a, SINEW_ERROR_MODEL, "elbow", "channels");
  const char *const good[] = {"X", "ZX", "XYX", "ZXY", "xyzZXY", "ZYXxyz", "z", "xZyYzX"};
  for (int i = 0; i < 8; ++i) {
    arm_make(&a);
    a.joints[1].kind = i < 4 ? SINEW_JOINT_EULER : SINEW_JOINT_CHANNELS;
    snprintf(a.joints[1].channels, sizeof a.joints[1].channels, "%s", good[i]);
    sinew_model *model = made(&a);
    assert_int_equal(sinew_model_nv(model), 2 + (int)strlen(good[i]));
    sinew_model_destroy(model);
  }
}

// --------------------------------------------------- masses, shapes, pairs, sizes

// req: A11
static void masses_and_shapes_are_checked(void **unused) {
  (void)unused;
  const double bad[] = {NAN, INFINITY, -1.0};
  arm a;
  for (int i = 0; i < 3; ++i) {
    arm_make(&a);
    a.links[2].mass = bad[i];
    assert_refused(&a, SINEW_ERROR_MODEL, "lower", "mass");
    arm_make(&a);
    a.shapes[1].radius = bad[i];
    assert_refused(&a, SINEW_ERROR_MODEL, "lower", "radius");
  }
  arm_make(&a);
  a.shapes[1].radius = 0.0;
  assert_refused(&a, SINEW_ERROR_MODEL, "lower", "radius");
  for (int i = 0; i < 2; ++i) {
    arm_make(&a);
    a.links[2].center_of_mass[i] = bad[i];
    assert_refused(&a, SINEW_ERROR_NOT_FINITE, "lower", "centre of mass");
    arm_make(&a);
    (i ? a.shapes[1].a : a.shapes[1].b)[2] = bad[i];
    assert_refused(&a, SINEW_ERROR_NOT_FINITE, "lower", "shape");
  }
  const int no_link[] = {-1, 4, INT32_MIN};
  for (int i = 0; i < 3; ++i) {
    arm_make(&a);
    a.shapes[1].link = no_link[i];
    assert_refused(&a, SINEW_ERROR_MODEL, "", "shape 1");
    arm_make(&a);
    a.pairs[0].b = no_link[i];
    assert_refused(&a, SINEW_ERROR_MODEL, "", "pair 0");
    arm_make(&a);
    a.pairs[0].a = no_link[i];
    assert_refused(&a, SINEW_ERROR_MODEL, "", "pair 0");
  }
}

// Masses and shapes are kept as given, for tasks of mass and collision, and all is copied: the
// definition may be destroyed.
// req: A11
static void models_copy_masses_and_shapes(void **unused) {
  (void)unused;
  arm a;
  arm_make(&a);
  a.links[2].mass = 2.5;
  a.links[2].center_of_mass[1] = 0.125;
  const sinew_shape_def shapes[2] = {a.shapes[0], a.shapes[1]};
  char name[] = "renamed", link_name[] = "hand", joint_name[] = "wrist";
  a.def.name = name;
  a.links[3].name = link_name;
  a.joints[2].name = joint_name;
  sinew_model *model = made(&a);
  memset(&a, 0x55, sizeof a);
  memset(name, 'x', sizeof name - 1);
  memset(link_name, 'x', sizeof link_name - 1);
  memset(joint_name, 'x', sizeof joint_name - 1);

  assert_string_equal(sinew_model_name(model), "renamed");
  assert_string_equal(sinew_model_link_name(model, 3), "hand");
  assert_int_equal(sinew_model_find_joint(model, "wrist"), 2);
  double center[3] = {9, 9, 9};
  const double expected[3] = {0, 0.125, 0}, none[3] = {0, 0, 0};
  assert_near(sinew_model_link_mass(model, 2, center), 2.5, 0.0);
  assert_memory_equal(center, expected, sizeof center);
  assert_near(sinew_model_link_mass(model, 1, center), 0.0, 0.0);
  assert_memory_equal(center, none, sizeof center);
  assert_near(sinew_model_link_mass(model, 2, NULL), 2.5, 0.0);
  const sinew_shape_def *carried = NULL;
  assert_int_equal(sinew_model_shapes(model, &carried), 2);
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(carried[i].link, shapes[i].link);
    assert_memory_equal(carried[i].a, shapes[i].a, sizeof shapes[i].a);
    assert_memory_equal(carried[i].b, shapes[i].b, sizeof shapes[i].b);
    assert_near(carried[i].radius, shapes[i].radius, 0.0);
  }
  const sinew_link_pair *pairs = NULL;
  assert_int_equal(sinew_model_ignored_pairs(model, &pairs), 1);
  assert_int_equal(pairs[0].a, 1);
  assert_int_equal(pairs[0].b, 2);
  sinew_model_destroy(model);
}

static void unknown_names_are_reported(void **unused) {
  (void)unused;
  arm a;
  arm_make(&a);
  sinew_model *model = made(&a);
  sinew_joint joint;
  const int no[] = {-1, 4, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 4; ++i) {
    assert_null(sinew_model_link_name(model, no[i]));
    assert_int_equal(sinew_model_link_joint(model, no[i]), -1);
    assert_near(sinew_model_link_mass(model, no[i], NULL), 0.0, 0.0);
    assert_int_equal(sinew_model_joint(model, no[i], &joint), SINEW_ERROR_INDEX);
    assert_null(sinew_model_warning(model, no[i]));
  }
  assert_int_equal(sinew_model_joint(model, 3, &joint), SINEW_ERROR_INDEX);
  assert_int_equal(sinew_model_find_link(model, "shoulder"), -1);
  assert_int_equal(sinew_model_find_joint(model, "hand"), -1);
  assert_int_equal(sinew_model_find_link(model, ""), -1);
  assert_int_equal(sinew_model_find_joint(model, NULL), -1);
  assert_null(sinew_model_warning(model, 0));
  sinew_model_destroy(model);
  sinew_model_destroy(NULL);
}

// The order of values: joints in the order of their definition, a quaternion has one value more in
// q.
// req: A2 A5
static void values_are_in_the_order_of_joints(void **unused) {
  (void)unused;
  arm a;
  arm_make(&a);
  a.joints[0].kind = SINEW_JOINT_FREE;
  a.joints[1].kind = SINEW_JOINT_FIXED;
  a.joints[2].kind = SINEW_JOINT_UNIVERSAL;
  sinew_model *model = made(&a);
  assert_int_equal(sinew_model_nq(model), 9);
  assert_int_equal(sinew_model_nv(model), 8);
  assert_int_equal(sinew_model_link_count(model), 4);
  assert_int_equal(sinew_model_joint_count(model), 3);
  const int expected[3][4] = {{0, 7, 0, 6}, {7, 0, 6, 0}, {7, 2, 6, 2}};
  for (int j = 0; j < 3; ++j) {
    sinew_joint joint;
    assert_int_equal(sinew_model_joint(model, j, &joint), SINEW_OK);
    assert_int_equal(joint.q_index, expected[j][0]);
    assert_int_equal(joint.nq, expected[j][1]);
    assert_int_equal(joint.v_index, expected[j][2]);
    assert_int_equal(joint.nv, expected[j][3]);
    assert_int_equal(joint.kind, a.joints[j].kind);
    assert_int_equal(joint.parent, j);
    assert_int_equal(joint.child, j + 1);
    assert_int_equal(joint.driver, -1);
    assert_string_equal(joint.name, a.joints[j].name);
  }
  sinew_model_destroy(model);
}

// The longest path from the root, joint by joint; 1 where that is zero.
static void size_is_the_longest_path(void **unused) {
  (void)unused;
  arm a;
  arm_make(&a);
  a.joints[1].placement.position[0] = 1.2; // 0.5, 1.3, 0.5
  sinew_model *model = made(&a);
  assert_near(sinew_model_size(model), 2.3, 1e-15);
  sinew_model_destroy(model);
  arm_make(&a);
  for (int j = 0; j < 3; ++j) {
    a.joints[j].placement.position[2] = 0.0;
  }
  model = made(&a);
  assert_near(sinew_model_size(model), 1.0, 0.0);
  sinew_model_destroy(model);
}

// The offset of the joint by which a figure floats is no length of it; that of any other joint is.
static void size_leaves_out_the_offset_of_a_floating_root(void **unused) {
  (void)unused;
  static const struct {
    sinew_joint_kind kind;
    const char *channels;
    int joint;
    double size;
  } cases[] = {{SINEW_JOINT_FREE, "", 0, 1.0},
               {SINEW_JOINT_CHANNELS, "xyzZXY", 0, 1.0},
               {SINEW_JOINT_CHANNELS, "YzXxZy", 0, 1.0},
               {SINEW_JOINT_CHANNELS, "xyz", 0, 1.0},
               {SINEW_JOINT_CHANNELS, "xyZXY", 0, 101.0},
               {SINEW_JOINT_CHANNELS, "ZXY", 0, 101.0},
               {SINEW_JOINT_PLANAR, "", 0, 101.0},
               {SINEW_JOINT_FREE, "", 1, 101.0},
               {SINEW_JOINT_CHANNELS, "xyzZXY", 1, 101.0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    arm a;
    arm_make(&a);
    sinew_joint_def *joint = &a.joints[cases[i].joint];
    joint->kind = cases[i].kind;
    strcpy(joint->channels, cases[i].channels);
    joint->placement.position[2] = 100.0;
    sinew_model *model = made(&a);
    assert_near(sinew_model_size(model), cases[i].size, 1e-12);
    sinew_model_destroy(model);
  }
}

// With SINEW_ASSERTIONS a NULL where none is allowed stops the program at once.
static void null_arguments_stop_at_an_assertion(void **unused) {
  (void)unused;
#ifdef SINEW_ASSERTIONS
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    fclose(stderr); // the message is expected
    _exit(sinew_model_nq(NULL));
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
#else
  print_message("skipped: built without SINEW_ASSERTIONS\n");
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(names_must_exist_and_differ),
      cmocka_unit_test(long_names_are_kept_and_truncated_in_errors),
      cmocka_unit_test(trees_have_one_root_and_one_path_to_each_link),
      cmocka_unit_test(joints_may_be_in_any_order),
      cmocka_unit_test(kinds_must_exist),
      cmocka_unit_test(axes_must_have_a_direction),
      cmocka_unit_test(axes_have_any_length),
      cmocka_unit_test(placements_must_be_finite),
      cmocka_unit_test(limits_must_not_be_empty),
      cmocka_unit_test(free_rotations_and_continuous_joints_have_no_limits),
      cmocka_unit_test(swing_and_twist_are_checked),
      cmocka_unit_test(swing_and_twist_are_checked),
      cmocka_unit_test(channels_are_checked),
      cmocka_unit_test(masses_and_shapes_are_checked),
      cmocka_unit_test(models_copy_masses_and_shapes),
      cmocka_unit_test(unknown_names_are_reported),
      cmocka_unit_test(values_are_in_the_order_of_joints),
      cmocka_unit_test(size_is_the_longest_path),
      cmocka_unit_test(size_leaves_out_the_offset_of_a_floating_root),
      cmocka_unit_test(null_arguments_stop_at_an_assertion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
