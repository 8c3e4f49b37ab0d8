// The list of solvers.
#include "bench/arms/solver.h"
#include "bench/arms/message.h"

#include <cstdio>

static const struct {
  const char *name, *help;
} entries[] = {
    {"sinew", "sinew_solver_solve_global(), with a bank"},
    {"sinew-local", "sinew_solver_solve(): local solves from the start, then from others"},
    {"sinew-descent", "the same, from the start alone"},
    {"sinew-batch", "sinew_batch_solve(), one thread, as many lanes as there are"},
    {"sinew-batch1", "the same with 1 lane; also sinew-batch2, 4 and 8"},
    {"sinew-threads", "sinew_batch_solve_threads(), see --threads"},
    {"kdl-lma", "Orocos KDL, ChainIkSolverPos_LMA, from the start alone"},
    {"kdl-lma-restarts", "the same with restarts"},
    {"kdl-nr", "Orocos KDL, ChainIkSolverPos_NR_JL, from the start alone"},
    {"kdl-nr-restarts", "the same with restarts"},
};

std::string solver_help() {
  std::string text;
  for (const auto &entry : entries) {
    char line[128];
    snprintf(line, sizeof line, "  %-17s %s\n", entry.name, entry.help);
    text += line;
  }
  return text;
}

solver_list make_solvers(const arm &a, const std::vector<std::string> &names,
                         const solver_settings &settings) {
  solver_list list;
  std::shared_ptr<bank_of_arm> bank;
  for (const std::string &name : names) {
    std::unique_ptr<solver> made = make_sinew_solver(a, name, settings, bank);
    if (!made) {
      made = make_kdl_solver(a, name, settings);
    }
    if (!made) {
      fail("there is no solver '%s'; --help lists them", name.c_str());
    }
    list.push_back(std::move(made));
  }
  return list;
}
