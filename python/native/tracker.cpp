#include "tracker.h"

#include "call.h"
#include "fields.h"
#include "in_use.h"
#include "search.h"
#include "solution.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sinew::python {

sinew_solver_def solver_def(const Tracking &tracking) {
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = tracking.time_step;
  def.tracking.error_gain = tracking.error_gain;
  def.tracking.max_change = tracking.max_change;
  def.step.damping_scale = tracking.damping_scale;
  read_tolerance(tracking.tolerance, &def.tolerances);
  return def;
}

void read_start(const Model &model, nb::handle q, double *out) {
  if (q.is_none()) {
    sinew_configuration_middle(model.core(), out);
    return;
  }
  const Array array(q, "q");
  if (array.ndim() != 1 || array.shape(0) != model.nq()) {
    throw_python(PyExc_ValueError, "q has shape %s; it must be (%d,)", array.shape_text().c_str(),
                 model.nq());
  }
  Rows::repeated(array).read(0, out);
  for (int i = 0; i < model.nq(); ++i) {
    if (!std::isfinite(out[i])) {
      throw_python(PyExc_ValueError, "q: value %d is not a finite number", i);
    }
  }
}

void check_model(nb::handle model) {
  if (!nb::isinstance<Model>(model)) {
    throw_python(PyExc_TypeError, "model must be a sinew.Model, not %s",
                 nb::type_name(model.type()).c_str());
  }
}

namespace {

// How fast joints may move: keywords of Tracker.
struct MotionLimits {
  nb::object speeds, accelerations, margins;
  double speed_scale;
};

void set_motion_limits(const Model &model, const MotionLimits &motion, sinew_solver *solver) {
  const std::vector<double> speeds = read_dofs(model, "speeds", motion.speeds, "speeds");
  const std::vector<double> accelerations =
      read_dofs(model, "largest", motion.accelerations, "accelerations");
  sinew_tolerances margins = {}; // [m] and [rad], as tolerances
  read_tolerance(motion.margins, &margins, "margins");
  if (!speeds.empty() || motion.speed_scale != 1) {
    check_call(solver, sinew_solver_set_speeds(solver, speeds.empty() ? nullptr : speeds.data(),
                                               motion.speed_scale));
  }
  if (!accelerations.empty()) {
    check_call(solver, sinew_solver_set_accelerations(solver, accelerations.data()));
  }
  if (margins.position != 0 || margins.orientation != 0) {
    check_call(solver, sinew_solver_set_margins(solver, margins.position, margins.orientation));
  }
}

class Tracker {
public:
  // @param influences room for different ones between 0 and 1
  Tracker(nb::object model, nb::handle link, nb::handle q, const Tracking &tracking, bool escape,
          bool keep_base, const ConstraintArguments &constraints, const MotionLimits &motion,
          nb::handle influences)
      : m_model_object(std::move(model)), m_model(nb::cast<Model &>(m_model_object)),
        m_tasks(read_tasks(m_model, link)), m_one(is_one_effector(link)),
        m_order(read_order(tracking.quaternion)), m_q((size_t)m_model.nq() + 1),
        m_targets(m_tasks.size(), sinew_default_target()), m_constraints(m_model, constraints),
        m_has_callbacks(m_constraints.has_callbacks()) {
    sinew_solver_def def = solver_def(tracking);
    def.lower = m_constraints.room(m_tasks);
    def.hard_rows = sinew_task_hard_rows(m_tasks.data(), (int)m_tasks.size());
    def.influences = std::max(1, count_influences(m_tasks));
    if (!influences.is_none()) {
      read_integer(m_model, influences, "influences", {}, &def.influences);
    }
    def.task_capacity = (int)m_tasks.size();
    def.lanes = -1;
    def.tracking.escape = escape;
    def.tracking.keep_base = keep_base;
    sinew_error error = {};
    sinew_solver *solver = nullptr;
    if (sinew_solver_create(&def, m_model.core(), &solver, &error) != SINEW_OK) {
      throw_error(error);
    }
    m_solver.reset(solver);
    if (sinew_solver_set_tasks(solver, m_tasks.data(), (int)m_tasks.size(), &error) != SINEW_OK) {
      throw_error(error);
    }
    m_constraints.set(solver);
    set_motion_limits(m_model, motion, solver);
    read_start(m_model, q, m_q.data());
  }

