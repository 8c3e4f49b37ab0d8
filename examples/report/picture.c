// Pictures of figures, drawn by gnuplot, in parallel projection with one scale for all axes.
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PANEL_WIDTH 400
#define TITLE_HEIGHT 40

// The margin around a figure, as a fraction of its size.
#define MARGIN 1.1

// The viewing direction [rad].
#define AZIMUTH 0.75
#define ELEVATION 0.35

// Colours that are readable on a light page and on a dark one.
#define BONE "#2f7ed8"
#define JOINT "#1b5aa5"
#define GHOST "#a3a8ae"
#define FLOOR "#d5d8dc"
#define SHADOW "#b9bec4"
#define REACHED "#2a9d5c"
#define MISSED "#d9483b"
#define WANTED "#e08a1e"

// A point on the paper.
typedef struct spot {
  double x, y;
} spot;

// The two axes in the floor, in order, and the vertical one.
static const int z_up_axes[3] = {0, 1, 2}, y_up_axes[3] = {2, 0, 1};

static spot project(const report_result *result, const double p[3]) {
  const int *axes = result->y_up ? y_up_axes : z_up_axes;
  double forward = p[axes[0]], left = p[axes[1]], up = p[axes[2]];
  double across = -sin(AZIMUTH) * forward + cos(AZIMUTH) * left;
  double away = -cos(AZIMUTH) * forward - sin(AZIMUTH) * left;
  return (spot){across, cos(ELEVATION) * up + sin(ELEVATION) * away};
}

// ---- The extent of a figure ----

// The least and greatest values along each axis.
typedef struct box {
  double lower[3], upper[3];
} box;

static void enclose(box *room, const double p[3]) {
  for (int k = 0; k < 3; ++k) {
    room->lower[k] = fmin(room->lower[k], p[k]);
    room->upper[k] = fmax(room->upper[k], p[k]);
  }
}

// The next of 1, 2, 5, 10, ... above a length.
static double round_length(double length) {
  double power = pow(10, floor(log10(length)));
  double factor = length / power;
  return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

// The extent of the start, the result and the targets, the same for all panels of a scene; whole
// squares along the floor.
// @param spacing receives the squares' side
static box room_of(const report_result *result, double *spacing) {
  box room = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = 0; i < result->link_count; ++i) {
    if (result->y_up && sinew_model_link_joint(result->model, i) < 0)
      continue; // a skeleton's world link is not part of the figure
    enclose(&room, result->before[i]);
    enclose(&room, result->after[i]);
  }
  for (int i = 0; i < result->scene->goal_count; ++i)
    enclose(&room, result->targets[i].position);

  const int *axes = result->y_up ? y_up_axes : z_up_axes;
  int a = axes[0], b = axes[1];
  *spacing = round_length(fmax(room.upper[a] - room.lower[a], room.upper[b] - room.lower[b]) / 10);
  for (int k = 0; k < 2; ++k) {
    room.lower[axes[k]] = floor(room.lower[axes[k]] / *spacing) * *spacing;
    room.upper[axes[k]] = ceil(room.upper[axes[k]] / *spacing) * *spacing;
  }
  return room;
}

static double height_of_floor(const report_result *result, const box *room) {
  return result->y_up ? room->lower[1] : fmin(room->lower[2], 0);
}

static spot project_to_floor(const report_result *result, const box *room, const double p[3]) {
  double below[3] = {p[0], p[1], p[2]};
  below[result->y_up ? 1 : 2] = height_of_floor(result, room);
  return project(result, below);
}

// ---- Data: one named block each ----

static void write_line(FILE *out, spot a, spot b) {
  fprintf(out, "%.6g %.6g\n%.6g %.6g\n\n", a.x, a.y, b.x, b.y);
}

static void write_floor(FILE *out, const report_result *result, const box *room, double spacing) {
  const int *axes = result->y_up ? y_up_axes : z_up_axes;
  fputs("$floor << END\n", out);
  for (int side = 0; side < 2; ++side) {
    int a = axes[side], b = axes[1 - side];
    int lines = (int)lround((room->upper[a] - room->lower[a]) / spacing);
    for (int i = 0; i <= lines; ++i) {
      double p[3] = {0}, q[3] = {0};
      p[a] = q[a] = room->lower[a] + i * spacing;
      p[b] = room->lower[b];
      q[b] = room->upper[b];
      write_line(out, project_to_floor(result, room, p), project_to_floor(result, room, q));
    }
  }
  fputs("END\n", out);
}

typedef spot placing(const report_result *result, const box *room, const double p[3]);

static spot place(const report_result *result, const box *room, const double p[3]) {
  (void)room;
  return project(result, p);
}

