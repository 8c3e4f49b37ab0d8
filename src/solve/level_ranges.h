// Ranges of tasks in the steps of the levels below them: inequality rows as in
// solve/hard.h, which higher levels have left obeyed, or with what they could not bring in. Tasks
// that are not hard are among them: without that a lower level would leave a range in one update,
// and be brought back in the next.
//
// Each row that a step may reach has a column of its own, s: the row a . x - s = 0 is one of those
// that higher levels have fixed, and the ends of the row are bounds of s. So the active set of a
// level (step/level.h) keeps these rows as it keeps limits.
// Compiled for each instruction set.
#ifndef SINEW_SOLVE_LEVEL_RANGES_H
#define SINEW_SOLVE_LEVEL_RANGES_H

#include "solve/solver.h"

// Where there are hard tasks: whether all of them are within their ranges at the configuration last
// evaluated, so that level 0 has nothing to bring in. If so the last step held none of them back.
bool sinew_level_ranges_may_be_left(sinew_solver *solver);

// The functions below are called where levels have ranges, and those that are about chosen rows
// where there are such rows.

// Chooses the rows of the step of level k at levels.top, where the levels above it have been
// evaluated: levels.slacks, which is 0 before.
void sinew_level_ranges_begin(sinew_solver *solver, int k);

// Writes the chosen rows from row levels.above on, with the bounds and weights of their columns.
void sinew_level_ranges_write(sinew_solver *solver);

// The active ones of the level's last update become those to begin with; and the reverse.
void sinew_level_ranges_recall(sinew_solver *solver, const signed char *active);
void sinew_level_ranges_keep_active(sinew_solver *solver, signed char *active);

// Those that are active hold the step back.
void sinew_level_ranges_note_reached(sinew_solver *solver);

// levels.residual <- what is to be corrected of the chosen rows at levels.next, where the levels
// above have been evaluated; share: of levels.x that has been taken. Returns the square of what is
// to be corrected: 0 where all rows are kept.
double sinew_level_ranges_find_excess(sinew_solver *solver, double share);

// The chosen rows for a correction from levels.next, which a share of levels.x has led to, and
// whose excess is known.
void sinew_level_ranges_write_again(sinew_solver *solver, double share);

// Whether no quantity is further out at levels.next, where the levels above have been evaluated,
// than at levels.top.
bool sinew_level_ranges_are_kept(sinew_solver *solver);

// The report of hard tasks after a step that is taken.
void sinew_level_ranges_end(sinew_solver *solver);

#endif
