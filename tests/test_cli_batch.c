// The command sinew batch: input, output, and what it refuses.
#include "batch_files.h"

#include "near.h"
#include "sinew/formats.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARM "models/arm7.urdf"
#define ROWS 200

// A run that must succeed.
static void expect_done(result got) {
  if (got.exit_code != 0)
    fail_msg("exit %d: %s", got.exit_code, got.err);
  release(&got);
}

// --------------------------------------------------------------- what comes out

// Positions within reach of the two links' tip, by the closed form.
static const double *two_link_positions(void) {
  static double values[ROWS * 3];
  for (int i = 0; i < ROWS; ++i) {
    const double shoulder = -1.4 + 3.8 * i / ROWS, elbow = 2.9 * sin(0.37 * i);
    values[3 * i] = LENGTH1 * cos(shoulder) + LENGTH2 * cos(shoulder + elbow);
    values[3 * i + 1] = 0.0;
    values[3 * i + 2] = LENGTH1 * sin(shoulder) + LENGTH2 * sin(shoulder + elbow);
  }
  return values;
}

// One row of the output CSV: the outcome, and the numbers after it.
static void read_line(const char *text, int k, char outcome[32], double *values, int count) {
  const char *place = line_of(text, k);
  assert_int_equal(sscanf(place, "%31[^,]", outcome), 1);
  place += strlen(outcome);
  for (int i = 0; i < count; ++i) {
    int length = 0;
    assert_int_equal(sscanf(place, ",%lf%n", &values[i], &length), 1);
    place += length;
  }
  assert_true(*place == '\n');
}

// Positions in, joint values out: by the closed form the results are at the positions, within the
// limits; coupled joints are listed and follow their driver.
static void positions_from_a_csv(void **state) {
  (void)state;
  const double *positions = two_link_positions();
  const char *targets = write_csv("positions.csv", "x,y,z", positions, ROWS, 3);
  const char *out = fresh("answers.csv");
  expect_done(RUN(W("batch"), W(two_link_file()), W("--tip"), W("tip"), W("--targets"), W(targets),
                  W("--out"), W(out)));
  char *text = read_all(out);
  static const char header[] =
      "outcome,position_error,orientation_error,steps,shoulder,elbow,left,right\n";
  assert_int_equal(strncmp(text, header, strlen(header)), 0);
  assert_int_equal(line_count(text), ROWS + 1);
  for (int i = 0; i < ROWS; ++i) {
    char outcome[32];
    double v[7]; // position error, orientation error, steps, four joints
    read_line(text, i + 1, outcome, v, 7);
    assert_string_equal(outcome, "converged");
    const double x = LENGTH1 * cos(v[3]) + LENGTH2 * cos(v[3] + v[4]);
    const double z = LENGTH1 * sin(v[3]) + LENGTH2 * sin(v[3] + v[4]);
    const double error = hypot(x - positions[3 * i], z - positions[3 * i + 2]);
    assert_at_most(error, 1e-6 + 1e-12);
    assert_near(v[0], error, 1e-12);
    assert_true(v[1] == 0.0 && v[2] >= 0.0);
    assert_true(v[3] >= -1.5 && v[3] <= 2.5);
    assert_near(v[6], -2.0 * v[5] + 0.01, 1e-15);
  }
  free(text);
}

// --reach appends how far the arm reaches, where a target is out of reach, as many columns in both
// formats, without a change of the others.
static void reach_is_appended(void **state) {
  (void)state;
  static double poses[20 * 7];
  memcpy(poses, arm_poses(20), sizeof poses);
  for (int i = 0; i < 10; ++i)
    for (int k = 0; k < 3; ++k)
      poses[7 * i + k] *= 3.0;
  const char *targets = write_npy("reach.npy", poses, 20, 7);
  const char *plain = fresh("reach-none.npy"), *with = fresh("reach-out.npy"),
             *csv = fresh("reach-out.csv");
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                  W("--out"), W(plain)));
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                  W("--reach"), W("--out"), W(with)));
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                  W("--reach"), W("--out"), W(csv)));
  table a = read_npy(plain), b = read_npy(with);
  char *text = read_all(csv);
  assert_int_equal(b.columns, 4 + 7 + 3);
  assert_non_null(strstr(line_of(text, 0), "joint7,reach_task,reach,target_distance\n"));
  int beyond = 0;
  for (int i = 0; i < 20; ++i) {
    const double *row = b.values + 14 * i, *last = row + 11;
    assert_memory_equal(row, a.values + 11 * i, 11 * sizeof *row);
    char outcome[32];
    double v[13];
    if (row[0] == 1.0) { // out_of_reach
      ++beyond;
      assert_true(last[0] == 0.0 && last[1] > 0.0 && last[2] > last[1]);
      read_line(text, i + 1, outcome, v, 13);
      assert_memory_equal(v + 10, last, 3 * sizeof *last);
    } else {
      assert_true(last[0] == -1.0 && last[1] == -1.0 && last[2] == -1.0);
      assert_memory_equal(strchr(line_of(text, i + 1), '\n') - 3, ",,,", 3);
    }
  }
  assert_true(beyond >= 5 && beyond <= 10);
  free(a.values);
  free(b.values);
  free(text);
}

