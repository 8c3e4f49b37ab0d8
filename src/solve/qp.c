// Quadratic programs as objects of the public interface: their memory, and what they refuse. The
// method is that of step/qp.c.
#include "sinew/qp.h"
#include "base/error.h"
#include "math/ldlt.h"
#include "math/vector.h"
#include "simd/instruction_set.h"
#include "step/qp.h"

#include <string.h>

struct sinew_qp {
  sinew_allocator allocator;
  int n, row_count;
  bool ready; // H and A are set
  bool same;  // they have been solved with
  sinew_qp_functions functions;
  sinew_qp_dense dense;
  double *factor, *trial; // n x n: of H, and where the next is made
  double *A;
  double *x;
  sinew_qp_workspace workspace;
};

#ifdef SINEW_X86_64
extern const sinew_qp_functions sinew_qp_functions_of_set_avx2;
#endif

static sinew_qp_functions functions_of_this_processor(void) {
#ifdef SINEW_X86_64
  if (sinew_instruction_set_detect() >= SINEW_INSTRUCTION_SET_AVX2) {
    return sinew_qp_functions_of_set_avx2;
  }
#endif
  return sinew_qp_functions_of_set;
}

static void layout(sinew_arena *arena, sinew_qp *program) {
  const size_t n = (size_t)program->n, rows = (size_t)program->row_count;
  sinew_arena_take(arena, 1, sizeof *program);
  program->factor = sinew_arena_take(arena, n * n, sizeof(double));
  program->trial = sinew_arena_take(arena, n * n, sizeof(double));
  program->A = sinew_arena_take(arena, rows * n, sizeof(double));
  program->x = sinew_arena_take(arena, n, sizeof(double));
  sinew_qp_workspace_layout(arena, program->n, program->row_count, &program->workspace);
}

sinew_result sinew_qp_create(int n, int row_count, const sinew_allocator *allocator,
                             sinew_qp **program, sinew_error *error) {
  if (program == NULL || n < 1 || n > SINEW_QP_MOST || row_count < 0 || row_count > SINEW_QP_MOST) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                           "a program has 1 to %d variables and 0 to %d rows, not %d and %d, and "
                           "program must not be NULL",
                           SINEW_QP_MOST, SINEW_QP_MOST, n, row_count);
  }
  *program = NULL;
  sinew_qp head = {
      .allocator = sinew_allocator_complete(allocator), .n = n, .row_count = row_count};
  sinew_arena arena = {NULL, 0};
  layout(&arena, &head);
  sinew_qp *made = sinew_allocate(&head.allocator, arena.used);
  if (made == NULL) {
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL, "no memory for the program (%zu bytes)",
                           arena.used);
  }
  *made = head;
  arena = (sinew_arena){(unsigned char *)made, 0};
  layout(&arena, made);
  made->functions = functions_of_this_processor();
  *program = made;
  return SINEW_OK;
}

void sinew_qp_destroy(sinew_qp *program) {
  if (program != NULL) {
    const sinew_allocator allocator = program->allocator;
    sinew_release(&allocator, program);
  }
}

static bool all_finite(size_t count, const double *values) {
  double most = 0.0;
  for (size_t i = 0; i < count; ++i) {
    most += 0.0 * values[i];
  }
  return most == 0.0;
}

sinew_result sinew_qp_set_matrices(sinew_qp *program, const double *H, const double *A,
                                   sinew_error *error) {
  SINEW_ASSERT(program != NULL && H != NULL && (A != NULL || program->row_count == 0));
  const size_t n = (size_t)program->n, entries = (size_t)program->row_count * n;
  for (size_t i = 0; i < n; ++i) {
    if (!all_finite(i + 1, H + i * n)) {
      return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                             "row %zu of H has an entry that is not a finite number", i);
    }
  }
  if (!all_finite(entries, A)) {
    return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                           "A has an entry that is not a finite number");
  }
  if (!program->functions.factor(program->n, H, 0.0, program->trial)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "H is not positive definite");
  }
  double *made = program->trial;
  program->trial = program->factor;
  program->factor = made;
  program->dense = (sinew_qp_dense){program->n, made};
  if (entries > 0) {
    memcpy(program->A, A, entries * sizeof *A);
  }
  program->ready = true;
  program->same = false;
  return SINEW_OK;
}

