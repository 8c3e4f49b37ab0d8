"""The parts of Model that are written in Python, and added to the compiled class."""

from __future__ import annotations

import copyreg
import dataclasses
from typing import Any

from sinew import _core, _load


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
    return [_joint(fields) for fields in self._joints]


def _joint_names(self: _core.Model) -> list[str]:
    return [fields["name"] for fields in self._joints if fields["nq"] > 0]


def _warnings(self: _core.Model) -> list[str]:
    return list(self._warnings)


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
    model = _core.Model
    for public in (model, _core.Crowd, _core.Tracker):
        public.__module__ = "sinew"
    model.joints = property(_joints)
    model.joint_names = property(_joint_names)
    model.warnings = property(_warnings)
    model.dof = property(lambda self: self.nv)
    model.__repr__ = _represent
    model.__copy__ = _itself
    model.__deepcopy__ = _itself
    copyreg.pickle(model, _reduce)


_add_to_model()
