// Any bytes as an NPY: the reader refuses them with a message, or returns a table whose numbers are
// inside the file and whose header is the same after it has been written and read again.
#include "sinew/formats.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) {
  if (!holds) {
    abort();
  }
}

// Reads all numbers that the bytes contain.
static void read_values(const sinew_npy *npy, const uint8_t *data, size_t size) {
  size_t count = (size - npy->data) / (size_t)npy->value_size;
  const uint64_t numbers = npy->rows * npy->columns;
  count = numbers < count ? (size_t)numbers : count;
  double *values = malloc(count * sizeof(double) + 1);
  require(values != NULL);
  sinew_npy_read_values(npy, data + npy->data, count, values);
  if (npy->value_size == 8) {
    sinew_npy_write_values(values, count, values);
    require(memcmp(values, data + npy->data, 8 * count) == 0);
  }
  free(values);
}

static void write_and_read(const sinew_npy *npy) {
  char head[SINEW_NPY_HEADER_SIZE];
  sinew_npy again;
  sinew_npy_write_header(npy->rows, npy->columns, head);
  sinew_result result = sinew_npy_read_header(head, sizeof head, NULL, &again, NULL);
  // As <f8 the table may be larger than any file.
  require(result == SINEW_OK || (npy->value_size == 4 && result == SINEW_ERROR_TOO_LARGE));
  require(result != SINEW_OK || (again.rows == npy->rows && again.columns == npy->columns));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sinew_npy npy;
  sinew_error error;
  memset(&error, 0, sizeof error);
  sinew_result result = sinew_npy_read_header(data, size, "fuzz.npy", &npy, &error);
  if (result == SINEW_OK) {
    require(npy.data <= size && npy.data <= SINEW_NPY_MAX_HEADER);
    require(npy.value_size == 4 || npy.value_size == 8);
    require(npy.columns == 0 ||
            npy.rows <= (uint64_t)INT64_MAX / npy.columns / (uint64_t)npy.value_size);
    read_values(&npy, data, size);
    write_and_read(&npy);
  } else {
    require(error.code == result && error.message[0] != '\0');
    require(npy.rows == 0 && npy.columns == 0 && npy.data == 0);
  }
  return 0;
}
