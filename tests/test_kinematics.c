// Forward kinematics and Jacobians of whole trees, against a second kinematics (naive.h), finite
// differences, unit velocities and closed forms.
#include "kinematic_scene.h"
#include "sinew/reference.h"
#include "link.h"
#include "sample.h"

#include <float.h>
#include <stdbool.h>

// Rounding: some 40 elementary motions in a chain, each off by 2e-16 or twice that.
#define ROUNDING 1e-13

#define TREES SAMPLE_OF(2000)

// A tree of 1 to 14 joints of every kind, at a random configuration.
static void open_random(kinematic_scene *scene, random_tree *tree, uint64_t seed) {
  random_stream stream = random_stream_of(seed + 1000000);
  random_tree_options options = random_tree_defaults();
  options.joints = 1 + random_below(&stream, 14);
  options.chain = random_between(&stream, 0.0, 1.0);
  random_tree_make(tree, seed, &options);
  scene_open(scene, &tree->def);
  scene_random(scene, &stream);
}

static int random_link(const kinematic_scene *scene, random_stream *stream) {
  return random_below(stream, sinew_model_link_count(scene->model));
}

static void random_point(random_stream *stream, double point[3]) {
  for (int i = 0; i < 3; ++i) {
    point[i] = random_between(stream, -0.5, 0.5);
  }
}

// Every link of every tree has the pose of the naive kinematics.
// req: A1 A2 A3 A10
static void link_poses_match_the_naive_kinematics(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < TREES; ++seed) {
    kinematic_scene scene;
    open_random(&scene, &tree, seed);
    scene_place(&scene);
    assert_at_most(scene_place_error(&scene), ROUNDING);
    scene_close(&scene);
  }
}

// A product of quarter turns about the axes, as a file has them: angles as decimals of pi/2.
static void quarter_turns(random_stream *stream, double rotation[4]) {
  double rpy[3];
  for (int i = 0; i < 3; ++i) {
    rpy[i] = 1.5707963267948966 * (random_below(stream, 4) - 1);
  }
  sinew_quaternion_from_rpy(rpy, rotation);
}

// The same where most placements turn axes onto axes, and most joints are revolute, as in arms: one
// in five is neither. req: A1 A2 A3 A10
static void quarter_turns_match_the_naive_kinematics(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < TREES; ++seed) {
    kinematic_scene scene;
    random_stream stream = random_stream_of(seed);
    random_tree_options options = random_tree_defaults();
    options.joints = 1 + random_below(&stream, 14);
    options.chain = random_between(&stream, 0.5, 1.0);
    options.coupled = 0.1;
    options.kinds = seed % 5 == 0 ? 0 : 1u << SINEW_JOINT_REVOLUTE;
    random_tree_make(&tree, seed, &options);
    for (int j = 0; j < options.joints; ++j) {
      sinew_joint_def *joint = &tree.joints[j];
      if (joint->kind == SINEW_JOINT_REVOLUTE && random_below(&stream, 5) > 0) {
        const int axis = random_below(&stream, 3);
        quarter_turns(&stream, joint->placement.rotation);
        for (int i = 0; i < 3; ++i) {
          joint->axis[i] = i == axis ? (random_below(&stream, 2) == 0 ? -1.0 : 1.0) : 0.0;
        }
      }
    }
    scene_open(&scene, &tree.def);
    scene_random(&scene, &stream);
    scene_place(&scene);
    assert_at_most(scene_place_error(&scene), ROUNDING);
    scene_close(&scene);
  }
}

