// The files of the experiment "buss": tables as CSV, and pictures of damping and of
// one period of the targets. film.c draws the figures themselves.
#include "experiments/buss.h"
#include "experiments/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One period of the targets, 2 pi at 0.005 a step.
#define PERIOD 1257

// Not in the pictures over time, where it would hide the others.
static const char *const shown_over_time[] = {"dls", "sdls", "default"};
enum { SHOWN = sizeof shown_over_time / sizeof shown_over_time[0] };

// The results that are drawn over time.
enum { SCENES_OVER_TIME = 2 };

// ------------------------------------------------------------------------------ CSV

static bool write_methods(const char *folder, const buss_result *results, int count) {
  static const char name[] = "methods.csv";
  FILE *csv = output_open(folder, name);
  if (csv == NULL) {
    return false;
  }
  fputs("scene,method,lambda,error_in_reach,jitter_out_of_reach,jitter_largest,change_largest,"
        "microseconds\n",
        csv);
  for (int i = 0; i < count; ++i) {
    for (int m = 0; m < method_count; ++m) {
      const tally *t = &results[i].found[m];
      const buss_scene *scene = results[i].scene;
      fprintf(csv, "%s,%s,", scene->name, methods[m].name);
      if (methods[m].damped) {
        fprintf(csv, "%g", buss_def(scene, &methods[m]).step.damping);
      }
      fprintf(csv, ",%.8g,%.8g,%.8g,%.8g,%.4g\n", t->error, t->jitter, t->jitter_most,
              t->change_most, results[i].microseconds[m]);
    }
  }
  return output_close(csv, name);
}

static bool write_damping(const char *folder, const buss_result *results, int count) {
  static const char name[] = "damping.csv";
  FILE *csv = output_open(folder, name);
  if (csv == NULL) {
    return false;
  }
  fputs("scene,method,lambda,error_in_reach,jitter_out_of_reach,jitter_largest\n", csv);
  for (int i = 0; i < count; ++i) {
    for (int m = 0; m < method_count; ++m) {
      for (int k = 0; methods[m].damped && k < results[i].lambda_count; ++k) {
        const tally *t = &results[i].swept[m][k];
        fprintf(csv, "%s,%s,%.6g,%.8g,%.8g,%.8g\n", results[i].scene->name, methods[m].name,
                results[i].lambda[k], t->error, t->jitter, t->jitter_most);
      }
    }
  }
  return output_close(csv, name);
}

// -------------------------------------------------------------------------- damping

// A block of lambda, error and jitter for each scene and method with damping.
static void put_sweeps(FILE *out, const buss_result *results, int count) {
  for (int i = 0; i < count; ++i) {
    for (int m = 0; m < method_count; ++m) {
      if (!methods[m].damped) {
        continue;
      }
      fprintf(out, "$sweep_%d_%d << END\n", i, m);
      for (int k = 0; k < results[i].lambda_count; ++k) {
        const tally *t = &results[i].swept[m][k];
        fprintf(out, "%.6g %.6g %.6g\n", results[i].lambda[k], t->error, t->jitter);
      }
      fputs("END\n", out);
    }
  }
}

static const char *width_of(const method *which) {
  return which->method == SINEW_METHOD_DEFAULT ? "3.5" : "2";
}

// Methods with damping as curves, the others as horizontal lines.
static void plot_against_lambda(FILE *out, const buss_result *result, int scene, bool jitter) {
  for (int m = 0; m < method_count; ++m) {
    const tally *t = &result->found[m];
    fputs(m == 0 ? "plot " : ", ", out);
    if (methods[m].damped) {
      fprintf(out, "$sweep_%d_%d using 1:%d with linespoints pt 7 ps 0.4", scene, m,
              jitter ? 3 : 2);
    } else {
      fprintf(out, "%.6g with lines dt 2", jitter ? t->jitter : t->error);
    }
    fprintf(out, " lw %s lc rgb '%s' title \"%s\"", width_of(&methods[m]), methods[m].color,
            methods[m].label);
  }
  fputc('\n', out);
}

