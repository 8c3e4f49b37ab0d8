// Updates in lanes against the solver's own floors, on every instruction set that this processor
// has: errors, steps and limits over random trees, awkward axes and real robots; and that a lane
// depends on nothing but its own problem.
#include "lane_trial.h"
#include "sinew/formats.h"

#include <dirent.h>

// ------------------------------------------------------------------ random trees

typedef struct tree_trial {
  random_tree tree;
  trial t;
  sinew_model *model;
} tree_trial;

// A random tree with random tasks; false where no lane has anything to do.
static bool tree_begin(tree_trial *it, const sinew_lane_kernel *kernel, uint64_t seed,
                       const random_tree_options *options, double frozen) {
  random_stream random = random_stream_of(1000 + seed);
  random_tree_make(&it->tree, seed, options);
  assert_ok(sinew_model_create(&it->tree.def, &it->model, NULL));
  it->t = (trial){.kernel = kernel, .model = it->model};
  it->t.count = 1 + random_below(&random, TRIAL_MOST_TASKS);
  for (int k = 0; k < it->t.count; ++k) {
    it->t.tasks[k] = trial_random_task(it->model, &random);
  }
  return trial_begin(&it->t, &random, frozen);
}

static void tree_end(tree_trial *it) {
  trial_end(&it->t);
  sinew_model_destroy(it->model);
}

// Random trees of one shape; how many updates were compared.
static int try_trees(const sinew_lane_kernel *kernel, const random_tree_options *options, int trees,
                     double frozen) {
  static tree_trial it;
  int held = 0, clamped = 0, tried = 0;
  for (int seed = 0; seed < trees; ++seed) {
    char what[32];
    random_stream random = random_stream_of(5000 + (uint64_t)seed);
    snprintf(what, sizeof what, "tree %d", seed);
    const bool ready = tree_begin(&it, kernel, (uint64_t)seed, options, frozen);
    for (int round = 0; ready && round < 2; ++round) {
      trial_pose(&it.t, &random, 0.3 * round);
      trial_check_update(&it.t, what, &held, &clamped);
      tried += kernel->lanes;
    }
    tree_end(&it);
  }
  // Enough of what the tests are for.
  assert_true(options->limited == 0.0 || held > tried / 50);
  assert_true(clamped > tried / 20);
  return tried;
}

// Every kind of joint and task, coupled ones, gains, weights, points, chain roots, several
// effectors, fixed ones. req: A2 A4 A5 A6 A8 F3
static void any_tree(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  random_tree_options options = random_tree_defaults();
  options.joints = 12;
  options.limited = 0.6;
  const int tried = try_trees(kernel, &options, 100, 0.0);
  assert_true(tried > 130 * kernel->lanes);
  assert_true(try_trees(kernel, &options, 40, 0.2) > 40 * kernel->lanes);
}

// Nothing but coupled joints and what they follow; nothing but balls and free bodies.
// req: A3 A5
static void trees_of_few_kinds(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  random_tree_options options = random_tree_defaults();
  options.coupled = 0.6;
  options.limited = 0.8;
  options.kinds =
      1u << SINEW_JOINT_REVOLUTE | 1u << SINEW_JOINT_PRISMATIC | 1u << SINEW_JOINT_SCREW;
  assert_true(try_trees(kernel, &options, 40, 0.0) > 0);
  options.coupled = options.limited = 0.0;
  options.kinds = 1u << SINEW_JOINT_SPHERICAL | 1u << SINEW_JOINT_FREE;
  assert_true(try_trees(kernel, &options, 20, 0.1) > 0);
}

// A figure's unit of length does not matter. req: A1 A2
static void trees_of_odd_sizes(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  static const double sizes[] = {3e-4, 3e3, 3e7};
  for (int i = 0; i < 3; ++i) {
    random_tree_options options = random_tree_defaults();
    options.link_length = sizes[i];
    options.limited = 0.3;
    assert_true(try_trees(kernel, &options, 20, 0.0) > 0);
  }
}

// ------------------------------------------------------------------ awkward axes

