// Closed forms of arms from numbers: random arms of each form, whose poses are made by forward
// kinematics. Every solution is exact, none is missing, and none is returned twice.
//
// Arguments: the number of poses of each form, of how many restarts are made, and the first and the
// last of the forms (of the last also seven joints at a swivel). 1000 1000 and 100000 0 take
// some 10 s a form. A fifth of the poses are near singularities.
#include "fixtures.h"
#include "inspect.h"

static int poses = 500, restarted = 6;

#define EXACT 1e-10
#define REFINE_STEPS 3
#define RESTARTS 300

typedef struct kind {
  const char *name;
  sinew_arm_form form;
  int first;
  int way; // 0 general; 1 as industrial arms: 2 and 3 parallel; 2 the pair beside the group meets.
           // Of pairs 1: joint 1 turns both elbows of a pose into each other
} kind;

static const kind kinds[] = {
    {"wrist", SINEW_ARM_MEETING, 3, 0},
    {"industrial wrist", SINEW_ARM_MEETING, 3, 1},
    {"wrist, axes meet", SINEW_ARM_MEETING, 3, 2},
    {"third to fifth", SINEW_ARM_MEETING, 2, 0},
    {"second to fourth", SINEW_ARM_MEETING, 1, 0},
    {"shoulder", SINEW_ARM_MEETING, 0, 0},
    {"industrial shoulder", SINEW_ARM_MEETING, 0, 1},
    {"parallel", SINEW_ARM_PARALLEL, 1, 0},
    {"UR", SINEW_ARM_PARALLEL, 1, 1},
    {"parallel, reversed", SINEW_ARM_PARALLEL, 2, 0},
    {"UR reversed", SINEW_ARM_PARALLEL, 2, 1},
    {"pair", SINEW_ARM_PAIR, 1, 0},
    {"pair, no offset", SINEW_ARM_PAIR, 1, 1},
    {"pair, reversed", SINEW_ARM_PAIR, 3, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds, PAIRS = 3 }; // pairs are last
static int first_kind, last_kind = KINDS - 1;

static void direction(random_stream *random, double v[3]) {
  random_vector(random, 1.0, v);
  sinew_unit(v, v);
}

// Sets the vectors so that axes i and i + 1 meet.
static void meet(sinew_arm *arm, random_stream *random, int i) {
  const double a = random_between(random, -0.3, 0.3), b = random_between(random, -0.3, 0.3);
  for (int j = 0; j < 3; ++j) {
    arm->P[i + 1][j] = a * arm->h[i][j] + b * arm->h[i + 1][j];
  }
}

// Sets the vectors so that three axes from first on meet in a point.
static void meet_three(sinew_arm *arm, random_stream *random, int first) {
  double before[3] = {0.0};
  for (int i = 1; i < 3; ++i) {
    double along[3];
    sinew_scale(random_between(random, -0.3, 0.3), arm->h[first + i], along);
    for (int j = 0; j < 3; ++j) {
      arm->P[first + i][j] = along[j] - before[j];
    }
    memcpy(before, along, sizeof before);
  }
}

static void random_arm(random_stream *random, const kind *k, sinew_arm *arm) {
  arm->count = 6;
  for (int i = 0; i < 6; ++i) {
    direction(random, arm->h[i]);
  }
  for (int i = 0; i <= 6; ++i) {
    random_vector(random, 0.5, arm->P[i]);
  }
  if (k->form == SINEW_ARM_PAIR) {
    memcpy(arm->h[k->first + 1], arm->h[k->first], sizeof arm->h[0]);
    meet(arm, random, k->first == 1 ? 3 : 1);
    if (k->way == 1) { // C in the plane of axis 1 across axes 2 and 3
      direction(random, arm->h[0]);
      double across[3];
      sinew_cross(arm->h[0], arm->h[1], across);
      sinew_cross(arm->h[1], across, arm->h[0]);
      sinew_unit(arm->h[0], arm->h[0]);
      sinew_scale(random_between(random, -0.3, 0.3), arm->h[0], arm->P[1]);
      for (int i = 2; i < 4; ++i) {
        const double along = sinew_dot(arm->P[i], arm->h[1]);
        for (int j = 0; j < 3; ++j) {
          arm->P[i][j] -= along * arm->h[1][j];
        }
      }
      sinew_zero(3, arm->P[4]);
    }
    return;
  }
  if (k->form == SINEW_ARM_PARALLEL) {
    for (int i = 1; i < 3; ++i) {
      const double sign = random_between(random, 0.0, 1.0) < 0.5 ? -1.0 : 1.0;
      sinew_scale(sign, arm->h[k->first], arm->h[k->first + i]);
    }
    if (k->way == 1) { // the two beyond the group meet
      meet(arm, random, k->first == 1 ? 4 : 0);
    }
    return;
  }
  meet_three(arm, random, k->first);
  const int beside = k->first == 3 ? 1 : 4; // axes 2 and 3, or 4 and 5 of a shoulder
  if (k->way == 1) {
    memcpy(arm->h[beside + 1], arm->h[beside], sizeof arm->h[0]);
  } else if (k->way == 2) {
    meet(arm, random, beside - 1);
  }
}

static void random_angles(random_stream *random, int count, double *q, sinew_angle *a) {
  for (int i = 0; i < count; ++i) {
    q[i] = random_between(random, -PI, PI);
    a[i] = sinew_angle_of(q[i]);
  }
}

// The largest difference of two sets of angles.
static double apart(int count, const sinew_angle *a, const sinew_angle *b) {
  double far = 0.0;
  for (int i = 0; i < count; ++i) {
    far = fmax(far,
               fabs(atan2(a[i].s * b[i].c - a[i].c * b[i].s, a[i].c * b[i].c + a[i].s * b[i].s)));
  }
  return far;
}

static double nearest(int count, const sinew_angle *a, const sinew_arm_solution *all, int found) {
  double least = INFINITY;
  for (int i = 0; i < found; ++i) {
    least = fmin(least, apart(count, a, all[i].a));
  }
  return least;
}

// J (linear; angular), by differences.
static void jacobian(const sinew_arm *arm, const sinew_angle *a, double J[36]) {
  for (int i = 0; i < 6; ++i) {
    double R[2][9], p[2][3], E[9];
    for (int side = 0; side < 2; ++side) {
      sinew_angle moved[7];
      memcpy(moved, a, 6 * sizeof *a);
      moved[i] = sinew_angle_of(sinew_angle_value(a[i]) + (side == 0 ? 1e-6 : -1e-6));
      sinew_arm_forward(arm, moved, R[side], p[side]);
    }
    sinew_matrix_multiply_transposed(R[0], R[1], E);
    for (int j = 0; j < 3; ++j) {
      J[6 * j + i] = (p[0][j] - p[1][j]) / 2e-6;
    }
    J[18 + i] = (E[7] - E[5]) / 4e-6;
    J[24 + i] = (E[2] - E[6]) / 4e-6;
    J[30 + i] = (E[3] - E[1]) / 4e-6;
  }
}

// The smallest pivot of J: near 0 at singular configurations.
static double singularity(const sinew_arm *arm, const sinew_angle *a) {
  double J[36];
  int rows[6];
  jacobian(arm, a, J);
  if (sinew_lu_factor(6, J, rows) == 0) {
    return 0.0;
  }
  double least = INFINITY;
  for (int i = 0; i < 6; ++i) {
    least = fmin(least, fabs(J[7 * i]));
  }
  return least;
}

// Newton's method with numeric derivatives and short steps, whether the error falls or not.
static bool search(const sinew_arm *arm, double size, const double R[9], const double p[3],
                   sinew_angle *a) {
  for (int step = 0; step < 30; ++step) {
    double J[36], e[6], x[6], R_now[9], p_now[3], E[9];
    int rows[6];
    sinew_arm_forward(arm, a, R_now, p_now);
    jacobian(arm, a, J);
    sinew_matrix_multiply_transposed(R, R_now, E);
    for (int j = 0; j < 3; ++j) {
      e[j] = p[j] - p_now[j];
      e[3 + j] = 0.5 * (E[3 * ((j + 2) % 3) + (j + 1) % 3] - E[3 * ((j + 1) % 3) + (j + 2) % 3]);
    }
    if (sinew_length(6, e) < 1e-9) {
      return sinew_arm_refine(arm, size, R, p, 5, a) < 1e-13;
    }
    if (sinew_lu_factor(6, J, rows) == 0) {
      return false;
    }
    sinew_lu_solve(6, J, rows, e, x);
    const double by = fmin(1.0, 1.5 / sinew_length(6, x));
    for (int i = 0; i < 6; ++i) {
      a[i] = sinew_angle_of(sinew_angle_value(a[i]) + by * x[i]);
    }
  }
  return false;
}

// Solves and refines; returns how many are exact, and checks that none is twice.
static int solve(const sinew_arm_plan *plan, const double R[9], const double p[3],
                 sinew_arm_solution *all) {
  const double seed[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  int found;
  if (plan->form == SINEW_ARM_PAIR) { // refined; and the same bits on each set
    sinew_arm_solution base[SINEW_ARM_SOLUTIONS];
    const sinew_instruction_set detected = sinew_instruction_set_detect();
    found = sinew_solver_functions_for(detected)->solve_pair(plan, R, p, all);
    assert_int_equal(
        sinew_solver_functions_for(SINEW_INSTRUCTION_SET_BASE)->solve_pair(plan, R, p, base),
        found);
    for (int i = 0; i < found; ++i) {
      assert_memory_equal(base[i].a, all[i].a, 6 * sizeof *all[i].a);
    }
  } else {
    found = sinew_arm_solve(plan, R, p, seed, all);
  }
  int exact = 0;
  for (int i = 0; i < found; ++i) {
    const double error = sinew_arm_refine(&plan->own, plan->size, R, p, REFINE_STEPS, all[i].a);
    if (error < EXACT) {
      all[exact++] = all[i];
    }
  }
  return exact;
}

// req: D20 D24
static void no_solution_is_missing_or_twice(void **state) {
  (void)state;
  sinew_arm_solution all[SINEW_ARM_SOLUTIONS];
  for (int k = first_kind; k <= last_kind; ++k) {
    random_stream random = random_stream_of(1400 + k);
    double worst = 0.0;
    long solutions = 0, more = 0;
    for (int round = 0; round < poses; ++round) {
      sinew_arm arm;
      sinew_arm_plan plan;
      sinew_angle truth[7];
      double q[7], R[9], p[3];
      random_arm(&random, &kinds[k], &arm);
      random_angles(&random, 6, q, truth);
      sinew_arm_prepare(&arm, kinds[k].form, kinds[k].first, &plan);
      sinew_arm_forward(&arm, truth, R, p);
      const double clear = singularity(&arm, truth);
      const int found = solve(&plan, R, p, all);
      assert_true(found >= 1);
      solutions += found;
      for (int i = 0; i < found; ++i) {
        worst = fmax(worst, all[i].error);
        for (int j = 0; j < i && clear > 1e-4; ++j) {
          if (!(apart(6, all[i].a, all[j].a) > 1e-6)) {
            fail_msg("%s, pose %d: %d and %d of %d are the same", kinds[k].name, round, j, i,
                     found);
          }
        }
      }
      if (!(nearest(6, truth, all, found) < 1e-6 || clear < 1e-3)) {
        fail_msg("%s, pose %d: %g from the nearest of %d (%g)", kinds[k].name, round,
                 nearest(6, truth, all, found), found, clear);
      }
      for (int start = 0; start < RESTARTS && round < restarted; ++start) {
        sinew_angle a[7];
        random_angles(&random, 6, q, a);
        const bool solved = search(&arm, plan.size, R, p, a);
        more += solved;
        if (solved && singularity(&arm, a) > 1e-3 && !(nearest(6, a, all, found) < 1e-6)) {
          fail_msg("%s, pose %d: a restart finds another solution", kinds[k].name, round);
        }
      }
    }
    print_message(
        "%-22s %.2f solutions a pose, largest error before refinement %.1e, restarts find "
        "%.0f each\n",
        kinds[k].name, (double)solutions / poses, worst,
        restarted > 0 ? (double)more / restarted : 0.0);
    assert_true(more >= 20 * restarted);
  }
}

// Arms of 400,000 whose elbow is nearly straight: just beside, it is straight, once or twice
// between two values of the grid, and the functions of one elbow begin with two zeros. req: D20
static void pairs_with_nearly_straight_elbows_have_their_solution(void **state) {
  (void)state;
  static const int rounds[] = {24436,  39088,  50532,  182560, 198386, 201734,
                               212205, 245666, 261902, 299698, 311806, 347269};
  const kind *of = &kinds[KINDS - PAIRS];
  sinew_arm_solution all[SINEW_ARM_SOLUTIONS];
  for (size_t i = 0; i < sizeof rounds / sizeof *rounds; ++i) {
    random_stream random = random_stream_of(100000 + rounds[i]);
    sinew_arm arm;
    sinew_arm_plan plan;
    sinew_angle truth[7], straight;
    double q[7], R[9], p[3];
    random_arm(&random, of, &arm);
    random_angles(&random, 6, q, truth);
    sinew_subproblem1(arm.h[1], arm.P[3], arm.P[2], truth[2], &straight);
    q[2] = atan2(straight.s, straight.c) + (rounds[i] % 2 == 0 ? 0.0 : PI) +
           random_between(&random, -0.05, 0.05);
    truth[2] = sinew_angle_of(q[2]);
    sinew_arm_prepare(&arm, of->form, of->first, &plan);
    sinew_arm_forward(&arm, truth, R, p);
    const int found = solve(&plan, R, p, all);
    if (!(nearest(6, truth, all, found) < 1e-6)) {
      fail_msg("arm %d: %g from the nearest of %d", rounds[i], nearest(6, truth, all, found),
               found);
    }
  }
}

static double determinant(const sinew_arm *arm, const double *q) {
  double J[36];
  int rows[6];
  sinew_angle a[7];
  for (int i = 0; i < 6; ++i) {
    a[i] = sinew_angle_of(q[i]);
  }
  jacobian(arm, a, J);
  double product = sinew_lu_factor(6, J, rows); // the sign of the determinant
  for (int i = 0; i < 6; ++i) {
    product *= fabs(J[7 * i]);
  }
  return product;
}

// Moves one angle to where det J changes its sign; false: it does not.
static bool go_to_singularity(const sinew_arm *arm, int joint, double *q) {
  enum { STEPS = 24 };
  double from = q[joint], before = determinant(arm, q);
  for (int step = 1; step <= STEPS; ++step) {
    q[joint] = from + 2.0 * PI * step / STEPS;
    const double after = determinant(arm, q);
    if (before * after < 0.0) {
      double low = q[joint] - 2.0 * PI / STEPS, high = q[joint];
      for (int i = 0; i < 45; ++i) {
        q[joint] = 0.5 * (low + high);
        if (determinant(arm, q) * before > 0.0) {
          low = q[joint];
        } else {
          high = q[joint];
        }
      }
      return true;
    }
    before = after;
  }
  return false;
}

// An arm and its n-th pose near a singularity: at 1e-4 to 1e-12 rad from it, or at it. Returns
// false if this arm's joint finds none.
static bool make_singular(random_stream *random, const kind *of, int n, sinew_arm *arm,
                          sinew_arm_plan *plan, double q[7], double R[9], double p[3]) {
  sinew_angle truth[7];
  random_arm(random, of, arm);
  random_angles(random, 6, q, truth);
  const int joint = (int)random_between(random, 1.0, 5.0);
  if (!go_to_singularity(arm, joint, q)) {
    return false;
  }
  q[joint] += n % 10 == 9 ? 0.0 : pow(10.0, -4.0 - n % 9);
  for (int i = 0; i < 6; ++i) {
    truth[i] = sinew_angle_of(q[i]);
  }
  sinew_arm_prepare(arm, of->form, of->first, plan);
  sinew_arm_forward(arm, truth, R, p);
  return true;
}

// Poses at 1e-4 to 1e-12 rad from a singularity, and at one. Some solution is exact, and none is
// infinite.
// req: D20
static void singular_poses_have_a_representative(void **state) {
  (void)state;
  sinew_arm_solution all[SINEW_ARM_SOLUTIONS];
  for (int k = first_kind; k <= last_kind && k < KINDS - PAIRS; ++k) {
    random_stream random = random_stream_of(1500 + k);
    int singular = 0, several = 0;
    for (int round = 0; singular < poses / 5 && round < poses; ++round) {
      sinew_arm arm;
      sinew_arm_plan plan;
      double q[7], R[9], p[3];
      if (!make_singular(&random, &kinds[k], singular, &arm, &plan, q, R, p)) {
        continue;
      }
      ++singular;
      const int found = sinew_arm_solve(&plan, R, p, q, all);
      assert_true(found >= 1 && found <= 8);
      double least = INFINITY;
      for (int i = 0; i < found; ++i) {
        const double error = sinew_arm_refine(&arm, plan.size, R, p, REFINE_STEPS, all[i].a);
        assert_true(isfinite(error));
        least = fmin(least, error);
        for (int j = 0; j < 6; ++j) {
          assert_near(all[i].a[j].c * all[i].a[j].c + all[i].a[j].s * all[i].a[j].s, 1.0, 1e-12);
        }
      }
      if (!(least <= EXACT)) {
        fail_msg("%s, singular pose %d: the least error of %d is %g", kinds[k].name, round, found,
                 least);
      }
      several += found > 1;
    }
    assert_true(singular > poses / 20);
    assert_true(several > singular / 2);
  }
}

// Seven axes of which the first three meet and the last three.
static void random_srs(random_stream *random, sinew_arm *arm) {
  arm->count = 7;
  for (int i = 0; i < 7; ++i) {
    direction(random, arm->h[i]);
  }
  for (int i = 0; i <= 7; ++i) {
    random_vector(random, 0.5, arm->P[i]);
  }
  meet_three(arm, random, 0);
  meet_three(arm, random, 4);
}

// The row of a set that has a solution's branch, or -1.
static int row_of(const sinew_arm_set *set, unsigned branch) {
  for (int row = 0; row < SINEW_ARM_BRANCHES; ++row) {
    if ((set->exists >> row & 1u) != 0 && sinew_arm_row_branch(row) == branch) {
      return row;
    }
  }
  return -1;
}

// The same solutions, branch by branch, as one after another; and the same bits on each set.
static bool compare_branches(const char *name, const sinew_arm_plan *plan, const double R[9],
                             const double p[3], double swivel) {
  static sinew_arm_set sets[2]; // static: what a call does not write is the same, too
  const double seed[7] = {0.0};
  const int count = plan->own.count;
  sinew_arm_solution all[SINEW_ARM_SOLUTIONS];
  const sinew_instruction_set detected = sinew_instruction_set_detect();
  const sinew_arm_result result = sinew_solver_functions_for(SINEW_INSTRUCTION_SET_BASE)
                                      ->solve_branches(plan, R, p, swivel, &sets[0]);
  assert_int_equal(
      sinew_solver_functions_for(detected)->solve_branches(plan, R, p, swivel, &sets[1]), result);
  const int found = sinew_arm_solve_srs(plan, R, p, swivel, seed, all);
  if (result == SINEW_ARM_SINGULAR) {
    return false;
  }
  if (result == SINEW_ARM_UNREACHABLE) { // the nearest is not exact
    assert_true(all[0].error > 1e-9);
    return true;
  }
  assert_memory_equal(&sets[0], &sets[1], sizeof sets[0]);
  int rows = 0;
  for (int row = 0; row < SINEW_ARM_BRANCHES; ++row) {
    rows += (int)(sets[0].exists >> row & 1u);
  }
  if (rows != found) {
    fail_msg("%s: %d side by side, %d one after another", name, rows, found);
  }
  for (int i = 0; i < found; ++i) {
    const int row = row_of(&sets[0], all[i].branch);
    assert_true(row >= 0);
    sinew_angle a[7];
    for (int j = 0; j < count; ++j) {
      a[j] = (sinew_angle){sets[0].c[j][row], sets[0].s[j][row]};
      assert_near(sets[0].value[j][row], atan2(a[j].s, a[j].c), 1e-15);
    }
    const double error = sinew_arm_error(&plan->own, plan->size, a, R, p);
    if (all[i].error < 1e-11 && !(apart(count, a, all[i].a) < 1e-6)) {
      fail_msg("%s: branch %u is %g apart", name, all[i].branch, apart(count, a, all[i].a));
    }
    // Two axes and the place against two columns and the place
    const double own = fmax(sqrt(sets[0].turn[row]), sqrt(sets[0].gap[row]) / plan->size);
    assert_true(error <= 3.0 * own + 1e-14);
    assert_true(own <= 3.0 * error + 1e-14);
    assert_true(error <= 100.0 * all[i].error + 1e-11);
  }
  return true;
}

// req: D20
static void branches_side_by_side_are_those_one_after_another(void **state) {
  (void)state;
  for (int k = first_kind; k <= last_kind && k <= KINDS - PAIRS; ++k) {
    random_stream random = random_stream_of(1600 + k);
    int regular = 0;
    for (int round = 0; round < poses; ++round) {
      sinew_arm arm;
      sinew_arm_plan plan;
      sinew_angle truth[7];
      double q[7], R[9], p[3];
      if (k < KINDS - PAIRS) {
        random_arm(&random, &kinds[k], &arm);
        sinew_arm_prepare(&arm, kinds[k].form, kinds[k].first, &plan);
      } else {
        random_srs(&random, &arm);
        sinew_arm_prepare(&arm, SINEW_ARM_SRS, 4, &plan);
      }
      random_angles(&random, arm.count, q, truth);
      sinew_arm_forward(&arm, truth, R, p);
      sinew_scale(round % 4 == 3 ? 1.5 : 1.0, p, p); // some are out of reach
      regular += compare_branches(k < KINDS - PAIRS ? kinds[k].name : "SRS", &plan, R, p, q[0]);
    }
    assert_true(regular >= poses - poses / 50);
  }
}

// The angle of the elbow's axis about the line from where the first three axes meet to where the
// last three do: 0 where it is normal to that line and to the first axis. It points to the side of
// (upper arm) x (forearm).
static double swivel_of(const sinew_arm *arm, const sinew_angle *a) {
  double axis[7][3], origin[7][3], upper[3], fore[3], line[3], normal[3], side[3], up[3], across[3];
  sinew_arm_axes(arm, a, axis, origin);
  for (int i = 0; i < 3; ++i) { // the axes meet in the points of axes 1 and 5: see meet_three()
    upper[i] = origin[3][i] - origin[0][i];
    fore[i] = origin[4][i] - origin[3][i];
    line[i] = origin[4][i] - origin[0][i];
  }
  sinew_unit(line, line);
  sinew_cross(upper, fore, normal);
  sinew_scale(sinew_dot(normal, axis[3]) < 0.0 ? -1.0 : 1.0, axis[3], side);
  sinew_cross(axis[0], line, up);
  sinew_cross(line, up, across);
  return atan2(sinew_dot(side, across), sinew_dot(side, up));
}

// What is missing to a pose and a swivel: p, R, the swivel.
static void find_missing(const sinew_arm *arm, const double R[9], const double p[3], double swivel,
                         const sinew_angle *a, double e[7]) {
  double R_now[9], p_now[3], E[9];
  sinew_arm_forward(arm, a, R_now, p_now);
  sinew_matrix_multiply_transposed(R, R_now, E);
  for (int j = 0; j < 3; ++j) {
    e[j] = p[j] - p_now[j];
    e[3 + j] = 0.5 * (E[3 * ((j + 2) % 3) + (j + 1) % 3] - E[3 * ((j + 1) % 3) + (j + 2) % 3]);
  }
  e[6] = remainder(swivel - swivel_of(arm, a), 2.0 * PI);
}

// Newton's method with numeric derivatives and short steps. Returns the smallest pivot at the
// solution, or 0.
static double search_at_swivel(const sinew_arm *arm, const double R[9], const double p[3],
                               double swivel, sinew_angle *a) {
  for (int step = 0; step < 40; ++step) {
    double J[49], e[7], x[7], least = INFINITY;
    int rows[7];
    find_missing(arm, R, p, swivel, a, e);
    for (int i = 0; i < 7; ++i) {
      double at[2][7];
      for (int side = 0; side < 2; ++side) {
        sinew_angle moved[7];
        memcpy(moved, a, 7 * sizeof *a);
        moved[i] = sinew_angle_of(sinew_angle_value(a[i]) + (side == 0 ? 1e-6 : -1e-6));
        find_missing(arm, R, p, swivel, moved, at[side]);
      }
      for (int j = 0; j < 7; ++j) {
        const double change = at[1][j] - at[0][j];
        J[7 * j + i] = (j == 6 ? remainder(change, 2.0 * PI) : change) / 2e-6;
      }
    }
    if (sinew_lu_factor(7, J, rows) == 0) {
      return 0.0;
    }
    for (int i = 0; i < 7; ++i) {
      least = fmin(least, fabs(J[8 * i]));
    }
    if (sinew_length(7, e) < 1e-11) {
      return least;
    }
    sinew_lu_solve(7, J, rows, e, x);
    const double by = fmin(1.0, 1.5 / sinew_length(7, x));
    for (int i = 0; i < 7; ++i) {
      a[i] = sinew_angle_of(sinew_angle_value(a[i]) + by * x[i]);
    }
  }
  return 0.0;
}

// Seven axes with both ends spherical, at the swivel of a pose: all solutions are exact and have
// it, none is twice, and restarts find no other. req: D20 D24
static void no_solution_at_a_swivel_is_missing_or_twice(void **state) {
  (void)state;
  const double seed[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  sinew_arm_solution all[SINEW_ARM_SOLUTIONS];
  random_stream random = random_stream_of(2000);
  double worst = 0.0;
  long solutions = 0, more = 0;
  for (int round = 0; round < poses && last_kind == KINDS - 1; ++round) {
    sinew_arm arm;
    sinew_arm_plan plan;
    sinew_angle truth[7], a[7];
    double q[7], R[9], p[3];
    random_srs(&random, &arm);
    random_angles(&random, 7, q, truth);
    sinew_arm_prepare(&arm, SINEW_ARM_SRS, 4, &plan);
    sinew_arm_forward(&arm, truth, R, p);
    const double swivel = swivel_of(&arm, truth);
    const int found = sinew_arm_solve_srs(&plan, R, p, swivel, seed, all);
    memcpy(a, truth, sizeof a);
    const double clear = search_at_swivel(&arm, R, p, swivel, a);
    assert_in_range(found, 1, 8);
    solutions += found;
    for (int i = 0; i < found; ++i) {
      worst = fmax(worst, all[i].error);
      assert_true(clear < 1e-3 ||
                  fabs(remainder(swivel_of(&arm, all[i].a) - swivel, 2.0 * PI)) < 1e-6);
      for (int j = 0; j < i && clear > 1e-3; ++j) {
        assert_true(apart(7, all[i].a, all[j].a) > 1e-6);
      }
    }
    if (!(nearest(7, truth, all, found) < 1e-6 || clear < 1e-3)) {
      fail_msg("pose %d: %g from the nearest of %d (%g)", round, nearest(7, truth, all, found),
               found, clear);
    }
    for (int start = 0; start < RESTARTS && round < restarted; ++start) {
      random_angles(&random, 7, q, a);
      const double least = search_at_swivel(&arm, R, p, swivel, a);
      more += least > 0.0;
      if (least > 1e-3 && !(nearest(7, a, all, found) < 1e-6)) {
        fail_msg("pose %d: a restart finds another solution, %g from the nearest of %d (%g)", round,
                 nearest(7, a, all, found), found, least);
      }
    }
  }
  if (last_kind == KINDS - 1) {
    print_message("%-22s %.2f solutions a pose, largest error %.1e, restarts find %.0f each\n",
                  "both ends spherical", (double)solutions / poses, worst,
                  restarted > 0 ? (double)more / restarted : 0.0);
    assert_true(more >= 20 * restarted);
    assert_true(worst < EXACT);
  }
}

// Two rows whose angles differ by less than distinct, or by about a whole turn.
static bool are_alike(double (*value)[SINEW_ARM_BRANCHES], int a, int b, double distinct) {
  bool alike = true;
  for (int i = 0; i < 6; ++i) {
    const double d = fabs(value[i][a] - value[i][b]);
    alike &= d < distinct || d >= 2.0 * PI - distinct;
  }
  return alike;
}

static void check_order(double (*value)[SINEW_ARM_BRANCHES], double distinct,
                        const sinew_arm_placed *placed) {
  unsigned seen = 0;
  bool alike = false;
  for (int i = 0; i < SINEW_ARM_BRANCHES; ++i) {
    seen |= 1u << placed->order[i];
    for (int k = 0; k < i; ++k) {
      const double before = placed->distance[placed->order[k]];
      const double after = placed->distance[placed->order[i]];
      assert_true(before < after || (before == after && placed->order[k] < placed->order[i]));
      alike |=
          (placed->within >> i & placed->within >> k & 1u) != 0 && are_alike(value, i, k, distinct);
    }
  }
  assert_int_equal(seen, 0xff);
  assert_int_equal(placed->alike, alike);
}

// Whole turns: within the limits, where they can be, and then nearest to what is wanted. Rows that
// may be the same are found.
// req: D20
static void whole_turns_bring_angles_within_limits(void **state) {
  (void)state;
  random_stream random = random_stream_of(1700);
  int alike = 0;
  for (int round = 0; round < poses; ++round) {
    sinew_arm_set sets[2];
    sinew_arm_range ranges[6];
    double before[6][SINEW_ARM_BRANCHES];
    static sinew_arm_placed placed[2];
    memset(sets, 0, sizeof sets);
    sets[0].exists = 0xe7;
    for (int i = 0; i < 6; ++i) {
      const double lower = random_between(&random, -9.0, 1.0);
      ranges[i] = (sinew_arm_range){
          .lower = round % 3 == 0 ? -INFINITY : lower,
          .upper = round % 5 == 0 ? INFINITY : lower + random_between(&random, 1.0, 14.0),
          .near = random_between(&random, -9.0, 9.0),
          .from = random_between(&random, -9.0, 9.0),
          .weight = random_between(&random, 0.0, 2.0)};
      for (int row = 0; row < SINEW_ARM_BRANCHES; ++row) {
        before[i][row] = sets[0].value[i][row] = random_between(&random, -PI, PI);
      }
      // A row near another
      const int row = round / 8 % SINEW_ARM_BRANCHES, other = (row + 1 + round % 7) % 8;
      const double near = before[i][row] + random_between(&random, -0.52, 0.52);
      before[i][other] = sets[0].value[i][other] = remainder(near, 2.0 * PI);
    }
    sets[1] = sets[0];
    sinew_solver_functions_for(SINEW_INSTRUCTION_SET_BASE)
        ->place_branches(&sets[0], 6, ranges, 0.5, &placed[0]);
    sinew_solver_functions_for(sinew_instruction_set_detect())
        ->place_branches(&sets[1], 6, ranges, 0.5, &placed[1]);
    const unsigned within = placed[0].within;
    assert_memory_equal(&sets[0], &sets[1], sizeof sets[0]);
    assert_memory_equal(&placed[0], &placed[1], sizeof placed[0]);
    check_order(sets[0].value, 0.5, &placed[0]);
    alike += placed[0].alike;
    for (int row = 0; row < SINEW_ARM_BRANCHES; ++row) {
      bool all = (sets[0].exists >> row & 1u) != 0;
      double sum = 0.0;
      for (int i = 0; i < 6; ++i) {
        const double x = sets[0].value[i][row];
        const double turns = (x - before[i][row]) / (2.0 * PI);
        double nearest = INFINITY; // of the values within the limits
        for (int turn = -4; turn <= 4; ++turn) {
          const double y = before[i][row] + 2.0 * PI * turn;
          if (y >= ranges[i].lower && y <= ranges[i].upper) {
            nearest = fmin(nearest, fabs(y - ranges[i].near));
          }
        }
        assert_near(turns, floor(turns + 0.5), 1e-12);
        if (nearest < INFINITY) {
          assert_true(x >= ranges[i].lower && x <= ranges[i].upper);
        }
        if (nearest <= PI) {
          assert_near(fabs(x - ranges[i].near), nearest, 1e-12);
        }
        all &= nearest < INFINITY;
        sum += ranges[i].weight * (x - ranges[i].from) * (x - ranges[i].from);
      }
      assert_int_equal(within >> row & 1u, all);
      if (all) {
        assert_near(placed[0].distance[row], sum, 1e-10 * (1.0 + sum));
      } else {
        assert_true(placed[0].distance[row] == INFINITY);
      }
    }
  }
  assert_true(alike > poses / 10 && alike < poses);
}

// Solves, and checks that each solution is exact; returns how many there are.
static int solve_singular_pair(const sinew_arm *arm, const sinew_arm_plan *plan, const double R[9],
                               const double p[3]) {
  sinew_arm_solution all[SINEW_ARM_SOLUTIONS];
  const int found =
      sinew_solver_functions_for(sinew_instruction_set_detect())->solve_pair(plan, R, p, all);
  assert_true(found >= 0 && found <= SINEW_ARM_SOLUTIONS);
  for (int i = 0; i < found; ++i) {
    assert_true(sinew_arm_error(arm, plan->size, all[i].a, R, p) <= EXACT);
    for (int j = 0; j < 6; ++j) {
      assert_near(all[i].a[j].c * all[i].a[j].c + all[i].a[j].s * all[i].a[j].s, 1.0, 1e-12);
    }
  }
  return found;
}

// The same of pairs: what the search of one angle returns is exact, and it returns something.
// req: D20
static void singular_poses_of_pairs_are_exact(void **state) {
  (void)state;
  for (int k = KINDS - PAIRS; k <= last_kind; ++k) {
    random_stream random = random_stream_of(1800 + k);
    int singular = 0, solved = 0;
    for (int round = 0; singular < poses / 5 && round < poses; ++round) {
      sinew_arm arm;
      sinew_arm_plan plan;
      double q[7], R[9], p[3];
      if (!make_singular(&random, &kinds[k], singular, &arm, &plan, q, R, p)) {
        continue;
      }
      ++singular;
      solved += solve_singular_pair(&arm, &plan, R, p) > 0;
    }
    print_message("%-22s %d of %d singular poses have solutions\n", kinds[k].name, solved,
                  singular);
    assert_true(singular > poses / 20);
    assert_int_equal(solved, singular);
  }
}

// Of 300,000 such poses those whose only solution is a double zero that rounding errors hide: on a
// short arc, where sqrt(D) is known to few digits. req: D20
static void double_zeros_within_rounding_are_found(void **state) {
  (void)state;
  static const struct {
    uint64_t stream; // where the pose's numbers begin
    int kind, n;
  } cases[] = {
      {0x27c5db7ebc0e7620, 0, 2143},
      {0x727e1b5bec21ade7, 0, 10459},
      {0x80c5e7a961150786, 2, 11319},
      {0x4f514dbbbf66402a, 2, 14407},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    random_stream random = {cases[i].stream};
    sinew_arm arm;
    sinew_arm_plan plan;
    double q[7], R[9], p[3];
    const kind *of = &kinds[KINDS - PAIRS + cases[i].kind];
    assert_true(make_singular(&random, of, cases[i].n, &arm, &plan, q, R, p));
    if (solve_singular_pair(&arm, &plan, R, p) == 0) {
      fail_msg("%s, case %zu: no solution", of->name, i);
    }
  }
}

// The signs are factors of the determinant of J: it has one sign where they all have, and is 0
// where one of them is. Where they are said to be distinct no two solutions have the same.
// req: D20
static void signs_are_factors_of_the_determinant(void **state) {
  (void)state;
  for (int k = first_kind; k <= last_kind && k < KINDS - PAIRS; ++k) {
    random_stream random = random_stream_of(1900 + k);
    const bool factors = kinds[k].way != 0;
    for (int round = 0; round < poses / 10; ++round) {
      sinew_arm arm;
      sinew_arm_plan plan;
      sinew_arm_solution all[SINEW_ARM_SOLUTIONS];
      double q[7], R[9], p[3], ratio = 0.0;
      random_arm(&random, &kinds[k], &arm);
      sinew_arm_prepare(&arm, kinds[k].form, kinds[k].first, &plan);
      for (int try = 0; try < 10; ++try) {
        sinew_angle a[7];
        sinew_arm_signs signs;
        double product = 1.0;
        random_angles(&random, 6, q, a);
        sinew_arm_find_signs(&plan, a, &signs);
        assert_int_equal(signs.count, factors ? 3 : 2);
        assert_int_equal(signs.distinct, factors);
        for (int i = 0; i < signs.count; ++i) {
          const sinew_arm_sign *one = &signs.signs[i];
          product *= one->value;
          assert_true(i == 0 || one->first > one[-1].first);
          // up and down: above the line to the wrist, on either side
          product *= one->words == SINEW_ARM_WORDS_HEIGHT && one[-1].value < 0.0 ? -1.0 : 1.0;
        }
        const double det = determinant(&arm, q) / pow(plan.size, 3.0);
        ratio = try == 0 ? (det * product > 0.0 ? 1.0 : -1.0) : ratio;
        if (!(fabs(det - ratio * product) <= 1e-8)) {
          fail_msg("%s: %g is not %g", kinds[k].name, det, ratio * product);
        }
      }
      sinew_angle truth[7];
      random_angles(&random, 6, q, truth);
      sinew_arm_forward(&arm, truth, R, p);
      const int found = factors ? solve(&plan, R, p, all) : 0;
      for (int i = 0; i < found; ++i) {
        for (int j = 0; j < i; ++j) {
          sinew_arm_signs one, other;
          bool same = true;
          sinew_arm_find_signs(&plan, all[i].a, &one);
          sinew_arm_find_signs(&plan, all[j].a, &other);
          for (int n = 0; n < 3; ++n) {
            same &= one.signs[n].value * other.signs[n].value > 0.0;
          }
          assert_false(same);
        }
      }
    }
  }
}

int main(int count, char **arguments) {
  if (count > 1) {
    poses = atoi(arguments[1]);
    restarted = count > 2 ? atoi(arguments[2]) : restarted;
    first_kind = count > 3 ? atoi(arguments[3]) : first_kind;
    last_kind = count > 4 ? atoi(arguments[4]) : last_kind;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_solution_is_missing_or_twice),
      cmocka_unit_test(pairs_with_nearly_straight_elbows_have_their_solution),
      cmocka_unit_test(singular_poses_have_a_representative),
      cmocka_unit_test(singular_poses_of_pairs_are_exact),
      cmocka_unit_test(double_zeros_within_rounding_are_found),
      cmocka_unit_test(branches_side_by_side_are_those_one_after_another),
      cmocka_unit_test(no_solution_at_a_swivel_is_missing_or_twice),
      cmocka_unit_test(whole_turns_bring_angles_within_limits),
      cmocka_unit_test(signs_are_factors_of_the_determinant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
