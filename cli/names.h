/// Similar names, for "did you mean".
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stddef.h>

/// Gives the index-th of the names to choose from.
typedef const char *cli_name_at(const void *names, int index);

/// Writes "; did you mean 'A', 'B'?" with those of count names that are similar to a
/// word or begin with it, at most three, the most similar first; an empty text
/// where there is none.
void cli_names_suggest(const char *word, cli_name_at *name_at, const void *names, int count,
                       char *text, size_t size);

#endif
