// The other files that a glTF consists of: glTF 2.0, sections 3.6.1.1, 3.8.4.2 (URIs) and 4.4 (the
// container).
#include "gltf_names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "message.h"

// A .glb: a header of 12 bytes, the length and type of its first chunk, which is the JSON.
#define HEADER 12
#define CHUNK 20

static size_t little_endian(const char *bytes) {
  size_t value = 0;
  for (int i = 3; i >= 0; --i)
    value = value << 8 | (unsigned char)bytes[i];
  return value;
}

static json_t *read_json(const char *bytes, size_t size) {
  if (size >= CHUNK && memcmp(bytes, "glTF", 4) == 0) {
    const size_t length = little_endian(bytes + HEADER);
    if (length > size - CHUNK || memcmp(bytes + HEADER + 4, "JSON", 4) != 0)
      return NULL;
    bytes += CHUNK;
    size = length;
  }
  return json_loadb(bytes, size, 0, NULL);
}

static void add_names(const json_t *items, json_t *names) {
  size_t i;
  json_t *item;
  json_array_foreach(items, i, item) {
    json_t *uri = json_object_get(item, "uri");
    if (json_is_string(uri) && strncasecmp(json_string_value(uri), "data:", 5) != 0)
      json_array_append(names, uri);
  }
}

json_t *cli_gltf_names(const char *bytes, size_t size) {
  json_t *names = json_array(), *whole = read_json(bytes, size);
  if (!names)
    exit(cli_refuse("out of memory"));
  add_names(json_object_get(whole, "buffers"), names);
  add_names(json_object_get(whole, "images"), names);
  json_decref(whole);
  return names;
}
