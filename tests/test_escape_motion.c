// Leaving local minima with limits of acceleration: the motion to another configuration keeps
// accelerations and speeds, and ends at rest at the target.
#include "fixtures.h"
#include "sample.h"
#include "inspect.h"
#include "sinew/formats.h"

#include <string.h>

#define MOST 16

static const char *const arms[] = {"models/arm6.urdf", "models/arm7.urdf"};

// An arm, and its last link.
static sinew_model *robot(const char *path, int *tip) {
  sinew_document *document = NULL;
  sinew_model *model = NULL;
  assert_ok(sinew_document_open(path, NULL, &document, NULL));
  assert_ok(sinew_model_create(&document->model, &model, NULL));
  sinew_document_destroy(document);
  *tip = sinew_model_link_count(model) - 1;
  return model;
}

// An arm that is to come from one random configuration to the pose of another.
typedef struct trip {
  const sinew_model *model;
  sinew_task task;
  double time_step, acceleration, speed; // of all joints
  double begin[MOST], to[MOST];
  bool posture; // on level 1
} trip;

static trip trip_number(const sinew_model *model, int tip, int number) {
  static const double time_steps[] = {1.0 / 25, 1.0 / 60, 1.0 / 250};
  static const double accelerations[] = {2.0, 8.0, 40.0, 0.5};
  trip t = {.model = model,
            .task = task_of(SINEW_TASK_POSE, tip),
            .time_step = time_steps[number % 3],
            .acceleration = accelerations[number / 3 % 4],
            .speed = number % 2 == 0 ? 1e6 : 1.5};
  sinew_configuration_random(model, 31, 2 * (uint64_t)number, t.begin);
  sinew_configuration_random(model, 31, 2 * (uint64_t)number + 1, t.to);
  return t;
}

static sinew_solver *solver_of(const trip *t, bool escape) {
  double speeds[MOST], accelerations[MOST];
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.escape = escape;
  def.tracking.time_step = t->time_step;
  def.lower.levels = def.lower.objectives = t->posture ? 1 : 0;
  sinew_solver *solver = solver_with(&def, t->model, &t->task, 1);
  if (t->posture) {
    const sinew_objective posture = sinew_default_objective();
    assert_ok(sinew_solver_set_objectives(solver, &posture, 1, NULL));
  }
  for (int v = 0; v < MOST; ++v) {
    speeds[v] = t->speed;
    accelerations[v] = t->acceleration;
  }
  assert_ok(sinew_solver_set_speeds(solver, speeds, 1.0));
  assert_ok(sinew_solver_set_accelerations(solver, accelerations));
  return solver;
}

typedef struct outcome {
  bool met, escaped;
  double arrived; // [s]
  double motion;  // of the last update
} outcome;

// moving: by how much each joint moves to and fro at the pose that is the target [rad].
static outcome travel(const trip *t, bool escape, double moving) {
  const double slow = sqrt(6.0 / t->acceleration), step = t->time_step;
  const int updates = 500 + (int)(4.0 * slow / step);
  sinew_solver *solver = solver_of(t, escape);
  outcome o = {.met = false};
  double q[MOST], to[MOST], before[MOST], last[MOST] = {0.0}, distance, angle;
  memcpy(q, t->begin, sizeof q);
  for (int i = 0; i < 4 * updates; ++i) {
    for (int v = 0; v < sinew_model_nv(t->model); ++v) {
      to[v] = t->to[v] + (i < updates ? moving * sin(step * i + v) : 0.0);
    }
    const sinew_target target = target_at(t->model, &t->task, to);
    memcpy(before, q, sizeof q);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    o.escaped |= solver->escape.length > 0;
    o.motion = 0.0;
    assert_at_most(outside_limits(t->model, q), 0.0);
    for (int v = 0; v < sinew_model_nv(t->model); ++v) {
      const double moved = q[v] - before[v], rounding = 1e-13;
      assert_at_most(fabs(moved - last[v]),
                     t->acceleration * step * step * (1.0 + 1e-9) + rounding);
      assert_at_most(fabs(moved), t->speed * step * (1.0 + 1e-12) + rounding);
      o.motion = fmax(o.motion, fabs(moved));
      last[v] = moved;
    }
    measure(t->model, &t->task, &target, q, &distance, &angle);
    if (distance > 1e-3 || angle > 1e-3) {
      o.arrived = (i + 1) * step;
    }
  }
  o.met = distance < 1e-5 && angle < 1e-5;
  sinew_solver_destroy(solver);
  return o;
}

typedef struct tally {
  int all, stuck, freed, lost, turned;
  double slower;
} tally;

static void compare(const trip *t, double moving, tally *sum) {
  const outcome stays = travel(t, false, moving), escapes = travel(t, true, moving);
  ++sum->all;
  sum->stuck += !stays.met;
  sum->freed += !stays.met && escapes.met;
  sum->lost += stays.met && !escapes.met;
  sum->turned += stays.met && escapes.escaped;
  if (stays.met) {
    sum->slower = fmax(sum->slower, escapes.arrived / fmax(stays.arrived, t->time_step));
  }
  if (escapes.met) {
    assert_at_most(escapes.motion, t->posture ? 1e-4 : 1e-8);
  }
}

static void check(const char *name, const tally *sum) {
  print_message("%s: %d of %d stuck, %d of them freed; %d of the others lost, %d turned, at most "
                "%.2f times the time\n",
                name, sum->stuck, sum->all, sum->freed, sum->lost, sum->turned, sum->slower);
  assert_true(sum->stuck > 0 && 20 * (sum->stuck - sum->freed) <= sum->all);
  assert_int_equal(sum->lost, 0);
  assert_true(sum->turned <= 1 || 20 * sum->turned <= sum->all);
}

// The trips of one arm, with a posture or without.
static void compare_all(const char *name, bool posture) {
  int tip;
  sinew_model *model = robot(name, &tip);
  tally sum = {0};
  for (int number = 0; number < SAMPLE_OF(48); ++number) {
    trip t = trip_number(model, tip, number);
    t.posture = posture;
    t.acceleration = posture && number % 2 == 1 ? 1e6 : t.acceleration;
    compare(&t, !posture && number % 4 == 3 ? 0.2 : 0.0, &sum);
  }
  check(name, &sum);
  sinew_model_destroy(model);
}

// Arms that end in a local minimum without an escape end at their target with it, whether it moves
// on the way or not; those that come there by themselves do as they would without it. Where the
// motion is that of figures without accelerations 6 of 48 are lost, and 30 turn.
// req: F9 E8
static void arms_escape_within_accelerations(void **unused) {
  (void)unused;
  compare_all(arms[0], false);
  compare_all(arms[1], false);
}

// The same with a posture, which does not move the figure off its way to another configuration:
// with and without accelerations. req: F9 E8 E10
static void postures_let_arms_escape(void **unused) {
  (void)unused;
  compare_all(arms[0], true);
  compare_all(arms[1], true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arms_escape_within_accelerations),
      cmocka_unit_test(postures_let_arms_escape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
