// Making problems.
#include "bench/arms/problems.h"

#include <algorithm>
#include <cmath>

// Streams of random numbers that are independent of each other.
static const uint64_t answer_stream = 0x0a, start_stream = 0x0b, error_stream = 0x0c;

static uint64_t stream(uint64_t random_seed, uint64_t which) {
  return sinew_random_bits(random_seed, which);
}

// A joint's error: uniform within spread, or normal (Box and Muller 1958).
static double error_of(const start &from, uint64_t seed, uint64_t counter) {
  const double u = sinew_random_uniform(seed, 2 * counter);
  const double v = sinew_random_uniform(seed, 2 * counter + 1);
  if (from.kind == start_kind::near) {
    return from.spread * (2.0 * u - 1.0);
  }
  return from.spread * std::sqrt(-2.0 * std::log(1.0 - u)) * std::cos(2.0 * M_PI * v);
}

static void make_start(const arm &a, const start &from, uint64_t random_seed, int i,
                       const double *answer, double *q) {
  switch (from.kind) {
  case start_kind::random:
    sinew_configuration_random(a.model, stream(random_seed, start_stream), static_cast<uint64_t>(i),
                               q);
    return;
  case start_kind::nominal:
    sinew_configuration_middle(a.model, q);
    return;
  case start_kind::near:
  case start_kind::swept:
    for (int j = 0; j < a.joints; ++j) {
      const auto k = static_cast<size_t>(j);
      const auto counter = static_cast<uint64_t>(i) * static_cast<uint64_t>(a.joints) + k;
      const double value = answer[j] + error_of(from, stream(random_seed, error_stream), counter);
      q[j] = std::min(std::max(value, a.lower[k]), a.upper[k]);
    }
    return;
  }
}

problems make_problems(const arm &a, const start &from, int count, uint64_t random_seed) {
  problems p;
  const auto joints = static_cast<size_t>(a.joints), total = static_cast<size_t>(count);
  p.of = &a;
  p.count = count;
  p.answers.resize(total * joints);
  p.starts.resize(total * joints);
  for (int i = 0; i < count; ++i) {
    double *answer = &p.answers[static_cast<size_t>(i) * joints];
    sinew_configuration_random(a.model, stream(random_seed, answer_stream),
                               static_cast<uint64_t>(i), answer);
    make_start(a, from, random_seed, i, answer, &p.starts[static_cast<size_t>(i) * joints]);

    const KDL::Frame goal = a.place(answer);
    sinew_target target = sinew_default_target();
    std::copy(goal.p.data, goal.p.data + 3, target.position);
    goal.M.GetQuaternion(target.rotation[1], target.rotation[2], target.rotation[3],
                         target.rotation[0]);
    p.goals.push_back(goal);
    p.targets.push_back(target);
    p.rows.insert(p.rows.end(), target.position, target.position + 3);
    p.rows.insert(p.rows.end(), target.rotation, target.rotation + 4);
  }
  return p;
}
