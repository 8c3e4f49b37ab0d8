// Elements of a URDF that are checked and not used: bushings, springs, transmissions, frames,
// filters of collisions, joints along curves. What is whole loads; where a part is missing or
// wrong, the message names it and its line.
#include "urdf_shared.h"

// Links a and b, joint j, frames f and g, in lines 1 to 5; the text under test begins in line 6.
#define ROBOT(text)                                                                                \
  "<robot name='r'>\n<link name='a'/><link name='b'/>\n"                                           \
  "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>\n"                \
  "<frame name='f' link='a'/>\n<frame name='g' link='b' xyz='1 2 3' rpy='0 0 1'/>\n" text          \
  "</robot>"

static void expect_loads(const char *text) {
  sinew_document *document = NULL;
  sinew_error error;
  if (read_text(text, &document, &error) != SINEW_OK) {
    fail_msg("%d: %s: %s, in\n%s", error.line, error.name, error.message, text);
  }
  assert_int_equal(document->model.joint_count, 1);
  assert_int_equal(document->model.link_count, 2);
  sinew_document_destroy(document);
}

static void expect_refused(const char *text, int line, const char *name, const char *words) {
  sinew_document *document = NULL;
  sinew_error error = {0};
  if (read_text(text, &document, &error) == SINEW_OK) {
    fail_msg("loads, but should say \"%s\":\n%s", words, text);
  }
  if (error.line != line || strcmp(error.name, name) != 0 || strstr(error.message, words) == NULL) {
    fail_msg("%d: %s: %s, and not %d: %s: %s, in\n%s", error.line, error.name, error.message, line,
             name, words, text);
  }
  assert_null(document);
}

// ---------------------------------------------------------------- elements with required children

typedef enum part_kind { LINK, FRAME, NUMBER, VECTOR } part_kind;

typedef struct part {
  const char *name;
  part_kind kind;
} part;

typedef struct whole {
  const char *name;
  int count;
  part parts[7];
} whole;

static const whole wholes[] = {
    {"drake:linear_bushing_rpy",
     6,
     {{"drake:bushing_frameA", FRAME},
      {"drake:bushing_frameC", FRAME},
      {"drake:bushing_torque_stiffness", VECTOR},
      {"drake:bushing_torque_damping", VECTOR},
      {"drake:bushing_force_stiffness", VECTOR},
      {"drake:bushing_force_damping", VECTOR}}},
    {"drake:linear_spring_damper",
     7,
     {{"drake:linear_spring_damper_body_A", LINK},
      {"drake:linear_spring_damper_p_AP", VECTOR},
      {"drake:linear_spring_damper_body_B", LINK},
      {"drake:linear_spring_damper_p_BQ", VECTOR},
      {"drake:linear_spring_damper_free_length", NUMBER},
      {"drake:linear_spring_damper_stiffness", NUMBER},
      {"drake:linear_spring_damper_damping", NUMBER}}},
};

static const char *good_text(part_kind kind) {
  return kind == LINK || kind == FRAME ? "name='b'"
         : kind == NUMBER              ? "value='2'"
                                       : "value='1 2 3'";
}

// The robot with an element whose part `changed` has other attributes; NULL: the part is missing.
// The element begins in line 6, part i is in line 7 + i.
static const char *text_of(const whole *w, int changed, const char *attributes) {
  static char text[8192];
  size_t size = (size_t)snprintf(text, sizeof text, ROBOT(""));
  size -= strlen("</robot>");
  size += (size_t)snprintf(text + size, sizeof text - size, "<%s>\n", w->name);
  for (int i = 0; i < w->count; ++i) {
    const char *with = i == changed ? attributes : good_text(w->parts[i].kind);
    if (with != NULL) {
      size += (size_t)snprintf(text + size, sizeof text - size, "<%s %s/>", w->parts[i].name, with);
    }
    size += (size_t)snprintf(text + size, sizeof text - size, "\n");
  }
  snprintf(text + size, sizeof text - size, "</%s></robot>", w->name);
  return text;
}

