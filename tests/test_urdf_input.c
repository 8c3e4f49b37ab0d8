// Unusual, broken and too large texts, and reading with too little memory.
#include "counting_allocator.h"
#include "urdf_shared.h"

#include "formats/urdf.h"
#include "formats/xml_expat.h"

#include <limits.h>

#define LINKS "<link name='a'/><link name='b'/>"
#define ENDS "<parent link='a'/><child link='b'/>"
#define JOINT "<joint name='j' type='continuous'>" ENDS "</joint>"

// ---- unusual, and read ----

typedef struct strange_text {
  const char *what, *text;
  int nv;
  const char *warning; // NULL: none
} strange_text;

static const strange_text strange_texts[] = {
    {"a declaration after a comment",
     "<!-- x -->\n<?xml version='1.0'?><robot name='r'>" LINKS JOINT "</robot>", 1,
     "XML declaration"},
    {"a declaration after a blank line",
     "\n<?xml version=\"1.0\"\nencoding='UTF-8'?><robot name='r'>" LINKS JOINT "</robot>", 1,
     "XML declaration"},
    {"a declaration without version", "<?xml verison='1.0'?><robot name='r'>" LINKS "</robot>", -1,
     NULL},
    {"a byte order mark",
     "\xEF\xBB\xBF<?xml version='1.0'?><robot name='r'>" LINKS JOINT "</robot>", 1, NULL},
    {"a byte order mark, and a declaration without version",
     "\xEF\xBB\xBF<?xml?><robot name='r'>" LINKS JOINT "</robot>", 1, "XML declaration"},
    {"line ends of two characters",
     "<?xml version='1.0'?>\r\n<robot name='r'>\r\n" LINKS "\r\n" JOINT "</robot>\r\n", 1, NULL},
    {"undeclared prefixes",
     "<robot name='r' xyz:q='1'>" LINKS JOINT "<xacro:if value='0'/></robot>", 1, NULL},
    {"a document type that declares nothing",
     "<!DOCTYPE robot><robot name='r'>" LINKS JOINT "</robot>", 1, NULL},
    {"joints in a comment", "<robot name='r'>" LINKS "<!--" JOINT JOINT "-->" JOINT "</robot>", 1,
     NULL},
    {"a joint within a link",
     "<robot name='r'><link name='a'>" JOINT "</link><link name='b'/>" JOINT "</robot>", 1,
     "a <joint> inside a <link>"},
    {"a joint within a joint",
     "<robot name='r'>" LINKS "<joint name='k' type='fixed'>" ENDS JOINT "</joint></robot>", 0,
     "a <joint> inside a <joint>"},
    {"joints of simulators and motors",
     "<robot name='r'>" LINKS JOINT "<gazebo>" JOINT "</gazebo><transmission type='Other'>" JOINT
     "</transmission></robot>",
     1, "is ignored"},
    {"a link and a joint of one name",
     "<robot name='r'>" LINKS "<joint name='a' type='continuous'>" ENDS "</joint></robot>", 1,
     NULL},
    {"names with slashes and blanks",
     "<robot name='r'><link name='/a b'/><link name='c/d'/><joint name='/j /' type='continuous'>"
     "<parent link='/a b'/><child link='c/d'/></joint></robot>",
     1, NULL},
    {"names of other alphabets",
     "<robot name='\xC3\xA9'><link name='\xE6\x89\x8B'/><link name='b'/><joint name='\xCE\xB8'"
     " type='continuous'><parent link='\xE6\x89\x8B'/><child link='b'/></joint></robot>",
     1, NULL},
    {"no name", "<robot>" LINKS JOINT "</robot>", 1, "no name"},
    {"a parent that is declared nowhere",
     "<robot name='r'><link name='b'/><joint name='j' type='continuous'>"
     "<parent link='world'/><child link='b'/></joint></robot>",
     1, "\"world\" is not declared"},
    {"a single link", "<robot name='r'><link name='a'/></robot>", 0, NULL},
    {"no link", "<robot name='r'/>", 0, "has no link"},
};

