/// @file objective.h
/// What joints should do where tasks leave them a choice: a posture, little motion.
///
/// A ::sinew_objective has no target. It belongs to a level below 0 and costs a task of a higher
/// priority at most a tenth of its tolerance in an update: docs/levels.md.
#ifndef SINEW_OBJECTIVE_H
#define SINEW_OBJECTIVE_H

#include "sinew/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Below, x is the motion of an update over all degrees of freedom v, [rad] or, of a prismatic
/// joint, in sizes of the figure (sinew_task); w_v is weight times weights[v].
typedef enum sinew_objective_kind {
  SINEW_OBJECTIVE_POSTURE = 0, ///< joints move towards posture: sum of (w_v (x_v - k d_v))^2, where
                               ///< d leads there (sinew_configuration_difference(), so that a
                               ///< spherical joint has its rotation vector) and k is gain
  SINEW_OBJECTIVE_DAMPING,     ///< little motion: sum of (w_v x_v)^2
  SINEW_OBJECTIVE_LOW_CHANGE,  ///< motion as in the last update: sum of (w_v (x_v - last_v))^2
  SINEW_OBJECTIVE_LIMITS,   ///< joints with two limits stay in their middle: POSTURE with w_v over
                            ///< half the range (Liegeois 1977)
  SINEW_OBJECTIVE_COUPLING, ///< coefficients . q = value: (weight (c . x - k (value - c . q)))^2
  SINEW_OBJECTIVE_MANIPULABILITY, ///< more of it for the point of task: -weight^2 ln w, w^2 = det(J
                                  ///< J^T + 1e-6 I) in rad and sizes (Yoshikawa 1985)
  SINEW_OBJECTIVE_CALLBACK,       ///< r(q) = 0, a residual of your own: |weight (J x + k r)|^2
  SINEW_OBJECTIVE_POLE, ///< the middle of a limb turns about the line from its root to its end
                        ///< towards pole, by the joints that leave the root where it is, so that
                        ///< (weight (a . x - k psi))^2 is least, psi the angle, a its derivative.
                        ///< Where a task of level 0 wants the end of a straight limb nearer, it
                        ///< bends to the side of the pole or, where that decides nothing, towards
                        ///< posture, if limits leave room there. A POSTURE without a POLE for
                        ///< the limb bends it towards the posture
  SINEW_OBJECTIVE_COUNT
} sinew_objective_kind;

/// "posture", "damping", "low_change", "limits", "coupling", "manipulability", "callback", "pole";
/// NULL where there is no such kind.
SINEW_API const char *sinew_objective_kind_name(sinew_objective_kind kind);

/// Your residual at q, and its derivative. It must be a function of q alone; in batches several
/// threads may call it. Values that are not finite count for nothing.
/// @param residual objective.rows values; all are to be written
/// @param jacobian rows x nv, row-major, [per rad or m], about the own axes of spherical joints as
///   sinew_configuration_integrate() moves them; all are to be written. NULL: not wanted
typedef void (*sinew_objective_function)(void *context, const double *q, double *residual,
                                         double *jacobian);

