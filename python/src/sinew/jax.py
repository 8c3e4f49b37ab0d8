"""Forward kinematics and solutions that JAX differentiates. JAX must be installed.

Both may be used under jit, vmap and grad: the values are computed on the host. Without
jax.config.update("jax_enable_x64", True) they are rounded to float32.
"""

# The framework may be missing where types are checked.
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from sinew._derivatives import check_model, fk_vjp, nearest_poses, solve_vjp

if TYPE_CHECKING:
    from sinew._core import Model


def _call(function: Any, result: Any, *arguments: Any) -> Any:
    return jax.pure_callback(function, result, *arguments, vmap_method="broadcast_all")


def _shape(shape: tuple[int, ...], dtype: Any) -> Any:
    return jax.ShapeDtypeStruct(shape, dtype)


def _double(array: Any) -> Any:
    return np.asarray(array, dtype=np.float64)


@functools.lru_cache(maxsize=64)
def _fk(model: Model, link: str) -> Any:
    @jax.custom_vjp
    def compute(q: Any) -> Any:
        def on_host(q: Any) -> Any:
            return model.fk(_double(q), link).astype(q.dtype)

        return _call(on_host, _shape((*q.shape[:-1], 4, 4), q.dtype), q)

    def forward(q: Any) -> Any:
        T = compute(q)
        return T, (q, T)

    def backward(saved: Any, grad: Any) -> Any:
        def on_host(q: Any, T: Any, grad: Any) -> Any:
            return fk_vjp(model, _double(q), link, _double(T), _double(grad)).astype(q.dtype)

        q, T = saved
        return (_call(on_host, _shape(q.shape, q.dtype), q, T, grad),)

    compute.defvjp(forward, backward)
    return compute


@functools.lru_cache(maxsize=64)
def _solve(model: Model, link: str, settings: tuple[tuple[str, Any], ...]) -> Any:
    @jax.custom_vjp
    def compute(targets: Any, seed: Any) -> Any:
        def on_host(targets: Any, seed: Any) -> Any:
            start = np.broadcast_to(_double(seed), (*targets.shape[:-2], model.nq))
            poses = nearest_poses(_double(targets))
            solution = model.solve(poses, link=link, seed=start, **dict(settings))
            return np.asarray(solution.q, targets.dtype), np.asarray(solution.converged)

        leading = targets.shape[:-2]
        result = (_shape((*leading, model.nq), targets.dtype), _shape(leading, np.bool_))
        return _call(on_host, result, targets, seed)

    def forward(targets: Any, seed: Any) -> Any:
        q, converged = compute(targets, seed)
        return (q, converged), (targets, seed, q, converged)

    def backward(saved: Any, grads: Any) -> Any:
        def on_host(T: Any, q: Any, converged: Any, grad: Any) -> Any:
            poses = nearest_poses(_double(T))
            return solve_vjp(
                model,
                _double(q),
                link,
                poses,
                np.asarray(converged),
                _double(grad),
                dict(settings),
            ).astype(T.dtype)

        targets, seed, q, converged = saved
        grad = _call(on_host, _shape(targets.shape, targets.dtype), targets, q, converged, grads[0])
        return grad, jnp.zeros_like(seed)

    compute.defvjp(forward, backward)
    return compute


def fk(model: Model, q: Any, link: str) -> Any:
    """Model.fk(): (..., nq) to homogeneous matrices (..., 4, 4), with its derivative."""
    check_model(model)
    return _fk(model, link)(jnp.asarray(q))


def solve(
    model: Model, targets: Any, link: str, seed: Any = None, **settings: Any
) -> tuple[Any, Any]:
    """Model.solve(): homogeneous matrices (..., 4, 4) to q (..., nq), with its derivative.

    seed (nq,) or (..., nq), default the middle of the limits, and settings are those of
    Model.solve(); the derivative by the seed is 0. With more joints than a pose needs, the
    derivative is the shortest of those that keep the pose. Where a target is not reached it is 0.

    Settings must be hashable: tuples, not arrays or dicts.

    Returns q and whether each target is met.
    """
    check_model(model)
    targets = jnp.asarray(targets)
    if targets.shape[-2:] != (4, 4):
        raise ValueError(f"targets has shape {targets.shape}; it must be (..., 4, 4)")
    start = jnp.asarray(model.middle() if seed is None else seed, dtype=targets.dtype)
    start = jnp.broadcast_to(start, (*targets.shape[:-2], model.nq))
    return _solve(model, link, tuple(sorted(settings.items())))(targets, start)
