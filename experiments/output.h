// CSV files and pictures.
#ifndef EXPERIMENTS_OUTPUT_H
#define EXPERIMENTS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

// Opens "FOLDER/NAME" for writing; NULL after a message.
FILE *output_open(const char *folder, const char *name);

// Closes a file of output_open(); false after a message where not all was written.
bool output_close(FILE *file, const char *name);

// Prints "sinew: MESSAGE" on standard error, with the names in it escaped.
__attribute__((__format__(__printf__, 1, 2))) void output_refuse(const char *format, ...);

// Writes a text as a field of a CSV, in quotes.
void output_text(FILE *csv, const char *text);

// Begins the script "FOLDER/NAME.gnuplot" of a picture of that size; NULL after a message.
FILE *picture_open(const char *folder, const char *name, int width, int height);

// How pictures with axes look: colours of border and grid, short tics, a key with its text to the
// right.
void picture_style(FILE *picture);

// Ends the script, and has gnuplot draw "FOLDER/NAME.svg" by it; false after a message.
bool picture_close(FILE *picture, const char *folder, const char *name);

#endif
