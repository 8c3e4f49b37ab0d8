/// Errors of the core as Python exceptions.
#ifndef SINEW_PYTHON_ERROR_H
#define SINEW_PYTHON_ERROR_H

#include "numpy.h"

#include "sinew/base.h"

namespace sinew::python {

/// Throws the exception of an error: MemoryError, OSError, or sinew.Error with the error's file,
/// line and name.
[[noreturn]] void throw_error(const sinew_error &error);

/// Throws a Python exception with a formatted message.
/// @param type PyExc_ValueError, say
[[noreturn]] void throw_python(PyObject *type, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Throws sinew.UnknownNameError, which lists the names nearest to the one that was not found.
/// @param kind "link" or "joint"
/// @param known the names there are, a sequence of str
[[noreturn]] void throw_unknown_name(const char *kind, nb::handle name, nb::handle known);

/// Throws what Python's error indicator holds.
[[noreturn]] void throw_pending();

/// The object, or throws where a call of Python's C interface returned NULL.
inline PyObject *checked(PyObject *object) {
  if (object == nullptr) {
    throw_pending();
  }
  return object;
}

/// Sets Python's error indicator from the C++ exception that is being handled.
void set_pending_from_exception();

} // namespace sinew::python

#endif
