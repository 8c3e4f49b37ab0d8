// Small studies of single facts: which joints take part, the two-link arm, the layout of a tree's
// Jacobian, and what trimming leaves of it.
//
// Sources: an article on the pseudoinverse for animated figures (joint sets); lecture notes of the
// University of British Columbia (two links); Rabbani, Jacobian, figures 4 and 5 (tree, trimming).
#include "experiments/experiments.h"
#include "experiments/output.h"
#include "scenes/expect.h"
#include "scenes/scenes.h"
#include "sinew/limb.h"
#include "sinew/reference.h"
#include "sinew/solver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 256

typedef struct figure {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
} figure;

static void figure_end(figure *f) {
  sinew_state_destroy(f->state);
  sinew_model_destroy(f->model);
  if (f->scene != NULL) {
    sinew_scene_destroy(f->scene);
  }
}

static bool figure_begin(figure *f, const char *name) {
  sinew_error error = {0};
  *f = (figure){.scene = sinew_scene_create(name)};
  if (f->scene == NULL || sinew_model_create(&f->scene->model, &f->model, &error) != SINEW_OK ||
      sinew_state_create(f->model, NULL, &f->state, &error) != SINEW_OK ||
      sinew_model_nq(f->model) > MOST) {
    fprintf(stderr, "sinew: %s: %s\n", name, error.message);
    figure_end(f);
    return false;
  }
  return true;
}

// ------------------------------------------------------------------- joint sets

// The error of the left hand with the joints below some link, for targets ever farther ahead.
static double reach_with(figure *f, const char *root, double distance) {
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = NULL;
  sinew_task task = sinew_default_task();
  sinew_target target = sinew_default_target();
  sinew_report report;
  double q[MOST];
  task.link = sinew_model_find_link(f->model, "hand_l");
  task.chain_root = root != NULL ? sinew_model_find_link(f->model, root) : -1;
  sinew_configuration_start(f->model, q);
  sinew_expect_ok(sinew_state_forward(f->state, q));
  sinew_expect_ok(sinew_state_point(f->state, task.link, NULL, target.position));
  target.position[0] -= 0.3;
  target.position[1] -= 0.3;
  target.position[2] += distance;
  sinew_expect_ok(sinew_solver_create(&def, f->model, &solver, NULL));
  sinew_expect_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
  sinew_expect_ok(sinew_solver_solve(solver, &target, 1, q, &report));
  sinew_solver_destroy(solver);
  return report.position_error;
}

bool sinew_experiment_joint_sets(const sinew_experiment_options *options) {
  static const char *const roots[] = {"chest", "pelvis", NULL};
  static const char *const labels[] = {"the arm", "arm and upper body", "all"};
  static const char name[] = "joint-sets.csv";
  figure f;
  if (!figure_begin(&f, "humanoid")) {
    return false;
  }
  FILE *csv = options->folder != NULL ? output_open(options->folder, name) : NULL;
  bool good = options->folder == NULL || csv != NULL;
  puts("Error of a humanoid's left hand [m] for targets ahead, by the joints that take part");
  printf("  %-20s", "distance [m]");
  for (int d = 0; d < 6; ++d) {
    printf(" %8.1f", 0.4 * d);
  }
  for (int set = 0; good && set < 3; ++set) {
    printf("\n  %-20s", labels[set]);
    for (int d = 0; d < 6; ++d) {
      const double error = reach_with(&f, roots[set], 0.4 * d);
      printf(" %8.3f", error);
      if (csv != NULL) {
        fprintf(csv, "%s,%.1f,%.6g\n", labels[set], 0.4 * d, error);
      }
    }
  }
  putchar('\n');
  figure_end(&f);
  options->progress(1.0);
  return (csv == NULL || output_close(csv, name)) && good;
}

// --------------------------------------------------------------------- two links

