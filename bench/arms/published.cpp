// TRAC-IK's table.
//
// Source: P. Beeson, B. Ames, TRAC-IK, README of version 1.4.6: 10,000 reachable random poses a
// chain, the start in the middle of the limits, 1e-5 in each component, at most 5 ms. See also
// TRAC-IK: An Open-Source Library for Improved Solving of Generic Inverse Kinematics, Humanoids
// 2015. Its other chains are of robots whose descriptions are not in the data.
#include "bench/arms/published.h"

#include <cstddef>

const published_chain published_chains[] = {
    {"atlas2015", "atlas_drake", "utorso", "l_hand", 75.67, 1.50, 93.24, 0.81, 99.56, 0.39},
    {"baxter", "baxter", "torso", "left_gripper", 61.07, 2.21, 89.62, 1.02, 99.62, 0.43},
    {"fetch", "fetch", "torso_lift_link", "gripper_link", 92.46, 0.73, 93.80, 0.72, 99.99, 0.26},
    {"jaco2", "jaco_j2n6s300", "base", "j2n6s300_end_effector", 26.23, 3.79, 97.65, 0.58, 99.78,
     0.41},
    {"iiwa14", "iiwa14", "iiwa_link_0", "iiwa_link_ee", 37.64, 3.38, 93.70, 0.77, 99.84, 0.31},
    {"panda", "panda", "panda_link0", "panda_link8", 61.77, 2.14, 92.67, 0.85, 99.70, 0.38},
    {"pr2", "pr2", "torso_lift_link", "r_wrist_roll_link", 83.18, 1.37, 86.87, 1.28, 99.95, 0.38},
    {"lwa4d", "schunk_lwa4d", "arm_podest_link", "arm_7_link", 68.40, 1.81, 97.02, 0.47, 100.0,
     0.23},
    {NULL, NULL, NULL, NULL, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
