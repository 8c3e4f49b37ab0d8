// The bank of postures: making it, and looking up the postures nearest to targets.
#include "seed/bank.h"
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"
#include "task/task.h"

#include <float.h>
#include <string.h>

#define LARGEST (1 << 24)

// A distance between points of rms / POINT_SHARE counts as much as a rotation by pi; rms is the
// root mean square distance of a point from its mean over the postures. Measured in batches on ten
// arms: from 0.75 to 1.2 the number of steps differs by 0.3 %, at 0.6 it is 1 % larger.
#define POINT_SHARE 0.8

void sinew_bank_def_init(sinew_bank_def *def, size_t size) {
  const sinew_bank_def defaults = {
      .cookie = SINEW_COOKIE_BANK, .size = sizeof defaults, .postures = 16384, .random_seed = 1};
  sinew_definition_init(def, size, &defaults);
}

// Scratch memory for making a bank.
typedef struct making {
  sinew_state state;
  sinew_low_discrepancy spread;
  sinew_bank_scratch scratch;
  double *u;       // nv
  double *q;       // nq
  uint16_t *codes; // nq
} making;

// -------------------------------------------------------------------- making

sinew_result sinew_bank_check_tasks(const char *noun, const sinew_model *model,
                                    const sinew_task *tasks, int count, sinew_error *error) {
  if (count < 0) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "count is negative");
  }
  for (int t = 0; t < count; ++t) {
    const sinew_result result = sinew_task_check(&tasks[t], model, t, error);
    if (result != SINEW_OK) {
      return result;
    }
    if (!sinew_task_is_searched(&tasks[t])) {
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                             "task %d: a %s is made for the required tasks of level 0 alone", t,
                             noun);
    }
    if (tasks[t].influence == 0.0) {
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                             "task %d: a %s is made for tasks with an influence above 0", t, noun);
    }
  }
  return SINEW_OK;
}

static sinew_result check(const sinew_bank_def *def, const sinew_model *model,
                          const sinew_task *tasks, int count, sinew_error *error) {
  if (model == NULL || (tasks == NULL && count > 0)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "model or tasks is NULL");
  }
  static const sinew_definition definition = {SINEW_COOKIE_BANK, sizeof *def, "sinew_bank_def",
                                              "sinew_default_bank_def()", NULL};
  if (sinew_definition_check(def, &definition, -1, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  if (def->postures < 1 || def->postures > LARGEST) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "postures: %d is not within 1 and %d",
                           def->postures, LARGEST);
  }
  return sinew_bank_check_tasks("bank", model, tasks, count, error);
}

static void layout(sinew_arena *arena, sinew_bank *bank) {
  sinew_arena_take(arena, 1, sizeof *bank);
  bank->tasks = sinew_arena_take(arena, (size_t)bank->task_count, sizeof *bank->tasks);
  sinew_bank_tree_layout(arena, bank->size, &bank->tree);
  sinew_bank_postures_layout(arena, bank->model, bank->size, &bank->postures);
  if (bank->base.floats) {
    bank->effectors =
        sinew_arena_take(arena, (size_t)bank->size * (size_t)bank->task_count, 7 * sizeof(float));
  }
}

static void layout_making(sinew_arena *arena, const sinew_bank *bank, making *m) {
  sinew_state_layout(arena, &m->state, bank->model);
  sinew_bank_scratch_layout(arena, &bank->tree, &m->scratch);
  m->u = sinew_arena_take(arena, (size_t)bank->model->nv, sizeof(double));
  m->q = sinew_arena_take(arena, (size_t)bank->model->nq, sizeof(double));
  m->codes = sinew_arena_take(arena, (size_t)bank->model->nq, sizeof(uint16_t));
}

// The n-th posture, in m->codes and m->q.
static void sample(const sinew_bank *bank, making *m, int n) {
  sinew_bank_postures_sample(&bank->postures, bank->model, &bank->base, &m->spread, n, m->u, m->q,
                             m->codes);
  sinew_bank_postures_read(&bank->postures, bank->model, m->codes, m->q);
}

static void find_features(const sinew_bank *bank, making *m) {
  const size_t rows = (size_t)bank->tree.rows, coordinates = (size_t)bank->tree.coordinates;
  for (int n = 0; n < bank->size; ++n) {
    sample(bank, m, n);
    m->state.functions->place(&m->state, m->q);
    sinew_bank_features_of_state(&bank->features, bank->tasks, &m->state,
                                 m->scratch.rows + (size_t)n * rows,
                                 m->scratch.coordinates + (size_t)n * coordinates);
  }
}

// The mean of some columns of a table, at most three; returns the root mean square distance from
// it.
static double spread_of(const float *table, int width, size_t stride, int count, double middle[3]) {
  double squares = 0.0;
  for (int i = 0; i < width; ++i) {
    double sum = 0.0;
    for (int n = 0; n < count; ++n) {
      sum += table[(size_t)n * stride + (size_t)i];
    }
    middle[i] = sum / count;
    for (int n = 0; n < count; ++n) {
      const double away = table[(size_t)n * stride + (size_t)i] - middle[i];
      squares += away * away;
    }
  }
  return sqrt(squares / count);
}

