// A solver that follows a clip, and how well it does.
#include "experiments/clip_follow.h"
#include "experiments/text.h"
#include "experiments/clock.h"
#include "experiments/skeleton.h"
#include "scenes/expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Accelerations and times are measured from this frame on: the first frames are transient.
#define FIRST_MEASURED 3

// Updates at the first frame where its targets are moved away from the figure: what is measured is
// how it follows them, not how it comes to them.
#define SETTLE_UPDATES 100

// -------------------------------------------------------------------- follower

static bool create_solver(clip_follower *self, const sinew_solver_def *wanted) {
  sinew_solver_def def = *wanted;
  sinew_error error = {0};
  const int count = self->clip->effector_count;
  def.task_capacity = count;
  for (int i = 0; i < count; ++i) {
    self->tasks[i] = sinew_default_task();
    self->tasks[i].kind = self->course.kind;
    self->tasks[i].link = self->clip->effectors[i];
  }
  if (sinew_solver_create(&def, self->clip->model, &self->solver, &error) != SINEW_OK ||
      sinew_solver_set_tasks(self->solver, self->tasks, count, &error) != SINEW_OK ||
      sinew_solver_set_frozen(self->solver, self->bones.frozen) != SINEW_OK) {
    char line[1024];
    sinew_error_format(&error, line, sizeof line);
    fprintf(stderr, "sinew: %s: ", self->clip->name);
    text_print(stderr, line, 0);
    fputc('\n', stderr);
    return false;
  }
  return true;
}

bool clip_follower_begin(clip_follower *self, const clip *followed, const sinew_solver_def *def,
                         const clip_course *course) {
  const size_t nq = (size_t)sinew_model_nq(followed->model), links = (size_t)followed->link_count;
  const double rate = course->rate > 0.0 ? course->rate : clip_rate(followed);
  *self = (clip_follower){.clip = followed,
                          .course = *course,
                          .rate = rate,
                          .frame = -1,
                          .frame_count = clip_frames_at(followed, rate),
                          .q = calloc(nq, sizeof(double)),
                          .clip_relative = calloc(4 * links, sizeof(sinew_pose))};
  if (self->q == NULL || self->clip_relative == NULL ||
      !bones_find(&followed->document->model, followed->model, &self->bones)) {
    fputs("sinew: out of memory\n", stderr);
    clip_follower_end(self);
    return false;
  }
  self->clip_poses = self->clip_relative + links;
  self->relative = self->clip_poses + links;
  self->poses = self->relative + links;
  if (!create_solver(self, def)) {
    clip_follower_end(self);
    return false;
  }
  memcpy(self->q, followed->document->motion.q + (size_t)followed->first * nq, nq * sizeof(double));
  return true;
}

void clip_follower_end(clip_follower *self) {
  sinew_solver_destroy(self->solver);
  bones_free(&self->bones);
  free(self->q);
  free(self->clip_relative);
  *self = (clip_follower){0};
}

// The poses of the clip's effectors, moved away from their centroid.
static void set_targets(clip_follower *self) {
  const clip *followed = self->clip;
  const int count = followed->effector_count;
  double middle[3] = {0, 0, 0};
  for (int i = 0; i < count; ++i) {
    const sinew_pose *pose = &self->clip_poses[followed->effectors[i]];
    self->targets[i] = sinew_default_target();
    memcpy(self->targets[i].rotation, pose->rotation, sizeof pose->rotation);
    for (int k = 0; k < 3; ++k) {
      middle[k] += pose->position[k] / count;
    }
  }
  for (int i = 0; i < count; ++i) {
    const double *p = self->clip_poses[followed->effectors[i]].position;
    for (int k = 0; k < 3; ++k) {
      self->targets[i].position[k] = middle[k] + self->course.stretch * (p[k] - middle[k]);
    }
  }
}

static void update(clip_follower *self, int updates) {
  const int count = self->clip->effector_count;
  for (int i = 0; i < updates; ++i) {
    sinew_expect_ok(sinew_solver_update(self->solver, self->targets, count, self->q, NULL));
  }
}

bool clip_follower_next(clip_follower *self) {
  if (++self->frame >= self->frame_count) {
    return false;
  }
  clip_sample(self->clip, self->frame / self->rate, self->clip_relative);
  clip_compose(self->clip, self->clip_relative, self->clip_poses);
  set_targets(self);
  // Bones keep the lengths of the clip, as in `sinew track`.
  bones_follow(&self->bones, &self->clip->document->motion,
               self->clip->first * self->clip->frame_time + self->frame / self->rate, self->q);
  if (self->frame == 0 && self->course.stretch != 1.0) {
    update(self, SETTLE_UPDATES);
  }
  if (self->frame == 0) { // the clip does not begin at rest
    sinew_solver_reset(self->solver);
  }
  const double begin = clock_microseconds();
  update(self, self->course.updates);
  self->microseconds = (clock_microseconds() - begin) / self->course.updates;
  skeleton_poses(self->clip->state, self->q, self->poses);
  clip_decompose(self->clip, self->poses, self->relative);
  return true;
}

