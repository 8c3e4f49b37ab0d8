// Skeletons whose joints all have position channels: their bones keep the lengths of the clip, of
// the seed or of the OFFSETs, unless they may stretch.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli_run.h"
#include "sinew/math.h"

#define SKELETONS 12
#define MOST_JOINTS 9
#define FRAMES 6
#define FRAME_TIME 0.05

// A random skeleton of joints with six channels, and its clip.
typedef struct skeleton {
  int count, parent[MOST_JOINTS], children[MOST_JOINTS];
  double offset[MOST_JOINTS][3];
  double place[FRAMES][MOST_JOINTS][3];  // position channels
  double angles[FRAMES][MOST_JOINTS][3]; // [degrees]
  const char *channels[MOST_JOINTS];     // x y z X Y Z in the file's order
} skeleton;

static double draw(uint64_t seed, uint64_t *counter) {
  return 2.0 * sinew_random_uniform(seed, (*counter)++) - 1.0;
}

static skeleton random_skeleton(uint64_t seed) {
  static const char *const orders[] = {"xyzZXY", "xyzXYZ", "ZYXxyz", "zxyYXZ"};
  skeleton s = {.count = 4 + (int)(seed % (MOST_JOINTS - 3))};
  uint64_t n = 0;
  for (int j = 0; j < s.count; ++j) {
    s.parent[j] = j == 0 ? -1 : (int)(fabs(draw(seed, &n)) * j);
    if (j > 0)
      ++s.children[s.parent[j]];
    s.channels[j] = orders[(seed + (uint64_t)j) % 4];
    for (int k = 0; k < 3; ++k)
      s.offset[j][k] = 10 * draw(seed, &n);
  }
  for (int f = 0; f < FRAMES; ++f)
    for (int j = 0; j < s.count; ++j)
      for (int k = 0; k < 3; ++k) {
        s.place[f][j][k] = s.offset[j][k] + draw(seed, &n);
        s.angles[f][j][k] = 20 * draw(seed, &n);
      }
  return s;
}

static void write_joint(FILE *file, const skeleton *s, int j) {
  fprintf(file, "%s J%d\n{\nOFFSET %.17g %.17g %.17g\nCHANNELS 6", j == 0 ? "ROOT" : "JOINT", j,
          s->offset[j][0], s->offset[j][1], s->offset[j][2]);
  for (const char *c = s->channels[j]; *c != '\0'; ++c)
    fprintf(file, " %c%s", *c < 'a' ? *c : *c - 'a' + 'A', *c < 'a' ? "rotation" : "position");
  fputs("\n", file);
  for (int child = j + 1; child < s->count; ++child)
    if (s->parent[child] == j)
      write_joint(file, s, child);
  if (s->children[j] == 0)
    fputs("End Site\n{\nOFFSET 0 3 0\n}\n", file);
  fputs("}\n", file);
}

// The values of a frame are in the order of the hierarchy.
static void write_values(FILE *file, const skeleton *s, int f, int j) {
  for (const char *c = s->channels[j]; *c != '\0'; ++c)
    fprintf(file, "%.17g ", *c < 'a' ? s->angles[f][j][*c - 'X'] : s->place[f][j][*c - 'x']);
  for (int child = j + 1; child < s->count; ++child)
    if (s->parent[child] == j)
      write_values(file, s, f, child);
}

static const char *write_skeleton(const skeleton *s, int frames) {
  const char *path = scratch("skeleton.bvh");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("HIERARCHY\n", file);
  write_joint(file, s, 0);
  fprintf(file, "MOTION\nFrames: %d\nFrame Time: %g\n", frames, FRAME_TIME);
  for (int f = 0; f < frames; ++f) {
    write_values(file, s, f, 0);
    fputs("\n", file);
  }
  assert_int_equal(fclose(file), 0);
  return path;
}

