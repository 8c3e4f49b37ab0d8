"""What an end effector should do."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

Kind = Literal[
    "position",
    "orientation",
    "pose",
    "direction",
    "look_at",
    "plane",
    "line",
    "distance",
    "yaw",
]


@dataclasses.dataclass(frozen=True)
class Task:
    """What one end effector should do; where, the targets say.

    Use it in place of a link's name to control a point of the link that is not its origin, to point
    an axis, to leave axes free, or to weigh several end effectors and put them in order.
    """

    link: str | None = None
    """The name of the link; None only with center_of_mass."""
    kind: Kind = "pose"
    """What is controlled, and the target that it takes:

    "position": the point reaches a position (3,);
    "orientation": the link's axes align with a rotation;
    "pose": both;
    "direction": the axis points along a direction (3,);
    "look_at": the axis points from the point to a position (3,); with an up_axis (6,): position,
    then the direction in which that points;
    "plane", "line": the point is in the plane with a normal, or on the line along a direction (6,):
    position, then direction;
    "distance": the point is at a distance from a position (4,): position, then distance [m];
    "yaw": the axis has the heading of a direction (3,)."""
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The point of the link that reaches the position: the tool centre point, in the link's frame
    [m]."""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """For "direction", "look_at" and "yaw": the axis, in the tool's frame."""
    free: tuple[Literal["x", "y", "z", "rx", "ry", "rz"], ...] = ()
    """Axes of the target's frame along ("x") or about ("rx") which the error is ignored."""
    position_weight: float = 1.0
    """Relative to other tasks; 0: the position is neither controlled nor checked."""
    orientation_weight: float = 1.0
    """Relative to other tasks; 0: the orientation is neither controlled nor checked."""
    chain_root: str | None = None
    """Only joints below this link are moved; None: all."""
    excluded_joints: tuple[str, ...] = ()
    """Joints that this task does not move, at most 16; other tasks may move them."""
    frame: str | None = None
    """The link in whose frame targets are given, and with which they move; None: the root."""
    cone_angle: float = 0.0
    """For "direction" and "look_at": any direction within this angle is met [rad]."""
    up_axis: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """For "look_at": the axis of the tool that points up; 0: none. For "yaw": the axis about which
    headings are measured; 0: z."""
    lower: tuple[float, ...] = (0.0,) * 6
    upper: tuple[float, ...] = (0.0,) * 6
    """Along x, y, z [m] and about x, y, z [rad] of weight_axes, anywhere between the target plus
    lower and plus upper is met. Of "plane" and "distance" the first is that of the height or
    distance."""
    rotation: Any = None
    """The axes of the tool in the link's frame: a rotation matrix (3, 3) or a Rotation of SciPy;
    None: the link's axes. Orientations, the axis and the up_axis are the tool's."""
    axis_weights: tuple[float, ...] = (1.0,) * 6
    """For "position", "orientation" and "pose": factors on the weight along x, y, z and about x, y,
    z of weight_axes, 0 to 1e6; 0: the axis is neither controlled nor checked. Those of axes that
    the kind does not control, and of free ones, are not read."""
    weight_axes: Literal["target", "tool", "frame"] = "target"
    """The axes of axis_weights, lower and upper: the target's, the tool's own, or those of the
    frame in which targets are given."""
    level: int = 0
    """Its priority, 0 first: a task of level 1 uses only the motion that those of level 0 leave. A
    "look_at" that is to cost a goal nothing needs 1."""
    required: bool | None = None
    """Whether the outcome counts the task; None: at level 0 yes, below no."""
    center_of_mass: bool = False
    """For "position", "plane", "line" and "distance": the point is the centre of mass of the whole
    model, in place of link and point."""
    influence: float = 1.0
    """How far the task goes from where it would be without it to its target, 0 to 1."""
    gain: float = 1.0
    """For a Tracker: the share of the task's error that an update aims to remove, above 0 to 1."""
    hard: bool = False
    """For a Tracker: lower, upper and cone_angle are inequalities that other tasks yield to,
    whatever the weights."""
