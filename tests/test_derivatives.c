// Derivatives of and by Jacobians: their rates, the kinematic Hessian, the exact derivative of a
// pose's error, rates of coordinates of orientation. Checked against differences of the naive
// kinematics (naive.h), and against each other.
#include "kinematic_scene.h"
#include "sinew/reference.h"
#include "link.h"
#include "sample.h"

#include <stdbool.h>

// Central differences with step h of a function of size f whose derivatives are about the same
// size: h^2 of truncation and 2e-16 / h of rounding. Joints of many values in a row multiply the
// third derivative.
#define STEP 1e-5
#define DIFFERENCES 1e-7
#define ROUNDING 1e-12

static void open_random(kinematic_scene *scene, random_tree *tree, uint64_t seed, int most,
                        unsigned kinds, random_stream *stream) {
  *stream = random_stream_of(seed + 5000000);
  random_tree_options options = random_tree_defaults();
  options.joints = 1 + random_below(stream, most);
  options.chain = random_between(stream, 0.0, 1.0);
  options.kinds = kinds;
  random_tree_make(tree, seed, &options);
  scene_open(scene, &tree->def);
  scene_random(scene, stream);
  scene_place(scene);
}

static int random_link(const kinematic_scene *scene, random_stream *stream) {
  return random_below(stream, sinew_model_link_count(scene->model));
}

static void random_values(random_stream *stream, int count, double *values) {
  for (int i = 0; i < count; ++i) {
    values[i] = random_between(stream, -1.0, 1.0);
  }
}

// Moves q along v for a time, and updates the naive kinematics.
static void move(kinematic_scene *scene, const double *v, double time, double *q) {
  double *step = numbers(scene->nv);
  for (int i = 0; i < scene->nv; ++i) {
    step[i] = time * v[i];
  }
  sinew_configuration_integrate(scene->model, scene->q, step, q);
  naive_place(scene->oracle, q);
  free(step);
}

// The derivative of the naive Jacobian along v.
static void difference_of_jacobian(kinematic_scene *scene, int link, const double point[3],
                                   const double *v, double *out) {
  double *q = numbers(scene->nq), *ahead = numbers(6 * scene->nv);
  move(scene, v, -STEP, q);
  naive_jacobian(scene->oracle, q, link, point, out);
  move(scene, v, STEP, q);
  naive_jacobian(scene->oracle, q, link, point, ahead);
  for (int i = 0; i < 6 * scene->nv; ++i) {
    out[i] = (ahead[i] - out[i]) / (2.0 * STEP);
  }
  free(q);
  free(ahead);
}

// ----------------------------------------------------------- rate of a Jacobian

// req: B10
static void rate_against_differences(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < SAMPLE_OF(150); ++seed) {
    kinematic_scene scene;
    random_stream stream;
    open_random(&scene, &tree, seed, 12, 0, &stream);
    const int link = random_link(&scene, &stream), size = 6 * scene.nv;
    double point[3], *v = numbers(scene.nv);
    random_values(&stream, 3, point);
    random_values(&stream, scene.nv, v);
    difference_of_jacobian(&scene, link, point, v, scene.expected);
    assert_int_equal(sinew_state_jacobian_derivative(scene.state, link, point, v, scene.J),
                     SINEW_OK);
    assert_at_most(farthest(size, scene.J, scene.expected) / largest_entry(size, scene.expected),
                   DIFFERENCES);
    free(v);
    scene_close(&scene);
  }
}

