// Closed forms of arms with six and seven revolute joints, from numbers.
//
// An arm is given by its axes where all angles are 0: directions h_i and vectors P_i from a point
// of each axis to one of the next, all in the root's frame. With R_i = R(h_i, q_i) the tip is at
//
//   R = R_1 R_2 .. R_n,   p = P_0 + R_1 (P_1 + R_2 (P_2 + .. R_n P_n)).
//
// What makes a closed form possible is a group of consecutive axes: three that meet in a point, or
// three that are parallel. Which group an arm has is found by its owner (problem/family.h). The
// other joints follow from where the group is, and the group's own angles from its rotation.
//
// An arm is solved in the direction in which its group is nearer to the tip: reversed, its axes are
// -h_n .. -h_1, its vectors -P_n .. -P_0, and its angles the same in reverse order.
#ifndef SINEW_ANALYTIC_ARM_H
#define SINEW_ANALYTIC_ARM_H

#include "analytic/subproblems.h"

#define SINEW_ARM_MOST 7       // axes
#define SINEW_ARM_SOLUTIONS 16 // of six axes (Raghavan and Roth 1993)

typedef struct sinew_arm {
  int count;
  double h[SINEW_ARM_MOST][3];
  double P[SINEW_ARM_MOST + 1][3];
} sinew_arm;

typedef enum sinew_arm_form {
  SINEW_ARM_NONE = 0,
  SINEW_ARM_MEETING,  // 6: three axes that meet in a point
  SINEW_ARM_PARALLEL, // 6: three parallel axes, neither the first nor the last three
  SINEW_ARM_SRS,      // 7: the first three axes meet in a point, and the last three
  SINEW_ARM_PAIR      // 6: axes 2 and 3 are parallel, 4 and 5 meet; or, from the tip, so
} sinew_arm_form;

// Subproblem 2, R(k1, a) p1 = R(k2, b) p2, but for p1: what does not depend on it. x = k1 x k2.
typedef struct sinew_arm_crossing {
  double k1[3], k2[3], x[3];
  double by, length;  // 1 / |x|^2, |x|
  double alpha, m2;   // k1 . k2, k2 . p2
  double across, tip; // t . x and t . k1, t = k2 x p2
  bool none;          // k1 and k2 are parallel, or p2 is along k2
} sinew_arm_crossing;

// |P + R(k, a) Q|^2 = L: cosine cos a + sine sin a = half - L / 2.
typedef struct sinew_arm_triangle {
  double cosine, sine, square, half; // square = cosine^2 + sine^2
  bool none;                         // L does not depend on a
} sinew_arm_triangle;

// Axes with frames, so that forward kinematics rotates about z and x alone:
//
//   R_1 .. R_n = root^T Rz(q_1 + o_1) Rx(t_1) Rz(q_2 + o_2) Rx(t_2) .. Rz(q_n + o_n) tip
typedef struct sinew_arm_frames {
  double root[9];                     // rows: the axes of the first frame
  double y[3];                        // across the last axis: tip takes it to x
  sinew_angle offset[SINEW_ARM_MOST]; // o_i
  sinew_angle twist[SINEW_ARM_MOST];  // t_i
  double step[SINEW_ARM_MOST][3];     // P_i, i > 0, in the frame of axis i
} sinew_arm_frames;

// An arm in its closed form.
typedef struct sinew_arm_plan {
  sinew_arm own; // as it is
  sinew_arm arm; // as it is solved: the group exact, reversed if it was nearer to the root
  sinew_arm_form form;
  int first; // the group's first axis in arm
  bool reversed;
  bool opposite[SINEW_ARM_MOST]; // arm's axis is -1 times own's: parallel axes have one direction
  double size;                   // a length of the arm
  double y[3];                   // a unit vector across the last axis of the group,
  double y_tip[3];               // across the last axis of arm,
  double y_shoulder[3];          // and across the third
  // Of arm: the first two axes of the group, or of PARALLEL the group and joint 5; the first two
  // axes of SRS
  sinew_arm_crossing crossing, shoulder;
  sinew_arm_triangle triangle; // the elbow of PARALLEL and of SRS
  sinew_arm_frames frames;     // of own
} sinew_arm_plan;

