// The rows of a NPY, read piece by piece.
#include "npy_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "command.h"
#include "message.h"

static uint64_t row_size(const sinew_npy *head) {
  return head->columns * (uint64_t)head->value_size;
}

static int refuse_end(const cli_npy_table *table, uint64_t size) {
  const sinew_npy *head = &table->head;
  uint64_t bytes = row_size(head) > 0 ? row_size(head) : 1;
  return cli_refuse("%s: the file is incomplete: it ends at byte %" PRIu64 ", within row %" PRIu64
                    " (from 0) of %" PRIu64,
                    table->source->path, size, (size - head->data) / bytes, head->rows);
}

static int check_size(const cli_npy_table *table) {
  const sinew_npy *head = &table->head;
  uint64_t wanted = head->data + head->rows * row_size(head);
  if (!table->source->regular || table->source->size == wanted)
    return CLI_EXIT_DONE;
  if (table->source->size < wanted)
    return refuse_end(table, table->source->size);
  return cli_refuse("%s: %" PRIu64 " bytes follow the %" PRIu64 " rows that its header announces",
                    table->source->path, table->source->size - wanted, head->rows);
}

int cli_npy_table_open(cli_source *source, cli_npy_table *table) {
  *table = (cli_npy_table){.source = source};
  const char *bytes = NULL;
  size_t size = 0;
  sinew_error error = {0};
  if (cli_source_peek(source, SINEW_NPY_MAX_HEADER, &bytes, &size) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (sinew_npy_read_header(bytes, size, source->path, &table->head, &error) != SINEW_OK)
    return cli_refuse_error(&error);
  if (check_size(table) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (source->regular)
    return cli_source_seek(source, table->head.data);

  // A pipe's head is read like all the rest.
  size_t got = 0;
  char *head = cli_allocate(table->head.data, 1);
  int exit_code = cli_source_read(source, head, table->head.data, &got);
  free(head);
  return exit_code;
}

void cli_npy_table_close(cli_npy_table *table) {
  free(table->narrow);
  *table = (cli_npy_table){0};
}

int cli_npy_table_read(cli_npy_table *table, size_t count, double *values) {
  const sinew_npy *head = &table->head;
  size_t numbers = count * (size_t)head->columns, size = numbers * (size_t)head->value_size;
  void *bytes = values;
  if (head->value_size < 8) {
    if (table->narrow_size < size) {
      table->narrow = cli_reallocate(table->narrow, size, 1);
      table->narrow_size = size;
    }
    bytes = table->narrow;
  }

  size_t got = 0;
  if (cli_source_read(table->source, bytes, size, &got) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (got < size)
    return refuse_end(table, table->source->place);
  sinew_npy_read_values(head, bytes, numbers, values);
  table->row += count;
  return CLI_EXIT_DONE;
}

uint64_t cli_npy_table_place(const cli_npy_table *table) {
  return table->head.data + table->row * row_size(&table->head);
}

int cli_npy_table_seek(cli_npy_table *table, uint64_t row) {
  table->row = row;
  return cli_source_seek(table->source, cli_npy_table_place(table));
}
