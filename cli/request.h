/// What a command line asks for: the values of all options of all commands.
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include <stdbool.h>

#include "command.h"
#include "sinew/solver.h"

/// The lowest priority of a task.
#define CLI_MOST_LEVEL 100

/// A --tip, with the targets that follow it.
typedef struct cli_tip {
  const char *name;
  unsigned kinds; ///< of the targets that were given: a bit each, 1 << sinew_task_kind
  bool moving;    ///< whether columns give its target: --look-at without a value
  bool has_axis;
  sinew_target target;
  double axis_l[3]; ///< for --direction and --look-at
  bool has_tool;
  sinew_pose tool;          ///< in the link's frame
  const char *frame, *root; ///< names of links; NULL: not given
  int level;                ///< -1: not given
} cli_tip;

/// Which part of the rows a run takes: part i of n, from 1; n = 0: all rows.
typedef struct cli_shard {
  int i, n;
} cli_shard;

/// Room for the rows of the option table.
#define CLI_MOST_OPTIONS 128

typedef struct cli_request {
  const cli_command *command;
  const char *word; ///< the MODEL, or the NAME of an experiment; NULL: none was given
  bool help;
  bool given[CLI_MOST_OPTIONS]; ///< each row of the option table: cli_request_given()

  bool floating_base;
  bool stretch;
  bool as_json, as_urdf;
  cli_tip *tips;
  int tip_count;
  const char *tasks;            ///< a tasks file, or NULL
  const char *posture, *freeze; ///< NULL: not given
  double damping;               ///< weight of the objective; 0: none
  const char *q, *seed;         ///< as cli_figure_configuration() reads them
  const char *motion;           ///< NULL: the model's own
  const char *targets, *seeds, *out;

  double tolerance;        ///< [m and rad]
  int method;              ///< a sinew_method
  sinew_solver_def solver; ///< the constants of methods; cli_method_solver() makes it complete
  bool constant_clamp;
  int max_steps;
  int max_starts;
  double time_limit; ///< [s]; 0: not given
  bool nearest, best, images;
  int all; ///< most solutions

  int updates; ///< per frame or step
  double cut;  ///< [length unit of the model]; 0: not given
  bool speed_limits;
  double speed;        ///< share of speed limits; 0: not given
  double acceleration; ///< [rad/s^2, m/s^2]; 0: not given
  double margin;       ///< [rad, m]
  bool escape;

  const char *network; ///< a file; NULL: none
  int bank;            ///< postures; 0: none
  int lanes;           ///< 0: as many as the processor has
  int threads;
  cli_shard shard;
  int chunk; ///< rows; 0: not given
  bool resume;
  bool reach;

  bool no_open, no_meshes;

  bool brief;
  const char *clips; ///< a folder; NULL: none
} cli_request;

/// Whether an option was on the command line.
/// @param name without its dashes
bool cli_request_given(const cli_request *wanted, const char *name);

#endif
