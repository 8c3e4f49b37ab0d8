/// Model.solve(), Model.solve_all() and Model.branch().
#include "call.h"
#include "many.h"
#include "search.h"
#include "solution.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace sinew::python {

namespace {

enum SolveParameter {
  TARGETS,
  LINK,
  SEED,
  NEAREST,
  LOCAL,
  QUATERNION,
  TOLERANCE,
  MAX_STARTS,
  LANES,
  BANK,
  NETWORK,
  THREADS,
  OUT,
  INVALID,
  LIMITS,
  FROZEN,
  GAINS,
  OBJECTIVES,
  SOLVE_COUNT
};

const char *const SOLVE_NAMES[SOLVE_COUNT] = {
    "targets",   "link",       "seed",   "nearest", "local",   "quaternion",
    "tolerance", "max_starts", "lanes",  "bank",    "network", "threads",
    "out",       "invalid",    "limits", "frozen",  "gains",   "objectives"};

bool is_given(PyObject *object) {
  return object != nullptr && object != Py_None;
}

bool is_true(PyObject *object) {
  if (object == nullptr || object == Py_False) {
    return false;
  }
  const int truth = object == Py_True ? 1 : PyObject_IsTrue(object);
  if (truth < 0) {
    throw_pending();
  }
  return truth != 0;
}

int read_int(PyObject *object, const char *name, int minimum, int missing) {
  if (!is_given(object)) {
    return missing;
  }
  nb::object index = nb::steal(PyNumber_Index(object));
  if (!index.is_valid()) {
    PyErr_Clear();
    throw_python(PyExc_TypeError, "%s must be an integer, not %s", name,
                 nb::type_name(nb::handle(object).type()).c_str());
  }
  const long value = PyLong_AsLong(index.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw_python(PyExc_ValueError, "%s is too large", name);
  }
  if (value < minimum || value > 1 << 30) {
    throw_python(PyExc_ValueError, "%s is %ld; it must be at least %d", name, value, minimum);
  }
  return (int)value;
}

// The bytes of a network's file; empty where there is none.
std::string read_network(PyObject *object) {
  if (!is_given(object)) {
    return {};
  }
  char *bytes = nullptr;
  Py_ssize_t size = 0;
  if (!PyBytes_Check(object) || PyBytes_AsStringAndSize(object, &bytes, &size) != 0) {
    PyErr_Clear();
    throw_python(PyExc_TypeError,
                 "network must be the bytes of a network's file, Path(FILE).read_bytes(), not %s",
                 nb::type_name(nb::handle(object).type()).c_str());
  }
  if (size == 0) {
    throw_python(PyExc_ValueError, "network is empty");
  }
  return std::string(bytes, (size_t)size);
}

Settings read_settings(const Model &model, const SearchArguments &arguments) {
  const sinew_solver_def solver = sinew_default_solver_def();
  Settings settings = {solver.tolerances.position,
                       solver.tolerances.orientation,
                       sinew_default_global_def().max_starts,
                       solver.lanes,
                       sinew_default_bank_def().postures,
                       read_network(arguments.network),
                       Constraints(model, arguments.constraints)};
  sinew_tolerances tolerances = solver.tolerances;
  if (arguments.tolerance != nullptr) {
    read_tolerance(arguments.tolerance, &tolerances);
  }
  settings.position_tolerance = tolerances.position;
  settings.orientation_tolerance = tolerances.orientation;
  settings.max_starts = read_int(arguments.max_starts, "max_starts", 1, settings.max_starts);
  settings.lanes = read_int(arguments.lanes, "lanes", 0, settings.lanes);
  settings.bank = read_int(arguments.bank, "bank", 0, settings.bank);
  return settings;
}

// ---- one target, the arguments as at an earlier call ----

// Throws why a solver's last call was refused.
[[noreturn]] void refuse(Search &search, Owned<sinew_solver> solver) {
  sinew_error error = *sinew_solver_last_error(solver.get());
  search.give_back(std::move(solver));
  if (error.name[0] != '\0' && error.file[0] == '\0') { // a joint: the seed's, the only input left
    std::snprintf(error.file, sizeof error.file, "seed");
  }
  throw_error(error);
}

// Solves with the interpreter's lock: a solve takes no longer than to release and to take it.
// Throws what a function of an objective raises.
PyObject *solve_row(const Model &model, Search &search, Mode mode, const double *row,
                    const double *seed, PyObject *out) {
  Solution *solution = new_solution(model);
  nb::object owner = nb::steal((PyObject *)solution);
  const size_t bytes = (size_t)model.nq() * sizeof(double);
  std::memcpy(solution->q, seed, bytes);
  Owned<sinew_solver> solver = search.take_solver();
  sinew_result result;
  CallbackErrors errors;
  if (search.has_callbacks()) { // while Python runs others may solve
    std::vector<sinew_target> targets = search.new_targets();
    const CatchCallbacks catch_callbacks(errors);
    result = search.solve(solver.get(), mode, row, targets.data(), solution->q, &solution->report);
  } else if (mode == Mode::nearest) { // takes hundreds of microseconds
    std::vector<sinew_target> targets = search.new_targets();
    PyThreadState *thread = PyEval_SaveThread();
    result = search.solve(solver.get(), mode, row, targets.data(), solution->q, &solution->report);
    PyEval_RestoreThread(thread);
  } else {
    result = search.solve(solver.get(), mode, row, search.scratch_targets(), solution->q,
                          &solution->report);
  }
  if (result != SINEW_OK) {
    refuse(search, std::move(solver));
  }
  search.give_back(std::move(solver));
  errors.check();
  name_limiting_joint(solution, model);
  if (out != nullptr) {
    std::memcpy(doubles_of(out), solution->q, bytes);
    set_array(solution, out);
  }
  return owner.release().ptr();
}

// The form of a target that is a plain array of one row; false if it is not.
bool plain_form(PyObject *targets, Form *form) {
  if (is_plain(targets, 2)) {
    const npy_intp *shape = PyArray_DIMS((PyArrayObject *)targets);
    *form = Form::transform;
    return shape[0] == 4 && shape[1] == 4;
  }
  if (is_plain(targets, 1)) {
    const npy_intp count = PyArray_DIMS((PyArrayObject *)targets)[0];
    *form = count == 7 ? Form::pose : Form::position;
    return count == 7 || count == 3;
  }
  return false;
}

// Reads such an array into a row. @return whether it can be used
bool read_plain(const double *values, Form form, Order order, double *row) {
  if (form == Form::transform) {
    return pose_from_transform(values, row);
  }
  std::memcpy(row, values, 3 * sizeof *row);
  double sum = 0;  // NaN if a value is not finite
  double size = 1; // of the quaternion
  if (form == Form::pose) {
    const bool scalar_last = order == Order::xyzw;
    row[3] = values[scalar_last ? 6 : 3];
    std::memcpy(row + 4, values + (scalar_last ? 3 : 4), 3 * sizeof *row);
    size = std::fabs(row[3]) + std::fabs(row[4]) + std::fabs(row[5]) + std::fabs(row[6]);
    sum = size * 0;
  }
  for (int i = 0; i < 3; ++i) {
    sum += row[i] * 0;
  }
  return sum == 0 && size > 0;
}

// The common call: plain arrays, and settings that are the same objects as at an earlier call.
// @return NULL without an exception if it is another
PyObject *solve_plain(Model &model, PyObject *(&given)[SOLVE_COUNT],
                      const SearchArguments &arguments) {
  Form form;
  if (is_true(given[NEAREST]) || is_true(given[LOCAL]) || is_given(given[THREADS]) ||
      !plain_form(given[TARGETS], &form)) {
    return nullptr;
  }
  Order order = Order::none;
  Search *search = model.searches().find_recent(arguments, form, &order);
  if (search == nullptr) {
    return nullptr;
  }
  double row[7];
  if (!read_plain(doubles_of(given[TARGETS]), form, order, row)) {
    return nullptr;
  }
  const double *seed = search->middle();
  if (is_given(given[SEED])) {
    if (!is_plain(given[SEED], 1) || PyArray_DIMS((PyArrayObject *)given[SEED])[0] != model.nq()) {
      return nullptr;
    }
    seed = doubles_of(given[SEED]);
  }
  PyObject *out = is_given(given[OUT]) ? given[OUT] : nullptr;
  if (out != nullptr) {
    check_out(out, {model.nq()});
  }
  return solve_row(model, *search, Mode::first, row, seed, out);
}

// ---- any targets ----

// The end effector of a model with only one; else the caller must say.
nb::object default_link(const Model &model) {
  nb::list tips = model.tips();
  if (nb::len(tips) != 1) {
    throw_python(PyExc_TypeError, "link must be given: the end links of this model are %s",
                 nb::str(nb::str(", ").attr("join")(tips)).c_str());
  }
  return tips[0];
}

struct Problem {
  std::vector<Targets> targets; // one for each task
  std::vector<npy_intp> leading;
  bool is_one;
  std::shared_ptr<Search> search;
};

// Reads link and targets.
Problem read_problem(Model &model, PyObject *targets, const SearchArguments &arguments) {
  const Order order =
      read_order(arguments.quaternion != nullptr ? nb::handle(arguments.quaternion) : nb::none());
  nb::object link = is_given(arguments.link) ? nb::borrow(arguments.link) : default_link(model);
  Problem problem;
  std::vector<sinew_task> tasks;
  const auto add = [&](nb::handle effector, nb::handle target, std::string name) {
    sinew_task task = sinew_default_task();
    const bool kind_is_known = !PyUnicode_Check(effector.ptr());
    if (kind_is_known) {
      task = read_task(model, effector, task.kind);
    }
    problem.targets.emplace_back(target, std::move(name), order, kind_is_known ? &task : nullptr);
    tasks.push_back(kind_is_known ? task
                                  : read_task(model, effector, problem.targets.back().kind()));
  };
  if (is_one_effector(link)) {
    add(link, targets, "targets");
  } else {
    const nb::list effectors = read_effectors(link);
    const nb::list all = nb::list(nb::handle(targets));
    if (nb::len(effectors) != nb::len(all)) {
      throw_python(PyExc_ValueError,
                   "link has %zu end effectors and targets has %zu: there must be one array of "
                   "targets for each",
                   nb::len(effectors), nb::len(all));
    }
    for (size_t i = 0; i < nb::len(effectors); ++i) {
      add(effectors[i], all[i], "targets[" + std::to_string(i) + "]");
    }
  }
  for (const Targets &one : problem.targets) {
    if (one.is_one()) {
      continue; // the same for all
    }
    if (!problem.leading.empty() && problem.leading != one.leading()) {
      throw_python(PyExc_ValueError, "targets have different leading shapes, %s and %s",
                   shape_text(problem.leading).c_str(), shape_text(one.leading()).c_str());
    }
    problem.leading = one.leading();
  }
  problem.is_one = problem.leading.empty();
  problem.search = model.searches().get(model, tasks, read_settings(model, arguments));
  if (problem.targets.size() == 1) {
    model.searches().remember(arguments, problem.targets[0].form(), order, problem.search);
  }
  return problem;
}

Array read_seed(const Model &model, PyObject *seed, const std::vector<npy_intp> &leading) {
  if (!is_given(seed)) {
    return {};
  }
  Array array(seed, "seed");
  std::vector<npy_intp> expected = leading;
  expected.push_back(model.nq());
  const std::vector<npy_intp> shape = array.leading(0);
  if (shape != expected && shape != std::vector<npy_intp>{model.nq()}) {
    const std::string many = leading.empty() ? "" : " or " + shape_text(expected);
    throw_python(PyExc_ValueError, "seed has shape %s; it must be (%d,)%s",
                 shape_text(shape).c_str(), model.nq(), many.c_str());
  }
  return array;
}

// Reads the one target into a row. Throws if it cannot be used.
std::vector<double> read_row(const Problem &problem) {
  std::vector<double> row((size_t)problem.search->target_size() + 1);
  double *at = row.data();
  for (const Targets &targets : problem.targets) {
    if (!targets.read(0, at)) {
      targets.refuse(0);
    }
    at += targets.size();
  }
  return row;
}

std::vector<double> read_one_seed(const Model &model, const Search &search, const Array &seed) {
  std::vector<double> q(search.middle(), search.middle() + model.nq() + 1);
  if (seed.is_set()) {
    Rows::repeated(seed).read(0, q.data());
  }
  return q;
}

nb::object solve_array(const Model &model, const Problem &problem, Mode mode, Array seed,
                       PyObject *out, int threads, bool keep_refused) {
  std::vector<npy_intp> shape = problem.leading;
  shape.push_back(model.nq());
  ManyArrays arrays = {};
  arrays.targets = &problem.targets;
  arrays.keep_refused = keep_refused;
  arrays.count = 1;
  for (const npy_intp extent : problem.leading) {
    arrays.count *= extent;
  }
  nb::object q;
  if (out != nullptr) {
    check_out(out, shape);
    q = nb::borrow(out);
  } else {
    q = new_array(shape);
  }
  if (seed.is_set() && overlap(seed.array(), (PyArrayObject *)q.ptr())) {
    seed = Array(nb::steal(checked(PyArray_NewCopy(seed.array(), NPY_CORDER))), "seed");
  }
  if (seed.is_set() && seed.ndim() == 1) {
    arrays.seeds = Rows::repeated(seed);
  } else if (seed.is_set()) {
    seed.flatten(1);
    arrays.seeds = Rows(seed, 1);
  }
  Results results(problem.leading, std::move(q));
  arrays.results = &results;
  if (threads == 0) {
    threads = default_solve_threads(*problem.search, arrays.count, mode);
  }
  solve_many(*problem.search, mode, arrays, threads);
  return results.solutions();
}

Mode read_mode(PyObject *nearest, PyObject *local) {
  if (is_true(nearest) && is_true(local)) {
    throw_python(PyExc_ValueError, "nearest and local exclude each other: a local solve stays near "
                                   "the seed, a search for the nearest solution compares many");
  }
  return is_true(nearest) ? Mode::nearest : is_true(local) ? Mode::local : Mode::first;
}

Model &model_of(PyObject *self) {
  if (!nb::inst_ready(self)) {
    throw_python(PyExc_RuntimeError,
                 "the Model has not been initialised: read it with sinew.load()");
  }
  return *nb::inst_ptr<Model>(self);
}

// "raise" or "mark".
bool read_invalid(PyObject *object) {
  if (object == nullptr ||
      (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "raise") == 0)) {
    return false;
  }
  if (!PyUnicode_Check(object) || PyUnicode_CompareWithASCIIString(object, "mark") != 0) {
    throw_python(PyExc_ValueError, "invalid must be \"raise\" or \"mark\", not %s",
                 nb::repr(nb::handle(object)).c_str());
  }
  return true;
}

