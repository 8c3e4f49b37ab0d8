#include "constraints.h"

#include "fields.h"

#include <algorithm>
#include <iterator>

namespace sinew::python {

static const char *const KINDS[] = {"posture", "damping", "low_change", nullptr};
static_assert(std::size(KINDS) == SINEW_OBJECTIVE_COUNT + 1);

// A field that sinew_objective gains needs a line here, and one in _objectives.py.
static const Field FIELDS[] = {
    SINEW_FIELD(sinew_objective, "kind", kind, read_choice, KINDS),
    SINEW_FIELD(sinew_objective, "level", level, read_integer),
    SINEW_FIELD(sinew_objective, "weight", weight, read_number),
    SINEW_FIELD(sinew_objective, "gain", gain, read_number),
};

nb::dict describe_objective() {
  nb::dict out = describe_fields(FIELDS, std::size(FIELDS));
  out["weights"] = "weights"; // arrays, which the objective refers to
  out["posture"] = "posture";
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
    Objective objective = {sinew_default_objective(), {}, {}};
    read_fields(model, object, "Objective", FIELDS, std::size(FIELDS), &objective.core);
    objective.weights =
        read_dofs(model, "gains", nb::object(object.attr("weights")), "Objective: weights");
    objective.posture =
        read_dofs(model, "posture", nb::object(object.attr("posture")), "Objective: posture");
    m_objectives.push_back(std::move(objective));
  }
}

std::vector<sinew_objective> Constraints::objectives() const {
  std::vector<sinew_objective> out;
  for (const Objective &objective : m_objectives) {
    out.push_back(objective.core);
    out.back().weights = objective.weights.empty() ? nullptr : objective.weights.data();
    out.back().posture = objective.posture.empty() ? nullptr : objective.posture.data();
  }
  return out;
}

sinew_lower_def Constraints::room(const std::vector<sinew_task> &tasks) const {
  sinew_lower_def room = {m_objectives.empty() ? 0 : 1, (int)m_objectives.size()};
  for (const sinew_task &task : tasks) {
    const int least = task.required == SINEW_NOT_REQUIRED ? 1 : 0;
    room.levels = std::max({room.levels, task.level, least});
  }
  for (const Objective &objective : m_objectives) {
    room.levels = std::max(room.levels, objective.core.level);
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
  }
}

} // namespace sinew::python
