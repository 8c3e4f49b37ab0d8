// sinew view: the page that it writes, by a small page in place of the viewer's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli_run.h"

#define BEFORE "<p>before</p><script type=\"application/json\" id=\"model-data\">"
#define AFTER "</script><p>after</p>\n"

// What the page of a run holds, as JSON.
static json_t *data_of(const char *page) {
  char *text = read_all(page);
  assert_int_equal(strncmp(text, BEFORE, strlen(BEFORE)), 0);
  char *end = strstr(text, AFTER);
  assert_non_null(end);
  assert_string_equal(end, AFTER);
  *end = '\0';
  // Nothing in it can end the element or begin another.
  assert_null(strchr(text + strlen(BEFORE), '<'));
  json_error_t error;
  json_t *data = json_loads(text + strlen(BEFORE), 0, &error);
  assert_non_null(data);
  free(text);
  return data;
}

static int set_up(void **state) {
  (void)state;
  char viewer[1200];
  snprintf(viewer, sizeof viewer, "%s", write_all("viewer.html", BEFORE AFTER));
  return setenv("SINEW_VIEWER", viewer, 1);
}

static void a_page_holds_the_model(void **state) {
  (void)state;
  char page[1200], model[1200];
  snprintf(page, sizeof page, "%s", scratch("page.html"));
  snprintf(model, sizeof model, "%s",
           write_all("odd.urdf", "<robot name=\"&lt;/script>&lt;img src=x>\"><link name=\"a\"/>"
                                 "<!-- </script><script>alert(1)</script> --></robot>"));
  result got = RUN(W("view"), W(model), W("--out"), W(page), W("--no-open"));
  assert_int_equal(got.exit_code, 0);
  assert_string_equal(got.err, "");
  assert_non_null(strstr(got.out, page));
  release(&got);
  json_t *data = data_of(page);
  char *text = read_all(model);
  assert_string_equal(text_of(json_object_get(data, "model"), "text"), text);
  assert_string_equal(text_of(json_object_get(data, "model"), "name"),
                      strrchr(model, '/') ? strrchr(model, '/') + 1 : model);
  free(text);
  json_decref(data);
}

static void a_page_holds_the_name_of_a_scene(void **state) {
  (void)state;
  char page[1200];
  snprintf(page, sizeof page, "%s", scratch("scene.html"));
  result got = RUN(W("view"), W("double-y-25"), W("--out"), W(page), W("--no-open"));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  json_t *data = data_of(page);
  assert_string_equal(text_of(data, "scene"), "double-y-25");
  assert_null(json_object_get(data, "model"));
  json_decref(data);
}

static void a_page_holds_a_motion(void **state) {
  (void)state;
  char page[1200];
  snprintf(page, sizeof page, "%s", scratch("motion.html"));
  result got = RUN(W("view"), W("models/humanoid.bvh"), W("--motion"), W("models/walk.bvh"),
                   W("--out"), W(page), W("--no-open"));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  json_t *data = data_of(page);
  assert_string_equal(text_of(json_object_get(data, "motion"), "name"), "walk.bvh");
  json_decref(data);
  got = RUN(W("view"), W("models/arm7.urdf"), W("--floating-base"), W("--out"), W(page),
            W("--no-open"));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  data = data_of(page);
  assert_true(json_is_true(json_object_get(json_object_get(data, "model"), "floatingBase")));
  json_decref(data);
}

static void wrong_input_is_refused(void **state) {
  (void)state;
  char page[1200], broken[1200];
  snprintf(page, sizeof page, "%s", scratch("none.html"));
  snprintf(broken, sizeof broken, "%s", write_all("broken.urdf", "<robot name=\"r\">\n<link/>"));
  expect_refusal(RUN(W("view"), W(broken), W("--out"), W(page)), "broken.urdf:2", "robot");
  expect_refusal(RUN(W("view"), W("models/arm7.urdf"), W("--motion"), W("models/walk.bvh"),
                     W("--out"), W(page)),
                 "walk.bvh", "joints or channels differ");
  expect_refusal(RUN(W("view"), W("models/walk.bvh"), W("--motion"), W("models/none.bvh"),
                     W("--out"), W(page)),
                 "none.bvh", "no such file");
  expect_refusal(RUN(W("view"), W("models/walk.bvh"), W("--out"), W("models/walk.bvh")),
                 "models/walk.bvh", "overwrite");
  assert_null(fopen(page, "r"));
}

static void without_a_viewer_it_says_how_to_get_it(void **state) {
  (void)state;
  setenv("SINEW_VIEWER", "none/viewer.html", 1);
  expect_refusal(RUN(W("view"), W("y"), W("--out"), W(scratch("y.html"))), "none/viewer.html",
                 "-DSINEW_BUILD_VIEWER=ON");
  setenv("SINEW_VIEWER", "LICENSE", 1);
  expect_refusal(RUN(W("view"), W("y"), W("--out"), W(scratch("y.html"))), "LICENSE",
                 "not the page of the viewer");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_page_holds_the_model),
      cmocka_unit_test(a_page_holds_the_name_of_a_scene),
      cmocka_unit_test(a_page_holds_a_motion),
      cmocka_unit_test(wrong_input_is_refused),
      cmocka_unit_test(without_a_viewer_it_says_how_to_get_it),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
