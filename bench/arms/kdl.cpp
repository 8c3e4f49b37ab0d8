// Orocos KDL's solvers, with and without restarts, as its users call them.
//
// LMA (Levenberg-Marquardt) has no limits: whole turns are added to its results to bring them
// within the limits. All its weights are 1, so that its tolerance is a bound on the norms of both
// errors. NR_JL (Newton-Raphson with the pseudoinverse) clamps each step to the limits; its
// tolerance is one for each of six components, and 1/sqrt(3) of the given one bounds the norms.
// Other settings are KDL's own. Restarts begin at random configurations within the limits, drawn in
// advance.
#include "bench/arms/clock.h"
#include "bench/arms/message.h"
#include "bench/arms/solver.h"

#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>

#include <algorithm>
#include <cmath>

static const int seed_count = 4096;
static const uint64_t seed_stream = 0x5eed;

static KDL::JntArray array_of(const std::vector<double> &values) {
  KDL::JntArray array(static_cast<unsigned>(values.size()));
  std::copy(values.begin(), values.end(), array.data.data());
  return array;
}

class kdl_solver : public solver {
public:
  kdl_solver(const arm &of, const std::string &its_name, const solver_settings &settings,
             bool restarts)
      : solver(its_name), a(of), tries(restarts ? settings.tries : 1), patience(settings.patience),
        start(static_cast<unsigned>(of.joints)), answer(static_cast<unsigned>(of.joints)) {
    for (int i = 0; restarts && i < seed_count; ++i) {
      KDL::JntArray seed(static_cast<unsigned>(a.joints));
      sinew_configuration_random(a.model, seed_stream, static_cast<uint64_t>(i), seed.data.data());
      seeds.push_back(seed);
    }
  }

  void solve(const problems &p, int first, int count, double *q, claim *claims) override {
    for (int i = 0; i < count; ++i) {
      claims[i] = solve_one(p, first + i, q + i * a.joints);
    }
  }

  // Solves of up to seconds are often interrupted by other programs; without the time of the
  // interruptions one round suffices, and the time is better used for other problems.
  double clock() const override {
    return time_of_thread();
  }
  int rounds(int) const override {
    return 1;
  }

protected:
  // From start to result; KDL's result, below 0 where it found none.
  virtual int descend(const KDL::Frame &goal) = 0;
  // Iterations of the last local solve, -1 where they are not reported.
  virtual int steps() const = 0;

  const arm &a;

private:
  claim solve_one(const problems &p, int i, double *q) {
    const double *from = &p.starts[static_cast<size_t>(i) * static_cast<size_t>(a.joints)];
    const KDL::Frame &goal = p.goals[static_cast<size_t>(i)];
    const double begin = patience > 0.0 ? clock() : 0.0;
    claim result = {false, 0};
    std::copy(from, from + a.joints, start.data.data());
    for (int attempt = 1;; ++attempt) {
      result.solved = descend(goal) >= 0;
      const bool within = wrap();
      result.steps = steps() < 0 ? -1 : result.steps + steps();
      const bool late = patience > 0.0 && clock() - begin > patience;
      if ((result.solved && within) || attempt >= tries || late) {
        result.solved = result.solved && (within || tries == 1);
        break;
      }
      start.data = seeds[static_cast<size_t>((i * 131 + attempt) % seed_count)].data;
    }
    std::copy(answer.data.data(), answer.data.data() + a.joints, q);
    return result;
  }

  // Whole turns that bring a joint within its limits; false where one stays outside.
  bool wrap() {
    bool within = true;
    for (unsigned j = 0; j < answer.rows(); ++j) {
      double &value = answer(j);
      if (a.turns[j] && value > a.upper[j]) {
        value -= 2.0 * M_PI * std::ceil((value - a.upper[j]) / (2.0 * M_PI));
      } else if (a.turns[j] && value < a.lower[j]) {
        value += 2.0 * M_PI * std::ceil((a.lower[j] - value) / (2.0 * M_PI));
      }
      within = within && value >= a.lower[j] && value <= a.upper[j];
    }
    return within;
  }

  const int tries;
  const double patience;
  std::vector<KDL::JntArray> seeds;

protected:
  KDL::JntArray start, answer;
};

class lma_solver : public kdl_solver {
public:
  lma_solver(const arm &of, const std::string &its_name, const solver_settings &settings,
             bool restarts)
      : kdl_solver(of, its_name, settings, restarts),
        lma(of.chain, Eigen::Matrix<double, 6, 1>::Ones(), settings.tolerance) {}

protected:
  int descend(const KDL::Frame &goal) override {
    return lma.CartToJnt(start, goal, answer);
  }
  int steps() const override {
    return lma.lastNrOfIter;
  }

private:
  KDL::ChainIkSolverPos_LMA lma;
};

class nr_solver : public kdl_solver {
public:
  nr_solver(const arm &of, const std::string &its_name, const solver_settings &settings,
            bool restarts)
      : kdl_solver(of, its_name, settings, restarts), forward(of.chain), velocity(of.chain),
        nr(of.chain, array_of(of.lower), array_of(of.upper), forward, velocity, 100,
           settings.tolerance / std::sqrt(3.0)) {}

protected:
  int descend(const KDL::Frame &goal) override {
    return nr.CartToJnt(start, goal, answer);
  }
  int steps() const override {
    return -1;
  }

private:
  KDL::ChainFkSolverPos_recursive forward;
  KDL::ChainIkSolverVel_pinv velocity;
  KDL::ChainIkSolverPos_NR_JL nr;
};

std::unique_ptr<solver> make_kdl_solver(const arm &a, const std::string &name,
                                        const solver_settings &settings) {
  if (name == "kdl-lma" || name == "kdl-lma-restarts") {
    return std::make_unique<lma_solver>(a, name, settings, name != "kdl-lma");
  }
  if (name == "kdl-nr" || name == "kdl-nr-restarts") {
    return std::make_unique<nr_solver>(a, name, settings, name != "kdl-nr");
  }
  return nullptr;
}