// The same from the derivative of each elementary joint's block, whose frame moves with v = t' - w
// x t at the point.
// req: B4 B10
static void rate_from_blocks(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < SAMPLE_OF(150); ++seed) {
    kinematic_scene scene;
    random_stream stream;
    // joints that end in one frame, which is then the child link's
    const unsigned kinds = 1u << SINEW_JOINT_SPHERICAL | 1u << SINEW_JOINT_FIXED;
    open_random(&scene, &tree, seed, 10, kinds, &stream);
    const int link = random_link(&scene, &stream), count = sinew_model_block_count(scene.model);
    double point[3], s[3], s_rate[6], *v = numbers(scene.nv);
    double *blocks = numbers(36 * count), *rate = numbers(6 * scene.nv);
    random_values(&stream, 3, point);
    random_values(&stream, scene.nv, v);
    assert_int_equal(sinew_state_point(scene.state, link, point, s), SINEW_OK);
    assert_int_equal(sinew_state_twist(scene.state, link, point, v, s_rate), SINEW_OK);
    for (int at = link; at != sinew_model_root(scene.model);) {
      const int j = sinew_model_link_joint(scene.model, at);
      sinew_joint joint;
      sinew_pose frame;
      double twist[6], derivative[36];
      assert_int_equal(sinew_model_joint(scene.model, j, &joint), SINEW_OK);
      assert_int_equal(sinew_state_link_pose(scene.state, at, &frame), SINEW_OK);
      assert_int_equal(sinew_state_twist(scene.state, at, NULL, v, twist), SINEW_OK);
      for (int r = 0; r < 3; ++r) { // in the point's frame
        frame.position[r] -= s[r];
        twist[r] -= s_rate[r];
      }
      for (int r = 0; r < 3; ++r) { // v = t' - w x t
        const int a = (r + 1) % 3, b = (r + 2) % 3;
        twist[r] -= twist[3 + a] * frame.position[b] - twist[3 + b] * frame.position[a];
      }
      sinew_pose_adjoint_derivative(&frame, twist, derivative);
      for (int i = 0; i < count; ++i) {
        sinew_block block;
        assert_int_equal(sinew_model_block(scene.model, i, &block), SINEW_OK);
        for (int r = 0; block.joint == j && r < 6; ++r) {
          memcpy(blocks + r * 6 * count + 6 * i, derivative + 6 * r, 6 * sizeof(double));
        }
      }
      at = joint.parent;
    }
    sinew_model_trim_blocks(scene.model, NULL, blocks, rate);
    assert_int_equal(sinew_state_jacobian_derivative(scene.state, link, point, v, scene.J),
                     SINEW_OK);
    assert_at_most(farthest(6 * scene.nv, scene.J, rate) / largest_entry(6 * scene.nv, rate),
                   ROUNDING);
    free(v);
    free(blocks);
    free(rate);
    scene_close(&scene);
  }
}

// Along q(t) = q0 moved by v t + a t^2 / 2 the point's acceleration is J' v + J a: against second
// differences of its position, h^2 of truncation, 1e-16 / h^2 of rounding at h = 1e-4. A spherical
// joint's v' is a, since v x v = 0.
// req: B10
static void acceleration_is_rate_times_velocity(void **unused) {
  (void)unused;
  static random_tree tree;
  const double h = 1e-4;
  for (uint64_t seed = 0; seed < SAMPLE_OF(150); ++seed) {
    kinematic_scene scene;
    random_stream stream;
    open_random(&scene, &tree, seed, 8, 0, &stream);
    const int link = random_link(&scene, &stream), nv = scene.nv;
    double point[3], *v = numbers(nv), *a = numbers(nv), *step = numbers(nv);
    double *q = numbers(scene.nq), place[3][3], scale = 1.0;
    random_values(&stream, 3, point);
    random_values(&stream, nv, v);
    random_values(&stream, nv, a);
    for (int i = 0; i < 3; ++i) {
      const double t = h * (i - 1);
      for (int k = 0; k < nv; ++k) {
        step[k] = t * v[k] + 0.5 * t * t * a[k];
      }
      double R[9], p[3];
      move(&scene, step, 1.0, q);
      naive_frame(scene.oracle, link, R, p);
      for (int r = 0; r < 3; ++r) {
        place[i][r] =
            p[r] + R[3 * r] * point[0] + R[3 * r + 1] * point[1] + R[3 * r + 2] * point[2];
        scale = fmax(scale, fabs(place[i][r]));
      }
    }
    double *rate = numbers(6 * nv);
    assert_int_equal(sinew_state_jacobian_derivative(scene.state, link, point, v, rate), SINEW_OK);
    assert_int_equal(
        sinew_state_jacobian(scene.state, link, point, sinew_model_root(scene.model), scene.J),
        SINEW_OK);
    for (int r = 0; r < 3; ++r) {
      double acceleration = 0.0;
      for (int k = 0; k < nv; ++k) {
        acceleration += rate[r * nv + k] * v[k] + scene.J[r * nv + k] * a[k];
      }
      const double expected = (place[2][r] - 2.0 * place[1][r] + place[0][r]) / (h * h);
      assert_near(acceleration, expected, 1e-5 * fmax(scale, fabs(expected)));
    }
    free(v);
    free(a);
    free(step);
    free(q);
    free(rate);
    scene_close(&scene);
  }
}

