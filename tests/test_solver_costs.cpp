// The operations that a step takes by each solver: the tables of docs/methods.md. Each solver is
// written here as textbooks have it, over numbers that count, and its result is checked against
// what defines it.
#include "near.h"
extern "C" {
#include "random_tree.h"
#include "scenes/scenes.h"
}
#include "sinew/sinew.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace {

// A number that counts multiplications, divisions and roots of numbers that are not 0: a solver
// that knows where zeros are skips those.
struct number {
  static long count;
  double value;
  number(double v = 0.0) : value(v) {}
  friend number operator+(number a, number b) {
    return number(a.value + b.value);
  }
  friend number operator-(number a, number b) {
    return number(a.value - b.value);
  }
  friend number operator*(number a, number b) {
    count += a.value != 0.0 && b.value != 0.0;
    return number(a.value * b.value);
  }
  friend number operator/(number a, number b) {
    count += a.value != 0.0;
    return number(a.value / b.value);
  }
  number &operator+=(number b) {
    return *this = *this + b;
  }
  number &operator-=(number b) {
    return *this = *this - b;
  }
};
long number::count = 0;

number root(number a) {
  ++number::count;
  return number(std::sqrt(a.value));
}

using numbers = std::vector<number>;

// Rows by columns, row-major.
struct matrix {
  int rows, columns;
  numbers values;
  matrix(int r, int c) : rows(r), columns(c), values((size_t)r * (size_t)c) {}
  number &operator()(int i, int j) {
    return values[(size_t)(i * columns + j)];
  }
  number operator()(int i, int j) const {
    return values[(size_t)(i * columns + j)];
  }
};

const double MU = 0.01;

numbers times(const matrix &A, const numbers &x) {
  numbers y((size_t)A.rows);
  for (int i = 0; i < A.rows; ++i)
    for (int j = 0; j < A.columns; ++j)
      y[(size_t)i] += A(i, j) * x[(size_t)j];
  return y;
}

numbers back(const matrix &A, const numbers &y) {
  numbers x((size_t)A.columns);
  for (int j = 0; j < A.columns; ++j)
    for (int i = 0; i < A.rows; ++i)
      x[(size_t)j] += A(i, j) * y[(size_t)i];
  return x;
}

// The lower triangle of J J^T + mu I, or of J^T J + mu I.
matrix normal(const matrix &J, bool by_rows) {
  const int size = by_rows ? J.rows : J.columns;
  matrix A(size, size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j <= i; ++j) {
      number sum;
      for (int k = 0; k < (by_rows ? J.columns : J.rows); ++k)
        sum += by_rows ? J(i, k) * J(j, k) : J(k, i) * J(k, j);
      A(i, j) = A(j, i) = i == j ? sum + MU : sum;
    }
  }
  return A;
}

// A <- L and 1 / D of L D L^T, then the solution of A x = b.
numbers by_ldlt(matrix A, numbers b) {
  const int n = A.rows;
  for (int j = 0; j < n; ++j) {
    A(j, j) = number(1.0) / A(j, j);
    for (int i = j + 1; i < n; ++i) {
      const number l = A(i, j) * A(j, j);
      for (int k = j + 1; k <= i; ++k)
        A(i, k) -= l * A(k, j);
      A(j, i) = l;
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      b[(size_t)i] -= A(j, i) * b[(size_t)j];
  for (int i = n; i-- > 0;) {
    b[(size_t)i] = b[(size_t)i] * A(i, i);
    for (int j = i + 1; j < n; ++j)
      b[(size_t)i] -= A(i, j) * b[(size_t)j];
  }
  return b;
}

numbers by_lu(matrix A, numbers b) {
  const int n = A.rows; // damped, and so regular without a choice of pivots
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      const number l = A(i, k) / A(k, k);
      for (int j = k + 1; j < n; ++j)
        A(i, j) -= l * A(k, j);
      b[(size_t)i] -= l * b[(size_t)k];
    }
  }
  for (int i = n; i-- > 0;) {
    for (int j = i + 1; j < n; ++j)
      b[(size_t)i] -= A(i, j) * b[(size_t)j];
    b[(size_t)i] = b[(size_t)i] / A(i, i);
  }
  return b;
}

// Least squares by Householder's reflections.
numbers by_qr(matrix A, numbers b) {
  for (int k = 0; k < A.columns; ++k) {
    number square;
    for (int i = k; i < A.rows; ++i)
      square += A(i, k) * A(i, k);
    const number length = root(square);
    const number alpha = A(k, k).value > 0.0 ? number(0.0) - length : length;
    const number beta = number(1.0) / (square - alpha * A(k, k));
    A(k, k) -= alpha;
    for (int j = k + 1; j <= A.columns; ++j) {
      number sum;
      for (int i = k; i < A.rows; ++i)
        sum += A(i, k) * (j < A.columns ? A(i, j) : b[(size_t)i]);
      sum = sum * beta;
      for (int i = k; i < A.rows; ++i)
        (j < A.columns ? A(i, j) : b[(size_t)i]) -= sum * A(i, k);
    }
    A(k, k) = alpha;
  }
  numbers x((size_t)A.columns);
  for (int i = A.columns; i-- > 0;) {
    x[(size_t)i] = b[(size_t)i];
    for (int j = i + 1; j < A.columns; ++j)
      x[(size_t)i] -= A(i, j) * x[(size_t)j];
    x[(size_t)i] = x[(size_t)i] / A(i, i);
  }
  return x;
}

