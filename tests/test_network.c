// Networks that give starts: inference against a plain evaluation in double precision, examples
// that are read back, the file's refusals, and searches with a network and without.
#include "counting_allocator.h"
#include "fixtures.h"
#include "inspect.h"

#define MOST_FILE (1 << 20)
#define MOST_NQ 128

typedef struct file {
  unsigned char bytes[MOST_FILE];
  size_t size, layers; // where the layers begin
} file;

static void put_int(file *f, uint32_t value) {
  for (int i = 0; i < 4; ++i) {
    f->bytes[f->size++] = (unsigned char)(value >> 8 * i);
  }
}

static void put_float(file *f, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_int(f, bits);
}

static sinew_network *bare_of(const sinew_model *model, const sinew_task *tasks, int count) {
  sinew_network *network = NULL;
  assert_ok(sinew_network_create(NULL, model, tasks, count, &network, NULL));
  return network;
}

// A file with random weights, of one hidden layer.
static void write_random(file *f, const sinew_network *bare, int hidden, uint64_t seed,
                         double scale) {
  const int inputs = sinew_network_inputs(bare), outputs = sinew_network_outputs(bare);
  const int widths[3] = {inputs, hidden, outputs};
  random_stream random = random_stream_of(seed);
  f->size = f->layers = sinew_network_head(bare, f->bytes);
  put_int(f, 2);
  for (int k = 0; k < 2; ++k) {
    put_int(f, (uint32_t)widths[k + 1]);
    for (int i = 0; i < (widths[k] + 1) * widths[k + 1]; ++i) {
      put_float(f, (float)random_between(&random, -scale, scale));
    }
  }
}

static sinew_result read_file(const file *f, const sinew_model *model, const sinew_task *tasks,
                              int count, sinew_network **network, sinew_error *error) {
  return sinew_network_read(f->bytes, f->size, "some.net", NULL, model, tasks, count, network,
                            error);
}

// Of the last link that a joint moves.
static sinew_task hand_of(const sinew_model *model, sinew_task_kind kind) {
  int link = sinew_model_link_count(model) - 1;
  while (model->link_node[link] < 0) {
    --link;
  }
  return task_of(kind, link);
}

static sinew_model *tree_of(uint64_t seed) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  options.joints = 8;
  options.limited = 0.5;
  options.coupled = 0.2;
  options.cones = 0.5;
  random_tree_make(&tree, seed, &options);
  sinew_model *model = NULL;
  assert_ok(sinew_model_create(&tree.def, &model, NULL));
  assert_true(sinew_model_nq(model) <= MOST_NQ);
  return model;
}

// ------------------------------------------------------------------- inference

// The outputs by loops over the file's numbers, in double precision.
static void evaluate(const file *f, int inputs, const float *x, double *y) {
  double from[SINEW_NETWORK_MAX_WIDTH], to[SINEW_NETWORK_MAX_WIDTH];
  const unsigned char *at = f->bytes + f->layers;
  uint32_t layers, width = (uint32_t)inputs, next = 0;
  memcpy(&layers, at, 4); // on a little-endian machine
  at += 4;
  for (int i = 0; i < inputs; ++i) {
    from[i] = x[i];
  }
  for (uint32_t k = 0; k < layers; ++k, width = next) {
    memcpy(&next, at, 4);
    const float *W = test_malloc(4 * (size_t)(width + 1) * next);
    memcpy((void *)W, at + 4, 4 * (size_t)(width + 1) * next);
    for (uint32_t j = 0; j < next; ++j) {
      to[j] = W[width * next + j];
      for (uint32_t i = 0; i < width; ++i) {
        to[j] += from[i] * W[i * next + j];
      }
      to[j] = k + 1 < layers && to[j] < 0.0 ? 0.0 : to[j];
    }
    memcpy(from, to, sizeof from);
    at += 4 + 4 * (size_t)(width + 1) * next;
    test_free((void *)W);
  }
  memcpy(y, from, (size_t)next * sizeof *y);
}