  // What kept each degree of freedom from moving further in the last update.
  nb::object bounds() {
    const InUse in_use = use();
    const nb::object Bound = nb::module_::import_("sinew._results").attr("Bound");
    nb::list out;
    for (int v = 0; v < m_model.nv(); ++v) {
      sinew_bound_report report = {};
      check_call(m_solver.get(), sinew_solver_bound(m_solver.get(), m_q.data(), v, &report));
      out.append(Bound(sinew_bound_string(report.bound), report.side, report.yielded));
    }
    return out;
  }

  // What the inequalities of hard tasks were in the last update.
  nb::object hard_rows() {
    const InUse in_use = use();
    const nb::object HardRow = nb::module_::import_("sinew._results").attr("HardRow");
    nb::list out;
    for (int i = 0; i < sinew_solver_hard_row_count(m_solver.get()); ++i) {
      sinew_hard_row_report report = {};
      check_call(m_solver.get(), sinew_solver_hard_row(m_solver.get(), i, &report));
      out.append(HardRow(report.task, report.axis, sinew_qp_rank_string(report.rank), report.side,
                         report.yielded));
    }
    return out;
  }

  // How far each objective is from being met. Throws what a function of one raises.
  nb::object objective_reports() {
    const InUse in_use = use();
    const nb::object Report = nb::module_::import_("sinew._results").attr("ObjectiveReport");
    const auto value_of = [](double value) {
      return value == -1.0 ? nb::object(nb::none()) : nb::object(nb::float_(value));
    };
    CallbackErrors errors;
    const CatchCallbacks catch_callbacks(errors);
    nb::list out;
    for (size_t i = 0; i < m_constraints.objective_count(); ++i) {
      sinew_objective_report report = {};
      const sinew_result result =
          sinew_solver_objective(m_solver.get(), (int)i, m_q.data(), &report);
      errors.check();
      check_call(m_solver.get(), result);
      out.append(Report(value_of(report.angle), value_of(report.distance), value_of(report.value)));
    }
    return out;
  }

  nb::object q() const {
    nb::object array = new_array({m_model.nq()});
    std::memcpy(doubles_of(array), m_q.data(), (size_t)m_model.nq() * sizeof(double));
    return array;
  }

  void reset(nb::handle q) {
    const InUse in_use = use();
    if (!q.is_none()) {
      std::vector<double> start(m_q.size());
      read_start(m_model, q, start.data());
      m_q = start;
    }
    sinew_solver_reset(m_solver.get());
  }

  // One for each end effector; of one also a number.
  void set_influences(nb::handle values) {
    const InUse in_use = use();
    const Array array(values, "values");
    const npy_intp count = (npy_intp)m_tasks.size();
    const bool is_number = m_one && array.ndim() == 0;
    if (!is_number && array.leading(0) != std::vector<npy_intp>{count}) {
      throw_python(PyExc_ValueError,
                   "values has shape %s; it must be (%lld,), one for each end "
                   "effector",
                   array.shape_text().c_str(), (long long)count);
    }
    std::vector<double> influences((size_t)count);
    if (is_number) {
      influences[0] =
          array.is_single() ? *(const float *)array.data() : *(const double *)array.data();
    } else {
      Rows::repeated(array).read(0, influences.data());
    }
    check_call(m_solver.get(),
               sinew_solver_set_influences(m_solver.get(), influences.data(), (int)count));
  }