// Row i's ends: numbers with a value between them.
static sinew_result check_ends(int i, double lower, double upper, sinew_error *error) {
  if (lower != lower || upper != upper) {
    return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL, "an end of row %d is not a number",
                           i);
  }
  if (lower > upper || lower == INFINITY || upper == -INFINITY) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                           "row %d has no value between %g and %g", i, lower, upper);
  }
  return SINEW_OK;
}

static sinew_result check(const sinew_qp *program, const sinew_qp_vectors *vectors,
                          sinew_error *error) {
  sinew_result result = SINEW_OK;
  if (!program->ready) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "the program has no matrices yet");
  }
  if (vectors == NULL || vectors->g == NULL ||
      (vectors->lower == NULL) != (vectors->upper == NULL) ||
      (program->row_count > 0 && (vectors->row_lower == NULL || vectors->row_upper == NULL))) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "a vector of the program is NULL");
  }
  if (!all_finite((size_t)program->n, vectors->g)) {
    return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                           "g has an entry that is not a finite number");
  }
  for (int j = 0; vectors->lower != NULL && result == SINEW_OK && j < program->n; ++j) {
    result = check_ends(j, vectors->lower[j], vectors->upper[j], error);
  }
  for (int i = 0; result == SINEW_OK && i < program->row_count; ++i) {
    result = check_ends(program->n + i, vectors->row_lower[i], vectors->row_upper[i], error);
  }
  return result;
}

sinew_result sinew_qp_solve(sinew_qp *program, const sinew_qp_vectors *vectors, double *x,
                            sinew_qp_report *report, sinew_error *error) {
  SINEW_ASSERT(program != NULL && x != NULL);
  const sinew_result result = check(program, vectors, error);
  sinew_qp_workspace *work = &program->workspace;
  if (result != SINEW_OK) {
    return result;
  }
  const sinew_qp_data data = {.n = program->n,
                              .row_count = program->row_count,
                              .H = {program->functions.solve_dense, &program->dense},
                              .g = vectors->g,
                              .lower = vectors->lower,
                              .upper = vectors->upper,
                              .rows = program->A,
                              .row_lower = vectors->row_lower,
                              .row_upper = vectors->row_upper,
                              .rank = vectors->rank,
                              .same = program->same};
  program->functions.minimise(&data, work, program->x);
  program->same = true;
  const size_t rows = (size_t)program->n + (size_t)program->row_count;
  if (!all_finite((size_t)program->n, program->x) || !all_finite(rows, work->multiplier) ||
      !all_finite(rows, work->yielded)) {
    sinew_qp_reset(program);
    return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                           "the program's numbers are so large that sums overflow");
  }
  memcpy(x, program->x, (size_t)program->n * sizeof *x);
  if (report != NULL) {
    *report = (sinew_qp_report){.active = work->active,
                                .multiplier = work->multiplier,
                                .yielded = work->yielded,
                                .yielded_count = work->yielded_count,
                                .changes = work->changes,
                                .solves = work->solves,
                                .finished = work->finished};
  }
  return SINEW_OK;
}

static const char *const rank_names[] = {"speed",   "position",     "cone",    "clearance",
                                         "polygon", "acceleration", "interval"};

const char *sinew_qp_rank_string(sinew_qp_rank rank) {
  const int i = (int)rank;
  return i >= 0 && i < (int)(sizeof rank_names / sizeof rank_names[0]) ? rank_names[i] : "unknown";
}

void sinew_qp_reset(sinew_qp *program) {
  SINEW_ASSERT(program != NULL);
  memset(program->workspace.active, 0, (size_t)program->n + (size_t)program->row_count);
  program->same = false;
}
