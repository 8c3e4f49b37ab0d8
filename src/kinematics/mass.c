// Centres of mass, in one pass from the tips to the root. Compiled for each instruction set.
//
//   M_n c_n = m_n p_n + sum of M_k c_k over the nodes k on n
//
// m_n, p_n the mass and the centre of the links that are fixed to node n, M_n and c_n those of all
// that it moves.
#include "kinematics/mass.h"
#include "math/vector.h"

void sinew_state_centres(const sinew_state *state, double *centres, double centre[3]) {
  const sinew_model *model = state->model;
  const double root = model->root_mass[0] / model->mass;
  sinew_four whole = SINEW_FOUR_OF(root) * sinew_four_load3(model->root_mass + 1);
  sinew_zero(4 * (size_t)model->node_count, centres);
  sinew_four last = SINEW_FOUR_OF(0.0); // of the node after n, where it is on n: not by memory
  for (int n = model->node_count; n-- > 0;) { // the nodes on n have larger indices
    const double *own = model->node_masses + 4 * n;
    const sinew_mass_shares *shares = &model->mass_shares[n];
    const int parent = model->nodes[n].parent;
    const sinew_four onto = sinew_four_load(centres + 4 * n) + last;
    last = SINEW_FOUR_OF(0.0);
    if (!(model->carried[n] > 0.0)) {
      continue;
    }
    const sinew_columns frame = sinew_frame_load(&state->frames[n]);
    const sinew_four p = (frame.x * SINEW_FOUR_OF(own[1]) + frame.y * SINEW_FOUR_OF(own[2])) +
                         (frame.z * SINEW_FOUR_OF(own[3]) + frame.p);
    const sinew_four c = onto + SINEW_FOUR_OF(shares->own) * p;
    const sinew_four moved = SINEW_FOUR_OF(shares->onto) * c;
    sinew_four_store(centres + 4 * n, c);
    if (parent >= 0 && parent == n - 1) {
      last = moved;
    } else if (parent >= 0) {
      sinew_four_store(centres + 4 * parent, sinew_four_load(centres + 4 * parent) + moved);
    } else {
      whole += moved;
    }
  }
  sinew_four_store3(centre, whole);
}