// The Jacobian of any point on any link of any tree: against the differentiated
// product of exponentials, unit velocities and central differences.
// req: A1 A2 B1 B5 B9
static void jacobians_agree(void **unused) {
  (void)unused;
  static random_tree tree;
  const double epsilon = cbrt(DBL_EPSILON);
  for (uint64_t seed = 0; seed < TREES; ++seed) {
    kinematic_scene scene;
    open_random(&scene, &tree, seed);
    scene_place(&scene);
    random_stream stream = random_stream_of(seed);
    const int link = random_link(&scene, &stream), size = 6 * scene.nv;
    double point[3];
    random_point(&stream, point);
    assert_at_most(scene_jacobian_error(&scene, link, point), ROUNDING);

    double *other = numbers(size), *v = numbers(scene.nv);
    const double scale = largest_entry(size, scene.J);
    assert_int_equal(sinew_state_jacobian_unit_velocities(scene.state, link, point, v, other),
                     SINEW_OK);
    assert_at_most(farthest(size, scene.J, other) / scale, 1e-12);
    assert_int_equal(sinew_state_jacobian_differences(scene.state, scene.q, link, point,
                                                      SINEW_DIFFERENCE_CENTRAL, epsilon, other),
                     SINEW_OK);
    assert_at_most(farthest(size, scene.J, other) / scale, 1e-7);
    free(other);
    free(v);
    scene_close(&scene);
  }
}

// Whether a joint, or one coupled to it, moves a link.
static bool moves(const random_tree *tree, const naive *oracle, int joint, int link) {
  for (bool found = true; found;) {
    found = false;
    for (int j = 0; j < tree->def.joint_count && !found; ++j) {
      if (tree->joints[j].child == link) {
        if (j == joint || oracle->driver[j] == joint) {
          return true;
        }
        link = tree->joints[j].parent;
        found = true;
      }
    }
  }
  return false;
}

// A column off the path from the root to the link is exactly zero; on the path, a revolute joint
// has an angular part.
// req: B1
static void columns_off_the_path_are_zero(void **unused) {
  (void)unused;
  static random_tree tree;
  int off = 0, on = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    kinematic_scene scene;
    open_random(&scene, &tree, seed);
    scene_place(&scene);
    random_stream stream = random_stream_of(seed);
    const int link = random_link(&scene, &stream);
    assert_int_equal(sinew_state_jacobian(scene.state, link, NULL, link, scene.J), SINEW_OK);
    for (int j = 0; j < tree.def.joint_count; ++j) {
      sinew_joint joint;
      assert_int_equal(sinew_model_joint(scene.model, j, &joint), SINEW_OK);
      const bool on_path = moves(&tree, scene.oracle, j, link);
      for (int i = 0; i < 6 * joint.nv && !on_path; ++i, ++off) {
        assert_true(scene.J[i % 6 * scene.nv + joint.v_index + i / 6] == 0.0);
      }
      on += on_path;
    }
    scene_close(&scene);
  }
  assert_true(off > 1000 && on > 200);
}

// In body axes, and in those of any other link, the rows are the world rows rotated: R^T J.
// req: B5
static void rows_in_any_links_axes(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < SAMPLE_OF(300); ++seed) {
    kinematic_scene scene;
    open_random(&scene, &tree, seed);
    scene_place(&scene);
    random_stream stream = random_stream_of(seed);
    const int link = random_link(&scene, &stream);
    const int axes_link = seed % 2 == 0 ? link : random_link(&scene, &stream);
    double point[3], R[9], p[3];
    random_point(&stream, point);
    naive_jacobian(scene.oracle, scene.q, link, point, scene.expected);
    naive_frame(scene.oracle, axes_link, R, p);
    assert_int_equal(sinew_state_jacobian(scene.state, link, point, axes_link, scene.J), SINEW_OK);
    const double scale = largest_entry(6 * scene.nv, scene.expected);
    for (int v = 0; v < scene.nv; ++v) {
      for (int r = 0; r < 6; ++r) {
        double sum = 0.0;
        for (int k = 0; k < 3; ++k) {
          sum += R[3 * k + r % 3] * scene.expected[(r / 3 * 3 + k) * scene.nv + v];
        }
        assert_near(scene.J[r * scene.nv + v], sum, ROUNDING * scale);
      }
    }
    scene_close(&scene);
  }
}

