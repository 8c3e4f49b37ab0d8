// The length of a step against the distance from a singularity. Two links are nearly in line; the
// target is a little farther in, or out, along that line, in the direction in which no joint can
// move at the singularity itself. The pseudoinverse's step grows as the inverse of the distance;
// damping bounds it. Singular values are not cut off, and no method's max_turn is used but SDLS's.
//
// Source: Buss 2009, section 4 (the pseudoinverse is unstable near singularities, and does not move
// in the singular direction at them).
#include "experiments/buss.h"
#include "experiments/output.h"
#include "scenes/expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 121
#define LEAST_ANGLE 1e-6
#define MOST_ANGLE 1.0
#define PRINTED 7

// The target's distance along the line, for a figure 1 m long; and lambda [m].
#define AWAY 0.02
#define LAMBDA 0.1
#define CLAMP 0.2

enum { INWARD, OUTWARD, DIRECTIONS };

typedef struct sweep {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
  double angle[POINTS];
  double turn[DIRECTIONS][BUSS_MOST_METHODS][POINTS]; // [rad]
} sweep;

static double angle_at(int i) {
  return LEAST_ANGLE * pow(MOST_ANGLE / LEAST_ANGLE, (double)i / (POINTS - 1));
}

// |dtheta| of one update from a given elbow angle.
static double step_from(sweep *s, sinew_solver *solver, double elbow, int direction) {
  double q[2] = {0.3, elbow}, root[3], tip[3], before[2];
  sinew_target target = sinew_default_target();
  sinew_expect_ok(sinew_state_forward(s->state, q));
  sinew_expect_ok(sinew_state_point(s->state, 1, NULL, root));
  sinew_expect_ok(sinew_state_point(s->state, s->scene->tasks[0].link, NULL, tip));
  const double length = hypot(tip[0] - root[0], tip[2] - root[2]);
  const double share = (direction == INWARD ? -AWAY : AWAY) / length;
  for (int k = 0; k < 3; ++k) {
    target.position[k] = tip[k] + share * (tip[k] - root[k]);
  }
  memcpy(before, q, sizeof before);
  sinew_solver_reset(solver);
  sinew_expect_ok(sinew_solver_update(solver, &target, 1, q, NULL));
  return hypot(q[0] - before[0], q[1] - before[1]);
}

static bool sweep_method(sweep *s, int index, sinew_error *error) {
  sinew_solver_def def =
      method_def(&methods[index], (method_setting){.lambda = LAMBDA, .clamp = CLAMP});
  sinew_solver *solver = NULL;
  def.task_capacity = 1;
  def.step.singular_cut = 1e-9; // else the cut would remove the largest steps of the pseudoinverse
  if (methods[index].method != SINEW_METHOD_SDLS) {
    def.step.max_turn = 1e9; // SDLS is defined by such a bound
  }
  bool good = sinew_solver_create(&def, s->model, &solver, error) == SINEW_OK &&
              sinew_solver_set_tasks(solver, s->scene->tasks, 1, error) == SINEW_OK;
  for (int i = 0; good && i < POINTS; ++i) {
    for (int direction = 0; direction < DIRECTIONS; ++direction) {
      s->turn[direction][index][i] = step_from(s, solver, s->angle[i], direction);
    }
  }
  sinew_solver_destroy(solver);
  return good;
}

static void print_table(const sweep *s, int direction) {
  printf("\nTwo links nearly in line, the target %g of their length farther %s: |dq| [rad] at an\n"
         "elbow of\n  %-22s",
         AWAY, direction == INWARD ? "in" : "out", "");
  for (int i = 0; i < PRINTED; ++i) {
    printf(" %8.0e", s->angle[i * (POINTS - 1) / (PRINTED - 1)]);
  }
  putchar('\n');
  for (int m = 0; m < method_count; ++m) {
    printf("  %-22s", methods[m].label);
    for (int i = 0; i < PRINTED; ++i) {
      printf(" %8.2g", s->turn[direction][m][i * (POINTS - 1) / (PRINTED - 1)]);
    }
    putchar('\n');
  }
}

