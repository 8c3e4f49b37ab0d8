// The experiments by name.
#include "experiments/experiments.h"

#include <stddef.h>

static const sinew_experiment experiments[] = {
    {"buss", "Buss's test figures of 2009, the Y and the double-Y, with every method", false,
     sinew_experiment_buss},
    {"trackers",
     "other built-in models, on which no constant was chosen, with every method; motion-capture "
     "clips",
     true, sinew_experiment_trackers},
    {"claims", "what the sources claim, each confirmed, refuted or mixed by a measurement", false,
     sinew_experiment_claims},
    {"solved", "of reachable targets, the share that each method solves for, on built-in figures",
     false, sinew_experiment_solved},
    {"reachable", "which steps of the double-Y of 16 joints are in reach (takes a minute)", false,
     sinew_experiment_reachable}};

enum { COUNT = sizeof experiments / sizeof experiments[0] };

const sinew_experiment *sinew_experiment_at(int index) {
  return index >= 0 && index < COUNT ? &experiments[index] : NULL;
}
