// Makes the examples from which tools/train-network trains a network for a model:
//
//   network_examples [--count N] [--floating] [--positions] [--random-seed N] MODEL LINK[,LINK...]
//       > FILE
//
// An example is a solution for targets that can be met, from a configuration q0; both are random
// within the limits. The solution is the nearest to q0 that the search finds. With a floating base,
// or several links, it is the first. The file is the head of the network's file, the number of
// examples (8 bytes), and of each its inputs and outputs (float, little-endian).
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TASKS 16

typedef struct maker {
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  sinew_network *network;
  sinew_task tasks[MOST_TASKS];
  sinew_target targets[MOST_TASKS];
  int count;
  double *q, *q0;
  float *numbers;
} maker;

typedef struct settings {
  int count;
  bool floating, positions;
  uint64_t random_seed;
} settings;

// name: of a link; NULL: none
static void fail_of(const char *name, const char *text) {
  char line[4096];
  fputs("network_examples: ", stderr);
  if (name != NULL) {
    sinew_text_escape(name, SINEW_TEXT_PRINTED, line, sizeof line);
    fprintf(stderr, "%s: ", line);
  }
  sinew_text_escape(text, SINEW_TEXT_PRINTED, line, sizeof line);
  fprintf(stderr, "%s\n", line);
  exit(2);
}

static void fail(const char *text) {
  fail_of(NULL, text);
}

static void require(sinew_result result, const sinew_error *error) {
  if (result != SINEW_OK) {
    char text[1024];
    if (error->message[0] == '\0') {
      fail(sinew_result_string(result));
    }
    sinew_error_format(error, text, sizeof text);
    fail(text);
  }
}

static void open_model(maker *m, const char *path, const settings *set) {
  sinew_error error = {0};
  sinew_document *document = NULL;
  sinew_read_def read = sinew_default_read_def();
  read.floating_base = set->floating;
  require(sinew_document_open(path, &read, &document, &error), &error);
  require(sinew_model_create(&document->model, &m->model, &error), &error);
  sinew_document_destroy(document);
  require(sinew_state_create(m->model, NULL, &m->state, &error), &error);
}

static void add_tasks(maker *m, char *links, const settings *set) {
  for (char *link = strtok(links, ","); link != NULL; link = strtok(NULL, ",")) {
    sinew_task task = sinew_default_task();
    task.kind = set->positions ? SINEW_TASK_POSITION : SINEW_TASK_POSE;
    task.link = sinew_model_find_link(m->model, link);
    if (task.link < 0) {
      fail_of(link, "there is no such link");
    }
    if (m->count == MOST_TASKS) {
      fail_of(link, "there are too many links");
    }
    m->tasks[m->count++] = task;
  }
}

static void create_solver(maker *m) {
  sinew_error error = {0};
  sinew_solver_def def = sinew_default_solver_def();
  const size_t nq = (size_t)sinew_model_nq(m->model);
  def.task_capacity = MOST_TASKS;
  require(sinew_solver_create(&def, m->model, &m->solver, &error), &error);
  require(sinew_solver_set_tasks(m->solver, m->tasks, m->count, &error), &error);
  require(sinew_network_create(NULL, m->model, m->tasks, m->count, &m->network, &error), &error);
  m->q = calloc(2 * nq, sizeof *m->q);
  m->q0 = m->q + nq;
  m->numbers = calloc(2 * SINEW_NETWORK_MAX_WIDTH, sizeof *m->numbers);
  if (m->q == NULL || m->numbers == NULL) {
    fail("out of memory");
  }
}

static void set_targets(maker *m) {
  const sinew_error none = {0};
  require(sinew_state_forward(m->state, m->q), &none);
  for (int t = 0; t < m->count; ++t) {
    sinew_pose pose;
    require(sinew_state_link_pose(m->state, m->tasks[t].link, &pose), &none);
    m->targets[t] = sinew_default_target();
    memcpy(m->targets[t].position, pose.position, sizeof pose.position);
    memcpy(m->targets[t].rotation, pose.rotation, sizeof pose.rotation);
  }
}

// Example n; false: the search has found no solution.
static bool make(maker *m, const settings *set, uint64_t n) {
  sinew_report report;
  sinew_global_def def = sinew_default_global_def();
  const sinew_error none = {0};
  if (m->count == 1 && !set->floating) {
    def.mode = SINEW_GLOBAL_NEAREST;
    def.max_starts = 40;
  }
  sinew_configuration_random(m->model, set->random_seed, 2 * n, m->q);
  sinew_configuration_random(m->model, set->random_seed, 2 * n + 1, m->q0);
  set_targets(m);
  memcpy(m->q, m->q0, (size_t)sinew_model_nq(m->model) * sizeof *m->q);
  require(sinew_solver_search(m->solver, &def, m->targets, m->count, m->q, &report), &none);
  sinew_network_example(m->network, m->targets, m->q0, m->q, m->numbers,
                        m->numbers + sinew_network_inputs(m->network));
  return report.outcome == SINEW_OUTCOME_CONVERGED;
}

static void write_number(uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    putchar((int)(value >> 8 * i & 0xff));
  }
}

static void write_all(maker *m, const settings *set) {
  unsigned char head[SINEW_NETWORK_MAX_HEAD];
  fwrite(head, 1, sinew_network_head(m->network, head), stdout);
  write_number((uint64_t)set->count, 8);
  const int width = sinew_network_inputs(m->network) + sinew_network_outputs(m->network);
  uint64_t n = 0;
  for (int written = 0; written < set->count; ++n) {
    if (!make(m, set, n)) {
      if (n > 100 && (uint64_t)written < n / 100) {
        fail("hardly any target has a solution");
      }
      continue;
    }
    for (int i = 0; i < width; ++i) {
      uint32_t bits;
      memcpy(&bits, &m->numbers[i], sizeof bits);
      write_number(bits, 4);
    }
    ++written;
  }
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fail("cannot write");
  }
}

int main(int argc, char **argv) {
  settings set = {.count = 100000, .random_seed = 1};
  maker m = {0};
  int i = 1;
  for (; i < argc && strncmp(argv[i], "--", 2) == 0; ++i) {
    if (strcmp(argv[i], "--floating") == 0) {
      set.floating = true;
    } else if (strcmp(argv[i], "--positions") == 0) {
      set.positions = true;
    } else if (strcmp(argv[i], "--count") == 0 && i + 1 < argc) {
      set.count = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--random-seed") == 0 && i + 1 < argc) {
      set.random_seed = (uint64_t)atoll(argv[++i]);
    } else {
      break;
    }
  }
  if (i + 2 != argc || set.count < 1) {
    fputs("usage: network_examples [--count N] [--floating] [--positions] [--random-seed N] MODEL "
          "LINK[,LINK...] > FILE\n",
          stderr);
    return 2;
  }
  open_model(&m, argv[i], &set);
  add_tasks(&m, argv[i + 1], &set);
  create_solver(&m);
  write_all(&m, &set);
  sinew_network_destroy(m.network);
  sinew_solver_destroy(m.solver);
  sinew_state_destroy(m.state);
  sinew_model_destroy(m.model);
  free(m.q);
  free(m.numbers);
  return 0;
}
