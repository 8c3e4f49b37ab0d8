// The BVH writer: files are written as they were read, and what a BVH cannot express is refused.
#include "bvh_shared.h"
#include "counting_allocator.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"
#include "link.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_CLIPS 64
#define BLANKS " \t\r\n"

static const double degree = 3.14159265358979323846 / 180;

static char *write_text(const sinew_model_def *model, const sinew_motion *motion) {
  char *text = NULL;
  size_t size = 0;
  sinew_error error = {0};
  if (sinew_bvh_write(model, motion, NULL, &text, &size, &error) != SINEW_OK) {
    fail_msg("%s: %s", error.name, error.message);
  }
  assert_int_equal(strlen(text), size);
  return text;
}

// The same text word by word, except the format of numbers: these agree to 1e-6 of the file's own
// units, degrees and lengths. No reader of this project is involved.
static void expect_same_words(const char *name, char *before, char *after) {
  char *rest_before = NULL, *rest_after = NULL;
  char *a = strtok_r(before, BLANKS, &rest_before), *b = strtok_r(after, BLANKS, &rest_after);
  for (; a != NULL && b != NULL;
       a = strtok_r(NULL, BLANKS, &rest_before), b = strtok_r(NULL, BLANKS, &rest_after)) {
    char *end_a, *end_b;
    double value_a = strtod(a, &end_a), value_b = strtod(b, &end_b);
    int numbers = *end_a == '\0' && *end_b == '\0';
    if (numbers ? !(fabs(value_a - value_b) <= 1e-6) : strcmp(a, b) != 0) {
      fail_msg("%s: '%s' became '%s'", name, a, b);
    }
  }
  assert_true(a == NULL && b == NULL);
}

// req: A10
static void clips_are_written_as_read(void **state) {
  (void)state;
  static bvh_manifest_row rows[MAX_CLIPS];
  int count = bvh_manifest("bvh/", rows, MAX_CLIPS);
  for (int i = 0; i < count; i++) {
    size_t size = 0;
    char *before = bvh_read_shared(rows[i].file, &size);
    sinew_document *document = NULL;
    assert_int_equal(sinew_bvh_read(before, size, NULL, &document, NULL), SINEW_OK);
    char *after = write_text(&document->model, &document->motion);
    expect_same_words(rows[i].file, before, after);
    free(after);
    free(before);
    sinew_document_destroy(document);
  }
}

// Reading the written file gives the same model and the same motion, channel by channel.
static void reads_back_equal(void **state) {
  (void)state;
  static bvh_manifest_row rows[MAX_CLIPS];
  int count = bvh_manifest("bvh/", rows, MAX_CLIPS);
  for (int i = 0; i < count; i++) {
    size_t size = 0;
    char *text = bvh_read_shared(rows[i].file, &size);
    sinew_document *one = NULL, *two = NULL;
    assert_int_equal(sinew_bvh_read(text, size, NULL, &one, NULL), SINEW_OK);
    free(text);
    text = write_text(&one->model, &one->motion);
    assert_int_equal(sinew_bvh_read(text, strlen(text), NULL, &two, NULL), SINEW_OK);
    assert_int_equal(one->model.joint_count, two->model.joint_count);
    for (int j = 0; j < one->model.joint_count; j++) {
      const sinew_joint_def *a = &one->model.joints[j], *b = &two->model.joints[j];
      assert_string_equal(a->name, b->name);
      assert_string_equal(a->channels, b->channels);
      assert_int_equal(a->parent, b->parent);
      for (int k = 0; k < 3; k++) {
        assert_true(fabs(a->placement.position[k] - b->placement.position[k]) <= 1e-12);
      }
    }
    assert_int_equal(one->motion.frame_count, two->motion.frame_count);
    assert_true(one->motion.frame_time == two->motion.frame_time);
    size_t values = (size_t)one->motion.frame_count * (size_t)one->motion.nq;
    for (size_t k = 0; k < values; k++) {
      assert_true(fabs(one->motion.q[k] - two->motion.q[k]) <= 1e-6 * degree);
    }
    free(text);
    sinew_document_destroy(one);
    sinew_document_destroy(two);
  }
}

