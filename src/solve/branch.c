// The branch of a configuration: the signs of the closed form that its arm has, in words.
#include "analytic/arm_signs.h"
#include "math/vector.h"
#include "math/within.h"
#include "solve/closed.h"
#include "solve/levels.h"
#include "solve/solver.h"

// A factor of the determinant this small is at the singularity: an angle there has lost half of its
// digits.
#define SINGULAR 1e-9

static const char *word_of(sinew_arm_words words, int sign) {
  static const char *const text[][2] = {[SINEW_ARM_WORDS_SIGN] = {"negative", "positive"},
                                        [SINEW_ARM_WORDS_SIDE] = {"right", "left"},
                                        [SINEW_ARM_WORDS_HEIGHT] = {"down", "up"},
                                        [SINEW_ARM_WORDS_ROTATION] = {"flip", "no flip"}};
  return sign == 0 ? "singular" : text[words][sign > 0];
}

// The signs of a family at a configuration.
static void find_signs(const sinew_family *family, const double *q, sinew_arm_signs *signs) {
  static const double R[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, p[3] = {0.0};
  sinew_angle a[SINEW_ARM_MOST];
  sinew_arm_plan scratch;
  const sinew_arm_plan *plan = &family->plan;
  int count = 0;
  for (int i = 0; i < family->arm.count; ++i) {
    if (i != family->given) {
      a[count++] = sinew_angle_of(q[family->at[i]]);
    }
  }
  if (family->kind == SINEW_FAMILY_SEVEN) {
    double R_six[9], p_six[3];
    const sinew_angle given = sinew_angle_of(q[family->at[family->given]]);
    plan = sinew_family_plan_at(family, given, R, p, R_six, p_six, &scratch);
  }
  sinew_arm_find_signs(plan, a, signs);
}

sinew_result sinew_solver_branch(sinew_solver *solver, const double *q, sinew_branch *branch) {
  static const char *const names[SINEW_BRANCH_SIGNS] = {"shoulder", "elbow", "wrist"};
  SINEW_ASSERT(solver != NULL && q != NULL && branch != NULL);
  *branch = (sinew_branch){.count = 0};
  if (!sinew_all_within(solver->model->nq, q, SINEW_HUGE)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  sinew_solver *searching = solver->levels->used ? sinew_levels_search_solver(solver) : solver;
  const sinew_family *family = sinew_closed_family(searching, q);
  if (!sinew_family_is_exact(family)) {
    return SINEW_OK;
  }
  sinew_arm_signs signs;
  find_signs(family, q, &signs);
  branch->count = signs.count;
  branch->distinct = signs.distinct;
  for (int i = 0; i < signs.count; ++i) {
    const sinew_arm_sign *one = &signs.signs[i];
    const int sign = fabs(one->value) <= SINGULAR ? 0 : one->value > 0.0 ? 1 : -1;
    branch->signs[i] = sign;
    branch->names[i] = one->whole ? "arm" : names[i];
    branch->words[i] = word_of(one->words, sign);
  }
  return SINEW_OK;
}
