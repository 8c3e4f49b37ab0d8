"""Starts by a network: the bytes of a file, written here after the head that the examples have."""

from __future__ import annotations

import struct
import subprocess

import numpy as np
import pytest
import sinew

from .conftest import MODELS, PROGRAM, missing


def network_of(model: sinew.Model, q: np.ndarray) -> bytes:
    """Of arm7.urdf and poses of its flange: a network whose output is q, whatever the target."""
    examples = PROGRAM.parent / "network_examples"
    if not examples.exists():
        missing(str(examples))
    command = [str(examples), "--count", "1", str(MODELS / "arm7.urdf"), "flange"]
    made = subprocess.run(command, check=True, capture_output=True).stdout
    (size,) = struct.unpack_from("<I", made, 12)
    inputs, outputs = struct.unpack_from("<II", made, 32)
    lower, upper = model.lower, model.upper
    shares = (q - (lower + upper) / 2) / ((upper - lower) / 2)
    weights = np.zeros((inputs, outputs), "<f4").tobytes() + shares.astype("<f4").tobytes()
    return made[:size] + struct.pack("<II", 1, outputs) + weights


def test_a_network_gives_the_start(arm):
    q = arm.random(seed=12)
    network = network_of(arm, q)
    seeds = arm.random(40, seed=13)
    T = np.repeat(arm.fk(q, "flange")[None], 40, axis=0)
    settings = {"seed": seeds, "bank": 0}
    without = arm.solve(T, "flange", **settings)
    solved = arm.solve(T, "flange", network=network, **settings)
    assert solved.converged.all()
    assert 3 * solved.steps.sum() < without.steps.sum()
    again = arm.solve(T, "flange", network=bytes(bytearray(network)), threads=1, **settings)
    assert again.q.tobytes() == solved.q.tobytes()
    one = arm.solve(T[0], "flange", network=network, bank=0)
    assert one.converged
    np.testing.assert_allclose(one.q, q, atol=1e-4)
    assert len(arm.solve_all(T[0], "flange", network=network)) >= 1
    # An earlier network is not used after it.
    other = arm.solve(T, "flange", network=network_of(arm, arm.random(seed=14)), **settings)
    assert other.converged.all()
    assert other.q.tobytes() != solved.q.tobytes()


def test_networks_that_do_not_fit(arm, humanoid):
    network = network_of(arm, arm.random(seed=12))
    with pytest.raises(TypeError, match="read_bytes"):
        arm.solve([0.4, 0.1, 0.5], "flange", network="arm7.net")
    with pytest.raises(ValueError, match="empty"):
        arm.solve([0.4, 0.1, 0.5], "flange", network=b"")
    with pytest.raises(sinew.Error, match="other tasks"):
        arm.solve([0.4, 0.1, 0.5], "flange", network=network)
    with pytest.raises(sinew.Error, match="arm7"):
        humanoid.solve(np.eye(4), "LeftHand", network=network)
    with pytest.raises(sinew.Error, match="network"):
        arm.solve(np.eye(4), "flange", network=network[:-1])


def test_a_batch_takes_a_network(arm, tmp_path):
    q = arm.random(seed=12)
    T = np.repeat(arm.fk(q, "flange")[None], 5, axis=0)
    solved = sinew.batch(arm, T, tmp_path / "out.npy", "flange", network=network_of(arm, q))
    assert solved.converged.all()
    np.testing.assert_allclose(solved.q, np.repeat(q[None], 5, axis=0), atol=1e-4)
