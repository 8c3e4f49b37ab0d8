/// Words that were probably meant.
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stddef.h>

/// Gives the index-th of the names to choose from.
typedef const char *cli_name_at(const void *names, int index);

/// Writes "; did you mean 'A', 'B'?" with those of count names that are written
/// much like a word, at most three and the nearest first; an empty text where
/// none is near.
void cli_names_suggest(const char *word, cli_name_at *name_at, const void *names, int count,
                       char *text, size_t size);

#endif
