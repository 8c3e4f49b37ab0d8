// The table of docs/methods.md: of 200 reachable targets on each figure, how many each method
// solves for. Cells that take long are measured with SINEW_SHARES=all.
#include "experiments/solved.h"
#include "near.h"
#include "sample.h"
#include "sinew/sinew.h"

#define TARGETS 200

static char *read_page(void) {
  static char text[1 << 17];
  FILE *file = fopen("docs/methods.md", "r");
  assert_non_null(file);
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  assert_true(size > 0 && size < sizeof text - 1);
  text[size] = '\0';
  return text;
}

// The percentages in a method's row: from one start, and with restarts.
static void read_row(const char *table, const char *method, double cells[SOLVED_FIGURES][2]) {
  char start[64];
  snprintf(start, sizeof start, "\n| `%s` |", method);
  const char *row = strstr(table, start);
  if (row == NULL) {
    fail_msg("docs/methods.md has no row for %s", method);
    return;
  }
  row += strlen(start);
  for (int f = 0; f < SOLVED_FIGURES; ++f) {
    int used = 0;
    if (sscanf(row, " %lf / %lf |%n", &cells[f][0], &cells[f][1], &used) != 2 || used == 0) {
      fail_msg("docs/methods.md: %s, column %d is not two numbers", method, f + 1);
    }
    row += used;
  }
}

// The columns are the figures, in their order.
static const char *find_table(const char *text) {
  char header[256];
  size_t used = (size_t)snprintf(header, sizeof header, "\n| method |");
  for (int f = 0; f < SOLVED_FIGURES; ++f) {
    used += (size_t)snprintf(header + used, sizeof header - used, " %s |", solved_figure(f));
  }
  const char *table = strstr(text, header);
  assert_non_null(table);
  return table;
}

// A method that fails takes all of its steps for most targets; the spider's take longest.
static bool is_quick(const double cell[2], int figure) {
  return cell[0] >= 80.0 && cell[1] >= 98.0 && figure != 6;
}

// Each cell is within 2 % of the targets. req: D14 D15 D16 D19
static void shares_are_those_of_the_page(void **state) {
  (void)state;
  const char *table = find_table(read_page()), *which = getenv("SINEW_SHARES");
  const bool all = which != NULL && strcmp(which, "all") == 0;
  int wrong = 0, measured = 0, number = 0;
  for (int m = 0; m < SINEW_METHOD_COUNT; ++m) {
    double cells[SOLVED_FIGURES][2];
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = (sinew_method)m;
    read_row(table, sinew_method_string(def.step.method), cells);
    for (int f = 0; f < SOLVED_FIGURES; ++f) {
      solved got;
      if ((!all && !is_quick(cells[f], f)) || !is_sampled(number++)) {
        continue;
      }
      assert_true(solved_measure(solved_figure(f), &def, TARGETS, &got));
      assert_int_equal(got.false_claims, 0);
      const double first = 100.0 * got.first / TARGETS;
      const double restarted = 100.0 * got.restarted / TARGETS;
      const bool off = fabs(first - cells[f][0]) > 2.0 || fabs(restarted - cells[f][1]) > 2.0;
      if (off) {
        print_error("%s on %s: %.3g / %.3g, the page says %g / %g\n",
                    sinew_method_string(def.step.method), solved_figure(f), first, restarted,
                    cells[f][0], cells[f][1]);
      }
      wrong += off;
      ++measured;
    }
  }
  assert_int_equal(wrong, 0);
  assert_true(measured >= SAMPLE_OF(90));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_are_those_of_the_page),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
