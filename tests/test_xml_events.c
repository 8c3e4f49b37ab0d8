// A URDF from the events of a parser that is not the library's own.
#include "counting_allocator.h"
#include "same_document.h"
#include "shared_data.h"
#include "xml_events.h"

#include <dirent.h>
#include <expat.h>

static sinew_xml_reader *create(const sinew_read_def *def) {
  sinew_xml_reader *reader = NULL;
  sinew_error error;
  if (sinew_xml_reader_create(SINEW_FORMAT_URDF, def, &reader, &error) != SINEW_OK) {
    fail_msg("refused: %s", error.message);
  }
  return reader;
}

// ---- events written by hand ----

static void events_give_the_model_of_the_text(void **state) {
  (void)state;
  sinew_document *expected = load(robot_text);
  sinew_document *document = NULL;
  sinew_xml_reader *reader = create(NULL);
  assert_int_equal(pass_events(reader, robot_events, ROBOT_EVENT_COUNT, NULL), SINEW_OK);
  assert_int_equal(sinew_xml_reader_finish(reader, &document, NULL), SINEW_OK);
  // The document does not depend on the reader.
  sinew_xml_reader_destroy(reader);
  assert_same_document(expected, document);
  assert_string_equal(document->model.name, "a < b");
  sinew_document_destroy(document);
  sinew_document_destroy(expected);
}

#define START(line, name)                                                                          \
  {                                                                                                \
    EVENT_START, line, name, {                                                                     \
      NULL                                                                                         \
    }                                                                                              \
  }
#define END(line, name)                                                                            \
  {                                                                                                \
    EVENT_END, line, name, {                                                                       \
      NULL                                                                                         \
    }                                                                                              \
  }

typedef struct wrong_events {
  const char *what;
  xml_event events[8];
  size_t count;
  int finish; // the failure is sinew_xml_reader_finish()'s
  sinew_result code;
  int line;
  const char *name, *message;
} wrong_events;

static const wrong_events wrong_lists[] = {
    {"wrong nesting",
     {START(1, "robot"), START(2, "link"), START(3, "inertial"), END(4, "link")},
     4,
     0,
     SINEW_ERROR_SYNTAX,
     4,
     "inertial",
     "expected </inertial>, the end of the element of line 3, found </link>"},
    {"an end without a start",
     {END(7, "robot")},
     1,
     0,
     SINEW_ERROR_SYNTAX,
     7,
     "robot",
     "</robot> ends an element that did not start"},
    {"an end too many",
     {START(1, "robot"), END(2, "robot"), END(3, "robot")},
     3,
     0,
     SINEW_ERROR_SYNTAX,
     3,
     "robot",
     "did not start"},
    {"two outermost elements",
     {START(1, "robot"), END(1, "robot"), START(2, "link")},
     3,
     0,
     SINEW_ERROR_SYNTAX,
     2,
     "link",
     "follows the end of the outermost element <robot>"},
    {"declarations in a document type",
     {{EVENT_DECLARATIONS, 2, "robot", {NULL}}},
     1,
     0,
     SINEW_ERROR_UNSUPPORTED,
     2,
     "robot",
     "DOCTYPE"},
    {"nested too deep",
     {START(1, "robot"), START(2, "a"), START(3, "b"), START(4, "c")},
     4,
     0,
     SINEW_ERROR_TOO_LARGE,
     4,
     "c",
     "nested deeper than 3"},
    {"too large",
     {START(1, "robot"), {EVENT_START, 2, "a", {"b", "0123456789012345678901234567890123456789"}}},
     2,
     0,
     SINEW_ERROR_TOO_LARGE,
     2,
     "a",
     "more than 50 bytes"},
    {"too many attributes",
     {START(1, "robot"),
      {EVENT_START, 2, "a", {"", "", "", "", "", "", "", ""}},
      END(2, "a"),
      {EVENT_START, 3, "a", {"", "", "", "", "", "", "", ""}},
      END(3, "a"),
      {EVENT_START, 4, "a", {"", ""}}},
     6,
     0,
     SINEW_ERROR_TOO_LARGE,
     4,
     "a",
     "more than 50 bytes"},
    {"an element without a name",
     {START(1, "robot"), START(2, "")},
     2,
     0,
     SINEW_ERROR_ARGUMENT,
     2,
     "",
     "must have a name"},
    {"an element whose name is NULL",
     {START(1, NULL)},
     1,
     0,
     SINEW_ERROR_ARGUMENT,
     1,
     "",
     "must have a name"},
    {"an end without a name",
     {START(1, "robot"), END(2, NULL)},
     2,
     0,
     SINEW_ERROR_ARGUMENT,
     2,
     "",
     "must have a name"},
    {"an attribute without a value",
     {{EVENT_START, 1, "robot", {"name", NULL}}},
     1,
     0,
     SINEW_ERROR_ARGUMENT,
     1,
     "robot",
     "has no value"},
    {"an unfinished document",
     {START(1, "robot"), START(2, "link")},
     2,
     1,
     SINEW_ERROR_SYNTAX,
     2,
     "link",
     "ends before </link>"},
    {"no element",
     {{EVENT_DOCTYPE, 1, NULL, {NULL}}},
     1,
     1,
     SINEW_ERROR_SYNTAX,
     0,
     "",
     "there is no element"},
    {"not a URDF",
     {START(1, "mujoco"), END(1, "mujoco")},
     2,
     1,
     SINEW_ERROR_SYNTAX,
     1,
     "mujoco",
     "not <robot>"},
    {"a fault of the robot",
     {START(1, "robot"), START(2, "link"), END(2, "link"), END(3, "robot")},
     4,
     1,
     SINEW_ERROR_SYNTAX,
     2,
     "link",
     "has no name"},
};