static void check_part(const whole *w, int i) {
  const part *p = &w->parts[i];
  char words[128];
  snprintf(words, sizeof words, "no <%s>", p->name);
  expect_refused(text_of(w, i, NULL), 6, w->name, words);
  if (p->kind == LINK || p->kind == FRAME) {
    expect_loads(text_of(w, i, "name='a'"));
    expect_loads(text_of(w, i, "name='world'"));
    expect_refused(text_of(w, i, ""), 7 + i, p->name, "no attribute name");
    expect_refused(text_of(w, i, "name='c'"), 7 + i, p->name,
                   p->kind == LINK ? "the link \"c\" does not exist"
                                   : "the frame \"c\" does not exist");
  }
  for (int frame = 0; frame < 2; ++frame) { // frames stand for links in bushings alone
    const char *name = frame == 0 ? "name='f'" : "name='g'";
    if (p->kind == FRAME) {
      expect_loads(text_of(w, i, name));
    } else if (p->kind == LINK) {
      expect_refused(text_of(w, i, name), 7 + i, p->name, "does not exist");
    }
  }
  if (p->kind == NUMBER) {
    expect_loads(text_of(w, i, "value='0'"));
    expect_refused(text_of(w, i, "value='-0.5'"), 7 + i, p->name, "the value is negative");
    expect_refused(text_of(w, i, "value='1 2'"), 7 + i, p->name, "1 finite number,");
  } else if (p->kind == VECTOR) {
    expect_loads(text_of(w, i, "value='-1 0 -2'"));
    expect_refused(text_of(w, i, "value='1 2'"), 7 + i, p->name, "3 finite numbers,");
  }
  if (p->kind == NUMBER || p->kind == VECTOR) {
    expect_refused(text_of(w, i, ""), 7 + i, p->name, "no attribute value");
    expect_refused(text_of(w, i, "value='x'"), 7 + i, p->name, "must be");
  }
}

// req: A10
static void parts_of_bushings_and_springs_are_checked(void **state) {
  (void)state;
  for (int w = 0; w < 2; ++w) {
    expect_loads(text_of(&wholes[w], -1, NULL));
    for (int i = 0; i < wholes[w].count; ++i) {
      check_part(&wholes[w], i);
    }
  }
}

// A second element is checked as the first is.
static void each_of_several_elements_is_checked(void **state) {
  (void)state;
  char text[8192];
  snprintf(text, sizeof text, "%s", text_of(&wholes[0], -1, NULL));
  const size_t size = strlen(text) - strlen("</robot>");
  snprintf(text + size, sizeof text - size, "\n<%s/></robot>", wholes[0].name);
  expect_refused(text, 14, wholes[0].name, "no <drake:bushing_frameA>");
}

// ------------------------------------------------------------------------ the others, case by case

typedef struct text_case {
  const char *text;         // in line 6
  const char *name, *words; // NULL: loads
} text_case;

static const text_case cases[] = {
    {"<transmission/>", "transmission", "no type"},
    {"<transmission><type>transmission_interface/SimpleTransmission</type></transmission>", NULL,
     NULL},
    {"<transmission type='SimpleTransmission'><actuator name='m'/><joint name='j'/>"
     "</transmission>",
     NULL, NULL},
    {"<transmission type='pr2/SimpleTransmission'><joint name='j'/></transmission>", "transmission",
     "no <actuator>"},
    {"<transmission type='SimpleTransmission'><actuator name='m'/></transmission>", "transmission",
     "no <joint>"},
    {"<transmission type='SimpleTransmission'><actuator/><joint name='j'/></transmission>",
     "transmission", "<actuator> has no name"},
    {"<transmission type='SimpleTransmission'><actuator name='m'/><joint/></transmission>",
     "transmission", "<joint> has no name"},
    {"<transmission type='SimpleTransmission'><actuator name='m'/><joint name='k'/></transmission>",
     "transmission", "joint \"k\", which does not exist"},
    {"<frame link='a'/>", "frame", "no name"},
    {"<frame name='h'/>", "h", "no attribute link"},
    {"<frame name='h' link='c'/>", "h", "link \"c\" does not exist"},
    {"<frame name='h' link='world'/>", NULL, NULL},
    {"<frame name='h' link='a' xyz='1 2'/>", "h", "xyz of <frame> must be 3"},
    {"<frame name='h' link='a' rpy='1 2 x'/>", "h", "rpy of <frame> must be 3"},
    {"<drake:collision_filter_group/>", "drake:collision_filter_group", "no attribute name"},
    {"<drake:collision_filter_group name='h'><drake:member link='a'/><drake:member_group name='h'/>"
     "<drake:ignored_collision_filter_group name='h'/><other/></drake:collision_filter_group>",
     NULL, NULL},
    {"<drake:collision_filter_group name='h'><drake:member name='a'/>"
     "</drake:collision_filter_group>",
     "drake:member", "no attribute link"},
    {"<drake:collision_filter_group name='h'><drake:member_group link='a'/>"
     "</drake:collision_filter_group>",
     "drake:member_group", "no attribute name"},
    {"<drake:collision_filter_group name='h'><drake:ignored_collision_filter_group/>"
     "</drake:collision_filter_group>",
     "drake:ignored_collision_filter_group", "no attribute name"},
    {"<loop_joint name='l'/>", "l", "<loop_joint> is not supported"},
    {"<other><frame/><transmission/></other>", NULL, NULL},
};

