#include "results.h"

#include <limits>

namespace sinew::python {

Results::Results(const std::vector<npy_intp> &leading, nb::object q)
    : m_q(std::move(q)), m_outcome(new_array(leading, NPY_UINT8)),
      m_position_error(new_array(leading)), m_orientation_error(new_array(leading)),
      m_steps(new_array(leading, NPY_INT32)), m_reach_task(new_array(leading, NPY_INT32)),
      m_reach(new_array(leading)), m_target_distance(new_array(leading)) {}

template <class T> static T *data_of(const nb::object &array) {
  return (T *)PyArray_DATA((PyArrayObject *)array.ptr());
}

void Results::keep(npy_intp i, const sinew_batch_row &row) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const bool is_proven = row.reach_task >= 0;
  data_of<unsigned char>(m_outcome)[i] = (unsigned char)row.outcome;
  data_of<double>(m_position_error)[i] = row.position_error;
  data_of<double>(m_orientation_error)[i] = row.orientation_error;
  data_of<int>(m_steps)[i] = row.steps;
  data_of<int>(m_reach_task)[i] = row.reach_task;
  data_of<double>(m_reach)[i] = is_proven ? row.reach : none;
  data_of<double>(m_target_distance)[i] = is_proven ? row.target_distance : none;
}

nb::object Results::solutions() const {
  return nb::module_::import_("sinew._results")
      .attr("Solutions")(m_q, m_outcome, m_position_error, m_orientation_error, m_steps,
                         m_reach_task, m_reach, m_target_distance);
}

} // namespace sinew::python
