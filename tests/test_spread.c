// Low-discrepancy sequences, and the vector types with which tables are scanned.
#include "inspect.h"
#include "near.h"

#include <limits.h>

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The widest gap between neighbours of count sorted numbers around a circle of length 1.
static double widest_gap(int count, double *values) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  double most = values[0] + 1.0 - values[count - 1];
  for (int i = 1; i < count; ++i) {
    most = fmax(most, values[i] - values[i - 1]);
  }
  return most;
}

// Each coordinate of the sequence alone has gaps not much wider than equally spaced points; random
// numbers have gaps of log(n) times that.
static void coordinates_have_no_wide_gaps(void **state) {
  (void)state;
  static double values[1000];
  double point[SINEW_LOW_DISCREPANCY_REGULAR];
  for (int count = 1; count <= SINEW_LOW_DISCREPANCY_REGULAR; ++count) {
    const sinew_low_discrepancy spread = sinew_low_discrepancy_of(count, 5);
    for (int j = 0; j < count; ++j) {
      for (int n = 0; n < 1000; ++n) {
        sinew_low_discrepancy_point(&spread, (uint64_t)n, point);
        assert_true(point[j] >= 0.0 && point[j] < 1.0);
        values[n] = point[j];
      }
      assert_at_most(widest_gap(1000, values), 5.0 / 1000.0);
    }
  }
}

// The number of n points in boxes from 0 to corners, against the boxes' volumes: the largest
// difference over the corners of a grid.
static double discrepancy(int n, double (*points)[3]) {
  double most = 0.0;
  for (int corner = 0; corner < 512; ++corner) {
    const double c[3] = {(1 + corner % 8) / 8.0, (1 + corner / 8 % 8) / 8.0,
                         (1 + corner / 64) / 8.0};
    int inside = 0;
    for (int i = 0; i < n; ++i) {
      inside += points[i][0] < c[0] && points[i][1] < c[1] && points[i][2] < c[2];
    }
    most = fmax(most, fabs((double)inside / n - c[0] * c[1] * c[2]));
  }
  return most;
}

// The points have a lower discrepancy than random ones.
static void discrepancy_is_below_random(void **state) {
  (void)state;
  static double even[1000][3], random[1000][3];
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const sinew_low_discrepancy spread = sinew_low_discrepancy_of(3, seed);
    for (int n = 0; n < 1000; ++n) {
      sinew_low_discrepancy_point(&spread, (uint64_t)n, even[n]);
      for (int j = 0; j < 3; ++j) {
        random[n][j] = sinew_random_uniform(seed, (uint64_t)(3 * n + j));
      }
    }
    assert_at_most(discrepancy(1000, even), 0.5 * discrepancy(1000, random));
  }
}

// In many dimensions neighbouring coordinates are not correlated.
static void coordinates_are_not_correlated(void **state) {
  (void)state;
  enum { DIMENSIONS = 40, POINTS = 2000 };
  static double points[POINTS][DIMENSIONS];
  const sinew_low_discrepancy spread = sinew_low_discrepancy_of(DIMENSIONS, 3);
  for (int n = 0; n < POINTS; ++n) {
    sinew_low_discrepancy_point(&spread, (uint64_t)n, points[n]);
  }
  for (int a = 0; a < DIMENSIONS; ++a) {
    for (int b = 0; b < a; ++b) {
      double together = 0.0;
      for (int n = 0; n < POINTS; ++n) {
        together += (points[n][a] - 0.5) * (points[n][b] - 0.5) * 12.0 / POINTS;
      }
      // Five standard errors of a correlation of so many random points.
      assert_at_most(fabs(together), 5.0 / sqrt(POINTS));
    }
  }
}

// The same seed gives the same points, in any order; another seed gives others; zero coordinates
// give none.
static void points_are_repeated(void **state) {
  (void)state;
  const sinew_low_discrepancy a = sinew_low_discrepancy_of(20, 8),
                              b = sinew_low_discrepancy_of(20, 9);
  double p[20], again[20], other[20];
  for (int n = 40; n >= 0; --n) {
    sinew_low_discrepancy_point(&a, (uint64_t)n, p);
    sinew_low_discrepancy_point(&a, (uint64_t)(n + 1), other);
    sinew_low_discrepancy_point(&a, (uint64_t)n, again);
    assert_memory_equal(p, again, sizeof p);
    sinew_low_discrepancy_point(&b, (uint64_t)n, other);
    for (int j = 0; j < 20; ++j) {
      assert_true(p[j] != other[j]);
    }
  }
  const sinew_low_discrepancy none = sinew_low_discrepancy_of(0, 1);
  other[0] = 7.0;
  sinew_low_discrepancy_point(&none, 3, other);
  assert_true(other[0] == 7.0);
}

// ------------------------------------------------------------- vector types

static void minimum_and_maximum_of_vectors(void **state) {
  (void)state;
  const float values[] = {0.0f, -1.5f, 3.25f, 1e30f, -1e30f, 0x1p-126f};
  for (int i = 0; i < 36; ++i) {
    const float a = values[i / 6], b = values[i % 6];
    const sinew_quad low = sinew_quad_min(sinew_quad_of(a), (sinew_quad){b, a, b, a});
    const sinew_quad high = sinew_quad_max(sinew_quad_of(a), (sinew_quad){b, a, b, a});
    for (int k = 0; k < 4; ++k) {
      assert_true(low[k] == (k % 2 ? a : fminf(a, b)));
      assert_true(high[k] == (k % 2 ? a : fmaxf(a, b)));
    }
  }
}

static void products_of_shorts_are_exact(void **state) {
  (void)state;
  for (uint64_t n = 0; n < 2000; ++n) {
    int16_t a[8], b[8];
    for (int k = 0; k < 8; ++k) {
      const uint64_t bits = sinew_random_bits(6, 8 * n + (uint64_t)k);
      a[k] = (int16_t)((int)(bits & 0xffff) + SHRT_MIN);
      b[k] = (int16_t)((int)(bits >> 16 & 0xffff) + SHRT_MIN);
      if (bits >> 40 & 1) {
        a[k] = (bits >> 41 & 1) != 0 ? SHRT_MAX : -SHRT_MAX;
      }
    }
    const sinew_quad_bits sums = sinew_eight_products(sinew_eight_load(a), sinew_eight_load(b));
    const sinew_quad_bits same = sinew_eight_products(sinew_eight_load(a), sinew_eight_of(b));
    const sinew_quad plain = sinew_quad_of_bits(sums);
    for (int k = 0; k < 4; ++k) {
      const int x = a[2 * k], y = a[2 * k + 1];
      assert_int_equal(sums[k], x * b[2 * k] + y * b[2 * k + 1]);
      assert_int_equal(same[k], x * b[0] + y * b[1]);
      assert_true(plain[k] == (float)sums[k]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coordinates_have_no_wide_gaps),
      cmocka_unit_test(discrepancy_is_below_random),
      cmocka_unit_test(coordinates_are_not_correlated),
      cmocka_unit_test(points_are_repeated),
      cmocka_unit_test(minimum_and_maximum_of_vectors),
      cmocka_unit_test(products_of_shorts_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
