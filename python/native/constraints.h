/// What joints may do, and should do where tasks leave them a choice: limits, frozen joints, gains
/// and objectives of a solver, a batch or a crowd.
#ifndef SINEW_PYTHON_CONSTRAINTS_H
#define SINEW_PYTHON_CONSTRAINTS_H

#include "callback.h"

#include "sinew/objective.h"

namespace sinew::python {

/// The arguments of these names; NULL or None: not given.
struct ConstraintArguments {
  PyObject *limits, *frozen, *gains, *objectives;
};

class Constraints {
public:
  Constraints() = default;
  Constraints(const Model &model, const ConstraintArguments &arguments);

  /// The room that tasks and the objectives need.
  sinew_lower_def room(const std::vector<sinew_task> &tasks) const;

  /// Sets all of them. Throws what the core refuses.
  void set(sinew_solver *solver) const;

  /// Puts them into a sinew_batch_def or sinew_crowd_def, which refers to them.
  template <class Def> void lend(Def *def) const {
    def->frozen = m_frozen.empty() ? nullptr : m_frozen.data();
    def->gains = m_gains.empty() ? nullptr : m_gains.data();
    def->lower = m_lower.empty() ? nullptr : m_lower.data();
    def->upper = m_upper.empty() ? nullptr : m_upper.data();
  }

  /// They refer to arrays and functions of this object.
  std::vector<sinew_objective> objectives() const;

  /// How many objectives there are.
  size_t objective_count() const {
    return m_objectives.size();
  }

  /// Whether Python runs in calls of the core, which need CatchCallbacks then.
  bool has_callbacks() const;

  /// For the garbage collector: the functions, and what breaks cycles through them.
  int traverse(visitproc visit, void *argument) const;
  void clear_callbacks() const;

  /// Appends what they are, so that equal ones append the same bytes.
  void append(std::string *key) const;

private:
  struct Objective {
    sinew_objective core;
    std::vector<double> weights, posture, coefficients; // empty: not given
    sinew_task task;                                    // of a manipulability
    std::shared_ptr<Callback> callback;                 // NULL: none
  };

  void read_objectives(const Model &model, nb::handle objectives);
  static Objective read_objective(const Model &model, nb::handle object, size_t number);

  std::vector<unsigned char> m_frozen;
  std::vector<double> m_gains, m_lower, m_upper;
  std::vector<Objective> m_objectives;
};

/// Reads values of degrees of freedom by a function of sinew._constraints: nv numbers, or none
/// where the argument is None.
std::vector<double> read_dofs(const Model &model, const char *function, nb::handle argument,
                              const char *name);

/// Throws why a solver refused its last call, if it did.
void check_call(const sinew_solver *solver, sinew_result result);

/// A dict from the attributes of sinew.Objective to the members of sinew_objective.
nb::dict describe_objective();

} // namespace sinew::python

#endif
