// The BVH reader: the model and the motion of a file.
#include "bvh_shared.h"
#include "counting_allocator.h"
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

#define MAX_CLIPS 64

static const double degree = 3.14159265358979323846 / 180;

static const char arm[] =
    "HIERARCHY\n"
    "ROOT Hips\n"
    "{\n"
    "  OFFSET 1 2 3\n"
    "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "  JOINT Arm\n"
    "  {\n"
    "    OFFSET 10 0 0\n"
    "    CHANNELS 2 Yrotation Zrotation\n"
    "    End Site\n"
    "    {\n"
    "      OFFSET 0 5 0\n"
    "    }\n"
    "  }\n"
    "  JOINT Leg\n"
    "  {\n"
    "    OFFSET 0 -20 0\n"
    "  }\n"
    "}\n"
    "MOTION\n"
    "Frames: 2\n"
    "Frame Time: 0.04\n"
    "4 5 6 90 0 0 0 90\n"
    "1 2 3 -30 45 60 180 -90.5\n";

static sinew_document *read_text(const char *text) {
  sinew_document *document = NULL;
  sinew_error error = {0};
  if (sinew_bvh_read(text, strlen(text), NULL, &document, &error) != SINEW_OK) {
    char line[512];
    sinew_error_format(&error, line, sizeof line);
    fail_msg("%s", line);
  }
  return document;
}

static void expect_point(const double *p, double x, double y, double z, double tolerance) {
  assert_true(fabs(p[0] - x) <= tolerance);
  assert_true(fabs(p[1] - y) <= tolerance);
  assert_true(fabs(p[2] - z) <= tolerance);
}

// The position of a link in a configuration.
static void place_link(const sinew_document *document, const double *q, const char *link,
                       double p[3]) {
  sinew_model *model = NULL;
  sinew_state *state = NULL;
  assert_int_equal(sinew_model_create(&document->model, &model, NULL), SINEW_OK);
  assert_int_equal(sinew_state_create(model, NULL, &state, NULL), SINEW_OK);
  assert_int_equal(sinew_state_forward(state, q), SINEW_OK);
  int index = sinew_model_find_link(model, link);
  assert_int_equal(sinew_state_link_frame(state, index, NULL, p), SINEW_OK);
  sinew_state_destroy(state);
  sinew_model_destroy(model);
}

// req: A10
static void joints_links_and_end_sites(void **state) {
  (void)state;
  sinew_document *document = read_text(arm);
  const sinew_model_def *model = &document->model;
  static const struct {
    const char *name, *parent, *channels;
    sinew_joint_kind kind;
    int line;
    double offset[3];
  } expected[] = {{"Hips", "world", "xyzZXY", SINEW_JOINT_CHANNELS, 2, {1, 2, 3}},
                  {"Arm", "Hips", "YZ", SINEW_JOINT_CHANNELS, 6, {10, 0, 0}},
                  {"Arm_end", "Arm", "", SINEW_JOINT_FIXED, 10, {0, 5, 0}},
                  {"Leg", "Hips", "", SINEW_JOINT_FIXED, 15, {0, -20, 0}}};
  assert_int_equal(document->format, SINEW_FORMAT_BVH);
  assert_int_equal(model->joint_count, 4);
  assert_int_equal(model->link_count, 5);
  for (int i = 0; i < 4; i++) {
    const sinew_joint_def *joint = &model->joints[i];
    assert_string_equal(joint->name, expected[i].name);
    assert_string_equal(model->links[joint->child].name, expected[i].name);
    assert_string_equal(model->links[joint->parent].name, expected[i].parent);
    assert_string_equal(joint->channels, expected[i].channels);
    assert_int_equal(joint->kind, expected[i].kind);
    assert_int_equal(document->joint_lines[i], expected[i].line);
    assert_int_equal(document->link_lines[joint->child], expected[i].line);
    expect_point(joint->placement.position, expected[i].offset[0], expected[i].offset[1],
                 expected[i].offset[2], 0);
  }
  assert_int_equal(document->warning_count, 0);
  sinew_document_destroy(document);
}

