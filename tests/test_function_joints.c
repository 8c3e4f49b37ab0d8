// Joints with a function of the user's: functions that imitate joints of the other kinds give what
// those give; cams, crank sliders and knees, which no other kind has, agree with their formulas.
#include "fixtures.h"
#include "inspect.h"
#include "sinew/reference.h"

#define MOST 64
#define ARM_JOINTS 7

// ---------------------------------------------------------------- imitations

// What a function knows of the joint that it imitates.
typedef struct imitation {
  sinew_joint_def joint;
  double factor; // on twists: 1, or another where they are to be wrong
} imitation;

// Appends a rotation about a unit axis a and a translation along it, in the axes after all motions
// so far: the twist of value i is (v a + w x (p_end - p); a), known once p_end is.
typedef struct motion_chain {
  sinew_pose pose;
  double axis[SINEW_JOINT_MAX_NV][3], at[SINEW_JOINT_MAX_NV][3];
  double turn[SINEW_JOINT_MAX_NV], slide[SINEW_JOINT_MAX_NV];
} motion_chain;

static void append(motion_chain *chain, int i, const double axis[3], double turn, double slide,
                   double value) {
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  double unit[3], vector[3];
  sinew_pose step = sinew_pose_identity(), next;
  for (int k = 0; k < 3; ++k) {
    unit[k] = axis[k] / length;
    vector[k] = unit[k] * turn * value;
    step.position[k] = unit[k] * slide * value;
  }
  sinew_quaternion_exp(vector, step.rotation);
  sinew_quaternion_rotate(chain->pose.rotation, unit, chain->axis[i]);
  memcpy(chain->at[i], chain->pose.position, sizeof chain->at[i]);
  chain->turn[i] = turn;
  chain->slide[i] = slide;
  sinew_pose_multiply(&chain->pose, &step, &next);
  chain->pose = next;
}

static void append_joint(motion_chain *chain, const sinew_joint_def *joint, const double *values) {
  static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double R[9];
  switch (joint->kind) {
  case SINEW_JOINT_PRISMATIC:
    append(chain, 0, joint->axis, 0.0, 1.0, values[0]);
    break;
  case SINEW_JOINT_SCREW:
    append(chain, 0, joint->axis, 1.0, joint->pitch, values[0]);
    break;
  case SINEW_JOINT_UNIVERSAL:
    append(chain, 0, joint->axis, 1.0, 0.0, values[0]);
    append(chain, 1, joint->axis2, 1.0, 0.0, values[1]);
    break;
  case SINEW_JOINT_CYLINDRICAL:
    append(chain, 0, joint->axis, 1.0, 0.0, values[0]);
    append(chain, 1, joint->axis, 0.0, 1.0, values[1]);
    break;
  case SINEW_JOINT_PLANAR: {
    const double length = sqrt(joint->axis[0] * joint->axis[0] + joint->axis[1] * joint->axis[1] +
                               joint->axis[2] * joint->axis[2]);
    const double z[3] = {joint->axis[0] / length, joint->axis[1] / length, joint->axis[2] / length};
    sinew_rotation_z_to(z, R);
    append(chain, 0, (double[3]){R[0], R[3], R[6]}, 0.0, 1.0, values[0]);
    append(chain, 1, (double[3]){R[1], R[4], R[7]}, 0.0, 1.0, values[1]);
    append(chain, 2, joint->axis, 1.0, 0.0, values[2]);
    break;
  }
  case SINEW_JOINT_EULER:
  case SINEW_JOINT_CHANNELS:
    for (int i = 0; joint->channels[i] != '\0'; ++i) {
      if (joint->channels[i] >= 'x') {
        append(chain, i, unit[joint->channels[i] - 'x'], 0.0, 1.0, values[i]);
      }
    }
    for (int i = 0; joint->channels[i] != '\0'; ++i) {
      if (joint->channels[i] <= 'Z') {
        append(chain, i, unit[joint->channels[i] - 'X'], 1.0, 0.0, values[i]);
      }
    }
    break;
  default: // REVOLUTE, CONTINUOUS
    append(chain, 0, joint->axis, 1.0, 0.0, values[0]);
  }
}

static void imitate(void *context, const double *values, sinew_pose *motion, double *twists) {
  const imitation *of = context;
  motion_chain chain = {.pose = sinew_pose_identity()};
  append_joint(&chain, &of->joint, values);
  *motion = chain.pose;
  for (int i = 0; i < sinew_joint_def_nv(&of->joint); ++i) {
    double arm[3], moved[3], *twist = twists + 6 * i;
    for (int k = 0; k < 3; ++k) {
      twist[3 + k] = of->factor * chain.turn[i] * chain.axis[i][k];
      arm[k] = chain.pose.position[k] - chain.at[i][k];
    }
    sinew_cross(twist + 3, arm, moved);
    for (int k = 0; k < 3; ++k) {
      twist[k] = moved[k] + of->factor * chain.slide[i] * chain.axis[i][k];
    }
  }
  for (int k = 0; k < 4; ++k) {
    motion->rotation[k] *= -1.7; // any length and sign will do
  }
}

// Makes a joint one with a function that imitates it; of keeps what it was.
static void make_function(sinew_joint_def *joint, imitation *of) {
  *of = (imitation){*joint, 1.0};
  const int nv = sinew_joint_def_nv(joint);
  char letters[SINEW_JOINT_MAX_NV + 1] = "";
  for (int i = 0; i < nv; ++i) {
    const bool slides = joint->kind == SINEW_JOINT_PRISMATIC ||
                        (joint->kind == SINEW_JOINT_CYLINDRICAL && i == 1) ||
                        (joint->kind == SINEW_JOINT_PLANAR && i < 2) ||
                        (joint->kind == SINEW_JOINT_CHANNELS && joint->channels[i] >= 'x');
    letters[i] = slides ? 'm' : 'r';
  }
  joint->kind = SINEW_JOINT_FUNCTION;
  memcpy(joint->channels, letters, sizeof letters);
  joint->function = imitate;
  joint->context = of;
}

