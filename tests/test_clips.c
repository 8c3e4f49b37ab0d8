// Motion-capture clips in the experiment "trackers": their poses between frames, the parts that are
// used, and the option --clips.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli_run.h"
#include "experiments/clip_follow.h"

#define WALK "models/walk.bvh"

static clip open_clip(const char *path) {
  clip c;
  char problem[1024];
  if (!clip_open(&c, path, problem, sizeof problem))
    fail_msg("%s: %s", path, problem);
  return c;
}

static sinew_pose *poses_for(const clip *c) {
  sinew_pose *poses = calloc((size_t)c->link_count, sizeof *poses);
  assert_non_null(poses);
  return poses;
}

// ---- Sampling ----

// At the clip's own rate, composed poses are those of the forward kinematics of its frames.
static void own_rate_gives_own_frames(void **state) {
  (void)state;
  clip c = open_clip(WALK);
  sinew_pose *relative = poses_for(&c), *poses = poses_for(&c);
  assert_int_equal(clip_frames_at(&c, clip_rate(&c)), 384);
  for (int frame = 0; frame < c.frame_count; ++frame) {
    clip_sample(&c, frame / clip_rate(&c), relative);
    clip_compose(&c, relative, poses);
    const double *q = c.document->motion.q + (size_t)frame * (size_t)c.document->motion.nq;
    assert_int_equal(sinew_state_forward(c.state, q), SINEW_OK);
    for (int l = 0; l < c.link_count; ++l) {
      sinew_pose wanted;
      assert_int_equal(sinew_state_link_pose(c.state, l, &wanted), SINEW_OK);
      // The clip is some 200 units of length wide.
      assert_true(clip_distance(poses[l].position, wanted.position) < 1e-11);
      assert_true(clip_angle(poses[l].rotation, wanted.rotation) < 1e-7);
    }
  }
  free(relative);
  free(poses);
  clip_close(&c);
}

// Halfway between two frames each link has moved and rotated by half, from either.
static void between_frames_is_half_of_the_way(void **state) {
  (void)state;
  clip c = open_clip(WALK);
  sinew_pose *half = poses_for(&c);
  double most = 0.0;
  for (int frame = 0; frame + 1 < c.frame_count; ++frame) {
    const sinew_pose *a = c.relative + (size_t)frame * (size_t)c.link_count, *b = a + c.link_count;
    clip_sample(&c, (frame + 0.5) * c.frame_time, half);
    for (int l = 0; l < c.link_count; ++l) {
      const double angle = clip_angle(a[l].rotation, b[l].rotation);
      const double way = clip_distance(a[l].position, b[l].position);
      most = fmax(most, angle);
      assert_near(clip_angle(a[l].rotation, half[l].rotation), 0.5 * angle, 1e-9);
      assert_near(clip_angle(half[l].rotation, b[l].rotation), 0.5 * angle, 1e-9);
      assert_near(clip_distance(a[l].position, half[l].position), 0.5 * way, 1e-9);
      assert_near(clip_distance(half[l].position, b[l].position), 0.5 * way, 1e-9);
    }
  }
  assert_near(most, 0.044, 0.001);
  free(half);
  clip_close(&c);
}

// Other rates have the same duration, and times outside it give its first and last frame.
static void rates_have_the_same_duration(void **state) {
  (void)state;
  clip c = open_clip(WALK);
  const size_t bytes = (size_t)c.link_count * sizeof(sinew_pose);
  sinew_pose *poses = poses_for(&c);
  assert_int_equal(clip_frames_at(&c, 240.0), 767);
  assert_int_equal(clip_frames_at(&c, 60.0), 192);
  assert_int_equal(clip_frames_at(&c, 25.0), 80);
  clip_sample(&c, -1.0, poses);
  assert_memory_equal(poses, c.relative, bytes);
  clip_sample(&c, 1e3, poses);
  assert_memory_equal(poses, c.relative + 383 * c.link_count, bytes);
  free(poses);
  clip_close(&c);
}

