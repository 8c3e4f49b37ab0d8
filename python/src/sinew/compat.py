"""The calls of other packages, answered by sinew: for programs that were written for them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sinew._core import Model
from sinew._load import load
from sinew._model import Joint
from sinew._tasks import Task

_Floats = NDArray[np.float64]
_Mode = Literal["X", "Y", "Z", "all"] | None


class Chain:
    """What ikpy.chain.Chain does: the chain from the root link to one end link.

    Joint vectors are ikpy's: 0 for the base link, then a value for each joint of the chain, fixed
    ones too. Joints outside of the chain stay at the middle of their limits.
    """

    def __init__(self, model: Model, link: str | None = None) -> None:
        """link: the end link; default: the model's only one."""
        if link is None and len(model.tips) != 1:
            raise ValueError(f"link must be given: the end links are {', '.join(model.tips)}")
        self.model = model
        self.link = link if link is not None else model.tips[0]
        by_child = {joint.child: joint for joint in model.joints}
        self.joints: list[Joint] = []
        at = self.link
        while at in by_child:
            self.joints.insert(0, by_child[at])
            at = by_child[at].parent
        for joint in self.joints:
            if joint.q.stop - joint.q.start > 1 or joint.driver is not None:
                raise ValueError(f"{joint.name}: a chain has only joints with one value or none")

    @classmethod
    def from_urdf_file(
        cls,
        urdf_file: str | os.PathLike[str],
        base_elements: Sequence[str] | None = None,
        last_link: str | None = None,
    ) -> Chain:
        """Reads a URDF. The chain begins at the model's root link, which base_elements may name."""
        model = load(urdf_file)
        if base_elements is not None and base_elements[0] != model.root:
            raise ValueError(
                f"base_elements begins with {base_elements[0]!r}; the chain begins at the root "
                f"link, {model.root!r}"
            )
        return cls(model, last_link)

    def __len__(self) -> int:
        return len(self.joints) + 1

    def _to_q(self, joints: ArrayLike | None) -> _Floats:
        q = self.model.middle()
        if joints is not None:
            values = np.asarray(joints, dtype=float)
            if values.shape != (len(self),):
                raise ValueError(
                    f"joints has shape {values.shape}; it must be ({len(self)},): the base link, "
                    "then every joint"
                )
            for joint, value in zip(self.joints, values[1:], strict=True):
                q[joint.q] = value
        return q

    def _from_q(self, q: _Floats) -> _Floats:
        values = [float(q[joint.q][0]) if len(q[joint.q]) else 0.0 for joint in self.joints]
        return np.array([0.0, *values])

    def forward_kinematics(self, joints: ArrayLike) -> _Floats:
        """The pose of the end link, (4, 4)."""
        return self.model.fk(self._to_q(joints), self.link)

    def inverse_kinematics(
        self,
        target_position: ArrayLike | None = None,
        target_orientation: ArrayLike | None = None,
        orientation_mode: _Mode = None,
        *,
        initial_position: ArrayLike | None = None,
    ) -> _Floats:
        """Joint values whose end link is at a position, has an orientation (3, 3), or both.

        orientation_mode: "all", or the axis of the end link that points along target_orientation.
        The result is the nearest configuration found where there is no solution, as in ikpy.
        """
        targets: list[Any] = []
        tasks: list[Task] = []
        if orientation_mode == "all":
            targets.append(np.asarray(target_orientation, dtype=float))
            tasks.append(Task(self.link, "orientation"))
        elif orientation_mode is not None:
            axis = "XYZ".index(orientation_mode)
            x, y, z = np.eye(3)[axis]
            targets.append(np.asarray(target_orientation, dtype=float))
            tasks.append(Task(self.link, "direction", axis=(x, y, z)))
        if target_position is not None or not tasks:
            targets.append(np.zeros(3) if target_position is None else target_position)
            tasks.append(Task(self.link, "position"))
        seed = self._to_q(initial_position)
        return self._from_q(self.model.solve(targets, link=tasks, seed=seed).q)

    def inverse_kinematics_frame(
        self,
        target: ArrayLike,
        initial_position: ArrayLike | None = None,
        *,
        orientation_mode: _Mode = None,
        no_position: bool = False,
    ) -> _Floats:
        """The same for a homogeneous matrix, of which orientation_mode tells what counts."""
        pose = np.asarray(target, dtype=float)
        orientation: Any = None
        if orientation_mode == "all":
            orientation = pose[:3, :3]
        elif orientation_mode is not None:
            orientation = pose[:3, "XYZ".index(orientation_mode)]
        return self.inverse_kinematics(
            None if no_position else pose[:3, 3],
            orientation,
            orientation_mode,
            initial_position=initial_position,
        )


class IKSolution(NamedTuple):
    """What roboticstoolbox's solvers return."""

    q: _Floats
    success: bool
    iterations: int
    searches: int
    residual: float
    """The larger of the errors in metres and radians."""


def ik_LM(
    model: Model,
    Tep: Any,
    end: str | None = None,
    q0: ArrayLike | None = None,
    *,
    slimit: int = 1000,
    tol: float = 1e-6,
    **_ignored: Any,
) -> IKSolution:
    """What roboticstoolbox's Robot.ik_LM() does, with its result.

    Tep: the pose of the link end, (4, 4) or an SE3 of spatialmath; q0: the seed; slimit: most
    attempts; tol: of position [m] and orientation [rad]. Other arguments of ik_LM() have no effect:
    limits are always kept, and no constant needs to be chosen.
    """
    solution = model.solve(Tep, link=end, seed=q0, tolerance=tol, max_starts=slimit)
    residual = max(solution.position_error, solution.orientation_error)
    return IKSolution(solution.q, solution.converged, solution.steps, 1, residual)
