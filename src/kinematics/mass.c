// Centres of mass, in one pass from the tips to the root:
//
//   M_n c_n = m_n p_n + sum of M_k c_k over the nodes k on n
//
// m_n, p_n the mass and the centre of the links that are fixed to node n, M_n and c_n those of all
// that it moves.
#include "kinematics/mass.h"
#include "math/vector.h"

void sinew_state_centres(const sinew_state *state, double *centres, double centre[3]) {
  const sinew_model *model = state->model;
  sinew_zero(3 * (size_t)model->node_count, centres);
  for (int i = 0; i < 3; ++i) {
    centre[i] = model->root_mass[0] / model->mass * model->root_mass[1 + i];
  }
  for (int n = model->node_count; n-- > 0;) { // the nodes on n have larger indices
    const double *own = model->node_masses + 4 * n, carried = model->carried[n];
    const int parent = model->nodes[n].parent;
    double *sum = centres + 3 * n, p[3];
    if (!(carried > 0.0)) {
      continue;
    }
    sinew_frame_transform(&state->frames[n], own + 1, p);
    const double all = parent >= 0 ? model->carried[parent] : model->mass;
    double *onto = parent >= 0 ? centres + 3 * parent : centre;
    for (int i = 0; i < 3; ++i) {
      sum[i] += own[0] / carried * p[i];
      onto[i] += carried / all * sum[i];
    }
  }
}
