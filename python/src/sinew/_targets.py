"""Targets that are objects of other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np


def _convert(target: Any) -> tuple[Any, str | None]:
    """An array for one object, and the order of its quaternions if it has any."""
    if hasattr(target, "as_quat"):  # scipy.spatial.transform.Rotation
        return target.as_quat(), "xyzw"
    if hasattr(target, "as_matrix"):  # scipy.spatial.transform.RigidTransform
        return target.as_matrix(), None
    if hasattr(target, "homogeneous"):  # pinocchio.SE3
        return target.homogeneous, None
    if hasattr(target, "A") and hasattr(target, "t"):  # spatialmath.SE3
        return target.A, None
    return target, None


def to_array(targets: Any) -> tuple[Any, str | None]:
    """Targets as something that NumPy reads, and the order of their quaternions, or None.

    A pair of positions and a Rotation becomes poses. Lists of objects become arrays.
    """
    if isinstance(targets, (tuple, list)):
        items = cast("Sequence[Any]", targets)
        if len(items) == 2 and hasattr(items[1], "as_quat"):
            positions = np.asarray(items[0], dtype=float)
            quaternions = np.asarray(items[1].as_quat(), dtype=float)
            leading = np.broadcast_shapes(positions.shape[:-1], quaternions.shape[:-1])
            parts = [
                np.broadcast_to(positions, (*leading, positions.shape[-1])),
                np.broadcast_to(quaternions, (*leading, 4)),
            ]
            return np.concatenate(parts, axis=-1), "xyzw"
        converted = [_convert(item) for item in items]
        if any(new is not old for (new, _), old in zip(converted, items, strict=True)):
            orders = {order for _, order in converted}
            if len(orders) > 1:
                raise TypeError("targets mixes objects of different kinds")
            return np.stack([np.asarray(new) for new, _ in converted]), orders.pop()
        return items, None
    return _convert(targets)