static bool may_imitate(const sinew_joint_def *joint) {
  // CHANNELS along x, y and z may float, which a function does not.
  return joint->kind != SINEW_JOINT_FIXED && joint->kind != SINEW_JOINT_SPHERICAL &&
         joint->kind != SINEW_JOINT_FREE &&
         !(joint->kind == SINEW_JOINT_CHANNELS && strpbrk(joint->channels, "x") != NULL);
}

// A random tree, and the same with functions in place of some joints.
typedef struct twins {
  random_tree tree;
  imitation of[RANDOM_TREE_MOST_JOINTS];
  sinew_model *built_in, *function;
  sinew_state *states[2];
  int functions;
} twins;

static void twins_make(twins *t, uint64_t seed, int joints) {
  random_stream random = random_stream_of(seed + 77);
  random_tree_options options = random_tree_defaults();
  options.joints = joints;
  options.limited = 0.5;
  random_tree_make(&t->tree, seed, &options);
  assert_ok(sinew_model_create(&t->tree.def, &t->built_in, NULL));
  t->functions = 0;
  for (int j = 0; j < t->tree.def.joint_count; ++j) {
    if (may_imitate(&t->tree.joints[j]) && random_below(&random, 3) > 0) {
      make_function(&t->tree.joints[j], &t->of[j]);
      ++t->functions;
    }
  }
  sinew_error error;
  if (sinew_model_create(&t->tree.def, &t->function, &error) != SINEW_OK) {
    fail_msg("%s: %s", error.name, error.message);
  }
  assert_ok(sinew_state_create(t->built_in, NULL, &t->states[0], NULL));
  assert_ok(sinew_state_create(t->function, NULL, &t->states[1], NULL));
}

static void twins_drop(twins *t) {
  sinew_state_destroy(t->states[0]);
  sinew_state_destroy(t->states[1]);
  sinew_model_destroy(t->built_in);
  sinew_model_destroy(t->function);
}

// Of random trees, coupled joints included: poses, all Jacobians and twists are those of the joints
// that the functions imitate; twice a millionth of a change apart, differences of poses agree with
// the Jacobian; start, random configurations, size and limits are the same. req: A12
static void functions_that_imitate_joints(void **unused) {
  (void)unused;
  static twins t;
  int functions = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    random_stream random = random_stream_of(seed + 5);
    static double J[2][7 * MOST];
    double q[MOST], other[MOST], v[MOST], twist[2][6], residual[2][6], point[3];
    sinew_pose pose[2], target;
    twins_make(&t, seed, 1 + random_below(&random, 12));
    functions += t.functions;
    const int nv = sinew_model_nv(t.built_in), nq = sinew_model_nq(t.built_in);
    const size_t size = 6 * (size_t)nv;
    assert_int_equal(nv, sinew_model_nv(t.function));
    assert_near(sinew_model_size(t.function), sinew_model_size(t.built_in), 0.0);
    sinew_configuration_start(t.built_in, q);
    sinew_configuration_start(t.function, other);
    assert_near(farthest(nq, q, other), 0.0, 0.0);
    sinew_configuration_random(t.built_in, 3, seed, q);
    sinew_configuration_random(t.function, 3, seed, other);
    assert_near(farthest(nq, q, other), 0.0, 0.0);
    assert_int_equal(sinew_configuration_excess(t.function, q, NULL) > 0.0, 0);
    const int link = random_below(&random, sinew_model_link_count(t.built_in));
    const int axes = random_below(&random, sinew_model_link_count(t.built_in));
    random_vector(&random, 0.5, point);
    for (int i = 0; i < nv; ++i) {
      v[i] = random_between(&random, -1.0, 1.0);
    }
    target = sinew_pose_identity();
    random_vector(&random, 1.0, target.position);
    random_unit(&random, 4, target.rotation);
    for (int k = 0; k < 2; ++k) {
      assert_ok(sinew_state_forward(t.states[k], q));
      assert_ok(sinew_state_link_pose(t.states[k], link, &pose[k]));
    }
    assert_near(farthest(3, pose[0].position, pose[1].position), 0.0, 1e-13 * 20);
    double apart[3];
    sinew_quaternion_difference(pose[0].rotation, pose[1].rotation, apart);
    assert_near(sinew_norm(apart), 0.0, 1e-13);
#define BOTH(call)                                                                                 \
  for (int k = 0; k < 2; ++k) {                                                                    \
    assert_ok(call);                                                                               \
  }                                                                                                \
  assert_near(farthest((int)size, J[0], J[1]), 0.0, 1e-12)
    BOTH(sinew_state_jacobian(t.states[k], link, point, axes, J[k]));
    BOTH(sinew_state_jacobian_body(t.states[k], q, link, point, J[k], &pose[k]));
    BOTH(sinew_state_jacobian_target(t.states[k], link, point, J[k]));
    BOTH(sinew_state_residual_jacobian(t.states[k], link, point, &target, residual[k], J[k]));
    BOTH(sinew_state_jacobian_rates(t.states[k], link, point, SINEW_ORIENTATION_VECTOR, J[k]));
    BOTH(sinew_state_jacobian_unit_velocities(t.states[k], link, point, other, J[k]));
    for (int k = 0; k < 2; ++k) {
      assert_ok(sinew_state_twist(t.states[k], link, point, v, twist[k]));
    }
    assert_near(farthest(6, twist[0], twist[1]), 0.0, 1e-11);
    assert_ok(sinew_state_jacobian(t.states[1], link, point, sinew_model_root(t.function), J[0]));
    assert_ok(sinew_state_jacobian_differences(t.states[1], q, link, point,
                                               SINEW_DIFFERENCE_CENTRAL, 1e-6, J[1]));
    assert_near(farthest((int)size, J[0], J[1]), 0.0, 1e-7);
    twins_drop(&t);
  }
  assert_true(functions > 400);
}

