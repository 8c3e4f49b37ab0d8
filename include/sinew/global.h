/// @file global.h
/// Searches the whole configuration space for joint values.
///
/// sinew_solver_solve_local() runs a local solver from one seed first. sinew_solver_search() runs
/// it from many: the caller's seed, the nearest postures of a ::sinew_bank, then points of a
/// low-discrepancy sequence, several at once in SIMD lanes. Attempts that make little progress are
/// stopped early. The search ends as soon as it has what was asked for. Deterministic unless the
/// time limit ends it.
#ifndef SINEW_GLOBAL_H
#define SINEW_GLOBAL_H

#include "sinew/network.h"
#include "sinew/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Stored postures, indexed by the end-effector poses that they give. Created once for a model and
/// its tasks; immutable; any number of threads may share it.
///
/// The distance between two postures is that of their end effectors: the square root of the sum,
/// over the tasks, of |dp / s|^2 for a point, where s is 5/4 of the root mean square distance of
/// the point from its mean over all postures, and of sin^2(a / 2) for a rotation or an axis, where
/// a is the angle between the two. Free axes do not count: with one free rotation axis only the
/// direction of that axis of the target counts, with two no rotation does; a point with a free axis
/// does not count. Only about the first 20 tasks are used.
///
/// 16384 postures of an arm of seven joints take 0.51 MB, and 9 ms to create on a processor of
/// 2023. A look-up of one posture takes 80 ns and of eight 170 ns; with 65536 postures 90 and 190
/// ns. The look-up is approximate: on average the first posture found is 25 % further away than the
/// nearest.
typedef struct sinew_bank sinew_bank;

typedef struct sinew_bank_def {
  uint32_t cookie; ///< cookie and size: set by sinew_default_bank_def(); leave them
  uint32_t size;
  int postures;         ///< how many, 1 to 2^24; default 16384
  uint64_t random_seed; ///< of the sequence of postures; default 1
  sinew_allocator allocator;
} sinew_bank_def;

/// For bindings to other languages; in C and C++ use sinew_default_bank_def().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_bank_def_init(sinew_bank_def *def, size_t size);

static inline sinew_bank_def sinew_default_bank_def(void) {
  sinew_bank_def def;
  sinew_bank_def_init(&def, sizeof def);
  return def;
}

/// Fills a bank with postures spread within the limits: points of a low-discrepancy sequence,
/// at least 1/25 of the range away from either limit, since attempts that start at a limit
/// converge less often, and within one revolution where limits allow more.
/// @param model is not copied and must outlive the bank
/// @param tasks count of them, the same as of the solver that will use it, without those below
/// level
///   0 or not required; copied
/// @param error may be NULL
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT, SINEW_ERROR_INDEX, SINEW_ERROR_NOT_FINITE or
///   SINEW_ERROR_MEMORY
SINEW_MUST_CHECK sinew_result sinew_bank_create(const sinew_bank_def *def, const sinew_model *model,
                                                const sinew_task *tasks, int count,
                                                sinew_bank **bank, sinew_error *error);
/// May be NULL.
SINEW_API void sinew_bank_destroy(sinew_bank *bank);

/// The number of postures.
SINEW_API int sinew_bank_size(const sinew_bank *bank);

/// Its memory [bytes]. Creating it temporarily takes four times as much.
SINEW_API size_t sinew_bank_bytes(const sinew_bank *bank);

/// The postures whose end effectors are nearest to the targets, nearest first. The search is
/// approximate: it returns near postures, not always the nearest.
/// @param targets one for each task, finite numbers
/// @param indices receives up to want values
/// @return the number found: want, or the bank's size if that is smaller
SINEW_API int sinew_bank_find(const sinew_bank *bank, const sinew_target *targets, int want,
                              int *indices);

/// q (nq) = a posture of the bank. If the model has a floating base (a joint of the root that
/// translates and rotates without limits and carries all tasks), the base is placed so that the end
/// effectors fit the targets best; postures are then compared by the relative poses of the end
/// effectors only.
SINEW_API void sinew_bank_posture(const sinew_bank *bank, int index, const sinew_target *targets,
                                  double *q);