static void scale_columns(float *table, int width, size_t stride, int count, const double middle[3],
                          double by) {
  for (int n = 0; n < count; ++n) {
    for (int i = 0; i < width; ++i) {
      float *x = &table[(size_t)n * stride + (size_t)i];
      *x = (float)(by * (*x - middle[i]));
    }
  }
}

// Points and lengths are taken relative to their mean and divided by their root mean square
// distance from it. One that is constant keeps its scale.
static void scale_points(sinew_bank *bank, making *m) {
  const size_t rows = (size_t)bank->tree.rows, coordinates = (size_t)bank->tree.coordinates;
  const sinew_bank_features *features = &bank->features;
  for (int k = 0, row = 0; k < features->term_count - features->turns; ++k) {
    sinew_bank_term *term = &bank->features.terms[k];
    const int width = term->kind == SINEW_BANK_LENGTH ? 1 : 3;
    if (term->kind != SINEW_BANK_AXIS) {
      double middle[3];
      const double spread = spread_of(m->scratch.rows + row, width, rows, bank->size, middle);
      const double by = spread > 1e-3 ? POINT_SHARE / spread : 1.0;
      scale_columns(m->scratch.rows + row, width, rows, bank->size, middle, by);
      scale_columns(m->scratch.coordinates + row, width, coordinates, bank->size, middle, by);
      for (int i = 0; i < width; ++i) {
        term->centre[i] = middle[i] / term->scale;
      }
      term->scale *= by;
    }
    row += width;
  }
}

// Stores the effectors' poses for the posture in m->q.
static void store_effectors(sinew_bank *bank, making *m, int posture) {
  float *to = bank->effectors + 7 * (size_t)posture * (size_t)bank->task_count;
  m->state.functions->place(&m->state, m->q);
  for (int t = 0; t < bank->task_count; ++t, to += 7) {
    sinew_frame frame, tool;
    sinew_pose pose;
    sinew_state_link(&m->state, bank->tasks[t].link, &frame);
    sinew_task_tool(&bank->tasks[t], &frame, &tool);
    sinew_frame_to_pose(&tool, &pose);
    for (int i = 0; i < 3; ++i) {
      to[i] = (float)sinew_clamp(pose.position[i], -FLT_MAX, FLT_MAX);
    }
    for (int i = 0; i < 4; ++i) {
      to[3 + i] = (float)pose.rotation[i];
    }
  }
}

// Stores postures in the order of the tree's leaves.
static void store(sinew_bank *bank, making *m) {
  const size_t nq = (size_t)bank->model->nq;
  for (int i = 0; i < bank->size; ++i) {
    sample(bank, m, m->scratch.order[i]);
    if (nq > 0) {
      memcpy(bank->postures.codes + (size_t)i * nq, m->codes, nq * sizeof(uint16_t));
    }
    if (bank->base.floats) {
      store_effectors(bank, m, i);
    }
  }
}

static void fill(sinew_bank *bank, making *m) {
  sinew_bank_postures_range(&bank->postures, bank->model, &bank->base, m->u);
  find_features(bank, m);
  scale_points(bank, m);
  sinew_bank_tree_build(&bank->tree, &m->scratch);
  store(bank, m);
}

// The bank without its arrays.
static sinew_bank plan(const sinew_bank_def *def, const sinew_model *model, const sinew_task *tasks,
                       int count) {
  sinew_bank bank = {.allocator = sinew_allocator_complete(&def->allocator),
                     .model = model,
                     .size = def->postures,
                     .length = sinew_tasks_size(model, tasks, count),
                     .task_count = count};
  sinew_floating_base_find(model, tasks, count, &bank.base);
  sinew_bank_features_plan(&bank.features, tasks, count, bank.length, bank.base.floats);
  bank.tree.distance_rows = bank.features.distance_rows;
  bank.tree.turns = bank.features.turns;
  return bank;
}

// Makes the bank, with scratch memory that is released afterwards.
static sinew_result make(const sinew_bank *head, const sinew_task *tasks, uint64_t seed,
                         sinew_bank **out, sinew_error *error) {
  sinew_bank planned = *head;
  sinew_arena arena = {NULL, 0}, needed = {NULL, 0};
  making m = {.spread = sinew_low_discrepancy_of(head->model->nv - head->base.nv, seed)};
  layout(&arena, &planned);
  layout_making(&needed, &planned, &m);
  planned.bytes = arena.used;
  sinew_bank *bank = sinew_allocate(&head->allocator, arena.used);
  unsigned char *scratch = bank != NULL ? sinew_allocate(&head->allocator, needed.used) : NULL;
  if (scratch == NULL) {
    sinew_release(&head->allocator, bank);
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL,
                           "no memory for the bank (%zu bytes, and %zu to make it)", arena.used,
                           needed.used);
  }
  *bank = planned;
  arena = (sinew_arena){(unsigned char *)bank, 0};
  needed = (sinew_arena){scratch, 0};
  layout(&arena, bank);
  layout_making(&needed, bank, &m);
  for (int t = 0; t < bank->task_count; ++t) {
    bank->tasks[t] = tasks[t];
  }
  fill(bank, &m);
  const int failed = sinew_state_failed_joint(&m.state);
  sinew_release(&head->allocator, scratch);
  if (failed >= 0) {
    sinew_release(&head->allocator, bank);
    return sinew_model_explain_function(head->model, failed, error);
  }
  *out = bank;
  return SINEW_OK;
}

