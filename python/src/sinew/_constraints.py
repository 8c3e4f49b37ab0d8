"""Values of degrees of freedom, as arguments give them: called by the compiled module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from sinew._errors import unknown_name
from sinew._objectives import Objective

if TYPE_CHECKING:
    from sinew._core import Model

_Floats = NDArray[np.float64]


def _places(model: Model, joint: str, name: str) -> slice:
    """The degrees of freedom of a joint."""
    for other in model.joints:
        if other.name == joint:
            if other.v.start == other.v.stop:
                raise ValueError(f"{name}: the joint {joint!r} is fixed or coupled to another")
            return other.v
    raise unknown_name("joint", joint, model.joint_names)


def _numbers(values: Any, name: str) -> _Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def _spread(model: Model, values: Any, name: str, default: _Floats) -> _Floats:
    """One value for all, one for each degree of freedom, or a mapping from joints to values."""
    out = np.array(default, dtype=np.float64)
    if isinstance(values, Mapping):
        for joint, value in cast("Mapping[str, Any]", values).items():
            out[_places(model, joint, name)] = _numbers(value, f"{name}[{joint!r}]")
        return out
    array = _numbers(values, name)
    if array.shape not in {(), (model.nv,)}:
        raise ValueError(f"{name} has shape {array.shape}; it must be () or ({model.nv},)")
    out[...] = array
    return out


def _limits(model: Model, values: Any, name: str, side: int) -> _Floats:
    default = model.upper if side else model.lower
    if isinstance(values, Mapping):
        pairs = cast("Mapping[str, Any]", values).items()
        for joint, pair in pairs:
            if not hasattr(pair, "__len__") or len(pair) != 2:
                raise ValueError(f"{name}: the value of {joint!r} must be a pair, lower and upper")
        return _spread(model, {joint: pair[side] for joint, pair in pairs}, name, default)
    if not hasattr(values, "__len__") or len(values) != 2:
        raise ValueError(
            f"{name} must be a pair, lower and upper, or a mapping from joints to pairs"
        )
    return _spread(model, values[side], f"{name}[{side}]", default)


def lower_limits(model: Model, limits: Any, name: str) -> _Floats:
    """Of a pair (lower, upper), or of a mapping from joints to pairs."""
    return _limits(model, limits, name, 0)


def upper_limits(model: Model, limits: Any, name: str) -> _Floats:
    """As lower_limits()."""
    return _limits(model, limits, name, 1)


def frozen(model: Model, values: Any, name: str) -> _Floats:
    """0 or 1 for each degree of freedom, from names of joints or from booleans."""
    out = np.zeros(model.nv)
    if isinstance(values, str):
        raise TypeError(f"{name} must be names of joints or ({model.nv},) booleans, not one str")
    items = list(values)
    if all(isinstance(item, str) for item in items):
        for joint in items:
            out[_places(model, joint, name)] = 1
        return out
    flags = np.asarray(items)
    if flags.dtype != np.bool_ or flags.shape != (model.nv,):
        raise ValueError(
            f"{name} has shape {flags.shape} and type {flags.dtype}; it must be names of joints, "
            f"or ({model.nv},) booleans"
        )
    return flags.astype(np.float64)


def gains(model: Model, values: Any, name: str) -> _Floats:
    """Numbers that are 1 where a mapping does not name the joint."""
    return _spread(model, values, name, np.ones(model.nv))


def coefficients(model: Model, values: Any, name: str) -> _Floats:
    """Numbers that are 0 where a mapping does not name the joint."""
    return _spread(model, values, name, np.zeros(model.nv))


def largest(model: Model, values: Any, name: str) -> _Floats:
    """Largest values, which are infinite where a mapping does not name the joint."""
    return _spread(model, values, name, np.full(model.nv, np.inf))


def speeds(model: Model, values: Any, name: str) -> _Floats:
    """Largest speeds, the model's where a mapping does not name the joint."""
    return _spread(model, values, name, model.velocity)


def posture(model: Model, values: Any, name: str) -> _Floats:
    """One configuration."""
    array = _numbers(values, name)
    if array.shape != (model.nq,):
        raise ValueError(f"{name} has shape {array.shape}; it must be ({model.nq},)")
    return array


def objectives(values: Any) -> list[Objective]:
    """One objective or several."""
    if isinstance(values, Objective):
        return [values]
    if not isinstance(values, Sequence):
        raise TypeError(f"objectives must be a sinew.Objective or a list of them, not {values!r}")
    items = list(cast("Sequence[Any]", values))
    for item in items:
        if not isinstance(item, Objective):
            raise TypeError(f"objectives must be a sinew.Objective or a list of them, not {item!r}")
    return items