// req: A10
static void unusual_texts_are_read(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof strange_texts / sizeof strange_texts[0]; ++i) {
    const strange_text *strange = &strange_texts[i];
    sinew_document *document = NULL;
    sinew_error error;
    sinew_result result = read_text(strange->text, &document, &error);
    if (strange->nv < 0) { // two roots: refused, but not for its declaration
      assert_int_equal(result, SINEW_ERROR_MODEL);
      continue;
    }
    if (result != SINEW_OK || model_nv(document) != strange->nv ||
        (strange->warning == NULL ? document->warning_count != 0
                                  : !has_warning(document, strange->warning))) {
      fail_msg("%s: %s", strange->what, result != SINEW_OK ? error.message : "read differently");
    }
    sinew_document_destroy(document);
  }
}

// Some files contain a terminating zero byte. The text itself need not have one: it ends at the end
// of its memory here, where a sanitizer detects a read past it.
static void zero_bytes_at_the_end(void **state) {
  (void)state;
  static const char text[] = "<robot name='r'>" LINKS JOINT "</robot>\n\0";
  for (size_t more = 0; more < 2; ++more) {
    size_t size = sizeof text - 2 + more;
    char *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, text, size);
    sinew_document *document = NULL;
    assert_int_equal(sinew_urdf_read(copy, size, NULL, &document, NULL), SINEW_OK);
    sinew_document_destroy(document);
    free(copy);
  }
}

// Blanks in place of the declaration keep the line numbers of the rest.
static void lines_after_an_unusual_declaration(void **state) {
  (void)state;
  sinew_document *document = load("\n<?xml version='1.0'\n encoding='UTF-8'\n?>\n<robot name='r'>\n"
                                  "<link name='a'/></robot>");
  assert_int_equal(document->link_lines[0], 6);
  assert_int_equal(document->warnings[0].line, 2);
  sinew_document_destroy(document);
}

// ---- broken, and refused ----

typedef struct broken_text {
  const char *text;
  sinew_result code;
  int line;
  const char *name, *words;
} broken_text;

#define JOINT_WITH(type, inside)                                                                   \
  "<robot name='r'>\n" LINKS "\n<joint name='j' type='" type "'>" ENDS "\n" inside                 \
  "</joint></robot>"

