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
    {"damping", "the damping laws of the literature on one bench", false, sinew_experiment_damping},
    {"convergence", "steps that each method needs from the same starts, head to head", false,
     sinew_experiment_convergence},
    {"motion", "joint shares, straight paths, strengths, keys, and postures of a clip", false,
     sinew_experiment_motion},
    {"joint-sets", "a reach with the arm, the upper body, and all joints", false,
     sinew_experiment_joint_sets},
    {"two-link", "the two-link arm in closed form", false, sinew_experiment_two_link},
    {"tree", "the layout of the Jacobian of a tree of 30 degrees of freedom", false,
     sinew_experiment_tree},
    {"trimming", "the Jacobian of a revolute and of a prismatic joint, trimmed", false,
     sinew_experiment_trimming},
    {"learned", "nets that give a configuration for a target, without and with the one before",
     false, sinew_experiment_learned},
    {"all", "all of these but trackers and reachable, as one page of HTML in --out", false,
     sinew_experiment_all},
    {"methods", "every method on every built-in figure: targets solved, and moving ones followed",
     false, sinew_experiment_methods},
    {"reachable", "which steps of the double-Y of 16 joints are in reach (takes a minute)", false,
     sinew_experiment_reachable}};

enum { COUNT = sizeof experiments / sizeof experiments[0] };

const sinew_experiment *sinew_experiment_at(int index) {
  return index >= 0 && index < COUNT ? &experiments[index] : NULL;
}
