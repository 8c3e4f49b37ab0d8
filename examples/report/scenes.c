// The scenes of the report, and solving them.
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Solves that are timed together, so that the clock's resolution does not matter.
#define TIMED_SOLVES 200

const report_scene report_scenes[] = {
    {.name = "arm",
     .title = "A 7-joint arm brings its flange to a pose",
     .text = "The flange must be at a point and point straight down: a position and an "
             "orientation, six constraints on seven joints.",
     .file = "arm7.urdf",
     .goals = {{.link = "flange",
                .kind = SINEW_TASK_POSE,
                .position = {0.2, 0.5, 0.3},
                .rotation = {0, 1, 0, 0}}},
     .goal_count = 1},
    {.name = "arm-far",
     .title = "The same arm with a target out of reach",
     .text = "The target is farther away than the arm is long. The arm stretches towards it, and "
             "the report says that no joint values reach it.",
     .file = "arm7.urdf",
     .goals = {{.link = "flange", .kind = SINEW_TASK_POSITION, .position = {0.2, 1.1, 0.8}}},
     .goal_count = 1},
    {.name = "skeleton",
     .title = "A skeleton reaches with hands, feet and head",
     .text = "It steps forward, reaches out with both hands and bends its head. One solve over all "
             "joints meets the five targets at once.",
     .file = "humanoid.bvh",
     .goals = {{.link = "LeftHand", .from_start = true, .position = {-20, 30, 30}},
               {.link = "RightHand", .from_start = true, .position = {45, -50, 40}},
               {.link = "LeftFoot", .from_start = true, .position = {0, 10, 35}},
               {.link = "RightFoot", .from_start = true, .position = {0, 0, -20}},
               {.link = "Head", .from_start = true, .position = {0, -5, 8}}},
     .goal_count = 5},
    {.name = "skeleton-far",
     .title = "One target out of reach",
     .text = "The hips are frozen, and the left hand's target is beyond its "
             "reach. The trunk leans towards it; the feet stay.",
     .file = "humanoid.bvh",
     .root_frozen = true,
     .goals = {{.link = "LeftHand", .from_start = true, .position = {45, 50, 20}},
               {.link = "RightHand", .from_start = true, .position = {45, -45, 35}},
               {.link = "LeftFoot", .from_start = true, .position = {0, 0, 0}},
               {.link = "RightFoot", .from_start = true, .position = {0, 0, 0}}},
     .goal_count = 4},
};

const int report_scene_count = sizeof report_scenes / sizeof report_scenes[0];

void report_fail(const char *what, const char *why) {
  fprintf(stderr, "report: %s: %s\n", what, why);
  exit(2);
}

static void require(sinew_result result, const sinew_error *error) {
  char line[1024];
  if (result == SINEW_OK)
    return;
  sinew_error_format(error, line, sizeof line);
  report_fail("sinew", line);
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory)
    report_fail("memory", "there is none left");
  return memory;
}

static void open_model(report_result *result, const char *folder) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, result->scene->file);
  sinew_error error = {0};
  sinew_document *document = NULL;
  require(sinew_document_open(path, NULL, &document, &error), &error);
  require(sinew_model_create(&document->model, &result->model, &error), &error);

  result->y_up = document->format == SINEW_FORMAT_BVH;
  result->length_unit = result->y_up ? "cm" : "m";
  result->link_count = sinew_model_link_count(result->model);
  sinew_document_destroy(document); // the model has its own copy
}

// The positions of all links: a row for each link.
static double (*place_links(sinew_state *state, const double *q))[3] {
  int count = sinew_model_link_count(sinew_state_model(state));
  double(*places)[3] = allocate((size_t)count, sizeof *places);
  report_expect(sinew_state_forward(state, q));
  for (int i = 0; i < count; ++i)
    report_expect(sinew_state_point(state, i, NULL, places[i]));
  return places;
}

