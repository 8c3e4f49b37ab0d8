// A posture below the tasks of a crowd's figures: it costs the tasks nothing, and figures at rest
// are as near to it as single ones.
#include "fixtures.h"
#include "inspect.h"
#include "random_tree.h"
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#define FIGURES 5 // not a multiple of most lane counts
#define MOST 160
#define MOST_TASKS 4
#define TENTH 1e-7 // of the tolerance [m, rad]

static const int widths[] = {1, 2, 4, 8};

// A model, its tasks, and smooth motions, one a figure.
typedef struct posed {
  sinew_model *model;
  sinew_task tasks[MOST_TASKS];
  int count;
  double home[MOST], posture[MOST], size[FIGURES][MOST], rate[FIGURES][MOST];
  sinew_objective objective;
} posed;

static void begin_posed(posed *p, sinew_model *model, random_stream *r, double size) {
  const int nq = sinew_model_nq(model), nv = sinew_model_nv(model);
  assert_true(nq <= MOST);
  p->model = model;
  sinew_configuration_middle(model, p->home);
  sinew_configuration_random(model, 21, random_bits(r) % 1000, p->posture);
  p->objective = sinew_default_objective();
  p->objective.posture = p->posture;
  for (int f = 0; f < FIGURES; ++f) {
    for (int v = 0; v < nv; ++v) {
      p->rate[f][v] = random_between(r, 0.3, 1.5);
      p->size[f][v] = random_between(r, -size, size);
    }
  }
}

static void pose_at(const posed *p, int f, double time, double *q) {
  double v[MOST];
  for (int i = 0; i < sinew_model_nv(p->model); ++i) {
    v[i] = p->size[f][i] * sin(p->rate[f][i] * time + i + f);
  }
  sinew_configuration_integrate(p->model, p->home, v, q);
  sinew_configuration_clamp(p->model, q);
}

// A crowd of the figures.
typedef struct group {
  sinew_crowd *crowd;
  sinew_crowd_worker *worker;
  double q[FIGURES][MOST], targets[FIGURES][7 * MOST_TASKS];
  sinew_batch_row rows[FIGURES];
} group;

static void begin_group(group *g, const posed *p, bool posture, int lanes) {
  sinew_crowd_def def = sinew_default_crowd_def();
  def.figures = FIGURES;
  def.lanes = lanes;
  def.posture = posture ? &p->objective : NULL;
  sinew_error error = {0};
  if (sinew_crowd_create(&def, p->model, p->tasks, p->count, &g->crowd, &error) != SINEW_OK) {
    fail_msg("%s %s", error.name, error.message);
  }
  assert_true(sinew_crowd_in_lanes(g->crowd));
  assert_ok(sinew_crowd_worker_create(g->crowd, &g->worker, NULL));
  for (int f = 0; f < FIGURES; ++f) {
    pose_at(p, f, 0.0, g->q[f]);
  }
}

static void end_group(group *g) {
  sinew_crowd_worker_destroy(g->worker);
  sinew_crowd_destroy(g->crowd);
}

static void find_targets(const posed *p, int f, double time, sinew_target *targets) {
  double q[MOST];
  pose_at(p, f, time, q);
  for (int t = 0; t < p->count; ++t) {
    targets[t] = target_at(p->model, &p->tasks[t], q);
  }
}

static void update(group *g, const posed *p, double time) {
  for (int f = 0; f < FIGURES; ++f) {
    sinew_target targets[MOST_TASKS];
    double *row = g->targets[f];
    find_targets(p, f, time, targets);
    for (int t = 0; t < p->count; ++t) {
      sinew_target_pack(&p->tasks[t], &targets[t], row);
      row += sinew_task_target_size(&p->tasks[t]);
    }
  }
  const sinew_crowd_arrays arrays = {.targets = g->targets[0],
                                     .target_stride = 7 * MOST_TASKS,
                                     .q = g->q[0],
                                     .q_stride = MOST,
                                     .rows = g->rows};
  assert_ok(sinew_crowd_update(g->crowd, g->worker, &arrays, 0, FIGURES));
}

static double from_posture(const posed *p, const double *q) {
  double v[MOST], sum = 0.0;
  sinew_configuration_difference(p->model, q, p->posture, v);
  for (int i = 0; i < sinew_model_nv(p->model); ++i) {
    const double weight = p->objective.weights != NULL ? p->objective.weights[i] : 1.0;
    sum += pow(weight * v[i], 2.0);
  }
  return sum;
}

