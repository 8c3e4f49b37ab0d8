// Poses, Jacobians and configurations, and documents of files.
#include "bench/fingerprint/cases.h"
#include "bench/fingerprint/record.h"
#include "bench/fingerprint/subject.h"
#include "sinew/reference.h"
#include "sinew/sinew.h"
#include "scenes/expect.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (int)(sizeof(a) / sizeof((a)[0]))

static const double point_l[3] = {0.1, -0.2, 0.3};

// Scratch for one subject.
typedef struct scratch {
  double *q, *other, *out, *v;
  double *J; // the largest: 6 x 6m of blocks, 6 x nv x nv of the Hessian
} scratch;

static void record_links(const subject *s) {
  for (int link = 0; link < sinew_model_link_count(s->model); ++link) {
    double R[9], p[3], point[3];
    sinew_pose pose;
    sinew_expect_ok(sinew_state_link_pose(s->state, link, &pose));
    record_values("rotation", pose.rotation, 4);
    record_values("position", pose.position, 3);
    sinew_expect_ok(sinew_state_link_frame(s->state, link, R, p));
    record_values("R", R, 9);
    record_values("p", p, 3);
    sinew_expect_ok(sinew_state_point(s->state, link, point_l, point));
    record_values("point", point, 3);
  }
}

static void record_jacobians(const subject *s, const scratch *a, int link) {
  const size_t nv = (size_t)s->nv;
  sinew_pose pose;
  sinew_expect_ok(sinew_state_jacobian(s->state, link, point_l, sinew_model_root(s->model), a->J));
  record_values("jacobian", a->J, 6 * nv);
  sinew_expect_ok(sinew_state_jacobian(s->state, link, NULL, link, a->J));
  record_values("jacobian_own_axes", a->J, 6 * nv);
  sinew_expect_ok(sinew_state_jacobian_body(s->state, a->q, link, point_l, a->J, &pose));
  record_values("jacobian_body", a->J, 6 * nv);
  record_values("pose", pose.rotation, 4);
  record_values("pose", pose.position, 3);
  sinew_expect_ok(sinew_state_jacobian_target(s->state, link, point_l, a->J));
  record_values("jacobian_target", a->J, 6 * nv);
}

static void record_derivatives(const subject *s, const scratch *a, int link) {
  const size_t nv = (size_t)s->nv;
  double six[6];
  sinew_pose target = {.rotation = {0.5, -0.1, 0.7, 0.3}, .position = {0.3, 0.2, -0.4}};
  sinew_expect_ok(sinew_state_twist(s->state, link, point_l, a->v, six));
  record_values("twist", six, 6);
  sinew_expect_ok(sinew_state_jacobian_derivative(s->state, link, point_l, a->v, a->J));
  record_values("jacobian_derivative", a->J, 6 * nv);
  sinew_expect_ok(sinew_state_hessian(s->state, link, point_l, a->J));
  record_values("hessian", a->J, 6 * nv * nv);
  sinew_expect_ok(sinew_state_residual_jacobian(s->state, link, point_l, &target, six, a->J));
  record_values("residual", six, 6);
  record_values("residual_jacobian", a->J, 6 * nv);
  for (int kind = 0; kind <= SINEW_ORIENTATION_VECTOR; ++kind) {
    const size_t rows = kind == SINEW_ORIENTATION_QUATERNION ? 7 : 6;
    if (sinew_state_jacobian_rates(s->state, link, point_l, (sinew_orientation)kind, a->J) ==
        SINEW_OK) {
      record_values("jacobian_rates", a->J, rows * nv);
    }
  }
}

