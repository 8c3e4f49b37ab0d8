// The bank of postures from inside.
//
// A posture is known by its features, where it brings the tasks' effectors, and found
// by a tree over them: bank_tree.h. Postures stand in the order of the tree's leaves.
#ifndef SINEW_SOLVE_BANK_H
#define SINEW_SOLVE_BANK_H

#include "kinematics/state.h"
#include "sinew/global.h"
#include "solve/bank_tree.h"

// What is looked at of one task.
typedef enum sinew_bank_kind {
  SINEW_BANK_POINT, // where its point is
  SINEW_BANK_AXIS,  // where one of the link's axes points
  SINEW_BANK_TURN   // how the link is turned
} sinew_bank_kind;

typedef struct sinew_bank_term {
  sinew_bank_kind kind;
  int task;
  int axis;         // AXIS: of the target's rotation; -1: the target's direction
  double axis_l[3]; // AXIS: in the link
  double scale;     // POINT [1/m]
} sinew_bank_term;

// Tasks beyond those that fit are not looked at: a node of the tree tells a coordinate by
// a byte.
#define SINEW_BANK_MOST_COORDINATES 255
#define SINEW_BANK_MOST_TERMS (SINEW_BANK_MOST_COORDINATES / 3)

// Terms in this order: those that count by their Euclidean distance, then turns.
typedef struct sinew_bank_features {
  int term_count;
  sinew_bank_term terms[SINEW_BANK_MOST_TERMS];
  int distance_terms; // POINT and AXIS
} sinew_bank_features;

struct sinew_bank {
  sinew_allocator allocator;
  const sinew_model *model;
  size_t bytes;
  int size, task_count;
  sinew_task *tasks;
  sinew_bank_features features;
  sinew_bank_tree tree;
  float *postures; // size x nq
};

// What is looked at of the tasks. Points have the scale 1 / size.
void sinew_bank_features_plan(sinew_bank_features *features, const sinew_task *tasks, int count,
                              double size);

// How many rows and coordinates a posture has: bank_tree.h.
int sinew_bank_rows(const sinew_bank_features *features);
int sinew_bank_coordinates(const sinew_bank_features *features);

// Features of the posture that a state is at.
void sinew_bank_look(const sinew_bank_features *features, const sinew_task *tasks,
                     const sinew_state *state, float *rows, float *coordinates);

// Features of targets.
void sinew_bank_aim(const sinew_bank_features *features, const sinew_target *targets, float *rows,
                    float *coordinates);

#endif
