// simd/elementary.h and the sine of simd/fused_four.h for one instruction set, called through
// pointers: its code must not run on a processor without it, nor be inlined elsewhere.
#include "lane_functions.h"
#include "inspect.h"

#define JOIN(a, b) a##b
#define NAME(prefix, set) JOIN(prefix, set)
#define TEXT(a) #a
#define STRING(a) TEXT(a)

static void gather(int count, int n, const double *from, int i, lane *v) {
  for (int k = 0; k < n; ++k) {
    v[k] = lane_load(from + k * count + i);
  }
}

static void scatter(int count, int n, const lane *v, double *to, int i) {
  for (int k = 0; k < n; ++k) {
    lane_store(to + k * count + i, v[k]);
  }
}

static void sincos_of(int count, const double *x, double *sine, double *cosine) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane s, c;
    lane_sincos(lane_load(x + i), &s, &c);
    lane_store(sine + i, s);
    lane_store(cosine + i, c);
  }
}

static void sincos_across_of(int count, const double *x, double *sine, double *cosine) {
  for (int i = 0; i < count; i += 4) {
    four s, c;
    four_sincos(four_load(x + i), &s, &c);
    four_store(sine + i, s);
    four_store(cosine + i, c);
  }
}

static void log_scale_of(int count, const double *w, double *out) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane_store(out + i, lane_log_scale(lane_load(w + i)));
  }
}

static void atan2_of(int count, const double *y, const double *x, double *out) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane_store(out + i, lane_atan2(lane_load(y + i), lane_load(x + i)));
  }
}

static void angle_of(int count, const double *s, const double *c, double *out) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane_store(out + i, lane_angle(lane_load(s + i), lane_load(c + i)));
  }
}

static void inverse_sqrt_of(int count, const double *x, double *out) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane_store(out + i, lane_inverse_sqrt(lane_load(x + i)));
  }
}

static void log_of(int count, const double *x, double *out) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane_store(out + i, lane_log(lane_load(x + i)));
  }
}

static void exp_of(int count, const double *x, double *out) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane_store(out + i, lane_exp(lane_load(x + i)));
  }
}

static void rotation_log_of(int count, const double *R, double *r, double *angle) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane from[9], to[3];
    gather(count, 9, R, i, from);
    lane_store(angle + i, lane_rotation_log(from, to));
    scatter(count, 3, to, r, i);
  }
}

static void quaternion_exp_of(int count, const double *w, double *q) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane from[3], to[4];
    gather(count, 3, w, i, from);
    lane_quaternion_exp(from, to);
    scatter(count, 4, to, q, i);
  }
}

static void quaternion_turn_of(int count, const double *w, double *q) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane by[3], turned[4];
    gather(count, 3, w, i, by);
    gather(count, 4, q, i, turned);
    lane_quaternion_apply(by, turned);
    scatter(count, 4, turned, q, i);
  }
}

static void quaternion_normalize_of(int count, double *q) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane v[4];
    gather(count, 4, q, i, v);
    lane_quaternion_normalize(v);
    scatter(count, 4, v, q, i);
  }
}

static void quaternion_matrix_of(int count, const double *q, double *R) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane from[4], to[9];
    gather(count, 4, q, i, from);
    lane_quaternion_matrix(from, to);
    scatter(count, 9, to, R, i);
  }
}

const lane_functions NAME(lane_functions_, SINEW_LANE_SUFFIX) = {
    .name = STRING(SINEW_LANE_SUFFIX),
    .lanes = SINEW_LANES,
    .sincos = sincos_of,
    .sincos_across = sincos_across_of,
    .log_scale = log_scale_of,
    .atan2 = atan2_of,
    .angle = angle_of,
    .inverse_sqrt = inverse_sqrt_of,
    .log = log_of,
    .exp = exp_of,
    .rotation_log = rotation_log_of,
    .quaternion_exp = quaternion_exp_of,
    .quaternion_turn = quaternion_turn_of,
    .quaternion_normalize = quaternion_normalize_of,
    .quaternion_matrix = quaternion_matrix_of,
};
