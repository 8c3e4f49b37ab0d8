// The features of a problem. See features.h.
#include "problem/features.h"
#include "kinematics/jacobian.h"

unsigned sinew_task_features(const sinew_compiled_task *task) {
  unsigned features = 0;
  features |= task->row_count < 6 ? SINEW_FEATURE_PART_OF_POSE : 0u;
  features |= task->task.position_weight != 1.0 || task->task.orientation_weight != 1.0
                  ? SINEW_FEATURE_WEIGHTS
                  : 0u;
  features |= task->target_axes ? SINEW_FEATURE_FREE_AXES : 0u;
  features |= task->rows == SINEW_ROWS_DIRECTION ? SINEW_FEATURE_DIRECTION : 0u;
  features |= task->rows == SINEW_ROWS_GENERAL && !task->complete ? SINEW_FEATURE_GENERAL_ROWS : 0u;
  features |= task->complete && task->relative ? SINEW_FEATURE_RELATIVE : 0u;
  features |= task->complete && task->task.center_of_mass ? SINEW_FEATURE_CENTER_OF_MASS : 0u;
  features |= task->node < 0 && !task->task.center_of_mass ? SINEW_FEATURE_FIXED_LINK : 0u;
  return features;
}

static unsigned kind_of(sinew_node_kind kind) {
  return kind == SINEW_NODE_PRISMATIC   ? SINEW_FEATURE_PRISMATIC
         : kind == SINEW_NODE_SCREW     ? SINEW_FEATURE_SCREW
         : kind == SINEW_NODE_SPHERICAL ? SINEW_FEATURE_SPHERICAL
         : kind == SINEW_NODE_FUNCTION  ? SINEW_FEATURE_FUNCTION
                                        : 0u;
}

// The features of the nodes that are placed. A joint is coupled if its value is a multiple of q, or
// if the nodes have more active columns than there are active degrees of freedom.
static unsigned features_of_nodes(const sinew_problem *problem) {
  unsigned features = 0;
  int active = 0;
  for (int k = 0; k < problem->node_count; ++k) {
    const sinew_node *node = &problem->model->nodes[problem->nodes[k]];
    features |= kind_of(node->kind);
    features |= node->cone >= 0 ? SINEW_FEATURE_CONES : 0u;
    features |= node->ratio != 1.0 ? SINEW_FEATURE_COUPLED : 0u;
    for (int i = 0; i < sinew_node_columns(node); ++i) {
      const bool moves = problem->column_of_dof[node->v + i] >= 0;
      active += moves;
      features |= moves ? 0u : SINEW_FEATURE_INACTIVE;
    }
  }
  for (int g = 0; g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    const bool limited = problem->model->nodes[group->node].cone >= 0;
    features |= limited && group->cone < 0 ? SINEW_FEATURE_CONES_IN_PART : 0u;
  }
  return features | (active > problem->pattern.dof_count ? SINEW_FEATURE_COUPLED : 0u);
}

unsigned sinew_problem_features(const sinew_problem *problem) {
  unsigned features = features_of_nodes(problem);
  features |= problem->even ? 0u : SINEW_FEATURE_GAINS;
  features |= problem->has_limits ? SINEW_FEATURE_LIMITS : 0u;
  features |= problem->has_speeds ? SINEW_FEATURE_SPEED_LIMITS : 0u;
  features |= problem->count > 1 ? SINEW_FEATURE_SEVERAL_TASKS : 0u;
  for (int t = 0; t < problem->count; ++t) {
    features |= sinew_task_features(&problem->tasks[t]);
  }
  return features;
}