// Angles in radians, distances from OFFSET, in the order of CHANNELS.
// req: A4
static void motion_is_in_radians_from_rest(void **state) {
  (void)state;
  sinew_document *document = read_text(arm);
  const sinew_motion *motion = &document->motion;
  assert_int_equal(motion->frame_count, 2);
  assert_int_equal(motion->nq, 8);
  assert_true(motion->frame_time == 0.04);
  const double expected[16] = {3,
                               3,
                               3,
                               90 * degree,
                               0,
                               0,
                               0,
                               90 * degree,
                               0,
                               0,
                               0,
                               -30 * degree,
                               45 * degree,
                               60 * degree,
                               180 * degree,
                               -90.5 * degree};
  for (int i = 0; i < 16; i++) {
    assert_true(fabs(motion->q[i] - expected[i]) <= 1e-15 * fabs(expected[i]));
  }
  sinew_document_destroy(document);
}

// Frame 1 by hand: the root is at its channels, not at OFFSET plus channels; rotated by 90 degrees
// about z, x points along y; the arm rotates by another 90 degrees.
// req: A5 B1
static void positions_replace_the_offset(void **state) {
  (void)state;
  sinew_document *document = read_text(arm);
  double p[3];
  place_link(document, document->motion.q, "Hips", p);
  expect_point(p, 4, 5, 6, 1e-14);
  place_link(document, document->motion.q, "Arm", p);
  expect_point(p, 4, 15, 6, 1e-14);
  place_link(document, document->motion.q, "Arm_end", p);
  expect_point(p, 4, 10, 6, 1e-14);
  place_link(document, document->motion.q, "Leg", p);
  expect_point(p, 24, 5, 6, 1e-14);
  sinew_document_destroy(document);
}

// q = 0 is the skeleton of the HIERARCHY.
static void zero_is_the_rest_pose(void **state) {
  (void)state;
  sinew_document *document = read_text(arm);
  const double q[8] = {0};
  double p[3];
  place_link(document, q, "Arm_end", p);
  expect_point(p, 11, 7, 3, 0);
  sinew_document_destroy(document);
}

// Rotations before positions: the position is not rotated by them.
static void order_of_positions_does_not_matter(void **state) {
  (void)state;
  sinew_document *document = read_text("HIERARCHY ROOT r\n{ OFFSET 0 0 0 CHANNELS 4 Zrotation "
                                       "Yposition Xrotation Xposition\nEnd Site\n{ OFFSET 0 1 0 } "
                                       "}\nMOTION Frames: 1 Frame Time: 1\n90 2 90 3\n");
  assert_string_equal(document->model.joints[0].channels, "ZyXx");
  double p[3];
  place_link(document, document->motion.q, "r", p);
  expect_point(p, 3, 2, 0, 1e-15);
  place_link(document, document->motion.q, "r_end", p); // Rz Rx y = Rz z = z
  expect_point(p, 3, 2, 1, 1e-15);
  sinew_document_destroy(document);
}

static void names_are_made_unique(void **state) {
  (void)state;
  sinew_document *document =
      read_text("HIERARCHY\nROOT world\n{\nOFFSET 0 0 0\nJOINT a\n{\nOFFSET 0 0 0\nEnd Site\n{\n"
                "OFFSET 0 0 0\n}\nEnd Site\n{\nOFFSET 0 0 0\n}\n}\nJOINT a\n{\nOFFSET 0 0 0\n}\n"
                "JOINT a_end\n{\nOFFSET 0 0 0\n}\n}\nMOTION\nFrames: 0\nFrame Time: 1\n");
  static const char *const expected[] = {"world", "a", "a_end_2", "a_end_3", "a_2", "a_end"};
  assert_int_equal(document->model.joint_count, 6);
  for (int i = 0; i < 6; i++) {
    assert_string_equal(document->model.joints[i].name, expected[i]);
  }
  assert_string_equal(document->model.links[0].name, "world_2");
  assert_int_equal(document->warning_count, 1);
  assert_int_equal(document->warnings[0].line, 17);
  assert_string_equal(document->warnings[0].name, "a");
  assert_non_null(strstr(document->warnings[0].message, "a_2"));
  sinew_document_destroy(document);
}

