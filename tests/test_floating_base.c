// A floating base that the caller asks for in a URDF: which robots get it, and that all else stays
// as in the file.
#include "counting_allocator.h"
#include "urdf_shared.h"

#include <stdbool.h>

#define MOST_NQ 128
#define LINKS "<link name='a'/><link name='b'/>"
#define JOINT(kind, parent, child)                                                                 \
  "<joint name='" parent child "' type='" kind "'><parent link='" parent "'/><child link='" child  \
  "'/><origin xyz='0.1 0 0.3'/><axis xyz='0 0 1'/></joint>"

static sinew_read_def floating(void) {
  sinew_read_def def = sinew_default_read_def();
  assert_false(def.floating_base);
  def.floating_base = true;
  return def;
}

static sinew_document *load_floating(const char *text) {
  const sinew_read_def def = floating();
  sinew_document *document = NULL;
  sinew_error error;
  if (sinew_urdf_read(text, strlen(text), &def, &document, &error) != SINEW_OK) {
    fail_msg("refused: line %d: %s: %s", error.line, error.name, error.message);
  }
  return document;
}

static sinew_model *model_of(const sinew_document *document) {
  sinew_model *model = NULL;
  assert_int_equal(sinew_model_create(&document->model, &model, NULL), SINEW_OK);
  return model;
}

// The joint comes first, between a new root and the old one.
static void expect_base(const sinew_document *document, const char *joint_name, const char *world,
                        const char *base) {
  sinew_model *model = model_of(document);
  sinew_joint joint;
  assert_int_equal(sinew_model_joint(model, 0, &joint), SINEW_OK);
  assert_string_equal(joint.name, joint_name);
  assert_int_equal(joint.kind, SINEW_JOINT_FREE);
  assert_int_equal(joint.q_index, 0);
  assert_int_equal(joint.parent, sinew_model_root(model));
  assert_string_equal(sinew_model_link_name(model, joint.parent), world);
  assert_string_equal(sinew_model_link_name(model, joint.child), base);
  sinew_model_destroy(model);
}

// Coupled joints follow the same joints as before, and messages name the same lines.
// req: A5
static void floating_base_comes_first(void **state) {
  (void)state;
  static const char text[] =
      "<robot name='r'>" LINKS
      "\n<link name='c'/><link name='d'/>\n" JOINT("continuous", "a", "b") "\n" JOINT(
          "prismatic", "b",
          "c") "\n"
               "<joint name='cd' type='continuous'><parent link='c'/><child link='d'/>"
               "<axis xyz='1 0 0'/><mimic joint='ab' multiplier='2'/></joint></robot>";
  sinew_document *plain = load(text), *document = load_floating(text);
  expect_base(document, "floating_base", "world", "a");
  assert_int_equal(document->warning_count, plain->warning_count);
  assert_int_equal(model_nv(document), model_nv(plain) + 6);
  assert_int_equal(document->model.joint_count, plain->model.joint_count + 1);
  for (int j = 0; j < plain->model.joint_count; ++j) {
    const sinew_joint_def *before = &plain->model.joints[j];
    const sinew_joint_def *after = &document->model.joints[j + 1];
    assert_string_equal(after->name, before->name);
    assert_int_equal(after->driver, before->driver < 0 ? -1 : before->driver + 1);
    assert_int_equal(document->joint_lines[j + 1], plain->joint_lines[j]);
  }
  sinew_document_destroy(plain);
  sinew_document_destroy(document);
}

// Where the file uses the names already, others are chosen.
static void names_in_use_are_avoided(void **state) {
  (void)state;
  sinew_document *document = load_floating(
      "<robot name='r'>" LINKS "<link name='world'/><link name='world_2'/>"
      "<joint name='floating_base' type='fixed'><parent link='a'/><child link='b'/></joint>" JOINT(
          "fixed", "b", "world") JOINT("continuous", "b", "world_2") "</robot>");
  expect_base(document, "floating_base_2", "world_3", "a");
  sinew_document_destroy(document);
}

