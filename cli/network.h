/// Networks that give starts of searches: --network.
#ifndef CLI_NETWORK_H
#define CLI_NETWORK_H

#include "figure.h"

/// Reads the network of a file; after a warning there is none where it cannot be used.
/// @param path NULL: no network
/// @param tasks those that are searched for
/// @param network receives it, or NULL
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message: the file cannot be read
int cli_network_read(const char *path, const cli_figure *figure, const sinew_task *tasks, int count,
                     sinew_network **network);

#endif
