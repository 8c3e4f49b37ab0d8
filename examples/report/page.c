// The report as one page of HTML without further files, except the pictures that it includes.
#include "page.h"

#include <stdio.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>sinew: what it does</title>\n"
    "<style>\n"
    ":root { color-scheme: light dark; --page: #ffffff; --ink: #1d2125; --soft: #5c6670;\n"
    "  --line: #dfe3e7; --shade: #b9bec4; --good: #1f7f49; --bad: #b8382b; }\n"
    "@media (prefers-color-scheme: dark) { :root { --page: #16191c; --ink: #e4e7ea;\n"
    "  --soft: #9aa4ad; --line: #343a40; --shade: #565f68; --good: #58c98a; --bad: #f0857a; } }\n"
    "body { margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 60rem;\n"
    "  background: var(--page); color: var(--ink);\n"
    "  font: 1rem/1.55 system-ui, \"Segoe UI\", \"DejaVu Sans\", sans-serif; }\n"
    "h1 { font-size: 1.7rem; margin: 0 0 .3rem; }\n"
    "h2 { font-size: 1.2rem; margin: 3rem 0 .3rem; }\n"
    "p { margin: .4rem 0; max-width: 44rem; }\n"
    ".soft { color: var(--soft); }\n"
    ".picture svg { width: 100%; height: auto; display: block; margin: .8rem 0;\n"
    "  pointer-events: none; }\n"
    "/* The pictures come with a white ground, black letters and a light floor. */\n"
    ".picture svg rect[fill=\"#ffffff\"] { fill: none; }\n"
    ".picture svg g[fill=\"black\"] { fill: var(--ink); }\n"
    ".picture svg [stroke=\"rgb(213, 216, 220)\"] { stroke: var(--line); }\n"
    ".picture svg [stroke=\"rgb(185, 190, 196)\"] { stroke: var(--shade); }\n"
    "a { color: inherit; }\n"
    ".scroll { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-size: .93rem; min-width: 100%; }\n"
    "th, td { text-align: right; padding: .3rem .7rem; border-bottom: 1px solid var(--line);\n"
    "  font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
    "th { font-weight: 600; color: var(--soft); }\n"
    "th:first-child, td:first-child { text-align: left; padding-left: 0; }\n"
    ".good { color: var(--good); } .bad { color: var(--bad); }\n"
    "code { font-size: .92em; }\n"
    "pre { font-size: .78rem; line-height: 1.4; }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n"
    "<h1>sinew: what it does</h1>\n"
    "<p>Inverse kinematics computes joint values that bring hands, feet and tools to targets. "
    "Each\n"
    "figure below starts in the middle of its joints' limits and is solved to a millionth.</p>\n"
    "<p class=\"soft\">Blue: the figure. Grey: its shadow, and where it was. Rings: targets, "
    "orange\n"
    "before, then green where they are met and red where they are not. Errors are\n"
    "measured by the forward kinematics alone.</p>\n";

// Writes a text so that it is only text, in an element or in an attribute: no markup, and none of
// the control characters that HTML does not allow.
static void write_text(FILE *page, const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; ++c) {
    // U+0080 to U+009F are two bytes in UTF-8.
    const bool wide = c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0;
    if (wide || *c < 0x20 || *c == 0x7F)
      fputs("&#xFFFD;", page);
    else if (strchr("<>&\"'", *c))
      fprintf(page, "&#%d;", *c);
    else
      fputc(*c, page);
    c += wide;
  }
}

static const char *class_of(const report_result *result) {
  return result->report.outcome == SINEW_OUTCOME_CONVERGED ? "good" : "bad";
}

// The summary: a row for each scene.
static void write_summary(FILE *page, const report_result *results, int count) {
  fputs("<div class=\"scroll\"><table>\n<tr><th>scene</th><th>joint values</th>"
        "<th>targets</th><th>outcome</th><th>steps</th><th>time</th></tr>\n",
        page);
  for (int i = 0; i < count; ++i) {
    const report_result *result = &results[i];
    fputs("<tr><td><a href=\"#", page);
    write_text(page, result->scene->name);
    fputs("\">", page);
    write_text(page, result->scene->title);
    fprintf(page,
            "</a></td><td>%d</td><td>%d</td>"
            "<td class=\"%s\">%s</td><td>%d</td><td>%.0f µs</td></tr>\n",
            sinew_model_nv(result->model), result->scene->goal_count, class_of(result),
            sinew_outcome_string(result->report.outcome), result->report.steps,
            result->microseconds);
  }
  fputs("</table></div>\n", page);
}

// The part of an SVG that a page includes: from its root element on.
static void copy_picture(FILE *page, const char *folder, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.svg", folder, name);
  FILE *picture = fopen(path, "r");
  if (!picture)
    report_fail(path, "cannot be read");
  char line[4096];
  bool inside = false;
  while (fgets(line, sizeof line, picture)) {
    inside = inside || strstr(line, "<svg");
    if (inside)
      fputs(line, page);
  }
  fclose(picture);
}

