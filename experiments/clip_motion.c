// A motion-capture clip: its skeleton, the frames that are used, and its poses at any time.
#include "experiments/clip_motion.h"
#include "experiments/text.h"
#include "experiments/skeleton.h"
#include "scenes/expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// The figure counts as this tall [mm].
#define HEIGHT 1750.0

// A target that moves faster between two frames jumps: no body does [m/s, rad/s].
#define FASTEST 20.0
#define FASTEST_ROTATION 60.0

// Times closer to a frame than this share of a frame are that frame, in spite of rounding.
#define SAME_FRAME 1e-6

// ------------------------------------------------------------------- rotations

// w = log(from^-1 to)
static void rotation_between(const double from[4], const double to[4], double w[3]) {
  const double inverse[4] = {from[0], -from[1], -from[2], -from[3]};
  double rotation[4];
  sinew_quaternion_multiply(inverse, to, rotation);
  sinew_quaternion_log(rotation, w);
}

double clip_angle(const double from[4], const double to[4]) {
  static const double origin[3] = {0, 0, 0};
  double w[3];
  rotation_between(from, to, w);
  return clip_distance(w, origin);
}

double clip_distance(const double a[3], const double b[3]) {
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) {
    sum += (a[k] - b[k]) * (a[k] - b[k]);
  }
  return sqrt(sum);
}

// out = a at u = 0, b at u = 1
static void interpolate(const sinew_pose *a, const sinew_pose *b, double u, sinew_pose *out) {
  double w[3], rotation[4];
  rotation_between(a->rotation, b->rotation, w);
  for (int k = 0; k < 3; ++k) {
    out->position[k] = a->position[k] + u * (b->position[k] - a->position[k]);
    w[k] *= u;
  }
  sinew_quaternion_exp(w, rotation);
  sinew_quaternion_multiply(a->rotation, rotation, out->rotation);
}

// -------------------------------------------------------------------- skeleton

// The link of that name after the last colon, in any case; -1: none.
static int find_link(const sinew_model *model, const char *wanted) {
  for (int l = 0; l < sinew_model_link_count(model); ++l) {
    const char *name = sinew_model_link_name(model, l), *colon = strrchr(name, ':');
    if (strcasecmp(colon != NULL ? colon + 1 : name, wanted) == 0) {
      return l;
    }
  }
  return -1;
}

static void find_effectors(clip *self) {
  static const char *const names[CLIP_MOST_EFFECTORS][2] = {
      [CLIP_LEFT_HAND] = {"LeftHand", "LeftWrist"},
      [CLIP_RIGHT_HAND] = {"RightHand", "RightWrist"},
      [CLIP_LEFT_FOOT] = {"LeftFoot", "LeftAnkle"},
      [CLIP_RIGHT_FOOT] = {"RightFoot", "RightAnkle"},
      [CLIP_HEAD] = {"Head", "Head"}};
  for (int i = 0; i < CLIP_MOST_EFFECTORS; ++i) {
    int link = find_link(self->model, names[i][0]);
    if (link < 0) {
      link = find_link(self->model, names[i][1]);
    }
    if (link >= 0) {
      self->effectors[self->effector_count++] = link;
    }
  }
}

static void find_parents(clip *self) {
  for (int l = 0; l < self->link_count; ++l) {
    const int index = sinew_model_link_joint(self->model, l);
    self->parents[l] = -1;
    if (index >= 0) {
      sinew_joint joint;
      sinew_expect_ok(sinew_model_joint(self->model, index, &joint));
      self->parents[l] = joint.parent;
    }
  }
}

