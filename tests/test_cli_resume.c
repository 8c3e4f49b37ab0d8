// The command sinew batch in long runs: shards, runs that were killed and are resumed, disks that
// fill up.
#include "batch_files.h"

#include "cli/checksum.h"
#include "near.h"
#include "sample.h"
#include "sinew/formats.h"
#include "sinew/network.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARM "models/arm7.urdf"
#define MOST_WORDS 32
#define CHUNKS 50 // chunks in a run that is killed

static void expect_done(result got) {
  if (got.exit_code != 0)
    fail_msg("exit %d: %s", got.exit_code, got.err);
  release(&got);
}

// The arguments of a batch on the arm, followed by others up to NULL.
typedef struct words {
  char *list[MOST_WORDS];
  int count;
} words;

static words batch_words(const char *targets, const char *out) {
  const char *const first[] = {"sinew",     "batch", ARM,     "--tip", "flange",
                               "--targets", targets, "--out", out};
  words w = {.count = 0};
  for (size_t i = 0; i < sizeof first / sizeof first[0]; ++i)
    w.list[w.count++] = W(first[i]);
  return w;
}

static words with(words w, const char *option, const char *value) {
  w.list[w.count++] = W(option);
  if (value)
    w.list[w.count++] = W(value);
  return w;
}

// ------------------------------------------------------------------------ parts

// The shards in order are the rows of the whole.
static void expect_shards(const char *targets, const char *whole, int parts, size_t head) {
  char *all = read_all(whole);
  size_t place = head;
  for (int i = 1; i <= parts; ++i) {
    char shard[32];
    const char *part = fresh("part.csv");
    snprintf(shard, sizeof shard, "%d/%d", i, parts);
    expect_done(run_words(with(batch_words(targets, part), "--shard", shard).list));
    char *text = read_all(part);
    assert_int_equal(strncmp(text, all, head), 0);
    const size_t size = strlen(text) - head;
    assert_int_equal(strncmp(text + head, all + place, size), 0);
    // Their sizes differ by at most one.
    const int rows = line_count(text) - 1, total = line_count(all) - 1;
    assert_true(rows == total / parts || rows == (total + parts - 1) / parts);
    place += size;
    free(text);
  }
  assert_int_equal(all[place], '\0');
  free(all);
}

// req: F3
static void shards_make_the_whole(void **state) {
  (void)state;
  enum { ROWS = 101 };
  const char *csv = write_csv("whole.csv", "x,y,z,qw,qx,qy,qz", arm_poses(ROWS), ROWS, 7);
  const char *npy = write_npy("whole.npy", arm_poses(ROWS), ROWS, 7);
  const char *whole = fresh("whole-out.csv");
  expect_done(run_words(batch_words(csv, whole).list));
  char *text = read_all(whole);
  const size_t head = strcspn(text, "\n") + 1;
  free(text);
  expect_shards(csv, whole, 1, head);
  expect_shards(csv, whole, 3, head);
  expect_shards(npy, whole, 7, head);
  // More shards than rows: some are empty.
  const char *few = write_npy("few.npy", arm_poses(3), 3, 7);
  const char *few_out = fresh("few-out.csv");
  expect_done(run_words(batch_words(few, few_out).list));
  expect_shards(few, few_out, 5, head);
}

// With seeds, and with NPY files.
static void shards_use_their_seeds(void **state) {
  (void)state;
  enum { ROWS = 50 };
  static double seeds[ROWS * 7];
  for (int i = 0; i < ROWS; ++i)
    for (int k = 0; k < 7; ++k)
      seeds[7 * i + k] = k == 3 ? -1.0 - 0.02 * i : 0.03 * i * (k - 3);
  const char *targets = write_npy("seeded.npy", arm_poses(ROWS), ROWS, 7);
  const char *start = write_npy("seeds.npy", seeds, ROWS, 7), *whole = fresh("whole-out.npy");
  expect_done(run_words(with(batch_words(targets, whole), "--seeds", start).list));
  table all = read_npy(whole);
  size_t row = 0;
  for (int i = 1; i <= 4; ++i) {
    char shard[32];
    const char *part = fresh("part.npy");
    snprintf(shard, sizeof shard, "%d/4", i);
    expect_done(
        run_words(with(with(batch_words(targets, part), "--seeds", start), "--shard", shard).list));
    table some = read_npy(part);
    assert_int_equal(some.columns, all.columns);
    assert_memory_equal(some.values, all.values + row * all.columns,
                        some.rows * some.columns * sizeof(double));
    row += some.rows;
    free(some.values);
  }
  assert_int_equal(row, ROWS);
  free(all.values);
}

