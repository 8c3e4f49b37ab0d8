// Mesh files of a model: found beside it, and put into a page.
//
//   meshes/a.stl, file://meshes/a.stl   from the model's folder, unless absolute
//   package://NAME/meshes/a.stl         in a folder NAME that is the model's folder, one above it,
//                                       or in one of these; else in the model's folder or that
//                                       above
//
// and the files that a glTF names, from its own folder.
#include "meshes.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "file.h"
#include "gltf_names.h"
#include "json.h"
#include "message.h"

#define MOST_PATH 4096

// Most names in the warning.
#define NAMES_LISTED 8

// What the page can draw: web/viewer/src/meshes.ts.
static const char *const endings[] = {".stl", ".obj", ".dae", ".glb", ".gltf"};

// What it takes for a glTF's buffers and pictures.
static const char *const part_endings[] = {".bin", ".png", ".jpg", ".jpeg", ".webp"};

static bool has_one_of(const char *path, const char *const *wanted, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (cli_file_has_ending(path, wanted[i]))
      return true;
  return false;
}

static bool is_mesh_name(const char *path) {
  return has_one_of(path, endings, sizeof endings / sizeof endings[0]);
}

static bool is_part_name(const char *path) {
  return has_one_of(path, part_endings, sizeof part_endings / sizeof part_endings[0]);
}

// ---- Where a file is ----

// A plain file that can be read; not a device or a pipe, which may have no end.
static bool is_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, R_OK) == 0;
}

// Whether FOLDER/NAME/REST is a file.
// @param length of folder that is used; 0: the root
// @param size of name; 0: FOLDER/REST
static bool is_there(const char *folder, size_t length, const char *name, size_t size,
                     const char *rest, char path[MOST_PATH]) {
  if (length + size + strlen(rest) + 3 > MOST_PATH)
    return false;
  snprintf(path, MOST_PATH, "%.*s/%.*s%s%s", (int)length, folder, (int)size, name,
           size > 0 ? "/" : "", rest);
  return is_file(path);
}

// The length of the folder above.
static size_t above(const char *folder, size_t length) {
  while (length > 0 && folder[length - 1] != '/')
    --length;
  return length > 0 ? length - 1 : 0;
}

static bool has_name(const char *folder, size_t length, const char *name, size_t size) {
  return length > size && folder[length - size - 1] == '/' &&
         memcmp(folder + length - size, name, size) == 0;
}

static bool find_in_package(const char *folder, const char *name, char path[MOST_PATH]) {
  const size_t size = strcspn(name, "/");
  const char *rest = name + size + (name[size] == '/');
  const size_t whole = strlen(folder);
  if (size == 0)
    return false;
  for (size_t length = whole;; length = above(folder, length)) {
    if ((has_name(folder, length, name, size) && is_there(folder, length, "", 0, rest, path)) ||
        is_there(folder, length, name, size, rest, path))
      return true;
    if (length == 0)
      break;
  }
  return is_there(folder, whole, "", 0, rest, path) ||
         is_there(folder, above(folder, whole), "", 0, rest, path);
}

// Skips a scheme that a reference begins with.
static bool skip_scheme(const char **reference, const char *scheme) {
  const size_t length = strlen(scheme);
  if (strncasecmp(*reference, scheme, length) != 0)
    return false;
  *reference += length;
  return true;
}

static bool find_as_written(const char *folder, const char *reference, char path[MOST_PATH]) {
  if (skip_scheme(&reference, "package://") || skip_scheme(&reference, "model://"))
    return find_in_package(folder, reference, path);
  skip_scheme(&reference, "file://");
  if (reference[0] == '/')
    return is_there("", 0, "", 0, reference + 1, path);
  return is_there(folder, strlen(folder), "", 0, reference, path);
}

static int hex_digit(char letter) {
  return isdigit((unsigned char)letter) ? letter - '0' : tolower((unsigned char)letter) - 'a' + 10;
}

// A copy with %20 as a blank and so on; free() it.
static char *decoded(const char *text) {
  char *copy = cli_allocate(strlen(text) + 1, 1), *end = copy;
  for (; *text != '\0'; ++text) {
    const bool escape =
        text[0] == '%' && isxdigit((unsigned char)text[1]) && isxdigit((unsigned char)text[2]);
    const int letter = escape ? 16 * hex_digit(text[1]) + hex_digit(text[2]) : *text;
    if (escape && letter != 0)
      text += 2;
    *end++ = (char)(letter != 0 ? letter : *text);
  }
  return copy;
}

// Finds the file that a reference means: as it stands, else with its escapes decoded.
static bool find(const char *folder, const char *reference, char path[MOST_PATH]) {
  if (find_as_written(folder, reference, path))
    return is_mesh_name(path);
  char *plain = decoded(reference);
  const bool found = find_as_written(folder, plain, path) && is_mesh_name(path);
  free(plain);
  return found;
}

// Finds a file that the glTF at a path names: its escapes decoded, else as it stands.
static bool find_part(const char *gltf, const char *uri, char path[MOST_PATH]) {
  const size_t length = above(gltf, strlen(gltf));
  char *plain = decoded(uri);
  const bool found = uri[0] != '/' && (is_there(gltf, length, "", 0, plain, path) ||
                                       is_there(gltf, length, "", 0, uri, path));
  free(plain);
  return found && is_part_name(path);
}

// The absolute folder of a file, without a slash at its end; free() it.
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  char *copy = cli_allocate(strlen(path) + 2, 1);
  if (slash)
    memcpy(copy, path, (size_t)(slash - path) + 1);
  else
    copy[0] = '.';
  char *folder = realpath(copy, NULL);
  if (folder && strcmp(folder, "/") == 0)
    folder[0] = '\0';
  if (!folder)
    return copy;
  free(copy);
  return folder;
}