// The same targets as CSV and as NPY with both number sizes; output in both formats.
static void formats_agree(void **state) {
  (void)state;
  const double *poses = arm_poses(ROWS);
  static double narrow[ROWS * 7];
  static float floats[ROWS * 7];
  for (int i = 0; i < ROWS * 7; ++i)
    narrow[i] = floats[i] = (float)poses[i];
  const char *csv = write_csv("poses.csv", "x,y,z,qw,qx,qy,qz", narrow, ROWS, 7);
  const char *wide = write_npy("poses.npy", narrow, ROWS, 7);
  // A NPY of <f4: the head of <f8 but for that letter. Little-endian processors only.
  const char *single = scratch("single.npy");
  char head[SINEW_NPY_HEADER_SIZE];
  FILE *file = fopen(wide, "rb"), *copy = fopen(single, "wb");
  assert_true(file && copy && fread(head, 1, sizeof head, file) == sizeof head);
  fclose(file);
  assert_memory_equal(head + 10, "{'descr': '<f8'", 15);
  head[10 + 13] = '4';
  fwrite(head, 1, sizeof head, copy);
  fwrite(floats, sizeof(float), ROWS * 7, copy);
  assert_int_equal(fclose(copy), 0);

  const char *const sources[3] = {csv, wide, single};
  static const char *const names[3] = {"from-csv.npy", "from-f8.npy", "from-f4.npy"};
  for (int i = 0; i < 3; ++i)
    expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(sources[i]),
                    W("--out"), W(fresh(names[i]))));
  assert_true(same_files(scratch(names[0]), scratch(names[1])));
  assert_true(same_files(scratch(names[0]), scratch(names[2])));

  const char *out = fresh("as.csv");
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(wide), W("--out"),
                  W(out)));
  char *text = read_all(out);
  table answers = read_npy(scratch(names[0]));
  assert_int_equal(answers.rows, ROWS);
  assert_int_equal(answers.columns, 4 + 7);
  for (int i = 0; i < ROWS; ++i) {
    char outcome[32];
    double v[10];
    read_line(text, i + 1, outcome, v, 10);
    assert_string_equal(outcome, "converged");
    assert_true(answers.values[11 * i] == 0.0);
    assert_memory_equal(v, answers.values + 11 * i + 1, sizeof v);
  }
  free(answers.values);
  free(text);
}

// Columns in any order, with or without their link's name; a time is ignored.
static void columns_in_any_order(void **state) {
  (void)state;
  const double *p = two_link_positions();
  static double turned[ROWS * 4];
  for (int i = 0; i < ROWS; ++i) {
    const double row[4] = {p[3 * i + 2], 0.1 * i, p[3 * i], p[3 * i + 1]};
    memcpy(turned + 4 * i, row, sizeof row);
  }
  const char *plain = write_csv("plain.csv", "x,y,z", p, ROWS, 3);
  const char *other = write_csv("other.csv", "tip.z,time,\"tip.x\",tip.y", turned, ROWS, 4);
  const char *a = fresh("plain-out.csv"), *b = fresh("other-out.csv");
  expect_done(RUN(W("batch"), W(two_link_file()), W("--tip"), W("tip"), W("--targets"), W(plain),
                  W("--out"), W(a)));
  expect_done(RUN(W("batch"), W(two_link_file()), W("--tip"), W("tip"), W("--targets"), W(other),
                  W("--out"), W(b)));
  assert_true(same_files(a, b));
}