// --------------------------------------------------------------------- Hessian

// Each of its columns is the derivative of the Jacobian along one value.
// req: B18
static void hessian_against_differences(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < SAMPLE_OF(40); ++seed) {
    kinematic_scene scene;
    random_stream stream;
    open_random(&scene, &tree, seed, 8, 0, &stream);
    const int link = random_link(&scene, &stream), nv = scene.nv;
    double point[3], *v = numbers(nv), *H = numbers(6 * nv * nv);
    random_values(&stream, 3, point);
    assert_int_equal(sinew_state_hessian(scene.state, link, point, H), SINEW_OK);
    for (int k = 0; k < nv; ++k) {
      v[k] = 1.0;
      difference_of_jacobian(&scene, link, point, v, scene.expected);
      v[k] = 0.0;
      for (int i = 0; i < 6 * nv; ++i) {
        scene.J[i] = H[i * nv + k];
      }
      assert_at_most(farthest(6 * nv, scene.J, scene.expected) /
                         largest_entry(6 * nv, scene.expected),
                     DIFFERENCES);
    }
    free(v);
    free(H);
    scene_close(&scene);
  }
}

// Times the velocities it is the rate of the Jacobian.
// req: B10 B18
static void hessian_times_velocity_is_the_rate(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < SAMPLE_OF(250); ++seed) {
    kinematic_scene scene;
    random_stream stream;
    open_random(&scene, &tree, seed, 12, 0, &stream);
    const int link = random_link(&scene, &stream), nv = scene.nv;
    double point[3], *v = numbers(nv), *H = numbers(6 * nv * nv);
    random_values(&stream, 3, point);
    random_values(&stream, nv, v);
    assert_int_equal(sinew_state_hessian(scene.state, link, point, H), SINEW_OK);
    assert_int_equal(sinew_state_jacobian_derivative(scene.state, link, point, v, scene.J),
                     SINEW_OK);
    for (int i = 0; i < 6 * nv; ++i) {
      scene.expected[i] = 0.0;
      for (int k = 0; k < nv; ++k) {
        scene.expected[i] += H[i * nv + k] * v[k];
      }
    }
    assert_at_most(farthest(6 * nv, scene.J, scene.expected) / largest_entry(6 * nv * nv, H) /
                       (1 + nv),
                   ROUNDING);
    free(v);
    free(H);
    scene_close(&scene);
  }
}

// The linear rows are symmetric except within a spherical joint, where the difference is the
// commutator of the rotations about x and y.
// req: B18
static void hessian_is_symmetric_except_in_spherical_joints(void **unused) {
  (void)unused;
  static random_tree tree;
  int lopsided = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    kinematic_scene scene;
    random_stream stream;
    open_random(&scene, &tree, seed, 8, 0, &stream);
    const int link = random_link(&scene, &stream), nv = scene.nv;
    int *ball = calloc((size_t)nv + 1, sizeof(int)); // 1 + the index of the spherical joint
    for (int j = 0; j < sinew_model_joint_count(scene.model); ++j) {
      sinew_joint joint;
      assert_int_equal(sinew_model_joint(scene.model, j, &joint), SINEW_OK);
      for (int i = joint.nv - 3; joint.nq > joint.nv && i < joint.nv; ++i) {
        ball[joint.v_index + i] = 1 + j;
      }
    }
    double *H = numbers(6 * nv * nv);
    assert_int_equal(sinew_state_hessian(scene.state, link, NULL, H), SINEW_OK);
    const double scale = largest_entry(6 * nv * nv, H);
    for (int i = 0; i < 3 * nv * nv; ++i) {
      const int r = i / (nv * nv), j = i / nv % nv, k = i % nv;
      const double other = H[(r * nv + k) * nv + j];
      if (j != k && ball[j] != 0 && ball[j] == ball[k]) {
        lopsided += fabs(H[i] - other) > 1e-3;
      } else {
        assert_near(H[i], other, ROUNDING * scale);
      }
    }
    free(ball);
    free(H);
    scene_close(&scene);
  }
  assert_true(lopsided > 30);
}

// ------------------------------------------------------------- error of a pose

