// The BVH reader on unusual and broken files: a table of the files that load and those that are
// refused, with the line and the text of the message.
#include "bvh_shared.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Pieces of files. A joint of one channel, one frame.
#define HEAD "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n" // 5 lines
#define MOVE "MOTION\nFrames: 1\nFrame Time: 0.1\n"
#define GOOD HEAD "}\n" MOVE "5\n"

typedef struct refusal {
  const char *text;
  sinew_result code;
  int line;
  const char *name;
  const char *words;
} refusal;

static void expect_refused(const char *text, size_t size, const sinew_read_def *def,
                           const refusal *expected) {
  sinew_document *document = NULL;
  sinew_error error = {0};
  sinew_result result = sinew_bvh_read(text, size, def, &document, &error);
  char line[1024];
  sinew_error_format(&error, line, sizeof line);
  if (result != expected->code || error.code != expected->code || error.line != expected->line ||
      strcmp(error.name, expected->name) != 0 || strstr(error.message, expected->words) == NULL) {
    fail_msg("%.60s...: code %d, \"%s\"", text, (int)result, line);
  }
  assert_null(document);
}

static sinew_document *expect_loaded(const char *text, size_t size) {
  sinew_document *document = NULL;
  sinew_error error = {0};
  if (sinew_bvh_read(text, size, NULL, &document, &error) != SINEW_OK) {
    fail_msg("%.60s...: line %d: %s", text, error.line, error.message);
  }
  return document;
}

static void invalid_skeletons_are_refused(void **state) {
  (void)state;
  static const refusal cases[] = {
      {"", SINEW_ERROR_SYNTAX, 1, "", "expected HIERARCHY, found the end of the file"},
      {"\n\n{", SINEW_ERROR_SYNTAX, 3, "", "expected HIERARCHY, found '{'"},
      {"<robot/>", SINEW_ERROR_SYNTAX, 1, "", "found '<robot/>'"},
      {"HIERARCHY\n", SINEW_ERROR_SYNTAX, 2, "", "expected ROOT"},
      {"HIERARCHY\nJOINT a\n", SINEW_ERROR_SYNTAX, 2, "", "expected ROOT, found 'JOINT'"},
      {"HIERARCHY\nROOT\n{\n", SINEW_ERROR_SYNTAX, 3, "", "must have a name"},
      {"HIERARCHY\nROOT a\x01z\n{\n", SINEW_ERROR_SYNTAX, 2, "", "control character"},
      {"HIERARCHY\nROOT a}z\n{\n", SINEW_ERROR_SYNTAX, 2, "", "brace"},
      {"HIERARCHY\nROOT a\nOFFSET 0 0 0\n", SINEW_ERROR_SYNTAX, 3, "a", "expected {"},
      {"HIERARCHY\nROOT a\n{\n", SINEW_ERROR_SYNTAX, 4, "a", "found the end of the file"},
      {HEAD, SINEW_ERROR_SYNTAX, 6, "a", "expected OFFSET, CHANNELS, JOINT, End Site or }"},
      {HEAD "OFFSET 1 2 3\n}", SINEW_ERROR_SYNTAX, 6, "a", "second OFFSET"},
      {HEAD "CHANNELS 0\n}", SINEW_ERROR_SYNTAX, 6, "a", "second CHANNELS"},
      {HEAD "ROOT b\n{\n", SINEW_ERROR_SYNTAX, 6, "a", "found 'ROOT'"},
      {HEAD "End Joint\n{", SINEW_ERROR_SYNTAX, 6, "a", "expected Site, found 'Joint'"},
      {HEAD "End Site\nb\n{", SINEW_ERROR_SYNTAX, 7, "a", "expected {"},
      {HEAD "End Site\n{\nJOINT b", SINEW_ERROR_SYNTAX, 8, "a", "expected OFFSET or }"},
      {HEAD "End Site\n{\n}\n}\n", SINEW_ERROR_SYNTAX, 8, "a", "End Site has no OFFSET"},
      {HEAD "End Site\n{\nCHANNELS 1 Xrotation\n", SINEW_ERROR_UNSUPPORTED, 8, "a", "End Site"},
      {HEAD "}\n}\n", SINEW_ERROR_SYNTAX, 7, "", "expected MOTION, found '}'"},
      {"HIERARCHY\nROOT a\n{\n}\n", SINEW_ERROR_SYNTAX, 4, "a", "has no OFFSET"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0 0\n}", SINEW_ERROR_SYNTAX, 5, "a", "number of OFFSET"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0 nan 0\n}", SINEW_ERROR_SYNTAX, 4, "a", "found 'nan'"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0 -inf 0\n}", SINEW_ERROR_SYNTAX, 4, "a", "found '-inf'"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0 1e999 0\n}", SINEW_ERROR_NOT_FINITE, 4, "a", "too large"},
      {"HIERARCHY\r\nROOT a\r\n{\r\nOFFSET x", SINEW_ERROR_SYNTAX, 4, "a", "found 'x'"},
      {"HIERARCHY\rROOT a\r{\r\rOFFSET x", SINEW_ERROR_SYNTAX, 5, "a", "found 'x'"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0,5 0 0\n}", SINEW_ERROR_SYNTAX, 4, "a", "found '0,5'"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0x1 0 0\n}", SINEW_ERROR_SYNTAX, 4, "a", "found '0x1'"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect_refused(cases[i].text, strlen(cases[i].text), NULL, &cases[i]);
  }
}

