/// Targets as NumPy arrays: what each shape means, and reading them as rows of the core's numbers.
#ifndef SINEW_PYTHON_TARGETS_H
#define SINEW_PYTHON_TARGETS_H

#include "arrays.h"

#include "sinew/task.h"

namespace sinew::python {

/// The order of a quaternion's values: an argument "wxyz", "xyzw" or None.
enum class Order { none, wxyz, xyzw };

/// Throws ValueError for anything else.
Order read_order(nb::handle quaternion);

/// What the last axes of an array of targets hold.
enum class Form {
  transform, ///< (4, 4): a homogeneous matrix
  pose,      ///< (7,): a position, then a quaternion
  position,  ///< (3,)
  rotation,  ///< (4,): a quaternion
  matrix,    ///< (3, 3): a rotation matrix
  direction, ///< (3,)
  values     ///< (n,): the core's row of a kind that reads something else
};

/// The targets of one task.
class Targets {
public:
  /// @param name of the argument, for messages
  /// @param task fixes what may be given; NULL: the shape tells
  Targets(nb::handle object, std::string name, Order order, const sinew_task *task);

  /// The kind of task that the shape tells.
  sinew_task_kind kind() const;
  Form form() const {
    return m_form;
  }
  const std::vector<npy_intp> &leading() const {
    return m_leading;
  }
  bool is_one() const {
    return m_leading.empty();
  }

  /// Values in a row of the core.
  int size() const;

  /// Writes target i as the core's row of numbers; where there is one only, for any i.
  /// @return whether it can be used; if not the row has a NaN
  bool read(npy_intp i, double *row) const;

  /// The core's rows in place where the array has them so; else NULL.
  const double *in_place(size_t *stride) const;

  /// Throws ValueError, which says what is wrong with target i.
  [[noreturn]] void refuse(npy_intp i) const;

private:
  std::string describe(npy_intp i) const;
  bool has_zero_direction(const double *values) const;

  std::string m_name;
  Array m_array;
  Rows m_rows;
  std::vector<npy_intp> m_leading;
  Form m_form;
  int m_row_size = 0; // of Form::values
  std::vector<std::string> m_columns;
  bool m_scalar_last;
  bool m_rotation_only = false; // of transforms: the task reads no position
};

/// Writes a homogeneous matrix as a position and a quaternion.
/// @return whether it is one: finite, its last row 0, 0, 0, 1, its axes perpendicular unit vectors
///   to 1e-5, right-handed
bool pose_from_transform(const double *T, double *row);

} // namespace sinew::python

#endif
