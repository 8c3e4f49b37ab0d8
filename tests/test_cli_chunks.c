// The chunks of sinew batch: which rows an interrupted run has finished.
#include "batch_files.h"

#include "near.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define ARM "models/arm7.urdf"

// A row of a NPY: its values, and the header before the first.
#define VALUES 11
#define HEADER 128

// The next row according to the journal.
static double recorded_row(const char *out) {
  char path[1200];
  snprintf(path, sizeof path, "%s.journal", out);
  json_error_t error;
  json_t *root = json_load_file(path, 0, &error);
  assert_non_null(root);
  const double row = number_of(json_object_get(root, "mark"), "row");
  json_decref(root);
  return row;
}

// Runs a batch that can write so many rows and no more: a limit on the size of files is as a full
// disk.
static void fill_disk(char *const *words, size_t rows, const char *kept) {
  struct rlimit before, less;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  less = before;
  less.rlim_cur = HEADER + rows * VALUES * sizeof(double);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
  result got = run_words(words);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  expect_refusal(got, "File too large", kept);
}

// A file of so many targets: the same hundred poses again and again.
static const char *many_poses(const char *name, size_t rows) {
  double *values = malloc(rows * 7 * sizeof(double));
  assert_non_null(values);
  const double *poses = arm_poses(100);
  for (size_t i = 0; i < rows; ++i)
    memcpy(values + 7 * i, poses + 7 * (i % 100), 7 * sizeof(double));
  const char *path = write_npy(name, values, rows, 7);
  free(values);
  return path;
}

// Rows count as finished at the end of each chunk and never within one: in a run and in one that
// resumes it, each of which begins with blocks that are smaller than a chunk.
// req: F3
static void rows_are_finished_by_whole_chunks(void **state) {
  (void)state;
  const char *targets = many_poses("chunks.npy", 9500);
  const char *straight = fresh("straight.npy"), *out = fresh("out.npy");
  char *words[] = {W("sinew"),     W("batch"), W(ARM),       W("--tip"), W("flange"),
                   W("--targets"), W(targets), W("--chunk"), W("3000"),  W("--out"),
                   W(straight),    NULL,       NULL};
  result got = run_words(words);
  assert_int_equal(got.exit_code, 0);
  release(&got);
  words[10] = W(out);
  fill_disk(words, 5500, "the rows before 3000 are kept");
  assert_true(recorded_row(out) == 3000.0);
  words[11] = W("--resume");
  fill_disk(words, 5500, "the rows before 3000 are kept");
  assert_true(recorded_row(out) == 3000.0);
  fill_disk(words, 9200, "the rows before 9000 are kept");
  assert_true(recorded_row(out) == 9000.0);
  got = run_words(words);
  assert_int_equal(got.exit_code, 0);
  release(&got);
  assert_true(same_files(straight, out));
}

// The least chunk is one row.
static void each_row_can_be_a_chunk(void **state) {
  (void)state;
  const char *targets = many_poses("single.npy", 40), *out = fresh("single-out.npy");
  char *words[] = {W("sinew"), W("batch"),   W(ARM), W("--tip"), W("flange"), W("--targets"),
                   W(targets), W("--chunk"), W("1"), W("--out"), W(out),      NULL};
  fill_disk(words, 20, "the rows before 20 are kept");
  assert_true(recorded_row(out) == 20.0);
}

// Before the first chunk is finished nothing is, and nothing is left.
static void less_than_a_chunk_leaves_nothing(void **state) {
  (void)state;
  const char *targets = many_poses("less.npy", 2500), *out = fresh("less-out.npy");
  char *words[] = {W("sinew"), W("batch"),   W(ARM),    W("--tip"), W("flange"), W("--targets"),
                   W(targets), W("--chunk"), W("2400"), W("--out"), W(out),      NULL};
  fill_disk(words, 2200, "less-out.npy: row ");
  assert_false(there(out, ""));
  assert_false(there(out, ".partial"));
  assert_false(there(out, ".journal"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_finished_by_whole_chunks),
      cmocka_unit_test(each_row_can_be_a_chunk),
      cmocka_unit_test(less_than_a_chunk_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
