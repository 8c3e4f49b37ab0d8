// Configurations: how q and v relate, the start, random configurations.
#include "near.h"
#include "random_tree.h"
#include "sinew/sinew.h"
#include "link.h"

#include <stdbool.h>

#define PI 3.14159265358979323846

static sinew_model *made(const sinew_model_def *def) {
  sinew_model *model = NULL;
  sinew_error error;
  if (sinew_model_create(def, &model, &error) != SINEW_OK) {
    fail_msg("refused: %s: %s", error.name, error.message);
  }
  return model;
}

static sinew_model *random_model(random_tree *tree, uint64_t seed, double limited) {
  random_tree_options options = random_tree_defaults();
  options.joints = 12;
  options.limited = limited;
  random_tree_make(tree, seed, &options);
  return made(&tree->def);
}

enum { MOST = 7 * RANDOM_TREE_MOST_JOINTS };

// Index of the quaternion in q and of the rotation vector in v, or false.
static bool spherical_at(const sinew_model *model, int j, int *q, int *v) {
  sinew_joint joint;
  assert_int_equal(sinew_model_joint(model, j, &joint), SINEW_OK);
  *q = joint.q_index + joint.nq - 4;
  *v = joint.v_index + joint.nv - 3;
  return joint.nq > joint.nv;
}

static double length_of(int count, const double *values) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    sum += values[i] * values[i];
  }
  return sqrt(sum);
}

// --------------------------------------------------- integrate and difference

// difference(q, integrate(q, v)) = v, for spherical joints if |v| < pi.
// req: A2 A3
static void difference_inverts_integrate(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    sinew_model *model = random_model(&tree, seed, 0.0);
    random_stream stream = random_stream_of(seed);
    double q[MOST], v[MOST], moved[MOST], back[MOST];
    sinew_configuration_random(model, seed, 0, q);
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      v[i] = random_between(&stream, -1.7, 1.7); // below pi / sqrt(3)
    }
    sinew_configuration_integrate(model, q, v, moved);
    sinew_configuration_difference(model, q, moved, back);
    assert_at_most(farthest(sinew_model_nv(model), back, v), 1e-14);
    sinew_configuration_integrate(model, q, v, q); // in place
    assert_memory_equal(q, moved, (size_t)sinew_model_nq(model) * sizeof(double));
    sinew_model_destroy(model);
  }
}

// integrate(q0, difference(q0, q1)) = q1, quaternions up to sign, along the shorter rotation.
// req: A2 A3
static void integrate_inverts_difference(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    sinew_model *model = random_model(&tree, seed, 0.0);
    double q0[MOST], q1[MOST], v[MOST], moved[MOST];
    sinew_configuration_random(model, seed, 0, q0);
    sinew_configuration_random(model, seed, 1, q1);
    sinew_configuration_difference(model, q0, q1, v);
    sinew_configuration_integrate(model, q0, v, moved);
    for (int j = 0; j < sinew_model_joint_count(model); ++j) {
      int iq, iv;
      if (spherical_at(model, j, &iq, &iv)) {
        double dot = 0.0;
        for (int i = 0; i < 4; ++i) {
          dot += moved[iq + i] * q1[iq + i];
        }
        for (int i = 0; i < 4; ++i) {
          moved[iq + i] *= dot < 0.0 ? -1.0 : 1.0;
        }
        assert_at_most(length_of(3, v + iv), PI + 1e-15);
        assert_near(length_of(4, moved + iq), 1.0, 1e-15);
      }
    }
    assert_at_most(farthest(sinew_model_nq(model), moved, q1), 1e-14);
    sinew_model_destroy(model);
  }
}

