/// Objects of which one call at a time may be running.
#ifndef SINEW_PYTHON_IN_USE_H
#define SINEW_PYTHON_IN_USE_H

#include "error.h"

namespace sinew::python {

/// Marks an object as in use while the interpreter's lock may be released.
class InUse {
public:
  /// Throws RuntimeError with the message where the object is in use.
  /// @param flag of the object; NULL: calls never meet
  InUse(bool *flag, const char *message) : m_flag(flag) {
    if (m_flag != nullptr && *m_flag) {
      throw_python(PyExc_RuntimeError, "%s", message);
    }
    set(true);
  }
  ~InUse() {
    set(false);
  }
  InUse(const InUse &) = delete;
  InUse &operator=(const InUse &) = delete;

private:
  void set(bool value) {
    if (m_flag != nullptr) {
      *m_flag = value;
    }
  }

  bool *m_flag;
};

} // namespace sinew::python

#endif
