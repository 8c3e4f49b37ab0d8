"""Solves of a folder of files by many processes, which share only the file system.

A job is divided into parts. Each part's results are a file of its own, which appears when all of it
is written: a part whose process was killed leaves nothing and is done again, with the same bits.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import os
import pickle
import socket
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sinew import _core
from sinew._batch import (
    AFTER_JOINTS,
    BEFORE_JOINTS,
    column_count,
    progress_reporter,
    solutions_of,
    write,
)
from sinew._described import exact
from sinew._errors import Error
from sinew._results import Solutions

if TYPE_CHECKING:
    from sinew._core import Model
    from sinew._tasks import Task

_MANIFEST = "sinew.json"

# Columns of targets in a Parquet file that has them apart, as the program's.
_POSITION = ("x", "y", "z")
_QUATERNION = ("qw", "qx", "qy", "qz")

# Columns of results in a Parquet file.
_COLUMNS = (*BEFORE_JOINTS, "q", *AFTER_JOINTS)

_Table = NDArray[np.float64]


# ---- jobs: what every process needs ----


class Job:
    """A model, an end effector and settings. It is sent to a process once, which keeps it."""

    def __init__(self, model: Model, link: str | Task | None, settings: dict[str, Any]) -> None:
        self.model = model
        self.link = link
        self.settings = settings

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (pickle.dumps((self.model, self.link, self.settings)),)

    def solve(self, targets: Any, seeds: Any = None) -> _Table:
        """Rows of results, with the columns of sinew.batch()."""
        solutions = cast(
            "Solutions",
            self.model.solve(targets, link=self.link, seed=seeds, invalid="mark", **self.settings),
        )
        table = np.empty((len(solutions), column_count(self.model.nq)))
        write(table, solutions)
        return table


@functools.lru_cache(maxsize=16)
def _restore(packed: bytes) -> Job:
    return Job(*pickle.loads(packed))


def make_job(
    model: Model, link: str | Task | None, lanes: int, first: Any, settings: dict[str, Any]
) -> Job:
    """A job of as many lanes as asked for, or as this processor has, after a trial.

    first: one row of targets. Raises TypeError for settings that a job has none of: its targets and
    seeds come with each part, and targets that cannot be used are marked; and for those that cannot
    be pickled, such as a function that is not at the top level of a module.
    """
    refused = sorted({"seed", "invalid", "out"} & settings.keys())
    if refused:
        raise TypeError(f"solves on a cluster have no settings {', '.join(refused)}")
    try:
        pickle.dumps((link, settings))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(f"link and settings must be sent to other processes: {error}") from error
    trial: dict[str, Any] = {**settings, "bank": 0, "max_starts": 1, "invalid": "mark"}
    model.solve(first, link, lanes=lanes, **trial)  # what is wrong with the arguments
    if lanes == 0:
        lanes = next(width for width in (8, 4, 2, 1) if _has(model, first, link, width, trial))
    return Job(model, link, {"threads": 1, **settings, "lanes": lanes})


def _has(model: Model, first: Any, link: Any, lanes: int, trial: dict[str, Any]) -> bool:
    try:
        model.solve(first, link, lanes=lanes, **trial)
    except Error:
        return False
    return True


# ---- files ----


class Part(NamedTuple):
    """Some rows of a file; of a Parquet file, a row group."""

    file: str
    start: int
    stop: int
    group: int

    @property
    def name(self) -> str:
        """The file of its results."""
        stem, dot, suffix = self.file.rpartition(".")
        return f"{stem}.{self.start:012d}{dot}{suffix}"


def _parquet() -> Any:
    return importlib.import_module("pyarrow.parquet")


def _is_parquet(path: str | Path) -> bool:
    return Path(path).suffix == ".parquet"


def _parts_of(path: Path, chunk: int) -> Iterator[Part]:
    if _is_parquet(path):
        metadata = _parquet().ParquetFile(path).metadata
        start = 0
        for group in range(metadata.num_row_groups):
            stop = start + int(metadata.row_group(group).num_rows)
            if stop > start:
                yield Part(path.name, start, stop, group)
            start = stop
        return
    rows = np.load(path, mmap_mode="r", allow_pickle=False)
    if rows.ndim < 2:
        raise ValueError(f"{path} has shape {rows.shape}; it must have a leading axis of targets")
    for start in range(0, len(rows), chunk):
        yield Part(path.name, start, min(start + chunk, len(rows)), -1)


def _rows_of_lists(lists: Any) -> NDArray[Any]:
    """The rows of an Arrow array of lists of one length."""
    flat: NDArray[Any] = lists.flatten().to_numpy(zero_copy_only=False)
    return np.reshape(flat, (len(lists), -1))


def _read_part(folder: Path, part: Part, column: str) -> tuple[Any, dict[str, Any]]:
    """The targets of a part, and settings that tell what they are."""
    path = folder / part.file
    if not _is_parquet(path):
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
        return rows[part.start : part.stop], {}
    table = _parquet().ParquetFile(path).read_row_group(part.group)
    names = set(table.column_names)
    if column in names:
        values = table.column(column).combine_chunks()
        rows = _rows_of_lists(values)
        return np.reshape(rows, (-1, 4, 4)) if rows.shape[1] == 16 else rows, {}
    if not names >= set(_POSITION):
        raise ValueError(
            f"{path} has neither the column {column!r} nor x, y, z; it has {sorted(names)}"
        )
    columns = (*_POSITION, *_QUATERNION) if names >= set(_QUATERNION) else _POSITION
    rows = np.stack([table.column(name).to_numpy() for name in columns], axis=1)
    return rows, {"quaternion": "wxyz"} if len(columns) > 3 else {}


def _write_part(path: Path, table: _Table, lanes: int) -> None:
    """Writes the results of a part; the file appears when it is whole."""
    new = path.with_name(f".{path.name}.{socket.gethostname()}.{os.getpid()}")
    if _is_parquet(path):
        arrow: Any = importlib.import_module("pyarrow")
        solutions = solutions_of(table)
        q = arrow.FixedSizeListArray.from_arrays(
            arrow.array(np.ravel(solutions.q)), solutions.q.shape[1]
        )
        columns = arrow.table(
            {
                name: q
                if name == "q"
                else arrow.array(np.ascontiguousarray(getattr(solutions, name)))
                for name in _COLUMNS
            }
        )
        metadata = {"sinew.lanes": str(lanes), "sinew.version": _core.__version__}
        _parquet().write_table(columns.replace_schema_metadata(metadata), new)
    else:
        with new.open("wb") as file:
            np.save(file, table)
    new.replace(path)


def _load_part(path: Path) -> _Table:
    if not _is_parquet(path):
        return np.load(path, mmap_mode="r")
    columns = _parquet().read_table(path)
    q = columns.column("q").combine_chunks()
    table = np.empty((len(q), column_count(q.type.list_size)))
    write(
        table,
        Solutions(
            *(
                _rows_of_lists(q) if name == "q" else columns.column(name).to_numpy()
                for name in ("q", *BEFORE_JOINTS, *AFTER_JOINTS)
            )
        ),
    )
    return table


def solve_part(job: Job, folder: str, out: str, part: Part, column: str) -> Part:
    """Solves a part, in any process, and writes its file."""
    targets, settings = _read_part(Path(folder), part, column)
    with_form = Job(job.model, job.link, {**job.settings, **settings})
    _write_part(Path(out) / part.name, with_form.solve(targets), job.settings["lanes"])
    return part


# ---- folders ----


def _fingerprint(path: Path) -> str:
    """A hash of a file's size, beginning and end."""
    size = path.stat().st_size
    with path.open("rb") as file:
        digest = hashlib.sha256(file.read(65536))
        file.seek(max(0, size - 65536))
        digest.update(file.read())
    digest.update(str(size).encode())
    return digest.hexdigest()