// J = U S V^T by rotations of the rows of J (one-sided Jacobi): rows s_i v_i^T, and U.
void find_svd(const matrix &J, matrix &rows, matrix &U) {
  rows = J;
  U = matrix(J.rows, J.rows);
  for (int i = 0; i < J.rows; ++i)
    U(i, i) = 1.0;
  for (int sweep = 0, turned = 1; turned > 0 && sweep < 30; ++sweep) {
    turned = 0;
    for (int p = 0; p < J.rows; ++p) {
      for (int q = p + 1; q < J.rows; ++q) {
        number a, b, c;
        for (int k = 0; k < J.columns; ++k) {
          a += rows(p, k) * rows(p, k);
          b += rows(q, k) * rows(q, k);
          c += rows(p, k) * rows(q, k);
        }
        if (std::fabs(c.value) <= 1e-12 * std::sqrt(a.value * b.value))
          continue;
        ++turned;
        const number z = (b - a) / (number(2.0) * c);
        const number t =
            number(z.value < 0.0 ? -1.0 : 1.0) / (number(std::fabs(z.value)) + root(z * z + 1.0));
        const number cosine = number(1.0) / root(t * t + 1.0), sine = cosine * t;
        for (matrix *M : {&rows, &U}) {
          for (int k = 0; k < M->columns; ++k) {
            const number x = (*M)(p, k), y = (*M)(q, k);
            (*M)(p, k) = cosine * x - sine * y;
            (*M)(q, k) = sine * x + cosine * y;
          }
        }
      }
    }
  }
}

// sum of gain(s_i) v_i (u_i . e): the pseudoinverse.
numbers by_svd(const matrix &J, const numbers &e) {
  matrix rows(0, 0), U(0, 0);
  find_svd(J, rows, U);
  numbers x((size_t)J.columns);
  for (int i = 0; i < J.rows; ++i) {
    number square, along;
    for (int k = 0; k < J.columns; ++k)
      square += rows(i, k) * rows(i, k);
    for (int k = 0; k < J.rows; ++k)
      along += U(i, k) * e[(size_t)k];
    along = along / square;
    for (int k = 0; k < J.columns; ++k)
      x[(size_t)k] += along * rows(i, k);
  }
  return x;
}

// x = alpha J^T e, alpha = e . f / f . f, f = J J^T e
numbers by_transpose(const matrix &J, const numbers &e) {
  numbers x = back(J, e), f = times(J, x);
  number above, below;
  for (size_t i = 0; i < f.size(); ++i) {
    above += e[i] * f[i];
    below += f[i] * f[i];
  }
  const number alpha = above / below;
  for (number &entry : x)
    entry = alpha * entry;
  return x;
}

numbers stacked(const matrix &J, const numbers &e) {
  matrix A(J.rows + J.columns, J.columns);
  numbers b = e;
  for (int i = 0; i < J.rows; ++i)
    for (int j = 0; j < J.columns; ++j)
      A(i, j) = J(i, j);
  for (int j = 0; j < J.columns; ++j)
    A(J.rows + j, j) = std::sqrt(MU);
  b.resize((size_t)(J.rows + J.columns));
  return by_qr(A, b);
}

struct solver_row {
  const char *label;
  enum { TRANSPOSE, DAMPED, PSEUDOINVERSE } what;
  numbers (*solve)(const matrix &J, const numbers &e);
};

const solver_row SOLVERS[] = {
    {"transpose", solver_row::TRANSPOSE, by_transpose},
    {"damped, m x m, LDL^T", solver_row::DAMPED,
     [](const matrix &J, const numbers &e) { return back(J, by_ldlt(normal(J, true), e)); }},
    {"damped, m x m, LU", solver_row::DAMPED,
     [](const matrix &J, const numbers &e) { return back(J, by_lu(normal(J, true), e)); }},
    {"damped, n x n, LDL^T", solver_row::DAMPED,
     [](const matrix &J, const numbers &e) { return by_ldlt(normal(J, false), back(J, e)); }},
    {"damped, n x n, LU", solver_row::DAMPED,
     [](const matrix &J, const numbers &e) { return by_lu(normal(J, false), back(J, e)); }},
    {"damped, stacked, QR", solver_row::DAMPED, stacked},
    {"pseudoinverse, SVD", solver_row::PSEUDOINVERSE, by_svd},
};

const int SIZES[4][2] = {{3, 7}, {6, 7}, {6, 30}, {24, 30}};

