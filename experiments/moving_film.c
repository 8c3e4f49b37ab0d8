// Films of Buss's figures: every method side by side on the same targets, as an animated SVG for
// browsers. Buss judged his methods by watching them (2009, section 8).
#include "experiments/buss.h"
#include "experiments/output.h"
#include "experiments/skeleton.h"
#include "scenes/expect.h"

#include <stdio.h>
#include <stdlib.h>

#define FRAMES 240
#define STEPS_A_FRAME 3
#define SECONDS (FRAMES / 20.0)
#define FILMS 2 // the Y and the double-Y
#define COLUMNS 3
#define PANEL 220
#define CAPTION 20

typedef struct moving {
  const buss_result *result;
  skeleton_view view;
  double *q;         // FRAMES x nq of one method
  sinew_pose *poses; // scratch: of each link
  int steps[FRAMES];
} moving;

static bool moving_begin(moving *m, const buss_result *result) {
  const study *s = result->study;
  *m = (moving){.result = result,
                .q = calloc((size_t)FRAMES * (size_t)sinew_model_nq(s->model), sizeof(double)),
                .poses = calloc((size_t)sinew_model_link_count(s->model), sizeof(sinew_pose))};
  for (int i = 0; i < FRAMES; ++i) {
    const int step = s->warm_up + STEPS_A_FRAME * i;
    m->steps[i] = step < s->step_count ? step : s->step_count - 1;
  }
  return m->q != NULL && m->poses != NULL;
}

static void moving_end(moving *m) {
  free(m->q);
  free(m->poses);
}

// A point in a panel, y down.
static void place(const moving *m, const double p[3], double out[2]) {
  const double scale = 0.5 * PANEL / m->view.half;
  skeleton_project(p, out);
  out[0] = 0.5 * PANEL + scale * (out[0] - m->view.x);
  out[1] = 0.5 * PANEL - scale * (out[1] - m->view.y);
}

// Sets the view to the targets and the figure by every method, at all frames.
static bool find_view(moving *m) {
  const study *s = m->result->study;
  const size_t nq = (size_t)sinew_model_nq(s->model), count = (size_t)s->scene->task_count;
  skeleton_bounds b = skeleton_bounds_empty();
  for (int k = 0; k < method_count; ++k) {
    const sinew_solver_def def = buss_def(m->result->scene, &methods[k]);
    if (!study_poses(s, &def, m->steps, FRAMES, m->q)) {
      return false;
    }
    for (int i = 0; i < FRAMES; ++i) {
      skeleton_poses(s->state, m->q + (size_t)i * nq, m->poses);
      skeleton_include_links(&b, s->model, m->poses);
      for (size_t t = 0; t < count; ++t) {
        skeleton_include(&b, s->targets[(size_t)m->steps[i] * count + t].position);
      }
    }
  }
  m->view = skeleton_view_of(&b);
  return m->view.half > 0.0;
}

// The figure's segments at a frame, as a path.
static void put_figure(FILE *svg, const moving *m, int frame) {
  const study *s = m->result->study;
  skeleton_poses(s->state, m->q + (size_t)frame * (size_t)sinew_model_nq(s->model), m->poses);
  for (int j = 0; j < sinew_model_joint_count(s->model); ++j) {
    sinew_joint joint;
    double a[2], b[2];
    sinew_expect_ok(sinew_model_joint(s->model, j, &joint));
    if (sinew_model_link_joint(s->model, joint.parent) >= 0) {
      place(m, m->poses[joint.parent].position, a);
      place(m, m->poses[joint.child].position, b);
      fprintf(svg, "M%.1f %.1fL%.1f %.1f", a[0], a[1], b[0], b[1]);
    }
  }
}

static void put_animation(FILE *svg, const char *attribute) {
  fprintf(svg,
          "<animate attributeName=\"%s\" dur=\"%gs\" repeatCount=\"indefinite\" "
          "calcMode=\"discrete\" values=\"",
          attribute, SECONDS);
}

static void put_target(FILE *svg, const moving *m, int task) {
  static const char *const names[] = {"cx", "cy"};
  const study *s = m->result->study;
  const int count = s->scene->task_count;
  fputs("<circle r=\"5\" fill=\"none\" stroke-width=\"2\">", svg);
  for (int axis = 0; axis < 2; ++axis) {
    put_animation(svg, names[axis]);
    for (int i = 0; i < FRAMES; ++i) {
      double at[2];
      place(m, s->targets[(size_t)m->steps[i] * (size_t)count + (size_t)task].position, at);
      fprintf(svg, "%s%.1f", i > 0 ? ";" : "", at[axis]);
    }
    fputs("\"/>\n", svg);
  }
  put_animation(svg, "stroke");
  for (int i = 0; i < FRAMES; ++i) {
    const bool in_reach = s->reach[m->steps[i]] == SINEW_SCENE_IN_REACH;
    fprintf(svg, "%s%s", i > 0 ? ";" : "", in_reach ? SKELETON_REACHED : SKELETON_MISSED);
  }
  fputs("\"/></circle>\n", svg);
}

static bool put_panel(FILE *svg, moving *m, int index) {
  const study *s = m->result->study;
  const sinew_solver_def def = buss_def(m->result->scene, &methods[index]);
  if (!study_poses(s, &def, m->steps, FRAMES, m->q)) {
    return false;
  }
  fprintf(svg,
          "<g transform=\"translate(%d %d)\">\n<text x=\"%d\" y=\"14\" text-anchor=\"middle\">",
          index % COLUMNS * PANEL, index / COLUMNS * (PANEL + CAPTION), PANEL / 2);
  for (const char *c = methods[index].label; *c != '\0'; ++c) {
    fputc(*c, svg); // no label has a character of XML's own
  }
  fprintf(svg, "</text>\n<svg y=\"%d\" width=\"%d\" height=\"%d\">\n", CAPTION, PANEL, PANEL);
  fprintf(svg, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"3\" stroke-linecap=\"round\">",
          methods[index].color);
  put_animation(svg, "d");
  for (int i = 0; i < FRAMES; ++i) {
    fputs(i > 0 ? ";" : "", svg);
    put_figure(svg, m, i);
  }
  fputs("\"/></path>\n", svg);
  for (int t = 0; t < s->scene->task_count; ++t) {
    put_target(svg, m, t);
  }
  fputs("</svg></g>\n", svg);
  return true;
}

static bool put_film(FILE *svg, moving *m) {
  const int rows = (method_count + COLUMNS - 1) / COLUMNS;
  bool good = true;
  fprintf(svg,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "font-family=\"sans-serif\" font-size=\"12\">\n<title>%s, by each method</title>\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
          COLUMNS * PANEL, rows * (PANEL + CAPTION), m->result->scene->title);
  for (int i = 0; good && i < method_count; ++i) {
    good = put_panel(svg, m, i);
  }
  fputs("</svg>\n", svg);
  return good;
}

bool moving_film_write(const char *folder, const buss_result *results, int count) {
  bool good = true;
  for (int i = 0; good && i < count && i < FILMS; ++i) {
    char name[64];
    moving m;
    snprintf(name, sizeof name, "film-%s.svg", results[i].scene->name);
    FILE *svg = output_open(folder, name);
    good = svg != NULL && moving_begin(&m, &results[i]);
    good = good && find_view(&m) && put_film(svg, &m);
    if (svg != NULL) {
      moving_end(&m);
      good = output_close(svg, name) && good;
    }
  }
  return good;
}
