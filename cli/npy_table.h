/// The rows of a NPY, read piece by piece.
#ifndef CLI_NPY_TABLE_H
#define CLI_NPY_TABLE_H

#include "sinew/formats.h"
#include "source.h"

typedef struct cli_npy_table {
  cli_source *source;
  sinew_npy head;
  uint64_t row; ///< the next
  void *narrow; ///< numbers of 4 bytes as they are in the file
  size_t narrow_size;
} cli_npy_table;

/// Reads the head, and refuses a file that is shorter or longer than it says.
/// @param source at its beginning; lives as long as the table
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_npy_table_open(cli_source *source, cli_npy_table *table);
void cli_npy_table_close(cli_npy_table *table);

/// values (count x columns) = the next rows, all of which must be there.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_npy_table_read(cli_npy_table *table, size_t count, double *values);

/// Where the next row begins in the file.
uint64_t cli_npy_table_place(const cli_npy_table *table);

/// Goes to a row.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_npy_table_seek(cli_npy_table *table, uint64_t row);

#endif