static const broken_text broken_texts[] = {
    {"", SINEW_ERROR_SYNTAX, 1, "", "no element found"},
    {"robot", SINEW_ERROR_SYNTAX, 1, "", "not well-formed"},
    {"<robot name='r'>\n<link name='a'>", SINEW_ERROR_SYNTAX, 2, "link", "no element found"},
    {"<robot name='r'>\n</robot><link/>", SINEW_ERROR_SYNTAX, 2, "", "junk"},
    {"<robot name='r' name='s'/>", SINEW_ERROR_SYNTAX, 1, "", "duplicate attribute"},
    {"<robot name='r'>\n<link name='\xFF'/></robot>", SINEW_ERROR_SYNTAX, 2, "robot",
     "not well-formed"},
    {"<mujoco/>", SINEW_ERROR_SYNTAX, 1, "mujoco", "not <robot>"},
    {"<robot name='r'>\n<link/></robot>", SINEW_ERROR_SYNTAX, 2, "link", "no name"},
    {"<robot name='r'>\n<link name=''/></robot>", SINEW_ERROR_SYNTAX, 2, "link", "no name"},
    {"<robot name='r'>\n<joint/></robot>", SINEW_ERROR_SYNTAX, 2, "joint", "no name"},
    {"<robot name='r'><link name='a'/>\n<link name='a'/></robot>", SINEW_ERROR_MODEL, 2, "a",
     "two links have this name; the other one is in line 1"},
    {"<robot name='r'>" LINKS "<link name='c'/>" JOINT "\n<joint name='j' type='fixed'>"
     "<parent link='a'/><child link='c'/></joint></robot>",
     SINEW_ERROR_MODEL, 2, "j", "two joints have this name"},
    {"<robot name='r'>" LINKS JOINT "\n<joint name='k' type='fixed'>" ENDS "</joint></robot>",
     SINEW_ERROR_MODEL, 2, "k", "is already the child of joint \"j\""},
    {"<robot name='r'><link name='a'/>\n<link name='b'/></robot>", SINEW_ERROR_MODEL, 2, "b",
     "this link and link \"a\""},
    {"<robot name='r'><link name='a'/>\n<joint name='j' type='fixed'>" ENDS "</joint></robot>",
     SINEW_ERROR_MODEL, 2, "j", "child link \"b\" does not exist"},
    {"<robot name='r'>" LINKS "\n<joint name='j' type='fixed'><parent link='a'/><child link='a'/>"
     "</joint></robot>",
     SINEW_ERROR_MODEL, 2, "j", ""},
    // A root, and a loop that is not connected to it.
    {"<robot name='r'><link name='root'/>" LINKS "\n" JOINT
     "\n<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
     SINEW_ERROR_MODEL, 0, NULL, ""},
    {"<robot name='r'>" LINKS "\n<joint name='j' type='fixed'><child link='b'/></joint></robot>",
     SINEW_ERROR_SYNTAX, 2, "j", "no <parent>"},
    {"<robot name='r'>" LINKS "\n<joint name='j' type='fixed'><parent link='a'/></joint></robot>",
     SINEW_ERROR_SYNTAX, 2, "j", "no <child>"},
    {JOINT_WITH("ball", ""), SINEW_ERROR_MODEL, 3, "j", "must be a <drake:joint>"},
    {"<robot name='r'>" LINKS "\n<drake:joint name='j' type='screw'>" ENDS "</drake:joint></robot>",
     SINEW_ERROR_SYNTAX, 2, "j", "screw_thread_pitch"},
    {"<robot name='r'><loop_joint/></robot>", SINEW_ERROR_UNSUPPORTED, 1, "", "loop"},
    // Numbers
    {JOINT_WITH("fixed", "<origin xyz='1 2'/>"), SINEW_ERROR_SYNTAX, 4, "j", "3 finite numbers"},
    {JOINT_WITH("fixed", "<origin xyz='1 2 3 4'/>"), SINEW_ERROR_SYNTAX, 4, "j", "not \"1 2 3 4\""},
    {JOINT_WITH("fixed", "<origin rpy='1 2 3x'/>"), SINEW_ERROR_SYNTAX, 4, "j", "rpy of <origin>"},
    {JOINT_WITH("fixed", "<origin xyz='1,2,3'/>"), SINEW_ERROR_SYNTAX, 4, "j", "xyz of <origin>"},
    {JOINT_WITH("fixed", "<origin xyz='nan 0 0'/>"), SINEW_ERROR_SYNTAX, 4, "j", "finite"},
    {JOINT_WITH("fixed", "<origin xyz='1e999 0 0'/>"), SINEW_ERROR_SYNTAX, 4, "j", "finite"},
    {JOINT_WITH("fixed", "<origin xyz='1e300 0 0'/>"), SINEW_ERROR_NOT_FINITE, 3, "j", ""},
    {JOINT_WITH("fixed", "<origin xyz='0x10 0 0'/>"), SINEW_ERROR_SYNTAX, 4, "j", "finite"},
    {JOINT_WITH("fixed", "<origin xyz=''/>"), SINEW_ERROR_SYNTAX, 4, "j", "finite"},
    {JOINT_WITH("revolute", "<axis xyz='a b c'/>"), SINEW_ERROR_SYNTAX, 4, "j", "xyz of <axis>"},
    {JOINT_WITH("revolute", "<axis xyz='0 1e-9 0'/>"), SINEW_ERROR_MODEL, 4, "j", "axis is zero"},
    {JOINT_WITH("revolute", "<limit lower='${-pi}' upper='1'/>"), SINEW_ERROR_SYNTAX, 4, "j",
     "lower of <limit>"},
    {JOINT_WITH("revolute", "<limit lower='-inf' upper='1'/>"), SINEW_ERROR_SYNTAX, 4, "j",
     "finite"},
    {JOINT_WITH("revolute", "<limit lower='2' upper='1'/>"), SINEW_ERROR_MODEL, 4, "j",
     "lower limit is above"},
    {JOINT_WITH("revolute", "<limit lower='0' upper='1' velocity='fast'/>"), SINEW_ERROR_SYNTAX, 4,
     "j", "velocity of <limit>"},
    // Coupling
    {JOINT_WITH("revolute", "<mimic joint='none'/>"), SINEW_ERROR_MODEL, 4, "j",
     "\"none\", which does not exist"},
    {JOINT_WITH("revolute", "<mimic joint='j' multiplier='x'/>"), SINEW_ERROR_MODEL, 4, "j",
     "itself"},
    {"<robot name='r'>" LINKS "<link name='c'/>\n<joint name='j' type='continuous'>" ENDS
     "<mimic joint='k'/></joint>\n<joint name='k' type='continuous'><parent link='b'/>"
     "<child link='c'/><mimic joint='j'/></joint></robot>",
     SINEW_ERROR_MODEL, 0, NULL, ""},
    {"<robot name='r'>" LINKS "<link name='c'/>\n<joint name='j' type='continuous'>" ENDS
     "<mimic joint='k'/></joint>\n<joint name='k' type='fixed'><parent link='b'/>"
     "<child link='c'/></joint></robot>",
     SINEW_ERROR_MODEL, 2, "j", "\"k\", which does not have one degree of freedom"},
    // Links
    {"<robot name='r'><link name='a'>\n<inertial><mass value='-1'/></inertial></link></robot>",
     SINEW_ERROR_MODEL, 2, "a", "negative"},
    {"<robot name='r'><link name='a'>\n<inertial><mass value='x'/></inertial></link></robot>",
     SINEW_ERROR_SYNTAX, 2, "a", "value of <mass>"},
    {"<robot name='r'><link name='a'><collision><geometry>\n<sphere/></geometry></collision></link>"
     "</robot>",
     SINEW_ERROR_SYNTAX, 2, "a", "<sphere> has no attribute radius"},
    {"<robot name='r'><link name='a'><collision><geometry>\n<box size='1'/></geometry></collision>"
     "</link></robot>",
     SINEW_ERROR_SYNTAX, 2, "a", "size of <box>"},
    // Drake's elements, beyond those of its own tests
    {"<robot name='r'><drake:linear_spring_damper>"
     "<drake:linear_spring_damper_body_A name='world'/>"
     "<drake:linear_spring_damper_p_AP value='1 2 3'/>"
     "<drake:linear_spring_damper_body_B name='world'/>"
     "<drake:linear_spring_damper_p_BQ value='1 2 3'/>\n"
     "<drake:linear_spring_damper_free_length value='-1'/></drake:linear_spring_damper></robot>",
     SINEW_ERROR_MODEL, 2, "drake:linear_spring_damper_free_length", "negative"},
    {"<robot name='r'>" LINKS "<drake:joint name='j' type='curvilinear'>" ENDS "<drake:curves>\n"
     "<drake:line_segment length='0'/></drake:curves></drake:joint></robot>",
     SINEW_ERROR_SYNTAX, 2, "j", "no positive length"},
    {"<robot name='r'>" LINKS "\n<drake:joint name='j' type='curvilinear'>" ENDS
     "<drake:plane_normal xyz='1 0 0'/><drake:curves><drake:line_segment length='1'/>"
     "</drake:curves></drake:joint></robot>",
     SINEW_ERROR_MODEL, 2, "j", "must be in its plane"},
    {"<robot name='r'><link name='a'/>\n<transmission/></robot>", SINEW_ERROR_SYNTAX, 2,
     "transmission", "no type"},
    // Entities, whose expansion could grow without bound
    {"<!DOCTYPE robot [\n<!ENTITY a 'aaaa'>]>\n<robot name='&a;'/>", SINEW_ERROR_UNSUPPORTED, 1,
     "robot", "DOCTYPE"},
    {"<robot name='&a;'/>", SINEW_ERROR_SYNTAX, 1, "", "undefined entity"},
};

