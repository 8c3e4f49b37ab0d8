// Every construction of the Jacobian: against the columns by cross products and
// against the naive kinematics (naive.h), on trees of every kind of joint.
#include "kinematic_scene.h"
#include "kinematics/adjusted.h"

#include <stdbool.h>

#define TREES 2000
#define AGREE 1e-12 // relative to the largest entry: the constructions round apart

// A tree of 1 to 14 joints at a random configuration, a link, a point on it, and a
// link whose axes the rows are in.
typedef struct jacobian_query {
  kinematic_scene scene;
  random_stream stream;
  int link, axes_link, size; // size: 6 nv
  double point[3], scale;    // the largest entry of the Jacobian, at least 1
} jacobian_query;

static void query_open(jacobian_query *query, random_tree *tree, uint64_t seed) {
  query->stream = random_stream_of(seed + 3000000);
  random_tree_options options = random_tree_defaults();
  options.joints = 1 + random_below(&query->stream, 14);
  options.chain = random_between(&query->stream, 0.0, 1.0);
  random_tree_make(tree, seed, &options);
  scene_open(&query->scene, &tree->def);
  scene_random(&query->scene, &query->stream);
  scene_place(&query->scene);
  const int links = sinew_model_link_count(query->scene.model);
  query->link = random_below(&query->stream, links);
  query->axes_link = random_below(&query->stream, links);
  for (int i = 0; i < 3; ++i) {
    query->point[i] = random_between(&query->stream, -0.5, 0.5);
  }
  query->size = 6 * query->scene.nv;
  naive_jacobian(query->scene.oracle, query->scene.q, query->link, query->point,
                 query->scene.expected);
  query->scale = largest_entry(query->size, query->scene.expected);
}

// rows (6 x nv, world axes) in a link's axes.
static void turn_expected(jacobian_query *query, int axes_link, double *rows) {
  double R[9], p[3];
  const int nv = query->scene.nv;
  naive_frame(query->scene.oracle, axes_link, R, p);
  for (int c = 0; c < 2 * nv; ++c) {
    double *at = rows + c / nv * 3 * nv + c % nv, column[3];
    for (int r = 0; r < 3; ++r) {
      column[r] = R[r] * at[0] + R[3 + r] * at[nv] + R[6 + r] * at[2 * nv];
    }
    for (int r = 0; r < 3; ++r) {
      at[r * nv] = column[r];
    }
  }
}

// J, in some link's axes, is the naive kinematics' Jacobian and sinew's own.
static void assert_agrees(jacobian_query *query, int axes_link, const double *J) {
  kinematic_scene *scene = &query->scene;
  double *turned = numbers(query->size);
  memcpy(turned, scene->expected, (size_t)query->size * sizeof(double));
  turn_expected(query, axes_link, turned);
  assert_at_most(farthest(query->size, J, turned), AGREE * query->scale);
  assert_int_equal(
      sinew_state_jacobian(scene->state, query->link, query->point, axes_link, scene->J), SINEW_OK);
  assert_at_most(farthest(query->size, J, scene->J), AGREE * query->scale);
  free(turned);
}

// ---------------------------------------------------- product of exponentials

// The product is the pose; its columns are the Jacobian, coupled joints and balls
// included; the spatial columns are the adjoint of the pose times the body's.
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

// Two turns by hand: x_1 about z at the origin, x_2 about z at (1, 0, 0), g(0) at
// (2, 0, 0); the second value's twist is (0, -1, 0; 0, 0, 1).
// req: B2
static void exponentials_of_two_segments(void **unused) {
  (void)unused;
  const sinew_link_def links[] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
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

// ------------------------------------------------------- blocks and trimming

// req: B4 B5 B6
static void trimmed_blocks(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < TREES; ++seed) {
    jacobian_query query;
    query_open(&query, &tree, seed);
    kinematic_scene *scene = &query.scene;
    const int count = sinew_model_block_count(scene->model), nv = scene->nv;
    double *blocks = numbers(36 * count), *J = numbers(query.size), *some = numbers(query.size);
    assert_int_equal(
        sinew_state_jacobian_blocks(scene->state, query.link, query.point, query.axes_link, blocks),
        SINEW_OK);
    assert_int_equal(sinew_model_trim_blocks(scene->model, NULL, blocks, J), 6);
    assert_agrees(&query, query.axes_link, J);

    // any choice of rows, in their order
    unsigned char rows[6];
    int kept = 0;
    for (int r = 0; r < 6; ++r) {
      rows[r] = (unsigned char)random_below(&query.stream, 2);
    }
    const int k = sinew_model_trim_blocks(scene->model, rows, blocks, some);
    for (int r = 0; r < 6; ++r) {
      if (rows[r]) {
        assert_memory_equal(some + kept * nv, J + r * nv, (size_t)nv * sizeof(double));
        ++kept;
      }
    }
    assert_int_equal(k, kept);
    free(blocks);
    free(J);
    free(some);
    scene_close(scene);
  }
}

