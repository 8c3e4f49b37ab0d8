#include "constraints.h"

#include "fields.h"
#include "task.h"

#include <algorithm>
#include <iterator>

namespace sinew::python {

static const int MOST_ROWS = 1000; // of sinew_lower_def

static void read_kind(const Model &model, nb::handle value, const char *of, const Field &field,
                      void *member) {
  static const char *names[SINEW_OBJECTIVE_COUNT + 1];
  for (int kind = 0; kind < SINEW_OBJECTIVE_COUNT; ++kind) {
    names[kind] = sinew_objective_kind_name((sinew_objective_kind)kind);
  }
  Field with_names = field;
  with_names.choices = names;
  read_choice(model, value, of, with_names, member);
}

// Three links, or none.
static void read_links(const Model &model, nb::handle value, const char *of, const Field &field,
                       void *member) {
  const nb::list names = nb::list(value);
  const size_t count = field.size / sizeof(int);
  if (nb::len(names) != 0 && nb::len(names) != count) {
    throw_python(PyExc_ValueError, "%s has %zu names; it must have %zu", of, nb::len(names), count);
  }
  for (size_t i = 0; i < nb::len(names); ++i) {
    read_link(model, names[i], of, field, (int *)member + i);
  }
}

// A field that sinew_objective gains needs a line here, and one in _objectives.py.
static const Field FIELDS[] = {
    SINEW_FIELD(sinew_objective, "kind", kind, read_kind),
    SINEW_FIELD(sinew_objective, "level", level, read_integer),
    SINEW_FIELD(sinew_objective, "weight", weight, read_number),
    SINEW_FIELD(sinew_objective, "gain", gain, read_number),
    SINEW_FIELD(sinew_objective, "value", value, read_number),
    SINEW_FIELD(sinew_objective, "rows", rows, read_integer),
    SINEW_FIELD(sinew_objective, "links", links, read_links),
    SINEW_FIELD(sinew_objective, "pole", pole, read_numbers),
    SINEW_FIELD(sinew_objective, "pole_is_direction", pole_is_direction, read_flag),
};

nb::dict describe_objective() {
  nb::dict out = describe_fields(FIELDS, std::size(FIELDS));
  for (const char *name : {"weights", "posture", "coefficients", "task", "function"}) {
    out[name] = name; // what the objective refers to
  }
  return out;
}

static std::vector<double> values_of(nb::handle object, const char *name) {
  const Array array(object, name);
  std::vector<double> values((size_t)array.shape(0));
  if (!values.empty()) {
    Rows::repeated(array).read(0, values.data());
  }
  return values;
}

std::vector<double> read_dofs(const Model &model, const char *function, nb::handle argument,
                              const char *name) {
  if (argument.is_none()) {
    return {};
  }
  const nb::object read = nb::module_::import_("sinew._constraints").attr(function);
  return values_of(nb::object(read(nb::find(&model), argument, name)), name);
}

static nb::handle given(PyObject *object) {
  return object != nullptr ? nb::handle(object) : nb::handle(Py_None);
}

Constraints::Constraints(const Model &model, const ConstraintArguments &arguments) {
  const std::vector<double> frozen = read_dofs(model, "frozen", given(arguments.frozen), "frozen");
  m_frozen.assign(frozen.begin(), frozen.end());
  m_gains = read_dofs(model, "gains", given(arguments.gains), "gains");
  if (!given(arguments.limits).is_none()) {
    m_lower = read_dofs(model, "lower_limits", arguments.limits, "limits");
    m_upper = read_dofs(model, "upper_limits", arguments.limits, "limits");
  }
  if (!given(arguments.objectives).is_none()) {
    read_objectives(model, arguments.objectives);
  }
}

void Constraints::read_objectives(const Model &model, nb::handle objectives) {
  const nb::list all =
      nb::cast<nb::list>(nb::module_::import_("sinew._constraints").attr("objectives")(objectives));
  for (nb::handle object : all) {
    m_objectives.push_back(read_objective(model, object, m_objectives.size()));
  }
}

Constraints::Objective Constraints::read_objective(const Model &model, nb::handle object,
                                                   size_t number) {
  Objective objective = {sinew_default_objective(), {}, {}, {}, {}, {}};
  const auto value = [&](const char *name) { return nb::object(object.attr(name)); };
  read_fields(model, object, "Objective", FIELDS, std::size(FIELDS), &objective.core);
  objective.weights = read_dofs(model, "gains", value("weights"), "Objective: weights");
  objective.posture = read_dofs(model, "posture", value("posture"), "Objective: posture");
  objective.coefficients =
      read_dofs(model, "coefficients", value("coefficients"), "Objective: coefficients");
  if (objective.core.kind == SINEW_OBJECTIVE_MANIPULABILITY) {
    const nb::object task = value("task");
    if (!is_one_effector(task)) {
      throw_python(PyExc_TypeError,
                   "Objective: task must be a sinew.Task or the name of a link, not %s",
                   nb::repr(task).c_str());
    }
    objective.task = read_task(model, task, SINEW_TASK_POSE);
  }
  if (objective.core.kind == SINEW_OBJECTIVE_CALLBACK) {
    nb::object function = value("function");
    if (PyCallable_Check(function.ptr()) == 0) {
      throw_python(PyExc_TypeError, "Objective: function must be callable, not %s",
                   nb::repr(function).c_str());
    }
    objective.callback = std::make_shared<Callback>(model, std::move(function), objective.core.rows,
                                                    "objectives[" + std::to_string(number) + "]");
  }
  return objective;
}

std::vector<sinew_objective> Constraints::objectives() const {
  std::vector<sinew_objective> out;
  for (const Objective &objective : m_objectives) {
    out.push_back(objective.core);
    out.back().weights = objective.weights.empty() ? nullptr : objective.weights.data();
    out.back().posture = objective.posture.empty() ? nullptr : objective.posture.data();
    out.back().coefficients =
        objective.coefficients.empty() ? nullptr : objective.coefficients.data();
    out.back().task = &objective.task;
    out.back().function = objective.callback != nullptr ? Callback::call : nullptr;
    out.back().context = objective.callback.get();
  }
  return out;
}

bool Constraints::has_callbacks() const {
  return std::any_of(m_objectives.begin(), m_objectives.end(),
                     [](const Objective &objective) { return objective.callback != nullptr; });
}

int Constraints::traverse(visitproc visit, void *argument) const {
  for (const Objective &objective : m_objectives) {
    if (objective.callback != nullptr && objective.callback->function() != nullptr) {
      const int result = visit(objective.callback->function(), argument);
      if (result != 0) {
        return result;
      }
    }
  }
  return 0;
}

void Constraints::clear_callbacks() const {
  for (const Objective &objective : m_objectives) {
    if (objective.callback != nullptr) {
      objective.callback->clear();
    }
  }
}

// Rows in sinew_lower_def.rows. More than it may be, and less than none, the solver refuses.
static int rows_of(const sinew_objective &objective) {
  switch (objective.kind) {
  case SINEW_OBJECTIVE_COUPLING:
  case SINEW_OBJECTIVE_POLE:
    return 1;
  case SINEW_OBJECTIVE_CALLBACK:
    return std::clamp(objective.rows, 0, MOST_ROWS);
  default:
    return 0;
  }
}

sinew_lower_def Constraints::room(const std::vector<sinew_task> &tasks) const {
  sinew_lower_def room = {m_objectives.empty() ? 0 : 1, (int)m_objectives.size()};
  for (const sinew_task &task : tasks) {
    const int least = task.required == SINEW_NOT_REQUIRED ? 1 : 0;
    room.levels = std::max({room.levels, task.level, least});
  }
  for (const Objective &objective : m_objectives) {
    room.levels = std::max(room.levels, objective.core.level);
    room.rows = std::min(room.rows + rows_of(objective.core), MOST_ROWS);
  }
  return room;
}

void check_call(const sinew_solver *solver, sinew_result result) {
  if (result != SINEW_OK) {
    throw_error(*sinew_solver_last_error(solver));
  }
}

void Constraints::set(sinew_solver *solver) const {
  if (!m_frozen.empty()) {
    check_call(solver, sinew_solver_set_frozen(solver, m_frozen.data()));
  }
  if (!m_gains.empty()) {
    check_call(solver, sinew_solver_set_gains(solver, m_gains.data()));
  }
  if (!m_lower.empty()) {
    check_call(solver, sinew_solver_set_limits(solver, m_lower.data(), m_upper.data()));
  }
  const std::vector<sinew_objective> all = objectives();
  sinew_error error = {};
  if (!all.empty() &&
      sinew_solver_set_objectives(solver, all.data(), (int)all.size(), &error) != SINEW_OK) {
    throw_error(error);
  }
}

template <class T> static void append_array(const T *values, size_t count, std::string *key) {
  key->append((const char *)&count, sizeof count);
  key->append((const char *)values, count * sizeof *values);
}

void Constraints::append(std::string *key) const {
  append_array(m_frozen.data(), m_frozen.size(), key);
  append_array(m_gains.data(), m_gains.size(), key);
  append_array(m_lower.data(), m_lower.size(), key);
  append_array(m_upper.data(), m_upper.size(), key);
  for (const Objective &objective : m_objectives) {
    append_fields(FIELDS, std::size(FIELDS), &objective.core, key);
    append_array(objective.weights.data(), objective.weights.size(), key);
    append_array(objective.posture.data(), objective.posture.size(), key);
    append_array(objective.coefficients.data(), objective.coefficients.size(), key);
    append_task(objective.task, key);
    if (objective.callback != nullptr) {
      objective.callback->append(key);
    }
  }
}

} // namespace sinew::python