// ---- What it holds ----

// RFC 4648, section 4.
static char *base64_of(const char *bytes, size_t size) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *text = cli_allocate((size + 2) / 3 * 4 + 1, 1), *end = text;
  for (size_t i = 0; i < size; i += 3) {
    unsigned group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < size ? (unsigned char)bytes[i + k] : 0);
    for (size_t k = 0; k < 4; ++k)
      *end++ = (char)(i + k <= size ? letters[group >> (18 - 6 * k) & 63] : '=');
  }
  return text;
}

static size_t size_of(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && status.st_size > 0 ? (size_t)status.st_size : 0;
}

// Names in a warning, the first of them.
typedef struct missing_names {
  int count;
  size_t used;
  char text[1024];
} missing_names;

static void add_missing(missing_names *missing, const char *name) {
  if (missing->count++ >= NAMES_LISTED || missing->used >= sizeof missing->text)
    return;
  missing->used +=
      (size_t)snprintf(missing->text + missing->used, sizeof missing->text - missing->used, "%s%s",
                       missing->count > 1 ? ", " : "", name);
}

// Files on their way into a page.
typedef struct reading {
  const char *model;
  json_t *files;
  size_t size; // of all
  missing_names meshes, parts;
} reading;

static void add_base64(json_t *files, const char *name, const char *bytes, size_t size) {
  char *text = base64_of(bytes, size);
  json_t *value = json_string_nocheck(text);
  if (!value)
    exit(cli_refuse("out of memory"));
  cli_json_set(files, name, value);
  free(text);
}

// Adds a file under a name.
// @param parts NULL, or receives the names of what belongs to a glTF
static int take(reading *self, const char *path, const char *name, json_t **parts) {
  self->size += size_of(path);
  if (self->size > CLI_MESHES_MOST)
    return cli_refuse("%s: its mesh files have more than %d MiB together; --no-meshes leaves "
                      "them out",
                      self->model, (int)(CLI_MESHES_MOST >> 20));
  size_t size;
  char *bytes = cli_file_read(path, &size);
  if (!bytes)
    return CLI_EXIT_REFUSED;
  add_base64(self->files, name, bytes, size);
  if (parts)
    *parts = cli_gltf_names(bytes, size);
  free(bytes);
  return CLI_EXIT_DONE;
}

// The name of a part as the page resolves it: the folder of the glTF's name, and the URI. free()
// it.
static char *part_name(const char *gltf, const char *uri) {
  const char *slash = strrchr(gltf, '/');
  const size_t folder = slash ? (size_t)(slash - gltf) + 1 : 0;
  char *name = cli_allocate(folder + strlen(uri) + 1, 1);
  memcpy(name, gltf, folder);
  strcpy(name + folder, uri);
  return name;
}

// Adds the buffers and pictures of the glTF at a path that a model names.
static int take_parts(reading *self, const char *gltf, const char *gltf_name, const json_t *parts) {
  int exit_code = CLI_EXIT_DONE;
  for (size_t i = 0; i < json_array_size(parts) && exit_code == CLI_EXIT_DONE; ++i) {
    char path[MOST_PATH];
    char *name = part_name(gltf_name, json_string_value(json_array_get(parts, i)));
    if (!find_part(gltf, json_string_value(json_array_get(parts, i)), path))
      add_missing(&self->parts, name);
    else if (!json_object_get(self->files, name)) // several may share one
      exit_code = take(self, path, name, NULL);
    free(name);
  }
  return exit_code;
}

static int take_mesh(reading *self, const char *folder, const char *name) {
  char path[MOST_PATH];
  if (!find(folder, name, path)) {
    add_missing(&self->meshes, name);
    return CLI_EXIT_DONE;
  }
  const bool is_gltf = cli_file_has_ending(path, ".gltf") || cli_file_has_ending(path, ".glb");
  json_t *parts = NULL;
  int exit_code = take(self, path, name, is_gltf ? &parts : NULL);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = take_parts(self, path, name, parts);
  json_decref(parts);
  return exit_code;
}

static void warn_of_missing(const reading *self, int mesh_count) {
  const missing_names *meshes = &self->meshes, *parts = &self->parts;
  if (meshes->count > 0)
    cli_warn(
        "%s: %d of %d mesh files are not found, or are neither STL, OBJ, COLLADA nor glTF, and "
        "capsules are drawn: %s%s",
        self->model, meshes->count, mesh_count, meshes->text,
        meshes->count > NAMES_LISTED ? ", ..." : "");
  if (parts->count > 0)
    cli_warn("%s: %d files that its glTF meshes name are not found, or are neither buffers (.bin) "
             "nor pictures (PNG, JPEG, WebP): %s%s",
             self->model, parts->count, parts->text, parts->count > NAMES_LISTED ? ", ..." : "");
}

int cli_meshes_read(const char *model, const sinew_document *document, json_t **files) {
  reading self = {.model = model, .files = json_object()};
  char *folder = folder_of(model);
  int exit_code = CLI_EXIT_DONE;
  for (int i = 0; i < document->mesh_count && exit_code == CLI_EXIT_DONE; ++i)
    exit_code = take_mesh(&self, folder, document->meshes[i]);
  free(folder);
  *files = NULL;
  if (exit_code != CLI_EXIT_DONE) {
    json_decref(self.files);
    return exit_code;
  }
  warn_of_missing(&self, document->mesh_count);
  *files = self.files;
  return CLI_EXIT_DONE;
}
