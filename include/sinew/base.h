/// @file base.h
/// Version, result codes, error reports and memory: shared by all other headers.
///
/// Four kinds of failure are kept apart:
/// - a programming error (a NULL where none is allowed, an array that is too short) is undefined
/// behaviour. Libraries built with SINEW_ASSERTIONS stop at a NULL; where a function says so, it
/// returns SINEW_ERROR_ARGUMENT in every build;
/// - invalid data gives a ::sinew_result other than SINEW_OK and a ::sinew_error, which names the
/// joint, link, task or target, the field and its value;
/// - a NaN, an infinity or a number beyond 1e100 is refused with SINEW_ERROR_NOT_FINITE by every
/// function that returns a ::sinew_result; the values of a ::sinew_target may be larger. Other
/// functions, such as those for rotations and configurations, require finite numbers and do not
/// check them;
/// - how a solve ended is not an error but a ::sinew_outcome (solver.h).
#ifndef SINEW_BASE_H
#define SINEW_BASE_H

#include <stddef.h>
#include <stdint.h>

#define SINEW_VERSION_MAJOR 0
#define SINEW_VERSION_MINOR 1
#define SINEW_VERSION_PATCH 0

// The headers are plain C17 and C++17. Compiling the library takes GCC or clang.
#if defined(SINEW_STATIC) || !defined(__GNUC__)
#define SINEW_API
#else
#define SINEW_API __attribute__((visibility("default")))
#endif

// SINEW_API of functions whose result must be used: compilers warn where it is ignored.
#if defined(__cplusplus) && __cplusplus >= 201703L
#define SINEW_MUST_CHECK [[nodiscard]] SINEW_API
#elif defined(__GNUC__)
#define SINEW_MUST_CHECK __attribute__((warn_unused_result)) SINEW_API
#else
#define SINEW_MUST_CHECK SINEW_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// How a call ended. Zero is success.
typedef enum sinew_result {
  SINEW_OK = 0,
  SINEW_ERROR_ARGUMENT,    ///< an argument is NULL, out of its range or contradictory
  SINEW_ERROR_INDEX,       ///< a link, joint or task index is out of range
  SINEW_ERROR_NOT_FINITE,  ///< a NaN or an infinity where a number is needed
  SINEW_ERROR_CAPACITY,    ///< more than the object was created for
  SINEW_ERROR_MEMORY,      ///< the allocator returned NULL
  SINEW_ERROR_MODEL,       ///< a model definition is invalid
  SINEW_ERROR_FILE,        ///< a file cannot be opened, read or written
  SINEW_ERROR_SYNTAX,      ///< a file is not well formed
  SINEW_ERROR_UNSUPPORTED, ///< a file or a model has a feature that the call does not support
  SINEW_ERROR_TOO_LARGE    ///< an input exceeds a size or nesting bound
} sinew_result;

/// What went wrong and where. Filled only when a call fails (or as a warning);
/// strings are always terminated, and truncated where they do not fit.
typedef struct sinew_error {
  sinew_result code;
  int line;          ///< line in the file, from 1; 0: none
  char file[256];    ///< the file; empty: none
  char name[128];    ///< the joint, link or element; empty: none
  char message[384]; ///< a sentence without a final dot
} sinew_error;

/// The memory allocator. Only create functions and readers call it.
/// A zeroed struct (both functions NULL) means malloc() and free().
typedef struct sinew_allocator {
  /// Returns memory aligned for any type, or NULL.
  void *(*allocate)(void *context, size_t size);
  /// Frees memory returned by allocate(); memory may be NULL.
  void (*release)(void *context, void *memory);
  void *context; ///< passed to both
} sinew_allocator;

/// The version of the library that is linked, as "major.minor.patch".
SINEW_API const char *sinew_version(void);

/// A short text for a result, such as "invalid model definition". Never NULL.
SINEW_API const char *sinew_result_string(sinew_result result);

/// Writes "FILE:LINE: NAME: MESSAGE", without the parts that are not known, as one terminated line
/// into text.
/// @param size of text in bytes; nothing is written where it is 0
/// @return the length of the whole line without its terminator
SINEW_API size_t sinew_error_format(const sinew_error *error, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
