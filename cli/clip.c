// A motion for a model: configurations with their times, from a BVH or a CSV.
#include "clip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "command.h"
#include "csv.h"
#include "file.h"
#include "message.h"
#include "mistakes.h"
#include "number.h"
#include "scenes/expect.h"

// What a CSV's column is for, else its index in cli_columns.
enum { COLUMN_TIME = -1, COLUMN_UNUSED = -2 };

static void clip_allocate(cli_clip *clip, int frame_count, int nq) {
  clip->frame_count = frame_count;
  clip->time = cli_allocate((size_t)frame_count, sizeof(double));
  clip->q = cli_allocate((size_t)frame_count * (size_t)nq, sizeof(double));
}

void cli_clip_destroy(cli_clip *clip) {
  free(clip->time);
  free(clip->q);
  *clip = (cli_clip){0};
}

int cli_clip_from_figure(const cli_figure *figure, const char *path, cli_clip *clip) {
  const sinew_motion *motion = &figure->document->motion;
  *clip = (cli_clip){0};
  if (motion->frame_count == 0)
    return cli_refuse("%s: contains no motion; use --motion FILE", path);

  clip_allocate(clip, motion->frame_count, motion->nq);
  memcpy(clip->q, motion->q, (size_t)motion->frame_count * (size_t)motion->nq * sizeof(double));
  for (int i = 0; i < motion->frame_count; ++i)
    clip->time[i] = i * motion->frame_time;
  return CLI_EXIT_DONE;
}

// ---- BVH: the joints of the model among those of the motion ----

// Where a value of the model's q comes from: the motion's q[index] + shift.
typedef struct origin {
  int index;
  double shift;
} origin;

// A distance counts from the joint's OFFSET, but its place in the parent is what
// the BVH gives: where the two files have other OFFSETs, they count from others.
static double channel_shift(const sinew_joint_def *source, const sinew_joint_def *target,
                            int index) {
  const char *axes = "xyz", *axis = strchr(axes, target->channels[index]);
  if (target->kind != SINEW_JOINT_CHANNELS || !axis || *axis == '\0')
    return 0;
  return source->placement.position[axis - axes] - target->placement.position[axis - axes];
}

// Finds the joints of the model among those of a motion.
// @param origins nq of them
// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
static int match_joints(const char *path, const cli_figure *figure, const sinew_model_def *def,
                        const sinew_model *source, origin *origins) {
  for (int j = 0; j < sinew_model_joint_count(figure->model); ++j) {
    sinew_joint joint, other;
    sinew_expect_ok(sinew_model_joint(figure->model, j, &joint));
    if (joint.nq == 0)
      continue;
    int found = sinew_model_find_joint(source, joint.name);
    if (found < 0)
      return cli_refuse("%s: %s: the motion has no joint of this name", path, joint.name);
    sinew_expect_ok(sinew_model_joint(source, found, &other));
    const sinew_joint_def *from = &def->joints[found], *to = &figure->document->model.joints[j];
    if (from->kind != to->kind || other.nq != joint.nq || strcmp(from->channels, to->channels) != 0)
      return cli_refuse("%s: %s: the joint has other channels than in the model", path, joint.name);
    for (int i = 0; i < joint.nq; ++i)
      origins[joint.q_index + i] = (origin){other.q_index + i, channel_shift(from, to, i)};
  }
  return CLI_EXIT_DONE;
}

static int copy_matched(const char *path, const cli_figure *figure, const sinew_document *document,
                        const sinew_model *source, cli_clip *clip) {
  int nq = sinew_model_nq(figure->model);
  origin *origins = cli_allocate((size_t)nq, sizeof(origin));
  int exit_code = match_joints(path, figure, &document->model, source, origins);
  if (exit_code == CLI_EXIT_DONE) {
    const sinew_motion *motion = &document->motion;
    clip_allocate(clip, motion->frame_count, nq);
    for (int f = 0; f < motion->frame_count; ++f) {
      const double *from = motion->q + (size_t)f * (size_t)motion->nq;
      double *to = clip->q + (size_t)f * (size_t)nq;
      clip->time[f] = f * motion->frame_time;
      for (int i = 0; i < nq; ++i)
        to[i] = from[origins[i].index] + origins[i].shift;
    }
  }
  free(origins);
  return exit_code;
}

static int read_document(const char *path, const char *text, size_t size, const cli_figure *figure,
                         cli_clip *clip) {
  sinew_read_def def = sinew_default_read_def();
  def.name = path;
  sinew_document *document = NULL;
  sinew_model *source = NULL;
  sinew_error error = {0};
  int exit_code = CLI_EXIT_REFUSED;
  if (sinew_document_read(text, size, &def, &document, &error) != SINEW_OK ||
      sinew_model_create(&document->model, &source, &error) != SINEW_OK)
    exit_code = cli_refuse_error(&error);
  else
    exit_code = copy_matched(path, figure, document, source, clip);
  sinew_model_destroy(source);
  sinew_document_destroy(document);
  return exit_code;
}

// ---- CSV: a column a value ----

// The column of a name. The search starts after the column found before, where it
// is if the file keeps the order of 'sinew info'.
static int find_column(const cli_columns *columns, const char *name, int first) {
  for (int i = 0; i < columns->count; ++i) {
    int index = (first + i) % columns->count;
    if (strcmp(columns->columns[index].name, name) == 0)
      return index;
  }
  return -1;
}

