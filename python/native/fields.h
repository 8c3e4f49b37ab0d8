/// Structs of the core from attributes of Python objects: one table of fields for each struct, a
/// line for each field.
#ifndef SINEW_PYTHON_FIELDS_H
#define SINEW_PYTHON_FIELDS_H

#include "model.h"

#include <cstddef>

namespace sinew::python {

/// One field of a struct of the core.
struct Field {
  const char *name;   ///< the attribute of the Python object
  const char *member; ///< of the struct
  size_t offset, size;
  /// Reads the attribute's value. @param of the attribute, for messages: "Task: level"
  void (*read)(const Model &model, nb::handle value, const char *of, const Field &field,
               void *member);
  const char *const *choices; ///< of an enumeration: names of its values from 0; ends with NULL
};

#define SINEW_FIELD(type, name, member, ...)                                                       \
  { name, #member, offsetof(type, member), sizeof(type::member), __VA_ARGS__ }

/// A double, an int, a bool.
void read_number(const Model &, nb::handle, const char *, const Field &, void *);
void read_integer(const Model &, nb::handle, const char *, const Field &, void *);
void read_flag(const Model &, nb::handle, const char *, const Field &, void *);
/// Doubles: as many as the member has.
void read_numbers(const Model &, nb::handle, const char *, const Field &, void *);
/// The index of a link, from its name; None leaves the default.
void read_link(const Model &, nb::handle, const char *, const Field &, void *);
/// A value of an enumeration, from one of field.choices.
void read_choice(const Model &, nb::handle, const char *, const Field &, void *);

/// Fills a struct from an object. @param type its name, for messages: "Task"
void read_fields(const Model &model, nb::handle object, const char *type, const Field *fields,
                 size_t count, void *out);

/// Appends the bytes of all fields, by which equal structs are found.
void append_fields(const Field *fields, size_t count, const void *of, std::string *key);

/// The members that a table has: a dict from attribute to member.
nb::dict describe_fields(const Field *fields, size_t count);

} // namespace sinew::python

#endif