// Two hands of a person, one as a position and one as a pose, and the feet in an NPY file: fk of
// the results gives the targets.
static void several_tips_reach_their_targets(void **state) {
  (void)state;
  const char *clip = scratch("hands.csv"), *out = fresh("hands-out.csv");
  expect_done(RUN(W("fk"), W("models/humanoid.bvh"), W("--tip"), W("LeftHand"), W("--tip"),
                  W("RightHand"), W("--motion"), W("--out"), W(clip)));
  expect_done(RUN(W("batch"), W("models/humanoid.bvh"), W("--tip"), W("RightHand"), W("--tip"),
                  W("LeftHand"), W("--targets"), W(clip), W("--out"), W(out)));
  // The results as a motion, without the first columns.
  char *text = read_all(out), line[512];
  const int rows = line_count(text) - 1;
  assert_true(rows > 10);
  const char *motion = scratch("hands-motion.csv"), *back = scratch("hands-back.csv");
  FILE *file = fopen(motion, "wb");
  for (int i = 0; i <= rows; ++i) {
    const char *row = line_of(text, i);
    assert_true(i == 0 || strncmp(row, "converged,", 10) == 0);
    for (int k = 0; k < 4; ++k)
      row = strchr(row, ',') + 1;
    fprintf(file, i == 0 ? "time," : "%d,", i);
    fwrite(row, 1, strcspn(row, "\n") + 1, file);
  }
  assert_int_equal(fclose(file), 0);
  free(text);
  snprintf(line, sizeof line, "%s", motion);
  expect_done(RUN(W("fk"), W("models/humanoid.bvh"), W("--tip"), W("LeftHand"), W("--tip"),
                  W("RightHand"), W("--motion"), line, W("--out"), W(back)));
  char *wanted = read_all(clip), *got = read_all(back);
  for (int i = 1; i <= rows; ++i) {
    double time, a[14], b[14];
    const char *from = line_of(wanted, i), *to = line_of(got, i);
    for (int k = -1; k < 14; ++k) {
      sscanf(from, "%lf", k < 0 ? &time : &a[k]);
      sscanf(to, "%lf", k < 0 ? &time : &b[k]);
      from = from + strcspn(from, ",\n") + 1;
      to = to + strcspn(to, ",\n") + 1;
    }
    for (int hand = 0; hand < 2; ++hand) {
      const double *p = a + 7 * hand, *r = b + 7 * hand;
      double dot = 0.0;
      for (int k = 3; k < 7; ++k)
        dot += p[k] * r[k];
      assert_at_most(hypot(hypot(p[0] - r[0], p[1] - r[1]), p[2] - r[2]), 1e-6 + 1e-9);
      assert_at_most(1.0 - fabs(dot), 1e-12); // half the squared angle
    }
  }
  free(wanted);
  free(got);
}

// A byte order mark, CR LF, empty lines, quotes, no newline at the end.
static void unusual_but_valid_csv(void **state) {
  (void)state;
  const char *plain = write_all("even.csv", "x,y,z\n0.9,0,0.5\n-0.2,0,1\n");
  const char *odd = write_all("odd.csv", "\xEF\xBB\xBFx,\"y\",z\r\n\r\n\"0.9\", 0 ,0.5\r\n"
                                         "\n-0.2,0,\"1\"");
  const char *a = fresh("even-out.csv"), *b = fresh("odd-out.csv");
  expect_done(RUN(W("batch"), W(two_link_file()), W("--tip"), W("tip"), W("--targets"), W(plain),
                  W("--out"), W(a)));
  expect_done(RUN(W("batch"), W(two_link_file()), W("--tip"), W("tip"), W("--targets"), W(odd),
                  W("--out"), W(b)));
  assert_true(same_files(a, b));
  char *text = read_all(a);
  assert_int_equal(line_count(text), 3);
  free(text);
}

static void orientations_alone(void **state) {
  (void)state;
  static double turns[50 * 4];
  for (int i = 0; i < 50; ++i)
    memcpy(turns + 4 * i, arm_poses(50) + 7 * i + 3, 4 * sizeof(double));
  const char *csv = write_csv("turns.csv", "qw,qx,qy,qz", turns, 50, 4);
  const char *npy = write_npy("turns.npy", turns, 50, 4);
  const char *a = fresh("turns-a.npy"), *b = fresh("turns-b.npy");
  expect_done(
      RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(csv), W("--out"), W(a)));
  expect_done(
      RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(npy), W("--out"), W(b)));
  assert_true(same_files(a, b));
  table answers = read_npy(a);
  for (size_t i = 0; i < answers.rows; ++i)
    assert_true(answers.values[11 * i] == 0.0 && answers.values[11 * i + 1] == 0.0);
  free(answers.values);
}

