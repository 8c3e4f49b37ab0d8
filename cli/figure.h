/// The MODEL of a command line: a file, and the model made from it.
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include <stdbool.h>
#include <stdio.h>

#include "scenes/scenes.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

typedef struct cli_figure {
  sinew_document *document;
  sinew_scene *scene; ///< a built-in one, or NULL
  sinew_model *model;
  const char *length_unit; ///< "m", or "units" where the file has its own
  /// Limits of a tasks file, which replace those of the model: nv values each, of its
  /// cli_task_list; NULL: none. Values are checked against them.
  const double *lower, *upper;
} cli_figure;

/// Opens a model, printing warnings and errors.
/// @param floating_base whether its root link moves freely; only for a URDF
/// @return CLI_EXIT_DONE or CLI_EXIT_REFUSED; close it in either case
int cli_figure_open(const char *path, bool floating_base, cli_figure *figure);
void cli_figure_close(cli_figure *figure);

/// Makes the model again from its definition with other joints, which must keep their kinds, links
/// and names. Where that is refused the model stays.
/// @param joints as many as the definition has
/// @return as sinew_model_create()
SINEW_MUST_CHECK sinew_result cli_figure_set_joints(cli_figure *figure,
                                                    const sinew_joint_def *joints,
                                                    sinew_error *error);

/// Whether degree of freedom i of a joint is a distance.
bool cli_figure_slides(const cli_figure *figure, int joint, int i);

/// For each link whether joints move it. free() it.
bool *cli_figure_moved_links(const cli_figure *figure);

/// For each link whether joints move it and it has no child joint: a hand, a foot, a tool. free()
/// it.
bool *cli_figure_effectors(const cli_figure *figure);

/// Prints the names of these links in lines of 80 columns.
/// @param most of them; "..." stands for others
void cli_figure_print_effectors(const cli_figure *figure, FILE *file, int most);

/// Says what a name that is no link's probably means, as the end of a message: "; 'elbow' is a
/// joint, and moves the link 'forearm'", or similar names.
void cli_figure_suggest_link(const cli_figure *figure, const char *name, char *text, size_t size);

/// The same for a name that is no joint's: that it is a link's, or similar names.
void cli_figure_suggest_joint_name(const cli_figure *figure, const char *name, char *text,
                                   size_t size);

/// The first of these alone; empty if it is no link's either.
void cli_figure_suggest_joint(const cli_figure *figure, const char *name, char *text, size_t size);

/// The index of a link that an option names; where there is none of this name, prints similar names
/// and the possible effectors, and returns -1.
int cli_figure_find_link(const cli_figure *figure, const char *option, const char *name);

/// Where a configuration starts: "middle", "zero" or its nq values with commas
/// between.
/// @param option whose value text is, for the message
/// @param q nq values
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_figure_configuration(const cli_figure *figure, const char *option, const char *text,
                             double *q);

#endif