// The figure counts as 1.75 m tall whatever its unit.
static void lengths_are_those_of_a_figure_of_one_height(void **state) {
  (void)state;
  clip c = open_clip("models/humanoid.bvh");
  double *q = calloc((size_t)sinew_model_nq(c.model), sizeof *q);
  double largest = 0.0;
  sinew_configuration_start(c.model, q);
  assert_int_equal(sinew_state_forward(c.state, q), SINEW_OK);
  // The largest distance of two links along an axis: between the hands, at rest.
  for (int a = 1; a < c.link_count; ++a) {
    for (int b = 1; b < a; ++b) {
      double p[3], other[3];
      assert_int_equal(sinew_state_point(c.state, a, NULL, p), SINEW_OK);
      assert_int_equal(sinew_state_point(c.state, b, NULL, other), SINEW_OK);
      for (int k = 0; k < 3; ++k)
        largest = fmax(largest, fabs(p[k] - other[k]));
    }
  }
  assert_true(largest > 100.0); // centimetres
  assert_near(c.millimetres * largest, 1750.0, 1e-9);
  assert_int_equal(c.effector_count, 5);
  free(q);
  clip_close(&c);
}

// ---- Parts in use ----

// A clip of a hand at the end of an arm 1 long, by its angles [degrees] about z.
static const char *arm_clip(const char *name, const double *angles, int count) {
  char text[4096];
  int length = snprintf(text, sizeof text,
                        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 1 Zrotation\n"
                        "JOINT mixamorig:LEFTHAND\n{\nOFFSET 1 0 0\nCHANNELS 1 Zrotation\n"
                        "End Site\n{\nOFFSET 0.5 0 0\n}\n}\n}\n"
                        "MOTION\nFrames: %d\nFrame Time: 0.01\n",
                        count);
  for (int i = 0; i < count; ++i)
    length += snprintf(text + length, sizeof text - (size_t)length, "%g 0\n", angles[i]);
  return write_all(name, text);
}

// The longest part without a jump is used; the hand jumps where it rotates by 60 degrees in 10 ms.
static void jumps_divide_a_clip(void **state) {
  (void)state;
  double angles[40];
  for (int i = 0; i < 40; ++i)
    angles[i] = i + (i >= 12 ? 60 : 0) + (i >= 30 ? 60 : 0);
  clip c = open_clip(arm_clip("jumps.bvh", angles, 40));
  assert_int_equal(c.first, 12);
  assert_int_equal(c.frame_count, 18);
  assert_int_equal(c.effector_count, 1);
  assert_string_equal(sinew_model_link_name(c.model, c.effectors[0]), "mixamorig:LEFTHAND");
  assert_non_null(strstr(c.name, "jumps"));
  assert_null(strstr(c.name, ".bvh"));
  clip_close(&c);
}

static void expect_problem(const char *path, const char *part) {
  clip c;
  char problem[1024] = "";
  assert_false(clip_open(&c, path, problem, sizeof problem));
  if (strstr(problem, part) == NULL)
    fail_msg("'%s' does not contain '%s'", problem, part);
  clip_close(&c);
}

static void clips_that_cannot_be_used_have_a_reason(void **state) {
  (void)state;
  double angles[20] = {0};
  expect_problem(arm_clip("still.bvh", angles, 20), "nothing moves");
  for (int i = 0; i < 20; ++i)
    angles[i] = 70 * (i % 2);
  expect_problem(arm_clip("jumping.bvh", angles, 20), "without a jump at most 1");
  expect_problem(arm_clip("short.bvh", angles, 9), "frames: 9");
  expect_problem("models/none.bvh", "does not exist");
  expect_problem("models/arm7.urdf", "no link named");
}

// ---- Following ----

static clip_result follow(const clip *c, double rate, double stretch) {
  const sinew_solver_def def = sinew_default_solver_def();
  const clip_course course = {
      .rate = rate, .kind = SINEW_TASK_POSITION, .stretch = stretch, .updates = 1};
  clip_result found;
  assert_true(clip_follow(c, &def, &course, &found));
  return found;
}

