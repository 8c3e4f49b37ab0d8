// All solutions of an arm's poses, against the set that restarts find.
#ifndef SINEW_BENCH_SOLUTIONS_H
#define SINEW_BENCH_SOLUTIONS_H

// path: URDF, or URDF,LINK for an end effector other than the last link. Prints how many solutions
// are missed and found twice, and times, with a bank and without.
void bench_solutions(const char *path);

#endif
