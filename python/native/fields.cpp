#include "fields.h"

#include <cstring>

namespace sinew::python {

void read_number(const Model &, nb::handle value, const char *of, const Field &, void *member) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw_python(PyExc_TypeError, "%s must be a number, not %s", of,
                 nb::type_name(value.type()).c_str());
  }
  std::memcpy(member, &number, sizeof number);
}

void read_integer(const Model &, nb::handle value, const char *of, const Field &, void *member) {
  nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    throw_python(PyExc_TypeError, "%s must be an integer, not %s", of,
                 nb::type_name(value.type()).c_str());
  }
  int overflow = 0;
  const long number = PyLong_AsLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0 || number != (long)(int)number) {
    throw_python(PyExc_ValueError, "%s is too large", of);
  }
  const int integer = (int)number;
  std::memcpy(member, &integer, sizeof integer);
}

void read_flag(const Model &, nb::handle value, const char *, const Field &, void *member) {
  const int truth = PyObject_IsTrue(value.ptr());
  if (truth < 0) {
    throw_pending();
  }
  const bool flag = truth != 0;
  std::memcpy(member, &flag, sizeof flag);
}

void read_numbers(const Model &, nb::handle value, const char *of, const Field &field,
                  void *member) {
  const int count = (int)(field.size / sizeof(double));
  const Array array(value, of);
  if (array.ndim() != 1 || array.shape(0) != count) {
    throw_python(PyExc_ValueError, "%s has shape %s; it must be (%d,)", of,
                 array.shape_text().c_str(), count);
  }
  Rows::repeated(array).read(0, (double *)member);
}

void read_link(const Model &model, nb::handle value, const char *, const Field &, void *member) {
  if (!value.is_none()) {
    const int link = model.find_link(value);
    std::memcpy(member, &link, sizeof link);
  }
}

void read_choice(const Model &, nb::handle value, const char *of, const Field &field,
                 void *member) {
  std::string known;
  for (int i = 0; field.choices[i] != nullptr; ++i) {
    if (PyUnicode_Check(value.ptr()) &&
        PyUnicode_CompareWithASCIIString(value.ptr(), field.choices[i]) == 0) {
      std::memcpy(member, &i, sizeof i);
      return;
    }
    known += std::string(i > 0 ? ", " : "") + field.choices[i];
  }
  throw_python(PyExc_ValueError, "%s must be one of %s, not %s", of, known.c_str(),
               nb::repr(value).c_str());
}

void read_fields(const Model &model, nb::handle object, const char *type, const Field *fields,
                 size_t count, void *out) {
  for (size_t i = 0; i < count; ++i) {
    const Field &field = fields[i];
    const std::string of = std::string(type) + ": " + field.name;
    field.read(model, object.attr(field.name), of.c_str(), field, (char *)out + field.offset);
  }
}

void append_fields(const Field *fields, size_t count, const void *of, std::string *key) {
  for (size_t i = 0; i < count; ++i) {
    key->append((const char *)of + fields[i].offset, fields[i].size);
  }
}

nb::dict describe_fields(const Field *fields, size_t count) {
  nb::dict out;
  for (size_t i = 0; i < count; ++i) {
    out[fields[i].name] = fields[i].member;
  }
  return out;
}

} // namespace sinew::python
