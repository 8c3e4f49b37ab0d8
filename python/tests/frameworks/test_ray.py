"""Solves on a local cluster of Ray, of several processes, one of which is killed."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

from ..conftest import need
from . import clusters

ray = need("ray")
need("ray.data")
sinew_ray = need("sinew.ray")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=3, include_dashboard=False, object_store_memory=200_000_000)
    yield
    ray.shutdown()


def test_dataset(arm):
    targets = arm.fk(arm.random(1000, seed=1), "flange")
    seeds = arm.random(1000, seed=2)
    dataset = ray.data.from_items(
        [{"target": targets[i], "seed": seeds[i], "i": i} for i in range(len(targets))]
    )
    results = sinew_ray.solve(
        arm, dataset, "flange", seed_column="seed", lanes=clusters.LANES, chunk=128
    )
    rows = sorted(results.take_all(), key=lambda row: row["i"])
    assert [row["i"] for row in rows] == list(range(1000))
    expected = arm.solve(targets, "flange", seeds, lanes=clusters.LANES)
    assert np.stack([row["q"] for row in rows]).tobytes() == expected.q.tobytes()
    assert np.array_equal([row["outcome"] for row in rows], expected.outcome)
    assert {row["lanes"] for row in rows} == {clusters.LANES}


def test_goes_on(arm, tmp_path):
    clusters.go_on(sinew_ray, arm, tmp_path)


def test_parquet(arm, tmp_path):
    clusters.parquet(sinew_ray, arm, tmp_path)


def test_refuses(arm, tmp_path):
    clusters.refuse(sinew_ray, arm, tmp_path)


def test_a_killed_worker_loses_and_repeats_nothing(arm, tmp_path):
    @ray.remote
    def pid():
        time.sleep(0.5)
        return os.getpid()

    pids = ray.get([pid.remote() for _ in range(3)])
    assert len(set(pids)) > 1
    clusters.lose_a_worker(sinew_ray, arm, tmp_path, pids)
