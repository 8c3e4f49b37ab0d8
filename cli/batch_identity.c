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

// A built-in model by its name, a file by its content.
static int note_model(json_t *identity, const cli_request *wanted, const cli_figure *figure) {
  char text[64];
  size_t size = 0;
  if (figure->scene) {
    note(identity, "model", wanted->word);
    return CLI_EXIT_DONE;
  }
  char *bytes = cli_file_read(wanted->word, &size);
  if (!bytes)
    return CLI_EXIT_REFUSED;
  snprintf(text, sizeof text, "%zu bytes, checksum %016" PRIx64, size,
           cli_checksum_of(bytes, size));
  free(bytes);
  note(identity, "model", text);
  return CLI_EXIT_DONE;
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

static void note_tips(json_t *identity, const cli_request *wanted) {
  char *list = cli_allocate(1, 1);
  size_t length = 0;
  for (int t = 0; t < wanted->tip_count; ++t) {
    size_t size = strlen(wanted->tips[t].name) + 2;
    list = cli_reallocate(list, length + size, 1);
    length += (size_t)snprintf(list + length, size, "%s%s", t > 0 ? " " : "", wanted->tips[t].name);
  }
  note(identity, "--tip", list);
  free(list);
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
  note(identity, "--reach", wanted->reach ? "yes" : "no");
  note(identity, "--shard", wanted->shard.n > 0 ? shard : "all");
  return note_model(identity, wanted, problems->figure) == CLI_EXIT_DONE &&
                 note_file(identity, "file of targets", &problems->targets) == CLI_EXIT_DONE &&
                 note_file(identity, "file of seeds", &problems->seeds) == CLI_EXIT_DONE
             ? CLI_EXIT_DONE
             : CLI_EXIT_REFUSED;
}