// The bones: from each joint to the next.
static void write_bones(FILE *out, const char *block, const report_result *result, const box *room,
                        double (*places)[3], placing *placed) {
  fprintf(out, "$%s << END\n", block);
  for (int j = 0; j < sinew_model_joint_count(result->model); ++j) {
    sinew_joint joint;
    report_expect(sinew_model_joint(result->model, j, &joint));
    if (result->y_up && sinew_model_link_joint(result->model, joint.parent) < 0)
      continue;
    write_line(out, placed(result, room, places[joint.parent]),
               placed(result, room, places[joint.child]));
  }
  fputs("END\n", out);
}

static void write_joints(FILE *out, const report_result *result, double (*places)[3]) {
  fputs("$joints << END\n", out);
  for (int j = 0; j < sinew_model_joint_count(result->model); ++j) {
    sinew_joint joint;
    report_expect(sinew_model_joint(result->model, j, &joint));
    spot at = project(result, places[joint.child]);
    fprintf(out, "%.6g %.6g\n", at.x, at.y);
  }
  fputs("END\n", out);
}

static bool is_reached(const report_result *result, int goal) {
  sinew_solver_def def = sinew_default_solver_def();
  const report_goal *wanted = &result->scene->goals[goal];
  return result->end[goal].position <= def.tolerances.position &&
         (wanted->kind != SINEW_TASK_POSE ||
          result->end[goal].orientation <= def.tolerances.orientation);
}

static const char *color_of(const report_panel *panel, int goal) {
  if (!panel->after)
    return WANTED;
  return is_reached(panel->result, goal) ? REACHED : MISSED;
}

// Columns: position and colour.
static void write_targets(FILE *out, const report_panel *panel) {
  fputs("$targets << END\n", out);
  for (int i = 0; i < panel->result->scene->goal_count; ++i) {
    spot at = project(panel->result, panel->result->targets[i].position);
    fprintf(out, "%.6g %.6g 0x%s\n", at.x, at.y, color_of(panel, i) + 1);
  }
  fputs("END\n", out);
}

// Writes a text as gnuplot's: within single quotes nothing is a command.
static void write_quoted(FILE *out, const char *text) {
  fputc('\'', out);
  for (; *text != '\0'; ++text) {
    unsigned char c = (unsigned char)*text;
    fputc(c < 0x20 || c == 0x7F ? '?' : c, out);
    if (c == '\'')
      fputc(c, out);
  }
  fputc('\'', out);
}

// The names of targets that are not met (yet), each on its target's side of the picture.
static void write_names(FILE *out, const report_panel *panel) {
  const report_result *result = panel->result;
  double middle = 0;
  for (int i = 0; i < result->link_count; ++i)
    middle += project(result, result->before[i]).x / result->link_count;

  fputs("unset label\n", out);
  for (int i = 0; i < result->scene->goal_count; ++i) {
    spot at = project(result, result->targets[i].position);
    bool right = at.x >= middle;
    if (panel->after && is_reached(result, i))
      continue;
    fputs("set label ", out);
    write_quoted(out, result->scene->goals[i].link);
    fprintf(out, " at %.6g,%.6g %s offset %s,0.3 tc rgb '%s' noenhanced front\n", at.x, at.y,
            right ? "left" : "right", right ? "1.2" : "-1.2", color_of(panel, i));
  }
}

// From each target down to the floor, so that its height is visible.
static void write_plumb_lines(FILE *out, const report_result *result, const box *room) {
  fputs("$plumb << END\n", out);
  for (int i = 0; i < result->scene->goal_count; ++i) {
    const double *p = result->targets[i].position;
    write_line(out, project(result, p), project_to_floor(result, room, p));
  }
  fputs("END\n", out);
}

// The axes of pose targets: position, arrow vector, colour.
// @return whether there are any
static bool write_axes(FILE *out, const report_result *result, double length) {
  static const char *const colors[3] = {MISSED, REACHED, BONE};
  bool any = false;
  fputs("$axes << END\n", out);
  for (int i = 0; i < result->scene->goal_count; ++i) {
    const sinew_target *target = &result->targets[i];
    for (int axis = 0; axis < 3 && result->scene->goals[i].kind == SINEW_TASK_POSE; ++axis) {
      double arrow[3] = {0};
      arrow[axis] = length;
      sinew_quaternion_rotate(target->rotation, arrow, arrow);
      spot from = project(result, target->position), along = project(result, arrow);
      fprintf(out, "%.6g %.6g %.6g %.6g 0x%s\n", from.x, from.y, along.x, along.y,
              colors[axis] + 1);
      any = true;
    }
  }
  fputs("END\n", out);
  return any;
}

// ---- The picture ----

// The part of the picture that a scene's extent covers.
typedef struct frame {
  spot middle;
  double width, height;
} frame;

static void extend(spot *lower, spot *upper, spot at) {
  *lower = (spot){fmin(lower->x, at.x), fmin(lower->y, at.y)};
  *upper = (spot){fmax(upper->x, at.x), fmax(upper->y, at.y)};
}

