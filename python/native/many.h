/// Solves for many targets, in chunks that several threads take.
#ifndef SINEW_PYTHON_MANY_H
#define SINEW_PYTHON_MANY_H

#include "results.h"
#include "search.h"

namespace sinew::python {

/// The arrays of a solve for many targets.
struct ManyArrays {
  const std::vector<Targets> *targets; ///< one for each task
  Rows seeds;                          ///< one for each problem, or none where size() is 0
  npy_intp count;
  Results *results;
  bool keep_refused; ///< targets that cannot be used have the outcome BAD_INPUT: no exception
};

/// The number of threads where the caller did not say.
int default_solve_threads(const Search &search, npy_intp count, Mode mode);

/// Solves for all targets. Called with the interpreter's lock, which it releases. Throws ValueError
/// for the first target or seed that cannot be used, unless they are kept; KeyboardInterrupt; and
/// what a function of an objective raises.
void solve_many(Search &search, Mode mode, const ManyArrays &arrays, int threads);

} // namespace sinew::python

#endif
