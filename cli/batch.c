// sinew batch: joint values for very many targets.
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch_run.h"
#include "checksum.h"
#include "command.h"
#include "file.h"
#include "json.h"
#include "message.h"
#include "number.h"
#include "options.h"
#include "progress.h"
#include "threads.h"

#define MOST_THREADS 1024
#define MOST_SHARDS 1000000
#define MOST_POSTURES (1 << 24)

static const char help[] =
    "usage: sinew batch MODEL --tip LINK [--tip LINK...] --targets F.csv|F.npy\n"
    "                   --out F.csv|F.npy [--seeds F.npy] [--tolerance T]\n"
    "                   [--max-attempts N] [--bank N] [--lanes W] [--threads N]\n"
    "                   [--shard I/N] [--chunk N] [--resume] [--floating-base] [--json]\n"
    "\n"
    "Finds joint values for very many targets, each on its own: a row in, a row out, with\n"
    "little memory however many there are.\n"
    "\n"
    "  --tip LINK        the link to bring to the targets; may be repeated\n"
    "  --targets F       a CSV with columns x,y,z or qw,qx,qy,qz or all seven (of several\n"
    "                    tips LINK.x and so on), and perhaps seed.JOINT for each free joint;\n"
    "                    time is passed over, other columns are refused; or a NPY of\n"
    "                    <f4 or <f8 with 3, 4 or 7 columns a tip, in this order. - is\n"
    "                    standard input\n"
    "  --seeds F.npy     where to start, a row a target: values of the free joints in the\n"
    "                    order of 'sinew info'; without it the bank's nearest posture, without\n"
    "                    a bank the middle of the limits\n"
    "  --out F           a NPY (<f8) where it ends in .npy, else a CSV: outcome,\n"
    "                    position_error,orientation_error,steps,JOINT,... in the order of\n"
    "                    'sinew info', coupled joints too; - is standard output\n"
    "  --tolerance T     largest error of a target [m and rad]; default %g\n"
    "  --max-attempts N  starts for a target at most; default %d\n"
    "  --bank N          postures that are made first, to begin near a target where there is\n"
    "                    no better; default %d; 0: none\n"
    "  --lanes W         problems that the processor works on at once: 1, 2, 4 or 8;\n"
    "                    default as many as it can. Other lanes, other last digits\n"
    "  --threads N       default one for each processor, here %d. The answers are the same\n"
    "                    to the last bit\n"
    "  --shard I/N       only part I, from 1, of N parts of the rows: one behind another\n"
    "                    they are the rows of the whole; each F has a header of its own\n"
    "  --chunk N         rows after which what is finished is noted; default: as many as\n"
    "                    take half a second\n"
    "  --resume          goes on where an earlier run with the same options was stopped;\n"
    "                    one that has finished is run again\n"
    "  --floating-base   of a URDF: its root may be anywhere; q begins with where it is,\n"
    "                    x,y,z,qw,qx,qy,qz\n"
    "  --json            the report as one object on standard output\n"
    "  --help            this text\n"
    "\n"
    "While it runs, rows go to F.partial, and F.journal says which are finished; at the end\n"
    "F.partial is renamed to F. Lengths of a BVH are in the file's own unit.\n"
    "\n"
    "outcomes, and their numbers in a NPY: 0 converged; 1 out_of_reach; 2\n"
    "blocked_by_limits; 3 stalled; 4 step_limit; 5 time_limit; 6 bad_input: the row is no\n"
    "target; its numbers are empty in a CSV, in a NPY errors of -1 and the start\n"
    "exit: 0 all rows are written; 2 bad usage or input, or output that failed\n"
    "\n"
    "examples:\n"
    "  sinew batch models/arm7.urdf --tip flange --targets poses.npy --out joints.npy\n"
    "  sinew fk models/humanoid.bvh --tip LeftHand --motion --out hand.csv\n"
    "  sinew batch models/humanoid.bvh --tip LeftHand --targets hand.csv --out -\n";

typedef struct request {
  const char *model, *targets, *seeds, *out;
  const char **tips;
  int tip_count;
  sinew_batch_def def;
  int bank; // postures; 0: none
  int threads;
  int shard, shard_count; // 0: all rows
  int chunk;
  bool floating_base, resume, as_json, help;
  double begin; // when [s]
} request;

