// A second kinematics: see naive.h. Source of the product of exponentials:
// Murray, Li, Sastry, A Mathematical Introduction to Robotic Manipulation, 1994.
#include "naive.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

static const real IDENTITY[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

void naive_multiply(const real A[16], const real B[16], real out[16]) {
  real product[16];
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      real sum = 0;
      for (int k = 0; k < 4; ++k) {
        sum += A[4 * i + k] * B[4 * k + j];
      }
      product[4 * i + j] = sum;
    }
  }
  memcpy(out, product, sizeof product);
}

static void add_product(const real A[16], const real B[16], real out[16]) {
  real product[16];
  naive_multiply(A, B, product);
  for (int i = 0; i < 16; ++i) {
    out[i] += product[i];
  }
}

// The 4 x 4 matrix of a twist: [w^ v; 0 0].
static void hat(const real t[6], real H[16]) {
  const real matrix[16] = {0,     -t[5], t[4], t[0], t[5], 0, -t[3], t[1],
                           -t[4], t[3],  0,    t[2], 0,    0, 0,     0};
  memcpy(H, matrix, sizeof matrix);
}

void naive_exp(const real twist[6], real theta, real T[16]) {
  // exp(H) = exp(H / 2^s)^(2^s); the series at |H| < 1/16 to H^14 / 14!
  real H[16], term[16], size = 0;
  hat(twist, H);
  for (int i = 0; i < 16; ++i) {
    H[i] *= theta;
    size += H[i] < 0 ? -H[i] : H[i];
  }
  int squarings = 0;
  for (; size > 0.0625L; size /= 2) {
    ++squarings;
    for (int i = 0; i < 16; ++i) {
      H[i] /= 2;
    }
  }
  memcpy(T, IDENTITY, sizeof IDENTITY);
  memcpy(term, IDENTITY, sizeof IDENTITY);
  for (int k = 1; k <= 14; ++k) {
    naive_multiply(term, H, term);
    for (int i = 0; i < 16; ++i) {
      term[i] /= k;
      T[i] += term[i];
    }
  }
  for (; squarings > 0; --squarings) {
    naive_multiply(T, T, T);
  }
}

static real length_of(int count, const double *v) {
  real sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += (real)v[i] * (real)v[i];
  }
  return sqrtl(sum);
}

