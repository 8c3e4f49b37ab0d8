// Effectors on figures whose Jacobians have a known form: the places of effectors, stacked
// Jacobians, the 30-value reference tree, the planar arm in closed form.
#include "kinematic_scene.h"
#include "link.h"

#include <stdbool.h>

#define ROUNDING 1e-13

static const double ORIGIN[3] = {0.0, 0.0, 0.0};

static sinew_joint_def make_joint(const char *name, sinew_joint_kind kind, int parent, int child,
                                  double x, double y, double z) {
  sinew_joint_def joint = sinew_default_joint_def();
  joint.name = name;
  joint.kind = kind;
  joint.parent = parent;
  joint.child = child;
  joint.placement.position[0] = x;
  joint.placement.position[1] = y;
  joint.placement.position[2] = z;
  return joint;
}

static sinew_model_def make_def(const sinew_link_def *links, int link_count,
                                const sinew_joint_def *joints) {
  sinew_model_def def = sinew_default_model_def();
  def.links = links;
  def.link_count = link_count;
  def.joints = joints;
  def.joint_count = link_count - 1;
  return def;
}

// -------------------------------------------------------------- the planar arm

enum { PLANAR_LINKS = 4 };
static const sinew_link_def planar_links[PLANAR_LINKS] = {LINK("base"), LINK("upper"),
                                                          LINK("lower"), LINK("tip")};

// Two segments along z with revolute joints about y.
static void planar_joints(double l1, double l2, sinew_joint_def joints[3]) {
  joints[0] = make_joint("shoulder", SINEW_JOINT_REVOLUTE, 0, 1, 0, 0, 0);
  joints[1] = make_joint("elbow", SINEW_JOINT_REVOLUTE, 1, 2, 0, 0, l1);
  joints[2] = make_joint("end", SINEW_JOINT_FIXED, 2, 3, 0, 0, l2);
  const double y[3] = {0, 1, 0};
  memcpy(joints[0].axis, y, sizeof y);
  memcpy(joints[1].axis, y, sizeof y);
}

// p_z = l1 c1 + l2 c12, p_x = l1 s1 + l2 s12, and their derivatives; exactly zero out of the plane.
// req: B17 A9 G6
static void planar_arm_in_closed_form(void **unused) {
  (void)unused;
  const double l1 = 0.7, l2 = 0.4;
  sinew_joint_def joints[3];
  kinematic_scene scene;
  planar_joints(l1, l2, joints);
  const sinew_model_def def = make_def(planar_links, PLANAR_LINKS, joints);
  scene_open(&scene, &def);
  random_stream stream = random_stream_of(17);
  for (int trial = 0; trial < 200; ++trial) {
    const double q1 = random_between(&stream, -4, 4), q2 = random_between(&stream, -4, 4);
    const double c1 = cos(q1), s1 = sin(q1), c12 = cos(q1 + q2), s12 = sin(q1 + q2);
    double p[3];
    scene.q[0] = q1;
    scene.q[1] = q2;
    assert_int_equal(sinew_state_forward(scene.state, scene.q), SINEW_OK);
    assert_int_equal(sinew_state_point(scene.state, 3, NULL, p), SINEW_OK);
    assert_near(p[0], l1 * s1 + l2 * s12, 1e-15);
    assert_near(p[2], l1 * c1 + l2 * c12, 1e-15);
    assert_true(p[1] == 0.0);
    assert_int_equal(sinew_state_jacobian(scene.state, 3, NULL, 0, scene.J), SINEW_OK);
    const double expected[12] = {l1 * c1 + l2 * c12,
                                 l2 * c12,
                                 0,
                                 0, //
                                 -l1 * s1 - l2 * s12,
                                 -l2 * s12,
                                 0,
                                 0, //
                                 1,
                                 1,
                                 0,
                                 0};
    assert_at_most(farthest(12, scene.J, expected), 1e-15);
    for (int v = 0; v < 2; ++v) { // out of the plane: y, and angles about x and z
      assert_true(scene.J[2 + v] == 0.0 && scene.J[6 + v] == 0.0 && scene.J[10 + v] == 0.0);
    }
  }
  scene_close(&scene);
}