/// Which solution is returned.
typedef enum sinew_global_mode {
  SINEW_GLOBAL_FIRST = 0, ///< the first found: the fastest
  SINEW_GLOBAL_NEAREST,   ///< the nearest to the seed of those found
  SINEW_GLOBAL_BEST       ///< the one with the highest score of those found
} sinew_global_mode;

/// Settings of a global solve. Start from sinew_default_global_def(). Tolerances, the clock and
/// the time limit are the solver's. The solver's damping, max_steps and max_starts are not used;
/// its method only refines the best attempt if none converges.
///
/// A search for more than the first solution also starts from mirror images of solutions (elbow or
/// wrist flipped) and, for NEAREST, between a solution and the seed. It ends at max_starts, or
/// after 60 + s consecutive attempts, s the number of known solutions, that found neither a new
/// solution nor one that is nearer or better by 1 %; of sinew_solver_solve_all() after 30 + s, or
/// 200 + s where some are known to be missing (docs/global.md). Frozen joints, and those that no
/// task can move, do not change at all; distances are over active joints.
typedef struct sinew_global_def {
  uint32_t cookie; ///< cookie and size: set by sinew_default_global_def(); leave them
  uint32_t size;
  sinew_global_mode mode; ///< default FIRST
  int max_starts;         ///< most attempts, >= 1; default 1000
  const sinew_bank *bank; ///< made for the solver's model and tasks; NULL (default): none
  /// Gives starts as the bank does, first from the caller's seed, then from others; before the
  /// bank's, where there are both. Made for the solver's model and tasks; NULL (default): none.
  const sinew_network *network;
  const double *distances; ///< NEAREST and solve_all: nv weights, 0 to 1e100, of |dq|^2; NULL
                           ///< (default): all 1. Whole revolutions are removed where limits allow
  /// BEST: a score of q (nq), higher is better; NaN counts as the lowest. NULL (default):
  /// manipulability (Yoshikawa 1985) of the tasks' rows; where levels below 0 are in use, the
  /// solution that meets level 1 best, of such the one that meets level 2 best, and so on.
  double (*score)(void *context, const double *q);
  void *score_context; ///< passed to score
  /// Whether a solution q (nq) is accepted; others are not solutions, and the search goes on.
  /// Called after the descent of lower levels (docs/levels.md). If it accepts none the outcome is
  /// REJECTED, and q the last of them. Not of solve_all. NULL (default): all are.
  bool (*accept)(void *context, const double *q);
  void *accept_context; ///< passed to accept
  double distinct;      ///< solve_all: solutions that differ by less than this in every joint, not
                        ///< counting whole revolutions, are the same; [rad], of prismatic joints
                        ///< in units of the figure's size (sinew_task); > 0; default 0.01
  bool images;          ///< solve_all: solutions that differ by whole revolutions count as well, as
                        ///< far as limits allow, up to 1e5 rad from 0; not for joints without
                        ///< limits; default false
  /// solve_all of an arm whose first three and last three axes meet in a point each: only the
  /// solutions with this angle [rad] of the elbow about the line from shoulder to wrist, from where
  /// the elbow is in the plane of that line and the first axis. NULL (default): a grid of angles.
  const double *swivel;
} sinew_global_def;

/// For bindings to other languages; in C and C++ use sinew_default_global_def().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_global_def_init(sinew_global_def *def, size_t size);

static inline sinew_global_def sinew_default_global_def(void) {
  sinew_global_def def;
  sinew_global_def_init(&def, sizeof def);
  return def;
}

/// Searches the whole configuration space. If no attempt converges, q is the nearest that local
/// solves from up to 20 more starts find, or one from the caller's seed if its squared error is at
/// most about 2 % larger. OUT_OF_REACH is reported only if it is proven.
/// @param def NULL: the defaults
/// @param targets count of them, one for each task
/// @param q nq values: the seed, and the answer, within the limits
/// @param report may be NULL; steps counts those of all attempts
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT or SINEW_ERROR_NOT_FINITE (q stays)
SINEW_MUST_CHECK sinew_result sinew_solver_search(sinew_solver *solver, const sinew_global_def *def,
                                                  const sinew_target *targets, int count, double *q,
                                                  sinew_report *report);