// ------------------------------------------------------------------- killed and resumed

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The next row according to the journal; 0 without a journal.
static double recorded_row(const char *out) {
  char path[1200];
  snprintf(path, sizeof path, "%s.journal", out);
  json_error_t error;
  json_t *root = access(path, F_OK) == 0 ? json_load_file(path, 0, &error) : NULL;
  const double row = root ? number_of(json_object_get(root, "mark"), "row") : 0.0;
  json_decref(root);
  return row;
}

static void pause_for(double seconds) {
  const struct timespec wait = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
  nanosleep(&wait, NULL);
}

// Runs the program, waits until its journal is past a row (below 0: does not wait), then for a
// time, and kills it; returns whether it had finished before.
static bool run_beyond(words w, const char *out, double row, double seconds) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (!freopen(scratch("killed-err"), "w", stderr))
      _exit(97);
    execv(getenv("SINEW_PROGRAM"), w.list);
    _exit(98);
  }
  int status = 0;
  pid_t ended = 0;
  while (recorded_row(out) <= row && (ended = waitpid(child, &status, WNOHANG)) == 0)
    pause_for(0.0005);
  if (ended == 0) {
    pause_for(seconds);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
  }
  if (WIFSIGNALED(status))
    return false;
  if (WEXITSTATUS(status) != 0)
    fail_msg("exit %d: %s", WEXITSTATUS(status), read_all(scratch("killed-err")));
  return true;
}

// Kills a run at many moments, resumes it each time, and compares with one whole run. Saved rows
// stay saved: the run does not restart at the first row.
// @param first row of the shard that is solved
static void kill_and_resume(const char *targets, const char *straight, const char *broken,
                            double first, words more) {
  words whole = batch_words(targets, straight), parts = batch_words(targets, broken);
  for (int i = 0; i < more.count; ++i) {
    whole.list[whole.count++] = more.list[i];
    parts.list[parts.count++] = more.list[i];
  }
  const double begin = now();
  expect_done(run_words(whole.list));
  const double chunk = (now() - begin) / CHUNKS;
  parts = with(parts, "--resume", NULL);
  // At various moments of a chunk; the first is during the start.
  static const double moments[] = {0.3, 0.77, 0.1, 1.53, 0.0, 0.41, 1.2, 0.93, 0.61, 0.27};
  int kills = 0;
  double before = -1.0;
  bool done = false;
  for (int i = 0; i < 10 && !done; ++i) {
    done = run_beyond(parts, broken, i == 0 ? -1.0 : before, chunk * moments[i]);
    if (!done) {
      const double row = recorded_row(broken);
      assert_true(row >= before);
      assert_false(there(broken, ""));
      before = row;
      ++kills;
    }
  }
  if (!done) {
    result got = run_words(parts.list);
    // The rows of earlier runs are not solved again.
    char text[64];
    snprintf(text, sizeof text, "%.0f of them before", before - first);
    if (got.exit_code != 0 || !strstr(got.err, text))
      fail_msg("exit %d: '%s' is not in '%s'", got.exit_code, text, got.err);
    release(&got);
  }
  assert_true(kills >= 2 && before > 0.0);
  assert_true(same_files(straight, broken));
  assert_false(there(broken, ".partial") || there(broken, ".journal") ||
               there(broken, ".journal.new"));
}

// Half of them have orientations that the arm cannot reach, which take long.
static double *hard_poses(size_t rows) {
  enum { SOME = 200 };
  double *poses = malloc(rows * 7 * sizeof(double));
  const double *some = arm_poses(SOME);
  for (size_t i = 0; i < rows; ++i) {
    double *p = poses + 7 * i;
    memcpy(p, some + 7 * (i % SOME), 7 * sizeof(double));
    if (i % 2 == 1) {
      const double turned[4] = {p[4], -p[3], p[6], -p[5]};
      memcpy(p + 3, turned, sizeof turned);
    }
  }
  return poses;
}

