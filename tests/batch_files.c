// Files of targets and results for tests of sinew batch.
#include "batch_files.h"

#include "fixtures.h"
#include "sinew/formats.h"

#include <sys/wait.h>
#include <unistd.h>

#define PATH_SIZE 1200
#define MOST_POSES 4000

const char *write_npy(const char *name, const double *values, size_t rows, size_t columns) {
  const char *path = scratch(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  char head[SINEW_NPY_HEADER_SIZE];
  sinew_npy_write_header(rows, columns, head);
  fwrite(head, 1, sizeof head, file);
  unsigned char bytes[8];
  for (size_t i = 0; i < rows * columns; ++i) {
    sinew_npy_write_values(values + i, 1, bytes);
    fwrite(bytes, 1, 8, file);
  }
  assert_int_equal(fclose(file), 0);
  return path;
}

static char *read_bytes(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    fail_msg("%s does not exist", path);
    return NULL;
  }
  size_t capacity = 1 << 20, piece;
  char *bytes = malloc(capacity);
  *size = 0;
  while ((piece = fread(bytes + *size, 1, capacity - *size, file)) > 0) {
    *size += piece;
    if (*size == capacity)
      bytes = realloc(bytes, capacity *= 2);
  }
  fclose(file);
  return bytes;
}

table read_npy(const char *path) {
  size_t size;
  char *bytes = read_bytes(path, &size);
  sinew_npy head;
  assert_ok(sinew_npy_read_header(bytes, size, path, &head, NULL));
  assert_int_equal(head.value_size, 8);
  table out = {(size_t)head.rows, (size_t)head.columns, NULL};
  assert_int_equal(size, head.data + 8 * out.rows * out.columns);
  out.values = malloc(8 * out.rows * out.columns + 8);
  sinew_npy_read_values(&head, bytes + head.data, out.rows * out.columns, out.values);
  free(bytes);
  return out;
}

const char *write_csv(const char *name, const char *header, const double *values, size_t rows,
                      size_t columns) {
  const char *path = scratch(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fprintf(file, "%s\n", header);
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < columns; ++k)
      fprintf(file, "%.17g%s", values[i * columns + k], k + 1 < columns ? "," : "\n");
  assert_int_equal(fclose(file), 0);
  return path;
}

const double *arm_poses(size_t rows) {
  static double poses[MOST_POSES * 7];
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  assert_true(rows <= MOST_POSES);
  for (size_t i = 0; i < rows; ++i) {
    double q[7];
    sinew_configuration_random(model, 55, i, q);
    const sinew_target target = target_at(model, &task, q);
    memcpy(poses + 7 * i, target.position, sizeof target.position);
    memcpy(poses + 7 * i + 3, target.rotation, sizeof target.rotation);
  }
  sinew_model_destroy(model);
  return poses;
}

bool same_files(const char *a, const char *b) {
  size_t size_a, size_b;
  char *bytes_a = read_bytes(a, &size_a), *bytes_b = read_bytes(b, &size_b);
  bool same = size_a == size_b && memcmp(bytes_a, bytes_b, size_a) == 0;
  free(bytes_a);
  free(bytes_b);
  return same;
}

const char *fresh(const char *name) {
  static const char *const endings[] = {"", ".partial", ".journal", ".journal.new"};
  const char *path = scratch(name);
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
    char whole[PATH_SIZE];
    snprintf(whole, sizeof whole, "%s%s", path, endings[i]);
    unlink(whole);
  }
  return path;
}

bool there(const char *path, const char *ending) {
  char whole[PATH_SIZE];
  snprintf(whole, sizeof whole, "%s%s", path, ending);
  return access(whole, F_OK) == 0;
}

result shell(const char *line) {
  char whole[8192];
  const char *out = scratch("shell-out"), *err = scratch("shell-err");
  setenv("SINEW", getenv("SINEW_PROGRAM"), 1);
  snprintf(whole, sizeof whole, "{ %s\n} >'%s' 2>'%s'", line, out, err);
  int status = system(whole);
  assert_true(WIFEXITED(status));
  result got = {.exit_code = WEXITSTATUS(status)};
  got.out = read_all(out);
  got.err = read_all(err);
  return got;
}