// Seeded with the solution, the result is the seed; seeds as columns and as a file.
static void seeds_are_used(void **state) {
  (void)state;
  enum { COUNT = 60 };
  const char *targets = write_npy("seeded.npy", arm_poses(COUNT), COUNT, 7);
  const char *first = fresh("unseeded.npy"), *second = fresh("seeded-out.npy"),
             *third = fresh("seeded-csv.npy");
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                  W("--out"), W(first)));
  table answers = read_npy(first);
  static double q[COUNT * 7], both[COUNT * 14];
  for (size_t i = 0; i < COUNT; ++i) {
    memcpy(q + 7 * i, answers.values + 11 * i + 4, 7 * sizeof(double));
    memcpy(both + 14 * i, arm_poses(COUNT) + 7 * i, 7 * sizeof(double));
    memcpy(both + 14 * i + 7, q + 7 * i, 7 * sizeof(double));
  }
  free(answers.values);
  const char *seeds = write_npy("seeds.npy", q, COUNT, 7);
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                  W("--seeds"), W(seeds), W("--out"), W(second)));
  answers = read_npy(second);
  for (size_t i = 0; i < COUNT; ++i) {
    assert_true(answers.values[11 * i] == 0.0 && answers.values[11 * i + 3] == 0.0);
    assert_memory_equal(answers.values + 11 * i + 4, q + 7 * i, 7 * sizeof(double));
  }
  free(answers.values);
  const char *csv = write_csv("seeded.csv",
                              "x,y,z,qw,qx,qy,qz,seed.joint1,seed.joint2,seed.joint3,seed.joint4,"
                              "seed.joint5,seed.joint6,seed.joint7",
                              both, COUNT, 14);
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(csv), W("--out"),
                  W(third)));
  assert_true(same_files(second, third));
}

// req: F3
static void results_do_not_depend_on_threads_and_blocks(void **state) {
  (void)state;
  const char *targets = write_npy("threads.npy", arm_poses(3000), 3000, 7);
  const char *one = fresh("threads-1.npy");
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                  W("--threads"), W("1"), W("--out"), W(one)));
  const char *chunked = fresh("chunked.npy");
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                  W("--threads"), W("1"), W("--chunk"), W("77"), W("--out"), W(chunked)));
  assert_true(same_files(one, chunked));
  // A CSV larger than one read block.
  const char *csv = write_csv("threads.csv", "x,y,z,qw,qx,qy,qz", arm_poses(3000), 3000, 7);
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(csv), W("--out"),
                  W(fresh("chunked.npy"))));
  assert_true(same_files(one, chunked));
  static const char *const threads[] = {"2", "7"};
  for (int i = 0; i < 2; ++i) {
    const char *many = fresh("threads-n.npy");
    result got = RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                     W("--threads"), W(threads[i]), W("--out"), W(many));
    if (got.exit_code == 2 && strstr(got.err, "OpenMP")) {
      print_message("skipped: built without OpenMP\n");
      release(&got);
      skip();
    }
    expect_done(got);
    assert_true(same_files(one, many));
  }
}

// With postures of a bank as starts, or without: the results may differ and are as good.
static int converged_rows(const char *targets, const char *most) {
  const char *out = fresh("starts.csv");
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                  W("--bank"), W("0"), W("--max-starts"), W(most), W("--out"), W(out)));
  char *text = read_all(out);
  int count = 0;
  for (int row = 1; row <= 100; ++row)
    count += strncmp(line_of(text, row), "converged,", 10) == 0;
  free(text);
  return count;
}

// All targets can be reached; the first start alone does not find all of them.
static void starts_are_limited(void **state) {
  (void)state;
  const char *targets = write_npy("starts.npy", arm_poses(100), 100, 7);
  assert_int_equal(converged_rows(targets, "1000"), 100);
  assert_true(converged_rows(targets, "1") < 100);
}

static void banks_of_any_size(void **state) {
  (void)state;
  const char *targets = write_npy("bank.npy", arm_poses(ROWS), ROWS, 7);
  static const char *const sizes[] = {"0", "1", "500"};
  for (int i = 0; i < 3; ++i) {
    const char *out = fresh("bank-out.npy");
    expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                    W("--bank"), W(sizes[i]), W("--out"), W(out)));
    table answers = read_npy(out);
    assert_int_equal(answers.rows, ROWS);
    for (size_t r = 0; r < answers.rows; ++r)
      assert_true(answers.values[11 * r] == 0.0 && answers.values[11 * r + 1] <= 1e-6);
    free(answers.values);
  }
}

// Standard input and output.
static void batch_reads_and_writes_pipes(void **state) {
  (void)state;
  const char *targets = write_csv("piped.csv", "x,y,z", two_link_positions(), ROWS, 3);
  const char *npy = write_npy("piped.npy", two_link_positions(), ROWS, 3);
  const char *out = fresh("unpiped.csv");
  char line[4096];
  expect_done(RUN(W("batch"), W(two_link_file()), W("--tip"), W("tip"), W("--targets"), W(targets),
                  W("--out"), W(out)));
  char *wanted = read_all(out);
  const char *const sources[2] = {targets, npy};
  for (int i = 0; i < 2; ++i) {
    snprintf(line, sizeof line,
             "cat '%s' | \"$SINEW\" batch '%s' --tip tip --targets - --out - | cat", sources[i],
             two_link_file());
    result got = shell(line);
    assert_string_equal(got.out, wanted);
    release(&got);
  }
  free(wanted);
}

