/// A model's values one by one, each with a name: the columns of a CSV and the
/// lines of a table.
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include "sinew/model.h"

typedef enum cli_unit { CLI_UNIT_NONE, CLI_UNIT_ANGLE, CLI_UNIT_LENGTH } cli_unit;

/// One value of one joint, of a coupled joint too.
typedef struct cli_column {
  char *name;      ///< "JOINT", or "JOINT.qw" where the joint has several
  int joint;       ///< its index in the model
  int q_index;     ///< its place in q, or -1 where coupled
  int value_index; ///< its place in sinew_model_joint_values()
  cli_unit unit;   ///< NONE: part of a quaternion
} cli_column;

typedef struct cli_columns {
  cli_column *columns;
  int count;
} cli_columns;

/// The columns of all joints, in the order of joints.
/// @param def what the model was made from
cli_columns cli_columns_create(const sinew_model *model, const sinew_model_def *def);
void cli_columns_destroy(cli_columns *columns);

/// The part of a column's name after its last dot for value index of a joint of
/// several values; NULL where the joint has none such.
///
/// Distances are x, y, z; angles rx, ry, rz, and the second about an axis rx2
/// and so on; a quaternion qw, qx, qy, qz; UNIVERSAL has angle and angle2,
/// CYLINDRICAL angle and distance, PLANAR x, y and angle.
const char *cli_column_suffix(const sinew_joint_def *joint, int index, cli_unit *unit);

/// How many values a joint has, coupled or not.
int cli_joint_value_count(const sinew_joint *joint);

#endif
