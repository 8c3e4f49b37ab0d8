// Ranges of tasks of level 0 in the steps of lower levels of an update: inequality rows as in
// solve/hard.h, which level 0 has left obeyed, or with what it could not bring in. Those of tasks
// that are not hard are among them: without that a lower level would leave a range in one update,
// and be brought back in the next.
//
// Each row that a step may reach has a column of its own, s: the row a . x - s = 0 is one of those
// that higher levels have fixed, and the ends of the row are bounds of s. So the active set of a
// level (step/level.h) keeps these rows as it keeps limits.
// Compiled for each instruction set.
#ifndef SINEW_SOLVE_LEVEL_HARD_H
#define SINEW_SOLVE_LEVEL_HARD_H

#include "solve/solver.h"

// Whether all hard tasks are within their ranges at the configuration last evaluated, so that level 0
// has nothing to bring in. If so the last step held none of them back.
bool sinew_level_hard_may_be_left(sinew_solver *solver);

// Chooses the rows at levels.top, where level 0 has been evaluated: levels.slacks.
void sinew_level_hard_begin(sinew_solver *solver);

// Writes the chosen rows from row levels.above on, with the bounds and weights of their columns.
void sinew_level_hard_write(sinew_solver *solver);

// Takes from the step that has been found which of them hold it back.
void sinew_level_hard_take(sinew_solver *solver);

// The same rows for a correction from levels.next, which a share of levels.x has led to, and whose
// excess is known.
void sinew_level_hard_write_again(sinew_solver *solver, double share);

// levels.residual <- what is to be corrected of the chosen rows at levels.next, where level 0 has
// been evaluated; share: of levels.x that has been taken. Returns the square of what is to be
// corrected: 0 where all rows are kept.
double sinew_level_hard_find_excess(sinew_solver *solver, double share);

// Whether no task is further out at levels.next, where level 0 has been evaluated, than at
// levels.top.
bool sinew_level_hard_is_kept(sinew_solver *solver);

// The report of hard tasks after a step that is taken.
void sinew_level_hard_end(sinew_solver *solver);

#endif
