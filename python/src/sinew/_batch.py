"""Solves from file to file, in chunks: for more targets than fit into memory, and for long runs."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sinew._described import exact
from sinew._results import Solutions

if TYPE_CHECKING:
    from sinew._core import Model
    from sinew._tasks import Task

# Columns before the joint values and after them, as the program's with --reach.
BEFORE_JOINTS = ("outcome", "position_error", "orientation_error", "steps")
AFTER_JOINTS = ("reach_task", "reach", "target_distance")


def batch(
    model: Model,
    targets: str | os.PathLike[str] | ArrayLike,
    out: str | os.PathLike[str],
    link: str | Task | None = None,
    *,
    seed: str | os.PathLike[str] | ArrayLike | None = None,
    chunk: int = 65536,
    resume: bool = False,
    progress: bool | Callable[[int, int], None] = False,
    **settings: Any,
) -> Solutions:
    """Solves for the targets of an NPY file or array, and writes an NPY file.

    targets: the path of an NPY file, which is mapped into memory, or an array; with a leading axis
        of n targets, in any form that Model.solve() takes.
    out: the file to write, float64, n rows: outcome, position error [m], orientation error [rad],
        steps, then the nq joint values, then reach_task, reach and target_distance [m], which are
        -1 where nothing is proven. It appears when all is done; until then OUT.part and OUT.journal
        stand beside it.
    seed: the path of an NPY file or an array, (n, nq) or (nq,).
    chunk: targets that are solved between two entries of the journal.
    resume: go on with what an interrupted call with the same arguments has left.
    progress: True: a progress bar by tqdm, if it is installed; or a function that is called with
        the number of targets done and n.
    settings: as for Model.solve(): quaternion, nearest, local, tolerance, max_starts, lanes, bank,
        network, threads.

    A target that cannot be used has the outcome BAD_INPUT. Returns Solutions whose arrays are
    mapped from the file. Results depend neither on chunk nor on interruptions.
    """
    rows = _open(targets)
    seeds = None if seed is None else _open(seed)
    if rows.ndim < 2 or rows.dtype.kind not in "fiu":
        raise ValueError(
            f"targets has shape {rows.shape} and type {rows.dtype}; it must be numbers with a "
            "leading axis of targets"
        )
    if chunk < 1:
        raise ValueError(f"chunk is {chunk}; it must be at least 1")
    if seeds is not None and seeds.shape not in {(model.nq,), (len(rows), model.nq)}:
        raise ValueError(
            f"seed has shape {seeds.shape}; it must be ({model.nq},) or ({len(rows)}, {model.nq})"
        )
    table, journal = _begin(Path(out), model, rows, seeds, link, chunk, resume, settings)
    report = progress_reporter(progress, len(rows))
    report(journal.done, len(rows))
    while journal.done < len(rows):
        part = slice(journal.done, min(journal.done + chunk, len(rows)))
        part_seed = seeds if seeds is None or seeds.ndim == 1 else seeds[part]
        solutions = model.solve(rows[part], link=link, seed=part_seed, invalid="mark", **settings)
        write(table[part], cast("Solutions", solutions))
        table.flush()
        journal.write(part.stop)
        report(journal.done, len(rows))
    del table
    journal.finish()
    return read(out)


def column_count(nq: int) -> int:
    """The columns of a table."""
    return len(BEFORE_JOINTS) + nq + len(AFTER_JOINTS)


def write(table: NDArray[np.float64], solutions: Solutions) -> None:
    """Fills rows of a table with solutions."""
    begin, end = len(BEFORE_JOINTS), table.shape[1] - len(AFTER_JOINTS)
    for i, name in enumerate(BEFORE_JOINTS):
        table[:, i] = getattr(solutions, name)
    table[:, begin:end] = solutions.q
    for i, name in enumerate(AFTER_JOINTS):
        values = getattr(solutions, name)
        table[:, end + i] = np.where(np.isnan(values), -1.0, values)


def solutions_of(table: NDArray[np.float64]) -> Solutions:
    """The solutions in the rows of a table."""
    begin, end = len(BEFORE_JOINTS), table.shape[1] - len(AFTER_JOINTS)
    is_proven = table[:, end] >= 0
    return Solutions(
        table[:, begin:end],
        table[:, 0].astype(np.uint8),
        table[:, 1],
        table[:, 2],
        table[:, 3].astype(np.int32),
        table[:, end].astype(np.int32),
        np.where(is_proven, table[:, end + 1], np.nan),
        np.where(is_proven, table[:, end + 2], np.nan),
    )


def read(path: str | os.PathLike[str]) -> Solutions:
    """The solutions that batch() has written, mapped from the file."""
    return solutions_of(np.load(path, mmap_mode="r"))


def _open(source: Any) -> NDArray[Any]:
    if isinstance(source, (str, os.PathLike)):
        path = cast("str | os.PathLike[str]", source)
        return np.load(path, mmap_mode="r", allow_pickle=False)
    return np.asarray(source)


def _identity(
    model: Model,
    rows: NDArray[Any],
    seeds: NDArray[Any] | None,
    link: Any,
    settings: dict[str, Any],
) -> str:
    """A hash of what the results depend on, of arrays their shape, type and some values."""
    parts: list[Any] = [BEFORE_JOINTS, AFTER_JOINTS, exact(link)]
    parts += [(key, exact(settings[key])) for key in sorted(settings) if key != "threads"]
    for array in (rows, seeds):
        if array is None:
            parts.append(None)
            continue
        picked = np.linspace(0, max(len(array) - 1, 0), num=min(len(array), 64)).astype(int)
        parts += [array.shape, str(array.dtype), np.asarray(array[picked]).tobytes().hex()]
    digest = hashlib.sha256(model._source[0])
    digest.update(repr((model._source[2], parts)).encode())
    return digest.hexdigest()


class _Journal:
    """How many targets are done, in a file that is replaced whole."""

    def __init__(self, path: Path, part: Path, out: Path, identity: str) -> None:
        self._path = path
        self._part = part
        self._out = out
        self._identity = identity
        self.done = 0

    def read(self) -> bool:
        """Whether there is an interrupted run of the same problem to go on with."""
        try:
            state = json.loads(self._path.read_text())
        except FileNotFoundError:
            return False
        if state["identity"] != self._identity:
            raise ValueError(
                f"{self._path} belongs to a run with another model, other targets or other "
                "settings; remove it to begin anew"
            )
        self.done = state["done"]
        return True

    def write(self, done: int) -> None:
        self.done = done
        new = self._path.with_name(self._path.name + ".new")
        new.write_text(json.dumps({"identity": self._identity, "done": done}))
        new.replace(self._path)

    def finish(self) -> None:
        self._part.replace(self._out)
        self._path.unlink(missing_ok=True)


def _begin(
    out: Path,
    model: Model,
    rows: NDArray[Any],
    seeds: NDArray[Any] | None,
    link: Any,
    chunk: int,
    resume: bool,
    settings: dict[str, Any],
) -> tuple[np.memmap[Any, np.dtype[np.float64]], _Journal]:
    part = out.with_name(out.name + ".part")
    journal_path = out.with_name(out.name + ".journal")
    journal = _Journal(journal_path, part, out, _identity(model, rows, seeds, link, settings))
    shape = (len(rows), column_count(model.nq))
    if len(rows) > 0:  # what is wrong with the arguments is found before a file is made
        first = seeds if seeds is None or seeds.ndim == 1 else seeds[:1]
        model.solve(rows[:1], link=link, seed=first, invalid="mark", **settings)
    if resume and part.exists() and journal.read():
        table = np.lib.format.open_memmap(part, mode="r+")
        if table.shape != shape:
            raise ValueError(f"{part} has shape {table.shape}; it must be {shape}")
        return table, journal
    table = np.lib.format.open_memmap(part, mode="w+", dtype=np.float64, shape=shape)
    journal.write(0)
    return table, journal


def progress_reporter(
    progress: bool | Callable[[int, int], None], count: int
) -> Callable[[int, int], None]:
    """A function that shows how many of count are done."""
    if callable(progress):
        return progress
    if not progress:
        return lambda _done, _count: None
    try:
        tqdm: Any = importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return lambda _done, _count: None
    bar = tqdm(total=count, unit="target", unit_scale=True)

    def show(done: int, count: int) -> None:
        bar.update(done - bar.n)
        if done == count:
            bar.close()

    return show