// Moving the point by d changes the linear rows by w x d and no others: the adjoint of a pure
// translation.
// req: B5
static void moving_the_point_translates_the_rows(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < SAMPLE_OF(100); ++seed) {
    kinematic_scene scene;
    open_random(&scene, &tree, seed);
    scene_place(&scene);
    random_stream stream = random_stream_of(seed);
    const int link = random_link(&scene, &stream), root = sinew_model_root(scene.model);
    double point[3], s0[3], s1[3];
    random_point(&stream, point);
    assert_int_equal(sinew_state_point(scene.state, link, NULL, s0), SINEW_OK);
    assert_int_equal(sinew_state_point(scene.state, link, point, s1), SINEW_OK);
    double *moved = numbers(6 * scene.nv);
    assert_int_equal(sinew_state_jacobian(scene.state, link, NULL, root, scene.J), SINEW_OK);
    assert_int_equal(sinew_state_jacobian(scene.state, link, point, root, moved), SINEW_OK);
    const double d[3] = {s1[0] - s0[0], s1[1] - s0[1], s1[2] - s0[2]};
    const double scale = largest_entry(6 * scene.nv, moved);
    for (int v = 0; v < scene.nv; ++v) {
      double w[3];
      for (int r = 0; r < 3; ++r) {
        w[r] = scene.J[(r + 3) * scene.nv + v];
        assert_true(moved[(r + 3) * scene.nv + v] == w[r]);
      }
      for (int r = 0; r < 3; ++r) {
        const int a = (r + 1) % 3, b = (r + 2) % 3;
        const double carried = w[a] * d[b] - w[b] * d[a];
        assert_near(moved[r * scene.nv + v], scene.J[r * scene.nv + v] + carried, ROUNDING * scale);
      }
    }
    free(moved);
    scene_close(&scene);
  }
}

// ----------------------------------------------------------- finite differences

// The summed error of finite differences over a few trees.
static double difference_error(kinematic_scene *scenes, int count, sinew_difference method,
                               double epsilon) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    kinematic_scene *scene = &scenes[i];
    assert_int_equal(sinew_state_jacobian_differences(scene->state, scene->q, 3, NULL, method,
                                                      epsilon, scene->J),
                     SINEW_OK);
    sum += farthest(6 * scene->nv, scene->J, scene->expected);
  }
  return sum / count;
}

// The error over epsilon is V-shaped: truncation on the right, first order for forward and second
// order for central differences, and rounding on the left; smallest near the square and the cube
// root of the machine's precision, and there as small as theory predicts.
// req: B9 H9
static void differences_are_best_near_the_roots_of_precision(void **unused) {
  (void)unused;
  enum { COUNT = 10, STEPS = 27 };
  static random_tree trees[COUNT];
  kinematic_scene scenes[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    random_tree_options options = random_tree_defaults();
    options.chain = 1.0;
    options.kinds = 1u << SINEW_JOINT_REVOLUTE | 1u << SINEW_JOINT_SPHERICAL;
    random_tree_make(&trees[i], (uint64_t)i, &options);
    scene_open(&scenes[i], &trees[i].def);
    random_stream stream = random_stream_of((uint64_t)i);
    scene_random(&scenes[i], &stream);
    const double origin[3] = {0.0, 0.0, 0.0};
    naive_place(scenes[i].oracle, scenes[i].q);
    naive_jacobian(scenes[i].oracle, scenes[i].q, 3, origin, scenes[i].expected);
  }
  const double best_epsilon[2] = {sqrt(DBL_EPSILON), cbrt(DBL_EPSILON)};
  const double best_error[2] = {1e-7, 1e-9};
  for (int method = 0; method < 2; ++method) {
    double least = INFINITY, at = 0.0, error[STEPS];
    for (int i = 0; i < STEPS; ++i) { // 1e-1, 10^-1.5 ... 1e-14
      const double epsilon = pow(10.0, -1.0 - 0.5 * i);
      error[i] = difference_error(scenes, COUNT, (sinew_difference)method, epsilon);
      at = error[i] < least ? epsilon : at;
      least = fmin(error[i], least);
    }
    assert_at_most(fabs(log10(at / best_epsilon[method])), 1.01); // within a decade
    assert_at_most(least, best_error[method]);
    assert_true(error[STEPS - 1] > 1000.0 * least && error[0] > 1000.0 * least);
    // from 1e-2 to 1e-3 a tenth, or a hundredth, of the error
    const double order = log10(error[2] / error[4]);
    assert_near(order, 1.0 + method, 0.1);
  }
  for (int i = 0; i < COUNT; ++i) {
    scene_close(&scenes[i]);
  }
}

