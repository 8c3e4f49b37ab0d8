/// Messages of the program sinew, kept while a fuzz target runs.
#ifndef FUZZ_MESSAGES_H
#define FUZZ_MESSAGES_H

#include <stdbool.h>

/// From here on what is printed on standard error is kept.
void messages_keep(void);

/// Ends that, and checks what was kept: one line of valid letters without control characters where
/// the input was refused, and nothing where it was not. Aborts otherwise.
void messages_check(bool refused);

#endif
