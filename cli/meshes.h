/// Mesh files of a model: found beside it, and put into a page.
#ifndef CLI_MESHES_H
#define CLI_MESHES_H

#include <jansson.h>

#include "figure.h"

/// Most bytes of the meshes of a page together.
#define CLI_MESHES_MOST ((size_t)64 << 20)

/// The mesh files that a model names, in base64 under these names, and the buffers and pictures
/// that its glTF files name, under their URIs after the folder in the glTF's name. A page may go to
/// others, so only files that end as meshes, buffers and pictures do are read, whatever a model
/// names. Those that are not found are named in a warning.
/// @param model the path of the model's file
/// @param files receives a new object, with the names as cli_json_set() writes them
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message where they are too large or one
/// cannot
///   be read
int cli_meshes_read(const char *model, const sinew_document *document, json_t **files);

#endif
