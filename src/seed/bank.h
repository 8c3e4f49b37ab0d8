// Internals of the bank of postures.
//
// The features of a posture are the poses of the tasks' effectors (bank_features.c). The postures
// nearest to given features are found by a tree: bank_tree.h.
#ifndef SINEW_SEED_BANK_H
#define SINEW_SEED_BANK_H

#include "kinematics/state.h"
#include "math/spread.h"
#include "sinew/global.h"
#include "seed/bank_tree.h"
#include "seed/floating_base.h"

// The kinds of features of a task.
typedef enum sinew_bank_kind {
  SINEW_BANK_LENGTH,     // the distance of its point from another task's
  SINEW_BANK_POINT,      // the position of its point
  SINEW_BANK_AXIS,       // the direction of one of the tool's axes
  SINEW_BANK_ORIENTATION // the orientation of the tool
} sinew_bank_kind;

typedef struct sinew_bank_term {
  sinew_bank_kind kind;
  int task;
  int other;        // LENGTH: the other task
  double scale;     // POINT and LENGTH [1/m]
  double centre[3]; // of points; LENGTH: centre[0]
} sinew_bank_term;

// Features beyond this number are ignored.
#define SINEW_BANK_MOST_COORDINATES SINEW_BANK_MOST_ROWS

// Orientations come after all other terms, which are compared by their Euclidean distance.
typedef struct sinew_bank_features {
  int term_count;
  sinew_bank_term terms[SINEW_BANK_MOST_COORDINATES];
  int distance_rows, turns;
  int reference; // the task whose link's axes all features are in; -1: the root's
  bool centred;  // whether points are relative to that task's point
} sinew_bank_features;

// A value is least + step * code, within its limits.
typedef struct sinew_bank_postures {
  double *least, *step; // nq
  uint16_t *codes;      // size x nq, in the order of the tree's leaves
  bool spherical;       // whether there are quaternions, to be normalized
} sinew_bank_postures;

struct sinew_bank {
  sinew_allocator allocator;
  const sinew_model *model;
  size_t bytes;
  int size, task_count;
  double length; // the size of the figure with its tasks [m]
  sinew_task *tasks;
  sinew_bank_features features;
  sinew_bank_tree tree;
  sinew_bank_postures postures;
  sinew_floating_base base;
  float *effectors; // with a floating base: size x task_count x 7, points and quaternions
                    // with the base's values at 0
};

// Whether tasks can be searched for; noun: of what is made for them.
sinew_result sinew_bank_check_tasks(const char *noun, const sinew_model *model,
                                    const sinew_task *tasks, int count, sinew_error *error);

// Whether two tasks have the same features, so that a bank made for one can be used for the other.
bool sinew_bank_task_fits(const sinew_task *a, const sinew_task *b);

// For each of several problems (task_count targets each, one after the other) the first result of
// sinew_bank_find(). It takes half the time: memory for one problem is prefetched while others are
// looked up. The postures found are prefetched as well, since they are read soon.
#define SINEW_BANK_AT_ONCE 8
void sinew_bank_find_each(const sinew_bank *bank, const sinew_target *targets, int problems,
                          int *indices);

// Memory for size postures.
void sinew_bank_postures_layout(sinew_arena *arena, const sinew_model *model, int size,
                                sinew_bank_postures *postures);

// Fills least and step. u: nv, scratch.
void sinew_bank_postures_range(sinew_bank_postures *postures, const sinew_model *model,
                               const sinew_floating_base *base, double *u);

// The n-th posture of a sequence, a floating base at 0. u: nv, q: nq, scratch; codes: nq.
void sinew_bank_postures_sample(const sinew_bank_postures *postures, const sinew_model *model,
                                const sinew_floating_base *base,
                                const sinew_low_discrepancy *spread, int n, double *u, double *q,
                                uint16_t *codes);

// q (nq) of a posture's codes.
void sinew_bank_postures_read(const sinew_bank_postures *postures, const sinew_model *model,
                              const uint16_t *codes, double *q);

// Whether the features of a task have its point, one axis, or all axes of the link.
bool sinew_bank_has_point(const sinew_task *task);
bool sinew_bank_has_axis(const sinew_task *task);
bool sinew_bank_has_orientation(const sinew_task *task);

// Chooses the features of the tasks. Points and lengths have the scale 1 / size.
// @param floats whether a floating base moves all of them together
void sinew_bank_features_plan(sinew_bank_features *features, const sinew_task *tasks, int count,
                              double size, bool floats);

// Features of the configuration of a state.
void sinew_bank_features_of_state(const sinew_bank_features *features, const sinew_task *tasks,
                                  const sinew_state *state, float *rows, float *coordinates);

// Features of targets.
void sinew_bank_features_of_targets(const sinew_bank_features *features, const sinew_task *tasks,
                                    const sinew_target *targets, float *rows, float *coordinates);

// Sets the values of the floating base so that the effectors of a posture fit the targets best.
void sinew_bank_base_fit(const sinew_bank *bank, int index, const sinew_target *targets, double *q);

#endif
