// The Jacobian of a point on a link: cross products along the path to the root (jacobian.h).
// Source: Buss 2009, section 2; Murray, Li, Sastry 1994, chapter 3.
#include "kinematics/jacobian.h"

// Rotates the six rows into other axes: J <- [R^T 0; 0 R^T] J.
static void rotate_rows(int nv, const double R[9], double *J) {
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

// The column of a revolute node that shares it with no other node, which most columns are.
static inline void store_revolute(const sinew_frame *frame, const double s[3], int nv,
                                  double *column) {
  double w[3], arm[3], linear[3];
  sinew_frame_column(frame, 2, w);
  sinew_frame_arm(frame, s, arm);
  sinew_cross(w, arm, linear);
  column[0] = linear[0];
  column[nv] = linear[1];
  column[2 * nv] = linear[2];
  column[3 * nv] = w[0];
  column[4 * nv] = w[1];
  column[5 * nv] = w[2];
}

// The columns of any node. They are added, since coupled joints share their driver's column.
static void add_columns(const sinew_state *state, int n, const double s[3], int nv,
                        double *columns) {
  for (int i = 0; i < sinew_node_columns(&state->model->nodes[n]); ++i) {
    double linear[3], angular[3];
    sinew_node_column(state, n, i, s, linear, angular);
    sinew_column_add(1.0, linear, angular, nv, columns + i);
  }
}

void sinew_state_columns(const sinew_state *state, int node, const double s[3], double *J) {
  const sinew_model *model = state->model;
  const int nv = model->nv;
  sinew_zero(6 * (size_t)nv, J);
  for (int n = node; n >= 0; n = model->nodes[n].parent) {
    if (model->nodes[n].kind == SINEW_NODE_REVOLUTE && model->nodes[n].alone) {
      store_revolute(&state->frames[n], s, nv, J + model->nodes[n].v);
    } else {
      add_columns(state, n, s, nv, J + model->nodes[n].v);
    }
  }
}

sinew_result sinew_state_jacobian(const sinew_state *state, int link, const double *point_l,
                                  int axes_link, double *J) {
  SINEW_ASSERT(state != NULL && (J != NULL || state->model->nv == 0));
  const sinew_model *model = state->model;
  double s[3];
  if (axes_link < 0 || axes_link >= model->link_count) {
    return SINEW_ERROR_INDEX;
  }
  const sinew_result result = sinew_state_point(state, link, point_l, s);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_state_columns(state, model->link_node[link], s, J);
  if (axes_link != model->root) {
    sinew_frame axes;
    double R[9];
    sinew_state_link(state, axes_link, &axes);
    sinew_frame_get(&axes, R, NULL);
    rotate_rows(model->nv, R, J);
  }
  return SINEW_OK;
}
