/// Arguments of methods that are called a million times a second: positions and keywords are
/// matched by the identity of interned names.
#ifndef SINEW_PYTHON_CALL_H
#define SINEW_PYTHON_CALL_H

#include "error.h"

namespace sinew::python {

/// The parameters of a function: the first ones may also be given by position.
template <int N> class Parameters {
public:
  /// @param required how many must be given
  Parameters(const char *function, int positional, int required, const char *const (&names)[N])
      : m_function(function), m_positional(positional), m_required(required) {
    for (int i = 0; i < N; ++i) {
      m_names[i] = checked(PyUnicode_InternFromString(names[i]));
    }
  }

  /// Sorts the arguments of a METH_FASTCALL | METH_KEYWORDS call. Those not given are NULL.
  void read(PyObject *const *arguments, Py_ssize_t count, PyObject *keywords,
            PyObject *(&out)[N]) const {
    if (count > m_positional) {
      throw_python(PyExc_TypeError, "%s() takes at most %d positional arguments, %zd were given",
                   m_function, m_positional, count);
    }
    for (int i = 0; i < N; ++i) {
      out[i] = i < count ? arguments[i] : nullptr;
    }
    const Py_ssize_t keyword_count = keywords != nullptr ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t k = 0; k < keyword_count; ++k) {
      PyObject *keyword = PyTuple_GetItem(keywords, k);
      const int i = find(keyword);
      if (out[i] != nullptr) {
        throw_python(PyExc_TypeError, "%s() got two values for %s", m_function,
                     nb::repr(keyword).c_str());
      }
      out[i] = arguments[count + k];
    }
    for (int i = 0; i < m_required; ++i) {
      if (out[i] == nullptr) {
        throw_python(PyExc_TypeError, "%s() needs the argument %s", m_function,
                     nb::repr(nb::handle(m_names[i])).c_str());
      }
    }
  }

private:
  int find(PyObject *keyword) const {
    for (int i = 0; i < N; ++i) {
      if (m_names[i] == keyword) {
        return i;
      }
    }
    nb::list known;
    for (int i = 0; i < N; ++i) {
      if (PyUnicode_Compare(m_names[i], keyword) == 0) {
        return i;
      }
      known.append(nb::handle(m_names[i]));
    }
    nb::object message = nb::module_::import_("sinew._errors")
                             .attr("unknown_argument")(m_function, nb::handle(keyword), known);
    throw_python(PyExc_TypeError, "%s", nb::str(message).c_str());
  }

  const char *m_function;
  int m_positional, m_required;
  PyObject *m_names[N];
};

} // namespace sinew::python

#endif
