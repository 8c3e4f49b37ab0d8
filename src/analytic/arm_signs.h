// Signs that tell the solutions of an arm's closed form apart.
//
// The determinant of the Jacobian of a closed form is a product: of that of the group's angles, and
// of those of the other joints, which is a product, too, where two consecutive axes of these are
// parallel or meet. Each factor is 0 where two solutions meet, and has one sign at each of them: a
// sign for each factor names the branch, and does not change along a motion that crosses no
// singularity.
#ifndef SINEW_ANALYTIC_ARM_SIGNS_H
#define SINEW_ANALYTIC_ARM_SIGNS_H

#include "analytic/arm.h"

#define SINEW_ARM_SIGNS 3

// What a sign is called, and so are its values.
typedef enum sinew_arm_words {
  SINEW_ARM_WORDS_SIGN,    // positive, negative
  SINEW_ARM_WORDS_SIDE,    // left, right
  SINEW_ARM_WORDS_HEIGHT,  // up, down
  SINEW_ARM_WORDS_ROTATION // no flip, flip
} sinew_arm_words;

typedef struct sinew_arm_sign {
  double value; // a factor of the determinant, of lengths in sizes
  int first;    // the lowest of the axes that it tells the solutions of apart
  bool whole;   // of all joints but the group: the product of two signs
  sinew_arm_words words;
} sinew_arm_sign;

typedef struct sinew_arm_signs {
  int count;
  sinew_arm_sign signs[SINEW_ARM_SIGNS]; // from the root
  bool distinct;                         // no two solutions have the same signs
} sinew_arm_signs;

// The signs of an arm at the angles of its own axes.
void sinew_arm_find_signs(const sinew_arm_plan *plan, const sinew_angle *a, sinew_arm_signs *out);

#endif
