// Results: tables on the terminal, a CSV, pictures.
#ifndef BENCH_ARMS_REPORT_H
#define BENCH_ARMS_REPORT_H

#include "bench/arms/measure.h"

// One line: the date, the machine, the compiler.
void print_machine();

// Two lines: what reading the clocks adds to times, and the number of involuntary context switches.
void print_noise(const solver_list &solvers);

// One arm, a line for each start and solver; times in microseconds.
void print_arm(const arm &a, const std::vector<result> &results);

// Fraction solved, mean time and 99.9 % quantile, a line for each arm and a column for each solver:
// Markdown.
void print_summary(const std::vector<result> &results);

// Fraction solved, mean steps and mean time over all arms, a line for each start and a column for
// each solver.
void print_sweep(const std::vector<result> &results);

// Rows as in print_arm(); false after a message where it cannot be written.
bool write_csv(const std::string &path, const std::vector<result> &results);

#endif