// A robot that a fixed joint holds on a link "world" floats there: the joint is replaced, the mount
// is dropped, and a warning says so.
static void robots_fixed_to_the_world_float(void **state) {
  (void)state;
  static const char *const texts[] = {
      "<robot name='r'><link name='world'/>" LINKS
      "<joint name='mount' type='fixed'><origin xyz='1 2 3' rpy='1 0 0'/><parent link='world'/>"
      "<child link='a'/></joint>" JOINT("continuous", "a", "b") "</robot>",
      // The link is not declared, and the mount comes last; a joint follows another.
      "<robot name='r'>" LINKS "<link name='c'/>" JOINT(
          "continuous", "a",
          "b") "<joint name='bc' type='continuous'><parent link='b'/><child link='c'/>"
               "<mimic joint='ab' multiplier='2'/></joint>"
               "<joint name='mount' type='fixed'><parent link='world'/><child link='a'/></joint>"
               "</robot>"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    sinew_document *document = load_floating(texts[i]);
    sinew_model *model = model_of(document);
    sinew_joint joint;
    expect_base(document, "floating_base", "world", "a");
    assert_int_equal(sinew_model_nv(model), 7);
    assert_true(sinew_model_find_joint(model, "mount") < 0);
    assert_true(has_warning(document, "replaced by the free joint floating_base"));
    sinew_state *at = NULL;
    sinew_pose pose;
    double q[8] = {0};
    sinew_configuration_start(model, q);
    assert_int_equal(sinew_state_create(model, NULL, &at, NULL), SINEW_OK);
    assert_int_equal(sinew_state_forward(at, q), SINEW_OK);
    assert_int_equal(sinew_state_link_pose(at, sinew_model_find_link(model, "a"), &pose), SINEW_OK);
    assert_true(pose.position[0] == 0.0 && pose.rotation[0] == 1.0);
    if (i == 1) {
      assert_int_equal(sinew_model_joint(model, sinew_model_find_joint(model, "bc"), &joint),
                       SINEW_OK);
      assert_int_equal(joint.driver, sinew_model_find_joint(model, "ab"));
    }
    sinew_state_destroy(at);
    sinew_model_destroy(model);
    sinew_document_destroy(document);
  }
}

// What has no base that could float is refused, with the joint.
static void robots_without_a_base_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *name, *message;
  } files[] = {
      {"<robot name='r'><link name='a'/>" JOINT("continuous", "world", "a") "</robot>", "worlda",
       "its base cannot float"},
      {"<robot name='r'><link name='world'/>" LINKS JOINT("fixed", "world", "a")
           JOINT("fixed", "world", "b") "</robot>",
       "world", "2 joints are on this link: no base to float"},
      {"<robot name='r'></robot>", "world", "0 joints are on this link: no base to float"}};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
    const sinew_read_def def = floating();
    sinew_document *document = NULL;
    sinew_error error;
    assert_int_equal(sinew_urdf_read(files[i].text, strlen(files[i].text), &def, &document, &error),
                     SINEW_ERROR_MODEL);
    assert_string_equal(error.name, files[i].name);
    assert_non_null(strstr(error.message, files[i].message));
    assert_int_equal(error.line, 1);
  }
}

// Robots that the file lets float itself.
static void floating_roots_of_the_file_stay(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int nv;
  } files[] = {
      {"<robot name='r'><link name='a'/>" JOINT("floating", "world", "a") "</robot>", 6},
      {"<robot name='r'>" LINKS JOINT("floating", "a", "b") "</robot>", 6},
      {"<robot name='r'><link name='a'/></robot>", 6},
      {"<robot name='r'>" LINKS "<link name='c'/>" JOINT("floating", "a", "b")
           JOINT("continuous", "a", "c") "</robot>",
       13},
  };
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
    sinew_document *document = load_floating(files[i].text);
    assert_int_equal(model_nv(document), files[i].nv);
    sinew_document_destroy(document);
  }
}

// With the base at a pose, all links are where they were relative to it.
static void check_moved(const sinew_document *plain, const sinew_document *document,
                        const char *name, const char *base_link) {
  sinew_model *fixed = model_of(plain), *free = model_of(document);
  sinew_state *there = NULL, *here = NULL;
  double q[MOST_NQ];
  sinew_pose base = {.position = {0.3, -2.0, 5.0}, .rotation = {0.5, -0.5, 0.5, 0.5}};
  assert_int_equal(sinew_state_create(fixed, NULL, &there, NULL), SINEW_OK);
  assert_int_equal(sinew_state_create(free, NULL, &here, NULL), SINEW_OK);
  assert_true(sinew_model_nq(free) == sinew_model_nq(fixed) + 7 && sinew_model_nq(free) <= MOST_NQ);
  sinew_configuration_random(fixed, 5, 6, q + 7);
  memcpy(q, base.position, sizeof base.position);
  memcpy(q + 3, base.rotation, sizeof base.rotation);
  assert_int_equal(sinew_state_forward(there, q + 7), SINEW_OK);
  assert_int_equal(sinew_state_forward(here, q), SINEW_OK);
  sinew_pose mount, back, moved;
  assert_int_equal(sinew_state_link_pose(there, sinew_model_find_link(fixed, base_link), &mount),
                   SINEW_OK);
  sinew_pose_invert(&mount, &back);
  sinew_pose_multiply(&base, &back, &moved);
  for (int link = 0; link < sinew_model_link_count(fixed); ++link) {
    sinew_pose before, after;
    double expected[3], turned[4];
    if (strcmp(sinew_model_link_name(fixed, link), "world") == 0) {
      continue;
    }
    const int same = sinew_model_find_link(free, sinew_model_link_name(fixed, link));
    assert_int_equal(sinew_state_link_pose(there, link, &before), SINEW_OK);
    assert_int_equal(sinew_state_link_pose(here, same, &after), SINEW_OK);
    sinew_pose_transform(&moved, before.position, expected);
    sinew_quaternion_multiply(moved.rotation, before.rotation, turned);
    double along = 0.0;
    for (int i = 0; i < 4; ++i) {
      along += turned[i] * after.rotation[i];
    }
    const double size = 1.0 + fabs(expected[0]) + fabs(expected[1]) + fabs(expected[2]);
    for (int i = 0; i < 3; ++i) {
      if (!(fabs(after.position[i] - expected[i]) <= 1e-12 * size)) {
        fail_msg("%s: %s is not moved by the base", name, sinew_model_link_name(fixed, link));
      }
    }
    assert_near(fabs(along), 1.0, 1e-12);
  }
  sinew_state_destroy(there);
  sinew_state_destroy(here);
  sinew_model_destroy(fixed);
  sinew_model_destroy(free);
}