PyObject *solve(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                PyObject *keywords) noexcept {
  try {
    static const Parameters<SOLVE_COUNT> parameters("solve", 3, 1, SOLVE_NAMES);
    PyObject *given[SOLVE_COUNT];
    parameters.read(arguments, count, keywords, given);
    Model &model = model_of(self);
    const SearchArguments selection = {
        given[LINK],      given[QUATERNION],
        given[TOLERANCE], given[MAX_STARTS],
        given[LANES],     given[BANK],
        given[NETWORK],   {given[LIMITS], given[FROZEN], given[GAINS], given[OBJECTIVES]}};
    PyObject *solution = solve_plain(model, given, selection);
    if (solution != nullptr) {
      return solution;
    }
    const Mode mode = read_mode(given[NEAREST], given[LOCAL]);
    const int threads = read_int(given[THREADS], "threads", 1, 0);
    const bool keep_refused = read_invalid(given[INVALID]);
    const Problem problem = read_problem(model, given[TARGETS], selection);
    const Array seed = read_seed(model, given[SEED], problem.leading);
    PyObject *out = is_given(given[OUT]) ? given[OUT] : nullptr;
    if (!problem.is_one) {
      return solve_array(model, problem, mode, seed, out, threads, keep_refused).release().ptr();
    }
    const std::vector<double> row = read_row(problem);
    const std::vector<double> q = read_one_seed(model, *problem.search, seed);
    if (out != nullptr) {
      check_out(out, {model.nq()});
    }
    return solve_row(model, *problem.search, mode, row.data(), q.data(), out);
  } catch (...) {
    set_pending_from_exception();
    return nullptr;
  }
}