// Files of so many problems that a run takes a third of a second or more, in many chunks.
static words make_problems(const char **npy, const char **csv, double *half) {
  static char chunk[32];
  for (size_t rows = 200;; rows *= 2) {
    double *poses = hard_poses(rows);
    *npy = write_npy("kill.npy", poses, rows, 7);
    *csv = write_csv("kill.csv", "x,y,z,qw,qx,qy,qz", poses, rows, 7);
    free(poses);
    *half = (double)rows / 2.0;
    snprintf(chunk, sizeof chunk, "%zu", rows / CHUNKS);
    const double begin = now();
    expect_done(run_words(batch_words(*npy, fresh("pace.npy")).list));
    if (now() - begin > 0.3 || rows > 200000)
      return with((words){.count = 0}, "--chunk", chunk);
  }
}

// req: F3
static void killed_runs_resume(void **state) {
  (void)state;
  const char *npy, *csv;
  double half;
  const words chunks = make_problems(&npy, &csv, &half);
  kill_and_resume(npy, fresh("straight.npy"), fresh("broken.npy"), 0.0, chunks);
  kill_and_resume(csv, fresh("straight.csv"), fresh("broken.csv"), 0.0, chunks);
  kill_and_resume(csv, fresh("straight.npy"), fresh("broken.npy"), half,
                  with(chunks, "--shard", "2/2"));
}

// ---------------------------------------------------------------- what is left of a run

// A run that ends at an unclosed quote, with 10 rows finished: its file of targets can be resumed
// any number of times and never to the end.
static const char *broken_csv(void) {
  char text[4096] = "x,y,z,qw,qx,qy,qz\n";
  for (int i = 0; i < 11; ++i) {
    const double *p = arm_poses(11) + 7 * i;
    char line[256];
    snprintf(line, sizeof line, "%s%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
             i == 10 ? "\"" : "", p[0], p[1], p[2], p[3], p[4], p[5], p[6]);
    strcat(text, line);
  }
  return write_all("unclosed.csv", text);
}

static const char *leave_unfinished_with(words *w, const char *option, const char *value) {
  const char *out = fresh("left.csv"), *targets = broken_csv();
  *w = with(batch_words(targets, out), "--chunk", "4");
  if (option)
    *w = with(*w, option, value);
  result got = run_words(w->list);
  assert_int_equal(got.exit_code, 2);
  assert_non_null(strstr(got.err, "unclosed.csv:12: column 1: a quote is not closed"));
  release(&got);
  assert_true(there(out, ".partial") && there(out, ".journal") && !there(out, ""));
  return out;
}

static const char *leave_unfinished(words *w) {
  return leave_unfinished_with(w, NULL, NULL);
}

static char *read_beside(const char *out, const char *ending) {
  char path[1200];
  snprintf(path, sizeof path, "%s%s", out, ending);
  return read_all(path);
}

