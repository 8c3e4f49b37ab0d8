/// @file bvh_scan.h
/// The words and numbers of a BVH, and the names that may stand in one.
#ifndef SINEW_FORMATS_BVH_SCAN_H
#define SINEW_FORMATS_BVH_SCAN_H

#include "document.h"

#include <stdbool.h>

/// Longest name of a joint [bytes]. An End Site repeats its parent's, so the
/// bound also keeps a file from making many times its own size of names.
#define SINEW_BVH_MAX_NAME 255

/// Whether a text is a BVH: its first word is HIERARCHY.
bool sinew_bvh_detect(const char *text, size_t size);

/// A place in the text.
typedef struct sinew_bvh_scan {
  const char *at, *end;
  int line;               ///< of at, from 1
  sinew_builder *builder; ///< for errors
} sinew_bvh_scan;

/// Starts at the text, past a byte order mark; zeros at its end are left out.
void sinew_bvh_scan_begin(sinew_bvh_scan *scan, const char *text, size_t size,
                          sinew_builder *builder);

/// Moves over blanks and ends of lines, of any system: \n, \r\n, \r.
void sinew_bvh_skip(sinew_bvh_scan *scan);

/// Moves over blanks within the line.
void sinew_bvh_skip_blanks(sinew_bvh_scan *scan);

/// Whether nothing follows, or nothing in this line. Call a skip before.
bool sinew_bvh_at_end(const sinew_bvh_scan *scan);
bool sinew_bvh_at_line_end(const sinew_bvh_scan *scan);

/// Whether the next word is this keyword, in any case of letters; moves over it
/// where it is. Braces and colons are words of their own.
bool sinew_bvh_accept(sinew_bvh_scan *scan, const char *keyword);

/// Fails where the next word is not this keyword.
/// @param joint for the message; may be NULL
sinew_result sinew_bvh_expect(sinew_bvh_scan *scan, const char *joint, const char *keyword);

/// Fails with "expected WHAT, found WORD".
sinew_result sinew_bvh_unexpected(sinew_bvh_scan *scan, const char *joint, const char *what);

/// A finite number, in this line or a later one.
/// @param what the number is, for the message
sinew_result sinew_bvh_number(sinew_bvh_scan *scan, const char *joint, const char *what,
                              double *value);

/// A whole number from 0 to INT_MAX.
sinew_result sinew_bvh_count(sinew_bvh_scan *scan, const char *joint, const char *what, int *value);

/// A channel's letter as in sinew_joint_def: Xrotation is X, Xposition is x.
sinew_result sinew_bvh_channel(sinew_bvh_scan *scan, const char *joint, char *letter);

/// A joint's name: the rest of the line or up to a brace, so that it may have
/// spaces and colons.
/// @param name receives a terminated copy in the builder's pool
sinew_result sinew_bvh_name(sinew_bvh_scan *scan, const char **name);

/// Why a name cannot stand in a BVH, or NULL.
const char *sinew_bvh_name_fault(const char *name, size_t length);

#endif
