/// Options that say more than one value: --tip with the targets that follow it, and --shard.
#ifndef CLI_TIP_H
#define CLI_TIP_H

#include "options.h"

/// --tip LINK: the options of its targets follow it.
cli_option_setter cli_tip_add;

/// --pose, --position and so on, named as kinds of tasks are, and --axis: of the --tip before it.
/// Refused where there is none, where it has such a target already, and where a quaternion or a
/// vector has length 0.
cli_option_setter cli_tip_set_target;
cli_option_setter cli_tip_set_rpy; ///< --rpy: an --orientation by angles
cli_option_setter cli_tip_set_axis;

/// --tool, --frame and --root: of the --tip before them, once each.
cli_option_setter cli_tip_set_tool;
cli_option_setter cli_tip_set_frame;
cli_option_setter cli_tip_set_root;
cli_option_setter cli_tip_set_level;

/// The fields of its target that a tip has been given: sinew_target_fields.
unsigned cli_tip_fields(const cli_tip *tip);

/// --shard I/N
cli_option_setter cli_shard_set;

#endif
