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
#include "journal_text.h"
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

static int write_out(cli_journal *journal, const void *bytes, size_t size, uint64_t row) {
  int reason = write_all(journal->file, bytes, size);
  if (reason != 0)
    return refuse_write(journal, reason, row);
  if (journal->target)
    begin_writing_out(journal->file, journal->written, size);
  journal->written += size;
  return CLI_EXIT_DONE;
}

static void set_head(cli_journal *journal, const void *bytes, size_t size) {
  free(journal->head);
  journal->head = cli_allocate(size, 1);
  journal->head_size = size;
  if (size > 0)
    memcpy(journal->head, bytes, size);
}

int cli_journal_write_head(cli_journal *journal, const void *bytes, size_t size, uint64_t row) {
  set_head(journal, bytes, size);
  return write_out(journal, bytes, size, row);
}

int cli_journal_write(cli_journal *journal, const void *bytes, size_t size, uint64_t row) {
  cli_checksum_add(&journal->rows, bytes, size);
  return write_out(journal, bytes, size, row);
}

// Of the rows, then of what stands before them, which may be written again at the end.
static uint64_t checksum_of(const cli_journal *journal) {
  cli_checksum checksum = journal->rows;
  cli_checksum_add(&checksum, journal->head, journal->head_size);
  return cli_checksum_value(&checksum);
}

// ---- The folder ----

// Opens a file beside the output, which a symbolic link could lead elsewhere: it is not followed.
static int open_beside(const char *path, int flags) {
  return open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
}

static int refuse_folder(const cli_journal *journal, const char *what) {
  return cli_refuse("%s: the folder to write to %s", journal->target, what);
}

static bool is_folder_there(const cli_journal *journal) {
  char *path = with_ending(journal->target, ""), *slash = strrchr(path, '/');
  if (slash)
    slash[slash == path] = '\0';
  const bool there = access(slash ? path : ".", F_OK) == 0;
  free(path);
  return there;
}

// Whether FILE.partial is still the file that is written to.
static bool is_partial_there(const cli_journal *journal) {
  struct stat path, file;
  return lstat(journal->partial, &path) == 0 && fstat(journal->file, &file) == 0 &&
         path.st_dev == file.st_dev && path.st_ino == file.st_ino;
}

// What is removed while it is written would be lost without an error of writing.
static int check_partial(const cli_journal *journal) {
  if (is_partial_there(journal))
    return CLI_EXIT_DONE;
  if (!is_folder_there(journal))
    return refuse_folder(journal, "was removed while the run was writing to it");
  return cli_refuse("%s: it was removed or replaced while the run was writing to it",
                    journal->partial);
}

// Replaces the journal.
static int renew(cli_journal *journal, bool finished) {
  char *text = cli_journal_text(journal->identity, &journal->mark, finished);
  // One may be left of a run that was killed.
  unlink(journal->renewed);
  int file = open_beside(journal->renewed, O_WRONLY | O_CREAT | O_EXCL);
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
  journal->mark.head_bytes = journal->head_size;
  journal->mark.checksum = checksum_of(journal);
}

