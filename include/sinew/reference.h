/// @file reference.h
/// The kinematics of the literature by other constructions, derivatives of the Jacobian, Jacobians
/// without a formula, and steps of redundant figures: to be read, checked against, and built upon.
/// No solver uses them. sinew/sinew.h does not include this header.
///
/// All Jacobians agree with sinew_state_jacobian() to rounding, but that by finite differences. A
/// point_l is a point in the link's frame, 3 values [m], or NULL for its origin. J, q and v may be
/// NULL where they have no values.
///
/// Of a model that has FUNCTION joints, constructions of fixed axes and derivatives of Jacobians
/// return SINEW_ERROR_UNSUPPORTED.
#ifndef SINEW_REFERENCE_H
#define SINEW_REFERENCE_H

#include "sinew/kinematics.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------ the product of exponentials

/// One factor exp(twist theta), theta = ratio * q[q_index] + offset, of a product
/// of exponentials. A spherical rotation has three in a row, about its x, y, z axes in the zero
/// pose; together they are one factor, of the rotation vector of the quaternion at q_index.
typedef struct sinew_exponential {
  double twist[6];      ///< in the zero pose, root link's origin and axes
  int q_index;          ///< in q
  int v_index;          ///< column in the Jacobian; coupled joints share their driver's
  int quaternion_axis;  ///< 0, 1, 2 for a spherical rotation; else -1
  double ratio, offset; ///< 1 and 0 where not coupled
} sinew_exponential;

/// A point on a link as a product of exponentials,
/// g(q) = exp(x_1 theta_1) ... exp(x_n theta_n) g(0).
typedef struct sinew_exponentials {
  sinew_exponential *factors; ///< set by the caller to an array of
                              ///< sinew_model_exponential_count()
  int count;                  ///< those on the path to the link, root first
  int nv;
  sinew_pose zero; ///< g(0), the pose where every theta is 0
} sinew_exponentials;

/// The most factors that a link of the model can have.
SINEW_API int sinew_model_exponential_count(const sinew_model *model);

/// The product of exponentials of a point on a link.
/// @param point_l in the link's frame, 3 values [m]; NULL: its origin
/// @param product its factors must point to an array
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Murray, Li, Sastry 1994, section 3.2.
SINEW_MUST_CHECK sinew_result sinew_model_exponentials(const sinew_model *model, int link,
                                                       const double *point_l,
                                                       sinew_exponentials *product);

/// g(q): the link's rotation and the point, in the root link's frame.
/// @return SINEW_OK or SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_exponentials_pose(const sinew_exponentials *product,
                                                      const double *q, sinew_pose *pose);

/// The body Jacobian: columns Ad(exp(x_j theta_j) ... exp(x_n theta_n) g(0))^-1 x_j,
/// the twist about the point, in the link's axes.
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK or SINEW_ERROR_NOT_FINITE
/// Source: Murray, Li, Sastry 1994, section 3.4; Rabbani, Jacobian, "Product of
/// exponentials".
SINEW_MUST_CHECK sinew_result sinew_exponentials_jacobian_body(const sinew_exponentials *product,
                                                               const double *q, double *J);

/// The spatial Jacobian, Ad(g(q)) times the body's: linear rows are the velocity of the point,
/// fixed to the link, at the root link's origin; in the root link's axes.
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK or SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_exponentials_jacobian_spatial(const sinew_exponentials *product,
                                                                  const double *q, double *J);

// ---------------------------------------------------------------- 6 x 6 blocks

/// An elementary joint: one revolute, prismatic or screw axis, or a spherical rotation. Joints
/// with several values are several in a row.
typedef struct sinew_block {
  int joint;                ///< that it is a part of
  int v_index;              ///< its column, or the first of three of a spherical rotation
  unsigned char freedom[6]; ///< 1: moves along x, y, z, about x, y, z of its frame
  double ratio;             ///< by which it follows v_index; 1 where not coupled
  double pitch;             ///< SCREW [m/rad]: translation along z for each radian about z
} sinew_block;

