// Pictures of figures, drawn by gnuplot: seen from afar, so that parallels stay
// parallel and all axes have one scale.
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PANEL_WIDTH 400
#define PANEL_HEIGHT 420

// From where one looks [rad].
#define AZIMUTH 0.75
#define ELEVATION 0.30

// Colours that show on a light page and on a dark one.
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

// The axes that lie in the floor, in turn, and the one that stands on it.
static const int z_up_axes[3] = {0, 1, 2}, y_up_axes[3] = {2, 0, 1};

static spot project(const report_result *result, const double p[3]) {
  const int *axes = result->y_up ? y_up_axes : z_up_axes;
  double forward = p[axes[0]], left = p[axes[1]], up = p[axes[2]];
  double across = -sin(AZIMUTH) * forward + cos(AZIMUTH) * left;
  double away = -cos(AZIMUTH) * forward - sin(AZIMUTH) * left;
  return (spot){across, cos(ELEVATION) * up + sin(ELEVATION) * away};
}

// ---- How much room a figure takes ----

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

// What the start, the answer and the targets take: the same for both panels.
static box room_of(const report_result *result) {
  box room = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = 0; i < result->link_count; ++i) {
    if (result->y_up && sinew_model_link_joint(result->model, i) < 0)
      continue; // a skeleton's world is no part of it
    enclose(&room, result->before[i]);
    enclose(&room, result->after[i]);
  }
  for (int i = 0; i < result->scene->goal_count; ++i)
    enclose(&room, result->targets[i].position);
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

// The next of 1, 2, 5, 10, ... above a length.
static double round_length(double length) {
  double power = pow(10, floor(log10(length)));
  double factor = length / power;
  return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

// ---- Data: one named block each ----

static void write_line(FILE *out, spot a, spot b) {
  fprintf(out, "%.6g %.6g\n%.6g %.6g\n\n", a.x, a.y, b.x, b.y);
}

// Squares on the floor, of the spacing that it returns.
static double write_floor(FILE *out, const report_result *result, const box *room) {
  const int *axes = result->y_up ? y_up_axes : z_up_axes;
  int a = axes[0], b = axes[1];
  double extent = fmax(room->upper[a] - room->lower[a], room->upper[b] - room->lower[b]);
  double spacing = round_length(extent / 6);
  double from[2] = {floor(room->lower[a] / spacing) * spacing,
                    floor(room->lower[b] / spacing) * spacing};
  double to[2] = {ceil(room->upper[a] / spacing) * spacing,
                  ceil(room->upper[b] / spacing) * spacing};

  fputs("$floor << END\n", out);
  for (int side = 0; side < 2; ++side) {
    int lines = (int)lround((to[side] - from[side]) / spacing);
    for (int i = 0; i <= lines; ++i) {
      double p[3] = {0}, q[3] = {0};
      p[axes[side]] = q[axes[side]] = from[side] + i * spacing;
      p[axes[1 - side]] = from[1 - side];
      q[axes[1 - side]] = to[1 - side];
      write_line(out, project_to_floor(result, room, p), project_to_floor(result, room, q));
    }
  }
  fputs("END\n", out);
  return spacing;
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
    sinew_model_joint(result->model, j, &joint);
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
    sinew_model_joint(result->model, j, &joint);
    spot at = project(result, places[joint.child]);
    fprintf(out, "%.6g %.6g\n", at.x, at.y);
  }
  fputs("END\n", out);
}

static bool is_reached(const report_result *result, int goal) {
  sinew_solver_def def = sinew_default_solver_def();
  const report_goal *wanted = &result->scene->goals[goal];
  return result->end[goal].position <= def.position_tolerance &&
         (wanted->kind != SINEW_TASK_POSE ||
          result->end[goal].orientation <= def.orientation_tolerance);
}

// Targets that are met, or those that are not; before, all of them.
static void write_targets(FILE *out, const char *block, const report_panel *panel, bool reached) {
  const report_result *result = panel->result;
  fprintf(out, "$%s << END\n", block);
  for (int i = 0; i < result->scene->goal_count; ++i) {
    if (panel->after ? is_reached(result, i) != reached : reached)
      continue;
    spot at = project(result, result->targets[i].position);
    fprintf(out, "%.6g %.6g \"%s\"\n", at.x, at.y, result->scene->goals[i].link);
  }
  fputs("END\n", out);
}

// From each target down to the floor, so that one sees where it hangs.
static void write_plumb_lines(FILE *out, const report_result *result, const box *room) {
  fputs("$plumb << END\n", out);
  for (int i = 0; i < result->scene->goal_count; ++i) {
    const double *p = result->targets[i].position;
    write_line(out, project(result, p), project_to_floor(result, room, p));
  }
  fputs("END\n", out);
}

