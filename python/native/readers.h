#ifndef SINEW_PYTHON_READERS_H
#define SINEW_PYTHON_READERS_H

#include "numpy.h"

namespace sinew::python {

/// Adds XmlReader, read_text() and detect() to the module.
void add_readers(nb::module_ &module);

} // namespace sinew::python

#endif
