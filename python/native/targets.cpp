#include "targets.h"

#include "sinew/math.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace sinew::python {

// How far a matrix may be from a rotation. float32 and products of many matrices stay below.
static constexpr double ROTATION_TOLERANCE = 1e-5;

Order read_order(nb::handle quaternion) {
  if (quaternion.is_none()) {
    return Order::none;
  }
  if (PyUnicode_Check(quaternion.ptr())) {
    if (PyUnicode_CompareWithASCIIString(quaternion.ptr(), "wxyz") == 0) {
      return Order::wxyz;
    }
    if (PyUnicode_CompareWithASCIIString(quaternion.ptr(), "xyzw") == 0) {
      return Order::xyzw;
    }
  }
  throw_python(PyExc_ValueError, "quaternion must be \"wxyz\" or \"xyzw\", not %s",
               nb::repr(quaternion).c_str());
}

// ---- what a shape means ----

static bool ends_with(const Array &array, std::initializer_list<npy_intp> shape) {
  const int first = array.ndim() - (int)shape.size();
  int axis = first;
  for (const npy_intp extent : shape) {
    if (first < 0 || array.shape(axis++) != extent) {
      return false;
    }
  }
  return true;
}

static int inner_axes(Form form) {
  return form == Form::transform || form == Form::matrix ? 2 : 1;
}

static bool has_quaternion(Form form) {
  return form == Form::pose || form == Form::rotation;
}

// The form of targets whose task is not given.
static Form form_of_shape(const Array &array, Order order, const char *name) {
  if (order == Order::none && ends_with(array, {4, 4})) {
    return Form::transform;
  }
  if (ends_with(array, {7})) {
    return Form::pose;
  }
  if (ends_with(array, {4})) {
    return Form::rotation;
  }
  if (ends_with(array, {3, 3}) && array.ndim() == 2) {
    // three positions, or a rotation matrix: three positions, as every other (n, 3)
    return Form::position;
  }
  if (ends_with(array, {3})) {
    return Form::position;
  }
  throw_python(PyExc_ValueError,
               "%s has shape %s; its last axes must be (4, 4) for homogeneous matrices, (7,) for "
               "positions with quaternions, (4,) for quaternions or (3,) for positions",
               name, array.shape_text().c_str());
}

// "4 values: x, y, z, distance"
static std::string columns_text(const sinew_task &task) {
  const int size = sinew_task_target_size(&task);
  std::string text = std::to_string(size) + " values: ";
  for (int i = 0; i < size; ++i) {
    text += std::string(i > 0 ? ", " : "") + sinew_task_target_column(&task, i);
  }
  return text;
}

// The form of targets of a task.
static Form form_for_task(const Array &array, Order order, const sinew_task &task,
                          const char *name) {
  const char *expected = nullptr;
  switch (sinew_task_target_fields(&task)) {
  case SINEW_TARGET_POSITION | SINEW_TARGET_ROTATION:
    if (order == Order::none && ends_with(array, {4, 4})) {
      return Form::transform;
    }
    if (ends_with(array, {7})) {
      return Form::pose;
    }
    expected = "(4, 4) or (7,)";
    break;
  case SINEW_TARGET_ROTATION:
    if (order == Order::none && ends_with(array, {4, 4})) {
      return Form::transform;
    }
    if (order == Order::none && ends_with(array, {3, 3})) {
      return Form::matrix;
    }
    if (ends_with(array, {4})) {
      return Form::rotation;
    }
    expected = "(3, 3), (4, 4) or (4,)";
    break;
  case SINEW_TARGET_POSITION:
    if (ends_with(array, {3})) {
      return Form::position;
    }
    expected = "(3,)";
    break;
  case SINEW_TARGET_DIRECTION:
    if (ends_with(array, {3})) {
      return Form::direction;
    }
    expected = "(3,)";
    break;
  default:
    if (ends_with(array, {sinew_task_target_size(&task)})) {
      return Form::values;
    }
    throw_python(
        PyExc_ValueError, "%s has shape %s; its last axis must have %s for a task of kind %s", name,
        array.shape_text().c_str(), columns_text(task).c_str(), sinew_task_kind_name(task.kind));
  }
  throw_python(PyExc_ValueError, "%s has shape %s; its last axes must be %s for a task of kind %s",
               name, array.shape_text().c_str(), expected, sinew_task_kind_name(task.kind));
}

