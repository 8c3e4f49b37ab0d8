/// What the parts of sinew track share.
#ifndef CLI_TRACK_H
#define CLI_TRACK_H

#include "follow.h"

/// Prints the report: lines on standard error, or an object on standard output.
void cli_track_report(const cli_tracking *work, bool as_json);

#endif
