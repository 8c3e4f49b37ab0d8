#include "solution.h"

#include <cstddef>
#include <cstring>

namespace sinew::python {

static PyTypeObject *solution_type;
static PyObject *outcomes[SINEW_OUTCOME_COUNT]; // members of sinew.Outcome

static Solution *cast(PyObject *object) {
  return reinterpret_cast<Solution *>(object);
}

static Solution *allocate(Py_ssize_t nq) {
  return cast(checked(PyType_GenericAlloc(solution_type, nq)));
}

Solution *new_solution(const Model &model) {
  return allocate(model.nq());
}

void name_limiting_joint(Solution *solution, const Model &model) {
  const int joint = solution->report.limiting_joint;
  if (joint >= 0) {
    nb::object name = model.joints[(size_t)joint]["name"];
    solution->limiting_joint = name.release().ptr();
  }
}

void set_array(Solution *solution, nb::handle array) {
  Py_XDECREF(solution->array);
  solution->array = array.inc_ref().ptr();
}

static void deallocate(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(cast(self)->array);
  Py_XDECREF(cast(self)->limiting_joint);
  PyObject_Free(self);
  Py_DECREF(type);
}

// ---- attributes ----

static PyObject *get_q(PyObject *self, void *) {
  Solution *solution = cast(self);
  if (solution->array == nullptr) {
    npy_intp nq = Py_SIZE(self);
    PyObject *array = PyArray_SimpleNew(1, &nq, NPY_DOUBLE);
    if (array == nullptr) {
      return nullptr;
    }
    std::memcpy(PyArray_DATA((PyArrayObject *)array), solution->q, (size_t)nq * sizeof(double));
    solution->array = array;
  }
  Py_INCREF(solution->array);
  return solution->array;
}

// The members of sinew.Outcome are looked up at the first use: the enum takes a while to import.
static PyObject *get_outcome(PyObject *self, void *) {
  try {
    if (outcomes[0] == nullptr) {
      nb::object type = nb::module_::import_("sinew._results").attr("Outcome");
      for (int i = SINEW_OUTCOME_COUNT - 1; i >= 0; --i) {
        outcomes[i] = type(i).release().ptr();
      }
    }
  } catch (...) {
    set_pending_from_exception();
    return nullptr;
  }
  PyObject *outcome = outcomes[cast(self)->report.outcome];
  Py_INCREF(outcome);
  return outcome;
}

static int is_converged(PyObject *self) {
  return cast(self)->report.outcome == SINEW_OUTCOME_CONVERGED;
}

static PyObject *get_converged(PyObject *self, void *) {
  return PyBool_FromLong(is_converged(self));
}

static PyObject *get_double(PyObject *self, void *offset) {
  double value;
  std::memcpy(&value, (const char *)&cast(self)->report + (size_t)offset, sizeof value);
  return PyFloat_FromDouble(value);
}

// Distances that only some outcomes have.
static PyObject *get_distance(PyObject *self, void *offset) {
  double value;
  std::memcpy(&value, (const char *)&cast(self)->report + (size_t)offset, sizeof value);
  if (value < 0) {
    Py_RETURN_NONE;
  }
  return PyFloat_FromDouble(value);
}

static PyObject *get_steps(PyObject *self, void *) {
  return PyLong_FromLong(cast(self)->report.steps);
}

static PyObject *get_reach_task(PyObject *self, void *) {
  const int task = cast(self)->report.reach_task;
  if (task < 0) {
    Py_RETURN_NONE;
  }
  return PyLong_FromLong(task);
}

static PyObject *get_limiting_joint(PyObject *self, void *) {
  PyObject *name = cast(self)->limiting_joint;
  if (name == nullptr) {
    Py_RETURN_NONE;
  }
  Py_INCREF(name);
  return name;
}

static void *offset_of(size_t offset) {
  return (void *)offset;
}

// ---- methods ----

static PyObject *represent(PyObject *self) {
  try {
    return nb::module_::import_("sinew._results")
        .attr("represent")(nb::handle(self))
        .release()
        .ptr();
  } catch (...) {
    set_pending_from_exception();
    return nullptr;
  }
}

static PyObject *reduce(PyObject *self, PyObject *) {
  try {
    const sinew_report &report = cast(self)->report;
    nb::object q = nb::steal(checked(get_q(self, nullptr)));
    nb::object joint = nb::steal(get_limiting_joint(self, nullptr));
    nb::object restore = nb::module_::import_("sinew._results").attr("restore_solution");
    return nb::make_tuple(restore,
                          nb::make_tuple((int)report.outcome, report.position_error,
                                         report.orientation_error, report.steps, report.reach_task,
                                         report.reach, report.target_distance, joint, q))
        .release()
        .ptr();
  } catch (...) {
    set_pending_from_exception();
    return nullptr;
  }
}

// Restores a pickled solution.
static nb::object restore(int outcome, double position_error, double orientation_error, int steps,
                          int reach_task, double reach, double target_distance, nb::object joint,
                          nb::object q) {
  const Array values(q, "q");
  if (outcome < 0 || outcome >= SINEW_OUTCOME_COUNT || values.ndim() != 1) {
    throw_python(PyExc_ValueError, "this is no pickled solution");
  }
  Solution *solution = allocate(values.shape(0));
  nb::object owner = nb::steal((PyObject *)solution);
  solution->report.outcome = (sinew_outcome)outcome;
  solution->report.position_error = position_error;
  solution->report.orientation_error = orientation_error;
  solution->report.steps = steps;
  solution->report.reach_task = reach_task;
  solution->report.reach = reach;
  solution->report.target_distance = target_distance;
  if (!joint.is_none()) {
    solution->limiting_joint = joint.release().ptr();
  }
  Rows::repeated(values).read(0, solution->q);
  return owner;
}

static const char *const SOLUTION_DOC =
    "The result of a solve or an update: joint values, and how it ended.\n\n"
    "It is true if all targets are met: if model.solve(...): ...";

void add_solution(nb::module_ &module) {
  static PyGetSetDef attributes[] = {
      {"q", get_q, nullptr, "Joint values, shape (nq,), float64 [rad or m].", nullptr},
      {"outcome", get_outcome, nullptr, "How it ended, a sinew.Outcome.", nullptr},
      {"converged", get_converged, nullptr, "Whether every task is within its tolerance.", nullptr},
      {"position_error", get_double, nullptr, "Largest distance of a task from its target [m].",
       offset_of(offsetof(sinew_report, position_error))},
      {"orientation_error", get_double, nullptr, "Largest angle of a task to its target [rad].",
       offset_of(offsetof(sinew_report, orientation_error))},
      {"steps", get_steps, nullptr, "Steps computed, of all attempts.", nullptr},
      {"limiting_joint", get_limiting_joint, nullptr,
       "The joint whose limit blocks most of the error, where limits do; else None.", nullptr},
      {"reach_task", get_reach_task, nullptr,
       "Out of reach: the number of a task that cannot be met; else None.", nullptr},
      {"reach", get_distance, nullptr,
       "Out of reach: how far the chain reaches towards the target at most, or how near to its\n"
       "centre it folds at least [m]; else None.",
       offset_of(offsetof(sinew_report, reach))},
      {"target_distance", get_distance, nullptr,
       "Out of reach: the distance asked for [m]; else None.",
       offset_of(offsetof(sinew_report, target_distance))},
      {nullptr, nullptr, nullptr, nullptr, nullptr},
  };
  static PyMethodDef methods[] = {
      {"__reduce__", reduce, METH_NOARGS, nullptr},
      {nullptr, nullptr, 0, nullptr},
  };
  static PyType_Slot slots[] = {
      {Py_tp_doc, (void *)SOLUTION_DOC},
      {Py_tp_dealloc, (void *)deallocate},
      {Py_tp_getset, (void *)attributes},
      {Py_tp_methods, (void *)methods},
      {Py_tp_repr, (void *)represent},
      {Py_nb_bool, (void *)is_converged},
      {0, nullptr},
  };
  static PyType_Spec spec = {"sinew.Solution", (int)offsetof(Solution, q), (int)sizeof(double),
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  solution_type = (PyTypeObject *)checked(PyType_FromSpec(&spec));
  module.attr("Solution") = nb::handle((PyObject *)solution_type);
  module.def("_solution", restore, nb::arg("outcome"), nb::arg("position_error"),
             nb::arg("orientation_error"), nb::arg("steps"), nb::arg("reach_task"),
             nb::arg("reach"), nb::arg("target_distance"), nb::arg("joint").none(), nb::arg("q"));
}

} // namespace sinew::python
