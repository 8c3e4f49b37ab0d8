/// sinew.Crowd: many figures of one model that follow moving targets.
#ifndef SINEW_PYTHON_CROWD_H
#define SINEW_PYTHON_CROWD_H

#include "numpy.h"

namespace sinew::python {

/// Adds Crowd to the module.
void add_crowd(nb::module_ &module);

} // namespace sinew::python

#endif
