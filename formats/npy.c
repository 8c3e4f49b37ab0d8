// Tables of numbers in numpy's format.
//
// The header: six magic bytes and two of the version, the length of what follows, and a Python
// dictionary as text:
//   {'descr': '<f8', 'fortran_order': False, 'shape': (1000, 7), }
// padded with blanks so that the numbers begin at a multiple of 64 bytes.
// Source: numpy's documentation of numpy.lib.format, versions 1.0 to 3.0.
#include "sinew/formats.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

// Dimensions whose extents are stored; further ones are only counted.
#define DIMENSIONS_KEPT 4

// The largest extent and the largest file; larger extents are read as this.
#define MOST ((uint64_t)INT64_MAX)

// The position in the dictionary and the entries read so far.
typedef struct scan {
  const char *begin, *end; // of the dictionary's text
  const char *at;
  const char *name;
  size_t before; // bytes of the file that precede begin
  sinew_error *error;
  char type[16];
  bool fortran;
  bool has_type, has_order, has_shape;
  int dimensions;
  uint64_t extents[DIMENSIONS_KEPT];
} scan;

__attribute__((format(printf, 4, 5))) static sinew_result
refuse(const char *name, sinew_error *error, sinew_result code, const char *format, ...) {
  if (error) {
    *error = (sinew_error){.code = code};
    snprintf(error->file, sizeof error->file, "%s", name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
  }
  return code;
}

static sinew_result refuse_at(const scan *s, const char *wanted) {
  return refuse(s->name, s->error, SINEW_ERROR_SYNTAX, "byte %zu: expected %s in the header",
                s->before + (size_t)(s->at - s->begin), wanted);
}

// ------------------------------------------------------------- the dictionary

static void skip_blanks(scan *s) {
  while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n')) {
    ++s->at;
  }
}

// Skips blanks and a letter; false if there is another one.
static bool take(scan *s, char letter) {
  skip_blanks(s);
  if (s->at == s->end || *s->at != letter) {
    return false;
  }
  ++s->at;
  return true;
}

static bool take_word(scan *s, const char *word) {
  skip_blanks(s);
  const size_t length = strlen(word);
  if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0) {
    return false;
  }
  s->at += length;
  return true;
}

// Reads a text in single or double quotes; what does not fit is cut.
static bool take_text(scan *s, char *text, size_t size) {
  skip_blanks(s);
  if (s->at == s->end || (*s->at != '\'' && *s->at != '"')) {
    return false;
  }
  const char *close = memchr(s->at + 1, *s->at, (size_t)(s->end - s->at - 1));
  if (!close) {
    return false;
  }
  snprintf(text, size, "%.*s", (int)(close - s->at - 1), s->at + 1);
  s->at = close + 1;
  return true;
}

static bool take_extent(scan *s, uint64_t *value) {
  skip_blanks(s);
  const char *from = s->at;
  *value = 0;
  for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; ++s->at) {
    const unsigned digit = (unsigned)(*s->at - '0');
    *value = *value > (MOST - digit) / 10 ? MOST : 10 * *value + digit;
  }
  return s->at > from;
}

// (), (7,), (1000, 7) and so on
static bool take_shape(scan *s) {
  s->dimensions = 0;
  if (!take(s, '(')) {
    return false;
  }
  while (!take(s, ')')) {
    uint64_t extent;
    if (!take_extent(s, &extent)) {
      return false;
    }
    if (s->dimensions < DIMENSIONS_KEPT) {
      s->extents[s->dimensions] = extent;
    }
    ++s->dimensions;
    if (!take(s, ',')) {
      return take(s, ')');
    }
  }
  return true;
}

static sinew_result take_type(scan *s) {
  s->has_type = take_text(s, s->type, sizeof s->type);
  if (!s->has_type && take(s, '[')) {
    return refuse(s->name, s->error, SINEW_ERROR_UNSUPPORTED,
                  "the values are records of several fields; they must be <f4 or <f8");
  }
  return s->has_type ? SINEW_OK : refuse_at(s, "a type such as '<f8'");
}

static sinew_result take_entry(scan *s) {
  char key[32];
  if (!take_text(s, key, sizeof key)) {
    return refuse_at(s, "a key in quotes");
  }
  if (!take(s, ':')) {
    return refuse_at(s, "a colon");
  }
  if (strcmp(key, "descr") == 0) {
    return take_type(s);
  }
  if (strcmp(key, "fortran_order") == 0) {
    s->fortran = take_word(s, "True");
    s->has_order = s->fortran || take_word(s, "False");
    return s->has_order ? SINEW_OK : refuse_at(s, "True or False");
  }
  if (strcmp(key, "shape") == 0) {
    s->has_shape = take_shape(s);
    return s->has_shape ? SINEW_OK : refuse_at(s, "a shape such as (1000, 7)");
  }
  return refuse(s->name, s->error, SINEW_ERROR_SYNTAX, "the header has an unknown key '%s'", key);
}

static sinew_result take_dictionary(scan *s) {
  if (!take(s, '{')) {
    return refuse_at(s, "an opening brace");
  }
  while (!take(s, '}')) {
    const sinew_result result = take_entry(s);
    if (result != SINEW_OK) {
      return result;
    }
    if (!take(s, ',')) {
      if (!take(s, '}')) {
        return refuse_at(s, "a comma or a closing brace");
      }
      break;
    }
  }
  skip_blanks(s);
  if (s->at != s->end) {
    return refuse_at(s, "the end");
  }
  return s->has_type && s->has_order && s->has_shape
             ? SINEW_OK
             : refuse(s->name, s->error, SINEW_ERROR_SYNTAX, "the header has no key '%s'",
                      !s->has_type    ? "descr"
                      : !s->has_order ? "fortran_order"
                                      : "shape");
}