static double distance_of(const double a[3], const double b[3]) {
  return sqrt(pow(a[0] - b[0], 2.0) + pow(a[1] - b[1], 2.0) + pow(a[2] - b[2], 2.0));
}

static void pose_of_arm(posed *p, random_stream *r) {
  begin_posed(p, fixture_arm(), r, 0.4);
  p->tasks[0] = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  p->count = 1;
}

static void pose_of_person(posed *p, random_stream *r, bool floats) {
  int links[HUMANOID_PLACES];
  begin_posed(p, fixture_humanoid(floats, links), r, 0.15);
  const int at[] = {HUMANOID_LEFT_HAND, HUMANOID_RIGHT_HAND, HUMANOID_LEFT_FOOT,
                    HUMANOID_RIGHT_FOOT};
  p->count = 4;
  for (int t = 0; t < 4; ++t) {
    p->tasks[t] = task_of(t < 2 ? SINEW_TASK_POSITION : SINEW_TASK_POSE, links[at[t]]);
  }
  sinew_configuration_start(p->model, p->posture);
}

static void pose_of_tree(posed *p, random_tree *tree, random_stream *r, uint64_t seed) {
  random_tree_options options = random_tree_defaults();
  sinew_model *model = NULL;
  options.chain = 0.8;
  options.coupled = 0.0;
  options.limited = seed % 2 == 0 ? 0.5 : 0.0;
  options.cones = seed % 4 == 0 ? 0.5 : 0.0;
  options.kinds = ~(1u << SINEW_JOINT_FUNCTION);
  if (seed % 5 == 4) { // a chain of limited spherical joints
    options.kinds = 1u << SINEW_JOINT_SPHERICAL;
    options.chain = options.cones = 1.0;
    options.joints = 4;
  }
  random_tree_make(tree, 900 + seed, &options);
  assert_ok(sinew_model_create(&tree->def, &model, NULL));
  begin_posed(p, model, r, 0.3);
  for (int v = 0; v < sinew_model_nv(model); ++v) { // some beyond their limits
    const double upper = sinew_model_upper(model)[v];
    if (model->quaternion_axis[v] < 0 && upper < INFINITY && random_below(r, 2) == 0) {
      p->posture[model->q_of_v[v]] = upper + 0.5;
    }
  }
  p->tasks[0] = task_of(SINEW_TASK_POSITION, sinew_model_link_count(model) - 1);
  p->count = 1;
}

static double largest_error(const posed *p, int f, double time, const double *q) {
  sinew_target targets[MOST_TASKS];
  double most = 0.0;
  find_targets(p, f, time, targets);
  for (int t = 0; t < p->count; ++t) {
    double distance, angle;
    measure(p->model, &p->tasks[t], &targets[t], q, &distance, &angle);
    most = fmax(most, fmax(distance, p->tasks[t].kind == SINEW_TASK_POSE ? angle : 0.0));
  }
  return most;
}

// Along paths; returns how much nearer to the posture the figures are in the end.
static double follow(const posed *p, int updates) {
  group with, without;
  double gained = 0.0;
  begin_group(&with, p, true, 0);
  begin_group(&without, p, false, 0);
  for (int i = 0; i < updates; ++i) {
    update(&with, p, 0.02 * i);
    update(&without, p, 0.02 * i);
    for (int f = 0; f < FIGURES; ++f) {
      const double plain = largest_error(p, f, 0.02 * i, without.q[f]);
      assert_at_most(largest_error(p, f, 0.02 * i, with.q[f]), plain + 1.01 * TENTH);
      assert_at_most(sinew_configuration_excess(p->model, with.q[f], NULL), 1e-9);
    }
  }
  for (int f = 0; f < FIGURES; ++f) {
    gained += from_posture(p, without.q[f]) - from_posture(p, with.q[f]);
  }
  end_group(&with);
  end_group(&without);
  return gained;
}

