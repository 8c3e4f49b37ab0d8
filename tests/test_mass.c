// The centre of mass as a task's point, and the support polygon. Rows and residuals are tested with
// those of all kinds in test_task.c.
#include "fixtures.h"

#define MOST_NQ 128

// A tree whose links have masses, some of them none.
static sinew_model *tree_with_masses(uint64_t seed, random_stream *random, double heaviest) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  sinew_model *model;
  options.joints = 16;
  random_tree_make(&tree, seed, &options);
  for (int l = 0; l <= options.joints; ++l) {
    tree.links[l].mass = l % 4 == 3 ? 0.0 : random_between(random, 0.0, heaviest);
    random_vector(random, 0.2, tree.links[l].center_of_mass);
  }
  assert_ok(sinew_model_create(&tree.def, &model, NULL));
  return model;
}

static sinew_task centre_task(sinew_task_kind kind) {
  sinew_task task = task_of(kind, 0);
  task.center_of_mass = true;
  return task;
}

// The error of a position is the distance of the centre from it, whatever frame it is given in.
// req: A11
static void errors_are_those_of_the_centre(void **state) {
  (void)state;
  random_stream random = random_stream_of(31);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    sinew_model *model = tree_with_masses(seed, &random, 9.0);
    double q[MOST_NQ], error = -1.0, angle = -1.0;
    sinew_configuration_random(model, seed, 1, q);
    sinew_task task = centre_task(SINEW_TASK_POSITION);
    task.frame_link = seed % 2 == 0 ? -1 : random_below(&random, 16);
    task.link = task.frame_link == 0 ? 1 : 0; // not read
    sinew_target target = target_at(model, &task, q);
    target.position[1] += 0.25;
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    assert_ok(sinew_solver_task_error(solver, 0, &error, &angle));
    assert_near(error, 0.25, 1e-12);
    assert_true(angle == 0.0);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// A link reaches its place while the centre is where it was at the configuration that gave both.
// req: A8 A11
static void centres_are_solved_in_company(void **state) {
  (void)state;
  random_stream random = random_stream_of(32);
  int converged = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    sinew_model *model = tree_with_masses(100 + seed, &random, 9.0);
    double wanted[MOST_NQ], q[MOST_NQ];
    sinew_configuration_random(model, seed, 2, wanted);
    sinew_configuration_middle(model, q);
    const sinew_task tasks[2] = {centre_task(SINEW_TASK_POSITION),
                                 task_of(SINEW_TASK_POSITION, random_below(&random, 17))};
    const sinew_target targets[2] = {target_at(model, &tasks[0], wanted),
                                     target_at(model, &tasks[1], wanted)};
    sinew_solver *solver = solver_with(NULL, model, tasks, 2);
    sinew_report report;
    assert_ok(sinew_solver_solve(solver, targets, 2, q, &report));
    converged += report.outcome == SINEW_OUTCOME_CONVERGED;
    for (int t = 0; t < 2 && report.outcome == SINEW_OUTCOME_CONVERGED; ++t) {
      double distance, angle;
      measure(model, &tasks[t], &targets[t], q, &distance, &angle);
      assert_at_most(distance, 1.001e-6);
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_int_equal(converged, 40);
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// How far a point is inside an edge's half-space.
static double inside(const sinew_target *edge, const double p[3]) {
  const double d[3] = {p[0] - edge->position[0], p[1] - edge->position[1],
                       p[2] - edge->position[2]};
  return dot(d, edge->direction);
}

// Contacts on a level plane of any direction: none is outside, each edge has two of them on it, and
// the edges close around the middle.
static void polygons_are_convex_hulls(void **state) {
  (void)state;
  enum { MOST = 12 };
  random_stream random = random_stream_of(33);
  for (int round = 0; round < 400; ++round) {
    double contacts[3 * MOST], R[4];
    sinew_task tasks[MOST];
    sinew_target targets[MOST];
    sinew_error error;
    sinew_support_def def = sinew_default_support_def();
    int edges = 0;
    const double size = pow(10.0, random_between(&random, -2.0, 2.0));
    def.count = 3 + random_below(&random, MOST - 2);
    def.contacts = contacts;
    random_unit(&random, 4, R);
    const double z[3] = {0.0, 0.0, 2.0};
    sinew_quaternion_rotate(R, z, def.up);
    for (int k = 0; k < def.count; ++k) { // every third repeats another
      double p[3] = {size * random_between(&random, -1.0, 1.0),
                     size * random_between(&random, -1.0, 1.0), 0.3};
      sinew_quaternion_rotate(R, p, contacts + 3 * k);
      if (k >= 3 && k % 3 == 0) {
        memcpy(contacts + 3 * k, contacts + 3 * (k - 2), 3 * sizeof(double));
      }
    }
    assert_ok(sinew_support_polygon(&def, tasks, targets, &edges, &error));
    assert_true(edges >= 3 && edges <= def.count);
    for (int e = 0; e < edges; ++e) {
      int on = 0;
      assert_near(dot(targets[e].direction, targets[e].direction), 1.0, 1e-12);
      assert_near(dot(targets[e].direction, def.up), 0.0, 1e-12);
      for (int k = 0; k < def.count; ++k) {
        const double depth = inside(&targets[e], contacts + 3 * k);
        assert_true(depth > -1e-5 * size);
        on += fabs(depth) < 1e-9 * size;
      }
      assert_true(on >= 2);
      assert_int_equal(tasks[e].kind, SINEW_TASK_PLANE);
      assert_true(tasks[e].center_of_mass);
    }
  }
}

// Contacts that are nearly the same count as one, whatever their order.
static void copies_of_a_corner_are_one(void **state) {
  (void)state;
  enum { COUNT = 12 };
  for (int turn = 0; turn < COUNT; ++turn) {
    double contacts[3 * COUNT] = {0.0};
    sinew_task tasks[COUNT];
    sinew_target targets[COUNT];
    sinew_error error;
    sinew_support_def def = sinew_default_support_def();
    int edges = 0;
    for (int i = 0; i < COUNT; ++i) { // a square, its corners again 1e-7 away, inner points
      const int k = (i + turn) % COUNT, corner = k % 4;
      const double size = k < 8 ? 1.0 : 0.3, off = k >= 4 && k < 8 ? 1e-7 : 0.0;
      contacts[3 * i] = size * (corner == 1 || corner == 2) + off;
      contacts[3 * i + 1] = size * (corner >= 2) - off;
    }
    def.count = COUNT;
    def.contacts = contacts;
    assert_ok(sinew_support_polygon(&def, tasks, targets, &edges, &error));
    assert_int_equal(edges, 4);
  }
}

// The largest margin is that of the centre of a triangle's inscribed circle, 2 area / perimeter, at
// any size, and of polygons, that of the best of many places.
static void margins_that_leave_nothing_are_refused(void **state) {
  (void)state;
  for (int i = 0; i < 300; ++i) {
    random_stream r = random_stream_of(77 + (uint64_t)i);
    enum { COUNT = 7 };
    double contacts[3 * COUNT], most = 0.0;
    sinew_task tasks[COUNT];
    sinew_target targets[COUNT];
    sinew_error error = {0};
    sinew_support_def def = sinew_default_support_def();
    const double size = pow(10.0, random_between(&r, -3.0, 3.0));
    int edges = 0;
    for (int k = 0; k < COUNT; ++k) {
      contacts[3 * k] = size * random_between(&r, -1.0, 1.0);
      contacts[3 * k + 1] = size * random_between(&r, -1.0, 1.0);
      contacts[3 * k + 2] = 0.0;
    }
    def.contacts = contacts;
    def.count = i % 2 == 0 ? 3 : COUNT;
    assert_ok(sinew_support_polygon(&def, tasks, targets, &edges, &error));
    if (def.count == 3) {
      const double *a = contacts, *b = contacts + 3, *c = contacts + 6;
      const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
      const double sides = hypot(b[0] - a[0], b[1] - a[1]) + hypot(c[0] - b[0], c[1] - b[1]) +
                           hypot(a[0] - c[0], a[1] - c[1]);
      most = fabs(area) / sides;
      def.margin = most * (1.0 + 1e-3) + 1e-5 * size;
      assert_int_equal(sinew_support_polygon(&def, tasks, targets, &edges, &error),
                       SINEW_ERROR_ARGUMENT);
      assert_string_equal(error.name, "margin");
    } else {
      for (int place = 0; place < 400; ++place) {
        const double at[3] = {size * random_between(&r, -1.0, 1.0),
                              size * random_between(&r, -1.0, 1.0), 0.0};
        double depth = INFINITY;
        for (int e = 0; e < edges; ++e) {
          depth = fmin(depth, inside(&targets[e], at));
        }
        most = fmax(most, depth);
      }
    }
    def.margin = most * (1.0 - 1e-3);
    assert_ok(sinew_support_polygon(&def, tasks, targets, &edges, &error));
  }
}

static void other_contacts_are_refused(void **state) {
  (void)state;
  sinew_task tasks[4];
  sinew_target targets[4];
  const double square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  const double line[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
  const double step[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0.2, 0, 1, 0};
  const double bad[12] = {0, 0, 0, 1, NAN, 0, 1, 1, 0, 0, 1, 0};
  const struct {
    const double *contacts;
    int count;
    double up, margin;
    sinew_result code;
    const char *name, *words;
  } cases[] = {
      {square, 4, 1.0, 0.1, SINEW_OK, "", ""},
      {square, 2, 1.0, 0.0, SINEW_ERROR_ARGUMENT, "contacts", "three"},
      {square, 0, 1.0, 0.0, SINEW_ERROR_ARGUMENT, "contacts", "three"},
      {line, 4, 1.0, 0.0, SINEW_ERROR_ARGUMENT, "contacts", "three"},
      {step, 4, 1.0, 0.0, SINEW_ERROR_ARGUMENT, "contacts", "contact 2 is 0.2 m higher"},
      {bad, 4, 1.0, 0.0, SINEW_ERROR_NOT_FINITE, "contacts", "contact 1"},
      {square, 4, 0.0, 0.0, SINEW_ERROR_ARGUMENT, "up", "zero"},
      {square, 4, 1.0, 0.5, SINEW_OK, "", ""},
      {square, 4, 1.0, 0.51, SINEW_ERROR_ARGUMENT, "margin", "0.51 m leaves nothing of the"},
      {square, 4, 1.0, 0.6, SINEW_ERROR_ARGUMENT, "margin", "at most 0.5 m does"},
      {square, 4, 1.0, -0.1, SINEW_ERROR_ARGUMENT, "margin", "-0.1"},
      {NULL, 4, 1.0, 0.0, SINEW_ERROR_ARGUMENT, "", "NULL"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    sinew_error error = {0};
    int edges = 9;
    sinew_support_def def = sinew_default_support_def();
    def.contacts = cases[i].contacts;
    def.count = cases[i].count;
    def.up[2] = cases[i].up;
    def.margin = cases[i].margin;
    assert_int_equal(sinew_support_polygon(&def, tasks, targets, &edges, &error), cases[i].code);
    assert_int_equal(edges, cases[i].code == SINEW_OK ? 4 : 0);
    if (cases[i].code != SINEW_OK) {
      assert_string_equal(error.name, cases[i].name);
      assert_non_null(strstr(error.message, cases[i].words));
    }
  }
}

// The centre of mass comes above a polygon with a margin while a link reaches its target.
// req: A11
static void centres_stay_above_their_polygon(void **state) {
  (void)state;
  random_stream random = random_stream_of(34);
  for (uint64_t seed = 0; seed < 30; ++seed) {
    sinew_model *model = tree_with_masses(200 + seed, &random, 9.0);
    double wanted[MOST_NQ], q[MOST_NQ], contacts[9];
    sinew_task tasks[4];
    sinew_target targets[4];
    int edges = 0;
    sinew_support_def def = sinew_default_support_def();
    sinew_configuration_random(model, seed, 3, wanted);
    sinew_configuration_random(model, seed, 4, q);
    const sinew_task centre = centre_task(SINEW_TASK_POSITION);
    const sinew_target there = target_at(model, &centre, wanted);
    for (int k = 0; k < 3; ++k) { // around the centre at wanted
      contacts[3 * k] = there.position[0] + 0.1 * cos(2.0 * PI * k / 3.0);
      contacts[3 * k + 1] = there.position[1] + 0.1 * sin(2.0 * PI * k / 3.0);
      contacts[3 * k + 2] = -1.0;
    }
    def.contacts = contacts;
    def.count = 3;
    def.margin = 0.02;
    assert_ok(sinew_support_polygon(&def, tasks, targets, &edges, NULL));
    assert_int_equal(edges, 3);
    tasks[3] = task_of(SINEW_TASK_POSITION, random_below(&random, 17));
    targets[3] = target_at(model, &tasks[3], wanted);
    sinew_solver *solver = solver_with(NULL, model, tasks, 4);
    sinew_report report;
    assert_ok(sinew_solver_solve(solver, targets, 4, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    const sinew_target here = target_at(model, &centre, q);
    for (int e = 0; e < 3; ++e) {
      assert_true(inside(&targets[e], here.position) >= def.margin - 1.001e-6);
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// What has no centre of mass, and kinds that read a link, are refused by name.
static void centres_need_mass(void **state) {
  (void)state;
  random_stream random = random_stream_of(35);
  sinew_model *light = tree_with_masses(1, &random, 0.0),
              *heavy = tree_with_masses(1, &random, 9.0);
  for (int kind = 0; kind < sinew_task_kind_count(); ++kind) {
    const bool point = kind == SINEW_TASK_POSITION || kind == SINEW_TASK_PLANE ||
                       kind == SINEW_TASK_LINE || kind == SINEW_TASK_DISTANCE;
    for (int h = 0; h < 2; ++h) {
      sinew_error error = {0};
      sinew_solver *solver = solver_with(NULL, h == 1 ? heavy : light, NULL, 0);
      const sinew_task task = centre_task((sinew_task_kind)kind);
      assert_int_equal(sinew_solver_set_tasks(solver, &task, 1, &error),
                       point && h == 1 ? SINEW_OK : SINEW_ERROR_ARGUMENT);
      assert_true((point && h == 1) || strstr(error.message, "center_of_mass") != NULL);
      assert_true(!point || h == 1 || strstr(error.message, "no mass") != NULL);
      sinew_solver_destroy(solver);
    }
  }
  sinew_model_destroy(light);
  sinew_model_destroy(heavy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_those_of_the_centre),
      cmocka_unit_test(centres_are_solved_in_company),
      cmocka_unit_test(polygons_are_convex_hulls),
      cmocka_unit_test(copies_of_a_corner_are_one),
      cmocka_unit_test(margins_that_leave_nothing_are_refused),
      cmocka_unit_test(other_contacts_are_refused),
      cmocka_unit_test(centres_stay_above_their_polygon),
      cmocka_unit_test(centres_need_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
