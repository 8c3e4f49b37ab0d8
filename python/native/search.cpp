#include "search.h"

#include <cstring>

namespace sinew::python {

// ---- one search ----

Search::Search(SharedModel model, std::vector<sinew_task> tasks, const Settings &settings)
    : m_model(std::move(model)), m_tasks(std::move(tasks)), m_settings(settings),
      m_middle((size_t)sinew_model_nq(m_model.get()) + 1) {
  for (const sinew_task &task : m_tasks) {
    m_target_size += sinew_task_target_size(&task);
  }
  sinew_configuration_middle(m_model.get(), m_middle.data());
  m_scratch = new_targets();
  m_def = sinew_default_global_def();
  m_def.max_starts = settings.max_starts;
  if (settings.bank > 0) {
    sinew_error error = {};
    sinew_bank_def def = sinew_default_bank_def();
    def.postures = settings.bank;
    sinew_bank *bank = nullptr;
    if (sinew_bank_create(&def, m_model.get(), m_tasks.data(), (int)m_tasks.size(), &bank,
                          &error) != SINEW_OK) {
      throw_error(error);
    }
    m_bank.reset(bank);
    m_def.bank = bank;
  }
  give_back(take_solver()); // checks the settings
}

Owned<sinew_solver> Search::take_solver() {
  if (!m_solvers.empty()) {
    Owned<sinew_solver> solver = std::move(m_solvers.back());
    m_solvers.pop_back();
    return solver;
  }
  sinew_error error = {};
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = (int)m_tasks.size();
  def.tolerances = {m_settings.position_tolerance, m_settings.orientation_tolerance};
  def.lanes = m_settings.lanes;
  sinew_solver *solver = nullptr;
  if (sinew_solver_create(&def, m_model.get(), &solver, &error) != SINEW_OK) {
    throw_error(error);
  }
  Owned<sinew_solver> owned(solver);
  if (sinew_solver_set_tasks(solver, m_tasks.data(), (int)m_tasks.size(), &error) != SINEW_OK) {
    throw_error(error);
  }
  return owned;
}

const sinew_batch *Search::batch() {
  if (m_batch == nullptr) {
    sinew_error error = {};
    sinew_batch_def def = sinew_default_batch_def();
    def.tolerances = {m_settings.position_tolerance, m_settings.orientation_tolerance};
    def.max_starts = m_settings.max_starts;
    def.bank = m_bank.get();
    def.lanes = m_settings.lanes;
    sinew_batch *batch = nullptr;
    if (sinew_batch_create(&def, m_model.get(), m_tasks.data(), (int)m_tasks.size(), &batch,
                           &error) != SINEW_OK) {
      throw_error(error);
    }
    m_batch.reset(batch);
  }
  return m_batch.get();
}

Owned<sinew_batch_worker> Search::take_worker() {
  if (!m_workers.empty()) {
    Owned<sinew_batch_worker> worker = std::move(m_workers.back());
    m_workers.pop_back();
    return worker;
  }
  sinew_error error = {};
  sinew_batch_worker *worker = nullptr;
  if (sinew_batch_worker_create(batch(), &worker, &error) != SINEW_OK) {
    throw_error(error);
  }
  return Owned<sinew_batch_worker>(worker);
}

std::vector<sinew_target> Search::new_targets() const {
  return std::vector<sinew_target>(m_tasks.size(), sinew_default_target());
}

void Search::unpack(const double *row, sinew_target *targets) const {
  for (size_t i = 0; i < m_tasks.size(); ++i) {
    sinew_target_unpack(&m_tasks[i], row, &targets[i]);
    row += sinew_task_target_size(&m_tasks[i]);
  }
}

sinew_global_def Search::global_def(Mode mode) const {
  sinew_global_def def = m_def;
  def.mode = mode == Mode::nearest ? SINEW_GLOBAL_NEAREST : SINEW_GLOBAL_FIRST;
  return def;
}

sinew_result Search::solve(sinew_solver *solver, Mode mode, const double *row,
                           sinew_target *targets, double *q, sinew_report *report) const {
  const int count = (int)m_tasks.size();
  unpack(row, targets);
  switch (mode) {
  case Mode::local:
    return sinew_solver_solve_local(solver, targets, count, q, report);
  case Mode::nearest: {
    const sinew_global_def def = global_def(mode);
    return sinew_solver_search(solver, &def, targets, count, q, report);
  }
  case Mode::first:
    break;
  }
  return sinew_solver_search(solver, &m_def, targets, count, q, report);
}

sinew_result Search::solve_all(sinew_solver *solver, const sinew_global_def &def, const double *row,
                               sinew_target *targets, const double *seed, int capacity,
                               double *solutions, int *found, sinew_report *report) const {
  unpack(row, targets);
  return sinew_solver_solve_all(solver, &def, targets, (int)m_tasks.size(), seed, capacity,
                                solutions, found, report);
}

// ---- the searches of a model ----

// More are forgotten: each has a bank of about half a megabyte.
static constexpr size_t MOST_SEARCHES = 32;
static constexpr size_t MOST_RECENT = 8;

struct Searches::Recent {
  SearchArguments arguments; // owned references
  Form form;
  Order order;
  std::shared_ptr<Search> search;
};

Searches::Searches() = default;

static void release(const SearchArguments &arguments) {
  for (PyObject *object : {arguments.link, arguments.quaternion, arguments.tolerance,
                           arguments.max_starts, arguments.lanes, arguments.bank}) {
    Py_XDECREF(object);
  }
}

Searches::~Searches() {
  for (const Recent &recent : m_recent) {
    release(recent.arguments);
  }
}

Search *Searches::find_recent(const SearchArguments &arguments, Form form, Order *order) const {
  for (const Recent &recent : m_recent) {
    if (std::memcmp(&recent.arguments, &arguments, sizeof arguments) == 0 && recent.form == form) {
      *order = recent.order;
      return recent.search.get();
    }
  }
  return nullptr;
}

static bool is_constant(PyObject *object) {
  return object == nullptr || object == Py_None || PyUnicode_CheckExact(object) ||
         PyFloat_CheckExact(object) || PyLong_CheckExact(object);
}

void Searches::remember(const SearchArguments &arguments, Form form, Order order,
                        std::shared_ptr<Search> search) {
  const PyObject *const all[] = {arguments.link,       arguments.quaternion, arguments.tolerance,
                                 arguments.max_starts, arguments.lanes,      arguments.bank};
  for (const PyObject *object : all) {
    if (!is_constant(const_cast<PyObject *>(object))) {
      return;
    }
  }
  for (const PyObject *object : all) {
    Py_XINCREF(const_cast<PyObject *>(object));
  }
  Recent recent = {arguments, form, order, std::move(search)};
  if (m_recent.size() < MOST_RECENT) {
    m_recent.push_back(std::move(recent));
    return;
  }
  std::swap(m_recent[m_next], recent);
  m_next = (m_next + 1) % MOST_RECENT;
  release(recent.arguments);
}

template <class T> static void append(std::string *key, const T &value) {
  key->append(reinterpret_cast<const char *>(&value), sizeof value);
}

static std::string key_of(const std::vector<sinew_task> &tasks, const Settings &settings) {
  std::string key;
  for (const sinew_task &task : tasks) {
    append(&key, task.kind);
    append(&key, task.link);
    append(&key, task.point_l);
    append(&key, task.axis_l);
    append(&key, task.free_axes);
    append(&key, task.position_weight);
    append(&key, task.orientation_weight);
    append(&key, task.chain_root);
    append(&key, task.frame_link);
    append(&key, task.cone_angle);
    append(&key, task.up_axis);
    append(&key, task.range_lower);
    append(&key, task.range_upper);
  }
  append(&key, settings.position_tolerance);
  append(&key, settings.orientation_tolerance);
  append(&key, settings.max_starts);
  append(&key, settings.lanes);
  append(&key, settings.bank);
  return key;
}

std::shared_ptr<Search> Searches::get(const Model &model, const std::vector<sinew_task> &tasks,
                                      const Settings &settings) {
  std::string key = key_of(tasks, settings);
  for (auto it = m_searches.begin(); it != m_searches.end(); ++it) {
    if (it->first == key) {
      m_searches.splice(m_searches.begin(), m_searches, it);
      return it->second;
    }
  }
  auto search = std::make_shared<Search>(model.shared(), tasks, settings);
  m_searches.emplace_front(std::move(key), search);
  if (m_searches.size() > MOST_SEARCHES) {
    m_searches.pop_back();
  }
  return search;
}

// ---- tasks ----

bool is_one_effector(nb::handle link) {
  return PyUnicode_Check(link.ptr()) || nb::hasattr(link, "link");
}

static void read_vector(nb::handle object, const char *name, double *out, int count = 3) {
  const Array array(object, name);
  if (array.ndim() != 1 || array.shape(0) != count) {
    throw_python(PyExc_ValueError, "Task: %s has shape %s; it must be (%d,)", name,
                 array.shape_text().c_str(), count);
  }
  Rows::repeated(array).read(0, out);
}

static sinew_task_kind read_kind(nb::handle name) {
  for (int kind = 0; kind < sinew_task_kind_count(); ++kind) {
    if (PyUnicode_Check(name.ptr()) &&
        PyUnicode_CompareWithASCIIString(name.ptr(), sinew_task_kind_name((sinew_task_kind)kind)) ==
            0) {
      return (sinew_task_kind)kind;
    }
  }
  std::string known;
  for (int kind = 0; kind < sinew_task_kind_count(); ++kind) {
    known += std::string(kind > 0 ? ", " : "") + sinew_task_kind_name((sinew_task_kind)kind);
  }
  throw_python(PyExc_ValueError, "Task: kind must be one of %s, not %s", known.c_str(),
               nb::repr(name).c_str());
}

static unsigned read_free(nb::handle axes) {
  static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
  unsigned all = 0;
  for (nb::handle axis : nb::borrow(axes)) {
    unsigned bit = 0;
    for (int i = 0; i < 6; ++i) {
      if (PyUnicode_Check(axis.ptr()) &&
          PyUnicode_CompareWithASCIIString(axis.ptr(), names[i]) == 0) {
        bit = 1u << i;
      }
    }
    if (bit == 0) {
      throw_python(PyExc_ValueError,
                   "Task: free has axes \"x\", \"y\", \"z\", \"rx\", \"ry\" and \"rz\", not %s",
                   nb::repr(axis).c_str());
    }
    all |= bit;
  }
  return all;
}

sinew_task read_task(const Model &model, nb::handle link, sinew_task_kind kind) {
  sinew_task task = sinew_default_task();
  if (PyUnicode_Check(link.ptr())) {
    task.link = model.find_link(link);
    task.kind = kind;
    return task;
  }
  task.link = model.find_link(link.attr("link"));
  task.kind = read_kind(link.attr("kind"));
  read_vector(link.attr("point"), "point", task.point_l);
  read_vector(link.attr("axis"), "axis", task.axis_l);
  task.free_axes = read_free(link.attr("free"));
  task.position_weight = nb::cast<double>(link.attr("position_weight"));
  task.orientation_weight = nb::cast<double>(link.attr("orientation_weight"));
  for (const auto &[name, member] : {std::pair{"chain_root", &sinew_task::chain_root},
                                     std::pair{"frame", &sinew_task::frame_link}}) {
    const nb::object other = link.attr(name);
    if (!other.is_none()) {
      task.*member = model.find_link(other);
    }
  }
  task.cone_angle = nb::cast<double>(link.attr("cone_angle"));
  read_vector(link.attr("up_axis"), "up_axis", task.up_axis);
  read_vector(link.attr("lower"), "lower", task.range_lower, 6);
  read_vector(link.attr("upper"), "upper", task.range_upper, 6);
  return task;
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

static double read_double(nb::handle object, const char *name) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw_python(PyExc_TypeError, "%s must be a number, not %s", name,
                 nb::type_name(object.type()).c_str());
  }
  return value;
}

void read_tolerance(nb::handle object, sinew_tolerances *tolerances) {
  if (object.is_none()) {
    return;
  }
  if (PyTuple_Check(object.ptr()) || PyList_Check(object.ptr())) {
    if (PySequence_Size(object.ptr()) != 2) {
      throw_python(PyExc_ValueError, "tolerance must be one number, or a pair: metres and radians");
    }
    const nb::object position = object[0], orientation = object[1];
    *tolerances = {read_double(position, "tolerance"), read_double(orientation, "tolerance")};
    return;
  }
  tolerances->position = tolerances->orientation = read_double(object, "tolerance");
}

} // namespace sinew::python