// ---- all solutions ----

enum SolveAllParameter {
  ALL_TARGET,
  ALL_LINK,
  ALL_SEED,
  ALL_CAPACITY,
  ALL_TURNS,
  ALL_DISTINCT,
  ALL_QUATERNION,
  ALL_TOLERANCE,
  ALL_MAX_STARTS,
  ALL_LANES,
  ALL_BANK,
  ALL_NETWORK,
  ALL_LIMITS,
  ALL_FROZEN,
  ALL_GAINS,
  ALL_REPORT,
  ALL_COUNT
};

const char *const ALL_NAMES[ALL_COUNT] = {
    "target",     "link",  "seed", "capacity", "turns",  "distinct", "quaternion", "tolerance",
    "max_starts", "lanes", "bank", "network",  "limits", "frozen",   "gains",      "report"};

PyObject *solve_all(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                    PyObject *keywords) noexcept {
  try {
    static const Parameters<ALL_COUNT> parameters("solve_all", 3, 1, ALL_NAMES);
    PyObject *given[ALL_COUNT];
    parameters.read(arguments, count, keywords, given);
    Model &model = model_of(self);
    const Problem problem =
        read_problem(model, given[ALL_TARGET],
                     {given[ALL_LINK],
                      given[ALL_QUATERNION],
                      given[ALL_TOLERANCE],
                      given[ALL_MAX_STARTS],
                      given[ALL_LANES],
                      given[ALL_BANK],
                      given[ALL_NETWORK],
                      {given[ALL_LIMITS], given[ALL_FROZEN], given[ALL_GAINS], nullptr}});
    if (!problem.is_one) {
      throw_python(PyExc_ValueError,
                   "solve_all() takes one target, not targets of the leading shape %s",
                   shape_text(problem.leading).c_str());
    }
    Search &search = *problem.search;
    const std::vector<double> row = read_row(problem);
    const std::vector<double> seed =
        read_one_seed(model, search, read_seed(model, given[ALL_SEED], {}));
    const int capacity = read_int(given[ALL_CAPACITY], "capacity", 1, 64);
    sinew_global_def def = search.global_def(Mode::first);
    def.images = is_true(given[ALL_TURNS]);
    if (is_given(given[ALL_DISTINCT])) {
      def.distinct = nb::cast<double>(nb::handle(given[ALL_DISTINCT]));
    }
    std::vector<double> solutions((size_t)capacity * (size_t)model.nq() + 1);
    std::vector<sinew_target> targets = search.new_targets();
    Owned<sinew_solver> solver = search.take_solver();
    int found = 0;
    sinew_report report;
    PyThreadState *thread = PyEval_SaveThread();
    const sinew_result result =
        search.solve_all(solver.get(), def, row.data(), targets.data(), seed.data(), capacity,
                         solutions.data(), &found, &report);
    PyEval_RestoreThread(thread);
    if (result != SINEW_OK) {
      refuse(search, std::move(solver));
    }
    search.give_back(std::move(solver));
    nb::object out = new_array({found, model.nq()});
    if (found > 0 && model.nq() > 0) {
      std::memcpy(doubles_of(out), solutions.data(),
                  (size_t)found * (size_t)model.nq() * sizeof(double));
    }
    if (is_true(given[ALL_REPORT])) {
      const nb::module_ results = nb::module_::import_("sinew._results");
      out = nb::make_tuple(out,
                           results.attr("SetReport")(results.attr("Outcome")((int)report.outcome),
                                                     sinew_completeness_string(report.completeness),
                                                     report.continuum));
    }
    return out.release().ptr();
  } catch (...) {
    set_pending_from_exception();
    return nullptr;
  }
}

