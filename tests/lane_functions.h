// The functions of simd/elementary.h over arrays, one table an instruction set.
#ifndef LANE_FUNCTIONS_H
#define LANE_FUNCTIONS_H

// Counts are multiples of 8. Component k of number i is at [k * count + i].
typedef struct lane_functions {
  const char *name;
  int lanes;
  void (*sincos)(int count, const double *x, double *sine, double *cosine);
  void (*sincos_across)(int count, const double *x, double *sine, double *cosine);
  void (*atan2)(int count, const double *y, const double *x, double *out);
  void (*angle)(int count, const double *s, const double *c, double *out);
  void (*inverse_sqrt)(int count, const double *x, double *out);
  void (*log)(int count, const double *x, double *out);
  void (*exp)(int count, const double *x, double *out);
  void (*log_scale)(int count, const double *w, double *out);
  void (*rotation_log)(int count, const double *R, double *r, double *angle);
  void (*quaternion_exp)(int count, const double *w, double *q);
  void (*quaternion_turn)(int count, const double *w, double *q);
  void (*quaternion_normalize)(int count, double *q);
  void (*quaternion_matrix)(int count, const double *q, double *R);
} lane_functions;

extern const lane_functions lane_functions_base, lane_functions_pair;
#ifdef __x86_64__
extern const lane_functions lane_functions_fma, lane_functions_avx2, lane_functions_avx512;
#endif

#endif