#define OPEN "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS "

static void invalid_channels_are_refused(void **state) {
  (void)state;
  static const refusal cases[] = {
      {OPEN "x", SINEW_ERROR_SYNTAX, 5, "a", "expected the number of CHANNELS, found 'x'"},
      {OPEN "-1", SINEW_ERROR_SYNTAX, 5, "a", "must be an integer"},
      {OPEN "1.5", SINEW_ERROR_SYNTAX, 5, "a", "must be an integer"},
      {OPEN "7", SINEW_ERROR_UNSUPPORTED, 5, "a", "more than 6"},
      {OPEN "2 Xrotation\n}", SINEW_ERROR_SYNTAX, 6, "a", "expected a channel"},
      {OPEN "1 Xrotation Yrotation\n}", SINEW_ERROR_SYNTAX, 5, "a", "found 'Yrotation'"},
      {OPEN "1 Wrotation\n}", SINEW_ERROR_SYNTAX, 5, "a", "found 'Wrotation'"},
      {OPEN "1 Xscale\n}", SINEW_ERROR_SYNTAX, 5, "a", "found 'Xscale'"},
      {OPEN "2 Xrotation Xrotation\n}", SINEW_ERROR_UNSUPPORTED, 5, "a", "the same axis"},
      {OPEN "2 Xposition Xposition\n}", SINEW_ERROR_UNSUPPORTED, 5, "a", "occurs twice"},
      {OPEN "3 Xrotation Xposition Xrotation\n}", SINEW_ERROR_UNSUPPORTED, 5, "a", "same axis"},
      {OPEN "4 Xrotation Yrotation Xrotation Yrotation\n}", SINEW_ERROR_UNSUPPORTED, 5, "a",
       "more than 3 rotation"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nJOINT b\n{\nOFFSET 0 0 0\n}\nCHANNELS 1 Xrotation\n",
       SINEW_ERROR_SYNTAX, 9, "a", "CHANNELS must precede the joint's children"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect_refused(cases[i].text, strlen(cases[i].text), NULL, &cases[i]);
  }
}

static void invalid_motions_are_refused(void **state) {
  (void)state;
  static const refusal cases[] = {
      {HEAD "}\nMOTIO", SINEW_ERROR_SYNTAX, 7, "", "expected MOTION"},
      {HEAD "}\nMOTION", SINEW_ERROR_SYNTAX, 7, "", "expected Frames"},
      {HEAD "}\nMOTION\nFrames 1", SINEW_ERROR_SYNTAX, 8, "", "expected :"},
      {HEAD "}\nMOTION\nFrames: x", SINEW_ERROR_SYNTAX, 8, "", "expected the number of Frames"},
      {HEAD "}\nMOTION\nFrames: -1", SINEW_ERROR_SYNTAX, 8, "", "must be an integer"},
      {HEAD "}\nMOTION\nFrames: 3000000000", SINEW_ERROR_SYNTAX, 8, "", "must be an integer"},
      {HEAD "}\nMOTION\nFrames: 1\n0.1", SINEW_ERROR_SYNTAX, 9, "", "expected Frame, found '0.1'"},
      {HEAD "}\nMOTION\nFrames: 0\nFrame Time: -1", SINEW_ERROR_SYNTAX, 9, "Frame Time",
       "negative"},
      {HEAD "}\nMOTION\nFrames: 0\nFrame Time: inf", SINEW_ERROR_SYNTAX, 9, "", "found 'inf'"},
      {HEAD "}\nMOTION\nFrames: 1\nFrame Time: 1 5", SINEW_ERROR_SYNTAX, 9, "", "end of the line"},
      {HEAD "}\n" MOVE, SINEW_ERROR_SYNTAX, 8, "Frames", "it is 1, but 0 rows"},
      {HEAD "}\n" MOVE "5\n5\n5\n", SINEW_ERROR_SYNTAX, 8, "Frames", "it is 1, but 3 rows"},
      {HEAD "}\nMOTION\nFrames: 4\nFrame Time: 1\n5\n5\n", SINEW_ERROR_SYNTAX, 8, "Frames",
       "it is 4, but 2 rows"},
      {HEAD "}\n" MOVE "5 6\n", SINEW_ERROR_SYNTAX, 10, "",
       "more values than there are channels (1)"},
      {HEAD "}\n" MOVE "five\n", SINEW_ERROR_SYNTAX, 10, "a", "expected a number, found 'five'"},
      {HEAD "}\n" MOVE "5x\n", SINEW_ERROR_SYNTAX, 10, "a", "found '5x'"},
      {HEAD "}\n" MOVE "5:6\n", SINEW_ERROR_SYNTAX, 10, "a", "found '5'"},
      {HEAD "}\n" MOVE "5{\n", SINEW_ERROR_SYNTAX, 10, "a", "found '5'"},
      {HEAD "}\n" MOVE "nan\n", SINEW_ERROR_SYNTAX, 10, "a", "found 'nan'"},
      {HEAD "}\n" MOVE "1e400\n", SINEW_ERROR_NOT_FINITE, 10, "a", "value 1 of the row"},
      {HEAD "JOINT b\n{\nOFFSET 0 0 0\nCHANNELS 2 Xrotation Yrotation\n}\n}\n" MOVE "1 2\n",
       SINEW_ERROR_SYNTAX, 15, "", "frame 1 has 2 values, but there are 3 channels"},
      {HEAD "JOINT b\n{\nOFFSET 0 0 0\nCHANNELS 2 Xrotation Yrotation\n}\n}\n" MOVE "1 2 x\n",
       SINEW_ERROR_SYNTAX, 15, "b", "found 'x'"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect_refused(cases[i].text, strlen(cases[i].text), NULL, &cases[i]);
  }
}

// One row more or less than Frames states: all rows are read, with a warning.
static void frame_counts_off_by_one_are_accepted(void **state) {
  (void)state;
  static const struct {
    const char *text, *warning;
    int frames;
  } cases[] = {
      {HEAD "}\n" MOVE "5\n6\n", "it is 1, but 2 rows follow; all rows are used", 2},
      {HEAD "}\nMOTION\nFrames: 3\nFrame Time: 1\n5\n6\n", "it is 3, but 2 rows follow", 2},
      {HEAD "}\nMOTION\nFrames: 0\nFrame Time: 1\n5\n", "it is 0, but 1 rows follow", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sinew_document *document = expect_loaded(cases[i].text, strlen(cases[i].text));
    assert_int_equal(document->motion.frame_count, cases[i].frames);
    assert_int_equal(document->warning_count, 1);
    assert_int_equal(document->warnings[0].line, 8);
    assert_string_equal(document->warnings[0].name, "Frames");
    assert_non_null(strstr(document->warnings[0].message, cases[i].warning));
    for (int f = 0; f < cases[i].frames; f++) {
      assert_true(fabs(document->motion.q[f] - (5 + f) * 3.14159265358979323846 / 180) < 1e-12);
    }
    sinew_document_destroy(document);
  }
}

// A number of frames without rows causes neither an allocation nor a loop.
static void frame_counts_are_checked_first(void **state) {
  (void)state;
  static const refusal nothing = {NULL, SINEW_ERROR_SYNTAX, 7, "Frames",
                                  "too short for 2000000000"};
  static const char still[] = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\n"
                              "MOTION\nFrames: 2000000000\nFrame Time: 1\n";
  expect_refused(still, strlen(still), NULL, &nothing);

  // 60 joints, 100 rows of one number each: 6000 would be allocated before the rows are read
  static const refusal rows = {NULL, SINEW_ERROR_SYNTAX, 243, "Frames", "too short for 100 rows"};
  char text[8192] = "HIERARCHY\n";
  for (int i = 0; i < 60; i++) {
    strcat(text, "ROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation }\n");
  }
  strcat(text, "MOTION\nFrames: 100\n");
  strcat(text, "Frame Time: 1\n");
  for (int i = 0; i < 100; i++) {
    strcat(text, "1\n");
  }
  expect_refused(text, strlen(text), NULL, &rows);
}

// Different spellings of the same file: each gives one joint, one frame, 5 degrees.
static void other_spellings_give_the_same(void **state) {
  (void)state;
  static const char *const cases[] = {
      GOOD,
      "\xEF\xBB\xBF" GOOD,
      "\n \n\t\n" GOOD "\n\n  \n",
      HEAD "}\n" MOVE "5",
      HEAD "}\n" MOVE "\n\n   5   \n",
      HEAD "}\n" MOVE "+5.000e+00\r\n",
      HEAD "}\nMOTION\nFrames:1\nFrame  Time:.1\n5",
      HEAD "}\nMOTION\nFrames :\t1\nFrame Time :\t0.1\n5\n",
      "hierarchy\nroot a\n{\noffset 0 0 0\nchannels 1 XROTATION\n}\n"
      "motion\nframes: 1\nFRAME TIME: 0.1\n5\n",
      "HIERARCHY\r\nROOT a\r\n{\r\nOFFSET 0 0 0\r\nCHANNELS 1 Xrotation\r\n}\r\n"
      "MOTION\r\nFrames: 1\r\nFrame Time: 0.1\r\n5\r\n",
      "HIERARCHY\rROOT a\r{\rOFFSET 0 0 0\rCHANNELS 1 Xrotation\r}\r"
      "MOTION\rFrames: 1\rFrame Time: 0.1\r5\r",
      "HIERARCHY ROOT a{OFFSET 0 0 0 CHANNELS 1 Xrotation}MOTION Frames: 1 Frame Time: 0.1\n5",
      "HIERARCHY\nROOT\na  \n{\nCHANNELS 1\nXrotation\nOFFSET\n0\n0\n0\n}\n" MOVE "5\n"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sinew_document *document = expect_loaded(cases[i], strlen(cases[i]));
    assert_int_equal(document->model.joint_count, 1);
    assert_string_equal(document->model.joints[0].name, "a");
    assert_string_equal(document->model.joints[0].channels, "X");
    assert_int_equal(document->motion.frame_count, 1);
    assert_true(document->motion.frame_time == 0.1);
    assert_true(fabs(document->motion.q[0] - 5 * 3.14159265358979323846 / 180) < 1e-16);
    assert_int_equal(document->warning_count, 0);
    sinew_document_destroy(document);
  }
  // zero bytes after the end, as some programs write them
  sinew_document *document = expect_loaded(GOOD "\0\0", sizeof GOOD + 1);
  sinew_document_destroy(document);
}

static void names_run_to_the_end_of_the_line(void **state) {
  (void)state;
  static const char text[] = "HIERARCHY\nROOT mixamorig:Left Arm 2 \t\n{\nOFFSET 0 0 0\n"
                             "End Site { OFFSET 0 0 0 } JOINT \xC3\xA9paule gauche {OFFSET 0 0 0}}";
  sinew_document *document = expect_loaded(text, strlen(text));
  assert_string_equal(document->model.joints[0].name, "mixamorig:Left Arm 2");
  assert_string_equal(document->model.joints[1].name, "mixamorig:Left Arm 2_end");
  assert_string_equal(document->model.joints[2].name, "\xC3\xA9paule gauche");
  sinew_document_destroy(document);
}

// The longest names, twice: what is added to them is not cut.
static void added_endings_of_long_names_are_whole(void **state) {
  (void)state;
  static const char *const endings[] = {"", "_end", "_2", "_2_end"};
  char name[256] = "", text[1024], expected[300];
  memset(name, 'n', sizeof name - 1);
  const int size = snprintf(text, sizeof text,
                            "HIERARCHY ROOT %s\n{ OFFSET 0 0 0 End Site { OFFSET 0 0 0 } JOINT %s\n"
                            "{ OFFSET 0 0 0 End Site { OFFSET 0 0 0 } } }",
                            name, name);
  sinew_document *document = expect_loaded(text, (size_t)size);
  assert_int_equal(document->model.joint_count, 4);
  for (int i = 0; i < 4; i++) {
    snprintf(expected, sizeof expected, "%s%s", name, endings[i]);
    assert_string_equal(document->model.joints[i].name, expected);
  }
  sinew_document_destroy(document);
}

// A clip of one frame may have no duration.
static void a_frame_time_of_zero_loads(void **state) {
  (void)state;
  static const char text[] = HEAD "}\nMOTION\nFrames: 1\nFrame Time: 0\n5\n";
  sinew_document *document = expect_loaded(text, strlen(text));
  assert_int_equal(document->motion.frame_count, 1);
  assert_true(document->motion.frame_time == 0.0);
  sinew_document_destroy(document);
}

static void skeletons_without_motion_load(void **state) {
  (void)state;
  sinew_document *document = expect_loaded(HEAD "}\n", strlen(HEAD "}\n"));
  assert_int_equal(document->motion.frame_count, 0);
  assert_int_equal(document->motion.nq, 1);
  assert_int_equal(document->warning_count, 1);
  assert_non_null(strstr(document->warnings[0].message, "has no MOTION"));
  sinew_document_destroy(document);
}

// ---- bounds ----

static void sizes_are_bounded(void **state) {
  (void)state;
  sinew_read_def def = sinew_default_read_def();
  def.name = "walk.bvh";
  def.max_bytes = strlen(GOOD) - 1;
  static const refusal bytes = {NULL, SINEW_ERROR_TOO_LARGE, 0, "", "bytes"};
  expect_refused(GOOD, strlen(GOOD), &def, &bytes);

  def.max_bytes = strlen(GOOD);
  def.max_depth = 2;
  static const refusal depth = {NULL, SINEW_ERROR_TOO_LARGE, 10, "c", "nested deeper than 2"};
  static const char deep[] = HEAD "JOINT b\n{\nOFFSET 0 0 0\nEnd Site { OFFSET 0 0 0 }\n"
                                  "JOINT c\n{\nOFFSET 0 0 0\n}\n}\n}\n";
  def.max_bytes = sizeof deep;
  expect_refused(deep, strlen(deep), &def, &depth);

  char name[400] = "HIERARCHY\nROOT ";
  memset(name + strlen(name), 'n', 256);
  static const refusal length = {NULL, SINEW_ERROR_TOO_LARGE, 2, "", "longer than 255"};
  expect_refused(name, strlen(name), NULL, &length);
}

// The text need not be terminated: a copy that ends at the end of its memory, cut at every byte, so
// that a sanitizer detects a read past it. A cut file is refused or is a skeleton without a motion,
// and errors name the file.
static void truncated_files_are_refused(void **state) {
  (void)state;
  static const char text[] = HEAD "End Site\n{\nOFFSET 0 1 0\n}\n}\n" MOVE "-12.5e0";
  for (size_t size = 1; size < sizeof text - 1; size++) {
    char *copy = malloc(size);
    memcpy(copy, text, size);
    sinew_document *document = NULL;
    sinew_error error = {0};
    sinew_result result = sinew_bvh_read(copy, size, NULL, &document, &error);
    if (result == SINEW_OK) {
      assert_true(document->motion.frame_count == 1 || document->warning_count == 1);
    } else {
      assert_string_equal(error.file, "input");
      assert_true(error.line > 0 && error.message[0] != '\0');
    }
    sinew_document_destroy(document);
    free(copy);
  }
}

static void arguments_are_checked(void **state) {
  (void)state;
  sinew_document *document = NULL;
  sinew_error error = {0};
  assert_int_equal(sinew_bvh_read(NULL, 3, NULL, &document, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_bvh_read(GOOD, strlen(GOOD), NULL, NULL, &error), SINEW_ERROR_ARGUMENT);
  sinew_read_def def = {0};
  assert_int_equal(sinew_bvh_read(GOOD, strlen(GOOD), &def, &document, NULL), SINEW_ERROR_ARGUMENT);
}

// ---- the files of ../shared/data/bvh_edge ----

// A file of the folder that is not in the table fails the test.
static void edge_files_match_the_table(void **state) {
  (void)state;
  static const struct {
    const char *file;
    refusal expected; // code SINEW_OK: loads
    int missing;      // rows
  } cases[] = {{"bvh_edge/pybvh_blank_lines.bvh", {NULL, SINEW_OK, 0, "", ""}, 0},
               // one row less than it states
               {"bvh_edge/pybvh_frames3_but_2_rows.bvh", {NULL, SINEW_OK, 0, "", ""}, 1}};
  enum { CASES = sizeof cases / sizeof *cases };
  static bvh_manifest_row rows[64];
  int count = bvh_manifest("bvh_edge/", rows, 64);
  for (int i = 0; i < count; i++) {
    int c = 0;
    while (c < CASES && strcmp(cases[c].file, rows[i].file) != 0) {
      c++;
    }
    assert_true(c < CASES);
    size_t size = 0;
    char *text = bvh_read_shared(rows[i].file, &size);
    assert_non_null(text);
    if (cases[c].expected.code != SINEW_OK) {
      expect_refused(text, size, NULL, &cases[c].expected);
    } else {
      sinew_document *document = expect_loaded(text, size);
      assert_int_equal(document->motion.nq, rows[i].dof);
      assert_int_equal(document->motion.frame_count, rows[i].frames - cases[c].missing);
      sinew_document_destroy(document);
    }
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(invalid_skeletons_are_refused),
      cmocka_unit_test(invalid_channels_are_refused),
      cmocka_unit_test(invalid_motions_are_refused),
      cmocka_unit_test(frame_counts_off_by_one_are_accepted),
      cmocka_unit_test(frame_counts_are_checked_first),
      cmocka_unit_test(other_spellings_give_the_same),
      cmocka_unit_test(names_run_to_the_end_of_the_line),
      cmocka_unit_test(added_endings_of_long_names_are_whole),
      cmocka_unit_test(a_frame_time_of_zero_loads),
      cmocka_unit_test(skeletons_without_motion_load),
      cmocka_unit_test(sizes_are_bounded),
      cmocka_unit_test(truncated_files_are_refused),
      cmocka_unit_test(arguments_are_checked),
      cmocka_unit_test(edge_files_match_the_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
