// See subject.h.
#include "bench/fingerprint/subject.h"
#include "bench/fingerprint/record.h"
#include "scenes/expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TASKS 8
#define KINDS_JOINTS 26
#define STRETCH 40 // steps in or out of reach at a time

static const char *models_folder, *shared_folder;

void *take(size_t count, size_t size) {
  void *memory = calloc(count + (count == 0), size);
  if (memory == NULL) {
    record_fail("out of memory");
  }
  return memory;
}

void subject_folders(const char *models, const char *shared) {
  models_folder = models;
  shared_folder = shared;
}

const char *subject_shared_folder(void) {
  return shared_folder;
}

static void require(sinew_result result, const sinew_error *error) {
  if (result != SINEW_OK) {
    char text[1024];
    sinew_error_format(error, text, sizeof text);
    record_fail("%s", text);
  }
}

// --------------------------------------------------- a tree of all kinds of joints

// Joint i of the tree; a spine with branches of four.
static sinew_joint_def kinds_joint(int i, const char *name) {
  static const sinew_joint_kind kinds[] = {
      SINEW_JOINT_REVOLUTE, SINEW_JOINT_SPHERICAL,   SINEW_JOINT_CONTINUOUS, SINEW_JOINT_EULER,
      SINEW_JOINT_SCREW,    SINEW_JOINT_UNIVERSAL,   SINEW_JOINT_REVOLUTE,   SINEW_JOINT_CHANNELS,
      SINEW_JOINT_PLANAR,   SINEW_JOINT_CYLINDRICAL, SINEW_JOINT_PRISMATIC,  SINEW_JOINT_FIXED};
  sinew_joint_def joint = sinew_default_joint_def();
  double *p = joint.placement.position, *r = joint.placement.rotation;
  joint.name = name;
  joint.kind = i == 0 ? SINEW_JOINT_FREE : kinds[i % 12];
  joint.parent = i % 5 == 4 ? i / 2 : i;
  joint.child = i + 1;
  for (int k = 0; k < 3; ++k) {
    p[k] = 0.3 * (sinew_random_uniform(71, (uint64_t)(8 * i + k)) - 0.5);
    joint.axis[k] = sinew_random_uniform(72, (uint64_t)(8 * i + k)) - 0.5;
    r[k] = 1.0 - sinew_random_uniform(73, (uint64_t)(8 * i + k));
  }
  joint.pitch = 0.05;
  snprintf(joint.channels, sizeof joint.channels, "%s",
           joint.kind == SINEW_JOINT_EULER ? "ZXY" : "xzYX");
  for (int k = 0; k < SINEW_JOINT_MAX_NV && joint.kind == SINEW_JOINT_REVOLUTE; ++k) {
    joint.lower[k] = -0.9;
    joint.upper[k] = 1.3;
  }
  if (i == 18) { // coupled to a joint of one degree of freedom
    joint.driver = 6;
    joint.ratio = -0.6;
    joint.offset = 0.1;
  }
  return joint;
}

static void set_speeds(sinew_joint_def *joints, int count) {
  for (int j = 0; j < count; ++j) {
    for (int k = 0; k < SINEW_JOINT_MAX_NV; ++k) {
      joints[j].velocity[k] = 0.5 + 0.25 * ((j + k) % 3);
    }
  }
}

static void create_kinds(subject *s, bool speeds) {
  sinew_error error;
  char names[KINDS_JOINTS + 1][16];
  sinew_link_def links[KINDS_JOINTS + 1];
  sinew_joint_def joints[KINDS_JOINTS];
  for (int i = 0; i <= KINDS_JOINTS; ++i) {
    snprintf(names[i], sizeof names[i], "part%d", i);
    links[i] = sinew_default_link_def();
    links[i].name = names[i];
  }
  for (int i = 0; i < KINDS_JOINTS; ++i) {
    joints[i] = kinds_joint(i, names[i + 1]);
  }
  if (speeds) {
    set_speeds(joints, KINDS_JOINTS);
  }
  sinew_model_def def = sinew_default_model_def();
  def.links = links;
  def.link_count = KINDS_JOINTS + 1;
  def.joints = joints;
  def.joint_count = KINDS_JOINTS;
  require(sinew_model_create(&def, &s->model, &error), &error);
}

// ------------------------------------------------------------------------ models

