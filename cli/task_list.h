/// What a solver should do: tasks with their targets, objectives for joints, and limits of motion.
/// The options of a command line and a tasks file make the same list.
#ifndef CLI_TASK_LIST_H
#define CLI_TASK_LIST_H

#include "figure.h"
#include "message.h"

/// A field of a task or an objective, with whose name an error of the library begins, and what
/// stands for it in messages: "tasks.json:14: tasks[2].frame_link", or "--tip hand: --frame".
typedef struct cli_entry_field {
  const char *name, *where;
} cli_entry_field;

/// What made some of the tasks: a --tip, or an element of a tasks file.
typedef struct cli_entry {
  const char *name;              ///< for reports, and for columns of targets
  const char *where;             ///< for messages: "--tip hand", or "tasks.json:12: tasks[2]"
  const cli_entry_field *fields; ///< up to one without a name; NULL: none
  bool moving;      ///< whether its target is not in the list, and columns must give it
  bool by_columns;  ///< whether the columns decide its kind, too
  bool fixed;       ///< whether columns cannot give its targets: a support polygon's
  bool has_level;   ///< whether its level, or whether the outcome counts it, was given
  unsigned given;   ///< values of its target that options gave, a bit each: not of columns
  int first, count; ///< its tasks
} cli_entry;

/// Frozen joints, and what replaces limits of the model: nv values each, or NULL.
typedef struct cli_motion_limits {
  unsigned char *frozen;
  double *gains, *lower, *upper, *speeds, *accelerations;
  double margin;      ///< of limits [rad, m]; 0: none
  double speed_scale; ///< of speed limits; 0: none
} cli_motion_limits;

/// Limits of joint values and speeds, nv values each.
typedef struct cli_limits_in_force {
  const double *lower, *upper, *speeds;
} cli_limits_in_force;

/// The limits that a solver has before margin and speed_scale: each of them, or where it is NULL
/// that of the model.
cli_limits_in_force cli_motion_limits_in_force(const cli_motion_limits *limits,
                                               const sinew_model *model);

typedef struct cli_task_list {
  sinew_task *tasks;
  sinew_target *targets; ///< one for each task
  int *entry_of;         ///< of each task
  int count;
  cli_entry *entries;
  int entry_count;
  sinew_objective *objectives;
  cli_entry *objective_entries; ///< one for each objective
  bool *from_start;             ///< of each objective, whether its posture is that of the start
  int objective_count;
  cli_motion_limits limits;
  void **kept; ///< memory that is freed with the list
  int kept_count;
} cli_task_list;

void cli_task_list_destroy(cli_task_list *list);

/// Memory that is freed with the list: zeroed, or a text as of printf().
void *cli_task_list_allocate(cli_task_list *list, size_t count, size_t size);
const char *cli_task_list_text(cli_task_list *list, const char *format, ...) CLI_LIKE_PRINTF(2, 3);

/// Adds an entry without tasks; the tasks that are added next belong to it. Its texts must live as
/// long as the list.
/// @param entry all of it but its tasks
void cli_task_list_add_entry(cli_task_list *list, cli_entry entry);
void cli_task_list_add_task(cli_task_list *list, const sinew_task *task,
                            const sinew_target *target);

/// @param entry where it is from
/// @param from_start whether the posture is that of the start: cli_task_list_set_objectives()
void cli_task_list_add_objective(cli_task_list *list, const sinew_objective *objective,
                                 cli_entry entry, bool from_start);

/// The entry of a name that a column has: -1 where there is none, -2 where there are several.
/// @param length of the name
int cli_task_list_find(const cli_task_list *list, const char *name, size_t length);

/// Freezes a joint.
/// @return NULL, or why it cannot be frozen
const char *cli_task_list_freeze(cli_task_list *list, const cli_figure *figure, int joint);

/// LOOK_AT tasks without a level of their own, beside a required position, orientation or pose at
/// level 0, become those of level 1, which are not required: a gaze is not to cost a goal anything.
void cli_task_list_lower_gazes(cli_task_list *list);

/// Sets the room that the list needs in a solver.
void cli_task_list_size(const cli_task_list *list, sinew_solver_def *def);

/// Sets the tasks and limits of a solver.
/// @param also frozen besides the list's, nv values; or NULL
/// @param timed whether the solver has a time step; without one it has no limits of speed and
///   acceleration
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_task_list_set_tasks(const cli_task_list *list, const cli_figure *figure,
                            const unsigned char *also, bool timed, sinew_solver *solver);

/// What is frozen by the list or besides it: nv values; free() it.
unsigned char *cli_task_list_frozen(const cli_task_list *list, const unsigned char *also, int nv);

/// Whether limits of speed or acceleration need the time between updates.
bool cli_task_list_is_timed(const cli_task_list *list);

/// Sets its objectives.
/// @param start nq values
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_task_list_set_objectives(const cli_task_list *list, const double *start,
                                 sinew_solver *solver);

/// Prints an error of the library: of a task or an objective with the option, or the line and the
/// field, that it is from. Returns CLI_EXIT_REFUSED.
int cli_task_list_refuse(const cli_task_list *list, const sinew_error *error);

/// The same where the library was given some of the tasks.
/// @param numbers of each of these in the list
int cli_task_list_refuse_some(const cli_task_list *list, const int *numbers,
                              const sinew_error *error);

/// Warns of targets that are valid but probably not meant.
void cli_task_list_warn(const cli_task_list *list, const cli_figure *figure);

/// Whether a task's error is a distance, or has one; or an angle.
bool cli_task_has_distance(const sinew_task *task);
bool cli_task_has_angle(const sinew_task *task);

/// Whether the outcome counts a task.
bool cli_task_is_required(const sinew_task *task);

#endif
