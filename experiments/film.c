// The figures at some moments of a period: with DLS at Buss's damping, and with sinew's default,
// with their targets.
#include "experiments/buss.h"
#include "experiments/output.h"
#include "experiments/skeleton.h"

#include <stdio.h>
#include <stdlib.h>

#define MOMENTS 5
#define STEPS_A_MOMENT 60
#define SCENES 2
#define PANEL_WIDTH 232
#define PANEL_HEIGHT 280 // with the title: what is left is square

#define RIVAL "dls"
#define OWN "default"

typedef struct film {
  const buss_result *result;
  int steps[MOMENTS];
  double *q[2];      // MOMENTS x nq, of RIVAL and OWN
  sinew_pose *poses; // scratch: of each link
} film;

static void film_end(film *f) {
  free(f->q[0]);
  free(f->q[1]);
  free(f->poses);
}

static bool film_begin(film *f, const buss_result *result) {
  static const char *const names[] = {RIVAL, OWN};
  const study *s = result->study;
  const size_t nq = (size_t)sinew_model_nq(s->model);
  *f = (film){.result = result,
              .poses = calloc((size_t)sinew_model_link_count(s->model), sizeof(sinew_pose))};
  if (f->poses == NULL) {
    return false;
  }
  for (int i = 0; i < MOMENTS; ++i) {
    f->steps[i] = s->warm_up + STEPS_A_MOMENT * i;
  }
  for (int k = 0; k < 2; ++k) {
    const sinew_solver_def def = buss_def(result->scene, method_find(names[k]));
    f->q[k] = calloc(MOMENTS * nq, sizeof(double));
    if (f->q[k] == NULL || !study_poses(s, &def, f->steps, MOMENTS, f->q[k])) {
      return false;
    }
  }
  return true;
}

// The end of the targets' paths.
static int last_step(const study *s) {
  const int last = s->warm_up + STEPS_A_MOMENT * MOMENTS;
  return last < s->step_count ? last : s->step_count;
}

// Of all panels of a scene: the figure by both methods at each moment, and the targets' paths.
static void put_view(FILE *out, const film *f) {
  const study *s = f->result->study;
  skeleton_bounds b = skeleton_bounds_empty();
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < MOMENTS; ++i) {
      skeleton_poses(s->state, f->q[k] + i * sinew_model_nq(s->model), f->poses);
      skeleton_include_links(&b, s->model, f->poses);
    }
  }
  for (int i = s->warm_up; i < last_step(s); ++i) {
    for (int t = 0; t < s->scene->task_count; ++t) {
      skeleton_include(&b, s->targets[(size_t)i * (size_t)s->scene->task_count + t].position);
    }
  }
  const skeleton_view v = skeleton_view_of(&b);
  fprintf(out, "set xrange [%g:%g]\nset yrange [%g:%g]\n", v.x - v.half, v.x + v.half, v.y - v.half,
          v.y + v.half);
}

static void put_targets(FILE *out, const study *s, int step) {
  const bool in_reach = s->reach[step] == SINEW_SCENE_IN_REACH;
  fputs("$targets << END\n", out);
  for (int t = 0; t < s->scene->task_count; ++t) {
    double at[2];
    skeleton_project(s->targets[(size_t)step * (size_t)s->scene->task_count + t].position, at);
    fprintf(out, "%.5g %.5g 0x%s\n", at[0], at[1],
            (in_reach ? SKELETON_REACHED : SKELETON_MISSED) + 1);
  }
  fputs("END\n", out);
}

// The path of each target over the whole period, in one piece for each target.
static void put_paths(FILE *out, const study *s) {
  fputs("$ways << END\n", out);
  for (int t = 0; t < s->scene->task_count; ++t) {
    for (int i = s->warm_up; i < last_step(s); i += 4) {
      double at[2];
      skeleton_project(s->targets[(size_t)i * (size_t)s->scene->task_count + t].position, at);
      fprintf(out, "%.5g %.5g\n", at[0], at[1]);
    }
    fputc('\n', out);
  }
  fputs("END\n", out);
}

static void put_panel(FILE *out, const film *f, int moment) {
  const study *s = f->result->study;
  const int step = f->steps[moment], nq = sinew_model_nq(s->model);
  skeleton_poses(s->state, f->q[0] + moment * nq, f->poses);
  skeleton_put(out, "rival", s->model, f->poses);
  skeleton_poses(s->state, f->q[1] + moment * nq, f->poses);
  skeleton_put(out, "own", s->model, f->poses);
  put_targets(out, s, step);
  if (moment == 0) {
    fprintf(out, "set title \"%s\" offset 0,-0.8\n", f->result->scene->title);
  } else {
    fprintf(out, "set title \"%d steps later\" offset 0,-0.8\n", step - f->steps[0]);
  }
  fputs("plot $ways with lines lw 1 lc rgb '#d5d8dc' notitle, "
        "$rival with lines lw 3 lc rgb '" SKELETON_OTHER "' notitle, "
        "$own with lines lw 3 lc rgb '" SKELETON_OWN "' notitle, "
        "$targets with points pt 6 ps 1.3 lw 2.5 lc rgb variable notitle\n"
        "unset label 1\n",
        out);
}

bool film_draw(const char *folder, const buss_result *results, int count) {
  static const char name[] = "figures";
  FILE *out = picture_open(folder, name, MOMENTS * PANEL_WIDTH, SCENES * PANEL_HEIGHT);
  bool good = out != NULL && count >= SCENES;
  if (out != NULL) {
    fprintf(out,
            "set multiplot layout %d,%d margins 0.005,0.995,0.07,0.93 spacing 0.005,0.08\n"
            "set label 1 \"blue: sinew's default; orange: DLS; rings: targets, green in reach, red "
            "not; grey: their paths\" at screen 0.5, screen 0.03 center tc rgb '#5c6670'\n"
            "unset border\nunset tics\nset size ratio -1\n",
            SCENES, MOMENTS);
  }
  for (int i = 0; good && i < SCENES; ++i) {
    film f;
    good = film_begin(&f, &results[i]);
    if (good) {
      put_view(out, &f);
      put_paths(out, results[i].study);
    }
    for (int k = 0; good && k < MOMENTS; ++k) {
      put_panel(out, &f, k);
    }
    film_end(&f);
  }
  if (out != NULL) {
    fputs("unset multiplot\n", out);
    good = picture_close(out, folder, name) && good;
  }
  return good;
}