// Of an arm with limits of less than a turn, each output is a share of the range.
static void outputs_are_those_of_the_layers(void **state) {
  (void)state;
  static file f;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_network *bare = bare_of(model, &task, 1), *network = NULL;
  const int n = sinew_model_nq(model);
  assert_int_equal(sinew_network_inputs(bare), 12 + n);
  assert_int_equal(sinew_network_outputs(bare), n);
  for (uint64_t round = 0; round < 50; ++round) {
    double there[8], q0[8], q[8], y[8];
    float x[64];
    write_random(&f, bare, 16, round, 0.3);
    assert_ok(read_file(&f, model, &task, 1, &network, NULL));
    sinew_configuration_random(model, 11, round, there);
    sinew_configuration_random(model, 12, round, q0);
    const sinew_target target = target_at(model, &task, there);
    sinew_network_example(network, &target, q0, NULL, x, NULL);
    evaluate(&f, sinew_network_inputs(network), x, y);
    sinew_network_seed(network, &target, q0, q);
    for (int v = 0; v < n; ++v) {
      const double l = sinew_model_lower(model)[v], u = sinew_model_upper(model)[v];
      const double wanted = 0.5 * (l + u) + 0.5 * (u - l) * y[v];
      assert_near(q[v], fmin(fmax(wanted, l), u), 1e-5);
    }
    sinew_network_destroy(network);
  }
  sinew_network_destroy(bare);
  sinew_model_destroy(model);
}

// A network whose layers give the outputs of an example, whatever its inputs, gives back the
// example's configuration: codes of all kinds of joints are read as they were written, and a
// floating base is where the targets need it.
static void examples_are_read_back(void **state) {
  (void)state;
  static file f;
  for (uint64_t round = 0; round < 60; ++round) {
    int links[HUMANOID_PLACES];
    sinew_model *model = round % 3 == 0 ? fixture_humanoid(true, links) : tree_of(round);
    sinew_task tasks[2] = {hand_of(model, SINEW_TASK_POSE), hand_of(model, SINEW_TASK_POSITION)};
    sinew_target targets[2];
    double there[MOST_NQ], q0[MOST_NQ], q[MOST_NQ];
    float x[SINEW_NETWORK_MAX_WIDTH], y[SINEW_NETWORK_MAX_WIDTH];
    if (round % 3 == 0) {
      tasks[0].link = links[HUMANOID_LEFT_HAND];
      tasks[1].link = links[HUMANOID_RIGHT_FOOT];
    }
    sinew_configuration_random(model, 21, round, there);
    sinew_configuration_random(model, 22, round, q0);
    for (int t = 0; t < 2; ++t) {
      targets[t] = target_at(model, &tasks[t], there);
    }
    sinew_network *bare = bare_of(model, tasks, 2), *network = NULL;
    const int inputs = sinew_network_inputs(bare), outputs = sinew_network_outputs(bare);
    sinew_network_example(bare, targets, q0, there, x, y);
    f.size = f.layers = sinew_network_head(bare, f.bytes);
    put_int(&f, 1);
    put_int(&f, (uint32_t)outputs);
    for (int i = 0; i < inputs * outputs; ++i) {
      put_float(&f, 0.0f);
    }
    for (int i = 0; i < outputs; ++i) {
      put_float(&f, y[i]);
    }
    sinew_error error = {0};
    if (read_file(&f, model, tasks, 2, &network, &error) != SINEW_OK) {
      fail_msg("%s: %d inputs, %d outputs", error.message, inputs, outputs);
    }
    sinew_network_seed(network, targets, q0, q);
    for (int t = 0; t < 2; ++t) {
      double distance, angle;
      measure(model, &tasks[t], &targets[t], q, &distance, &angle);
      assert_at_most(distance, 1e-4 * (1.0 + sinew_model_size(model)));
      assert_true(tasks[t].kind != SINEW_TASK_POSE || angle < 1e-4);
    }
    sinew_network_destroy(network);
    sinew_network_destroy(bare);
    sinew_model_destroy(model);
  }
}

// Whatever the weights, starts are finite and within the limits, and the same again.
static void starts_are_within_limits(void **state) {
  (void)state;
  static file f;
  static const double scales[] = {0.0, 1.0, 1e6, 1e29};
  for (uint64_t round = 0; round < 80; ++round) {
    sinew_model *model = tree_of(100 + round);
    const sinew_task task = hand_of(model, (sinew_task_kind)(round % 4));
    sinew_network *bare = bare_of(model, &task, 1), *network = NULL;
    double there[MOST_NQ], q0[MOST_NQ], q[MOST_NQ], again[MOST_NQ];
    write_random(&f, bare, 9, round, scales[round % 4]);
    if (sinew_network_outputs(bare) == 0) { // only a floating base moves it, which is not placed
      assert_int_equal(read_file(&f, model, &task, 1, &network, NULL), SINEW_ERROR_SYNTAX);
      sinew_network_destroy(bare);
      sinew_model_destroy(model);
      continue;
    }
    assert_ok(read_file(&f, model, &task, 1, &network, NULL));
    sinew_configuration_random(model, 31, round, there);
    sinew_configuration_random(model, 32, round, q0);
    const sinew_target target = target_at(model, &task, there);
    sinew_network_seed(network, &target, q0, q);
    assert_at_most(sinew_configuration_excess(model, q, NULL), 1e-11);
    for (int i = 0; i < sinew_model_nq(model); ++i) {
      assert_true(isfinite(q[i]));
    }
    sinew_network_seed(network, &target, q0, again);
    assert_memory_equal(q, again, (size_t)sinew_model_nq(model) * sizeof *q);
    sinew_network_destroy(network);
    sinew_network_destroy(bare);
    sinew_model_destroy(model);
  }
}