static void write_beside(const char *out, const char *ending, const char *text) {
  char path[1200];
  snprintf(path, sizeof path, "%s%s", out, ending);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

// Writes a journal that a test has changed, with the checksum that it should have.
static void write_signed_journal(const char *out, const char *text) {
  json_error_t error;
  char checksum[24];
  json_t *root = json_loads(text, 0, &error);
  assert_non_null(root);
  json_object_del(root, "checksum");
  char *compact = json_dumps(root, JSON_COMPACT);
  snprintf(checksum, sizeof checksum, "%016llx",
           (unsigned long long)cli_checksum_of(compact, strlen(compact)));
  json_object_set_new(root, "checksum", json_string(checksum));
  char *changed = json_dumps(root, JSON_INDENT(2));
  write_beside(out, ".journal", changed);
  free(changed);
  free(compact);
  json_decref(root);
}

// Ten finished rows are there, whole.
static void finished_rows_are_kept(void **state) {
  (void)state;
  words w;
  const char *out = leave_unfinished(&w);
  char *text = read_beside(out, ".partial");
  assert_int_equal(line_count(text), 1 + 10);
  assert_true(recorded_row(out) == 10.0);
  free(text);
}

static void leftovers_are_not_overwritten(void **state) {
  (void)state;
  words w;
  const char *out = leave_unfinished(&w);
  char *before = read_beside(out, ".partial");
  expect_refusal(run_words(w.list), "left.csv.partial", "--resume");
  char *after = read_beside(out, ".partial");
  assert_string_equal(before, after);
  free(before);
  free(after);
}

// Half a row after the saved rows is cut off.
static void unrecorded_bytes_are_cut_off(void **state) {
  (void)state;
  words w;
  const char *out = leave_unfinished(&w);
  char *text = read_beside(out, ".partial"), longer[8192];
  snprintf(longer, sizeof longer, "%sconverged,1e-9,0.0", text);
  write_beside(out, ".partial", longer);
  result got = run_words(with(w, "--resume", NULL).list);
  assert_int_equal(got.exit_code, 2); // the quote again
  release(&got);
  char *after = read_beside(out, ".partial");
  assert_string_equal(text, after);
  free(text);
  free(after);
}

// Killed after the last row, before or after the rename.
static void runs_killed_after_the_last_row_resume(void **state) {
  (void)state;
  for (int renamed = 0; renamed < 2; ++renamed) {
    words w;
    const char *out = leave_unfinished(&w);
    char *journal = read_beside(out, ".journal"), *text = read_beside(out, ".partial");
    char *flag = strstr(journal, "\"finished\": false");
    assert_non_null(flag);
    memcpy(flag, "\"finished\": true ", strlen("\"finished\": true "));
    write_signed_journal(out, journal);
    if (renamed) {
      char partial[1200];
      snprintf(partial, sizeof partial, "%s.partial", out);
      assert_int_equal(rename(partial, out), 0);
    }
    result got = run_words(with(w, "--resume", NULL).list);
    assert_int_equal(got.exit_code, 0);
    assert_non_null(strstr(got.err, "10 rows: 10 converged; 10 of them before"));
    release(&got);
    char *after = read_beside(out, "");
    assert_string_equal(text, after);
    assert_false(there(out, ".journal") || there(out, ".partial"));
    free(journal);
    free(text);
    free(after);
  }
}

static void other_arguments_are_refused(void **state) {
  (void)state;
  words w;
  const char *out = leave_unfinished(&w);
  const words again = with(w, "--resume", NULL);
  expect_refusal(run_words(with(again, "--tolerance", "1e-3").list), "left.csv.journal",
                 "another --tolerance: 1e-06, and not 0.001");
  expect_refusal(run_words(with(again, "--margin", "0.1").list), "left.csv.journal",
                 "another --margin: none, and not 0.1");
  expect_refusal(run_words(with(again, "--max-starts", "5").list), "left.csv.journal",
                 "--max-starts");
  expect_refusal(run_words(with(again, "--bank", "0").list), "left.csv.journal",
                 "another --bank: 16384, and not 0");
  expect_refusal(run_words(with(again, "--shard", "1/2").list), "left.csv.journal",
                 "--shard: all, and not 1/2");
  expect_refusal(
      run_words((char *[]){W("sinew"), W("batch"), W(ARM), W("--tip"), W("link7"), W("--targets"),
                           w.list[6], W("--out"), W(out), W("--resume"), NULL}),
      "left.csv.journal", "--tip: flange, and not link7");
  expect_refusal(
      run_words((char *[]){W("sinew"), W("batch"), W("arm7"), W("--tip"), W("flange"),
                           W("--targets"), w.list[6], W("--out"), W(out), W("--resume"), NULL}),
      "left.csv.journal", "another model");
  write_all("unclosed.csv", "x,y,z,qw,qx,qy,qz\n1,2,3,4,5,6,7\n");
  expect_refusal(run_words(again.list), "left.csv.journal", "another file of targets");
  // None of these has changed the finished rows.
  assert_true(recorded_row(out) == 10.0);
}

// A network for the arm's flange, without a hidden layer; all its weights are the same.
static const char *write_network(const char *name, float weight) {
  static char paths[2][1200];
  static int next = 0;
  sinew_document *arm = NULL;
  sinew_model *model = NULL;
  sinew_network *bare = NULL;
  unsigned char head[SINEW_NETWORK_MAX_HEAD];
  const unsigned char layers[8] = {1, 0, 0, 0, 7, 0, 0, 0}; // one of seven outputs
  sinew_task task = sinew_default_task();
  assert_int_equal(sinew_document_open(ARM, NULL, &arm, NULL), SINEW_OK);
  assert_int_equal(sinew_model_create(&arm->model, &model, NULL), SINEW_OK);
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(model, "flange");
  assert_int_equal(sinew_network_create(NULL, model, &task, 1, &bare, NULL), SINEW_OK);
  char *path = paths[next++ % 2];
  snprintf(path, sizeof paths[0], "%s", fresh(name));
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fwrite(head, 1, sinew_network_head(bare, head), file);
  fwrite(layers, 1, sizeof layers, file);
  assert_int_equal(sinew_network_outputs(bare), 7);
  for (int i = 0; i < (sinew_network_inputs(bare) + 1) * 7; ++i)
    fwrite(&weight, sizeof weight, 1, file);
  assert_int_equal(fclose(file), 0);
  sinew_network_destroy(bare);
  sinew_model_destroy(model);
  sinew_document_destroy(arm);
  return path;
}

// A batch goes on with the network that it began with, wherever that lies, and with no other.
// req: D18 F3
static void other_networks_are_refused(void **state) {
  (void)state;
  words w, bare;
  const char *out = leave_unfinished(&bare), *network = write_network("a.net", 0.01F);
  expect_refusal(run_words(with(with(bare, "--network", network), "--resume", NULL).list),
                 "left.csv.journal", "another --network: none, and not ");
  out = leave_unfinished_with(&w, "--network", network);
  assert_true(recorded_row(out) == 10.0);
  const words again = with(batch_words(w.list[6], out), "--chunk", "4");
  const words resumed = with(again, "--resume", NULL);
  expect_refusal(run_words(resumed.list), "left.csv.journal", "another --network: ");
  expect_refusal(run_words(with(resumed, "--network", write_network("b.net", 0.02F)).list),
                 "left.csv.journal", "another --network: ");
  assert_true(recorded_row(out) == 10.0);
  assert_int_equal(unlink(network), 0);
  result got = run_words(with(resumed, "--network", write_network("moved.net", 0.01F)).list);
  assert_int_equal(got.exit_code, 2); // the quote again
  assert_non_null(strstr(got.err, "unclosed.csv:12: column 1: a quote is not closed"));
  assert_null(strstr(got.err, "goes on without it"));
  release(&got);
}

// The version and the lane count are recorded too.
static void other_versions_are_refused(void **state) {
  (void)state;
  static const char *const noted[] = {"\"version of sinew\": \"", "\"number of lanes\": \""};
  static const char *const names[] = {"another version of sinew: 9", "another number of lanes: 9"};
  for (int i = 0; i < 2; ++i) {
    words w;
    const char *out = leave_unfinished(&w);
    char *journal = read_beside(out, ".journal");
    char *value = strstr(journal, noted[i]);
    assert_non_null(value);
    value[strlen(noted[i])] = '9';
    write_signed_journal(out, journal);
    free(journal);
    expect_refusal(run_words(with(w, "--resume", NULL).list), "left.csv.journal", names[i]);
  }
}

static void broken_journals_are_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"", "{", "[]", "{\"mark\": {\"bytes\": -1}}",
                                      "{\"mark\": 5}"};
  words w;
  const char *out = leave_unfinished(&w);
  char *journal = read_beside(out, ".journal");
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    write_beside(out, ".journal", texts[i]);
    expect_refusal(run_words(with(w, "--resume", NULL).list), "left.csv.journal",
                   "not a journal of this sinew batch");
  }
  write_beside(out, ".journal", journal);
  write_beside(out, ".partial", "outcome");
  expect_refusal(run_words(with(w, "--resume", NULL).list), "left.csv.partial",
                 "shorter than its journal says");
  char partial[1200];
  snprintf(partial, sizeof partial, "%s.partial", out);
  assert_int_equal(unlink(partial), 0);
  expect_refusal(run_words(with(w, "--resume", NULL).list), "left.csv.journal", "there is no");
  free(journal);
}

