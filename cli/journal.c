// A long output that an interruption does not destroy.
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "file.h"
#include "json.h"
#include "message.h"

#define MOST_AT_ONCE ((size_t)1 << 30)

static char *with_ending(const char *path, const char *ending) {
  size_t size = strlen(path) + strlen(ending) + 1;
  char *text = cli_allocate(size, 1);
  snprintf(text, size, "%s%s", path, ending);
  return text;
}

static int refuse(const char *path, int reason) {
  return cli_refuse("%s: %s", path, strerror(reason));
}

// ---- The journal's text ----

static void set_count(json_t *object, const char *name, uint64_t value) {
  json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *mark_object(const cli_mark *mark) {
  json_t *object = json_object(), *outcomes = json_array();
  set_count(object, "bytes", mark->bytes);
  set_count(object, "row", mark->place.row);
  set_count(object, "targets_byte", mark->place.byte);
  set_count(object, "targets_line", (uint64_t)mark->place.line);
  for (int i = 0; i < SINEW_OUTCOME_COUNT; ++i)
    json_array_append_new(outcomes, json_integer((json_int_t)mark->outcomes[i]));
  json_object_set_new(object, "outcomes", outcomes);
  return object;
}

static bool get_count(const json_t *object, const char *name, uint64_t *value) {
  const json_t *number = json_object_get(object, name);
  *value = (uint64_t)json_integer_value(number);
  return json_is_integer(number) && json_integer_value(number) >= 0;
}

static bool read_mark(const json_t *object, cli_mark *mark) {
  uint64_t line = 0;
  const json_t *outcomes = json_object_get(object, "outcomes");
  bool good = get_count(object, "bytes", &mark->bytes) &&
              get_count(object, "row", &mark->place.row) &&
              get_count(object, "targets_byte", &mark->place.byte) &&
              get_count(object, "targets_line", &line) && line <= INT32_MAX &&
              json_array_size(outcomes) == SINEW_OUTCOME_COUNT;
  mark->place.line = (int)line;
  for (size_t i = 0; good && i < SINEW_OUTCOME_COUNT; ++i)
    mark->outcomes[i] = (uint64_t)json_integer_value(json_array_get(outcomes, i));
  return good;
}

// ---- Writing ----

static int write_all(int file, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t count = write(file, bytes, size < MOST_AT_ONCE ? size : MOST_AT_ONCE);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    bytes += count;
    size -= (size_t)count;
  }
  return 0;
}

