// The cases. Each function runs the chosen cases of its kind (record.h).
#ifndef BENCH_FINGERPRINT_CASES_H
#define BENCH_FINGERPRINT_CASES_H

void update_cases(void);     // one figure that follows its targets
void solve_cases(void);      // one figure from a seed, by local and global solves
void batch_cases(void);      // many problems
void crowd_cases(void);      // many figures
void kinematics_cases(void); // poses, Jacobians, configurations; files
void shared_cases(void);     // robots and clips of the optional test data

#endif