// In each update the tasks' errors are at most those of a crowd without, plus a tenth of the
// tolerance. req: E10
static void a_posture_costs_nothing(void **unused) {
  (void)unused;
  random_stream r = random_stream_of(1);
  double gained = 0.0;
  posed p = {.count = 0};
  for (int round = 0; round < SAMPLE_OF(20); ++round) {
    pose_of_arm(&p, &r);
    gained += follow(&p, 60);
    sinew_model_destroy(p.model);
  }
  assert_true(gained > 0.0);
  for (int floats = 0; floats < 2; ++floats) {
    pose_of_person(&p, &r, floats != 0);
    assert_true(follow(&p, 60) > 0.0);
    sinew_model_destroy(p.model);
  }
}

// Nor out of reach: an arm that is stretched towards a point stays as near to it as without. req:
// E10
static void a_posture_costs_nothing_out_of_reach(void **unused) {
  (void)unused;
  random_stream r = random_stream_of(5);
  int further = 0; // such as came another way
  for (int round = 0; round < SAMPLE_OF(10); ++round) {
    posed p = {.count = 0};
    pose_of_arm(&p, &r);
    p.tasks[0].kind = SINEW_TASK_POSITION;
    group with, without;
    begin_group(&with, &p, true, 0);
    begin_group(&without, &p, false, 0);
    double far[FIGURES][3];
    for (int f = 0; f < FIGURES; ++f) {
      random_unit(&r, 3, far[f]);
      far[f][2] = fabs(far[f][2]);
    }
    for (int i = 0; i < 500; ++i) {
      for (int g = 0; g < 2; ++g) {
        group *one = g == 0 ? &with : &without;
        for (int f = 0; f < FIGURES; ++f) {
          for (int k = 0; k < 3; ++k) {
            one->targets[f][k] = 2.0 * far[f][k];
          }
        }
        const sinew_crowd_arrays arrays = {.targets = one->targets[0],
                                           .target_stride = 7 * MOST_TASKS,
                                           .q = one->q[0],
                                           .q_stride = MOST};
        assert_ok(sinew_crowd_update(one->crowd, one->worker, &arrays, 0, FIGURES));
      }
    }
    for (int f = 0; f < FIGURES; ++f) {
      const sinew_target at = target_at(p.model, &p.tasks[0], with.q[f]);
      const sinew_target plain = target_at(p.model, &p.tasks[0], without.q[f]);
      const double goal[3] = {2.0 * far[f][0], 2.0 * far[f][1], 2.0 * far[f][2]};
      further += distance_of(at.position, goal) > distance_of(plain.position, goal) + TENTH;
    }
    end_group(&with);
    end_group(&without);
    sinew_model_destroy(p.model);
  }
  assert_true(further <= 1);
}

// With targets at rest figures come as near to the posture as single ones. req: E2 E10
static void figures_rest_where_single_ones_do(void **unused) {
  (void)unused;
  static random_tree tree;
  random_stream r = random_stream_of(2);
  int compared = 0, apart = 0;
  for (int round = 0; round < SAMPLE_OF(60); ++round) {
    posed p = {.count = 0};
    if (round % 12 == 0) {
      pose_of_person(&p, &r, round % 24 == 0);
    } else if (round % 3 == 0) {
      pose_of_arm(&p, &r);
    } else {
      pose_of_tree(&p, &tree, &r, (uint64_t)round);
    }
    double weights[MOST];
    for (int v = 0; v < sinew_model_nv(p.model); ++v) {
      weights[v] =
          round % 2 == 0 || p.model->quaternion_axis[v] >= 0 ? 1.0 : random_between(&r, 0.2, 3.0);
    }
    p.objective.weights = weights;
    group g;
    begin_group(&g, &p, true, 0);
    sinew_solver_def def = sinew_default_solver_def();
    def.lower.levels = def.lower.objectives = 1;
    sinew_solver *solver = solver_with(&def, p.model, p.tasks, p.count);
    assert_ok(sinew_solver_set_objectives(solver, &p.objective, 1, NULL));
    for (int i = 0; i < 600; ++i) {
      update(&g, &p, 0.0);
    }
    for (int f = 0; f < FIGURES; ++f) {
      sinew_target targets[MOST_TASKS];
      double q[MOST];
      pose_at(&p, f, 0.0, q);
      find_targets(&p, f, 0.0, targets);
      sinew_solver_reset(solver);
      for (int i = 0; i < 600; ++i) {
        assert_ok(sinew_solver_update(solver, targets, p.count, q, NULL));
      }
      assert_at_most(largest_error(&p, f, 0.0, g.q[f]), 1e-6);
      const double one = from_posture(&p, q), lane = from_posture(&p, g.q[f]);
      ++compared;
      if (lane > 1.01 * one + 1e-6 || one > 1.01 * lane + 1e-6) {
        ++apart;
        if (getenv("SINEW_PRINT") != NULL) {
          print_message("round %d figure %d: %g in the crowd, %g single\n", round, f, lane, one);
        }
      }
    }
    sinew_solver_destroy(solver);
    end_group(&g);
    sinew_model_destroy(p.model);
  }
  print_message("%d of %d end elsewhere\n", apart, compared);
  assert_true(20 * apart <= compared);
}

