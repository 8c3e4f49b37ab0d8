/// A model that follows targets frame by frame, and what is measured of it.
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include "bones.h"
#include "bounds.h"
#include "hard_rows.h"
#include "targets.h"

/// How to follow.
typedef struct cli_follow_rules {
  sinew_solver_def solver; ///< its task_capacity is not used
  const char *seed;        ///< as cli_figure_configuration() reads it; NULL: the first frame of
                           ///< the model's own motion if that is near the first targets, else a
                           ///< solution for these
  int updates;             ///< per frame
  double cut;              ///< a frame in which a target moves farther is solved from scratch; 0: a
                           ///< quarter of the model's size
  bool stretch; ///< bones may stretch; else their lengths are those of the seed, or where
                ///< there is none those of the model's own motion at the same time
} cli_follow_rules;

/// The largest of something, and where it was.
typedef struct cli_peak {
  double value;
  int frame;
  int index; ///< of an entry of the list or of a joint's value
} cli_peak;

/// Of all frames and of some tasks.
typedef struct cli_score {
  double sum;
  int count; ///< 0: there is no such error
  cli_peak worst;
} cli_score;

/// The errors of one entry of the list, in each frame the largest of its tasks.
typedef struct cli_entry_score {
  cli_score position; ///< [m]
  cli_score rotation; ///< [rad]
} cli_entry_score;

/// What sinew_solver_objective() gives for one objective.
typedef struct cli_objective_score {
  cli_score angle;    ///< [rad]
  cli_score distance; ///< [m]
  cli_score value;    ///< worst: the largest, of a manipulability the least
} cli_objective_score;

typedef struct cli_tracking {
  const cli_figure *figure;
  const cli_targets *targets;
  sinew_solver *solver;
  sinew_solver *judge; ///< takes no steps: measures errors at a configuration
  bones bones;
  double *q;                       ///< one configuration per frame
  double *at;                      ///< nq: where errors are measured
  double *dv;                      ///< nv: the change from the frame before
  cli_score position;              ///< of the required tasks [m]
  cli_score rotation;              ///< of the required tasks [rad]
  cli_entry_score *entries;        ///< one for each entry of the list
  cli_objective_score *objectives; ///< one for each objective
  int cuts, first_cut;
  cli_peak turn, slide; ///< largest changes of a value: [rad], [m]
  cli_hard_count *hard; ///< one for each inequality of the solver's hard tasks
  cli_bounds bounds;    ///< which limits held joints
} cli_tracking;

/// Creates what following needs.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message; end it in either case
int cli_follow_begin(const cli_follow_rules *rules, const cli_figure *figure,
                     const cli_targets *targets, cli_tracking *work);

/// Fills work->q and all that is measured.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_follow(const cli_follow_rules *rules, cli_tracking *work);

void cli_follow_end(cli_tracking *work);

#endif