/// m, the number of elementary joints, and one of them.
SINEW_API int sinew_model_block_count(const sinew_model *model);

/// @return SINEW_OK or SINEW_ERROR_INDEX
SINEW_MUST_CHECK sinew_result sinew_model_block(const sinew_model *model, int block,
                                                sinew_block *out);

/// The Jacobian before trimming: every elementary joint has all six degrees of freedom, along and
/// about the axes of its current frame. Block i, columns 6i to 6i + 5, is the adjoint [R, t^R; 0,
/// R] of that frame with respect to the point; zero where the link does not depend on the joint.
/// Call sinew_state_forward() first.
/// @param axes_link as in sinew_state_jacobian()
/// @param blocks row-major, 6 x 6m; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Rabbani, Jacobian, "Block-wise", procedure 2 (which writes 6 x m).
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_blocks(const sinew_state *state, int link,
                                                          const double *point_l, int axes_link,
                                                          double *blocks);

/// Removes the columns of degrees of freedom that joints do not have, and the rows that are not
/// controlled. The columns of a screw become one, and those of coupled joints are added to their
/// drivers'.
/// @param rows   6 flags: 0 removes the row; NULL: none
/// @param blocks 6 x 6m, of sinew_state_jacobian_blocks()
/// @param J      row-major, k x nv, k the number of rows kept; overwritten
/// @return k
SINEW_API int sinew_model_trim_blocks(const sinew_model *model, const unsigned char *rows,
                                      const double *blocks, double *J);

/// The Jacobian from one adjoint for each joint, its rotation multiplied on the right by R* = R^T
/// R', the joint's axes R' expressed in the axes after its own rotation R, as joints of several
/// angles require.
/// Call sinew_state_forward() first.
/// @param axes_link as in sinew_state_jacobian()
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Rabbani, Jacobian, "Adjusted method".
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_adjusted(const sinew_state *state, int link,
                                                            const double *point_l, int axes_link,
                                                            double *J);

// ---------------------------------------------------- derivatives of Jacobians

/// The time derivative of the Jacobian, world axes, for joint velocities v: the linear
/// acceleration of the point and the angular acceleration of the link are J' v + J v'.
/// Call sinew_state_forward() first.
/// @param state only its scratch changes
/// @param v nv values [rad/s or m/s]
/// @param J_rate row-major, 6 x nv; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Rabbani, Jacobian, "Jacobian derivative".
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_derivative(sinew_state *state, int link,
                                                              const double *point_l,
                                                              const double *v, double *J_rate);

/// The kinematic Hessian, world axes: H[(r nv + j) nv + k] is the derivative of row
/// r, column j of the Jacobian with respect to degree of freedom k. Row-major, 6 x nv x nv.
/// Linear rows are symmetric in j and k, except within a spherical rotation, whose axes move.
/// Call sinew_state_forward() first.
/// @param H 6 nv nv values; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Hourtash, The kinematic Hessian and higher derivatives, 2005.
SINEW_MUST_CHECK sinew_result sinew_state_hessian(const sinew_state *state, int link,
                                                  const double *point_l, double *H);

// ---------------------------------------------------------- without a formula

/// How sinew_state_jacobian_differences() steps.
typedef enum sinew_difference {
  SINEW_DIFFERENCE_FORWARD,
  SINEW_DIFFERENCE_CENTRAL
} sinew_difference;

/// The same Jacobian, in world axes, by finite differences of the forward
/// kinematics. An oracle for tests: inexact and nv or 2 nv times the work.
/// @param state is used for the differences and left at q
/// @param q nq values
/// @param epsilon step [rad or m], 1e-100 to 1e100; smallest error near
///   sqrt(DBL_EPSILON) forward and cbrt(DBL_EPSILON) central
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT (epsilon too small), SINEW_ERROR_INDEX or
///   SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_differences(sinew_state *state, const double *q,
                                                               int link, const double *point_l,
                                                               sinew_difference method,
                                                               double epsilon, double *J);

