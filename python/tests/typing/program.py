"""A program that uses the types of the package; pyright checks it strictly, nobody runs it."""

import numpy as np
import sinew
from numpy.typing import NDArray
from typing_extensions import assert_type

arm = sinew.load("arm.urdf", floating_base=False)
assert_type(arm, sinew.Model)
assert_type(arm.joint_names, list[str])
assert_type(arm.lower, NDArray[np.float64])
assert_type(arm.fk(arm.random(3), "hand"), NDArray[np.float64])
assert_type(arm.fk([0.0] * 7, ["hand"], quaternion="xyzw"), NDArray[np.float64])
assert_type(arm.joints[0].q, slice)

solution = arm.solve(np.eye(4), link="hand", seed=arm.middle(), tolerance=(1e-5, 1e-4))
if isinstance(solution, sinew.Solution):
    assert_type(solution.q, NDArray[np.float64])
    assert_type(solution.outcome, sinew.Outcome)
    assert_type(solution.limiting_joint, str | None)
    assert_type(solution.reach_task, int | None)
solutions = arm.solve(np.zeros((5, 3)), link=sinew.Task("hand", "position", free=("x",)))
assert isinstance(solutions, sinew.Solutions)
assert_type(solutions.converged, NDArray[np.bool_])
assert_type(solutions[2:3], sinew.Solutions)
assert_type(solutions.reach, NDArray[np.float64])
assert_type(arm.solve_all(np.eye(4)), NDArray[np.float64])
assert_type(arm.solve_all(np.eye(4), report=True)[1], sinew.SetReport)
posture = sinew.Objective("posture", weights={"joint1": 2.0}, posture=arm.middle())
arm.solve(np.eye(4), "hand", limits={"joint1": (-1, 1)}, frozen=["joint2"], objectives=posture)
arm.solve(np.eye(4), "hand", limits=(arm.lower, 1.0), frozen=np.ones(7, bool), gains=[1.0] * 7)


def height(q: NDArray[np.float64]) -> tuple[list[float], NDArray[np.float64]]:
    """A residual, and its derivative."""
    return [arm.fk(q, "hand")[2, 3]], arm.jacobian(q, "hand")[2:3]


own = sinew.Objective("callback", function=height, weight=0.1)
dexterous = sinew.Objective("manipulability", task=sinew.Task("hand"))
assert_type(arm.check_callback(own, arm.middle(), tolerance=1e-5), None)
arm.solve(np.eye(4), "hand", objectives=(own, dexterous))
low = sinew.Task("elbow", "position", level=1, required=False, weight_axes="tool")

stand, ground = sinew.support_polygon(np.eye(3), margin=0.1, task=low)
arm.solve([np.eye(4), *ground], ["hand", *stand])

tracker = sinew.Tracker(arm, ["hand", sinew.Task("foot", "position")], time_step=0.01)
assert_type(tracker.update([np.eye(4), [0, 0, 0]]), sinew.Solution)
tracker.set_influences([1, 0.5])
assert_type(tracker.bounds()[0].kind, str)
slow = sinew.Tracker(
    arm, low, time_step=0.01, accelerations=3.0, speeds={"joint1": 0.5}, objectives=[posture]
)
crowd = sinew.Crowd(arm, "hand", 10)
assert_type(crowd.update(np.zeros((10, 4, 4))), sinew.Solutions)
assert_type(crowd.follow([np.zeros((10, 4, 4))]), list[sinew.Solutions])
assert_type(
    sinew.batch(arm, "targets.npy", "out.npy", "hand", progress=True, threads=2), sinew.Solutions
)

try:
    sinew.loads("")
except sinew.UnknownNameError as error:
    assert_type(error.nearest, list[str])
except sinew.Error as error:
    assert_type(error.line, int | None)
