/// @file global.h
/// Joint values for any target from anywhere.
///
/// sinew_solver_solve() descends from one seed and seldom looks elsewhere.
/// sinew_solver_solve_global() starts where an answer is likely: at the caller's seed, at
/// the nearest postures of a ::sinew_bank, then at points of a low-discrepancy sequence,
/// many at once in the lanes of the processor. An attempt that gains little is dropped.
/// Nothing is spent once the question is answered. Deterministic unless time ends it.
#ifndef SINEW_GLOBAL_H
#define SINEW_GLOBAL_H

#include "sinew/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Stored postures, found by where they bring the effectors. Made once for a model and its
/// tasks, immutable, shared by any number of threads.
///
/// Two postures are as far apart as their effectors: the square root of the sum, over the
/// tasks, of |dp|^2 for a point, in units of 5/4 of the root mean square distance that it
/// has from its middle in all postures, and sin^2 of half the angle for a rotation and for
/// an axis. What a task leaves free does not count: where one axis of rotation is free that
/// axis of the target's counts, where two are nothing does; nor does a point of which an
/// axis is free. Tasks past the first 20 or so are not looked at.
///
/// 16384 postures of an arm of seven joints take 0.51 MB and 9 ms to make on a processor of
/// 2023; a look-up takes 80 ns for one posture and 170 ns for eight, of 65536 postures 90 and
/// 190 ns. The one found first is further than the very nearest by a quarter in the mean.
typedef struct sinew_bank sinew_bank;

typedef struct sinew_bank_def {
  uint32_t cookie; ///< cookie and size: set by sinew_default_bank_def(); leave them
  uint32_t size;
  int postures;         ///< how many, 1 to 2^24; default 16384
  uint64_t random_seed; ///< another seed, other postures; default 1
  sinew_allocator allocator;
} sinew_bank_def;

/// For other languages, whose structs have size bytes; C and C++ have sinew_default_bank_def().
SINEW_API void sinew_bank_def_init(sinew_bank_def *def, size_t size);

static inline sinew_bank_def sinew_default_bank_def(void) {
  sinew_bank_def def;
  sinew_bank_def_init(&def, sizeof def);
  return def;
}

/// Fills a bank with postures spread within the limits: points of a low-discrepancy sequence,
/// a 25th of a range away from either limit, which would hold a descent up, and within one
/// turn where limits allow more.
/// @param model is not copied and must outlive the bank
/// @param tasks count of them, those of the solver that will use it; copied
/// @param error may be NULL
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT, SINEW_ERROR_INDEX, SINEW_ERROR_NOT_FINITE or
///   SINEW_ERROR_MEMORY
SINEW_MUST_CHECK sinew_result sinew_bank_create(const sinew_bank_def *def, const sinew_model *model,
                                                const sinew_task *tasks, int count,
                                                sinew_bank **bank, sinew_error *error);
/// May be NULL.
SINEW_API void sinew_bank_destroy(sinew_bank *bank);

/// How many postures it holds.
SINEW_API int sinew_bank_size(const sinew_bank *bank);

/// What it takes in memory [bytes]. With what making it takes, it is four times as much
/// for a while.
SINEW_API size_t sinew_bank_bytes(const sinew_bank *bank);

/// The postures whose effectors are nearest to the targets, nearest first. The index is
/// searched as far as pays: what it finds is near, and not always the very nearest.
/// @param targets one a task, finite numbers
/// @param indices want values
/// @return how many were found, at most want; fewer only where the bank is smaller
SINEW_API int sinew_bank_find(const sinew_bank *bank, const sinew_target *targets, int want,
                              int *indices);

/// q (nq) = a posture of the bank. Where the model's base floats, a joint of the root that
/// moves and turns without limits and carries all tasks, it is put where the effectors fit
/// the targets best; what is found is then told by how effectors stand to each other alone.
SINEW_API void sinew_bank_posture(const sinew_bank *bank, int index, const sinew_target *targets,
                                  double *q);