// Two runs at a time do not write one file.
static void concurrent_runs_are_refused(void **state) {
  (void)state;
  words w;
  const char *out = leave_unfinished(&w);
  char partial[1200];
  snprintf(partial, sizeof partial, "%s.partial", out);
  const int file = open(partial, O_RDWR);
  assert_true(file >= 0);
  assert_int_equal(flock(file, LOCK_EX), 0);
  expect_refusal(run_words(with(w, "--resume", NULL).list), "left.csv.partial", "another run");
  close(file);
  assert_true(recorded_row(out) == 10.0 && there(out, ".partial"));
}

// With nothing to resume, a run starts from the beginning.
static void resume_without_an_earlier_run(void **state) {
  (void)state;
  const char *targets = write_npy("first.npy", arm_poses(20), 20, 7);
  const char *a = fresh("first-a.csv"), *b = fresh("first-b.csv");
  expect_done(run_words(batch_words(targets, a).list));
  expect_done(run_words(with(batch_words(targets, b), "--resume", NULL).list));
  assert_true(same_files(a, b));
  // After a run that was killed before it recorded anything.
  write_beside(fresh("first-b.csv"), ".partial", "outcome,posi");
  expect_done(run_words(with(batch_words(targets, b), "--resume", NULL).list));
  assert_true(same_files(a, b));
}

