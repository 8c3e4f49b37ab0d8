/// A bar on standard error for work that takes long.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

/// Shows how much of the work at hand is done, where it has taken over a second and
/// standard error is a terminal. A share of 1 ends the work and wipes the bar away.
void cli_progress(double share);

#endif
