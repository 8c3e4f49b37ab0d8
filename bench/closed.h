// Arms with closed forms, by their Denavit-Hartenberg parameters.
#ifndef BENCH_CLOSED_H
#define BENCH_CLOSED_H

#include "sinew/sinew.h"

// Six joints, axes 4 to 6 meet: as an ABB IRB 2400. Link 7 is the flange.
sinew_model *bench_wrist_arm(void);

// Seven joints, axes 1 to 3 and 5 to 7 meet: as a KUKA LBR iiwa. Link 8 is the flange.
sinew_model *bench_spherical_arm(void);

// Six joints, axes 2 and 3 parallel, 4 and 5 meet: as a Kinova Jaco. Link 7 is the flange.
sinew_model *bench_curved_arm(void);

#endif