// ---- branches ----

enum BranchParameter { BRANCH_Q, BRANCH_LINK, BRANCH_FROZEN, BRANCH_COUNT };

const char *const BRANCH_NAMES[BRANCH_COUNT] = {"q", "link", "frozen"};

static bool is_pose_link(PyObject *link) {
  if (link == nullptr || link == Py_None || PyUnicode_Check(link) != 0) {
    return true;
  }
  const nb::object kind = nb::getattr(nb::handle(link), "kind", nb::none());
  return PyUnicode_Check(kind.ptr()) != 0 &&
         PyUnicode_CompareWithASCIIString(kind.ptr(), "pose") == 0;
}

PyObject *branch(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                 PyObject *keywords) noexcept {
  try {
    static const Parameters<BRANCH_COUNT> parameters("branch", 2, 1, BRANCH_NAMES);
    PyObject *given[BRANCH_COUNT];
    parameters.read(arguments, count, keywords, given);
    Model &model = model_of(self);
    if (!is_pose_link(given[BRANCH_LINK])) {
      throw_python(PyExc_TypeError, "link must be the name of a link or a sinew.Task of a pose");
    }
    const nb::object target = new_array({4, 4}); // any: a branch is that of the chain of the link
    for (int i = 0; i < 16; ++i) {
      doubles_of(target)[i] = i % 5 == 0 ? 1 : 0;
    }
    const nb::int_ no_bank(0);
    const Problem problem = read_problem(model, target.ptr(),
                                         {given[BRANCH_LINK],
                                          nullptr,
                                          nullptr,
                                          nullptr,
                                          nullptr,
                                          no_bank.ptr(),
                                          nullptr,
                                          {nullptr, given[BRANCH_FROZEN], nullptr, nullptr}});
    Search &search = *problem.search;
    const std::vector<double> q =
        read_one_seed(model, search, read_seed(model, given[BRANCH_Q], {}));
    Owned<sinew_solver> solver = search.take_solver();
    sinew_branch found;
    const sinew_result result = sinew_solver_branch(solver.get(), q.data(), &found);
    if (result != SINEW_OK) {
      throw_python(PyExc_ValueError, "q has a value that is not a number, or beyond 1e100");
    }
    search.give_back(std::move(solver));
    nb::dict out;
    for (int i = 0; i < found.count; ++i) {
      out[found.names[i]] = found.words[i];
    }
    return out.release().ptr();
  } catch (...) {
    set_pending_from_exception();
    return nullptr;
  }
}