static void batch_report_counts_outcomes(void **state) {
  (void)state;
  double values[4 * 3];
  memcpy(values, two_link_positions(), sizeof values);
  values[3] = 9.0;
  values[6] = NAN;
  const char *targets = write_npy("report.npy", values, 4, 3), *out = fresh("report-out.npy");
  result got = RUN(W("batch"), W(two_link_file()), W("--tip"), W("tip"), W("--targets"), W(targets),
                   W("--out"), W(out), W("--json"));
  json_t *root = parse_output(&got, 0);
  const json_t *outcomes = json_object_get(root, "outcomes");
  assert_true(number_of(root, "rows") == 4);
  assert_true(number_of(root, "solved_now") == 4);
  assert_true(number_of(outcomes, "converged") == 2);
  assert_true(number_of(outcomes, "out_of_reach") == 1);
  assert_true(number_of(outcomes, "bad_input") == 1);
  assert_int_equal(json_object_size(outcomes), 8); // those of the help, and no other
  assert_null(json_object_get(outcomes, "rejected"));
  assert_true(number_of(root, "seconds") >= 0);
  json_decref(root);
  release(&got);
  got = RUN(W("batch"), W(two_link_file()), W("--tip"), W("tip"), W("--targets"), W(targets),
            W("--out"), W(fresh("report-out.npy")));
  assert_non_null(strstr(got.err, "4 rows: 2 converged, 1 out_of_reach, 1 bad_input"));
  assert_string_equal(got.out, "");
  release(&got);
}

static void files_without_rows(void **state) {
  (void)state;
  const char *out = fresh("none.npy");
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"),
                  W(write_npy("none-in.npy", NULL, 0, 7)), W("--out"), W(out)));
  table answers = read_npy(out);
  assert_int_equal(answers.rows, 0);
  assert_int_equal(answers.columns, 11);
  free(answers.values);
  out = fresh("none.csv");
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"),
                  W(write_csv("none-in.csv", "x,y,z", NULL, 0, 3)), W("--out"), W(out)));
  char *text = read_all(out);
  assert_int_equal(line_count(text), 1);
  free(text);
}

static void help_is_complete(void **state) {
  (void)state;
  result got = RUN(W("batch"), W("--help"));
  assert_int_equal(got.exit_code, 0);
  static const char *const words[] = {"--targets", "--seeds", "--out",      "--shard",
                                      "--resume",  "1e-06",   "6 bad_input"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    if (!strstr(got.out, words[i]))
      fail_msg("the help has no '%s'", words[i]);
  release(&got);
}

// ------------------------------------------------------------ invalid rows

// Invalid rows of a CSV: a warning names each with its line, and its numbers are empty in the
// output; the other rows have the same results without them.
static void bad_rows_of_a_csv(void **state) {
  (void)state;
  static const char *const rows[] = {"0.4,0.1,0.5,0,1,0,0",   "0.4,abc,0.5,0,1,0,0",
                                     "0.4,0.1,0.5,0,0,0,0",   "0.4,0.1,0.5,0,1,0",
                                     "0.5,0.1,0.5,0,1,0,0",   "1e300,0.1,0.5,0,1,0,0",
                                     "0.4,0.1,,0,1,0,0",      "0.4,0.1,0.5,0,1,0,0,8",
                                     "1e999,0.1,0.5,1,1,0,0", "0.4,0.1,0.5,0,1,0,0"};
  static const bool good[] = {true, false, false, false, true, false, false, false, false, true};
  char text[1024] = "x,y,z,qw,qx,qy,qz\n", only[1024] = "x,y,z,qw,qx,qy,qz\n";
  for (int i = 0; i < 10; ++i) {
    strcat(strcat(text, rows[i]), "\n");
    if (good[i])
      strcat(strcat(only, rows[i]), "\n");
  }
  const char *out = fresh("bad-out.csv"), *alone = fresh("good-out.csv");
  const char *targets = write_all("bad.csv", text);
  result got = RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                   W("--out"), W(out));
  assert_int_equal(got.exit_code, 0);
  static const char *const messages[] = {
      "bad.csv:3: row 1 (from 0): flange.y is not a finite number",
      "bad.csv:4: row 2 (from 0): a quaternion of length 0",
      "bad.csv:5: row 3 (from 0): 6 fields, but the header has 7",
      "bad.csv:7: row 5 (from 0): flange.x is 1e+300, and may be 1e+100 at most",
      "bad.csv:8: row 6 (from 0): flange.z",
      "bad.csv:9: row 7 (from 0): 8 fields",
      "bad.csv:10: row 8 (from 0): flange.x",
      "10 rows: 3 converged, 7 bad_input"};
  for (size_t i = 0; i < sizeof messages / sizeof messages[0]; ++i)
    if (!strstr(got.err, messages[i]))
      fail_msg("'%s' is not in '%s'", messages[i], got.err);
  release(&got);
  expect_done(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"),
                  W(write_all("good.csv", only)), W("--out"), W(alone)));
  char *all = read_all(out), *three = read_all(alone);
  for (int i = 0, k = 1; i < 10; ++i) {
    const char *line = line_of(all, i + 1);
    const char *wanted = good[i] ? line_of(three, k++) : "bad_input,,,,,,,,,,\n";
    assert_int_equal(strncmp(line, wanted, strcspn(wanted, "\n") + 1), 0);
  }
  free(all);
  free(three);
}

