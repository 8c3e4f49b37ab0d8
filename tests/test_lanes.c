// Updates in lanes against the scalar code, on every instruction set of this processor: errors,
// steps and limits over random trees, nearly degenerate axes and real robots; and that a lane
// depends on its own problem only.
#include "lane_trial.h"
#include "shared_data.h"
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

// Random trees of one shape; returns the number of updates compared.
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
  // Enough cases of each feature occurred.
  assert_true(options->limited == 0.0 || held > tried / 50);
  assert_true(clamped > tried / 20);
  return tried;
}

// Every kind of joint and task: coupled joints, gains, weights, points, chain roots, several
// effectors, fixed effectors. req: A2 A4 A5 A6 A8 F3
static void random_trees_match_the_scalar_code(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  random_tree_options options = random_tree_defaults();
  options.joints = 12;
  options.limited = 0.6;
  const int tried = try_trees(kernel, &options, 100, 0.0);
  assert_true(tried > 130 * kernel->lanes);
  assert_true(try_trees(kernel, &options, 40, 0.2) > 40 * kernel->lanes);
}

// Only coupled joints and their drivers; only spherical and free joints.
// req: A3 A5
static void trees_of_one_kind_match_the_scalar_code(void **state) {
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

// The unit of length does not matter. req: A1 A2
static void length_unit_does_not_matter(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  static const double sizes[] = {3e-4, 3e3, 3e7};
  for (int i = 0; i < 3; ++i) {
    random_tree_options options = random_tree_defaults();
    options.link_length = sizes[i];
    options.limited = 0.3;
    assert_true(try_trees(kernel, &options, 20, 0.0) > 0);
  }
}

// ------------------------------------------------------------------ degenerate axes

// An axis relative to the one before it: rotated by an angle, displaced along it, across it, or
// both.
static void degenerate_joint(builder *b, random_stream *random, double angle, bool chain) {
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

// Eight joints, most of them at one angle.
static sinew_model *degenerate_model(random_stream *random, int which, bool chain) {
  builder b;
  builder_start(&b);
  for (int j = 0; j < 8; ++j) {
    const bool other = random_below(random, 3) == 0;
    degenerate_joint(&b, random, awkward_angles[other ? random_below(random, AWKWARD) : which],
                     chain);
  }
  return builder_make(&b);
}

// Parallel and antiparallel axes, nearly parallel ones, and intersecting ones: where the
// Denavit-Hartenberg parameters between two axes are not well defined. req: A4
static void degenerate_axes_match_the_scalar_code(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  int held = 0, clamped = 0;
  for (int i = 0; i < 20 * AWKWARD; ++i) {
    random_stream random = random_stream_of(7000 + (uint64_t)i);
    char what[64];
    snprintf(what, sizeof what, "axes %d, mostly at %g", i, awkward_angles[i % AWKWARD]);
    trial t = {
        .kernel = kernel, .model = degenerate_model(&random, i % AWKWARD, false), .count = 2};
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

// The kernel for chains and the one for trees give the same result for a chain.
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

// Chains of one to sixteen revolute and prismatic joints.
static void chains_match_the_tree_kernel(void **state) {
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
      random_unit(&random, 4, t.tasks[0].rotation_l);
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

// Chains of the axes above.
static void chains_of_degenerate_axes(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  for (int i = 0; i < 6 * AWKWARD; ++i) {
    random_stream random = random_stream_of(7500 + (uint64_t)i);
    char what[64];
    snprintf(what, sizeof what, "a chain %d, mostly at %g", i, awkward_angles[i % AWKWARD]);
    trial t = {.kernel = kernel, .model = degenerate_model(&random, i % AWKWARD, true), .count = 1};
    t.tasks[0] = task_of(SINEW_TASK_POSE, 8);
    assert_true(trial_begin(&t, &random, 0.0));
    trial_pose(&t, &random, 0.1);
    check_both(&t, what);
    trial_end(&t);
    sinew_model_destroy(t.model);
  }
}

// A problem outside the chain kernel's features is not given to it.
static void unsupported_problems_avoid_the_chain_kernel(void **state) {
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

// ------------------------------------------------------------- small and large rotations

// A target rotated about a random axis from the current pose by an angle, and displaced by as much.
static void offset_target(trial *t, random_stream *random, double turn) {
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

// Close to the target, and close to half a turn away: where logarithms change their formula. From
// half a turn a step exists. req: A8
static void small_and_large_rotations(void **state) {
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
      offset_target(&t, &random, turns[i / 10]);
      trial_check_update(&t, what, &held, &clamped);
      for (int l = 0; l < kernel->lanes; ++l) {
        double q[TRIAL_MOST_NQ];
        memcpy(q, t.q[l], sizeof q);
        sinew_lanes_read(&t.solver->lanes, &t.solver->problem, t.block, l, q);
        assert_true(farthest(t.model->nq, q, t.q[l]) > 1e-8);
      }
    }
    trial_end(&t);
    sinew_model_destroy(figures[f]);
  }
}

// A target rotated about its own axis from the current pose, and then about another one.
static void rotate_target(trial *t, int l, int axis, double angle, int other, double tilt) {
  double by[4] = {cos(0.5 * angle), 0.0, 0.0, 0.0}, then[4] = {cos(0.5 * tilt), 0.0, 0.0, 0.0};
  double *rotation = t->targets[l][0].rotation;
  by[1 + axis] = sin(0.5 * angle);
  then[1 + other] = sin(0.5 * tilt);
  t->targets[l][0] = target_at(t->model, &t->tasks[0], t->q[l]);
  sinew_quaternion_multiply(rotation, by, rotation);
  sinew_quaternion_multiply(rotation, then, rotation);
}

// A link rotated by up to half a turn about its free axis, and by a millionth about another one:
// near half a turn, the rotation's axis cannot be computed from the antisymmetric part of its
// matrix. The error is that of the scalar code, 1e-12 being the accuracy of lane_rotation_log(),
// and tilt times (angle / 2) / sin(angle / 2), at most pi / 2. req: A4 A8
static void half_turns_about_free_axes(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  sinew_model *arm = fixture_arm();
  for (int axis = 0; axis < 3; ++axis) {
    random_stream random = random_stream_of(23);
    trial t = {.kernel = kernel, .model = arm, .count = 1};
    t.tasks[0] = task_of(SINEW_TASK_ORIENTATION, ARM_FLANGE);
    t.tasks[0].free_axes = (unsigned)SINEW_FREE_ROTATION_X << axis;
    assert_true(trial_begin(&t, &random, 0.0));
    for (int i = 0; i < 34; ++i) {
      const double from = i < 33 ? pow(10.0, -0.5 * i) : 0.0, tilt = i % 3 == 0 ? 0.0 : 1e-6;
      trial_pose(&t, &random, 0.0);
      for (int l = 0; l < kernel->lanes; ++l) {
        rotate_target(&t, l, axis, l % 2 == 0 ? PI - from : from - PI, (axis + 1) % 3, tilt);
      }
      trial_place_all(&t);
      kernel->update(t.plan, &t.solver->lanes.rules, t.block);
      for (int l = 0; l < kernel->lanes; ++l) {
        trial_expected expected;
        trial_expect(&t, l, &expected);
        assert_near(t.block->orientation_error[l], expected.orientation_error, 1e-12);
        assert_at_most(t.block->orientation_error[l], PI / 2.0 * tilt + 1e-12);
      }
    }
    trial_end(&t);
  }
  sinew_model_destroy(arm);
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
      reset_unread_fields(&t.tasks[k]);
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

// ------------------------------------------------------------ independence of lanes

#define UPDATES 8

// A lane's history: q, E and both errors after each update.
typedef struct course {
  double values[UPDATES][TRIAL_MOST_NQ + 3];
} course;

// Lane at runs the problem of lane 0; the others run their own, or none with NaN in their arrays.
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

// The index of a problem and its neighbours do not matter, to the bit. req: F3
static void results_do_not_depend_on_neighbours(void **state) {
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

// ------------------------------------------------------------------ ended lanes

// A lane that has converged, given up or has no problem keeps its q; the others continue.
static void ended_lanes_keep_their_configuration(void **state) {
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
    for (int l = 0; l < width; l += 3) { // lanes 0, 3, 6 have converged at the start
      t.targets[l][0] = target_at(t.model, &t.tasks[0], t.q[l]);
    }
    trial_place_all(&t);
    for (int l = 1; l < width; l += 3) { // lanes 1, 4, 7 have used all their updates
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

// The scratch of the largest tasks ends where the next array begins.
static void scratch_is_large_enough(void **state) {
  const sinew_lane_kernel *kernel = kernel_of_state(state);
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  random_stream random = random_stream_of(2);
  trial t = {.kernel = kernel, .model = model, .count = TRIAL_MOST_TASKS};
  for (int k = 0; k < t.count; ++k) { // all at the end of the longest chain
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
      ON_EACH_SET(random_trees_match_the_scalar_code),
      ON_EACH_SET(trees_of_one_kind_match_the_scalar_code),
      ON_EACH_SET(length_unit_does_not_matter),
      ON_EACH_SET(degenerate_axes_match_the_scalar_code),
      ON_EACH_SET(chains_match_the_tree_kernel),
      ON_EACH_SET(chains_of_degenerate_axes),
      ON_EACH_SET(unsupported_problems_avoid_the_chain_kernel),
      ON_EACH_SET(small_and_large_rotations),
      ON_EACH_SET(half_turns_about_free_axes),
      ON_EACH_SET(real_robots),
      ON_EACH_SET(results_do_not_depend_on_neighbours),
      ON_EACH_SET(ended_lanes_keep_their_configuration),
      ON_EACH_SET(scratch_is_large_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