static bool write_csv(const char *folder, const sweep *s) {
  static const char name[] = "singularity.csv";
  FILE *csv = output_open(folder, name);
  if (csv == NULL) {
    return false;
  }
  fputs("elbow", csv);
  for (int direction = 0; direction < DIRECTIONS; ++direction) {
    for (int m = 0; m < method_count; ++m) {
      fprintf(csv, ",%s_%s", methods[m].name, direction == INWARD ? "inward" : "outward");
    }
  }
  fputc('\n', csv);
  for (int i = 0; i < POINTS; ++i) {
    fprintf(csv, "%.8g", s->angle[i]);
    for (int direction = 0; direction < DIRECTIONS; ++direction) {
      for (int m = 0; m < method_count; ++m) {
        fprintf(csv, ",%.8g", s->turn[direction][m][i]);
      }
    }
    fputc('\n', csv);
  }
  return output_close(csv, name);
}

static bool draw(const char *folder, const sweep *s) {
  FILE *picture = picture_open(folder, "singularity", 1000, 460);
  if (picture == NULL) {
    return false;
  }
  fputs("$sweep << END\n", picture);
  for (int i = 0; i < POINTS; ++i) {
    fprintf(picture, "%.8g", s->angle[i]);
    for (int direction = 0; direction < DIRECTIONS; ++direction) {
      for (int m = 0; m < method_count; ++m) {
        fprintf(picture, " %.8g", s->turn[direction][m][i]);
      }
    }
    fputc('\n', picture);
  }
  fputs("END\n"
        "set multiplot layout 1,2 margins 0.08,0.83,0.13,0.90 spacing 0.04\n"
        "set logscale xy\nset xrange [1e-6:1]\nset yrange [1e-8:1e5]\n"
        "set format x '10^{%T}'\nset format y '10^{%T}'\nset xtics ('10^{-6}' 1e-6, '10^{-4}' "
        "1e-4, '10^{-2}' 1e-2, '1' 1)\nset ytics 100\n"
        "set grid lc rgb '#d5d8dc'\nset tics nomirror scale 0.5\nset border lc rgb '#5c6670'\nset "
        "xlabel 'elbow [rad]'\n",
        picture);
  for (int direction = 0; direction < DIRECTIONS; ++direction) {
    fprintf(picture, "set title 'target farther %s'\n", direction == INWARD ? "in" : "out");
    fputs(direction == INWARD
              ? "set ylabel 'size of a step, |dq| [rad]'\nunset key\n"
              : "unset ylabel\nset format y ''\n"
                "set key at screen 0.845, screen 0.75 left top reverse Left samplen 2\n",
          picture);
    for (int m = 0; m < method_count; ++m) {
      fprintf(picture, "%s$sweep using 1:%d with lines lw %s lc rgb '%s' title \"%s\"",
              m == 0 ? "plot " : ", ", 2 + direction * method_count + m,
              methods[m].method == SINEW_METHOD_DEFAULT ? "3.5" : "2", methods[m].color,
              methods[m].label);
    }
    fputc('\n', picture);
  }
  fputs("unset multiplot\n", picture);
  return picture_close(picture, folder, "singularity");
}

bool buss_singularity(const sinew_experiment_options *options) {
  sinew_error error = {0};
  sweep *s = calloc(1, sizeof *s);
  bool good = s != NULL;
  if (good) {
    s->scene = sinew_scene_create("two-link");
    good = s->scene != NULL &&
           sinew_model_create(&s->scene->model, &s->model, &error) == SINEW_OK &&
           sinew_state_create(s->model, NULL, &s->state, &error) == SINEW_OK;
  }
  for (int i = 0; good && i < POINTS; ++i) {
    s->angle[i] = angle_at(i);
  }
  for (int m = 0; good && m < method_count; ++m) {
    good = sweep_method(s, m, &error);
  }
  if (!good) {
    fprintf(stderr, "sinew: the sweep through a singularity: %s\n", error.message);
  } else {
    print_table(s, INWARD);
    print_table(s, OUTWARD);
    good = options->folder == NULL || (write_csv(options->folder, s) && draw(options->folder, s));
  }
  if (s != NULL) {
    sinew_state_destroy(s->state);
    sinew_model_destroy(s->model);
    sinew_scene_destroy(s->scene);
  }
  free(s);
  return good;
}
