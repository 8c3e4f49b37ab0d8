// sinew view: writes a page that shows a model, and opens it.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figure.h"
#include "file.h"
#include "json.h"
#include "meshes.h"
#include "message.h"
#include "request.h"

// Where the viewer's page waits for a model: web/viewer/page.html.
#define PLACE "<script type=\"application/json\" id=\"model-data\">"

#define MOST_PATH 4096

extern char **environ;

// ---- The viewer's page ----

// The page that SINEW_VIEWER names, else share/sinew/viewer.html beside the program's folder.
static int find_viewer(char path[MOST_PATH]) {
  const char *given = getenv("SINEW_VIEWER");
  if (given && given[0] != '\0') {
    snprintf(path, MOST_PATH, "%s", given);
  } else {
    char program[MOST_PATH];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    for (int up = 0; up < 2; ++up) {
      char *slash = strrchr(program, '/');
      if (slash)
        *slash = '\0';
    }
    const int size = snprintf(path, MOST_PATH, "%s/share/sinew/viewer.html", program);
    if (size >= MOST_PATH)
      return cli_refuse("the path of the program is too long");
  }
  if (access(path, R_OK) == 0)
    return CLI_EXIT_DONE;
  if (given && given[0] != '\0')
    return cli_refuse("SINEW_VIEWER names %s, which cannot be read: %s. Without it, the viewer is "
                      "the one that -DSINEW_BUILD_VIEWER=ON builds",
                      path, strerror(errno));
  return cli_refuse("there is no viewer, %s: %s. Configure sinew with -DSINEW_BUILD_VIEWER=ON, "
                    "which needs clang, wasi-libc and Node.js 22, or let SINEW_VIEWER "
                    "name a viewer.html",
                    path, strerror(errno));
}

// ---- What is shown ----

static json_t *file_text(const char *path) {
  size_t size;
  char *text = cli_file_read(path, &size);
  if (!text)
    return NULL;
  const char *slash = strrchr(path, '/');
  json_t *file = json_object();
  cli_json_set(file, "name", cli_json_text(slash ? slash + 1 : path));
  cli_json_set(file, "text", cli_json_text(text));
  free(text);
  return file;
}

// A motion must have the joints of the model.
static int check_motion(const char *path, const cli_figure *figure) {
  cli_figure other;
  int exit_code = cli_figure_open(path, false, &other);
  if (exit_code == CLI_EXIT_DONE) {
    const sinew_model *a = figure->model, *b = other.model;
    bool same = !other.scene && other.document->motion.frame_count > 0 &&
                sinew_model_nq(a) == sinew_model_nq(b) &&
                sinew_model_joint_count(a) == sinew_model_joint_count(b);
    for (int i = 0; same && i < sinew_model_joint_count(a); ++i)
      same = strcmp(figure->document->model.joints[i].name, other.document->model.joints[i].name) ==
                 0 &&
             strcmp(figure->document->model.joints[i].channels,
                    other.document->model.joints[i].channels) == 0;
    if (!same)
      exit_code = cli_refuse("%s: not a motion of this model: its joints or channels differ", path);
  }
  cli_figure_close(&other);
  return exit_code;
}

// The model as the page reads it: a file's text with its meshes, or the name of a built-in model.
// NULL after a message.
static json_t *shown(const cli_request *wanted, const cli_figure *figure) {
  json_t *data = json_object(), *file = NULL;
  if (figure->scene)
    cli_json_set(data, "scene", cli_json_text(wanted->word));
  else if ((file = file_text(wanted->word)))
    cli_json_set(data, "model", file);
  if (file && wanted->floating_base)
    cli_json_set(file, "floatingBase", json_true());
  json_t *motion = wanted->motion ? file_text(wanted->motion) : NULL;
  if (motion)
    cli_json_set(data, "motion", motion);
  bool whole = (figure->scene || file) && (motion || !wanted->motion);
  if (whole && !wanted->no_meshes && figure->document->mesh_count > 0) {
    json_t *meshes = NULL;
    whole = cli_meshes_read(wanted->word, figure->document, &meshes) == CLI_EXIT_DONE;
    if (whole)
      cli_json_set(data, "files", meshes);
  }
  if (!whole) {
    json_decref(data);
    return NULL;
  }
  return data;
}