// What trimming keeps is what sinew_model_block() says of each elementary joint.
// req: B4
static void blocks_name_their_freedoms(void **unused) {
  (void)unused;
  static random_tree tree;
  int screws = 0, balls = 0, coupled = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    jacobian_query query;
    query_open(&query, &tree, seed);
    kinematic_scene *scene = &query.scene;
    const int count = sinew_model_block_count(scene->model), nv = scene->nv;
    double *blocks = numbers(36 * count), *J = numbers(query.size), *sum = numbers(query.size);
    assert_int_equal(
        sinew_state_jacobian_blocks(scene->state, query.link, query.point, query.axes_link, blocks),
        SINEW_OK);
    sinew_model_trim_blocks(scene->model, NULL, blocks, J);
    for (int i = 0; i < count; ++i) {
      sinew_block block;
      sinew_joint joint;
      assert_int_equal(sinew_model_block(scene->model, i, &block), SINEW_OK);
      assert_int_equal(sinew_model_joint(scene->model, block.joint, &joint), SINEW_OK);
      assert_true(block.v_index >= joint.v_index);
      assert_true(block.v_index < joint.v_index + (joint.driver < 0 ? joint.nv : 1));
      assert_near(block.ratio, joint.driver < 0 ? 1.0 : joint.ratio, 0.0);
      const bool screw = joint.kind == SINEW_JOINT_SCREW, ball = block.freedom[3] == 1;
      screws += screw;
      balls += ball;
      coupled += joint.driver >= 0;
      for (int r = 0; r < 6; ++r) {
        int v = block.v_index;
        for (int c = 0; c < 6; ++c) {
          const double weight = screw && c == 2 ? block.pitch : 1.0;
          sum[r * nv + v] +=
              block.freedom[c] * weight * block.ratio * blocks[r * 6 * count + 6 * i + c];
          v += ball && block.freedom[c] && c < 5;
        }
      }
    }
    assert_at_most(farthest(query.size, J, sum), AGREE * query.scale);
    free(blocks);
    free(J);
    free(sum);
    scene_close(scene);
  }
  assert_true(screws > 20 && balls > 20 && coupled > 20);
}

// A joint that slides along, or turns about, all of x, y, z, and what is controlled,
// position or orientation: R, t^R, 0 and R are left, 3 x 3 each. The zero is exact.
// req: A4 B4
static void four_cases_of_trimming(void **unused) {
  (void)unused;
  const unsigned char position[6] = {1, 1, 1, 0, 0, 0}, orientation[6] = {0, 0, 0, 1, 1, 1};
  for (int turns = 0; turns < 2; ++turns) {
    const sinew_link_def links[] = {{.name = "base"}, {.name = "body"}};
    sinew_joint_def joint = sinew_default_joint_def();
    joint.name = "joint";
    joint.child = 1;
    joint.kind = turns ? SINEW_JOINT_SPHERICAL : SINEW_JOINT_CHANNELS;
    strcpy(joint.channels, turns ? "" : "xyz");
    joint.placement = (sinew_pose){{0.1, 0.2, -0.3}, {0.5, -0.5, 0.5, 0.5}};
    sinew_model_def def = sinew_default_model_def();
    def.links = links;
    def.link_count = 2;
    def.joints = &joint;
    def.joint_count = 1;
    kinematic_scene scene;
    scene_open(&scene, &def);
    for (int i = 0; i < scene.nq; ++i) {
      scene.q[i] = 0.3 + 0.2 * i;
    }
    scene_place(&scene);
    double blocks[3 * 36], at_position[18], at_orientation[18], R[9], s[3], o[3];
    const double point[3] = {0.7, -0.4, 0.2};
    const int count = sinew_model_block_count(scene.model);
    assert_int_equal(count, turns ? 1 : 3);
    assert_int_equal(sinew_state_jacobian_blocks(scene.state, 1, point, 0, blocks), SINEW_OK);
    assert_int_equal(sinew_model_trim_blocks(scene.model, position, blocks, at_position), 3);
    assert_int_equal(sinew_model_trim_blocks(scene.model, orientation, blocks, at_orientation), 3);

    assert_int_equal(sinew_state_link_frame(scene.state, 1, R, o), SINEW_OK);
    assert_int_equal(sinew_state_point(scene.state, 1, point, s), SINEW_OK);
    for (int c = 0; c < 3; ++c) {
      const double axis[3] = {R[c], R[3 + c], R[6 + c]};
      for (int r = 0; r < 3; ++r) {
        const int a = (r + 1) % 3, b = (r + 2) % 3;
        const double crossed = axis[a] * (s[b] - o[b]) - axis[b] * (s[a] - o[a]);
        assert_near(at_position[3 * r + c], turns ? crossed : axis[r], 1e-15);
        if (turns) {
          assert_near(at_orientation[3 * r + c], axis[r], 1e-15);
        } else {
          assert_true(at_orientation[3 * r + c] == 0.0);
        }
      }
    }
    scene_close(&scene);
  }
}

