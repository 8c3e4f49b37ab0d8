// A clip and the figure that follows it with the default method, at some moments: in one row with
// the targets in reach, in another with the targets moved away.
#include "experiments/clips.h"
#include "experiments/output.h"
#include "experiments/skeleton.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOMENTS 8
#define ROWS 2
#define PANEL_WIDTH 180
#define PANEL_HEIGHT 230
#define RATE 25.0

// Half of a panel's height [mm].
#define HALF 1150.0

static bool is_moment(const clip_follower *run, int moment) {
  return run->frame == moment * (run->frame_count - 1) / (MOMENTS - 1);
}

// Whether z is up and not y: the axis along which the head is farther above the feet, on average.
// Both are effectors of clips that have all five.
static bool has_z_up(const clip *followed) {
  double above[3] = {0, 0, 0};
  if (followed->effector_count < CLIP_MOST_EFFECTORS) {
    return false;
  }
  sinew_pose *poses = calloc((size_t)followed->link_count, sizeof *poses);
  for (int i = 0; poses != NULL && i < followed->frame_count; ++i) {
    clip_compose(followed, followed->relative + (size_t)i * (size_t)followed->link_count, poses);
    for (int k = 0; k < 3; ++k) {
      above[k] += poses[followed->effectors[CLIP_HEAD]].position[k] -
                  0.5 * poses[followed->effectors[CLIP_LEFT_FOOT]].position[k] -
                  0.5 * poses[followed->effectors[CLIP_RIGHT_FOOT]].position[k];
    }
  }
  free(poses);
  return above[2] > fabs(above[1]);
}

// From z up to y up.
static void upright(double p[3]) {
  const double y = p[1];
  p[1] = p[2];
  p[2] = -y;
}

static void make_upright(clip_follower *run) {
  for (int l = 0; l < run->clip->link_count; ++l) {
    upright(run->clip_poses[l].position);
    upright(run->poses[l].position);
  }
  for (int i = 0; i < run->clip->effector_count; ++i) {
    upright(run->targets[i].position);
  }
}

// The panel's middle is that of the clip's effectors.
static void put_range(FILE *out, const clip_follower *run) {
  double middle[3] = {0, 0, 0}, at[2];
  for (int i = 0; i < run->clip->effector_count; ++i) {
    const double *p = run->clip_poses[run->clip->effectors[i]].position;
    for (int k = 0; k < 3; ++k) {
      middle[k] += p[k] / run->clip->effector_count;
    }
  }
  skeleton_project(middle, at);
  const double half = HALF / run->clip->millimetres, across = half * PANEL_WIDTH / PANEL_HEIGHT;
  fprintf(out, "set xrange [%g:%g]\nset yrange [%g:%g]\n", at[0] - across, at[0] + across,
          at[1] - half, at[1] + half);
}

static void put_panel(FILE *out, const clip_follower *run, bool first) {
  put_range(out, run);
  skeleton_put(out, "other", run->clip->model, run->clip_poses);
  skeleton_put(out, "own", run->clip->model, run->poses);
  fputs("$targets << END\n", out);
  for (int i = 0; i < run->clip->effector_count; ++i) {
    double at[2];
    skeleton_project(run->targets[i].position, at);
    fprintf(out, "%.5g %.5g\n", at[0], at[1]);
  }
  fprintf(out, "END\nset title \"%.2f s\" offset 0,-0.8\n", run->frame / run->rate);
  fprintf(out,
          "plot $other with lines lw 3 lc rgb '" SKELETON_OTHER "' notitle, "
          "$own with lines lw 2 lc rgb '" SKELETON_OWN "' notitle, "
          "$targets with points pt 6 ps 1.1 lw 2 lc rgb '%s' notitle\n%s",
          run->course.stretch > 1.0 ? SKELETON_MISSED : SKELETON_REACHED,
          first ? "unset label 1\n" : "");
}

static bool put_row(FILE *out, const clip *followed, double stretch, int updates) {
  const bool z_up = has_z_up(followed);
  const clip_course course = {
      .rate = RATE, .kind = SINEW_TASK_POSE, .stretch = stretch, .updates = updates};
  const sinew_solver_def def = sinew_default_solver_def();
  clip_follower run;
  if (!clip_follower_begin(&run, followed, &def, &course)) {
    return false;
  }
  int moment = 0;
  while (clip_follower_next(&run)) {
    // The next frame does not read what is drawn.
    if (z_up) {
      make_upright(&run);
    }
    for (; moment < MOMENTS && is_moment(&run, moment); ++moment) {
      put_panel(out, &run, moment == 0 && stretch == 1.0);
    }
  }
  clip_follower_end(&run);
  return true;
}

// The clip's name in a file's name and in gnuplot's text: other characters become "_".
static void plain_name(const char *name, char *out, size_t size) {
  size_t length = (size_t)snprintf(out, size, "clip-%s", name);
  for (size_t i = 0; i < length && i < size - 1; ++i) {
    if (!isalnum((unsigned char)out[i]) && out[i] != '-' && out[i] != '.') {
      out[i] = '_';
    }
  }
}

bool clip_film_draw(const char *folder, const clip *followed, int updates) {
  char name[300];
  plain_name(followed->name, name, sizeof name);
  FILE *out = picture_open(folder, name, MOMENTS * PANEL_WIDTH, ROWS * PANEL_HEIGHT);
  if (out == NULL) {
    return false;
  }
  fprintf(out,
          "set multiplot layout %d,%d margins 0.005,0.995,0.07,0.93 spacing 0.005,0.08\n"
          "set label 1 \"%s; blue: the default at %g frames a second; orange: the clip; rings: "
          "targets, green as in the clip, red moved away by %.0f %%\" noenhanced "
          "at screen 0.5, screen 0.03 center tc rgb '#5c6670'\n"
          "unset border\nunset tics\nset size ratio -1\n",
          ROWS, MOMENTS, name, RATE, 100.0 * (CLIPS_STRETCH - 1.0));
  const bool good =
      put_row(out, followed, 1.0, updates) && put_row(out, followed, CLIPS_STRETCH, updates);
  fputs("unset multiplot\n", out);
  return picture_close(out, folder, name) && good;
}