// The largest extent of the links' origins along an axis, in the rest configuration q (scratch).
static double extent_at_rest(const clip *self, double *q) {
  double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
  sinew_configuration_start(self->model, q);
  sinew_expect_ok(sinew_state_forward(self->state, q));
  for (int l = 0; l < self->link_count; ++l) {
    double p[3];
    sinew_expect_ok(sinew_state_point(self->state, l, NULL, p));
    // The root link is the origin of the recording, not of the figure.
    for (int k = 0; k < 3 && self->parents[l] >= 0; ++k) {
      lower[k] = fmin(lower[k], p[k]);
      upper[k] = fmax(upper[k], p[k]);
    }
  }
  return fmax(fmax(upper[0] - lower[0], upper[1] - lower[1]), upper[2] - lower[2]);
}

static bool measure_skeleton(clip *self, char *problem, size_t size) {
  double *q = calloc((size_t)sinew_model_nq(self->model), sizeof *q);
  self->link_count = sinew_model_link_count(self->model);
  self->parents = calloc((size_t)self->link_count, sizeof *self->parents);
  if (q == NULL || self->parents == NULL) {
    free(q);
    snprintf(problem, size, "out of memory");
    return false;
  }
  find_parents(self);
  find_effectors(self);
  const double extent = extent_at_rest(self, q);
  free(q);
  if (self->effector_count == 0) {
    snprintf(problem, size, "it has no link named as a hand, a foot or a head");
    return false;
  }
  if (!(extent > 0.0)) {
    snprintf(problem, size, "all its links are at one point");
    return false;
  }
  self->millimetres = HEIGHT / extent;
  return true;
}

// --------------------------------------------------------------- frames in use

static const double *frame_at(const clip *self, int frame) {
  const sinew_motion *motion = &self->document->motion;
  return motion->q + (size_t)frame * (size_t)motion->nq;
}

static void effector_poses(const clip *self, int frame, sinew_pose *poses) {
  sinew_expect_ok(sinew_state_forward(self->state, frame_at(self, frame)));
  for (int i = 0; i < self->effector_count; ++i) {
    sinew_expect_ok(sinew_state_link_pose(self->state, self->effectors[i], &poses[i]));
  }
}

// Whether a target jumps between a frame and the next.
static bool is_jump(const clip *self, int frame) {
  sinew_pose from[CLIP_MOST_EFFECTORS], to[CLIP_MOST_EFFECTORS];
  effector_poses(self, frame, from);
  effector_poses(self, frame + 1, to);
  for (int i = 0; i < self->effector_count; ++i) {
    const double way = clip_distance(from[i].position, to[i].position) * self->millimetres / 1000.0;
    if (way > FASTEST * self->frame_time ||
        clip_angle(from[i].rotation, to[i].rotation) > FASTEST_ROTATION * self->frame_time) {
      return true;
    }
  }
  return false;
}

// The longest part without a jump, the first of several.
static void find_part(clip *self) {
  const int count = self->document->motion.frame_count;
  for (int start = 0, frame = 0; frame < count; ++frame) {
    if (frame + 1 < count && !is_jump(self, frame)) {
      continue;
    }
    if (frame + 1 - start > self->frame_count) {
      self->first = start;
      self->frame_count = frame + 1 - start;
    }
    start = frame + 1;
  }
}

static bool is_moving(const clip *self) {
  const size_t bytes = (size_t)self->document->motion.nq * sizeof(double);
  for (int i = 1; i < self->frame_count; ++i) {
    if (memcmp(frame_at(self, self->first), frame_at(self, self->first + i), bytes) != 0) {
      return true;
    }
  }
  return false;
}

static bool fill_frames(clip *self) {
  const size_t links = (size_t)self->link_count, frames = (size_t)self->frame_count;
  sinew_pose *poses = calloc(links, sizeof *poses);
  self->relative = calloc(frames * links, sizeof *self->relative);
  const bool good = poses != NULL && self->relative != NULL;
  for (size_t i = 0; good && i < frames; ++i) {
    skeleton_poses(self->state, frame_at(self, self->first + (int)i), poses);
    clip_decompose(self, poses, self->relative + i * links);
  }
  free(poses);
  return good;
}