static void print_help(void) {
  sinew_batch_def def = sinew_default_batch_def();
  printf(help, def.position_tolerance, def.max_attempts, sinew_default_bank_def().postures,
         cli_threads_default());
}

// ---- The command line ----

enum {
  TIP = CLI_OPTION_FIRST,
  TARGETS,
  SEEDS,
  OUT,
  TOLERANCE,
  MAX_ATTEMPTS,
  BANK,
  LANES,
  THREADS,
  SHARD,
  CHUNK,
  RESUME,
  JSON,
  HELP
};

// "2/5": part 2 of 5.
static int parse_shard(const char *text, request *wanted) {
  char part[16] = "";
  const char *slash = strchr(text, '/');
  if (!slash || slash == text || (size_t)(slash - text) >= sizeof part)
    return cli_refuse("--shard wants I/N, part I of N, 1/4 say, not '%s'", text);
  memcpy(part, text, (size_t)(slash - text));
  if (cli_option_count("--shard: N", slash + 1, 1, MOST_SHARDS, &wanted->shard_count) !=
      CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  return cli_option_count("--shard: I", part, 1, wanted->shard_count, &wanted->shard);
}

static int parse_threads(const char *text, request *wanted) {
  if (cli_option_count("--threads", text, 1, MOST_THREADS, &wanted->threads) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (wanted->threads > 1 && !cli_threads_many())
    return cli_refuse("--threads %d: this sinew was built without OpenMP, and has one thread",
                      wanted->threads);
  return CLI_EXIT_DONE;
}

static int parse_lanes(const char *text, request *wanted) {
  int *lanes = &wanted->def.lanes;
  const int exit_code = cli_option_count("--lanes", text, 1, 8, lanes);
  if (exit_code == CLI_EXIT_DONE && (*lanes & (*lanes - 1)) != 0)
    return cli_refuse("--lanes wants 1, 2, 4 or 8, not '%s'", text);
  return exit_code;
}

static int parse_option(request *wanted, int option) {
  switch (option) {
  case TIP:
    wanted->tips[wanted->tip_count++] = optarg;
    return CLI_EXIT_DONE;
  case TARGETS:
    wanted->targets = optarg;
    return CLI_EXIT_DONE;
  case SEEDS:
    wanted->seeds = optarg;
    return CLI_EXIT_DONE;
  case OUT:
    wanted->out = optarg;
    return CLI_EXIT_DONE;
  case TOLERANCE:
    if (cli_option_number("--tolerance", optarg, DBL_MIN, DBL_MAX,
                          &wanted->def.position_tolerance) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
    wanted->def.orientation_tolerance = wanted->def.position_tolerance;
    return CLI_EXIT_DONE;
  case MAX_ATTEMPTS:
    return cli_option_count("--max-attempts", optarg, 1, INT_MAX, &wanted->def.max_attempts);
  case BANK:
    return cli_option_count("--bank", optarg, 0, MOST_POSTURES, &wanted->bank);
  case LANES:
    return parse_lanes(optarg, wanted);
  case THREADS:
    return parse_threads(optarg, wanted);
  case SHARD:
    return parse_shard(optarg, wanted);
  case CHUNK:
    return cli_option_count("--chunk", optarg, 1, INT_MAX, &wanted->chunk);
  case RESUME:
    wanted->resume = true;
    return CLI_EXIT_DONE;
  case JSON:
    wanted->as_json = true;
    return CLI_EXIT_DONE;
  case CLI_OPTION_FLOATING_BASE:
    wanted->floating_base = true;
    return CLI_EXIT_DONE;
  case HELP:
    wanted->help = true;
    return CLI_EXIT_DONE;
  default:
    return CLI_EXIT_REFUSED;
  }
}

// Whether two paths lead to one file.
static bool is_same_file(const char *a, const char *b) {
  struct stat one, other;
  return a && stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static int check_request(const request *wanted) {
  if (wanted->tip_count == 0)
    return cli_refuse("batch: which link? Give --tip LINK");
  if (!wanted->targets)
    return cli_refuse("batch: which targets? Give --targets FILE.csv or FILE.npy");
  if (!wanted->out)
    return cli_refuse("batch: where to? Give --out FILE.csv or FILE.npy");
  if (is_same_file(wanted->targets, wanted->out) || is_same_file(wanted->seeds, wanted->out) ||
      is_same_file(wanted->model, wanted->out))
    return cli_refuse("--out %s would replace what is read", wanted->out);
  if (wanted->as_json && strcmp(wanted->out, "-") == 0)
    return cli_refuse("batch: --json and --out - would both write to standard output");
  return CLI_EXIT_DONE;
}

static int parse(int argc, char **argv, request *wanted) {
  static const struct option options[] = {{"tip", required_argument, NULL, TIP},
                                          {"targets", required_argument, NULL, TARGETS},
                                          {"seeds", required_argument, NULL, SEEDS},
                                          {"out", required_argument, NULL, OUT},
                                          {"tolerance", required_argument, NULL, TOLERANCE},
                                          {"max-attempts", required_argument, NULL, MAX_ATTEMPTS},
                                          {"bank", required_argument, NULL, BANK},
                                          {"lanes", required_argument, NULL, LANES},
                                          {"threads", required_argument, NULL, THREADS},
                                          {"shard", required_argument, NULL, SHARD},
                                          {"chunk", required_argument, NULL, CHUNK},
                                          {"resume", no_argument, NULL, RESUME},
                                          {"json", no_argument, NULL, JSON},
                                          {"help", no_argument, NULL, HELP},
                                          CLI_OPTION_FLOATING_BASE_ENTRY,
                                          {0}};
  for (int option; (option = cli_option_next(argc, argv, options)) != -1;) {
    int exit_code = parse_option(wanted, option);
    if (exit_code != CLI_EXIT_DONE || wanted->help)
      return exit_code;
  }
  wanted->model = cli_option_model(argc, argv);
  return wanted->model ? check_request(wanted) : CLI_EXIT_REFUSED;
}

// ---- What the answers depend on ----

static void note(json_t *identity, const char *name, const char *text) {
  cli_json_set(identity, name, cli_json_text(text));
}

static void note_number(json_t *identity, const char *name, double value) {
  char text[CLI_NUMBER_SIZE];
  cli_number_format(value, text);
  note(identity, name, text);
}

// A built-in figure by its name, a file by its content.
static int note_model(json_t *identity, const request *wanted, const cli_figure *figure) {
  char text[64];
  size_t size = 0;
  if (figure->scene) {
    note(identity, "model", wanted->model);
    return CLI_EXIT_DONE;
  }
  char *bytes = cli_file_read(wanted->model, &size);
  if (!bytes)
    return CLI_EXIT_REFUSED;
  snprintf(text, sizeof text, "%zu bytes, checksum %016" PRIx64, size,
           cli_checksum(CLI_CHECKSUM_START, bytes, size));
  free(bytes);
  note(identity, "model", text);
  return CLI_EXIT_DONE;
}

static int note_file(json_t *identity, const char *name, const cli_source *source) {
  char text[128];
  if (!source->path) {
    note(identity, name, "none");
    return CLI_EXIT_DONE;
  }
  if (cli_source_identify(source, text, sizeof text) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  note(identity, name, text);
  return CLI_EXIT_DONE;
}

static void note_tips(json_t *identity, const request *wanted) {
  char *list = cli_allocate(1, 1);
  size_t length = 0;
  for (int t = 0; t < wanted->tip_count; ++t) {
    size_t size = strlen(wanted->tips[t]) + 2;
    list = cli_reallocate(list, length + size, 1);
    length += (size_t)snprintf(list + length, size, "%s%s", t > 0 ? " " : "", wanted->tips[t]);
  }
  note(identity, "--tip", list);
  free(list);
}

static int identify(json_t *identity, const request *wanted, const cli_problems *problems,
                    const sinew_batch *batch) {
  char shard[32];
  snprintf(shard, sizeof shard, "%d/%d", wanted->shard, wanted->shard_count);
  note(identity, "version of sinew", sinew_version());
  note_number(identity, "number of lanes", sinew_batch_lanes(batch));
  note_tips(identity, wanted);
  note_number(identity, "--tolerance", wanted->def.position_tolerance);
  note_number(identity, "--max-attempts", wanted->def.max_attempts);
  note_number(identity, "--bank", wanted->bank);
  note(identity, "--floating-base", wanted->floating_base ? "yes" : "no");
  note(identity, "--shard", wanted->shard > 0 ? shard : "all");
  return note_model(identity, wanted, problems->figure) == CLI_EXIT_DONE &&
                 note_file(identity, "file of targets", &problems->targets) == CLI_EXIT_DONE &&
                 note_file(identity, "file of seeds", &problems->seeds) == CLI_EXIT_DONE
             ? CLI_EXIT_DONE
             : CLI_EXIT_REFUSED;
}

// ---- The report ----

static uint64_t row_count(const cli_mark *mark) {
  uint64_t rows = 0;
  for (int i = 0; i < SINEW_OUTCOME_COUNT; ++i)
    rows += mark->outcomes[i];
  return rows;
}

// @param rows that this run has solved itself
static void print_json(const cli_mark *mark, uint64_t rows, double seconds) {
  json_t *object = json_object(), *outcomes = json_object();
  for (int i = 0; i < SINEW_OUTCOME_COUNT; ++i)
    cli_json_set(outcomes, sinew_outcome_string((sinew_outcome)i),
                 json_integer((json_int_t)mark->outcomes[i]));
  cli_json_set(object, "rows", json_integer((json_int_t)row_count(mark)));
  cli_json_set(object, "outcomes", outcomes);
  cli_json_set(object, "solved_now", json_integer((json_int_t)rows));
  cli_json_set(object, "seconds", cli_json_number(seconds));
  cli_json_print(object);
}

static void print_report(const cli_mark *mark, uint64_t rows, double seconds) {
  uint64_t all = row_count(mark);
  fprintf(stderr, "%" PRIu64 " row%s%s", all, all == 1 ? "" : "s", all > 0 ? ":" : "");
  const char *comma = "";
  for (int i = 0; i < SINEW_OUTCOME_COUNT; ++i) {
    if (mark->outcomes[i] > 0) {
      fprintf(stderr, "%s %" PRIu64 " %s", comma, mark->outcomes[i],
              sinew_outcome_string((sinew_outcome)i));
      comma = ",";
    }
  }
  if (rows < all)
    fprintf(stderr, "; %" PRIu64 " of them before", all - rows);
  fprintf(stderr, "; %.3g s", seconds);
  if (seconds > 0 && rows > 0)
    fprintf(stderr, ", %.0f rows/s", (double)rows / seconds);
  fputc('\n', stderr);
}

// ---- All of it ----

// The rows from which and to which a part goes; their number must be known for that.
static int find_shard(const request *wanted, cli_problems *problems, uint64_t *first,
                      uint64_t *end) {
  *first = 0;
  *end = problems->counted ? problems->rows : UINT64_MAX;
  if (wanted->shard == 0)
    return CLI_EXIT_DONE;
  if (!problems->targets.regular)
    return cli_refuse("%s: --shard wants targets in a file", problems->targets.path);
  if (cli_problems_count(problems) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  // floor(rows * i / n) without that product
  uint64_t n = (uint64_t)wanted->shard_count, i = (uint64_t)wanted->shard - 1;
  uint64_t each = problems->rows / n, more = problems->rows % n;
  *first = each * i + more * i / n;
  *end = each * (i + 1) + more * (i + 1) / n;
  return CLI_EXIT_DONE;
}

// Goes to the first row, or to where an earlier run was stopped.
static int go_to_start(const request *wanted, cli_problems *problems, cli_answers *answers,
                       cli_journal *journal, uint64_t first, uint64_t rows) {
  if (journal->has_mark) {
    if (!problems->targets.regular)
      return cli_refuse("%s: --resume wants targets in a file", problems->targets.path);
    return cli_problems_seek(problems, journal->mark.place);
  }
  if (wanted->shard > 0 && cli_problems_skip_to(problems, first) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  cli_answers_add_head(answers, rows);
  return cli_journal_write(journal, answers->bytes, answers->size, first);
}

static int finish(cli_answers *answers, cli_journal *journal, const cli_mark *mark) {
  cli_answers_clear(answers);
  if (answers->is_npy)
    cli_answers_add_head(answers, row_count(mark));
  return cli_journal_finish(journal, mark, answers->bytes, answers->size);
}

// Rows in, rows out, from where the journal stands.
static int work_through(const request *wanted, const sinew_batch *batch, cli_problems *problems,
                        cli_answers *answers, cli_journal *journal) {
  uint64_t first, end;
  if (find_shard(wanted, problems, &first, &end) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  // The head of a NPY that cannot be written anew must be right at once.
  if (answers->is_npy && !journal->target && end == UINT64_MAX) {
    if (!problems->targets.regular)
      return cli_refuse("%s: a NPY in a pipe wants targets whose number is known", wanted->out);
    if (cli_problems_count(problems) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
    end = problems->rows;
  }

  const cli_batch_rules rules = {.batch = batch,
                                 .first = first,
                                 .end = end,
                                 .chunk = (uint64_t)wanted->chunk,
                                 .threads = wanted->threads};
  uint64_t rows = end == UINT64_MAX ? 0 : end - first;
  int exit_code = go_to_start(wanted, problems, answers, journal, first, rows);
  cli_mark mark = {0};
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_batch_run(&rules, problems, answers, journal, &mark);
  return exit_code == CLI_EXIT_DONE ? finish(answers, journal, &mark) : exit_code;
}

static int answer(const request *wanted, const sinew_batch *batch, cli_problems *problems) {
  cli_answers answers;
  cli_journal journal = {.file = -1};
  json_t *identity = json_object();
  cli_answers_open(wanted->out, problems->figure, &answers);
  int exit_code = identify(identity, wanted, problems, batch);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_journal_open(wanted->out, identity, wanted->resume, &journal);
  else
    json_decref(identity);
  uint64_t before = row_count(&journal.mark);
  if (exit_code == CLI_EXIT_DONE && !journal.finished)
    exit_code = work_through(wanted, batch, problems, &answers, &journal);
  if (exit_code == CLI_EXIT_DONE) {
    uint64_t rows = row_count(&journal.mark) - before;
    if (wanted->as_json)
      print_json(&journal.mark, rows, cli_seconds() - wanted->begin);
    else
      print_report(&journal.mark, rows, cli_seconds() - wanted->begin);
  }
  cli_journal_abandon(&journal);
  cli_answers_close(&answers);
  return exit_code;
}

// The bank and the batch that uses it.
static int make_batch(const request *wanted, const cli_figure *figure, const cli_tips *tips,
                      sinew_bank **bank, sinew_batch **batch) {
  sinew_error error = {0};
  sinew_bank_def bank_def = sinew_default_bank_def();
  bank_def.postures = wanted->bank;
  if (wanted->bank > 0 && sinew_bank_create(&bank_def, figure->model, tips->tasks, tips->count,
                                            bank, &error) != SINEW_OK)
    return cli_refuse_error(&error);
  sinew_batch_def def = wanted->def;
  def.bank = *bank;
  return sinew_batch_create(&def, figure->model, tips->tasks, tips->count, batch, &error) ==
                 SINEW_OK
             ? CLI_EXIT_DONE
             : cli_refuse_error(&error);
}

static int open_and_answer(const request *wanted, const cli_figure *figure) {
  cli_tips tips;
  cli_problems problems = {0};
  sinew_bank *bank = NULL;
  sinew_batch *batch = NULL;
  int exit_code = cli_tips_create(figure, wanted->tips, wanted->tip_count, &tips);
  if (exit_code != CLI_EXIT_DONE)
    cli_tips_destroy(&tips);
  else
    exit_code = cli_problems_open(wanted->targets, wanted->seeds, figure, tips, &problems);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = make_batch(wanted, figure, &problems.tips, &bank, &batch);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = answer(wanted, batch, &problems);
  sinew_batch_destroy(batch);
  sinew_bank_destroy(bank);
  cli_problems_close(&problems);
  return exit_code;
}

int cli_command_batch(int argc, char **argv) {
  request wanted = {.tips = cli_allocate((size_t)argc, sizeof(char *)),
                    .def = sinew_default_batch_def(),
                    .bank = sinew_default_bank_def().postures,
                    .threads = cli_threads_default(),
                    .begin = cli_seconds()};
  // A file larger than allowed shall be an error of writing, and not the end.
  signal(SIGXFSZ, SIG_IGN);
  int exit_code = parse(argc, argv, &wanted);
  if (exit_code == CLI_EXIT_DONE && wanted.help) {
    print_help();
  } else if (exit_code == CLI_EXIT_DONE) {
    cli_figure figure;
    exit_code = cli_figure_open(wanted.model, wanted.floating_base, &figure);
    if (exit_code == CLI_EXIT_DONE)
      exit_code = open_and_answer(&wanted, &figure);
    cli_figure_close(&figure);
  }
  free(wanted.tips);
  return exit_code;
}