  // Holds the interpreter's lock: updates of two threads follow one another. Throws what a function
  // of an objective raises; the joint values stay then.
  PyObject *update(nb::handle targets, PyObject *twist, PyObject *out) {
    const InUse in_use = use();
    if (!read_plain(targets.ptr())) {
      read_targets(targets);
    }
    read_twists(twist);
    if (out != nullptr) {
      check_out(out, {m_model.nq()});
    }
    Solution *solution = new_solution(m_model);
    nb::object owner = nb::steal((PyObject *)solution);
    const size_t bytes = (size_t)m_model.nq() * sizeof(double);
    std::memcpy(solution->q, m_q.data(), bytes);
    CallbackErrors errors;
    const CatchCallbacks catch_callbacks(errors);
    const sinew_result result = sinew_solver_update(
        m_solver.get(), m_targets.data(), (int)m_targets.size(), solution->q, &solution->report);
    errors.check();
    if (result != SINEW_OK) {
      throw_error(*sinew_solver_last_error(m_solver.get()));
    }
    std::memcpy(m_q.data(), solution->q, bytes);
    name_limiting_joint(solution, m_model);
    if (out != nullptr) {
      std::memcpy(doubles_of(out), m_q.data(), bytes);
      set_array(solution, out);
    }
    return owner.release().ptr();
  }

  int traverse(visitproc visit, void *argument) const {
    if (const int result = visit(m_model_object.ptr(), argument)) {
      return result;
    }
    return m_constraints.traverse(visit, argument);
  }

  void clear() const {
    m_constraints.clear_callbacks();
  }

private:
  // Refuses calls during an update in which Python runs; others hold the interpreter's lock.
  InUse use() {
    return InUse(m_has_callbacks ? &m_in_use : nullptr,
                 "the Tracker is in use by another thread, or by the function of an objective of "
                 "its own");
  }

  // The common case: one pose as a plain matrix.
  bool read_plain(PyObject *targets) {
    if (!m_one || m_tasks[0].kind != SINEW_TASK_POSE || !is_plain(targets, 2)) {
      return false;
    }
    const npy_intp *shape = PyArray_DIMS((PyArrayObject *)targets);
    double row[7];
    if (shape[0] != 4 || shape[1] != 4 || !pose_from_transform(doubles_of(targets), row)) {
      return false;
    }
    sinew_target_unpack(&m_tasks[0], row, &m_targets[0]);
    return true;
  }

  void read_target(nb::handle object, std::string name, size_t i) {
    const Targets target(object, std::move(name), m_order, &m_tasks[i]);
    if (!target.is_one()) {
      throw_python(PyExc_ValueError, "an update takes one target, not targets of shape %s",
                   shape_text(target.leading()).c_str());
    }
    double row[16];
    if (!target.read(0, row)) {
      target.refuse(0);
    }
    sinew_target_unpack(&m_tasks[i], row, &m_targets[i]);
  }

  void read_targets(nb::handle targets) {
    if (m_one) {
      read_target(targets, "targets", 0);
      return;
    }
    const nb::list all = nb::list(targets);
    if (nb::len(all) != m_tasks.size()) {
      throw_python(PyExc_ValueError, "targets has %zu items; the tracker has %zu end effectors",
                   nb::len(all), m_tasks.size());
    }
    for (size_t i = 0; i < m_tasks.size(); ++i) {
      read_target(all[i], "targets[" + std::to_string(i) + "]", i);
    }
  }

  // The targets' own velocities: (6,), or (n, 6) for n end effectors.
  void read_twists(PyObject *twist) {
    if (twist == nullptr) {
      if (m_has_twist) {
        for (sinew_target &target : m_targets) {
          std::memset(target.twist, 0, sizeof target.twist);
        }
      }
      m_has_twist = false;
      return;
    }
    Array array(twist, "twist");
    const std::vector<npy_intp> many = {(npy_intp)m_tasks.size(), 6};
    if (array.leading(0) != many && !(m_one && array.leading(0) == std::vector<npy_intp>{6})) {
      throw_python(PyExc_ValueError, "twist has shape %s; it must be %s",
                   array.shape_text().c_str(), m_one ? "(6,)" : shape_text(many).c_str());
    }
    array.flatten(1);
    const Rows rows(array, 1);
    double values[6];
    for (size_t i = 0; i < m_tasks.size(); ++i) {
      rows.read((npy_intp)i, values);
      for (const double value : values) {
        if (!std::isfinite(value)) {
          throw_python(PyExc_ValueError, "twist has a value that is not a finite number");
        }
      }
      std::memcpy(m_targets[i].twist, values, sizeof values);
    }
    m_has_twist = true;
  }