static void set_goals(report_result *result, const sinew_state *state, sinew_task *tasks) {
  for (int i = 0; i < result->scene->goal_count; ++i) {
    const report_goal *goal = &result->scene->goals[i];
    int link = sinew_model_find_link(result->model, goal->link);
    if (link < 0)
      report_fail(goal->link, "the model has no such link");
    sinew_pose start;
    report_expect(sinew_state_link_pose(state, link, &start));

    tasks[i] = sinew_default_task();
    tasks[i].kind = goal->kind;
    tasks[i].link = result->links[i] = link;
    sinew_target *target = &result->targets[i];
    *target = sinew_default_target();
    for (int k = 0; k < 3; ++k)
      target->position[k] = goal->position[k] + (goal->from_start ? start.position[k] : 0);
    if (goal->kind == SINEW_TASK_POSE)
      memcpy(target->rotation, goal->rotation, sizeof target->rotation);
  }
}

// The distances of the effectors from their targets, by the forward kinematics alone.
static void measure(const report_result *result, const sinew_state *state, report_distance *out) {
  for (int i = 0; i < result->scene->goal_count; ++i) {
    sinew_pose pose, error;
    report_expect(sinew_state_link_pose(state, result->links[i], &pose));
    const sinew_target *target = &result->targets[i];
    const double *p = pose.position, *t = target->position;
    out[i].position = hypot(hypot(p[0] - t[0], p[1] - t[1]), p[2] - t[2]);

    // The rotation from one to the other, pose^-1 target.
    sinew_pose wanted = sinew_pose_identity();
    memcpy(wanted.rotation, target->rotation, sizeof wanted.rotation);
    sinew_pose_invert(&pose, &error);
    sinew_pose_multiply(&error, &wanted, &error);
    double w[3];
    sinew_quaternion_log(error.rotation, w);
    out[i].orientation = hypot(hypot(w[0], w[1]), w[2]);
  }
}

static double microseconds_now(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void freeze_root(const report_result *result, sinew_solver *solver) {
  unsigned char *frozen = allocate((size_t)sinew_model_nv(result->model), 1);
  sinew_joint root;
  report_expect(sinew_model_joint(result->model, 0, &root));
  memset(frozen + root.v_index, 1, (size_t)root.nv);
  report_expect(sinew_solver_set_frozen(solver, frozen));
  free(frozen);
}

// Solves from start many times; q is the result, the same each time.
static void solve(report_result *result, const sinew_task *tasks, const double *start, double *q) {
  sinew_error error = {0};
  sinew_solver *solver = NULL;
  sinew_solver_def def = sinew_default_solver_def();
  int goals = result->scene->goal_count;
  require(sinew_solver_create(&def, result->model, &solver, &error), &error);
  require(sinew_solver_set_tasks(solver, tasks, goals, &error), &error);
  if (result->scene->root_frozen)
    freeze_root(result, solver);

  double before = microseconds_now();
  for (int i = 0; i < TIMED_SOLVES; ++i) {
    memcpy(q, start, (size_t)sinew_model_nq(result->model) * sizeof(double));
    if (sinew_solver_solve(solver, result->targets, goals, q, &result->report) != SINEW_OK)
      report_fail(result->scene->name, "the solver refused its targets");
  }
  result->microseconds = (microseconds_now() - before) / TIMED_SOLVES;
  sinew_solver_destroy(solver);
}

report_result report_solve(const report_scene *scene, const char *folder) {
  report_result result = {.scene = scene};
  open_model(&result, folder);

  sinew_error error = {0};
  sinew_state *state = NULL;
  require(sinew_state_create(result.model, NULL, &state, &error), &error);
  size_t nq = (size_t)sinew_model_nq(result.model);
  double *start = allocate(nq, sizeof(double)), *q = allocate(nq, sizeof(double));
  sinew_configuration_middle(result.model, start);
  result.before = place_links(state, start);

  sinew_task tasks[REPORT_MOST_GOALS];
  set_goals(&result, state, tasks);
  measure(&result, state, result.start);
  solve(&result, tasks, start, q);
  result.after = place_links(state, q);
  measure(&result, state, result.end);

  free(start);
  free(q);
  sinew_state_destroy(state);
  return result;
}

void report_release(report_result *result) {
  free(result->before);
  free(result->after);
  sinew_model_destroy(result->model);
}
