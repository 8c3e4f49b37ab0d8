/// Objectives that are functions of Python: called by the core in any thread.
#ifndef SINEW_PYTHON_CALLBACK_H
#define SINEW_PYTHON_CALLBACK_H

#include "model.h"

#include <atomic>

namespace sinew::python {

/// The first exception that functions raise during a call of the core; after it they are not called
/// any more, and their residuals are NaN, which count for nothing.
class CallbackErrors {
public:
  bool is_set() const {
    return m_is_set;
  }

  /// Throws it, if there is one: after the call, with the interpreter's lock.
  void check() {
    if (m_is_set) {
      m_first->restore();
      throw_pending();
    }
  }

  /// Keeps the exception that is being handled, with the interpreter's lock.
  void keep() {
    if (!m_is_set) {
      set_pending_from_exception();
      m_first = std::make_unique<nb::python_error>();
      m_is_set = true;
    }
  }

private:
  std::unique_ptr<nb::python_error> m_first; // std::exception_ptr needs newer libraries
  std::atomic<bool> m_is_set{false};
};

/// While it lives, exceptions of functions that this thread calls go to errors. A function may make
/// calls of its own, with others.
class CatchCallbacks {
public:
  explicit CatchCallbacks(CallbackErrors &errors);
  ~CatchCallbacks();
  CatchCallbacks(const CatchCallbacks &) = delete;
  CatchCallbacks &operator=(const CatchCallbacks &) = delete;

private:
  CallbackErrors *m_outer;
};

/// The function of an objective; what sinew_objective.context points to.
class Callback {
public:
  /// @param name of the objective, for messages
  Callback(const Model &model, nb::object function, int rows, std::string name);

  /// A sinew_objective_function: takes the interpreter's lock.
  static void call(void *context, const double *q, double *residual, double *jacobian);

  /// Appends what it is: of a method, which is a new object each time it is looked up, its object
  /// and its function.
  void append(std::string *key) const;

  /// For the garbage collector.
  PyObject *function() const {
    return m_function.ptr();
  }
  void clear() {
    m_function = nb::object();
  }

private:
  void evaluate(const double *q, double *residual, double *jacobian) const;

  nb::object m_function;
  int m_rows, m_nq, m_nv;
  std::string m_name;
};

/// Adds check_callback() to the class Model.
void add_check_callback(nb::handle model_type);

} // namespace sinew::python

#endif
