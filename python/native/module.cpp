/// The module sinew._core: the types and functions of the package that are compiled.
#define SINEW_IMPORT_NUMPY
#include "numpy.h"

#include "model.h"
#include "readers.h"
#include "search.h"
#include "crowd.h"
#include "solution.h"
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

void add_model(nb::module_ &module) {
  auto type =
      nb::class_<Model>(module, "Model", nb::is_weak_referenceable())
          .def_prop_ro("name", [](const Model &m) { return text_of(sinew_model_name(m.core())); })
          .def_prop_ro("links", &Model::link_names)
          .def_prop_ro("tips", &Model::tips)
          .def_prop_ro("root",
                       [](const Model &m) {
                         return nb::object(m.link_names()[(size_t)sinew_model_root(m.core())]);
                       })
          .def_ro("_joints", &Model::joints)
          .def_ro("_warnings", &Model::warnings)
          .def_prop_ro("nq", &Model::nq)
          .def_prop_ro("nv", &Model::nv)
          .def_prop_ro("size", [](const Model &m) { return sinew_model_size(m.core()); })
          .def_ro("lower", &Model::lower)
          .def_ro("upper", &Model::upper)
          .def_ro("velocity", &Model::velocity)
          .def_ro("motion", &Model::motion)
          .def_ro("frame_time", &Model::frame_time)
          .def_prop_ro("_source",
                       [](const Model &m) {
                         const Source &source = m.source();
                         return nb::make_tuple(nb::bytes(source.text.data(), source.text.size()),
                                               text_of(source.name), source.floating_base);
                       })
          .def("fk", &Model::fk, nb::arg("q"), nb::arg("link"), nb::kw_only(),
               nb::arg("quaternion").none() = nb::none())
          .def("jacobian", &Model::jacobian, nb::arg("q"), nb::arg("link"), nb::kw_only(),
               nb::arg("point").none() = nb::none(), nb::arg("axes") = "root")
          .def("middle", &Model::middle)
          .def("random", &Model::random, nb::arg("size").none() = nb::none(), nb::kw_only(),
               nb::arg("seed") = 0)
          .def("integrate", &Model::integrate, nb::arg("q"), nb::arg("v"))
          .def("difference", &Model::difference, nb::arg("q0"), nb::arg("q1"))
          .def("normalize", &Model::normalize, nb::arg("q"))
          .def("joint_values", &Model::joint_values, nb::arg("q"));
  add_solve(type);
}

} // namespace sinew::python

NB_MODULE(_core, module) {
  if (sinew::python::import_numpy() != 0) {
    throw nb::python_error();
  }
  module.attr("__version__") = sinew_version();
  sinew::python::add_model(module);
  sinew::python::add_readers(module);
  sinew::python::add_solution(module);
  sinew::python::add_tracker(module);
  sinew::python::add_crowd(module);
}
