#include "task.h"

#include "fields.h"
#include "targets.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

namespace sinew::python {

// ---- readers of single fields ----

static void read_kind(const Model &model, nb::handle value, const char *of, const Field &field,
                      void *member) {
  std::vector<const char *> names;
  for (int kind = 0; kind < sinew_task_kind_count(); ++kind) {
    names.push_back(sinew_task_kind_name((sinew_task_kind)kind));
  }
  names.push_back(nullptr);
  Field with_names = field;
  with_names.choices = names.data();
  read_choice(model, value, of, with_names, member);
}

static void read_free(const Model &, nb::handle value, const char *of, const Field &,
                      void *member) {
  static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
  unsigned all = 0;
  for (nb::handle axis : nb::borrow(value)) {
    unsigned bit = 0;
    for (int i = 0; i < 6; ++i) {
      if (PyUnicode_Check(axis.ptr()) &&
          PyUnicode_CompareWithASCIIString(axis.ptr(), names[i]) == 0) {
        bit = 1u << i;
      }
    }
    if (bit == 0) {
      throw_python(PyExc_ValueError,
                   "%s has axes \"x\", \"y\", \"z\", \"rx\", \"ry\" and \"rz\", not %s", of,
                   nb::repr(axis).c_str());
    }
    all |= bit;
  }
  std::memcpy(member, &all, sizeof all);
}

// A rotation matrix, or a Rotation of SciPy; None leaves the default.
static void read_rotation(const Model &, nb::handle value, const char *of, const Field &,
                          void *member) {
  if (value.is_none()) {
    return;
  }
  sinew_task orientation = sinew_default_task();
  orientation.kind = SINEW_TASK_ORIENTATION;
  const Targets rotation(value, of, Order::none, &orientation);
  double row[16];
  if (!rotation.is_one()) {
    throw_python(PyExc_ValueError, "%s must be one rotation, not of shape %s", of,
                 shape_text(rotation.leading()).c_str());
  }
  if (!rotation.read(0, row)) {
    rotation.refuse(0);
  }
  std::memcpy(member, row, 4 * sizeof *row);
}

// None, True or False.
static void read_requirement(const Model &model, nb::handle value, const char *of,
                             const Field &field, void *member) {
  sinew_requirement requirement = SINEW_REQUIRED_BY_LEVEL;
  if (!value.is_none()) {
    bool is_required;
    read_flag(model, value, of, field, &is_required);
    requirement = is_required ? SINEW_REQUIRED : SINEW_NOT_REQUIRED;
  }
  std::memcpy(member, &requirement, sizeof requirement);
}

// Names of joints; -1 fills the places that are left.
static void read_excluded(const Model &model, nb::handle value, const char *of, const Field &,
                          void *member) {
  int joints[SINEW_TASK_MOST_EXCLUDED], count = 0;
  std::fill(std::begin(joints), std::end(joints), -1);
  for (nb::handle name : nb::borrow(value)) {
    if (count == SINEW_TASK_MOST_EXCLUDED) {
      throw_python(PyExc_ValueError, "%s has more than %d joints", of, SINEW_TASK_MOST_EXCLUDED);
    }
    joints[count++] = model.find_joint(name);
  }
  std::memcpy(member, joints, sizeof joints);
}

// ---- all fields ----

static const char *const AXES[] = {"target", "tool", "frame", nullptr}; // sinew_task_axes

// A field that sinew_task gains needs a line here, and one in _tasks.py.
static const Field FIELDS[] = {
    SINEW_FIELD(sinew_task, "link", link, read_link),
    SINEW_FIELD(sinew_task, "kind", kind, read_kind),
    SINEW_FIELD(sinew_task, "point", point_l, read_numbers),
    SINEW_FIELD(sinew_task, "axis", axis_l, read_numbers),
    SINEW_FIELD(sinew_task, "free", free_axes, read_free),
    SINEW_FIELD(sinew_task, "position_weight", position_weight, read_number),
    SINEW_FIELD(sinew_task, "orientation_weight", orientation_weight, read_number),
    SINEW_FIELD(sinew_task, "chain_root", chain_root, read_link),
    SINEW_FIELD(sinew_task, "frame", frame_link, read_link),
    SINEW_FIELD(sinew_task, "cone_angle", cone_angle, read_number),
    SINEW_FIELD(sinew_task, "up_axis", up_axis, read_numbers),
    SINEW_FIELD(sinew_task, "lower", range_lower, read_numbers),
    SINEW_FIELD(sinew_task, "upper", range_upper, read_numbers),
    SINEW_FIELD(sinew_task, "rotation", rotation_l, read_rotation),
    SINEW_FIELD(sinew_task, "axis_weights", axis_weights, read_numbers),
    SINEW_FIELD(sinew_task, "weight_axes", weight_axes, read_choice, AXES),
    SINEW_FIELD(sinew_task, "level", level, read_integer),
    SINEW_FIELD(sinew_task, "required", required, read_requirement),
    SINEW_FIELD(sinew_task, "center_of_mass", center_of_mass, read_flag),
    SINEW_FIELD(sinew_task, "influence", influence, read_number),
    SINEW_FIELD(sinew_task, "gain", gain, read_number),
    SINEW_FIELD(sinew_task, "excluded_joints", excluded_joints, read_excluded),
    SINEW_FIELD(sinew_task, "hard", hard, read_flag),
};

sinew_task read_task(const Model &model, nb::handle link, sinew_task_kind kind) {
  sinew_task task = sinew_default_task();
  if (PyUnicode_Check(link.ptr())) {
    task.link = model.find_link(link);
    task.kind = kind;
    return task;
  }
  read_fields(model, link, "Task", FIELDS, std::size(FIELDS), &task);
  if (nb::object(link.attr("link")).is_none() && !task.center_of_mass) {
    throw_python(PyExc_ValueError, "Task: link must be given, except with center_of_mass=True");
  }
  return task;
}

void append_task(const sinew_task &task, std::string *key) {
  append_fields(FIELDS, std::size(FIELDS), &task, key);
}

nb::dict describe_task() {
  return describe_fields(FIELDS, std::size(FIELDS));
}

int count_influences(const std::vector<sinew_task> &tasks) {
  const int most = 16; // of sinew_solver_def.influences
  std::set<double> between;
  bool below = false;
  for (const sinew_task &task : tasks) {
    below = below || task.influence != 1;
    if (task.influence > 0 && task.influence < 1) {
      between.insert(task.influence);
    }
  }
  return std::clamp((int)between.size(), below ? 1 : 0, most);
}

// ---- support polygons ----

static nb::tuple numbers(const double *values, size_t count) {
  nb::list out;
  for (size_t i = 0; i < count; ++i) {
    out.append(values[i]);
  }
  return nb::tuple(out);
}

nb::tuple support_polygon(nb::handle contacts, nb::handle up, double margin) {
  const Array points(contacts, "contacts"), normal(up, "up");
  if (points.ndim() != 2 || points.shape(1) != 3) {
    throw_python(PyExc_ValueError, "contacts has shape %s; it must be (n, 3)",
                 points.shape_text().c_str());
  }
  if (normal.ndim() != 1 || normal.shape(0) != 3) {
    throw_python(PyExc_ValueError, "up has shape %s; it must be (3,)", normal.shape_text().c_str());
  }
  const size_t count = (size_t)points.shape(0);
  const Rows rows(points, 1);
  std::vector<double> values(3 * count + 1);
  for (size_t i = 0; i < count; ++i) {
    rows.read((npy_intp)i, values.data() + 3 * i);
  }
  sinew_support_def def = sinew_default_support_def();
  def.contacts = values.data();
  def.count = (int)count;
  def.margin = margin;
  Rows::repeated(normal).read(0, def.up);
  std::vector<sinew_task> tasks(count + 1);
  std::vector<sinew_target> targets(count + 1);
  int edges = 0;
  sinew_error error = {};
  if (sinew_support_polygon(&def, tasks.data(), targets.data(), &edges, &error) != SINEW_OK) {
    throw_error(error);
  }
  nb::object out = new_array({edges, 6});
  for (int i = 0; i < edges; ++i) {
    std::memcpy(doubles_of(out) + 6 * i, targets[(size_t)i].position, 3 * sizeof(double));
    std::memcpy(doubles_of(out) + 6 * i + 3, targets[(size_t)i].direction, 3 * sizeof(double));
  }
  const sinew_task &task = tasks[0]; // all are alike
  nb::dict fields;
  fields["kind"] = sinew_task_kind_name(task.kind);
  fields["center_of_mass"] = task.center_of_mass;
  fields["lower"] = numbers(task.range_lower, std::size(task.range_lower));
  fields["upper"] = numbers(task.range_upper, std::size(task.range_upper));
  return nb::make_tuple(out, fields);
}

// ---- end effectors ----

bool is_one_effector(nb::handle link) {
  return PyUnicode_Check(link.ptr()) || nb::hasattr(link, "link");
}

nb::list read_effectors(nb::handle link) {
  if (!PyTuple_Check(link.ptr()) && !PyList_Check(link.ptr())) {
    throw_python(PyExc_TypeError,
                 "link must be the name of a link, a sinew.Task, or a list of these, not %s",
                 nb::type_name(link.type()).c_str());
  }
  nb::list effectors = nb::list(link);
  if (nb::len(effectors) == 0) {
    throw_python(PyExc_ValueError, "link is empty: name at least one end effector");
  }
  return effectors;
}

std::vector<sinew_task> read_tasks(const Model &model, nb::handle link) {
  std::vector<sinew_task> tasks;
  if (is_one_effector(link)) {
    tasks.push_back(read_task(model, link, SINEW_TASK_POSE));
  } else {
    for (nb::handle effector : read_effectors(link)) {
      tasks.push_back(read_task(model, effector, SINEW_TASK_POSE));
    }
  }
  return tasks;
}

} // namespace sinew::python