// An axis against the one before it: turned by an angle, at a place along it, across it, or both.
static void awkward_joint(builder *b, random_stream *random, double angle, bool chain) {
  static const double offsets[4][3] = {
      {0.0, 0.0, 0.0}, {0.0, 0.0, 0.4}, {0.3, -0.2, 0.0}, {-0.1, 0.25, 0.3}};
  static const sinew_joint_kind kinds[6] = {SINEW_JOINT_REVOLUTE, SINEW_JOINT_REVOLUTE,
                                            SINEW_JOINT_REVOLUTE, SINEW_JOINT_PRISMATIC,
                                            SINEW_JOINT_SCREW,    SINEW_JOINT_SPHERICAL};
  const double *p = offsets[random_below(random, 4)];
  const bool last = chain || b->joint_count == 0 || random_below(random, 4) > 0;
  const int parent = last ? b->joint_count : random_below(random, b->joint_count);
  const sinew_joint_kind kind = kinds[random_below(random, chain ? 4 : 6)];
  sinew_joint_def *joint = builder_add(b, parent, kind, p[0], p[1], p[2]);
  const double yaw = random_below(random, 2) == 0 ? 0.0 : random_between(random, -3.0, 3.0);
  sinew_quaternion_from_rpy((double[3]){angle, 0.0, yaw}, joint->placement.rotation);
  if (joint->kind == SINEW_JOINT_SCREW) {
    joint->pitch = 0.1;
  }
  if (joint->kind != SINEW_JOINT_SPHERICAL) {
    builder_limit(joint, -1.5, 2.0);
  }
}

static const double awkward_angles[] = {0.0,   PI,   0.5 * PI,  1e-13,      1e-8,      1e-3, 0.019,
                                        0.021, 0.05, PI - 1e-3, PI - 1e-13, -0.5 * PI, 1e-15};
#define AWKWARD (int)(sizeof awkward_angles / sizeof awkward_angles[0])

// Eight joints: mostly of one angle, others between.
static sinew_model *awkward_model(random_stream *random, int which, bool chain) {
  builder b;
  builder_start(&b);
  for (int j = 0; j < 8; ++j) {
    const bool other = random_below(random, 3) == 0;
    awkward_joint(&b, random, awkward_angles[other ? random_below(random, AWKWARD) : which], chain);
  }
  return builder_make(&b);
}

// Parallel and antiparallel axes, nearly so, and such as meet: where four numbers between two
// axes are not well defined. req: A4
static void awkward_axes(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  int held = 0, clamped = 0;
  for (int i = 0; i < 20 * AWKWARD; ++i) {
    random_stream random = random_stream_of(7000 + (uint64_t)i);
    char what[64];
    snprintf(what, sizeof what, "axes %d, mostly at %g", i, awkward_angles[i % AWKWARD]);
    trial t = {.kernel = kernel, .model = awkward_model(&random, i % AWKWARD, false), .count = 2};
    t.tasks[0] = task_of(SINEW_TASK_POSE, 8);
    t.tasks[1] = trial_random_task(t.model, &random);
    assert_true(trial_begin(&t, &random, 0.0));
    trial_pose(&t, &random, 0.1);
    trial_check_update(&t, what, &held, &clamped);
    trial_end(&t);
    sinew_model_destroy(t.model);
  }
}

// ------------------------------------------------------------------------ chains

// The kernel for chains and that for trees do the same to a chain.
static void check_both(trial *t, const char *what) {
  static double q[TRIAL_MOST_NQ * SINEW_LANE_MOST], E[SINEW_LANE_MOST];
  const int width = t->kernel->lanes, nq = t->model->nq;
  int held = 0, clamped = 0;
  assert_true(t->plan->chain);
  trial_check_update(t, what, &held, &clamped);
  memcpy(q, t->block->q, (size_t)(nq * width) * sizeof *q);
  memcpy(E, t->block->E, (size_t)width * sizeof *E);
  t->plan->chain = false;
  trial_check_update(t, what, &held, &clamped);
  t->plan->chain = true;
  for (int l = 0; l < width; ++l) {
    assert_near(t->block->E[l], E[l], 1e-13 * (1.0 + E[l]));
  }
  assert_at_most(farthest(nq * width, q, t->block->q), 1e-10);
}

