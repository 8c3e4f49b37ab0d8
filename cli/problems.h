/// The problems of a batch: targets, and seeds if there are any, read piece by piece from a CSV
/// or a NPY.
#ifndef CLI_PROBLEMS_H
#define CLI_PROBLEMS_H

#include "csv_stream.h"
#include "mistakes.h"
#include "npy_table.h"
#include "problem_columns.h"

/// What was unusual about a row.
typedef struct cli_row_note {
  int line;   ///< of a CSV, else 0
  int fields; ///< of a CSV, where there are too few or too many of them, else -1
} cli_row_note;

/// A place in the targets, for a run that resumes.
typedef struct cli_place {
  uint64_t row;       ///< from 0
  uint64_t byte;      ///< of the targets
  uint64_t seed_byte; ///< of the seeds, where they are in a file of their own
  int line;           ///< of a CSV
} cli_place;

typedef struct cli_problems {
  const cli_figure *figure;
  cli_target_row row; ///< the tasks; where columns decide, kinds are those of the file
  bool seeded;        ///< whether each problem has a seed, of nq values
  bool counted;       ///< whether rows is known
  uint64_t rows;
  uint64_t next; ///< row
  bool is_csv;
  cli_source targets, seeds;
  cli_part used_targets, used_seeds; ///< of regular files: what cli_problems_use() was told
  cli_csv_stream stream;             ///< of a CSV
  cli_use *uses;
  int use_count;
  cli_npy_table target_table, seed_table; ///< of a NPY
  double *cells;                          ///< of its rows that are being read
  size_t cell_rows;                       ///< room for so many
} cli_problems;

/// Opens the targets, and finds what their columns are for: of a CSV x, y, z, qw, qx, qy, qz or
/// NAME.x and so on, and seed.JOINT; of a NPY those of the entries without a target.
/// @param path "-": standard input
/// @param seeds a NPY with a row of nq values a problem, or NULL
/// @param list what to do; must live as long as the problems
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message; close it in either case
int cli_problems_open(const char *path, const char *seeds, const cli_figure *figure,
                      cli_task_list *list, cli_problems *problems);
void cli_problems_close(cli_problems *problems);

/// Counts the rows where they are not known yet: reads a CSV once, and returns to the first row.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_problems_count(cli_problems *problems);

/// Goes forward to a row.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_problems_skip_to(cli_problems *problems, uint64_t row);

/// Where the next row is, and going there in another run.
cli_place cli_problems_place(const cli_problems *problems);
int cli_problems_seek(cli_problems *problems, cli_place place);

/// Begins the parts of the files that a run uses, and extends them to a later place.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
void cli_problems_use_from(cli_problems *problems, cli_place place);
int cli_problems_use_to(cli_problems *problems, cli_place place);

/// Reads the next problems. An invalid number becomes NaN.
/// @param most of them
/// @param targets most x row.size values
/// @param seeds most x nq values; not used where there are no seeds
/// @param notes most of them
/// @param count how many there were; 0 at the end
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message; those before the fault were read
int cli_problems_read(cli_problems *problems, size_t most, double *targets, double *seeds,
                      cli_row_note *notes, size_t *count);

/// Warns of an invalid row, saying where and why.
/// @param row from 0
/// @param seed NULL: none
void cli_problems_warn(const cli_problems *problems, uint64_t row, const double *targets,
                       const double *seed, const cli_row_note *note);

/// Warns of what is probably a mistake in a valid row: once for each kind.
/// @param seed NULL: none
void cli_problems_check(const cli_problems *problems, cli_mistakes *mistakes, uint64_t row,
                        const double *targets, const double *seed, const cli_row_note *note);

/// How much of a CSV has been read, from 0 to 1; 0 where that is not known.
double cli_problems_share(const cli_problems *problems);

#endif
