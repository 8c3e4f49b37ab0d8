#include "error.h"

#include <cstdarg>
#include <cstdio>
#include <exception>
#include <new>

namespace sinew::python {

void throw_pending() {
  throw nb::python_error();
}

void throw_python(PyObject *type, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  PyErr_SetString(type, text);
  throw_pending();
}

// A name or a message may have been cut in the middle of a character.
static nb::object decode(const char *text) {
  return nb::steal(
      checked(PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace")));
}

void throw_error(const sinew_error &error) {
  if (error.code == SINEW_ERROR_MEMORY) {
    throw std::bad_alloc();
  }
  char text[sizeof(sinew_error) + 64];
  (void)sinew_error_format(&error, text, sizeof text);
  nb::object message = decode(text);
  if (error.code == SINEW_ERROR_FILE) {
    PyErr_SetObject(PyExc_OSError, message.ptr());
    throw_pending();
  }
  nb::object type = nb::module_::import_("sinew._errors").attr("Error");
  nb::object exception = type(message, decode(sinew_result_string(error.code)),
                              error.file[0] != '\0' ? decode(error.file) : nb::none(),
                              error.line > 0 ? nb::object(nb::int_(error.line)) : nb::none(),
                              error.name[0] != '\0' ? decode(error.name) : nb::none());
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw_pending();
}

void throw_unknown_name(const char *kind, nb::handle name, nb::handle known) {
  nb::object exception =
      nb::module_::import_("sinew._errors").attr("unknown_name")(kind, name, known);
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
  throw_pending();
}

void set_pending_from_exception() {
  try {
    throw;
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

} // namespace sinew::python
