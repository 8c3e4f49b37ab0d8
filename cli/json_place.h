/// Where a value of a JSON file stands: its line and its name, for messages.
///
/// Jansson keeps no positions of values. The numbers of elements on the way to a value are kept
/// instead, and the line is found by them when a message needs it.
#ifndef CLI_JSON_PLACE_H
#define CLI_JSON_PLACE_H

#include <jansson.h>
#include <stdbool.h>

#include "message.h"

enum { CLI_JSON_DEPTH = 8 };

typedef struct cli_json_place {
  const char *path;
  char *text;                  ///< of the file, which jansson has read without an error
  json_t *root;                ///< what it read
  int numbers[CLI_JSON_DEPTH]; ///< on each level which member or element, from 0
  size_t lengths[CLI_JSON_DEPTH];
  int depth;
  char name[512]; ///< "tasks[2].axis_weights"; empty at the root
} cli_json_place;

/// Reads a JSON file; stands at its root.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message; close it in either case
int cli_json_place_open(const char *path, cli_json_place *place);
void cli_json_place_close(cli_json_place *place);

/// Goes to a member of the object, or to an element of the array, at which it stands, and back.
/// @param number of the member in the order of the file, from 0
void cli_json_place_enter_member(cli_json_place *place, int number, const char *key);
void cli_json_place_enter_element(cli_json_place *place, int number);
void cli_json_place_leave(cli_json_place *place);

/// Goes to a member of the object at which it stands by its name; false, and it stays, where the
/// object has none of this name.
bool cli_json_place_enter_name(cli_json_place *place, const json_t *object, const char *name);

/// The line at which it stands, from 1: of a member that of its key.
int cli_json_place_line(const cli_json_place *place);

/// The line at which it stands, and that of each member of the object there.
/// @param lines as many as the object has members
int cli_json_place_member_lines(const cli_json_place *place, int *lines);

/// Prints "FILE:LINE: NAME: MESSAGE", and returns CLI_EXIT_REFUSED.
int cli_json_place_refuse(const cli_json_place *place, const char *format, ...)
    CLI_LIKE_PRINTF(2, 3);

/// The same of a member of the object at which it stands; where there is none of this name, that is
/// told before the message.
int cli_json_place_refuse_name(cli_json_place *place, const json_t *object, const char *name,
                               const char *message);

#endif
