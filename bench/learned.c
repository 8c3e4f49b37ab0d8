// Starts by a network against those by a bank of the same memory: see learned.h.
#include "bench/learned.h"
#include "bench/figure.h"
#include "scenes/expect.h"
#include "sinew/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Few starts tell how good they are; with 1000, all of them solve nearly all targets.
static const int starts[] = {4, 16, 1000};

static void open_model(figure *f, const char *path, bool floating) {
  sinew_document *document;
  sinew_error error = {0};
  sinew_read_def def = sinew_default_read_def();
  *f = (figure){0};
  def.floating_base = floating;
  require(sinew_document_open(path, &def, &document, &error), &error);
  require(sinew_model_create(&document->model, &f->model, &error), &error);
  sinew_document_destroy(document);
  f->nq = sinew_model_nq(f->model);
  require(sinew_state_create(f->model, NULL, &f->state, &error), &error);
}

static sinew_network *read_network(figure *f, const char *path) {
  sinew_error error = {0};
  sinew_network *network;
  char *bytes = take(SINEW_NETWORK_MAX_BYTES, 1);
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fail(path);
  }
  const size_t size = fread(bytes, 1, SINEW_NETWORK_MAX_BYTES, file);
  fclose(file);
  require(
      sinew_network_read(bytes, size, path, NULL, f->model, f->tasks, f->count, &network, &error),
      &error);
  free(bytes);
  return network;
}

// The bank of at most so many bytes.
static sinew_bank *bank_of_bytes(const figure *f, size_t bytes) {
  sinew_error error = {0};
  sinew_bank *bank = NULL;
  sinew_bank_def def = sinew_default_bank_def();
  for (int size = 1 << 18; size >= 1; size -= size / 32 > 0 ? size / 32 : 1) {
    def.postures = size;
    require(sinew_bank_create(&def, f->model, f->tasks, f->count, &bank, &error), &error);
    if (sinew_bank_bytes(bank) <= bytes) {
      break;
    }
    sinew_bank_destroy(bank);
    bank = NULL;
  }
  return bank;
}

static void measure(figure *f, const char *name, const sinew_global_def *def) {
  double *seconds = take((size_t)options.count, sizeof *seconds);
  double *start = take(2 * (size_t)f->nq, sizeof *start), *q = start + f->nq;
  double steps = 0.0;
  int solved = 0;
  for (int i = 0; i < options.count; ++i) {
    sinew_target targets[MOST_TASKS];
    sinew_report report;
    double times[ROUNDS];
    sinew_configuration_random(f->model, ~options.random_seed, 2 * (uint64_t)i, q);
    set_targets_at(f, q, targets);
    sinew_configuration_random(f->model, ~options.random_seed, 2 * (uint64_t)i + 1, start);
    for (int round = 0; round < ROUNDS; ++round) {
      memcpy(q, start, (size_t)f->nq * sizeof *q);
      const double begin = now();
      sinew_expect_ok(sinew_solver_search(f->solver, def, targets, f->count, q, &report));
      times[round] = now() - begin;
    }
    seconds[i] = median_of(times);
    solved += report.outcome == SINEW_OUTCOME_CONVERGED && is_true(f, q, targets);
    steps += report.steps;
  }
  printf("    %-8s solved %6.2f %%, %6.1f updates, ", name, 100.0 * solved / options.count,
         steps / options.count);
  print_times(seconds, options.count);
  putchar('\n');
  free(start);
  free(seconds);
}

static void compare(figure *f, const sinew_bank *bank, const sinew_network *network) {
  for (size_t k = 0; k < sizeof starts / sizeof starts[0]; ++k) {
    sinew_global_def def = sinew_default_global_def();
    def.max_starts = starts[k];
    printf("  at most %d starts\n", starts[k]);
    measure(f, "neither", &def);
    def.bank = bank;
    measure(f, "bank", &def);
    def.network = network;
    measure(f, "both", &def);
    def.bank = NULL;
    measure(f, "network", &def);
  }
}

void bench_learned(const char *model, bool floating, const char *links, const char *network) {
  figure f;
  sinew_error error = {0};
  sinew_solver_def def = sinew_default_solver_def();
  open_model(&f, model, floating);
  for (const char *at = links; at != NULL; at = strchr(at, ',')) {
    char name[128];
    at += at != links; // past the comma
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
    add_task(&f, name);
  }
  def.task_capacity = MOST_TASKS;
  def.tolerances.position = def.tolerances.orientation = TOLERANCE;
  require(sinew_solver_create(&def, f.model, &f.solver, &error), &error);
  require(sinew_solver_set_tasks(f.solver, f.tasks, f.count, &error), &error);
  sinew_network *net = read_network(&f, network);
  f.bank = bank_of_bytes(&f, sinew_network_bytes(net));
  char file[SHOWN], tips[SHOWN];
  printf("\n%s%s, %s: a network of %zu bytes, a bank of %d postures and %zu bytes\n",
         shown(model, file), floating ? " floating" : "", shown(links, tips),
         sinew_network_bytes(net), sinew_bank_size(f.bank), sinew_bank_bytes(f.bank));
  compare(&f, f.bank, net);
  sinew_network_destroy(net);
  close_figure(&f);
}