// ---- models that were not read ----

enum { WORLD, CHEST, HIP, HAND, TIP, LINKS };

typedef struct small_model {
  sinew_link_def links[LINKS];
  sinew_joint_def joints[LINKS - 1];
  sinew_model_def def;
} small_model;

// hip is the parent of the chest, the chest of a hand, the hand of a tip; out of order.
static void make_small(small_model *m) {
  static const char *const names[LINKS] = {"base", "chest", "hip", "hand", "hand_end"};
  memset(m, 0, sizeof *m);
  for (int i = 0; i < LINKS; i++) {
    m->links[i] = (sinew_link_def)LINK(names[i]);
  }
  static const struct {
    int parent, child;
    sinew_joint_kind kind;
    const char *channels;
  } joints[LINKS - 1] = {{CHEST, HAND, SINEW_JOINT_CHANNELS, "X"},
                         {HAND, TIP, SINEW_JOINT_FIXED, ""},
                         {WORLD, HIP, SINEW_JOINT_CHANNELS, "yZ"},
                         {HIP, CHEST, SINEW_JOINT_EULER, "ZXY"}};
  for (int i = 0; i < LINKS - 1; i++) {
    m->joints[i] = sinew_default_joint_def();
    m->joints[i].name = names[joints[i].child];
    m->joints[i].kind = joints[i].kind;
    m->joints[i].parent = joints[i].parent;
    m->joints[i].child = joints[i].child;
    m->joints[i].placement.position[1] = i + 1;
    snprintf(m->joints[i].channels, sizeof m->joints[i].channels, "%s", joints[i].channels);
  }
  m->def = sinew_default_model_def();
  m->def.links = m->links;
  m->def.link_count = LINKS;
  m->def.joints = m->joints;
  m->def.joint_count = LINKS - 1;
}

static const char small_text[] = "HIERARCHY ROOT hip { OFFSET 0 3 0 CHANNELS 2 Yposition Zrotation "
                                 "JOINT chest { OFFSET 0 4 0 CHANNELS 3 Zrotation Xrotation "
                                 "Yrotation JOINT hand { OFFSET 0 1 0 CHANNELS 1 Xrotation "
                                 "End Site { OFFSET 0 2 0 } } } } "
                                 "MOTION Frames: 1 Frame Time: 0.5 13 20 30 40 50 60";

// Joints may be in any order in a model; a BVH is written depth first, and the columns follow that
// order.
static void joints_are_written_depth_first(void **state) {
  (void)state;
  small_model m;
  make_small(&m);
  double q[] = {60 * degree, 10, 20 * degree, 30 * degree, 40 * degree, 50 * degree};
  sinew_motion motion = {.frame_count = 1, .nq = 6, .frame_time = 0.5, .q = q};
  char *text = write_text(&m.def, &motion);
  char expected[sizeof small_text];
  memcpy(expected, small_text, sizeof expected);
  expect_same_words("small", expected, text);
  free(text);
}

// A line a thing, indented by its depth, as other programs write it.
static void lines_are_indented(void **state) {
  (void)state;
  small_model m;
  make_small(&m);
  char *text = write_text(&m.def, NULL);
  int depth = 0, lines = 0;
  for (char *line = text; strncmp(line, "MOTION", 6) != 0; line = strchr(line, '\n') + 1) {
    const int tabs = (int)strspn(line, "\t"), level = depth - (line[tabs] == '}');
    // HIERARCHY and ROOT stand at the beginning.
    if (tabs != level || line[tabs] == ' ') {
      fail_msg("indented by %d and not by %d: %.40s", tabs, level, line);
    }
    depth += line[tabs] == '{' ? 1 : line[tabs] == '}' ? -1 : 0;
    ++lines;
  }
  assert_int_equal(depth, 0);
  assert_int_equal(lines, 1 + 4 * 4 + 3); // of a joint its name, braces and OFFSET; CHANNELS
  free(text);
}

