// Global solves for which bench_arms has no other program to compare with: all solutions of an
// arm's poses, and whole bodies.
//
//   bench_global [--count N] [--attempts N] [--restarts N] [--random-seed N] [--references FOLDER]
//                [solutions URDF[,LINK] ...]
//   bench_global [...] bodies URDF LINK[,LINK...] [URDF LINK[,LINK...] ...]
//   bench_global [...] nearest FILE.csv | make-nearest FILE.csv
//   bench_global [...] soft
//   bench_global [...] stars
//   bench_global [...] trunks
//   bench_global [...] learned|learned-floating MODEL LINK[,LINK...] NETWORK
//   bench_global [...] limbs [URDF LINK[,LINK...] ...]
//
// solutions: poses of an arm of six joints, against the set that as many restarts find as
// --restarts says: solutions.h.
//
// bodies: the figure has a floating base; the targets are the links' poses in a random
// configuration within the limits, the start is another one or the middle of the limits. Every
// result is checked by forward kinematics.
//
// nearest: targets that cannot be met, against a stored reference, which make-nearest writes:
// nearest.h.
//
// soft: --count poses of each of the ten arms of the optional data, without soft tasks and with
// them: soft.h.
//
// stars: made figures of several limbs on a fixed base, --count sets of poses in all: limbs.h.
//
// trunks: the same on a trunk of one and of three joints.
//
// limbs: the robots given, or four-limbed humanoids of the optional data, each on its fixed and on
// a floating base, from random starts.
//
// learned: a network that tools/train-network has trained, against a bank of as many bytes:
// learned.h.
//
// Without any: ur5 of the optional data (folder SINEW_SHARED_DIR, else ../shared), else arm6;
// and two humanoids of that data.
#include "bench/figure.h"
#include "bench/learned.h"
#include "bench/limbs.h"
#include "bench/nearest.h"
#include "bench/soft.h"
#include "bench/solutions.h"
#include "scenes/expect.h"
#include "scenes/optional_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SINEW_MODELS_DIR
#define SINEW_MODELS_DIR "models"
#endif

const char bench_program[] = "bench_global";
bench_options options = {.count = 100, .attempts = 0, .restarts = 5000, .random_seed = 1};

// ---------------------------------------------------------------------- bodies

// One problem, from the same start in every round.
static double solve_body(figure *f, const sinew_global_def *def, const sinew_target *targets,
                         const double *start, double *q, sinew_report *report) {
  double times[ROUNDS];
  for (int round = 0; round < ROUNDS; ++round) {
    memcpy(q, start, (size_t)f->nq * sizeof *q);
    const double begin = now();
    sinew_expect_ok(sinew_solver_search(f->solver, def, targets, f->count, q, report));
    times[round] = now() - begin;
  }
  return median_of(times);
}

static void bench_start(figure *f, bool random) {
  double *seconds = take((size_t)options.count, sizeof *seconds);
  double *q = take(2 * (size_t)f->nq, sizeof *q), *start = q + f->nq;
  sinew_global_def def = sinew_default_global_def();
  int solved = 0, false_ones = 0;
  double steps = 0.0;
  def.bank = f->bank;
  def.max_starts = options.attempts > 0 ? options.attempts : def.max_starts;
  sinew_configuration_middle(f->model, start);
  for (int i = 0; i < options.count; ++i) {
    sinew_target targets[MOST_TASKS];
    sinew_report report;
    sinew_configuration_random(f->model, options.random_seed, (uint64_t)i, q);
    set_targets_at(f, q, targets);
    if (random) {
      sinew_configuration_random(f->model, ~options.random_seed, (uint64_t)i, start);
    }
    seconds[i] = solve_body(f, &def, targets, start, q, &report);
    const bool good = is_true(f, q, targets) && is_within(f->model, q);
    solved += good && report.outcome == SINEW_OUTCOME_CONVERGED;
    false_ones += !good && report.outcome == SINEW_OUTCOME_CONVERGED;
    steps += report.steps;
  }
  printf("  start %-7s solved %.2f %%, %d false, %.1f steps, ", random ? "random" : "middle",
         100.0 * solved / options.count, false_ones, steps / options.count);
  print_times(seconds, options.count);
  printf("\n");
  free(q);
  free(seconds);
}

static void bench_body(const char *path, const char *links) {
  figure f;
  char name[128];
  char file[SHOWN], tips[SHOWN];
  printf("\nFloating: %s, %s\n", shown(path, file), shown(links, tips));
  open_figure(&f, path, true);
  for (const char *at = links; at != NULL; at = strchr(at, ',')) {
    at += at != links; // past the comma
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
    add_task(&f, name);
  }
  create_solver(&f);
  bench_start(&f, true);
  bench_start(&f, false);
  close_figure(&f);
}

// ------------------------------------------------------------------------- main

