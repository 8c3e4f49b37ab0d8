// Constructions of the Jacobian: against the columns by cross products and against the naive
// kinematics (naive.h), on trees of every kind of joint. Blocks: test_blocks.c.
#include "jacobian_query.h"
#include "sinew/reference.h"
#include "link.h"
#include "sample.h"

#define TREES SAMPLE_OF(2000)

// ---------------------------------------------------- product of exponentials

// The product is the pose; its columns are the Jacobian, with coupled and spherical joints; the
// spatial columns are the adjoint of the pose times the body's.
// req: B2 B3 B6 B16
static void product_of_exponentials(void **unused) {
  (void)unused;
  static random_tree tree;
  int moved_zero = 0;
  for (uint64_t seed = 0; seed < TREES; ++seed) {
    jacobian_query query;
    query_open(&query, &tree, seed);
    kinematic_scene *scene = &query.scene;
    const int most = sinew_model_exponential_count(scene->model);
    sinew_exponentials product = {.factors = calloc((size_t)most + 1, sizeof(sinew_exponential))};
    assert_int_equal(sinew_model_exponentials(scene->model, query.link, query.point, &product),
                     SINEW_OK);
    assert_true(product.count <= most && product.nv == scene->nv);
    moved_zero += fabs(product.zero.rotation[0]) < 0.99;

    sinew_pose g;
    double R[9], p[3], s[3], gR[9], Ad[36];
    assert_int_equal(sinew_exponentials_pose(&product, scene->q, &g), SINEW_OK);
    sinew_quaternion_to_matrix(g.rotation, gR);
    naive_frame(scene->oracle, query.link, R, p);
    assert_int_equal(sinew_state_point(scene->state, query.link, query.point, s), SINEW_OK);
    assert_at_most(farthest(9, R, gR), AGREE);
    assert_at_most(farthest(3, s, g.position), AGREE * query.scale);

    double *body = numbers(query.size), *spatial = numbers(query.size);
    assert_int_equal(sinew_exponentials_jacobian_body(&product, scene->q, body), SINEW_OK);
    assert_agrees(&query, query.link, body);
    assert_int_equal(sinew_exponentials_jacobian_spatial(&product, scene->q, spatial), SINEW_OK);
    sinew_pose_adjoint(&g, Ad);
    sinew_twists_transform(Ad, scene->nv, body, body);
    assert_at_most(farthest(query.size, body, spatial), AGREE * query.scale * query.scale);

    // spatial to world axes at the point: the adjoint of a translation by -s
    const sinew_pose to_point = {{-s[0], -s[1], -s[2]}, {1.0, 0.0, 0.0, 0.0}};
    sinew_pose_adjoint(&to_point, Ad);
    sinew_twists_transform(Ad, scene->nv, spatial, spatial);
    assert_agrees(&query, sinew_model_root(scene->model), spatial);
    free(body);
    free(spatial);
    free(product.factors);
    scene_close(scene);
  }
  assert_true(moved_zero > TREES / 2); // g(0) was not the identity
}

// Two rotations by hand: x_1 about z at the origin, x_2 about z at (1, 0, 0), g(0) at (2, 0, 0);
// the second value's twist is (0, -1, 0; 0, 0, 1).
// req: B2
static void exponentials_of_two_segments(void **unused) {
  (void)unused;
  const sinew_link_def links[] = {LINK("a"), LINK("b"), LINK("c")};
  sinew_joint_def joints[2] = {sinew_default_joint_def(), sinew_default_joint_def()};
  for (int j = 0; j < 2; ++j) {
    joints[j].name = j == 0 ? "one" : "two";
    joints[j].kind = SINEW_JOINT_REVOLUTE;
    joints[j].parent = j;
    joints[j].child = j + 1;
    joints[j].placement.position[0] = j;
    joints[j].axis[0] = 0.0;
    joints[j].axis[2] = 1.0;
  }
  sinew_model_def def = sinew_default_model_def();
  def.links = links;
  def.link_count = 3;
  def.joints = joints;
  def.joint_count = 2;
  kinematic_scene scene;
  scene_open(&scene, &def);
  sinew_exponential factors[2];
  sinew_exponentials product = {.factors = factors};
  const double tip[3] = {1.0, 0.0, 0.0};
  assert_int_equal(sinew_model_exponential_count(scene.model), 2);
  assert_int_equal(sinew_model_exponentials(scene.model, 2, tip, &product), SINEW_OK);
  const double first[6] = {0, 0, 0, 0, 0, 1}, second[6] = {0, -1, 0, 0, 0, 1}, at[3] = {2, 0, 0};
  assert_int_equal(product.count, 2);
  assert_at_most(farthest(6, factors[0].twist, first), 1e-15);
  assert_at_most(farthest(6, factors[1].twist, second), 1e-15);
  assert_at_most(farthest(3, product.zero.position, at), 1e-15);
  scene_close(&scene);
}

