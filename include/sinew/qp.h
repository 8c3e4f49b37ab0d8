/// @file qp.h
/// A strictly convex quadratic program, as one step of inverse kinematics with limits is:
///
///   minimise   x^T H x / 2 - g^T x   over   lower <= x <= upper,  row_lower <= A x <= row_upper
///
/// It is solved by a dual active set on the factor of H, which starts from the active rows of the
/// last call. There always is a solution: rows that contradict each other yield, in a fixed order
/// and by the least amount.
/// Source: Goldfarb and Idnani 1983; Arnstrom, Bemporad, Axehill 2022; docs/quadratic_programs.md.
#ifndef SINEW_QP_H
#define SINEW_QP_H

#include "sinew/base.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The ranks of a solver's limits. Of rows that contradict each other the one with the largest rank
/// yields, and of several that have it the last one.
typedef enum sinew_qp_rank {
  SINEW_RANK_SPEED = 0,    ///< limits of speed: never, since a step of 0 obeys them
  SINEW_RANK_POSITION,     ///< limits of a joint's value
  SINEW_RANK_CONE,         ///< limits of swing and twist
  SINEW_RANK_CLEARANCE,    ///< distances that must be kept
  SINEW_RANK_POLYGON,      ///< a point over its support polygon
  SINEW_RANK_ACCELERATION, ///< limits of the change of speed
  SINEW_RANK_INTERVAL      ///< intervals of tasks
} sinew_qp_rank;

/// "speed", "position", "cone", "clearance", "polygon", "acceleration", "interval".
SINEW_API const char *sinew_qp_rank_string(sinew_qp_rank rank);

/// A quadratic program with its memory, for one thread.
typedef struct sinew_qp sinew_qp;

/// The vectors of a program. Rows are numbered: 0 to n - 1 the bounds of x, then those of A.
typedef struct sinew_qp_vectors {
  const double *g;             ///< n
  const double *lower, *upper; ///< n: lower <= upper, infinite where there is none; both NULL: none
  const double *row_lower, *row_upper; ///< one a row of A, likewise; NULL if there are no rows
  const unsigned char *rank;           ///< one a row, bounds included; NULL: all the same
} sinew_qp_vectors;

/// How a program was solved. Its arrays belong to the program, until its next call; one number a
/// row, bounds included.
typedef struct sinew_qp_report {
  const signed char *active; ///< -1: held at its lower end, 1: at its upper end, 0: not active
  const double *multiplier;  ///< H x = g - sum of multiplier times row; >= 0 at an upper end, <= 0
                             ///< at a lower end
  const double *yielded; ///< by how much it yields: > 0 above its upper end, < 0 below its lower
  int yielded_count;     ///< how many rows yield
  int changes;           ///< how many rows entered or left the active ones
  int solves;            ///< how many systems with H were solved
  bool finished;         ///< whether x is the solution; false only where rounding errors of an
                         ///< extremely ill-conditioned program keep the method from ending
} sinew_qp_report;

/// Creates a quadratic program. Nothing else allocates memory.
/// @param n variables, at least 1
/// @param row_count rows of A, at least 0
/// @param allocator may be NULL
/// @param error may be NULL
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT or SINEW_ERROR_MEMORY
SINEW_MUST_CHECK sinew_result sinew_qp_create(int n, int row_count,
                                              const sinew_allocator *allocator, sinew_qp **program,
                                              sinew_error *error);

/// @param program may be NULL
SINEW_API void sinew_qp_destroy(sinew_qp *program);

/// Factors H and copies A. To be called before the first solve; the active rows of the last solve
/// remain the start of the next.
/// @param H n x n, symmetric and positive definite, row-major; only its lower triangle is read
/// @param A row_count x n, row-major; NULL if there are no rows
/// @param error may be NULL
/// @return SINEW_OK, SINEW_ERROR_NOT_FINITE, or SINEW_ERROR_ARGUMENT if H is not positive definite;
///   the program is then as before
SINEW_MUST_CHECK sinew_result sinew_qp_set_matrices(sinew_qp *program, const double *H,
                                                    const double *A, sinew_error *error);

/// Solves the program.
/// @param x n; unchanged if the call fails
/// @param report may be NULL
/// @param error may be NULL
/// @return SINEW_OK, SINEW_ERROR_NOT_FINITE for a NaN, or for numbers so large that a sum
/// overflows,
///   or SINEW_ERROR_ARGUMENT before the first sinew_qp_set_matrices(), or where a row has no
///   value between its ends
SINEW_MUST_CHECK sinew_result sinew_qp_solve(sinew_qp *program, const sinew_qp_vectors *vectors,
                                             double *x, sinew_qp_report *report,
                                             sinew_error *error);

/// Forgets the active rows of the last solve.
SINEW_API void sinew_qp_reset(sinew_qp *program);

#ifdef __cplusplus
}
#endif
#endif
