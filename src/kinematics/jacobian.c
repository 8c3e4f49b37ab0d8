// The Jacobian of a point on a link: cross products along the way to the root.
// Source: Buss 2009, section 2; Murray, Li, Sastry 1994, chapter 3.
#include "kinematics/jacobian.h"

#include <string.h>

// Turns the six rows into other axes: J <- [R^T 0; 0 R^T] J.
static void turn_rows(int nv, const double R[9], double *J) {
  for (int block = 0; block < 2; ++block) {
    double *rows = J + (size_t)block * 3 * (size_t)nv;
    for (int v = 0; v < nv; ++v) {
      double column[3] = {rows[v], rows[nv + v], rows[2 * nv + v]};
      sinew_rotate_back(R, column, column);
      for (int r = 0; r < 3; ++r) {
        rows[r * nv + v] = column[r];
      }
    }
  }
}

sinew_result sinew_state_jacobian(const sinew_state *state, int link, const double *point_l,
                                  int axes_link, double *J) {
  const sinew_model *model = state->model;
  double s[3];
  if (axes_link < 0 || axes_link >= model->link_count ||
      sinew_state_point(state, link, point_l, s) != SINEW_OK) {
    return SINEW_ERROR_INDEX;
  }
  const int nv = model->nv;
  memset(J, 0, 6 * (size_t)nv * sizeof(double));
  // Added, not stored: coupled joints share their driver's column.
  for (int n = model->link_node[link]; n >= 0; n = model->nodes[n].parent) {
    for (int i = 0; i < sinew_node_columns(&model->nodes[n]); ++i) {
      double linear[3], angular[3];
      sinew_node_column(state, n, i, s, linear, angular);
      double *column = J + model->nodes[n].v + i;
      for (int r = 0; r < 3; ++r) {
        column[r * nv] += linear[r];
        column[(r + 3) * nv] += angular[r];
      }
    }
  }
  if (axes_link != model->root) {
    sinew_frame axes;
    double R[9];
    sinew_state_link(state, axes_link, &axes);
    sinew_frame_get(&axes, R, NULL);
    turn_rows(nv, R, J);
  }
  return SINEW_OK;
}