// In NPY they have the outcome's number, errors of -1 and the start. Of many, the first are named
// and the others counted.
static void bad_rows_of_a_npy(void **state) {
  (void)state;
  enum { COUNT = 40 };
  static double poses[COUNT * 7], q[COUNT * 7];
  memcpy(poses, arm_poses(COUNT), sizeof poses);
  for (int i = 0; i < COUNT; ++i) {
    for (int k = 0; k < 7; ++k)
      q[7 * i + k] = k == 3 ? -1.5 : 0.0;
    if (i % 2 == 1)
      *(i % 4 == 1 ? &poses[7 * i + 2] : &q[7 * i + 5]) = i % 8 < 4 ? NAN : -INFINITY;
  }
  const char *out = fresh("bad-out.npy");
  result got = RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"),
                   W(write_npy("bad.npy", poses, COUNT, 7)), W("--seeds"),
                   W(write_npy("bad-seeds.npy", q, COUNT, 7)), W("--out"), W(out));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.err, "bad.npy: row 1 (from 0): flange.z is not a finite number"));
  assert_non_null(strstr(got.err, "bad.npy: row 3 (from 0): seed.joint6 is not a finite number"));
  assert_non_null(strstr(got.err, "10 more rows are bad_input"));
  assert_null(strstr(got.err, "row 21 "));
  release(&got);
  table answers = read_npy(out);
  // Of the start: 0, or the limit nearest to it.
  static const double start[7] = {0.0, 0.0, 0.0, -0.0698, 0.0, 0.0, 0.0};
  for (int i = 0; i < COUNT; ++i) {
    const double *row = answers.values + 11 * i;
    assert_true(row[0] == (i % 2 == 1 ? 6.0 : 0.0));
    if (i % 2 == 1) {
      assert_true(row[1] == -1.0 && row[2] == -1.0 && row[3] == 0.0);
      assert_at_most(farthest(7, row + 4, start), 0.0);
    }
  }
  free(answers.values);
}

// ----------------------------------------------------------------------- refusals

static result run_with(const char *targets, const char *option, const char *value) {
  const char *out = fresh("refused.csv");
  return RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets), W("--out"),
             W(out), option ? W(option) : NULL, W(value));
}

// A file of targets that is refused; no output file is left.
static void refuse(const char *targets, const char *first, const char *second) {
  expect_refusal(run_with(targets, NULL, NULL), first, second);
  assert_false(there(scratch("refused.csv"), ""));
  assert_false(there(scratch("refused.csv"), ".partial"));
  assert_false(there(scratch("refused.csv"), ".journal"));
}

static void refuse_header(const char *header, const char *first, const char *second) {
  char text[512];
  snprintf(text, sizeof text, "%s\n1,2,3,4,5,6,7\n", header);
  refuse(write_all("header.csv", text), first, second);
}

static void invalid_headers_are_refused(void **state) {
  (void)state;
  refuse_header("x,y", "header.csv:1:", "column z of --tip flange is missing");
  refuse_header("x,y,z,qw,qx,qz", "header.csv:1:", "column qy");
  refuse_header("x,y,z,x", "column 4", "twice");
  refuse_header("x,y,z,weight", "column 4, 'weight'", "seed.JOINT");
  refuse_header("hand.x,hand.y,hand.z", "column 1, 'hand.x'", "not one of --tip");
  refuse_header("x,y,z,seed.joint1", "seed.joint2 is missing", "header.csv:1:");
  refuse_header("x,y,z,seed.join1", "no such joint", "'joint1'");
  refuse_header("x,y,z,seed.joint1,seed.joint1", "column 5", "twice");
  refuse_header("time", "no column for --tip flange", "header.csv:1:");
  expect_refusal(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--tip"), W("link3"),
                     W("--targets"), W(write_all("header.csv", "x,y,z\n1,2,3\n")), W("--out"),
                     W(fresh("refused.csv"))),
                 "which --tip", "LINK.x");
}

