// One Jacobian for several constructions, and its references: the naive kinematics' (naive.h) and
// the columns by cross products.
#ifndef JACOBIAN_QUERY_H
#define JACOBIAN_QUERY_H

#include "kinematic_scene.h"

#define AGREE 1e-12 // relative to the largest entry: the constructions round differently

// A tree of 1 to 14 joints at a random configuration, a link, a point on it, and a link in whose
// axes the rows are expressed.
typedef struct jacobian_query {
  kinematic_scene scene;
  random_stream stream;
  int link, axes_link, size; // size: 6 nv
  double point[3], scale;    // the largest entry of the Jacobian, at least 1
} jacobian_query;

static inline void query_open(jacobian_query *query, random_tree *tree, uint64_t seed) {
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
static inline void rotate_expected(jacobian_query *query, int axes_link, double *rows) {
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

// Checks J, in some link's axes, against the naive kinematics' Jacobian and sinew's own.
static inline void assert_agrees(jacobian_query *query, int axes_link, const double *J) {
  kinematic_scene *scene = &query->scene;
  double *turned = numbers(query->size);
  memcpy(turned, scene->expected, (size_t)query->size * sizeof(double));
  rotate_expected(query, axes_link, turned);
  assert_at_most(farthest(query->size, J, turned), AGREE * query->scale);
  assert_int_equal(
      sinew_state_jacobian(scene->state, query->link, query->point, axes_link, scene->J), SINEW_OK);
  assert_at_most(farthest(query->size, J, scene->J), AGREE * query->scale);
  free(turned);
}

#endif