// A chain of many segments in a coordinate plane stays in it to the last bit, in each of the three
// planes, also with prismatic joints.
// req: A9
static void planar_chains_stay_in_their_plane(void **unused) {
  (void)unused;
  enum { JOINTS = 20 };
  static const char names[JOINTS + 1][4] = {"0",  "1",  "2",  "3",  "4",  "5",  "6",
                                            "7",  "8",  "9",  "10", "11", "12", "13",
                                            "14", "15", "16", "17", "18", "19", "20"};
  random_stream stream = random_stream_of(9);
  for (int normal = 0; normal < 3; ++normal) {
    sinew_link_def links[JOINTS + 1] = {LINK(names[0])};
    sinew_joint_def joints[JOINTS];
    for (int j = 0; j < JOINTS; ++j) {
      links[j + 1] = (sinew_link_def)LINK(names[j + 1]);
      joints[j] = make_joint(names[j], j % 5 == 4 ? SINEW_JOINT_PRISMATIC : SINEW_JOINT_REVOLUTE, j,
                             j + 1, 0, 0, 0);
      joints[j].placement.position[(normal + 1) % 3] = 0.1;
      memset(joints[j].axis, 0, sizeof joints[j].axis);
      joints[j].axis[j % 5 == 4 ? (normal + 2) % 3 : normal] = j % 2 == 0 ? 1 : -1;
    }
    const sinew_model_def def = make_def(links, JOINTS + 1, joints);
    kinematic_scene scene;
    scene_open(&scene, &def);
    scene_random(&scene, &stream);
    scene_place(&scene);
    assert_at_most(scene_place_error(&scene), ROUNDING);
    double p[3];
    assert_int_equal(sinew_state_point(scene.state, JOINTS, NULL, p), SINEW_OK);
    assert_true(p[normal] == 0.0);
    assert_int_equal(sinew_state_jacobian(scene.state, JOINTS, NULL, 0, scene.J), SINEW_OK);
    for (int v = 0; v < scene.nv; ++v) {
      assert_true(scene.J[normal * scene.nv + v] == 0.0);
      assert_true(scene.J[(3 + (normal + 1) % 3) * scene.nv + v] == 0.0);
      assert_true(scene.J[(3 + (normal + 2) % 3) * scene.nv + v] == 0.0);
    }
    scene_close(&scene);
  }
}

// ------------------------------------------------------------ the reference tree

enum { REFERENCE_LINKS = 10 };

static const sinew_link_def reference_links[REFERENCE_LINKS] = {
    LINK("world"), LINK("root"),  LINK("left"),   LINK("right"),  LINK("left0"),
    LINK("left1"), LINK("left2"), LINK("right0"), LINK("right1"), LINK("right2"),
};

// A free root, two spherical joints on it, three on each of these: 8 spherical
// joints, 6 leaves, 8 * 3 + 6 = 30 degrees of freedom.
static void reference_joints(sinew_joint_def joints[9]) {
  joints[0] = make_joint("root", SINEW_JOINT_FREE, 0, 1, 0, 0, 0);
  joints[1] = make_joint("left", SINEW_JOINT_SPHERICAL, 1, 2, 0.3, 0, 0);
  joints[2] = make_joint("right", SINEW_JOINT_SPHERICAL, 1, 3, -0.3, 0.1, 0);
  for (int i = 0; i < 6; ++i) {
    const int side = i / 3;
    joints[3 + i] = make_joint(reference_links[4 + i].name, SINEW_JOINT_SPHERICAL, 2 + side, 4 + i,
                               side == 0 ? 0.2 : -0.2, 0.1 * (i % 3), 0.3);
  }
}

static double block_norm(const double *J, int nv, int row, int column) {
  double sum = 0.0;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      sum += J[(row + r) * nv + column + c] * J[(row + r) * nv + column + c];
    }
  }
  return sqrt(sum);
}