static void invalid_csv_files_are_refused(void **state) {
  (void)state;
  refuse("no/such/file.csv", "no/such/file.csv", "No such file");
  refuse(write_all("empty.csv", ""), "empty.csv", "empty");
  refuse(write_all("quote.csv", "x,y,z\n1,2,\"3\n4,5,6\n"), "quote.csv:2:", "not closed");
  refuse(write_all("inner.csv", "x,y,z\n1,2,3\"\n"), "inner.csv:2:", "a quote inside");
  refuse("models", "models", "directory");
  FILE *file = fopen(scratch("zero.csv"), "wb");
  fwrite("x,y,z\n1,\0,3\n", 1, 12, file);
  fclose(file);
  refuse(scratch("zero.csv"), "zero.csv:", "zero byte");
  file = fopen(scratch("endless.csv"), "wb");
  fputs("x,y,z\n", file);
  for (int i = 0; i < 5000000; ++i)
    fputc('1', file);
  fclose(file);
  refuse(scratch("endless.csv"), "endless.csv:2:", "more than 4 MiB");
}

// An input file is never overwritten.
static void invalid_outputs_are_refused(void **state) {
  (void)state;
  const char *targets = write_all("both.csv", "x,y,z\n.4,.1,.5\n");
  expect_refusal(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                     W("--out"), W(targets)),
                 "both.csv", "would overwrite a file that is read");
  assert_true(there(targets, ""));
}

// Writes an NPY file with any header text, followed by a number of zero bytes.
static const char *unusual_npy(const char *text, size_t bytes) {
  const char *path = scratch("odd.npy");
  FILE *file = fopen(path, "wb");
  fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
  fprintf(file, "%-117s\n", text);
  for (size_t i = 0; i < bytes; ++i)
    fputc(0, file);
  fclose(file);
  return path;
}

static void invalid_npy_files_are_refused(void **state) {
  (void)state;
  refuse(unusual_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (10, 7), }", 10 * 56 - 60),
         "odd.npy: the file is incomplete: it ends at byte 628", "within row 8 (from 0) of 10");
  refuse(unusual_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (10, 7), }", 10 * 56 + 1),
         "odd.npy: 1 bytes follow", "10 rows");
  refuse(unusual_npy("{'descr': '<f8', 'fortran_order': True, 'shape': (10, 7), }", 560),
         "odd.npy:", "Fortran");
  refuse(unusual_npy("{'descr': '<i4', 'fortran_order': False, 'shape': (10, 7), }", 280),
         "odd.npy:", "'<i4'");
  refuse(unusual_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (70,), }", 560),
         "odd.npy:", "1 dimension");
  refuse(unusual_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (10, 6), }", 480),
         "odd.npy:", "6 columns; 1 tip needs 3");
  refuse(unusual_npy("nonsense", 0), "odd.npy: byte 10:", "opening brace");
  refuse(write_all("text.npy", "x,y,z\n1,2,3\n"), "text.npy:", "not an NPY");
}

static void invalid_seeds_are_refused(void **state) {
  (void)state;
  static const double zeros[5 * 8];
  const char *targets = write_npy("some.npy", arm_poses(5), 5, 7);
  expect_refusal(run_with(targets, "--seeds", write_npy("short.npy", zeros, 5, 6)),
                 "short.npy: a seed has 6 values", "needs 7");
  expect_refusal(run_with(targets, "--seeds", write_npy("few.npy", zeros, 4, 7)),
                 "few.npy: there are 4 seeds", "5 targets");
  expect_refusal(run_with(targets, "--seeds", "none.npy"), "none.npy", "No such file");
  expect_refusal(run_with(write_csv("some.csv", "x,y,z", zeros, 5, 3), "--seeds",
                          write_npy("right.npy", zeros, 5, 7)),
                 "--seeds", "seed.JOINT");
}