// Chains of one to sixteen turns and slides.
static void chains(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  for (int joints = 1; joints <= SINEW_LANE_CHAIN_MOST; ++joints) {
    for (uint64_t seed = 0; seed < 6; ++seed) {
      static random_tree tree;
      random_stream random = random_stream_of(seed);
      random_tree_options options = random_tree_defaults();
      options.joints = joints;
      options.chain = 1.0;
      options.coupled = 0.0;
      options.limited = 0.7;
      options.kinds = 1u << SINEW_JOINT_REVOLUTE | 1u << SINEW_JOINT_PRISMATIC;
      random_tree_make(&tree, 300 + seed, &options);
      trial t = {.kernel = kernel, .count = 1};
      assert_ok(sinew_model_create(&tree.def, &t.model, NULL));
      for (int link = 0; link <= joints; ++link) {
        t.tasks[0] = tree.depth[link] == joints ? task_of(SINEW_TASK_POSE, link) : t.tasks[0];
      }
      random_vector(&random, 0.2, t.tasks[0].point_l);
      char what[32];
      snprintf(what, sizeof what, "chain of %d, %d", joints, (int)seed);
      assert_true(trial_begin(&t, &random, 0.0));
      trial_pose(&t, &random, 0.2);
      check_both(&t, what);
      trial_end(&t);
      sinew_model_destroy(t.model);
    }
  }
}

// Axes as above in a chain.
static void awkward_chains(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  for (int i = 0; i < 6 * AWKWARD; ++i) {
    random_stream random = random_stream_of(7500 + (uint64_t)i);
    char what[64];
    snprintf(what, sizeof what, "a chain %d, mostly at %g", i, awkward_angles[i % AWKWARD]);
    trial t = {.kernel = kernel, .model = awkward_model(&random, i % AWKWARD, true), .count = 1};
    t.tasks[0] = task_of(SINEW_TASK_POSE, 8);
    assert_true(trial_begin(&t, &random, 0.0));
    trial_pose(&t, &random, 0.1);
    check_both(&t, what);
    trial_end(&t);
    sinew_model_destroy(t.model);
  }
}

// What the kernel for chains cannot do is not given to it.
static void what_is_no_chain(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  sinew_model *arm = fixture_arm();
  for (int kind = 0; kind < 6; ++kind) {
    random_stream random = random_stream_of(1);
    trial t = {.kernel = kernel, .model = arm, .count = 1};
    t.tasks[0] = task_of(SINEW_TASK_POSE, ARM_FLANGE);
    t.tasks[1] = t.tasks[0];
    t.count = kind == 1 ? 2 : 1;
    t.tasks[0].kind = kind == 2 ? SINEW_TASK_POSITION : SINEW_TASK_POSE;
    t.tasks[0].orientation_weight = kind == 3 ? 0.5 : 1.0;
    t.tasks[0].chain_root = kind == 4 ? 2 : -1;
    assert_true(trial_begin(&t, &random, kind == 5 ? 0.4 : 0.0));
    assert_int_equal(t.plan->chain, kind == 0);
    int held = 0, clamped = 0;
    trial_pose(&t, &random, 0.3);
    trial_check_update(&t, "no chain", &held, &clamped);
    trial_end(&t);
  }
  sinew_model_destroy(arm);
}

// ------------------------------------------------------------- near and far turns

// From the goal by a turn about a random axis, and by as much in position.
static void aim_off(trial *t, random_stream *random, double turn) {
  for (int l = 0; l < t->kernel->lanes; ++l) {
    double axis[3], by[4];
    t->targets[l][0] = target_at(t->model, &t->tasks[0], t->q[l]);
    random_unit(random, 3, axis);
    by[0] = cos(0.5 * turn);
    for (int i = 0; i < 3; ++i) {
      by[1 + i] = sin(0.5 * turn) * axis[i];
      t->targets[l][0].position[i] += 0.1 * turn * axis[i];
    }
    sinew_quaternion_multiply(by, t->targets[l][0].rotation, t->targets[l][0].rotation);
  }
}