static void broken_texts_are_refused_by_name(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof broken_texts / sizeof broken_texts[0]; ++i) {
    const broken_text *broken = &broken_texts[i];
    sinew_document *document = (sinew_document *)&document;
    sinew_error error;
    memset(&error, 0, sizeof error);
    sinew_result result = read_text(broken->text, &document, &error);
    if (result != broken->code || error.code != result || document != NULL ||
        (broken->line > 0 ? error.line != broken->line : error.line < 1) ||
        (broken->name != NULL ? strcmp(error.name, broken->name) != 0 : error.name[0] == '\0') ||
        strstr(error.message, broken->words) == NULL || error.message[0] == '\0' ||
        strcmp(error.file, "input") != 0) {
      fail_msg("%s\nwas refused with %d, line %d: %s: %s", broken->text, result, error.line,
               error.name, error.message);
    }
    assert_int_equal(read_text(broken->text, &document, NULL), result);
  }
}

static void arguments_are_checked(void **state) {
  (void)state;
  sinew_document *document = NULL;
  sinew_error error;
  sinew_read_def zeroed;
  memset(&zeroed, 0, sizeof zeroed);
  assert_int_equal(sinew_urdf_read(NULL, 0, NULL, &document, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_urdf_read("<robot/>", 8, NULL, NULL, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_urdf_read("<robot/>", 8, &zeroed, &document, &error),
                   SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_document_open(NULL, NULL, &document, &error), SINEW_ERROR_ARGUMENT);
  sinew_document_destroy(NULL);
}

// Long names are truncated, and never within a character.
static void long_names_in_errors(void **state) {
  (void)state;
  char text[2048] = "<robot name='r'>";
  for (int twice = 0; twice < 2; ++twice) {
    strcat(text, "<link name='xy");
    for (int i = 0; i < 100; ++i) {
      strcat(text, "\xE6\x89\x8B");
    }
    strcat(text, "'/>");
  }
  strcat(text, "</robot>");
  sinew_document *document = NULL;
  sinew_error error;
  assert_int_equal(read_text(text, &document, &error), SINEW_ERROR_MODEL);
  assert_int_equal(strlen(error.name), 2 + 41 * 3); // at most 127 bytes
}

// ---- too large ----

static char *repeat(const char *head, const char *body, int count, const char *tail) {
  size_t length = strlen(body);
  char *text = malloc(strlen(head) + length * (size_t)count + strlen(tail) + 1);
  assert_non_null(text);
  char *end = text + sprintf(text, "%s", head);
  for (int i = 0; i < count; ++i) {
    memcpy(end, body, length);
    end += length;
  }
  sprintf(end, "%s", tail);
  return text;
}

static void size_and_nesting_are_bounded(void **state) {
  (void)state;
  static const char text[] = "<robot name='r'><link name='a'/></robot>";
  sinew_document *document = NULL;
  sinew_error error;
  sinew_read_def def = sinew_default_read_def();
  def.name = "robot.urdf";
  def.max_bytes = sizeof text - 1;
  def.max_depth = 2;
  assert_int_equal(sinew_urdf_read(text, sizeof text - 1, &def, &document, NULL), SINEW_OK);
  sinew_document_destroy(document);
  def.max_bytes -= 1;
  assert_int_equal(sinew_urdf_read(text, sizeof text - 1, &def, &document, &error),
                   SINEW_ERROR_TOO_LARGE);
  assert_string_equal(error.file, "robot.urdf");
  def.max_bytes += 1;
  def.max_depth = 1;
  assert_int_equal(sinew_urdf_read(text, sizeof text - 1, &def, &document, &error),
                   SINEW_ERROR_TOO_LARGE);
  assert_int_equal(error.line, 1);
  assert_string_equal(error.name, "link");

  char *wide = repeat("<robot name='r'>", "<a/>", SINEW_XML_MAX_ELEMENTS, "</robot>");
  assert_int_equal(read_text(wide, &document, &error), SINEW_ERROR_TOO_LARGE);
  free(wide);

  char *deep = repeat("<robot name='r'>", "<a>", 1000000, "");
  assert_int_equal(read_text(deep, &document, &error), SINEW_ERROR_TOO_LARGE);
  free(deep);
}

static void warnings_are_bounded(void **state) {
  (void)state;
  char *text = repeat("<robot name='r'><link name='a'>", "<link/>", 5000, "</link></robot>");
  sinew_document *document = load(text);
  assert_int_equal(document->warning_count, SINEW_DOCUMENT_MAX_WARNINGS);
  assert_non_null(strstr(document->warnings[document->warning_count - 1].message, "omitted"));
  sinew_document_destroy(document);
  free(text);
}

// A chain of 10,000 joints, the last first: no deep recursion, no quadratic time.
static void long_chains_load(void **state) {
  (void)state;
  enum { COUNT = 10000 };
  char *text = malloc(COUNT * 200);
  assert_non_null(text);
  char *end = text + sprintf(text, "<robot name='r'><link name='l0'/>");
  for (int i = COUNT; i > 0; --i) {
    end += sprintf(end,
                   "<joint name='j%d' type='continuous'><parent link='l%d'/><child link='l%d'/>"
                   "</joint><link name='l%d'/>",
                   i, i - 1, i, i);
  }
  sprintf(end, "</robot>");
  sinew_document *document = load(text);
  assert_int_equal(document->model.joint_count, COUNT);
  assert_int_equal(model_nv(document), COUNT);
  sinew_document_destroy(document);
  free(text);
}

// ---- too little memory ----

static const char rich_text[] =
    "\n<?xml version='1.0'?><robot name='r'><link name='a'><inertial><mass value='1'/></inertial>"
    "<collision><geometry><box size='1 2 3'/></geometry></collision></link>"
    "<link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint>"
    "<link name='c'/><joint name='k' type='continuous'><parent link='b'/><child link='c'/>"
    "<mimic joint='j' multiplier='2'/></joint>"
    "<joint name='w' type='fixed'><parent link='world'/><child link='a'/></joint></robot>";

// Each allocation fails in turn; no memory leaks, and the read without a failure comes last.
static void every_allocation_may_fail(void **state) {
  (void)state;
  // Many links, so that arrays and the pool grow too.
  char links[300 * 40] = "";
  for (int i = 0; i < 300; ++i) {
    sprintf(links + strlen(links), "<link name='l%d' comment='aaaa'/>", i);
  }
  char *text = repeat("<robot name='r'>", links, 1, "</robot>");
  const char *const texts[] = {rich_text, text};
  const sinew_result results[] = {SINEW_OK, SINEW_ERROR_MODEL}; // the second has 300 roots
  for (int which = 0; which < 2; ++which) {
    sinew_result result = SINEW_ERROR_MEMORY;
    int count = 0;
    for (; result == SINEW_ERROR_MEMORY && count < 1000; ++count) {
      counter memory = {.fail_at = count};
      sinew_read_def def = sinew_default_read_def();
      def.allocator = allocator_of(&memory);
      sinew_document *document = NULL;
      sinew_error error;
      result = sinew_urdf_read(texts[which], strlen(texts[which]), &def, &document, &error);
      assert_true((document != NULL) == (result == SINEW_OK));
      assert_int_equal(error.code == SINEW_ERROR_MEMORY || result != SINEW_ERROR_MEMORY, 1);
      sinew_document_destroy(document);
      assert_int_equal(memory.live, 0);
    }
    assert_int_equal(result, results[which]);
    assert_true(count > 3);
  }
  free(text);
}

// The parser's own memory functions have no context, so this test counts with a global.
static counter parser_memory;

static void *parser_retake(void *piece, size_t size) {
  if (parser_memory.calls++ == parser_memory.fail_at) {
    return NULL;
  }
  parser_memory.live += piece == NULL;
  return realloc(piece, size);
}

static void *parser_take(size_t size) {
  return parser_retake(NULL, size);
}

static void parser_give(void *piece) {
  parser_memory.live -= piece != NULL;
  free(piece);
}

static void every_allocation_of_the_parser_may_fail(void **state) {
  (void)state;
  static const XML_Memory_Handling_Suite suite = {parser_take, parser_retake, parser_give};
  sinew_result result = SINEW_ERROR_MEMORY;
  int count = 0;
  for (; result == SINEW_ERROR_MEMORY && count < 1000; ++count) {
    parser_memory = (counter){.fail_at = count};
    sinew_xml_reader *reader = NULL;
    assert_int_equal(
        sinew_xml_reader_begin(SINEW_FORMAT_URDF, sinew_urdf_build, NULL, &reader, NULL), SINEW_OK);
    result = sinew_xml_expat_parse(reader, rich_text, sizeof rich_text - 1, &suite);
    sinew_xml_reader_destroy(reader);
    assert_int_equal(parser_memory.live, 0);
  }
  assert_int_equal(result, SINEW_OK);
  assert_true(count > 3);
}

// ---- files ----

static void formats_are_detected_from_content(void **state) {
  (void)state;
  static const struct {
    const char *text;
    sinew_format format;
  } texts[] = {
      {"<robot/>", SINEW_FORMAT_URDF},
      {"<robot", SINEW_FORMAT_URDF},
      {"\xEF\xBB\xBF <?xml version='1.0'?> <!-- <a> --> <!DOCTYPE robot> <robot>",
       SINEW_FORMAT_URDF},
      {"<robots/>", SINEW_FORMAT_UNKNOWN},
      {"<mujoco/>", SINEW_FORMAT_UNKNOWN},
      {"<!-- <robot>", SINEW_FORMAT_UNKNOWN},
      {"HIERARCHY\nROOT a", SINEW_FORMAT_BVH},
      {" \r\n HIERARCHY", SINEW_FORMAT_BVH},
      {"HIERARCHYROOT", SINEW_FORMAT_UNKNOWN},
      {"", SINEW_FORMAT_UNKNOWN},
      {"<", SINEW_FORMAT_UNKNOWN},
      {"\xEF\xBB\xBF", SINEW_FORMAT_UNKNOWN},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    assert_int_equal(sinew_format_detect(texts[i].text, strlen(texts[i].text)), texts[i].format);
  }
  assert_int_equal(sinew_format_detect(NULL, 0), SINEW_FORMAT_UNKNOWN);
}

static void formats_are_described(void **state) {
  (void)state;
  assert_null(sinew_format_describe(SINEW_FORMAT_UNKNOWN));
  const sinew_format_info *info = NULL;
  int count = 0;
  while ((info = sinew_format_describe((sinew_format)(count + 1))) != NULL) {
    ++count;
    assert_int_equal((int)info->format, count);
    assert_true(info->name[0] != '\0' && info->content[0] != '\0');
  }
  assert_int_equal(count, SINEW_FORMAT_BVH);
  assert_string_equal(sinew_format_describe(SINEW_FORMAT_URDF)->name, "URDF");
  assert_string_equal(sinew_format_describe(SINEW_FORMAT_URDF)->length_unit, "m");
  assert_string_equal(sinew_format_describe(SINEW_FORMAT_BVH)->name, "BVH");
  assert_null(sinew_format_describe(SINEW_FORMAT_BVH)->length_unit);
}

static void texts_of_any_format_are_read(void **state) {
  (void)state;
  sinew_document *document = NULL;
  sinew_error error;
  static const char bvh[] = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 0 }";
  assert_int_equal(sinew_document_read(bvh, sizeof bvh - 1, NULL, &document, &error), SINEW_OK);
  assert_int_equal(document->format, SINEW_FORMAT_BVH);
  sinew_document_destroy(document);
  assert_int_equal(sinew_document_read(rich_text, strlen(rich_text), NULL, &document, &error),
                   SINEW_OK);
  assert_int_equal(document->format, SINEW_FORMAT_URDF);
  sinew_document_destroy(document);
  assert_int_equal(sinew_document_read("x", 1, NULL, &document, &error), SINEW_ERROR_UNSUPPORTED);
  assert_null(document);
  assert_string_equal(error.file, "input");
  assert_int_equal(sinew_document_read(NULL, 0, NULL, &document, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_document_read("x", 1, NULL, NULL, &error), SINEW_ERROR_ARGUMENT);
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}

static void files_are_opened(void **state) {
  (void)state;
  const char *folder = getenv("SINEW_SCRATCH_DIR");
  folder = folder != NULL ? folder : ".";
  char path[4096];
  sinew_document *document = NULL;
  sinew_error error;
  snprintf(path, sizeof path, "%s/test_urdf_input.tmp", folder);

  write_file(path, rich_text);
  assert_int_equal(sinew_document_open(path, NULL, &document, &error), SINEW_OK);
  assert_int_equal(document->format, SINEW_FORMAT_URDF);
  sinew_document_destroy(document);

  // Each allocation of the file's buffer and all else
  counter memory;
  sinew_read_def def = sinew_default_read_def();
  def.allocator = allocator_of(&memory);
  sinew_result result = SINEW_ERROR_MEMORY;
  for (int count = 0; result == SINEW_ERROR_MEMORY && count < 1000; ++count) {
    memory = (counter){.fail_at = count};
    result = sinew_document_open(path, &def, &document, &error);
    sinew_document_destroy(document);
    assert_int_equal(memory.live, 0);
  }
  assert_int_equal(result, SINEW_OK);

  def = sinew_default_read_def();
  def.max_bytes = 20;
  assert_int_equal(sinew_document_open(path, &def, &document, &error), SINEW_ERROR_TOO_LARGE);
  write_file(path, "<mujoco/>");
  assert_int_equal(sinew_document_open(path, NULL, &document, &error), SINEW_ERROR_UNSUPPORTED);
  assert_non_null(
      strstr(error.message, "unknown format; sinew reads URDF (first element <robot>), BVH ("));
  assert_int_equal(strncmp(error.file, path, sizeof error.file - 1), 0);
  remove(path);
  assert_int_equal(sinew_document_open(path, NULL, &document, &error), SINEW_ERROR_FILE);
  assert_non_null(strstr(error.message, "does not exist"));
  assert_int_equal(sinew_document_open(folder, NULL, &document, &error), SINEW_ERROR_FILE);
  assert_non_null(strstr(error.message, "folder"));
  assert_null(document);
}

// A file without end is read up to the size limit only.
static void endless_files_are_refused(void **state) {
  (void)state;
  FILE *file = fopen("/dev/zero", "rb");
  if (file == NULL) {
    print_message("skipped: no /dev/zero\n");
    skip();
  } else {
    fclose(file);
  }
  sinew_document *document = NULL;
  sinew_error error;
  sinew_read_def def = sinew_default_read_def();
  def.max_bytes = 1000000;
  assert_int_equal(sinew_document_open("/dev/zero", &def, &document, &error),
                   SINEW_ERROR_TOO_LARGE);
  assert_string_equal(error.file, "/dev/zero");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unusual_texts_are_read),
      cmocka_unit_test(zero_bytes_at_the_end),
      cmocka_unit_test(lines_after_an_unusual_declaration),
      cmocka_unit_test(broken_texts_are_refused_by_name),
      cmocka_unit_test(arguments_are_checked),
      cmocka_unit_test(long_names_in_errors),
      cmocka_unit_test(size_and_nesting_are_bounded),
      cmocka_unit_test(warnings_are_bounded),
      cmocka_unit_test(long_chains_load),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(every_allocation_of_the_parser_may_fail),
      cmocka_unit_test(formats_are_detected_from_content),
      cmocka_unit_test(formats_are_described),
      cmocka_unit_test(texts_of_any_format_are_read),
      cmocka_unit_test(files_are_opened),
      cmocka_unit_test(endless_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