static frame frame_of(const report_result *result) {
  double spacing;
  box room = room_of(result, &spacing);
  spot lower = {INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY};
  for (int corner = 0; corner < 8; ++corner) {
    double p[3];
    for (int k = 0; k < 3; ++k)
      p[k] = corner >> k & 1 ? room.upper[k] : room.lower[k];
    extend(&lower, &upper, project_to_floor(result, &room, p));
  }
  for (int i = 0; i < result->link_count; ++i) {
    extend(&lower, &upper, project(result, result->before[i]));
    extend(&lower, &upper, project(result, result->after[i]));
  }
  for (int i = 0; i < result->scene->goal_count; ++i)
    extend(&lower, &upper, project(result, result->targets[i].position));
  return (frame){{(lower.x + upper.x) / 2, (lower.y + upper.y) / 2},
                 MARGIN * (upper.x - lower.x),
                 MARGIN * (upper.y - lower.y)};
}

// The widest frame of a panel's shape that contains the scene.
static void write_ranges(FILE *out, const report_result *result, double shape) {
  frame paper = frame_of(result);
  double width = fmax(paper.width, paper.height / shape), height = shape * width;
  fprintf(out, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", paper.middle.x - width / 2,
          paper.middle.x + width / 2, paper.middle.y - height / 2, paper.middle.y + height / 2);
}

// In drawing order: what is below comes first.
static void write_plot(FILE *out, const report_panel *panel, bool axes) {
  bool thick = !panel->result->y_up;
  fputs("plot $floor with lines lw 0.7 lc rgb '" FLOOR "', "
        "$shadow with lines lw 3 lc rgb '" SHADOW "', ",
        out);
  if (panel->after)
    fputs("$ghost with lines lw 2 lc rgb '" GHOST "', ", out);
  fputs("$plumb with lines lw 0.8 dt 3 lc rgb '" GHOST "', ", out);
  fprintf(out, "$bones with lines lw %d lc rgb '" BONE "', ", thick ? 6 : 4);
  fputs("$joints with points pt 7 ps 0.5 lc rgb '" JOINT "', ", out);
  if (axes)
    fputs("$axes with vectors nohead lw 2 lc rgb variable, ", out);
  fputs("$targets with points pt 6 ps 1.5 lw 2.5 lc rgb variable\n", out);
}

static void write_panel(FILE *out, const report_panel *panel, double shape) {
  const report_result *result = panel->result;
  double spacing;
  box room = room_of(result, &spacing);
  double(*places)[3] = panel->after ? result->after : result->before;
  write_floor(out, result, &room, spacing);
  write_bones(out, "shadow", result, &room, places, project_to_floor);
  write_bones(out, "ghost", result, &room, result->before, place);
  write_bones(out, "bones", result, &room, places, place);
  write_joints(out, result, places);
  write_targets(out, panel);
  write_plumb_lines(out, result, &room);
  bool axes = write_axes(out, result, spacing / 2);

  write_ranges(out, result, shape);
  fputs("set title ", out);
  write_quoted(out, panel->title);
  fputs(" noenhanced\n", out);
  write_names(out, panel);
  fprintf(out, "set label \"squares of %g %s\" at graph 0.98, graph 0.02 right tc rgb '%s'\n",
          spacing, result->length_unit, GHOST);
  write_plot(out, panel, axes);
}

// The height-to-width ratio of the panels.
static double shape_of(const report_panel *panels, int count) {
  double shape = 0.6;
  for (int i = 0; i < count; ++i) {
    frame paper = frame_of(panels[i].result);
    shape = fmax(shape, paper.height / paper.width);
  }
  return fmin(shape, 1.2);
}

void report_draw(const char *path, const report_panel *panels, int count) {
  FILE *out = popen("gnuplot", "w");
  if (!out)
    report_fail("gnuplot", "cannot be started");
  int rows = (count + 1) / 2;
  double shape = shape_of(panels, count);
  double row_height = shape * PANEL_WIDTH + TITLE_HEIGHT, height = rows * row_height;
  fprintf(out,
          "set terminal svg size %d,%.0f dynamic rounded font 'sans-serif,13' "
          "background '#ffffff'\n"
          "set output '%s'\n"
          "set multiplot layout %d,2 margins 0,1,0,%.6g spacing 0,%.6g\n"
          "unset key\nunset border\nunset tics\nset size ratio -1\n",
          2 * PANEL_WIDTH, height, path, rows, 1 - TITLE_HEIGHT / height, TITLE_HEIGHT / height);
  for (int i = 0; i < count; ++i)
    write_panel(out, &panels[i], shape);
  fputs("unset multiplot\n", out);
  if (pclose(out) != 0)
    report_fail(path, "gnuplot could not draw it");
}
