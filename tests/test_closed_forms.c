// Arms with a closed form: recognized from models of any description, all solutions returned and
// reported as complete, and only then.
#include "fixtures.h"
#include "sinew/global.h"

#define MOST 16
#define EXACT 1e-10

// Denavit-Hartenberg parameters of an arm (Craig's order: alpha and a before the joint).
typedef struct arm {
  const char *family;
  double alpha[7], a[7], d[7], flange;
  sinew_completeness claim;
} robot;

static const robot ur5 = {"6 joints, axes 2 to 4 parallel",
                          {0.0, PI / 2, 0.0, 0.0, PI / 2, -PI / 2},
                          {0.0, 0.0, -0.425, -0.39225, 0.0, 0.0},
                          {0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823},
                          0.05,
                          SINEW_SOLUTIONS_COMPLETE};
// As an ABB IRB 2400
static const robot industrial = {"6 joints, axes 4 to 6 meet",
                                 {0.0, -PI / 2, 0.0, -PI / 2, PI / 2, -PI / 2},
                                 {0.0, 0.1, 0.705, 0.135, 0.0, 0.0},
                                 {0.615, 0.0, 0.0, 0.755, 0.0, 0.085},
                                 0.1,
                                 SINEW_SOLUTIONS_COMPLETE};
// As a Stanford arm with a rotating elbow: no two axes of the first three parallel
static const robot skewed = {"6 joints, axes 4 to 6 meet",
                             {0.0, -1.2, 0.7, -PI / 2, 1.3, -PI / 2},
                             {0.0, 0.1, 0.5, 0.135, 0.0, 0.0},
                             {0.4, 0.07, 0.0, 0.6, 0.0, 0.085},
                             0.1,
                             SINEW_SOLUTIONS_COMPLETE};
// As a Kinova Jaco: a wrist whose axes meet two by two
static const robot curved = {"6 joints, axes 2 and 3 parallel, 4 and 5 meet",
                             {0.0, PI / 2, 0.0, PI / 2, PI / 3, PI / 3},
                             {0.0, 0.0, 0.41, 0.0, 0.0, 0.0},
                             {0.2755, 0.0, -0.0098, 0.2502, 0.0858, 0.2029},
                             0.06,
                             SINEW_SOLUTIONS_GRID};
static const robot *const arms[] = {&ur5, &industrial, &skewed, &curved};

// How an arm is described.
typedef struct description {
  bool mounted; // on a base that is turned and moved
  bool tool;    // with a tool in any direction
  bool flipped; // every other axis the other way round
  bool rotated; // frames rotated about and moved along their axes
  bool frozen;  // with a joint between two others that is frozen at an angle
  double limit; // of each joint, either way
  double error; // of lengths and angles
  uint64_t seed;
} description;

typedef struct subject {
  sinew_model *model;
  sinew_task task;
  sinew_solver *solver;
  int nq, tip, frozen; // frozen: the joint or -1
} subject;

// The transform that comes next on the chain, multiplied into the placement.
static void then(sinew_pose *at, const double translation[3], const double rpy[3]) {
  sinew_pose step = {.rotation = {1.0, 0.0, 0.0, 0.0}}, all;
  memcpy(step.position, translation, sizeof step.position);
  sinew_quaternion_from_rpy(rpy, step.rotation);
  sinew_pose_multiply(at, &step, &all);
  *at = all;
}

