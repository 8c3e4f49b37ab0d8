// The words, numbers and names of a BVH.
#include "bvh_scan.h"

#include "decimal.h"
#include "text.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// Longest part of an unexpected word in a message [bytes].
#define SINEW_BVH_SHOWN 32

static bool sinew_bvh_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool sinew_bvh_is_line_end(char c) {
  return c == '\n' || c == '\r';
}

static bool sinew_bvh_is_mark(char c) {
  return c == '{' || c == '}' || c == ':';
}

static char sinew_bvh_lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool sinew_bvh_same(const char *a, const char *b, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (sinew_bvh_lower(a[i]) != sinew_bvh_lower(b[i])) {
      return false;
    }
  }
  return true;
}

bool sinew_bvh_detect(const char *text, size_t size) {
  return sinew_text_has_word(text, size, sinew_text_begin(text, size), "HIERARCHY");
}

void sinew_bvh_scan_begin(sinew_bvh_scan *scan, const char *text, size_t size,
                          sinew_builder *builder) {
  static const char mark[] = "\xEF\xBB\xBF";
  if (size >= 3 && memcmp(text, mark, 3) == 0) {
    text += 3;
    size -= 3;
  }
  while (size > 0 && text[size - 1] == '\0') {
    size--;
  }
  *scan = (sinew_bvh_scan){.at = text, .end = text + size, .line = 1, .builder = builder};
}

void sinew_bvh_skip_blanks(sinew_bvh_scan *scan) {
  while (scan->at < scan->end && sinew_bvh_is_blank(*scan->at)) {
    scan->at++;
  }
}

bool sinew_bvh_at_end(const sinew_bvh_scan *scan) {
  return scan->at == scan->end;
}

bool sinew_bvh_at_line_end(const sinew_bvh_scan *scan) {
  return scan->at == scan->end || sinew_bvh_is_line_end(*scan->at);
}

void sinew_bvh_skip(sinew_bvh_scan *scan) {
  for (;;) {
    sinew_bvh_skip_blanks(scan);
    if (scan->at == scan->end || !sinew_bvh_is_line_end(*scan->at)) {
      return;
    }
    // \r\n is one line end
    bool pair = *scan->at == '\r' && scan->end - scan->at > 1 && scan->at[1] == '\n';
    scan->at += pair ? 2 : 1;
    scan->line += scan->line < INT_MAX ? 1 : 0;
  }
}

// The length of the word here: up to a blank or a mark; a mark is a word.
static size_t sinew_bvh_word(const sinew_bvh_scan *scan) {
  const char *c = scan->at;
  if (c < scan->end && sinew_bvh_is_mark(*c)) {
    return 1;
  }
  while (c < scan->end && !sinew_bvh_is_blank(*c) && !sinew_bvh_is_line_end(*c) &&
         !sinew_bvh_is_mark(*c)) {
    c++;
  }
  return (size_t)(c - scan->at);
}

bool sinew_bvh_accept(sinew_bvh_scan *scan, const char *keyword) {
  sinew_bvh_skip(scan);
  size_t length = strlen(keyword);
  if (sinew_bvh_word(scan) != length || !sinew_bvh_same(scan->at, keyword, length)) {
    return false;
  }
  scan->at += length;
  return true;
}

sinew_result sinew_bvh_expect(sinew_bvh_scan *scan, const char *joint, const char *keyword) {
  return sinew_bvh_accept(scan, keyword) ? SINEW_OK : sinew_bvh_unexpected(scan, joint, keyword);
}

sinew_result sinew_bvh_unexpected(sinew_bvh_scan *scan, const char *joint, const char *what) {
  sinew_bvh_skip(scan);
  if (sinew_bvh_at_end(scan)) {
    return sinew_builder_fail(scan->builder, SINEW_ERROR_SYNTAX, scan->line, joint,
                              "expected %s, found the end of the file", what);
  }
  char shown[SINEW_BVH_SHOWN + 1];
  size_t length = sinew_bvh_word(scan);
  bool cut = length > SINEW_BVH_SHOWN;
  length = cut ? SINEW_BVH_SHOWN : length;
  for (size_t i = 0; i < length; i++) {
    bool printable = scan->at[i] >= ' ' && scan->at[i] <= '~';
    shown[i] = '?';
    if (printable) {
      shown[i] = scan->at[i];
    }
  }
  shown[length] = '\0';
  return sinew_builder_fail(scan->builder, SINEW_ERROR_SYNTAX, scan->line, joint,
                            "expected %s, found '%s%s'", what, shown, cut ? "..." : "");
}

