// The default tracker on motion-capture clips: those of models/, and of the optional data where it
// is present. One update a frame, on a figure 1.75 m tall, at the clip's own and at other rates.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "experiments/clip_follow.h"
#include "experiments/clips.h"
#include "scenes/optional_data.h"

// What a frame rate allows: distances [mm] and the angle [rad] of an effector from its target, in
// the mean over a clip and at most.
typedef struct allowance {
  double rate; // 0: the clip's own
  double mean, most, angle;
} allowance;

// Measured are at most 8.6 mm up to 30 frames a second, 15.0 at 15, where a leg is nearly straight,
// and 4.2 at 60.
static const allowance allowances[] = {{0.0, 0.3, 10.0, 0.01},  {30.0, 0.3, 10.0, 0.01},
                                       {25.0, 0.3, 10.0, 0.01}, {15.0, 0.5, 20.0, 0.01},
                                       {60.0, 0.1, 5.0, 0.01},  {120.0, 0.05, 5.0, 0.01}};

static clip_folder folders[2];
static int folder_count;

static int open_folders(void **state) {
  (void)state;
  char path[2][1024];
  snprintf(path[0], sizeof path[0], "models");
  snprintf(path[1], sizeof path[1], "%s/data/bvh", optional_data_folder());
  FILE *probe = NULL;
  char name[1100];
  for (int i = 0; i < 2; ++i) {
    snprintf(name, sizeof name, "%s/%s", path[i], i == 0 ? "walk.bvh" : "cmu_12_01_walk.bvh");
    probe = fopen(name, "rb");
    if (probe == NULL) {
      print_message("skipped: no folder %s\n", path[i]);
      continue;
    }
    fclose(probe);
    if (!clip_folder_open(&folders[folder_count], path[i])) {
      return 1;
    }
    ++folder_count;
  }
  return 0;
}

static int close_folders(void **state) {
  (void)state;
  for (int i = 0; i < folder_count; ++i) {
    clip_folder_close(&folders[i]);
  }
  return 0;
}

static void at_most(const clip *c, const clip_course *course, const char *what, double value,
                    double most) {
  if (value > most) {
    fail_msg("%s as %s at %g frames a second: %s %g is more than %g", c->name,
             course->kind == SINEW_TASK_POSE ? "poses" : "positions", course->rate, what, value,
             most);
  }
}

static clip_result follow(const clip *c, const clip_course *course) {
  const sinew_solver_def def = sinew_default_solver_def();
  clip_result result;
  assert_true(clip_follow(c, &def, course, &result));
  return result;
}

// In reach the figure is at its targets in every frame, whatever the rate, and its joints turn and
// its effectors accelerate as those of the clip. req: C8 F1 F3 F4
static void clips_are_followed_at_any_rate(void **state) {
  (void)state;
  for (int f = 0; f < folder_count; ++f) {
    for (int i = 0; i < 2 * folders[f].count; ++i) {
      const clip *c = &folders[f].clips[i / 2];
      for (size_t a = 0; a < sizeof allowances / sizeof *allowances; ++a) {
        const allowance *of = &allowances[a];
        const clip_course course = {.rate = of->rate,
                                    .kind = i % 2 ? SINEW_TASK_POSE : SINEW_TASK_POSITION,
                                    .stretch = 1.0,
                                    .updates = 1};
        const clip_result r = follow(c, &course);
        at_most(c, &course, "the mean distance", r.distance, of->mean);
        at_most(c, &course, "the largest distance", r.distance_most, of->most);
        if (course.kind == SINEW_TASK_POSE) {
          at_most(c, &course, "the largest angle", r.angle_most, of->angle);
        }
        at_most(c, &course, "the largest turn", r.turn, r.clip_turn + 0.1);
        at_most(c, &course, "the acceleration of effectors", r.tip_acceleration, 1.05);
      }
    }
  }
}

// Out of reach it neither shakes nor jumps: targets farther from their centroid by 15 %. The
// slowest clip, whose own acceleration is least, has the largest ratio. req: C8 C6
static void stretched_clips_are_followed_smoothly(void **state) {
  (void)state;
  for (int f = 0; f < folder_count; ++f) {
    for (int i = 0; i < 4 * folders[f].count; ++i) {
      const clip_course course = {.rate = i % 4 < 2 ? 0.0 : 25.0,
                                  .kind = i % 2 ? SINEW_TASK_POSE : SINEW_TASK_POSITION,
                                  .stretch = 1.15,
                                  .updates = 1};
      const clip *c = &folders[f].clips[i / 4];
      const clip_result r = follow(c, &course);
      at_most(c, &course, "the largest turn", r.turn, r.clip_turn + 0.6);
      at_most(c, &course, "the acceleration of effectors", r.tip_acceleration, 1.6);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clips_are_followed_at_any_rate),
      cmocka_unit_test(stretched_clips_are_followed_smoothly),
  };
  return cmocka_run_group_tests(tests, open_folders, close_folders);
}
