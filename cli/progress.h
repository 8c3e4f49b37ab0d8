/// A bar on standard error for work that takes long.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

/// Seconds from some moment on.
double cli_seconds(void);

/// Shows how much of the current work is done, where it has taken over a second and
/// standard error is a terminal. A share of 1 ends the work and wipes the bar away.
void cli_progress(double share);

/// The same with the rate and the time left.
/// @param rows how many are done, those before the first call too; 0: none of this is shown
void cli_progress_rows(double share, double rows);

/// Shows how long the current work has taken, under the same conditions, where nothing tells how
/// much is left. cli_progress_wipe() ends it.
/// @param what in a word
void cli_progress_time(const char *what);

/// Wipes the bar away before something else is printed; the next call draws it again.
void cli_progress_wipe(void);

#endif