// A spherical joint moves in its body axes: q exp(v), not exp(v) q. 90 degrees about z, then 90
// degrees about the rotated x.
// req: A3
static void spherical_joints_move_in_body_axes(void **unused) {
  (void)unused;
  const sinew_link_def links[2] = {LINK("a"), LINK("b")};
  sinew_joint_def joint = sinew_default_joint_def();
  joint.name = "ball";
  joint.kind = SINEW_JOINT_SPHERICAL;
  joint.child = 1;
  sinew_model_def def = sinew_default_model_def();
  def.links = links;
  def.link_count = 2;
  def.joints = &joint;
  def.joint_count = 1;
  sinew_model *model = made(&def);
  const double start[4] = {sqrt(0.5), 0, 0, sqrt(0.5)}, v[3] = {PI / 2, 0, 0};
  double moved[4];
  sinew_configuration_integrate(model, start, v, moved);
  const double expected[4] = {0.5, 0.5, 0.5, 0.5}; // z x: k i = j
  assert_at_most(farthest(4, moved, expected), 1e-15);
  sinew_model_destroy(model);
}

// Many small steps do not change a quaternion's norm.
// req: A3
static void quaternions_stay_of_unit_length(void **unused) {
  (void)unused;
  static random_tree tree;
  sinew_model *model = random_model(&tree, 3, 0.0);
  double q[MOST], v[MOST];
  sinew_configuration_start(model, q);
  for (int i = 0; i < sinew_model_nv(model); ++i) {
    v[i] = 0.01 * (i % 5 - 2);
  }
  for (int step = 0; step < 10000; ++step) {
    sinew_configuration_integrate(model, q, v, q);
  }
  int balls = 0;
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    int iq, iv;
    if (spherical_at(model, j, &iq, &iv)) {
      assert_near(length_of(4, q + iq), 1.0, 1e-15);
      ++balls;
    }
  }
  assert_true(balls > 0);
  sinew_model_destroy(model);
}

// Normalizes only quaternions, of any length; a zero one becomes the identity.
static void normalize_changes_quaternions_only(void **unused) {
  (void)unused;
  static random_tree tree;
  sinew_model *model = random_model(&tree, 3, 0.0);
  double q[MOST], changed[MOST];
  sinew_configuration_random(model, 1, 1, q);
  memcpy(changed, q, sizeof q);
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    int iq, iv;
    for (int i = 0; spherical_at(model, j, &iq, &iv) && i < 4; ++i) {
      changed[iq + i] *= 7.0;
    }
  }
  sinew_configuration_normalize(model, changed);
  assert_at_most(farthest(sinew_model_nq(model), changed, q), 1e-15);
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    int iq, iv;
    if (spherical_at(model, j, &iq, &iv)) {
      const double identity[4] = {1, 0, 0, 0};
      memset(changed + iq, 0, sizeof identity);
      sinew_configuration_normalize(model, changed);
      assert_memory_equal(changed + iq, identity, sizeof identity);
    }
  }
  sinew_model_destroy(model);
}

// ------------------------------------------------------------- start and middle

// req: A10
static void start_is_zero_clamped_and_middle_between_the_limits(void **unused) {
  (void)unused;
  const struct {
    double lower, upper, start, middle;
  } cases[] = {
      {-1.0, 3.0, 0.0, 1.0},           {0.5, 1.0, 0.5, 0.75},     {-4.0, -2.0, -2.0, -3.0},
      {-INFINITY, INFINITY, 0.0, 0.0}, {0.5, INFINITY, 0.5, 0.5}, {-INFINITY, -0.5, -0.5, -0.5},
      {-INFINITY, 0.5, 0.0, 0.0},      {0.25, 0.25, 0.25, 0.25},  {-1e300, 1e300, 0.0, 0.0},
      {-1e300, 2.0, 0.0, 0.0},         {3.0, 1e300, 3.0, 3.0}};
  for (int i = 0; i < 11; ++i) {
    const sinew_link_def links[3] = {LINK("a"), LINK("b"), LINK("c")};
    sinew_joint_def joints[2] = {sinew_default_joint_def(), sinew_default_joint_def()};
    joints[0].name = "free";
    joints[0].kind = SINEW_JOINT_FREE;
    joints[0].child = 1;
    joints[0].lower[1] = cases[i].lower;
    joints[0].upper[1] = cases[i].upper;
    joints[1].name = "hinge";
    joints[1].kind = SINEW_JOINT_REVOLUTE;
    joints[1].parent = 1;
    joints[1].child = 2;
    joints[1].lower[0] = cases[i].lower;
    joints[1].upper[0] = cases[i].upper;
    sinew_model_def def = sinew_default_model_def();
    def.links = links;
    def.link_count = 3;
    def.joints = joints;
    def.joint_count = 2;
    sinew_model *model = made(&def);
    double q[8];
    const double start[8] = {0, cases[i].start, 0, 1, 0, 0, 0, cases[i].start};
    const double middle[8] = {0, cases[i].middle, 0, 1, 0, 0, 0, cases[i].middle};
    sinew_configuration_start(model, q);
    assert_at_most(farthest(8, q, start), 1e-15);
    sinew_configuration_middle(model, q);
    assert_at_most(farthest(8, q, middle), 1e-15);
    sinew_model_destroy(model);
  }
}

