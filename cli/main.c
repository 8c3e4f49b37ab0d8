// The program sinew: finds the command, reads its options and runs it.
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "experiments/text.h"
#include "file.h"
#include "help.h"
#include "message.h"
#include "names.h"
#include "parse.h"
#include "scenes/scenes.h"
#include "sinew/base.h"

static const cli_command *const commands[] = {
    &cli_command_info,  &cli_command_fk,   &cli_command_solve,     &cli_command_track,
    &cli_command_batch, &cli_command_view, &cli_command_experiment};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(void) {
  puts("usage: sinew COMMAND ...\n"
       "\n"
       "Inverse kinematics: computes joint values that bring hands, feet and tools to\n"
       "targets.\n");
  for (int i = 0; i < COMMAND_COUNT; ++i)
    printf("  sinew %-10s %-5s  %s\n", commands[i]->name, commands[i]->word, commands[i]->summary);
  puts("\n"
       "  sinew COMMAND --help  the options of a command, with examples\n"
       "  sinew --version       the version\n");

  char text[1024] = "MODEL is a URDF file (a robot) or a BVH file (a skeleton, with or without "
                    "motion); the format is detected from its content. If there is no such "
                    "file, MODEL is the name of a built-in model:";
  const char *name;
  size_t length = strlen(text);
  for (int i = 0; (name = sinew_scene_name(i)) && length < sizeof text; ++i)
    length +=
        (size_t)snprintf(text + length, sizeof text - length, "%s %s", i > 0 ? "," : "", name);
  text_wrap(text, 0);
  puts("\n"
       "Units: metres and radians; a BVH keeps its own unit of length. Quaternions are\n"
       "w,x,y,z. Poses are in the frame of the root link.\n"
       "\n"
       "Exit status: 0 success; 1 the solve ended, but did not converge; 2 wrong usage\n"
       "or input.");
}

static const char *command_name_at(const void *names, int index) {
  (void)names;
  return commands[index]->name;
}

// A result takes the place of its file; a file that is read is not replaced.
static int check_output(const cli_request *wanted) {
  const char *const inputs[] = {wanted->word,  wanted->motion,  wanted->targets, wanted->seeds,
                                wanted->tasks, wanted->network, wanted->posture};
  for (size_t i = 0; wanted->out && i < sizeof inputs / sizeof inputs[0]; ++i)
    if (cli_file_is_same(inputs[i], wanted->out))
      return cli_refuse("--out %s would overwrite a file that is read", wanted->out);
  const bool makes_folder = wanted->command->id == CLI_EXPERIMENT;
  return wanted->out && !makes_folder ? cli_output_check(wanted->out) : CLI_EXIT_DONE;
}

// @param words after the command's name
static int run_command(const cli_command *command, int count, char **words) {
  cli_request wanted;
  int exit_code = cli_parse(command, count, words, &wanted);
  if (exit_code == CLI_EXIT_DONE && wanted.help)
    cli_help_print(command);
  else if (exit_code == CLI_EXIT_DONE && (exit_code = check_output(&wanted)) == CLI_EXIT_DONE)
    exit_code = command->run(&wanted);
  cli_request_free(&wanted);
  return exit_code;
}

static int run(int argc, char **argv) {
  const char *word = argc > 1 ? argv[1] : "";
  for (int i = 0; i < COMMAND_COUNT; ++i)
    if (strcmp(word, commands[i]->name) == 0)
      return run_command(commands[i], argc - 2, argv + 2);

  for (int i = 0; strcmp(word, "help") == 0 && argc > 2 && i < COMMAND_COUNT; ++i)
    if (strcmp(argv[2], commands[i]->name) == 0) {
      cli_help_print(commands[i]);
      return CLI_EXIT_DONE;
    }
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
    print_help();
    return CLI_EXIT_DONE;
  }
  if (strcmp(word, "--version") == 0) {
    if (argc > 2)
      return cli_refuse("--version stands alone, but there is also '%s'", argv[2]);
    printf("sinew %s\n", sinew_version());
    return CLI_EXIT_DONE;
  }
  if (argc < 2)
    return cli_refuse("no command given; see 'sinew --help'");

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