bool sinew_experiment_two_link(const sinew_experiment_options *options) {
  const double lengths[2] = {1.0, 0.7};
  static const char name[] = "two-link.csv";
  FILE *csv = options->folder != NULL ? output_open(options->folder, name) : NULL;
  const bool good = options->folder == NULL || csv != NULL;
  puts("Two links of 1 m and 0.7 m: both solutions by the closed form, and the miss\n"
       "  target [m]        first solution [rad]  second solution [rad]  miss [m]");
  for (int i = 0; good && i < 8; ++i) {
    const double target[2] = {0.25 * i, 0.1 * i};
    double q[4], miss;
    const int count = sinew_two_link_solve(lengths, target, q, &miss);
    printf("  (%4.2f, %4.2f)   %9.4f %9.4f   ", target[0], target[1], q[0], q[1]);
    if (count == 2) {
      printf("%9.4f %9.4f", q[2], q[3]);
    } else {
      printf("%-19s", count == 1 ? "the same" : "none");
    }
    printf("   %8.4f\n", miss);
    if (csv != NULL) {
      fprintf(csv, "%g,%g,%d,%.9g,%.9g,%.9g,%.9g,%.9g\n", target[0], target[1], count, q[0], q[1],
              q[2], q[3], miss);
    }
  }
  options->progress(1.0);
  return (csv == NULL || output_close(csv, name)) && good;
}

// ------------------------------------------------------------------- layout

// Which of the columns of a row of effectors are not zero.
bool sinew_experiment_tree(const sinew_experiment_options *options) {
  figure f;
  double q[MOST], J[6 * MOST];
  if (!figure_begin(&f, "reference")) {
    return false;
  }
  const int nv = sinew_model_nv(f.model);
  sinew_configuration_random(f.model, 4, 0, q);
  sinew_expect_ok(sinew_state_forward(f.state, q));
  printf("The tree of %d degrees of freedom: which of them each effector's position depends on\n",
         nv);
  for (int t = 0; t < f.scene->task_count; ++t) {
    const int link = f.scene->tasks[t].link;
    sinew_expect_ok(sinew_state_jacobian(f.state, link, NULL, sinew_model_root(f.model), J));
    printf("  %-12s ", sinew_model_link_name(f.model, link));
    for (int j = 0; j < nv; ++j) {
      const bool moves = J[j] != 0.0 || J[nv + j] != 0.0 || J[2 * nv + j] != 0.0;
      putchar(moves ? 'x' : '.');
    }
    putchar('\n');
  }
  figure_end(&f);
  options->progress(1.0);
  return true;
}

// The Jacobian of one joint by its blocks, trimmed to what moves and what is controlled.
bool sinew_experiment_trimming(const sinew_experiment_options *options) {
  static const char *const labels[] = {"revolute", "prismatic"};
  for (int k = 0; k < 2; ++k) {
    sinew_model_def def = sinew_default_model_def();
    sinew_joint_def joint = sinew_default_joint_def();
    sinew_link_def links[2] = {sinew_default_link_def(), sinew_default_link_def()};
    sinew_model *model = NULL;
    sinew_state *state = NULL;
    const double q[1] = {0.5}, point[3] = {1.0, 0.0, 0.0};
    double J[6];
    joint.name = "joint";
    joint.kind = k == 0 ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_PRISMATIC;
    joint.parent = 0;
    joint.child = 1;
    joint.axis[0] = 0.0;
    joint.axis[2] = 1.0;
    joint.lower[0] = -2.0;
    joint.upper[0] = 2.0;
    links[0].name = "base";
    links[1].name = "tip";
    def.links = links;
    def.link_count = 2;
    def.joints = &joint;
    def.joint_count = 1;
    sinew_expect_ok(sinew_model_create(&def, &model, NULL));
    sinew_expect_ok(sinew_state_create(model, NULL, &state, NULL));
    sinew_expect_ok(sinew_state_forward(state, q));
    sinew_expect_ok(sinew_state_jacobian(state, 1, point, sinew_model_root(model), J));
    printf("%-9s about z at 0.5, point 1 m along x: position rows %6.3f %6.3f %6.3f, rotation rows "
           "%g %g %g\n",
           labels[k], J[0], J[1], J[2], J[3], J[4], J[5]);
    sinew_state_destroy(state);
    sinew_model_destroy(model);
  }
  options->progress(1.0);
  return true;
}
