// Pictures: fraction solved against time, a line for each solver.
#ifndef BENCH_ARMS_PICTURE_H
#define BENCH_ARMS_PICTURE_H

#include "bench/arms/measure.h"

// FOLDER/arms.svg, all arms together, and FOLDER/ARM.svg for each, a panel for each kind of start;
// drawn by gnuplot from FOLDER/arms.gp, which is kept. False after a message where that fails.
bool draw_pictures(const std::string &folder, const std::vector<result> &results);

#endif