// A spherical joint's quaternion of any length; the zero one is the identity; a NaN in any of its
// values is refused.
// req: B2
static void exponentials_of_a_spherical_joint(void **unused) {
  (void)unused;
  const sinew_link_def links[] = {LINK("base"), LINK("body")};
  sinew_joint_def joint = sinew_default_joint_def();
  joint.name = "joint";
  joint.child = 1;
  joint.kind = SINEW_JOINT_SPHERICAL;
  sinew_model_def def = sinew_default_model_def();
  def.links = links;
  def.link_count = 2;
  def.joints = &joint;
  def.joint_count = 1;
  kinematic_scene scene;
  scene_open(&scene, &def);
  sinew_exponential factors[3];
  sinew_exponentials product = {.factors = factors};
  assert_int_equal(sinew_model_exponential_count(scene.model), 3);
  assert_int_equal(sinew_model_exponentials(scene.model, 1, NULL, &product), SINEW_OK);
  const double lengths[] = {0.0, 1e-200, 1e-5, 1.0, 1e90};
  const double at[3] = {0.0, 0.0, 0.0}, h = sqrt(0.5);
  for (int i = 0; i < 5; ++i) {
    const double q[4] = {h * lengths[i], 0.0, h * lengths[i], 0.0};
    const double w[3] = {0.0, i == 0 ? 0.0 : 2.0 * atan(1.0), 0.0};
    double turn[3];
    sinew_pose pose;
    assert_int_equal(sinew_exponentials_pose(&product, q, &pose), SINEW_OK);
    sinew_quaternion_log(pose.rotation, turn);
    assert_at_most(farthest(3, turn, w), 1e-15);
    assert_at_most(farthest(3, pose.position, at), 0.0);
  }
  for (int i = 0; i < 4; ++i) {
    double q[4] = {1.0, 0.0, 0.0, 0.0};
    q[i] = NAN;
    assert_int_equal(sinew_exponentials_jacobian_body(&product, q, scene.J),
                     SINEW_ERROR_NOT_FINITE);
  }
  scene_close(&scene);
}

// ------------------------------------------------------------- body recursion

// From joint values alone: the state's poses are neither used nor changed.
// req: B6 B11 B16
static void body_recursion(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < TREES; ++seed) {
    jacobian_query query;
    query_open(&query, &tree, seed);
    kinematic_scene *scene = &query.scene;
    double *J = numbers(query.size), *start = numbers(scene->nq);
    double R[9], p[3], gR[9], s[3], before[3], after[3];
    sinew_pose pose;
    assert_int_equal(sinew_state_point(scene->state, query.link, query.point, s), SINEW_OK);
    sinew_configuration_start(scene->model, start);
    assert_int_equal(sinew_state_forward(scene->state, start), SINEW_OK);
    assert_int_equal(sinew_state_point(scene->state, query.link, NULL, before), SINEW_OK);
    assert_int_equal(
        sinew_state_jacobian_body(scene->state, scene->q, query.link, query.point, J, &pose),
        SINEW_OK);
    assert_int_equal(sinew_state_point(scene->state, query.link, NULL, after), SINEW_OK);
    assert_memory_equal(before, after, sizeof before);

    naive_frame(scene->oracle, query.link, R, p);
    sinew_quaternion_to_matrix(pose.rotation, gR);
    assert_at_most(farthest(9, R, gR), AGREE);
    assert_at_most(farthest(3, s, pose.position), AGREE * query.scale);
    assert_int_equal(sinew_state_forward(scene->state, scene->q), SINEW_OK);
    assert_agrees(&query, query.link, J);
    free(J);
    free(start);
    scene_close(scene);
  }
}

// ------------------------------------------------------------ all by differences

