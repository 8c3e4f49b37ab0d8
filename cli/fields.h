/// Reading the members of a JSON object into a struct, by a table with a row for each field.
#ifndef CLI_FIELDS_H
#define CLI_FIELDS_H

#include "figure.h"
#include "json_place.h"
#include "names.h"
#include "task_list.h"

typedef struct cli_field cli_field;

/// Where reading stands, and for what.
typedef struct cli_field_reader {
  cli_json_place place;
  cli_figure *figure;   ///< its model is replaced by limits of swing and twist
  cli_task_list *list;  ///< keeps the memory of what is read
  unsigned uses;        ///< which fields the object at hand has: bits, as in cli_field
  sinew_task_kind kind; ///< of the task at hand
  const char *what;     ///< what the object is, for messages: "a position"
} cli_field_reader;

/// Reads a value into the struct's member. The place is that of the value.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
typedef int cli_field_read(cli_field_reader *reader, const cli_field *field, const json_t *value,
                           void *out);

struct cli_field {
  const char *name;
  cli_field_read *read;
  size_t offset;
  int count;          ///< of an array's values
  double least, most; ///< of numbers
  double none;        ///< what null stands for, of values that may be infinite; else 0
  cli_name_at *names; ///< of choices, by number; NULL past the last
  const char *(*hint)(const char *name); ///< for a name that is not among them; may be NULL
  unsigned uses;                         ///< only for objects with one of these bits; 0: for all
  bool by_kind;                          ///< only for tasks whose kind reads a field of this name
  bool needed;                           ///< refused where it is missing
};

typedef struct cli_field_table {
  const cli_field *fields;
  int count;
} cli_field_table;

/// Reads an object. A member that the table does not have is refused with similar names, before
/// anything is read; then fields are read in the table's order.
int cli_fields_read(cli_field_reader *reader, const cli_field_table *table, const json_t *object,
                    void *out);

/// Reads one field of an object alone.
int cli_fields_read_one(cli_field_reader *reader, const cli_field *field, const json_t *object,
                        void *out);

cli_field_read cli_read_number;  ///< double, from least to most
cli_field_read cli_read_integer; ///< int, the same
cli_field_read cli_read_values;  ///< count doubles
cli_field_read cli_read_nonzero; ///< the same, not all 0
cli_field_read cli_read_flag;    ///< bool
cli_field_read cli_read_text;    ///< const char *, not empty
cli_field_read cli_read_link;    ///< int: a link's name
cli_field_read cli_read_choice;  ///< int: one of names
cli_field_read cli_read_set;     ///< unsigned: an array of names, a bit for each

/// double *, nv values: an object from joints to a value or, where a joint has several degrees of
/// freedom, an array. Of other joints the values are NaN.
cli_field_read cli_read_joints;

/// Sets the values of joints that were not named.
/// @param values as cli_read_joints() gives them; NULL: none
/// @param defaults nv values; NULL: number
void cli_settle_joints(const cli_field_reader *reader, double *values, const double *defaults,
                       double number);

/// The index of a joint; -1 after a message.
int cli_read_joint_name(cli_field_reader *reader, const char *name);

/// Calls a function for each element of an array of objects.
int cli_read_each(cli_field_reader *reader, const json_t *array,
                  int (*each)(cli_field_reader *reader, const json_t *element));

/// A double of an array or by itself: a number from field->least to field->most, or null where that
/// stands for field->none.
int cli_read_value(cli_field_reader *reader, const cli_field *field, const json_t *value,
                   double *out);

#endif