static bool draw_damping(const char *folder, const buss_result *results, int count) {
  static const char name[] = "damping";
  FILE *out = picture_open(folder, name, 1160, 640);
  if (out == NULL) {
    return false;
  }
  put_sweeps(out, results, count);
  picture_style(out);
  fprintf(out,
          "set multiplot layout 2,%d columnsfirst margins 0.07,0.85,0.10,0.93 spacing 0.02,0.05\n"
          "set logscale xy\nset xrange [0.045:3.3]\n"
          "set xtics (0.05, 0.1, 0.2, 0.5, 1, 2)\n",
          count);
  for (int i = 0; i < count; ++i) {
    fprintf(out,
            "set title '%s' offset 0,-0.5\nset format x ''\nunset xlabel\nset yrange [0.003:1]\n"
            "unset key\n%s",
            results[i].scene->title,
            i == 0 ? "set format y '%g'\nset ylabel 'error in reach [m]'\n"
                   : "set format y ''\nunset ylabel\n");
    plot_against_lambda(out, &results[i], i, false);
    fprintf(out,
            "unset title\nset format x '%%g'\nset xlabel 'lambda [m]'\nset yrange [3e-4:5]\n%s%s",
            i == 0 ? "set ylabel 'jitter out of reach [rad]'\n" : "",
            i == count - 1 ? "set key at screen 0.86, screen 0.65 left top\n" : "");
    plot_against_lambda(out, &results[i], i, true);
  }
  fputs("unset multiplot\n", out);
  return picture_close(out, folder, name);
}

// Error against jitter: lower left is better.
static bool draw_tradeoff(const char *folder, const buss_result *results, int count) {
  static const char name[] = "tradeoff";
  FILE *out = picture_open(folder, name, 1160, 420);
  if (out == NULL) {
    return false;
  }
  put_sweeps(out, results, count);
  picture_style(out);
  fprintf(out,
          "set multiplot layout 1,%d margins 0.07,0.85,0.16,0.90 spacing 0.02,0.05\n"
          "set logscale xy\nset xrange [0.003:1]\nset yrange [3e-4:5]\n"
          "set xlabel 'error in reach [m]'\nset format x '%%g'\nset xtics (0.01, 0.1, 1)\n",
          count);
  for (int i = 0; i < count; ++i) {
    fprintf(out, "set title '%s' offset 0,-0.5\n%s%s", results[i].scene->title,
            i == 0 ? "set format y '%g'\nset ylabel 'jitter out of reach [rad]'\n"
                   : "set format y ''\nunset ylabel\n",
            i == count - 1 ? "set key at screen 0.86, screen 0.72 left top\n" : "unset key\n");
    for (int m = 0; m < method_count; ++m) {
      const tally *t = &results[i].found[m];
      fputs(m == 0 ? "plot " : ", ", out);
      if (methods[m].damped) {
        fprintf(out, "$sweep_%d_%d using 2:3 with lines lw 2", i, m);
      } else {
        fprintf(out, "'+' using (%.6g):(%.6g) every ::0::0 with points pt 7 ps %s", t->error,
                t->jitter, methods[m].method == SINEW_METHOD_DEFAULT ? "1.4" : "0.9");
      }
      fprintf(out, " lc rgb '%s' title \"%s\"", methods[m].color, methods[m].label);
    }
    fputc('\n', out);
  }
  fputs("unset multiplot\n", out);
  return picture_close(out, folder, name);
}

// ----------------------------------------------------------------------- over time

typedef struct history {
  const buss_result *result;
  int count;                // of steps, after the warm-up
  study_step *steps[SHOWN]; // from the first step on
} history;

static void history_end(history *h) {
  for (int k = 0; k < SHOWN; ++k) {
    free(h->steps[k]);
  }
}

static bool history_begin(history *h, const buss_result *result, int updates) {
  const study *s = result->study;
  *h = (history){.result = result};
  h->count = s->step_count - s->warm_up < PERIOD ? s->step_count - s->warm_up : PERIOD;
  for (int k = 0; k < SHOWN; ++k) {
    tally unused;
    const sinew_solver_def def = buss_def(result->scene, method_find(shown_over_time[k]));
    h->steps[k] = calloc((size_t)s->step_count, sizeof(study_step));
    if (h->steps[k] == NULL || !study_track(s, &def, updates, &unused, h->steps[k])) {
      return false;
    }
  }
  return true;
}