/// All different solutions found, nearest to the seed first; if there are more than capacity, the
/// nearest. The search is not exhaustive: a solution that few seeds lead to may be missed. Finding
/// all solutions of a six-joint arm takes about 600 updates and misses hardly any, near
/// singularities as well (docs/global.md). Where there are as many rows as degrees of freedom,
/// solutions are refined to rounding, so that none is returned twice. With redundancy (more joints
/// than the tasks need) solutions are not isolated; these are then samples, and the search ends
/// when capacity is reached. Arms with six joints that have a closed form return all solutions, and
/// those with seven all at 64 values of one coordinate (docs/closed_forms.md): see completeness in
/// the report. Limbs whose tasks share no active joint are solved apart, and all combinations of
/// their solutions are returned, of each limb the 16 nearest at most; a limb without a solution
/// leaves none.
/// @param seed nq values, not changed; among the solutions only if it meets the targets
/// @param capacity of solutions, >= 1
/// @param solutions capacity x nq values, row-major; rows from *found on are not written, but where
///   several limbs are solved apart and one has no solution
/// @param found the number of solutions; if it is capacity there may be more
/// @param report may be NULL; of the search: CONVERGED if at least one was found
/// @return as sinew_solver_search()
SINEW_MUST_CHECK sinew_result sinew_solver_solve_all(
    sinew_solver *solver, const sinew_global_def *def, const sinew_target *targets, int count,
    const double *seed, int capacity, double *solutions, int *found, sinew_report *report);

/// The family of arms with a closed form that the chain of the solver's task belongs to, in words:
/// "6 joints, axes 4 to 6 meet". It is recognized from the axes of the joints that the task moves
/// (docs/closed_forms.md).
/// @param q nq values, of which only those of frozen joints count
/// @return a constant string; NULL: none
SINEW_API const char *sinew_solver_family(sinew_solver *solver, const double *q);

/// The same for a chain that is at most 1e-4 away from a family, as of a file with rounded angles:
/// the family's solutions then lead to its own, and no set of solutions is called complete.
/// @param deviation how far the axes are from meeting, as a share of the arm's size, or from
///   parallel [rad]; not written if there is none; may be NULL
/// @return a constant string; NULL: none. A member of a family is nearly one, too
SINEW_API const char *sinew_solver_nearby_family(sinew_solver *solver, const double *q,
                                                 double *deviation);

/// Signs that a branch has at most.
#define SINEW_BRANCH_SIGNS 3

/// The branch of a configuration: which of the solutions of an arm with a closed form it is. Each
/// sign tells the two solutions of some of the joints apart. It changes only where the arm crosses
/// a singularity.
typedef struct sinew_branch {
  int count;                     ///< of signs; 0: the chain has no closed form
  int signs[SINEW_BRANCH_SIGNS]; ///< 1 or -1; 0: at the singularity between both, to 1e-9
  /// Constant strings: "shoulder", "elbow" and "wrist", from the root; "arm" where all joints but
  /// those of one group have one sign.
  const char *names[SINEW_BRANCH_SIGNS];
  /// Constant strings, for 1 and -1: "left" and "right", "up" and "down", "no flip" and "flip",
  /// else "positive" and "negative"; for 0 "singular". docs/closed_forms.md has the definitions.
  const char *words[SINEW_BRANCH_SIGNS];
  bool distinct; ///< no two solutions of a pose have the same signs; of an arm with seven joints,
                 ///< at one value of the coordinate that solutions are sampled along
} sinew_branch;

/// The branch of a configuration of the chain of the solver's task.
/// @param q nq finite values
/// @return SINEW_OK, or SINEW_ERROR_NOT_FINITE with a count of 0
SINEW_MUST_CHECK sinew_result sinew_solver_branch(sinew_solver *solver, const double *q,
                                                  sinew_branch *branch);

/// Whether searches and batches compute several attempts at the solver's present tasks at once in
/// SIMD lanes. They do not for kinds of tasks, joints and objectives that lanes do not have, lower
/// levels, influences, models too large for the lanes' memory, and where sinew_solver_def.lanes
/// is -1; then attempts are computed one after the other, with the same outcomes.
SINEW_API bool sinew_solver_in_lanes(sinew_solver *solver);

#ifdef __cplusplus
}
#endif
#endif