void assert_defined(const solver_row &row, const matrix &J, const numbers &e, const numbers &x) {
  numbers f = times(J, x);
  for (size_t i = 0; i < f.size(); ++i)
    f[i] = e[i] - f[i];
  const numbers gradient = back(J, f);
  if (row.what == solver_row::TRANSPOSE) { // the residual is across J J^T e: the best length
    const numbers along = times(J, back(J, e));
    number dot;
    for (size_t i = 0; i < f.size(); ++i)
      dot += f[i] * along[i];
    assert_near(dot.value, 0.0, 1e-9);
    return;
  }
  const double mu = row.what == solver_row::DAMPED ? MU : 0.0;
  for (size_t j = 0; j < x.size(); ++j)
    assert_near(gradient[j].value, mu * x[j].value, 1e-9);
}

std::string page() {
  std::string text;
  FILE *file = fopen("docs/methods.md", "r");
  assert_non_null(file);
  for (int c = fgetc(file); c != EOF; c = fgetc(file))
    text += (char)c;
  fclose(file);
  return text;
}

// Whether the page has a row of a table; prints the row where it has not.
bool has_row(const std::string &text, const char *label, const std::vector<long> &cells) {
  std::string row = std::string("| ") + label + " |";
  for (const long cell : cells)
    row += " " + std::to_string(cell) + " |";
  const bool found = text.find("\n" + row + "\n") != std::string::npos;
  if (!found)
    print_error("docs/methods.md lacks the row %s\n", row.c_str());
  return found;
}

// The table of solvers: multiplications, divisions and roots of a step, for matrices of random
// numbers; each result is what its definition says. req: D7
void operations_of_each_solver(void **) {
  const std::string text = page();
  bool all = true;
  for (const solver_row &row : SOLVERS) {
    std::vector<long> cells;
    for (const auto &size : SIZES) {
      random_stream random = random_stream_of(7);
      matrix J(size[0], size[1]);
      numbers e((size_t)size[0]);
      for (number &entry : J.values)
        entry = random_between(&random, -1.0, 1.0);
      for (number &entry : e)
        entry = random_between(&random, -0.1, 0.1);
      number::count = 0;
      const numbers x = row.solve(J, e);
      cells.push_back(number::count);
      assert_defined(row, J, e, x);
    }
    all = has_row(text, row.label, cells) && all;
  }
  assert_true(all);
}

// The Jacobian of a figure's end effectors, at a random configuration.
matrix jacobian_of(const char *name) {
  sinew_scene *scene = sinew_scene_create(name);
  assert_non_null(scene);
  sinew_model *model = nullptr;
  sinew_state *state = nullptr;
  assert_int_equal(sinew_model_create(&scene->model, &model, nullptr), SINEW_OK);
  assert_int_equal(sinew_state_create(model, nullptr, &state, nullptr), SINEW_OK);
  const int n = sinew_model_nv(model);
  std::vector<double> q((size_t)sinew_model_nq(model)), block((size_t)(6 * n));
  sinew_configuration_random(model, 3, 1, q.data());
  assert_int_equal(sinew_state_forward(state, q.data()), SINEW_OK);
  matrix J(6 * scene->task_count, n);
  for (int t = 0; t < scene->task_count; ++t) {
    assert_int_equal(sinew_state_jacobian(state, scene->tasks[t].link, nullptr,
                                          sinew_model_root(model), block.data()),
                     SINEW_OK);
    for (int i = 0; i < 6 * n; ++i)
      J.values[(size_t)(6 * t * n + i)] = block[(size_t)i];
  }
  sinew_state_destroy(state);
  sinew_model_destroy(model);
  sinew_scene_destroy(scene);
  return J;
}

// Columns in the order in which they are eliminated.
matrix reordered(const matrix &J, const std::vector<int> &order) {
  matrix out(J.rows, J.columns);
  for (int i = 0; i < J.rows; ++i)
    for (int j = 0; j < J.columns; ++j)
      out(i, j) = J(i, order[(size_t)j]);
  return out;
}

// The block of a floating root moves every effector. Where it is eliminated first (left), all other
// columns fill in; last (right), branches stay apart. The steps are the same. req: D7 G7
void the_block_of_the_root(void **) {
  const std::string text = page();
  bool all = true;
  const char *const figures[] = {"reference", "spider", "humanoid"};
  for (const char *name : figures) {
    const matrix J = jacobian_of(name);
    std::vector<int> left((size_t)J.columns), right;
    std::iota(left.begin(), left.end(), 0);
    right.assign(left.rbegin(), left.rend()); // from the tips to the root
    numbers e((size_t)J.rows, number(0.1));
    long counts[3];
    numbers x[2];
    for (int side = 0; side < 2; ++side) {
      const matrix ordered = reordered(J, side == 0 ? left : right);
      const matrix A = normal(ordered, false);
      const numbers b = back(ordered, e);
      number::count = 0;
      x[side] = by_ldlt(A, b);
      counts[side] = number::count;
    }
    for (int j = 0; j < J.columns; ++j)
      assert_near(x[0][(size_t)j].value, x[1][(size_t)(J.columns - 1 - j)].value, 1e-9);
    assert_true(counts[1] < counts[0]);
    all = has_row(text, name, {J.rows, J.columns, counts[0], counts[1]}) && all;
  }
  assert_true(all);
}

} // namespace

int main() {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations_of_each_solver),
      cmocka_unit_test(the_block_of_the_root),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
