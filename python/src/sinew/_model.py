"""The parts of Model that are written in Python, and added to the compiled class."""

from __future__ import annotations

import copyreg
import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sinew import _core, _load
from sinew._errors import unknown_name


@dataclasses.dataclass(frozen=True)
class Joint:
    """One joint of a model."""

    name: str
    kind: str
    """ "revolute", "continuous", "prismatic", "fixed", "spherical", "free" and so on."""
    parent: str
    """The link that carries it."""
    child: str
    """The link that it moves."""
    q: slice
    """Its values in a configuration: q[..., joint.q]. Empty if it is fixed or coupled."""
    v: slice
    """Its values in velocities and limits."""
    driver: str | None
    """Of a coupled (mimic) joint: the joint that drives it."""
    ratio: float
    """Of a coupled joint: its value is ratio * driver + offset."""
    offset: float
    """[rad or m]"""


def _joint(fields: dict[str, Any]) -> Joint:
    q_index, v_index = fields["q_index"], fields["v_index"]
    return Joint(
        name=fields["name"],
        kind=fields["kind"],
        parent=fields["parent"],
        child=fields["child"],
        q=slice(q_index, q_index + fields["nq"]),
        v=slice(v_index, v_index + fields["nv"]),
        driver=fields["driver"],
        ratio=fields["ratio"],
        offset=fields["offset"],
    )


def _joints(self: _core.Model) -> list[Joint]:
    """All joints, in the file's order."""
    return [_joint(fields) for fields in self._joints]


def _joint_names(self: _core.Model) -> list[str]:
    """The names of the joints that have values in q, in its order."""
    return [fields["name"] for fields in self._joints if fields["nq"] > 0]


def _warnings(self: _core.Model) -> list[str]:
    """What was ignored or assumed when the model was read."""
    return list(self._warnings)


def _order(self: _core.Model, names: Sequence[str]) -> NDArray[np.intp]:
    """Where the values of joints are in q: q[..., model.order(names)] has the order of names.

    For programs that have joints in another order. Of a joint with several values, all are taken.
    """
    by_name = {joint.name: joint for joint in _joints(self)}
    indices: list[int] = []
    for name in names:
        if name not in by_name:
            raise unknown_name("joint", name, _joint_names(self))
        place = by_name[name].q
        indices += range(place.start, place.stop)
    return np.array(indices, dtype=np.intp)


def _dof(self: _core.Model) -> int:
    """The degrees of freedom: nv."""
    return self.nv


def _represent(self: _core.Model) -> str:
    names = _joint_names(self)
    shown = ", ".join(names if len(names) <= 8 else [*names[:6], "...", names[-1]])
    return (
        f"<sinew.Model {self.name!r}: {self.nv} degrees of freedom ({shown}), "
        f"{len(self.links)} links>"
    )


def _itself(self: _core.Model, *_: object) -> _core.Model:
    return self


def _reduce(model: _core.Model) -> tuple[Any, ...]:
    return _load.restore, model._source


def _add_to_model() -> None:
    for public in (_core.Model, _core.Crowd, _core.Tracker):
        public.__module__ = "sinew"
    members: dict[str, object] = {
        "joints": property(_joints),
        "joint_names": property(_joint_names),
        "warnings": property(_warnings),
        "dof": property(_dof),
        "order": _order,
        "__repr__": _represent,
        "__copy__": _itself,
        "__deepcopy__": _itself,
    }
    for name, member in members.items():
        setattr(_core.Model, name, member)
    copyreg.pickle(_core.Model, _reduce)


_add_to_model()
