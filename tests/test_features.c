// The features that batches and crowds support: the table of docs/global.md, row by row. A row's
// problem has the feature of the row; where a cell says no, creating a batch is refused. Crowds
// take all of them, in lanes or one figure after another, as their cell says.
#include "fixtures.h"
#include "inspect.h"

// A problem of a random tree with the feature of a row.
typedef struct subject {
  random_tree_options options;
  sinew_task tasks[2];
  int count;
  unsigned char frozen[256];
  bool function; // joints have one
  bool mass;     // links have one
  double gains[256];
} subject;

static void only(subject *s, sinew_joint_kind kind) {
  s->options.kinds = 1u << kind;
}

static void prismatic(subject *s) {
  only(s, SINEW_JOINT_PRISMATIC);
}
static void screw(subject *s) {
  only(s, SINEW_JOINT_SCREW);
}
static void spherical(subject *s) {
  only(s, SINEW_JOINT_SPHERICAL);
}
static void coupled(subject *s) {
  s->options.coupled = 1.0;
}
static void frozen(subject *s) {
  s->frozen[0] = 1;
}
static void gains(subject *s) {
  s->gains[0] = 0.5;
}
static void limits(subject *s) {
  s->options.limited = 1.0;
}
static void speeds(subject *s) {
  s->options.velocity = 1.0;
}
static void several(subject *s) {
  s->count = 2;
}
static void part(subject *s) {
  s->tasks[0].kind = SINEW_TASK_ORIENTATION;
}
static void weights(subject *s) {
  s->tasks[0].position_weight = 2.0;
}
static void free_axes(subject *s) {
  s->tasks[0].free_axes = 4;
}
static void direction(subject *s) {
  s->tasks[0].kind = SINEW_TASK_DIRECTION;
}
static void general_rows(subject *s) {
  s->tasks[0].kind = SINEW_TASK_LOOK_AT;
}
static void fixed_link(subject *s) {
  s->tasks[0].link = -1; // the root
}
static void cones(subject *s) {
  s->options.kinds = 1u << SINEW_JOINT_SPHERICAL;
  s->options.cones = 1.0;
}

static void cones_in_part(subject *s) {
  cones(s);
  for (int v = 0; v < 256; v += 3) {
    s->gains[v] = 0.5;
  }
}

static void function(subject *s) {
  s->function = true;
}

static void relative(subject *s) {
  s->options.chain = 0.5;
  s->tasks[0].link = -1;
  s->tasks[0].frame_link = 1;
}

static void center_of_mass(subject *s) {
  s->mass = true;
  s->tasks[0].kind = SINEW_TASK_POSITION;
  s->tasks[0].center_of_mass = true;
}

// In the order of the features.
static void (*const subjects[SINEW_FEATURE_COUNT])(subject *) = {
    prismatic,    screw,   spherical, coupled,  frozen,         gains,        limits,
    speeds,       several, part,      weights,  free_axes,      direction,    fixed_link,
    general_rows, cones,   function,  relative, center_of_mass, cones_in_part};

// The words of the table, in the same order.
static const char *const words_of[SINEW_FEATURE_COUNT] = {"prismatic joints",
                                                          "screw joints",
                                                          "spherical joints",
                                                          "coupled joints",
                                                          "frozen joints",
                                                          "gains",
                                                          "joint limits",
                                                          "speed limits",
                                                          "several tasks",
                                                          "positions or orientations alone",
                                                          "weights",
                                                          "free axes",
                                                          "directions",
                                                          "links that no joint moves",
                                                          "other kinds of tasks",
                                                          "limits of swing and twist",
                                                          "joints with functions of their own",
                                                          "targets relative to a link",
                                                          "the centre of mass",
                                                          ("limits of swing and twist of joints "
                                                           "that move about some axes only")};

// The table's cells in the row of a feature: whether batches support it, and lanes of crowds.
static void read_cells(const char *text, const char *words, bool *batch, bool *lanes) {
  char start[128];
  snprintf(start, sizeof start, "\n| %s | ", words);
  const char *row = strstr(text, start), *scalar = " | yes, by the scalar code |";
  if (row == NULL) {
    fail_msg("docs/global.md has no row \"%s\"", words);
  }
  const char *cell = row + strlen(start), *next = strstr(cell, " | ");
  assert_non_null(next);
  *batch = strncmp(cell, "no |", 4) != 0;
  *lanes = strncmp(next, scalar, strlen(scalar)) != 0;
}

static char *read_page(void) {
  static char text[1 << 16];
  FILE *file = fopen("docs/global.md", "r");
  assert_non_null(file);
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  assert_true(size > 0 && size < sizeof text - 1);
  text[size] = '\0';
  return text;
}

