/// The other files that a glTF consists of.
#ifndef CLI_GLTF_NAMES_H
#define CLI_GLTF_NAMES_H

#include <jansson.h>
#include <stddef.h>

/// The URIs of the buffers and images of a glTF, .gltf or .glb, that are not inside it, as they are
/// written; a new array, empty where the bytes are no glTF.
json_t *cli_gltf_names(const char *bytes, size_t size);

#endif
