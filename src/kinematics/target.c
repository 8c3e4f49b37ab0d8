// The target (alternate) Jacobian: the target's place in each column instead of
// the effector's, as though the effector had arrived there already.
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