static void create_model(subject *s, const sinew_model_def *from, bool speeds) {
  sinew_error error;
  sinew_model_def def = *from;
  sinew_joint_def *joints = take((size_t)def.joint_count, sizeof *joints);
  memcpy(joints, def.joints, (size_t)def.joint_count * sizeof *joints);
  if (speeds) {
    set_speeds(joints, def.joint_count);
  }
  def.joints = joints;
  require(sinew_model_create(&def, &s->model, &error), &error);
  free(joints);
}

static void open_file(subject *s, const char *name, unsigned changes) {
  char path[4096];
  sinew_error error;
  sinew_read_def def = sinew_default_read_def();
  def.floating_base = (changes & SUBJECT_FLOATS) != 0;
  if (strchr(name, '/') != NULL) {
    snprintf(path, sizeof path, "%s", name);
  } else {
    snprintf(path, sizeof path, "%s/%s", models_folder, name);
  }
  require(sinew_document_open(path, &def, &s->document, &error), &error);
  create_model(s, &s->document->model, (changes & SUBJECT_SPEEDS) != 0);
}

// ------------------------------------------------------------------------- tasks

static bool is_end(const sinew_model *model, int link) {
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    if (joint.parent == link) {
      return false;
    }
  }
  return link != sinew_model_root(model);
}

static int parent_of(const sinew_model *model, int link) {
  sinew_joint joint;
  const int j = sinew_model_link_joint(model, link);
  if (j < 0) {
    return link;
  }
  sinew_expect_ok(sinew_model_joint(model, j, &joint));
  return joint.parent;
}

static void add_task(subject *s, int link, sinew_task_kind kind) {
  s->tasks[s->count] = sinew_default_task();
  s->tasks[s->count].link = link;
  s->tasks[s->count++].kind = kind;
}

static void make_tasks(subject *s) {
  if (s->scene != NULL) {
    s->count = s->scene->task_count;
    s->tasks = take((size_t)s->count, sizeof *s->tasks);
    memcpy(s->tasks, s->scene->tasks, (size_t)s->count * sizeof *s->tasks);
    return;
  }
  const bool bvh = s->document != NULL && s->document->format == SINEW_FORMAT_BVH;
  s->tasks = take(MOST_TASKS, sizeof *s->tasks);
  for (int link = 0; link < sinew_model_link_count(s->model) && s->count < MOST_TASKS; ++link) {
    if (is_end(s->model, link)) {
      add_task(s, link, bvh ? SINEW_TASK_POSITION : SINEW_TASK_POSE);
    }
  }
}

static void change_kind(sinew_task *task, int index, unsigned changes) {
  static const sinew_task_kind kinds[] = {SINEW_TASK_POSE, SINEW_TASK_DIRECTION,
                                          SINEW_TASK_ORIENTATION, SINEW_TASK_POSITION};
  if ((changes & SUBJECT_ALL_KINDS) == SUBJECT_ALL_KINDS) {
    task->kind = kinds[index % 4];
  } else if (changes & SUBJECT_POSITIONS) {
    task->kind = SINEW_TASK_POSITION;
  } else if (changes & SUBJECT_ORIENTATIONS) {
    task->kind = SINEW_TASK_ORIENTATION;
  } else if (changes & SUBJECT_POSES) {
    task->kind = SINEW_TASK_POSE;
  } else if (changes & SUBJECT_DIRECTIONS) {
    task->kind = SINEW_TASK_DIRECTION;
  }
}

static void change_task(const subject *s, sinew_task *task, int index, unsigned changes) {
  static const unsigned axes[] = {
      SINEW_FREE_ROTATION_Z, SINEW_FREE_X, SINEW_FREE_ROTATION_X | SINEW_FREE_ROTATION_Y,
      SINEW_FREE_Y | SINEW_FREE_Z, SINEW_FREE_Z | SINEW_FREE_ROTATION_Y};
  change_kind(task, index, changes);
  if ((changes & SUBJECT_FREE_AXES) && sinew_task_kind_reads(task->kind, "free_axes")) {
    task->free_axes = axes[index % 5];
  }
  if (changes & SUBJECT_WEIGHTS) {
    task->position_weight = 0.5 + 0.75 * (index % 3);
    task->orientation_weight = 1.5 - 0.6 * (index % 3);
  }
  for (int k = 0; k < 3 && (changes & SUBJECT_POINTS); ++k) {
    task->point_l[k] = 0.02 * (k + 1) * sinew_model_size(s->model);
  }
  const bool axis = sinew_task_kind_reads(task->kind, "axis_l");
  for (int k = 0; k < 3 && axis && (changes & SUBJECT_AXES); ++k) {
    task->axis_l[k] = k - 0.5;
  }
  if (changes & SUBJECT_CHAIN_ROOTS) {
    task->chain_root = parent_of(s->model, parent_of(s->model, parent_of(s->model, task->link)));
  }
}

