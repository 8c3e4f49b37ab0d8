// The experiments by name.
#include "experiments/experiments.h"

#include <stddef.h>

static const sinew_experiment experiments[] = {
    {"buss", "the Y and the double-Y in and out of reach, every method and damping",
     sinew_experiment_buss},
    {"trackers", "figures not used to choose constants, with every method",
     sinew_experiment_trackers},
    {"reachable", "which steps of the double-Y of 16 joints are in reach (a minute)",
     sinew_experiment_reachable}};

enum { COUNT = sizeof experiments / sizeof experiments[0] };

const sinew_experiment *sinew_experiment_at(int index) {
  return index >= 0 && index < COUNT ? &experiments[index] : NULL;
}
