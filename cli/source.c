// Files that are read piece by piece.
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "message.h"

#define STANDARD_INPUT "standard input"

// Of a file's beginning that goes into its identity.
#define BEGINNING ((uint64_t)65536)

// What is read at a time for a checksum.
#define PIECE ((size_t)1 << 18)

// Large reads cost little; the system takes no more than 2 GiB at a time.
#define MOST_AT_ONCE ((size_t)1 << 30)

static int refuse(const cli_source *source, int reason) {
  return cli_refuse("%s: %s", source->path, strerror(reason));
}

int cli_source_open(const char *path, cli_source *source) {
  bool standard = strcmp(path, "-") == 0;
  *source = (cli_source){.path = standard ? STANDARD_INPUT : path};
  source->file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
  if (source->file < 0)
    return refuse(source, errno);
  struct stat status;
  if (fstat(source->file, &status) != 0)
    return refuse(source, errno);
  if (S_ISDIR(status.st_mode))
    return refuse(source, EISDIR);
  source->regular = S_ISREG(status.st_mode) && lseek(source->file, 0, SEEK_CUR) == 0;
  source->size = source->regular ? (uint64_t)status.st_size : 0;
  return CLI_EXIT_DONE;
}

void cli_source_close(cli_source *source) {
  if (source->path && source->file >= 0)
    close(source->file);
  free(source->ahead);
  *source = (cli_source){.file = -1};
}

// Reads until all is there or the file ends.
static int fill(const cli_source *source, char *bytes, size_t size, size_t *got) {
  *got = 0;
  while (*got < size) {
    size_t left = size - *got;
    ssize_t count = read(source->file, bytes + *got, left < MOST_AT_ONCE ? left : MOST_AT_ONCE);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return refuse(source, errno);
    if (count == 0)
      break;
    *got += (size_t)count;
  }
  return CLI_EXIT_DONE;
}

int cli_source_peek(cli_source *source, size_t most, const char **bytes, size_t *size) {
  size_t held = source->ahead_end - source->ahead_begin;
  if (held < most) {
    char *larger = cli_allocate(most, 1);
    if (held > 0)
      memcpy(larger, source->ahead + source->ahead_begin, held);
    free(source->ahead);
    source->ahead = larger;
    size_t got = 0;
    int exit_code = fill(source, larger + held, most - held, &got);
    source->ahead_begin = 0;
    source->ahead_end = held + got;
    if (exit_code != CLI_EXIT_DONE)
      return exit_code;
  }
  *bytes = source->ahead + source->ahead_begin;
  *size = source->ahead_end - source->ahead_begin;
  return CLI_EXIT_DONE;
}

int cli_source_read(cli_source *source, void *bytes, size_t size, size_t *got) {
  size_t held = source->ahead_end - source->ahead_begin;
  size_t taken = held < size ? held : size;
  if (taken > 0)
    memcpy(bytes, source->ahead + source->ahead_begin, taken);
  source->ahead_begin += taken;
  int exit_code = fill(source, (char *)bytes + taken, size - taken, got);
  *got += taken;
  source->place += *got;
  return exit_code;
}

int cli_source_seek(cli_source *source, uint64_t place) {
  source->ahead_begin = source->ahead_end = 0;
  source->place = place;
  return lseek(source->file, (off_t)place, SEEK_SET) < 0 ? refuse(source, errno) : CLI_EXIT_DONE;
}

int cli_source_extend(const cli_source *source, cli_part *part, uint64_t to) {
  char *bytes = cli_allocate(PIECE, 1);
  int exit_code = CLI_EXIT_DONE;
  while (part->to < to && exit_code == CLI_EXIT_DONE) {
    const uint64_t left = to - part->to;
    const ssize_t got =
        pread(source->file, bytes, left < PIECE ? (size_t)left : PIECE, (off_t)part->to);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      exit_code = refuse(source, errno);
    else if (got == 0)
      exit_code = cli_refuse("%s: the file has become shorter", source->path);
    else
      cli_checksum_add(&part->checksum, bytes, (size_t)got);
    part->to += got > 0 ? (uint64_t)got : 0;
  }
  free(bytes);
  return exit_code;
}

int cli_source_identify(const cli_source *source, char *text, size_t size) {
  if (!source->regular) {
    snprintf(text, size, "a stream");
    return CLI_EXIT_DONE;
  }
  cli_part beginning = {0};
  const uint64_t end = source->size < BEGINNING ? source->size : BEGINNING;
  if (cli_source_extend(source, &beginning, end) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  snprintf(text, size, "%" PRIu64 " bytes, beginning with checksum %016" PRIx64, source->size,
           cli_checksum_value(&beginning.checksum));
  return CLI_EXIT_DONE;
}