// Nearly there, and nearly half a turn away: where logarithms change their form. From half a turn
// the way leads somewhere. req: A8
static void small_and_large_turns(void **state) {
  static const double turns[] = {1e-5, 1e-3, 0.03, 0.1,       0.2,       0.4,        0.8,
                                 1.6,  2.4,  3.0,  PI - 1e-3, PI - 1e-5, PI - 1e-10, PI};
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  int links[HUMANOID_PLACES], held = 0, clamped = 0;
  sinew_model *figures[2] = {fixture_arm(), fixture_humanoid(true, links)};
  for (int f = 0; f < 2; ++f) {
    random_stream random = random_stream_of(21);
    trial t = {.kernel = kernel, .model = figures[f], .count = 1};
    t.tasks[0] = task_of(SINEW_TASK_POSE, f == 0 ? ARM_FLANGE : links[HUMANOID_LEFT_HAND]);
    assert_true(trial_begin(&t, &random, 0.0));
    for (size_t i = 0; i < 10 * sizeof turns / sizeof turns[0]; ++i) {
      char what[32];
      snprintf(what, sizeof what, "a turn of %.10g", turns[i / 10]);
      trial_pose(&t, &random, 0.0);
      aim_off(&t, &random, turns[i / 10]);
      trial_check_update(&t, what, &held, &clamped);
      for (int l = 0; l < kernel->lanes; ++l) {
        double q[TRIAL_MOST_NQ];
        memcpy(q, t.q[l], sizeof q);
        sinew_lanes_read(t.solver, t.block, l, q);
        assert_true(farthest(t.model->nq, q, t.q[l]) > 1e-8);
      }
    }
    trial_end(&t);
    sinew_model_destroy(figures[f]);
  }
}

// ------------------------------------------------------------------- real robots

static void try_robot(const sinew_lane_kernel *kernel, const char *path, const char *name) {
  sinew_document *document = NULL;
  sinew_error error;
  trial t = {.kernel = kernel};
  random_stream random = random_stream_of(9);
  int held = 0, clamped = 0;
  assert_ok(sinew_document_open(path, NULL, &document, &error));
  assert_ok(sinew_model_create(&document->model, &t.model, &error));
  sinew_document_destroy(document);
  if (t.model->nv == 0) {
    sinew_model_destroy(t.model);
    return;
  }
  for (int round = 0; round < 4; ++round) {
    t.count = 1 + random_below(&random, 4);
    for (int k = 0; k < t.count; ++k) {
      t.tasks[k] = trial_random_task(t.model, &random);
      t.tasks[k].kind = round % 2 == 0 ? SINEW_TASK_POSE : t.tasks[k].kind;
    }
    if (trial_begin(&t, &random, 0.0)) {
      trial_pose(&t, &random, 0.1);
      trial_check_update(&t, name, &held, &clamped);
    }
    trial_end(&t);
  }
  sinew_model_destroy(t.model);
}

// req: A1 A4
static void real_robots(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  char folder[4096], path[4400];
  int robots = 0;
  snprintf(folder, sizeof folder, "%s/data/urdf", shared_folder());
  DIR *listing = opendir(folder);
  assert_non_null(listing);
  for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
    if (strstr(entry->d_name, ".urdf") != NULL) {
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
      try_robot(kernel, path, entry->d_name);
      ++robots;
    }
  }
  closedir(listing);
  assert_true(robots >= 50);
}

// ------------------------------------------------------------ lanes are their own

#define UPDATES 8

// What a lane has gone through: q, E and both errors after each update.
typedef struct course {
  double values[UPDATES][TRIAL_MOST_NQ + 3];
} course;

// Lane at runs the problem of lane 0; the others their own, or nothing: no numbers even.
static void run_course(trial *t, int at, bool together, course *out) {
  const int width = t->kernel->lanes, nq = t->model->nq;
  memset(out, 0, sizeof *out);
  for (int i = 0; i < (nq + 12 * t->count) * width; ++i) {
    t->block->q[i] = together ? 0.5 : NAN; // targets follow
  }
  t->block->active = 0;
  for (int l = 0; l < width && together; ++l) {
    trial_place(t, (l + 3) % width, l);
  }
  trial_place(t, 0, at);
  for (int update = 0; update < UPDATES; ++update) {
    double *values = out->values[update];
    t->kernel->update(t->plan, &t->solver->lanes.rules, t->block);
    for (int i = 0; i < nq; ++i) {
      values[i] = t->block->q[i * width + at];
    }
    values[nq] = t->block->E[at];
    values[nq + 1] = t->block->position_error[at];
    values[nq + 2] = t->block->orientation_error[at];
  }
}

static void check_courses(trial *t) {
  static course alone, other;
  random_stream random = random_stream_of(77);
  trial_pose(t, &random, 0.2);
  run_course(t, 0, false, &alone);
  for (int i = 0; i < t->model->nq + 3; ++i) {
    assert_true(isfinite(alone.values[UPDATES - 1][i]));
  }
  for (int at = 0; at < t->kernel->lanes; ++at) {
    for (int together = 0; together < 2; ++together) {
      run_course(t, at, together != 0, &other);
      assert_memory_equal(&alone, &other, sizeof alone);
    }
  }
}