/// The same Jacobian, in world axes, column by column from sinew_state_twist()
/// at unit velocities. An oracle for tests: nv times the work.
/// @param state only its scratch changes
/// @param v nv values of scratch
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_unit_velocities(sinew_state *state, int link,
                                                                   const double *point_l, double *v,
                                                                   double *J);

// ------------------------------------------------- redundancy and priorities
//
// Steps x from Jacobians and errors that the caller gives; docs/methods.md has the equations. A
// singular value counts as 0 if it is at most cut times the largest one of its level's own J.
// Entries of matrices and vectors are at most 1e100. Each returns SINEW_OK, SINEW_ERROR_ARGUMENT
// (n < 1, m < 0, cut not in (0, 1), lambda < 0, lower above upper), or SINEW_ERROR_NOT_FINITE, also
// for a step that is not finite; outputs are then not changed.

/// J x = e of one level.
typedef struct sinew_reference_level {
  int m;           ///< rows
  const double *J; ///< m x n, row-major
  const double *e; ///< m
} sinew_reference_level;

typedef struct sinew_reference_levels {
  int n, count;
  const sinew_reference_level *levels; ///< count of them, the highest priority first
  double cut;                          ///< 1e-3 is usual for levels
  double lambda;                       ///< damping of each level's part of x; it enters squared
  const double *lower, *upper; ///< n: bounds of x, infinite where there is none; both NULL: none
} sinew_reference_levels;

/// How many values the argument work of the functions below must have, for m rows in all.
SINEW_API size_t sinew_reference_work(int n, int m);

/// The pseudoinverse J^+ of any matrix.
/// @param P n x m, row-major
/// @param rank may be NULL
/// Source: Penrose 1955; Buss 2009, section 4.
SINEW_MUST_CHECK sinew_result sinew_reference_pseudoinverse(int n,
                                                            const sinew_reference_level *rows,
                                                            double cut, double *work, double *P,
                                                            int *rank);

/// x = J^+ e + (I - J^+ J) phi, J and e of the first level; the others and the bounds are not used.
/// @param phi n: the motion that is wanted besides; NULL: 0
/// Source: Liegeois 1977; Buss 2009, equation 7.
SINEW_MUST_CHECK sinew_result sinew_reference_projection(const sinew_reference_levels *levels,
                                                         const double *phi, double *work,
                                                         double *x);

/// Task priority by the projector P_k of all higher levels: x_k = x_(k-1) + (J_k P_k)^+ (e_k - J_k
/// x_(k-1)), P_(k+1) = P_k - (J_k P_k)^+ (J_k P_k), P_0 = I. With two levels it is
/// x = J_0^+ e_0 + (J_1 P)^+ (e_1 - J_1 J_0^+ e_0), P = I - J_0^+ J_0. Where J_k P_k is nearly
/// singular and J_k is not, x is large without lambda.
/// Source: Nakamura, Hanafusa, Yoshikawa 1987 (two levels); Siciliano and Slotine 1991.
SINEW_MUST_CHECK sinew_result sinew_reference_recursive(const sinew_reference_levels *levels,
                                                        double *work, double *x);

/// x = J_0^+ e_0 + P_1 J_1^+ e_1 + P_2 J_2^+ e_2 + ..., with the same P_k. Bounded wherever each
/// J_k is regular, but lower levels are met only where they do not interfere with higher ones.
/// Source: Chiaverini 1997.
SINEW_MUST_CHECK sinew_result sinew_reference_robust(const sinew_reference_levels *levels,
                                                     double *work, double *x);

/// sinew_reference_recursive() within bounds: while a value is outside, the one that is farthest
/// outside is held at its bound and the others are computed again. Then a held value is released
/// where that lowers the error of a level and does not raise that of a higher one; each once.
/// @param held n: -1 at its lower bound, 1 at its upper bound, else 0; may be NULL
/// Source: Baerlocher and Boulic 2004.
SINEW_MUST_CHECK sinew_result sinew_reference_limited(const sinew_reference_levels *levels,
                                                      double *work, signed char *held, double *x);

