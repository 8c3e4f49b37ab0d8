"""Solves on a local cluster of Dask, of several processes, one of which is killed."""

from __future__ import annotations

import os

import numpy as np
import pytest
import sinew

from ..conftest import need
from . import clusters

dask = need("dask")
need("dask.array")
distributed = need("distributed")
sinew_dask = need("sinew.dask")


@pytest.fixture(scope="module")
def client():
    settings = {"distributed.worker.daemon": False}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_array(arm, client):
    targets = arm.fk(arm.random(2000, seed=1), "flange")
    seeds = arm.random(2000, seed=2)
    expected = arm.solve(targets, "flange", seeds, lanes=clusters.LANES)
    for chunks in (300, 2000):
        lazy = dask.array.from_array(targets, chunks=(chunks, 2, 4))
        lazy_seeds = dask.array.from_array(seeds, chunks=(500, 7))
        solutions = sinew_dask.solve(arm, lazy, "flange", lazy_seeds, lanes=clusters.LANES)
        assert solutions.q.shape == (2000, 7)
        q, outcome = dask.compute(solutions.q, solutions.outcome)
        assert q.tobytes() == expected.q.tobytes()
        assert np.array_equal(outcome, expected.outcome)
    positions = dask.array.from_array(targets[:, :3, 3], chunks=500)
    task = sinew.Task("flange", "position")
    q = sinew_dask.solve(arm, positions, task, arm.middle(), lanes=4).q.compute(scheduler="sync")
    assert q.tobytes() == arm.solve(targets[:, :3, 3], task, arm.middle(), lanes=4).q.tobytes()
    with pytest.raises(sinew.UnknownNameError):
        sinew_dask.solve(arm, positions, "flang")
    with pytest.raises(ValueError, match="seed has shape"):
        sinew_dask.solve(arm, lazy, "flange", lazy_seeds[:5])


def test_the_model_is_read_once_by_each_process(arm, client):
    def loads():
        from sinew import _folder

        return _folder._restore.cache_info().misses

    before = client.run(loads)
    lazy = dask.array.from_array(arm.fk(arm.random(3000, seed=9), "flange"), chunks=(100, 4, 4))
    sinew_dask.solve(arm, lazy, "flange", lanes=clusters.LANES, max_starts=77).q.compute()
    after = client.run(loads)
    assert all(after[worker] - before[worker] <= 1 for worker in after)
    assert sum(after.values()) > sum(before.values())


def test_goes_on(arm, client, tmp_path):
    clusters.go_on(sinew_dask, arm, tmp_path)


def test_parquet(arm, client, tmp_path):
    clusters.parquet(sinew_dask, arm, tmp_path, client=client)


def test_refuses(arm, client, tmp_path):
    clusters.refuse(sinew_dask, arm, tmp_path)


def test_a_killed_worker_loses_and_repeats_nothing(arm, client, tmp_path):
    pids = list(client.run(os.getpid).values())
    assert len(set(pids)) == 3
    clusters.lose_a_worker(sinew_dask, arm, tmp_path, pids)