def _begin(out: Path, manifest: dict[str, Any], resume: bool) -> None:
    """Makes or takes up the folder of results."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / _MANIFEST
    if path.exists():
        old = json.loads(path.read_text())
        if resume and old != manifest:
            differ = sorted(key for key in manifest if old.get(key) != manifest[key])
            raise ValueError(
                f"{path} belongs to a run with other {', '.join(differ)}; choose another folder, "
                "or remove it to begin anew"
            )
        if not resume:
            for part in old["parts"]:
                (out / Part(*part).name).unlink(missing_ok=True)
    elif any(out.iterdir()):
        raise ValueError(f"{out} has files of something else; choose an empty folder")
    new = path.with_name("." + path.name)
    new.write_text(json.dumps(manifest, indent=1))
    new.replace(path)


def solve_folder(
    run: Callable[[Job, Iterable[tuple[Any, ...]]], Iterator[Part]],
    model: Model,
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    link: str | Task | None,
    *,
    chunk: int,
    lanes: int,
    resume: bool,
    column: str,
    progress: bool | Callable[[int, int], None],
    settings: dict[str, Any],
) -> Solutions:
    """Solves all files of a folder.

    run: gives the arguments of solve_part() after the job to processes, and yields the parts in the
        order in which they end.
    """
    folder, results = Path(source).resolve(), Path(out).resolve()
    files = sorted(path for path in folder.iterdir() if path.suffix in {".npy", ".parquet"})
    if not files:
        raise ValueError(f"{folder} has no .npy and no .parquet files")
    if chunk < 1:
        raise ValueError(f"chunk is {chunk}; it must be at least 1")
    parts = [part for path in files for part in _parts_of(path, chunk)]
    if not parts:
        raise ValueError(f"{folder} has files without targets only")
    first, form = _read_part(folder, parts[0], column)
    job = make_job(model, link, lanes, first[:1], {**settings, **form})
    described = {key: exact(value) for key, value in sorted(settings.items()) if key != "threads"}
    manifest = {
        "version": _core.__version__,
        "model": hashlib.sha256(pickle.dumps(model._source)).hexdigest(),
        "link": exact(link),
        "column": column,
        "columns": list(_COLUMNS),
        "settings": described,
        "lanes": job.settings["lanes"],
        "files": {path.name: _fingerprint(path) for path in files},
        "parts": [list(part) for part in parts],
    }
    _begin(results, manifest, resume)
    open_parts = [part for part in parts if not (results / part.name).exists()]
    report = progress_reporter(progress, _rows(parts))
    done = _rows(parts) - _rows(open_parts)
    report(done, _rows(parts))
    for part in run(job, [(str(folder), str(results), part, column) for part in open_parts]):
        done += part.stop - part.start
        report(done, _rows(parts))
    for left in results.glob(".*"):  # by processes that were killed
        left.unlink(missing_ok=True)
    return read_folder(results)


def _rows(parts: Iterable[Part]) -> int:
    return sum(part.stop - part.start for part in parts)


def read_folder(out: str | os.PathLike[str]) -> Solutions:
    """The solutions that solve_folder() has written, in the order of files and rows."""
    folder = Path(out)
    manifest = json.loads((folder / _MANIFEST).read_text())
    names = [Part(*part).name for part in manifest["parts"]]
    missing = [name for name in names if not (folder / name).exists()]
    if missing:
        raise ValueError(f"{folder} is not complete: {len(missing)} parts are missing")
    return solutions_of(np.concatenate([_load_part(folder / name) for name in names]))


def written_lanes(out: str | os.PathLike[str]) -> int:
    """The number of SIMD lanes with which the results of a folder were computed."""
    return int(json.loads((Path(out) / _MANIFEST).read_text())["lanes"])