// The same by other constructions.
static void record_references(const subject *s, const scratch *a, int link) {
  const int root = sinew_model_root(s->model);
  const size_t nv = (size_t)s->nv, blocks = 36 * (size_t)sinew_model_block_count(s->model);
  sinew_pose pose;
  sinew_exponentials product = {
      .factors = take((size_t)sinew_model_exponential_count(s->model), sizeof *product.factors)};
  sinew_expect_ok(sinew_model_exponentials(s->model, link, point_l, &product));
  sinew_expect_ok(sinew_exponentials_pose(&product, a->q, &pose));
  record_values("exponentials_pose", pose.position, 3);
  sinew_expect_ok(sinew_exponentials_jacobian_body(&product, a->q, a->J));
  record_values("exponentials_body", a->J, 6 * nv);
  sinew_expect_ok(sinew_exponentials_jacobian_spatial(&product, a->q, a->J));
  record_values("exponentials_spatial", a->J, 6 * nv);
  sinew_expect_ok(sinew_state_jacobian_blocks(s->state, link, point_l, root, a->J));
  record_values("blocks", a->J, blocks);
  double *trimmed = take(6 * nv, sizeof *trimmed);
  sinew_model_trim_blocks(s->model, NULL, a->J, trimmed);
  record_values("trimmed", trimmed, 6 * nv);
  free(trimmed);
  sinew_expect_ok(sinew_state_jacobian_adjusted(s->state, link, point_l, root, a->J));
  record_values("adjusted", a->J, 6 * nv);
  sinew_expect_ok(sinew_state_jacobian_unit_velocities(s->state, link, point_l, a->v, a->J));
  record_values("unit_velocities", a->J, 6 * nv);
  sinew_expect_ok(sinew_state_jacobian_differences(s->state, a->q, link, point_l,
                                                   SINEW_DIFFERENCE_CENTRAL, 6e-6, a->J));
  record_values("differences", a->J, 6 * nv);
  free(product.factors);
}

static void record_configurations(const subject *s, const scratch *a) {
  const size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
  sinew_configuration_start(s->model, a->out);
  record_values("start", a->out, nq);
  sinew_configuration_middle(s->model, a->out);
  record_values("middle", a->out, nq);
  record_values("random", a->q, nq);
  sinew_configuration_difference(s->model, a->q, a->other, a->v);
  record_values("difference", a->v, nv);
  sinew_configuration_integrate(s->model, a->q, a->v, a->out);
  record_values("integrate", a->out, nq);
  for (size_t i = 0; i < nq; ++i) {
    a->out[i] = 1.5 * a->q[i];
  }
  sinew_configuration_normalize(s->model, a->out);
  record_values("normalize", a->out, nq);
}

static void record_joint_values(const subject *s, const double *q) {
  const int count = sinew_model_joint_values(s->model, q, NULL);
  double *values = take((size_t)count, sizeof *values);
  sinew_model_joint_values(s->model, q, values);
  record_values("joint_values", values, (size_t)count);
  free(values);
}

static scratch make_scratch(const subject *s) {
  const size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
  const size_t hessian = 6 * (nv + 2) * (nv + 2);
  const size_t blocks = 36 * (size_t)sinew_model_block_count(s->model);
  scratch a = {.q = take(3 * nq + nv, sizeof *a.q)};
  a.other = a.q + nq;
  a.out = a.other + nq;
  a.v = a.out + nq;
  a.J = take(hessian > blocks ? hessian : blocks, sizeof *a.J);
  return a;
}

static void record_model(const subject *s) {
  const size_t nv = (size_t)s->nv;
  record_value("size", sinew_model_size(s->model));
  record_values("lower", sinew_model_lower(s->model), nv);
  record_values("upper", sinew_model_upper(s->model), nv);
  record_values("velocity", sinew_model_velocity(s->model), nv);
  if (s->document != NULL && s->document->motion.frame_count > 0) {
    const sinew_motion *motion = &s->document->motion;
    record_values("motion", motion->q, (size_t)motion->frame_count * (size_t)motion->nq);
  }
}

