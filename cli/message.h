/// Messages on standard error, and memory that is never NULL.
///
/// A message is one line. Control characters in it, those of names out of files for example, are
/// escaped: experiments/text.h.
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stddef.h>

#include "experiments/text.h"
#include "sinew/base.h"

#if defined(__GNUC__)
// Lets the compiler check the arguments against the format.
#define CLI_LIKE_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define CLI_LIKE_PRINTF(text, first)
#endif

/// Prints "sinew: MESSAGE" and returns CLI_EXIT_REFUSED, so that a command
/// can return it.
int cli_refuse(const char *format, ...) CLI_LIKE_PRINTF(1, 2);

/// The same for a library's error: "sinew: FILE:LINE: NAME: MESSAGE".
int cli_refuse_error(const sinew_error *error);

/// The same where the name may be that of a field which an option sets: the option is named.
int cli_refuse_settings(const sinew_error *error);

/// Prints "sinew: warning: MESSAGE".
void cli_warn(const char *format, ...) CLI_LIKE_PRINTF(1, 2);
void cli_warn_error(const sinew_error *warning);

/// text_escaped() that is never NULL.
char *cli_text_escaped(const char *text, sinew_text_use use);

/// Zeroed memory for count items. Never NULL: the program ends where there is
/// none.
void *cli_allocate(size_t count, size_t size);

/// Grows an array, as realloc(), with the same promise.
void *cli_reallocate(void *memory, size_t count, size_t size);

#endif
