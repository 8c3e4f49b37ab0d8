"""Inverse kinematics for robots and skeletons.

    import sinew

    arm = sinew.load("panda.urdf")
    solution = arm.solve(target, link="panda_link8")  # a homogeneous matrix, (4, 4)
    if solution:
        print(solution.q)

Lengths are in metres and angles in radians. Poses and targets are in the frame of the model's root
link. Configurations q have model.nq values, velocities and limits model.nv; the two differ only
where a joint has a quaternion.
"""

from sinew._batch import batch
from sinew._core import Crowd, Model, Solution, Tracker, __version__
from sinew._errors import Error, UnknownNameError
from sinew._load import load, loads
from sinew._model import Joint
from sinew._objectives import Objective
from sinew._results import Bound, HardRow, ObjectiveReport, Outcome, SetReport, Solutions
from sinew._support import support_polygon
from sinew._tasks import Task

__all__ = [
    "Bound",
    "Crowd",
    "Error",
    "HardRow",
    "Joint",
    "Model",
    "Objective",
    "ObjectiveReport",
    "Outcome",
    "SetReport",
    "Solution",
    "Solutions",
    "Task",
    "Tracker",
    "UnknownNameError",
    "__version__",
    "batch",
    "load",
    "loads",
    "support_polygon",
]
