// CSV files, pictures and a bar of progress.
#ifndef EXPERIMENTS_OUTPUT_H
#define EXPERIMENTS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

// Opens "FOLDER/NAME" for writing; NULL after a message.
FILE *output_open(const char *folder, const char *name);

// Closes what output_open() gave; false after a message where not all was written.
bool output_close(FILE *file, const char *name);

// Starts gnuplot with its output at "FOLDER/NAME.svg" of that size; NULL where there is
// no gnuplot, after a message the first time.
FILE *picture_open(const char *folder, const char *name, int width, int height);
bool picture_close(FILE *picture, const char *name);

// Shows on standard error, where it is a terminal and the work has taken a second, how
// much is done. A share of 1 wipes it away.
void progress_show(double share);

#endif
