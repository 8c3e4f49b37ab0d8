"""What the tests of Dask and Ray share: folders of targets, and a run that loses a worker."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import sinew

LANES = 2
# Of each target, so that a part takes some 50 ms.
SLOW = {"nearest": True}


def write_folder(arm, folder: Path, files: int = 4, rows: int = 3000) -> np.ndarray:
    """NPY files of targets, one of which cannot be used, and one that is far away."""
    folder.mkdir()
    targets = arm.fk(arm.random((files, rows), seed=5), "flange")
    targets[-1, 7, 0, 3] = np.nan
    targets[0, 5, 0, 3] = 9
    for i, part in enumerate(targets):
        np.save(folder / f"targets{i}.npy", part)
    return targets.reshape(-1, 4, 4)


def assert_same(solutions, expected) -> None:
    """The same bits."""
    assert np.asarray(solutions.q).tobytes() == np.ascontiguousarray(expected.q).tobytes()
    assert np.array_equal(solutions.outcome, expected.outcome)
    assert np.array_equal(solutions.position_error, expected.position_error)
    assert np.array_equal(solutions.steps, expected.steps)
    assert np.array_equal(solutions.reach_task, expected.reach_task)
    assert np.array_equal(solutions.reach, expected.reach, equal_nan=True)
    assert np.array_equal(solutions.target_distance, expected.target_distance, equal_nan=True)


class Killer:
    """Sends SIGKILL to one worker when some parts of a folder are done."""

    def __init__(self, out: Path, pids: list[int], after: int) -> None:
        self.done_when_killed = -1
        self.calls: list[tuple[int, int]] = []
        self._thread = threading.Thread(target=self._watch, args=(out, pids, after))
        self._thread.start()

    def _watch(self, out: Path, pids: list[int], after: int) -> None:
        for _ in range(6000):
            done = len(list(out.glob("[!.]*.npy")))
            if done >= after:
                os.kill(pids[0], signal.SIGKILL)
                self.done_when_killed = done
                return
            time.sleep(0.005)

    def progress(self, done: int, count: int) -> None:
        """To be given to solve_folder()."""
        self.calls.append((done, count))

    def join(self) -> None:
        self._thread.join()


def lose_a_worker(module, arm, tmp_path: Path, pids: list[int], **keywords) -> None:
    """Solves a folder while one of the workers is killed: every row is solved once."""
    targets = write_folder(arm, tmp_path / "in")
    out = tmp_path / "out"
    killer = Killer(out, pids, after=5)
    solutions = module.solve_folder(
        arm,
        tmp_path / "in",
        out,
        "flange",
        chunk=250,
        lanes=LANES,
        progress=killer.progress,
        **SLOW,
        **keywords,
    )
    killer.join()
    assert 5 <= killer.done_when_killed < 40  # in the middle of 48 parts
    expected = arm.solve(targets, "flange", lanes=LANES, invalid="mark", **SLOW)
    assert (expected.outcome == sinew.Outcome.BAD_INPUT).sum() == 1
    assert_same(solutions, expected)
    # each part was reported once, and is there once
    assert [done for done, _ in killer.calls] == list(range(0, 12001, 250))
    assert len([path for path in out.iterdir() if path.name != "sinew.json"]) == 48
    assert module.written_lanes(out) == LANES


def go_on(module, arm, tmp_path: Path, **keywords) -> None:
    """A second call does what is missing, and no more; with other arguments it is refused."""
    write_folder(arm, tmp_path / "in", files=2, rows=900)
    arguments = (arm, tmp_path / "in", tmp_path / "out", "flange")
    gains = np.full(7, 0.5)
    settings = {"chunk": 300, "lanes": LANES, "gains": gains, **keywords}
    first = module.solve_folder(*arguments, **settings)
    parts = sorted((tmp_path / "out").glob("*.npy"))
    assert len(parts) == 6
    written = {path: path.stat().st_mtime_ns for path in parts}
    parts[3].unlink()
    calls = []
    second = module.solve_folder(
        *arguments, resume=True, progress=lambda *state: calls.append(state), **settings
    )
    assert calls == [(1500, 1800), (1800, 1800)]
    assert_same(second, first)
    assert {path for path in parts if path.stat().st_mtime_ns != written[path]} == {parts[3]}
    others = [{"lanes": 1}, {"chunk": 100}, {"tolerance": 1e-4}, {"column": "other"}]
    for other in (*others, {"gains": gains + 1e-12}):
        with pytest.raises(ValueError, match="belongs to a run with other"):
            module.solve_folder(*arguments, **{**settings, **other}, resume=True)


def parquet(module, arm, tmp_path: Path, **keywords) -> None:
    """Parquet files, with targets in columns of their own and in one column of lists."""
    import pyarrow
    import pyarrow.parquet

    poses = arm.fk(arm.random(700, seed=6), "flange", quaternion="wxyz")
    (tmp_path / "in").mkdir()
    names = ["x", "y", "z", "qw", "qx", "qy", "qz"]
    columns = pyarrow.table({name: poses[:, i] for i, name in enumerate(names)})
    pyarrow.parquet.write_table(columns, tmp_path / "in" / "a.parquet", row_group_size=300)
    solutions = module.solve_folder(
        arm, tmp_path / "in", tmp_path / "out", "flange", lanes=LANES, **keywords
    )
    expected = arm.solve(poses, "flange", quaternion="wxyz", lanes=LANES)
    assert_same(solutions, expected)
    parts = sorted((tmp_path / "out").glob("*.parquet"))
    assert len(parts) == 3
    written = pyarrow.parquet.read_table(parts[0])
    assert written.schema.metadata[b"sinew.lanes"] == str(LANES).encode()
    before = ["outcome", "position_error", "orientation_error", "steps"]
    after = ["reach_task", "reach", "target_distance"]
    assert written.column_names == [*before, "q", *after]

    matrices = arm.fk(arm.random(50, seed=7), "flange")
    lists = pyarrow.table({"goal": matrices.reshape(50, 16).tolist()})
    (tmp_path / "lists").mkdir()
    pyarrow.parquet.write_table(lists, tmp_path / "lists" / "b.parquet")
    solutions = module.solve_folder(
        arm,
        tmp_path / "lists",
        tmp_path / "out2",
        "flange",
        lanes=LANES,
        column="goal",
        **keywords,
    )
    assert_same(solutions, arm.solve(matrices, "flange", lanes=LANES))

    (tmp_path / "empty").mkdir()
    with pyarrow.parquet.ParquetWriter(tmp_path / "empty" / "c.parquet", lists.schema) as writer:
        for start, stop in ((0, 0), (0, 20), (20, 20), (20, 50)):  # row groups
            writer.write_table(lists.slice(start, stop - start))
    again = module.solve_folder(
        arm,
        tmp_path / "empty",
        tmp_path / "out3",
        "flange",
        lanes=LANES,
        column="goal",
        **keywords,
    )
    assert_same(again, solutions)


def refuse(module, arm, tmp_path: Path, **keywords) -> None:
    """What is wrong with the arguments is said before a folder is made."""
    write_folder(arm, tmp_path / "in", files=1, rows=10)
    (tmp_path / "empty").mkdir()
    out = tmp_path / "out"
    cases = [
        ("in", "flang", {}, "did you mean 'flange'"),
        ("in", "flange", {"lanes": 3}, "lanes"),
        ("in", "flange", {"tolerance": -1}, "tolerance"),
        ("in", "flange", {"chunk": 0}, "chunk is 0"),
        ("empty", "flange", {}, "no .npy"),
    ]
    for folder, link, settings, message in cases:
        with pytest.raises(ValueError, match=message):
            module.solve_folder(arm, tmp_path / folder, out, link, **settings, **keywords)
    for settings in ({"seed": arm.middle()}, {"invalid": "raise"}):
        with pytest.raises(TypeError, match=f"no settings {next(iter(settings))}"):
            module.solve_folder(arm, tmp_path / "in", out, "flange", **settings, **keywords)
    local = sinew.Objective("callback", function=lambda q: ([q[0]], np.eye(7)[:1]))
    with pytest.raises(TypeError, match=r"must be sent to other processes.*lambda"):
        module.solve_folder(arm, tmp_path / "in", out, "flange", objectives=local, **keywords)
    assert not out.exists()
    out.mkdir()
    (out / "mine.txt").touch()
    with pytest.raises(ValueError, match="has files of something else"):
        module.solve_folder(arm, tmp_path / "in", out, "flange", **keywords)
