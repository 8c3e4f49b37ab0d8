"""What joints should do where tasks leave them a choice."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sinew._tasks import Task


@dataclasses.dataclass(frozen=True)
class Objective:
    """What joints should do where tasks leave them a choice: a posture, little motion.

    It belongs to a level below 0 and costs a task of a higher priority at most a tenth of its
    tolerance in an update.
    """

    kind: Literal[
        "posture",
        "damping",
        "low_change",
        "limits",
        "coupling",
        "manipulability",
        "callback",
        "pole",
    ] = "posture"
    """ "posture": joints move towards a posture; "damping": little motion; "low_change": motion as
    in the last update; "limits": joints stay in the middle of their limits; "coupling":
    coefficients . q = value; "manipulability": more of it; "callback": a function of your own
    becomes 0; "pole": the middle of a limb turns towards a point."""
    level: int = 1
    """Its priority, 1 or more; tasks have 0 by default, which is first."""
    weight: float = 1.0
    """Relative to the other objectives and the tasks of its level, 0 to 1e6."""
    gain: float = 1.0
    """The share of the way that an update goes, in (0, 1]; not of "damping" and "low_change"."""
    weights: ArrayLike | Mapping[str, float] | None = None
    """Factors on the weight: (nv,), or a mapping from joints; None: all 1."""
    posture: ArrayLike | None = None
    """Of "posture": a configuration (nq,) [rad or m]; None: 0 within the limits."""
    coefficients: ArrayLike | Mapping[str, float] | None = None
    """Of "coupling": (nv,), or a mapping from joints, 0 of the others."""
    value: float = 0.0
    """Of "coupling": in the same unit."""
    links: tuple[str, ...] = ()
    """Of "pole": the links of a limb's root, middle and end: upper arm, forearm, hand."""
    pole: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Of "pole": a point in the root link's frame [m]."""
    pole_is_direction: bool = False
    """Of "pole": pole is a direction, of any length."""
    task: Task | str | None = None
    """Of "manipulability": that of the point of this position, orientation or pose, of whose other
    fields none is read; a link's name: of its pose."""
    rows: int = 1
    """Of "callback": the rows of its residual, 1 to 1000."""
    function: Callable[[NDArray[np.float64]], tuple[ArrayLike, ArrayLike]] | None = None
    """Of "callback": takes a configuration (nq,) [rad or m] and returns a residual (rows,) and its
    derivative (rows, nv) [per rad or m], of spherical joints about their own axes, as
    Model.integrate() moves them.

    It must depend on the configuration alone. Values that are not finite count for nothing. What it
    raises ends the call, which raises it. Solves for many targets call it in their threads, with
    the interpreter's lock. Model.check_callback() compares its derivative with differences."""