// In a script element: '<' must not stand as it is.
static void write_escaped(FILE *out, const char *text) {
  for (; *text != '\0'; ++text)
    if (*text == '<')
      fputs("\\u003c", out);
    else
      putc(*text, out);
}

static int write_page(const char *viewer, const json_t *data, const char *path) {
  size_t size;
  char *page = cli_file_read(viewer, &size);
  if (!page)
    return CLI_EXIT_REFUSED;
  char *place = strstr(page, PLACE);
  cli_output output;
  int exit_code =
      place ? cli_output_open(path, &output) : cli_refuse("%s: not the page of the viewer", viewer);
  if (exit_code == CLI_EXIT_DONE) {
    place += strlen(PLACE);
    char *text = cli_json_dump(data, JSON_COMPACT | JSON_ENSURE_ASCII);
    fwrite(page, 1, (size_t)(place - page), output.file);
    write_escaped(output.file, text);
    fputs(place, output.file);
    free(text);
    exit_code = cli_output_close(&output);
  }
  free(page);
  return exit_code;
}

// ---- The command ----

// The name of the page where --out gives none: that of the model, in this folder.
static void name_page(const char *model, char path[MOST_PATH]) {
  const char *slash = strrchr(model, '/');
  const char *name = slash ? slash + 1 : model;
  const char *dot = strrchr(name, '.');
  const int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  snprintf(path, MOST_PATH, "%.*s.html", length < MOST_PATH / 2 ? length : MOST_PATH / 2, name);
}

// Opens the page where there is a display. That this fails is no error: the page is there.
static void open_page(const char *path) {
  const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
  if ((!x || x[0] == '\0') && (!wayland || wayland[0] == '\0'))
    return;
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0)
    return;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  char *words[] = {(char *)"xdg-open", (char *)path, NULL};
  pid_t child;
  if (posix_spawnp(&child, words[0], &actions, NULL, words, environ) == 0)
    waitpid(child, NULL, 0);
  posix_spawn_file_actions_destroy(&actions);
}

static int run(cli_request *wanted) {
  char viewer[MOST_PATH], named[MOST_PATH];
  const char *path = wanted->out;
  if (!path) {
    name_page(wanted->word, named);
    path = named;
  }
  cli_figure figure;
  int exit_code = cli_figure_open(wanted->word, wanted->floating_base, &figure);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = find_viewer(viewer);
  if (exit_code == CLI_EXIT_DONE && wanted->motion)
    exit_code = check_motion(wanted->motion, &figure);
  if (exit_code == CLI_EXIT_DONE) {
    json_t *data = shown(wanted, &figure);
    exit_code = data ? write_page(viewer, data, path) : CLI_EXIT_REFUSED;
    json_decref(data);
  }
  cli_figure_close(&figure);
  if (exit_code == CLI_EXIT_DONE && strcmp(path, "-") != 0) {
    printf("%s\n", path);
    if (!wanted->no_open)
      open_page(path);
  }
  return exit_code;
}

const cli_command cli_command_view = {
    .id = CLI_VIEW,
    .name = "view",
    .word = "MODEL",
    .summary = "writes a page in which one drags targets, and opens it",
    .usage = "MODEL [OPTION]...",
    .about = "Writes a page that shows a model: one drags its links and targets, compares methods, "
             "sees all solutions, and plays a motion. The page is one file that works offline, in "
             "any browser of the last years. It is opened where there is a display.\n\n"
             "The page has the mesh files that a URDF names and that are found: STL, OBJ, COLLADA "
             "and glTF, 64 MiB at most, without the pictures that these name in turn. A package:// "
             "is looked for in the folders above the URDF.",
    .notes = "The page is made from share/sinew/viewer.html, which the build option "
             "SINEW_BUILD_VIEWER makes, or from the file that the environment variable "
             "SINEW_VIEWER names.",
    .examples = "  sinew view models/arm7.urdf\n"
                "  sinew view models/humanoid.bvh --motion models/walk.bvh --out walk.html\n"
                "  sinew view double-y-25 --no-open\n",
    .run = run};