// Targets in reach are followed within a few centimetres; moved away by 15 % they are out of reach.
// The clip's own largest rotation in a frame grows with the duration of a frame.
static void results_are_those_of_the_run(void **state) {
  (void)state;
  clip c = open_clip(WALK);
  const clip_result own = follow(&c, 0.0, 1.0), slow = follow(&c, 30.0, 1.0),
                    far = follow(&c, 0.0, 1.15);
  assert_int_equal(own.frames, 384);
  assert_int_equal(slow.frames, 96);
  assert_near(own.clip_turn, 0.044, 0.001);
  assert_true(slow.clip_turn > 3.0 * own.clip_turn && slow.clip_turn <= 4.0 * own.clip_turn);
  assert_true(own.distance > 0.0 && own.distance < 20.0 && own.distance_most < 100.0);
  assert_true(far.distance > 20.0);
  assert_true(isnan(own.angle) && isnan(own.angle_most));
  assert_true(own.link_acceleration > 0.5 && own.link_acceleration < 2.0);
  clip_close(&c);
}

// ---- The option ----

static void wrong_folders_are_refused(void **state) {
  (void)state;
  expect_refusal(RUN(W("experiment"), W("trackers"), W("--clips")), "--clips needs a value", "DIR");
  expect_refusal(RUN(W("experiment"), W("trackers"), W("--clips"), W("")), "--clips", "empty");
  expect_refusal(RUN(W("experiment"), W("buss"), W("--clips"), W("models")),
                 "--clips is for 'trackers'", "'buss'");
  expect_refusal(RUN(W("track"), W("m"), W("--clips"), W("models")), "there is no option",
                 "--clips");
  expect_refusal(RUN(W("experiment"), W("trackers"), W("--clips"), W("models/none")), "models/none",
                 "No such file or directory");
  expect_refusal(RUN(W("experiment"), W("trackers"), W("--clips"), W("models/walk.bvh")),
                 "models/walk.bvh", "Not a directory");
  expect_refusal(RUN(W("experiment"), W("trackers"), W("--clips"), W("docs")), "docs",
                 "no *.bvh in this folder");
}

static void folder_without_a_usable_clip_is_refused(void **state) {
  (void)state;
  const char *folder = scratch("unusable");
  char path[1024];
  assert_true(mkdir(folder, 0777) == 0 || access(folder, F_OK) == 0);
  snprintf(path, sizeof path, "%s", folder);
  const char *file = write_all("unusable/broken.bvh", "HIERARCHY\nROOT Hips\n{\n");
  assert_non_null(file);
  expect_refusal(RUN(W("experiment"), W("trackers"), W("--clips"), path),
                 "no clip in this folder can be used", "broken.bvh: skipped: ");
}

// A figure whose joints all have six channels: hips, two upper arms and two hands, whose distances
// and angles change from frame to frame.
static const char *six_channels(void) {
  enum { JOINTS = 5, FRAMES = 12 };
  char text[16384];
  size_t used = (size_t)snprintf(text, sizeof text, "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n");
  const char *six = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n";
  used += (size_t)snprintf(text + used, sizeof text - used, "%s", six);
  for (int side = 0; side < 2; ++side) {
    const char *name = side == 0 ? "Left" : "Right";
    const int x = side == 0 ? 40 : -40;
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "JOINT %sArm\n{\nOFFSET %d 60 0\n%sJOINT %sHand\n{\nOFFSET %d 0 0\n"
                             "%sEnd Site\n{\nOFFSET 0 0 5\n}\n}\n}\n",
                             name, x / 2, six, name, x, six);
  }
  used += (size_t)snprintf(text + used, sizeof text - used,
                           "}\nMOTION\nFrames: %d\nFrame Time: 0.05\n", (int)FRAMES);
  static const int rest[JOINTS][3] = {
      {0, 90, 0}, {20, 60, 0}, {40, 0, 0}, {-20, 60, 0}, {-40, 0, 0}};
  for (int f = 0; f < FRAMES; ++f)
    for (int j = 0; j < JOINTS; ++j)
      used += (size_t)snprintf(text + used, sizeof text - used, "%g %g %g %d %d %d%c",
                               rest[j][0] + 0.3 * sin(f + j), rest[j][1] + 0.2 * f,
                               rest[j][2] - 0.1 * f * j, 2 * f, -f * j, f + j,
                               j + 1 < JOINTS ? ' ' : '\n');
  return write_all("six_channels.bvh", text);
}