static subject make(const robot *arm, const description *how) {
  builder b;
  random_stream random = random_stream_of(1600 + how->seed);
  sinew_pose at = {.rotation = {1.0, 0.0, 0.0, 0.0}};
  subject s = {.frozen = -1};
  double v[3], w[3];
  builder_start(&b);
  if (how->mounted) {
    random_vector(&random, 1.0, v);
    random_vector(&random, 3.0, w);
    then(&at, v, w);
  }
  int parent = 0;
  for (int i = 0; i < 6; ++i) {
    const double e = how->error;
    const double turn = how->rotated ? random_between(&random, -3.0, 3.0) : 0.0;
    const double slide = how->rotated ? random_between(&random, -0.3, 0.3) : 0.0;
    then(&at, (double[3]){arm->a[i] + e * random_between(&random, -1.0, 1.0), 0.0, 0.0},
         (double[3]){arm->alpha[i] + e * random_between(&random, -1.0, 1.0), 0.0, 0.0});
    then(&at, (double[3]){0.0, 0.0, arm->d[i] + slide}, (double[3]){0.0, 0.0, turn});
    if (how->frozen && i == 3) { // its value is set below
      then(&at, (double[3]){0.0, 0.0, 0.0}, (double[3]){0.3, 0.2, 0.0});
      sinew_joint_def *extra = builder_add(&b, parent, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
      extra->placement = at;
      at = (sinew_pose){.rotation = {1.0, 0.0, 0.0, 0.0}};
      parent = b.joint_count;
      s.frozen = parent - 1;
      then(&at, (double[3]){0.0, 0.0, 0.0}, (double[3]){0.0, 0.0, -0.6}); // back, at 0.6 rad
      sinew_pose back = {.rotation = {1.0, 0.0, 0.0, 0.0}}, turned;
      sinew_pose forth = back;
      then(&forth, (double[3]){0.0, 0.0, 0.0}, (double[3]){0.3, 0.2, 0.0});
      sinew_pose_invert(&forth, &back);
      sinew_pose_multiply(&at, &back, &turned);
      at = turned;
    }
    const bool flip = how->flipped && i % 2 == 1;
    if (flip) {
      then(&at, (double[3]){0.0, 0.0, 0.0}, (double[3]){PI, 0.0, 0.0});
    }
    sinew_joint_def *joint = builder_add(&b, parent, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
    joint->placement = at;
    builder_limit(joint, -how->limit, how->limit);
    parent = b.joint_count;
    at = (sinew_pose){.rotation = {1.0, 0.0, 0.0, 0.0}};
    if (flip) {
      then(&at, (double[3]){0.0, 0.0, 0.0}, (double[3]){PI, 0.0, 0.0});
    }
    then(&at, (double[3]){0.0, 0.0, -slide}, (double[3]){0.0, 0.0, -turn});
  }
  then(&at, (double[3]){0.0, 0.0, arm->flange}, (double[3]){0.0, 0.0, 0.0});
  if (how->tool) {
    random_vector(&random, 0.2, v);
    random_vector(&random, 3.0, w);
    then(&at, v, w);
  }
  sinew_joint_def *flange = builder_add(&b, parent, SINEW_JOINT_FIXED, 0.0, 0.0, 0.0);
  flange->placement = at;
  s.model = builder_make(&b);
  s.tip = b.joint_count;
  s.task = task_of(SINEW_TASK_POSE, s.tip);
  s.nq = sinew_model_nq(s.model);
  s.solver = solver_with(NULL, s.model, &s.task, 1);
  if (s.frozen >= 0) {
    unsigned char frozen[8] = {0};
    frozen[s.frozen] = 1;
    assert_ok(sinew_solver_set_frozen(s.solver, frozen));
  }
  return s;
}

static void end(subject *s) {
  sinew_solver_destroy(s->solver);
  sinew_model_destroy(s->model);
}

static void random_configuration(const subject *s, random_stream *random, double most, double *q) {
  for (int i = 0; i < s->nq; ++i) {
    q[i] = i == s->frozen ? 0.6 : random_between(random, -most, most);
  }
}

static double apart(int n, const double *a, const double *b) {
  double far = 0.0;
  for (int i = 0; i < n; ++i) {
    far = fmax(far, fabs(remainder(a[i] - b[i], 2.0 * PI)));
  }
  return far;
}

// All solutions of the pose at goal, each exact; returns how many.
static int solve_all(const subject *s, const double *goal, const double *seed, double (*rows)[8],
                     sinew_report *report) {
  static double flat[MOST * 8];
  const sinew_target target = target_at(s->model, &s->task, goal);
  int found;
  assert_ok(sinew_solver_solve_all(s->solver, NULL, &target, 1, seed, MOST, flat, &found, report));
  for (int i = 0; i < found; ++i) {
    double distance, angle;
    memcpy(rows[i], flat + i * s->nq, (size_t)s->nq * sizeof(double));
    measure(s->model, &s->task, &target, rows[i], &distance, &angle);
    assert_at_most(distance, EXACT);
    assert_at_most(angle, EXACT);
    assert_true(outside_limits(s->model, rows[i]) == 0.0);
  }
  return found;
}

static double nearest(const subject *s, const double *q, double (*rows)[8], int found) {
  double least = INFINITY;
  for (int i = 0; i < found; ++i) {
    least = fmin(least, apart(s->nq, q, rows[i]));
  }
  return least;
}

// However an arm is described, it is recognized and has the same number of solutions, among them
// the one that the pose was taken from.
// req: D20 D24
static void descriptions_do_not_matter(void **state) {
  (void)state;
  static const description ways[] = {
      {.limit = 2.0 * PI},
      {.limit = 2.0 * PI, .mounted = true},
      {.limit = 2.0 * PI, .tool = true},
      {.limit = 2.0 * PI, .flipped = true},
      {.limit = 2.0 * PI, .rotated = true},
      {.limit = 2.0 * PI, .frozen = true},
      {.limit = 2.0 * PI,
       .mounted = true,
       .tool = true,
       .flipped = true,
       .rotated = true,
       .frozen = true},
  };
  for (size_t k = 0; k < sizeof arms / sizeof *arms; ++k) {
    for (size_t way = 0; way < sizeof ways / sizeof *ways; ++way) {
      subject s = make(arms[k], &ways[way]);
      random_stream random = random_stream_of(1700 + k);
      double seed[8] = {0.0}, goal[8], rows[MOST][8];
      seed[s.frozen >= 0 ? s.frozen : 0] = s.frozen >= 0 ? 0.6 : 0.0;
      assert_non_null(sinew_solver_family(s.solver, seed));
      assert_string_equal(sinew_solver_family(s.solver, seed), arms[k]->family);
      for (int round = 0; round < 50; ++round) {
        sinew_report report;
        random_configuration(&s, &random, PI, goal);
        const int found = solve_all(&s, goal, seed, rows, &report);
        assert_int_equal(report.completeness, arms[k]->claim);
        assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
        assert_true(found >= 1 && found <= (k == 3 ? MOST : 8) && (k >= 2 || found % 2 == 0));
        assert_at_most(nearest(&s, goal, rows, found), 1e-6);
      }
      end(&s);
    }
  }
}

// Reversed: the base is the flange. The group of a reversed arm is at its root.
// req: D20
static void reversed_arms_are_recognized(void **state) {
  (void)state;
  static const char *const families[] = {"6 joints, axes 3 to 5 parallel",
                                         "6 joints, axes 1 to 3 meet", "6 joints, axes 1 to 3 meet",
                                         "6 joints, axes 2 and 3 meet, 4 and 5 parallel"};
  for (size_t k = 0; k < sizeof arms / sizeof *arms; ++k) {
    const robot *a = arms[k];
    builder b;
    builder_start(&b);
    // From the flange: each joint about -z, then back along d, a and alpha
    sinew_pose at = {.rotation = {1.0, 0.0, 0.0, 0.0}};
    then(&at, (double[3]){0.0, 0.0, -a->flange}, (double[3]){0.0, 0.0, 0.0});
    for (int i = 5; i >= 0; --i) {
      then(&at, (double[3]){0.0, 0.0, -a->d[i]}, (double[3]){0.0, 0.0, 0.0});
      sinew_joint_def *joint = builder_add(&b, 5 - i, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
      joint->placement = at;
      joint->axis[2] = -1.0;
      builder_limit(joint, -2.0 * PI, 2.0 * PI);
      at = (sinew_pose){.rotation = {1.0, 0.0, 0.0, 0.0}};
      then(&at, (double[3]){0.0, 0.0, 0.0}, (double[3]){-a->alpha[i], 0.0, 0.0});
      then(&at, (double[3]){-a->a[i], 0.0, 0.0}, (double[3]){0.0, 0.0, 0.0});
    }
    sinew_joint_def *base = builder_add(&b, 6, SINEW_JOINT_FIXED, 0.0, 0.0, 0.0);
    base->placement = at;
    subject s = {.model = builder_make(&b), .tip = 7, .frozen = -1, .nq = 6};
    subject forth = make(a, &(description){.limit = 2.0 * PI});
    s.task = task_of(SINEW_TASK_POSE, 7);
    s.solver = solver_with(NULL, s.model, &s.task, 1);
    random_stream random = random_stream_of(1800 + k);
    double seed[8] = {0.0}, goal[8], back[8], rows[MOST][8];
    assert_string_equal(sinew_solver_family(s.solver, seed), families[k]);
    for (int round = 0; round < 50; ++round) {
      sinew_report report;
      random_configuration(&s, &random, PI, goal);
      const int found = solve_all(&s, goal, seed, rows, &report);
      assert_int_equal(report.completeness, a->claim);
      assert_at_most(nearest(&s, goal, rows, found), 1e-6);
      for (int i = 0; i < 6; ++i) {
        back[i] = goal[5 - i];
      }
      assert_int_equal(found, solve_all(&forth, back, seed, rows, &report));
    }
    end(&s);
    end(&forth);
  }
}

// Lengths and angles that are disturbed: complete up to 1e-9, seeds up to 1e-4, a search beyond.
// Seeds save a tenth of the search's steps.
static void disturb(const robot *arm) {
  static const double errors[] = {0.0, 1e-12, 1e-7, 1e-5, 3e-5, 1e-2};
  int steps[6] = {0};
  for (int e = 0; e < 6; ++e) {
    const description how = {.limit = 2.0 * PI, .error = errors[e]};
    subject s = make(arm, &how);
    random_stream random = random_stream_of(1900);
    const double seed[8] = {0.0};
    double goal[8], rows[MOST][8];
    int missed = 0;
    assert_true((sinew_solver_family(s.solver, seed) != NULL) == (errors[e] < 1e-9));
    assert_true((sinew_solver_nearby_family(s.solver, seed, NULL) != NULL) == (errors[e] < 1e-3));
    for (int round = 0; round < 60; ++round) {
      sinew_report report;
      random_configuration(&s, &random, PI, goal);
      const int found = solve_all(&s, goal, seed, rows, &report);
      assert_int_equal(report.completeness,
                       errors[e] < 1e-9 ? arm->claim : SINEW_SOLUTIONS_SEARCHED);
      steps[e] += report.steps;
      missed += !(nearest(&s, goal, rows, found) < 1e-5);
    }
    assert_at_most(missed, e < 5 ? 0.0 : 2.0);
    sinew_target far = target_at(s.model, &s.task, goal); // that there are none is no more certain
    sinew_report report;
    int found;
    far.position[2] += 10.0;
    assert_ok(
        sinew_solver_solve_all(s.solver, NULL, &far, 1, seed, MOST, rows[0], &found, &report));
    assert_int_equal(found, 0);
    assert_int_equal(report.completeness, errors[e] < 1e-9 ? arm->claim : SINEW_SOLUTIONS_SEARCHED);
    end(&s);
  }
  assert_int_equal(steps[0] + steps[1], 0);
  for (int e = 2; e < 5; ++e) {
    assert_in_range(steps[e], 1, 9 * steps[5] / 10);
  }
}

// req: D24
static void disturbed_arms_are_not_called_complete(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof arms / sizeof *arms; ++k) {
    disturb(arms[k]);
  }
}

// Limits: the solutions are those of an arm without limits that whole turns bring within them.
// req: E6 D24
static void limits_select_solutions(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof arms / sizeof *arms; ++k) {
    subject wide = make(arms[k], &(description){.limit = 2.0 * PI});
    subject narrow = make(arms[k], &(description){.limit = 1.5});
    random_stream random = random_stream_of(2000 + k);
    int fewer = 0;
    for (int round = 0; round < 100; ++round) {
      double goal[8], seed[8], rows[MOST][8], few[MOST][8];
      sinew_report report;
      random_configuration(&wide, &random, 1.5, goal);
      random_configuration(&wide, &random, 1.5, seed);
      const int all = solve_all(&wide, goal, seed, rows, &report);
      const int found = solve_all(&narrow, goal, seed, few, &report);
      int within = 0;
      assert_int_equal(report.completeness, arms[k]->claim);
      for (int i = 0; i < all; ++i) {
        double most = 0.0;
        for (int j = 0; j < 6; ++j) {
          most = fmax(most, fabs(remainder(rows[i][j], 2.0 * PI)));
        }
        within += most <= 1.5;
      }
      assert_int_equal(found, within);
      fewer += found < all;
    }
    assert_true(fewer > 50);
    end(&wide);
    end(&narrow);
  }
}

// The nearest and the best are chosen among all solutions, and the first is the nearest.
// req: D24 F2
static double least_elbow(void *context, const double *q) {
  (void)context;
  return -fabs(q[2]);
}

static void nearest_and_best_are_of_the_whole_set(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof arms / sizeof *arms; ++k) {
    subject s = make(arms[k], &(description){.limit = 2.0 * PI});
    random_stream random = random_stream_of(2100 + k);
    for (int round = 0; round < 50; ++round) {
      double goal[8], seed[8], rows[MOST][8];
      sinew_report report;
      sinew_global_def def = sinew_default_global_def();
      random_configuration(&s, &random, PI, goal);
      random_configuration(&s, &random, PI, seed);
      const sinew_target target = target_at(s.model, &s.task, goal);
      const int found = solve_all(&s, goal, seed, rows, &report);
      double nearest_of_all = INFINITY, best = -INFINITY;
      for (int i = 0; i < found; ++i) {
        double sum = 0.0;
        for (int j = 0; j < 6; ++j) {
          sum += (rows[i][j] - seed[j]) * (rows[i][j] - seed[j]);
        }
        nearest_of_all = fmin(nearest_of_all, sum);
        best = fmax(best, least_elbow(NULL, rows[i]));
      }
      // The first solution of a grid is that of a search
      const int first = arms[k] == &curved ? SINEW_GLOBAL_NEAREST : SINEW_GLOBAL_FIRST;
      for (int mode = first; mode <= SINEW_GLOBAL_BEST; ++mode) {
        double q[8], sum = 0.0;
        memcpy(q, seed, sizeof q);
        def.mode = (sinew_global_mode)mode;
        def.score = mode == SINEW_GLOBAL_BEST ? least_elbow : NULL;
        assert_ok(sinew_solver_search(s.solver, &def, &target, 1, q, &report));
        assert_int_equal(report.completeness, arms[k]->claim);
        for (int j = 0; j < 6; ++j) {
          sum += (q[j] - seed[j]) * (q[j] - seed[j]);
        }
        if (mode == SINEW_GLOBAL_BEST) {
          assert_near(least_elbow(NULL, q), best, 1e-9);
        } else {
          assert_near(sum, nearest_of_all, 1e-9);
        }
      }
    }
    end(&s);
  }
}

