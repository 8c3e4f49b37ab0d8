/// NumPy's C interface, and nanobind, in the order that they need.
///
/// One source defines SINEW_IMPORT_NUMPY, which holds NumPy's table of functions; the others
/// refer to it.
#ifndef SINEW_PYTHON_NUMPY_H
#define SINEW_PYTHON_NUMPY_H

#include <nanobind/nanobind.h>

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL sinew_numpy_functions
#ifndef SINEW_IMPORT_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

namespace nb = nanobind;

#endif
