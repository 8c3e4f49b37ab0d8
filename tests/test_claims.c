// The experiment "claims": each claim is decided by its rule from its figures, and the verdicts are
// those of docs/claims.md.
#include "fixtures.h"
#include "sample.h"

#include "experiments/claims.h"

// What the documents say; of each case, in order, whether the claim holds in it. A dot: the figure
// is so near to the threshold that rounding may decide.
static const struct {
  const char *id;
  verdict is;
  const char *cases;
} verdicts[] = {{"H1", CLAIM_MIXED, "--+--"},      {"H2", CLAIM_CONFIRMED, "++"},
                {"H3", CLAIM_MIXED, "-+--+-"},     {"H4", CLAIM_REFUTED, "---"},
                {"H5", CLAIM_CONFIRMED, "+++"},    {"H6", CLAIM_MIXED, "+.+---+++-"},
                {"H7", CLAIM_CONFIRMED, "++++++"}, {"H8", CLAIM_REFUTED, "--"},
                {"H9", CLAIM_CONFIRMED, "++"},     {"H10", CLAIM_MIXED, "-++++"},
                {"H11", CLAIM_MIXED, "++-+"},      {"H12", CLAIM_CONFIRMED, "++++"}};

enum { COUNT = sizeof verdicts / sizeof verdicts[0] };

// req: H1 H2 H3 H4 H5 H6 H7 H8 H9 H10 H11 H12
static void claims_are_decided_as_documented(void **state) {
  (void)state;
  for (int i = 0; i < COUNT; ++i) {
    if (!is_sampled(i)) {
      continue;
    }
    const claim *c = claim_at(i);
    claim_result got = {0};
    const double *figures = got.figures;
    assert_non_null(c);
    assert_string_equal(c->id, verdicts[i].id);
    const int count = c->measure(false, &got);
    assert_int_equal(count, strlen(verdicts[i].cases));
    for (int k = 0; k < count; ++k) {
      const char expected = verdicts[i].cases[k];
      const bool holds = claim_verdict(c, figures + k, 1) == CLAIM_CONFIRMED;
      assert_true(strlen(got.names[k]) > 0 && figures[k] >= 0.0);
      if (expected == '.') {
        assert_near(figures[k], c->threshold, 0.02 * c->threshold);
      } else if (holds != (expected == '+')) {
        fail_msg("%s, %s: %g %s", c->id, got.names[k], figures[k], holds ? "holds" : "fails");
      }
    }
    if (claim_verdict(c, figures, count) != verdicts[i].is) {
      fail_msg("%s: %s, not %s", c->id, verdict_string(claim_verdict(c, figures, count)),
               verdict_string(verdicts[i].is));
    }
  }
  assert_null(claim_at(COUNT));
  assert_null(claim_at(-1));
}

// Least and largest y of a curve, whose points are in the order of x.
static void range_of(const claim_curve *curve, double range[2]) {
  range[0] = INFINITY;
  range[1] = -INFINITY;
  assert_true(curve->count > 1 && strlen(curve->name) > 0);
  for (int i = 0; i < curve->count; ++i) {
    assert_true(isfinite(curve->x[i]) && curve->y[i] > 0.0); // on a logarithmic axis
    assert_true(i == 0 || curve->x[i] >= curve->x[i - 1]);
    range[0] = fmin(range[0], curve->y[i]);
    range[1] = fmax(range[1], curve->y[i]);
  }
}