typedef struct sinew_arm_solution {
  sinew_angle a[SINEW_ARM_MOST]; // of own's axes
  unsigned branch; // bits, from the lowest: the group's two solutions, then those of the others
  bool any;        // one of a continuum
  double error;    // largest entry of R and of p / size, by forward kinematics
} sinew_arm_solution;

// How far count axes from first on (2 or 3) are from meeting in a point, as a share of the size,
// and that point, from the root; INFINITY where two of them are parallel.
double sinew_arm_meeting(const sinew_arm *arm, double size, int first, int count, double point[3]);

// How far three axes from first on are from parallel [rad].
double sinew_arm_parallel(const sinew_arm *arm, int first);

// The length of all vectors between the axes.
double sinew_arm_size(const sinew_arm *arm);

// How far an arm, or if reversed the arm from its tip, is from PAIR; INFINITY where its parallel
// joints do not make a triangle.
double sinew_arm_pair(const sinew_arm *arm, double size, bool reversed);

// Prepares an arm whose group begins at an axis of own. For SRS the group is that at the tip, for
// PAIR the parallel axes.
void sinew_arm_prepare(const sinew_arm *own, sinew_arm_form form, int first, sinew_arm_plan *plan);

// All solutions of six axes for a tip at R (row-major), p: at most SINEW_ARM_SOLUTIONS, not yet
// refined. Without an exact one, those that come nearest.
// @param seed count angles [rad] that are kept where any angle will do
// @return how many
int sinew_arm_solve(const sinew_arm_plan *plan, const double R[9], const double p[3],
                    const double *seed, sinew_arm_solution *out);

// SRS: the same at an angle of the elbow about the line from the point of the first three axes to
// that of the last three. At 0 the elbow's axis is normal to the plane of that line and the first
// axis.
int sinew_arm_solve_srs(const sinew_arm_plan *plan, const double R[9], const double p[3],
                        double swivel, const double *seed, sinew_arm_solution *out);

// ------------------------------------------------------------------ parts

// R and p of the tip.
void sinew_arm_forward(const sinew_arm *arm, const sinew_angle *a, double R[9], double p[3]);

// Directions and points of the axes, at the angles of those before them.
void sinew_arm_axes(const sinew_arm *arm, const sinew_angle *a, double (*axis)[3],
                    double (*origin)[3]);

// The largest difference in R and in p / size.
double sinew_arm_error(const sinew_arm *arm, double size, const sinew_angle *a, const double R[9],
                       const double p[3]);

// Newton steps towards R and p, at most so many, until the error is at rounding or rises; of seven
// axes the least steps. Returns the error.
double sinew_arm_refine(const sinew_arm *arm, double size, const double R[9], const double p[3],
                        int steps, sinew_angle *a);

// The arm from its tip to its root, and where the root is from there.
void sinew_arm_reverse(const sinew_arm *arm, sinew_arm *out);
void sinew_arm_reverse_target(const double R[9], const double p[3], double R_out[9],
                              double p_out[3]);

// The arm of one axis fewer: axis k is at an angle. R of a target is then R(h_k, angle)^T after R:
// R_out.
void sinew_arm_fold(const sinew_arm *arm, int k, sinew_angle angle, sinew_arm *out);
void sinew_arm_fold_target(const sinew_arm *arm, int k, sinew_angle angle, const double R[9],
                           double R_out[9]);

// Three axes of an arm that meet, from first on, with the rotation M: up to two solutions.
// @param v, z M h and M y, h the last of them and y a unit vector across it
sinew_roots sinew_wrist_solve(const sinew_arm *arm, int first, const double y[3], const double v[3],
                              const double z[3], sinew_angle preferred, sinew_angle out[2][3]);

// The angle about k of the rotation that takes y, a unit vector across k, to z.
sinew_angle sinew_angle_between(const double k[3], const double y[3], const double z[3]);

#endif
