// Searches for poses and the centre of mass together: targets from random configurations within
// the limits, so that all are reachable. All joints move the centre of mass: no limb is a problem
// of its own. The constants of src/seed/seeds.c were chosen on the targets 0 to 99 of the robots.
#include "fixtures.h"
#include "sample.h"

#include "scenes/scenes.h"
#include "shared_data.h"
#include "sinew/formats.h"

#define MOST_TASKS 6
#define MOST_NQ 64
#define FIRST 1000 // the number of a figure's first target
#define TARGETS 20

// A figure with poses of some links and its centre of mass.
typedef struct figure {
  sinew_model *model;
  sinew_task tasks[MOST_TASKS];
  int count;
} figure;

static void add_pose(figure *f, int link) {
  assert_true(link >= 0 && f->count < MOST_TASKS - 1);
  f->tasks[f->count++] = task_of(SINEW_TASK_POSE, link);
}

static void add_centre(figure *f) {
  f->tasks[f->count] = task_of(SINEW_TASK_POSITION, 0);
  f->tasks[f->count++].center_of_mass = true;
}

// How many of the targets are not met. One that is reported as met is.
static int count_missed(const figure *f, int targets) {
  sinew_solver *solver = solver_with(NULL, f->model, f->tasks, f->count);
  int missed = 0;
  for (int i = 0; i < targets; ++i) {
    double wanted[MOST_NQ], q[MOST_NQ];
    sinew_target target[MOST_TASKS];
    sinew_report report;
    assert_true(sinew_model_nq(f->model) <= MOST_NQ);
    sinew_configuration_random(f->model, 21, (uint64_t)(FIRST + i), wanted);
    sinew_configuration_start(f->model, q);
    for (int t = 0; t < f->count; ++t) {
      target[t] = target_at(f->model, &f->tasks[t], wanted);
    }
    assert_ok(sinew_solver_solve(solver, target, f->count, q, &report));
    const bool met = report.outcome == SINEW_OUTCOME_CONVERGED;
    missed += !met;
    for (int t = 0; met && t < f->count; ++t) {
      double distance, angle;
      measure(f->model, &f->tasks[t], &target[t], q, &distance, &angle);
      assert_at_most(distance, 1.001e-6);
      assert_at_most(f->tasks[t].center_of_mass ? 0.0 : angle, 1.001e-6);
      assert_at_most(outside_limits(f->model, q), 1e-12);
    }
  }
  sinew_solver_destroy(solver);
  return missed;
}

// Two to four limbs of seven joints on a trunk of three, whose end has a pose too. Of 40 targets
// each 2 % are missed, and 55 % by restarts that the task of the centre of mass prevents.
static void limbs_on_a_trunk_are_found(void **state) {
  (void)state;
  int missed = 0, all = 0;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const sinew_scene_star_def def = {2 + (int)seed % 3, 7, 3, 40 + seed};
    sinew_scene *scene = sinew_scene_star(&def);
    random_stream random = random_stream_of(seed);
    sinew_link_def links[64];
    sinew_model_def masses = scene->model;
    assert_true(masses.link_count <= 64);
    for (int l = 0; l < masses.link_count; ++l) {
      links[l] = scene->model.links[l];
      links[l].mass = random_between(&random, 0.5, 5.0);
      random_vector(&random, 0.1, links[l].center_of_mass);
    }
    masses.links = links;
    figure f = {.count = 0};
    assert_ok(sinew_model_create(&masses, &f.model, NULL));
    for (int t = 0; t < scene->task_count; ++t) {
      add_pose(&f, scene->tasks[t].link);
    }
    add_pose(&f, sinew_model_find_link(f.model, "trunk_2"));
    add_centre(&f);
    missed += count_missed(&f, SAMPLE_OF(TARGETS / 2));
    all += SAMPLE_OF(TARGETS / 2);
    sinew_model_destroy(f.model);
    sinew_scene_destroy(scene);
  }
  print_message("%d of %d missed\n", missed, all);
  assert_true(20 * missed <= all);
}

static sinew_model *read_robot(const char *name, bool floating) {
  char path[4096];
  snprintf(path, sizeof path, "%s/data/urdf/%s.urdf", shared_folder(), name);
  sinew_read_def read = sinew_default_read_def();
  sinew_document *document;
  sinew_model *model;
  read.floating_base = floating;
  assert_ok(sinew_document_open(path, &read, &document, NULL));
  assert_ok(sinew_model_create(&document->model, &model, NULL));
  sinew_document_destroy(document);
  return model;
}

// Whole bodies on a floating and on a fixed base: of 40 targets each 0 % are missed, and 15 % by
// restarts that the task of the centre of mass prevents. req: D23
static void whole_bodies_are_found(void **state) {
  static const struct {
    const char *robot;
    bool floating;
    const char *links[MOST_TASKS];
  } cases[] = {
      {"g1_29dof",
       true,
       {"left_rubber_hand", "right_rubber_hand", "left_ankle_roll_link", "right_ankle_roll_link",
        "torso_link"}},
      {"g1_29dof",
       false,
       {"left_rubber_hand", "right_rubber_hand", "left_ankle_roll_link", "right_ankle_roll_link"}},
      {"g1_29dof", false, {"left_rubber_hand", "right_rubber_hand", "torso_link"}},
      {"atlas_drake", true, {"l_hand", "r_hand", "l_foot", "r_foot", "utorso"}},
      {"romeo", true, {"l_gripper", "r_gripper", "l_sole", "r_sole", "torso"}},
      {"simple_humanoid", true, {"l_wrist", "r_wrist", "l_ankle", "r_ankle", "torso"}},
      {"simple_humanoid", false, {"l_wrist", "r_wrist", "torso"}},
      {"nao", true, {"l_sole", "r_sole"}},
      {"h1", true, {"left_ankle_link", "right_ankle_link", "torso_link"}},
  };
  int missed = 0, all = 0;
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    figure f = {.model = read_robot(cases[c].robot, cases[c].floating)};
    for (int t = 0; cases[c].links[t] != NULL; ++t) {
      add_pose(&f, sinew_model_find_link(f.model, cases[c].links[t]));
    }
    add_centre(&f);
    const int targets = SAMPLE_OF(TARGETS), some = count_missed(&f, targets);
    print_message("%s, %d poses: %d of %d missed\n", cases[c].robot, f.count - 1, some, targets);
    missed += some;
    all += targets;
    sinew_model_destroy(f.model);
  }
  assert_true(100 * missed <= all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limbs_on_a_trunk_are_found),
      cmocka_unit_test(whole_bodies_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
