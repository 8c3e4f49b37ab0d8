/// @file experiments.h
/// Published experiments and sinew's claims, as studies that anyone can run: a
/// table on standard output, tables as CSV and pictures in a folder.
#ifndef EXPERIMENTS_EXPERIMENTS_H
#define EXPERIMENTS_EXPERIMENTS_H

#include <stdbool.h>

typedef struct sinew_experiment_options {
  const char *folder; ///< for CSV and pictures, must exist; NULL: none are written
  int updates;        ///< in each step, >= 1
  bool brief;         ///< fewer steps and settings, for a quick run
  const char *clips;  ///< a folder of BVH files, for those that take clips; NULL: none
  /// Called repeatedly with the fraction of a part's work that is done, last with 1.
  void (*progress)(double share);
} sinew_experiment_options;

typedef struct sinew_experiment {
  const char *name;
  const char *title;
  bool takes_clips;
  /// @return false after a message on standard error
  bool (*run)(const sinew_experiment_options *options);
} sinew_experiment;

/// NULL past the last.
const sinew_experiment *sinew_experiment_at(int index);

bool sinew_experiment_buss(const sinew_experiment_options *options);
bool sinew_experiment_trackers(const sinew_experiment_options *options);
bool sinew_experiment_damping(const sinew_experiment_options *options);
bool sinew_experiment_convergence(const sinew_experiment_options *options);
bool sinew_experiment_motion(const sinew_experiment_options *options);
bool sinew_experiment_joint_sets(const sinew_experiment_options *options);
bool sinew_experiment_two_link(const sinew_experiment_options *options);
bool sinew_experiment_tree(const sinew_experiment_options *options);
bool sinew_experiment_learned(const sinew_experiment_options *options);
bool sinew_experiment_trimming(const sinew_experiment_options *options);
/// Those above and buss, on one page of HTML in the folder.
bool sinew_experiment_all(const sinew_experiment_options *options);
bool sinew_experiment_claims(const sinew_experiment_options *options);
bool sinew_experiment_methods(const sinew_experiment_options *options);
bool sinew_experiment_reachable(const sinew_experiment_options *options);

#endif