/// Limits as rows: where 0 is outside the bounds of x, that is where a joint is outside its limits,
/// the row w x_j = w b_j with the nearer bound b_j joins J x = e of the first level, and the whole
/// is solved by least squares, damped by lambda. A joint leaves its limits and is then drawn back:
/// the bounds themselves are not kept.
/// @param weight w of the rows, > 0
/// Source: Rabbani, Jacobian, "Practical notes".
SINEW_MUST_CHECK sinew_result sinew_reference_limit_rows(const sinew_reference_levels *levels,
                                                         double weight, double *work, double *x);

/// A task of m rows and an objective h whose minimum among the configurations that meet the task is
/// followed.
typedef struct sinew_reference_extended {
  int n;
  sinew_reference_level task;
  const double *J_change;  ///< m x n x n, as sinew_state_hessian()'s
  const double *gradient;  ///< n: of h
  const double *curvature; ///< n x n: the second derivatives of h
  double gain;             ///< share of the objective's error to remove; 1 is Newton's method
  double cut, lambda;
} sinew_reference_extended;

/// The extended Jacobian: x solves [J; dG] x = [e; -gain G], where G = N^T gradient is 0 at the
/// minimum, and the columns of N are a basis of the null space of J. dG = N^T curvature - N^T
/// (dJ)^T (J^+)^T gradient is its derivative, J N = 0 kept.
/// @param slope the norm of G; may be NULL
/// Source: Baillieul 1985.
SINEW_MUST_CHECK sinew_result sinew_reference_extended_jacobian(
    const sinew_reference_extended *input, double *work, double *x, double *slope);

// ------------------------------------------------------ secondary objectives
//
// Values and gradients for the motion that a task leaves: k times a gradient is the argument phi of
// sinew_reference_projection(), k < 0 to lower a value. Errors as above, or SINEW_ERROR_INDEX.

/// h = sum over the n degrees of freedom that have limits of ((q - middle) / (upper - lower))^2 /
/// n.
/// @param value h, and gradient its derivatives (nv); each may be NULL
/// Source: Liegeois 1977.
SINEW_MUST_CHECK sinew_result sinew_reference_middle(const sinew_model *model, const double *q,
                                                     double *value, double *gradient);

/// Gains for sinew_solver_set_gains() that slow joints on their way to a limit: G = W^-1/2,
/// W = 1 + |h| where |h| has grown, else 1; h = (u - l)^2 (2 q - u - l) / (4 (u - q)^2 (q - l)^2)
/// with the limits l, u. At a limit and beyond h is infinite.
/// @param last nv, in and out: |h| of the last call; 0 before the first
/// @param gains nv
/// Source: Chan and Dubey 1995.
SINEW_MUST_CHECK sinew_result sinew_reference_limit_gains(const sinew_model *model, const double *q,
                                                          double *last, double *gains);

/// w = sqrt(det(J J^T)) and dw/dq_k = w sum of (J^+)_jr dJ_rj/dq_k; 0 where the rank is less than
/// m.
/// @param rows their e is not used
/// @param J_change m x n x n, as sinew_state_hessian()'s
/// @param work sinew_reference_work(n, m) values
/// @param value w, and gradient (n); each may be NULL
/// Source: Yoshikawa 1985.
SINEW_MUST_CHECK sinew_result sinew_reference_manipulability(int n,
                                                             const sinew_reference_level *rows,
                                                             const double *J_change, double *work,
                                                             double *value, double *gradient);

/// The smallest of the min(m, n) singular values s and ds/dq_k = u^T (dJ/dq_k) v. Arguments as
/// above.
SINEW_MUST_CHECK sinew_result sinew_reference_smallest_singular_value(
    int n, const sinew_reference_level *rows, const double *J_change, double *work, double *value,
    double *gradient);

/// All points within radius of the segment from a to b, in the root link's frame [m]; a sphere if
/// they are equal.
typedef struct sinew_reference_obstacle {
  double a[3], b[3], radius;
} sinew_reference_obstacle;

