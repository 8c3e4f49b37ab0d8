// A search in progress: attempts from many starts, and the solutions that they find.
#ifndef SINEW_SOLVE_SEARCH_H
#define SINEW_SOLVE_SEARCH_H

#include "sinew/global.h"
#include "solve/attempts.h"
#include "solve/descent.h"

typedef struct sinew_search {
  sinew_solver *solver;
  const sinew_global_def *def;
  const sinew_target *targets;
  const sinew_target *all_targets; // of all tasks, where this is one component's search
  const double *seed;              // the caller's, from which distances are measured
  double deadline;                 // of the solver's clock, or INFINITY
  bool all;                        // all solutions are wanted, not one

  sinew_attempts attempts;
  sinew_seeds *seeds;     // of the solver's scratch
  int started, most;      // starts so far, and their limit
  int failed;             // attempts without a solution
  bool unproven;          // the full proof that there is no solution failed
  int starts_without_new; // since the last new solution, without those that follow from one
  int hits_without_new;   // attempts that converged to a known solution, since the last new one
  bool slides;            // long prismatic joints first bring starts near the targets: slides.h
  bool local;             // descents use the solver's method

  sinew_solver *whole; // where levels are used: the solver whose lower levels descend; else NULL
  bool each;           // every solution descends, not only the answer
  bool rejected;       // the last solution was not accepted

  bool points;     // solutions are isolated points: no more degrees of freedom than rows
  bool answered;   // one is wanted, and the scratch's answer is a solution
  double least;    // its cost: its distance, or its score times -1
  double *known;   // different solutions, if they are points or all are wanted
  int found, room; // rows of known: filled, and in all
  double least_E;  // the smallest E of attempts that were dropped

  bool isolated;       // all are wanted, and they are isolated: they are refined
  bool open;           // limits are removed
  int refined_in_vain; // dropped attempts that led to no solution, since the last new one
  int inexact;         // known solutions that are within the tolerance, but not up to rounding
  bool balanced;       // a sum of signs other than 0 tells that some are missing
  int balance;         // the sum so far
  int partners;        // the number of starts near partners that wait

  sinew_completeness completeness; // of the solutions found
  int closed_starts;               // starts of closed.h that wait, in the scratch's nearest rows
  bool sorted;                     // the known rows are in order of their distance
  int continuum;                   // how many of them are one of a continuum
  bool measured;                   // the errors of the first one are known:
  double position_error, orientation_error; // [m], [rad]
} sinew_search;

// How far a configuration is from the caller's: the square of its distance.
static inline double sinew_search_distance(const sinew_search *s, const double *q) {
  return sinew_problem_distance(&s->solver->problem, s->def->distances, s->seed, q);
}

// For solutions that are not found by attempts (closed.h). Whether q is one of the known; keeps it
// as far as there is room; brings it within limits, where it is by a small change.
bool sinew_search_is_known(const sinew_search *s, const double *q);
bool sinew_search_keep(sinew_search *s, const double *q);
bool sinew_search_bring_within(sinew_search *s, double *q);

// Keeps a solution among the known ones, as seeds of further starts. Returns whether it was kept.
bool sinew_search_add(sinew_search *s, const double *q);

// Refines q, which is within or near the tolerance, and keeps it if it is a new solution:
// refined.c.
void sinew_search_take_refined(sinew_search *s, const double *q);

// What solutions are chosen by: ranking.c. The cost of one where one is wanted: the square of its
// distance, or its score times -1. Whether one that has just been evaluated, and has descended
// where each does, is better than the answer, or there is none: its costs are then the answer's.
// is_new: it counts as new.
double sinew_search_cost(sinew_search *s, const double *q);
bool sinew_search_improves(sinew_search *s, const double *q, bool *is_new);

// Whether solutions are isolated points.
bool sinew_search_has_points(const sinew_solver *solver);

// A search for a problem that has been checked.
sinew_search sinew_search_of(sinew_solver *solver, const sinew_global_def *def,
                             const sinew_target *targets, const double *seed, bool all);

// Runs the attempts, then the last descent from the answer.
void sinew_search_run(sinew_search *s, sinew_descent *rest);

// Why a search ended as it did.
sinew_outcome sinew_search_explain(const sinew_search *s, sinew_descent *rest, int *limiting_joint);

// Adds a solution that was found outside of the attempts.
void sinew_search_take(sinew_search *s, const double *q);

#endif
