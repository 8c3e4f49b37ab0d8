// What the results of sinew batch depend on: a run may only be resumed by one that gives the
// same.
#include "batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "file.h"
#include "json.h"
#include "message.h"
#include "number.h"

static void note(json_t *identity, const char *name, const char *text) {
  cli_json_set(identity, name, cli_json_text(text));
}

static void note_number(json_t *identity, const char *name, double value) {
  char text[CLI_NUMBER_SIZE];
  cli_number_format(value, text);
  note(identity, name, text);
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

// A checksum of what follows a --tip.
static uint64_t checksum_of_tip(const cli_tip *tip) {
  const sinew_target *target = &tip->target;
  const double *const parts[] = {target->position, target->rotation,   target->direction,
                                 tip->axis_l,      tip->tool.position, tip->tool.rotation};
  const int counts[] = {3, 4, 3, 3, 3, 4};
  char text[CLI_NUMBER_SIZE];
  cli_checksum checksum = {0};
  snprintf(text, sizeof text, "%u %d %d %d ", tip->kinds, tip->moving, tip->has_tool, tip->level);
  cli_checksum_add(&checksum, text, strlen(text));
  for (int k = 0; k < 6; ++k)
    for (int i = 0; i < counts[k]; ++i) {
      cli_number_format(parts[k][i], text);
      cli_checksum_add(&checksum, text, strlen(text) + 1);
    }
  const char *const links[] = {tip->frame, tip->root};
  for (int k = 0; k < 2; ++k)
    cli_checksum_add(&checksum, links[k] ? links[k] : "", links[k] ? strlen(links[k]) + 1 : 1);
  return cli_checksum_value(&checksum);
}

// Whether a --tip has options besides.
static bool is_plain(const cli_tip *tip) {
  return tip->kinds == 0 && !tip->has_axis && !tip->has_tool && !tip->frame && !tip->root &&
         tip->level < 0;
}

static void note_tips(json_t *identity, const cli_request *wanted) {
  char *list = cli_allocate(1, 1);
  size_t length = 0;
  for (int t = 0; t < wanted->tip_count; ++t) {
    const cli_tip *tip = &wanted->tips[t];
    const size_t size = strlen(tip->name) + 40;
    list = cli_reallocate(list, length + size, 1);
    length += (size_t)snprintf(list + length, size, "%s%s", t > 0 ? " " : "", tip->name);
    if (!is_plain(tip))
      length += (size_t)snprintf(list + length, size, " %016" PRIx64, checksum_of_tip(tip));
  }
  note(identity, "--tip", list);
  free(list);
}

// A file by its content.
static int note_content(json_t *identity, const char *name, const char *path) {
  char text[64] = "none";
  size_t size = 0;
  char *bytes = path ? cli_file_read(path, &size) : NULL;
  if (path && !bytes)
    return CLI_EXIT_REFUSED;
  if (path)
    snprintf(text, sizeof text, "%zu bytes, checksum %016" PRIx64, size,
             cli_checksum_of(bytes, size));
  free(bytes);
  note(identity, name, text);
  return CLI_EXIT_DONE;
}

// A built-in model by its name, a file by its content.
static int note_model(json_t *identity, const cli_request *wanted, const cli_figure *figure) {
  if (!figure->scene)
    return note_content(identity, "model", wanted->word);
  note(identity, "model", wanted->word);
  return CLI_EXIT_DONE;
}

static int note_posture(json_t *identity, const char *posture) {
  if (posture && strcmp(posture, "zero") != 0)
    return note_content(identity, "--posture", posture);
  note(identity, "--posture", posture ? posture : "none");
  return CLI_EXIT_DONE;
}

int cli_batch_identify(const cli_request *wanted, const cli_problems *problems,
                       const sinew_batch *batch, json_t *identity) {
  char shard[32];
  snprintf(shard, sizeof shard, "%d/%d", wanted->shard.i, wanted->shard.n);
  note(identity, "version of sinew", sinew_version());
  note_number(identity, "number of lanes", sinew_batch_lanes(batch));
  note_tips(identity, wanted);
  note_number(identity, "--tolerance", wanted->tolerance);
  note_number(identity, "--max-starts", wanted->max_starts);
  note_number(identity, "--bank", wanted->bank);
  note(identity, "--floating-base", wanted->floating_base ? "yes" : "no");
  note(identity, "--stretch", wanted->stretch ? "yes" : "no");
  note(identity, "--freeze", wanted->freeze ? wanted->freeze : "none");
  note_number(identity, "--damping", wanted->damping);
  if (cli_request_given(wanted, "margin")) // else that of the file
    note_number(identity, "--margin", wanted->margin);
  else
    note(identity, "--margin", "none");
  note(identity, "--reach", wanted->reach ? "yes" : "no");
  note(identity, "--shard", wanted->shard.n > 0 ? shard : "all");
  return note_model(identity, wanted, problems->figure) == CLI_EXIT_DONE &&
                 note_content(identity, "--tasks", wanted->tasks) == CLI_EXIT_DONE &&
                 note_content(identity, "--network", wanted->network) == CLI_EXIT_DONE &&
                 note_posture(identity, wanted->posture) == CLI_EXIT_DONE &&
                 note_file(identity, "file of targets", &problems->targets) == CLI_EXIT_DONE &&
                 note_file(identity, "file of seeds", &problems->seeds) == CLI_EXIT_DONE
             ? CLI_EXIT_DONE
             : CLI_EXIT_REFUSED;
}
