#include "many.h"

#include "parallel.h"

#include <atomic>
#include <cstring>

namespace sinew::python {

// Problems that a thread takes at once: some milliseconds of work.
static npy_intp chunk_size(const Search &search, Mode mode) {
  return mode == Mode::first && !search.has_callbacks() ? 2048 : 16;
}

int default_solve_threads(const Search &search, npy_intp count, Mode mode) {
  // Functions run one at a time: more threads wait for the interpreter's lock.
  return search.has_callbacks() ? 1 : default_threads(count, chunk_size(search, mode));
}

namespace {

// What one thread works with.
struct Context {
  Owned<sinew_batch_worker> worker;
  Owned<sinew_solver> solver;
  std::vector<sinew_target> unpacked;
  std::vector<double> targets, seeds;
  std::vector<sinew_batch_row> rows;
};

// What all threads share.
struct Job {
  const Search &search;
  Mode mode;
  const ManyArrays &arrays;
  const sinew_batch *batch;
  std::atomic<npy_intp> refused{NPY_MAX_INTP}; // the first problem that was
  CallbackErrors errors{};
};

void note_refused(Job &job, npy_intp i) {
  npy_intp first = job.refused.load();
  while (i < first && !job.refused.compare_exchange_weak(first, i)) {
  }
}

// The rows of targets first to first + count - 1, in place or in the thread's memory.
const double *targets_of(const Job &job, Context &context, npy_intp first, npy_intp count,
                         size_t *stride) {
  const std::vector<Targets> &all = *job.arrays.targets;
  if (all.size() == 1) {
    const double *in_place = all[0].in_place(stride);
    if (in_place != nullptr) {
      return in_place + (size_t)first * *stride;
    }
  }
  const size_t size = (size_t)job.search.target_size();
  context.targets.resize((size_t)count * size);
  double *row = context.targets.data();
  for (npy_intp i = first; i < first + count; ++i) {
    for (const Targets &targets : all) {
      (void)targets.read(i, row);
      row += targets.size();
    }
  }
  *stride = size;
  return context.targets.data();
}

const double *seeds_of(const Job &job, Context &context, npy_intp first, npy_intp count,
                       size_t *stride) {
  const Rows &seeds = job.arrays.seeds;
  if (seeds.size() == 0) {
    return nullptr;
  }
  const double *in_place = seeds.size() == job.arrays.count ? seeds.in_place(stride) : nullptr;
  if (in_place != nullptr) {
    return in_place + (size_t)first * *stride;
  }
  const size_t nq = (size_t)seeds.count();
  context.seeds.resize((size_t)count * nq);
  for (npy_intp i = 0; i < count; ++i) {
    seeds.read(first + i, context.seeds.data() + (size_t)i * nq);
  }
  *stride = nq;
  return context.seeds.data();
}

// A chunk by the batch: one problem in each lane.
void solve_batch(const Job &job, Context &context, npy_intp first, npy_intp count) {
  sinew_batch_arrays arrays = {};
  arrays.targets = targets_of(job, context, first, count, &arrays.target_stride);
  arrays.seeds = seeds_of(job, context, first, count, &arrays.seed_stride);
  arrays.q = job.arrays.results->q() + first * sinew_model_nq(job.search.model());
  arrays.rows = context.rows.data();
  if (sinew_batch_solve(job.batch, context.worker.get(), &arrays, 0, (size_t)count) != SINEW_OK) {
    for (npy_intp i = 0; i < count; ++i) {
      context.rows[(size_t)i].outcome = SINEW_OUTCOME_BAD_INPUT;
    }
  }
}

// A chunk by a solver: one problem after another.
void solve_each(const Job &job, Context &context, npy_intp first, npy_intp count) {
  const int nq = sinew_model_nq(job.search.model());
  size_t target_stride = 0, seed_stride = 0;
  const double *targets = targets_of(job, context, first, count, &target_stride);
  const double *seeds = seeds_of(job, context, first, count, &seed_stride);
  for (npy_intp i = 0; i < count; ++i) {
    double *q = job.arrays.results->q() + (first + i) * nq;
    const double *seed = seeds != nullptr ? seeds + (size_t)i * seed_stride : job.search.middle();
    std::memmove(q, seed, (size_t)nq * sizeof *q);
    sinew_report report;
    (void)!job.search.solve(context.solver.get(), job.mode, targets + (size_t)i * target_stride,
                            context.unpacked.data(), q, &report);
    if (report.outcome == SINEW_OUTCOME_BAD_INPUT) { // as a batch leaves it
      sinew_configuration_start(job.search.model(), q);
    }
    context.rows[(size_t)i] = {report.outcome,           report.steps,      report.position_error,
                               report.orientation_error, report.reach_task, report.reach,
                               report.target_distance};
  }
}

void keep_rows(Job &job, const Context &context, npy_intp first, npy_intp count) {
  const ManyArrays &arrays = job.arrays;
  for (npy_intp i = 0; i < count; ++i) {
    const sinew_batch_row &row = context.rows[(size_t)i];
    arrays.results->keep(first + i, row);
    if (row.outcome == SINEW_OUTCOME_BAD_INPUT) {
      note_refused(job, first + i);
    }
  }
}

// Throws what is wrong with a problem.
[[noreturn]] void refuse(const Job &job, npy_intp i) {
  double row[16];
  for (const Targets &targets : *job.arrays.targets) {
    if (!targets.read(i, row)) {
      targets.refuse(i);
    }
  }
  // A seed, or a position that is too far: the core says which.
  const ManyArrays &arrays = job.arrays;
  std::vector<double> packed((size_t)job.search.target_size() + 1);
  double *at = packed.data();
  for (const Targets &targets : *arrays.targets) {
    (void)targets.read(i, at);
    at += targets.size();
  }
  std::vector<double> seed((size_t)sinew_model_nq(job.search.model()) + 1), q = seed;
  sinew_batch_arrays one = {};
  one.targets = packed.data();
  one.q = q.data();
  if (arrays.seeds.size() > 0) {
    arrays.seeds.read(i, seed.data());
    one.seeds = seed.data();
  }
  sinew_error error = {};
  if (sinew_batch_check(job.batch, &one, 0, &error) == SINEW_OK) {
    throw_python(PyExc_RuntimeError, "problem %lld was refused", (long long)i);
  }
  // The core's message names problem 0 of this call.
  throw_python(PyExc_ValueError, "%s%s%s (number %lld of the targets in C order)", error.name,
               error.name[0] != '\0' ? ": " : "", error.message, (long long)i);
}

} // namespace

void solve_many(Search &search, Mode mode, const ManyArrays &arrays, int threads) {
  Job job = {search, mode, arrays, search.batch()};
  const npy_intp chunk = chunk_size(search, mode);
  std::vector<Context> contexts((size_t)threads);
  for (Context &context : contexts) {
    context.rows.resize((size_t)chunk);
    if (mode == Mode::first) {
      context.worker = search.take_worker();
    } else {
      context.solver = search.take_solver();
      context.unpacked = search.new_targets();
    }
  }
  const auto solve_chunk = [&](int thread, npy_intp first, npy_intp count) {
    Context &context = contexts[(size_t)thread];
    const CatchCallbacks catch_callbacks(job.errors);
    (mode == Mode::first ? solve_batch : solve_each)(job, context, first, count);
    keep_rows(job, context, first, count);
    return !job.errors.is_set() && (arrays.keep_refused || job.refused == NPY_MAX_INTP);
  };
  run_chunks(arrays.count, chunk, threads, solve_chunk);
  for (Context &context : contexts) {
    if (mode == Mode::first) {
      search.give_back(std::move(context.worker));
    } else {
      search.give_back(std::move(context.solver));
    }
  }
  job.errors.check();
  if (!arrays.keep_refused && job.refused != NPY_MAX_INTP) {
    refuse(job, job.refused);
  }
}

} // namespace sinew::python
