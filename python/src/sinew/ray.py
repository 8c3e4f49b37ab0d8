"""Solves on the workers of a Ray cluster. Ray must be installed, for datasets with ray[data].

results = sinew.ray.solve(arm, dataset, "panda_link8")  # the dataset with columns for results
results.write_parquet("results")
"""

# The framework may be missing where types are checked.
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import ray
from sinew import _folder
from sinew._batch import AFTER_JOINTS, BEFORE_JOINTS, solutions_of
from sinew._folder import Job, Part, read_folder, written_lanes
from sinew._results import Solutions

if TYPE_CHECKING:
    from sinew._core import Model
    from sinew._tasks import Task

__all__ = ["read_folder", "solve", "solve_folder", "written_lanes"]


class _SolveBatch:
    """Adds the columns of results to a batch of a dataset."""

    def __init__(self, job: Job, column: str, seeds: str | None) -> None:
        self.job = job
        self.column = column
        self.seeds = seeds

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        seeds = None if self.seeds is None else np.stack(batch[self.seeds])
        table = self.job.solve(np.stack(batch[self.column]), seeds)
        solutions = solutions_of(table)
        names = ("q", *BEFORE_JOINTS, *AFTER_JOINTS)
        results = {name: np.ascontiguousarray(getattr(solutions, name)) for name in names}
        lanes = np.full(len(table), self.job.settings["lanes"], dtype=np.uint8)
        return {**batch, **results, "lanes": lanes}


def solve(
    model: Model,
    dataset: Any,
    link: str | Task | None = None,
    *,
    column: str = "target",
    seed_column: str | None = None,
    lanes: int = 0,
    chunk: int = 65536,
    **settings: Any,
) -> Any:
    """Model.solve() for the targets in a column of a ray.data.Dataset, lazily.

    column: of targets (4, 4), (7,) or (3,); seed_column: of seeds (nq,). lanes: SIMD lanes for all
    workers, 1, 2, 4 or 8; 0: as many as the processor of this process has; a worker whose processor
    has fewer raises sinew.Error. chunk: most targets that are solved at once. settings: as for
    Model.solve(), without seed, invalid and out. Targets that cannot be used have the outcome
    BAD_INPUT.

    Returns the dataset with the columns q (nq,), outcome, position_error [m], orientation_error
    [rad], steps, reach_task, reach and target_distance [m] (NaN where nothing is proven) and lanes.
    The bits are those of Model.solve() with the same lanes.
    """
    first = np.asarray(dataset.take(1)[0][column])[np.newaxis]
    job = _folder.make_job(model, link, lanes, first, settings)
    function = _SolveBatch(job, column, seed_column)
    return dataset.map_batches(function.__call__, batch_size=chunk, batch_format="numpy")


def solve_folder(
    model: Model,
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    link: str | Task | None = None,
    *,
    chunk: int = 65536,
    lanes: int = 0,
    resume: bool = False,
    column: str = "target",
    progress: bool | Callable[[int, int], None] = False,
    **settings: Any,
) -> Solutions:
    """As sinew.dask.solve_folder(), by the Ray cluster that this process is connected to."""

    def run(job: Job, parts: Iterable[tuple[Any, ...]]) -> Iterator[Part]:
        kept = ray.put(job)
        solve_part = ray.remote(max_retries=3)(_folder.solve_part)
        waiting = [solve_part.remote(kept, *part) for part in parts]
        while waiting:
            ended, waiting = ray.wait(waiting)
            yield from ray.get(ended)

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