// Waits until the bytes are on the disk, where there is one.
static int wait_for_disk(int file) {
  return fdatasync(file) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

// Starts writing to the disk early, so that there is less to wait for later.
static void begin_writing_out(int file, uint64_t from, uint64_t size) {
#ifdef SYNC_FILE_RANGE_WRITE
  sync_file_range(file, (off_t)from, (off_t)size, SYNC_FILE_RANGE_WRITE);
#else
  (void)file, (void)from, (void)size;
#endif
}

// A failed write; the message says which rows are kept.
static int refuse_write(const cli_journal *journal, int reason, uint64_t row) {
  if (!journal->target || !journal->has_mark)
    return cli_refuse("%s: row %" PRIu64 " (from 0): %s", journal->path, row, strerror(reason));
  return cli_refuse("%s: row %" PRIu64 " (from 0): %s; the rows before %" PRIu64
                    " are kept; --resume continues after them",
                    journal->path, row, strerror(reason), journal->kept);
}

int cli_journal_write(cli_journal *journal, const void *bytes, size_t size, uint64_t row) {
  int reason = write_all(journal->file, bytes, size);
  if (reason != 0)
    return refuse_write(journal, reason, row);
  if (journal->target)
    begin_writing_out(journal->file, journal->written, size);
  journal->written += size;
  return CLI_EXIT_DONE;
}

// Replaces the journal.
static int renew(cli_journal *journal, bool finished) {
  json_t *object = json_object();
  json_object_set(object, "about", journal->identity);
  json_object_set_new(object, "finished", json_boolean(finished));
  json_object_set_new(object, "mark", mark_object(&journal->mark));
  char *text = cli_json_dump(object, JSON_INDENT(2));
  json_decref(object);

  int file = open(journal->renewed, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int reason = file < 0 ? errno : write_all(file, text, strlen(text));
  if (file >= 0 && reason == 0)
    reason = wait_for_disk(file);
  if (file >= 0 && close(file) != 0 && reason == 0)
    reason = errno;
  if (reason == 0 && rename(journal->renewed, journal->journal) != 0)
    reason = errno;
  if (reason != 0)
    unlink(journal->renewed);
  free(text);
  if (reason == 0) {
    journal->has_mark = true;
    journal->kept = journal->mark.place.row;
  }
  return reason;
}

static void set_mark(cli_journal *journal, const cli_mark *mark) {
  journal->mark = *mark;
  journal->mark.bytes = journal->written;
}

int cli_journal_mark(cli_journal *journal, const cli_mark *mark) {
  set_mark(journal, mark);
  if (!journal->target)
    return CLI_EXIT_DONE;
  int reason = wait_for_disk(journal->file);
  if (reason == 0)
    reason = renew(journal, false);
  return reason == 0 ? CLI_EXIT_DONE : refuse_write(journal, reason, mark->place.row);
}

int cli_journal_finish(cli_journal *journal, const cli_mark *mark, const void *head,
                       size_t head_size) {
  int reason = 0;
  set_mark(journal, mark);
  if (journal->target) {
    if (head_size > 0 && pwrite(journal->file, head, head_size, 0) != (ssize_t)head_size)
      reason = errno;
    if (reason == 0)
      reason = wait_for_disk(journal->file);
    // Where no progress was saved so far, a new run costs less than half a second more.
    if (reason == 0 && journal->has_mark)
      reason = renew(journal, true);
    if (reason == 0 && rename(journal->partial, journal->target) != 0)
      reason = errno;
    if (reason == 0 && journal->has_mark)
      unlink(journal->journal);
  }
  if (reason == 0 && close(journal->file) != 0)
    reason = errno;
  if (reason != 0)
    return refuse_write(journal, reason, journal->mark.place.row);
  journal->file = -1;
  return CLI_EXIT_DONE;
}

void cli_journal_abandon(cli_journal *journal) {
  if (journal->file >= 0) {
    // Where no row is finished, there is nothing to resume.
    if (journal->target && !journal->has_mark)
      unlink(journal->partial);
    close(journal->file);
  }
  free(journal->target);
  free(journal->partial);
  free(journal->journal);
  free(journal->renewed);
  json_decref(journal->identity);
  *journal = (cli_journal){.file = -1};
}

// ---- Opening ----

// Whether the interrupted run had the same options and files; names the first difference.
static int check_identity(const cli_journal *journal, const json_t *about) {
  const char *name;
  json_t *value;
  json_object_foreach(journal->identity, name, value) {
    const char *now = json_string_value(value);
    const char *before = json_string_value(json_object_get(about, name));
    if (!before || strcmp(before, now) != 0)
      return cli_refuse(
          "%s: the interrupted run had another %s: %s, and not %s; remove it and %s to "
          "start from the beginning",
          journal->journal, name, before ? before : "none", now, journal->partial);
  }
  return CLI_EXIT_DONE;
}

static int read_journal(cli_journal *journal) {
  size_t size = 0;
  char *text = cli_file_read(journal->journal, &size);
  if (!text)
    return CLI_EXIT_REFUSED;
  json_error_t error;
  json_t *object = json_loadb(text, size, 0, &error);
  free(text);
  int exit_code = CLI_EXIT_DONE;
  if (!object || !read_mark(json_object_get(object, "mark"), &journal->mark))
    exit_code =
        cli_refuse("%s: not a journal of sinew batch; remove it and %s to start from the beginning",
                   journal->journal, journal->partial);
  else
    exit_code = check_identity(journal, json_object_get(object, "about"));
  journal->finished = json_is_true(json_object_get(object, "finished"));
  journal->has_mark = true;
  journal->kept = journal->mark.place.row;
  json_decref(object);
  return exit_code;
}

// An earlier run was interrupted while it renamed its output, or before.
static int complete(cli_journal *journal) {
  if (access(journal->partial, F_OK) == 0 && rename(journal->partial, journal->target) != 0)
    return refuse(journal->path, errno);
  unlink(journal->journal);
  return CLI_EXIT_DONE;
}

static int lock(const cli_journal *journal) {
  if (flock(journal->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return cli_refuse("%s: another run is writing to it", journal->partial);
  return CLI_EXIT_DONE;
}

// Truncates the output to the rows that are finished.
static int continue_output(cli_journal *journal) {
  struct stat status;
  if (fstat(journal->file, &status) != 0)
    return refuse(journal->partial, errno);
  if ((uint64_t)status.st_size < journal->mark.bytes)
    return cli_refuse(
        "%s: shorter than its journal says; remove it and %s to start from the beginning",
        journal->partial, journal->journal);
  if (ftruncate(journal->file, (off_t)journal->mark.bytes) != 0 ||
      lseek(journal->file, 0, SEEK_END) < 0)
    return refuse(journal->partial, errno);
  journal->written = journal->mark.bytes;
  return CLI_EXIT_DONE;
}

static int refuse_earlier(const cli_journal *journal) {
  return cli_refuse(
      "%s: an interrupted run left %s or %s: continue it with --resume, or remove them "
      "to start from the beginning",
      journal->path, journal->partial, journal->journal);
}

static int open_file(cli_journal *journal, bool resume) {
  bool partial = access(journal->partial, F_OK) == 0;
  bool noted = access(journal->journal, F_OK) == 0;
  if (!resume && (partial || noted))
    return refuse_earlier(journal);
  if (noted && read_journal(journal) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (noted && journal->finished)
    return complete(journal);
  if (noted && !partial)
    return cli_refuse("%s: there is no %s with it; remove it to start from the beginning",
                      journal->journal, journal->partial);

  journal->file = open(journal->partial, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (journal->file < 0 && errno == ENOENT)
    return cli_refuse("%s: the folder to write to does not exist", journal->target);
  if (journal->file < 0)
    return refuse(journal->partial, errno);
  if (lock(journal) != CLI_EXIT_DONE) {
    close(journal->file); // it belongs to the other
    journal->file = -1;
    return CLI_EXIT_REFUSED;
  }
  return continue_output(journal);
}

// A pipe or a device is written in place.
static int open_in_place(const char *path, bool standard, bool resume, cli_journal *journal) {
  if (resume)
    return cli_refuse("%s: --resume needs --out in a file", journal->path);
  journal->file = standard ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CLOEXEC);
  return journal->file < 0 ? refuse(journal->path, errno) : CLI_EXIT_DONE;
}

int cli_journal_open(const char *path, json_t *identity, bool resume, cli_journal *journal) {
  bool standard = strcmp(path, "-") == 0;
  *journal =
      (cli_journal){.path = standard ? "standard output" : path, .file = -1, .identity = identity};
  struct stat status;
  bool exists = !standard && stat(path, &status) == 0;
  if (standard || (exists && !S_ISREG(status.st_mode)))
    return open_in_place(path, standard, resume, journal);
  journal->target = exists ? realpath(path, NULL) : with_ending(path, "");
  if (!journal->target)
    return refuse(path, errno);
  journal->partial = with_ending(journal->target, ".partial");
  journal->journal = with_ending(journal->target, ".journal");
  journal->renewed = with_ending(journal->target, ".journal.new");
  return open_file(journal, resume);
}
