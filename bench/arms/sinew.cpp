// sinew's solvers: global with a bank, local from one seed, and in batches.
#include "bench/arms/clock.h"
#include "bench/arms/message.h"
#include "bench/arms/solver.h"

#ifdef BENCH_THREADS
#include "sinew/threads.h"
#endif

#include <algorithm>
#include <cstdio>

static sinew_task pose_of_tip(const arm &a) {
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = a.link;
  return task;
}

// ------------------------------------------------------------------------ bank

// Created once for an arm and shared by all solvers. Its time is not part of any solve.
struct bank_of_arm {
  sinew_bank *bank = nullptr;
  double seconds = 0.0;

  bank_of_arm(const arm &a, int size) {
    const sinew_task task = pose_of_tip(a);
    sinew_bank_def def = sinew_default_bank_def();
    sinew_error error;
    def.postures = size;
    const double begin = now();
    if (sinew_bank_create(&def, a.model, &task, 1, &bank, &error) != SINEW_OK) {
      fail(error);
    }
    seconds = now() - begin;
  }
  bank_of_arm(const bank_of_arm &) = delete;
  bank_of_arm &operator=(const bank_of_arm &) = delete;
  ~bank_of_arm() {
    sinew_bank_destroy(bank);
  }
};

// ---------------------------------------------------------------------- single

class single_solver : public solver {
public:
  single_solver(const arm &a, const std::string &its_name, const solver_settings &settings,
                int attempts)
      : solver(its_name), joints(a.joints) {
    const sinew_task task = pose_of_tip(a);
    sinew_solver_def def = sinew_default_solver_def();
    sinew_error error;
    def.task_capacity = 1;
    def.position_tolerance = settings.tolerance;
    def.orientation_tolerance = settings.tolerance;
    def.max_attempts = attempts > 0 ? attempts : def.max_attempts;
    if (sinew_solver_create(&def, a.model, &handle, &error) != SINEW_OK ||
        sinew_solver_set_tasks(handle, &task, 1, &error) != SINEW_OK) {
      fail(error);
    }
  }
  ~single_solver() override {
    sinew_solver_destroy(handle);
  }

  void solve(const problems &p, int first, int count, double *q, claim *claims) override {
    for (int i = 0; i < count; ++i, q += joints) {
      const auto which = static_cast<size_t>(first + i);
      const double *from = &p.starts[which * static_cast<size_t>(joints)];
      sinew_report report;
      std::copy(from, from + joints, q);
      if (descend(p.targets[which], q, report) != SINEW_OK) {
        fail("%s: it refuses a problem", name.c_str());
      }
      claims[i] = {report.outcome == SINEW_OUTCOME_CONVERGED, report.steps};
    }
  }

protected:
  virtual sinew_result descend(const sinew_target &target, double *q, sinew_report &report) {
    return sinew_solver_solve(handle, &target, 1, q, &report);
  }

  sinew_solver *handle = nullptr;
  const int joints;
};

class global_solver : public single_solver {
public:
  global_solver(const arm &a, const std::string &its_name, const solver_settings &settings,
                std::shared_ptr<bank_of_arm> its_bank)
      : single_solver(a, its_name, settings, 0), bank(std::move(its_bank)) {
    def = sinew_default_global_def();
    def.bank = bank ? bank->bank : nullptr;
  }

  std::string note() const override {
    char text[128] = "no bank";
    if (bank) {
      snprintf(text, sizeof text, "a bank of %d postures, %.1f MiB, created in %.0f ms",
               sinew_bank_size(bank->bank),
               static_cast<double>(sinew_bank_bytes(bank->bank)) / 1048576.0, 1e3 * bank->seconds);
    }
    return text;
  }

protected:
  sinew_result descend(const sinew_target &target, double *q, sinew_report &report) override {
    return sinew_solver_solve_global(handle, &def, &target, 1, q, &report);
  }

private:
  sinew_global_def def;
  std::shared_ptr<bank_of_arm> bank;
};

// ----------------------------------------------------------------------- batch

#ifdef BENCH_THREADS
static sinew_result solve_on(int threads, const sinew_batch *batch,
                             const sinew_batch_arrays &arrays, size_t count) {
  return sinew_batch_solve_threads(batch, &arrays, 0, count, threads, NULL);
}
#else
static sinew_result solve_on(int, const sinew_batch *, const sinew_batch_arrays &, size_t) {
  fail("sinew-threads: not in this build");
}
#endif