/// Start from sinew_default_objective().
typedef struct sinew_objective {
  uint32_t cookie; ///< cookie and size: set by sinew_default_objective(); leave them
  uint32_t size;
  sinew_objective_kind kind;
  int level;     ///< 1 (default) to sinew_solver_def.lower.levels
  double weight; ///< relative to the other objectives and the tasks of its level, 0 to 1e6;
                 ///< default 1. Below 0.001, and 0.01 times the largest of its level, joints
                 ///< go their way more slowly: docs/levels.md
  double gain;   ///< k, the share of the way in an update, in (0, 1]; default 1; not of
                 ///< DAMPING and LOW_CHANGE
  const double *weights;      ///< nv factors on weight, 0 to 1e6; NULL (default): all 1; copied.
                              ///< POSTURE, DAMPING, LOW_CHANGE and LIMITS
  const double *posture;      ///< POSTURE, POLE: nq values, copied; NULL (default): the start,
                              ///< sinew_configuration_start()
  const double *coefficients; ///< COUPLING: nv values [any unit per rad or m], not all 0, and 0 of
                              ///< spherical joints; copied
  double value;               ///< COUPLING: in the same unit; default 0
  const sinew_task *task; ///< MANIPULABILITY: of the point of this POSITION, ORIENTATION or POSE of
                          ///< a link, of whose fields only these and point_l are read; copied
  int rows;               ///< CALLBACK: of its residual, 1 to 1000
  sinew_objective_function function; ///< CALLBACK
  void *context;                     ///< passed to function
  int links[3];   ///< POLE: the links at whose origins are the limb's root, middle and end: upper
                  ///< arm, forearm, hand; refused where two of them are always at the same place
  double pole[3]; ///< POLE: a point in the root link's frame [m]; default 0
  bool pole_is_direction; ///< POLE: pole is a direction, of any length; 0: no side but that of
                          ///< posture
} sinew_objective;

/// For bindings to other languages; in C and C++ use sinew_default_objective().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_objective_init(sinew_objective *objective, size_t size);

static inline sinew_objective sinew_default_objective(void) {
  sinew_objective objective;
  sinew_objective_init(&objective, sizeof objective);
  return objective;
}

/// Sets the objectives, replacing earlier ones. Allocates nothing.
/// @param objectives count of them, copied with their arrays
/// @param error may be NULL; names the objective and its field
/// @return SINEW_OK, SINEW_ERROR_CAPACITY (sinew_solver_def.lower), SINEW_ERROR_ARGUMENT,
///   SINEW_ERROR_INDEX (a link of a POLE, or of the task of a MANIPULABILITY) or
///   SINEW_ERROR_NOT_FINITE (the old objectives stay)
SINEW_MUST_CHECK sinew_result sinew_solver_set_objectives(sinew_solver *solver,
                                                          const sinew_objective *objectives,
                                                          int count, sinew_error *error);

/// How far an objective is from being met at a configuration, whatever its gain and the size of its
/// weights. -1: the kind has none, a POSTURE or LIMITS has no joint with a weight above 0 (its own
/// times the objective's), or a POLE no side. DAMPING and LOW_CHANGE ask for a motion, and have
/// none.
typedef struct sinew_objective_report {
  double angle;    ///< POSTURE: the largest |d_v| of joints with a weight that rotate [rad], of a
                   ///< spherical joint that of a component; LIMITS: the same from the middle; POLE:
                   ///< |psi|, which falls to 0 where the limb becomes straight
  double distance; ///< POSTURE, LIMITS: the largest of joints that translate [m]
  double value;    ///< COUPLING: |value - coefficients . q| in its unit; CALLBACK: |r|, INFINITY
                   ///< where it is not finite; MANIPULABILITY: w, the more the better
} sinew_objective_report;

/// Measures an objective at q. Allocates nothing. The history of updates stays, unless the function
/// of a joint fails.
/// @param objective its number
/// @param q nq values
/// @return SINEW_OK; SINEW_ERROR_INDEX; SINEW_ERROR_NOT_FINITE (sinew_solver_last_error() names the
///   joint); the report is then all -1
SINEW_MUST_CHECK sinew_result sinew_solver_objective(sinew_solver *solver, int objective,
                                                     const double *q,
                                                     sinew_objective_report *report);

/// Compares the derivative of a CALLBACK with central differences of its residual at q: for your
/// tests. Allocates nothing.
/// @param objective its number
/// @param tolerance of |given - difference| / max(1, |difference|): 1e-6 suits most
/// @param error may be NULL; SINEW_ERROR_ARGUMENT names the worst entry with its row, its joint and
///   both values
/// @return SINEW_OK; SINEW_ERROR_ARGUMENT; SINEW_ERROR_INDEX; SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_solver_check_callback(sinew_solver *solver, int objective,
                                                          const double *q, double tolerance,
                                                          sinew_error *error);

#ifdef __cplusplus
}
#endif
#endif