Targets::Targets(nb::handle object, std::string name, Order order, const sinew_task *task)
    : m_name(std::move(name)) {
  nb::object source = nb::borrow(object);
  if (!PyArray_Check(object.ptr())) {
    // objects of other libraries, and lists of them
    nb::tuple converted =
        nb::cast<nb::tuple>(nb::module_::import_("sinew._targets").attr("to_array")(object));
    source = converted[0];
    if (!converted[1].is_none()) {
      order = read_order(converted[1]);
    }
  }
  m_array = Array(source, m_name.c_str());
  m_form = task != nullptr ? form_for_task(m_array, order, *task, m_name.c_str())
                           : form_of_shape(m_array, order, m_name.c_str());
  if (has_quaternion(m_form) && order == Order::none) {
    throw_python(
        PyExc_ValueError,
        "%s has shape %s, which is read as %squaternions: state their order, "
        "quaternion=\"wxyz\" or quaternion=\"xyzw\". Homogeneous matrices have shape (4, 4)",
        m_name.c_str(), m_array.shape_text().c_str(),
        m_form == Form::pose ? "positions with " : "");
  }
  if (m_form == Form::values) {
    m_row_size = sinew_task_target_size(task);
    for (int i = 0; i < m_row_size; ++i) {
      m_columns.emplace_back(sinew_task_target_column(task, i));
    }
  }
  m_scalar_last = order == Order::xyzw;
  m_rotation_only = task != nullptr && sinew_task_target_fields(task) == SINEW_TARGET_ROTATION;
  const int inner = inner_axes(m_form);
  m_leading = m_array.leading(inner);
  m_array.flatten(inner);
  m_rows = Rows(m_array, inner);
}

sinew_task_kind Targets::kind() const {
  switch (m_form) {
  case Form::transform:
  case Form::pose:
    return SINEW_TASK_POSE;
  case Form::rotation:
  case Form::matrix:
    return SINEW_TASK_ORIENTATION;
  case Form::direction:
  case Form::values: // given with its task
    return SINEW_TASK_DIRECTION;
  case Form::position:
    break;
  }
  return SINEW_TASK_POSITION;
}

int Targets::size() const {
  switch (m_form) {
  case Form::transform:
    return m_rotation_only ? 4 : 7;
  case Form::pose:
    return 7;
  case Form::rotation:
  case Form::matrix:
    return 4;
  case Form::values:
    return m_row_size;
  case Form::position:
  case Form::direction:
    break;
  }
  return 3;
}

// ---- reading ----

static bool all_finite(const double *values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += values[i] * 0; // NaN for what is not finite
  }
  return sum == 0;
}

// A quaternion in the core's order.
static bool put_quaternion(const double *values, bool scalar_last, double *out) {
  const double w = scalar_last ? values[3] : values[0];
  const double *v = scalar_last ? values : values + 1;
  const double x = v[0], y = v[1], z = v[2]; // values may be out
  out[0] = w, out[1] = x, out[2] = y, out[3] = z;
  return w != 0 || x != 0 || y != 0 || z != 0;
}

// The quaternion of a rotation matrix whose rows are stride values apart.
static bool quaternion_of(const double *values, int stride, double *out) {
  double R[9];
  for (int i = 0; i < 3; ++i) {
    std::memcpy(R + 3 * i, values + stride * i, 3 * sizeof *R);
  }
  double error = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) {
      const double product = R[3 * i] * R[3 * j] + R[3 * i + 1] * R[3 * j + 1] +
                             R[3 * i + 2] * R[3 * j + 2] - (i == j ? 1 : 0);
      error = std::fmax(error, std::fabs(product));
    }
  }
  const double determinant = R[0] * (R[4] * R[8] - R[5] * R[7]) -
                             R[1] * (R[3] * R[8] - R[5] * R[6]) +
                             R[2] * (R[3] * R[7] - R[4] * R[6]);
  if (!(error <= ROTATION_TOLERANCE) || determinant < 0) {
    return false;
  }
  sinew_quaternion_from_matrix(R, out);
  return true;
}

static bool has_last_row(const double *T) {
  return T[12] == 0 && T[13] == 0 && T[14] == 0 && T[15] == 1;
}

bool pose_from_transform(const double *T, double *row) {
  row[0] = T[3], row[1] = T[7], row[2] = T[11];
  return all_finite(T, 16) && has_last_row(T) && quaternion_of(T, 4, row + 3);
}