const char SOLVE_DOC[] =
    "solve($self, targets, link=None, seed=None, *, nearest=False, local=False, quaternion=None,\n"
    "      tolerance=1e-6, max_starts=1000, lanes=0, bank=16384, network=None, threads=None,\n"
    "      out=None, invalid=\"raise\", limits=None, frozen=None, gains=None, "
    "objectives=None)\n--\n\n"
    "Solves inverse kinematics, for one target or for many.\n\n"
    "targets are in the root link's frame, in metres: homogeneous matrices (..., 4, 4); positions\n"
    "with quaternions (..., 7), whose order quaternion=\"wxyz\" or \"xyzw\" states; quaternions\n"
    "(..., 4); or positions (..., 3), which leave the orientation free. Lists, Rotation and\n"
    "RigidTransform of SciPy, and pairs (positions, Rotation) are taken as well. One target gives\n"
    "a Solution, an array of them Solutions of the same leading shape.\n\n"
    "link: the name of the end effector's link, or a sinew.Task; or a sequence of these, with one\n"
    "    array of targets for each. May be left out if the model has only one end link.\n"
    "seed: joint values [rad or m], (nq,) or one for each target. The search starts there. "
    "Without\n"
    "    it, it starts at the middle of the limits or at known postures.\n"
    "nearest: of all solutions found, return the nearest to the seed. Some hundred microseconds.\n"
    "local: run the local solver from the seed, which keeps its posture where it can.\n"
    "tolerance: of position [m] and orientation [rad], one number or a pair.\n"
    "max_starts: most attempts for each target.\n"
    "lanes: SIMD lanes, 1, 2, 4 or 8; 0: as many as the processor has. The last bits of results\n"
    "    depend on it, and on nothing else.\n"
    "bank: size of the table of postures that searches start from, created at the first call with\n"
    "    these settings in about 10 ms; 0: none.\n"
    "network: the bytes of a network's file, trained for the model and these tasks "
    "(docs/learned.md),\n"
    "    which gives starts before the bank does.\n"
    "threads: for many targets; default: as many as there are processors, with a \"callback\" "
    "among\n"
    "    the objectives 1.\n"
    "out: a float64 array in C order that receives the joint values.\n"
    "invalid: of many targets, those that cannot be used: \"raise\" an exception for the first, "
    "or\n"
    "    \"mark\" them by the outcome BAD_INPUT and solve the others.\n"
    "limits: joint limits that replace the model's [rad or m]: a pair (lower, upper), each a "
    "number\n"
    "    or (nv,); or a mapping from joints to pairs, where the other joints keep theirs.\n"
    "frozen: names of joints, or (nv,) booleans: these keep the seed's values.\n"
    "gains: how readily joints move, (nv,) or a mapping from joints, 0 to 1e6; default 1.\n"
    "objectives: a sinew.Objective or several, for what tasks leave free.\n\n"
    "Raises ValueError if a target or seed has a wrong shape or a value that cannot be used, and\n"
    "UnknownNameError for a link that the model does not have; and what the function of an "
    "objective\n"
    "raises. A target that cannot be reached is no exception: see Solution.outcome.";

