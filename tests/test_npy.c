// NPY: headers as numpy writes them, headers that are refused with the reason, and the numbers
// after them.
#include "sinew/formats.h"

#include "near.h"

// A header of a version, the text padded as numpy does; returns its length.
static size_t header_of(char *file, int version, const char *text) {
  const size_t before = version == 1 ? 10 : 12;
  const size_t whole = (before + strlen(text) + 1 + 63) / 64 * 64, length = whole - before;
  memcpy(file, "\x93NUMPY", 6);
  file[6] = (char)version;
  file[7] = 0;
  for (size_t i = 8; i < before; ++i) {
    file[i] = (char)(length >> (8 * (i - 8)));
  }
  memset(file + before, ' ', length);
  memcpy(file + before, text, strlen(text));
  file[whole - 1] = '\n';
  return whole;
}

static sinew_npy read_good(const void *data, size_t size) {
  sinew_npy npy;
  sinew_error error = {0};
  if (sinew_npy_read_header(data, size, "good.npy", &npy, &error) != SINEW_OK) {
    fail_msg("%s: %s", error.file, error.message);
  }
  return npy;
}

static sinew_npy read_text(int version, const char *text) {
  char file[1024];
  const size_t size = header_of(file, version, text);
  const sinew_npy npy = read_good(file, size);
  assert_int_equal(npy.data, size);
  return npy;
}

static void expect_refused(const void *data, size_t size, sinew_result code, const char *words) {
  sinew_npy npy = {1, 2, 3, 4};
  sinew_error error = {0};
  assert_int_equal(sinew_npy_read_header(data, size, "bad.npy", &npy, &error), code);
  assert_int_equal(error.code, code);
  assert_string_equal(error.file, "bad.npy");
  if (!strstr(error.message, words)) {
    fail_msg("'%s' is not in '%s'", words, error.message);
  }
  assert_int_equal(npy.rows + npy.columns + npy.data + (size_t)npy.value_size, 0);
  assert_int_equal(sinew_npy_read_header(data, size, NULL, &npy, NULL), code);
}

static void refuse_text(const char *text, sinew_result code, const char *words) {
  char file[2048];
  expect_refused(file, header_of(file, 1, text), code, words);
}

// ------------------------------------------------------------------------ headers

// numpy 2.4: numpy.save(name, numpy.arange(6, dtype='<f8').reshape(2, 3)), byte for byte.
static void headers_match_numpy(void **state) {
  (void)state;
  static const char file[] =
      "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
      "                                                          \n"
      "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0\x3f"
      "\x00\x00\x00\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x08\x40"
      "\x00\x00\x00\x00\x00\x00\x10\x40\x00\x00\x00\x00\x00\x00\x14\x40";
  const sinew_npy npy = read_good(file, sizeof file - 1);
  assert_int_equal(npy.data, 128);
  assert_int_equal(npy.value_size, 8);
  assert_int_equal(npy.rows, 2);
  assert_int_equal(npy.columns, 3);
  double values[6];
  sinew_npy_read_values(&npy, file + npy.data, 6, values);
  for (int i = 0; i < 6; ++i) {
    assert_true(values[i] == i);
  }
  // The writer gives the bytes that numpy writes.
  char header[SINEW_NPY_HEADER_SIZE];
  sinew_npy_write_header(2, 3, header);
  assert_memory_equal(header, file, SINEW_NPY_HEADER_SIZE);
}

static void versions_and_spellings(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 7), }",
      "{'shape': (1000, 7), 'fortran_order': False, 'descr': '<f4'}",
      "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (1000, 7,)}",
      "{'descr':'<f4','fortran_order':False,'shape':(1000,7)}",
      "  {  'descr'  :\n'<f4' , 'fortran_order' : False , 'shape' : ( 1000 , 7 , ) , } \n",
  };
  for (int version = 1; version <= 3; ++version) {
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
      const sinew_npy npy = read_text(version, texts[i]);
      assert_int_equal(npy.value_size, 4);
      assert_int_equal(npy.rows, 1000);
      assert_int_equal(npy.columns, 7);
    }
  }
  const sinew_npy empty =
      read_text(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 7), }");
  assert_int_equal(empty.rows, 0);
  assert_int_equal(empty.columns, 7);
}

static void arrays_that_are_no_tables_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"{'descr': '<i8', 'fortran_order': False, 'shape': (5, 7), }", "'<i8'"},
      {"{'descr': '>f8', 'fortran_order': False, 'shape': (5, 7), }", "'>f8'"},
      {"{'descr': '<f2', 'fortran_order': False, 'shape': (5, 7), }", "<f4 or <f8"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (5, 7), }", "'|O'"},
      {"{'descr': '<f8garbage and more of it', 'fortran_order': False, 'shape': (5, 7), }",
       "garbage"},
      {"{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (5, 7), }", "fields"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (5, 7), }", "Fortran"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "0 dimensions"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (5,), }", "1 dimension;"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (5, 1, 7), }", "3 dimensions"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 7), }", "6 dimensions"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    refuse_text(cases[i].text, SINEW_ERROR_UNSUPPORTED, cases[i].words);
  }
}

