// The experiment "claims": each claim is decided by its rule from its figures, and the verdicts are
// those of docs/claims.md.
#include "fixtures.h"

#include "experiments/claims.h"

// What the documents say.
static const struct {
  const char *id;
  verdict is;
} verdicts[] = {{"H1", CLAIM_MIXED},     {"H2", CLAIM_CONFIRMED}, {"H3", CLAIM_MIXED},
                {"H4", CLAIM_REFUTED},   {"H5", CLAIM_CONFIRMED}, {"H6", CLAIM_MIXED},
                {"H7", CLAIM_CONFIRMED}, {"H8", CLAIM_REFUTED},   {"H9", CLAIM_CONFIRMED},
                {"H10", CLAIM_MIXED},    {"H11", CLAIM_MIXED},    {"H12", CLAIM_CONFIRMED}};

enum { COUNT = sizeof verdicts / sizeof verdicts[0] };

// req: H1 H2 H3 H4 H5 H6 H7 H8 H9 H10 H11 H12
static void claims_are_decided_as_documented(void **state) {
  (void)state;
  for (int i = 0; i < COUNT; ++i) {
    const claim *c = claim_at(i);
    double figures[CLAIM_MOST_CASES];
    const char *names[CLAIM_MOST_CASES];
    char extra[512] = "";
    assert_non_null(c);
    assert_string_equal(c->id, verdicts[i].id);
    const int count = c->measure(false, figures, names, extra, sizeof extra);
    assert_true(count > 0 && count <= CLAIM_MOST_CASES);
    for (int k = 0; k < count; ++k) {
      assert_true(strlen(names[k]) > 0 && figures[k] >= 0.0);
    }
    if (claim_verdict(c, figures, count) != verdicts[i].is) {
      fail_msg("%s: %s, not %s", c->id, verdict_string(claim_verdict(c, figures, count)),
               verdict_string(verdicts[i].is));
    }
  }
  assert_null(claim_at(COUNT));
  assert_null(claim_at(-1));
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
    double a[CLAIM_MOST_CASES], b[CLAIM_MOST_CASES];
    const char *names[CLAIM_MOST_CASES];
    char extra[512] = "";
    if (i == 5) { // the longest
      continue;
    }
    const int count = claim_at(i)->measure(true, a, names, extra, sizeof extra);
    assert_int_equal(claim_at(i)->measure(true, b, names, extra, sizeof extra), count);
    assert_memory_equal(a, b, (size_t)count * sizeof(double));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(claims_are_decided_as_documented),
      cmocka_unit_test(the_rule_decides),
      cmocka_unit_test(figures_are_the_same_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