// ----------------------------------------------------------------------- file

static void expect_refused(const file *f, const sinew_model *model, const sinew_task *task,
                           sinew_result code, const char *word) {
  sinew_network *network = NULL;
  sinew_error error = {0};
  assert_int_equal(read_file(f, model, task, 1, &network, &error), code);
  assert_null(network);
  assert_int_equal(error.code, code);
  assert_string_equal(error.file, "some.net");
  if (strstr(error.message, word) == NULL) {
    fail_msg("%s: %s", word, error.message);
  }
}

// Each damage is refused with its reason; every file that is cut off is refused too.
static void damaged_files_are_refused(void **state) {
  (void)state;
  static file good, f;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_network *bare = bare_of(model, &task, 1), *network = NULL;
  write_random(&good, bare, 4, 1, 1.0);
  for (size_t size = 0; size < good.size; ++size) {
    f = good;
    f.size = size;
    assert_true(read_file(&f, model, &task, 1, &network, NULL) != SINEW_OK);
    assert_null(network);
  }
  f = good, f.bytes[0] = 'x';
  expect_refused(&f, model, &task, SINEW_ERROR_SYNTAX, "not the file of a network");
  f = good, f.bytes[8] = 2;
  expect_refused(&f, model, &task, SINEW_ERROR_UNSUPPORTED, "version 2");
  f = good, f.bytes[40] = 255;
  expect_refused(&f, model, &task, SINEW_ERROR_SYNTAX, "head");
  f = good, f.bytes[f.layers] = 17;
  expect_refused(&f, model, &task, SINEW_ERROR_SYNTAX, "17 layers");
  f = good, f.bytes[f.layers + 5] = 5;
  expect_refused(&f, model, &task, SINEW_ERROR_SYNTAX, "width 1284");
  f = good, f.bytes[f.size++] = 0;
  expect_refused(&f, model, &task, SINEW_ERROR_SYNTAX, "1 bytes after");
  f = good, memset(f.bytes + f.layers + 8, 0xff, 4);
  expect_refused(&f, model, &task, SINEW_ERROR_NOT_FINITE, "weight");
  sinew_network_destroy(bare);
  sinew_model_destroy(model);
}

// A network of another model is refused by name, one of a model with the same name and of other
// tasks too. req: D18
static void other_models_are_refused(void **state) {
  (void)state;
  static file f;
  sinew_model *arm = fixture_arm(), *row = fixture_planar(7, 0.3);
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const sinew_task end = task_of(SINEW_TASK_POSE, 7);
  sinew_task tool = task;
  sinew_network *bare = bare_of(arm, &task, 1);
  char text[128];
  write_random(&f, bare, 4, 1, 1.0);
  snprintf(text, sizeof text, "for the model '%s', not for '%s'", sinew_model_name(arm),
           sinew_model_name(row));
  expect_refused(&f, row, &end, SINEW_ERROR_MODEL,
                 strcmp(sinew_model_name(arm), sinew_model_name(row)) == 0 ? "of the name" : text);
  tool.point_l[2] = 0.1;
  expect_refused(&f, arm, &tool, SINEW_ERROR_MODEL, "other tasks");
  sinew_network_destroy(bare);

  // Joints of the same names, elsewhere.
  sinew_model *limited = fixture_planar_limited(7, 0.3, -2.0, 2.0, 1.0);
  bare = bare_of(row, &end, 1);
  write_random(&f, bare, 4, 1, 1.0);
  expect_refused(&f, limited, &end, SINEW_ERROR_MODEL, "of the name");
  sinew_network_destroy(bare);
  sinew_model_destroy(limited);
  sinew_model_destroy(row);
  sinew_model_destroy(arm);
}

