// The project's walk, models/walk.bvh, followed by the default tracker: hands and feet as poses,
// one update a frame.
#include "fixtures.h"
#include "sinew/formats.h"

enum { EFFECTORS = 4 };

#define MILLIMETRE 0.1 // in the clip's unit, the centimetre

typedef struct walk {
  sinew_document *document;
  sinew_model *model;
  const sinew_motion *motion;
  sinew_task tasks[EFFECTORS];
} walk;

static void walk_open(walk *w, sinew_task_kind kind) {
  static const char *const names[EFFECTORS] = {"LeftHand", "RightHand", "LeftFoot", "RightFoot"};
  sinew_error error;
  if (sinew_document_open("models/walk.bvh", NULL, &w->document, &error) != SINEW_OK) {
    fail_msg("%s", error.message);
  }
  assert_ok(sinew_model_create(&w->document->model, &w->model, &error));
  w->motion = &w->document->motion;
  assert_int_equal(w->motion->frame_count, 384);
  assert_near(w->motion->frame_time, 1.0 / 120.0, 1e-9);
  for (int i = 0; i < EFFECTORS; ++i) {
    w->tasks[i] = task_of(kind, sinew_model_find_link(w->model, names[i]));
  }
}

static void walk_close(walk *w) {
  sinew_model_destroy(w->model);
  sinew_document_destroy(w->document);
}

typedef struct followed {
  double mean, worst; // distance of a hand or foot after an update [mm]
  double angle;       // the largest [rad]
  double turn;        // largest motion of a joint in a frame [rad]
  double change;      // largest change of a step from the last, over all joints [rad]
} followed;

// Follows from the clip's first frame with the default method.
static followed follow(const walk *w) {
  const int nq = sinew_model_nq(w->model), nv = sinew_model_nv(w->model);
  const double size = sinew_model_size(w->model);
  sinew_solver *solver = solver_with(NULL, w->model, w->tasks, EFFECTORS);
  double q[128], before[128], step[128], last[128] = {0.0};
  followed f = {0};
  int count = 0;
  assert_true(nq <= 128 && nv <= 128);
  memcpy(q, w->motion->q, (size_t)nq * sizeof *q);
  for (int frame = 1; frame < w->motion->frame_count; ++frame) {
    sinew_target targets[EFFECTORS];
    const double *pose = w->motion->q + (size_t)frame * (size_t)nq;
    for (int i = 0; i < EFFECTORS; ++i) {
      targets[i] = target_at(w->model, &w->tasks[i], pose);
    }
    memcpy(before, q, sizeof q);
    assert_ok(sinew_solver_update(solver, targets, EFFECTORS, q, NULL));
    for (int i = 0; i < EFFECTORS; ++i) {
      double distance, angle;
      measure(w->model, &w->tasks[i], &targets[i], q, &distance, &angle);
      f.mean += distance / MILLIMETRE;
      f.worst = fmax(f.worst, distance / MILLIMETRE);
      f.angle = fmax(f.angle, angle);
      ++count;
    }
    double change = 0.0;
    sinew_configuration_difference(w->model, before, q, step);
    for (int v = 0; v < nv; ++v) {
      step[v] /= v < 3 ? size : 1.0; // the hips' position
      f.turn = fmax(f.turn, v < 3 ? 0.0 : fabs(step[v]));
      change += pow(step[v] - last[v], 2.0);
      last[v] = step[v];
    }
    f.change = fmax(f.change, frame > 1 ? sqrt(change) : 0.0);
  }
  f.mean /= count;
  print_message(
      "mean %.4f mm, largest %.3f mm, %.5f rad; joints move by at most %.4f, steps change "
      "by %.4f\n",
      f.mean, f.worst, f.angle, f.turn, f.change);
  sinew_solver_destroy(solver);
  return f;
}

// It arrives: measured are a mean of .0003 mm, at most .004 mm, joint motions of .035 rad in a
// frame, steps that change by .035. The clip's own joints move by at most .044. req: C8 F1 F3 F4
static void hands_and_feet_are_followed_as_poses(void **state) {
  (void)state;
  walk w;
  walk_open(&w, SINEW_TASK_POSE);
  const followed f = follow(&w);
  assert_at_most(f.mean, 0.002);
  assert_at_most(f.worst, 0.1);
  assert_at_most(f.angle, 1e-4);
  assert_at_most(f.turn, 0.044);
  assert_at_most(f.change, 0.044);
  walk_close(&w);
}

// The same for their positions alone: .0002 mm, .005 mm, .041 rad, .051.
// req: C8 F1 F3 F4
static void hands_and_feet_are_followed_as_points(void **state) {
  (void)state;
  walk w;
  walk_open(&w, SINEW_TASK_POSITION);
  const followed f = follow(&w);
  assert_at_most(f.mean, 0.002);
  assert_at_most(f.worst, 0.1);
  assert_at_most(f.turn, 0.051);
  assert_at_most(f.change, 0.06);
  walk_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hands_and_feet_are_followed_as_poses),
      cmocka_unit_test(hands_and_feet_are_followed_as_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
