// The target (alternate) Jacobian: each column is w x (t - p) with the target's position t in place
// of the effector's position s.
// Source: Buss 2009, section 2, last paragraphs.
#include "kinematics/jacobian.h"

sinew_result sinew_state_jacobian_target(const sinew_state *state, int link,
                                         const double target_w[3], double *J) {
  SINEW_ASSERT(state != NULL && (J != NULL || state->model->nv == 0) && target_w != NULL);
  const sinew_model *model = state->model;
  if (link < 0 || link >= model->link_count) {
    return SINEW_ERROR_INDEX;
  }
  if (!sinew_is_usable3(target_w)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  sinew_state_columns(state, model->link_node[link], target_w, J);
  return SINEW_OK;
}
