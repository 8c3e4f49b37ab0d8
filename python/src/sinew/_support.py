"""Tasks that keep a figure standing."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sinew import _core
from sinew._tasks import Task


def support_polygon(
    contacts: ArrayLike,
    up: ArrayLike = (0.0, 0.0, 1.0),
    margin: float = 0.0,
    *,
    task: Task | None = None,
) -> tuple[list[Task], list[NDArray[np.float64]]]:
    """Tasks that keep the centre of mass above the convex hull of contacts, and their targets.

    contacts: (n, 3), in the frame in which targets are given [m]; on one level plane, with at least
        three corners.
    up: against gravity, (3,), in the same frame, of any length.
    margin: of the centre of mass from each edge [m].
    task: a Task whose weight, frame, chain_root, level, required and influence they have; default:
        Task().

    Returns two lists of the same length, one item for each edge: tasks of the kind "plane", with
    the space on the inner side as their range; and targets (6,), a corner and the normal inward.
    They go beside others:

        tasks, targets = sinew.support_polygon(contacts, margin=0.02)
        model.solve([hand, *targets], ["hand", *tasks])

    Raises sinew.Error for contacts that are not level, have less than three corners or are not
    finite. A margin above half of the polygon's width leaves no place that meets them all.
    """
    targets, fields = _core._support_polygon(contacts, up, margin)
    edge = dataclasses.replace(task or Task(), **fields)
    return [edge] * len(targets), list(targets)
