/// sinew.Solutions: the results of many targets, as arrays.
#ifndef SINEW_PYTHON_RESULTS_H
#define SINEW_PYTHON_RESULTS_H

#include "arrays.h"

#include "sinew/batch.h"

namespace sinew::python {

/// The arrays of Solutions.
class Results {
public:
  /// @param q of the leading shape and nq, float64 in C order
  Results(const std::vector<npy_intp> &leading, nb::object q);

  double *q() {
    return doubles_of(m_q);
  }

  /// Keeps how target i ended, in C order. Needs no lock: threads may keep different ones.
  void keep(npy_intp i, const sinew_batch_row &row);

  nb::object solutions() const;

private:
  nb::object m_q, m_outcome, m_position_error, m_orientation_error, m_steps;
  nb::object m_reach_task, m_reach, m_target_distance;
};

} // namespace sinew::python

#endif
