// The readers built without an XML parser (SINEW_XML=none): URDF from events, BVH from files.
// This program does not link expat.
#include "urdf_shared.h"
#include "xml_events.h"

static void urdf_texts_are_refused(void **state) {
  (void)state;
  sinew_document *document = NULL;
  sinew_error error;
  assert_int_equal(sinew_document_open("models/arm7.urdf", NULL, &document, &error),
                   SINEW_ERROR_UNSUPPORTED);
  assert_null(document);
  assert_string_equal(error.file, "models/arm7.urdf");
  assert_non_null(strstr(error.message, "no XML parser"));
  assert_non_null(strstr(error.message, "sinew_xml_reader_start()"));
}

static void urdf_is_read_from_events(void **state) {
  (void)state;
  sinew_xml_reader *reader = NULL;
  sinew_document *document = NULL;
  assert_int_equal(sinew_xml_reader_create(SINEW_FORMAT_URDF, NULL, &reader, NULL), SINEW_OK);
  assert_int_equal(pass_events(reader, robot_events, ROBOT_EVENT_COUNT, NULL), SINEW_OK);
  assert_int_equal(sinew_xml_reader_finish(reader, &document, NULL), SINEW_OK);
  sinew_xml_reader_destroy(reader);
  assert_int_equal(document->model.link_count, 2);
  assert_int_equal(model_nv(document), 1);
  assert_true(document->model.joints[0].velocity[0] == 3);
  sinew_document_destroy(document);
}

static void bvh_files_are_read(void **state) {
  (void)state;
  sinew_document *document = NULL;
  assert_int_equal(sinew_document_open("models/humanoid.bvh", NULL, &document, NULL), SINEW_OK);
  assert_int_equal(document->format, SINEW_FORMAT_BVH);
  sinew_document_destroy(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(urdf_texts_are_refused),
      cmocka_unit_test(urdf_is_read_from_events),
      cmocka_unit_test(bvh_files_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
