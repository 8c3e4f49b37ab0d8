// Numbers in files and arguments are read and written the same where the locale's decimal sign is
// a comma.
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char urdf[] =
    "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='2.5'/>"
    "<origin xyz='0.25 -1.5e-1 .125'/></inertial></link>"
    "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
    "<origin xyz='0.5 1.75 -2.125' rpy='0.1 0.2 0.3'/><axis xyz='0 0.6 0.8'/>"
    "<limit lower='-1.25' upper='1.5' velocity='3.5' effort='1.5'/></joint></robot>";

static const char bvh[] =
    "HIERARCHY\nROOT hip\n{\n  OFFSET 0.5 1.25 -2.75\n"
    "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "  End Site\n  {\n    OFFSET 0.0 0.125 0.0\n  }\n}\n"
    "MOTION\nFrames: 1\nFrame Time: 0.0083333\n1.5 2.5 -3.25 0.5 -1.5 90.25\n";

// Switches to a locale with decimal commas and checks that it has them.
static int enter_comma_locale(void **state) {
  (void)state;
  if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
    return 0; // each test skips
  assert_true(strtod("1,5", NULL) == 1.5);
  assert_true(strtod("1.5", NULL) == 1.0);
  return 0;
}

static int leave_locale(void **state) {
  (void)state;
  return setlocale(LC_ALL, "C") == NULL;
}

static void skip_without_locale(void) {
  if (strcmp(setlocale(LC_NUMERIC, NULL), "C") == 0) {
    print_message("skipped: no locale de_DE.UTF-8 (Debian package locales)\n");
    skip();
  }
}

static void urdf_numbers_have_points(void **state) {
  (void)state;
  skip_without_locale();
  sinew_document *document = NULL;
  assert_int_equal(sinew_urdf_read(urdf, strlen(urdf), NULL, &document, NULL), SINEW_OK);
  const sinew_joint_def *joint = &document->model.joints[0];
  assert_true(joint->lower[0] == -1.25);
  assert_true(joint->upper[0] == 1.5);
  assert_true(joint->velocity[0] == 3.5);
  assert_true(joint->placement.position[0] == 0.5);
  assert_true(joint->placement.position[1] == 1.75);
  assert_true(joint->placement.position[2] == -2.125);
  assert_true(fabs(joint->axis[1] - 0.6) < 1e-15); // it may have been normalised
  sinew_document_destroy(document);
}

static void urdf_commas_are_refused(void **state) {
  (void)state;
  skip_without_locale();
  static const char text[] =
      "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'>"
      "<parent link='a'/><child link='b'/><limit lower='-1,25' upper='1,5'/></joint></robot>";
  sinew_document *document = NULL;
  assert_int_not_equal(sinew_urdf_read(text, strlen(text), NULL, &document, NULL), SINEW_OK);
  assert_null(document);
}

static void bvh_numbers_have_points(void **state) {
  (void)state;
  skip_without_locale();
  sinew_document *document = NULL;
  assert_int_equal(sinew_bvh_read(bvh, strlen(bvh), NULL, &document, NULL), SINEW_OK);
  assert_true(document->motion.frame_time == 0.0083333);
  assert_int_equal(document->motion.nq, 6);
  assert_true(document->motion.q[0] == 1.5 - 0.5); // less the OFFSET
  assert_true(document->motion.q[2] == -3.25 + 2.75);
  sinew_document_destroy(document);
}

static void bvh_is_written_with_points(void **state) {
  (void)state;
  skip_without_locale();
  sinew_document *document = NULL;
  assert_int_equal(sinew_bvh_read(bvh, strlen(bvh), NULL, &document, NULL), SINEW_OK);
  char *text = NULL;
  size_t size = 0;
  assert_int_equal(sinew_bvh_write(&document->model, &document->motion, NULL, &text, &size, NULL),
                   SINEW_OK);
  assert_null(strchr(text, ','));
  assert_non_null(strstr(text, "0.0083333"));
  free(text);
  sinew_document_destroy(document);
}

// The program has the locale in its environment and must ignore it.
static void program_reads_points(void **state) {
  (void)state;
  skip_without_locale();
  const char *program = getenv("SINEW_PROGRAM");
  const char *source = getenv("SINEW_SOURCE_DIR");
  if (program == NULL || source == NULL)
    skip();
  char answers[2][4096];
  static const char *locales[2] = {"C", "de_DE.UTF-8"};
  for (int i = 0; i < 2; i++) {
    char command[2048];
    (void)snprintf(command, sizeof command,
                   "LC_ALL=%s '%s' fk '%s/models/arm7.urdf' --tip flange "
                   "--q 0.25,0.5,-0.75,1.5,0.125,0.5,0.25",
                   locales[i], program, source);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(answers[i], 1, sizeof answers[i] - 1, pipe);
    answers[i][length] = '\0';
    assert_int_equal(pclose(pipe), 0);
    assert_true(length > 0);
  }
  assert_string_equal(answers[0], answers[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(urdf_numbers_have_points), cmocka_unit_test(urdf_commas_are_refused),
      cmocka_unit_test(bvh_numbers_have_points), cmocka_unit_test(bvh_is_written_with_points),
      cmocka_unit_test(program_reads_points)};
  return cmocka_run_group_tests(tests, enter_comma_locale, leave_locale);
}