static void roots_are_children_of_the_world(void **state) {
  (void)state;
  sinew_document *document =
      read_text("HIERARCHY\nROOT a\n{\nOFFSET 1 0 0\nCHANNELS 1 Xrotation\n}\nROOT b\n{\n"
                "OFFSET 2 0 0\nCHANNELS 1 Yrotation\n}\nMOTION\nFrames: 1\nFrame Time: 1\n1 2\n");
  assert_int_equal(document->model.joint_count, 2);
  assert_int_equal(document->model.joints[0].parent, document->model.joints[1].parent);
  assert_string_equal(document->model.links[document->model.joints[0].parent].name,
                      SINEW_BVH_WORLD);
  assert_true(document->motion.q[1] == 2 * degree);
  sinew_document_destroy(document);
}

// ---- the real clips ----

// "ZYX:30 xyzZYX:1": all groups of the manifest, and no others.
static void expect_types(const sinew_model_def *model, const char *types) {
  int named = 0, all = 0;
  char copy[256], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", types);
  for (char *group = strtok_r(copy, " ", &rest); group; group = strtok_r(NULL, " ", &rest)) {
    char *colon = strchr(group, ':');
    *colon = '\0';
    int found = 0;
    for (int i = 0; i < model->joint_count; i++) {
      found += strcmp(model->joints[i].channels, group) == 0;
    }
    assert_int_equal(found, atoi(colon + 1));
    named += found;
  }
  for (int i = 0; i < model->joint_count; i++) {
    all += model->joints[i].kind == SINEW_JOINT_CHANNELS;
  }
  assert_int_equal(named, all);
}

// "Head(24)|LThumb(30)": the number of values on each path from the root.
static void expect_tips(const sinew_model_def *def, const char *tips) {
  sinew_model *model = NULL;
  assert_int_equal(sinew_model_create(def, &model, NULL), SINEW_OK);
  char copy[1024], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", tips);
  for (char *tip = strtok_r(copy, "|", &rest); tip; tip = strtok_r(NULL, "|", &rest)) {
    char *count = strrchr(tip, '(');
    *count = '\0';
    int values = 0;
    int joint = sinew_model_find_joint(model, tip);
    assert_true(joint >= 0);
    for (; joint >= 0; joint = sinew_model_link_joint(model, def->joints[joint].parent)) {
      values += (int)strlen(def->joints[joint].channels);
    }
    assert_int_equal(values, atoi(count + 1));
  }
  sinew_model_destroy(model);
}

static int end_site_count(const char *text) {
  int count = 0;
  for (const char *at = text; (at = strstr(at, "End Site")) != NULL; at++) {
    count++;
  }
  return count;
}

static void expect_as_manifest(const bvh_manifest_row *row) {
  char *text = bvh_read_shared(row->file, NULL);
  assert_non_null(text);
  sinew_document *document = read_text(text);
  const sinew_model_def *def = &document->model;
  assert_int_equal(def->joint_count, row->joints + end_site_count(text));
  assert_int_equal(def->link_count, def->joint_count + 1);
  assert_string_equal(def->joints[0].name, row->base);
  expect_types(def, row->types);
  expect_tips(def, row->tips);

  sinew_model *model = NULL;
  assert_int_equal(sinew_model_create(def, &model, NULL), SINEW_OK);
  assert_int_equal(sinew_model_nv(model), row->dof);
  assert_int_equal(sinew_model_nq(model), document->motion.nq);
  sinew_model_destroy(model);
  assert_int_equal(document->motion.frame_count, row->frames);
  assert_true(document->motion.frame_time == row->frame_time);
  assert_int_equal(document->warning_count, 0);
  sinew_document_destroy(document);
  free(text);
}

