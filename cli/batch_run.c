// The work of sinew batch: problems in, answers out, block by block.
//
// Memory does not grow with the number of problems: a block is read, solved by all threads
// and written before the next. A block is a fraction of a second's work, so that the bar
// moves and an interruption costs little, and small enough to stay in the processor's caches.
#include "batch_run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "command.h"
#include "message.h"
#include "progress.h"
#include "threads.h"

#define FIRST_BLOCK 1024
#define LARGEST_BLOCK 65536
#define LARGEST_BLOCK_BYTES ((size_t)16 << 20)
#define BLOCK_SECONDS 0.1

// After this the journal is renewed: the most work that an interruption costs.
#define CHUNK_SECONDS 0.5

// How many invalid rows are named one by one.
#define WARNINGS 10

// Room for the largest block, and what is known of the run.
typedef struct work {
  const cli_batch_rules *rules;
  cli_problems *problems;
  cli_answers *answers;
  cli_journal *journal;
  double *targets, *seeds, *q;
  cli_row_note *notes;
  sinew_batch_row *rows;
  size_t capacity; // of these, rows
  cli_mark mark;
  uint64_t marked; // the row up to which the journal has all
  double marked_at;
  uint64_t warnings;
  cli_mistakes mistakes;
} work;

static void begin(work *w) {
  const cli_problems *problems = w->problems;
  size_t nq = (size_t)sinew_model_nq(problems->figure->model);
  size_t size = (size_t)problems->row.size, seeds = problems->seeded ? nq : 0;
  size_t columns = (size_t)(w->answers->columns.count + w->answers->after);
  // A number is 8 bytes in memory and in a NPY, and up to 25 in a CSV.
  size_t row = 8 * (size + seeds + nq) + 25 * (columns + 4) + sizeof *w->notes + sizeof *w->rows;
  w->capacity = LARGEST_BLOCK_BYTES / row;
  w->capacity = w->capacity > LARGEST_BLOCK ? LARGEST_BLOCK : w->capacity > 0 ? w->capacity : 1;
  w->targets = cli_allocate(w->capacity * size, sizeof(double));
  w->seeds = cli_allocate(w->capacity * seeds, sizeof(double));
  w->q = cli_allocate(w->capacity * nq, sizeof(double));
  w->notes = cli_allocate(w->capacity, sizeof *w->notes);
  w->rows = cli_allocate(w->capacity, sizeof *w->rows);
  w->mark = w->journal->mark;
  w->mark.place = cli_problems_place(problems);
  w->marked = problems->next;
  w->marked_at = cli_seconds();
  w->mistakes = cli_mistakes_begin(problems->figure);
}

static void end(work *w) {
  cli_mistakes_end(&w->mistakes);
  free(w->targets);
  free(w->seeds);
  free(w->q);
  free(w->notes);
  free(w->rows);
}

// Counts outcomes, and warns of the first invalid rows.
static void count_outcomes(work *w, uint64_t first, size_t count) {
  const cli_problems *problems = w->problems;
  size_t size = (size_t)problems->row.size, nq = (size_t)sinew_model_nq(problems->figure->model);
  for (size_t i = 0; i < count; ++i) {
    ++w->mark.outcomes[w->rows[i].outcome];
    if (w->rows[i].outcome == SINEW_OUTCOME_BAD_INPUT && w->warnings++ < WARNINGS) {
      cli_progress_wipe();
      cli_problems_warn(problems, first + i, w->targets + i * size,
                        problems->seeded ? w->seeds + i * nq : NULL, &w->notes[i]);
    }
  }
}

static void find_mistakes(work *w, uint64_t first, size_t count) {
  const cli_problems *problems = w->problems;
  const size_t size = (size_t)problems->row.size;
  const size_t nq = (size_t)sinew_model_nq(problems->figure->model);
  for (size_t i = 0; i < count; ++i)
    cli_problems_check(problems, &w->mistakes, first + i, w->targets + i * size,
                       problems->seeded ? w->seeds + i * nq : NULL, &w->notes[i]);
}