sinew_result sinew_bank_create(const sinew_bank_def *def, const sinew_model *model,
                               const sinew_task *tasks, int count, sinew_bank **bank,
                               sinew_error *error) {
  if (bank == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "bank is NULL");
  }
  *bank = NULL;
  const sinew_result result = check(def, model, tasks, count, error);
  if (result != SINEW_OK) {
    return result;
  }
  const sinew_bank head = plan(def, model, tasks, count);
  return make(&head, tasks, def->random_seed, bank, error);
}

void sinew_bank_destroy(sinew_bank *bank) {
  if (bank != NULL) {
    const sinew_allocator allocator = bank->allocator;
    sinew_release(&allocator, bank);
  }
}

// --------------------------------------------------------------------- using

int sinew_bank_size(const sinew_bank *bank) {
  SINEW_ASSERT(bank != NULL);
  return bank->size;
}

size_t sinew_bank_bytes(const sinew_bank *bank) {
  SINEW_ASSERT(bank != NULL);
  return bank->bytes;
}

// Whether two axes point the same way: a solver's are of unit length, a bank's as they were given.
static bool is_same_axis(const double a[3], const double b[3]) {
  double u[3], v[3], apart[3];
  sinew_unit(a, u);
  sinew_unit(b, v);
  for (int i = 0; i < 3; ++i) {
    apart[i] = u[i] - v[i];
  }
  return sinew_norm(apart) <= 1e-14; // rounding, far below the differences between postures
}

bool sinew_bank_task_fits(const sinew_task *a, const sinew_task *b) {
  return a->kind == b->kind && a->link == b->link && a->free_axes == b->free_axes &&
         memcmp(a->point_l, b->point_l, sizeof a->point_l) == 0 &&
         memcmp(a->rotation_l, b->rotation_l, sizeof a->rotation_l) == 0 &&
         a->frame_link == b->frame_link && a->center_of_mass == b->center_of_mass &&
         sinew_task_posture_features(a) == sinew_task_posture_features(b) &&
         (!sinew_task_reads_axis(a) || is_same_axis(a->axis_l, b->axis_l));
}

static void enter(const sinew_bank *bank, const sinew_target *targets, sinew_bank_query *query) {
  float rows[SINEW_BANK_MOST_ROWS], coordinates[SINEW_BANK_MOST_ROWS];
  coordinates[0] = 0.0f; // if there are no features
  sinew_bank_features_of_targets(&bank->features, bank->tasks, targets, rows, coordinates);
  sinew_bank_tree_enter(&bank->tree, rows, coordinates, query);
}

int sinew_bank_find(const sinew_bank *bank, const sinew_target *targets, int want, int *indices) {
  SINEW_ASSERT(bank != NULL && (targets != NULL || bank->task_count == 0) &&
               (indices != NULL || want <= 0));
  sinew_bank_query query;
  enter(bank, targets, &query);
  if (want == 1) {
    indices[0] = sinew_bank_tree_nearest(&bank->tree, &query);
    return 1;
  }
  return sinew_bank_tree_find(&bank->tree, &query, want, indices);
}

void sinew_bank_find_each(const sinew_bank *bank, const sinew_target *targets, int problems,
                          int *indices) {
  sinew_bank_query queries[SINEW_BANK_AT_ONCE];
  const size_t nq = (size_t)bank->model->nq;
  for (int first = 0; first < problems; first += SINEW_BANK_AT_ONCE) {
    const int left = problems - first;
    const int count = left < SINEW_BANK_AT_ONCE ? left : SINEW_BANK_AT_ONCE;
    for (int k = 0; k < count; ++k) {
      enter(bank, targets + (first + k) * bank->task_count, &queries[k]);
    }
    for (int k = 0; k < count; ++k) {
      const int index = sinew_bank_tree_nearest(&bank->tree, &queries[k]);
      __builtin_prefetch(bank->postures.codes + (size_t)index * nq);
      indices[first + k] = index;
    }
  }
}

void sinew_bank_posture(const sinew_bank *bank, int index, const sinew_target *targets, double *q) {
  SINEW_ASSERT(bank != NULL && index >= 0 && index < bank->size);
  const sinew_model *model = bank->model;
  sinew_bank_postures_read(&bank->postures, model,
                           bank->postures.codes + (size_t)index * (size_t)model->nq, q);
  if (bank->base.floats) {
    sinew_bank_base_fit(bank, index, targets, q);
  }
}