/// Which of the solutions is wanted.
typedef enum sinew_global_mode {
  SINEW_GLOBAL_FIRST = 0, ///< the first that is found: the quickest
  SINEW_GLOBAL_NEAREST,   ///< the nearest to the seed of all that are found
  SINEW_GLOBAL_BEST       ///< the one with the highest score of all that are found
} sinew_global_mode;

/// How a global solve is made. Start from sinew_default_global_def(). Tolerances, the clock
/// and its limit are the solver's; its method, damping, max_steps and max_attempts are not
/// looked at (but that the best of an unmet goal comes to rest by its method).
///
/// A search for more than the first solution makes further starts from what it has found: its
/// mirrors, an elbow or wrist the other way round, and towards the seed where the nearest is
/// wanted. It ends at max_attempts, or after 60 starts and one more a solution without news:
/// without a different solution, or one that is nearer or better by 1 %. Frozen joints and
/// those that no task can move keep their bits; distances are those of joints that take part.
typedef struct sinew_global_def {
  uint32_t cookie; ///< cookie and size: set by sinew_default_global_def(); leave them
  uint32_t size;
  sinew_global_mode mode;  ///< default FIRST
  int max_attempts;        ///< starts at most, >= 1; default 1000
  const sinew_bank *bank;  ///< made for the solver's model and tasks; NULL (default): none
  const double *distances; ///< NEAREST and solve_all: nv weights, 0 to 1e100, of |dq|^2; NULL
                           ///< (default): all 1. Whole turns are taken off where limits allow
  /// BEST: a score of q (nq), higher is better; NaN counts as the lowest. NULL (default):
  /// manipulability (Yoshikawa 1985) of the tasks' rows.
  double (*score)(void *context, const double *q);
  void *score_context; ///< handed to score
  double distinct;     ///< solve_all: solutions that differ by less in every joint, whole turns
                       ///< not looked at, are one [rad, or sizes of the model], > 0; default 0.01
  bool images;         ///< solve_all: solutions a whole turn apart count as well, as far as
                       ///< limits allow; joints without limits count once; default false
} sinew_global_def;

/// For other languages, whose structs have size bytes; C and C++ have sinew_default_global_def().
SINEW_API void sinew_global_def_init(sinew_global_def *def, size_t size);

static inline sinew_global_def sinew_default_global_def(void) {
  sinew_global_def def;
  sinew_global_def_init(&def, sizeof def);
  return def;
}

/// Solves from everywhere. Out of reach, q is the best that was found, and within 2 % of it
/// the one from the seed; OUT_OF_REACH is only said where it is proven, after three attempts.
/// @param def NULL: the defaults
/// @param targets count of them, one a task
/// @param q nq values: the seed, and the answer, within the limits
/// @param report may be NULL; steps counts those of all attempts
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT or SINEW_ERROR_NOT_FINITE (q stays)
SINEW_MUST_CHECK sinew_result sinew_solver_solve_global(sinew_solver *solver,
                                                        const sinew_global_def *def,
                                                        const sinew_target *targets, int count,
                                                        double *q, sinew_report *report);

/// All different solutions that are found, nearest to the seed first; of more than capacity,
/// the nearest. A search proves no completeness: a solution that few starts lead to may be
/// missed. All of a six-joint arm take some 600 updates, and in 1000 poses of a UR5 away from
/// singularities none was missed that 5000 restarts find. Where solutions are no points (more
/// joints than the tasks need), these are samples of them, and the search ends with the
/// capacity.
/// @param seed nq values, none of them among the solutions
/// @param capacity of solutions, >= 1
/// @param solutions capacity x nq values, row-major; rows from *found on are not written
/// @param found how many; where it is capacity there may be more
/// @param report may be NULL; of the search: CONVERGED where there is one at least
/// @return as sinew_solver_solve_global()
SINEW_MUST_CHECK sinew_result sinew_solver_solve_all(
    sinew_solver *solver, const sinew_global_def *def, const sinew_target *targets, int count,
    const double *seed, int capacity, double *solutions, int *found, sinew_report *report);

#ifdef __cplusplus
}
#endif
#endif
