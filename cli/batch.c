// sinew batch: joint values for very many targets.
#include "batch.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch_run.h"
#include "bones.h"
#include "message.h"
#include "mistakes.h"
#include "network.h"
#include "scenes/expect.h"
#include "progress.h"
#include "threads.h"
#include "tip_tasks.h"

static int check_request(const cli_request *wanted) {
  if (wanted->tip_count == 0 && !wanted->tasks)
    return cli_refuse("batch: --tip is missing: --tip LINK, or --tasks FILE.json");
  if (!wanted->targets)
    return cli_refuse("batch: --targets is missing: --targets FILE.csv or FILE.npy");
  if (!wanted->out)
    return cli_refuse("batch: --out is missing: --out FILE.csv or FILE.npy");
  if (wanted->as_json && strcmp(wanted->out, "-") == 0)
    return cli_refuse("batch: --json and --out - would both write to standard output");
  if (wanted->threads > 1 && !cli_threads_many())
    return cli_refuse("--threads %d: this sinew was built without OpenMP, and has one thread",
                      wanted->threads);
  return CLI_EXIT_DONE;
}

// ---- Rows in, rows out ----

// The first row of a part and the row after its last; the number of rows must be known for that.
static int find_shard(const cli_request *wanted, cli_problems *problems, uint64_t *first,
                      uint64_t *end) {
  *first = 0;
  *end = problems->counted ? problems->rows : UINT64_MAX;
  if (wanted->shard.n == 0)
    return CLI_EXIT_DONE;
  if (!problems->targets.regular)
    return cli_refuse("%s: --shard needs targets in a file, not in a pipe", problems->targets.path);
  if (cli_problems_count(problems) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  // floor(rows * i / n) without that product
  uint64_t n = (uint64_t)wanted->shard.n, i = (uint64_t)wanted->shard.i - 1;
  uint64_t each = problems->rows / n, more = problems->rows % n;
  *first = each * i + more * i / n;
  *end = each * (i + 1) + more * (i + 1) / n;
  return CLI_EXIT_DONE;
}

static bool is_same(const cli_part *now, const cli_mark_part *before) {
  return cli_checksum_value(&now->checksum) == before->checksum;
}

// Whether the finished rows were computed from the targets and seeds that are there now.
static int check_used(cli_problems *problems, const cli_journal *journal) {
  const cli_mark *mark = &journal->mark;
  const cli_place first = {.byte = mark->targets.from, .seed_byte = mark->seeds.from};
  const cli_place end = {.byte = mark->targets.to, .seed_byte = mark->seeds.to};
  cli_problems_use_from(problems, first);
  if (cli_problems_use_to(problems, end) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  const bool targets = is_same(&problems->used_targets, &mark->targets);
  if (targets && is_same(&problems->used_seeds, &mark->seeds))
    return CLI_EXIT_DONE;
  return cli_refuse("%s: its rows before %" PRIu64 " (from 0) have changed since the interrupted "
                    "run; remove %s and %s to start from the beginning",
                    targets ? problems->seeds.path : problems->targets.path, mark->place.row,
                    journal->partial, journal->journal);
}

// Goes to the first row, or to where the interrupted run ended.
static int go_to_start(const cli_request *wanted, cli_problems *problems, cli_answers *answers,
                       cli_journal *journal, uint64_t first, uint64_t rows) {
  if (journal->has_mark) {
    if (!problems->targets.regular)
      return cli_refuse("%s: --resume needs targets in a file, not in a pipe",
                        problems->targets.path);
    return check_used(problems, journal) == CLI_EXIT_DONE
               ? cli_problems_seek(problems, journal->mark.place)
               : CLI_EXIT_REFUSED;
  }
  if (wanted->shard.n > 0 && cli_problems_skip_to(problems, first) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  cli_problems_use_from(problems, cli_problems_place(problems));
  cli_answers_add_head(answers, rows);
  return cli_journal_write_head(journal, answers->bytes, answers->size, first);
}

static int finish(cli_answers *answers, cli_journal *journal, const cli_mark *mark) {
  cli_answers_clear(answers);
  if (answers->is_npy)
    cli_answers_add_head(answers, cli_batch_row_count(mark));
  return cli_journal_finish(journal, mark, answers->bytes, answers->size);
}

// Rows in, rows out, from where the journal stands.
static int work_through(const cli_request *wanted, const sinew_batch *batch, cli_problems *problems,
                        cli_answers *answers, cli_journal *journal) {
  uint64_t first, end;
  if (find_shard(wanted, problems, &first, &end) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  // The header of a NPY in a pipe cannot be corrected later: it needs the number of rows.
  if (answers->is_npy && !journal->target && end == UINT64_MAX) {
    if (!problems->targets.regular)
      return cli_refuse(
          "%s: to write a NPY to a pipe, the number of targets must be known: give them in a file",
          wanted->out);
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

// @param begin when the run began [s]
static int answer(const cli_request *wanted, const sinew_batch *batch, double begin,
                  cli_problems *problems) {
  cli_answers answers;
  cli_journal journal = {.file = -1};
  json_t *identity = json_object();
  cli_answers_open(wanted->out, problems->figure, wanted->reach, &answers);
  int exit_code = cli_batch_identify(wanted, problems, batch, identity);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_journal_open(wanted->out, identity, wanted->resume, &journal);
  else
    json_decref(identity);
  uint64_t before = cli_batch_row_count(&journal.mark);
  if (exit_code == CLI_EXIT_DONE && !journal.finished)
    exit_code = work_through(wanted, batch, problems, &answers, &journal);
  if (exit_code == CLI_EXIT_DONE) {
    uint64_t rows = cli_batch_row_count(&journal.mark) - before;
    cli_batch_report(wanted, &journal.mark, rows, cli_seconds() - begin);
  }
  cli_journal_abandon(&journal);
  cli_answers_close(&answers);
  return exit_code;
}

// A --tip that needs columns is given once.
static int check_names(const cli_task_list *list) {
  if (list->count == 0)
    return cli_refuse("batch: there is no task in the file of --tasks");
  for (int e = 0; e < list->entry_count; ++e)
    if (list->entries[e].by_columns &&
        cli_task_list_find(list, list->entries[e].name, strlen(list->entries[e].name)) == -2)
      return cli_refuse("batch: %s is given twice; a tasks file can give its tasks names",
                        list->entries[e].where);
  return CLI_EXIT_DONE;
}

// What gives starts to the rows.
typedef struct starts {
  sinew_bank *bank;
  sinew_network *network;
} starts;

// A bank of postures and a network for the tasks that are searched: those of level 0 that are
// required.
static int make_starts(const cli_request *wanted, const cli_figure *figure,
                       const cli_task_list *list, starts *out) {
  sinew_error error = {0};
  sinew_bank_def def = sinew_default_bank_def();
  sinew_task *tasks = cli_allocate((size_t)list->count, sizeof *tasks);
  int *numbers = cli_allocate((size_t)list->count, sizeof *numbers), count = 0;
  for (int t = 0; t < list->count; ++t)
    if (list->tasks[t].level == 0 && list->tasks[t].required != SINEW_NOT_REQUIRED &&
        list->tasks[t].influence > 0) {
      numbers[count] = t;
      tasks[count++] = list->tasks[t];
    }
  def.postures = wanted->bank;
  const sinew_result result =
      wanted->bank > 0 && count > 0
          ? sinew_bank_create(&def, figure->model, tasks, count, &out->bank, &error)
          : SINEW_OK;
  const int exit_code = result == SINEW_OK
                            ? cli_network_read(wanted->network, figure, tasks, count, &out->network)
                            : cli_task_list_refuse_some(list, numbers, &error);
  free(tasks);
  free(numbers);
  return exit_code;
}

// The batch, and what gives it starts.
static int make_batch(const cli_request *wanted, const cli_figure *figure, cli_task_list *list,
                      starts *from, sinew_batch **batch) {
  sinew_error error = {0};
  for (int i = 0; i < list->objective_count; ++i)
    if (list->from_start[i])
      return cli_refuse("%s: the posture 'start' is not for batch, whose rows have starts of their "
                        "own",
                        list->objective_entries[i].where);
  if (make_starts(wanted, figure, list, from) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  bones kept = cli_bones_find(figure, wanted->stretch);
  unsigned char *frozen = cli_task_list_frozen(list, kept.frozen, sinew_model_nv(figure->model));
  sinew_batch_def def = sinew_default_batch_def();
  def.tolerances.position = def.tolerances.orientation = wanted->tolerance;
  def.max_starts = wanted->max_starts;
  def.lanes = wanted->lanes;
  def.bank = from->bank;
  def.network = from->network;
  def.frozen = frozen;
  def.gains = list->limits.gains;
  def.lower = list->limits.lower;
  def.upper = list->limits.upper;
  def.margin_linear = def.margin_angular = list->limits.margin;
  cli_mistakes_warn_limits(figure->model, &list->limits, false, "batch");
  def.objectives = list->objectives;
  def.objective_count = list->objective_count;
  const sinew_result result =
      sinew_batch_create(&def, figure->model, list->tasks, list->count, batch, &error);
  free(frozen);
  bones_free(&kept);
  return result == SINEW_OK ? CLI_EXIT_DONE : cli_task_list_refuse(list, &error);
}

static int open_and_answer(const cli_request *wanted, cli_figure *figure, double begin) {
  cli_task_list list = {0};
  cli_problems problems = {0};
  starts from = {NULL, NULL};
  sinew_batch *batch = NULL;
  int exit_code = cli_tip_tasks_add(wanted, figure, &list);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = check_names(&list);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_problems_open(wanted->targets, wanted->seeds, figure, &list, &problems);
  if (exit_code == CLI_EXIT_DONE) {
    cli_mistakes_warn_tasks(figure->model, &list, "batch");
    exit_code = make_batch(wanted, figure, &list, &from, &batch);
  }
  if (exit_code == CLI_EXIT_DONE)
    exit_code = answer(wanted, batch, begin, &problems);
  sinew_batch_destroy(batch);
  sinew_bank_destroy(from.bank);
  sinew_network_destroy(from.network);
  cli_problems_close(&problems);
  cli_task_list_destroy(&list);
  return exit_code;
}

static int run(cli_request *wanted) {
  double begin = cli_seconds();
  if (check_request(wanted) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  // A file larger than allowed is an error of writing, and must not end the program.
  signal(SIGXFSZ, SIG_IGN);
  cli_figure figure;
  int exit_code = cli_figure_open(wanted->word, wanted->floating_base, &figure);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = open_and_answer(wanted, &figure, begin);
  cli_figure_close(&figure);
  return exit_code;
}

// ---- The command ----

static void set_defaults(cli_request *wanted) {
  const sinew_batch_def def = sinew_default_batch_def();
  wanted->tolerance = def.tolerances.position;
  wanted->max_starts = def.max_starts;
  wanted->lanes = def.lanes;
  wanted->bank = sinew_default_bank_def().postures;
  wanted->threads = cli_threads_default();
}

const cli_command cli_command_batch = {
    .id = CLI_BATCH,
    .name = "batch",
    .word = "MODEL",
    .summary = "joint values for very many targets",
    .usage = "MODEL [--tip LINK]... --targets FILE --out FILE [OPTION]...",
    .about =
        "Computes joint values for very many targets, each on its own: one row in, one row "
        "out. Memory does not grow with the number of rows. An interrupted run can be "
        "resumed.\n\n"
        "Options that follow a --tip, or a tasks file (docs/task_files.md), say more of what is "
        "wanted, or give a link a target that is the same in all rows.",
    .notes =
        "The targets are a CSV with the columns x,y,z or qw,qx,qy,qz or all seven, or dx,dy,dz for "
        "a "
        "direction of the z axis; for several --tip they are LINK.x and so on, and NAME.x for a "
        "task of --tasks. Columns seed.JOINT, one for each joint that is not "
        "coupled, give the start. A column time is ignored, other columns are refused. A NPY file "
        "is also read: <f4 or <f8 in C order, with 3, 4 or 7 columns for each --tip without a "
        "target, in the same order; if all have one, with the 3 or 4 that an --orientation, --rpy "
        "or --position lacks of a pose. The format is detected from the content; - is standard "
        "input.\n\n"
        "The result is a NPY of <f8 if FILE ends in .npy, else a CSV. Its columns are outcome,"
        "position_error,orientation_error,steps,JOINT,... in the order of 'sinew info', with "
        "coupled joints. --reach appends reach_task, the number of the --tip, from 0, that is "
        "proven to be out of reach, reach, how far the chain reaches towards its target at most, "
        "and target_distance, the distance asked for. Where reach is larger, the target is too "
        "near, and reach is how near the chain folds. Distances are from the centre of the "
        "workspace, on the axis of the first joint; of a pose they may be those of its wrist. For "
        "other outcomes the three are empty in a CSV and -1 in a NPY.\n\n"
        "While it runs, rows are written to FILE.partial, and FILE.journal says which are "
        "finished. At the end FILE.partial is renamed to FILE. A BVH keeps its own unit of "
        "length.\n\n"
        "Outcomes, and their numbers in a NPY: 0 converged; 1 out_of_reach; 2 "
        "blocked_by_limits; 3 stalled; 4 step_limit; 5 time_limit; 6 bad_input; 7 no_task "
        "(no task of level 0 is required: lower levels are served, errors are -1). A row is "
        "bad_input if it is not a valid target; warnings name the first such rows. Its numbers "
        "are empty in a CSV; in a NPY the errors are -1 and the joint values are the "
        "start.\n\n"
        "With --json: one object with rows, outcomes (how many of each), solved_now (rows, "
        "without those of earlier runs) and seconds.\n\n"
        "Exit status: 0 all rows are written, whatever their outcomes; 2 wrong usage or input, or "
        "the output could not be written.",
    .examples = "  sinew batch models/arm7.urdf --tip flange --targets poses.npy --out joints.npy\n"
                "  sinew fk models/humanoid.bvh --tip LeftHand --motion --out hand.csv\n"
                "  sinew batch models/humanoid.bvh --tip LeftHand --targets hand.csv --out -\n",
    .set_defaults = set_defaults,
    .run = run};