// The axes of targets that are poses: x, y, z in this order.
static void write_axes(FILE *out, const report_result *result, double length) {
  for (int axis = 0; axis < 3; ++axis) {
    fprintf(out, "$axis%d << END\n", axis);
    for (int i = 0; i < result->scene->goal_count; ++i) {
      const sinew_target *target = &result->targets[i];
      double arrow[3] = {0};
      arrow[axis] = length;
      sinew_quaternion_rotate(target->rotation, arrow, arrow);
      for (int k = 0; k < 3; ++k)
        arrow[k] += target->position[k];
      if (result->scene->goals[i].kind == SINEW_TASK_POSE)
        write_line(out, project(result, target->position), project(result, arrow));
    }
    fputs("END\n", out);
  }
}

// ---- The picture ----

// The part of the paper that a figure's room takes, made square so that both
// panels have one scale.
static void write_ranges(FILE *out, const report_result *result, const box *room) {
  double lower_x = INFINITY, upper_x = -INFINITY, lower_y = INFINITY, upper_y = -INFINITY;
  for (int corner = 0; corner < 8; ++corner) {
    double p[3];
    for (int k = 0; k < 3; ++k)
      p[k] = corner >> k & 1 ? room->upper[k] : room->lower[k];
    spot both[] = {project(result, p), project_to_floor(result, room, p)};
    for (int k = 0; k < 2; ++k) {
      lower_x = fmin(lower_x, both[k].x);
      upper_x = fmax(upper_x, both[k].x);
      lower_y = fmin(lower_y, both[k].y);
      upper_y = fmax(upper_y, both[k].y);
    }
  }
  double half = 0.54 * fmax(upper_x - lower_x, upper_y - lower_y);
  double x = (lower_x + upper_x) / 2, y = (lower_y + upper_y) / 2;
  fprintf(out, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", x - half, x + half, y - half,
          y + half);
}

static void write_panel(FILE *out, const report_panel *panel) {
  const report_result *result = panel->result;
  box room = room_of(result);
  double(*places)[3] = panel->after ? result->after : result->before;
  double spacing = write_floor(out, result, &room);
  write_bones(out, "shadow", result, &room, places, project_to_floor);
  write_bones(out, "ghost", result, &room, result->before, place);
  write_bones(out, "bones", result, &room, places, place);
  write_joints(out, result, places);
  write_targets(out, "reached", panel, true);
  write_targets(out, "missed", panel, false);
  write_plumb_lines(out, result, &room);
  write_axes(out, result, spacing / 2);

  write_ranges(out, result, &room);
  fprintf(out, "set title \"%s\" noenhanced\n", panel->title);
  fprintf(out, "set label 1 \"squares of %g %s\" at graph 0.98, graph 0.02 right tc rgb '%s'\n",
          spacing, result->length_unit, GHOST);
  fprintf(out,
          "plot $floor with lines lw 0.7 lc rgb '" FLOOR "', "
          "$shadow with lines lw 3 lc rgb '" SHADOW "', "
          "%s"
          "$plumb with lines lw 0.8 dt 3 lc rgb '" GHOST "', "
          "$bones with lines lw 6 lc rgb '" BONE "', "
          "$joints with points pt 7 ps 0.55 lc rgb '" JOINT "', "
          "$axis0 with lines lw 2 lc rgb '" MISSED "', "
          "$axis1 with lines lw 2 lc rgb '" REACHED "', "
          "$axis2 with lines lw 2 lc rgb '" BONE "', "
          "$reached with points pt 6 ps 1.6 lw 2.5 lc rgb '" REACHED "', "
          "$missed with points pt 6 ps 1.6 lw 2.5 lc rgb '%s', "
          "$missed using 1:2:3 with labels left offset 1.2,0.4 tc rgb '%s' noenhanced\n",
          panel->after ? "$ghost with lines lw 2 lc rgb '" GHOST "', " : "",
          panel->after ? MISSED : WANTED, panel->after ? MISSED : WANTED);
}

void report_draw(const char *path, const report_panel *panels, int count) {
  FILE *out = popen("gnuplot", "w");
  if (!out)
    report_fail("gnuplot", "cannot be started");
  fprintf(out,
          "set terminal svg size %d,%d dynamic rounded font 'sans-serif,13' background '#ffffff'\n"
          "set output '%s'\n"
          "set multiplot layout 1,%d margins 0.01,0.99,0.02,0.92 spacing 0.02\n"
          "unset key\nunset border\nunset tics\nset size ratio -1\n",
          count * PANEL_WIDTH, PANEL_HEIGHT, path, count);
  for (int i = 0; i < count; ++i)
    write_panel(out, &panels[i]);
  fputs("unset multiplot\n", out);
  if (pclose(out) != 0)
    report_fail(path, "gnuplot could not draw it");
}