  nb::object m_model_object;
  const Model &m_model;
  std::vector<sinew_task> m_tasks;
  bool m_one;
  Order m_order;
  std::vector<double> m_q;
  std::vector<sinew_target> m_targets;
  bool m_has_twist = false;
  Constraints m_constraints; // the solver refers to its functions
  bool m_has_callbacks, m_in_use = false;
  Owned<sinew_solver> m_solver;
};

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Tracker>(self)->traverse(visit, arg) : 0;
}

int clear(PyObject *self) {
  if (nb::inst_ready(self)) {
    nb::inst_ptr<Tracker>(self)->clear();
  }
  return 0;
}

const PyType_Slot SLOTS[] = {
    {Py_tp_traverse, (void *)traverse}, {Py_tp_clear, (void *)clear}, {0, nullptr}};

const char *const UPDATE_NAMES[] = {"targets", "twist", "out"};

PyObject *update(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                 PyObject *keywords) noexcept {
  try {
    static const Parameters<3> parameters("update", 1, 1, UPDATE_NAMES);
    PyObject *given[3];
    parameters.read(arguments, count, keywords, given);
    if (!nb::inst_ready(self)) {
      throw_python(PyExc_RuntimeError, "the Tracker has not been initialised");
    }
    PyObject *twist = given[1] == Py_None ? nullptr : given[1];
    PyObject *out = given[2] == Py_None ? nullptr : given[2];
    return nb::inst_ptr<Tracker>(self)->update(given[0], twist, out);
  } catch (...) {
    set_pending_from_exception();
    return nullptr;
  }
}

const char UPDATE_DOC[] =
    "update($self, targets, *, twist=None, out=None)\n--\n\n"
    "Follows the targets, for one frame or one cycle of a controller.\n\n"
    "targets: where the end effector should be now, as for Model.solve(); of several end\n"
    "    effectors a list, one target for each.\n"
    "twist: the target's own velocity (linear [m/s]; angular [rad/s]), (6,), fed forward if there\n"
    "    is a time_step; of n end effectors (n, 6).\n"
    "out: a float64 array (nq,) that receives the joint values.\n\n"
    "Returns a Solution with the joint values after the update and the errors before it. Raises "
    "what\n"
    "the function of an objective raises; the joint values then stay.";

const char INFLUENCES_DOC[] =
    "Changes how far each task goes, Task.influence, between updates: the motion goes on.\n\n"
    "values: (n,), 0 to 1, one for each of n end effectors; of one end effector also a number.\n\n"
    "Raises sinew.Error for other values, and for more different ones between 0 and 1 than the\n"
    "Tracker's influences; the old values then stay.";

const char TRACKER_DOC[] =
    "One figure that follows moving targets, one update a frame.\n\n"
    "In reach it arrives, whatever the targets' speed. Out of reach, and after a jump, it moves "
    "with\n"
    "a bounded change from one update to the next.\n\n"
    "link: the name of the end effector's link, whose pose is controlled; a sinew.Task for "
    "anything\n"
    "    else; or a sequence of these.\n"
    "q: joint values before the first update, (nq,); default: the middle of the limits.\n"
    "time_step: between updates [s]; if given, speed limits are kept; 0: not known.\n"
    "error_gain: the share of the error that an update aims to remove, in (0, 1].\n"
    "max_change: largest difference between the motion in an update and that in the last [rad].\n"
    "damping_scale: more than 1 reduces oscillation out of reach and adds lag within reach.\n"
    "escape: at a local minimum of the error, look for another solution, and move there.\n"
    "keep_base: after reset() too a floating base moves to its targets by steps.\n"
    "tolerance: as for Model.solve().\n"
    "quaternion: \"wxyz\" or \"xyzw\", if targets have quaternions.\n"
    "limits, frozen, gains, objectives: as for Model.solve().\n"
    "speeds: largest speeds that replace the model's [rad/s or m/s]: a number, (nv,) or a mapping\n"
    "    from joints; with a time_step.\n"
    "speed_scale: factor on all largest speeds, in (0, 1]; with a time_step.\n"
    "accelerations: largest accelerations [rad/s^2 or m/s^2], in the same forms; default: none;\n"
    "    with a time_step.\n"
    "    Joints brake ahead of their limits.\n"
    "margins: by which limits are narrowed at either end [m and rad], one number or a pair.\n"
    "influences: how many different influences between 0 and 1 the tasks may have at a time, 0 to\n"
    "    16; default: as many as those of link, at least 1.\n\n"
    "Updates of two threads follow one another, in any order; with a \"callback\" among the\n"
    "objectives a call during another one raises RuntimeError.";

} // namespace