// A pose rotated by w and displaced by v, in world axes.
static sinew_pose turned(const double R[9], const double p[3], const double w[3]) {
  double by[4], q[4];
  sinew_pose pose;
  sinew_quaternion_from_matrix(R, q);
  sinew_quaternion_exp(w, by);
  sinew_quaternion_multiply(by, q, pose.rotation);
  for (int r = 0; r < 3; ++r) {
    pose.position[r] = p[r] + w[r];
  }
  return pose;
}

// The error is as documented, and its derivative equals differences, up to errors of nearly half a
// turn, where the columns by w alone are far off.
// req: B18
static void residual_against_differences(void **unused) {
  (void)unused;
  static random_tree tree;
  const double angles[] = {0.0, 1e-9, 1e-3, 0.5, 1.0, 2.0, 3.0, 3.1};
  int bent = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    kinematic_scene scene;
    random_stream stream;
    open_random(&scene, &tree, seed, 8, 0, &stream);
    const int link = random_link(&scene, &stream), nv = scene.nv;
    double R[9], p[3], w[3], residual[6], ends[2][6];
    random_unit(&stream, 3, w);
    for (int r = 0; r < 3; ++r) {
      w[r] *= angles[seed % 8];
    }
    naive_frame(scene.oracle, link, R, p);
    sinew_pose target = turned(R, p, w);
    for (int i = 0; i < 4; ++i) {
      target.rotation[i] *= seed % 3 == 0 ? 2.5 : 1.0; // need not be of unit length
    }
    double *exact = numbers(6 * nv), *v = numbers(nv), *q = numbers(scene.nq);
    assert_int_equal(
        sinew_state_residual_jacobian(scene.state, link, NULL, &target, residual, exact), SINEW_OK);
    for (int r = 0; r < 3; ++r) {
      assert_near(residual[r], w[r], 1e-13 * (1.0 + fabs(p[r])));
      assert_near(residual[3 + r], w[r], 1e-13);
    }
    for (int k = 0; k < nv; ++k) {
      for (int side = 0; side < 2; ++side) {
        v[k] = 1.0;
        move(&scene, v, side == 0 ? -STEP : STEP, q);
        v[k] = 0.0;
        assert_int_equal(sinew_state_forward(scene.state, q), SINEW_OK);
        assert_int_equal(
            sinew_state_residual_jacobian(scene.state, link, NULL, &target, ends[side], scene.J),
            SINEW_OK);
      }
      for (int r = 0; r < 6; ++r) {
        scene.expected[r * nv + k] = (ends[1][r] - ends[0][r]) / (2.0 * STEP);
      }
    }
    const double scale = largest_entry(6 * nv, exact);
    assert_at_most(farthest(6 * nv, exact, scene.expected) / scale, DIFFERENCES);
    // without J_r^-1
    assert_int_equal(sinew_state_forward(scene.state, scene.q), SINEW_OK);
    assert_int_equal(
        sinew_state_jacobian(scene.state, link, NULL, sinew_model_root(scene.model), scene.J),
        SINEW_OK);
    for (int i = 0; i < 3 * nv; ++i) {
      bent += fabs(exact[3 * nv + i] + scene.J[3 * nv + i]) > 0.1;
    }
    free(exact);
    free(v);
    free(q);
    scene_close(&scene);
  }
  assert_true(bent > 300);
}

// By hand: a rotation a at r_a changes t - s by -a x (s - r_a), for each axis of a two-axis joint.
// req: A6 B18
static void residual_of_two_axes(void **unused) {
  (void)unused;
  const sinew_link_def links[] = {LINK("base"), LINK("body")};
  sinew_joint_def joint = sinew_default_joint_def();
  joint.name = "joint";
  joint.child = 1;
  joint.kind = SINEW_JOINT_EULER;
  strcpy(joint.channels, "XZ");
  joint.placement.position[1] = 2.0;
  sinew_model_def def = sinew_default_model_def();
  def.links = links;
  def.link_count = 2;
  def.joints = &joint;
  def.joint_count = 1;
  kinematic_scene scene;
  scene_open(&scene, &def);
  scene.q[0] = 0.6;
  scene.q[1] = 0.0;
  scene_place(&scene);
  const double point[3] = {1.0, 0.0, 0.0};
  const sinew_pose target = {{3.0, 3.0, 3.0}, {1.0, 0.0, 0.0, 0.0}};
  double residual[6];
  assert_int_equal(sinew_state_residual_jacobian(scene.state, 1, point, &target, residual, scene.J),
                   SINEW_OK);
  // s - r_a = (1, 0, 0): about x nothing; about z' = (0, -sin, cos) of the first angle -z' x (1, 0,
  // 0) = -(0, cos, sin)
  const double expected[3][2] = {{0.0, 0.0}, {0.0, -cos(0.6)}, {0.0, -sin(0.6)}};
  for (int i = 0; i < 6; ++i) {
    assert_near(scene.J[i], expected[i / 2][i % 2], 1e-15);
  }
  const double error[3] = {2.0, 1.0, 3.0};
  assert_at_most(farthest(3, residual, error), 1e-15);
  scene_close(&scene);
}