static void malformed_headers_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"", "byte 64: expected an opening brace in the header"},
      {"{", "byte 64: expected a key"},
      {"{}", "has no key 'descr'"},
      {"{'descr': '<f8', 'shape': (5, 7), }", "has no key 'fortran_order'"},
      {"{'descr': '<f8', 'fortran_order': False, }", "has no key 'shape'"},
      {"{'descr': '<f8, 'fortran_order': False, 'shape': (5, 7), }", "comma"},
      {"{'descr' '<f8', 'fortran_order': False, 'shape': (5, 7), }",
       "byte 19: expected a colon in the header"},
      {"{'descr': 8, 'fortran_order': False, 'shape': (5, 7), }", "a type"},
      {"{'descr': '<f8', 'fortran_order': Maybe, 'shape': (5, 7), }", "True or False"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (5, 7, }", "a shape"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (-5, 7), }", "a shape"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (5 7), }", "a shape"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': 5, }", "a shape"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (5, 7) 'x': 1}", "a comma"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (5, 7), 'more': 1}", "'more'"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (5, 7), } {", "the end"},
      {"{'descr", "a key"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    refuse_text(cases[i].text, SINEW_ERROR_SYNTAX, cases[i].words);
  }
}

static void impossible_sizes_are_refused(void **state) {
  (void)state;
  static const char *const shapes[] = {
      "99999999999999999999999999, 7", "4611686018427387904, 1", "9223372036854775807, 1",
      "3037000500, 3037000500",        "1, 9223372036854775807",
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    char text[128];
    snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }",
             shapes[i]);
    refuse_text(text, SINEW_ERROR_TOO_LARGE, "larger than any file");
  }
  // A header longer than the bound is refused before it is read.
  static const char huge[12] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 0, 0, 0, 127};
  expect_refused(huge, sizeof huge, SINEW_ERROR_TOO_LARGE, "65536");
}

static void other_files_are_refused(void **state) {
  (void)state;
  expect_refused("x,y,z\n1,2,3\n", 12, SINEW_ERROR_SYNTAX, "this is not an NPY");
  expect_refused(NULL, 0, SINEW_ERROR_SYNTAX, "this is not an NPY");
  char file[256];
  const size_t size =
      header_of(file, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 7), }");
  file[6] = 4;
  expect_refused(file, size, SINEW_ERROR_UNSUPPORTED, "version 4");
  file[6] = 0;
  expect_refused(file, size, SINEW_ERROR_UNSUPPORTED, "version 0");
  sinew_npy npy;
  assert_int_equal(sinew_npy_read_header(NULL, 5, NULL, &npy, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_npy_read_header(file, size, NULL, NULL, NULL), SINEW_ERROR_ARGUMENT);
}

// A file cut at any byte is refused, and the byte is named. Copies of exactly that size, so that
// AddressSanitizer and valgrind detect a read beyond them.
static void truncated_headers_are_refused(void **state) {
  (void)state;
  for (int version = 1; version <= 3; ++version) {
    char file[256];
    const size_t size =
        header_of(file, version, "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 7), }");
    for (size_t cut = 1; cut < size; ++cut) {
      char *part = malloc(cut), words[64];
      memcpy(part, file, cut);
      snprintf(words, sizeof words, "byte %zu: the file ends in the header", cut);
      expect_refused(part, cut, SINEW_ERROR_SYNTAX, words);
      free(part);
    }
  }
}

// ------------------------------------------------------------------------ numbers

static void both_sizes_of_numbers(void **state) {
  (void)state;
  // IEEE 754, lowest byte first: 1.5, -2, 2^-149, NaN, infinity.
  static const unsigned char narrow[] = {0x00, 0x00, 0xc0, 0x3f, 0x00, 0x00, 0x00,
                                         0xc0, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
                                         0xc0, 0x7f, 0x00, 0x00, 0x80, 0x7f};
  const sinew_npy npy = {.value_size = 4};
  double values[5];
  sinew_npy_read_values(&npy, narrow, 5, values);
  assert_true(values[0] == 1.5 && values[1] == -2.0 && values[2] == 0x1p-149);
  assert_true(isnan(values[3]) && values[4] == INFINITY);

  static const double some[] = {1.5, -0.0, 0x1p-1074, 1e308, -INFINITY};
  unsigned char data[sizeof some + 1];
  const sinew_npy wide = {.value_size = 8};
  sinew_npy_write_values(some, 5, data + 1); // at an unaligned address
  const unsigned char first[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f};
  assert_memory_equal(data + 1, first, 8);
  sinew_npy_read_values(&wide, data + 1, 5, values);
  assert_memory_equal(values, some, sizeof some);
}

// The header's length does not depend on the numbers of rows and columns, and it can be read.
static void headers_have_one_length(void **state) {
  (void)state;
  static const uint64_t rows[] = {0, 1, 1000000, UINT64_C(1000000000000000)};
  for (size_t i = 0; i < 4; ++i) {
    char header[SINEW_NPY_HEADER_SIZE + 1];
    header[SINEW_NPY_HEADER_SIZE] = 'x';
    sinew_npy_write_header(rows[i], 13, header);
    assert_true(header[SINEW_NPY_HEADER_SIZE] == 'x');
    const sinew_npy npy = read_good(header, SINEW_NPY_HEADER_SIZE);
    assert_true(npy.rows == rows[i] && npy.columns == 13 && npy.value_size == 8);
    assert_int_equal(npy.data, SINEW_NPY_HEADER_SIZE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers_match_numpy),
      cmocka_unit_test(versions_and_spellings),
      cmocka_unit_test(arrays_that_are_no_tables_are_refused),
      cmocka_unit_test(malformed_headers_are_refused),
      cmocka_unit_test(impossible_sizes_are_refused),
      cmocka_unit_test(other_files_are_refused),
      cmocka_unit_test(truncated_headers_are_refused),
      cmocka_unit_test(both_sizes_of_numbers),
      cmocka_unit_test(headers_have_one_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
