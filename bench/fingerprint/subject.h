// The subjects of cases: a model with its end effectors, and targets for them.
#ifndef BENCH_FINGERPRINT_SUBJECT_H
#define BENCH_FINGERPRINT_SUBJECT_H

#include "scenes/scenes.h"
#include "sinew/formats.h"

// Changes to a subject's scene or file; may be combined.
typedef enum subject_change {
  SUBJECT_AS_IT_IS = 0,
  SUBJECT_FLOATS = 1,            // a URDF: its root on a FREE joint
  SUBJECT_SPEEDS = 2,            // every joint has a speed limit
  SUBJECT_POSITIONS = 4,         // every task is a POSITION
  SUBJECT_ORIENTATIONS = 8,      // an ORIENTATION
  SUBJECT_POSES = 16,            // a POSE
  SUBJECT_DIRECTIONS = 32,       // a DIRECTION
  SUBJECT_FREE_AXES = 64,        // tasks have free axes, each a different choice
  SUBJECT_WEIGHTS = 128,         // tasks have weights of their own
  SUBJECT_POINTS = 256,          // tasks have points away from the link's origin
  SUBJECT_CHAIN_ROOTS = 512,     // tasks move only joints below their third ancestor
  SUBJECT_AXES = 1024,           // directions have axes that are not normalized
  SUBJECT_ALL_KINDS = 4 + 8 + 16 // tasks have the four kinds in turn
} subject_change;

typedef struct subject {
  sinew_scene *scene;       // or NULL
  sinew_document *document; // or NULL
  sinew_model *model;
  sinew_state *state;
  int nq, nv, count; // number of tasks
  sinew_task *tasks;
  double time_step;
} subject;

// The folders of models/ and of the optional test data. shared may be NULL.
void subject_folders(const char *models, const char *shared);
const char *subject_shared_folder(void);

// name: of a scene; "kinds", a tree with every kind of joint; a file in the folder of models; or
// the path of a file. Without a scene the tasks are at the ends of the tree, as poses, or as
// positions of a BVH.
void subject_open(subject *s, const char *name, unsigned changes);
void subject_close(subject *s);

// Changes the tasks' links: names with commas between them.
void subject_effectors(subject *s, const char *links, sinew_task_kind kind);

// One task, a pose of the link with the most joints above it.
void subject_deepest(subject *s);

// targets (count): the effectors' poses at q, with positions scaled by reach from the root.
void subject_targets_at(const subject *s, const double *q, double reach, sinew_target *targets);

// The same at a step of the subject's smooth motion; every fourth interval of 40 steps is beyond
// reach.
void subject_targets(const subject *s, int step, sinew_target *targets);

// Zeroed memory.
void *take(size_t count, size_t size);

#endif