// ---------------------------------------------------- coordinates of orientation

// Coordinates of the naive kinematics' orientation of a link.
static void coordinates(kinematic_scene *scene, int link, sinew_orientation orientation,
                        double *out) {
  double R[9], p[3];
  naive_frame(scene->oracle, link, R, p);
  sinew_quaternion_from_matrix(R, out);
  if (orientation == SINEW_ORIENTATION_VECTOR) {
    double q[4];
    memcpy(q, out, sizeof q);
    sinew_quaternion_log(q, out);
  } else if (orientation == SINEW_ORIENTATION_RPY) {
    out[0] = atan2(R[7], R[8]);
    out[1] = -asin(R[6]);
    out[2] = atan2(R[3], R[0]);
  }
}

// Away from where coordinates jump or have no rates: q_w = 0, pitch of 90 degrees.
// req: B16
static void rates_against_differences(void **unused) {
  (void)unused;
  static random_tree tree;
  int used = 0;
  for (uint64_t seed = 0; seed < SAMPLE_OF(200); ++seed) {
    kinematic_scene scene;
    random_stream stream;
    open_random(&scene, &tree, seed, 8, 0, &stream);
    const int link = random_link(&scene, &stream), nv = scene.nv;
    double *J = numbers(7 * nv), *v = numbers(nv), *q = numbers(scene.nq), at[4], R[9], p[3];
    double point[3];
    random_values(&stream, 3, point);
    naive_jacobian(scene.oracle, scene.q, link, point, scene.expected);
    naive_frame(scene.oracle, link, R, p);
    coordinates(&scene, link, SINEW_ORIENTATION_QUATERNION, at);
    const bool usable = fabs(at[0]) > 0.1 && fabs(R[6]) < 0.99 && R[0] > -0.9 && R[8] > -0.9;
    for (int kind = 0; usable && kind < 3; ++kind) {
      const sinew_orientation orientation = (sinew_orientation)kind;
      const int count = orientation == SINEW_ORIENTATION_QUATERNION ? 4 : 3;
      assert_int_equal(sinew_state_jacobian_rates(scene.state, link, point, orientation, J),
                       SINEW_OK);
      const double scale = largest_entry((3 + count) * nv, J);
      assert_at_most(farthest(3 * nv, J, scene.expected), ROUNDING * scale);
      for (int k = 0; k < nv; ++k) {
        double ends[2][4];
        for (int side = 0; side < 2; ++side) {
          v[k] = 1.0;
          move(&scene, v, side == 0 ? -STEP : STEP, q);
          v[k] = 0.0;
          coordinates(&scene, link, orientation, ends[side]);
        }
        for (int r = 0; r < count; ++r) {
          const double difference = (ends[1][r] - ends[0][r]) / (2.0 * STEP);
          if (fabs(difference) < 1e4) { // roll or yaw wrapped around
            assert_near(J[(3 + r) * nv + k], difference, 10.0 * DIFFERENCES * scale * scale);
            ++used;
          }
        }
      }
    }
    free(J);
    free(v);
    free(q);
    scene_close(&scene);
  }
  assert_true(used > 2500);
}