static int solve_block(work *w, uint64_t first, size_t count) {
  const sinew_batch_arrays arrays = {.targets = w->targets,
                                     .seeds = w->problems->seeded ? w->seeds : NULL,
                                     .q = w->q,
                                     .rows = w->rows};
  find_mistakes(w, first, count);
  sinew_result result = cli_threads_solve(w->rules->batch, &arrays, count, w->rules->threads);
  if (result != SINEW_OK)
    return cli_refuse("batch: row %" PRIu64 " (from 0): %s", first, sinew_result_string(result));
  count_outcomes(w, first, count);
  cli_answers_clear(w->answers);
  cli_answers_add(w->answers, count, w->q, w->rows);
  return cli_journal_write(w->journal, w->answers->bytes, w->answers->size, first);
}

static cli_mark_part part_of(const cli_part *used) {
  return (cli_mark_part){used->from, used->to, cli_checksum_value(&used->checksum)};
}

static int note(work *w) {
  if (w->journal->target && cli_problems_use_to(w->problems, w->mark.place) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  w->mark.targets = part_of(&w->problems->used_targets);
  w->mark.seeds = part_of(&w->problems->used_seeds);
  w->marked = w->mark.place.row;
  w->marked_at = cli_seconds();
  return cli_journal_mark(w->journal, &w->mark);
}

// Keeps what was solved before a fault in the targets.
static int save(work *w) {
  if (w->journal->target && w->mark.place.row > w->marked && note(w) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (w->journal->target && w->journal->has_mark)
    cli_warn("the rows before %" PRIu64 " are kept; --resume continues after them", w->marked);
  return CLI_EXIT_REFUSED;
}

// Whether a chunk is finished.
static bool is_chunk(const work *w) {
  if (w->rules->chunk > 0)
    return w->problems->next - w->marked >= w->rules->chunk;
  return cli_seconds() - w->marked_at >= CHUNK_SECONDS;
}

// How many rows next: no more than to the end and to the end of the chunk.
static size_t next_block(const work *w, size_t block) {
  uint64_t left = w->rules->end - w->problems->next;
  uint64_t of_chunk =
      w->rules->chunk > 0 ? w->rules->chunk - (w->problems->next - w->marked) : left;
  left = of_chunk < left ? of_chunk : left;
  return left < block ? (size_t)left : block;
}

static double share_done(const work *w) {
  const cli_batch_rules *rules = w->rules;
  return rules->end == UINT64_MAX
             ? cli_problems_share(w->problems)
             : (double)(w->problems->next - rules->first) / (double)(rules->end - rules->first);
}

// Blocks grow and shrink with the time that they take.
static size_t resize(const work *w, size_t block, double seconds) {
  if (seconds > 2 * BLOCK_SECONDS)
    block /= 2;
  else if (seconds < BLOCK_SECONDS / 2)
    block *= 2;
  return block < 1 ? 1 : block > w->capacity ? w->capacity : block;
}

static int work_on(work *w) {
  size_t block = FIRST_BLOCK < w->capacity ? FIRST_BLOCK : w->capacity;
  for (;;) {
    double before = cli_seconds();
    uint64_t first = w->problems->next;
    size_t count = 0, most = next_block(w, block);
    int exit_code = CLI_EXIT_DONE;
    if (most > 0)
      exit_code = cli_problems_read(w->problems, most, w->targets, w->seeds, w->notes, &count);
    if (count > 0 && solve_block(w, first, count) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
    w->mark.place = cli_problems_place(w->problems);
    if (exit_code != CLI_EXIT_DONE)
      return save(w);
    if (count == 0)
      return CLI_EXIT_DONE;
    if (is_chunk(w) && note(w) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
    cli_progress_rows(share_done(w), (double)w->problems->next);
    block = resize(w, block, cli_seconds() - before);
  }
}

int cli_batch_run(const cli_batch_rules *rules, cli_problems *problems, cli_answers *answers,
                  cli_journal *journal, cli_mark *mark) {
  work w = {.rules = rules, .problems = problems, .answers = answers, .journal = journal};
  begin(&w);
  int exit_code = work_on(&w);
  *mark = w.mark;
  cli_progress(1);
  end(&w);
  if (w.warnings > WARNINGS)
    cli_warn("%" PRIu64 " more rows are bad_input", w.warnings - WARNINGS);
  return exit_code;
}
