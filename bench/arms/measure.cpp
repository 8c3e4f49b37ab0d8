// Measuring.
//
// Solvers take turns, with a block of problems each, so that other load on the machine affects all
// alike; everything is repeated in several rounds, and the median over the rounds counts for each
// problem. The results are the first round's: those of the others are the same.
#include "bench/arms/measure.h"
#include "bench/arms/clock.h"

#include <algorithm>
#include <cmath>

static const int block_size = 100;

// One solver's run through the problems.
struct course {
  solver *of;
  int next = 0;          // the first problem that has not been run in this round
  int done = 0;          // problems in the first round
  double spent = 0.0;    // in this round [s]
  std::vector<double> q; // count x joints
  std::vector<claim> claims;
  std::vector<double> unused; // for results that are not used
  std::vector<claim> wasted;
  std::vector<std::vector<double>> times; // of each round, of each problem [s]
};

static double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Nearest rank: the smallest value that is at least as large as a fraction of all.
static double quantile(const std::vector<double> &ascending, double share) {
  const auto size = static_cast<double>(ascending.size());
  const auto rank = static_cast<size_t>(std::ceil(share * size));
  return ascending[std::min(std::max(rank, size_t{1}), ascending.size()) - 1];
}

double clock_cost(const solver &of) {
  std::vector<double> costs;
  for (int i = 0; i < 1001; ++i) {
    const double begin = of.clock();
    costs.push_back(of.clock() - begin);
  }
  return median_of(costs);
}

// ---------------------------------------------------------------------- timing

// One call; the results are kept in the first round only.
static void run_block(course &c, const problems &p, int round, int count) {
  const auto first = static_cast<size_t>(c.next), size = static_cast<size_t>(count);
  const auto joints = static_cast<size_t>(p.of->joints);
  double *q = round == 0 ? &c.q[first * joints] : c.unused.data();
  claim *claims = round == 0 ? &c.claims[first] : c.wasted.data();
  const double begin = c.of->clock();
  c.of->solve(p, c.next, count, q, claims);
  const double time = c.of->clock() - begin;
  std::fill_n(c.times[static_cast<size_t>(round)].begin() + c.next, size, time / count);
  c.spent += time;
  c.next += count;
}

// Runs up to a problem, as far as the first round did and time allows.
static void run_to(course &c, const problems &p, const measure_settings &settings, int round,
                   int end) {
  const double most = settings.seconds_limit > 0.0 && round == 0
                          ? settings.seconds_limit / static_cast<double>(c.times.size())
                          : INFINITY;
  const int last = round == 0 ? p.count : round < c.of->rounds(settings.rounds) ? c.done : 0;
  while (c.next < std::min(end, last) && c.spent <= most) {
    run_block(c, p, round, std::min(c.of->stretch(), last - c.next));
  }
  c.done = round == 0 ? c.next : c.done;
}

static void run_round(std::vector<course> &courses, const problems &p,
                      const measure_settings &settings, int round) {
  for (course &c : courses) {
    c.spent = 0.0;
    c.next = 0;
  }
  for (int end = block_size; end < p.count + block_size; end += block_size) {
    for (course &c : courses) {
      run_to(c, p, settings, round, end);
    }
  }
}

// --------------------------------------------------------------------- judging

// Both bounds with a margin for the rounding of another kinematics.
static bool is_true(const problems &p, int i, const double *q, double tolerance) {
  const KDL::Frame place = p.of->place(q);
  const KDL::Frame &goal = p.goals[static_cast<size_t>(i)];
  const double bound = tolerance * (1.0 + 1e-6) + 1e-12;
  return distance_between(place, goal) <= bound && angle_between(place, goal) <= bound;
}

static bool is_within(const arm &a, const double *q) {
  for (int j = 0; j < a.joints; ++j) {
    const auto k = static_cast<size_t>(j);
    if (!(q[j] >= a.lower[k] - 1e-12 && q[j] <= a.upper[k] + 1e-12)) {
      return false;
    }
  }
  return true;
}

static bool judge(result &r, const problems &p, const course &c, int i, double tolerance) {
  const double *q = &c.q[static_cast<size_t>(i) * static_cast<size_t>(p.of->joints)];
  if (!c.claims[static_cast<size_t>(i)].solved) {
    return false;
  }
  if (!is_true(p, i, q, tolerance)) {
    ++r.false_claims;
    return false;
  }
  if (!is_within(*p.of, q)) {
    ++r.outside;
    return false;
  }
  return true;
}

static double time_of(const course &c, int i) {
  std::vector<double> rounds;
  for (const auto &times : c.times) {
    rounds.push_back(times[static_cast<size_t>(i)]);
  }
  return median_of(rounds);
}

static void sum_up(result &r, std::vector<double> &all) {
  std::sort(all.begin(), all.end());
  std::sort(r.times.begin(), r.times.end());
  for (const double time : all) {
    r.mean += time / static_cast<double>(all.size());
  }
  r.median = quantile(all, 0.5);
  r.p99 = quantile(all, 0.99);
  r.p999 = quantile(all, 0.999);
  r.most = all.back();
}

static result result_of(const course &c, const problems &p, const std::string &start,
                        const measure_settings &settings) {
  result r;
  r.arm = p.of->name;
  r.start = start;
  r.solver = c.of->name;
  r.note = c.of->note();
  r.joints = p.of->joints;
  r.problems = c.done;
  r.together = c.of->stretch() > 1;
  double steps = 0.0;
  bool reported = true;
  std::vector<double> all;
  for (int i = 0; i < c.done; ++i) {
    const double time = time_of(c, i);
    const bool late = settings.late > 0.0 && time > settings.late;
    all.push_back(time);
    if (judge(r, p, c, i, settings.tolerance) && !late) {
      ++r.solved;
      r.times.push_back(time);
    }
    steps += c.claims[static_cast<size_t>(i)].steps;
    reported = reported && c.claims[static_cast<size_t>(i)].steps >= 0;
  }
  r.steps = reported ? steps / c.done : -1.0;
  sum_up(r, all);
  return r;
}

std::vector<result> measure(const problems &p, const std::string &start, const solver_list &solvers,
                            const measure_settings &settings) {
  std::vector<course> courses;
  const auto count = static_cast<size_t>(p.count);
  for (const auto &each : solvers) {
    course c;
    c.of = each.get();
    c.q.resize(count * static_cast<size_t>(p.of->joints));
    c.claims.resize(count);
    c.unused.resize(c.q.size());
    c.wasted.resize(count);
    c.times.assign(static_cast<size_t>(c.of->rounds(settings.rounds)), std::vector<double>(count));
    courses.push_back(std::move(c));
  }
  for (int round = 0; round < settings.rounds; ++round) {
    run_round(courses, p, settings, round);
  }
  std::vector<result> results;
  for (const course &c : courses) {
    results.push_back(result_of(c, p, start, settings));
  }
  return results;
}