static bool choose_frames(clip *self, char *problem, size_t size) {
  const sinew_motion *motion = &self->document->motion;
  self->frame_time = motion->frame_time;
  if (motion->frame_count > 0 && !(self->frame_time > 0.0)) {
    snprintf(problem, size, "its frames have no duration");
    return false;
  }
  find_part(self);
  if (self->frame_count < CLIP_LEAST_FRAMES) {
    snprintf(problem, size, "frames: %d, without a jump at most %d; %d are needed",
             motion->frame_count, self->frame_count, CLIP_LEAST_FRAMES);
    return false;
  }
  if (!is_moving(self)) {
    snprintf(problem, size, "nothing moves in it");
    return false;
  }
  if (!fill_frames(self)) {
    snprintf(problem, size, "out of memory");
    return false;
  }
  return true;
}

// -------------------------------------------------------------------- the clip

// The name of a file without its folder and ".bvh", as it is printed.
static char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  char *name = text_escaped(slash != NULL ? slash + 1 : path, SINEW_TEXT_PRINTED);
  if (name != NULL && strrchr(name, '.') != NULL) {
    *strrchr(name, '.') = '\0';
  }
  return name;
}

bool clip_open(clip *self, const char *path, char *problem, size_t size) {
  sinew_error error = {0};
  *self = (clip){.name = name_of(path)};
  if (self->name == NULL) {
    snprintf(problem, size, "out of memory");
    return false;
  }
  if (sinew_document_open(path, NULL, &self->document, &error) != SINEW_OK ||
      sinew_model_create(&self->document->model, &self->model, &error) != SINEW_OK ||
      sinew_state_create(self->model, NULL, &self->state, &error) != SINEW_OK) {
    sinew_error_format(&error, problem, size);
    return false;
  }
  return measure_skeleton(self, problem, size) && choose_frames(self, problem, size);
}

void clip_close(clip *self) {
  free(self->name);
  free(self->parents);
  free(self->relative);
  sinew_state_destroy(self->state);
  sinew_model_destroy(self->model);
  sinew_document_destroy(self->document);
  *self = (clip){0};
}

double clip_rate(const clip *self) {
  return 1.0 / self->frame_time;
}

int clip_frames_at(const clip *self, double rate) {
  const double duration = (self->frame_count - 1) * self->frame_time;
  return (int)floor(duration * rate + SAME_FRAME) + 1;
}

void clip_sample(const clip *self, double time, sinew_pose *relative) {
  const size_t links = (size_t)self->link_count;
  const double at = fmin(fmax(time / self->frame_time, 0.0), self->frame_count - 1.0);
  const double nearest = round(at);
  if (fabs(at - nearest) < SAME_FRAME) {
    memcpy(relative, self->relative + (size_t)nearest * links, links * sizeof *relative);
    return;
  }
  const sinew_pose *before = self->relative + (size_t)floor(at) * links, *after = before + links;
  for (size_t l = 0; l < links; ++l) {
    interpolate(&before[l], &after[l], at - floor(at), &relative[l]);
  }
}

// In a BVH each link comes after its parent.
void clip_compose(const clip *self, const sinew_pose *relative, sinew_pose *poses) {
  for (int l = 0; l < self->link_count; ++l) {
    const int parent = self->parents[l];
    if (parent < 0) {
      poses[l] = relative[l];
    } else {
      sinew_pose_multiply(&poses[parent], &relative[l], &poses[l]);
    }
  }
}

void clip_decompose(const clip *self, const sinew_pose *poses, sinew_pose *relative) {
  for (int l = 0; l < self->link_count; ++l) {
    const int parent = self->parents[l];
    if (parent < 0) {
      relative[l] = poses[l];
    } else {
      sinew_pose inverse;
      sinew_pose_invert(&poses[parent], &inverse);
      sinew_pose_multiply(&inverse, &poses[l], &relative[l]);
    }
  }
}
