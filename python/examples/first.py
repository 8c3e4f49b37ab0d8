import numpy as np
import sinew

arm = sinew.load("models/arm7.urdf")
target = np.array([[1, 0, 0, 0.4], [0, -1, 0, 0.1], [0, 0, -1, 0.5], [0, 0, 0, 1]])
solution = arm.solve(target, link="flange")  # the pose as a homogeneous matrix, in m
print(solution.outcome, solution.q.round(4))  # rad

poses = arm.fk(arm.random(100_000), "flange")  # (100000, 4, 4)
print(arm.solve(poses, link="flange"))  # on all processors
