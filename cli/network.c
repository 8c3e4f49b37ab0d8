// Networks that give starts of searches.
#include "network.h"

#include <stdlib.h>

#include "command.h"
#include "file.h"
#include "message.h"

int cli_network_read(const char *path, const cli_figure *figure, const sinew_task *tasks, int count,
                     sinew_network **network) {
  sinew_error error = {0};
  size_t size;
  *network = NULL;
  char *bytes = path ? cli_file_read(path, &size) : NULL;
  if (!bytes)
    return path ? CLI_EXIT_REFUSED : CLI_EXIT_DONE;
  if (sinew_network_read(bytes, size, path, NULL, figure->model, tasks, count, network, &error) !=
      SINEW_OK) {
    char text[1024];
    sinew_error_format(&error, text, sizeof text);
    cli_warn("%s; the search goes on without it", text);
  }
  free(bytes);
  return CLI_EXIT_DONE;
}
