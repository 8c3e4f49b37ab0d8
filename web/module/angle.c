// The reduction of angles beyond 2^20 quarter turns, in place of the one of libc, which has a table
// for long double: 4 KB with gzip.
//
// For an angle m 2^e, m an integer, the quarter turns are m 2^e (2 / pi). Bits of 2 / pi whose
// product with m 2^e is a multiple of 8 are left out: a window of 192 bits from there on gives the
// quarter turns modulo 8 and 189 bits of their fraction. The fraction of a double is never nearer
// to 0 than 2^-62, which leaves more than 64 bits. Source: Payne and Hanek, Radian Reduction for
// Trigonometric Functions, 1983.
#include "module.h"

#include <math.h>
#include <stdint.h>

#define WORDS 6 // of the window

__extension__ typedef unsigned __int128 wide;

// The bits of 2 / pi after the point, most significant word first; before them two words of zeros.
static const uint32_t two_by_pi[] = {
    0,          0,          0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041,
    0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E,
    0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B,
    0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
    0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046};

int __rem_pio2_large(double *angle, double *rest, int exponent, int count, int precision);

// word i of the bits from one on that counts from the first of the table
static uint32_t word_at(int bit, int i) {
  const int at = bit / 32 + i, shift = bit % 32;
  return (uint32_t)(((uint64_t)two_by_pi[at] << 32 | two_by_pi[at + 1]) << shift >> 32);
}

// What libc's sin() and cos() call: angle[0..count) are the angle's 24-bit parts, the first of
// which is a multiple of 2^exponent. Returns the nearest number of quarter turns, modulo 8, and
// writes what is left [rad] as a sum of two.
int __rem_pio2_large(double *angle, double *rest, int exponent, int count, int precision) {
  (void)precision;
  double value = angle[0];
  for (int i = 1; i < count; ++i) {
    value += ldexp(angle[i], -24 * i); // exact: together they are one double of 53 bits
  }
  const uint64_t m = (uint64_t)ldexp(value, 29);
  const int e = exponent - 29;
  const int first = e - 3 + 64; // 2^(e - bit) is a multiple of 8 for all bits before

  // The low 192 bits of m times the window, the least significant word first.
  uint32_t product[WORDS];
  uint64_t carry = 0;
  for (int i = 0; i < WORDS; ++i) {
    const uint64_t low = (m & 0xFFFFFFFFu) * word_at(first, WORDS - 1 - i);
    const uint64_t high = i > 0 ? (m >> 32) * word_at(first, WORDS - i) : 0;
    const uint64_t sum = (low & 0xFFFFFFFFu) + (high & 0xFFFFFFFFu) + (carry & 0xFFFFFFFFu);
    product[i] = (uint32_t)sum;
    carry = (sum >> 32) + (low >> 32) + (high >> 32) + (carry >> 32);
  }

  // The three highest bits are the quarter turns; a fraction of a half or more counts as one more,
  // and is then its complement.
  uint64_t top = (uint64_t)product[5] << 32 | product[4];
  uint64_t next = (uint64_t)product[3] << 32 | product[2];
  int quarters = (int)(top >> 61);
  top = top << 3 | next >> 61;
  next = next << 3 | product[1] >> 29;
  const bool negative = top >> 63;
  if (negative) {
    quarters = (quarters + 1) & 7;
    top = ~top;
    next = ~next;
  }
  const int zeros = top == 0 ? 64 : __builtin_clzll(top);
  const uint64_t fraction = zeros == 0    ? top
                            : zeros == 64 ? next
                                          : top << zeros | next >> (64 - zeros);

  // times pi / 2 = 0xC90FDAA22168C234 / 2^63
  const uint64_t radians = (uint64_t)(((wide)fraction * 0xC90FDAA22168C234u) >> 64);
  const double near = (double)(radians & ~(uint64_t)0x7FF), far = (double)(radians & 0x7FF);
  const int scale = -63 - zeros;
  rest[0] = ldexp(negative ? -near : near, scale);
  rest[1] = ldexp(negative ? -far : far, scale);
  return quarters;
}
