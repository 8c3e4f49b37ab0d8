// Fingerprints of results: one line a case, NAME HASH COUNT, where HASH is of the bits of all
// numbers that the case computes and COUNT is their number. Cases are fixed, seeded and call the
// public interface only, so that two versions of the library can be compared bit by bit; see
// tools/same-bits.
#include "bench/fingerprint/cases.h"
#include "bench/fingerprint/record.h"
#include "bench/fingerprint/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SINEW_MODELS_DIR
#define SINEW_MODELS_DIR "models"
#endif

static const char usage[] =
    "usage: fingerprint [--list | --print] [--models DIR] [--shared DIR] [CASE ...]\n"
    "Runs cases and prints a line for each: NAME HASH COUNT. HASH is of the bits of all\n"
    "numbers that the case computes, COUNT is their number. HASH is 'skipped'\n"
    "where this processor cannot run the case. CASE is a glob, or the first parts of a\n"
    "name (update/y of update/y/default); without one all cases are run.\n"
    "  --list        prints names only\n"
    "  --print       prints a line for each number instead: NAME STEP LABEL INDEX VALUE\n"
    "  --models DIR  where arm6.urdf, arm7.urdf and humanoid.bvh are\n"
    "                (default " SINEW_MODELS_DIR ")\n"
    "  --shared DIR  the folder of optional test data: also cases with its robots and clips\n"
    "  --help        prints this\n"
    "Exit code 0: all cases were run; 2: wrong usage, no such case, or a call failed.\n";

int main(int argc, char **argv) {
  record_mode mode = RECORD_HASHES;
  const char *models = SINEW_MODELS_DIR, *shared = NULL;
  int i = 1;
  for (; i < argc && strncmp(argv[i], "--", 2) == 0; ++i) {
    if (strcmp(argv[i], "--list") == 0) {
      mode = RECORD_NAMES;
    } else if (strcmp(argv[i], "--print") == 0) {
      mode = RECORD_VALUES;
    } else if (strcmp(argv[i], "--models") == 0 && i + 1 < argc) {
      models = argv[++i];
    } else if (strcmp(argv[i], "--shared") == 0 && i + 1 < argc) {
      shared = argv[++i];
    } else {
      const bool help = strcmp(argv[i], "--help") == 0;
      fputs(usage, help ? stdout : stderr);
      return help ? 0 : 2;
    }
  }
  record_choose(mode, argv + i, argc - i);
  subject_folders(models, shared);
  kinematics_cases();
  update_cases();
  solve_cases();
  batch_cases();
  crowd_cases();
  shared_cases();
  if (record_count() == 0) {
    fputs("fingerprint: there is no such case; see --list\n", stderr);
    return 2;
  }
  return 0;
}
