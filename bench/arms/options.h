// The command line.
#ifndef BENCH_ARMS_OPTIONS_H
#define BENCH_ARMS_OPTIONS_H

#include "bench/arms/measure.h"

enum class protocol { arms, tracik, quik };

struct options {
  std::vector<arm_choice> arms; // empty: the protocol's
  protocol which = protocol::arms;
  int count = 10000;
  uint64_t random_seed = 1;
  std::vector<std::string> solvers, starts; // empty: the protocol's
  solver_settings solving;
  measure_settings measuring;
  std::string out; // folder for CSV and pictures; "": none
};

// Ends the program after --help, and with a message for an invalid option.
options read_options(int count, char **arguments);

#endif