const char SOLVE_ALL_DOC[] =
    "solve_all($self, target, link=None, seed=None, *, capacity=64, turns=False, distinct=0.01,\n"
    "          quaternion=None, tolerance=1e-6, max_starts=1000, lanes=0, bank=16384, "
    "network=None,\n"
    "          limits=None, frozen=None, gains=None, report=False)\n--\n\n"
    "All different solutions found for one target, the nearest to the seed first: (n, nq), n up "
    "to\n"
    "capacity. Empty if there is none.\n\n"
    "With more joints than the target needs there are infinitely many: these are then samples.\n\n"
    "target, link, seed and the other settings: as for solve().\n"
    "turns: also solutions that differ by whole revolutions, as far as limits allow.\n"
    "distinct: solutions that differ by less than this in every joint [rad] are the same.\n"
    "report: return the solutions and a sinew.SetReport: whether they are all that there are.";

const char BRANCH_DOC[] =
    "branch($self, q, link=None, *, frozen=None)\n--\n\n"
    "Which of the solutions of an arm with a closed form q is, by up to three signs in words:\n"
    "{\"shoulder\": \"left\", \"elbow\": \"up\", \"wrist\": \"no flip\"}. Empty if the chain to "
    "the link\n"
    "has no closed form (docs/closed_forms.md).\n\n"
    "q: joint values [rad or m], (nq,), as a row of solve_all().\n"
    "link: the name of the end effector's link, or a sinew.Task of its pose.\n"
    "frozen: as for solve().";

} // namespace

void add_solve(nb::handle model_type) {
  static PyMethodDef methods[] = {
      {"solve", (PyCFunction)(void (*)(void))solve, METH_FASTCALL | METH_KEYWORDS, SOLVE_DOC},
      {"solve_all", (PyCFunction)(void (*)(void))solve_all, METH_FASTCALL | METH_KEYWORDS,
       SOLVE_ALL_DOC},
      {"branch", (PyCFunction)(void (*)(void))branch, METH_FASTCALL | METH_KEYWORDS, BRANCH_DOC},
  };
  for (PyMethodDef &method : methods) {
    nb::object descriptor =
        nb::steal(checked(PyDescr_NewMethod((PyTypeObject *)model_type.ptr(), &method)));
    nb::setattr(model_type, method.ml_name, descriptor);
  }
}

} // namespace sinew::python