// req: A10
static void clips_match_the_manifest(void **state) {
  (void)state;
  static bvh_manifest_row rows[MAX_CLIPS];
  int count = bvh_manifest("bvh/", rows, MAX_CLIPS);
  assert_int_equal(count, 15);
  for (int i = 0; i < count; i++) {
    expect_as_manifest(&rows[i]);
  }
}

// ---- clips of models/ ----

static double distance(const double a[3], const double b[3]) {
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// In every frame [cm]: no foot below the ground, not both in the air, the head up, the feet near
// the body; between frames one ball of a foot stays in place.
static void walks(const char *name) {
  char path[1024];
  const char *folder = getenv("SINEW_SOURCE_DIR");
  snprintf(path, sizeof path, "%s/models/%s", folder != NULL ? folder : ".", name);
  char *text = bvh_read_file(path, NULL);
  assert_non_null(text);
  sinew_document *document = read_text(text);
  const sinew_motion *motion = &document->motion;
  assert_true(motion->frame_count >= 60);
  double first[3], before[2][3], head[3], hips[3];
  place_link(document, motion->q, "Hips", first);
  for (int frame = 0; frame < motion->frame_count; frame++) {
    const double *q = motion->q + (size_t)frame * (size_t)motion->nq;
    double ball[2][3], tip[2][3];
    place_link(document, q, "Hips", hips);
    place_link(document, q, "Head_end", head);
    place_link(document, q, "LeftToes", ball[0]);
    place_link(document, q, "RightToes", ball[1]);
    place_link(document, q, "LeftToes_end", tip[0]);
    place_link(document, q, "RightToes_end", tip[1]);
    assert_true(fmin(fmin(ball[0][1], ball[1][1]), fmin(tip[0][1], tip[1][1])) > 0);
    assert_true(fmin(ball[0][1], ball[1][1]) < 3);
    assert_true(head[1] > 165 && head[1] < 175);
    assert_true(distance(ball[0], hips) < 110 && distance(ball[1], hips) < 110);
    if (frame > 0) {
      assert_true(fmin(distance(ball[0], before[0]), distance(ball[1], before[1])) < 0.2);
    }
    memcpy(before, ball, sizeof before);
  }
  assert_true(hips[2] - first[2] > 200);
  sinew_document_destroy(document);
  free(text);
}

static void project_clips_walk(void **state) {
  (void)state;
  walks("humanoid.bvh");
  walks("walk.bvh");
}

// ---- memory ----

// Each allocation in turn fails, and all memory is released each time.
static void every_allocation_may_fail(void **state) {
  (void)state;
  counter counts = {.fail_at = -1};
  sinew_read_def def = sinew_default_read_def();
  def.allocator = allocator_of(&counts);
  sinew_document *document = NULL;
  assert_int_equal(sinew_bvh_read(arm, strlen(arm), &def, &document, NULL), SINEW_OK);
  assert_true(counts.live > 0);
  sinew_document_destroy(document);
  assert_int_equal(counts.live, 0);
  int calls = counts.calls;
  assert_true(calls > 1);
  for (int i = 0; i < calls; i++) {
    sinew_error error = {0};
    counts = (counter){.fail_at = i};
    document = (sinew_document *)&counts;
    assert_int_equal(sinew_bvh_read(arm, strlen(arm), &def, &document, &error), SINEW_ERROR_MEMORY);
    assert_null(document);
    assert_int_equal(error.code, SINEW_ERROR_MEMORY);
    assert_int_equal(counts.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_links_and_end_sites),
      cmocka_unit_test(motion_is_in_radians_from_rest),
      cmocka_unit_test(positions_replace_the_offset),
      cmocka_unit_test(zero_is_the_rest_pose),
      cmocka_unit_test(order_of_positions_does_not_matter),
      cmocka_unit_test(names_are_made_unique),
      cmocka_unit_test(roots_are_children_of_the_world),
      cmocka_unit_test(clips_match_the_manifest),
      cmocka_unit_test(project_clips_walk),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