// ---------------------------------------------------------------- measurements

// The motion of a skeleton over the frames so far.
typedef struct trace {
  const clip *clip;
  int frames;
  sinew_pose *relative;         // of the last frame
  sinew_pose *poses, *previous; // of the last frame and the one before
  double turn;                  // largest rotation of a link in its parent's frame between frames
  double tip_acceleration;      // sum over frames of the mean over the effectors
  double link_acceleration;     // of the mean over links
} trace;

static bool trace_begin(trace *self, const clip *followed) {
  const size_t links = (size_t)followed->link_count;
  *self = (trace){.clip = followed, .relative = calloc(3 * links, sizeof(sinew_pose))};
  if (self->relative == NULL) {
    fputs("sinew: out of memory\n", stderr);
    return false;
  }
  self->poses = self->relative + links;
  self->previous = self->poses + links;
  return true;
}

// |p(t+1) - 2 p(t) + p(t-1)|
static double second_difference(const double after[3], const double at[3], const double before[3]) {
  double mirrored[3];
  for (int k = 0; k < 3; ++k) {
    mirrored[k] = 2.0 * at[k] - before[k];
  }
  return clip_distance(after, mirrored);
}

static double acceleration_of(const trace *self, const sinew_pose *poses, int link) {
  return second_difference(poses[link].position, self->poses[link].position,
                           self->previous[link].position);
}

static void add_accelerations(trace *self, const sinew_pose *poses) {
  const clip *c = self->clip;
  for (int l = 0; l < c->link_count; ++l) {
    self->link_acceleration += acceleration_of(self, poses, l) / c->link_count;
  }
  for (int i = 0; i < c->effector_count; ++i) {
    self->tip_acceleration += acceleration_of(self, poses, c->effectors[i]) / c->effector_count;
  }
}

static void trace_add(trace *self, const sinew_pose *relative, const sinew_pose *poses) {
  const int links = self->clip->link_count;
  const size_t bytes = (size_t)links * sizeof *poses;
  for (int l = 0; self->frames > 0 && l < links; ++l) {
    self->turn = fmax(self->turn, clip_angle(self->relative[l].rotation, relative[l].rotation));
  }
  if (self->frames >= FIRST_MEASURED) {
    add_accelerations(self, poses);
  }
  memcpy(self->relative, relative, bytes);
  memcpy(self->previous, self->poses, bytes);
  memcpy(self->poses, poses, bytes);
  ++self->frames;
}

// Distances and angles of a frame. Sums go into the means of out.
static void add_errors(const clip_follower *run, clip_result *out) {
  for (int i = 0; i < run->clip->effector_count; ++i) {
    const sinew_pose *pose = &run->poses[run->tasks[i].link];
    const sinew_target *target = &run->targets[i];
    const double distance =
        clip_distance(pose->position, target->position) * run->clip->millimetres;
    out->distance += distance;
    out->distance_most = fmax(out->distance_most, distance);
    if (run->course.kind == SINEW_TASK_POSE) {
      const double angle = clip_angle(pose->rotation, target->rotation);
      out->angle += angle;
      out->angle_most = fmax(out->angle_most, angle);
    }
  }
}

static double ratio(double a, double b) {
  return b > 0.0 ? a / b : NAN;
}

// Sums become means.
static void finish(clip_result *out, const clip_follower *run, const trace *own,
                   const trace *clips) {
  const double errors = (double)(run->frame_count - 1) * run->clip->effector_count;
  out->frames = run->frame_count;
  out->distance = ratio(out->distance, errors);
  out->angle = ratio(out->angle, errors);
  if (run->course.kind != SINEW_TASK_POSE) {
    out->angle = out->angle_most = NAN;
  }
  out->turn = own->turn;
  out->clip_turn = clips->turn;
  out->tip_acceleration = ratio(own->tip_acceleration, clips->tip_acceleration);
  out->link_acceleration = ratio(own->link_acceleration, clips->link_acceleration);
  out->microseconds = ratio(out->microseconds, run->frame_count - FIRST_MEASURED);
}

static void follow_all(clip_follower *run, trace *own, trace *clips, clip_result *out) {
  *out = (clip_result){0};
  while (clip_follower_next(run)) {
    trace_add(own, run->relative, run->poses);
    trace_add(clips, run->clip_relative, run->clip_poses);
    if (run->frame > 0) {
      add_errors(run, out);
    }
    if (run->frame >= FIRST_MEASURED) {
      out->microseconds += run->microseconds;
      out->microseconds_most = fmax(out->microseconds_most, run->microseconds);
    }
  }
  finish(out, run, own, clips);
}

bool clip_follow(const clip *followed, const sinew_solver_def *def, const clip_course *course,
                 clip_result *out) {
  clip_follower run;
  trace own = {0}, clips = {0};
  if (!clip_follower_begin(&run, followed, def, course)) {
    return false;
  }
  const bool good = trace_begin(&own, followed) && trace_begin(&clips, followed);
  if (good) {
    follow_all(&run, &own, &clips, out);
  }
  free(own.relative);
  free(clips.relative);
  clip_follower_end(&run);
  return good;
}