// Finds what each field of the header is for.
// @param use field_count of them
// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
static int match_header(const cli_csv *csv, const cli_figure *figure, const cli_columns *columns,
                        int *use) {
  bool *seen = cli_allocate((size_t)columns->count, sizeof(bool));
  bool timed = false;
  int exit_code = CLI_EXIT_DONE, next = 0;
  for (int i = 0; i < csv->field_count && exit_code == CLI_EXIT_DONE; ++i) {
    const char *name = csv->fields[i];
    if (strcmp(name, "time") == 0 && !timed) {
      timed = true;
      use[i] = COLUMN_TIME;
      continue;
    }
    int found = find_column(columns, name, next);
    if (found < 0 || seen[found]) {
      char near[1024] = "";
      if (found < 0)
        cli_figure_suggest_joint(figure, name, near, sizeof near);
      if (found < 0 && near[0] == '\0')
        snprintf(near, sizeof near, "%s", cli_csv_explain_header(csv));
      exit_code = cli_refuse("%s:%d: %s: column %d %s%s", csv->path, csv->line, name, i + 1,
                             found < 0 ? "is not the value of a joint" : "appears twice", near);
      break;
    }
    seen[found] = true;
    next = found + 1;
    use[i] = columns->columns[found].q_index >= 0 ? found : COLUMN_UNUSED;
  }

  if (exit_code == CLI_EXIT_DONE && !timed)
    exit_code = cli_refuse("%s:%d: time: the column is missing", csv->path, csv->line);
  for (int i = 0; i < columns->count && exit_code == CLI_EXIT_DONE; ++i)
    if (!seen[i] && columns->columns[i].q_index >= 0)
      exit_code = cli_refuse("%s:%d: %s: the column is missing", csv->path, csv->line,
                             columns->columns[i].name);
  free(seen);
  return exit_code;
}

// Reads the current record as a frame.
static int read_frame(const cli_csv *csv, const cli_columns *columns, const int *use, double *time,
                      double *q) {
  for (int i = 0; i < csv->field_count; ++i) {
    double value;
    if (use[i] == COLUMN_UNUSED)
      continue;
    if (!cli_number_parse(csv->fields[i], &value))
      return cli_refuse("%s:%d: %s: column %d: '%s' is not a finite number", csv->path, csv->line,
                        use[i] == COLUMN_TIME ? "time" : columns->columns[use[i]].name, i + 1,
                        csv->fields[i]);
    if (use[i] == COLUMN_TIME)
      *time = value;
    else
      q[columns->columns[use[i]].q_index] = value;
  }
  return CLI_EXIT_DONE;
}

static int read_frames(cli_csv *csv, cli_mistakes *mistakes, const cli_columns *columns,
                       const int *use, int field_count, cli_clip *clip) {
  const sinew_model *model = mistakes->figure->model;
  char text[512];
  int nq = sinew_model_nq(model);
  int capacity = 0;
  cli_csv_status status;
  while ((status = cli_csv_next(csv)) == CLI_CSV_RECORD) {
    if (csv->field_count != field_count)
      return cli_refuse("%s:%d: %d fields, but the header has %d", csv->path, csv->line,
                        csv->field_count, field_count);
    if (clip->frame_count == capacity) {
      capacity = 2 * capacity + 64;
      clip->time = cli_reallocate(clip->time, (size_t)capacity, sizeof(double));
      clip->q = cli_reallocate(clip->q, (size_t)capacity * (size_t)(nq + 1), sizeof(double));
    }
    double *q = clip->q + (size_t)clip->frame_count * (size_t)nq;
    if (read_frame(csv, columns, use, &clip->time[clip->frame_count], q) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
    while (cli_mistakes_in_values(mistakes, q, false, text, sizeof text))
      cli_warn("%s:%d: %s", csv->path, csv->line, text);
    sinew_configuration_normalize(model, q);
    ++clip->frame_count;
  }
  return status == CLI_CSV_END ? CLI_EXIT_DONE : CLI_EXIT_REFUSED;
}

static int read_csv(const char *path, char *text, const cli_figure *figure, cli_clip *clip) {
  cli_csv csv = cli_csv_open(path, text);
  cli_csv_status status = cli_csv_next(&csv);
  int exit_code = CLI_EXIT_REFUSED;
  if (status == CLI_CSV_END) {
    cli_refuse("%s: the file is empty: a BVH or a CSV with a header is needed", path);
  } else if (status == CLI_CSV_RECORD) {
    cli_columns columns = cli_columns_create(figure->model, &figure->document->model);
    int field_count = csv.field_count;
    int *use = cli_allocate((size_t)field_count, sizeof(int));
    exit_code = match_header(&csv, figure, &columns, use);
    cli_mistakes mistakes = cli_mistakes_begin(figure);
    if (exit_code == CLI_EXIT_DONE)
      exit_code = read_frames(&csv, &mistakes, &columns, use, field_count, clip);
    cli_mistakes_end(&mistakes);
    free(use);
    cli_columns_destroy(&columns);
  }
  cli_csv_close(&csv);
  return exit_code;
}

int cli_clip_read(const char *path, const cli_figure *figure, cli_clip *clip) {
  *clip = (cli_clip){0};
  size_t size = 0;
  char *text = cli_file_read(path, &size);
  if (!text)
    return CLI_EXIT_REFUSED;

  int exit_code = CLI_EXIT_REFUSED;
  const sinew_format_info *format = sinew_format_describe(sinew_format_detect(text, size));
  if (format && format->has_motion)
    exit_code = read_document(path, text, size, figure, clip);
  else if (format)
    cli_refuse("%s: neither a BVH nor a CSV, but a %s, which has no motion", path, format->name);
  else if (memchr(text, '\0', size))
    cli_refuse("%s: neither a BVH nor a CSV: it contains a zero byte", path);
  else
    exit_code = read_csv(path, text, figure, clip);
  free(text);
  if (exit_code != CLI_EXIT_DONE)
    cli_clip_destroy(clip);
  return exit_code;
}