// Out of reach, and between the frames of the clip, bones keep the clip's lengths; the angles and
// the place of the root do not.
static void bones_keep_their_lengths(void **state) {
  (void)state;
  static const double rates[] = {0.0, 37.0};
  clip c = open_clip(six_channels());
  assert_int_equal(c.effector_count, 2);
  const sinew_motion *motion = &c.document->motion;
  const sinew_solver_def def = sinew_default_solver_def();
  for (int r = 0; r < 2; ++r) {
    const clip_course course = {
        .rate = rates[r], .kind = SINEW_TASK_POSITION, .stretch = 1.3, .updates = 3};
    clip_follower run;
    double angles = 0.0;
    assert_true(clip_follower_begin(&run, &c, &def, &course));
    while (clip_follower_next(&run)) {
      const double place = fmin(run.frame / run.rate / c.frame_time, motion->frame_count - 1);
      const int before = (int)(place + 1e-9), after = before + (before + 1 < motion->frame_count);
      for (int j = 1; j < c.document->model.joint_count; ++j) {
        sinew_joint joint;
        assert_int_equal(sinew_model_joint(c.model, j, &joint), SINEW_OK);
        for (int k = 0; k < joint.nv; ++k) {
          const int i = joint.q_index + k;
          const double from = motion->q[before * motion->nq + i];
          const double to = motion->q[after * motion->nq + i];
          const double apart = fabs(run.q[i] - (from + (place - before) * (to - from)));
          const bool is_length = strchr("xyz", c.document->model.joints[j].channels[k]) != NULL;
          if (is_length && apart > 1e-9)
            fail_msg("joint %s, frame %d: a length is %g off", joint.name, run.frame, apart);
          angles = is_length ? angles : fmax(angles, apart);
        }
      }
    }
    assert_true(angles > 0.05); // rad: the targets are out of reach
    clip_follower_end(&run);
  }
  clip_close(&c);
}

// The project's two clips, in tables and in a CSV.
static void clips_are_followed(void **state) {
  (void)state;
  char folder[1024], csv[1100];
  snprintf(folder, sizeof folder, "%s", scratch("clips"));
  snprintf(csv, sizeof csv, "%s/clips.csv", folder);
  result got = RUN(W("experiment"), W("trackers"), W("--brief"), W("--clips"), W("models"),
                   W("--out"), folder);
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "1 to 384 of 384"));
  assert_non_null(strstr(got.out, "Poses at each clip's own rate"));
  assert_non_null(strstr(got.out, "Positions at 25 frames a second, targets moved away"));
  assert_non_null(strstr(got.out, "all clips, Newton"));
  assert_non_null(strstr(got.out, "Updates a second, time_step not set"));
  release(&got);

  // 3 methods, 2 clips, 2 kinds of task, 2 rates, in reach and out of it.
  char *text = read_all(csv);
  assert_int_equal(line_count(text), 1 + 3 * 2 * 2 * 2 * 2);
  assert_non_null(strstr(text, "\n\"walk\",default,pose,120,yes,1,384,"));
  free(text);

  // In reach and out of it, 3 numbers of updates a second, with time_step and without.
  snprintf(csv, sizeof csv, "%s/rates.csv", folder);
  text = read_all(csv);
  assert_int_equal(line_count(text), 1 + 2 * 2 * 3 * 2);
  assert_non_null(strstr(text, "\n\"walk\",no,1.15,120,"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_rate_gives_own_frames),
      cmocka_unit_test(between_frames_is_half_of_the_way),
      cmocka_unit_test(rates_have_the_same_duration),
      cmocka_unit_test(lengths_are_those_of_a_figure_of_one_height),
      cmocka_unit_test(jumps_divide_a_clip),
      cmocka_unit_test(clips_that_cannot_be_used_have_a_reason),
      cmocka_unit_test(results_are_those_of_the_run),
      cmocka_unit_test(wrong_folders_are_refused),
      cmocka_unit_test(folder_without_a_usable_clip_is_refused),
      cmocka_unit_test(bones_keep_their_lengths),
      cmocka_unit_test(clips_are_followed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