// A claim has curves where it has axes, and the figures are of the same data. req: H1 H2 H4 H6 H9
// H12
static void curves_show_the_figures(void **state) {
  (void)state;
  int drawn = 0;
  for (int i = 0; i < COUNT; ++i) {
    const claim *c = claim_at(i);
    claim_result got = {0};
    const int count = c->measure(true, &got);
    assert_true(count > 0);
    assert_true((got.curve_count > 0) == (c->axes.caption != NULL));
    drawn += c->axes.caption != NULL;
    for (int k = 0; k < got.curve_count; ++k) {
      double range[2];
      range_of(&got.curves[k], range);
      if (strcmp(c->id, "H9") == 0) {
        assert_near(got.figures[k], range[1] / range[0], 1e-12 * got.figures[k]);
      } else if (strcmp(c->id, "H12") == 0) {
        const double *y = got.curves[k].y;
        assert_near(got.figures[2 * k], y[0] / range[0], 1e-12);
        assert_near(got.figures[2 * k + 1], y[got.curves[k].count - 1] / range[0], 1e-12);
      }
    }
  }
  assert_true(drawn >= 5);
}

// Points are put in their order; none without a number, none beyond the most.
static void points_are_in_order(void **state) {
  (void)state;
  claim_result result = {0};
  claim_curve *curve = claim_curve_begin(&result, "a");
  const double x[5] = {3.0, NAN, 1.0, 2.0, 4.0}, y[5] = {9.0, 1.0, 7.0, 8.0, INFINITY};
  for (int i = 0; i < 5; ++i) {
    claim_curve_put(curve, x[i], y[i]);
  }
  assert_int_equal(curve->count, 3);
  for (int i = 0; i < 3; ++i) {
    assert_true(curve->x[i] == i + 1.0 && curve->y[i] == i + 7.0);
  }
  for (int i = 0; i < 2 * CLAIM_MOST_POINTS; ++i) {
    claim_curve_put(curve, i, i);
  }
  assert_int_equal(curve->count, CLAIM_MOST_POINTS);
  for (int i = 1; i < 2 * CLAIM_MOST_CURVES; ++i) {
    claim_curve_put(claim_curve_begin(&result, "b"), 0.0, 0.0);
  }
  assert_int_equal(result.curve_count, CLAIM_MOST_CURVES);
}

// The rule: all cases, none, some; NaN does not hold.
static void the_rule_decides(void **state) {
  (void)state;
  const claim below = {.below = true, .threshold = 2.0}, above = {.threshold = 2.0};
  const double low[2] = {1.0, 1.5}, high[2] = {2.5, 3.0}, both[2] = {1.0, 3.0};
  const double none[2] = {NAN, NAN};
  assert_int_equal(claim_verdict(&below, low, 2), CLAIM_CONFIRMED);
  assert_int_equal(claim_verdict(&below, high, 2), CLAIM_REFUTED);
  assert_int_equal(claim_verdict(&below, both, 2), CLAIM_MIXED);
  assert_int_equal(claim_verdict(&above, high, 2), CLAIM_CONFIRMED);
  assert_int_equal(claim_verdict(&above, low, 2), CLAIM_REFUTED);
  assert_int_equal(claim_verdict(&above, both, 2), CLAIM_MIXED);
  assert_int_equal(claim_verdict(&above, none, 2), CLAIM_REFUTED);
  assert_int_equal(claim_verdict(&below, none, 2), CLAIM_REFUTED);
}

// The same figures in every run, for claims that no clock decides: all.
static void figures_are_the_same_again(void **state) {
  (void)state;
  for (int i = 0; i < COUNT; ++i) {
    claim_result a = {0}, b = {0};
    if (i == 5) { // the longest
      continue;
    }
    const int count = claim_at(i)->measure(true, &a);
    assert_int_equal(claim_at(i)->measure(true, &b), count);
    assert_memory_equal(a.figures, b.figures, (size_t)count * sizeof(double));
    assert_int_equal(a.curve_count, b.curve_count);
    assert_memory_equal(a.curves, b.curves, sizeof a.curves);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(claims_are_decided_as_documented),
      cmocka_unit_test(curves_show_the_figures),
      cmocka_unit_test(points_are_in_order),
      cmocka_unit_test(the_rule_decides),
      cmocka_unit_test(figures_are_the_same_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
