// The bank of postures from inside.
//
// A posture is known by its features, where it brings the tasks' effectors, and found
// by a tree over them: bank_tree.h.
#ifndef SINEW_SEED_BANK_H
#define SINEW_SEED_BANK_H

#include "kinematics/state.h"
#include "math/spread.h"
#include "sinew/global.h"
#include "seed/bank_tree.h"

// What is looked at of one task.
typedef enum sinew_bank_kind {
  SINEW_BANK_LENGTH, // how far its point is from another task's
  SINEW_BANK_POINT,  // where its point is
  SINEW_BANK_AXIS,   // where one of the link's axes points
  SINEW_BANK_TURN    // how the link is turned
} sinew_bank_kind;

typedef struct sinew_bank_term {
  sinew_bank_kind kind;
  int task;
  int other;        // LENGTH: the other task
  double scale;     // POINT and LENGTH [1/m]
  double centre[3]; // of points; LENGTH: centre[0]
} sinew_bank_term;

// Tasks beyond those that fit are not looked at.
#define SINEW_BANK_MOST_COORDINATES SINEW_BANK_MOST_ROWS

// Turns come after all others, which count by their Euclidean distance.
typedef struct sinew_bank_features {
  int term_count;
  sinew_bank_term terms[SINEW_BANK_MOST_COORDINATES];
  int distance_rows, turns;
  int reference; // the task in whose link's axes all are told; -1: the root's
  bool centred;  // and from whose point
} sinew_bank_features;

// A base that floats: a joint of the root that turns and moves without limits, and carries
// all tasks. The features are then such that it does not matter where it is.
typedef struct sinew_bank_base {
  bool floats;
  int v, nv;             // its values
  int slide_q[3];        // the places of x, y, z in q
  int ball_q;            // of its quaternion, or -1:
  int turn_q[3];         // of its angles,
  int turn_axis[3];      // and about what axes, in turn
  sinew_frame placement; // of the joint
} sinew_bank_base;

// A value is least + step * code. Of what has limits none is beyond them.
typedef struct sinew_bank_postures {
  double *least, *step; // nq
  uint16_t *codes;      // size x nq, in the order of the tree's leaves
  bool balls;           // there are quaternions, to be brought to unit length
} sinew_bank_postures;

struct sinew_bank {
  sinew_allocator allocator;
  const sinew_model *model;
  size_t bytes;
  int size, task_count;
  sinew_task *tasks;
  sinew_bank_features features;
  sinew_bank_tree tree;
  sinew_bank_postures postures;
  sinew_bank_base base;
  float *effectors; // where the base floats: size x task_count x 7, points and quaternions
                    // with the base at 0
};

// Whether two tasks have the same targets, so that a bank made for one serves the other.
bool sinew_bank_task_fits(const sinew_task *a, const sinew_task *b);

// For each of some problems (task_count targets a problem, one after the other) what
// sinew_bank_find() finds first. Cheaper by half: while the memory for one is on its way
// others are looked up. The postures are called for too, so that they are there when
// they are read soon.
#define SINEW_BANK_AT_ONCE 8
void sinew_bank_find_each(const sinew_bank *bank, const sinew_target *targets, int problems,
                          int *indices);

// Room for size postures.
void sinew_bank_postures_layout(sinew_arena *arena, const sinew_model *model, int size,
                                sinew_bank_postures *postures);

// Fills least and step. u: nv, scratch.
void sinew_bank_postures_range(sinew_bank_postures *postures, const sinew_model *model,
                               const sinew_bank_base *base, double *u);

// The n-th posture of a sequence, a base that floats at 0. u: nv, q: nq, scratch; codes: nq.
void sinew_bank_postures_sample(const sinew_bank_postures *postures, const sinew_model *model,
                                const sinew_bank_base *base, const sinew_spread *spread, int n,
                                double *u, double *q, uint16_t *codes);

// q (nq) of a posture's codes.
void sinew_bank_postures_read(const sinew_bank_postures *postures, const sinew_model *model,
                              const uint16_t *codes, double *q);

// Whether a task's point, one axis or all axes of the link count.
bool sinew_bank_has_point(const sinew_task *task);
bool sinew_bank_has_axis(const sinew_task *task);
bool sinew_bank_has_turn(const sinew_task *task);

// What is looked at of the tasks. Points and lengths have the scale 1 / size.
// @param floats whether all of them may be moved and turned together
void sinew_bank_features_plan(sinew_bank_features *features, const sinew_task *tasks, int count,
                              double size, bool floats);

// Features of the posture that a state is at.
void sinew_bank_look(const sinew_bank_features *features, const sinew_task *tasks,
                     const sinew_state *state, float *rows, float *coordinates);

// Features of targets.
void sinew_bank_aim(const sinew_bank_features *features, const sinew_task *tasks,
                    const sinew_target *targets, float *rows, float *coordinates);

// Finds the base that floats, if there is one.
void sinew_bank_base_find(const sinew_model *model, const sinew_task *tasks, int count,
                          sinew_bank_base *base);

// Sets the base's values in q to 0.
void sinew_bank_base_zero(const sinew_bank_base *base, double *q);

// Sets them so that the effectors fit the targets best.
void sinew_bank_base_fit(const sinew_bank *bank, int index, const sinew_target *targets, double *q);

#endif