int cli_journal_mark(cli_journal *journal, const cli_mark *mark) {
  set_mark(journal, mark);
  if (!journal->target)
    return CLI_EXIT_DONE;
  if (check_partial(journal) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  int reason = wait_for_disk(journal->file);
  if (reason == 0)
    reason = renew(journal, false);
  return reason == 0 ? CLI_EXIT_DONE : refuse_write(journal, reason, mark->place.row);
}

int cli_journal_finish(cli_journal *journal, const cli_mark *mark, const void *head,
                       size_t head_size) {
  int reason = 0;
  if (head_size > 0)
    set_head(journal, head, head_size);
  set_mark(journal, mark);
  if (journal->target && check_partial(journal) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
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
    if (journal->target && !journal->has_mark && is_partial_there(journal))
      unlink(journal->partial);
    close(journal->file);
  }
  free(journal->target);
  free(journal->partial);
  free(journal->journal);
  free(journal->renewed);
  free(journal->head);
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

static int refuse_to_resume(const cli_journal *journal, const char *path, const char *why) {
  const bool is_journal = path == journal->journal;
  return cli_refuse("%s: %s; remove it and %s to start from the beginning", path, why,
                    is_journal ? journal->partial : journal->journal);
}

static int read_journal(cli_journal *journal) {
  size_t size = 0;
  char *text = cli_file_read(journal->journal, &size);
  if (!text)
    return CLI_EXIT_REFUSED;
  json_t *about = NULL;
  const cli_journal_fault fault =
      cli_journal_parse(text, size, &about, &journal->mark, &journal->finished);
  free(text);
  int exit_code = CLI_EXIT_REFUSED;
  if (fault == CLI_JOURNAL_OTHER)
    refuse_to_resume(journal, journal->journal, "not a journal of this sinew batch");
  else if (fault == CLI_JOURNAL_DAMAGED)
    refuse_to_resume(journal, journal->journal, "damaged: its checksum does not agree");
  else
    exit_code = check_identity(journal, about);
  json_decref(about);
  journal->has_mark = true;
  journal->kept = journal->mark.place.row;
  return exit_code;
}

// An earlier run was interrupted while it renamed its output, or before.
static int complete(cli_journal *journal, bool partial) {
  if (partial && rename(journal->partial, journal->target) != 0)
    return refuse(journal->path, errno);
  unlink(journal->journal);
  return CLI_EXIT_DONE;
}

static int lock(const cli_journal *journal) {
  if (flock(journal->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return cli_refuse("%s: another run is writing to it", journal->partial);
  return CLI_EXIT_DONE;
}

// Reads the finished part of FILE.partial: what stands before the rows, and their checksum.
static int read_back(cli_journal *journal) {
  const uint64_t head_size = journal->mark.head_bytes;
  const cli_source source = {.path = journal->partial, .file = journal->file};
  cli_part rows = {.from = head_size, .to = head_size};
  if (cli_source_extend(&source, &rows, journal->mark.bytes) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  journal->rows = rows.checksum;
  char *head = cli_allocate(head_size, 1);
  if (pread(journal->file, head, head_size, 0) != (ssize_t)head_size) {
    free(head);
    return refuse(journal->partial, errno);
  }
  set_head(journal, head, head_size);
  free(head);
  return CLI_EXIT_DONE;
}

static int check_rows(cli_journal *journal) {
  struct stat status;
  if (fstat(journal->file, &status) != 0)
    return refuse(journal->partial, errno);
  if ((uint64_t)status.st_size < journal->mark.bytes)
    return refuse_to_resume(journal, journal->partial, "shorter than its journal says");
  if (read_back(journal) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (checksum_of(journal) != journal->mark.checksum)
    return refuse_to_resume(journal, journal->partial,
                            "damaged: the checksum of its finished rows does not agree");
  return CLI_EXIT_DONE;
}

// Truncates the output to the rows that are finished.
static int continue_output(cli_journal *journal) {
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

// Whether there is a file beside the output. What is no plain file was not left by a run.
static int find_beside(const char *path, bool *there) {
  struct stat status;
  *there = lstat(path, &status) == 0;
  if (*there && !S_ISREG(status.st_mode))
    return cli_refuse("%s: %s, which this run will not write to; remove it", path,
                      S_ISLNK(status.st_mode) ? "a symbolic link" : "not a file");
  return CLI_EXIT_DONE;
}

// @param there whether it was left by an earlier run; else it must not exist yet
static int open_partial(cli_journal *journal, bool there) {
  journal->file = open_beside(journal->partial, there ? O_RDWR : O_RDWR | O_CREAT | O_EXCL);
  if (journal->file < 0 && !there && errno == EEXIST)
    return refuse_earlier(journal);
  if (journal->file < 0 && errno == ENOENT && !is_folder_there(journal))
    return refuse_folder(journal, "does not exist");
  if (journal->file < 0)
    return refuse(journal->partial, errno);
  if (lock(journal) != CLI_EXIT_DONE) {
    close(journal->file); // it belongs to the other
    journal->file = -1;
    return CLI_EXIT_REFUSED;
  }
  return CLI_EXIT_DONE;
}

static int open_file(cli_journal *journal, bool resume) {
  bool partial, noted;
  if (find_beside(journal->partial, &partial) != CLI_EXIT_DONE ||
      find_beside(journal->journal, &noted) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (!resume && (partial || noted))
    return refuse_earlier(journal);
  if (noted && read_journal(journal) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (noted && !partial)
    return journal->finished
               ? complete(journal, false)
               : cli_refuse("%s: there is no %s with it; remove it to start from the beginning",
                            journal->journal, journal->partial);
  if (open_partial(journal, partial) != CLI_EXIT_DONE ||
      (noted && check_rows(journal) != CLI_EXIT_DONE))
    return CLI_EXIT_REFUSED;
  return noted && journal->finished ? complete(journal, true) : continue_output(journal);
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
