/// Messages of the program sinew, kept while a fuzz target runs.
#ifndef FUZZ_MESSAGES_H
#define FUZZ_MESSAGES_H

#include <stdbool.h>

/// From here on what is printed on standard error is kept.
void messages_keep(void);

/// Ends that, and checks what was kept: lines without control characters, each a warning but the
/// last where the input was refused. Aborts otherwise.
/// @return the number of warnings
int messages_check(bool refused);

#endif