void subject_effectors(subject *s, const char *links, sinew_task_kind kind) {
  s->count = 0;
  while (*links != '\0' && s->count < MOST_TASKS) {
    char name[128];
    const size_t length = strcspn(links, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, links);
    const int link = sinew_model_find_link(s->model, name);
    if (link < 0) {
      record_fail("no link %s", name);
    }
    add_task(s, link, kind);
    links += length + (links[length] == ',');
  }
}

void subject_deepest(subject *s) {
  int deepest = 0, link_of = 0;
  for (int link = 0; link < sinew_model_link_count(s->model); ++link) {
    int depth = 0;
    for (int at = link; at != sinew_model_root(s->model); at = parent_of(s->model, at)) {
      sinew_joint joint;
      sinew_expect_ok(sinew_model_joint(s->model, sinew_model_link_joint(s->model, at), &joint));
      depth += joint.nv > 0;
    }
    if (depth >= deepest) {
      deepest = depth;
      link_of = link;
    }
  }
  s->count = 0;
  add_task(s, link_of, SINEW_TASK_POSE);
}

// ---------------------------------------------------------------------- subjects

void subject_open(subject *s, const char *name, unsigned changes) {
  sinew_error error;
  const bool speeds = (changes & SUBJECT_SPEEDS) != 0;
  *s = (subject){.time_step = 1.0 / 60};
  if (strchr(name, '.') != NULL) {
    open_file(s, name, changes);
  } else if (strcmp(name, "kinds") == 0) {
    create_kinds(s, speeds);
  } else {
    s->scene = sinew_scene_create(name);
    if (s->scene == NULL) {
      record_fail("no scene %s", name);
    }
    s->time_step = s->scene->time_step;
    create_model(s, &s->scene->model, speeds);
  }
  require(sinew_state_create(s->model, NULL, &s->state, &error), &error);
  s->nq = sinew_model_nq(s->model);
  s->nv = sinew_model_nv(s->model);
  make_tasks(s);
  for (int t = 0; t < s->count; ++t) {
    change_task(s, &s->tasks[t], t, changes);
  }
}

void subject_close(subject *s) {
  free(s->tasks);
  sinew_state_destroy(s->state);
  sinew_model_destroy(s->model);
  sinew_document_destroy(s->document);
  if (s->scene != NULL) {
    sinew_scene_destroy(s->scene);
  }
}

// ----------------------------------------------------------------------- targets

void subject_targets_at(const subject *s, const double *q, double reach, sinew_target *targets) {
  sinew_expect_ok(sinew_state_forward(s->state, q));
  for (int t = 0; t < s->count; ++t) {
    sinew_pose pose;
    const sinew_task *task = &s->tasks[t];
    targets[t] = sinew_default_target();
    sinew_expect_ok(sinew_state_link_pose(s->state, task->link, &pose));
    memcpy(targets[t].rotation, pose.rotation, sizeof pose.rotation);
    sinew_quaternion_rotate(pose.rotation, task->axis_l, targets[t].direction);
    sinew_expect_ok(sinew_state_point(s->state, task->link, task->point_l, targets[t].position));
    for (int k = 0; k < 3; ++k) {
      targets[t].position[k] *= reach;
    }
  }
}

// Without a scene: a clip's frame, or oscillations of all joints about the middle of their limits.
static void swing(const subject *s, int step, double *q) {
  if (s->document != NULL && s->document->motion.frame_count > 0) {
    const int frame = step % s->document->motion.frame_count;
    memcpy(q, s->document->motion.q + (size_t)frame * (size_t)s->nq, (size_t)s->nq * sizeof *q);
    return;
  }
  double *v = take((size_t)s->nv, sizeof *v);
  for (int k = 0; k < s->nv; ++k) {
    v[k] = 0.7 * sin(step * s->time_step * (1.0 + 0.13 * k) + 0.4 * k);
  }
  sinew_configuration_middle(s->model, q);
  sinew_configuration_integrate(s->model, q, v, q);
  free(v);
}

void subject_targets(const subject *s, int step, sinew_target *targets) {
  double *q = take((size_t)s->nq, sizeof *q);
  if (s->scene != NULL) {
    sinew_scene_motion(s->scene, s->model, step * s->time_step, q);
  } else {
    swing(s, step, q);
  }
  subject_targets_at(s, q, step / STRETCH % 4 == 3 ? 1.6 : 1.0, targets);
  free(q);
}