class batch_solver : public solver {
public:
  // threads 0: sinew_batch_solve() on this thread
  batch_solver(const arm &a, const std::string &its_name, const solver_settings &settings,
               std::shared_ptr<bank_of_arm> its_bank, int lanes, int its_threads)
      : solver(its_name), bank(std::move(its_bank)), threads(its_threads) {
    const sinew_task task = pose_of_tip(a);
    sinew_batch_def def = sinew_default_batch_def();
    sinew_error error;
    def.position_tolerance = settings.tolerance;
    def.orientation_tolerance = settings.tolerance;
    def.bank = bank ? bank->bank : nullptr;
    def.lanes = lanes;
    if (sinew_batch_create(&def, a.model, &task, 1, &batch, &error) != SINEW_OK) {
      fail("%s: %s", name.c_str(), error.message);
    }
    if (sinew_batch_worker_create(batch, &worker, NULL) != SINEW_OK) {
      fail("%s: out of memory", name.c_str());
    }
  }
  ~batch_solver() override {
    sinew_batch_worker_destroy(worker);
    sinew_batch_destroy(batch);
  }

  void solve(const problems &p, int first, int count, double *q, claim *claims) override {
    rows.resize(static_cast<size_t>(count));
    const auto from = static_cast<size_t>(first);
    sinew_batch_arrays arrays = {};
    arrays.targets = &p.rows[7 * from];
    arrays.seeds = &p.starts[static_cast<size_t>(p.of->joints) * from];
    arrays.q = q;
    arrays.rows = rows.data();
    const auto result = threads > 0 ? solve_on(threads, batch, arrays, rows.size())
                                    : sinew_batch_solve(batch, worker, &arrays, 0, rows.size());
    if (result != SINEW_OK) {
      fail("%s: %s", name.c_str(), sinew_result_string(result));
    }
    for (int i = 0; i < count; ++i) {
      const sinew_batch_row &row = rows[static_cast<size_t>(i)];
      claims[i] = {row.outcome == SINEW_OUTCOME_CONVERGED, row.steps};
    }
  }

  // Long enough that the end of a call, where lanes have no problem left, has little weight.
  int stretch() const override {
    return 100000;
  }

  // Such a long call is often interrupted by other programs, whose time must not count.
  double clock() const override {
    return threads > 0 ? now() : time_of_thread();
  }

  std::string note() const override {
    char text[64];
    snprintf(text, sizeof text, "lanes: %d, threads: %d", sinew_batch_lanes(batch),
             std::max(threads, 1));
    return text;
  }

private:
  std::shared_ptr<bank_of_arm> bank;
  sinew_batch *batch = nullptr;
  sinew_batch_worker *worker = nullptr;
  std::vector<sinew_batch_row> rows;
  const int threads;
};

std::unique_ptr<solver> make_sinew_solver(const arm &a, const std::string &name,
                                          const solver_settings &settings,
                                          std::shared_ptr<bank_of_arm> &bank) {
  if (name == "sinew-local" || name == "sinew-descent") {
    return std::make_unique<single_solver>(a, name, settings, name == "sinew-local" ? 0 : 1);
  }
  static const struct {
    const char *name;
    int lanes;
  } batches[] = {{"sinew-batch", 0},  {"sinew-batch1", 1}, {"sinew-batch2", 2},
                 {"sinew-batch4", 4}, {"sinew-batch8", 8}, {"sinew-threads", 0}};
  const auto found = std::find_if(std::begin(batches), std::end(batches),
                                  [&](const auto &entry) { return name == entry.name; });
  if (name != "sinew" && found == std::end(batches)) {
    return nullptr;
  }
  if (!bank && settings.bank_size > 0) {
    bank = std::make_shared<bank_of_arm>(a, settings.bank_size);
  }
  if (name == "sinew") {
    return std::make_unique<global_solver>(a, name, settings, bank);
  }
  return std::make_unique<batch_solver>(a, name, settings, bank, found->lanes,
                                        name == "sinew-threads" ? settings.threads : 0);
}