// Wherever a problem lies and whatever lies beside it, to the bit. req: F3
static void neighbours_do_not_matter(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  sinew_model *arm = fixture_arm();
  random_stream random = random_stream_of(4);
  trial t = {.kernel = kernel, .model = arm, .count = 1};
  t.tasks[0] = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  assert_true(trial_begin(&t, &random, 0.0));
  check_courses(&t);
  trial_end(&t);
  sinew_model_destroy(arm);
  static tree_trial it;
  random_tree_options options = random_tree_defaults();
  options.limited = 0.5;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    if (tree_begin(&it, kernel, seed, &options, 0.0)) {
      check_courses(&it.t);
    }
    tree_end(&it);
  }
}

// ------------------------------------------------------------------ how it ends

// What has arrived, is given up or holds nothing keeps its q and is told; the others go on.
static void what_has_ended_stays(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  int links[HUMANOID_PLACES];
  sinew_model *figures[2] = {fixture_arm(), fixture_humanoid(true, links)};
  for (int f = 0; f < 2; ++f) {
    random_stream random = random_stream_of(8);
    trial t = {.kernel = kernel, .model = figures[f], .count = 1};
    t.tasks[0] = task_of(SINEW_TASK_POSE, f == 0 ? ARM_FLANGE : links[HUMANOID_LEFT_HAND]);
    assert_true(trial_begin(&t, &random, 0.0));
    const int width = kernel->lanes, nq = t.model->nq;
    trial_pose(&t, &random, 0.0);
    for (int l = 0; l < width; l += 3) { // lanes 0, 3, 6 are there already
      t.targets[l][0] = target_at(t.model, &t.tasks[0], t.q[l]);
    }
    trial_place_all(&t);
    for (int l = 1; l < width; l += 3) { // lanes 1, 4, 7 have had their updates
      t.block->steps[l] = t.solver->lanes.rules.most;
    }
    t.block->active &= ~(1u << 5);
    double before[TRIAL_MOST_NQ * SINEW_LANE_MOST];
    memcpy(before, t.block->q, (size_t)(nq * width) * sizeof *before);
    kernel->update(t.plan, &t.solver->lanes.rules, t.block);
    const unsigned all = (1u << width) - 1u;
    assert_int_equal(t.block->converged, 0x49u & all);
    assert_int_equal(t.block->dropped, 0x92u & all);
    for (int l = 0; l < width; ++l) {
      bool moved = false;
      for (int i = 0; i < nq; ++i) {
        moved |= t.block->q[i * width + l] != before[i * width + l];
      }
      assert_int_equal(moved, l == 2);
    }
    trial_end(&t);
    sinew_model_destroy(figures[f]);
  }
}

// Scratch of the widest tasks that there may be ends where the next array begins.
static void scratch_is_large_enough(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  random_stream random = random_stream_of(2);
  trial t = {.kernel = kernel, .model = model, .count = TRIAL_MOST_TASKS};
  for (int k = 0; k < t.count; ++k) { // all at the end of the longest way
    t.tasks[k] = task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]);
  }
  assert_true(trial_begin(&t, &random, 0.0));
  double *behind = t.solver->lanes.one.q;
  assert_true(behind > t.block->scratch);
  for (int i = 0; i < model->nq; ++i) {
    behind[i] = 0.125;
  }
  int held = 0, clamped = 0;
  trial_pose(&t, &random, 0.1);
  trial_check_update(&t, "one effector five times", &held, &clamped);
  for (int i = 0; i < model->nq; ++i) {
    assert_true(behind[i] == 0.125);
  }
  trial_end(&t);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ON_EACH_SET(any_tree),
      ON_EACH_SET(trees_of_few_kinds),
      ON_EACH_SET(trees_of_odd_sizes),
      ON_EACH_SET(awkward_axes),
      ON_EACH_SET(chains),
      ON_EACH_SET(awkward_chains),
      ON_EACH_SET(what_is_no_chain),
      ON_EACH_SET(small_and_large_turns),
      ON_EACH_SET(real_robots),
      ON_EACH_SET(neighbours_do_not_matter),
      ON_EACH_SET(what_has_ended_stays),
      ON_EACH_SET(scratch_is_large_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