// Targets for the ends of the branches at given times in frames of the clip: near the ends of the
// rest pose, where no bone is as long as in the clip.
static const char *write_targets(const skeleton *s, const double *times, int count, uint64_t seed) {
  const char *path = scratch("targets.csv");
  FILE *file = fopen(path, "w");
  uint64_t n = 1000;
  assert_non_null(file);
  fputs("time", file);
  for (int j = 0; j < s->count; ++j)
    if (s->children[j] == 0)
      fprintf(file, ",J%d_end.x,J%d_end.y,J%d_end.z", j, j, j);
  for (int i = 0; i < count; ++i) {
    fprintf(file, "\n%.17g", times[i] * FRAME_TIME);
    for (int j = 0; j < s->count; ++j) {
      double sum[3] = {0, 3, 0};
      for (int at = j; at >= 0; at = s->parent[at])
        for (int k = 0; k < 3; ++k)
          sum[k] += s->offset[at][k];
      for (int k = 0; k < 3 && s->children[j] == 0; ++k)
        fprintf(file, ",%.17g", sum[k] + 4 * draw(seed, &n));
    }
  }
  fputs("\n", file);
  assert_int_equal(fclose(file), 0);
  return path;
}

// The value of a column in a row of a CSV.
static double value_of(const char *text, int row, const char *name) {
  const char *head = text, *line = line_of(text, row);
  const size_t length = strlen(name);
  while (strncmp(head, name, length) != 0 || (head[length] != ',' && head[length] != '\n')) {
    head += strcspn(head, ",\n");
    line += strcspn(line, ",\n");
    if (*head != ',')
      fail_msg("no column %s", name);
    ++head;
    ++line;
  }
  return strtod(line, NULL);
}

// The largest difference of the distances of joints below the root from those wanted.
static double worst_distance(const skeleton *s, const char *text, int row,
                             double wanted[MOST_JOINTS][3]) {
  double worst = 0;
  for (int j = 1; j < s->count; ++j)
    for (int k = 0; k < 3; ++k) {
      char name[16];
      snprintf(name, sizeof name, "J%d.%c", j, 'x' + k);
      worst = fmax(worst, fabs(value_of(text, row, name) - wanted[j][k]));
    }
  return worst;
}

// The distances of the clip at a time in frames.
static void clip_distances(const skeleton *s, double time, double wanted[MOST_JOINTS][3]) {
  time = fmin(fmax(time, 0), FRAMES - 1);
  const int before = (int)time, after = before < FRAMES - 1 ? before + 1 : before;
  for (int j = 0; j < s->count; ++j)
    for (int k = 0; k < 3; ++k)
      wanted[j][k] = s->place[before][j][k] +
                     (time - before) * (s->place[after][j][k] - s->place[before][j][k]) -
                     s->offset[j][k];
}

static void expect_done(result got) {
  if (got.exit_code != 0)
    fail_msg("exit %d: %s", got.exit_code, got.err);
  release(&got);
}

// Bones follow the clip at the same time: at its frames, between them, before and after it; by
// every method, and where a jump is solved from scratch. The root follows the targets.
static void bones_follow_the_clip(void **state) {
  (void)state;
  static const double times[] = {-3, 0, 0.5, 1, 2, 3.25, 4, 5, 9};
  static const char *const methods[] = {"default", "transpose", "pseudoinverse",
                                        "dls",     "sdls",      "newton"};
  enum { COUNT = sizeof times / sizeof times[0] };
  for (uint64_t seed = 0; seed < SKELETONS; ++seed) {
    const skeleton s = random_skeleton(seed);
    const char *model = write_skeleton(&s, FRAMES), *out = scratch("bones.csv");
    const char *targets = write_targets(&s, times, COUNT, seed);
    expect_done(RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W(out),
                    W("--method"), W(methods[seed % 6]), W("--cut"), W("5"), W("--updates"), W("3"),
                    W(seed % 6 == 0 ? "--escape" : "--json")));
    char *text = read_all(out);
    double root = 0;
    for (int i = 0; i < COUNT; ++i) {
      double wanted[MOST_JOINTS][3];
      clip_distances(&s, times[i], wanted);
      const double worst = worst_distance(&s, text, 1 + i, wanted);
      // Rounding of the file's degrees and distances.
      if (!(worst < 1e-12))
        fail_msg("skeleton %d, frame %d: a distance differs by %g", (int)seed, i, worst);
      root = fmax(root, fabs(value_of(text, 1 + i, "J0.x") - wanted[0][0]));
    }
    assert_true(root > 0.01);
    free(text);
  }
}