// The angular rows of slides are zero, to the bit, in every construction.
// req: B4
static void slides_have_no_angular_rows(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    random_tree_options options = random_tree_defaults();
    options.chain = 1.0;
    options.kinds = 1u << SINEW_JOINT_PRISMATIC;
    random_tree_make(&tree, seed, &options);
    kinematic_scene scene;
    scene_open(&scene, &tree.def);
    random_stream stream = random_stream_of(seed);
    scene_random(&scene, &stream);
    scene_place(&scene);
    const int root = sinew_model_root(scene.model), nv = scene.nv;
    const int link = (root + 1) % sinew_model_link_count(scene.model);
    double *blocks = numbers(36 * sinew_model_block_count(scene.model));
    sinew_state_jacobian_blocks(scene.state, link, NULL, link, blocks);
    for (int way = 0; way < 4; ++way) {
      switch (way) {
      case 0:
        sinew_model_trim_blocks(scene.model, NULL, blocks, scene.J);
        break;
      case 1:
        sinew_state_jacobian_adjusted(scene.state, link, NULL, link, scene.J);
        break;
      case 2:
        sinew_state_jacobian_body(scene.state, scene.q, link, NULL, scene.J, NULL);
        break;
      default:
        sinew_state_jacobian(scene.state, link, NULL, link, scene.J);
      }
      for (int i = 0; i < 3 * nv; ++i) {
        assert_true(scene.J[3 * nv + i] == 0.0);
      }
      assert_true(largest_entry(3 * nv, scene.J) > 0.0);
    }
    free(blocks);
    scene_close(&scene);
  }
}

// ------------------------------------------------------------- Euler-adjusted

// req: B6 B7
static void adjusted_to_the_joints_axes(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < TREES; ++seed) {
    jacobian_query query;
    query_open(&query, &tree, seed);
    double *J = numbers(query.size);
    assert_int_equal(sinew_state_jacobian_adjusted(query.scene.state, query.link, query.point,
                                                   query.axes_link, J),
                     SINEW_OK);
    assert_agrees(&query, query.axes_link, J);
    free(J);
    scene_close(&query.scene);
  }
}

// A base, a joint by its channels or of one turn about axis, a body. It must outlive
// the scene.
typedef struct single {
  sinew_link_def links[2];
  sinew_joint_def joint;
  sinew_model_def def;
} single;

static void open_single(kinematic_scene *scene, single *s, const char *channels,
                        const double *axis) {
  *s = (single){.links = {{.name = "base"}, {.name = "body"}},
                .joint = sinew_default_joint_def(),
                .def = sinew_default_model_def()};
  s->joint.name = "joint";
  s->joint.child = 1;
  s->joint.kind = axis != NULL ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_EULER;
  s->joint.placement = (sinew_pose){{0.3, -0.2, 0.5}, {0.1, 0.7, -0.5, 0.5}};
  snprintf(s->joint.channels, sizeof s->joint.channels, "%s", channels);
  if (axis != NULL) {
    memcpy(s->joint.axis, axis, sizeof s->joint.axis);
  }
  s->def.links = s->links;
  s->def.link_count = 2;
  s->def.joints = &s->joint;
  s->def.joint_count = 1;
  scene_open(scene, &s->def);
}

static void place(kinematic_scene *scene, double a, double b, double c) {
  const double q[3] = {a, b, c};
  memcpy(scene->q, q, (size_t)scene->nq * sizeof(double));
  scene_place(scene);
}

// Column k of R* in the parent's axes, that is R', world here.
static void axis_in_parent(const kinematic_scene *scene, int k, double out[3]) {
  sinew_joint_axes axes;
  double R[9];
  sinew_state_joint_axes(scene->state, 0, &axes);
  assert_int_equal(sinew_state_link_frame(scene->state, 1, R, NULL), SINEW_OK);
  for (int r = 0; r < 3; ++r) {
    out[r] = R[3 * r] * axes.turns[k] + R[3 * r + 1] * axes.turns[3 + k] +
             R[3 * r + 2] * axes.turns[6 + k];
  }
}

