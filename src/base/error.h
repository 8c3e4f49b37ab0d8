// Filling of error reports, and the programmer's assertion.
#ifndef SINEW_BASE_ERROR_H
#define SINEW_BASE_ERROR_H

#include "sinew/base.h"

// SINEW_ASSERTIONS decides alone, whatever the kind of build says of NDEBUG.
#ifdef SINEW_ASSERTIONS
#undef NDEBUG
#include <assert.h>
#define SINEW_ASSERT(condition) assert(condition)
#else
#define SINEW_ASSERT(condition) ((void)0)
#endif

// Fills error, where it is not NULL, from a printf format, and returns code.
// name may be NULL. Fields file and line are emptied.
__attribute__((format(printf, 4, 5))) sinew_result
sinew_error_set(sinew_error *error, sinew_result code, const char *name, const char *format, ...);

// For calls whose arguments have been checked: they cannot fail.
static inline void sinew_expect_ok(sinew_result result) {
  SINEW_ASSERT(result == SINEW_OK);
  (void)result;
}

// Copies a string into a field of an error, truncated and terminated.
void sinew_error_copy(char *field, size_t size, const char *text);

#endif