/// Where a model's shapes (sinew_model_shapes()) are nearest to obstacles.
typedef struct sinew_reference_clearance {
  double distance;     ///< between surfaces [m]; negative: the depth
  int shape, obstacle; ///< which they are
  double point_w[3];   ///< on the segment of the shape
  double normal_w[3];  ///< unit vector from the obstacle to the shape
} sinew_reference_clearance;

/// Finds it, and the derivative of the distance. Call sinew_state_forward() first.
/// @param obstacles count of them, at least 1
/// @param work 6 nv values; NULL with gradient
/// @param gradient nv; may be NULL
/// @return also SINEW_ERROR_ARGUMENT where there are no shapes or obstacles, or a radius is < 0
/// Source: Ericson 2004, section 5.1.9.
SINEW_MUST_CHECK sinew_result sinew_reference_clearance_find(
    const sinew_state *state, const sinew_reference_obstacle *obstacles, int count,
    sinew_reference_clearance *clearance, double *work, double *gradient);

/// How to avoid the nearest obstacle.
typedef struct sinew_reference_avoidance {
  double distance;        ///< of sinew_reference_clearance_find()
  const double *gradient; ///< n: J_o, of the distance
  double start, full;     ///< distances at which it begins, and has full effect; start > full
  double push;            ///< by how much a step should enlarge a distance of full
} sinew_reference_avoidance;

/// x = J^+ e + a (J_o N)^+ (p - J_o J^+ e), N = I - J^+ J, J and e of the first level. a rises from
/// 0 at start to 1 at full by a cosine, p = push ((start - d) / (start - full))^2. (J_o N)^+ is
/// damped by lambda. Source: Maciejewski and Klein 1985.
SINEW_MUST_CHECK sinew_result sinew_reference_avoid(const sinew_reference_levels *levels,
                                                    const sinew_reference_avoidance *avoidance,
                                                    double *work, double *x);

// ---------------------------------------------- resolved rate and acceleration

/// How a point of a link should move, world axes.
typedef struct sinew_reference_motion {
  int link;
  const double *point_l;  ///< in the link's frame, 3 values [m]; NULL: its origin
  unsigned char rows[6];  ///< 0: the component is not controlled
  sinew_pose pose;        ///< where it should be now
  double twist[6];        ///< its velocity [m/s; rad/s]
  double acceleration[6]; ///< [m/s^2; rad/s^2]; for sinew_reference_acceleration()
  double gain;            ///< K [1/s], >= 0: errors decay as exp(-K t); 0: open loop
  double cut, lambda;     ///< as in sinew_reference_levels
} sinew_reference_motion;

/// Resolved rate: joint velocities v = J^+ (twist + K r) + (I - J^+ J) phi, r the error of the
/// point and of the orientation. Call sinew_state_forward() first.
/// @param phi nv; NULL: 0
/// @param work sinew_reference_work(nv, 6) values
/// @param v nv [rad/s or m/s]
/// Source: Whitney 1969; Wampler and Leifer 1988.
SINEW_MUST_CHECK sinew_result sinew_reference_rate(const sinew_state *state,
                                                   const sinew_reference_motion *motion,
                                                   const double *phi, double *work, double *v);

/// Resolved acceleration: v' = J^+ (acceleration + 2 K (twist - J v) + K^2 r - J' v) +
/// (I - J^+ J) phi, critically damped. Call sinew_state_forward() first.
/// @param state only its scratch changes
/// @param v nv: the present velocities
/// @param v_rate nv [rad/s^2 or m/s^2]
/// Source: Luh, Walker, Paul 1980; Wampler and Leifer 1988.
SINEW_MUST_CHECK sinew_result sinew_reference_acceleration(sinew_state *state,
                                                           const sinew_reference_motion *motion,
                                                           const double *v, const double *phi,
                                                           double *work, double *v_rate);

#ifdef __cplusplus
}
#endif
#endif
