// Functions that fill error reports, and the assertion for programming errors.
#ifndef SINEW_BASE_ERROR_H
#define SINEW_BASE_ERROR_H

#include "sinew/base.h"

// Only SINEW_ASSERTIONS enables assertions; NDEBUG has no effect.
#ifdef SINEW_ASSERTIONS
#undef NDEBUG
#include <assert.h>
#define SINEW_ASSERT(condition) assert(condition)
#else
#define SINEW_ASSERT(condition) ((void)0)
#endif

// Fills error, if it is not NULL, from a printf format, and returns code.
// name may be NULL. The fields file and line are cleared.
__attribute__((format(printf, 4, 5))) sinew_result
sinew_error_set(sinew_error *error, sinew_result code, const char *name, const char *format, ...);

// For calls that cannot fail, since their arguments have been checked.
static inline void sinew_expect_ok(sinew_result result) {
  SINEW_ASSERT(result == SINEW_OK);
  (void)result;
}

// Copies a string into a field of an error, truncated and terminated.
void sinew_error_copy(char *field, size_t size, const char *text);

#endif
