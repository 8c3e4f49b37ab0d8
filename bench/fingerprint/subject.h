// What cases are run on: a model with its end effectors, and targets for them.
#ifndef BENCH_FINGERPRINT_SUBJECT_H
#define BENCH_FINGERPRINT_SUBJECT_H

#include "scenes/scenes.h"
#include "sinew/formats.h"

// In what a subject differs from how its scene or file has it: or them together.
typedef enum subject_change {
  SUBJECT_AS_IT_IS = 0,
  SUBJECT_FLOATS = 1,            // a URDF: its root on a FREE joint
  SUBJECT_SPEEDS = 2,            // every joint has a largest speed
  SUBJECT_POSITIONS = 4,         // every task is a POSITION
  SUBJECT_ORIENTATIONS = 8,      // an ORIENTATION
  SUBJECT_POSES = 16,            // a POSE
  SUBJECT_DIRECTIONS = 32,       // a DIRECTION
  SUBJECT_FREE_AXES = 64,        // tasks have free axes, another choice each
  SUBJECT_WEIGHTS = 128,         // tasks have weights of their own
  SUBJECT_POINTS = 256,          // tasks are of points beside the link's origin
  SUBJECT_CHAIN_ROOTS = 512,     // tasks move only what is below their third ancestor
  SUBJECT_AXES = 1024,           // directions are of axes that are not of unit length
  SUBJECT_ALL_KINDS = 4 + 8 + 16 // tasks take the four kinds in turn
} subject_change;

typedef struct subject {
  sinew_scene *scene;       // or NULL
  sinew_document *document; // or NULL
  sinew_model *model;
  sinew_state *state;
  int nq, nv, count; // count: of tasks
  sinew_task *tasks;
  double time_step;
} subject;

// Where files of models/ and of the optional test data are. shared may be NULL.
void subject_folders(const char *models, const char *shared);
const char *subject_shared_folder(void);

// name: of a scene; "kinds", a tree with every kind of joint; a file in the folder of models; or
// the path of a file. Without a scene the tasks are at the ends of the tree, as poses, or as
// positions of a BVH.
void subject_open(subject *s, const char *name, unsigned changes);
void subject_close(subject *s);

// The tasks are of these links instead: names with commas between them.
void subject_effectors(subject *s, const char *links, sinew_task_kind kind);

// One task, a pose of the link that most joints carry.
void subject_deepest(subject *s);

// targets (count): where the effectors are at q, the positions scaled by reach from the root.
void subject_targets_at(const subject *s, const double *q, double reach, sinew_target *targets);

// The same at a step of the subject's smooth motion, of which every fourth stretch of 40 steps
// lies beyond reach.
void subject_targets(const subject *s, int step, sinew_target *targets);

// Memory, zeroed.
void *take(size_t count, size_t size);

#endif