// The state is left at q.
// req: B9
static void differences_leave_the_state_at_q(void **unused) {
  (void)unused;
  static random_tree tree;
  kinematic_scene scene;
  open_random(&scene, &tree, 5);
  const int link = sinew_model_link_count(scene.model) - 1;
  double before[3], after[3];
  scene_place(&scene);
  assert_int_equal(sinew_state_point(scene.state, link, NULL, before), SINEW_OK);
  assert_int_equal(sinew_state_jacobian_differences(scene.state, scene.q, link, NULL,
                                                    SINEW_DIFFERENCE_FORWARD, 1e-3, scene.J),
                   SINEW_OK);
  assert_int_equal(sinew_state_point(scene.state, link, NULL, after), SINEW_OK);
  assert_memory_equal(before, after, sizeof before);
  scene_close(&scene);
}

// A twist is the Jacobian times the velocities.
// req: B1 B9
static void twist_is_jacobian_times_velocity(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < SAMPLE_OF(200); ++seed) {
    kinematic_scene scene;
    open_random(&scene, &tree, seed);
    scene_place(&scene);
    random_stream stream = random_stream_of(seed);
    const int link = random_link(&scene, &stream);
    double point[3], twist[6], *v = numbers(scene.nv);
    random_point(&stream, point);
    naive_jacobian(scene.oracle, scene.q, link, point, scene.expected);
    for (int i = 0; i < scene.nv; ++i) {
      v[i] = random_between(&stream, -1.0, 1.0);
    }
    assert_int_equal(sinew_state_twist(scene.state, link, point, v, twist), SINEW_OK);
    const double scale = largest_entry(6 * scene.nv, scene.expected) * (1 + scene.nv);
    for (int r = 0; r < 6; ++r) {
      double sum = 0.0;
      for (int i = 0; i < scene.nv; ++i) {
        sum += scene.expected[r * scene.nv + i] * v[i];
      }
      assert_near(twist[r], sum, ROUNDING * scale);
    }
    free(v);
    scene_close(&scene);
  }
}

// ------------------------------------------------------------------ faults