// Chains of spherical joints, stretched towards points out of reach: towards the posture no joint
// turns by more than it may in an update, also where a shorter motion is tried after a longer one.
static void joints_turn_slowly_to_the_posture(void **unused) {
  (void)unused;
  static random_tree tree;
  static group g;
  random_stream r = random_stream_of(8);
  for (uint64_t seed = 0; seed < 24; ++seed) {
    posed p = {.count = 1};
    random_tree_options options = random_tree_defaults();
    sinew_model *model = NULL;
    options.kinds = 1u << SINEW_JOINT_SPHERICAL;
    options.chain = 1.0;
    options.joints = 2 + (int)(seed % 4);
    random_tree_make(&tree, 900 + seed, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    begin_posed(&p, model, &r, 0.3);
    p.tasks[0] = task_of(SINEW_TASK_POSITION, sinew_model_link_count(model) - 1);
    begin_group(&g, &p, true, 0);
    for (int f = 0; f < FIGURES; ++f) {
      random_unit(&r, 3, g.targets[f]);
      for (int k = 0; k < 3; ++k) {
        g.targets[f][k] *= 10.0;
      }
    }
    const sinew_crowd_arrays arrays = {
        .targets = g.targets[0], .target_stride = 7 * MOST_TASKS, .q = g.q[0], .q_stride = MOST};
    double most = 0.0;
    for (int i = 0; i < 80; ++i) {
      double before[FIGURES][MOST], way[MOST];
      memcpy(before, g.q, sizeof before);
      assert_ok(sinew_crowd_update(g.crowd, g.worker, &arrays, 0, FIGURES));
      for (int f = 0; f < FIGURES && i >= 35; ++f) { // at first the chains move to the points
        sinew_configuration_difference(model, before[f], g.q[f], way);
        for (int v = 0; v < sinew_model_nv(model); ++v) {
          most = fmax(most, fabs(way[v]));
        }
      }
    }
    assert_at_most(most, LEVELS_LONGEST + 1e-6); // corrections are of second order
    end_group(&g);
    sinew_model_destroy(model);
  }
}

// Joints that no task moves go to the posture. req: E2
static void joints_without_tasks_go_to_the_posture(void **unused) {
  (void)unused;
  random_stream r = random_stream_of(3);
  posed p = {.count = 0};
  int links[HUMANOID_PLACES];
  begin_posed(&p, fixture_humanoid(false, links), &r, 0.1);
  p.tasks[0] = task_of(SINEW_TASK_POSITION, links[HUMANOID_LEFT_HAND]);
  p.count = 1;
  sinew_configuration_start(p.model, p.posture);
  group g;
  begin_group(&g, &p, true, 0);
  for (int i = 0; i < 400; ++i) {
    update(&g, &p, 0.0);
  }
  int still = 0;
  for (int f = 0; f < FIGURES; ++f) {
    double v[MOST];
    sinew_configuration_difference(p.model, g.q[f], p.posture, v);
    for (int i = 0; i < sinew_model_nv(p.model); ++i) {
      still += fabs(v[i]) < 1e-6;
    }
  }
  assert_true(still >= FIGURES * (sinew_model_nv(p.model) - 12));
  end_group(&g);
  sinew_model_destroy(p.model);
}

// All numbers of lanes give the same values but for rounding, which a figure's neighbours do not
// change.
static void widths_agree(void **unused) {
  (void)unused;
  static random_tree tree;
  random_stream r = random_stream_of(4);
  for (int round = 0; round < SAMPLE_OF(20); ++round) {
    posed p = {.count = 0};
    pose_of_tree(&p, &tree, &r, (uint64_t)(100 + round));
    group groups[4];
    for (int w = 0; w < 4; ++w) {
      groups[w].crowd = NULL;
      sinew_crowd_def def = sinew_default_crowd_def();
      def.lanes = widths[w];
      if (sinew_crowd_create(&def, p.model, p.tasks, p.count, &groups[w].crowd, NULL) == SINEW_OK) {
        sinew_crowd_destroy(groups[w].crowd);
        begin_group(&groups[w], &p, true, widths[w]);
      }
    }
    for (int i = 0; i < 40; ++i) {
      for (int w = 0; w < 4; ++w) {
        if (groups[w].crowd != NULL) {
          update(&groups[w], &p, 0.02 * i);
        }
      }
    }
    for (int w = 1; w < 4; ++w) {
      for (int f = 0; groups[w].crowd != NULL && f < FIGURES; ++f) {
        double v[MOST];
        sinew_configuration_difference(p.model, groups[0].q[f], groups[w].q[f], v);
        assert_at_most(farthest(sinew_model_nv(p.model), v, (double[MOST]){0}), 1e-6);
      }
    }
    for (int w = 0; w < 4; ++w) {
      if (groups[w].crowd != NULL) {
        end_group(&groups[w]);
      }
    }
    sinew_model_destroy(p.model);
  }
}

// A range after another, and after a reset, gives the same bits as all at once in a new crowd.
static void ranges_and_resets_give_the_same_bits(void **unused) {
  (void)unused;
  random_stream r = random_stream_of(6);
  posed p = {.count = 0};
  pose_of_person(&p, &r, true);
  group whole, parts;
  begin_group(&whole, &p, true, 2);
  begin_group(&parts, &p, true, 2);
  for (int i = 0; i < 10; ++i) {
    update(&parts, &p, 1.0 + 0.02 * i);
  }
  sinew_crowd_reset(parts.crowd, 0, FIGURES);
  memcpy(parts.q, whole.q, sizeof whole.q);
  for (int i = 0; i < 20; ++i) {
    update(&whole, &p, 0.02 * i);
    memcpy(parts.targets, whole.targets, sizeof whole.targets);
    const sinew_crowd_arrays arrays = {.targets = parts.targets[0],
                                       .target_stride = 7 * MOST_TASKS,
                                       .q = parts.q[0],
                                       .q_stride = MOST};
    assert_ok(sinew_crowd_update(parts.crowd, parts.worker, &arrays, 3, 2));
    assert_ok(sinew_crowd_update(parts.crowd, parts.worker, &arrays, 0, 3));
    for (int f = 0; f < FIGURES; ++f) {
      assert_memory_equal(parts.q[f], whole.q[f], (size_t)sinew_model_nq(p.model) * sizeof(double));
    }
  }
  end_group(&whole);
  end_group(&parts);
  sinew_model_destroy(p.model);
}

static void bad_postures_are_refused(void **unused) {
  (void)unused;
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  for (int i = 0; i < 4; ++i) {
    sinew_objective objective = sinew_default_objective();
    sinew_crowd_def def = sinew_default_crowd_def();
    sinew_crowd *crowd = NULL;
    sinew_error error;
    const double bad[7] = {NAN};
    def.posture = &objective;
    objective.kind = i == 0 ? SINEW_OBJECTIVE_DAMPING : SINEW_OBJECTIVE_POSTURE;
    objective.level = i == 1 ? 2 : 1;
    def.solver.step.method = i == 2 ? SINEW_METHOD_DLS : SINEW_METHOD_DEFAULT;
    objective.posture = i == 3 ? bad : NULL;
    const sinew_result result = sinew_crowd_create(&def, arm, &task, 1, &crowd, &error);
    assert_int_equal(result, i == 3 ? SINEW_ERROR_NOT_FINITE : SINEW_ERROR_ARGUMENT);
    assert_null(crowd);
    assert_non_null(strstr(i == 3 ? error.message : error.name, "posture"));
  }
  sinew_model_destroy(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_posture_costs_nothing),
      cmocka_unit_test(a_posture_costs_nothing_out_of_reach),
      cmocka_unit_test(figures_rest_where_single_ones_do),
      cmocka_unit_test(joints_turn_slowly_to_the_posture),
      cmocka_unit_test(joints_without_tasks_go_to_the_posture),
      cmocka_unit_test(widths_agree),
      cmocka_unit_test(ranges_and_resets_give_the_same_bits),
      cmocka_unit_test(bad_postures_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