// At a pitch of 90 degrees roll and yaw have no rates; the other coordinates have theirs.
// req: B16
static void rpy_has_no_rates_at_pitch_90_degrees(void **unused) {
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
  const double h = sqrt(0.5), up[4] = {h, 0.0, -h, 0.0};
  double J[21];
  for (int sign = 0; sign < 2; ++sign) {
    memcpy(scene.q, up, sizeof up);
    scene.q[2] *= sign == 0 ? 1.0 : -1.0;
    assert_int_equal(sinew_state_forward(scene.state, scene.q), SINEW_OK);
    assert_int_equal(sinew_state_jacobian_rates(scene.state, 1, NULL, SINEW_ORIENTATION_RPY, J),
                     SINEW_ERROR_NOT_FINITE);
    for (int kind = 1; kind < 3; ++kind) {
      assert_int_equal(sinew_state_jacobian_rates(scene.state, 1, NULL, (sinew_orientation)kind, J),
                       SINEW_OK);
      for (int i = 0; i < (kind == 1 ? 21 : 18); ++i) {
        assert_true(isfinite(J[i]));
      }
    }
  }
  assert_int_equal(sinew_state_jacobian_rates(scene.state, 1, NULL, (sinew_orientation)7, J),
                   SINEW_ERROR_ARGUMENT);
  scene_close(&scene);
}

// --------------------------------------------------------------------- faults

static void invalid_arguments_are_refused(void **unused) {
  (void)unused;
  static random_tree tree;
  kinematic_scene scene;
  random_stream stream;
  open_random(&scene, &tree, 3, 6, 0, &stream);
  const int links = sinew_model_link_count(scene.model), nv = scene.nv;
  const int no_link[] = {-1, links, INT32_MAX, INT32_MIN};
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
  double *v = numbers(nv), *H = numbers(6 * nv * nv), *J = numbers(7 * nv), residual[6];
  sinew_pose target = sinew_pose_identity();
  for (int i = 0; i < 4; ++i) {
    const int link = no_link[i];
    assert_int_equal(sinew_state_jacobian_derivative(scene.state, link, NULL, v, J),
                     SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_hessian(scene.state, link, NULL, H), SINEW_ERROR_INDEX);
    assert_int_equal(sinew_state_residual_jacobian(scene.state, link, NULL, &target, residual, J),
                     SINEW_ERROR_INDEX);
    assert_int_equal(
        sinew_state_jacobian_rates(scene.state, link, NULL, SINEW_ORIENTATION_VECTOR, J),
        SINEW_ERROR_INDEX);
    v[nv - 1] = bad[i];
    assert_int_equal(sinew_state_jacobian_derivative(scene.state, 0, NULL, v, J),
                     SINEW_ERROR_NOT_FINITE);
    v[nv - 1] = 0.0;
    for (int k = 0; k < 7; ++k) {
      double *value = k < 3 ? &target.position[k] : &target.rotation[k - 3];
      const double good = *value;
      *value = bad[i];
      assert_int_equal(sinew_state_residual_jacobian(scene.state, 0, NULL, &target, residual, J),
                       SINEW_ERROR_NOT_FINITE);
      *value = good;
    }
    for (int k = 0; k < 3; ++k) {
      double point[3] = {0.0, 0.0, 0.0};
      point[k] = bad[i];
      assert_int_equal(sinew_state_jacobian_derivative(scene.state, 0, point, v, J),
                       SINEW_ERROR_NOT_FINITE);
      assert_int_equal(sinew_state_hessian(scene.state, 0, point, H), SINEW_ERROR_NOT_FINITE);
      assert_int_equal(sinew_state_residual_jacobian(scene.state, 0, point, &target, residual, J),
                       SINEW_ERROR_NOT_FINITE);
      assert_int_equal(
          sinew_state_jacobian_rates(scene.state, 0, point, SINEW_ORIENTATION_VECTOR, J),
          SINEW_ERROR_NOT_FINITE);
    }
  }
  memset(target.rotation, 0, sizeof target.rotation); // not a rotation
  assert_int_equal(sinew_state_residual_jacobian(scene.state, 0, NULL, &target, residual, J),
                   SINEW_ERROR_NOT_FINITE);
  free(v);
  free(H);
  free(J);
  scene_close(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rate_against_differences),
      cmocka_unit_test(rate_from_blocks),
      cmocka_unit_test(acceleration_is_rate_times_velocity),
      cmocka_unit_test(hessian_against_differences),
      cmocka_unit_test(hessian_times_velocity_is_the_rate),
      cmocka_unit_test(hessian_is_symmetric_except_in_spherical_joints),
      cmocka_unit_test(residual_against_differences),
      cmocka_unit_test(residual_of_two_axes),
      cmocka_unit_test(rates_against_differences),
      cmocka_unit_test(rpy_has_no_rates_at_pitch_90_degrees),
      cmocka_unit_test(invalid_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
