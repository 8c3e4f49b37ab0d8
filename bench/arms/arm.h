// A serial arm taken from a URDF, as a model of sinew and as a chain of Orocos KDL.
#ifndef BENCH_ARMS_ARM_H
#define BENCH_ARMS_ARM_H

#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>

#include <memory>
#include <string>
#include <vector>

// The arm of one run: a file, and the links from which to which.
struct arm_choice {
  std::string path;
  std::string root; // "": "base=" in the file's first comment, or the file's root
  std::string tip;  // "": "tip=" in it, or the link with most moving joints above it
  std::string name; // "": the file's, without folder and ending
};

// Read by two programs: each has its own reader and its own forward kinematics. The joints are in
// the order from root to tip on both sides.
struct arm {
  std::string name, root, tip;
  int joints = 0;
  std::vector<double> lower, upper; // [rad or m]; infinite: none
  std::vector<bool> turns;          // revolute, a whole turn changes nothing
  sinew_model *model = nullptr;     // only the path from root to tip
  int link = -1;                    // the tip in it
  KDL::Chain chain;
  std::unique_ptr<KDL::ChainFkSolverPos_recursive> forward;

  arm() = default;
  arm(const arm &) = delete;
  arm &operator=(const arm &) = delete;
  ~arm() {
    sinew_model_destroy(model);
  }

  // Where KDL places the tip.
  KDL::Frame place(const double *q) const;
};

// Ends the program with a message where the file is none, or its arm is none for KDL.
std::unique_ptr<arm> read_arm(const arm_choice &choice);

// Distance [m] and angle [rad] between two frames.
double distance_between(const KDL::Frame &a, const KDL::Frame &b);
double angle_between(const KDL::Frame &a, const KDL::Frame &b);

#endif
