"""What solves return."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sinew import _core

if TYPE_CHECKING:
    from sinew._core import Solution


class Outcome(enum.IntEnum):
    """How a solve ended. Arrays of outcomes hold these numbers as uint8."""

    CONVERGED = 0
    """Every task is within its tolerance."""
    OUT_OF_REACH = 1
    """Proven: within their limits the chains are too short, or cannot fold enough."""
    BLOCKED_BY_LIMITS = 2
    """The error would decrease if a joint could leave its limits."""
    STALLED = 3
    """The error is at a local minimum; another seed may do better."""
    STEP_LIMIT = 4
    """The steps were used up; also an update whose targets are not reached yet."""
    TIME_LIMIT = 5
    """The time was used up."""
    BAD_INPUT = 6
    """Nothing was solved: the target or the seed cannot be used."""
    NO_TASK = 7
    """No task counts: all have weight 0."""
    REJECTED = 8
    """No solution found was accepted by the caller."""

    def __str__(self) -> str:
        return self.name.lower()


class Bound(NamedTuple):
    """What kept a degree of freedom from moving further in an update."""

    kind: str
    """ "none", "position", "speed", "braking" ahead of a limit, or "acceleration"."""
    side: int
    """1: it should move up, -1: down, 0: no bound."""
    yielded: float
    """By how much the acceleration exceeds its limit, which yields to limits of position and speed
    [rad/s^2 or m/s^2]."""


class SetReport(NamedTuple):
    """What is known of the solutions that `solve_all()` returns."""

    outcome: Outcome
    """CONVERGED if there is a solution; else why there is none."""
    completeness: str
    """ "complete": these are all solutions within the limits; "complete to a grid": all, up to the
    distances of a grid of one joint or angle; "searched": those that a search found. If there are
    as many as the capacity, there may be more."""
    continuum: int
    """How many of them are one of a continuum, as at a straight wrist."""


class ObjectiveReport(NamedTuple):
    """How far an objective is from being met, whatever its gain and the size of its weights.

    None: its kind has no such value, no joint has a weight above 0, or a "pole" has no side;
    "damping" and "low_change" have none of the three.
    """

    angle: float | None
    """ "posture": the largest difference of joints with a weight that rotate [rad], "limits": the
    same from the middle, "pole": the angle from its side."""
    distance: float | None
    """ "posture", "limits": the largest difference of joints that translate [m]."""
    value: float | None
    """ "coupling": the difference from its value, in its unit, "callback": the norm of the
    residual, "manipulability": the manipulability, the more the better."""


class HardRow(NamedTuple):
    """An inequality of a hard task in the last step of an update."""

    task: int
    """The number of its task."""
    axis: int
    """Of a "position", "orientation" or "pose": as in Task.lower; else 0."""
    rank: str
    """What yields sooner: "interval", then "polygon" (a "plane" of the centre of mass), then
    "clearance" (a "plane" or "distance")."""
    side: int
    """1: its upper end kept the model from where other tasks pull it, -1: its lower end, 0:
    neither."""
    yielded: float
    """By how much it is beyond its end, since it contradicts limits or inequalities that
    yield later [m or rad]: > 0 above the upper end, < 0 below the lower."""


def _numbers(q: NDArray[np.float64]) -> str:
    return np.array2string(q, precision=4, separator=", ", threshold=12, edgeitems=3)


def represent(solution: Solution) -> str:
    """The repr of a solution."""
    parts = [str(solution.outcome), f"q={_numbers(solution.q)}"]
    parts.append(f"position_error={solution.position_error:.3g}")
    parts.append(f"orientation_error={solution.orientation_error:.3g}")
    if solution.limiting_joint is not None:
        parts.append(f"limiting_joint={solution.limiting_joint!r}")
    if solution.reach is not None:
        parts.append(f"reach={solution.reach:.4g}, target_distance={solution.target_distance:.4g}")
    parts.append(f"steps={solution.steps}")
    return f"Solution({', '.join(parts)})"


def restore_solution(*fields: Any) -> Solution:
    """Restores a pickled solution."""
    return _core._solution(*fields)


class Solutions:
    """The results of a solve for many targets, as arrays of their leading shape (...).

    Indexing selects as it does in arrays: solutions[3:5].q is solutions.q[3:5].
    """

    __slots__ = (
        "orientation_error",
        "outcome",
        "position_error",
        "q",
        "reach",
        "reach_task",
        "steps",
        "target_distance",
    )

    q: NDArray[np.float64]
    """Joint values, (..., nq) [rad or m]."""
    outcome: NDArray[np.uint8]
    """How each ended: numbers of sinew.Outcome."""
    position_error: NDArray[np.float64]
    """Largest distance of a task from its target [m]."""
    orientation_error: NDArray[np.float64]
    """Largest angle of a task to its target [rad]."""
    steps: NDArray[np.int32]
    """Steps computed for each, of all attempts."""
    reach_task: NDArray[np.int32]
    """Out of reach: the number of a task that cannot be met; else, and always of a Crowd, -1."""
    reach: NDArray[np.float64]
    """Out of reach: how far the chain reaches towards that task's target at most, or how near to
    its centre it folds at least [m]; NaN where nothing is proven."""
    target_distance: NDArray[np.float64]
    """Out of reach: the distance asked for [m]; NaN where nothing is proven."""

    def __init__(
        self,
        q: NDArray[np.float64],
        outcome: NDArray[np.uint8],
        position_error: NDArray[np.float64],
        orientation_error: NDArray[np.float64],
        steps: NDArray[np.int32],
        reach_task: NDArray[np.int32],
        reach: NDArray[np.float64],
        target_distance: NDArray[np.float64],
    ) -> None:
        self.q = q
        self.outcome = outcome
        self.position_error = position_error
        self.orientation_error = orientation_error
        self.steps = steps
        self.reach_task = reach_task
        self.reach = reach
        self.target_distance = target_distance

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Whether every task of each is within its tolerance."""
        return self.outcome == Outcome.CONVERGED

    def __len__(self) -> int:
        return len(self.outcome)

    def __getitem__(self, index: Any) -> Solutions:
        outcome = self.outcome[index]
        # an index of the leading axes never reaches the joint values
        place = np.reshape(np.arange(self.outcome.size), self.outcome.shape)[index]
        q = np.reshape(self.q, (self.outcome.size, self.q.shape[-1]))[place]
        return Solutions(
            q,
            outcome,
            self.position_error[index],
            self.orientation_error[index],
            self.steps[index],
            self.reach_task[index],
            self.reach[index],
            self.target_distance[index],
        )

    def __iter__(self) -> Iterator[Solutions]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        raise ValueError(
            "the truth value of many solutions is ambiguous: use solutions.converged.all() or "
            "solutions.converged.any()"
        )

    def __repr__(self) -> str:
        counts = np.bincount(np.ravel(self.outcome), minlength=len(Outcome))
        parts = [f"{n} {outcome}" for outcome, n in zip(Outcome, counts, strict=True) if n > 0]
        return f"Solutions({', '.join(parts) or 'none'}; q of shape {self.q.shape})"
