// The command line.
#ifndef BENCH_ARMS_OPTIONS_H
#define BENCH_ARMS_OPTIONS_H

#include "bench/arms/measure.h"

enum class protocol { arms, tracik, quik };

struct options {
  std::vector<arm_choice> arms; // none: those of the protocol
  protocol which = protocol::arms;
  int count = 10000;
  uint64_t random_seed = 1;
  std::vector<std::string> solvers, starts; // none: those of the protocol
  solver_settings solving;
  measure_settings measuring;
  std::string out; // folder for CSV and pictures; "": none
};

// Ends the program after --help, and with a message where an option is none.
options read_options(int count, char **arguments);

#endif