// ------------------------------------------------------------------------- full disks

static void full_devices_are_reported(void **state) {
  (void)state;
  const char *targets = write_npy("full.npy", arm_poses(20), 20, 7);
  if (access("/dev/full", W_OK) != 0) {
    print_message("skipped: there is no /dev/full\n");
    skip();
  }
  expect_refusal(run_words(batch_words(targets, "/dev/full").list), "/dev/full: row 0",
                 "No space left on device");
}

// A file size limit in place of a full disk: finished rows are kept, and a run with more space
// continues to the result of one whole run.
static void full_disks_keep_finished_rows(void **state) {
  (void)state;
  enum { ROWS = 2000 };
  const char *targets = write_npy("limit.npy", arm_poses(ROWS), ROWS, 7);
  const char *straight = fresh("limit-a.npy"), *broken = fresh("limit-b.npy");
  char line[4096];
  expect_done(run_words(batch_words(targets, straight).list));
  snprintf(line, sizeof line,
           "ulimit -f 100; \"$SINEW\" batch %s --tip flange --targets '%s' --out '%s' --chunk 100",
           ARM, targets, broken);
  expect_refusal(shell(line), "limit-b.npy: row ", "File too large; the rows before");
  // A row is 88 bytes: some hundreds are finished at 51200 or 102400 bytes.
  const double row = recorded_row(broken);
  assert_true(row >= 400.0 && row <= 1200.0 && fmod(row, 100.0) == 0.0);
  assert_false(there(broken, ""));
  expect_done(run_words(with(batch_words(targets, broken), "--resume", NULL).list));
  assert_true(same_files(straight, broken));
}

// An output that is a symbolic link: the file it points to is replaced.
static void symbolic_links_are_followed(void **state) {
  (void)state;
  const char *targets = write_npy("link.npy", arm_poses(5), 5, 7);
  const char *out = fresh("link-target.csv"), *name = fresh("link.csv");
  assert_int_equal(symlink(out, name), 0);
  write_beside(out, "", "old");
  expect_done(run_words(batch_words(targets, name).list));
  char *text = read_all(out);
  assert_int_equal(line_count(text), 6);
  free(text);
  char target[1200];
  assert_true(readlink(name, target, sizeof target) > 0);
}

// --------------------------------------------------------------- files that have changed

enum { CHANGED_ROWS = 4000, FINISHED_ROW = 1500, ROW_BYTES = 7 * 8 };

static void flip_byte(const char *path, long place) {
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, place, SEEK_SET), 0);
  const int byte = fgetc(file);
  assert_int_equal(fseek(file, place, SEEK_SET), 0);
  assert_int_equal(fputc(byte ^ 1, file), byte ^ 1);
  assert_int_equal(fclose(file), 0);
}

static const char *many_seeds(void) {
  static double seeds[CHANGED_ROWS * 7];
  for (int i = 0; i < CHANGED_ROWS; ++i)
    for (int k = 0; k < 7; ++k)
      seeds[7 * i + k] = k == 3 ? -1.5 : 0.001 * (i % 100);
  return write_npy("changed-seeds.npy", seeds, CHANGED_ROWS, 7);
}

// A run that a full disk has ended after some thousand rows.
static words leave_half(const char *targets, const char *seeds, const char *out) {
  char line[4096];
  snprintf(line, sizeof line,
           "ulimit -f 300; \"$SINEW\" batch %s --tip flange --targets '%s' --seeds '%s' --out '%s' "
           "--chunk 100",
           ARM, targets, seeds, out);
  expect_refusal(shell(line), ": row ", "the rows before");
  const double row = recorded_row(out);
  assert_true(row > FINISHED_ROW && row < CHANGED_ROWS - 100);
  return with(with(batch_words(targets, out), "--seeds", seeds), "--resume", NULL);
}