void add_tracker(nb::module_ &module) {
  const sinew_solver_def defaults = sinew_default_solver_def();
  auto type =
      nb::class_<Tracker>(module, "Tracker", TRACKER_DOC, nb::is_weak_referenceable(),
                          nb::type_slots(SLOTS))
          .def(
              "__init__",
              [](Tracker *self, nb::object model, nb::object link, nb::object q, double time_step,
                 double error_gain, double max_change, double damping_scale, bool escape,
                 bool keep_base, nb::object tolerance, nb::object quaternion, nb::object limits,
                 nb::object frozen, nb::object gains, nb::object objectives, nb::object speeds,
                 double speed_scale, nb::object accelerations, nb::object margins,
                 nb::object influences) {
                check_model(model);
                new (self) Tracker(
                    model, link, q,
                    {time_step, error_gain, max_change, damping_scale, tolerance, quaternion},
                    escape, keep_base, {limits.ptr(), frozen.ptr(), gains.ptr(), objectives.ptr()},
                    {speeds, accelerations, margins, speed_scale}, influences);
              },
              nb::arg("model"), nb::arg("link"), nb::arg("q").none() = nb::none(), nb::kw_only(),
              nb::arg("time_step") = defaults.tracking.time_step,
              nb::arg("error_gain") = defaults.tracking.error_gain,
              nb::arg("max_change") = defaults.tracking.max_change,
              nb::arg("damping_scale") = defaults.step.damping_scale, nb::arg("escape") = false,
              nb::arg("keep_base") = false, nb::arg("tolerance").none() = nb::none(),
              nb::arg("quaternion").none() = nb::none(), nb::arg("limits").none() = nb::none(),
              nb::arg("frozen").none() = nb::none(), nb::arg("gains").none() = nb::none(),
              nb::arg("objectives").none() = nb::none(), nb::arg("speeds").none() = nb::none(),
              nb::arg("speed_scale") = 1.0, nb::arg("accelerations").none() = nb::none(),
              nb::arg("margins").none() = nb::none(), nb::arg("influences").none() = nb::none())
          .def_prop_ro("q", &Tracker::q, "The joint values now, (nq,): a copy.")
          .def(
              "bounds", &Tracker::bounds,
              "What kept each degree of freedom from moving further in the last update: a list of\n"
              "nv sinew.Bound.")
          .def("hard_rows", &Tracker::hard_rows,
               "What the inequalities of hard tasks were in the last update: a list of "
               "sinew.HardRow, in\nthe order of the tasks and of axes.")
          .def("objective_reports", &Tracker::objective_reports,
               "How far each objective is from being met now: a list of sinew.ObjectiveReport.")
          .def("set_influences", &Tracker::set_influences, nb::arg("values"), INFLUENCES_DOC)
          .def(
              "reset", &Tracker::reset, nb::arg("q").none() = nb::none(),
              "Clears the history, as after a cut: the next update follows its targets at once.\n\n"
              "q: joint values to go on from; default: those now.");
  static PyMethodDef method = {"update", (PyCFunction)(void (*)(void))update,
                               METH_FASTCALL | METH_KEYWORDS, UPDATE_DOC};
  nb::setattr(type, "update",
              nb::steal(checked(PyDescr_NewMethod((PyTypeObject *)type.ptr(), &method))));
}

} // namespace sinew::python
