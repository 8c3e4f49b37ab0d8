#include "arrays.h"

namespace sinew::python {

std::string shape_text(const std::vector<npy_intp> &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += std::to_string(shape[i]);
    text += i + 1 < shape.size() ? ", " : shape.size() == 1 ? "," : "";
  }
  return text + ")";
}

// Puts the argument's name before the message of the exception that NumPy raised. Other types of
// exceptions than these stay as they are.
[[noreturn]] static void throw_named(const char *name) {
  nb::python_error error;
  for (PyObject *type : {PyExc_ValueError, PyExc_TypeError}) {
    if (error.matches(type)) {
      throw_python(type, "%s: %s", name, nb::str(error.value()).c_str());
    }
  }
  throw error;
}

Array::Array(nb::handle object, const char *name) {
  const int flags = NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED;
  if (PyArray_Check(object.ptr())) {
    PyArrayObject *array = (PyArrayObject *)object.ptr();
    const int type = PyArray_TYPE(array);
    if ((type == NPY_DOUBLE || type == NPY_FLOAT) && PyArray_CHKFLAGS(array, NPY_ARRAY_ALIGNED) &&
        PyArray_ISNOTSWAPPED(array)) {
      m_owner = nb::borrow(object);
      m_single = type == NPY_FLOAT;
      return;
    }
  }
  PyObject *converted =
      PyArray_FromAny(object.ptr(), PyArray_DescrFromType(NPY_DOUBLE), 0, 0, flags, nullptr);
  if (converted == nullptr) {
    throw_named(name);
  }
  m_owner = nb::steal(converted);
}

std::string Array::shape_text() const {
  return python::shape_text(leading(0));
}

std::vector<npy_intp> Array::leading(int inner) const {
  const npy_intp *dims = PyArray_DIMS(array());
  return {dims, dims + (ndim() - inner)};
}

void Array::flatten(int inner) {
  const int n = ndim();
  if (n == inner + 1) {
    return;
  }
  npy_intp size = 1;
  for (int axis = 0; axis < n - inner; ++axis) {
    size *= shape(axis);
  }
  npy_intp dims[3] = {size, 0, 0};
  for (int axis = 0; axis < inner; ++axis) {
    dims[1 + axis] = shape(n - inner + axis);
  }
  PyArray_Dims to = {dims, inner + 1};
  m_owner = nb::steal(checked(PyArray_Newshape(array(), &to, NPY_CORDER)));
}

Rows::Rows(const Array &array, int inner)
    : m_data(array.data()), m_size(array.shape(0)), m_step(array.stride(0)),
      m_row_step(inner == 2 ? array.stride(1) : 0), m_column_step(array.stride(inner)),
      m_rows(inner == 2 ? (int)array.shape(1) : 1), m_columns((int)array.shape(inner)),
      m_single(array.is_single()) {}

Rows Rows::repeated(const Array &array) {
  Rows rows;
  rows.m_data = array.data();
  rows.m_size = NPY_MAX_INTP;
  rows.m_column_step = array.stride(0);
  rows.m_rows = 1;
  rows.m_columns = (int)array.shape(0);
  rows.m_single = array.is_single();
  return rows;
}

const double *Rows::in_place(size_t *stride) const {
  const npy_intp value = (npy_intp)sizeof(double);
  if (m_single || m_rows != 1 || (m_columns > 1 && m_column_step != value) || m_step % value != 0 ||
      m_step < m_columns * value) {
    return nullptr;
  }
  *stride = (size_t)(m_step / value);
  return (const double *)m_data;
}

nb::object new_array(const std::vector<npy_intp> &shape, int type) {
  return nb::steal(
      checked(PyArray_SimpleNew((int)shape.size(), const_cast<npy_intp *>(shape.data()), type)));
}

void check_out(nb::handle out, const std::vector<npy_intp> &shape) {
  if (!PyArray_Check(out.ptr())) {
    throw_python(PyExc_TypeError, "out must be a NumPy array, not %s",
                 nb::type_name(out.type()).c_str());
  }
  PyArrayObject *array = (PyArrayObject *)out.ptr();
  if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY(array)) {
    throw_python(PyExc_ValueError, "out must be a writable float64 array in C order without gaps");
  }
  const std::vector<npy_intp> actual(PyArray_DIMS(array),
                                     PyArray_DIMS(array) + PyArray_NDIM(array));
  if (actual != shape) {
    throw_python(PyExc_ValueError, "out has shape %s; it must be %s", shape_text(actual).c_str(),
                 shape_text(shape).c_str());
  }
}

// The first byte of an array's memory, and the one after its last.
static void bounds_of(const PyArrayObject *object, const char **begin, const char **end) {
  PyArrayObject *array = const_cast<PyArrayObject *>(object);
  *begin = *end = PyArray_BYTES(array);
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    const npy_intp extent = (PyArray_DIMS(array)[axis] - 1) * PyArray_STRIDES(array)[axis];
    *(extent < 0 ? begin : end) += extent;
  }
  *end += PyArray_ITEMSIZE(array);
}

bool overlap(const PyArrayObject *a, const PyArrayObject *b) {
  const char *begin_a, *end_a, *begin_b, *end_b;
  bounds_of(a, &begin_a, &end_a);
  bounds_of(b, &begin_b, &end_b);
  return begin_a < end_b && begin_b < end_a;
}

} // namespace sinew::python