static void missing_motion_writes_no_frames(void **state) {
  (void)state;
  small_model m;
  make_small(&m);
  char *text = write_text(&m.def, NULL);
  assert_non_null(strstr(text, "Frames: 0\n"));
  sinew_document *document = NULL;
  assert_int_equal(sinew_bvh_read(text, strlen(text), NULL, &document, NULL), SINEW_OK);
  assert_int_equal(document->motion.frame_count, 0);
  assert_true(fabs(document->motion.frame_time - 1.0 / 30) <= 1e-15);
  sinew_document_destroy(document);
  free(text);
}

// A fixed leaf whose name is not that of an End Site keeps its name.
static void named_tips_stay_joints(void **state) {
  (void)state;
  static const struct {
    const char *name, *line;
  } cases[] = {{"hand_end", "End Site\n"},
               {"hand_end_12", "End Site\n"},
               {"hand_endless", "JOINT hand_endless\n"},
               {"hand_end_", "End Site\n"},
               {"tip", "JOINT tip\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    small_model m;
    make_small(&m);
    m.joints[1].name = cases[i].name;
    char *text = write_text(&m.def, NULL);
    assert_non_null(strstr(text, cases[i].line));
    free(text);
  }
}

// ---- what cannot be written ----

static void expect_refused(const small_model *m, const sinew_motion *motion, sinew_result code,
                           const char *name, const char *words) {
  char *text = (char *)"untouched";
  size_t size = 7;
  sinew_error error = {0};
  assert_int_equal(sinew_bvh_write(&m->def, motion, NULL, &text, &size, &error), code);
  assert_null(text);
  assert_int_equal(size, 0);
  assert_int_equal(error.code, code);
  assert_string_equal(error.name, name);
  if (strstr(error.message, words) == NULL) {
    fail_msg("'%s' has no '%s'", error.message, words);
  }
}

static void joints_without_bvh_channels_are_refused(void **state) {
  (void)state;
  small_model m;
  make_small(&m);
  m.joints[3].kind = SINEW_JOINT_SPHERICAL;
  expect_refused(&m, NULL, SINEW_ERROR_UNSUPPORTED, "chest", "CHANNELS, EULER and FIXED");
  make_small(&m);
  m.joints[1].placement.rotation[0] = m.joints[1].placement.rotation[3] = 1;
  expect_refused(&m, NULL, SINEW_ERROR_UNSUPPORTED, "hand_end", "placement has a rotation");
  make_small(&m);
  m.joints[0].driver = 2;
  strcpy(m.joints[2].channels, "Z");
  expect_refused(&m, NULL, SINEW_ERROR_UNSUPPORTED, "hand", "coupled");
  make_small(&m);
  m.joints[0].name = "ha{nd";
  expect_refused(&m, NULL, SINEW_ERROR_UNSUPPORTED, "ha{nd", "brace");
  make_small(&m);
  m.joints[0].name = "hand\nJOINT x";
  expect_refused(&m, NULL, SINEW_ERROR_UNSUPPORTED, "hand\nJOINT x", "control");
  make_small(&m);
  m.joints[0].name = "hand ";
  expect_refused(&m, NULL, SINEW_ERROR_UNSUPPORTED, "hand ", "blank");
  make_small(&m);
  m.def.joint_count = 0;
  m.def.link_count = 1;
  expect_refused(&m, NULL, SINEW_ERROR_UNSUPPORTED, "base", "at least one joint");
}

static void unfitting_motions_are_refused(void **state) {
  (void)state;
  small_model m;
  make_small(&m);
  double q[12] = {0};
  sinew_motion motion = {.frame_count = 2, .nq = 5, .frame_time = 0.5, .q = q};
  expect_refused(&m, &motion, SINEW_ERROR_ARGUMENT, "motion", "the model has 6");
  motion.nq = 6;
  motion.frame_time = NAN;
  expect_refused(&m, &motion, SINEW_ERROR_ARGUMENT, "motion", "frame time");
  motion.frame_time = -1;
  expect_refused(&m, &motion, SINEW_ERROR_ARGUMENT, "motion", "frame time");
  motion.frame_time = 1;
  q[6] = NAN; // the hand's, in the second frame
  expect_refused(&m, &motion, SINEW_ERROR_NOT_FINITE, "hand", "frame 2");
  q[6] = 0;
  q[7] = 1.7e308; // with the OFFSET it is still finite, in degrees it overflows
  q[8] = 1.7e308;
  expect_refused(&m, &motion, SINEW_ERROR_NOT_FINITE, "hip", "frame 2");
  motion.q = NULL;
  expect_refused(&m, &motion, SINEW_ERROR_ARGUMENT, "motion", "NULL");
}

static void model_faults_are_reported(void **state) {
  (void)state;
  small_model m;
  make_small(&m);
  m.joints[0].parent = HAND;
  expect_refused(&m, NULL, SINEW_ERROR_MODEL, "hand", "");
  assert_int_equal(sinew_bvh_write(&m.def, NULL, NULL, NULL, NULL, NULL), SINEW_ERROR_ARGUMENT);
}

// ---- memory ----

// Each allocation in turn fails, and all memory is released each time. A thousand frames, so that
// the text grows several times.
static void every_allocation_may_fail(void **state) {
  (void)state;
  counter counts = {.fail_at = -1};
  sinew_allocator allocator = allocator_of(&counts);
  small_model m;
  make_small(&m);
  m.def.allocator = allocator;
  double *q = calloc(6000, sizeof *q);
  sinew_motion motion = {.frame_count = 1000, .nq = 6, .frame_time = 0.5, .q = q};
  char *text = NULL;
  size_t size = 0;
  assert_int_equal(sinew_bvh_write(&m.def, &motion, &allocator, &text, &size, NULL), SINEW_OK);
  assert_int_equal(counts.live, 1);
  counted_release(&counts, text);
  int calls = counts.calls;
  assert_true(calls > 3);
  for (int i = 0; i < calls; i++) {
    counts = (counter){.fail_at = i};
    assert_int_equal(sinew_bvh_write(&m.def, &motion, &allocator, &text, &size, NULL),
                     SINEW_ERROR_MEMORY);
    assert_null(text);
    assert_int_equal(counts.live, 0);
  }
  free(q);
}

// A chain of 10,000 joints: no recursion, and the text stays small.
static void long_chains_are_written(void **state) {
  (void)state;
  enum { JOINTS = 10000 };
  static sinew_link_def links[JOINTS + 1];
  static sinew_joint_def joints[JOINTS];
  static char names[JOINTS + 1][8];
  for (int i = 0; i <= JOINTS; i++) {
    snprintf(names[i], sizeof names[i], "j%d", i);
    links[i] = (sinew_link_def)LINK(names[i]);
    if (i < JOINTS) {
      joints[i] = sinew_default_joint_def();
      joints[i].name = names[i];
      joints[i].kind = SINEW_JOINT_EULER;
      joints[i].parent = i;
      joints[i].child = i + 1;
      strcpy(joints[i].channels, "ZXY");
    }
  }
  sinew_model_def def = sinew_default_model_def();
  def.links = links;
  def.link_count = JOINTS + 1;
  def.joints = joints;
  def.joint_count = JOINTS;
  char *text = write_text(&def, NULL);
  assert_true(strlen(text) < 400 * JOINTS);
  sinew_read_def bounds = sinew_default_read_def();
  sinew_document *document = NULL;
  assert_int_equal(sinew_bvh_read(text, strlen(text), &bounds, &document, NULL),
                   SINEW_ERROR_TOO_LARGE);
  bounds.max_depth = JOINTS;
  assert_int_equal(sinew_bvh_read(text, strlen(text), &bounds, &document, NULL), SINEW_OK);
  assert_int_equal(document->model.joint_count, JOINTS);
  sinew_document_destroy(document);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clips_are_written_as_read),
      cmocka_unit_test(reads_back_equal),
      cmocka_unit_test(joints_are_written_depth_first),
      cmocka_unit_test(lines_are_indented),
      cmocka_unit_test(missing_motion_writes_no_frames),
      cmocka_unit_test(named_tips_stay_joints),
      cmocka_unit_test(joints_without_bvh_channels_are_refused),
      cmocka_unit_test(unfitting_motions_are_refused),
      cmocka_unit_test(model_faults_are_reported),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(long_chains_are_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