// All twelve orders: an axis is turned by those before it in the order and by no
// other, and so the first by none.
// req: A3 B7 B8
static void axes_are_turned_by_those_before_them(void **unused) {
  (void)unused;
  single s;
  const char *orders[] = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX",
                          "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ"};
  for (int o = 0; o < 12; ++o) {
    kinematic_scene scene;
    open_single(&scene, &s, orders[o], NULL);
    double before[3][3], after[3];
    for (int moved = 0; moved < 3; ++moved) {
      double q[3] = {0.4, 0.9, -1.3};
      place(&scene, q[0], q[1], q[2]);
      for (int k = 0; k < 3; ++k) {
        axis_in_parent(&scene, k, before[k]);
      }
      q[moved] += 0.7;
      place(&scene, q[0], q[1], q[2]);
      for (int k = 0; k < 3; ++k) {
        axis_in_parent(&scene, k, after);
        if (moved < k) {
          assert_true(farthest(3, before[k], after) > 0.1);
        } else {
          assert_at_most(farthest(3, before[k], after), 1e-15);
        }
      }
    }
    scene_close(&scene);
  }
}

// Unadjusted, the columns are the turns about the moved link's axes: for the last
// angle of an order that is right, for the first it is not.
// req: B7
static void adjusting_is_needed(void **unused) {
  (void)unused;
  single s;
  kinematic_scene scene;
  open_single(&scene, &s, "XYZ", NULL);
  place(&scene, 0.4, 0.9, -1.3);
  double R[9];
  assert_int_equal(sinew_state_link_frame(scene.state, 1, R, NULL), SINEW_OK);
  assert_int_equal(sinew_state_jacobian_adjusted(scene.state, 1, NULL, 0, scene.J), SINEW_OK);
  for (int k = 0; k < 3; ++k) {
    const double moved[3] = {R[k], R[3 + k], R[6 + k]};
    const double column[3] = {scene.J[9 + k], scene.J[12 + k], scene.J[15 + k]};
    if (k == 2) {
      assert_at_most(farthest(3, moved, column), 1e-15);
    } else {
      assert_true(farthest(3, moved, column) > 0.1);
    }
  }
  scene_close(&scene);
}

// Of a joint of one turn, where no order matters, the used column of R* is the
// axis: the unit vector where that is a coordinate axis. R* as a whole is not I.
// req: B7
static void one_turn_needs_no_adjusting(void **unused) {
  (void)unused;
  single s;
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int k = 0; k < 3; ++k) {
    kinematic_scene scene;
    sinew_joint_axes axes;
    open_single(&scene, &s, "", identity + 3 * k);
    place(&scene, 0.8, 0.0, 0.0);
    sinew_state_joint_axes(scene.state, 0, &axes);
    const double used[3] = {axes.turns[0], axes.turns[3], axes.turns[6]};
    assert_at_most(farthest(3, used, identity + 3 * k), 1e-15);
    assert_true(farthest(9, axes.turns, identity) > 0.1);
    scene_close(&scene);
  }
}

// A joint of two turns: along its z, the angular velocity has the component w . z.
// (The cross product w x z has no part along z at all.)
// req: A6 B7
static void two_axis_joint_turns_by_components(void **unused) {
  (void)unused;
  single s;
  kinematic_scene scene;
  open_single(&scene, &s, "XZ", NULL);
  place(&scene, 0.6, -0.8, 0.0);
  double z[3], twist[6];
  const double v[2] = {0.3, 1.7};
  axis_in_parent(&scene, 1, z);
  assert_int_equal(sinew_state_twist(scene.state, 1, NULL, v, twist), SINEW_OK);
  // the axes of this order are perpendicular: the component is the second rate
  assert_near(twist[3] * z[0] + twist[4] * z[1] + twist[5] * z[2], v[1], 1e-15);
  scene_close(&scene);
}

// ------------------------------------------------------------- body recursion

// From joint values alone, without and in spite of the state's poses, which stay.
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

// Central differences of the forward kinematics at the cube root of the precision:
// 1e-10 of truncation and of rounding, times figures of some metres.
// req: B6 B9
static void all_are_what_differences_are(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < 300; ++seed) {
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

// With the target where the effector is, the same bits as the usual; elsewhere the
// usual one of the point of the link that is there; angular rows never differ.
// req: B12
static void target_jacobian(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < 500; ++seed) {
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

// Links that are not there, and numbers that are none.
static void what_cannot_be_is_refused(void **unused) {
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
  // the deepest link, so that there is a factor to be wrong
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
      cmocka_unit_test(trimmed_blocks),
      cmocka_unit_test(blocks_name_their_freedoms),
      cmocka_unit_test(four_cases_of_trimming),
      cmocka_unit_test(slides_have_no_angular_rows),
      cmocka_unit_test(adjusted_to_the_joints_axes),
      cmocka_unit_test(axes_are_turned_by_those_before_them),
      cmocka_unit_test(adjusting_is_needed),
      cmocka_unit_test(one_turn_needs_no_adjusting),
      cmocka_unit_test(two_axis_joint_turns_by_components),
      cmocka_unit_test(body_recursion),
      cmocka_unit_test(all_are_what_differences_are),
      cmocka_unit_test(target_jacobian),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