// The failure comes with the event itself, and each later call returns the same.
static void wrong_events_are_refused_at_once(void **state) {
  (void)state;
  sinew_read_def def = sinew_default_read_def();
  def.name = "robot.urdf";
  def.max_depth = 3;
  def.max_bytes = 50;
  for (size_t i = 0; i < sizeof wrong_lists / sizeof wrong_lists[0]; ++i) {
    const wrong_events *wrong = &wrong_lists[i];
    sinew_xml_reader *reader = create(&def);
    sinew_document *document = NULL;
    sinew_error error, again;
    const size_t before = wrong->count - (wrong->finish ? 0 : 1);
    sinew_result result = pass_events(reader, wrong->events, before, &error);
    if (result != SINEW_OK) {
      fail_msg("%s: refused too early: %s", wrong->what, error.message);
    }
    result = wrong->finish ? sinew_xml_reader_finish(reader, &document, &error)
                           : pass_events(reader, &wrong->events[before], 1, &error);
    if (result != wrong->code || error.code != wrong->code || error.line != wrong->line ||
        strcmp(error.name, wrong->name) != 0 || strstr(error.message, wrong->message) == NULL) {
      fail_msg("%s: %d in line %d: '%s': '%s'", wrong->what, result, error.line, error.name,
               error.message);
    }
    assert_string_equal(error.file, "robot.urdf");
    assert_int_equal(sinew_xml_reader_start(reader, "link", NULL, 99, &again), wrong->code);
    assert_same_error(&error, &again);
    assert_int_equal(sinew_xml_reader_end(reader, "link", 99, &again), wrong->code);
    assert_same_error(&error, &again);
    assert_int_equal(sinew_xml_reader_doctype(reader, "link", false, 99, &again), wrong->code);
    assert_same_error(&error, &again);
    assert_int_equal(sinew_xml_reader_finish(reader, &document, &again), wrong->code);
    assert_same_error(&error, &again);
    assert_null(document);
    sinew_xml_reader_destroy(reader);
  }
}

static void nothing_follows_a_finished_document(void **state) {
  (void)state;
  sinew_document *document = NULL;
  sinew_error error;
  for (int i = 0; i < 4; ++i) {
    sinew_xml_reader *reader = create(NULL);
    assert_int_equal(pass_events(reader, robot_events, ROBOT_EVENT_COUNT, NULL), SINEW_OK);
    assert_int_equal(sinew_xml_reader_finish(reader, &document, NULL), SINEW_OK);
    sinew_document_destroy(document);
    sinew_result result = i == 0   ? sinew_xml_reader_start(reader, "a", NULL, 1, &error)
                          : i == 1 ? sinew_xml_reader_end(reader, "a", 1, &error)
                          : i == 2 ? sinew_xml_reader_doctype(reader, "a", false, 1, &error)
                                   : sinew_xml_reader_finish(reader, &document, &error);
    assert_int_equal(result, SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "finished"));
    sinew_xml_reader_destroy(reader);
  }
  assert_null(document);
}

