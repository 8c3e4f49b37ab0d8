"""Solves on the workers of a Dask cluster. Dask must be installed, with NumPy arrays.

solutions = sinew.dask.solve(arm, targets, "panda_link8")  # of a Dask array
solutions.q.compute()
"""

# The framework may be missing where types are checked.
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import dask
import dask.array
import numpy as np
from sinew import _folder
from sinew._batch import column_count, solutions_of
from sinew._folder import Job, Part, read_folder, written_lanes
from sinew._results import Solutions

if TYPE_CHECKING:
    from sinew._core import Model
    from sinew._tasks import Task

__all__ = ["read_folder", "solve", "solve_folder", "written_lanes"]


def solve(
    model: Model,
    targets: Any,
    link: str | Task | None = None,
    seed: Any = None,
    *,
    lanes: int = 0,
    **settings: Any,
) -> Solutions:
    """Model.solve() for a Dask array of targets (n, 4, 4), (n, 7) or (n, 3), lazily.

    seed: (nq,), or a Dask array (n, nq). lanes: SIMD lanes for all workers, 1, 2, 4 or 8; 0: as
    many as the processor of this process has; a worker whose processor has fewer raises
    sinew.Error. settings: as for Model.solve(), without invalid and out. Targets that cannot be
    used have the outcome BAD_INPUT.

    Returns Solutions whose arrays are Dask arrays in the chunks of targets: compute those you want
    together, dask.compute(solutions.q, solutions.outcome), so that each target is solved once. The
    bits are those of Model.solve() with the same lanes, whatever the chunks and workers.
    """
    whole = dask.array.asarray(targets)
    if whole.ndim < 2:
        raise ValueError(f"targets has shape {whole.shape}; it must have a leading axis of targets")
    whole = whole.rechunk({axis: -1 for axis in range(1, whole.ndim)})
    trial = np.broadcast_to(np.eye(4), (1, 4, 4)) if whole.shape[1:] == (4, 4) else None
    if trial is None:
        trial = np.ones((1, *whole.shape[1:]))
    job = dask.delayed(_folder.make_job(model, link, lanes, trial, settings), pure=True)
    seeds = _blocks_of_seeds(seed, whole, model.nq)
    one_block = dask.delayed(Job.solve, pure=True)
    blocks = [
        dask.array.from_delayed(
            one_block(job, block, block_seed), (rows, column_count(model.nq)), dtype=np.float64
        )
        for block, block_seed, rows in zip(
            whole.to_delayed().ravel(), seeds, whole.chunks[0], strict=True
        )
    ]
    return solutions_of(dask.array.concatenate(blocks))


def _blocks_of_seeds(seed: Any, targets: Any, nq: int) -> list[Any]:
    count = len(targets.chunks[0])
    if not isinstance(seed, dask.array.Array):
        return [seed] * count
    if seed.shape != (targets.shape[0], nq):
        raise ValueError(f"seed has shape {seed.shape}; it must be ({targets.shape[0]}, {nq})")
    return list(seed.rechunk((targets.chunks[0], -1)).to_delayed().ravel())


def solve_folder(
    model: Model,
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    link: str | Task | None = None,
    *,
    client: Any = None,
    chunk: int = 65536,
    lanes: int = 0,
    resume: bool = False,
    column: str = "target",
    progress: bool | Callable[[int, int], None] = False,
    **settings: Any,
) -> Solutions:
    """Solves for the targets in all NPY and Parquet files of a folder, and writes a folder.

    source: a folder that all workers see. NPY: arrays with a leading axis of targets. Parquet: a
        column of lists of 3, 7 or 16 numbers, or columns x, y, z and perhaps qw, qx, qy, qz.
    out: the folder of results: files of rows as those of sinew.batch(), or Parquet files with the
        columns outcome, position_error, orientation_error, steps, q, reach_task, reach and
        target_distance (NaN where nothing is proven); and sinew.json, which has the settings, with
        the lanes, and the order of the files.
    client: a distributed.Client; default: the one in use.
    chunk: targets of an NPY file that are solved at once; of a Parquet file it is a row group.
    lanes: as for solve().
    resume: go on with what an interrupted call with the same arguments has left.
    column: of a Parquet file.
    progress: as for sinew.batch().
    settings: as for Model.solve(), without seed, invalid and out: a search needs no seed, and
        targets that cannot be used have the outcome BAD_INPUT.

    Parts whose worker is lost are solved again by another. Returns read_folder(out).
    """
    import distributed

    workers = client if client is not None else distributed.get_client()

    def run(job: Job, parts: Iterable[tuple[Any, ...]]) -> Iterator[Part]:
        kept = workers.submit(_same, job, pure=False)  # sent to each worker once
        futures = [
            workers.submit(_folder.solve_part, kept, *part, pure=False, retries=3) for part in parts
        ]
        for future in distributed.as_completed(futures):
            yield future.result()
            future.release()

    return _folder.solve_folder(
        run,
        model,
        source,
        out,
        link,
        chunk=chunk,
        lanes=lanes,
        resume=resume,
        column=column,
        progress=progress,
        settings=settings,
    )


def _same(job: Job) -> Job:
    return job
