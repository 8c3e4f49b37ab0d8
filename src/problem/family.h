// The family that the chain of a problem belongs to, by which its solutions have a closed form.
//
// Recognized from the axes of the active joints alone: whatever their order, signs and origins,
// where the arm is mounted, what tool it has, in which direction the chain is described, and with
// inactive joints anywhere. It depends on the values of inactive joints and on no others.
#ifndef SINEW_PROBLEM_FAMILY_H
#define SINEW_PROBLEM_FAMILY_H

#include "analytic/arm.h"
#include "problem/problem.h"

// How far axes may be from meeting (as a share of the arm's size) or from parallel [rad] in a form
// whose solutions are all there are; and in one whose solutions only
// lead to others.
#define SINEW_FAMILY_EXACT 1e-9
#define SINEW_FAMILY_NEAR 1e-4

// Inactive joints whose values are compared.
#define SINEW_FAMILY_INACTIVE 8

typedef enum sinew_family_kind {
  SINEW_FAMILY_NONE = 0,
  SINEW_FAMILY_SIX,   // six joints in closed form
  SINEW_FAMILY_SEVEN, // seven joints, in closed form at a given value of one
  SINEW_FAMILY_SRS    // seven joints, in closed form at a given swivel
} sinew_family_kind;

typedef struct sinew_family {
  sinew_family_kind kind;
  double deviation;       // of the group's axes from exactly meeting or parallel
  int at[SINEW_ARM_MOST]; // the values in q of the active joints, from the root
  int given;              // SEVEN: the joint whose value is given
  sinew_arm arm;          // of all active joints
  double tip[9];          // the tip's axes where all angles are 0
  sinew_arm_plan plan;    // SIX, SRS; SEVEN if the given joint is the first or the last
  sinew_arm_form form;    // SEVEN: of the arm without the given joint
  int first;              // and its group's first axis
  int inactive_count;     // inactive joints between root and tip
  int inactive_at[SINEW_FAMILY_INACTIVE];
  double inactive[SINEW_FAMILY_INACTIVE];
} sinew_family;

// Recognizes the family of a problem, with the values of its inactive joints in q.
void sinew_family_find(const sinew_problem *problem, const double *q, sinew_family *family);

// Whether a family that was found is that of other values of the inactive joints, too.
bool sinew_family_holds(const sinew_family *family, const double *q);

// Whether its solutions are all there are.
static inline bool sinew_family_is_exact(const sinew_family *family) {
  return family->kind != SINEW_FAMILY_NONE && family->deviation <= SINEW_FAMILY_EXACT;
}

// In words: "six joints, the last three axes meet".
const char *sinew_family_string(const sinew_family *family);

// SEVEN: the plan of the other six joints at a value of the given one, and the target that they
// have then. scratch: for a plan that depends on the value.
const sinew_arm_plan *sinew_family_plan_at(const sinew_family *family, sinew_angle given,
                                           const double R[9], const double p[3], double R_six[9],
                                           double p_six[3], sinew_arm_plan *scratch);

// A target's R in the arm's axes: that of the rotations of the joints.
void sinew_family_rotation(const sinew_family *family, const sinew_target *target, double R[9]);

#endif