// With a seed they are those of the seed; without a clip those of the OFFSETs, which are 0.
static void bones_keep_the_lengths_of_the_seed(void **state) {
  (void)state;
  static const double times[] = {0, 1, 2};
  for (uint64_t seed = 0; seed < SKELETONS; ++seed) {
    const skeleton s = random_skeleton(seed);
    const char *targets = write_targets(&s, times, 3, seed), *out = scratch("bones.csv");
    double wanted[MOST_JOINTS][3] = {{0}};
    for (int given = 0; given < 2; ++given) {
      const char *model = write_skeleton(&s, given ? FRAMES : 0);
      char values[1024];
      int length = 0;
      for (int j = 0; j < 6 * s.count; ++j)
        length += snprintf(values + length, sizeof values - (size_t)length, "%s0.5", j ? "," : "");
      expect_done(given
                      ? RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W(out),
                            W("--seed"), W(values))
                      : RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W(out)));
      for (int j = 0; j < s.count; ++j)
        for (int k = 0; k < 3; ++k)
          wanted[j][k] = given ? 0.5 : 0;
      char *text = read_all(out);
      for (int i = 0; i < 3; ++i)
        assert_true(worst_distance(&s, text, 1 + i, wanted) == 0);
      free(text);
    }
  }
}

// With --stretch bones do stretch, and the targets are met.
static void bones_stretch_on_request(void **state) {
  (void)state;
  static const double times[] = {0, 1, 2};
  for (uint64_t seed = 0; seed < SKELETONS; ++seed) {
    const skeleton s = random_skeleton(seed);
    const char *model = write_skeleton(&s, FRAMES), *out = scratch("bones.csv");
    const char *targets = write_targets(&s, times, 3, seed);
    result got = RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W(out),
                     W("--stretch"), W("--updates"), W("30"), W("--json"));
    json_t *report = parse_output(&got, 0);
    assert_true(number_of(json_object_get(report, "position_error"), "worst") < 1e-4);
    json_decref(report);
    release(&got);
    char *text = read_all(out);
    double wanted[MOST_JOINTS][3];
    clip_distances(&s, 2, wanted);
    assert_true(worst_distance(&s, text, 3, wanted) > 1e-3);
    free(text);
  }
}

// The same for a solve and a batch: bones keep the lengths of the seed.
static void solutions_keep_the_lengths_of_bones(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SKELETONS; ++seed) {
    const skeleton s = random_skeleton(seed);
    const char *model = write_skeleton(&s, FRAMES), *out = scratch("solved.csv");
    const char *targets = write_all("places.csv", "x,y,z\n1,2,3\n-4,5,1\n");
    char last[16];
    snprintf(last, sizeof last, "J%d", s.count - 1);
    for (int stretch = 0; stretch < 2; ++stretch) {
      char *const option = W(stretch ? "--stretch" : "--json");
      double worst = 0, length = 0;
      remove(out);
      expect_done(RUN(W("batch"), W(model), W("--tip"), W(last), W("--targets"), W(targets),
                      W("--out"), W(out), W("--bank"), W("100"), option));
      char *text = read_all(out);
      for (int i = 0; i < 2; ++i)
        worst = fmax(worst, worst_distance(&s, text, 1 + i, (double[MOST_JOINTS][3]){{0}}));
      free(text);
      result got = RUN(W("solve"), W(model), W("--tip"), W(last), W("--position"), W("1,2,3"),
                       W("--json"), option);
      json_t *root = parse_output(&got, 0);
      for (int j = 1; j < s.count; ++j) {
        char name[16];
        snprintf(name, sizeof name, "J%d", j);
        for (int c = 0; c < 6; ++c)
          if (s.channels[j][c] >= 'a')
            length = fmax(length, fabs(element(json_object_get(root, "q"), name, (size_t)c)));
      }
      json_decref(root);
      release(&got);
      assert_true(stretch ? worst > 1e-6 && length > 1e-6 : worst == 0 && length == 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bones_follow_the_clip),
      cmocka_unit_test(bones_keep_the_lengths_of_the_seed),
      cmocka_unit_test(bones_stretch_on_request),
      cmocka_unit_test(solutions_keep_the_lengths_of_bones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