static void other_elements_are_checked(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[2048];
    snprintf(text, sizeof text, ROBOT("%s"), cases[i].text);
    if (cases[i].name == NULL) {
      expect_loads(text);
    } else {
      expect_refused(text, 6, cases[i].name, cases[i].words);
    }
  }
}

// A transmission of another type is warned of.
static void other_transmissions_are_ignored(void **state) {
  (void)state;
  sinew_document *document = load(ROBOT("<transmission type='Differential'/>"));
  assert_true(has_warning(document, "a transmission of type \"Differential\" is ignored"));
  sinew_document_destroy(document);
}

// -------------------------------------------------------------------------------- joints on curves

#define CURVE(inside)                                                                              \
  "<robot name='r'><link name='a'/><link name='b'/>"                                               \
  "<drake:joint name='j' type='curvilinear'><parent link='a'/><child link='b'/>" inside            \
  "</drake:joint></robot>"
#define PIECES "<drake:curves><drake:line_segment length='1'/></drake:curves>"
#define TANGENT(xyz) "<drake:initial_tangent xyz='" xyz "'/>"
#define NORMAL(xyz) "<drake:plane_normal xyz='" xyz "'/>"

static const struct {
  const char *text, *words; // words NULL: loads
} curves[] = {
    {CURVE(PIECES), NULL},
    {CURVE(PIECES TANGENT("0 2 0") NORMAL("3 0 0")), NULL},
    {CURVE("<drake:curves><drake:circular_arc radius='1' angle='-2'/></drake:curves>"), NULL},
    {CURVE(""), "no <drake:curves>"},
    {CURVE("<drake:curves/>"), "or it is empty"},
    {CURVE("<drake:curves><drake:spline/></drake:curves>"), "<drake:spline> is not a piece"},
    {CURVE("<drake:curves><drake:line_segment/></drake:curves>"), "has no length"},
    {CURVE("<drake:curves><drake:line_segment length='0'/></drake:curves>"), "no positive length"},
    {CURVE("<drake:curves><drake:line_segment length='x'/></drake:curves>"), "1 finite number"},
    {CURVE("<drake:curves><drake:circular_arc radius='-1' angle='1'/></drake:curves>"),
     "no positive radius"},
    {CURVE("<drake:curves><drake:circular_arc radius='1'/></drake:curves>"), "has no angle"},
    {CURVE("<drake:curves><drake:line_segment length='1'/><drake:line_segment/></drake:curves>"),
     "has no length"},
    {CURVE(PIECES TANGENT("0 0 0")), "must be in its plane"},
    {CURVE(PIECES NORMAL("0 0 0")), "must be in its plane"},
    {CURVE(PIECES TANGENT("1e200 0 0")), "must be in its plane"},
    {CURVE(PIECES NORMAL("0 0 1e200")), "must be in its plane"},
    {CURVE(PIECES TANGENT("1 0 1e-3")), "must be in its plane"},
    {CURVE(PIECES TANGENT("1 2")), "3 finite numbers"},
    {CURVE(PIECES NORMAL("1 2")), "3 finite numbers"},
};

static void curves_are_checked(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof curves / sizeof curves[0]; ++i) {
    sinew_document *document = NULL;
    sinew_error error = {0};
    const sinew_result result = read_text(curves[i].text, &document, &error);
    if ((result == SINEW_OK) != (curves[i].words == NULL) ||
        (curves[i].words != NULL && strstr(error.message, curves[i].words) == NULL)) {
      fail_msg("%s in\n%s", result == SINEW_OK ? "loads" : error.message, curves[i].text);
    }
    if (document != NULL) {
      assert_true(has_warning(document, "along a curve"));
    }
    sinew_document_destroy(document);
  }
}

// A joint on a curve is fixed with its x axis along the tangent and z along the plane's normal.
static void curves_begin_along_their_tangent(void **state) {
  (void)state;
  sinew_document *document = load(CURVE(PIECES TANGENT("0 3 4") NORMAL("0 -4 3")));
  const sinew_joint_def *joint = &document->model.joints[0];
  double R[9];
  static const double expected[9] = {0.0, -1.0, 0.0, 0.6, 0.0, -0.8, 0.8, 0.0, 0.6};
  sinew_quaternion_to_matrix(joint->placement.rotation, R);
  for (int i = 0; i < 9; ++i) {
    assert_near(R[i], expected[i], 1e-12);
  }
  sinew_document_destroy(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_of_bushings_and_springs_are_checked),
      cmocka_unit_test(each_of_several_elements_is_checked),
      cmocka_unit_test(other_elements_are_checked),
      cmocka_unit_test(other_transmissions_are_ignored),
      cmocka_unit_test(curves_are_checked),
      cmocka_unit_test(curves_begin_along_their_tangent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