// The stacked Jacobian of the six leaves, 36 x 30: an identity block for the root's position, 3 x 3
// blocks for the root's rotation and each spherical joint on the path, zeros elsewhere.
// req: A5 A1 B13 G7
static void reference_tree_layout(void **unused) {
  (void)unused;
  sinew_joint_def joints[9];
  kinematic_scene scene;
  reference_joints(joints);
  const sinew_model_def def = make_def(reference_links, REFERENCE_LINKS, joints);
  scene_open(&scene, &def);
  assert_int_equal(scene.nv, 30);
  assert_int_equal(scene.nq, 39); // nine quaternions
  random_stream stream = random_stream_of(30);
  scene_random(&scene, &stream);
  scene_place(&scene);
  assert_at_most(scene_place_error(&scene), ROUNDING);
  for (int leaf = 0; leaf < 6; ++leaf) {
    const double point[3] = {0.1, 0.2, 0.3};
    assert_at_most(scene_jacobian_error(&scene, 4 + leaf, point), ROUNDING);
    for (int r = 0; r < 6; ++r) { // the root's position: identity over zero
      for (int v = 0; v < 3; ++v) {
        assert_near(scene.J[r * 30 + v], r == v ? 1.0 : 0.0, 0.0);
      }
    }
    for (int block = 1; block < 10; ++block) { // root's rotation, left, right, leaves
      const bool on_path = block == 1 || block == 2 + leaf / 3 || block == 4 + leaf;
      const double linear = block_norm(scene.J, 30, 0, 3 * block);
      const double angular = block_norm(scene.J, 30, 3, 3 * block);
      assert_near(angular, on_path ? sqrt(3.0) : 0.0, on_path ? ROUNDING : 0.0);
      assert_true(on_path ? linear > 0.01 : linear == 0.0);
    }
  }
  scene_close(&scene);
}

// ---------------------------------------------------------- places of effectors

// A step dq moves the stacked effectors by the stacked J dq, to first order; the remainder falls
// with the square of the step.
static void assert_stack_predicts(kinematic_scene *scene, int count, const int *links,
                                  const double (*points)[3], random_stream *stream) {
  const int nv = scene->nv;
  double *stack = numbers(3 * count * nv), *step = numbers(nv), *moved = numbers(scene->nq);
  double from[8][3], error[2] = {0.0, 0.0};
  assert_true(count <= 8);
  for (int i = 0; i < count; ++i) {
    assert_at_most(scene_jacobian_error(scene, links[i], points[i]), ROUNDING);
    memcpy(stack + 3 * i * nv, scene->J, 3 * (size_t)nv * sizeof(double));
    assert_int_equal(sinew_state_point(scene->state, links[i], points[i], from[i]), SINEW_OK);
  }
  for (int v = 0; v < nv; ++v) {
    step[v] = random_between(stream, -1e-3, 1e-3);
  }
  for (int half = 0; half < 2; ++half) {
    sinew_configuration_integrate(scene->model, scene->q, step, moved);
    assert_int_equal(sinew_state_forward(scene->state, moved), SINEW_OK);
    for (int i = 0; i < count; ++i) {
      double to[3];
      assert_int_equal(sinew_state_point(scene->state, links[i], points[i], to), SINEW_OK);
      for (int r = 0; r < 3; ++r) {
        double predicted = 0.0;
        for (int v = 0; v < nv; ++v) {
          predicted += stack[(3 * i + r) * nv + v] * step[v];
        }
        error[half] = fmax(error[half], fabs(to[r] - from[i][r] - predicted));
      }
    }
    for (int v = 0; v < nv; ++v) {
      step[v] *= 0.5;
    }
  }
  assert_at_most(error[0], 1e-3);
  assert_at_most(error[1], 0.3 * error[0] + 1e-15);
  free(stack);
  free(step);
  free(moved);
}

