// How large a figure is with its tasks, and how far translations carry a task's point.
//
//   farthest  = FARTHEST (size + travel)
//   resolved  = max(min(tolerance, size) / (SPACING eps), FARTHEST size)
//
// Doubles at a distance d are about eps d apart. A figure that cannot go as far as resolved has
// targets beyond farthest drawn inward: for them its best posture is the same within rounding, and
// squares of the error keep their digits. One that can go there has targets beyond resolved
// refused, and none drawn inward.
#include "math/vector.h"
#include "task/task.h"

#include <float.h>

#define FARTHEST 1e3

// A tolerance is at least this many spacings of doubles. A point is rounded by some ten sums, each
// by half a spacing; searches still find all solutions with half of this.
#define SPACING 8.0

double sinew_tasks_size(const sinew_model *model, const sinew_task *tasks, int count) {
  double size = model->measured ? model->size : 0.0;
  for (int t = 0; t < count; ++t) {
    const bool points = !tasks[t].center_of_mass &&
                        (sinew_task_target_fields(&tasks[t]) & SINEW_TARGET_POSITION) != 0;
    size = points ? sinew_max(size, sinew_norm_safe(tasks[t].point_l)) : size;
  }
  return size > 0.0 ? size : model->size;
}

// The largest translation of a node within limits [m]. Nothing is known of that of a function.
static double node_travel(const sinew_node *node, const double *lower, const double *upper) {
  const bool screw = node->kind == SINEW_NODE_SCREW;
  const bool slides = node->kind == SINEW_NODE_PRISMATIC;
  if (node->kind == SINEW_NODE_FUNCTION) {
    return INFINITY;
  }
  if ((!slides && !screw) || node->ratio == 0.0) {
    return fabs(slides ? node->offset : 0.0);
  }
  const double pitch = screw ? node->pitch : 1.0;
  const double most = sinew_max(fabs(node->ratio * lower[node->v] + node->offset),
                                fabs(node->ratio * upper[node->v] + node->offset));
  return pitch == 0.0 ? 0.0 : fabs(pitch) * most;
}

void sinew_task_measure(const sinew_extent *extent, sinew_compiled_task *task) {
  const sinew_model *model = extent->model;
  double travel = 0.0;
  for (int n = task->node; n >= 0; n = model->nodes[n].parent) {
    travel += node_travel(&model->nodes[n], extent->lower, extent->upper);
  }
  for (int n = task->frame_node; n >= 0; n = model->nodes[n].parent) {
    travel += node_travel(&model->nodes[n], extent->lower, extent->upper);
  }
  for (int n = 0; task->task.center_of_mass && n < model->node_count; ++n) {
    travel += node_travel(&model->nodes[n], extent->lower, extent->upper); // a bound
  }
  const double finest = sinew_min(extent->tolerance, extent->size);
  const double resolved = sinew_max(finest / (SPACING * DBL_EPSILON), FARTHEST * extent->size);
  const bool travels = task->linear_rows > 0 && travel >= resolved;
  task->farthest = travels ? (double)INFINITY : FARTHEST * (extent->size + travel);
  task->resolved = travels ? resolved : DBL_MAX;
}
