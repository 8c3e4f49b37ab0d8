// Each kind of joint alone: the pose of its link and its columns, by closed forms and by the naive
// kinematics; Euler orders; subsets of axes.
#include "kinematic_scene.h"
#include "link.h"

#include <stdbool.h>

#define ROUNDING 1e-13 // one joint: some tens of roundings, also where long double is a double
#define PI 3.14159265358979323846

static const double ORIGIN[3] = {0.0, 0.0, 0.0};

// A base, a joint, a body.
typedef struct single {
  sinew_link_def links[2];
  sinew_joint_def joint;
  sinew_model_def def;
} single;

static void single_make(single *s, sinew_joint_kind kind, const char *channels) {
  *s = (single){.links = {LINK("base"), LINK("body")},
                .joint = sinew_default_joint_def(),
                .def = sinew_default_model_def()};
  s->joint.name = "joint";
  s->joint.kind = kind;
  s->joint.parent = 0;
  s->joint.child = 1;
  snprintf(s->joint.channels, sizeof s->joint.channels, "%s", channels);
  s->def.links = s->links;
  s->def.link_count = 2;
  s->def.joints = &s->joint;
  s->def.joint_count = 1;
}

// The body's rotation and origin with the given values.
static void single_place(const single *s, const double *q, double R[9], double p[3]) {
  kinematic_scene scene;
  scene_open(&scene, &s->def);
  assert_int_equal(sinew_state_forward(scene.state, q), SINEW_OK);
  assert_int_equal(sinew_state_link_frame(scene.state, 1, R, p), SINEW_OK);
  scene_close(&scene);
}

static void assert_place(const single *s, const double *q, const double R[9], const double p[3]) {
  double got_R[9], got_p[3];
  single_place(s, q, got_R, got_p);
  assert_at_most(farthest(9, got_R, R), ROUNDING);
  assert_at_most(farthest(3, got_p, p), ROUNDING);
}

static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// ------------------------------------------------------------- closed forms

// req: A2
static void revolute_rotates_about_its_axis(void **unused) {
  (void)unused;
  single s;
  const double c = cos(0.7), n = sin(0.7);
  const double about[3][9] = {
      {1, 0, 0, 0, c, -n, 0, n, c}, {c, 0, n, 0, 1, 0, -n, 0, c}, {c, -n, 0, n, c, 0, 0, 0, 1}};
  const double q[1] = {0.7};
  for (int axis = 0; axis < 3; ++axis) {
    for (int kind = 0; kind < 2; ++kind) {
      single_make(&s, kind == 0 ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_CONTINUOUS, "");
      memset(s.joint.axis, 0, sizeof s.joint.axis);
      s.joint.axis[axis] = 2.5; // of any length
      assert_place(&s, q, about[axis], ORIGIN);
    }
  }
}

