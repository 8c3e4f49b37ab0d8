/// The lengths of a skeleton's bones, where joints have position channels.
#ifndef CLI_BONES_H
#define CLI_BONES_H

#include "experiments/bones.h"
#include "figure.h"

/// @param stretch whether bones may stretch: then there are no such distances, and frozen is NULL
bones cli_bones_find(const cli_figure *figure, bool stretch);

#endif
