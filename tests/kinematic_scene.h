// A definition as a model of sinew and in the naive kinematics, and one configuration of both.
#ifndef KINEMATIC_SCENE_H
#define KINEMATIC_SCENE_H

#include "naive.h"
#include "near.h"
#include "random_tree.h"
#include "sinew/sinew.h"

typedef struct kinematic_scene {
  sinew_model *model;
  sinew_state *state;
  naive *oracle;
  int nq, nv;
  double *q;            // nq
  double *J, *expected; // 6 nv each
} kinematic_scene;

static inline double *numbers(int count) {
  double *memory = calloc((size_t)count + 1, sizeof *memory);
  assert_non_null(memory);
  return memory;
}

static inline void scene_open(kinematic_scene *scene, const sinew_model_def *def) {
  sinew_error error;
  memset(&error, 0, sizeof error);
  if (sinew_model_create(def, &scene->model, &error) != SINEW_OK) {
    fail_msg("refused: %s: %s", error.name, error.message);
  }
  assert_int_equal(sinew_state_create(scene->model, NULL, &scene->state, NULL), SINEW_OK);
  scene->oracle = naive_create(def);
  scene->nq = sinew_model_nq(scene->model);
  scene->nv = sinew_model_nv(scene->model);
  assert_int_equal(scene->nq, scene->oracle->nq);
  assert_int_equal(scene->nv, scene->oracle->nv);
  scene->q = numbers(scene->nq);
  scene->J = numbers(6 * scene->nv);
  scene->expected = numbers(6 * scene->nv);
  sinew_configuration_start(scene->model, scene->q);
}

static inline void scene_close(kinematic_scene *scene) {
  sinew_state_destroy(scene->state);
  sinew_model_destroy(scene->model);
  naive_destroy(scene->oracle);
  free(scene->q);
  free(scene->J);
  free(scene->expected);
}

// Angles of up to half a turn either way, distances of as many metres, and quaternions that are not
// exactly normalized.
static inline void scene_random(kinematic_scene *scene, random_stream *stream) {
  for (int i = 0; i < scene->nq; ++i) {
    scene->q[i] = random_between(stream, -3.1, 3.1);
  }
  sinew_configuration_normalize(scene->model, scene->q);
  for (int j = 0; j < sinew_model_joint_count(scene->model); ++j) {
    sinew_joint joint;
    assert_int_equal(sinew_model_joint(scene->model, j, &joint), SINEW_OK);
    for (int i = joint.nq - 4; joint.nq > joint.nv && i < joint.nq; ++i) {
      scene->q[joint.q_index + i] *= 1.25;
    }
  }
}

static inline void scene_place(kinematic_scene *scene) {
  assert_int_equal(sinew_state_forward(scene->state, scene->q), SINEW_OK);
  naive_place(scene->oracle, scene->q);
}

// The largest difference of any link's pose: rotations, and origins divided by the largest of their
// distances where that is beyond 1 m.
static inline double scene_place_error(const kinematic_scene *scene) {
  double worst = 0.0, scale = 1.0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int link = 0; link < sinew_model_link_count(scene->model); ++link) {
      double R[9], p[3], naive_R[9], naive_p[3];
      assert_int_equal(sinew_state_link_frame(scene->state, link, R, p), SINEW_OK);
      naive_frame(scene->oracle, link, naive_R, naive_p);
      if (pass == 0) {
        scale = fmax(scale, sqrt(naive_p[0] * naive_p[0] + naive_p[1] * naive_p[1] +
                                 naive_p[2] * naive_p[2]));
      } else {
        const double difference = farthest(9, R, naive_R), moved = farthest(3, p, naive_p) / scale;
        worst = difference <= worst ? worst : difference;
        worst = moved <= worst ? worst : moved;
      }
    }
  }
  return worst;
}

// The largest entry of a matrix, at least 1, by which an error of a Jacobian is divided.
static inline double largest_entry(int count, const double *values) {
  double most = 1.0;
  for (int i = 0; i < count; ++i) {
    most = fmax(most, fabs(values[i]));
  }
  return most;
}

// Computes J by sinew in world axes; returns its largest difference from the naive one.
static inline double scene_jacobian_error(kinematic_scene *scene, int link,
                                          const double point_l[3]) {
  const int size = 6 * scene->nv;
  assert_int_equal(
      sinew_state_jacobian(scene->state, link, point_l, sinew_model_root(scene->model), scene->J),
      SINEW_OK);
  naive_jacobian(scene->oracle, scene->q, link, point_l, scene->expected);
  return farthest(size, scene->J, scene->expected) / largest_entry(size, scene->expected);
}

#endif
