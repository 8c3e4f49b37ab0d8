// A clip on another skeleton: models/walk.bvh, a figure of some 50 joints in centimetres, drives
// the humanoid of the tests, which has other joints and lengths. Feet stand where they touch the
// ground, and both hands may hold one box.
#include "fixtures.h"
#include "sinew/formats.h"

enum { LEFT, RIGHT, FEET };
enum { STANDING_SPEED_SHARE = 15 }; // a foot stands below this percentage of its largest speed

typedef struct clip {
  sinew_document *document;
  sinew_model *model;
  sinew_state *state;
  double scale; // from the clip's length to metres of the other figure
} clip;

static void clip_open(clip *c) {
  static const char *const leg[3] = {"LeftUpLeg", "LeftLeg", "LeftFoot"};
  sinew_error error;
  if (sinew_document_open("models/walk.bvh", NULL, &c->document, &error) != SINEW_OK) {
    fail_msg("%s", error.message);
  }
  assert_ok(sinew_model_create(&c->document->model, &c->model, &error));
  assert_ok(sinew_state_create(c->model, NULL, &c->state, NULL));
  double p[3][3], length = 0.0, q[256];
  sinew_configuration_start(c->model, q);
  assert_ok(sinew_state_forward(c->state, q));
  for (int i = 0; i < 3; ++i) {
    assert_ok(sinew_state_point(c->state, sinew_model_find_link(c->model, leg[i]), NULL, p[i]));
    length += i == 0 ? 0.0
                     : sqrt(pow(p[i][0] - p[i - 1][0], 2.0) + pow(p[i][1] - p[i - 1][1], 2.0) +
                            pow(p[i][2] - p[i - 1][2], 2.0));
  }
  c->scale = 0.84 / length; // thigh and shin of the humanoid
}

static void clip_close(clip *c) {
  sinew_state_destroy(c->state);
  sinew_model_destroy(c->model);
  sinew_document_destroy(c->document);
}

// A link's place in a frame, in the axes and lengths of the other figure: z up, x ahead.
static void place_of(const clip *c, int frame, const char *link, double p[3]) {
  double from[3];
  assert_ok(sinew_state_forward(c->state,
                                c->document->motion.q + (size_t)frame * c->document->motion.nq));
  assert_ok(sinew_state_point(c->state, sinew_model_find_link(c->model, link), NULL, from));
  p[0] = c->scale * from[2];
  p[1] = c->scale * from[0];
  p[2] = c->scale * from[1];
}

#define MOST_FRAMES 400

// Where feet should be, and when they stand.
typedef struct steps {
  double place[MOST_FRAMES][FEET][3];
  bool stands[MOST_FRAMES][FEET];
} steps;

static void find_steps(const clip *c, steps *s) {
  static const char *const names[FEET] = {"LeftFoot", "RightFoot"};
  const int count = c->document->motion.frame_count;
  for (int foot = 0; foot < FEET; ++foot) {
    double speeds[MOST_FRAMES] = {0.0}, fastest = 0.0;
    for (int f = 0; f < count; ++f) {
      place_of(c, f, names[foot], s->place[f][foot]);
      const double *a = s->place[f > 0 ? f - 1 : 0][foot], *b = s->place[f][foot];
      speeds[f] = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
      fastest = fmax(fastest, speeds[f]);
    }
    for (int f = 0; f < count; ++f) {
      s->stands[f][foot] = speeds[f] < 0.01 * STANDING_SPEED_SHARE * fastest;
      if (f > 0 && s->stands[f][foot] && s->stands[f - 1][foot]) { // one place while it stands
        memcpy(s->place[f][foot], s->place[f - 1][foot], 3 * sizeof(double));
      }
    }
  }
}

typedef struct retargeted {
  double sliding; // of a standing foot, at most [m]
  double grasp;   // of the hands on the box, at most [m]
  double hands;   // mean distance of the hands from the clip's [m]
  int standing;   // frames of standing feet
  double outside; // of limits
} retargeted;

