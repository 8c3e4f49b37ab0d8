// The optional clips of ../shared/data and their facts in its MANIFEST.csv.
#include "bvh_shared.h"
#include "scenes/optional_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_FIELDS 16

char *bvh_read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return NULL;
  }
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
  if (text != NULL && fread(text, 1, (size_t)length, file) == (size_t)length) {
    text[length] = '\0';
    if (size != NULL) {
      *size = (size_t)length;
    }
  } else {
    free(text);
    text = NULL;
  }
  fclose(file);
  return text;
}

void bvh_shared_path(const char *name, char *path, size_t size) {
  snprintf(path, size, "%s/data/%s", optional_data_folder(), name);
}

char *bvh_read_shared(const char *name, size_t *size) {
  char path[1024];
  bvh_shared_path(name, path, sizeof path);
  return bvh_read_file(path, size);
}

// Splits a line of RFC 4180 in place; returns the number of fields.
static int split_csv(char *line, char *fields[MAX_FIELDS]) {
  int count = 0;
  char *in = line, *out = line;
  while (count < MAX_FIELDS) {
    fields[count++] = out;
    int quoted = *in == '"';
    in += quoted;
    while (*in != '\0' && (quoted || *in != ',')) {
      if (*in == '"' && in[1] == '"') {
        in++;
      } else if (*in == '"') {
        quoted = 0;
        in++;
        continue;
      }
      *out++ = *in++;
    }
    int last = *in == '\0';
    in++;
    *out++ = '\0';
    if (last) {
      break;
    }
  }
  return count;
}

static void parse_row(char *fields[MAX_FIELDS], bvh_manifest_row *row) {
  memset(row, 0, sizeof *row);
  snprintf(row->file, sizeof row->file, "%s", fields[0]);
  row->joints = atoi(fields[3]);
  row->dof = atoi(fields[4]);
  snprintf(row->types, sizeof row->types, "%s", fields[5]);
  snprintf(row->base, sizeof row->base, "%s", fields[6]);
  snprintf(row->tips, sizeof row->tips, "%s", fields[7]);
  assert_int_equal(sscanf(fields[10], "frames=%d dt=%lf", &row->frames, &row->frame_time), 2);
}

int bvh_manifest(const char *prefix, bvh_manifest_row *rows, int capacity) {
  char *text = bvh_read_shared("MANIFEST.csv", NULL);
  if (text == NULL) {
    print_message("skipped: no folder of real clips (SINEW_SHARED_DIR, else ../shared)\n");
    skip();
  }
  int count = 0;
  char *rest = NULL;
  for (char *line = strtok_r(text, "\r\n", &rest); line != NULL;
       line = strtok_r(NULL, "\r\n", &rest)) {
    char *fields[MAX_FIELDS];
    if (strncmp(line, prefix, strlen(prefix)) == 0 && count < capacity) {
      assert_true(split_csv(line, fields) > 10);
      parse_row(fields, &rows[count++]);
    }
  }
  free(text);
  assert_true(count > 0);
  return count;
}
