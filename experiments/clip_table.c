// The tables of followed clips.
#include "experiments/clips.h"
#include "experiments/output.h"

#include <math.h>
#include <stdio.h>

static const char notes[] =
    "Distances [mm] are those of a figure 1.75 m tall, of an effector from its target after\n"
    "the update. turn: the largest rotation of a joint in a frame [rad], and that of the clip.\n"
    "accelerations: the mean of the effectors, and of all links, divided by those of the clip.\n"
    "us: microseconds of an update. The last rows: the mean over the clips of the means, the "
    "largest of the\n"
    "others; turn: of the clip where it is largest compared with the clip's own.";

void clip_table_print_clips(const clip_folder *folder) {
  printf("\nClips: links named as hands, feet and heads follow them\n%-24s %9s %7s %6s %7s  %s\n",
         "", "effectors", "degrees", "links", "rate", "frames used");
  for (int i = 0; i < folder->count; ++i) {
    const clip *c = &folder->clips[i];
    printf("%-24.24s %9d %7d %6d %7.2f  %d to %d of %d\n", c->name, c->effector_count,
           sinew_model_nv(c->model), c->link_count, clip_rate(c), c->first + 1,
           c->first + c->frame_count, c->document->motion.frame_count);
  }
  for (int i = 0; i < folder->skipped_count; ++i) {
    puts(folder->skipped[i]);
  }
  puts(notes);
}

// ---------------------------------------------------------------------- tables

// "-" where there is no value.
static void print_number(int width, int digits, double value) {
  if (isfinite(value)) {
    printf(" %*.*f", width, digits, value);
  } else {
    printf(" %*s", width, "-");
  }
}

static void print_result(const char *label, const clip_result *r) {
  printf("%-24.24s %6d", label, r->frames);
  print_number(9, 4, r->distance);
  print_number(9, 3, r->distance_most);
  print_number(8, 5, r->angle);
  print_number(8, 5, r->angle_most);
  print_number(7, 4, r->turn);
  print_number(7, 4, r->clip_turn);
  print_number(6, 3, r->tip_acceleration);
  print_number(6, 3, r->link_acceleration);
  print_number(7, 1, r->microseconds);
  print_number(7, 1, r->microseconds_most);
  putchar('\n');
}

static void add_mean(double value, double *sum, int *count) {
  if (isfinite(value)) {
    *sum += value;
    ++*count;
  }
}

static double mean_of(double sum, int count) {
  return count > 0 ? sum / count : NAN;
}

// Means of the means and the largest of the others. NANs do not count.
static clip_result sum_up(const clip_result *results, int count) {
  clip_result sum = {
      .distance_most = NAN, .angle_most = NAN, .tip_acceleration = NAN, .link_acceleration = NAN};
  double excess = -INFINITY;
  int distances = 0, angles = 0, times = 0;
  for (int i = 0; i < count; ++i) {
    const clip_result *r = &results[i];
    sum.frames += r->frames;
    add_mean(r->distance, &sum.distance, &distances);
    add_mean(r->angle, &sum.angle, &angles);
    add_mean(r->microseconds, &sum.microseconds, &times);
    sum.distance_most = fmax(sum.distance_most, r->distance_most);
    sum.angle_most = fmax(sum.angle_most, r->angle_most);
    sum.tip_acceleration = fmax(sum.tip_acceleration, r->tip_acceleration);
    sum.link_acceleration = fmax(sum.link_acceleration, r->link_acceleration);
    sum.microseconds_most = fmax(sum.microseconds_most, r->microseconds_most);
    if (r->turn - r->clip_turn > excess) {
      excess = r->turn - r->clip_turn;
      sum.turn = r->turn;
      sum.clip_turn = r->clip_turn;
    }
  }
  sum.distance = mean_of(sum.distance, distances);
  sum.angle = mean_of(sum.angle, angles);
  sum.microseconds = mean_of(sum.microseconds, times);
  return sum;
}

static void print_title(const clip_course *course) {
  fputs(course->kind == SINEW_TASK_POSE ? "\nPoses at " : "\nPositions at ", stdout);
  if (course->rate > 0.0) {
    printf("%g frames a second", course->rate);
  } else {
    fputs("each clip's own rate", stdout);
  }
  if (course->stretch != 1.0) {
    printf(", targets moved away from their centroid by %.0f %%", 100.0 * (course->stretch - 1.0));
  }
  putchar('\n');
}

void clip_table_print(const clip_folder *folder, const clip_course *course,
                      const clip_result *results) {
  print_title(course);
  printf("%-24s %6s %9s %9s %8s %8s %7s %7s %13s %7s %7s\n", "", "frames", "mean mm", "largest",
         "mean rad", "largest", "turn", "clip's", "accelerations", "us", "largest");
  for (int i = 0; i < folder->count; ++i) {
    print_result(folder->clips[i].name, &results[i]);
  }
  for (int m = 0; m < CLIP_METHOD_COUNT; ++m) {
    char label[64];
    const clip_result sum = sum_up(results + m * folder->count, folder->count);
    snprintf(label, sizeof label, "all clips, %s", clip_methods[m].label);
    print_result(label, &sum);
  }
}

// ------------------------------------------------------------------------- CSV

void clip_table_write_header(FILE *csv) {
  fputs("clip,method,tasks,frames_per_second,own_rate,stretch,frames,distance_mean_mm,"
        "distance_largest_mm,angle_mean,angle_largest,turn_largest,clip_turn_largest,"
        "tip_acceleration_ratio,link_acceleration_ratio,microseconds_mean,microseconds_largest\n",
        csv);
}

// An empty field where there is no value.
static void write_number(FILE *csv, double value) {
  fputc(',', csv);
  if (isfinite(value)) {
    fprintf(csv, "%.8g", value);
  }
}

void clip_table_write(FILE *csv, const clip_folder *folder, const clip_course *course,
                      const clip_result *results) {
  for (int i = 0; i < CLIP_METHOD_COUNT * folder->count; ++i) {
    const clip_result *r = &results[i];
    const clip *c = &folder->clips[i % folder->count];
    output_text(csv, c->name);
    fprintf(csv, ",%s,%s,%.8g,%s,%.8g,%d", clip_methods[i / folder->count].name,
            course->kind == SINEW_TASK_POSE ? "pose" : "position",
            course->rate > 0.0 ? course->rate : clip_rate(c), course->rate > 0.0 ? "no" : "yes",
            course->stretch, r->frames);
    const double values[] = {r->distance,
                             r->distance_most,
                             r->angle,
                             r->angle_most,
                             r->turn,
                             r->clip_turn,
                             r->tip_acceleration,
                             r->link_acceleration,
                             r->microseconds,
                             r->microseconds_most};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k) {
      write_number(csv, values[k]);
    }
    fputc('\n', csv);
  }
}