// Limits that are far apart, also on one side, leave values near 0 with digits after the point.
// req: A10
static void values_between_wide_limits_are_near_zero(void **unused) {
  (void)unused;
  for (double far = 1e7; far < 1e99; far *= 10.0) {
    const struct {
      double lower, upper, revolute, prismatic; // middles, of a model of size 0.5
    } cases[] = {{0.0, far, PI, 0.5},
                 {-far, 0.0, -PI, -0.5},
                 {-far, far, 0.0, 0.0},
                 {-1.0, far, PI - 1.0, 0.0},
                 {2.0, far, PI + 2.0, 2.5}};
    for (int i = 0; i < 5; ++i) {
      const sinew_link_def links[3] = {LINK("a"), LINK("b"), LINK("c")};
      sinew_joint_def joints[2] = {sinew_default_joint_def(), sinew_default_joint_def()};
      for (int j = 0; j < 2; ++j) {
        joints[j].name = links[j].name;
        joints[j].kind = j == 0 ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_PRISMATIC;
        joints[j].parent = j;
        joints[j].child = j + 1;
        joints[j].placement.position[0] = 0.25;
        joints[j].lower[0] = cases[i].lower;
        joints[j].upper[0] = cases[i].upper;
      }
      sinew_model_def def = sinew_default_model_def();
      def.links = links;
      def.link_count = 3;
      def.joints = joints;
      def.joint_count = 2;
      sinew_model *model = made(&def);
      double q[2];
      const double middle[2] = {cases[i].revolute, cases[i].prismatic};
      sinew_configuration_middle(model, q);
      assert_at_most(farthest(2, q, middle), 1e-15);
      for (uint64_t counter = 0; counter < 50; ++counter) {
        sinew_configuration_random(model, 5, counter, q);
        for (int v = 0; v < 2; ++v) {
          assert_true(q[v] >= cases[i].lower && q[v] <= cases[i].upper);
          assert_at_most(fabs(q[v] - fmin(fmax(0.0, cases[i].lower), cases[i].upper)),
                         v == 0 ? 2.0 * PI : 1.0);
        }
      }
      sinew_model_destroy(model);
    }
  }
}

// ----------------------------------------------------------------------- random

// Within the limits, also one-sided and narrowed ones; and valid for forward kinematics.
// req: A10
static void random_stays_within_limits(void **unused) {
  (void)unused;
  static random_tree tree;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    sinew_model *model = random_model(&tree, seed, 0.8);
    sinew_state *state = NULL;
    assert_int_equal(sinew_state_create(model, NULL, &state, NULL), SINEW_OK);
    const double *lower = sinew_model_lower(model), *upper = sinew_model_upper(model);
    for (uint64_t counter = 0; counter < 20; ++counter) {
      double q[MOST];
      sinew_configuration_random(model, seed, counter, q);
      assert_int_equal(sinew_state_forward(state, q), SINEW_OK);
      for (int j = 0; j < sinew_model_joint_count(model); ++j) {
        sinew_joint joint;
        assert_int_equal(sinew_model_joint(model, j, &joint), SINEW_OK);
        const int plain = joint.nq > joint.nv ? joint.nv - 3 : joint.nv;
        for (int i = 0; i < plain; ++i) {
          assert_true(q[joint.q_index + i] >= lower[joint.v_index + i]);
          assert_true(q[joint.q_index + i] <= upper[joint.v_index + i]);
        }
        if (plain < joint.nv) {
          assert_near(length_of(4, q + joint.q_index + plain), 1.0, 1e-15);
        }
      }
    }
    sinew_state_destroy(state);
    sinew_model_destroy(model);
  }
}

