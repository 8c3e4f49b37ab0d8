"""sinew.torch: derivatives against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
import sinew

from ..conftest import MODELS, need

torch = need("torch")


@pytest.fixture
def six():
    """Six joints, as many as a pose has coordinates: solutions are isolated."""
    return sinew.load(MODELS / "arm6.urdf")


def problem(model, count):
    q = model.middle() + 0.3 * (model.random(count, seed=1) - model.middle())
    return q, model.fk(q, model.tips[0])


def test_gradcheck_of_fk(arm):
    from sinew.torch import fk

    q = torch.tensor(arm.random((2, 2), seed=1), requires_grad=True)
    assert torch.autograd.gradcheck(lambda q: fk(arm, q, "flange"), (q,))
    np.testing.assert_array_equal(
        fk(arm, q, "flange").detach().numpy(), arm.fk(q.detach().numpy(), "flange")
    )


def test_gradcheck_of_solve(six):
    from sinew.torch import solve

    q, T = problem(six, 4)
    targets = torch.tensor(T, requires_grad=True)
    link = six.tips[0]

    def joints(targets):
        return solve(six, targets, link, seed=q, tolerance=1e-12, local=True)[0]

    assert torch.autograd.gradcheck(joints, (targets,), eps=1e-6, atol=1e-4, rtol=1e-3)
    one = torch.tensor(T[0], requires_grad=True)
    found, converged = solve(six, one, link, seed=torch.tensor(q[0]))
    assert converged.item()
    found.sum().backward()
    assert one.grad.shape == (4, 4)


def test_redundant_arm(arm):
    """fk(solve(T)) is T: so is its derivative, whatever the null space."""
    from sinew.torch import fk, solve

    _, T = problem(arm, 5)
    targets = torch.tensor(T, requires_grad=True)
    weights = torch.randn(5, 3, dtype=torch.float64)
    q, converged = solve(arm, targets, "flange", tolerance=1e-10)
    assert converged.all()
    (fk(arm, q, "flange")[:, :3, 3] * weights).sum().backward()
    np.testing.assert_allclose(targets.grad[:, :3, 3], weights, atol=1e-6)


def test_no_solution_has_no_derivative(arm):
    from sinew.torch import solve

    far = torch.eye(4, dtype=torch.float64)
    far[:3, 3] = 9
    far.requires_grad_()
    q, converged = solve(arm, far, "flange")
    assert not converged
    q.sum().backward()
    assert (far.grad == 0).all()


def test_float32_and_errors(arm):
    from sinew.torch import fk, solve

    q = torch.zeros(3, 7)
    assert fk(arm, q, "flange").dtype == torch.float32
    with pytest.raises(ValueError, match=r"targets has shape \(3, 7\)"):
        solve(arm, q, "flange")
    floating = sinew.load(MODELS / "arm7.urdf", floating_base=True)
    with pytest.raises(ValueError, match="without spherical and floating"):
        fk(floating, torch.zeros(14), "flange")
