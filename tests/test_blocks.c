// The Jacobian in 6 x 6 blocks: subsets of rows and columns, and adjoints in a joint's own axes.
#include "inspect.h"
#include "jacobian_query.h"
#include "sinew/reference.h"
#include "link.h"
#include "sample.h"

#include <stdbool.h>

#define TREES SAMPLE_OF(2000)

// ------------------------------------------------------- blocks and subsets

// req: B4 B5 B6
static void blocks_of_subsets(void **unused) {
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

    // any choice of rows, in order
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

// The columns that are kept are those that sinew_model_block() gives for each elementary joint.
// req: B4
static void blocks_match_the_elementary_joints(void **unused) {
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

// A joint with translations along, or rotations about, all of x, y, z, for a position or an
// orientation: the 3 x 3 blocks R, t^R, 0 and R remain. The zero is exact.
// req: A4 B4 G8
static void four_cases_of_subsets(void **unused) {
  (void)unused;
  const unsigned char position[6] = {1, 1, 1, 0, 0, 0}, orientation[6] = {0, 0, 0, 1, 1, 1};
  for (int turns = 0; turns < 2; ++turns) {
    const sinew_link_def links[] = {LINK("base"), LINK("body")};
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

// The angular rows of prismatic values are zero, to the bit, in every construction.
// req: B4
static void prismatic_values_have_no_angular_rows(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < SAMPLE_OF(50); ++seed) {
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
    assert_int_equal(sinew_state_jacobian_blocks(scene.state, link, NULL, link, blocks), SINEW_OK);
    for (int way = 0; way < 4; ++way) {
      switch (way) {
      case 0:
        sinew_model_trim_blocks(scene.model, NULL, blocks, scene.J);
        break;
      case 1:
        assert_int_equal(sinew_state_jacobian_adjusted(scene.state, link, NULL, link, scene.J),
                         SINEW_OK);
        break;
      case 2:
        assert_int_equal(sinew_state_jacobian_body(scene.state, scene.q, link, NULL, scene.J, NULL),
                         SINEW_OK);
        break;
      default:
        assert_int_equal(sinew_state_jacobian(scene.state, link, NULL, link, scene.J), SINEW_OK);
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

// A base, a joint by its channels or with one rotation about axis, a body. It must outlive the
// scene.
typedef struct single {
  sinew_link_def links[2];
  sinew_joint_def joint;
  sinew_model_def def;
} single;

static void open_single(kinematic_scene *scene, single *s, const char *channels,
                        const double *axis) {
  *s = (single){.links = {LINK("base"), LINK("body")},
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

// All twelve orders: an axis is rotated by those before it in the order and by no other, so the
// first by none.
// req: A3 B7 B8
static void axes_are_rotated_by_those_before_them(void **unused) {
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

// Without the adjustment, the columns are the rotations about the moved link's axes: right for the
// last angle of an order, wrong for the first.
// req: B7
static void unadjusted_columns_are_wrong(void **unused) {
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

// For a joint with one rotation, where no order matters, the used column of R* is the axis: the
// unit vector where that is a coordinate axis. R* as a whole is not I.
// req: B7
static void single_rotations_need_no_adjustment(void **unused) {
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

// A joint with two rotations: along its z, the angular velocity has the component w . z. (The cross
// product w x z has no component along z at all.)
// req: A6 B7
static void two_axis_joints_rotate_by_components(void **unused) {
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_of_subsets),
      cmocka_unit_test(blocks_match_the_elementary_joints),
      cmocka_unit_test(four_cases_of_subsets),
      cmocka_unit_test(prismatic_values_have_no_angular_rows),
      cmocka_unit_test(adjusted_to_the_joints_axes),
      cmocka_unit_test(axes_are_rotated_by_those_before_them),
      cmocka_unit_test(unadjusted_columns_are_wrong),
      cmocka_unit_test(single_rotations_need_no_adjustment),
      cmocka_unit_test(two_axis_joints_rotate_by_components),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