// Models that differ in one number of a spherical joint's limits have files of their own.
static void other_cones_are_refused(void **state) {
  (void)state;
  static file f;
  const double limits[6] = {-0.5, 1.0, -0.1, 2.0, -1.5, 0.7};
  for (int other = -1; other < 8; ++other) {
    sinew_model *models[2];
    for (int m = 0; m < 2; ++m) {
      builder b;
      builder_start(&b);
      sinew_joint_def *joint = builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
      for (int i = 0; i < 3; ++i) {
        joint->lower[i] = limits[2 * i] - (m == 1 && other == 2 * i ? 0.01 : 0.0);
        joint->upper[i] = limits[2 * i + 1] + (m == 1 && other == 2 * i + 1 ? 0.01 : 0.0);
      }
      joint->axis[0] += m == 1 && other == 6 ? 0.01 : 0.0;
      joint->axis2[2] += 0.3;
      joint->axis2[0] += m == 1 && other == 7 ? 0.5 : 0.0;
      builder_add(&b, 1, SINEW_JOINT_FIXED, 0.3, 0.0, 0.0);
      models[m] = builder_make(&b);
    }
    const sinew_task task = task_of(SINEW_TASK_POSE, 2);
    sinew_network *bare = bare_of(models[0], &task, 1), *network = NULL;
    write_random(&f, bare, 4, 1, 1.0);
    if (other >= 0) {
      expect_refused(&f, models[1], &task, SINEW_ERROR_MODEL, "of the name");
    } else {
      assert_ok(read_file(&f, models[1], &task, 1, &network, NULL));
    }
    sinew_network_destroy(network);
    sinew_network_destroy(bare);
    sinew_model_destroy(models[1]);
    sinew_model_destroy(models[0]);
  }
}

// Of a figure with a floating base there may be more outputs than inputs: both are bounded.
static void wide_networks_are_refused(void **state) {
  (void)state;
  enum { MOST_JOINTS = 1 + SINEW_NETWORK_MAX_WIDTH };
  static sinew_joint_def joints[MOST_JOINTS];
  static sinew_link_def links[MOST_JOINTS + 1];
  static char names[MOST_JOINTS + 1][8];
  for (int count = MOST_JOINTS - 10; count <= MOST_JOINTS; ++count) {
    for (int j = 0; j < count; ++j) {
      joints[j] = sinew_default_joint_def();
      joints[j].name = names[j];
      joints[j].kind = j == 0 ? SINEW_JOINT_FREE : SINEW_JOINT_REVOLUTE;
      joints[j].parent = j;
      joints[j].child = j + 1;
      joints[j].placement.position[0] = j < 2 ? 0.0 : 0.01;
      joints[j].axis[1] = 1.0;
      if (j > 0) {
        builder_limit(&joints[j], -1.0, 1.0);
      }
    }
    for (int l = 0; l <= count; ++l) {
      links[l] = sinew_default_link_def();
      links[l].name = names[l];
      snprintf(names[l], sizeof names[l], "n%d", l % 10000);
    }
    sinew_model_def def = sinew_default_model_def();
    def.links = links;
    def.link_count = count + 1;
    def.joints = joints;
    def.joint_count = count;
    sinew_model *model = NULL;
    sinew_network *network = NULL;
    sinew_error error = {0};
    assert_ok(sinew_model_create(&def, &model, NULL));
    const sinew_task task = task_of(SINEW_TASK_POSE, count);
    const sinew_result result = sinew_network_create(NULL, model, &task, 1, &network, &error);
    if (count - 1 + 9 <= SINEW_NETWORK_MAX_WIDTH) { // shares, and the reference's pose
      assert_int_equal(result, SINEW_OK);
      assert_int_equal(sinew_network_outputs(network), count - 1 + 9);
    } else {
      assert_int_equal(result, SINEW_ERROR_TOO_LARGE);
      assert_null(network);
      assert_non_null(strstr(error.message, "outputs are more than 1024"));
    }
    sinew_network_destroy(network);
    sinew_model_destroy(model);
  }
}

