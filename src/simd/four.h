// Vectors of four doubles: one AVX2 instruction, or two of the baseline, for each operation. The
// extensions of C17 are those of pair.h.
#ifndef SINEW_SIMD_FOUR_H
#define SINEW_SIMD_FOUR_H

#include "simd/pair.h"

typedef double sinew_four __attribute__((vector_size(32)));
typedef long long sinew_four_bits __attribute__((vector_size(32)));

SINEW_ALWAYS_INLINE sinew_four sinew_four_load(const double *four) {
  sinew_four v;
  memcpy(&v, four, sizeof v);
  return v;
}

SINEW_ALWAYS_INLINE void sinew_four_store(double *four, sinew_four v) {
  memcpy(four, &v, sizeof v);
}

// One number four times. A macro, since GCC 12 compiles the result of a function to two
// instructions.
#define SINEW_FOUR_OF(x) ((sinew_four){(x), (x), (x), (x)})

// Of four entries, the first count.
SINEW_ALWAYS_INLINE sinew_four_bits sinew_four_inside(int count) {
  static const sinew_four_bits number = {0, 1, 2, 3};
  const long long all = count;
  return number < (sinew_four_bits){all, all, all, all};
}

// Entries of a where the mask has all bits, else 0.
SINEW_ALWAYS_INLINE sinew_four sinew_four_masked(sinew_four_bits mask, sinew_four a) {
  return (sinew_four)(mask & (sinew_four_bits)a);
}

// Arrays of columns have room for whole fours (sinew_arena_take_fours()), so that loops over them
// need no code for single last entries. These are for other arrays, of count entries from one on:
// four of them, and zeros past them.
SINEW_ALWAYS_INLINE sinew_four sinew_four_load_some(const double *values, int count) {
  if (count >= 4) {
    return sinew_four_load(values);
  }
  const int second = count > 1 ? 1 : 0, third = count > 2 ? 2 : 0;
  const sinew_four all = {values[0], values[second], values[third], values[0]};
  return sinew_four_masked(sinew_four_inside(count), all);
}

SINEW_ALWAYS_INLINE void sinew_four_store_some(double *values, int count, sinew_four v) {
  if (count >= 4) {
    sinew_four_store(values, v);
    return;
  }
  values[0] = v[0];
  if (count > 1) {
    values[1] = v[1];
  }
  if (count > 2) {
    values[2] = v[2];
  }
}

// Copies count numbers between arrays with room for whole fours.
SINEW_ALWAYS_INLINE void sinew_four_copy(int count, const double *from, double *to) {
  for (int i = 0; i < count; i += 4) {
    sinew_four_store(to + i, sinew_four_load(from + i));
  }
}

// Zeros count numbers of an array with room for whole fours.
SINEW_ALWAYS_INLINE void sinew_four_zero(int count, double *out) {
  for (int i = 0; i < count; i += 4) {
    sinew_four_store(out + i, SINEW_FOUR_OF(0.0));
  }
}

// A point, and 0 after it.
SINEW_ALWAYS_INLINE sinew_four sinew_four_load3(const double *three) {
  return (sinew_four){three[0], three[1], three[2], 0.0};
}

SINEW_ALWAYS_INLINE void sinew_four_store3(double *three, sinew_four v) {
  memcpy(three, &v, 2 * sizeof(double));
  three[2] = v[2];
}

// Entries of one vector, or of two (those of the second count from 4), in any order.
#ifdef __clang__
#define SINEW_FOUR_SHUFFLE(v, a, b, c, d) __builtin_shufflevector(v, v, a, b, c, d)
#define SINEW_FOUR_PICK(v, w, a, b, c, d) __builtin_shufflevector(v, w, a, b, c, d)
#else
#define SINEW_FOUR_SHUFFLE(v, a, b, c, d) __builtin_shuffle(v, (sinew_four_bits){a, b, c, d})
#define SINEW_FOUR_PICK(v, w, a, b, c, d) __builtin_shuffle(v, w, (sinew_four_bits){a, b, c, d})
#endif

// Entry i in all four places.
#define SINEW_FOUR_SPREAD(v, i) SINEW_FOUR_SHUFFLE(v, i, i, i, i)

// (b, c, a, d)
SINEW_ALWAYS_INLINE sinew_four sinew_four_next(sinew_four v) {
  return SINEW_FOUR_SHUFFLE(v, 1, 2, 0, 3);
}

// (a[0], b[1], c[2], a[3])
SINEW_ALWAYS_INLINE sinew_four sinew_four_blend(sinew_four a, sinew_four b, sinew_four c) {
  return SINEW_FOUR_PICK(SINEW_FOUR_PICK(a, b, 0, 5, 2, 3), c, 0, 1, 6, 3);
}