// A wheel of radius 0.1 m that rolls along x.
static void roll(void *context, const double *values, sinew_pose *motion, double *twists) {
  (void)context;
  motion->position[0] = 0.1 * values[0];
  motion->rotation[0] = cos(0.5 * values[0]);
  motion->rotation[2] = sin(0.5 * values[0]);
  twists[0] = 0.1;
  twists[4] = 1.0;
}

// The model of a subject; its tasks get their link, the deepest or the root.
static sinew_model *model_of(subject *s) {
  static random_tree tree;
  sinew_model *model;
  random_tree_make(&tree, 11, &s->options);
  for (int j = 0; s->function && j < s->options.joints; ++j) {
    tree.joints[j].kind = SINEW_JOINT_FUNCTION;
    tree.joints[j].channels[0] = 'r';
    tree.joints[j].function = roll;
  }
  for (int l = 0; s->mass && l <= s->options.joints; ++l) {
    tree.links[l].mass = 1.0;
  }
  assert_ok(sinew_model_create(&tree.def, &model, NULL));
  int deepest = 0, root = 0;
  for (int l = 0; l <= s->options.joints; ++l) {
    deepest = tree.depth[l] > tree.depth[deepest] ? l : deepest;
    root = tree.depth[l] == 0 ? l : root;
  }
  for (int t = 0; t < s->count; ++t) {
    s->tasks[t].link = s->tasks[t].link < 0 ? root : deepest;
  }
  return model;
}

// The features that the compiled problem has.
static unsigned features_of(const subject *s, const sinew_model *model) {
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = solver_with(&def, model, s->tasks, s->count);
  assert_ok(sinew_solver_set_frozen(solver, s->frozen));
  assert_ok(sinew_solver_set_gains(solver, s->gains));
  const unsigned features = sinew_problem_features(&solver->problem);
  sinew_solver_destroy(solver);
  return features;
}

static bool batch_takes(const subject *s, const sinew_model *model, sinew_error *error) {
  sinew_batch_def def = sinew_default_batch_def();
  sinew_batch *batch;
  def.frozen = s->frozen;
  def.gains = s->gains;
  const sinew_result result = sinew_batch_create(&def, model, s->tasks, s->count, &batch, error);
  sinew_batch_destroy(batch);
  assert_true(result == SINEW_OK || result == SINEW_ERROR_ARGUMENT);
  return result == SINEW_OK;
}

// Whether a crowd, which takes the problem, updates its figures in lanes.
static bool crowd_in_lanes(const subject *s, sinew_method method, const sinew_model *model) {
  sinew_crowd_def def = sinew_default_crowd_def();
  sinew_crowd *crowd;
  def.solver.step.method = method;
  def.solver.tracking.time_step = 0.01;
  def.frozen = s->frozen;
  def.gains = s->gains;
  assert_ok(sinew_crowd_create(&def, model, s->tasks, s->count, &crowd, NULL));
  const bool in_lanes = sinew_crowd_in_lanes(crowd);
  sinew_crowd_destroy(crowd);
  return in_lanes;
}

static void batches_and_crowds_match_the_table(void **unused) {
  (void)unused;
  const char *text = read_page();
  for (int i = 0; i < SINEW_FEATURE_COUNT; ++i) {
    const sinew_feature feature = (sinew_feature)(1u << i);
    const char *words = words_of[i];
    subject s = {.options = random_tree_defaults(), .count = 1};
    sinew_error error = {0};
    bool batch, lanes;
    s.options.kinds = 1u << SINEW_JOINT_REVOLUTE;
    s.options.chain = 1.0;
    s.options.coupled = 0.0;
    for (int v = 0; v < 256; ++v) {
      s.gains[v] = 1.0;
    }
    s.tasks[0] = s.tasks[1] = task_of(SINEW_TASK_POSE, 0);
    subjects[i](&s);
    sinew_model *model = model_of(&s);
    assert_true((features_of(&s, model) & (unsigned)feature) != 0);
    read_cells(text, words, &batch, &lanes);
    assert_int_equal(batch_takes(&s, model, &error), batch);
    for (int m = 0; m < 2; ++m) {
      const sinew_method method = m == 0 ? SINEW_METHOD_DEFAULT : SINEW_METHOD_DLS;
      if (crowd_in_lanes(&s, method, model) != lanes) {
        fail_msg("%s: the table says %s", words, lanes ? "yes" : "by the scalar code");
      }
    }
    sinew_model_destroy(model);
  }
}

// A plain chain to a pose has none of them.
static void plain_chains_have_no_feature(void **unused) {
  (void)unused;
  sinew_model *model = fixture_planar(3, 1.0);
  const sinew_task task = task_of(SINEW_TASK_POSE, sinew_model_link_count(model) - 1);
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  assert_int_equal(sinew_problem_features(&solver->problem), 0);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batches_and_crowds_match_the_table),
      cmocka_unit_test(plain_chains_have_no_feature),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
