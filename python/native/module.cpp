/// The module sinew._core: the types and functions of the package that are compiled.
#define SINEW_IMPORT_NUMPY
#include "numpy.h"

#include "model.h"
#include "readers.h"
#include "callback.h"
#include "search.h"
#include "crowd.h"
#include "solution.h"
#include "task.h"
#include "tracker.h"

#include <nanobind/stl/string.h>

#include <new>

// What the headers of newer compilers refer to, for old libraries; exports.map keeps both inside
// the module.

// libstdc++ has it from gcc 11 on: sizes of arrays that overflow.
namespace std {
void __throw_bad_array_new_length() {
  throw std::bad_alloc();
}
} // namespace std

// glibc has it from 2.32 on: whether reference counts need no atomic instructions. They always do.
extern "C" {
extern char __libc_single_threaded;
char __libc_single_threaded = 0;
}

namespace sinew::python {

static int import_numpy() {
  import_array1(-1);
  return 0;
}

static nb::str text_of(const std::string &text) {
  return nb::steal<nb::str>(
      checked(PyUnicode_DecodeUTF8(text.data(), (Py_ssize_t)text.size(), "surrogateescape")));
}

static const char *const MODEL_DOC =
    "A robot or skeleton: a tree of links and joints. Read one with sinew.load().\n\n"
    "It does not change, and may be shared by threads, pickled and copied.";

static const char *const FK_DOC =
    "Forward kinematics: the poses of links in the root link's frame.\n\n"
    "q: configurations (..., nq) [rad or m]. Limits are not checked.\n"
    "link: a link's name; or a sequence of names, which adds an axis after the leading ones.\n"
    "quaternion: \"wxyz\" or \"xyzw\": positions and quaternions instead of matrices.\n\n"
    "Returns homogeneous matrices (..., 4, 4), or (..., 7).";

static const char *const JACOBIAN_DOC =
    "Jacobians of a point fixed to a link.\n\n"
    "q: configurations (..., nq) [rad or m].\n"
    "point: in the link's frame [m]; default: its origin.\n"
    "axes: \"root\": rows along the axes of the root link; \"link\": of the link itself.\n\n"
    "Returns (..., 6, nv): rows 0 to 2 are linear, 3 to 5 angular; columns are in the order of\n"
    "velocities.";

static const char *const RANDOM_DOC =
    "Random configurations, uniform within the limits: the same for the same seed.\n\n"
    "size: None: one, (nq,); n or a tuple: (n, nq) or (*size, nq).";

// The functions of objectives that the model's searches keep may refer to the model.

static int traverse_model(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Model>(self)->searches().traverse(visit, arg) : 0;
}

static int clear_model(PyObject *self) {
  if (nb::inst_ready(self)) {
    nb::inst_ptr<Model>(self)->searches().clear();
  }
  return 0;
}

static const PyType_Slot MODEL_SLOTS[] = {
    {Py_tp_traverse, (void *)traverse_model}, {Py_tp_clear, (void *)clear_model}, {0, nullptr}};

void add_model(nb::module_ &module) {
  const nb::object none = nb::none();
  auto type = nb::class_<Model>(module, "Model", MODEL_DOC, nb::is_weak_referenceable(),
                                nb::type_slots(MODEL_SLOTS));
  type.def_prop_ro(
          "name", [](const Model &m) { return text_of(sinew_model_name(m.core())); },
          "The name in the file.")
      .def_prop_ro("links", &Model::link_names, "The names of all links, in the file's order.")
      .def_prop_ro("tips", &Model::tips, "The end links: those that carry no joint.")
      .def_prop_ro(
          "root",
          [](const Model &m) {
            return nb::object(m.link_names()[(size_t)sinew_model_root(m.core())]);
          },
          "The root link, in whose frame poses and targets are.")
      .def_ro("_joints", &Model::joints)
      .def_ro("_warnings", &Model::warnings)
      .def_prop_ro("nq", &Model::nq, "Values in a configuration.")
      .def_prop_ro("nv", &Model::nv, "Values in a velocity and in limits: the degrees of freedom.")
      .def_prop_ro(
          "size", [](const Model &m) { return sinew_model_size(m.core()); },
          "The longest path from the root to a link [m].")
      .def_ro("lower", &Model::lower, "Lower limits, (nv,) [rad or m]; -inf: none. Read-only.")
      .def_ro("upper", &Model::upper, "Upper limits, (nv,) [rad or m]; inf: none. Read-only.")
      .def_ro("velocity", &Model::velocity,
              "Largest speeds, (nv,) [rad/s or m/s]; inf: none. Read-only.")
      .def_ro("motion", &Model::motion, "The motion of a BVH, (frames, nq); else None.")
      .def_ro("frame_time", &Model::frame_time, "Between the motion's frames [s]; else None.")
      .def_prop_ro("_source",
                   [](const Model &m) {
                     const Source &source = m.source();
                     return nb::make_tuple(nb::bytes(source.text.data(), source.text.size()),
                                           text_of(source.name), source.floating_base);
                   })
      .def("fk", &Model::fk, nb::arg("q"), nb::arg("link"), nb::kw_only(),
           nb::arg("quaternion").none() = none, FK_DOC)
      .def("jacobian", &Model::jacobian, nb::arg("q"), nb::arg("link"), nb::kw_only(),
           nb::arg("point").none() = none, nb::arg("axes") = "root", JACOBIAN_DOC)
      .def("middle", &Model::middle, "The middle of the limits, or 0 where one is missing: (nq,).")
      .def("random", &Model::random, nb::arg("size").none() = none, nb::kw_only(),
           nb::arg("seed") = 0, RANDOM_DOC)
      .def("integrate", &Model::integrate, nb::arg("q"), nb::arg("v"),
           "q (..., nq) moved along the velocity v (..., nv) for a unit of time.")
      .def("difference", &Model::difference, nb::arg("q0"), nb::arg("q1"),
           "The velocity (..., nv) that brings q0 to q1 in a unit of time.")
      .def("normalize", &Model::normalize, nb::arg("q"),
           "q (..., nq) with quaternions of unit length.")
      .def("joint_values", &Model::joint_values, nb::arg("q"),
           "The values of every joint, coupled ones too, in the order of joints, of q (..., nq).");
  add_solve(type);
  add_check_callback(type);
}

} // namespace sinew::python

NB_MODULE(_core, module) {
  nb::set_leak_warnings(false); // objects that live until the interpreter ends are no fault
  if (sinew::python::import_numpy() != 0) {
    throw nb::python_error();
  }
  module.attr("__version__") = sinew_version();
  sinew::python::add_model(module);
  sinew::python::add_readers(module);
  sinew::python::add_solution(module);
  sinew::python::add_tracker(module);
  sinew::python::add_crowd(module);
  module.def("_support_polygon", sinew::python::support_polygon, nb::arg("contacts"), nb::arg("up"),
             nb::arg("margin"));
  module.def("_members", [] {
    nb::dict members;
    members["Task"] = sinew::python::describe_task();
    members["Objective"] = sinew::python::describe_objective();
    return members;
  });
}