// An axis off the coordinate axes: 120 degrees about (1, 1, 1) map x to y.
// req: A2 A10
static void arbitrary_axis(void **unused) {
  (void)unused;
  single s;
  single_make(&s, SINEW_JOINT_REVOLUTE, "");
  s.joint.axis[0] = s.joint.axis[1] = s.joint.axis[2] = 0.1;
  const double R[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, q[1] = {2 * PI / 3};
  assert_place(&s, q, R, ORIGIN);
}

// The placement comes first: origin and axes of the joint in the parent.
// req: A10
static void placement_comes_before_the_motion(void **unused) {
  (void)unused;
  single s;
  single_make(&s, SINEW_JOINT_PRISMATIC, "");
  const sinew_pose placement = {{1, 2, 3}, {sqrt(0.5), 0, 0, sqrt(0.5)}}; // 90 degrees about z
  s.joint.placement = placement;
  const double R[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, q[1] = {0.5};
  const double p[3] = {1, 2.5, 3}; // along the joint's x, which is the parent's y
  assert_place(&s, q, R, p);
}

// req: A10
static void fixed_has_no_value(void **unused) {
  (void)unused;
  single s;
  single_make(&s, SINEW_JOINT_FIXED, "");
  s.joint.placement.position[1] = 4.0;
  const double p[3] = {0, 4, 0}, q[1] = {0};
  assert_place(&s, q, IDENTITY, p);
}

// A screw: after one turn it is displaced by 2 pi h.
// req: A2
static void screw_advances_by_its_pitch(void **unused) {
  (void)unused;
  single s;
  single_make(&s, SINEW_JOINT_SCREW, "");
  s.joint.pitch = 0.25;
  const double q[1] = {2 * PI}, p[3] = {0.5 * PI, 0, 0};
  assert_place(&s, q, IDENTITY, p);
  const double quarter[1] = {-0.5 * PI}, back[3] = {-0.125 * PI, 0, 0};
  const double R[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};
  assert_place(&s, quarter, R, back);
}

// req: A2 A3
static void spherical_is_its_quaternion(void **unused) {
  (void)unused;
  single s;
  single_make(&s, SINEW_JOINT_SPHERICAL, "");
  const double R[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}; // 90 degrees about z
  const double unit[4] = {sqrt(0.5), 0, 0, sqrt(0.5)}, long_one[4] = {-3, 0, 0, -3};
  assert_place(&s, unit, R, ORIGIN);
  assert_place(&s, long_one, R, ORIGIN);
}

// About axis, then about axis2 rotated by the first angle.
// req: A2
static void universal_rotates_the_second_axis_with_the_first(void **unused) {
  (void)unused;
  single s;
  single_make(&s, SINEW_JOINT_UNIVERSAL, "");
  const double q[2] = {0.5 * PI, 0.5 * PI};
  const double R[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; // Rx(90) Ry(90)
  assert_place(&s, q, R, ORIGIN);
}

// req: A2
static void cylindrical_rotates_then_translates(void **unused) {
  (void)unused;
  single s;
  single_make(&s, SINEW_JOINT_CYLINDRICAL, "");
  const double q[2] = {0.5 * PI, 2.0}, R[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0}, p[3] = {2, 0, 0};
  assert_place(&s, q, R, p);
}

// Two distances along fixed axes across the normal, then the angle about it. With the normal x the
// shortest rotation from z is 90 degrees about y, which maps x to -z and leaves y.
// req: A2
static void planar_translates_then_rotates(void **unused) {
  (void)unused;
  single s;
  single_make(&s, SINEW_JOINT_PLANAR, "");
  const double q[3] = {2.0, 3.0, 0.5 * PI}, p[3] = {0, 3, -2};
  const double R[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
  assert_place(&s, q, R, p);
  const double z[3] = {0, 0, 1}, p_z[3] = {2, 3, 0}, R_z[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  memcpy(s.joint.axis, z, sizeof z);
  assert_place(&s, q, R_z, p_z);
}

// Distances along the parent's axes, then a quaternion.
// req: A2 A5
static void free_joint_is_a_position_and_a_quaternion(void **unused) {
  (void)unused;
  single s;
  single_make(&s, SINEW_JOINT_FREE, "");
  const double q[7] = {1, 2, 3, sqrt(0.5), 0, 0, sqrt(0.5)};
  const double R[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, p[3] = {1, 2, 3};
  assert_place(&s, q, R, p);
}

// A BVH's joint: distances along fixed axes wherever they are among the letters, the angles in the
// letters' order.
// req: A3 A4
static void channels_translate_along_fixed_axes(void **unused) {
  (void)unused;
  single s;
  const double first[6] = {1, 2, 3, 0.5 * PI, 0, 0}, last[6] = {0.5 * PI, 0, 0, 1, 2, 3};
  const double R[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, p[3] = {1, 2, 3};
  single_make(&s, SINEW_JOINT_CHANNELS, "xyzZYX");
  assert_place(&s, first, R, p);
  single_make(&s, SINEW_JOINT_CHANNELS, "ZYXxyz");
  assert_place(&s, last, R, p);
  const double mixed[4] = {5, 0.5 * PI, 7, 0.5 * PI}; // z, Z, x, X: Rz(90) Rx(90)
  const double R_mixed[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, p_mixed[3] = {7, 0, 5};
  single_make(&s, SINEW_JOINT_CHANNELS, "zZxX");
  assert_place(&s, mixed, R_mixed, p_mixed);
}

// -------------------------------------------------------------- Euler orders

// 6 Tait-Bryan, 6 proper.
static const char *const ORDERS[12] = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX",
                                       "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ"};

static void rotate_about(char letter, double angle, double R[9]) {
  const double c = cos(angle), s = sin(angle);
  const int i = letter - 'X', j = (i + 1) % 3, k = (i + 2) % 3;
  memset(R, 0, 9 * sizeof(double));
  R[4 * i] = 1.0;
  R[4 * j] = R[4 * k] = c;
  R[3 * k + j] = s;
  R[3 * j + k] = -s;
}

static void multiply(const double A[9], const double B[9], double out[9]) {
  for (int i = 0; i < 9; ++i) {
    out[i] =
        A[i / 3 * 3] * B[i % 3] + A[i / 3 * 3 + 1] * B[3 + i % 3] + A[i / 3 * 3 + 2] * B[6 + i % 3];
  }
}

// R is the product of elementary matrices in the letters' order; and the angular part of column k
// is axis k rotated by the axes before it: the same bits whatever its own angle and those after it
// are.
// req: A3 B8
static void all_twelve_orders(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(12);
  for (int order = 0; order < 12; ++order) {
    single s;
    kinematic_scene scene;
    single_make(&s, SINEW_JOINT_EULER, ORDERS[order]);
    scene_open(&scene, &s.def);
    for (int trial = 0; trial < 50; ++trial) {
      double before[9], got[9], p[3];
      memcpy(before, IDENTITY, sizeof before);
      scene_random(&scene, &stream);
      scene_place(&scene);
      assert_int_equal(sinew_state_jacobian(scene.state, 1, NULL, 0, scene.J), SINEW_OK);
      for (int k = 0; k < 3; ++k) {
        double turn[9], after[9];
        const int axis = ORDERS[order][k] - 'X';
        for (int r = 0; r < 3; ++r) {
          assert_near(scene.J[(r + 3) * 3 + k], before[3 * r + axis], ROUNDING);
          assert_near(scene.J[r * 3 + k], 0.0, 0.0); // the joint's own centre does not move
        }
        rotate_about(ORDERS[order][k], scene.q[k], turn);
        multiply(before, turn, after);
        memcpy(before, after, sizeof after);
      }
      assert_int_equal(sinew_state_link_frame(scene.state, 1, got, p), SINEW_OK);
      assert_at_most(farthest(9, got, before), ROUNDING);
      // Changing the last angle, then the last two: earlier columns keep their bits.
      for (int k = 2; k >= 0; --k) {
        double *moved = numbers(18);
        scene.q[k] += 0.5;
        assert_int_equal(sinew_state_forward(scene.state, scene.q), SINEW_OK);
        assert_int_equal(sinew_state_jacobian(scene.state, 1, NULL, 0, moved), SINEW_OK);
        for (int i = 0; i < 3 * k; ++i) {
          const int at = (3 + i % 3) * 3 + i / 3;
          assert_true(moved[at] == scene.J[at]);
        }
        free(moved);
      }
    }
    scene_close(&scene);
  }
}

// One and two axes of the three, in both orders.
// req: A6 A3
static void any_subset_of_axes(void **unused) {
  (void)unused;
  const char *const subsets[] = {"X", "Y", "Z", "XZ", "ZX", "XY", "YX", "YZ", "ZY"};
  random_stream stream = random_stream_of(6);
  for (int i = 0; i < 9; ++i) {
    single s;
    kinematic_scene scene;
    single_make(&s, SINEW_JOINT_EULER, subsets[i]);
    scene_open(&scene, &s.def);
    assert_int_equal(scene.nv, strlen(subsets[i]));
    scene_random(&scene, &stream);
    scene_place(&scene);
    double R[9], first[9], p[3];
    rotate_about(subsets[i][0], scene.q[0], first);
    memcpy(R, first, sizeof R);
    if (subsets[i][1] != '\0') {
      double second[9];
      rotate_about(subsets[i][1], scene.q[1], second);
      multiply(first, second, R);
    }
    double got[9];
    assert_int_equal(sinew_state_link_frame(scene.state, 1, got, p), SINEW_OK);
    assert_at_most(farthest(9, got, R), ROUNDING);
    scene_close(&scene);
  }
}

// A quaternion and Euler angles of the same rotation give the link the same pose; the three columns
// of the spherical joint are its body axes.
// req: A3
static void spherical_joint_and_euler_angles_agree(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(4);
  for (int trial = 0; trial < 50; ++trial) {
    single euler, ball;
    const double angles[3] = {random_between(&stream, -3, 3), random_between(&stream, -3, 3),
                              random_between(&stream, -3, 3)};
    double quaternion[4], R[9], R_ball[9], p[3];
    single_make(&euler, SINEW_JOINT_EULER, "ZYX");
    single_place(&euler, angles, R, p);
    single_make(&ball, SINEW_JOINT_SPHERICAL, "");
    // the product of half-angle quaternions qz qy qx, written out
    const double cz = cos(angles[0] / 2), sz = sin(angles[0] / 2), cy = cos(angles[1] / 2),
                 sy = sin(angles[1] / 2), cx = cos(angles[2] / 2), sx = sin(angles[2] / 2);
    quaternion[0] = cz * cy * cx + sz * sy * sx;
    quaternion[1] = cz * cy * sx - sz * sy * cx;
    quaternion[2] = cz * sy * cx + sz * cy * sx;
    quaternion[3] = sz * cy * cx - cz * sy * sx;
    kinematic_scene scene;
    scene_open(&scene, &ball.def);
    memcpy(scene.q, quaternion, sizeof quaternion);
    scene_place(&scene);
    assert_int_equal(sinew_state_link_frame(scene.state, 1, R_ball, p), SINEW_OK);
    assert_at_most(farthest(9, R, R_ball), ROUNDING);
    assert_int_equal(sinew_state_jacobian(scene.state, 1, NULL, 0, scene.J), SINEW_OK);
    assert_at_most(farthest(9, scene.J + 9, R), ROUNDING); // rows 3-5 are R itself
    scene_close(&scene);
  }
}

// ------------------------------------------------------------------ subsets

// The six columns of a joint with all channels, at a configuration that moves only some of them,
// are those of the joint that has only these channels; and rows may be dropped in the same way: all
// four combinations of columns and rows.
// req: A4 B4 A6
static void subsets_have_the_columns_of_the_full_joint(void **unused) {
  (void)unused;
  const char *const subsets[] = {"x",  "yz",   "xyz", "Z",   "ZX",    "ZYX",
                                 "zX", "xZYX", "yxX", "xyZ", "xyzYX", "xyzZYX"};
  const char full_order[] = "xyzZYX";
  random_stream stream = random_stream_of(3);
  for (int i = 0; i < 12; ++i) {
    single full, part;
    kinematic_scene whole, trimmed;
    single_make(&full, SINEW_JOINT_CHANNELS, full_order);
    random_unit(&stream, 4, full.joint.placement.rotation);
    random_unit(&stream, 3, full.joint.placement.position);
    single_make(&part, SINEW_JOINT_CHANNELS, subsets[i]);
    part.joint.placement = full.joint.placement;
    scene_open(&whole, &full.def);
    scene_open(&trimmed, &part.def);
    scene_random(&trimmed, &stream);
    memset(whole.q, 0, 6 * sizeof(double));
    for (int k = 0; k < trimmed.nv; ++k) {
      whole.q[strchr(full_order, part.joint.channels[k]) - full_order] = trimmed.q[k];
    }
    const double point[3] = {0.2, -0.4, 0.3};
    scene_place(&whole);
    scene_place(&trimmed);
    assert_int_equal(sinew_state_jacobian(whole.state, 1, point, 0, whole.J), SINEW_OK);
    assert_int_equal(sinew_state_jacobian(trimmed.state, 1, point, 0, trimmed.J), SINEW_OK);
    for (int k = 0; k < trimmed.nv; ++k) {
      const int column = (int)(strchr(full_order, part.joint.channels[k]) - full_order);
      for (int r = 0; r < 6; ++r) {
        assert_near(trimmed.J[r * trimmed.nv + k], whole.J[r * 6 + column], ROUNDING);
      }
    }
    scene_close(&whole);
    scene_close(&trimmed);
  }
}

// Prismatic values rotate nothing: their angular rows are exactly zero, at any placement, axis and
// point, in any kind of joint that has them.
// req: A4 B4 B1
static void prismatic_values_have_no_angular_rows(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(9);
  const struct {
    sinew_joint_kind kind;
    const char *channels, *slides; // one letter a value: s where it is prismatic
  } cases[] = {{SINEW_JOINT_PRISMATIC, "", "s"},       {SINEW_JOINT_CYLINDRICAL, "", "ts"},
               {SINEW_JOINT_PLANAR, "", "sst"},        {SINEW_JOINT_FREE, "", "sssttt"},
               {SINEW_JOINT_CHANNELS, "xZy", "sts"},   {SINEW_JOINT_SCREW, "", "t"},
               {SINEW_JOINT_CHANNELS, "zyxY", "ssst"}, {SINEW_JOINT_SPHERICAL, "", "ttt"}};
  for (int i = 0; i < 8 * 20; ++i) {
    single s;
    kinematic_scene scene;
    single_make(&s, cases[i % 8].kind, cases[i % 8].channels);
    random_unit(&stream, 3, s.joint.axis);
    random_unit(&stream, 4, s.joint.placement.rotation);
    scene_open(&scene, &s.def);
    assert_int_equal(scene.nv, strlen(cases[i % 8].slides));
    scene_random(&scene, &stream);
    scene_place(&scene);
    const double point[3] = {0.5, 0.25, -1.0};
    assert_int_equal(sinew_state_jacobian(scene.state, 1, point, i % 2, scene.J), SINEW_OK);
    for (int v = 0; v < scene.nv; ++v) {
      const double *w = scene.J + 3 * scene.nv + v;
      const double angular =
          sqrt(w[0] * w[0] + w[scene.nv] * w[scene.nv] + w[2 * scene.nv] * w[2 * scene.nv]);
      if (cases[i % 8].slides[v] == 's') {
        assert_true(angular == 0.0);
      } else {
        assert_near(angular, 1.0, ROUNDING);
      }
    }
    scene_close(&scene);
  }
}

// ----------------------------------------------------------- every kind at random

// Each kind by itself, at any axis, placement, point and value.
// req: A2 A10 B1
static void every_kind_agrees_with_the_naive_kinematics(void **unused) {
  (void)unused;
  static random_tree tree;
  for (int kind = SINEW_JOINT_FIXED; kind <= SINEW_JOINT_FREE; ++kind) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
      random_tree_options options = random_tree_defaults();
      options.joints = 1;
      options.kinds = 1u << kind;
      random_tree_make(&tree, seed, &options);
      kinematic_scene scene;
      random_stream stream = random_stream_of(seed);
      scene_open(&scene, &tree.def);
      scene_random(&scene, &stream);
      scene_place(&scene);
      const double point[3] = {0.1, 0.7, -0.3};
      assert_at_most(scene_place_error(&scene), ROUNDING);
      assert_at_most(scene_jacobian_error(&scene, tree.joints[0].child, point), ROUNDING);
      scene_close(&scene);
    }
  }
}

// Axes very close to a coordinate axis, -z too, give rotations as exact as others.
// req: A10
static void axes_close_to_coordinate_axes(void **unused) {
  (void)unused;
  for (int exponent = 0; exponent < 40; ++exponent) {
    const double hair = pow(0.1, 0.5 * exponent);
    for (int i = 0; i < 6; ++i) {
      single s;
      kinematic_scene scene;
      single_make(&s, i % 2 == 0 ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_SCREW, "");
      s.joint.pitch = 0.3;
      s.joint.axis[i / 2] = i % 2 == 0 ? 1.0 : -1.0;
      s.joint.axis[(i / 2 + 1) % 3] = 0.6 * hair;
      s.joint.axis[(i / 2 + 2) % 3] = -0.8 * hair;
      scene_open(&scene, &s.def);
      for (int turn = -3; turn < 4; ++turn) {
        scene.q[0] = turn;
        scene_place(&scene);
        assert_at_most(scene_place_error(&scene), ROUNDING);
        assert_at_most(scene_jacobian_error(&scene, 1, ORIGIN), ROUNDING);
      }
      scene_close(&scene);
    }
  }
}

// Angles of many revolutions, as a continuous joint or a motion may have.
// req: A2
static void large_angles(void **unused) {
  (void)unused;
  single s;
  kinematic_scene scene;
  single_make(&s, SINEW_JOINT_CONTINUOUS, "");
  scene_open(&scene, &s.def);
  for (int i = 0; i < 60; ++i) { // up to 1e12 rad: beyond, the spacing of doubles is too coarse
    scene.q[0] = (i % 2 == 0 ? 1.0 : -1.0) * pow(10.0, 0.2 * i);
    assert_int_equal(sinew_state_forward(scene.state, scene.q), SINEW_OK);
    const double c = cos(scene.q[0]), n = sin(scene.q[0]);
    const double expected[9] = {1, 0, 0, 0, c, -n, 0, n, c};
    double R[9];
    assert_int_equal(sinew_state_link_frame(scene.state, 1, R, NULL), SINEW_OK);
    assert_at_most(farthest(9, R, expected), ROUNDING);
  }
  scene_close(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(revolute_rotates_about_its_axis),
      cmocka_unit_test(arbitrary_axis),
      cmocka_unit_test(placement_comes_before_the_motion),
      cmocka_unit_test(fixed_has_no_value),
      cmocka_unit_test(screw_advances_by_its_pitch),
      cmocka_unit_test(spherical_is_its_quaternion),
      cmocka_unit_test(universal_rotates_the_second_axis_with_the_first),
      cmocka_unit_test(cylindrical_rotates_then_translates),
      cmocka_unit_test(planar_translates_then_rotates),
      cmocka_unit_test(free_joint_is_a_position_and_a_quaternion),
      cmocka_unit_test(channels_translate_along_fixed_axes),
      cmocka_unit_test(all_twelve_orders),
      cmocka_unit_test(any_subset_of_axes),
      cmocka_unit_test(spherical_joint_and_euler_angles_agree),
      cmocka_unit_test(subsets_have_the_columns_of_the_full_joint),
      cmocka_unit_test(prismatic_values_have_no_angular_rows),
      cmocka_unit_test(every_kind_agrees_with_the_naive_kinematics),
      cmocka_unit_test(axes_close_to_coordinate_axes),
      cmocka_unit_test(large_angles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
