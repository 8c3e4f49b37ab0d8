// What came out: tables on the terminal, a CSV, pictures.
#ifndef BENCH_ARMS_REPORT_H
#define BENCH_ARMS_REPORT_H

#include "bench/arms/measure.h"

// One line: the date, the machine, the compiler.
void print_machine();

// Two lines: what reading the clocks adds to times, and how often other programs took the
// processor.
void print_noise(const solver_list &solvers);

// One arm, each start and solver a line; times in microseconds.
void print_arm(const arm &a, const std::vector<result> &results);

// Solved share, mean time and what 99.9 % keep to, an arm a line and a solver a column: Markdown.
void print_summary(const std::vector<result> &results);

// Solved share, mean steps and mean time over all arms, a start a line and a solver a column.
void print_sweep(const std::vector<result> &results);

// Rows as in print_arm(); false after a message where it cannot be written.
bool write_csv(const std::string &path, const std::vector<result> &results);

#endif
