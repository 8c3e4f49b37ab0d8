#include "search.h"

#include <cstring>

namespace sinew::python {

// ---- one search ----

Search::Search(SharedModel model, std::vector<sinew_task> tasks, Settings settings)
    : m_model(std::move(model)), m_tasks(std::move(tasks)), m_settings(std::move(settings)),
      m_has_callbacks(m_settings.constraints.has_callbacks()),
      m_middle((size_t)sinew_model_nq(m_model.get()) + 1) {
  for (const sinew_task &task : m_tasks) {
    m_target_size += sinew_task_target_size(&task);
  }
  sinew_configuration_middle(m_model.get(), m_middle.data());
  m_scratch = new_targets();
  m_def = sinew_default_global_def();
  m_def.max_starts = m_settings.max_starts;
  // A bank is for the tasks that a search is for. Without any there is none.
  std::vector<sinew_task> searched;
  for (const sinew_task &task : m_tasks) {
    if (task.level == 0 && task.required != SINEW_NOT_REQUIRED && task.influence > 0) {
      searched.push_back(task);
    }
  }
  if (m_settings.bank > 0 && !searched.empty()) {
    sinew_error error = {};
    sinew_bank_def def = sinew_default_bank_def();
    def.postures = m_settings.bank;
    sinew_bank *bank = nullptr;
    if (sinew_bank_create(&def, m_model.get(), searched.data(), (int)searched.size(), &bank,
                          &error) != SINEW_OK) {
      throw_error(error);
    }
    m_bank.reset(bank);
    m_def.bank = bank;
  }
  if (!m_settings.network.empty()) {
    sinew_error error = {};
    sinew_network *network = nullptr;
    if (sinew_network_read(m_settings.network.data(), m_settings.network.size(), "network", nullptr,
                           m_model.get(), searched.data(), (int)searched.size(), &network,
                           &error) != SINEW_OK) {
      throw_error(error);
    }
    m_network.reset(network);
    m_def.network = network;
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
  def.lower = m_settings.constraints.room(m_tasks);
  def.influences = count_influences(m_tasks);
  def.hard_rows = sinew_task_hard_rows(m_tasks.data(), (int)m_tasks.size());
  sinew_solver *solver = nullptr;
  if (sinew_solver_create(&def, m_model.get(), &solver, &error) != SINEW_OK) {
    throw_error(error);
  }
  Owned<sinew_solver> owned(solver);
  if (sinew_solver_set_tasks(solver, m_tasks.data(), (int)m_tasks.size(), &error) != SINEW_OK) {
    throw_error(error);
  }
  m_settings.constraints.set(solver);
  return owned;
}

const sinew_batch *Search::batch() {
  if (m_batch == nullptr) {
    sinew_error error = {};
    sinew_batch_def def = sinew_default_batch_def();
    def.tolerances = {m_settings.position_tolerance, m_settings.orientation_tolerance};
    def.max_starts = m_settings.max_starts;
    def.bank = m_bank.get();
    def.network = m_network.get();
    def.lanes = m_settings.lanes;
    m_settings.constraints.lend(&def);
    const std::vector<sinew_objective> objectives = m_settings.constraints.objectives();
    def.objectives = objectives.data();
    def.objective_count = (int)objectives.size();
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
  for (PyObject *object : arguments.all()) {
    Py_XDECREF(object);
  }
}

Searches::~Searches() {
  clear();
}

int Searches::traverse(visitproc visit, void *argument) const {
  for (const auto &[key, search] : m_searches) {
    const int result = search->settings().constraints.traverse(visit, argument);
    if (result != 0) {
      return result;
    }
  }
  return 0;
}

void Searches::clear() {
  const auto recent = std::move(m_recent); // what they release may call this object
  const auto searches = std::move(m_searches);
  m_recent.clear();
  m_searches.clear();
  m_next = 0;
  for (const Recent &one : recent) {
    release(one.arguments);
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
         PyBytes_CheckExact(object) || PyFloat_CheckExact(object) || PyLong_CheckExact(object);
}

void Searches::remember(const SearchArguments &arguments, Form form, Order order,
                        std::shared_ptr<Search> search) {
  for (PyObject *object : arguments.all()) {
    if (!is_constant(object)) {
      return;
    }
  }
  for (PyObject *object : arguments.all()) {
    Py_XINCREF(object);
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
    append_task(task, &key);
  }
  append(&key, settings.position_tolerance);
  append(&key, settings.orientation_tolerance);
  append(&key, settings.max_starts);
  append(&key, settings.lanes);
  append(&key, settings.bank);
  append(&key, settings.network.size());
  key += settings.network;
  settings.constraints.append(&key);
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

// ---- tolerances ----

static double read_double(nb::handle object, const char *name) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw_python(PyExc_TypeError, "%s must be a number, not %s", name,
                 nb::type_name(object.type()).c_str());
  }
  return value;
}

void read_tolerance(nb::handle object, sinew_tolerances *tolerances, const char *name) {
  if (object.is_none()) {
    return;
  }
  if (PyTuple_Check(object.ptr()) || PyList_Check(object.ptr())) {
    if (PySequence_Size(object.ptr()) != 2) {
      throw_python(PyExc_ValueError, "%s must be one number, or a pair: metres and radians", name);
    }
    const nb::object position = object[0], orientation = object[1];
    *tolerances = {read_double(position, name), read_double(orientation, name)};
    return;
  }
  tolerances->position = tolerances->orientation = read_double(object, name);
}

} // namespace sinew::python