static void elements_are_bounded(void **state) {
  (void)state;
  sinew_xml_reader *reader = create(NULL);
  sinew_result result = sinew_xml_reader_start(reader, "robot", NULL, 1, NULL);
  int count = 1;
  for (; result == SINEW_OK && count < 2000000; ++count) {
    result = sinew_xml_reader_start(reader, "a", NULL, 0, NULL);
    if (result == SINEW_OK) {
      result = sinew_xml_reader_end(reader, "a", 0, NULL);
    }
  }
  assert_int_equal(result, SINEW_ERROR_TOO_LARGE);
  assert_int_equal(count, 1000001);
  sinew_xml_reader_destroy(reader);
}

static void reader_arguments_are_checked(void **state) {
  (void)state;
  sinew_xml_reader *reader = NULL;
  sinew_document *document = NULL;
  sinew_error error;
  assert_int_equal(sinew_xml_reader_create(SINEW_FORMAT_BVH, NULL, &reader, &error),
                   SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "not an XML format"));
  assert_int_equal(sinew_xml_reader_create(SINEW_FORMAT_UNKNOWN, NULL, &reader, NULL),
                   SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_xml_reader_create(SINEW_FORMAT_URDF, NULL, NULL, &error),
                   SINEW_ERROR_ARGUMENT);
  sinew_read_def zero;
  memset(&zero, 0, sizeof zero);
  assert_int_equal(sinew_xml_reader_create(SINEW_FORMAT_URDF, &zero, &reader, &error),
                   SINEW_ERROR_ARGUMENT);
  assert_null(reader);
  assert_int_equal(sinew_xml_reader_start(NULL, "robot", NULL, 1, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_xml_reader_end(NULL, "robot", 1, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_xml_reader_doctype(NULL, "robot", false, 1, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_xml_reader_finish(NULL, &document, &error), SINEW_ERROR_ARGUMENT);
  sinew_xml_reader_destroy(NULL);
  reader = create(NULL);
  assert_int_equal(pass_events(reader, robot_events, ROBOT_EVENT_COUNT, NULL), SINEW_OK);
  assert_int_equal(sinew_xml_reader_finish(reader, NULL, &error), SINEW_ERROR_ARGUMENT);
  sinew_xml_reader_destroy(reader);
}

// What the caller passes may be overwritten as soon as the call returns.
static void names_are_copied(void **state) {
  (void)state;
  char file[16] = "robot.urdf", name[16] = "robot", key[16] = "name", value[16] = "r";
  const char *attributes[] = {key, value, NULL};
  sinew_read_def def = sinew_default_read_def();
  def.name = file;
  sinew_xml_reader *reader = create(&def);
  memset(file, 'x', sizeof file - 1);
  assert_int_equal(sinew_xml_reader_start(reader, name, attributes, 1, NULL), SINEW_OK);
  memset(name, 'x', sizeof name - 1);
  memset(key, 'x', sizeof key - 1);
  memset(value, 'x', sizeof value - 1);
  assert_int_equal(sinew_xml_reader_end(reader, "robot", 2, NULL), SINEW_OK);
  sinew_document *document = NULL;
  assert_int_equal(sinew_xml_reader_finish(reader, &document, NULL), SINEW_OK);
  sinew_xml_reader_destroy(reader);
  assert_string_equal(document->model.name, "r");
  assert_true(document->warning_count > 0); // no links
  assert_string_equal(document->warnings[0].file, "robot.urdf");
  sinew_document_destroy(document);
}

static void every_allocation_for_events_may_fail(void **state) {
  (void)state;
  counter memory;
  sinew_read_def def = sinew_default_read_def();
  def.allocator = allocator_of(&memory);
  sinew_result result = SINEW_ERROR_MEMORY;
  int count = 0;
  for (; result == SINEW_ERROR_MEMORY && count < 1000; ++count) {
    memory = (counter){.fail_at = count};
    sinew_xml_reader *reader = NULL;
    sinew_document *document = NULL;
    sinew_error error = {0};
    result = sinew_xml_reader_create(SINEW_FORMAT_URDF, &def, &reader, &error);
    if (result == SINEW_OK) {
      result = pass_events(reader, robot_events, 4, &error);
    }
    // Enough elements for more than one block
    for (int k = 0; k < 1000 && result == SINEW_OK; ++k) {
      result = sinew_xml_reader_start(reader, "a", NULL, 0, &error);
      result = result == SINEW_OK ? sinew_xml_reader_end(reader, "a", 0, &error) : result;
    }
    if (result == SINEW_OK) {
      result = pass_events(reader, robot_events + 4, ROBOT_EVENT_COUNT - 4, &error);
    }
    result = result == SINEW_OK ? sinew_xml_reader_finish(reader, &document, &error) : result;
    assert_int_equal(error.code, result);
    sinew_xml_reader_destroy(reader);
    sinew_document_destroy(document);
    assert_int_equal(memory.live, 0);
  }
  assert_int_equal(result, SINEW_OK);
  assert_true(count > 3);
}

// ---- whole files, parsed with expat by this test ----

typedef struct adaptor {
  XML_Parser parser;
  sinew_xml_reader *reader;
} adaptor;

static int line_of(const adaptor *a) {
  return (int)XML_GetCurrentLineNumber(a->parser);
}

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes) {
  adaptor *a = context;
  const sinew_result stays = sinew_xml_reader_start(a->reader, name, attributes, line_of(a), NULL);
  (void)stays;
}

static void XMLCALL on_end(void *context, const XML_Char *name) {
  adaptor *a = context;
  const sinew_result stays = sinew_xml_reader_end(a->reader, name, line_of(a), NULL);
  (void)stays;
}

static void XMLCALL on_doctype(void *context, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_internal_subset) {
  adaptor *a = context;
  (void)system_id;
  (void)public_id;
  const sinew_result stays =
      sinew_xml_reader_doctype(a->reader, name, has_internal_subset != 0, line_of(a), NULL);
  (void)stays;
}

// Returns false where expat itself refuses the text, which this adaptor does not report.
static bool read_by_events(const char *text, size_t size, const sinew_read_def *def,
                           sinew_document **document, sinew_result *result, sinew_error *error) {
  adaptor a = {XML_ParserCreate(NULL), create(def)};
  assert_non_null(a.parser);
  XML_SetUserData(a.parser, &a);
  XML_SetElementHandler(a.parser, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(a.parser, on_doctype);
  const bool parsed = XML_Parse(a.parser, text, (int)size, 1) == XML_STATUS_OK;
  *result = sinew_xml_reader_finish(a.reader, document, error);
  sinew_xml_reader_destroy(a.reader);
  XML_ParserFree(a.parser);
  return parsed;
}

static char *read_whole(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, *size, file), *size);
  fclose(file);
  return text;
}

