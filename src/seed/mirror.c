// Mirrors of a posture.
//
// For three consecutive revolute joints p, n and c, let M(b) be the frame of c before its motion,
// in the moved frame of p, for the angle b of n. As n rotates, the axis of c rotates about that of
// n, and the angle between the axes of c and p is the same at
//
//   b' = 2 (azimuth of p's axis - azimuth of c's axis at b = 0) - b,
//
// azimuths about n's axis. A rotation of p then moves c's axis back to its original direction, and
// a rotation of c restores the orientation of its link:
//
//   change of p = azimuth of c's axis in p's frame, before - after
//   change of c = azimuth of p's axis in c's frame, after - before
//
// If the three axes meet in a point (a wrist), the pose is exactly the same. An axis parallel to
// n's has no azimuth, and the origin of the joint is used instead: with three parallel axes (an
// elbow) the pose is again the same. For other joints the result is a start from which a descent
// often finds another solution.
#include "seed/mirror.h"
#include "math/vector.h"

// Two axes are parallel if the sine of their angle is below this.
#define ALONG 1e-3

static double azimuth(const double v[3]) {
  return atan2(v[1], v[0]);
}

static bool is_across(const double axis[3]) {
  return axis[0] * axis[0] + axis[1] * axis[1] > ALONG * ALONG;
}

// The axis z, or the origin, of the frame f, in the frame that f is relative to.
static void look_out(const sinew_frame *f, bool axis, double out[3]) {
  sinew_frame_column(f, axis ? 2 : 3, out);
}

// The axis z, or the origin, of the frame that f is relative to, in f.
static void look_back(const sinew_frame *f, bool axis, double out[3]) {
  double R[9], p[3];
  sinew_frame_get(f, R, p);
  for (int i = 0; i < 3; ++i) {
    out[i] = axis ? R[6 + i] : -(R[i] * p[0] + R[3 + i] * p[1] + R[6 + i] * p[2]);
  }
}

// A revolute joint that is not coupled: without ratio and offset.
static bool is_revolute(const sinew_node *node) {
  return node->kind == SINEW_NODE_REVOLUTE && node->alone;
}

int sinew_mirrors_find(const sinew_model *model, sinew_mirror *mirrors) {
  int count = 0;
  for (int c = 0; c < model->node_count; ++c) {
    const int n = model->nodes[c].parent, p = n >= 0 ? model->nodes[n].parent : -1;
    if (p < 0 || !is_revolute(&model->nodes[c]) || !is_revolute(&model->nodes[n]) ||
        !is_revolute(&model->nodes[p])) {
      continue;
    }
    sinew_mirror *mirror = &mirrors[count++];
    double first[3], last[3];
    look_back(&model->placements[n], true, first);
    look_out(&model->placements[c], true, last);
    *mirror =
        (sinew_mirror){.node = c, .first_axis = is_across(first), .last_axis = is_across(last)};
    look_back(&model->placements[n], mirror->first_axis, first);
    look_out(&model->placements[c], mirror->last_axis, last);
    mirror->twice = 2.0 * (azimuth(first) - azimuth(last));
  }
  return count;
}

void sinew_mirror_dofs(const sinew_model *model, const sinew_mirror *mirror, int v[3]) {
  for (int i = 2, n = mirror->node; i >= 0; --i, n = model->nodes[n].parent) {
    v[i] = model->nodes[n].v;
  }
}

// M(b).
static void place_last(const sinew_model *model, const sinew_mirror *mirror, double b,
                       sinew_frame *out) {
  const int c = mirror->node, n = model->nodes[c].parent;
  sinew_frame_store(
      out, sinew_columns_multiply(
               sinew_columns_rotate_z(sinew_frame_load(&model->placements[n]), cos(b), sin(b)),
               sinew_frame_load(&model->placements[c])));
}

void sinew_mirror_apply(const sinew_model *model, const sinew_mirror *mirror, const double *q,
                        double *out) {
  const sinew_node *c = &model->nodes[mirror->node], *n = &model->nodes[c->parent];
  const sinew_node *p = &model->nodes[n->parent];
  const double b = q[n->q], mirrored = mirror->twice - b;
  sinew_frame was, is;
  double last_was[3], last_is[3], first_was[3], first_is[3];
  place_last(model, mirror, b, &was);
  place_last(model, mirror, mirrored, &is);
  look_out(&was, mirror->last_axis, last_was);
  look_out(&is, mirror->last_axis, last_is);
  look_back(&was, mirror->first_axis, first_was);
  look_back(&is, mirror->first_axis, first_is);
  if (out != q) {
    memcpy(out, q, (size_t)model->nq * sizeof(double));
  }
  out[p->q] = q[p->q] + azimuth(last_was) - azimuth(last_is);
  out[n->q] = mirrored;
  out[c->q] = q[c->q] + azimuth(first_is) - azimuth(first_was);
}