// A chain's tip; a tree's leaves; an inner link; two points of one link; a link and one of its
// ancestors; the root, which nothing moves.
// req: A1 B13
static void effectors_may_be_anywhere(void **unused) {
  (void)unused;
  sinew_joint_def joints[9];
  kinematic_scene scene;
  reference_joints(joints);
  const sinew_model_def def = make_def(reference_links, REFERENCE_LINKS, joints);
  scene_open(&scene, &def);
  random_stream stream = random_stream_of(1);
  const double points[6][3] = {{0, 0, 0},     {0.1, 0.2, 0.3}, {-1, 0, 0},
                               {0, 0.5, 0.1}, {0.2, 0, 0},     {0, 0, 1}};
  const struct {
    int count, links[6];
  } cases[] = {
      {1, {4}},                // a leaf
      {6, {4, 5, 6, 7, 8, 9}}, // all leaves
      {1, {2}},                // an inner link
      {2, {4, 4}},             // two points of one link
      {2, {2, 4}},             // a link and its ancestor
      {3, {9, 3, 1}},          // and the ancestor of that
      {2, {0, 9}},             // the root
  };
  for (int i = 0; i < 7; ++i) {
    for (int trial = 0; trial < 20; ++trial) {
      scene_random(&scene, &stream);
      sinew_configuration_normalize(scene.model, scene.q);
      scene_place(&scene);
      assert_stack_predicts(&scene, cases[i].count, cases[i].links, points, &stream);
    }
  }
  // The root's rows are zero.
  assert_int_equal(sinew_state_jacobian(scene.state, 0, points[1], 0, scene.J), SINEW_OK);
  for (int i = 0; i < 6 * scene.nv; ++i) {
    assert_true(scene.J[i] == 0.0);
  }
  scene_close(&scene);
}

// An effector's ancestor has the same columns for the joints above it, for its own point, and none
// for the joints between the two.
// req: A1 B1
static void ancestors_share_the_path_to_the_root(void **unused) {
  (void)unused;
  sinew_joint_def joints[9];
  kinematic_scene scene;
  reference_joints(joints);
  const sinew_model_def def = make_def(reference_links, REFERENCE_LINKS, joints);
  scene_open(&scene, &def);
  random_stream stream = random_stream_of(2);
  scene_random(&scene, &stream);
  scene_place(&scene);
  double below[6 * 30], above[6 * 30], at_leaf[3], R[9], p[3], same[3];
  assert_int_equal(sinew_state_point(scene.state, 4, NULL, at_leaf), SINEW_OK);
  assert_int_equal(sinew_state_link_frame(scene.state, 2, R, p), SINEW_OK);
  for (int i = 0; i < 3; ++i) { // the leaf's origin as a point of its parent
    same[i] = 0.0;
    for (int k = 0; k < 3; ++k) {
      same[i] += R[3 * k + i] * (at_leaf[k] - p[k]);
    }
  }
  assert_int_equal(sinew_state_jacobian(scene.state, 4, ORIGIN, 0, below), SINEW_OK);
  assert_int_equal(sinew_state_jacobian(scene.state, 2, same, 0, above), SINEW_OK);
  for (int r = 0; r < 6; ++r) {
    for (int v = 0; v < 9; ++v) { // root and left
      assert_near(above[r * 30 + v], below[r * 30 + v], ROUNDING);
    }
    for (int v = 12; v < 15; ++v) { // left0
      assert_true(above[r * 30 + v] == 0.0);
    }
  }
  scene_close(&scene);
}

// A link that no joint moves, and a model of one link.
// req: A1
static void single_links_have_a_pose(void **unused) {
  (void)unused;
  const sinew_link_def link = LINK("alone");
  sinew_model_def def = make_def(&link, 1, NULL);
  kinematic_scene scene;
  scene_open(&scene, &def);
  assert_int_equal(scene.nv, 0);
  assert_int_equal(sinew_state_forward(scene.state, scene.q), SINEW_OK);
  const double point[3] = {1, 2, 3};
  double at[3], twist[6];
  assert_int_equal(sinew_state_point(scene.state, 0, point, at), SINEW_OK);
  assert_memory_equal(at, point, sizeof at);
  assert_int_equal(sinew_state_jacobian(scene.state, 0, point, 0, scene.J), SINEW_OK);
  assert_int_equal(sinew_state_twist(scene.state, 0, point, scene.q, twist), SINEW_OK);
  for (int i = 0; i < 6; ++i) {
    assert_true(twist[i] == 0.0);
  }
  scene_close(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planar_arm_in_closed_form),
      cmocka_unit_test(planar_chains_stay_in_their_plane),
      cmocka_unit_test(reference_tree_layout),
      cmocka_unit_test(effectors_may_be_anywhere),
      cmocka_unit_test(ancestors_share_the_path_to_the_root),
      cmocka_unit_test(single_links_have_a_pose),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