// A NaN, an infinity or an invalid link is refused and changes nothing.
static void invalid_arguments_are_refused(void **unused) {
  (void)unused;
  static random_tree tree;
  kinematic_scene scene;
  open_random(&scene, &tree, 7);
  scene_place(&scene);
  const int links = sinew_model_link_count(scene.model), root = sinew_model_root(scene.model);
  double before[3], after[3], twist[6], *v = numbers(scene.nv);
  sinew_pose pose;
  assert_int_equal(sinew_state_point(scene.state, links - 1, NULL, before), SINEW_OK);
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
  for (int i = 0; i < 4; ++i) {
    const double good = scene.q[0];
    scene.q[0] = bad[i];
    assert_int_equal(sinew_state_forward(scene.state, scene.q), SINEW_ERROR_NOT_FINITE);
    assert_int_equal(sinew_state_jacobian_differences(scene.state, scene.q, 0, NULL,
                                                      SINEW_DIFFERENCE_CENTRAL, 1e-6, scene.J),
                     SINEW_ERROR_NOT_FINITE);
    scene.q[0] = good;
    v[0] = bad[i];
    assert_int_equal(sinew_state_twist(scene.state, 0, NULL, v, twist), SINEW_ERROR_NOT_FINITE);
    v[0] = 0.0;
    assert_int_equal(sinew_state_jacobian_differences(scene.state, scene.q, 0, NULL,
                                                      SINEW_DIFFERENCE_FORWARD, bad[i], scene.J),
                     SINEW_ERROR_NOT_FINITE);
    for (int k = 0; k < 3; ++k) {
      double point[3] = {0.0, 0.0, 0.0};
      point[k] = bad[i];
      assert_int_equal(sinew_state_point(scene.state, 0, point, after), SINEW_ERROR_NOT_FINITE);
      assert_int_equal(sinew_state_twist(scene.state, 0, point, v, twist), SINEW_ERROR_NOT_FINITE);
      assert_int_equal(sinew_state_jacobian(scene.state, 0, point, root, scene.J),
                       SINEW_ERROR_NOT_FINITE);
      assert_int_equal(sinew_state_jacobian_unit_velocities(scene.state, 0, point, v, scene.J),
                       SINEW_ERROR_NOT_FINITE);
      assert_int_equal(sinew_state_jacobian_differences(scene.state, scene.q, 0, point,
                                                        SINEW_DIFFERENCE_CENTRAL, 1e-6, scene.J),
                       SINEW_ERROR_NOT_FINITE);
    }
  }
  assert_int_equal(sinew_state_point(scene.state, links - 1, NULL, after), SINEW_OK);
  assert_memory_equal(before, after, sizeof before);

  const int no_link[] = {-1, links, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 4; ++i) {
    const int link = no_link[i];
    assert_int_equal(sinew_state_point(scene.state, link, NULL, after), SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_link_pose(scene.state, link, &pose), SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_link_frame(scene.state, link, NULL, NULL), SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_twist(scene.state, link, NULL, v, twist), SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_jacobian(scene.state, link, NULL, root, scene.J),
                     SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_jacobian(scene.state, root, NULL, link, scene.J),
                     SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_jacobian_unit_velocities(scene.state, link, NULL, v, scene.J),
                     SINEW_ERROR_INDEX);
  }
  const double no_step[] = {0.0, -1e-6, 1e-101};
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(sinew_state_jacobian_differences(scene.state, scene.q, root, NULL,
                                                      SINEW_DIFFERENCE_CENTRAL, no_step[i],
                                                      scene.J),
                     SINEW_ERROR_ARGUMENT);
  }
  free(v);
  scene_close(&scene);
}

// A model of one link has no values: q, v and J may be NULL, and faults are reported all the same.
static void models_of_one_link(void **unused) {
  (void)unused;
  const sinew_link_def link = LINK("base");
  sinew_model_def def = sinew_default_model_def();
  def.links = &link;
  def.link_count = 1;
  kinematic_scene scene;
  scene_open(&scene, &def);
  const double point[3] = {1.0, 2.0, 3.0}, bad[3] = {0.0, NAN, 0.0};
  double twist[6] = {7, 7, 7, 7, 7, 7}, at[3];
  sinew_pose pose;
  assert_int_equal(sinew_state_forward(scene.state, NULL), SINEW_OK);
  assert_int_equal(sinew_state_jacobian(scene.state, 0, point, 0, NULL), SINEW_OK);
  assert_int_equal(sinew_state_jacobian_body(scene.state, NULL, 0, point, NULL, &pose), SINEW_OK);
  assert_int_equal(sinew_state_jacobian_blocks(scene.state, 0, point, 0, NULL), SINEW_OK);
  assert_int_equal(sinew_state_jacobian_adjusted(scene.state, 0, point, 0, NULL), SINEW_OK);
  assert_int_equal(sinew_state_hessian(scene.state, 0, point, NULL), SINEW_OK);
  assert_int_equal(sinew_state_jacobian_derivative(scene.state, 0, point, NULL, NULL), SINEW_OK);
  assert_int_equal(sinew_state_twist(scene.state, 0, point, NULL, twist), SINEW_OK);
  assert_int_equal(sinew_state_point(scene.state, 0, point, at), SINEW_OK);
  for (int r = 0; r < 3; ++r) {
    assert_near(pose.position[r], point[r], 0.0);
    assert_near(at[r], point[r], 0.0);
    assert_true(twist[r] == 0.0 && twist[r + 3] == 0.0);
  }
  assert_int_equal(sinew_state_jacobian_unit_velocities(scene.state, 0, point, NULL, NULL),
                   SINEW_OK);
  assert_int_equal(sinew_state_jacobian_unit_velocities(scene.state, 1, point, NULL, NULL),
                   SINEW_ERROR_INDEX);
  assert_int_equal(sinew_state_jacobian_unit_velocities(scene.state, 0, bad, NULL, NULL),
                   SINEW_ERROR_NOT_FINITE);
  scene_close(&scene);
}

