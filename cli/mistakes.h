/// Inputs that are valid but probably not meant: values outside limits, degrees, millimetres,
/// quaternions far from unit length. Each kind is found once.
#ifndef CLI_MISTAKES_H
#define CLI_MISTAKES_H

#include "columns.h"
#include "figure.h"
#include "task_list.h"

typedef struct cli_mistakes {
  const cli_figure *figure;
  cli_columns columns;
  double *q; ///< nq values, for the rotations of spherical joints
  bool values_found, norm_found, distance_found;
} cli_mistakes;

cli_mistakes cli_mistakes_begin(const cli_figure *figure);
void cli_mistakes_end(cli_mistakes *mistakes);

/// Finds the next mistake in a configuration, before quaternions are normalized; call it until
/// there is none. The limits are those in force: of the figure where it has some, else of its
/// model.
/// @param typed whether a person typed it: then an angle of more than a whole turn is one
/// @param text what is wrong, and what was probably meant
/// @return whether there is one
bool cli_mistakes_in_values(cli_mistakes *mistakes, const double *q, bool typed, char *text,
                            size_t size);

/// The same for limits of joints, nv values, against those of the model; NULL: none. Only for
/// degrees.
/// @param name of the joint, which the text leaves out
bool cli_mistakes_in_limits(cli_mistakes *mistakes, const double *limits, const char **name,
                            char *text, size_t size);

/// Warns of an angle of more than a whole turn [rad], once.
void cli_mistakes_warn_turns(const double *angles, int count, const char *where);

/// Warns of a tool that is much farther from its link than the model is large.
void cli_mistakes_warn_tool(const cli_figure *figure, const sinew_task *task, const char *where);

/// The next mistake in a target.
bool cli_mistakes_in_target(cli_mistakes *mistakes, const sinew_task *task,
                            const sinew_target *target, char *text, size_t size);

/// Warns of tasks whose link no joint moves, each link once, and of two on one level, both required
/// and of influence 1, that give the same point two positions, or the same link two orientations.
/// @param where before what is wrong, "solve" for example
void cli_mistakes_warn_tasks(const sinew_model *model, const cli_task_list *list,
                             const char *where);

/// Warns of a margin that leaves an angle no range, of those that have one without it, and of a
/// margin and of scaled speed limits where there are no limits.
/// @param speed whether the command uses speed limits
void cli_mistakes_warn_limits(const sinew_model *model, const cli_motion_limits *limits, bool speed,
                              const char *where);

#endif