// A solution that the caller rejects is not returned.
static bool has_negative_elbow(void *context, const double *q) {
  (void)context;
  return sin(q[2]) < 0.0;
}

static void rejected_solutions_are_not_returned(void **state) {
  (void)state;
  subject s = make(&ur5, &(description){.limit = 2.0 * PI});
  random_stream random = random_stream_of(2150);
  sinew_global_def def = sinew_default_global_def();
  def.accept = has_negative_elbow;
  for (int round = 0; round < 30; ++round) {
    double goal[8], q[8] = {0.0, 0.0, 0.5};
    sinew_report report;
    random_configuration(&s, &random, PI, goal);
    const sinew_target target = target_at(s.model, &s.task, goal);
    assert_ok(sinew_solver_search(s.solver, &def, &target, 1, q, &report));
    assert_true(report.outcome != SINEW_OUTCOME_CONVERGED || has_negative_elbow(NULL, q));
  }
  end(&s);
}

// Wrist straight, elbow straight, wrist on the first axis: exactly, and 1e-4 to 1e-12 away. Every
// solution is exact, and a continuum is reported.
// req: D20
static void singular_poses_have_a_representative(void **state) {
  (void)state;
  for (size_t k = 0; k < 2; ++k) {
    subject s = make(arms[k], &(description){.limit = 2.0 * PI});
    random_stream random = random_stream_of(2200 + k);
    int continua = 0;
    for (int round = 0; round < 600; ++round) {
      double goal[8], seed[8], rows[MOST][8];
      sinew_report report;
      const int way = round % 3, size = round / 3 % 10;
      const double away = size == 9 ? 0.0 : pow(10.0, -4.0 - size);
      random_configuration(&s, &random, PI, goal);
      random_configuration(&s, &random, PI, seed);
      if (way == 0) {
        goal[4] = away;
      } else if (way == 1) { // of the industrial arm, the forearm along the upper arm
        goal[2] = k == 0 ? away : atan2(0.755, 0.135) + away;
      } else if (k == 1) { // the wrist's centre above the first axis: Newton's method on joint 2
        const double forearm = hypot(0.135, 0.755), from = atan2(0.755, 0.135);
        goal[2] = random_between(&random, -0.5, 0.5);
        // 0.1 + 0.705 cos(q2) + forearm cos(q2 + q3 - from) = 0, with signs as the arm has them
        for (int step = 0; step < 50; ++step) {
          const double f = 0.1 + 0.705 * cos(goal[1]) + forearm * cos(goal[1] + goal[2] + from);
          const double g = -0.705 * sin(goal[1]) - forearm * sin(goal[1] + goal[2] + from);
          goal[1] -= fmax(-0.3, fmin(0.3, f / g));
        }
        goal[1] += away;
      } else { // the UR's wrist over its shoulder: joint 6 vertical
        goal[3] = -goal[1] - goal[2] + away;
      }
      const int found = solve_all(&s, goal, seed, rows, &report);
      assert_true(found >= 1);
      assert_int_equal(report.completeness, SINEW_SOLUTIONS_COMPLETE);
      assert_true(report.continuum >= 0 && report.continuum <= found);
      continua += report.continuum > 0;
      assert_true(!(way == 0 && away == 0.0) || report.continuum > 0);
    }
    assert_true(continua >= 20 && continua < 300);
    end(&s);
  }
}