sinew_result sinew_bvh_number(sinew_bvh_scan *scan, const char *joint, const char *what,
                              double *value) {
  sinew_bvh_skip(scan);
  size_t length = sinew_bvh_word(scan);
  if (length == 0 || sinew_decimal_read(scan->at, length, value) != length) {
    return sinew_bvh_unexpected(scan, joint, what);
  }
  if (!isfinite(*value)) {
    return sinew_builder_fail(scan->builder, SINEW_ERROR_NOT_FINITE, scan->line, joint,
                              "%s is too large", what);
  }
  scan->at += length;
  return SINEW_OK;
}

sinew_result sinew_bvh_count(sinew_bvh_scan *scan, const char *joint, const char *what,
                             int *value) {
  double number = 0;
  sinew_result result = sinew_bvh_number(scan, joint, what, &number);
  if (result == SINEW_OK && (number < 0 || number > INT_MAX || floor(number) != number)) {
    return sinew_builder_fail(scan->builder, SINEW_ERROR_SYNTAX, scan->line, joint,
                              "%s must be an integer from 0 to %d", what, INT_MAX);
  }
  if (result == SINEW_OK) {
    *value = (int)number;
  }
  return result;
}

sinew_result sinew_bvh_channel(sinew_bvh_scan *scan, const char *joint, char *letter) {
  static const size_t length = sizeof "Xposition" - 1;
  sinew_bvh_skip(scan);
  const char *word = scan->at;
  char axis = '\0';
  if (sinew_bvh_word(scan) == length) {
    axis = sinew_bvh_lower(word[0]);
  }
  bool is_position = axis != '\0' && sinew_bvh_same(word + 1, "position", length - 1);
  bool is_rotation = axis != '\0' && sinew_bvh_same(word + 1, "rotation", length - 1);
  if (axis < 'x' || axis > 'z' || (!is_position && !is_rotation)) {
    return sinew_bvh_unexpected(scan, joint, "a channel (Xposition to Zrotation)");
  }
  *letter = is_position ? axis : (char)(axis - 'a' + 'A');
  scan->at += length;
  return SINEW_OK;
}

const char *sinew_bvh_name_fault(const char *name, size_t length) {
  if (length == 0) {
    return "a joint must have a name";
  }
  if (sinew_bvh_is_blank(name[0]) || sinew_bvh_is_blank(name[length - 1])) {
    return "a name cannot start or end with a blank";
  }
  for (size_t i = 0; i < length; i++) {
    bool control = (unsigned char)name[i] < ' ' && name[i] != '\t';
    if (control || name[i] == '{' || name[i] == '}') {
      return "a name cannot contain a brace or a control character";
    }
  }
  return NULL;
}

sinew_result sinew_bvh_name(sinew_bvh_scan *scan, const char **name) {
  sinew_bvh_skip(scan);
  const char *start = scan->at, *stop = start;
  while (stop < scan->end && !sinew_bvh_is_line_end(*stop) && *stop != '{') {
    stop++;
  }
  scan->at = stop;
  while (stop > start && sinew_bvh_is_blank(stop[-1])) {
    stop--;
  }
  size_t length = (size_t)(stop - start);
  const char *fault = sinew_bvh_name_fault(start, length);
  if (fault != NULL) {
    return sinew_builder_fail(scan->builder, SINEW_ERROR_SYNTAX, scan->line, NULL, "%s", fault);
  }
  if (length > SINEW_BVH_MAX_NAME) {
    return sinew_builder_fail(scan->builder, SINEW_ERROR_TOO_LARGE, scan->line, NULL,
                              "a joint's name is longer than %d bytes", SINEW_BVH_MAX_NAME);
  }
  *name = sinew_pool_copy(&scan->builder->pool, start, length);
  return *name != NULL ? SINEW_OK : sinew_builder_fail_memory(scan->builder);
}
