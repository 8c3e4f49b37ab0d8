"""Derivatives of forward kinematics and of solutions, for sinew.torch and sinew.jax.

A change of a pose is a twist x = (dp; w): dp of its origin, and w with dR = w^ R, in the root's
axes. Forward kinematics has dx = J dq. A solution has fk(q) = T for all T near it, so J dq = dx
(implicit function theorem); of all dq that satisfy this, the shortest is dq = J^+ dx. With as many
joints as the pose has coordinates there is no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sinew._constraints import frozen, lower_limits, upper_limits

if TYPE_CHECKING:
    from sinew._core import Model

_Floats = NDArray[np.float64]

# Singular values below this share of the largest count as 0: the derivative is unbounded there.
_SINGULAR = 1e-9

# A joint this near to its limit [rad or m] is at it.
_AT_LIMIT = 1e-9

# How far the last row of a matrix may be off, as Model.solve() allows for rotations.
_ROUNDING = 1e-5


def check_model(model: Model) -> None:
    """Refuses models whose configurations have quaternions."""
    if model.nq != model.nv:
        raise ValueError(
            "derivatives need a model without spherical and floating joints: this one has "
            f"{model.nq} values in q and {model.nv} degrees of freedom"
        )


def _wedge(w: _Floats) -> _Floats:
    """The matrices w^ with w^ x = w x x, of vectors (..., 3)."""
    out = np.zeros((*w.shape[:-1], 3, 3))
    x, y, z = np.moveaxis(w, -1, 0)
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -z, y, -x
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = z, -y, x
    return out


def nearest_poses(T: _Floats) -> _Floats:
    """Poses whose rotations are those nearest to nearly orthonormal matrices, to first order.

    R (3 I - R^T R) / 2: one iteration of Newton for the polar factor. Last rows that are nearly
    0, 0, 0, 1 become that. What is further off stays so, and is refused by the solve.
    """
    out = np.array(T, dtype=np.float64)
    last = np.array([0.0, 0.0, 0.0, 1.0])
    out[..., 3, :] = np.where(np.abs(out[..., 3, :] - last) < _ROUNDING, last, out[..., 3, :])
    R = out[..., :3, :3]
    out[..., :3, :3] = 1.5 * R - 0.5 * R @ np.swapaxes(R, -1, -2) @ R
    return out


def fk_vjp(model: Model, q: _Floats, link: str, T: _Floats, grad: _Floats) -> _Floats:
    """The gradient by q (..., nq) from the gradient by T = fk(q) (..., 4, 4).

    <G, dT> = <G_p, dp> + <G_R R^T, w^>, and <A, w^> = w . (A32 - A23, A13 - A31, A21 - A12).
    """
    A = grad[..., :3, :3] @ np.swapaxes(T[..., :3, :3], -1, -2)
    turn = np.stack(
        [A[..., 2, 1] - A[..., 1, 2], A[..., 0, 2] - A[..., 2, 0], A[..., 1, 0] - A[..., 0, 1]],
        axis=-1,
    )
    twist = np.concatenate([grad[..., :3, 3], turn], axis=-1)
    J = model.jacobian(q, link)
    return np.einsum("...ij,...i->...j", J, twist)


def solve_vjp(
    model: Model,
    q: _Floats,
    link: str,
    T: _Floats,
    converged: NDArray[np.bool_],
    grad: _Floats,
    settings: dict[str, Any],
) -> _Floats:
    """The gradient by the poses T (..., 4, 4) from the gradient by their solutions q (..., nq).

    Joints at their limits and frozen ones stay there: their columns do not count. 0 where there is
    no solution. settings: those of the solve.
    """
    lower, upper = model.lower, model.upper
    if settings.get("limits") is not None:
        lower = lower_limits(model, settings["limits"], "limits")
        upper = upper_limits(model, settings["limits"], "limits")
    stays = (q - lower <= _AT_LIMIT) | (upper - q <= _AT_LIMIT)
    if settings.get("frozen") is not None:
        stays |= frozen(model, settings["frozen"], "frozen") != 0
    J = np.where(stays[..., None, :], 0.0, model.jacobian(q, link))
    twist = np.einsum("...ji,...j->...i", np.linalg.pinv(J, rcond=_SINGULAR), grad)
    twist = np.where(converged[..., None], twist, 0.0)
    out = np.zeros(T.shape)
    out[..., :3, 3] = twist[..., :3]
    # <g, w> = <g^, w^> / 2 = <g^ R, dR> / 2
    out[..., :3, :3] = 0.5 * _wedge(twist[..., 3:]) @ T[..., :3, :3]
    return out
