from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sinew._model import Joint
from sinew._objectives import Objective
from sinew._results import Bound, HardRow, ObjectiveReport, Outcome, SetReport, Solutions
from sinew._tasks import Task

__version__: str

_Floats: TypeAlias = NDArray[np.float64]
_Order: TypeAlias = Literal["wxyz", "xyzw"]
_Tolerance: TypeAlias = float | tuple[float, float]
# An end effector, or several.
_Link: TypeAlias = str | Task | Sequence[str | Task]
# One number, (nv,), or a mapping from joints to numbers.
_Dofs: TypeAlias = ArrayLike | Mapping[str, ArrayLike]
# Lower and upper, or a mapping from joints to such pairs.
_Limits: TypeAlias = ArrayLike | tuple[_Dofs, _Dofs] | Mapping[str, ArrayLike]
# Names of joints, or (nv,) booleans.
_Frozen: TypeAlias = Sequence[str] | Sequence[bool] | NDArray[np.bool_]
_Objectives: TypeAlias = Objective | Sequence[Objective]
# Arrays, lists, or objects of other libraries: Rotation, RigidTransform, SE3.
_Targets: TypeAlias = Any

class Model:
    """A robot or skeleton: a tree of links and joints. Read one with sinew.load().

    It does not change, and may be shared by threads, pickled and copied.
    """

    @property
    def name(self) -> str: ...
    @property
    def joints(self) -> list[Joint]: ...
    @property
    def joint_names(self) -> list[str]: ...
    @property
    def links(self) -> list[str]: ...
    @property
    def tips(self) -> list[str]: ...
    @property
    def root(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def dof(self) -> int: ...
    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def size(self) -> float: ...
    @property
    def lower(self) -> _Floats: ...
    @property
    def upper(self) -> _Floats: ...
    @property
    def velocity(self) -> _Floats: ...
    @property
    def motion(self) -> _Floats | None: ...
    @property
    def frame_time(self) -> float | None: ...
    @property
    def _source(self) -> tuple[bytes, str, bool]: ...
    @property
    def _joints(self) -> list[dict[str, Any]]: ...
    @property
    def _warnings(self) -> list[str]: ...
    def __copy__(self) -> Model: ...
    def __deepcopy__(self, memo: object, /) -> Model: ...
    def fk(
        self, q: ArrayLike, link: str | Sequence[str], *, quaternion: _Order | None = None
    ) -> _Floats: ...
    def jacobian(
        self,
        q: ArrayLike,
        link: str,
        *,
        point: ArrayLike | None = None,
        axes: Literal["root", "link"] = "root",
    ) -> _Floats: ...
    def order(self, names: Sequence[str]) -> NDArray[np.intp]: ...
    def middle(self) -> _Floats: ...
    def random(self, size: int | Sequence[int] | None = None, *, seed: int = 0) -> _Floats: ...
    def integrate(self, q: ArrayLike, v: ArrayLike) -> _Floats: ...
    def difference(self, q0: ArrayLike, q1: ArrayLike) -> _Floats: ...
    def normalize(self, q: ArrayLike) -> _Floats: ...
    def joint_values(self, q: ArrayLike) -> _Floats: ...

    # A Solution for one target, Solutions for an array of them: the shape decides.
    def solve(
        self,
        targets: _Targets,
        link: _Link | None = None,
        seed: ArrayLike | None = None,
        *,
        nearest: bool = False,
        local: bool = False,
        quaternion: _Order | None = None,
        tolerance: _Tolerance = 1e-6,
        max_starts: int = 1000,
        lanes: int = 0,
        bank: int = 16384,
        network: bytes | None = None,
        threads: int | None = None,
        out: _Floats | None = None,
        invalid: Literal["raise", "mark"] = "raise",
        limits: _Limits | None = None,
        frozen: _Frozen | None = None,
        gains: _Dofs | None = None,
        objectives: _Objectives | None = None,
    ) -> Solution | Any: ...
    @overload
    def solve_all(
        self,
        target: _Targets,
        link: _Link | None = None,
        seed: ArrayLike | None = None,
        *,
        capacity: int = 64,
        turns: bool = False,
        distinct: float = 0.01,
        quaternion: _Order | None = None,
        tolerance: _Tolerance = 1e-6,
        max_starts: int = 1000,
        lanes: int = 0,
        bank: int = 16384,
        network: bytes | None = None,
        limits: _Limits | None = None,
        frozen: _Frozen | None = None,
        gains: _Dofs | None = None,
        report: Literal[False] = False,
    ) -> _Floats: ...
    @overload
    def solve_all(
        self,
        target: _Targets,
        link: _Link | None = None,
        seed: ArrayLike | None = None,
        *,
        capacity: int = 64,
        turns: bool = False,
        distinct: float = 0.01,
        quaternion: _Order | None = None,
        tolerance: _Tolerance = 1e-6,
        max_starts: int = 1000,
        lanes: int = 0,
        bank: int = 16384,
        network: bytes | None = None,
        limits: _Limits | None = None,
        frozen: _Frozen | None = None,
        gains: _Dofs | None = None,
        report: Literal[True],
    ) -> tuple[_Floats, SetReport]: ...
    def branch(
        self, q: ArrayLike, link: str | Task | None = None, *, frozen: _Frozen | None = None
    ) -> dict[str, str]: ...
    def check_callback(
        self, objective: Objective, q: ArrayLike, tolerance: float = 1e-6
    ) -> None: ...

@final
class Solution:
    """The result of a solve or an update: joint values, and how it ended.

    It is true if all targets are met: if model.solve(...): ...
    """

    @property
    def q(self) -> _Floats: ...
    @property
    def outcome(self) -> Outcome: ...
    @property
    def converged(self) -> bool: ...
    @property
    def position_error(self) -> float: ...
    @property
    def orientation_error(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def limiting_joint(self) -> str | None: ...
    @property
    def reach_task(self) -> int | None: ...
    @property
    def reach(self) -> float | None: ...
    @property
    def target_distance(self) -> float | None: ...
    def __bool__(self) -> bool: ...

class Tracker:
    """One figure that follows moving targets, one update a frame."""

    def __init__(
        self,
        model: Model,
        link: _Link,
        q: ArrayLike | None = None,
        *,
        time_step: float = 0.0,
        error_gain: float = 1.0,
        max_change: float = 0.095,
        damping_scale: float = 1.0,
        escape: bool = False,
        keep_base: bool = False,
        tolerance: _Tolerance | None = None,
        quaternion: _Order | None = None,
        limits: _Limits | None = None,
        frozen: _Frozen | None = None,
        gains: _Dofs | None = None,
        objectives: _Objectives | None = None,
        speeds: _Dofs | None = None,
        speed_scale: float = 1.0,
        accelerations: _Dofs | None = None,
        margins: _Tolerance | None = None,
        influences: int | None = None,
    ) -> None: ...
    @property
    def q(self) -> _Floats: ...
    def bounds(self) -> list[Bound]: ...
    def hard_rows(self) -> list[HardRow]: ...
    def objective_reports(self) -> list[ObjectiveReport]: ...
    def set_influences(self, values: ArrayLike) -> None: ...
    def update(
        self, targets: _Targets, *, twist: ArrayLike | None = None, out: _Floats | None = None
    ) -> Solution: ...
    def reset(self, q: ArrayLike | None = None) -> None: ...

class Crowd:
    """Many figures of one model that follow moving targets, one update a frame."""

    def __init__(
        self,
        model: Model,
        link: _Link,
        figures: int,
        q: ArrayLike | None = None,
        *,
        time_step: float = 0.0,
        error_gain: float = 1.0,
        max_change: float = 0.095,
        damping_scale: float = 1.0,
        tolerance: _Tolerance | None = None,
        quaternion: _Order | None = None,
        lanes: int = 0,
        limits: _Limits | None = None,
        frozen: _Frozen | None = None,
        gains: _Dofs | None = None,
        objectives: _Objectives | None = None,
    ) -> None: ...
    @property
    def figures(self) -> int: ...
    @property
    def q(self) -> _Floats: ...
    def update(self, targets: _Targets, *, threads: int | None = None) -> Solutions: ...
    def follow(
        self,
        tracks: list[_Targets],
        *,
        seed: ArrayLike | None = None,
        threads: int | None = None,
    ) -> list[Solutions]: ...
    def reset(self, q: ArrayLike | None = None) -> None: ...

class XmlReader:
    def __init__(self, text: bytes, name: str, floating_base: bool) -> None: ...
    def start(self, name: str, attributes: Sequence[str], line: int, /) -> None: ...
    def end(self, name: str, line: int, /) -> None: ...
    def doctype(self, name: str, has_declarations: bool, line: int, /) -> None: ...
    def finish(self) -> Model: ...

def read_text(text: bytes, name: str, floating_base: bool) -> Model: ...
def _support_polygon(
    contacts: ArrayLike, up: ArrayLike, margin: float
) -> tuple[_Floats, dict[str, Any]]: ...
def _members() -> dict[str, dict[str, str]]: ...
def detect(text: bytes) -> str | None: ...
def _solution(
    outcome: int,
    position_error: float,
    orientation_error: float,
    steps: int,
    reach_task: int,
    reach: float,
    target_distance: float,
    joint: str | None,
    q: ArrayLike,
) -> Solution: ...