// A ball of three angles is at the pose of a spherical joint with that quaternion. req: A12
static void a_ball_by_three_angles(void **unused) {
  (void)unused;
  random_stream random = random_stream_of(4);
  builder balls[2];
  imitation of;
  sinew_model *models[2];
  sinew_state *states[2];
  for (int k = 0; k < 2; ++k) {
    builder_start(&balls[k]);
    sinew_joint_def *ball = builder_add(&balls[k], 0, SINEW_JOINT_SPHERICAL, 0.1, 0.2, 0.3);
    if (k == 1) {
      ball->kind = SINEW_JOINT_EULER;
      memcpy(ball->channels, "ZXY", 4);
      make_function(ball, &of);
    }
    builder_add(&balls[k], 1, SINEW_JOINT_REVOLUTE, 0.4, 0.1, 0.0);
    models[k] = builder_make(&balls[k]);
    assert_ok(sinew_state_create(models[k], NULL, &states[k], NULL));
  }
  for (int round = 0; round < 50; ++round) {
    double angles[4], q[5], turn[4];
    sinew_pose pose[2];
    for (int i = 0; i < 4; ++i) {
      angles[i] = random_between(&random, -3.0, 3.0);
    }
    const double z[3] = {0, 0, angles[0]}, x[3] = {angles[1], 0, 0}, y[3] = {0, angles[2], 0};
    sinew_quaternion_exp(z, q);
    sinew_quaternion_exp(x, turn);
    sinew_quaternion_multiply(q, turn, q);
    sinew_quaternion_exp(y, turn);
    sinew_quaternion_multiply(q, turn, q);
    q[4] = angles[3];
    assert_ok(sinew_state_forward(states[0], q));
    assert_ok(sinew_state_forward(states[1], angles));
    for (int k = 0; k < 2; ++k) {
      assert_ok(sinew_state_link_pose(states[k], 2, &pose[k]));
    }
    assert_near(farthest(3, pose[0].position, pose[1].position), 0.0, 1e-14);
  }
  for (int k = 0; k < 2; ++k) {
    sinew_state_destroy(states[k]);
    sinew_model_destroy(models[k]);
  }
}

// --------------------------------------------------------------------- arms

// Seven revolute and prismatic joints with limits, at random places, and the same by functions.
typedef struct arms {
  imitation of[ARM_JOINTS];
  sinew_model *models[2];
} arms;

static void arms_make(arms *a, uint64_t seed) {
  builder b;
  for (int k = 0; k < 2; ++k) {
    random_stream random = random_stream_of(seed);
    builder_start(&b);
    for (int i = 0; i < ARM_JOINTS; ++i) {
      const bool slides = i == 3 && seed % 2 == 1;
      double at[3];
      random_vector(&random, 0.3, at);
      sinew_joint_def *joint = builder_add(
          &b, i, slides ? SINEW_JOINT_PRISMATIC : SINEW_JOINT_REVOLUTE, at[0], at[1], at[2]);
      random_unit(&random, 3, joint->axis);
      builder_limit(joint, slides ? -0.2 : -2.5, slides ? 0.3 : 2.5);
      joint->velocity[0] = 3.0;
      if (k == 1) {
        make_function(joint, &a->of[i]);
      }
    }
    a->models[k] = builder_make(&b);
  }
}

static void arms_drop(arms *a) {
  sinew_model_destroy(a->models[0]);
  sinew_model_destroy(a->models[1]);
}

static sinew_task hand_task(void) {
  sinew_task hand = task_of(SINEW_TASK_POSE, ARM_JOINTS);
  hand.point_l[0] = 0.2;
  return hand;
}

static sinew_target reachable(const sinew_model *model, const sinew_task *task, uint64_t seed,
                              uint64_t number) {
  double q[MOST];
  sinew_configuration_random(model, seed, number, q);
  return target_at(model, task, q);
}

// Updates by each first-order method of the literature are those of the arm with joints of the
// other kinds. req: A12
static void updates_are_those_of_the_imitated_arm(void **unused) {
  (void)unused;
  static const sinew_method methods[] = {
      SINEW_METHOD_TRANSPOSE, SINEW_METHOD_PSEUDOINVERSE, SINEW_METHOD_DLS, SINEW_METHOD_SDLS,
      SINEW_METHOD_GRADIENT,  SINEW_METHOD_CONJUGATE,     SINEW_METHOD_LM,  SINEW_METHOD_WEIGHTED};
  for (uint64_t seed = 0; seed < 6; ++seed) {
    arms a;
    arms_make(&a, seed);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
      const sinew_task hand = hand_task();
      sinew_solver_def def = sinew_default_solver_def();
      def.step.method = methods[m];
      def.lanes = -1;
      double q[2][ARM_JOINTS];
      const sinew_target target = reachable(a.models[0], &hand, 11, seed);
      for (int k = 0; k < 2; ++k) {
        sinew_solver *solver = solver_with(&def, a.models[k], &hand, 1);
        sinew_configuration_middle(a.models[k], q[k]);
        for (int i = 0; i < 30; ++i) {
          assert_ok(sinew_solver_update(solver, &target, 1, q[k], NULL));
        }
        sinew_solver_destroy(solver);
      }
      assert_near(farthest(ARM_JOINTS, q[0], q[1]), 0.0, 1e-7); // steps amplify rounding
    }
    arms_drop(&a);
  }
}

