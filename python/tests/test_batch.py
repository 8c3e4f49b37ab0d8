"""Batches from file to file: the same bits as one call, also after an interruption."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import sinew

from .conftest import MODELS, PROGRAM, missing


@pytest.fixture
def targets(arm, tmp_path):
    path = tmp_path / "targets.npy"
    np.save(path, arm.fk(arm.random(3000, seed=1), "flange", quaternion="wxyz"))
    return path


def test_same_as_one_call(arm, targets, tmp_path):
    expected = arm.solve(np.load(targets), "flange", quaternion="wxyz")
    calls = []
    solutions = sinew.batch(
        arm,
        targets,
        tmp_path / "out.npy",
        "flange",
        chunk=700,
        quaternion="wxyz",
        progress=lambda done, count: calls.append((done, count)),
    )
    assert calls == [(n, 3000) for n in (0, 700, 1400, 2100, 2800, 3000)]
    for name in (*sinew.Solutions.__slots__, "converged"):
        np.testing.assert_array_equal(getattr(solutions, name), getattr(expected, name))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.npy", "targets.npy"]


def test_same_file_as_the_program(arm, targets, tmp_path):
    if not PROGRAM.exists():
        missing(str(PROGRAM))
    rows = np.load(targets)
    rows[99::100, :3] *= 9 / np.linalg.norm(rows[99::100, :3], axis=1, keepdims=True)
    np.save(targets, rows)
    theirs = tmp_path / "theirs.npy"
    subprocess.run(
        [
            PROGRAM,
            "batch",
            MODELS / "arm7.urdf",
            "--tip",
            "flange",
            "--targets",
            targets,
            "--out",
            theirs,
            "--reach",
        ],
        check=False,  # some targets are not reached
        capture_output=True,
    )
    solutions = sinew.batch(arm, targets, tmp_path / "ours.npy", "flange", quaternion="wxyz")
    ours, theirs = np.load(tmp_path / "ours.npy"), np.load(theirs)
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(ours[:, 0], theirs[:, 0])
    np.testing.assert_array_equal(ours[:, 0], np.arange(3000) % 100 == 99)
    np.testing.assert_allclose(ours[:, -3:], theirs[:, -3:], rtol=1e-12)
    np.testing.assert_array_equal(solutions.reach_task, ours[:, -3])
    np.testing.assert_array_equal(np.isnan(solutions.reach), ours[:, 0] == 0)
    np.testing.assert_array_equal(solutions.target_distance[99::100], ours[99::100, -1])


def test_arrays_seeds_and_bad_rows(arm, tmp_path):
    targets = arm.fk(arm.random(50, seed=1), "flange").astype("f4")
    targets[17, 0, 3] = np.nan
    seeds = arm.random(50, seed=2)
    solutions = sinew.batch(arm, targets, tmp_path / "a.npy", "flange", seed=seeds, chunk=20)
    assert solutions.outcome[17] == sinew.Outcome.BAD_INPUT
    assert np.isfinite(solutions.q).all()
    assert solutions.converged.sum() == 49
    direct = arm.solve(targets, "flange", seed=seeds, invalid="mark")
    np.testing.assert_array_equal(solutions.q, direct.q)
    local = arm.solve(targets, "flange", seed=seeds, invalid="mark", local=True)
    assert local.outcome[17] == sinew.Outcome.BAD_INPUT
    assert np.isfinite(local.q).all()


KILLED = """
    import signal, sys, sinew
    signal.signal(signal.SIGINT, signal.default_int_handler) # the parent may ignore it
    arm = sinew.load(sys.argv[1])
    def report(done, count):
        print(done, flush=True)
    sinew.batch(arm, sys.argv[2], sys.argv[3], "flange", chunk=50, quaternion="wxyz",
                nearest=True, progress=report)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_resumes_after_a_signal(arm, targets, tmp_path, number):
    out = tmp_path / "out.npy"
    program = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), MODELS / "arm7.urdf", targets, out],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(4):  # 0, 50, 100, 150
        program.stdout.readline()
    os.kill(program.pid, number)
    assert program.wait(60) != 0
    program.stdout.close()
    assert not out.exists()
    done = []
    with pytest.raises(ValueError, match="other settings"):
        sinew.batch(arm, targets, out, "flange", quaternion="xyzw", resume=True)
    solutions = sinew.batch(
        arm,
        targets,
        out,
        "flange",
        chunk=500,
        quaternion="wxyz",
        nearest=True,
        resume=True,
        progress=lambda n, _: done.append(n),
    )
    assert 150 <= done[0] < 3000
    sample = [0, 160, 1500, 2999]
    expected = arm.solve(np.load(targets)[sample], "flange", quaternion="wxyz", nearest=True)
    np.testing.assert_array_equal(solutions.q[sample], expected.q)
    assert not (tmp_path / "out.npy.journal").exists()


def test_progress_bar(arm, targets, tmp_path):
    sinew.batch(arm, targets, tmp_path / "out.npy", "flange", quaternion="wxyz", progress=True)


def test_bad_arguments_leave_no_file(arm, targets, tmp_path):
    out = tmp_path / "out.npy"
    with pytest.raises(FileNotFoundError):
        sinew.batch(arm, tmp_path / "none.npy", out, "flange")
    with pytest.raises(ValueError, match="quaternion="):
        sinew.batch(arm, targets, out, "flange")
    with pytest.raises(sinew.UnknownNameError):
        sinew.batch(arm, targets, out, "flang", quaternion="wxyz")
    with pytest.raises(ValueError, match="leading axis"):
        sinew.batch(arm, np.zeros(3), out, "flange")
    with pytest.raises(ValueError, match="chunk is 0"):
        sinew.batch(arm, targets, out, "flange", chunk=0)
    with pytest.raises(ValueError, match="seed has shape"):
        sinew.batch(arm, targets, out, "flange", seed=np.zeros((2, 7)))
    with pytest.raises(TypeError, match="did you mean 'lanes'"):
        sinew.batch(arm, targets, out, "flange", lane=1)
    assert [path.name for path in tmp_path.iterdir()] == ["targets.npy"]


def test_a_file_of_other_columns_is_refused(arm, targets, tmp_path):
    """As an earlier version may have left one."""
    out = tmp_path / "out.npy"

    def stop(done, count):
        raise KeyboardInterrupt

    keywords = {"quaternion": "wxyz", "resume": True}
    with pytest.raises(KeyboardInterrupt):
        sinew.batch(arm, targets, out, "flange", progress=stop, **keywords)
    part = tmp_path / "out.npy.part"
    assert np.load(part).shape == (3000, 4 + 7 + 3)
    np.save(part.open("wb"), np.zeros((3000, 4 + 7)))
    with pytest.raises(ValueError, match=r"out.npy.part has shape \(3000, 11\)"):
        sinew.batch(arm, targets, out, "flange", **keywords)


def test_no_targets(arm, tmp_path):
    solutions = sinew.batch(arm, np.zeros((0, 3)), tmp_path / "out.npy", "flange")
    assert solutions.q.shape == (0, 7)
