/// @file bvh_scan.h
/// The words, numbers and names of a BVH.
#ifndef SINEW_FORMATS_BVH_SCAN_H
#define SINEW_FORMATS_BVH_SCAN_H

#include "document.h"

#include <stdbool.h>

/// Longest name of a joint [bytes]. An End Site repeats its parent's name, so without a bound the
/// names could be many times as large as the file.
#define SINEW_BVH_MAX_NAME 255

/// Whether a text is a BVH: its first word is HIERARCHY.
bool sinew_bvh_detect(const char *text, size_t size);

/// A position in the text.
typedef struct sinew_bvh_scan {
  const char *at, *end;
  int line;               ///< of at, from 1
  sinew_builder *builder; ///< for errors
} sinew_bvh_scan;

/// Starts at the text after a byte order mark. Zero bytes at the end are ignored.
void sinew_bvh_scan_begin(sinew_bvh_scan *scan, const char *text, size_t size,
                          sinew_builder *builder);

/// Skips blanks and line ends: \n, \r\n or \r.
void sinew_bvh_skip(sinew_bvh_scan *scan);

/// Skips blanks within the line.
void sinew_bvh_skip_blanks(sinew_bvh_scan *scan);

/// Whether nothing follows in the text, or in this line. Skip blanks before.
bool sinew_bvh_at_end(const sinew_bvh_scan *scan);
bool sinew_bvh_at_line_end(const sinew_bvh_scan *scan);

/// Whether the next word is this keyword, in upper or lower case; skips it if so. Braces and colons
/// are words.
bool sinew_bvh_accept(sinew_bvh_scan *scan, const char *keyword);

/// Fails if the next word is not this keyword.
/// @param joint for the message; may be NULL
sinew_result sinew_bvh_expect(sinew_bvh_scan *scan, const char *joint, const char *keyword);

/// Fails with "expected WHAT, found WORD".
sinew_result sinew_bvh_unexpected(sinew_bvh_scan *scan, const char *joint, const char *what);

/// Reads a finite number, in this line or a later one.
/// @param what describes the number, for the message
sinew_result sinew_bvh_number(sinew_bvh_scan *scan, const char *joint, const char *what,
                              double *value);

/// Reads an integer from 0 to INT_MAX.
sinew_result sinew_bvh_count(sinew_bvh_scan *scan, const char *joint, const char *what, int *value);

/// Reads a channel as a letter of sinew_joint_def: Xrotation is X, Xposition is x.
sinew_result sinew_bvh_channel(sinew_bvh_scan *scan, const char *joint, char *letter);

/// Reads a joint's name: the rest of the line or up to a brace. It may have spaces and colons.
/// @param name receives a terminated copy in the builder's pool
sinew_result sinew_bvh_name(sinew_bvh_scan *scan, const char **name);

/// Why a name is not possible in a BVH, or NULL.
const char *sinew_bvh_name_fault(const char *name, size_t length);

#endif