// Each allocation that fails is reported and frees the others.
static void memory_may_be_short(void **state) {
  (void)state;
  static file f;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_network *bare = bare_of(model, &task, 1), *network = NULL;
  write_random(&f, bare, 4, 1, 1.0);
  sinew_network_destroy(bare);
  for (int fail = 0; fail < 3; ++fail) {
    counter c = {.fail_at = fail};
    const sinew_allocator allocator = allocator_of(&c);
    sinew_error error = {0};
    const sinew_result result =
        sinew_network_read(f.bytes, f.size, NULL, &allocator, model, &task, 1, &network, &error);
    assert_int_equal(result, fail < 2 ? SINEW_ERROR_MEMORY : SINEW_OK);
    assert_int_equal(error.code, result);
    assert_int_equal(c.live, fail < 2 ? 0 : 1);
    assert_true(fail < 2 || sinew_network_bytes(network) == c.bytes);
    sinew_network_destroy(network);
    assert_int_equal(c.live, 0);
  }
  sinew_model_destroy(model);
}

// --------------------------------------------------------------------- search

// Of an arm, a network that gives the solution makes the search end at once; a useless one costs
// starts and no solution; one for another model is refused by the search.
// req: D18
static void searches_start_from_the_network(void **state) {
  (void)state;
  static file f;
  sinew_model *model = fixture_arm(), *same = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_network *bare = bare_of(model, &task, 1), *network = NULL;
  const sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  int steps = 0, plain_steps = 0, useless = 0;
  for (uint64_t round = 0; round < 60; ++round) {
    double there[8], q0[8], q[8];
    float x[64], y[8];
    sinew_report report;
    sinew_global_def global = sinew_default_global_def();
    sinew_configuration_random(model, 41, round, there);
    sinew_configuration_random(model, 42, round, q0);
    const sinew_target target = target_at(model, &task, there);
    sinew_network_example(bare, &target, q0, there, x, y);
    // constant outputs
    f.size = f.layers = sinew_network_head(bare, f.bytes);
    put_int(&f, 1);
    put_int(&f, 7);
    for (int i = 0; i < 7 * sinew_network_inputs(bare); ++i) {
      put_float(&f, 0.0f);
    }
    for (int i = 0; i < 7; ++i) {
      put_float(&f, y[i]);
    }
    memcpy(q, q0, sizeof q);
    assert_ok(sinew_solver_search(solver, &global, &target, 1, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    plain_steps += report.steps;
    assert_ok(read_file(&f, model, &task, 1, &network, NULL));
    global.network = network;
    memcpy(q, q0, sizeof q);
    assert_ok(sinew_solver_search(solver, &global, &target, 1, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    steps += report.steps;
    sinew_network_destroy(network);

    write_random(&f, bare, 8, round, 1.0);
    assert_ok(read_file(&f, model, &task, 1, &network, NULL));
    global.network = network;
    memcpy(q, q0, sizeof q);
    assert_ok(sinew_solver_search(solver, &global, &target, 1, q, &report));
    useless += report.outcome == SINEW_OUTCOME_CONVERGED;
    sinew_network_destroy(network);

    assert_ok(read_file(&f, same, &task, 1, &network, NULL));
    global.network = network; // of the same numbers, but of another object
    assert_int_equal(sinew_solver_search(solver, &global, &target, 1, q, &report),
                     SINEW_ERROR_ARGUMENT);
    sinew_network_destroy(network);
  }
  print_message("%d steps with the solution, %d without\n", steps, plain_steps);
  assert_int_equal(useless, 60);
  assert_true(3 * steps < plain_steps);
  sinew_solver_destroy(solver);
  sinew_network_destroy(bare);
  sinew_model_destroy(same);
  sinew_model_destroy(model);
}

// The rows of a batch, solved in ranges of a length. Returns their steps.
static int solve_batch(const sinew_batch *batch, const double *targets, const double *seeds,
                       int count, int length, double *q) {
  static sinew_batch_row rows[64];
  sinew_batch_worker *worker;
  int steps = 0;
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  const sinew_batch_arrays arrays = {.targets = targets, .seeds = seeds, .q = q, .rows = rows};
  for (int first = 0; first < count; first += length) {
    const int left = count - first;
    assert_ok(sinew_batch_solve(batch, worker, &arrays, (size_t)first,
                                (size_t)(left < length ? left : length)));
  }
  for (int i = 0; i < count; ++i) {
    assert_int_equal(rows[i].outcome, SINEW_OUTCOME_CONVERGED);
    steps += rows[i].steps;
  }
  sinew_batch_worker_destroy(worker);
  return steps;
}

// A batch, in lanes and with an objective one problem after the other, takes fewer steps where the
// network gives nearly the solution, from seeds that are far and without seeds, with a bank besides
// or not; ranges of any length give the same bits; another model's is refused. req: D18
static void batches_start_from_the_network(void **state) {
  (void)state;
  enum { COUNT = 40 };
  static file f;
  static double targets[7 * COUNT], seeds[8 * COUNT], q[2][8 * COUNT];
  sinew_model *model = fixture_arm(), *same = fixture_arm();
  const int n = sinew_model_nq(model);
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_network *bare = bare_of(model, &task, 1), *network = NULL, *other = NULL;
  double there[8], moved[8];
  float x[64], y[8];
  sinew_configuration_random(model, 43, 5, there);
  for (int i = 0; i < COUNT; ++i) {
    for (int j = 0; j < n; ++j) {
      moved[j] = there[j] + 0.02 * sin(i + 3.0 * j);
    }
    sinew_configuration_clamp(model, moved);
    const sinew_target target = target_at(model, &task, moved);
    memcpy(targets + 7 * i, target.position, sizeof target.position);
    memcpy(targets + 7 * i + 3, target.rotation, sizeof target.rotation);
    sinew_configuration_random(model, 44, (uint64_t)i, seeds + n * i);
    sinew_network_example(bare, &target, there, there, x, y);
  }
  f.size = f.layers = sinew_network_head(bare, f.bytes);
  put_int(&f, 1);
  put_int(&f, 7);
  for (int i = 0; i < 7 * sinew_network_inputs(bare); ++i) {
    put_float(&f, 0.0f);
  }
  for (int i = 0; i < 7; ++i) {
    put_float(&f, y[i]);
  }
  assert_ok(read_file(&f, model, &task, 1, &network, NULL));
  assert_ok(read_file(&f, same, &task, 1, &other, NULL));
  sinew_bank_def bank_def = sinew_default_bank_def();
  bank_def.postures = 300;
  sinew_bank *bank;
  assert_ok(sinew_bank_create(&bank_def, model, &task, 1, &bank, NULL));
  sinew_objective objective = sinew_default_objective();
  objective.kind = SINEW_OBJECTIVE_DAMPING;
  for (int way = 0; way < 8; ++way) {
    sinew_batch_def def = sinew_default_batch_def();
    sinew_batch *plain, *with;
    def.bank = way & 1 ? bank : NULL;
    def.objectives = way & 2 ? &objective : NULL;
    def.objective_count = way & 2 ? 1 : 0;
    const double *own = way & 4 ? seeds : NULL;
    assert_ok(sinew_batch_create(&def, model, &task, 1, &plain, NULL));
    def.network = network;
    assert_ok(sinew_batch_create(&def, model, &task, 1, &with, NULL));
    const int without = solve_batch(plain, targets, own, COUNT, COUNT, q[0]);
    const int steps = solve_batch(with, targets, own, COUNT, COUNT, q[0]);
    assert_int_equal(solve_batch(with, targets, own, COUNT, 7, q[1]), steps);
    assert_memory_equal(q[0], q[1], sizeof(double) * (size_t)(n * COUNT));
    if (!(way & 2 ? steps < without : 10 * steps < 8 * without)) {
      fail_msg("way %d: %d steps with the network, %d without", way, steps, without);
    }
    sinew_batch_destroy(plain);
    sinew_batch_destroy(with);
  }
  sinew_error error;
  sinew_batch_def def = sinew_default_batch_def();
  sinew_batch *batch = NULL;
  def.network = other;
  assert_int_equal(sinew_batch_create(&def, model, &task, 1, &batch, &error), SINEW_ERROR_ARGUMENT);
  assert_string_equal(error.name, "network");
  def.network = network;
  const sinew_task position = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  assert_int_equal(sinew_batch_create(&def, model, &position, 1, &batch, &error),
                   SINEW_ERROR_ARGUMENT);
  sinew_bank_destroy(bank);
  sinew_network_destroy(network);
  sinew_network_destroy(other);
  sinew_network_destroy(bare);
  sinew_model_destroy(same);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outputs_are_those_of_the_layers),
      cmocka_unit_test(examples_are_read_back),
      cmocka_unit_test(starts_are_within_limits),
      cmocka_unit_test(damaged_files_are_refused),
      cmocka_unit_test(other_models_are_refused),
      cmocka_unit_test(other_cones_are_refused),
      cmocka_unit_test(wide_networks_are_refused),
      cmocka_unit_test(memory_may_be_short),
      cmocka_unit_test(searches_start_from_the_network),
      cmocka_unit_test(batches_start_from_the_network),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
