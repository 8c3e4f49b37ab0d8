/// sinew.Solution: the result of one solve or update.
///
/// A plain object of Python's C interface with its joint values inside: creating it is part of the
/// time of every solve.
#ifndef SINEW_PYTHON_SOLUTION_H
#define SINEW_PYTHON_SOLUTION_H

#include "model.h"

namespace sinew::python {

struct Solution {
  PyObject_VAR_HEAD         // ob_size: nq
      PyObject *array;      // of q; made when it is asked for first
  PyObject *limiting_joint; // its name, or NULL
  sinew_report report;
  double q[1];
};

/// A new solution whose report and joint values are not set yet.
/// @return a new reference; throws
Solution *new_solution(const Model &model);

/// Looks up the name of the joint that the report has.
void name_limiting_joint(Solution *solution, const Model &model);

/// Makes array, of the same joint values, what the attribute q returns.
void set_array(Solution *solution, nb::handle array);

/// Adds Solution to the module.
void add_solution(nb::module_ &module);

} // namespace sinew::python

#endif
