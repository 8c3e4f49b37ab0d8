// Starts by a network against those by a bank of the same memory.
#ifndef SINEW_BENCH_LEARNED_H
#define SINEW_BENCH_LEARNED_H

#include <stdbool.h>

// Prints the targets solved, updates and times with no starts of either kind, with the bank, the
// network, and both.
// @param links names with commas between them
// @param network the file of the network
void bench_learned(const char *model, bool floating, const char *links, const char *network);

#endif