static bool has_poses(const report_scene *scene) {
  for (int i = 0; i < scene->goal_count; ++i)
    if (scene->goals[i].kind == SINEW_TASK_POSE)
      return true;
  return false;
}

static void write_goals(FILE *page, const report_result *result) {
  bool poses = has_poses(result->scene);
  fprintf(page,
          "<div class=\"scroll\"><table>\n<tr><th>effector</th><th>distance before [%s]</th>"
          "<th>after</th>%s</tr>\n",
          result->length_unit, poses ? "<th>angle before [rad]</th><th>after</th>" : "");
  for (int i = 0; i < result->scene->goal_count; ++i) {
    fputs("<tr><td>", page);
    write_text(page, result->scene->goals[i].link);
    fprintf(page, "</td><td>%.3g</td><td>%.2g</td>", result->start[i].position,
            result->end[i].position);
    if (poses)
      fprintf(page, "<td>%.3g</td><td>%.2g</td>", result->start[i].orientation,
              result->end[i].orientation);
    fputs("</tr>\n", page);
  }
  fputs("</table></div>\n", page);
}

static void write_scene(FILE *page, const char *folder, const report_result *result) {
  fputs("<h2 id=\"", page);
  write_text(page, result->scene->name);
  fputs("\">", page);
  write_text(page, result->scene->title);
  fputs("</h2>\n<p>", page);
  write_text(page, result->scene->text);
  fputs("</p>\n<div class=\"picture\" role=\"img\" aria-label=\"the figure before and after\">\n",
        page);
  copy_picture(page, folder, result->scene->name);
  fprintf(page,
          "</div>\n<p><span class=\"%s\">%s</span> after %d steps, %.0f µs; model "
          "<code>models/",
          class_of(result), sinew_outcome_string(result->report.outcome), result->report.steps,
          result->microseconds);
  write_text(page, result->scene->file);
  fputs("</code></p>\n", page);
  write_goals(page, result);
}

// Pictures of an experiment whose output is in the folder, with their captions.
typedef struct experiment_picture {
  const char *name;
  const char *text;
} experiment_picture;

static const experiment_picture experiment_pictures[] = {
    {"buss/figures",
     "Two figures follow targets that move in and out of reach, one update a step. Blue: "
     "sinew's default. Orange: damped least squares."},
    {"buss/tradeoff",
     "Distance from targets in reach, against shaking while they are out of reach: lower "
     "left is better. Damped least squares is a curve, since its damping must be chosen."},
    {"buss/damping", "The same against the damping."},
    {"buss/time-double-y-25", "One period of the double-Y's targets."},
    {"buss/singularity", "How large a step is near a stretched elbow, where the pseudoinverse step "
                         "grows without bound."}};

static bool is_readable(const char *folder, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.svg", folder, name);
  FILE *file = fopen(path, "r");
  if (file)
    fclose(file);
  return file != NULL;
}

static void copy_text(FILE *page, const char *path) {
  FILE *text = fopen(path, "r");
  if (!text)
    return;
  fputs("<div class=\"scroll\"><pre>", page);
  for (char line[4096]; fgets(line, sizeof line, text);) {
    const size_t length = strcspn(line, "\n");
    const bool ends = line[length] == '\n';
    line[length] = '\0';
    write_text(page, line);
    fputs(ends ? "\n" : "", page);
  }
  fputs("</pre></div>\n", page);
  fclose(text);
}

static void write_experiment(FILE *page, const char *folder) {
  char table[1024];
  if (!is_readable(folder, experiment_pictures[0].name))
    return;
  fputs("<h2 id=\"buss\">Buss's experiment: tracking without shaking</h2>\n", page);
  int count = sizeof experiment_pictures / sizeof experiment_pictures[0];
  for (int i = 0; i < count; ++i) {
    const experiment_picture *picture = &experiment_pictures[i];
    if (!is_readable(folder, picture->name))
      continue;
    fprintf(page, "<p>%s</p>\n<div class=\"picture\" role=\"img\" aria-label=\"the experiment\">\n",
            picture->text);
    copy_picture(page, folder, picture->name);
    fputs("</div>\n", page);
  }
  snprintf(table, sizeof table, "%s/buss/table.txt", folder);
  copy_text(page, table);
}

void report_write_page(const char *folder, const report_result *results, int count) {
  char path[1024];
  snprintf(path, sizeof path, "%s/report.html", folder);
  FILE *page = fopen(path, "w");
  if (!page)
    report_fail(path, "cannot be written");
  fputs(head, page);
  write_summary(page, results, count);
  for (int i = 0; i < count; ++i)
    write_scene(page, folder, &results[i]);
  write_experiment(page, folder);
  fprintf(page, "<p class=\"soft\">sinew %s</p>\n</body>\n</html>\n", sinew_version());
  if (fclose(page) != 0)
    report_fail(path, "cannot be written completely");
}