// Central differences of the forward kinematics at the cube root of the precision: 1e-10 of
// truncation and of rounding, times figures of some metres.
// req: B6 B9
static void constructions_match_differences(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < SAMPLE_OF(300); ++seed) {
    jacobian_query query;
    query_open(&query, &tree, seed + TREES);
    kinematic_scene *scene = &query.scene;
    sinew_state *state = scene->state;
    const int root = sinew_model_root(scene->model), link = query.link;
    double *blocks = numbers(36 * sinew_model_block_count(scene->model)), Ad[36], R[9];
    double *ways[4], *point = query.point;
    for (int way = 0; way < 4; ++way) {
      ways[way] = numbers(query.size);
    }
    sinew_exponentials product = {
        .factors = calloc((size_t)sinew_model_exponential_count(scene->model) + 1,
                          sizeof *product.factors)};
    assert_int_equal(sinew_model_exponentials(scene->model, link, point, &product), SINEW_OK);
    assert_int_equal(sinew_exponentials_jacobian_body(&product, scene->q, ways[0]), SINEW_OK);
    assert_int_equal(sinew_state_jacobian_body(state, scene->q, link, point, ways[1], NULL),
                     SINEW_OK);
    assert_int_equal(sinew_state_jacobian_blocks(state, link, point, root, blocks), SINEW_OK);
    sinew_model_trim_blocks(scene->model, NULL, blocks, ways[2]);
    assert_int_equal(sinew_state_jacobian_adjusted(state, link, point, root, ways[3]), SINEW_OK);
    assert_int_equal(sinew_state_link_frame(state, link, R, NULL), SINEW_OK);
    sinew_pose turn = sinew_pose_identity(); // from body to world axes
    sinew_quaternion_from_matrix(R, turn.rotation);
    sinew_pose_adjoint(&turn, Ad);
    sinew_twists_transform(Ad, scene->nv, ways[0], ways[0]);
    sinew_twists_transform(Ad, scene->nv, ways[1], ways[1]);
    assert_int_equal(sinew_state_jacobian_differences(state, scene->q, link, point,
                                                      SINEW_DIFFERENCE_CENTRAL, 6e-6, scene->J),
                     SINEW_OK);
    for (int way = 0; way < 4; ++way) {
      assert_at_most(farthest(query.size, ways[way], scene->J) / query.scale, 1e-7);
      free(ways[way]);
    }
    free(product.factors);
    free(blocks);
    scene_close(scene);
  }
}

// ------------------------------------------------------------ target Jacobian

// With the target at the effector, the same bits as the usual Jacobian; elsewhere the usual one of
// the link's point at the target; angular rows never differ.
// req: B12
static void target_jacobian(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < SAMPLE_OF(500); ++seed) {
    jacobian_query query;
    query_open(&query, &tree, seed);
    kinematic_scene *scene = &query.scene;
    const int root = sinew_model_root(scene->model);
    double *J = numbers(query.size), s[3], t[3], R[9], p[3], there_l[3];
    assert_int_equal(sinew_state_point(scene->state, query.link, query.point, s), SINEW_OK);
    assert_int_equal(sinew_state_jacobian_target(scene->state, query.link, s, J), SINEW_OK);
    assert_int_equal(sinew_state_jacobian(scene->state, query.link, query.point, root, scene->J),
                     SINEW_OK);
    assert_memory_equal(J, scene->J, (size_t)query.size * sizeof(double));

    naive_frame(scene->oracle, query.link, R, p);
    for (int i = 0; i < 3; ++i) {
      t[i] = s[i] + random_between(&query.stream, -3.0, 3.0);
    }
    for (int i = 0; i < 3; ++i) {
      there_l[i] = R[i] * (t[0] - p[0]) + R[3 + i] * (t[1] - p[1]) + R[6 + i] * (t[2] - p[2]);
    }
    assert_int_equal(sinew_state_jacobian_target(scene->state, query.link, t, J), SINEW_OK);
    naive_jacobian(scene->oracle, scene->q, query.link, there_l, scene->expected);
    assert_at_most(farthest(query.size, J, scene->expected) /
                       largest_entry(query.size, scene->expected),
                   AGREE);
    assert_memory_equal(J + 3 * scene->nv, scene->J + 3 * scene->nv,
                        (size_t)(3 * scene->nv) * sizeof(double));
    free(J);
    scene_close(scene);
  }
}

