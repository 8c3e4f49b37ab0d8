// The cases. Each function runs those of its kind that were chosen (record.h).
#ifndef BENCH_FINGERPRINT_CASES_H
#define BENCH_FINGERPRINT_CASES_H

void update_cases(void);     // one figure that follows its targets
void solve_cases(void);      // one figure from a seed, or from anywhere
void batch_cases(void);      // many problems
void crowd_cases(void);      // many figures
void kinematics_cases(void); // poses, Jacobians, configurations; files that are read
void shared_cases(void);     // robots and clips of the optional test data

#endif