static bool write_history(const char *folder, const history *h) {
  const study *s = h->result->study;
  char name[64];
  snprintf(name, sizeof name, "time-%s.csv", h->result->scene->name);
  FILE *csv = output_open(folder, name);
  if (csv == NULL) {
    return false;
  }
  fputs("time,in_reach", csv);
  for (int k = 0; k < SHOWN; ++k) {
    fprintf(csv, ",error_%s,jitter_%s", shown_over_time[k], shown_over_time[k]);
  }
  fputc('\n', csv);
  for (int i = s->warm_up; i < s->warm_up + h->count; ++i) {
    fprintf(csv, "%.6g,%d", s->scene->time_step * (i + 1), s->reach[i] == SINEW_SCENE_IN_REACH);
    for (int k = 0; k < SHOWN; ++k) {
      fprintf(csv, ",%.6g,%.6g", h->steps[k][i].error, h->steps[k][i].jitter);
    }
    fputc('\n', csv);
  }
  return output_close(csv, name);
}

// The block $time: time, 1 where in reach, then error and jitter of each method.
static void put_history(FILE *out, const history *h) {
  const study *s = h->result->study;
  fputs("$time << END\n", out);
  for (int i = s->warm_up; i < s->warm_up + h->count; ++i) {
    fprintf(out, "%.6g %d", s->scene->time_step * (i + 1), s->reach[i] == SINEW_SCENE_IN_REACH);
    for (int k = 0; k < SHOWN; ++k) {
      fprintf(out, " %.6g %.6g", h->steps[k][i].error, fmax(h->steps[k][i].jitter, 1e-9));
    }
    fputc('\n', out);
  }
  fputs("END\n", out);
}

// An area where the targets are in reach, and a line for each method.
static void plot_over_time(FILE *out, bool jitter) {
  fprintf(out,
          "plot $time using 1:($2 > 0 ? %s : NaN):(%s) with filledcurves lc rgb '#e4f1e8' "
          "title 'in reach'",
          jitter ? "1" : "2", jitter ? "1e-5" : "1e-4");
  for (int k = 0; k < SHOWN; ++k) {
    const method *which = method_find(shown_over_time[k]);
    fprintf(out, ", $time using 1:%d with lines lw %s lc rgb '%s' title \"%s\"", 3 + 2 * k + jitter,
            which->method == SINEW_METHOD_DEFAULT ? "2.5" : "1.5", which->color, which->label);
  }
  fputc('\n', out);
}

static bool draw_history(const char *folder, const history *h) {
  char name[64];
  snprintf(name, sizeof name, "time-%s", h->result->scene->name);
  FILE *out = picture_open(folder, name, 1160, 560);
  if (out == NULL) {
    return false;
  }
  const study *s = h->result->study;
  const double first = s->scene->time_step * (s->warm_up + 1);
  put_history(out, h);
  picture_style(out);
  fprintf(out,
          "set multiplot layout 2,1 margins 0.09,0.86,0.11,0.94 spacing 0,0.05\n"
          "set grid front\nset logscale y\nset xrange [%.6g:%.6g]\nset title '%s' offset 0,-0.5\n"
          "set format x ''\nset ylabel 'error [m]'\nset yrange [1e-4:2]\nset format y '%%g'\n"
          "set key at screen 0.87, screen 0.94 left top\n",
          first, first + s->scene->time_step * (h->count - 1), h->result->scene->title);
  plot_over_time(out, false);
  fputs("unset title\nunset key\nset format x '%g'\nset xlabel 'T, one period of the targets'\n"
        "set ylabel 'jitter [rad]'\nset yrange [1e-5:1]\n",
        out);
  plot_over_time(out, true);
  fputs("unset multiplot\n", out);
  return picture_close(out, folder, name);
}

bool buss_write(const sinew_experiment_options *options, const buss_result *results, int count) {
  const char *folder = options->folder;
  bool good = write_methods(folder, results, count) && write_damping(folder, results, count) &&
              draw_damping(folder, results, count) && draw_tradeoff(folder, results, count);
  for (int i = 0; good && i < SCENES_OVER_TIME && i < count; ++i) {
    history h;
    good = history_begin(&h, &results[i], options->updates) && write_history(folder, &h) &&
           draw_history(folder, &h);
    history_end(&h);
  }
  return good && film_draw(folder, results, count) && moving_film_write(folder, results, count);
}