// a x b of the first three entries. The fourth is 0 if it is 0 in a or in b, both finite.
SINEW_ALWAYS_INLINE sinew_four sinew_four_cross(sinew_four a, sinew_four b) {
  return sinew_four_next(a * sinew_four_next(b) - sinew_four_next(a) * b);
}

// The sums of the entries of each.
SINEW_ALWAYS_INLINE sinew_four sinew_four_sums(sinew_four a, sinew_four b, sinew_four c,
                                               sinew_four d) {
  const sinew_four ab = SINEW_FOUR_PICK(a, b, 0, 4, 2, 6) + SINEW_FOUR_PICK(a, b, 1, 5, 3, 7);
  const sinew_four cd = SINEW_FOUR_PICK(c, d, 0, 4, 2, 6) + SINEW_FOUR_PICK(c, d, 1, 5, 3, 7);
  return SINEW_FOUR_PICK(ab, cd, 0, 1, 4, 5) + SINEW_FOUR_PICK(ab, cd, 2, 3, 6, 7);
}

// Four columns a b c d of three entries each are three vectors
//
//   a0 a1 a2 b0 | b1 b2 c0 c1 | c2 d0 d1 d2.
//
// Blending them gives the first entries in the order a d c b, the second ones as b a d c and the
// third ones as c b a d; the shuffles give all three the order a b c d.
SINEW_ALWAYS_INLINE void sinew_four_split3(const sinew_four m[3], sinew_four out[3]) {
  const sinew_four x = sinew_four_blend(m[0], m[2], m[1]), y = sinew_four_blend(m[1], m[0], m[2]),
                   z = sinew_four_blend(m[2], m[1], m[0]);
  out[0] = SINEW_FOUR_SHUFFLE(x, 0, 3, 2, 1);
  out[1] = SINEW_FOUR_SHUFFLE(y, 1, 0, 3, 2);
  out[2] = SINEW_FOUR_SHUFFLE(z, 2, 1, 0, 3);
}

// Entry i of each of four vectors, for all i.
SINEW_ALWAYS_INLINE void sinew_four_transpose(const sinew_four m[4], sinew_four out[4]) {
  const sinew_four ab0 = SINEW_FOUR_PICK(m[0], m[1], 0, 4, 2, 6),
                   ab1 = SINEW_FOUR_PICK(m[0], m[1], 1, 5, 3, 7),
                   cd0 = SINEW_FOUR_PICK(m[2], m[3], 0, 4, 2, 6),
                   cd1 = SINEW_FOUR_PICK(m[2], m[3], 1, 5, 3, 7);
  out[0] = SINEW_FOUR_PICK(ab0, cd0, 0, 1, 4, 5);
  out[1] = SINEW_FOUR_PICK(ab1, cd1, 0, 1, 4, 5);
  out[2] = SINEW_FOUR_PICK(ab0, cd0, 2, 3, 6, 7);
  out[3] = SINEW_FOUR_PICK(ab1, cd1, 2, 3, 6, 7);
}

// The sum of the first three.
SINEW_ALWAYS_INLINE double sinew_four_sum3(sinew_four v) {
  return v[0] + v[1] + v[2];
}

// Entries of a where the mask has all bits, else of b.
SINEW_ALWAYS_INLINE sinew_four sinew_four_where(sinew_four_bits mask, sinew_four a, sinew_four b) {
#ifdef __AVX__
  return __builtin_ia32_blendvpd256(b, a, (sinew_four)mask);
#else
  return (sinew_four)((mask & (sinew_four_bits)a) | (~mask & (sinew_four_bits)b));
#endif
}

SINEW_ALWAYS_INLINE bool sinew_four_bits_any(sinew_four_bits mask) {
#ifdef __AVX__
  return __builtin_ia32_movmskpd256((sinew_four)mask) != 0;
#else
  return ((mask[0] | mask[1]) | (mask[2] | mask[3])) != 0;
#endif
}

// The largest absolute value of count numbers of an array with room for whole fours.
static inline double sinew_four_largest(int count, const double *values) {
  const sinew_four zero = SINEW_FOUR_OF(0.0);
  sinew_four most = zero;
  for (int i = 0; i < count; i += 4) {
    const sinew_four v =
        sinew_four_masked(sinew_four_inside(count - i), sinew_four_load(values + i));
    const sinew_four size = sinew_four_where(v < zero, -v, v);
    most = sinew_four_where(size > most, size, most);
  }
  const double low = most[0] > most[1] ? most[0] : most[1];
  const double high = most[2] > most[3] ? most[2] : most[3];
  return low > high ? low : high;
}

#endif