// Returns 1 where the file could be compared.
static int compare_file(const char *path) {
  size_t size = 0;
  char *text = read_whole(path, &size);
  sinew_read_def def = sinew_default_read_def();
  def.name = path;
  sinew_document *expected = NULL, *document = NULL;
  sinew_error expected_error = {0}, error = {0};
  sinew_result result = SINEW_OK;
  sinew_result expected_result = sinew_urdf_read(text, size, &def, &expected, &expected_error);
  const int parsed = read_by_events(text, size, &def, &document, &result, &error);
  if (parsed) {
    assert_int_equal(result, expected_result);
    if (result == SINEW_OK) {
      assert_same_document(expected, document);
    } else {
      assert_same_error(&expected_error, &error);
    }
  }
  sinew_document_destroy(expected);
  sinew_document_destroy(document);
  free(text);
  return parsed;
}

static void compare_folder(const char *folder, int *files, int *compared) {
  DIR *entries = opendir(folder);
  assert_non_null(entries);
  for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    const char *ending = strrchr(entry->d_name, '.');
    if (ending != NULL && strcmp(ending, ".urdf") == 0) {
      char path[4096];
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
      *files += 1;
      *compared += compare_file(path);
    }
  }
  closedir(entries);
}

static void events_of_project_files_give_the_same(void **state) {
  (void)state;
  int files = 0, compared = 0;
  compare_folder("models", &files, &compared);
  assert_true(files >= 2 && compared == files);
}

static void events_of_real_robots_give_the_same(void **state) {
  (void)state;
  const char *folder = shared_folder();
  int files = 0, compared = 0;
  char path[4096];
  snprintf(path, sizeof path, "%s/data/urdf", folder);
  compare_folder(path, &files, &compared);
  print_message("%d of %d robots compared\n", compared, files);
  // The library's parser also repairs an XML declaration that is out of place.
  assert_true(files > 0 && compared >= files - 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_give_the_model_of_the_text),
      cmocka_unit_test(wrong_events_are_refused_at_once),
      cmocka_unit_test(nothing_follows_a_finished_document),
      cmocka_unit_test(elements_are_bounded),
      cmocka_unit_test(reader_arguments_are_checked),
      cmocka_unit_test(names_are_copied),
      cmocka_unit_test(every_allocation_for_events_may_fail),
      cmocka_unit_test(events_of_project_files_give_the_same),
      cmocka_unit_test(events_of_real_robots_give_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
