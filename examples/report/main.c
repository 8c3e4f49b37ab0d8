// Solves a few scenes and reports the results: a table on the terminal, pictures, and one page of
// HTML. ./demo runs it.
// Usage: report MODELS OUT, two folders
#include <stdio.h>

#include "page.h"
#include "picture.h"
#include "scene.h"

#define MOST_SCENES 16

static void print_table(const report_result *results, int count) {
  printf("%-13s %-10s %17s %15s  %-17s %5s %9s\n", "scene", "effector", "distance before", "after",
         "outcome", "steps", "time");
  for (int i = 0; i < count; ++i) {
    const report_result *result = &results[i];
    for (int k = 0; k < result->scene->goal_count; ++k) {
      printf("%-13s %-10s %14.4g %-2s %12.2g %-2s", k == 0 ? result->scene->name : "",
             result->scene->goals[k].link, result->start[k].position, result->length_unit,
             result->end[k].position, result->length_unit);
      if (k == 0)
        printf("  %-17s %5d %6.0f us", sinew_outcome_string(result->report.outcome),
               result->report.steps, result->microseconds);
      putchar('\n');
    }
  }
}

static void draw_scene(const char *folder, const report_result *result) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.svg", folder, result->scene->name);
  const report_panel panels[] = {{result, false, "before"}, {result, true, "after"}};
  report_draw(path, panels, 2);
}

// The picture in the README: the first robot and the first skeleton.
static void draw_overview(const char *folder, const report_result *robot,
                          const report_result *skeleton) {
  char path[1024];
  snprintf(path, sizeof path, "%s/overview.svg", folder);
  const report_panel panels[] = {{robot, false, "7 joints, one pose"},
                                 {robot, true, "solved"},
                                 {skeleton, false, "a skeleton, five targets"},
                                 {skeleton, true, "solved"}};
  report_draw(path, panels, 4);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fputs("usage: report MODELS OUT\n", stderr);
    return 2;
  }
  report_result results[MOST_SCENES];
  int count = report_scene_count;
  for (int i = 0; i < count; ++i) {
    results[i] = report_solve(&report_scenes[i], argv[1]);
    draw_scene(argv[2], &results[i]);
  }
  draw_overview(argv[2], &results[0], &results[2]);
  report_write_page(argv[2], results, count);
  print_table(results, count);
  for (int i = 0; i < count; ++i)
    report_release(&results[i]);
  return 0;
}
