/// sinew.Tracker: one figure that follows moving targets.
#ifndef SINEW_PYTHON_TRACKER_H
#define SINEW_PYTHON_TRACKER_H

#include "constraints.h"
#include "model.h"
#include "targets.h"

namespace sinew::python {

/// How updates follow targets: keywords of Tracker and Crowd.
struct Tracking {
  double time_step, error_gain, max_change, damping_scale;
  nb::object tolerance, quaternion;
};

/// The settings of a solver that updates.
sinew_solver_def solver_def(const Tracking &tracking);

/// Fills q from one configuration or, without any, from the middle of the limits. Throws where it
/// has another shape or a value that is not finite.
void read_start(const Model &model, nb::handle q, double *out);

/// Throws TypeError where an argument is no sinew.Model.
void check_model(nb::handle model);

/// Adds Tracker to the module.
void add_tracker(nb::module_ &module);

} // namespace sinew::python

#endif
