#include "callback.h"

#include "constraints.h"
#include "tracker.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace sinew::python {

static thread_local CallbackErrors *current_errors = nullptr;

CatchCallbacks::CatchCallbacks(CallbackErrors &errors) : m_outer(current_errors) {
  current_errors = &errors;
}

CatchCallbacks::~CatchCallbacks() {
  current_errors = m_outer;
}

Callback::Callback(const Model &model, nb::object function, int rows, std::string name)
    : m_function(std::move(function)), m_rows(rows), m_nq(model.nq()), m_nv(model.nv()),
      m_name(std::move(name)) {}

// Reads an array of this shape. @param out NULL: not wanted
static void read_shaped(nb::handle object, const std::string &name,
                        const std::vector<npy_intp> &shape, double *out) {
  const Array array(object, name.c_str());
  if (array.leading(0) != shape) {
    throw_python(PyExc_ValueError, "%s has shape %s; it must be %s", name.c_str(),
                 array.shape_text().c_str(), shape_text(shape).c_str());
  }
  if (out == nullptr) {
    return;
  }
  if (shape.size() == 1) {
    Rows::repeated(array).read(0, out);
    return;
  }
  const Rows rows(array, 1);
  for (npy_intp i = 0; i < shape[0]; ++i) {
    rows.read(i, out + i * shape[1]);
  }
}

void Callback::evaluate(const double *q, double *residual, double *jacobian) const {
  const nb::object function = m_function; // the collector may clear it
  if (!function.is_valid()) {
    throw_python(PyExc_RuntimeError, "%s: function has been collected", m_name.c_str());
  }
  nb::object values = new_array({m_nq});
  std::memcpy(doubles_of(values), q, (size_t)m_nq * sizeof *q);
  const nb::object pair = function(values);
  const bool is_pair =
      (PyTuple_Check(pair.ptr()) || PyList_Check(pair.ptr())) && PySequence_Size(pair.ptr()) == 2;
  if (!is_pair) {
    throw_python(PyExc_TypeError,
                 "%s: function must return a pair, its residual and its jacobian, not %s",
                 m_name.c_str(), nb::repr(pair.type()).c_str());
  }
  const nb::object first = pair[0], second = pair[1];
  read_shaped(first, m_name + ": residual", {m_rows}, residual);
  read_shaped(second, m_name + ": jacobian", {m_rows, m_nv}, jacobian);
}

void Callback::call(void *context, const double *q, double *residual, double *jacobian) {
  const Callback &callback = *static_cast<const Callback *>(context);
  CallbackErrors *errors = current_errors;
  if (!errors->is_set()) {
    nb::gil_scoped_acquire lock;
    try {
      if (!errors->is_set()) { // by another thread, while this one waited
        callback.evaluate(q, residual, jacobian);
        return;
      }
    } catch (...) {
      errors->keep();
    }
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  std::fill_n(residual, callback.m_rows, none);
  if (jacobian != nullptr) {
    std::fill_n(jacobian, (size_t)callback.m_rows * (size_t)callback.m_nv, none);
  }
}

void Callback::append(std::string *key) const {
  PyObject *objects[2] = {m_function.ptr(), nullptr};
  if (m_function.type().is(nb::module_::import_("types").attr("MethodType"))) {
    // it keeps both alive
    objects[0] = nb::object(m_function.attr("__self__")).ptr();
    objects[1] = nb::object(m_function.attr("__func__")).ptr();
  }
  key->append(reinterpret_cast<const char *>(objects), sizeof objects);
}

// ---- a check of the derivative ----

static void check_callback(const Model &model, nb::handle objective, nb::handle q,
                           double tolerance) {
  std::vector<double> values((size_t)model.nq() + 1);
  read_start(model, q, values.data());
  const Constraints constraints(model, {nullptr, nullptr, nullptr, objective.ptr()});
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = 1;
  def.lanes = -1;
  def.lower = constraints.room({});
  sinew_error error = {};
  sinew_solver *solver = nullptr;
  if (sinew_solver_create(&def, model.core(), &solver, &error) != SINEW_OK) {
    throw_error(error);
  }
  const Owned<sinew_solver> owned(solver);
  constraints.set(solver);
  CallbackErrors errors;
  const CatchCallbacks catch_callbacks(errors);
  int i = 0;
  do {
    const sinew_result result =
        sinew_solver_check_callback(solver, i, values.data(), tolerance, &error);
    errors.check();
    if (result != SINEW_OK) {
      throw_error(error);
    }
  } while (++i < def.lower.objectives);
}

static const char *const CHECK_DOC =
    "Compares the jacobian of a sinew.Objective of the kind \"callback\" with central differences\n"
    "of its residual: for your tests.\n\n"
    "q: a configuration (nq,) [rad or m], where to compare.\n"
    "tolerance: of an entry, times 1 or its size where that is larger.\n\n"
    "Returns None. Raises sinew.Error, which names the worst entry, its joint and both values; "
    "and\n"
    "what the function raises.";

void add_check_callback(nb::handle model_type) {
  nb::cpp_function_def(check_callback, nb::scope(model_type), nb::name("check_callback"),
                       nb::is_method(), nb::arg("objective"), nb::arg("q"),
                       nb::arg("tolerance") = 1e-6, CHECK_DOC);
}

} // namespace sinew::python
