/// Solves of a model: one target, or many on several threads.
///
/// A Search holds what solves with the same tasks and settings share: the bank of postures, the
/// compiled batch, and solvers and workers to lend to threads. The model keeps the searches that
/// were used, so that Model.solve() creates one only at its first call.
///
/// Everything here is called with the interpreter's lock, unless it says otherwise.
#ifndef SINEW_PYTHON_SEARCH_H
#define SINEW_PYTHON_SEARCH_H

#include "constraints.h"
#include "model.h"
#include "targets.h"
#include "task.h"

#include <array>
#include <list>
#include <unordered_map>

namespace sinew::python {

struct Settings {
  double position_tolerance, orientation_tolerance;
  int max_starts, lanes, bank;
  std::string network; ///< the bytes of a network's file; empty: none
  Constraints constraints;
};

/// How a solve searches.
enum class Mode { first, nearest, local };

class Search {
public:
  Search(SharedModel model, std::vector<sinew_task> tasks, Settings settings);

  const sinew_model *model() const {
    return m_model.get();
  }
  const std::vector<sinew_task> &tasks() const {
    return m_tasks;
  }
  const Settings &settings() const {
    return m_settings;
  }

  /// Whether Python runs in a solve, which needs CatchCallbacks then.
  bool has_callbacks() const {
    return m_has_callbacks;
  }

  /// Values in a row of targets.
  int target_size() const {
    return m_target_size;
  }

  /// The middle of the limits, nq values.
  const double *middle() const {
    return m_middle.data();
  }

  const sinew_batch *batch();

  /// Something to lend to one thread: to be given back.
  Owned<sinew_solver> take_solver();
  void give_back(Owned<sinew_solver> solver) {
    m_solvers.push_back(std::move(solver));
  }
  Owned<sinew_batch_worker> take_worker();
  void give_back(Owned<sinew_batch_worker> worker) {
    m_workers.push_back(std::move(worker));
  }

  /// Solves for one row of targets; any thread may call it with a solver of its own, and without
  /// the interpreter's lock.
  /// @param targets scratch: one for each task, from new_targets()
  sinew_result solve(sinew_solver *solver, Mode mode, const double *row, sinew_target *targets,
                     double *q, sinew_report *report) const;

  /// All solutions for one row of targets, without the interpreter's lock.
  sinew_result solve_all(sinew_solver *solver, const sinew_global_def &def, const double *row,
                         sinew_target *targets, const double *seed, int capacity, double *solutions,
                         int *found, sinew_report *report) const;

  std::vector<sinew_target> new_targets() const;

  /// Targets for calls that hold the interpreter's lock all the time.
  sinew_target *scratch_targets() {
    return m_scratch.data();
  }

  sinew_global_def global_def(Mode mode) const;

private:
  void unpack(const double *row, sinew_target *targets) const;

  SharedModel m_model;
  std::vector<sinew_task> m_tasks;
  Settings m_settings;
  bool m_has_callbacks;
  int m_target_size = 0;
  std::vector<double> m_middle;
  std::vector<sinew_target> m_scratch;
  sinew_global_def m_def;
  // The solvers, workers and the batch use the bank and the network: these are destroyed last.
  Owned<sinew_bank> m_bank;
  Owned<sinew_network> m_network;
  Owned<sinew_batch> m_batch;
  std::vector<Owned<sinew_solver>> m_solvers;
  std::vector<Owned<sinew_batch_worker>> m_workers;
};

/// The arguments of Model.solve() that select a search: compared by identity first.
struct SearchArguments {
  PyObject *link, *quaternion, *tolerance, *max_starts, *lanes, *bank, *network;
  ConstraintArguments constraints;

  std::array<PyObject *, 11> all() const {
    return {link,
            quaternion,
            tolerance,
            max_starts,
            lanes,
            bank,
            network,
            constraints.limits,
            constraints.frozen,
            constraints.gains,
            constraints.objectives};
  }
};

/// The searches of a model, those used last first.
class Searches {
public:
  Searches();
  ~Searches();

  /// The search of arguments that are the same objects as at an earlier call, for targets of the
  /// same form; NULL where there was none.
  Search *find_recent(const SearchArguments &arguments, Form form, Order *order) const;

  /// Remembers them. Only objects that cannot change are remembered.
  void remember(const SearchArguments &arguments, Form form, Order order,
                std::shared_ptr<Search> search);

  /// The search of tasks and settings, created at the first call.
  std::shared_ptr<Search> get(const Model &model, const std::vector<sinew_task> &tasks,
                              const Settings &settings);

  /// For the garbage collector: the functions of objectives.
  int traverse(visitproc visit, void *argument) const;

  /// Forgets all searches.
  void clear();

private:
  struct Recent;
  std::vector<Recent> m_recent;
  size_t m_next = 0;
  std::list<std::pair<std::string, std::shared_ptr<Search>>> m_searches;
};

/// Reads a tolerance: one number for metres and radians, a pair, or None.
/// @param name of the argument, for messages
void read_tolerance(nb::handle object, sinew_tolerances *tolerances,
                    const char *name = "tolerance");

/// Adds solve(), solve_all() and branch() to the class Model.
void add_solve(nb::handle model_type);

} // namespace sinew::python

#endif
