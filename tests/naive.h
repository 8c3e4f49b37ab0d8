// A second kinematics as the reference of tests, slow and simple: homogeneous 4 x 4 matrices in
// long double, each elementary motion the exponential of a twist by its power series, a Jacobian's
// columns by the product rule over the product of exponentials. It uses only the definition, no
// other code of sinew.
#ifndef NAIVE_H
#define NAIVE_H

#include "sinew/model.h"

typedef struct naive {
  const sinew_model_def *def;
  int nq, nv, root;
  int *q_index, *v_index;      // of each joint; of a coupled one its driver's
  int *driver;                 // of each joint, through all couplings, or -1
  long double *ratio, *offset; // with respect to it
  int *order;                  // joints, parents first
  long double *local;          // 16 a joint: the child link in the parent link
  long double *place;          // 16 a link: in the root link
  long double *rate;           // 16 a link: derivative of place
} naive;

// The definition must be valid and must live longer.
naive *naive_create(const sinew_model_def *def);
void naive_destroy(naive *n);

// Fills local and place.
void naive_place(naive *n, const double *q);

// After naive_place() of the same q: fills rate by the v-th value of v.
void naive_derive(naive *n, const double *q, int v);

void naive_frame(const naive *n, int link, double R[9], double p[3]);

// After naive_derive(): the column of a point's Jacobian, linear then angular.
void naive_column(const naive *n, int link, const double point_l[3], double column[6]);

// 6 x nv, row-major, world axes: all columns, after naive_place().
void naive_jacobian(naive *n, const double *q, int link, const double point_l[3], double *J);

// exp of the twist (linear; angular) times theta.
void naive_exp(const long double twist[6], long double theta, long double T[16]);
void naive_multiply(const long double A[16], const long double B[16], long double out[16]);

#endif