// ---------------------------------------------------------------- the values

static sinew_result check_meaning(const scan *s, sinew_npy *npy) {
  npy->value_size = strcmp(s->type, "<f4") == 0 ? 4 : strcmp(s->type, "<f8") == 0 ? 8 : 0;
  if (npy->value_size == 0) {
    return refuse(s->name, s->error, SINEW_ERROR_UNSUPPORTED,
                  "the values have the type '%s'; they must be <f4 or <f8", s->type);
  }
  if (s->dimensions != 2) {
    return refuse(s->name, s->error, SINEW_ERROR_UNSUPPORTED,
                  "the array has %d dimension%s; it must have 2, rows and columns", s->dimensions,
                  s->dimensions == 1 ? "" : "s");
  }
  if (s->fortran) {
    return refuse(
        s->name, s->error, SINEW_ERROR_UNSUPPORTED,
        "the numbers are stored by columns (Fortran order); they must be stored by rows (C "
        "order): use numpy.ascontiguousarray()");
  }
  npy->rows = s->extents[0];
  npy->columns = s->extents[1];
  const uint64_t most = (MOST - SINEW_NPY_MAX_HEADER) / (uint64_t)npy->value_size;
  if (npy->rows > most || npy->columns > most ||
      (npy->columns > 0 && npy->rows > most / npy->columns)) {
    return refuse(s->name, s->error, SINEW_ERROR_TOO_LARGE, "the shape is larger than any file");
  }
  return SINEW_OK;
}

// Finds the dictionary; its length is in the two or four bytes after the version.
static sinew_result find_dictionary(scan *s, const unsigned char *bytes, size_t size) {
  const size_t known = size < sizeof magic ? size : sizeof magic;
  if (size == 0 || memcmp(bytes, magic, known) != 0) {
    return refuse(s->name, s->error, SINEW_ERROR_SYNTAX,
                  "this is not an NPY: it does not begin with \\x93NUMPY");
  }
  const int version = size > 6 ? bytes[6] : 1;
  if (version < 1 || version > 3) {
    return refuse(s->name, s->error, SINEW_ERROR_UNSUPPORTED,
                  "the NPY has version %d; versions 1 to 3 are supported", version);
  }
  s->before = version == 1 ? 10 : 12;
  size_t length = 0;
  for (size_t i = s->before; size >= s->before && i-- > 8;) {
    length = length << 8 | bytes[i];
  }
  if (length > SINEW_NPY_MAX_HEADER - s->before) {
    return refuse(s->name, s->error, SINEW_ERROR_TOO_LARGE, "the header is longer than %d bytes",
                  SINEW_NPY_MAX_HEADER);
  }
  if (size < s->before + length) {
    return refuse(s->name, s->error, SINEW_ERROR_SYNTAX, "byte %zu: the file ends in the header",
                  size);
  }
  s->begin = s->at = (const char *)bytes + s->before;
  s->end = s->begin + length;
  return SINEW_OK;
}

sinew_result sinew_npy_read_header(const void *data, size_t size, const char *name, sinew_npy *npy,
                                   sinew_error *error) {
  scan s = {.name = name ? name : "input", .error = error};
  if (!npy || (!data && size > 0)) {
    return refuse(s.name, error, SINEW_ERROR_ARGUMENT, "data and npy must not be NULL");
  }
  *npy = (sinew_npy){0};
  sinew_result result = find_dictionary(&s, data, size);
  if (result == SINEW_OK) {
    result = take_dictionary(&s);
  }
  sinew_npy found = {0};
  if (result == SINEW_OK) {
    result = check_meaning(&s, &found);
  }
  if (result == SINEW_OK) {
    found.data = s.before + (size_t)(s.end - s.begin);
    *npy = found;
  }
  return result;
}

// -------------------------------------------------------------------- numbers

// Compilers reduce these shifts to one load on a little-endian processor.
static uint64_t load(const unsigned char *bytes, int size) {
  uint64_t bits = 0;
  for (int i = size; i-- > 0;) {
    bits = bits << 8 | bytes[i];
  }
  return bits;
}

void sinew_npy_read_values(const sinew_npy *npy, const void *data, size_t count, double *values) {
  const unsigned char *bytes = data;
  for (size_t i = 0; npy->value_size == 8 && i < count; ++i) {
    const uint64_t bits = load(bytes + 8 * i, 8);
    memcpy(&values[i], &bits, sizeof bits);
  }
  for (size_t i = 0; npy->value_size == 4 && i < count; ++i) {
    const uint32_t bits = (uint32_t)load(bytes + 4 * i, 4);
    float value;
    memcpy(&value, &bits, sizeof bits);
    values[i] = (double)value;
  }
}

void sinew_npy_write_values(const double *values, size_t count, void *data) {
  unsigned char *bytes = data;
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    for (int k = 0; k < 8; ++k) {
      bytes[8 * i + (size_t)k] = (unsigned char)(bits >> (8 * k));
    }
  }
}

void sinew_npy_write_header(uint64_t rows, uint64_t columns, char header[SINEW_NPY_HEADER_SIZE]) {
  const size_t before = 10, length = SINEW_NPY_HEADER_SIZE - before;
  memset(header, ' ', SINEW_NPY_HEADER_SIZE);
  memcpy(header, magic, sizeof magic);
  header[6] = 1;
  header[7] = 0;
  header[8] = (char)length;
  header[9] = 0;
  const int used = snprintf(header + before, length,
                            "{'descr': '<f8', 'fortran_order': False, 'shape': (%llu, %llu), }",
                            (unsigned long long)rows, (unsigned long long)columns);
  header[before + (size_t)used] = ' '; // the terminator
  header[SINEW_NPY_HEADER_SIZE - 1] = '\n';
}