// Humanoids and legged robots of other projects float, whatever their root link is called, with
// mass on it or without, and arms that are fixed to a world.
static void robots_of_other_projects(void **state) {
  (void)state;
  static const struct {
    const char *file, *joint, *base;
  } robots[] = {{"g1_29dof", "floating_base", "pelvis"},
                {"atlas_drake", "floating_base", "pelvis"},
                {"nao", "floating_base", "base_link"},
                {"simple_humanoid", "floating_base", "base_link"},
                {"anymal_b", "floating_base", "base"},
                {"a1", "floating_base_2", "base"},
                {"hyq", "floating_base_2", "base_link"},
                {"spot_arm", "floating_base", "body"},
                {"fetch", "floating_base", "base0"},
                {"ur5", "floating_base", "base_link"},
                {"open_manipulator", "floating_base", "link1"},
                {"schunk_lwa4d", "floating_base", "arm_podest_link"}};
  for (size_t i = 0; i < sizeof robots / sizeof robots[0]; ++i) {
    char path[4400];
    const sinew_read_def def = floating();
    sinew_document *plain = NULL, *document = NULL;
    snprintf(path, sizeof path, "%s/data/urdf/%s.urdf", shared_folder(), robots[i].file);
    assert_int_equal(sinew_document_open(path, NULL, &plain, NULL), SINEW_OK);
    assert_int_equal(sinew_document_open(path, &def, &document, NULL), SINEW_OK);
    expect_base(document, robots[i].joint, "world", robots[i].base);
    check_moved(plain, document, robots[i].file, robots[i].base);
    sinew_document_destroy(plain);
    sinew_document_destroy(document);
  }
}

// A BVH is read as without the request.
static void bvh_files_ignore_the_request(void **state) {
  (void)state;
  const sinew_read_def def = floating();
  sinew_document *plain = NULL, *document = NULL;
  assert_int_equal(sinew_document_open("models/humanoid.bvh", NULL, &plain, NULL), SINEW_OK);
  assert_int_equal(sinew_document_open("models/humanoid.bvh", &def, &document, NULL), SINEW_OK);
  assert_int_equal(document->model.joint_count, plain->model.joint_count);
  assert_int_equal(model_nv(document), model_nv(plain));
  sinew_document_destroy(plain);
  sinew_document_destroy(document);
}

// ------------------------------------------------------------------------- memory

// Each allocation may fail. Enough names for the tables of names to be reallocated.
static void allocation_failures_are_reported(void **state) {
  (void)state;
  static char text[64 * 200];
  int length = snprintf(text, sizeof text, "<robot name='r'><link name='l0'/>");
  for (int i = 1; i < 60; ++i) {
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "<link name='l%d'/><joint name='j%d' type='continuous'>"
                       "<parent link='l%d'/><child link='l%d'/></joint>",
                       i, i, i - 1, i);
  }
  snprintf(text + length, sizeof text - (size_t)length, "</robot>");
  counter all = {.fail_at = -1};
  for (int fail = -1; fail < all.calls; ++fail) {
    counter c = {.fail_at = fail};
    sinew_read_def def = floating();
    sinew_document *document = NULL;
    def.allocator = allocator_of(&c);
    const sinew_result result = sinew_urdf_read(text, strlen(text), &def, &document, NULL);
    assert_int_equal(result, fail < 0 ? SINEW_OK : SINEW_ERROR_MEMORY);
    assert_true((document != NULL) == (fail < 0));
    sinew_document_destroy(document);
    assert_int_equal(c.live, 0);
    all = fail < 0 ? c : all;
  }
  assert_true(all.calls > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(floating_base_comes_first),
      cmocka_unit_test(names_in_use_are_avoided),
      cmocka_unit_test(robots_fixed_to_the_world_float),
      cmocka_unit_test(robots_without_a_base_are_refused),
      cmocka_unit_test(floating_roots_of_the_file_stay),
      cmocka_unit_test(robots_of_other_projects),
      cmocka_unit_test(bvh_files_ignore_the_request),
      cmocka_unit_test(allocation_failures_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
