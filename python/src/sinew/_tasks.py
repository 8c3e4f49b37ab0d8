"""What an end effector should do."""

from __future__ import annotations

import dataclasses
from typing import Literal


@dataclasses.dataclass(frozen=True)
class Task:
    """What one end effector should do; where, the targets say.

    Use it in place of a link's name to control a point of the link that is not its origin, to point
    an axis, to leave axes free, or to weigh several end effectors.
    """

    link: str
    """The name of the link."""
    kind: Literal["position", "orientation", "pose", "direction"] = "pose"
    """Whether it controls the point's position, the link's orientation, both, or the direction of
    the link's axis."""
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The point of the link that reaches the position: the tool centre point, in the link's frame
    [m]."""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """For a direction: the axis, in the link's frame."""
    free: tuple[Literal["x", "y", "z", "rx", "ry", "rz"], ...] = ()
    """Axes of the target's frame along ("x") or about ("rx") which the error is ignored."""
    position_weight: float = 1.0
    """Relative to other tasks; 0: the position is neither controlled nor checked."""
    orientation_weight: float = 1.0
    """Relative to other tasks; 0: the orientation is neither controlled nor checked."""
    chain_root: str | None = None
    """Only joints below this link are moved; None: all."""
