"""sinew.jax: derivatives against finite differences, under jit and vmap."""

from __future__ import annotations

import numpy as np
import pytest
import sinew

from ..conftest import MODELS, need

jax = need("jax")
jax.config.update("jax_enable_x64", True)


def check_gradients(function, arguments):
    from jax.test_util import check_grads

    check_grads(function, arguments, order=1, modes=["rev"], eps=1e-6, atol=1e-4, rtol=1e-3)


def test_fk(arm):
    from sinew.jax import fk

    q = arm.random((2, 2), seed=1)
    T = arm.fk(q, "flange")
    np.testing.assert_array_equal(fk(arm, q, "flange"), T)
    np.testing.assert_array_equal(jax.jit(lambda q: fk(arm, q, "flange"))(q), T)
    np.testing.assert_array_equal(jax.vmap(lambda q: fk(arm, q, "flange"))(q), T)
    check_gradients(lambda q: fk(arm, q, "flange"), (q,))


def test_solve():
    from sinew.jax import solve

    model = sinew.load(MODELS / "arm6.urdf")
    link = model.tips[0]
    q = model.middle() + 0.3 * (model.random(4, seed=1) - model.middle())
    T = model.fk(q, link)

    def joints(T):
        return solve(model, T, link, seed=q, tolerance=1e-12, local=True)[0]

    assert solve(model, T, link)[1].all()
    np.testing.assert_allclose(jax.jit(joints)(T), q, atol=1e-9)
    check_gradients(joints, (T,))


def test_redundant_arm(arm):
    from sinew.jax import fk, solve

    T = arm.fk(arm.middle() + 0.1, "flange")
    weights = np.array([1.0, -2.0, 3.0])

    def through(T):
        q, _ = solve(arm, T, "flange", tolerance=1e-10)
        return fk(arm, q, "flange")[:3, 3] @ weights

    np.testing.assert_allclose(jax.grad(through)(T)[:3, 3], weights, atol=1e-6)


def test_errors(arm):
    from sinew.jax import fk, solve

    with pytest.raises(ValueError, match="targets has shape"):
        solve(arm, np.zeros((3, 7)), "flange")
    floating = sinew.load(MODELS / "arm7.urdf", floating_base=True)
    with pytest.raises(ValueError, match="without spherical and floating"):
        fk(floating, np.zeros(14), "flange")