static void bench_default(void) {
  static const struct {
    const char *file, *links;
  } bodies[] = {{"g1_29dof", "left_rubber_hand,right_rubber_hand,left_ankle_roll_link,"
                             "right_ankle_roll_link"},
                {"atlas_drake", "l_hand,r_hand,l_foot,r_foot"}};
  char path[4096];
  const bool is_there = optional_robot("arms", "ur5", path, sizeof path);
  bench_solutions(is_there ? path : SINEW_MODELS_DIR "/arm6.urdf");
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; ++i) {
    if (optional_robot("urdf", bodies[i].file, path, sizeof path)) {
      bench_body(path, bodies[i].links);
    }
  }
}

static void bench_both_bases(const char *path, const char *links) {
  bench_limbs(path, links, 0, options.count, options.random_seed);
  bench_limbs(path, links, 1, options.count, options.random_seed);
}

static void bench_humanoids(void) {
  static const struct {
    const char *file, *links;
  } bodies[] = {
      {"g1_29dof", "left_rubber_hand,right_rubber_hand,left_ankle_roll_link,right_ankle_roll_link"},
      {"atlas_drake", "l_hand,r_hand,l_foot,r_foot"},
      {"h1", "left_elbow_link,right_elbow_link,left_ankle_link,right_ankle_link"},
      {"nao", "l_gripper,r_gripper,l_sole,r_sole"},
      {"romeo", "l_gripper,r_gripper,l_sole,r_sole"},
      {"simple_humanoid", "l_wrist,r_wrist,l_ankle,r_ankle"}};
  char path[4096];
  printf("\nHumanoids, poses of hands and feet, random starts\n");
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; ++i) {
    if (optional_robot("urdf", bodies[i].file, path, sizeof path)) {
      bench_both_bases(path, bodies[i].links);
    }
  }
}

static const char usage[] =
    "usage: bench_global [--count N] [--attempts N] [--restarts N] [--random-seed N]\n"
    "           [--references FOLDER]\n"
    "           [solutions URDF[,LINK] ... | bodies URDF LINK[,LINK...] ... | nearest FILE |\n"
    "            learned|learned-floating MODEL LINK[,LINK...] NETWORK |\n"
    "            make-nearest FILE | soft | stars | trunks | limbs [URDF LINK[,LINK...] ...]]\n";

// Returns the index of the first argument that is not an option.
static int read_options(int argc, char **argv) {
  int i = 1;
  for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
    const int value = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--references") == 0) {
      options.references = argv[i + 1];
      continue;
    }
    if (strcmp(argv[i], "--count") == 0) {
      options.count = value;
    } else if (strcmp(argv[i], "--attempts") == 0) {
      options.attempts = value;
    } else if (strcmp(argv[i], "--restarts") == 0) {
      options.restarts = value;
    } else if (strcmp(argv[i], "--random-seed") == 0) {
      options.random_seed = (uint64_t)value;
    } else {
      break;
    }
  }
  if (options.count < 1 || (i < argc && strncmp(argv[i], "--", 2) == 0)) {
    fputs(usage, stderr);
    exit(2);
  }
  return i;
}

int main(int argc, char **argv) {
  int i = read_options(argc, argv);
  if (i == argc) {
    bench_default();
  } else if (strcmp(argv[i], "solutions") == 0 && i + 1 < argc) {
    while (++i < argc) {
      bench_solutions(argv[i]);
    }
  } else if (strcmp(argv[i], "bodies") == 0 && i + 2 < argc && (argc - i) % 2 == 1) {
    for (++i; i < argc; i += 2) {
      bench_body(argv[i], argv[i + 1]);
    }
  } else if (strcmp(argv[i], "nearest") == 0 && i + 2 == argc) {
    bench_nearest_compare(argv[i + 1]);
  } else if (strcmp(argv[i], "make-nearest") == 0 && i + 2 == argc) {
    bench_nearest_make(argv[i + 1], options.count, options.random_seed);
  } else if (strncmp(argv[i], "learned", 7) == 0 && i + 4 == argc) {
    bench_learned(argv[i + 1], argv[i][7] != '\0', argv[i + 2], argv[i + 3]);
  } else if (strcmp(argv[i], "soft") == 0 && i + 1 == argc) {
    bench_soft(options.count, options.random_seed);
  } else if (strcmp(argv[i], "stars") == 0 && i + 1 == argc) {
    bench_stars(0, options.count, options.random_seed);
  } else if (strcmp(argv[i], "trunks") == 0 && i + 1 == argc) {
    bench_stars(1, options.count, options.random_seed);
    bench_stars(3, options.count, options.random_seed);
  } else if (strcmp(argv[i], "limbs") == 0 && i + 1 == argc) {
    bench_humanoids();
  } else if (strcmp(argv[i], "limbs") == 0 && (argc - i) % 2 == 1) {
    for (++i; i < argc; i += 2) {
      bench_both_bases(argv[i], argv[i + 1]);
    }
  } else {
    fputs(usage, stderr);
    return 2;
  }
  return 0;
}