static void touched_files_resume(void **state) {
  (void)state;
  const char *targets = write_npy("changed.npy", arm_poses(CHANGED_ROWS), CHANGED_ROWS, 7);
  const char *seeds = many_seeds(), *whole = fresh("whole.npy"), *out = fresh("touched.npy");
  expect_done(run_words(with(batch_words(targets, whole), "--seeds", seeds).list));
  words again = leave_half(targets, seeds, out);
  const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
  assert_int_equal(utimensat(AT_FDCWD, targets, times, 0), 0);
  assert_int_equal(utimensat(AT_FDCWD, seeds, times, 0), 0);
  expect_done(run_words(again.list));
  assert_true(same_files(whole, out));
}

// Of the same size, and with the same beginning: what finished rows were computed from must be the
// same. Rows after them may change: the result is that of one run with the new file.
static void changed_files_are_refused(void **state) {
  (void)state;
  const char *targets = write_npy("changed.npy", arm_poses(CHANGED_ROWS), CHANGED_ROWS, 7);
  const char *seeds = many_seeds(), *out = fresh("changed-out.npy");
  const long place = SINEW_NPY_HEADER_SIZE + FINISHED_ROW * ROW_BYTES;
  words again = leave_half(targets, seeds, out);
  flip_byte(targets, place);
  expect_refusal(run_words(again.list), "changed.npy: its rows before ", "have changed");
  flip_byte(targets, place);
  flip_byte(seeds, place);
  expect_refusal(run_words(again.list), "changed-seeds.npy: its rows before ", "have changed");
  flip_byte(seeds, place);
  flip_byte(targets, SINEW_NPY_HEADER_SIZE + (CHANGED_ROWS - 1) * ROW_BYTES + 6);
  const char *whole = fresh("whole.npy");
  expect_done(run_words(with(batch_words(targets, whole), "--seeds", seeds).list));
  expect_done(run_words(again.list));
  assert_true(same_files(whole, out));
}

// Every place in the finished rows and in what stands before them.
static void damaged_rows_are_refused(void **state) {
  (void)state;
  for (int finished = 0; finished < 2; ++finished) {
    words w;
    char partial[1200];
    const char *out = leave_unfinished_with(&w, "--bank", "0");
    snprintf(partial, sizeof partial, "%s.partial", out);
    char *journal = read_beside(out, ".journal"), *text = read_all(partial);
    if (finished) {
      memcpy(strstr(journal, "\"finished\": false"), "\"finished\": true ", 17);
      write_signed_journal(out, journal);
    }
    const long size = (long)strlen(text);
    for (long place = 0; place < size; place += place < 40 ? 13 : 211) {
      flip_byte(partial, place);
      expect_refusal(run_words(with(w, "--resume", NULL).list), "left.csv.partial",
                     "damaged: the checksum of its finished rows does not agree");
      assert_false(there(out, ""));
      flip_byte(partial, place);
    }
    free(text);
    free(journal);
  }
}

// A journal with a flipped byte is refused, unless it says the same.
static void damaged_journals_are_refused(void **state) {
  (void)state;
  words w;
  char path[1200];
  const char *out = leave_unfinished_with(&w, "--bank", "0");
  snprintf(path, sizeof path, "%s.journal", out);
  char *journal = read_all(path), *rows = read_beside(out, ".partial");
  const long size = (long)strlen(journal);
  int number = 0;
  for (long place = 3; place < size; ++place) {
    // All numbers, and some of the rest.
    if ((!isdigit((unsigned char)journal[place]) && place % 31 != 0) || !is_sampled(number++))
      continue;
    flip_byte(path, place);
    result got = run_words(with(w, "--resume", NULL).list);
    assert_int_equal(got.exit_code, 2);
    if (!strstr(got.err, "left.csv.journal") && !strstr(got.err, "a quote is not closed"))
      fail_msg("byte %ld: %s", place, got.err);
    // A blank between members says nothing.
    if (journal[place] != ' ' && journal[place] != '\n' && !strstr(got.err, "left.csv.journal"))
      fail_msg("byte %ld is not missed: %s", place, got.err);
    release(&got);
    char *after = read_beside(out, ".partial");
    assert_string_equal(rows, after);
    free(after);
    write_beside(out, ".journal", journal);
  }
  free(journal);
  free(rows);
}