static void invalid_options_are_refused(void **state) {
  (void)state;
  const char *targets = write_npy("options.npy", arm_poses(3), 3, 7);
  static const struct {
    const char *option, *value, *first, *second;
  } cases[] = {{"--tip", "hand", "no link 'hand'", "flange"},
               {"--tip", "flange", "--tip flange", "twice"},
               {"--tolerance", "0", "--tolerance", "above 0"},
               {"--max-starts", "0", "--max-starts", "at least 1"},
               {"--lanes", "3", "lanes", "3"},
               {"--bank", "-1", "--bank", "from 0"},
               {"--threads", "0", "--threads", "from 1"},
               {"--shard", "5", "--shard", "I/N"},
               {"--shard", "0/4", "--shard: I", "from 1 to 4"},
               {"--shard", "5/4", "--shard: I", "from 1 to 4"},
               {"--shard", "1/0", "--shard: N", "from 1"},
               {"--shard", "1.5/4", "--shard: I", "whole"},
               {"--chunk", "0", "--chunk", "at least 1"},
               {"--speed", "9", "--speed", "no option"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    expect_refusal(run_with(targets, cases[i].option, cases[i].value), cases[i].first,
                   cases[i].second);
  expect_refusal(RUN(W("batch"), W(ARM), W("--targets"), W(targets), W("--out"), W("x.csv")),
                 "is missing", "--tip");
  expect_refusal(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--out"), W("x.csv")),
                 "--targets is missing", "--targets");
  expect_refusal(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets)),
                 "--out is missing", "--out");
  expect_refusal(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                     W("--out"), W("no/such/folder/x.csv")),
                 "no/such/folder/x.csv", "does not exist");
  expect_refusal(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                     W("--out"), W("-"), W("--json")),
                 "--json", "standard output");
  expect_refusal(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                     W("--out"), W("-"), W("--resume")),
                 "--resume", "file");
}

// --------------------------------------------------------------------------- memory

// Invalid rows only, so that a run is quick with any build. Written piece by piece: the memory of
// this program counts for the one that it starts.
static const char *write_invalid_rows(size_t rows) {
  static const double row[3] = {NAN, NAN, NAN};
  const char *path = scratch("large.npy");
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  char head[SINEW_NPY_HEADER_SIZE];
  unsigned char bytes[sizeof row];
  sinew_npy_write_header(rows, 3, head);
  sinew_npy_write_values(row, 3, bytes);
  fwrite(head, 1, sizeof head, file);
  for (size_t i = 0; i < rows; ++i)
    fwrite(bytes, 1, sizeof bytes, file);
  assert_int_equal(fclose(file), 0);
  return path;
}

// The peak memory of a run [bytes].
static long memory_of(size_t rows) {
  const char *targets = write_invalid_rows(rows), *out = fresh("large-out.npy");
  // Blocks grow with the speed of the machine, but never beyond a chunk.
  const char *words[] = {"sinew", "batch", "two-link",  "--tip", "tip",     "--targets", targets,
                         "--out", out,     "--threads", "1",     "--chunk", "20000",     NULL};
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    // Memory that a sanitizer keeps after its release is not the program's.
    setenv("ASAN_OPTIONS", "quarantine_size_mb=1:thread_local_quarantine_size_kb=64", 1);
    if (!freopen("/dev/null", "w", stderr))
      _exit(97);
    execv(getenv("SINEW_PROGRAM"), (char *const *)(uintptr_t)words);
    _exit(98);
  }
  int status = 0;
  struct rusage usage;
  assert_int_equal(wait4(child, &status, 0, &usage), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  unlink(targets);
  unlink(out);
  return usage.ru_maxrss * 1024L;
}

// Seven times as many rows, the same memory: files that are larger by 60 MB, at most 4 MB more.
static void memory_does_not_grow(void **state) {
  (void)state;
  const long some = memory_of(150000), many = memory_of(1000000);
  if (many > some + (4L << 20))
    fail_msg("%ld bytes for 150000 rows, %ld for 1000000", some, many);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(positions_from_a_csv),
      cmocka_unit_test(reach_is_appended),
      cmocka_unit_test(formats_agree),
      cmocka_unit_test(columns_in_any_order),
      cmocka_unit_test(several_tips_reach_their_targets),
      cmocka_unit_test(unusual_but_valid_csv),
      cmocka_unit_test(orientations_alone),
      cmocka_unit_test(seeds_are_used),
      cmocka_unit_test(results_do_not_depend_on_threads_and_blocks),
      cmocka_unit_test(starts_are_limited),
      cmocka_unit_test(banks_of_any_size),
      cmocka_unit_test(batch_reads_and_writes_pipes),
      cmocka_unit_test(batch_report_counts_outcomes),
      cmocka_unit_test(files_without_rows),
      cmocka_unit_test(help_is_complete),
      cmocka_unit_test(bad_rows_of_a_csv),
      cmocka_unit_test(bad_rows_of_a_npy),
      cmocka_unit_test(invalid_headers_are_refused),
      cmocka_unit_test(invalid_csv_files_are_refused),
      cmocka_unit_test(invalid_outputs_are_refused),
      cmocka_unit_test(invalid_npy_files_are_refused),
      cmocka_unit_test(invalid_seeds_are_refused),
      cmocka_unit_test(invalid_options_are_refused),
      cmocka_unit_test(memory_does_not_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
