/// Arguments that are arrays: read in place where NumPy's layout allows it.
#ifndef SINEW_PYTHON_ARRAYS_H
#define SINEW_PYTHON_ARRAYS_H

#include "error.h"

#include <string>
#include <vector>

namespace sinew::python {

/// An array of float32 or float64 with any strides. Other types of numbers, lists and whatever
/// else NumPy understands have been converted.
class Array {
public:
  Array() = default;

  /// @param name of the argument, for messages
  Array(nb::handle object, const char *name);

  bool is_set() const {
    return m_owner.is_valid();
  }
  int ndim() const {
    return PyArray_NDIM(array());
  }
  npy_intp shape(int axis) const {
    return PyArray_DIMS(array())[axis];
  }
  npy_intp stride(int axis) const {
    return PyArray_STRIDES(array())[axis];
  }
  const char *data() const {
    return PyArray_BYTES(array());
  }
  bool is_single() const {
    return m_single;
  }

  /// "(5, 3)"
  std::string shape_text() const;

  /// Merges all axes but the last inner ones into one. Copies only where strides do not allow it.
  void flatten(int inner);

  /// The leading shape: all axes but the last inner ones.
  std::vector<npy_intp> leading(int inner) const;

  PyArrayObject *array() const {
    return (PyArrayObject *)m_owner.ptr();
  }

private:
  nb::object m_owner;
  bool m_single = false;
};

/// The rows of an array: row i has count values, along one axis or two.
class Rows {
public:
  Rows() = default;

  /// @param array with inner + 1 axes; inner 1 or 2
  Rows(const Array &array, int inner);

  /// One row that stands for any number of them.
  static Rows repeated(const Array &array);

  npy_intp size() const {
    return m_size;
  }
  int count() const {
    return m_rows * m_columns;
  }

  /// Copies row i.
  void read(npy_intp i, double *values) const {
    const char *row = m_data + i * m_step;
    for (int r = 0; r < m_rows; ++r) {
      for (int c = 0; c < m_columns; ++c) {
        const char *at = row + r * m_row_step + c * m_column_step;
        *values++ = m_single ? (double)*(const float *)at : *(const double *)at;
      }
    }
  }

  /// The rows themselves where they are float64 without gaps inside a row, and each is a whole
  /// number of doubles after the last; else NULL.
  /// @param stride receives the distance between rows in doubles
  const double *in_place(size_t *stride) const;

private:
  const char *m_data = nullptr;
  npy_intp m_size = 0, m_step = 0, m_row_step = 0, m_column_step = 0;
  int m_rows = 0, m_columns = 0;
  bool m_single = false;
};

/// A new array of float64.
nb::object new_array(const std::vector<npy_intp> &shape, int type = NPY_DOUBLE);

inline double *doubles_of(nb::handle array) {
  return (double *)PyArray_DATA((PyArrayObject *)array.ptr());
}

/// Whether object is a float64 array of exactly this many axes, aligned, in C order.
inline bool is_plain(PyObject *object, int ndim) {
  if (!PyArray_CheckExact(object)) {
    return false;
  }
  PyArrayObject *array = (PyArrayObject *)object;
  return PyArray_NDIM(array) == ndim && PyArray_TYPE(array) == NPY_DOUBLE &&
         PyArray_ISCARRAY_RO(array);
}

/// Checks an argument out=: float64, aligned, in C order, writable, of this shape.
void check_out(nb::handle out, const std::vector<npy_intp> &shape);

/// Whether the memory of two arrays overlaps.
bool overlap(const PyArrayObject *a, const PyArrayObject *b);

/// "(5, 3)"
std::string shape_text(const std::vector<npy_intp> &shape);

} // namespace sinew::python

#endif