// Hamilton's product.
static void product_of(const real a[4], const real b[4], real out[4]) {
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

// The rotation of a quaternion of any length: its columns are q e q*.
static void rotation_of(const double *quaternion, real T[16]) {
  real q[4], conjugate[4];
  for (int i = 0; i < 4; ++i) {
    q[i] = (real)quaternion[i] / length_of(4, quaternion);
    conjugate[i] = i == 0 ? q[i] : -q[i];
  }
  memcpy(T, IDENTITY, sizeof IDENTITY);
  for (int j = 0; j < 3; ++j) {
    real unit[4] = {0, 0, 0, 0}, half[4], turned[4];
    unit[j + 1] = 1;
    product_of(q, unit, half);
    product_of(half, conjugate, turned);
    for (int i = 0; i < 3; ++i) {
      T[4 * i + j] = turned[i + 1];
    }
  }
}

// ------------------------------------------------------------- one joint

// The product of a joint's motions so far, and its derivative.
typedef struct motion {
  real T[16], dT[16];
} motion;

// Appends exp(twist * value), whose value changes at a rate.
static void append(motion *m, const real twist[6], real value, real rate) {
  real E[16], H[16], dE[16];
  naive_exp(twist, value, E);
  hat(twist, H);
  naive_multiply(H, E, dE);
  for (int i = 0; i < 16; ++i) {
    dE[i] *= rate;
  }
  naive_multiply(m->dT, E, m->dT);
  add_product(m->T, dE, m->dT);
  naive_multiply(m->T, E, m->T);
}

static void append_revolute(motion *m, const real axis[3], real value, real rate, real pitch) {
  const real twist[6] = {pitch * axis[0], pitch * axis[1], pitch * axis[2],
                         axis[0],         axis[1],         axis[2]};
  append(m, twist, value, rate);
}

static void append_prismatic(motion *m, const real axis[3], real value, real rate) {
  const real twist[6] = {axis[0], axis[1], axis[2], 0, 0, 0};
  append(m, twist, value, rate);
}

// A spherical joint: B, whose derivative by component k of v is B e_k^, in body axes.
static void append_spherical(motion *m, const double *quaternion, int k) {
  real B[16], H[16], dB[16];
  rotation_of(quaternion, B);
  naive_multiply(m->dT, B, m->dT);
  if (k >= 0) {
    real twist[6] = {0, 0, 0, 0, 0, 0};
    twist[3 + k] = 1;
    hat(twist, H);
    naive_multiply(B, H, dB);
    add_product(m->T, dB, m->dT);
  }
  naive_multiply(m->T, B, m->T);
}

static const real UNIT[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// x and y rotated by the shortest rotation that maps z to the axis: about z x axis. Where the axis
// is -z, about x.
static void planar_axes(const real axis[3], real x[3], real y[3]) {
  const real s = sqrtl(axis[0] * axis[0] + axis[1] * axis[1]);
  real about[3] = {1, 0, 0}, angle = axis[2] > 0 ? 0 : 3.14159265358979323846264338327950288L;
  if (s > 0) {
    about[0] = -axis[1] / s;
    about[1] = axis[0] / s;
    angle = atan2l(s, axis[2]);
  }
  motion m;
  memcpy(m.T, IDENTITY, sizeof IDENTITY);
  memset(m.dT, 0, sizeof m.dT);
  append_revolute(&m, about, angle, 0, 0);
  for (int i = 0; i < 3; ++i) {
    x[i] = m.T[4 * i];
    y[i] = m.T[4 * i + 1];
  }
}

// value[i] and rate[i] are those of the joint's i-th degree of freedom.
static void append_joint(motion *m, const sinew_joint_def *joint, const real *value,
                         const real *rate, const double *q, int ball) {
  real a[3], b[3], x[3], y[3];
  for (int i = 0; i < 3; ++i) {
    a[i] = (real)joint->axis[i] / length_of(3, joint->axis);
    b[i] = (real)joint->axis2[i] / length_of(3, joint->axis2);
  }
  switch (joint->kind) {
  case SINEW_JOINT_FIXED:
  case SINEW_JOINT_FUNCTION: // random trees have none
    break;
  case SINEW_JOINT_REVOLUTE:
  case SINEW_JOINT_CONTINUOUS:
    append_revolute(m, a, value[0], rate[0], 0);
    break;
  case SINEW_JOINT_PRISMATIC:
    append_prismatic(m, a, value[0], rate[0]);
    break;
  case SINEW_JOINT_SCREW:
    append_revolute(m, a, value[0], rate[0], joint->pitch);
    break;
  case SINEW_JOINT_SPHERICAL:
    append_spherical(m, q, ball);
    break;
  case SINEW_JOINT_UNIVERSAL:
    append_revolute(m, a, value[0], rate[0], 0);
    append_revolute(m, b, value[1], rate[1], 0);
    break;
  case SINEW_JOINT_CYLINDRICAL:
    append_revolute(m, a, value[0], rate[0], 0);
    append_prismatic(m, a, value[1], rate[1]);
    break;
  case SINEW_JOINT_PLANAR:
    planar_axes(a, x, y);
    append_prismatic(m, x, value[0], rate[0]);
    append_prismatic(m, y, value[1], rate[1]);
    append_revolute(m, a, value[2], rate[2], 0);
    break;
  case SINEW_JOINT_FREE:
    for (int i = 0; i < 3; ++i) {
      append_prismatic(m, UNIT[i], value[i], rate[i]);
    }
    append_spherical(m, q + 3, ball);
    break;
  case SINEW_JOINT_EULER:
  case SINEW_JOINT_CHANNELS:
    for (int i = 0; joint->channels[i] != '\0'; ++i) {
      if (strchr("xyz", joint->channels[i]) != NULL) {
        append_prismatic(m, UNIT[joint->channels[i] - 'x'], value[i], rate[i]);
      }
    }
    for (int i = 0; joint->channels[i] != '\0'; ++i) {
      if (strchr("XYZ", joint->channels[i]) != NULL) {
        append_revolute(m, UNIT[joint->channels[i] - 'X'], value[i], rate[i], 0);
      }
    }
    break;
  }
}

// ------------------------------------------------------------ the whole tree

static int plain_count(const sinew_joint_def *joint) {
  switch (joint->kind) {
  case SINEW_JOINT_FIXED:
  case SINEW_JOINT_SPHERICAL:
    return 0;
  case SINEW_JOINT_UNIVERSAL:
  case SINEW_JOINT_CYLINDRICAL:
    return 2;
  case SINEW_JOINT_PLANAR:
  case SINEW_JOINT_FREE:
    return 3;
  case SINEW_JOINT_EULER:
  case SINEW_JOINT_CHANNELS:
    return (int)strlen(joint->channels);
  default:
    return 1;
  }
}

static bool has_spherical(const sinew_joint_def *joint) {
  return joint->kind == SINEW_JOINT_SPHERICAL || joint->kind == SINEW_JOINT_FREE;
}

// The child link of a joint in its parent link, and its derivative by v.
static void joint_motion(const naive *n, int j, const double *q, int v, motion *m) {
  const sinew_joint_def *joint = &n->def->joints[j];
  const int plain = plain_count(joint);
  real value[6] = {0}, rate[6] = {0};
  for (int i = 0; i < plain; ++i) {
    value[i] = n->ratio[j] * (real)q[n->q_index[j] + i] + n->offset[j];
    rate[i] = v == n->v_index[j] + i ? n->ratio[j] : 0;
  }
  rotation_of(joint->placement.rotation, m->T);
  for (int i = 0; i < 3; ++i) {
    m->T[4 * i + 3] = joint->placement.position[i];
  }
  memset(m->dT, 0, sizeof m->dT);
  const int ball = v - n->v_index[j] - plain;
  append_joint(m, joint, value, rate, q + n->q_index[j],
               has_spherical(joint) && ball >= 0 && ball < 3 ? ball : -1);
}

static void *zeroed(int count, size_t size) {
  void *memory = calloc((size_t)count + 1, size);
  if (memory == NULL) {
    abort();
  }
  return memory;
}

static void order_joints(naive *n) {
  const int joints = n->def->joint_count;
  bool *known = zeroed(n->def->link_count, sizeof *known);
  bool *is_child = zeroed(n->def->link_count, sizeof *is_child);
  for (int j = 0; j < joints; ++j) {
    is_child[n->def->joints[j].child] = true;
  }
  while (is_child[n->root]) {
    ++n->root;
  }
  known[n->root] = true;
  for (int done = 0; done < joints;) { // repeat until all are reached
    for (int j = 0; j < joints; ++j) {
      const sinew_joint_def *joint = &n->def->joints[j];
      if (known[joint->parent] && !known[joint->child]) {
        known[joint->child] = true;
        n->order[done++] = j;
      }
    }
  }
  free(known);
  free(is_child);
}

static void number_values(naive *n) {
  for (int j = 0; j < n->def->joint_count; ++j) {
    const sinew_joint_def *joint = &n->def->joints[j];
    n->ratio[j] = 1;
    n->driver[j] = joint->driver;
    if (joint->driver < 0) {
      n->q_index[j] = n->nq;
      n->v_index[j] = n->nv;
      n->nq += plain_count(joint) + (has_spherical(joint) ? 4 : 0);
      n->nv += plain_count(joint) + (has_spherical(joint) ? 3 : 0);
    }
  }
  for (int j = 0; j < n->def->joint_count; ++j) {
    // a (b d + c) + e, from the joint up to the last driver
    int k = j;
    while (n->def->joints[k].driver >= 0) {
      n->offset[j] += n->ratio[j] * (real)n->def->joints[k].offset;
      n->ratio[j] *= (real)n->def->joints[k].ratio;
      k = n->def->joints[k].driver;
      n->driver[j] = k;
    }
    n->q_index[j] = n->q_index[k];
    n->v_index[j] = n->v_index[k];
  }
}

naive *naive_create(const sinew_model_def *def) {
  naive *n = zeroed(1, sizeof *n);
  const int joints = def->joint_count;
  n->def = def;
  n->q_index = zeroed(joints, sizeof(int));
  n->v_index = zeroed(joints, sizeof(int));
  n->driver = zeroed(joints, sizeof(int));
  n->ratio = zeroed(joints, sizeof(real));
  n->offset = zeroed(joints, sizeof(real));
  n->order = zeroed(joints, sizeof(int));
  n->local = zeroed(16 * joints, sizeof(real));
  n->place = zeroed(16 * def->link_count, sizeof(real));
  n->rate = zeroed(16 * def->link_count, sizeof(real));
  order_joints(n);
  number_values(n);
  return n;
}

void naive_destroy(naive *n) {
  free(n->q_index);
  free(n->v_index);
  free(n->driver);
  free(n->ratio);
  free(n->offset);
  free(n->order);
  free(n->local);
  free(n->place);
  free(n->rate);
  free(n);
}

void naive_place(naive *n, const double *q) {
  memcpy(n->place + 16 * n->root, IDENTITY, sizeof IDENTITY);
  for (int k = 0; k < n->def->joint_count; ++k) {
    const int j = n->order[k];
    const sinew_joint_def *joint = &n->def->joints[j];
    motion m;
    joint_motion(n, j, q, -1, &m);
    memcpy(n->local + 16 * j, m.T, sizeof m.T);
    naive_multiply(n->place + 16 * joint->parent, m.T, n->place + 16 * joint->child);
  }
}

void naive_derive(naive *n, const double *q, int v) {
  memset(n->rate, 0, (size_t)n->def->link_count * 16 * sizeof(real));
  for (int k = 0; k < n->def->joint_count; ++k) {
    const int j = n->order[k];
    const sinew_joint_def *joint = &n->def->joints[j];
    real *rate = n->rate + 16 * joint->child;
    naive_multiply(n->rate + 16 * joint->parent, n->local + 16 * j, rate);
    const int count = plain_count(joint) + (has_spherical(joint) ? 3 : 0);
    if (v >= n->v_index[j] && v < n->v_index[j] + count) {
      motion m;
      joint_motion(n, j, q, v, &m);
      add_product(n->place + 16 * joint->parent, m.dT, rate);
    }
  }
}

void naive_frame(const naive *n, int link, double R[9], double p[3]) {
  const real *T = n->place + 16 * link;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      R[3 * i + j] = (double)T[4 * i + j];
    }
    p[i] = (double)T[4 * i + 3];
  }
}

void naive_column(const naive *n, int link, const double point_l[3], double column[6]) {
  // s' = dT (point; 1), w^ = dR R^T
  const real *T = n->place + 16 * link, *dT = n->rate + 16 * link;
  real W[9];
  for (int i = 0; i < 3; ++i) {
    real sum = dT[4 * i + 3];
    for (int j = 0; j < 3; ++j) {
      sum += dT[4 * i + j] * (real)point_l[j];
      W[3 * i + j] = 0;
      for (int k = 0; k < 3; ++k) {
        W[3 * i + j] += dT[4 * i + k] * T[4 * j + k];
      }
    }
    column[i] = (double)sum;
  }
  column[3] = (double)((W[7] - W[5]) / 2);
  column[4] = (double)((W[2] - W[6]) / 2);
  column[5] = (double)((W[3] - W[1]) / 2);
}

void naive_jacobian(naive *n, const double *q, int link, const double point_l[3], double *J) {
  for (int v = 0; v < n->nv; ++v) {
    double column[6];
    naive_derive(n, q, v);
    naive_column(n, link, point_l, column);
    for (int r = 0; r < 6; ++r) {
      J[r * n->nv + v] = column[r];
    }
  }
}