// Whether the row has a direction, and it is 0.
bool Targets::has_zero_direction(const double *values) const {
  bool is_zero = false;
  for (size_t i = 0; i < m_columns.size(); ++i) {
    if (m_columns[i][0] == 'd' && m_columns[i].size() == 2) { // dx, dy, dz
      is_zero = (m_columns[i] == "dx" || is_zero) && values[i] == 0;
    }
  }
  return is_zero;
}

bool Targets::read(npy_intp i, double *row) const {
  double values[16];
  m_rows.read(is_one() ? 0 : i, values);
  bool good = all_finite(values, m_rows.count());
  switch (m_form) {
  case Form::transform: {
    double pose[7] = {};
    good = good && pose_from_transform(values, pose);
    std::memcpy(row, m_rotation_only ? pose + 3 : pose, (size_t)size() * sizeof *row);
    break;
  }
  case Form::pose:
    std::memcpy(row, values, 3 * sizeof *row);
    good = put_quaternion(values + 3, m_scalar_last, row + 3) && good;
    break;
  case Form::rotation:
    good = put_quaternion(values, m_scalar_last, row) && good;
    break;
  case Form::matrix:
    good = good && quaternion_of(values, 3, row);
    break;
  case Form::direction:
    good = good && (values[0] != 0 || values[1] != 0 || values[2] != 0);
    std::memcpy(row, values, 3 * sizeof *row);
    break;
  case Form::position:
    std::memcpy(row, values, 3 * sizeof *row);
    break;
  case Form::values:
    std::memcpy(row, values, (size_t)m_row_size * sizeof *row);
    good = good && !has_zero_direction(values);
    break;
  }
  if (!good) {
    row[0] = std::numeric_limits<double>::quiet_NaN();
  }
  return good;
}

const double *Targets::in_place(size_t *stride) const {
  const bool as_the_core = m_form == Form::position || m_form == Form::direction ||
                           (has_quaternion(m_form) && !m_scalar_last);
  return as_the_core && !is_one() ? m_rows.in_place(stride) : nullptr;
}

// ---- messages ----

// "targets[3, 1]" of target i.
std::string Targets::describe(npy_intp i) const {
  if (is_one()) {
    return m_name;
  }
  std::string text = "]";
  for (size_t axis = m_leading.size(); axis-- > 0;) {
    text = std::to_string(i % m_leading[axis]) + text;
    text = (axis > 0 ? ", " : "[") + text;
    i /= m_leading[axis];
  }
  return m_name + text;
}

// "y", "qw" or "[0, 3]": value k of a target.
static std::string value_name(Form form, bool scalar_last, int k) {
  static const char *const lengths[] = {"x", "y", "z"};
  static const char *const scalar_first_names[] = {"qw", "qx", "qy", "qz"};
  static const char *const scalar_last_names[] = {"qx", "qy", "qz", "qw"};
  const int columns = form == Form::transform ? 4 : 3;
  if (inner_axes(form) == 2) {
    return "[" + std::to_string(k / columns) + ", " + std::to_string(k % columns) + "]";
  }
  if (form == Form::rotation || k >= 3) {
    const int part = form == Form::rotation ? k : k - 3;
    return scalar_last ? scalar_last_names[part] : scalar_first_names[part];
  }
  return lengths[k];
}

void Targets::refuse(npy_intp i) const {
  double values[16];
  m_rows.read(is_one() ? 0 : i, values);
  const std::string place = describe(i);
  for (int k = 0; k < m_rows.count(); ++k) {
    if (!std::isfinite(values[k])) {
      throw_python(PyExc_ValueError, "%s: %s is %s", place.c_str(),
                   m_form == Form::values ? m_columns[(size_t)k].c_str()
                                          : value_name(m_form, m_scalar_last, k).c_str(),
                   std::isnan(values[k]) ? "nan" : "infinite");
    }
  }
  if (has_quaternion(m_form)) {
    throw_python(PyExc_ValueError, "%s: the quaternion is zero", place.c_str());
  }
  if (m_form == Form::direction || m_form == Form::values) {
    throw_python(PyExc_ValueError, "%s: the direction is zero", place.c_str());
  }
  if (m_form == Form::transform && !has_last_row(values)) {
    throw_python(
        PyExc_ValueError,
        "%s: the last row of a homogeneous matrix must be 0, 0, 0, 1; it is %g, %g, %g, %g",
        place.c_str(), values[12], values[13], values[14], values[15]);
  }
  throw_python(PyExc_ValueError,
               "%s: its rotation is no rotation matrix: the axes must be perpendicular unit "
               "vectors to %g, and right-handed",
               place.c_str(), ROTATION_TOLERANCE);
}

} // namespace sinew::python
