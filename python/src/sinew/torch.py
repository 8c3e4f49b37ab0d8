"""Forward kinematics and solutions that PyTorch differentiates. PyTorch must be installed.

q, converged = sinew.torch.solve(arm, targets, "panda_link8")
loss(q).backward()
"""

# The framework may be missing where types are checked.
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sinew._derivatives import check_model, fk_vjp, nearest_poses, solve_vjp

if TYPE_CHECKING:
    from sinew._core import Model


def _array(tensor: Any) -> Any:
    return tensor.detach().cpu().numpy().astype(np.float64)


def _tensor(array: Any, like: Any) -> Any:
    return torch.as_tensor(np.ascontiguousarray(array), dtype=like.dtype, device=like.device)


class _Fk(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: Any, model: Model, link: str) -> Any:
        values = _array(q)
        T = model.fk(values, link)
        ctx.saved = model, link, values, T
        return _tensor(T, q)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Any) -> Any:
        model, link, q, T = ctx.saved
        return _tensor(fk_vjp(model, q, link, T, _array(grad)), grad), None, None


class _Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, targets: Any, model: Model, link: str, settings: dict[str, Any]) -> Any:
        T = nearest_poses(_array(targets))
        solution = model.solve(T, link=link, **settings)
        converged = np.asarray(solution.converged)
        ctx.saved = model, link, solution.q, T, converged, settings
        flags = torch.as_tensor(converged, device=targets.device)
        ctx.mark_non_differentiable(flags)
        return _tensor(solution.q, targets), flags

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Any, _flags: Any) -> Any:
        model, link, q, T, converged, settings = ctx.saved
        by_targets = solve_vjp(model, q, link, T, converged, _array(grad), settings)
        return _tensor(by_targets, grad), None, None, None


def fk(model: Model, q: Any, link: str) -> Any:
    """Model.fk(): a tensor (..., nq) to homogeneous matrices (..., 4, 4), with its derivative."""
    check_model(model)
    return _Fk.apply(q, model, link)


def solve(
    model: Model, targets: Any, link: str, seed: Any = None, **settings: Any
) -> tuple[Any, Any]:
    """Model.solve(): homogeneous matrices (..., 4, 4) to q (..., nq), with its derivative.

    seed and settings are those of Model.solve(); the derivative by the seed is 0. With more joints
    than a pose needs, the derivative is the shortest of those that keep the pose. Where a target is
    not reached it is 0.

    Returns q and whether each target is met.
    """
    check_model(model)
    if targets.shape[-2:] != (4, 4):
        raise ValueError(f"targets has shape {tuple(targets.shape)}; it must be (..., 4, 4)")
    if isinstance(seed, torch.Tensor):
        seed = _array(seed)
    return _Solve.apply(targets, model, link, {"seed": seed, **settings})
