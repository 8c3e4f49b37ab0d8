// Mirrors of a posture.
//
// Of three turns in a row, p, n and c, let M(b) be the frame of c before its turn, in the
// moved frame of p, when n stands at b. As n turns, the axis of c goes round n's, and the
// angle between the axes of c and p is that of two hands of a clock: it is the same at
//   b' = 2 (azimuth of p's axis - azimuth of c's axis at b = 0) - b,
// azimuths being seen along n. A turn of p then brings c's axis back to where it was, and a
// turn of c itself what hangs on it. Where the three axes meet in a point, a wrist, that
// is the same pose, exactly. Where an axis is along n and has no azimuth, the place of the
// joint stands in: with three parallel axes, an elbow, the pose is the same again. Of other
// joints it is a place from where a descent often leads to another solution.
//
// The two turns: p by the azimuth about its own axis that c's axis (or place) was at, less
// the one it is at now; c by the azimuth of p's in the frame of c that is now, less the
// one that was.
#include "seed/mirror.h"
#include "math/vector.h"

// An axis of unit length that is across another by less than this is along it.
#define ALONG 1e-3

static double azimuth(const double v[3]) {
  return atan2(v[1], v[0]);
}

static bool is_across(const double axis[3]) {
  return axis[0] * axis[0] + axis[1] * axis[1] > ALONG * ALONG;
}

// The axis z, or the origin, of a frame, seen from outside it.
static void look_out(const sinew_frame *f, bool axis, double out[3]) {
  sinew_frame_column(f, axis ? 2 : 3, out);
}

// The axis z, or the origin, of the frame that f is told in, seen from f.
static void look_back(const sinew_frame *f, bool axis, double out[3]) {
  double R[9], p[3];
  sinew_frame_get(f, R, p);
  for (int i = 0; i < 3; ++i) {
    out[i] = axis ? R[6 + i] : -(R[i] * p[0] + R[3 + i] * p[1] + R[6 + i] * p[2]);
  }
}

// A turn of a value of its own: without ratio and offset.
static bool is_turn(const sinew_node *node) {
  return node->kind == SINEW_NODE_TURN && node->alone;
}

int sinew_mirrors_find(const sinew_model *model, sinew_mirror *mirrors) {
  int count = 0;
  for (int c = 0; c < model->node_count; ++c) {
    const int n = model->nodes[c].parent, p = n >= 0 ? model->nodes[n].parent : -1;
    if (p < 0 || !is_turn(&model->nodes[c]) || !is_turn(&model->nodes[n]) ||
        !is_turn(&model->nodes[p])) {
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
  sinew_frame_store(out,
                    sinew_columns_multiply(
                        sinew_columns_turn(sinew_frame_load(&model->placements[n]), cos(b), sin(b)),
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