static void kinematics(const char *name, const char *label, unsigned changes) {
  subject s;
  if (!record_begin("kinematics/%s%s", label, changes & SUBJECT_FLOATS ? "-floats" : "")) {
    return;
  }
  subject_open(&s, name, changes);
  const scratch a = make_scratch(&s);
  record_model(&s);
  for (int i = 0; i < 5; ++i) {
    sinew_configuration_random(s.model, 31, (uint64_t)i, a.q);
    sinew_configuration_random(s.model, 32, (uint64_t)i, a.other);
    record_step(i);
    record_configurations(&s, &a);
    record_joint_values(&s, a.q);
    sinew_expect_ok(sinew_state_forward(s.state, a.q));
    record_links(&s);
    for (int t = 0; t < s.count && t < 2; ++t) {
      sinew_configuration_difference(s.model, a.q, a.other, a.v);
      record_jacobians(&s, &a, s.tasks[t].link);
      record_derivatives(&s, &a, s.tasks[t].link);
      record_references(&s, &a, s.tasks[t].link);
      sinew_expect_ok(sinew_state_forward(s.state, a.q));
    }
  }
  record_end();
  free(a.q);
  free(a.J);
  subject_close(&s);
}

// ------------------------------------------------------------------ rotations, twists

static void record_motions(const double twist[6]) {
  sinew_pose pose, inverse, product;
  double six[6], matrix[36];
  sinew_pose_exp(twist, &pose);
  record_values("pose_exp", pose.rotation, 4);
  record_values("pose_exp", pose.position, 3);
  sinew_pose_log(&pose, six);
  record_values("pose_log", six, 6);
  sinew_pose_invert(&pose, &inverse);
  sinew_pose_multiply(&inverse, &inverse, &product);
  record_values("pose_multiply", product.position, 3);
  record_values("pose_multiply", product.rotation, 4);
  sinew_pose_adjoint(&pose, matrix);
  record_values("adjoint", matrix, 36);
  sinew_pose_adjoint_inverse(&pose, matrix);
  record_values("adjoint_inverse", matrix, 36);
  sinew_pose_adjoint_derivative(&pose, twist, matrix);
  record_values("adjoint_derivative", matrix, 36);
  sinew_pose_transform_twist(&pose, twist, six);
  record_values("transform_twist", six, 6);
  sinew_pose_left_jacobian(twist, matrix);
  record_values("left_jacobian", matrix, 36);
  sinew_pose_left_jacobian_inverse(twist, matrix);
  record_values("left_jacobian_inverse", matrix, 36);
}

static void record_rotations(const double twist[6]) {
  double q[4], R[9], w[3];
  sinew_quaternion_exp(twist, q);
  record_values("quaternion_exp", q, 4);
  sinew_quaternion_log(q, w);
  record_values("quaternion_log", w, 3);
  sinew_quaternion_to_matrix(q, R);
  record_values("to_matrix", R, 9);
  sinew_quaternion_from_matrix(R, q);
  record_values("from_matrix", q, 4);
  sinew_quaternion_from_rpy(twist, q);
  record_values("from_rpy", q, 4);
  sinew_quaternion_rotate(q, twist + 3, w);
  record_values("rotate", w, 3);
}

static void motions(void) {
  static const double scales[] = {1e-9, 1e-4, 0.01, 1.0, 3.0, 10.0};
  if (!record_begin("kinematics/motions")) {
    return;
  }
  for (int i = 0; i < 20 * COUNT(scales); ++i) {
    double twist[6];
    for (int k = 0; k < 6; ++k) {
      twist[k] = scales[i / 20] * (sinew_random_uniform(41, (uint64_t)(6 * i + k)) - 0.5);
    }
    record_step(i);
    record_motions(twist);
    record_rotations(twist);
  }
  record_end();
}

// ------------------------------------------------------------------------- cases

void kinematics_cases(void) {
  static const char *const names[] = {"two-link",  "y",         "double-y-25", "double-y-16",
                                      "arm6",      "arm7",      "planar",      "spider",
                                      "humanoid",  "kinds",     "chain-20",    "arm6.urdf",
                                      "reference", "arm7.urdf", "humanoid.bvh"};
  motions();
  for (int i = 0; i < COUNT(names); ++i) {
    kinematics(names[i], names[i], SUBJECT_AS_IT_IS);
  }
  kinematics("arm7.urdf", "arm7.urdf", SUBJECT_FLOATS);
}