// A symbolic link where a run would write is not followed, whether it leads somewhere or not.
static void links_beside_the_output_are_not_followed(void **state) {
  (void)state;
  static const char *const endings[] = {".partial", ".journal"};
  const char *targets = write_npy("beside.npy", arm_poses(20), 20, 7);
  for (int i = 0; i < 8; ++i) {
    const char *out = fresh("beside.csv"), *victim = scratch("victim");
    const char *ending = endings[i % 2];
    const bool resume = i / 2 % 2 == 1, dangling = i / 4 == 1;
    char path[1200];
    remove(victim);
    if (!dangling)
      write_all("victim", "precious");
    snprintf(path, sizeof path, "%s%s", out, ending);
    assert_int_equal(symlink(victim, path), 0);
    words w = batch_words(targets, out);
    expect_refusal(run_words((resume ? with(w, "--resume", NULL) : w).list), path,
                   "a symbolic link");
    assert_int_equal(access(victim, F_OK) == 0, !dangling);
    if (!dangling) {
      char *text = read_all(victim);
      assert_string_equal(text, "precious");
      free(text);
    }
    assert_int_equal(unlink(path), 0);
  }
  // A new journal replaces what has its name.
  const char *out = fresh("beside.csv"), *victim = write_all("victim", "precious");
  char path[1200];
  snprintf(path, sizeof path, "%s.journal.new", out);
  assert_int_equal(symlink(victim, path), 0);
  expect_done(run_words(with(batch_words(targets, out), "--chunk", "5").list));
  char *text = read_all(victim);
  assert_string_equal(text, "precious");
  free(text);
}

// What was written is lost with its folder, and the run says so at once.
static void removed_folders_are_told(void **state) {
  (void)state;
  static const char *const removals[] = {"rm -r \"$D\"", "rm \"$D/out.csv.partial\""};
  static const char *const messages[] = {"was removed while the run was writing to it",
                                         "it was removed or replaced"};
  const char *targets =
      write_csv("folder.csv", "x,y,z,qw,qx,qy,qz", arm_poses(CHANGED_ROWS), CHANGED_ROWS, 7);
  for (int i = 0; i < 4; ++i) {
    char line[4096];
    // With a chunk and without: while it runs, and at its end.
    snprintf(line, sizeof line,
             "D='%s'; T='%s'; rm -rf \"$D\"; mkdir \"$D\"; "
             "{ head -3000 \"$T\"; while [ ! -e \"$D/out.csv.partial\" ]; do sleep 0.01; done; %s; "
             "tail -1000 \"$T\"; } | \"$SINEW\" batch %s --tip flange --targets - "
             "--out \"$D/out.csv\" %s",
             scratch("folder"), targets, removals[i % 2], ARM, i < 2 ? "--chunk 1000" : "");
    expect_refusal(shell(line), "out.csv", messages[i % 2]);
  }
  // And before it begins.
  expect_refusal(run_words(batch_words(targets, scratch("nowhere/out.csv")).list),
                 "nowhere/out.csv", "does not exist");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shards_make_the_whole),
      cmocka_unit_test(shards_use_their_seeds),
      cmocka_unit_test(killed_runs_resume),
      cmocka_unit_test(finished_rows_are_kept),
      cmocka_unit_test(leftovers_are_not_overwritten),
      cmocka_unit_test(unrecorded_bytes_are_cut_off),
      cmocka_unit_test(runs_killed_after_the_last_row_resume),
      cmocka_unit_test(other_arguments_are_refused),
      cmocka_unit_test(other_networks_are_refused),
      cmocka_unit_test(other_versions_are_refused),
      cmocka_unit_test(broken_journals_are_refused),
      cmocka_unit_test(concurrent_runs_are_refused),
      cmocka_unit_test(resume_without_an_earlier_run),
      cmocka_unit_test(full_devices_are_reported),
      cmocka_unit_test(full_disks_keep_finished_rows),
      cmocka_unit_test(symbolic_links_are_followed),
      cmocka_unit_test(touched_files_resume),
      cmocka_unit_test(changed_files_are_refused),
      cmocka_unit_test(damaged_rows_are_refused),
      cmocka_unit_test(damaged_journals_are_refused),
      cmocka_unit_test(links_beside_the_output_are_not_followed),
      cmocka_unit_test(removed_folders_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
