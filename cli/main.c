// The program sinew: finds the command and calls it.
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "file.h"
#include "message.h"
#include "names.h"
#include "sinew/base.h"

static const char help[] =
    "usage: sinew COMMAND ...\n"
    "\n"
    "Inverse kinematics: joint values that bring hands, feet and tools to targets.\n"
    "\n"
    "  sinew info MODEL     links, joints, limits, degrees of freedom, effectors\n"
    "  sinew fk MODEL       where links are, at one configuration or over a motion\n"
    "  sinew solve MODEL    joint values that bring links to targets\n"
    "  sinew track MODEL    follows moving targets, frame by frame\n"
    "  sinew batch MODEL    joint values for very many targets\n"
    "  sinew experiment N   a published experiment, run again\n"
    "\n"
    "  sinew COMMAND --help tells more, with examples\n"
    "  sinew --version      the version\n"
    "\n"
    "MODEL is a robot's URDF or a motion capture's BVH, told by its content; or the\n"
    "name of a built-in figure where there is no such file: two-link y double-y-25\n"
    "double-y-16 reference arm6 arm7 planar spider humanoid chain-N.\n"
    "Units: metres and radians; lengths of a BVH are in the file's own unit.\n"
    "Quaternions are w,x,y,z. Poses are in the frame of the root link.\n"
    "\n"
    "exit: 0 done; 1 the solve ended, but not converged; 2 bad usage or input\n";

typedef struct command {
  const char *name;
  int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"info", cli_command_info},   {"fk", cli_command_fk},
    {"solve", cli_command_solve}, {"track", cli_command_track},
    {"batch", cli_command_batch}, {"experiment", cli_command_experiment}};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const char *command_name_at(const void *names, int index) {
  (void)names;
  return commands[index].name;
}

static int run(int argc, char **argv) {
  const char *word = argc > 1 ? argv[1] : "";
  for (int i = 0; i < COMMAND_COUNT; ++i)
    if (strcmp(word, commands[i].name) == 0)
      return commands[i].run(argc - 1, argv + 1);

  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
    fputs(help, stdout);
    return CLI_EXIT_DONE;
  }
  if (strcmp(word, "--version") == 0) {
    if (argc > 2)
      return cli_refuse("--version stands alone, but there is also '%s'", argv[2]);
    printf("sinew %s\n", sinew_version());
    return CLI_EXIT_DONE;
  }
  if (argc < 2)
    return cli_refuse("which command? See 'sinew --help'");

  char near[256];
  cli_names_suggest(word, command_name_at, NULL, COMMAND_COUNT, near, sizeof near);
  return cli_refuse("there is no command '%s'%s See 'sinew --help'", word,
                    near[0] != '\0' ? near : ".");
}

int main(int argc, char **argv) {
  int exit_code = run(argc, argv);

  // A full disk shows only when the last bytes are written.
  cli_output output;
  cli_output_open(NULL, &output);
  int written = cli_output_close(&output);
  return written == CLI_EXIT_DONE ? exit_code : written;
}