// The three functions for a link's pose agree.
static void pose_frame_and_point_agree(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < SAMPLE_OF(100); ++seed) {
    kinematic_scene scene;
    open_random(&scene, &tree, seed);
    scene_place(&scene);
    for (int link = 0; link < sinew_model_link_count(scene.model); ++link) {
      const double point[3] = {0.3, -0.2, 0.7};
      double R[9], p[3], at[3];
      sinew_pose pose;
      assert_int_equal(sinew_state_link_pose(scene.state, link, &pose), SINEW_OK);
      assert_int_equal(sinew_state_link_frame(scene.state, link, R, p), SINEW_OK);
      assert_int_equal(sinew_state_point(scene.state, link, point, at), SINEW_OK);
      assert_memory_equal(pose.position, p, sizeof p);
      const double *u = pose.rotation; // R of the quaternion, by its columns
      const double turned[9] = {
          u[0] * u[0] + u[1] * u[1] - u[2] * u[2] - u[3] * u[3],
          2 * (u[1] * u[2] - u[0] * u[3]),
          2 * (u[1] * u[3] + u[0] * u[2]),
          2 * (u[1] * u[2] + u[0] * u[3]),
          u[0] * u[0] - u[1] * u[1] + u[2] * u[2] - u[3] * u[3],
          2 * (u[2] * u[3] - u[0] * u[1]),
          2 * (u[1] * u[3] - u[0] * u[2]),
          2 * (u[2] * u[3] + u[0] * u[1]),
          u[0] * u[0] - u[1] * u[1] - u[2] * u[2] + u[3] * u[3],
      };
      assert_at_most(farthest(9, R, turned), ROUNDING);
      for (int i = 0; i < 3; ++i) {
        assert_near(at[i], p[i] + R[3 * i] * 0.3 - R[3 * i + 1] * 0.2 + R[3 * i + 2] * 0.7,
                    1e-14 * (1 + fabs(p[i])));
      }
    }
    scene_close(&scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(link_poses_match_the_naive_kinematics),
      cmocka_unit_test(quarter_turns_match_the_naive_kinematics),
      cmocka_unit_test(jacobians_agree),
      cmocka_unit_test(columns_off_the_path_are_zero),
      cmocka_unit_test(rows_in_any_links_axes),
      cmocka_unit_test(moving_the_point_translates_the_rows),
      cmocka_unit_test(differences_are_best_near_the_roots_of_precision),
      cmocka_unit_test(differences_leave_the_state_at_q),
      cmocka_unit_test(twist_is_jacobian_times_velocity),
      cmocka_unit_test(invalid_arguments_are_refused),
      cmocka_unit_test(models_of_one_link),
      cmocka_unit_test(pose_frame_and_point_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
