/// Readers: models from texts, and from the events of Python's XML parser.
#include "readers.h"

#include "model.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace sinew::python {

namespace {

sinew_read_def read_def(const Source &source) {
  sinew_read_def def = sinew_default_read_def();
  def.name = source.name.c_str();
  def.floating_base = source.floating_base;
  return def;
}

// Elements of an XML text, one call each; finish() returns the model.
class XmlReader {
public:
  XmlReader(nb::bytes text, std::string name, bool floating_base)
      : m_source{{text.c_str(), text.size()}, std::move(name), floating_base} {
    const sinew_read_def def = read_def(m_source);
    sinew_error error = {};
    sinew_xml_reader *reader = nullptr;
    const sinew_format format = sinew_format_detect(m_source.text.data(), m_source.text.size());
    check(sinew_xml_reader_create(format, &def, &reader, &error), error);
    m_reader.reset(reader);
  }

  void start(const char *name, const std::vector<std::string> &attributes, int line) {
    std::vector<const char *> pointers;
    for (const std::string &attribute : attributes) {
      pointers.push_back(attribute.c_str());
    }
    pointers.push_back(nullptr);
    sinew_error error = {};
    check(sinew_xml_reader_start(m_reader.get(), name, pointers.data(), line, &error), error);
  }

  void end(const char *name, int line) {
    sinew_error error = {};
    check(sinew_xml_reader_end(m_reader.get(), name, line, &error), error);
  }

  void doctype(const char *name, bool has_declarations, int line) {
    sinew_error error = {};
    check(sinew_xml_reader_doctype(m_reader.get(), name, has_declarations, line, &error), error);
  }

  std::unique_ptr<Model> finish() {
    sinew_error error = {};
    sinew_document *document = nullptr;
    check(sinew_xml_reader_finish(m_reader.get(), &document, &error), error);
    const Owned<sinew_document> owned(document);
    return std::make_unique<Model>(*document, m_source);
  }

private:
  static void check(sinew_result result, const sinew_error &error) {
    if (result != SINEW_OK) {
      throw_error(error);
    }
  }

  Source m_source;
  Owned<sinew_xml_reader> m_reader;
};

// Reads a text of a format that is not XML.
std::unique_ptr<Model> read_text(nb::bytes text, std::string name, bool floating_base) {
  Source source = {{text.c_str(), text.size()}, std::move(name), floating_base};
  const sinew_read_def def = read_def(source);
  sinew_error error = {};
  sinew_document *document = nullptr;
  if (sinew_document_read(source.text.data(), source.text.size(), &def, &document, &error) !=
      SINEW_OK) {
    throw_error(error);
  }
  const Owned<sinew_document> owned(document);
  return std::make_unique<Model>(*document, std::move(source));
}

// "URDF", "BVH", or None.
nb::object detect(nb::bytes text) {
  const sinew_format_info *info =
      sinew_format_describe(sinew_format_detect(text.c_str(), text.size()));
  return info != nullptr ? nb::object(nb::str(info->name)) : nb::none();
}

} // namespace

void add_readers(nb::module_ &module) {
  nb::class_<XmlReader>(module, "XmlReader")
      .def(nb::init<nb::bytes, std::string, bool>(), nb::arg("text"), nb::arg("name"),
           nb::arg("floating_base"))
      .def("start", &XmlReader::start)
      .def("end", &XmlReader::end)
      .def("doctype", &XmlReader::doctype)
      .def("finish", &XmlReader::finish);
  module.def("read_text", read_text, nb::arg("text"), nb::arg("name"), nb::arg("floating_base"));
  module.def("detect", detect, nb::arg("text"));
}

} // namespace sinew::python