// Every method solves by functions about as often as without, within limits, and what it calls
// converged is. req: A12
static void every_method_solves(void **unused) {
  (void)unused;
  for (int m = 0; m < SINEW_METHOD_COUNT; ++m) {
    int met[2] = {0, 0};
    for (uint64_t seed = 0; seed < 4; ++seed) {
      arms a;
      arms_make(&a, seed);
      const sinew_task hand = hand_task();
      for (int k = 0; k < 2; ++k) {
        sinew_solver_def def = sinew_default_solver_def();
        def.step.method = (sinew_method)m;
        def.budget.max_steps = 100;
        def.budget.max_starts = 3;
        sinew_solver *solver = solver_with(&def, a.models[k], &hand, 1);
        for (uint64_t i = 0; i < 3; ++i) {
          const sinew_target target = reachable(a.models[0], &hand, seed + 20, i);
          double q[ARM_JOINTS], distance, angle;
          sinew_report report;
          sinew_configuration_middle(a.models[k], q);
          assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
          measure(a.models[0], &hand, &target, q, &distance, &angle);
          assert_near(distance, report.position_error, 1e-9);
          assert_at_most(outside_limits(a.models[0], q), 0.0);
          assert_int_equal(report.outcome == SINEW_OUTCOME_CONVERGED,
                           distance <= 1e-6 && angle <= 1e-6);
          met[k] += report.outcome == SINEW_OUTCOME_CONVERGED;
        }
        sinew_solver_destroy(solver);
      }
      arms_drop(&a);
    }
    if (met[1] < met[0] - 3) {
      fail_msg("%s: %d of 12, without functions %d", sinew_method_string((sinew_method)m), met[1],
               met[0]);
    }
  }
}

// The search finds reachable poses; no closed form and no lanes are used. A batch of them gives the
// same, in ranges of any length. req: A12
static void searches_and_batches(void **unused) {
  (void)unused;
  enum { COUNT = 40 };
  arms a;
  arms_make(&a, 8);
  const sinew_model *model = a.models[1];
  const sinew_task hand = hand_task();
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = solver_with(&def, model, &hand, 1);
  double targets[7 * COUNT], one[ARM_JOINTS], q[2][COUNT][ARM_JOINTS];
  sinew_batch_row rows[2][COUNT];
  assert_false(sinew_solver_in_lanes(solver));
  sinew_configuration_middle(model, one);
  sinew_bank_def bank_def = sinew_default_bank_def();
  bank_def.postures = 500;
  sinew_bank *bank;
  assert_ok(sinew_bank_create(&bank_def, model, &hand, 1, &bank, NULL));
  int met = 0;
  for (int i = 0; i < COUNT; ++i) {
    const sinew_target target = reachable(model, &hand, 30, (uint64_t)i);
    double distance, angle;
    sinew_report report;
    memcpy(targets + 7 * i, target.position, sizeof target.position);
    memcpy(targets + 7 * i + 3, target.rotation, sizeof target.rotation);
    sinew_configuration_middle(model, one);
    assert_ok(sinew_solver_solve(solver, &target, 1, one, &report));
    measure(a.models[0], &hand, &target, one, &distance, &angle);
    met += report.outcome == SINEW_OUTCOME_CONVERGED && distance <= 1e-6 && angle <= 1e-6;
  }
  assert_int_equal(met, COUNT);
  sinew_batch_def batch_def = sinew_default_batch_def();
  batch_def.bank = bank;
  sinew_batch *batch;
  sinew_batch_worker *worker;
  assert_ok(sinew_batch_create(&batch_def, model, &hand, 1, &batch, NULL));
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  for (int k = 0; k < 2; ++k) {
    const sinew_batch_arrays arrays = {.targets = targets, .q = q[k][0], .rows = rows[k]};
    for (size_t first = 0; first < COUNT; first += k == 0 ? COUNT : 7) {
      const size_t left = COUNT - first;
      assert_ok(sinew_batch_solve(batch, worker, &arrays, first,
                                  k == 0     ? COUNT
                                  : left < 7 ? left
                                             : 7));
    }
  }
  assert_memory_equal(q[0], q[1], sizeof q[0]);
  for (int i = 0; i < COUNT; ++i) {
    assert_int_equal(rows[0][i].outcome, SINEW_OUTCOME_CONVERGED);
  }
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
  sinew_bank_destroy(bank);
  sinew_solver_destroy(solver);
  arms_drop(&a);
}

// ---------------------------------------------------------------- mechanisms

// A knee whose centre moves along an ellipse as it bends: the shin's frame is at the centre.
static void knee(void *context, const double *values, sinew_pose *motion, double *twists) {
  const double *axes = context, a = values[0];
  motion->position[0] = axes[0] * sin(a);
  motion->position[1] = axes[1] * (1.0 - cos(a));
  motion->rotation[0] = cos(0.5 * a);
  motion->rotation[3] = sin(0.5 * a);
  twists[0] = axes[0] * cos(a);
  twists[1] = axes[1] * sin(a);
  twists[5] = 1.0;
}

// A crank of radius r turns by the value and moves a slider along x by a rod of length l.
static void crank(void *context, const double *values, sinew_pose *motion, double *twists) {
  const double *size = context, r = size[0], l = size[1], s = r * sin(values[0]);
  const double along = sqrt(l * l - s * s);
  motion->position[0] = r * cos(values[0]) + along;
  twists[0] = -s - s * r * cos(values[0]) / along;
}

// A cam that lifts by h (1 - cos 3 a) / 2 along z and turns about it by a.
static void cam(void *context, const double *values, sinew_pose *motion, double *twists) {
  const double h = *(const double *)context, a = values[0];
  motion->position[2] = 0.5 * h * (1.0 - cos(3.0 * a));
  motion->rotation[0] = cos(0.5 * a);
  motion->rotation[3] = sin(0.5 * a);
  twists[2] = 1.5 * h * sin(3.0 * a);
  twists[5] = 1.0;
}

static double knee_axes[2] = {0.04, 0.02}, crank_size[2] = {0.1, 0.25}, lift = 0.08;