// The same seed and counter give the same values, others give others.
static void random_depends_on_seed_and_counter_only(void **unused) {
  (void)unused;
  static random_tree tree;
  sinew_model *model = random_model(&tree, 1, 0.5);
  double a[MOST], b[MOST];
  const size_t size = (size_t)sinew_model_nq(model) * sizeof(double);
  sinew_configuration_random(model, 5, 6, a);
  sinew_configuration_random(model, 5, 7, b);
  assert_memory_not_equal(a, b, size);
  sinew_configuration_random(model, 6, 6, b);
  assert_memory_not_equal(a, b, size);
  sinew_configuration_random(model, 5, 6, b);
  assert_memory_equal(a, b, size);
  sinew_model_destroy(model);
}

enum { DRAWS = 40000 };

// Revolute joints without and with limits, a prismatic joint without, a spherical joint.
static sinew_model *mixed_model(void) {
  static const sinew_link_def links[5] = {LINK("a"), LINK("b"), LINK("c"), LINK("d"), LINK("e")};
  static sinew_joint_def joints[4];
  static const sinew_joint_kind kinds[4] = {SINEW_JOINT_REVOLUTE, SINEW_JOINT_CONTINUOUS,
                                            SINEW_JOINT_PRISMATIC, SINEW_JOINT_SPHERICAL};
  for (int j = 0; j < 4; ++j) {
    joints[j] = sinew_default_joint_def();
    joints[j].name = links[j].name;
    joints[j].kind = kinds[j];
    joints[j].parent = j;
    joints[j].child = j + 1;
    joints[j].placement.position[0] = 0.5; // a size of 2
  }
  joints[0].lower[0] = -1.0;
  joints[0].upper[0] = 2.0;
  sinew_model_def def = sinew_default_model_def();
  def.links = links;
  def.link_count = 5;
  def.joints = joints;
  def.joint_count = 4;
  return made(&def);
}

// Means and variances of uniform numbers: within five standard errors.
static void random_values_are_uniform(void **unused) {
  (void)unused;
  sinew_model *model = mixed_model();
  const double lower[3] = {-1.0, -PI, -2.0}, upper[3] = {2.0, PI, 2.0};
  double sum[3] = {0}, squares[3] = {0}, products = 0.0, most[3] = {-9, -9, -9},
         least[3] = {9, 9, 9};
  for (uint64_t i = 0; i < DRAWS; ++i) {
    double q[7], u[3];
    sinew_configuration_random(model, 11, i, q);
    for (int k = 0; k < 3; ++k) {
      u[k] = (q[k] - lower[k]) / (upper[k] - lower[k]) - 0.5;
      sum[k] += u[k];
      squares[k] += u[k] * u[k];
      most[k] = fmax(most[k], u[k]);
      least[k] = fmin(least[k], u[k]);
    }
    products += u[0] * u[1] + u[1] * u[2] + u[2] * u[0];
  }
  for (int k = 0; k < 3; ++k) {
    assert_near(sum[k] / DRAWS, 0.0, 5 * 0.2887 / sqrt(DRAWS));
    assert_near(squares[k] / DRAWS, 1.0 / 12, 5 * 0.0746 / sqrt(DRAWS));
    assert_true(most[k] > 0.499 && most[k] <= 0.5 && least[k] < -0.499 && least[k] >= -0.5);
  }
  assert_near(products / DRAWS, 0.0, 5 * 0.1444 / sqrt(DRAWS));
  sinew_model_destroy(model);
}

