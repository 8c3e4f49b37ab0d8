"""Pictures of models by matplotlib, which must be installed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from sinew._core import Model

_AXIS_COLOURS = ("tab:red", "tab:green", "tab:blue")


def figure(
    model: Model,
    q: ArrayLike,
    *,
    targets: ArrayLike | None = None,
    frames: list[str] | None = None,
    axes: Any = None,
) -> Any:
    """Draws a model as lines between the origins of its links. Returns matplotlib's figure.

    q: one configuration (nq,), or several (n, nq), the first ones paler.
    targets: homogeneous matrices (..., 4, 4) or positions (..., 3), drawn as triads or crosses.
    frames: links whose axes are drawn; default: the end links, if there are up to four.
    axes: three-dimensional axes of matplotlib to draw on; default: those of a new figure.
    """
    if axes is None:
        pyplot: Any = importlib.import_module("matplotlib.pyplot")
        axes = pyplot.figure(figsize=(6, 6)).add_subplot(projection="3d")
    configurations = np.atleast_2d(np.asarray(q, dtype=float))
    poses = model.fk(configurations, model.links)
    index = {link: i for i, link in enumerate(model.links)}
    if frames is None:
        frames = model.tips if len(model.tips) <= 4 else []
    for number, links in enumerate(poses):
        alpha = 0.3 + 0.7 * (number + 1) / len(poses)
        for joint in model.joints:
            ends = links[[index[joint.parent], index[joint.child]], :3, 3]
            axes.plot(*ends.T, color="tab:gray", linewidth=3, alpha=alpha)
            if joint.v.stop > joint.v.start:
                axes.plot(*ends[1:].T, "o", color="black", markersize=4, alpha=alpha)
        for link in frames:
            _triad(axes, links[index[link]], 0.1 * model.size, alpha)
    _draw_targets(axes, targets, 0.12 * model.size)
    _set_equal(axes, poses[..., :3, 3])
    return axes.get_figure()


def _triad(axes: Any, pose: NDArray[np.float64], length: float, alpha: float) -> None:
    for column, colour in enumerate(_AXIS_COLOURS):
        ends = pose[:3, 3] + np.outer([0, length], pose[:3, column])
        x, y, z = np.transpose(ends)
        axes.plot(x, y, z, color=colour, linewidth=1.5, alpha=alpha)


def _draw_targets(axes: Any, targets: ArrayLike | None, length: float) -> None:
    if targets is None:
        return
    array = np.asarray(targets, dtype=float)
    if array.shape[-2:] == (4, 4):
        for pose in np.reshape(array, (-1, 4, 4)):
            _triad(axes, pose, length, 1)
    elif array.shape[-1:] == (3,):
        x, y, z = np.transpose(np.reshape(array, (-1, 3)))
        axes.plot(x, y, z, "x", color="tab:red", markersize=8)
    else:
        raise ValueError(f"targets has shape {array.shape}; its last axes must be (4, 4) or (3,)")


def _set_equal(axes: Any, points: NDArray[np.float64]) -> None:
    """The same scale on all axes, about what is drawn."""
    flat = np.reshape(points, (-1, 3))
    low, high = flat.min(axis=0), flat.max(axis=0)
    half = max(float((high - low).max()) / 2, 1e-9) * 1.1
    for name, middle in zip("xyz", (low + high) / 2, strict=True):
        getattr(axes, f"set_{name}lim")(middle - half, middle + half)
        getattr(axes, f"set_{name}label")(name)
    axes.set_box_aspect((1, 1, 1))
