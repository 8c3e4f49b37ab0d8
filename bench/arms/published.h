// Figures that others have published.
#ifndef BENCH_ARMS_PUBLISHED_H
#define BENCH_ARMS_PUBLISHED_H

// A row of TRAC-IK's table and the chain's file in the optional data.
struct published_chain {
  const char *name, *file, *root, *tip;
  // Solved [%] and mean time [ms], failures included, of KDL's NR_JL, the same with restarts, and
  // TRAC-IK.
  double kdl_solved, kdl_ms, restarts_solved, restarts_ms, tracik_solved, tracik_ms;
};

// Ends with a NULL name.
extern const published_chain published_chains[];

#endif