// With a limit on one side only, however large, values are beyond it and spread.
static void random_values_beyond_one_limit(void **unused) {
  (void)unused;
  const double limits[4][2] = {{5, INFINITY}, {-INFINITY, -5}, {-5, INFINITY}, {-INFINITY, 5}};
  for (int i = 0; i < 8; ++i) {
    const sinew_link_def links[2] = {LINK("a"), LINK("b")};
    sinew_joint_def joint = sinew_default_joint_def();
    joint.name = "j";
    joint.kind = i < 4 ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_PRISMATIC;
    joint.child = 1;
    joint.placement.position[2] = 2.0; // the figure's size
    joint.lower[0] = limits[i % 4][0];
    joint.upper[0] = limits[i % 4][1];
    sinew_model_def def = sinew_default_model_def();
    def.links = links;
    def.link_count = 2;
    def.joints = &joint;
    def.joint_count = 1;
    sinew_model *model = made(&def);
    double least = INFINITY, most = -INFINITY;
    for (uint64_t k = 0; k < 200; ++k) {
      double q;
      sinew_configuration_random(model, 3, k, &q);
      assert_true(q >= joint.lower[0] && q <= joint.upper[0]);
      least = fmin(least, q);
      most = fmax(most, q);
    }
    assert_true(most - least > 3.0 && most - least < 2 * PI);
    sinew_model_destroy(model);
  }
}

// Uniform on the three-sphere: E q = 0, E q_i q_j = 1/4 where i = j else 0, E q_i^4 = 1/8, E q_i^2
// q_j^2 = 1/24; and the rotated x axis is uniform on the sphere.
// req: A3
static void random_quaternions_are_uniform_on_the_sphere(void **unused) {
  (void)unused;
  sinew_model *model = mixed_model();
  double first[4] = {0}, second[4][4] = {{0}}, fourth[4][4] = {{0}}, x[3] = {0}, xx[3] = {0};
  for (uint64_t i = 0; i < DRAWS; ++i) {
    double all[7];
    sinew_configuration_random(model, 12, i, all);
    const double *q = all + 3;
    for (int a = 0; a < 4; ++a) {
      first[a] += q[a];
      for (int b = 0; b < 4; ++b) {
        second[a][b] += q[a] * q[b];
        fourth[a][b] += q[a] * q[a] * q[b] * q[b];
      }
    }
    const double axis[3] = {q[0] * q[0] + q[1] * q[1] - q[2] * q[2] - q[3] * q[3],
                            2 * (q[1] * q[2] + q[0] * q[3]), 2 * (q[1] * q[3] - q[0] * q[2])};
    for (int k = 0; k < 3; ++k) {
      x[k] += axis[k];
      xx[k] += axis[k] * axis[k];
    }
  }
  const double five = 5 / sqrt(DRAWS); // all standard deviations are below those used here
  for (int a = 0; a < 4; ++a) {
    assert_near(first[a] / DRAWS, 0.0, five * 0.5);
    for (int b = 0; b < 4; ++b) {
      assert_near(second[a][b] / DRAWS, a == b ? 0.25 : 0.0, five * 0.25);
      assert_near(fourth[a][b] / DRAWS, a == b ? 1.0 / 8 : 1.0 / 24, five * 0.17);
    }
  }
  for (int k = 0; k < 3; ++k) {
    assert_near(x[k] / DRAWS, 0.0, five * 0.58);
    assert_near(xx[k] / DRAWS, 1.0 / 3, five * 0.3);
  }
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(difference_inverts_integrate),
      cmocka_unit_test(integrate_inverts_difference),
      cmocka_unit_test(spherical_joints_move_in_body_axes),
      cmocka_unit_test(quaternions_stay_of_unit_length),
      cmocka_unit_test(normalize_changes_quaternions_only),
      cmocka_unit_test(start_is_zero_clamped_and_middle_between_the_limits),
      cmocka_unit_test(values_between_wide_limits_are_near_zero),
      cmocka_unit_test(random_stays_within_limits),
      cmocka_unit_test(random_depends_on_seed_and_counter_only),
      cmocka_unit_test(random_values_are_uniform),
      cmocka_unit_test(random_values_beyond_one_limit),
      cmocka_unit_test(random_quaternions_are_uniform_on_the_sphere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