// --------------------------------------------------------------------- faults

// Invalid links and numbers.
static void invalid_arguments_are_refused(void **unused) {
  (void)unused;
  static random_tree tree;
  jacobian_query query;
  query_open(&query, &tree, 11);
  kinematic_scene *scene = &query.scene;
  sinew_state *state = scene->state;
  const int links = sinew_model_link_count(scene->model);
  const int count = sinew_model_block_count(scene->model);
  const int no_link[] = {-1, links, INT32_MAX, INT32_MIN};
  double *blocks = numbers(36 * count), t[3] = {0.0, 0.0, 0.0};
  sinew_exponentials product = {
      .factors =
          calloc((size_t)sinew_model_exponential_count(scene->model), sizeof *product.factors)};
  for (int i = 0; i < 4; ++i) {
    const int link = no_link[i];
    sinew_block block;
    assert_int_equal(sinew_state_jacobian_body(state, scene->q, link, NULL, scene->J, NULL),
                     SINEW_ERROR_INDEX);
    assert_int_equal(sinew_model_exponentials(scene->model, link, NULL, &product),
                     SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_jacobian_blocks(state, link, NULL, 0, blocks), SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_jacobian_blocks(state, 0, NULL, link, blocks), SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_jacobian_adjusted(state, link, NULL, 0, scene->J),
                     SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_jacobian_adjusted(state, 0, NULL, link, scene->J),
                     SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_jacobian_target(state, link, t, scene->J), SINEW_ERROR_INDEX);
    assert_int_equal(sinew_model_block(scene->model, i == 1 ? count : link, &block),
                     SINEW_ERROR_INDEX);
  }
  // the deepest link, so that there is a factor that can be invalid
  int deepest = 0;
  for (int link = 0; link < links; ++link) {
    deepest = tree.depth[link] > tree.depth[deepest] ? link : deepest;
  }
  assert_int_equal(sinew_model_exponentials(scene->model, deepest, NULL, &product), SINEW_OK);
  assert_true(product.count > 0);
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
  for (int i = 0; i < 4; ++i) {
    sinew_pose pose;
    double *value = &scene->q[product.factors[product.count - 1].q_index];
    const double good = *value;
    *value = bad[i];
    assert_int_equal(sinew_state_jacobian_body(state, scene->q, 0, NULL, scene->J, NULL),
                     SINEW_ERROR_NOT_FINITE);
    assert_int_equal(sinew_exponentials_pose(&product, scene->q, &pose), SINEW_ERROR_NOT_FINITE);
    assert_int_equal(sinew_exponentials_jacobian_body(&product, scene->q, scene->J),
                     SINEW_ERROR_NOT_FINITE);
    assert_int_equal(sinew_exponentials_jacobian_spatial(&product, scene->q, scene->J),
                     SINEW_ERROR_NOT_FINITE);
    *value = good;
    t[i % 3] = bad[i];
    assert_int_equal(sinew_state_jacobian_target(state, 0, t, scene->J), SINEW_ERROR_NOT_FINITE);
    for (int k = 0; k < 3; ++k) {
      double point[3] = {0.0, 0.0, 0.0};
      point[k] = bad[i];
      assert_int_equal(sinew_state_jacobian_body(state, scene->q, 0, point, scene->J, NULL),
                       SINEW_ERROR_NOT_FINITE);
      assert_int_equal(sinew_model_exponentials(scene->model, 0, point, &product),
                       SINEW_ERROR_NOT_FINITE);
      assert_int_equal(sinew_state_jacobian_blocks(state, 0, point, 0, blocks),
                       SINEW_ERROR_NOT_FINITE);
      assert_int_equal(sinew_state_jacobian_adjusted(state, 0, point, 0, scene->J),
                       SINEW_ERROR_NOT_FINITE);
    }
    t[i % 3] = 0.0;
  }
  free(product.factors);
  free(blocks);
  scene_close(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(product_of_exponentials),
      cmocka_unit_test(exponentials_of_two_segments),
      cmocka_unit_test(exponentials_of_a_spherical_joint),
      cmocka_unit_test(body_recursion),
      cmocka_unit_test(constructions_match_differences),
      cmocka_unit_test(target_jacobian),
      cmocka_unit_test(invalid_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