// --------------------------------------------------------------- seven joints

// As a KUKA LBR iiwa: shoulder and wrist are spherical; with an offset at elbow and wrist, as a
// Panda's, only the shoulder is. error: of lengths and angles.
static sinew_model *seven_joints(double limit, double offset, double error) {
  static const double d[7] = {0.36, 0.0, 0.42, 0.0, 0.4, 0.0, 0.126};
  static const double alpha[7] = {0.0, -PI / 2, PI / 2, PI / 2, -PI / 2, -PI / 2, PI / 2};
  random_stream random = random_stream_of(1700);
  builder b;
  builder_start(&b);
  for (int i = 0; i < 7; ++i) {
    sinew_pose at = {.rotation = {1.0, 0.0, 0.0, 0.0}};
    const double a = i == 3 || i == 6 ? offset : i == 4 ? -offset : 0.0;
    then(&at, (double[3]){a + error * random_between(&random, -1.0, 1.0), 0.0, 0.0},
         (double[3]){alpha[i] + error * random_between(&random, -1.0, 1.0), 0.0, 0.0});
    then(&at, (double[3]){0.0, 0.0, d[i]}, (double[3]){0.0, 0.0, 0.0});
    sinew_joint_def *joint = builder_add(&b, i, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
    joint->placement = at;
    builder_limit(joint, -limit, limit);
  }
  builder_add(&b, 7, SINEW_JOINT_FIXED, 0.0, 0.0, 0.1);
  return builder_make(&b);
}

static sinew_model *spherical_ends(double limit) {
  return seven_joints(limit, 0.0, 0.0);
}

#define GRID 1024

static int solve_grid(sinew_solver *solver, const sinew_model *model, const sinew_task *task,
                      const sinew_global_def *def, const double *goal, double (*rows)[7],
                      sinew_report *report) {
  const sinew_target target = target_at(model, task, goal);
  const double seed[7] = {0.1, 0.2, 0.3, -1.0, 0.2, 0.9, 0.1};
  double seeded[7];
  int found;
  memcpy(seeded, seed, sizeof seeded);
  seeded[6] = goal[6];
  assert_ok(sinew_solver_solve_all(solver, def, &target, 1, seeded, GRID, rows[0], &found, report));
  for (int i = 0; i < found; ++i) {
    double distance, angle;
    measure(model, task, &target, rows[i], &distance, &angle);
    assert_at_most(distance, EXACT);
    assert_at_most(angle, EXACT);
    assert_true(outside_limits(model, rows[i]) == 0.0);
  }
  return found;
}

// On the grid some solution is near that of the goal, nearer than twice the grid in the joint that
// is given; at the goal's own value of the last joint, frozen, it is among all.
// req: D20 D24
static void seven_joints_are_solved_on_a_grid(void **state) {
  (void)state;
  static double rows[GRID][7];
  for (int k = 0; k < 2; ++k) {
    sinew_model *model = k == 0 ? fixture_arm() : spherical_ends(3.0);
    const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    const double zero[7] = {0.0};
    unsigned char frozen[7] = {0};
    int near = 0;
    assert_string_equal(sinew_solver_family(solver, zero),
                        k == 0 ? "7 joints, axes 1 to 3 meet"
                               : "7 joints, axes 1 to 3 and 5 to 7 meet");
    for (uint64_t round = 0; round < 40; ++round) {
      double goal[7], least = INFINITY;
      sinew_report report;
      sinew_configuration_random(model, 2300 + (uint64_t)k, round, goal);
      frozen[6] = 0;
      assert_ok(sinew_solver_set_frozen(solver, frozen));
      int found = solve_grid(solver, model, &task, NULL, goal, rows, &report);
      assert_true(found > 0 ? report.completeness == SINEW_SOLUTIONS_GRID : round > 0);
      for (int i = 0; i < found; ++i) {
        least = fmin(least, apart(7, goal, rows[i]));
        for (int j = 0; j < i && i < 100; ++j) {
          assert_true(apart(7, rows[i], rows[j]) > 1e-3);
        }
      }
      near += least < 0.3;
      frozen[6] = 1;
      assert_ok(sinew_solver_set_frozen(solver, frozen));
      found = solve_grid(solver, model, &task, NULL, goal, rows, &report);
      assert_int_equal(report.completeness, SINEW_SOLUTIONS_COMPLETE);
      assert_true(found >= 1 && found <= 8);
      least = INFINITY;
      for (int i = 0; i < found; ++i) {
        assert_true(rows[i][6] == goal[6]);
        least = fmin(least, apart(7, goal, rows[i]));
      }
      assert_at_most(least, 1e-6);
    }
    assert_true(near >= 30);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// Seven joints that are nearly of a family, to within 1e-4: the closed form's solutions after three
// Newton steps, as many as an exact arm has, without a step of the search; not called complete.
// req: D24
static void nearly_closed_forms_of_seven_joints_are_refined(void **state) {
  (void)state;
  static const double errors[] = {0.0, 1e-7, 1e-5, 3e-5};
  static const char *const families[2] = {"7 joints, axes 1 to 3 and 5 to 7 meet",
                                          "7 joints, axes 1 to 3 meet"};
  static double rows[GRID][7];
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const double zero[7] = {0.0};
  for (int k = 0; k < 2; ++k) {
    int exact = 0;
    for (int e = 0; e < 4; ++e) {
      sinew_model *model = seven_joints(3.0, k == 0 ? 0.0 : 0.088, errors[e]);
      sinew_solver *solver = solver_with(NULL, model, &task, 1);
      double deviation = -1.0;
      int total = 0;
      assert_string_equal(sinew_solver_nearby_family(solver, zero, &deviation), families[k]);
      assert_true(deviation >= 1e-2 * errors[e] && deviation <= fmax(4.0 * errors[e], 1e-15));
      assert_true((sinew_solver_family(solver, zero) != NULL) == (e == 0));
      for (uint64_t round = 0; round < 40; ++round) {
        double goal[7];
        sinew_report report;
        sinew_configuration_random(model, 2350 + (uint64_t)k, round, goal);
        total += solve_grid(solver, model, &task, NULL, goal, rows, &report);
        assert_int_equal(report.completeness,
                         e == 0 ? SINEW_SOLUTIONS_GRID : SINEW_SOLUTIONS_SEARCHED);
        assert_int_equal(report.steps, 0);
        assert_int_equal(report.continuum, 0);
      }
      exact = e == 0 ? total : exact;
      assert_in_range(total, 95 * exact / 100, 105 * exact / 100);
      sinew_solver_destroy(solver);
      sinew_model_destroy(model);
    }
    sinew_model *other = seven_joints(3.0, k == 0 ? 0.0 : 0.088, 1e-2);
    sinew_solver *solver = solver_with(NULL, other, &task, 1);
    assert_null(sinew_solver_nearby_family(solver, zero, NULL));
    sinew_solver_destroy(solver);
    sinew_model_destroy(other);
  }
}

// The angle of the elbow about the line from the shoulder of spherical_ends() to the wrist, from
// where it is in the plane of that line and the first axis.
static double swivel_of(const sinew_model *model, const double *q) {
  const sinew_task elbow = task_of(SINEW_TASK_POSITION, 4), wrist = task_of(SINEW_TASK_POSITION, 6);
  const sinew_target at = target_at(model, &elbow, q), end = target_at(model, &wrist, q);
  const double shoulder[3] = {0.0, 0.0, 0.36};
  double line[3], arm[3], up[3] = {0.0, 0.0, 1.0}, across[3], off[3];
  for (int j = 0; j < 3; ++j) {
    line[j] = end.position[j] - shoulder[j];
    arm[j] = at.position[j] - shoulder[j];
  }
  // The part of the elbow across the line, and of the first axis
  const double square = line[0] * line[0] + line[1] * line[1] + line[2] * line[2];
  const double along = (line[0] * arm[0] + line[1] * arm[1] + line[2] * arm[2]) / square;
  const double rise = line[2] / square;
  for (int j = 0; j < 3; ++j) {
    off[j] = arm[j] - along * line[j];
    up[j] -= rise * line[j];
  }
  across[0] = up[1] * off[2] - up[2] * off[1];
  across[1] = up[2] * off[0] - up[0] * off[2];
  across[2] = up[0] * off[1] - up[1] * off[0];
  const double s = (across[0] * line[0] + across[1] * line[1] + across[2] * line[2]) / sqrt(square);
  return atan2(s, up[0] * off[0] + up[1] * off[1] + up[2] * off[2]);
}

// At a swivel the elbow is at one place, whose angle about the line from shoulder to wrist is the
// swivel; the eight solutions are those of an arm without limits.
// req: D20
static void a_swivel_places_the_elbow(void **state) {
  (void)state;
  static double rows[GRID][7];
  sinew_model *model = spherical_ends(2.0 * PI);
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  random_stream random = random_stream_of(2400);
  for (uint64_t round = 0; round < 50; ++round) {
    double goal[7];
    const double swivel = random_between(&random, -PI, PI);
    sinew_global_def def = sinew_default_global_def();
    sinew_report report;
    sinew_configuration_random(model, 2401, round, goal);
    def.swivel = &swivel;
    const int found = solve_grid(solver, model, &task, &def, goal, rows, &report);
    assert_int_equal(report.completeness, SINEW_SOLUTIONS_COMPLETE);
    assert_int_equal(report.continuum, 0);
    assert_int_equal(found, 8);
    for (int i = 0; i < found; ++i) {
      assert_at_most(fabs(remainder(swivel_of(model, rows[i]) - swivel, 2.0 * PI)), 1e-6);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Brings the wrist of spherical_ends() above or below the shoulder, by joint 2 with joint 3 at 0.
static void stand_on_axis(const sinew_model *model, double *q) {
  const sinew_task wrist = task_of(SINEW_TASK_POSITION, 6);
  double low = 0.0, high = PI; // half a turn changes the side
  q[0] = q[2] = 0.0;
  q[1] = low;
  const double first = target_at(model, &wrist, q).position[0];
  for (int i = 0; i < 60; ++i) {
    q[1] = 0.5 * (low + high);
    if (target_at(model, &wrist, q).position[0] * first > 0.0) {
      low = q[1];
    } else {
      high = q[1];
    }
  }
}

// Both ends spherical: wrist straight, elbow straight, wrist on the first axis, exactly and 1e-4 to
// 1e-12 away, at the swivel of the pose or, where that is lost, at any. There is a solution, all
// are exact, and a continuum is reported where an angle is free, and only there. req: D20
static void singular_poses_at_a_swivel_have_a_representative(void **state) {
  (void)state;
  static double rows[GRID][7];
  sinew_model *model = spherical_ends(2.0 * PI);
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  random_stream random = random_stream_of(2600);
  for (int round = 0; round < 600; ++round) {
    const int way = round % 3, size = round / 3 % 10;
    const double away = size == 9 ? 0.0 : pow(10.0, -4.0 - size);
    double goal[7], swivel;
    sinew_global_def def = sinew_default_global_def();
    sinew_report report;
    for (int i = 0; i < 7; ++i) {
      goal[i] = random_between(&random, -PI, PI);
    }
    if (way == 0) {
      goal[5] = away;
    } else if (way == 1) {
      goal[3] = away;
    } else {
      stand_on_axis(model, goal);
      goal[1] += away;
    }
    const bool lost = way != 0 && away < 1e-7;
    swivel = lost ? random_between(&random, -PI, PI) : swivel_of(model, goal);
    def.swivel = &swivel;
    const int found = solve_grid(solver, model, &task, &def, goal, rows, &report);
    assert_in_range(found, 1, 8);
    assert_int_equal(report.completeness, SINEW_SOLUTIONS_COMPLETE);
    assert_in_range(report.continuum, 0, found);
    if (away == 0.0 && way != 1) {
      assert_int_equal(report.continuum, found);
    } else if (way == 1 || away > 1e-11) {
      assert_int_equal(report.continuum, 0);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Axes that almost meet leave an error that is not only rounding.
// req: D20
static void reports_have_the_errors_of_the_nearest_solution(void **state) {
  (void)state;
  double most[2] = {0.0, 0.0};
  for (int k = 0; k < 3; ++k) {
    const description how = {.limit = 2.0 * PI, .mounted = true, .error = 3e-14, .seed = 5};
    subject s = make(arms[k], &how);
    random_stream random = random_stream_of(2500 + k);
    for (int round = 0; round < 100; ++round) {
      double goal[8], rows[MOST][8], errors[2], distance, angle;
      const double seed[8] = {0.0};
      sinew_report report;
      random_configuration(&s, &random, PI, goal);
      const sinew_target target = target_at(s.model, &s.task, goal);
      assert_true(solve_all(&s, goal, seed, rows, &report) > 0);
      measure(s.model, &s.task, &target, rows[0], &distance, &angle);
      assert_near(report.position_error, distance, 5e-15);
      assert_near(report.orientation_error, angle, 5e-15);
      assert_ok(sinew_solver_task_error(s.solver, 0, &errors[0], &errors[1]));
      assert_true(errors[0] == report.position_error && errors[1] == report.orientation_error);
      most[0] = fmax(most[0], distance);
      most[1] = fmax(most[1], angle);
    }
    end(&s);
  }
  assert_true(most[0] > 2e-14 && most[1] > 2e-14);
}

// Near a seed of many whole turns the angles are rounded, and the errors are those of what is
// returned.
static void rounded_angles_have_their_own_errors(void **state) {
  (void)state;
  double most = 0.0;
  for (int k = 0; k < 3; ++k) {
    const description how = {.limit = INFINITY, .mounted = true, .seed = 5};
    subject s = make(arms[k], &how);
    random_stream random = random_stream_of(2600 + k);
    for (int round = 0; round < 30; ++round) {
      double goal[8], rows[MOST][8], distance, angle, seed[8] = {0.0};
      sinew_report report;
      random_configuration(&s, &random, PI, goal);
      seed[round % 6] = round % 2 ? 1e5 : -1e5;
      const sinew_target target = target_at(s.model, &s.task, goal);
      assert_true(solve_all(&s, goal, seed, rows, &report) > 0);
      assert_true(fabs(rows[0][round % 6]) > 9e4);
      measure(s.model, &s.task, &target, rows[0], &distance, &angle);
      assert_near(report.position_error, distance, 1e-14);
      assert_near(report.orientation_error, angle, 1e-14);
      most = fmax(most, angle);
    }
    end(&s);
  }
  assert_true(most > 1e-12);
}

// ------------------------------------------------------------------ branches

// The branch of each solution; none twice, and none at a singularity.
static void branches_of(sinew_solver *solver, const double *rows, int width, int found,
                        sinew_branch *branches) {
  for (int i = 0; i < found; ++i) {
    assert_ok(sinew_solver_branch(solver, rows + (size_t)i * (size_t)width, &branches[i]));
    assert_int_equal(branches[i].count, 3);
    assert_true(branches[i].distinct);
    assert_string_equal(branches[i].names[0], "shoulder");
    assert_string_equal(branches[i].names[1], "elbow");
    assert_string_equal(branches[i].names[2], "wrist");
    for (int j = 0; j < i; ++j) {
      assert_true(memcmp(branches[i].signs, branches[j].signs, sizeof branches[i].signs) != 0);
    }
  }
}

// The solutions of a pose and of one that is a little further on: those with the same branch are
// near to each other. Returns how many are not, or have no partner, near singularities.
static int compare_sets(sinew_solver *solver, double (*rows)[8], int found, double (*moved)[8],
                        int found_moved) {
  sinew_branch before[8], after[8];
  int apart_from = 0;
  branches_of(solver, rows[0], 8, found, before);
  branches_of(solver, moved[0], 8, found_moved, after);
  for (int i = 0; i < found; ++i) {
    bool same = false;
    for (int j = 0; j < found_moved; ++j) {
      same |= memcmp(before[i].signs, after[j].signs, sizeof before[i].signs) == 0 &&
              apart(6, rows[i], moved[j]) < 0.05;
    }
    apart_from += !same;
  }
  return apart_from;
}

// Six joints, seven with the last one frozen, and seven at a swivel: all solutions of a pose have
// different branches, which small motions of the target do not change.
// req: D20
static void branches_tell_solutions_apart(void **state) {
  (void)state;
  for (int k = 0; k < 4; ++k) {
    subject s = {.frozen = -1};
    if (k < 2) {
      s = make(arms[k], &(description){.limit = 2.0 * PI, .mounted = true, .tool = true});
    } else {
      s.model = k == 2 ? fixture_arm() : spherical_ends(2.0 * PI);
      s.tip = ARM_FLANGE;
      s.nq = 7;
      s.task = task_of(SINEW_TASK_POSE, s.tip);
      s.solver = solver_with(NULL, s.model, &s.task, 1);
    }
    if (k == 2) {
      const unsigned char frozen[7] = {0, 0, 0, 0, 0, 0, 1};
      double lower[7], upper[7];
      for (int i = 0; i < 7; ++i) {
        lower[i] = -2.0 * PI;
        upper[i] = 2.0 * PI;
      }
      assert_ok(sinew_solver_set_limits(s.solver, lower, upper));
      assert_ok(sinew_solver_set_frozen(s.solver, frozen));
    }
    random_stream random = random_stream_of(2500 + (uint64_t)k);
    int solutions = 0, changed = 0;
    for (int round = 0; round < 100; ++round) {
      double goal[8], sets[2][8][8];
      const double swivel = random_between(&random, -PI, PI);
      sinew_global_def def = sinew_default_global_def();
      int found[2];
      def.swivel = &swivel;
      random_configuration(&s, &random, 2.5, goal);
      for (int moved = 0; moved < 2; ++moved) {
        double flat[16 * 8];
        for (int i = 0; i < s.nq - (k == 2); ++i) {
          goal[i] += moved * random_between(&random, -1e-4, 1e-4);
        }
        const sinew_target target = target_at(s.model, &s.task, goal);
        assert_ok(sinew_solver_solve_all(s.solver, &def, &target, 1, goal, 16, flat, &found[moved],
                                         NULL));
        assert_true(found[moved] <= 8);
        for (int i = 0; i < found[moved]; ++i) {
          memcpy(sets[moved][i], flat + i * s.nq, (size_t)s.nq * sizeof *flat);
        }
      }
      changed += compare_sets(s.solver, sets[0], found[0], sets[1], found[1]);
      solutions += found[0];
    }
    assert_true(solutions > 200);
    assert_at_most(changed, solutions / 100); // across a singularity, in 1e-4
    end(&s);
  }
}

// Words as Lee and Ziegler define them, for an arm that stands: the elbow is above the line from
// shoulder to wrist or below it, and the shoulder right where joint 2 lifts the wrist.
static void branches_have_the_words_of_the_field(void **state) {
  (void)state;
  subject s = make(&industrial, &(description){.limit = 2.0 * PI});
  const sinew_task shoulder = task_of(SINEW_TASK_POSITION, 2),
                   elbow = task_of(SINEW_TASK_POSITION, 3), wrist = task_of(SINEW_TASK_POSITION, 5);
  random_stream random = random_stream_of(2600);
  int up = 0, right = 0, flip = 0;
  for (int round = 0; round < 300; ++round) {
    double q[8], line[3], arm[3];
    sinew_branch branch;
    random_configuration(&s, &random, PI, q);
    assert_ok(sinew_solver_branch(s.solver, q, &branch));
    const sinew_target a = target_at(s.model, &shoulder, q), b = target_at(s.model, &elbow, q),
                       c = target_at(s.model, &wrist, q);
    for (int j = 0; j < 3; ++j) {
      line[j] = c.position[j] - a.position[j];
      arm[j] = b.position[j] - a.position[j];
    }
    const double along = (line[0] * arm[0] + line[1] * arm[1] + line[2] * arm[2]) /
                         (line[0] * line[0] + line[1] * line[1] + line[2] * line[2]);
    // Ahead of axis 1, in the direction of the upper arm's plane, and of the shoulder's joint
    const double ahead = c.position[0] * cos(q[0]) + c.position[1] * sin(q[0]);
    if (ahead * (ahead - 0.1) > 0.0) { // the line from axis 2 has the same side
      assert_string_equal(branch.words[1], arm[2] > along * line[2] ? "up" : "down");
    }
    double lifted[8];
    memcpy(lifted, q, sizeof lifted);
    lifted[1] += 1e-5;
    const sinew_target d = target_at(s.model, &wrist, lifted);
    if (ahead * (ahead - 0.1) > 0.0) {
      assert_string_equal(branch.words[0], d.position[2] > c.position[2] ? "right" : "left");
    }
    assert_string_equal(branch.words[2], sin(q[4]) > 0.0 ? "no flip" : "flip");
    up += branch.signs[1] > 0;
    right += branch.signs[0] < 0;
    flip += branch.signs[2] < 0;
  }
  assert_true(up > 50 && up < 250 && right > 50 && right < 250 && flip > 50 && flip < 250);
  // At a singularity, of other arms, and of numbers that are not
  double q[8] = {0.1, 0.2, 0.3, 0.4, 0.0, 0.6};
  sinew_branch branch;
  assert_ok(sinew_solver_branch(s.solver, q, &branch));
  assert_int_equal(branch.signs[2], 0);
  assert_string_equal(branch.words[2], "singular");
  q[3] = NAN;
  assert_int_equal(sinew_solver_branch(s.solver, q, &branch), SINEW_ERROR_NOT_FINITE);
  assert_int_equal(branch.count, 0);
  end(&s);
  for (int k = 0; k < 2; ++k) { // four solutions share a sign; no closed form
    const description how = {.limit = 2.0 * PI, .error = k == 0 ? 0.0 : 1e-3};
    s = make(&skewed, &how);
    q[3] = 0.4;
    assert_ok(sinew_solver_branch(s.solver, q, &branch));
    assert_int_equal(branch.count, k == 0 ? 2 : 0);
    assert_true(k == 1 || strcmp(branch.names[0], "arm") == 0);
    assert_false(branch.distinct);
    end(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(descriptions_do_not_matter),
      cmocka_unit_test(reversed_arms_are_recognized),
      cmocka_unit_test(disturbed_arms_are_not_called_complete),
      cmocka_unit_test(limits_select_solutions),
      cmocka_unit_test(nearest_and_best_are_of_the_whole_set),
      cmocka_unit_test(rejected_solutions_are_not_returned),
      cmocka_unit_test(singular_poses_have_a_representative),
      cmocka_unit_test(seven_joints_are_solved_on_a_grid),
      cmocka_unit_test(nearly_closed_forms_of_seven_joints_are_refined),
      cmocka_unit_test(a_swivel_places_the_elbow),
      cmocka_unit_test(singular_poses_at_a_swivel_have_a_representative),
      cmocka_unit_test(reports_have_the_errors_of_the_nearest_solution),
      cmocka_unit_test(rounded_angles_have_their_own_errors),
      cmocka_unit_test(branches_tell_solutions_apart),
      cmocka_unit_test(branches_have_the_words_of_the_field),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