// A leg: a hip of two angles, a knee, an ankle; on a cam and a slider.
static sinew_model *leg(void) {
  builder b;
  builder_start(&b);
  sinew_joint_def *joint = builder_add(&b, 0, SINEW_JOINT_FUNCTION, 0.0, 0.0, 0.0);
  memcpy(joint->channels, "r", 2);
  joint->function = crank;
  joint->context = crank_size;
  builder_limit(joint, 0.2, 2.9);
  joint = builder_add(&b, 1, SINEW_JOINT_FUNCTION, 0.0, 0.1, 0.0);
  memcpy(joint->channels, "r", 2);
  joint->function = cam;
  joint->context = &lift;
  builder_limit(joint, -0.9, 0.9);
  joint = builder_add(&b, 2, SINEW_JOINT_UNIVERSAL, 0.0, 0.0, 0.1);
  builder_limit(joint, -1.2, 1.2);
  joint = builder_add(&b, 3, SINEW_JOINT_FUNCTION, 0.4, 0.0, 0.0);
  memcpy(joint->channels, "r", 2);
  joint->function = knee;
  joint->context = knee_axes;
  builder_limit(joint, 0.1, 2.3);
  joint = builder_add(&b, 4, SINEW_JOINT_UNIVERSAL, 0.4, 0.0, 0.0);
  builder_limit(joint, -0.8, 0.8);
  return builder_make(&b);
}

// The derivatives of all three hold against differences, at all values; poses are those of joints
// of other kinds with the values that the formulas give; a wrong derivative is found, and named.
// req: A12
static void mechanisms_are_what_their_formulas_say(void **unused) {
  (void)unused;
  sinew_model *model = leg();
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_PRISMATIC, 0.0, 0.0, 0.0)->axis[0] = 1.0;
  b.joints[0].axis[2] = 0.0;
  builder_add(&b, 1, SINEW_JOINT_CYLINDRICAL, 0.0, 0.1, 0.0);
  builder_add(&b, 2, SINEW_JOINT_UNIVERSAL, 0.0, 0.0, 0.1);
  memcpy(builder_add(&b, 3, SINEW_JOINT_CHANNELS, 0.4, 0.0, 0.0)->channels, "xyZ", 4);
  builder_add(&b, 4, SINEW_JOINT_UNIVERSAL, 0.4, 0.0, 0.0);
  sinew_model *same = builder_make(&b);
  sinew_state *states[2];
  assert_ok(sinew_state_create(model, NULL, &states[0], NULL));
  assert_ok(sinew_state_create(same, NULL, &states[1], NULL));
  for (uint64_t i = 0; i < 100; ++i) {
    double q[7], J[42], D[42];
    sinew_pose pose[2];
    sinew_configuration_random(model, 1, i, q);
    const double s = crank_size[0] * sin(q[0]), a = q[4];
    const double along = crank_size[0] * cos(q[0]) + sqrt(crank_size[1] * crank_size[1] - s * s);
    const double other[10] = {along,
                              q[1],
                              0.5 * lift * (1.0 - cos(3.0 * q[1])),
                              q[2],
                              q[3],
                              knee_axes[0] * sin(a),
                              knee_axes[1] * (1.0 - cos(a)),
                              a,
                              q[5],
                              q[6]};
    const int joints[3] = {0, 1, 3}, values[3] = {0, 1, 4};
    for (int k = 0; k < 3; ++k) {
      assert_ok(sinew_model_check_function(model, joints[k], &q[values[k]], 1e-7, NULL));
    }
    assert_ok(sinew_state_forward(states[0], q));
    assert_ok(sinew_state_forward(states[1], other));
    for (int k = 0; k < 2; ++k) {
      assert_ok(sinew_state_link_pose(states[k], 5, &pose[k]));
    }
    assert_near(farthest(3, pose[0].position, pose[1].position), 0.0, 1e-14);
    assert_ok(sinew_state_jacobian(states[0], 5, NULL, 0, J));
    assert_ok(
        sinew_state_jacobian_differences(states[0], q, 5, NULL, SINEW_DIFFERENCE_CENTRAL, 1e-6, D));
    assert_near(farthest(42, J, D), 0.0, 1e-8);
  }
  sinew_state_destroy(states[0]);
  sinew_state_destroy(states[1]);
  sinew_model_destroy(same);
  sinew_model_destroy(model);
}