// Follows the clip with one update a frame; the hands' targets are moved ahead by some distance
// [m].
static retargeted follow(const clip *c, const steps *s, bool grasps, double ahead) {
  int links[HUMANOID_PLACES];
  sinew_model *person = fixture_humanoid(true, links);
  enum { TASKS = 5 };
  const int tips[TASKS] = {HUMANOID_LEFT_FOOT, HUMANOID_RIGHT_FOOT, HUMANOID_HIPS,
                           HUMANOID_LEFT_HAND, HUMANOID_RIGHT_HAND};
  static const char *const names[TASKS] = {"LeftFoot", "RightFoot", "Hips", "LeftHand",
                                           "RightHand"};
  sinew_task tasks[TASKS];
  sinew_target targets[TASKS];
  for (int t = 0; t < TASKS; ++t) {
    tasks[t] = task_of(SINEW_TASK_POSITION, links[tips[t]]);
    tasks[t].level = t < 2 ? 0 : 1;
    targets[t] = sinew_default_target();
  }
  if (grasps) { // the right hand stays where the box has its other side
    tasks[4] = task_of(SINEW_TASK_POSE, links[HUMANOID_RIGHT_HAND]);
    tasks[4].frame_link = links[HUMANOID_LEFT_HAND];
    targets[4].position[1] = -0.3;
  }
  sinew_solver_def def = sinew_default_solver_def();
  def.lower.levels = 1;
  sinew_solver *solver = solver_with(&def, person, tasks, TASKS);
  retargeted got = {0};
  double q[128], last[FEET][3], anchor[FEET][3];
  sinew_configuration_middle(person, q);
  int counted = 0;
  for (int f = 0; f < c->document->motion.frame_count; ++f) {
    for (int t = 0; t < (grasps ? 4 : TASKS); ++t) {
      place_of(c, f, names[t], targets[t].position);
      targets[t].position[0] += t >= 3 ? ahead : 0.0;
    }
    for (int foot = 0; foot < FEET; ++foot) {
      memcpy(targets[foot].position, s->place[f][foot], sizeof last[foot]);
    }
    assert_ok(f == 0 ? sinew_solver_solve(solver, targets, TASKS, q, NULL)
                     : sinew_solver_update(solver, targets, TASKS, q, NULL));
    double distance, angle;
    for (int foot = 0; foot < FEET; ++foot) {
      const sinew_target at = target_at(person, &tasks[foot], q);
      memcpy(last[foot], at.position, sizeof last[foot]);
      // from the third frame on the ground
      const bool settled =
          f > 2 && s->stands[f][foot] && s->stands[f - 1][foot] && s->stands[f - 2][foot];
      if (settled && !s->stands[f - 3][foot]) {
        memcpy(anchor[foot], at.position, sizeof anchor[foot]);
      } else if (settled && f > 3) {
        got.sliding =
            fmax(got.sliding,
                 hypot(hypot(last[foot][0] - anchor[foot][0], last[foot][1] - anchor[foot][1]),
                       last[foot][2] - anchor[foot][2]));
        ++got.standing;
      } else if (settled) {
        memcpy(anchor[foot], at.position, sizeof anchor[foot]);
      }
    }
    for (int hand = 3; hand < (grasps ? 4 : 5); ++hand) {
      measure(person, &tasks[hand], &targets[hand], q, &distance, &angle);
      got.hands += distance;
      ++counted;
    }
    if (grasps && f > 0) {
      measure(person, &tasks[4], &targets[4], q, &distance, &angle);
      got.grasp = fmax(got.grasp, distance);
    }
    got.outside = fmax(got.outside, outside_limits(person, q));
  }
  got.hands /= counted;
  sinew_solver_destroy(solver);
  sinew_model_destroy(person);
  return got;
}

// Feet that stand slide by less than a millimetre, hands follow as far as the other arms reach, and
// no joint leaves its limits. req: E9
static void a_clip_drives_another_skeleton(void **state) {
  (void)state;
  clip c;
  static steps s;
  clip_open(&c);
  assert_true(c.document->motion.frame_count <= MOST_FRAMES);
  find_steps(&c, &s);
  const retargeted got = follow(&c, &s, false, 0.0);
  print_message("sliding %.3f mm in %d frames, hands %.1f mm\n", 1e3 * got.sliding, got.standing,
                1e3 * got.hands);
  assert_true(got.standing > 100);
  assert_at_most(got.sliding, 1e-3);
  assert_at_most(got.hands, 0.05);
  assert_true(got.outside <= 0.0);
  clip_close(&c);
}

// The same with both hands on one box, as a third constraint at the level of the feet. req: E9
static void both_hands_hold_a_box(void **state) {
  (void)state;
  clip c;
  static steps s;
  clip_open(&c);
  find_steps(&c, &s);
  const retargeted got = follow(&c, &s, true, 0.0);
  print_message("sliding %.3f mm, box %.3f mm, hand %.1f mm\n", 1e3 * got.sliding, 1e3 * got.grasp,
                1e3 * got.hands);
  assert_at_most(got.sliding, 1e-3);
  assert_at_most(got.grasp, 1e-3);
  assert_true(got.outside <= 0.0);
  clip_close(&c);
}

// Nor do they slide where the hands' targets are out of reach. req: E9 E4
static void feet_stand_where_hands_cannot_follow(void **state) {
  (void)state;
  clip c;
  static steps s;
  clip_open(&c);
  find_steps(&c, &s);
  for (int grasps = 0; grasps < 2; ++grasps) {
    const retargeted got = follow(&c, &s, grasps == 1, 1.5);
    print_message("sliding %.3f mm, box %.3f mm, hands %.0f mm\n", 1e3 * got.sliding,
                  1e3 * got.grasp, 1e3 * got.hands);
    assert_true(got.hands > 0.02);
    assert_at_most(got.sliding, 1e-3);
    assert_at_most(got.grasp, 1e-3);
    assert_true(got.outside <= 0.0);
  }
  clip_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_clip_drives_another_skeleton),
      cmocka_unit_test(both_hands_hold_a_box),
      cmocka_unit_test(feet_stand_where_hands_cannot_follow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
