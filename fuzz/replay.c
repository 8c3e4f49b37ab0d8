// Runs a fuzz target on each file of a folder, without a fuzzer, so that a fault that was found
// once does not return. Usage: replay_NAME FOLDER
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Reads a whole file and passes it in memory of exactly its size, so that a sanitizer detects an
// access after its end. Returns 0, or 1 if it cannot be read.
static int replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return 1;
  int failed = fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  uint8_t *data = length >= 0 ? malloc((size_t)length + (length == 0)) : NULL;
  if (data == NULL || failed || fread(data, 1, (size_t)length, file) != (size_t)length) {
    failed = 1;
  } else {
    (void)LLVMFuzzerTestOneInput(data, (size_t)length);
  }
  free(data);
  (void)fclose(file);
  return failed;
}

int main(int argc, char **argv) {
  DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
  if (folder == NULL) {
    (void)fprintf(stderr, "usage: replay FOLDER\n");
    return 2;
  }
  int count = 0;
  int failed = 0;
  for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    char path[4096];
    if (entry->d_name[0] == '.')
      continue;
    (void)snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
    printf("%s\n", path);
    (void)fflush(stdout);
    failed |= replay_file(path);
    count++;
  }
  (void)closedir(folder);
  printf("%d files\n", count);
  return failed || count == 0;
}