// The leg solves for reachable feet and follows one that moves, within its limits, to the
// tolerance. req: A12
static void a_leg_of_mechanisms_solves_and_follows(void **unused) {
  (void)unused;
  sinew_model *model = leg();
  const sinew_task foot = task_of(SINEW_TASK_POSE, 5);
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = solver_with(&def, model, &foot, 1);
  double q[7], path[2][7], worst = 0.0;
  for (uint64_t i = 0; i < 60; ++i) {
    const sinew_target target = reachable(model, &foot, 2, i);
    double distance, angle;
    sinew_report report;
    sinew_configuration_middle(model, q);
    assert_ok(sinew_solver_solve(solver, &target, 1, q, &report));
    measure(model, &foot, &target, q, &distance, &angle);
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_at_most(distance, 1e-6);
    assert_at_most(angle, 1e-6);
    assert_at_most(outside_limits(model, q), 0.0);
  }
  // Between two postures a quarter of the limits apart.
  for (int k = 0; k < 2; ++k) {
    for (int v = 0; v < 7; ++v) {
      const double l = sinew_model_lower(model)[v], u = sinew_model_upper(model)[v];
      path[k][v] = l + (u - l) * (k == 0 ? 0.4 : 0.65);
    }
  }
  sinew_solver_reset(solver);
  memcpy(q, path[0], sizeof q);
  for (int i = 0; i <= 200; ++i) {
    double at[7], distance, angle;
    const double share = 0.5 - 0.5 * cos(2.0 * PI * i / 200.0);
    for (int v = 0; v < 7; ++v) {
      at[v] = path[0][v] + share * (path[1][v] - path[0][v]);
    }
    const sinew_target target = target_at(model, &foot, at);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    measure(model, &foot, &target, q, &distance, &angle);
    worst = fmax(worst, fmax(distance, angle));
    assert_at_most(outside_limits(model, q), 0.0);
  }
  assert_at_most(worst, 2e-3);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// ------------------------------------------------------------------ failures

static void not_a_number(void *context, const double *values, sinew_pose *motion, double *twists) {
  const int which = *(const int *)context;
  const double bad = values[0] > 0.5 ? NAN : values[0];
  motion->position[0] = which == 0 ? bad : values[0];
  motion->rotation[0] = which == 1 ? bad - bad + (values[0] <= 0.5) : 1.0;
  twists[0] = which == 2 && values[0] > 0.5 ? INFINITY : 1.0;
  if (which == 3 && values[0] > 0.5) {
    motion->rotation[0] = 0.0; // no rotation
  }
}

static sinew_model *failing(int *which) {
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
  sinew_joint_def *joint = builder_add(&b, 1, SINEW_JOINT_FUNCTION, 1.0, 0.0, 0.0);
  memcpy(joint->channels, "m", 2);
  joint->function = not_a_number;
  joint->context = which;
  builder_limit(joint, -1.0, 1.0);
  builder_add(&b, 2, SINEW_JOINT_REVOLUTE, 0.3, 0.0, 0.0);
  return builder_make(&b);
}

// Values at a limit, beyond which the function may give anything, and large ones.
static void derivatives_are_checked_within_limits(void **unused) {
  (void)unused;
  int which = 0;
  builder b;
  builder_start(&b);
  sinew_joint_def *joint = builder_add(&b, 0, SINEW_JOINT_FUNCTION, 0.0, 0.0, 0.0);
  memcpy(joint->channels, "m", 2);
  joint->function = not_a_number;
  joint->context = &which;
  builder_limit(joint, -1e12, 0.5);
  sinew_model *model = builder_make(&b);
  const double values[4] = {0.5, -1e12, -3e11, 0.0};
  for (int i = 0; i < 4; ++i) {
    assert_ok(sinew_model_check_function(model, 0, &values[i], 1e-6, NULL));
  }
  sinew_model_destroy(model);
}

// x = 10 a, as a rope on a drum.
static void winch(void *context, const double *values, sinew_pose *motion, double *twists) {
  (void)context;
  motion->position[0] = 10.0 * values[0];
  twists[0] = 10.0;
}

// How far a function reaches is not known: targets far away are not drawn inward.
static void functions_reach_far(void **unused) {
  (void)unused;
  builder b;
  builder_start(&b);
  sinew_joint_def *joint = builder_add(&b, 0, SINEW_JOINT_FUNCTION, 0.0, 0.0, 0.0);
  memcpy(joint->channels, "r", 2);
  joint->function = winch;
  builder_limit(joint, -1000.0, 1000.0);
  builder_add(&b, 1, SINEW_JOINT_REVOLUTE, 0.5, 0.0, 0.0);
  builder_add(&b, 2, SINEW_JOINT_REVOLUTE, 0.5, 0.0, 0.0);
  sinew_model *model = builder_make(&b);
  const sinew_task tip = task_of(SINEW_TASK_POSITION, 3);
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = solver_with(&def, model, &tip, 1);
  sinew_target target = sinew_default_target();
  double q[3] = {0.0};
  sinew_report report;
  target.position[0] = 5000.0;
  assert_ok(sinew_solver_solve(solver, &target, 1, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// What a function gives that is not finite never leaves: the call is refused with the joint's name,
// and q, the poses and later calls are as if it had not been made. req: A12
static void what_is_not_finite_does_not_leave(void **unused) {
  (void)unused;
  for (int which = 0; which < 4; ++which) {
    sinew_model *model = failing(&which);
    const sinew_task tip = task_of(SINEW_TASK_POSITION, 3);
    sinew_solver_def def = sinew_default_solver_def();
    sinew_solver *solver = solver_with(&def, model, &tip, 1);
    sinew_state *state;
    sinew_pose before, after;
    sinew_error error = {SINEW_OK, 0, "", "", ""};
    double J[18], q[3] = {0.1, 0.2, 0.3}, bad[3] = {0.1, 0.7, 0.3}, all[30];
    const double good[3] = {0.1, 0.2, 0.3};
    int found = -1;
    assert_ok(sinew_state_create(model, NULL, &state, NULL));
    assert_ok(sinew_state_forward(state, q));
    assert_ok(sinew_state_link_pose(state, 3, &before));
    assert_int_equal(sinew_state_forward(state, bad), SINEW_ERROR_NOT_FINITE);
    assert_int_equal(sinew_state_jacobian_body(state, bad, 3, NULL, J, &after),
                     SINEW_ERROR_NOT_FINITE);
    assert_ok(sinew_state_link_pose(state, 3, &after));
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(sinew_model_check_function(model, 1, &bad[1], 1e-6, &error),
                     SINEW_ERROR_NOT_FINITE);
    // A target that the function's values beyond 0.5 would reach, or that is met there.
    sinew_target far = sinew_default_target();
    far.position[0] = 2.4;
    sinew_report report = {.outcome = SINEW_OUTCOME_CONVERGED};
    for (int call = 0; call < 4; ++call) {
      const sinew_result result =
          call == 0   ? sinew_solver_solve(solver, &far, 1, q, &report)
          : call == 1 ? sinew_solver_solve_local(solver, &far, 1, q, &report)
          : call == 2
              ? sinew_solver_update(solver, &far, 1, bad, &report)
              : sinew_solver_solve_all(solver, NULL, &far, 1, good, 10, all, &found, &report);
      assert_int_equal(result, SINEW_ERROR_NOT_FINITE);
      assert_int_equal(report.outcome, SINEW_OUTCOME_BAD_INPUT);
      assert_string_equal(sinew_solver_last_error(solver)->name, "joint1");
      assert_memory_equal(q, good, sizeof q);
    }
    assert_near(bad[1], 0.7, 0.0);
    assert_int_equal(found, 0);
    // A bank meets the values that fail; a near target is still solved.
    sinew_bank_def bank_def = sinew_default_bank_def();
    sinew_bank *bank = NULL;
    assert_int_equal(sinew_bank_create(&bank_def, model, &tip, 1, &bank, &error),
                     SINEW_ERROR_NOT_FINITE);
    assert_string_equal(error.name, "joint1");
    assert_null(bank);
    const sinew_target near = target_at(model, &tip, (double[3]){0.15, 0.25, 0.35});
    assert_ok(sinew_solver_update(solver, &near, 1, q, &report));
    assert_true(isfinite(q[0]) && isfinite(q[1]) && isfinite(q[2]));
    sinew_state_destroy(state);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// In a batch the row is BAD_INPUT, and the worker's error names the joint and the first such row of
// the last call, whatever the range. req: A12
static void a_batch_names_the_joint_that_fails(void **unused) {
  (void)unused;
  enum { COUNT = 12 };
  int which = 0;
  sinew_model *model = failing(&which);
  const sinew_task tip = task_of(SINEW_TASK_POSITION, 3);
  double targets[3 * COUNT], q[3 * COUNT];
  sinew_batch_row rows[COUNT];
  for (int i = 0; i < COUNT; ++i) { // 5 and 9: those that values beyond 0.5 would reach
    const sinew_target near = target_at(model, &tip, (double[3]){0.1, 0.2, 0.3});
    memcpy(targets + 3 * i, near.position, sizeof near.position);
    targets[3 * i] = i == 5 || i == 9 ? 2.4 : targets[3 * i];
  }
  sinew_batch_def def = sinew_default_batch_def();
  sinew_batch *batch;
  sinew_batch_worker *worker;
  assert_ok(sinew_batch_create(&def, model, &tip, 1, &batch, NULL));
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  const sinew_error *error = sinew_batch_worker_last_error(worker);
  const sinew_batch_arrays arrays = {.targets = targets, .q = q, .rows = rows};
  static const struct {
    size_t first, count;
    const char *problem; // NULL: none fails
  } calls[] = {{0, COUNT, "problem 5: "}, {0, 5, NULL}, {6, 6, "problem 9: "}, {10, 2, NULL}};
  for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c) {
    assert_ok(sinew_batch_solve(batch, worker, &arrays, calls[c].first, calls[c].count));
    assert_int_equal(error->code, calls[c].problem != NULL ? SINEW_ERROR_NOT_FINITE : SINEW_OK);
    assert_string_equal(error->name, calls[c].problem != NULL ? "joint1" : "");
    assert_true(calls[c].problem == NULL || strstr(error->message, calls[c].problem) != NULL);
  }
  for (int i = 0; i < COUNT; ++i) {
    assert_int_equal(rows[i].outcome == SINEW_OUTCOME_BAD_INPUT, i == 5 || i == 9);
  }
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
  sinew_model_destroy(model);
}

static sinew_result refused(const sinew_joint_def *joint, sinew_error *error) {
  sinew_link_def links[2] = {sinew_default_link_def(), sinew_default_link_def()};
  links[0].name = "base";
  links[1].name = "tip";
  sinew_model_def def = sinew_default_model_def();
  def.links = links;
  def.link_count = 2;
  def.joints = joint;
  def.joint_count = 1;
  sinew_model *model = NULL;
  const sinew_result result = sinew_model_create(&def, &model, error);
  sinew_model_destroy(model);
  return result;
}

// Definitions, derivatives and calls that cannot be are refused by name. req: A12
static void what_is_refused(void **unused) {
  (void)unused;
  sinew_error error;
  double at[2] = {0.6, 0.3};
  int which = 0;
  sinew_joint_def joint = sinew_default_joint_def();
  joint.name = "lift";
  joint.kind = SINEW_JOINT_FUNCTION;
  joint.child = 1;
  joint.context = &which;
  memcpy(joint.channels, "r", 2);
  assert_int_equal(refused(&joint, &error), SINEW_ERROR_MODEL); // no function
  assert_string_equal(error.name, "lift");
  joint.function = not_a_number;
  assert_ok(refused(&joint, &error));
  memcpy(joint.channels, "rX", 3);
  assert_int_equal(refused(&joint, &error), SINEW_ERROR_MODEL);
  joint.channels[0] = '\0';
  assert_int_equal(refused(&joint, &error), SINEW_ERROR_MODEL);
  memcpy(joint.channels, "m", 2);
  joint.lower[0] = 0.6; // where it starts, the function fails
  assert_int_equal(refused(&joint, &error), SINEW_ERROR_NOT_FINITE);
  assert_string_equal(error.name, "lift");

  // A wrong derivative.
  builder b;
  imitation of;
  builder_start(&b);
  make_function(builder_add(&b, 0, SINEW_JOINT_CYLINDRICAL, 0.0, 0.0, 0.0), &of);
  builder_add(&b, 1, SINEW_JOINT_REVOLUTE, 1.0, 0.0, 0.0);
  sinew_model *model = builder_make(&b);
  assert_ok(sinew_model_check_function(model, 0, at, 1e-6, &error));
  of.factor = 1.00001;
  assert_int_equal(sinew_model_check_function(model, 0, at, 1e-6, &error), SINEW_ERROR_ARGUMENT);
  assert_string_equal(error.name, "joint0");
  assert_non_null(strstr(error.message, "differences"));
  of.factor = 1.0;
  assert_int_equal(sinew_model_check_function(model, 1, at, 1e-6, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_model_check_function(model, 2, at, 1e-6, &error), SINEW_ERROR_INDEX);
  at[0] = NAN;
  assert_int_equal(sinew_model_check_function(model, 0, at, 1e-6, &error), SINEW_ERROR_NOT_FINITE);

  // Second derivatives and constructions of fixed axes.
  sinew_state *state;
  sinew_block block;
  double v[3] = {0.0}, J[6 * 9], blocks[36 * 3];
  assert_ok(sinew_state_create(model, NULL, &state, NULL));
  assert_int_equal(sinew_state_hessian(state, 2, NULL, J), SINEW_ERROR_UNSUPPORTED);
  assert_int_equal(sinew_state_jacobian_derivative(state, 2, NULL, v, J), SINEW_ERROR_UNSUPPORTED);
  assert_int_equal(sinew_model_block(model, 0, &block), SINEW_ERROR_UNSUPPORTED);
  assert_int_equal(sinew_state_jacobian_blocks(state, 2, NULL, 0, blocks), SINEW_ERROR_UNSUPPORTED);
  assert_int_equal(sinew_state_jacobian_adjusted(state, 2, NULL, 0, J), SINEW_ERROR_UNSUPPORTED);
  assert_int_equal(sinew_model_exponentials(model, 2, NULL, &(sinew_exponentials){.count = 0}),
                   SINEW_ERROR_UNSUPPORTED);
  sinew_state_destroy(state);

  // The gradient of manipulability. Crowds update such figures without lanes.
  const sinew_task hand = task_of(SINEW_TASK_POSITION, 2);
  sinew_crowd_def crowd_def = sinew_default_crowd_def();
  sinew_crowd *crowd = NULL;
  assert_ok(sinew_crowd_create(&crowd_def, model, &hand, 1, &crowd, &error));
  assert_false(sinew_crowd_in_lanes(crowd));
  sinew_crowd_destroy(crowd);
  sinew_solver_def def = sinew_default_solver_def();
  def.lower.levels = def.lower.objectives = 1;
  sinew_solver *solver = solver_with(&def, model, &hand, 1);
  sinew_objective objective = sinew_default_objective();
  objective.kind = SINEW_OBJECTIVE_MANIPULABILITY;
  objective.task = &hand;
  assert_int_equal(sinew_solver_set_objectives(solver, &objective, 1, &error),
                   SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "function"));
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Nothing is proven out of reach from placements alone: a function may reach beyond them. An
// objective of a lower level moves to where it moves the joints that the functions imitate, and
// dexterity is theirs. req: A12
static void reach_and_lower_levels(void **unused) {
  (void)unused;
  builder b;
  imitation of[2];
  sinew_model *models[2];
  sinew_solver *solvers[2];
  sinew_task tip = task_of(SINEW_TASK_POSITION, 3);
  sinew_solver_def def = sinew_default_solver_def();
  const double posture[3] = {0.0, 2.0, 0.9};
  tip.point_l[0] = 0.5;
  def.lower.levels = def.lower.objectives = 1;
  for (int k = 0; k < 2; ++k) {
    builder_start(&b);
    builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
    sinew_joint_def *joint = builder_add(&b, 1, SINEW_JOINT_PRISMATIC, 0.1, 0.0, 0.0);
    joint->axis[0] = 1.0;
    joint->axis[2] = 0.0;
    builder_limit(joint, 0.0, 5.0);
    builder_add(&b, 2, SINEW_JOINT_REVOLUTE, 0.1, 0.0, 0.0);
    for (int j = 0; k == 1 && j < 2; ++j) {
      make_function(&b.joints[1 + j], &of[j]);
    }
    models[k] = builder_make(&b);
    solvers[k] = solver_with(&def, models[k], &tip, 1);
    sinew_objective objective = sinew_default_objective();
    objective.posture = posture;
    assert_ok(sinew_solver_set_objectives(solvers[k], &objective, 1, NULL));
  }
  for (double far = 0.4; far < 7.0; far += 1.0) {
    double q[2][3], distance, angle;
    sinew_target target = sinew_default_target();
    sinew_report report;
    sinew_dexterity dexterity[2];
    target.position[0] = 0.6 * far;
    target.position[1] = 0.8 * far;
    for (int k = 0; k < 2; ++k) {
      memcpy(q[k], (double[3]){0.1, 0.1, 0.1}, sizeof q[k]);
      assert_ok(sinew_solver_solve(solvers[k], &target, 1, q[k], &report));
      measure(models[0], &tip, &target, q[k], &distance, &angle);
      assert_int_equal(report.outcome == SINEW_OUTCOME_CONVERGED, far < 5.7);
      assert_int_equal(distance <= 1e-6, far < 5.7);
      assert_ok(sinew_solver_dexterity(solvers[k], &target, 1, q[0], &dexterity[k]));
    }
    assert_int_not_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
    assert_near(dexterity[1].smallest, dexterity[0].smallest, 1e-12);
    assert_near(dexterity[1].manipulability, dexterity[0].manipulability, 1e-12);
    // Descents end within 1 % of the least cost (docs/levels.md): here .0049 rad apart at most.
    assert_near(farthest(3, q[0], q[1]), 0.0, 1e-2);
  }
  for (int k = 0; k < 2; ++k) {
    sinew_solver_destroy(solvers[k]);
    sinew_model_destroy(models[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_that_imitate_joints),
      cmocka_unit_test(a_ball_by_three_angles),
      cmocka_unit_test(updates_are_those_of_the_imitated_arm),
      cmocka_unit_test(every_method_solves),
      cmocka_unit_test(searches_and_batches),
      cmocka_unit_test(mechanisms_are_what_their_formulas_say),
      cmocka_unit_test(a_leg_of_mechanisms_solves_and_follows),
      cmocka_unit_test(derivatives_are_checked_within_limits),
      cmocka_unit_test(functions_reach_far),
      cmocka_unit_test(what_is_not_finite_does_not_leave),
      cmocka_unit_test(a_batch_names_the_joint_that_fails),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(reach_and_lower_levels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
