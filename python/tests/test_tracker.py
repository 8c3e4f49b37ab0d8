"""Trackers and crowds follow moving targets."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import sinew

from .conftest import MODELS


def path(model, link, frames=60):
    """Poses along a smooth path of joint values."""
    a, b = model.middle(), model.middle() + 0.15 * (model.upper - model.lower)
    t = np.linspace(0, 1, frames)[:, None]
    q = a + (3 * t**2 - 2 * t**3) * (b - a)
    return q, model.fk(q, link)


def test_follows_a_path(arm):
    q, targets = path(arm, "flange")
    tracker = sinew.Tracker(arm, "flange", q[0], time_step=1 / 60)
    for target in targets:
        solution = tracker.update(target)
        # metres and radians of lag at this speed
        assert np.abs(arm.fk(solution.q, "flange") - target).max() < 1e-3
    np.testing.assert_array_equal(tracker.q, solution.q)
    assert tracker.update(targets[-1]).position_error < 1e-4


def test_out_and_forms_agree(arm):
    q, targets = path(arm, "flange", 10)
    rows = arm.fk(q, "flange", quaternion="xyzw")
    plain = sinew.Tracker(arm, "flange", q[0])
    other = sinew.Tracker(arm, ["flange"], q[0], quaternion="xyzw")
    out = np.empty(7)
    for target, row in zip(targets, rows, strict=True):
        expected = plain.update(target, out=out)
        assert expected.q is out
        np.testing.assert_allclose(other.update([row]).q, out, atol=1e-9)


@pytest.mark.parametrize("keep_base", [False, True])
def test_a_floating_base_turns_to_its_targets_at_once(keep_base):
    model = sinew.load(MODELS / "arm7.urdf", floating_base=True)
    links = ["link3", "link5", "flange"]
    start = model.random(1, seed=3)[0]
    turned = start.copy()
    turned[:7] = [1, 2, 3, np.cos(1), 0, 0, np.sin(1)]
    tasks = [sinew.Task(link, "position") for link in links]
    tracker = sinew.Tracker(model, tasks, start, keep_base=keep_base)
    tracker.update([pose[:3, 3] for pose in model.fk(turned, links)])
    limbs_rest = np.abs(tracker.q[7:] - start[7:]).max() < 1e-6
    assert limbs_rest != keep_base


def test_reset(arm):
    q, targets = path(arm, "flange", 20)
    tracker = sinew.Tracker(arm, "flange", q[0])
    first = [tracker.update(target).q for target in targets]
    tracker.reset(q[0])
    np.testing.assert_array_equal(tracker.q, q[0])
    np.testing.assert_array_equal([tracker.update(target).q for target in targets], first)


def test_speed_limits_are_kept(arm):
    tracker = sinew.Tracker(arm, sinew.Task("flange", "position"), time_step=0.01)
    before = tracker.q
    for _ in range(20):
        after = tracker.update([-0.4, 0.3, 0.2]).q
        assert (np.abs(after - before) <= arm.velocity * 0.01 * (1 + 1e-9)).all()
        before = after


def test_twist_is_fed_forward(arm):
    step = 1 / 30
    q, targets = path(arm, "flange", 400)
    twists = np.zeros((400, 6))
    twists[:-1, :3] = np.diff(targets[:, :3, 3], axis=0) / step
    task = sinew.Task("flange", "position")

    def errors(feed):
        tracker = sinew.Tracker(arm, task, q[0], time_step=step, error_gain=0.3)
        return [
            tracker.update(target[:3, 3], twist=twist if feed else None).position_error
            for target, twist in zip(targets, twists, strict=True)
        ]

    fed, plain = errors(True), errors(False)
    assert fed[1] < 1e-3 * plain[1]
    assert np.mean(fed) < 0.8 * np.mean(plain)


def test_several_end_effectors():
    figure = sinew.load(MODELS / "walk.bvh")
    links = [sinew.Task("LeftHand", "position"), sinew.Task("RightFoot", "position")]
    names = [task.link for task in links]
    tracker = sinew.Tracker(figure, links, figure.motion[0], time_step=figure.frame_time)
    for q in figure.motion[:30]:
        targets = figure.fk(q, names)[:, :3, 3]
        tracker.update(targets)
        # again, for the errors that the first update leaves
        solution = tracker.update(list(targets), twist=np.zeros((2, 6)))
        assert solution.position_error < 1e-3 * figure.size


# ---- crowds ----


def test_crowd_does_what_trackers_do(arm):
    q, targets = path(arm, "flange", 15)
    starts = q[:5] + 0.01
    crowd = sinew.Crowd(arm, "flange", 5, starts)
    trackers = [sinew.Tracker(arm, "flange", start) for start in starts]
    for first in range(10):
        now = targets[first : first + 5]
        solutions = crowd.update(now)
        assert solutions.q.shape == (5, 7)
        expected = [tracker.update(target) for tracker, target in zip(trackers, now, strict=True)]
        np.testing.assert_allclose(solutions.q, [one.q for one in expected], atol=1e-9)
        np.testing.assert_allclose(
            solutions.position_error, [one.position_error for one in expected], atol=1e-9
        )
    np.testing.assert_array_equal(crowd.q, solutions.q)
    assert crowd.figures == 5
    assert (solutions.reach_task == -1).all()
    assert np.isnan([solutions.reach, solutions.target_distance]).all()


def test_crowd_has_the_same_bits_on_threads(arm):
    targets = arm.fk(arm.random(1000, seed=1), "flange")
    results = []
    for threads in (1, 2, 3):
        crowd = sinew.Crowd(arm, "flange", 1000, lanes=2)
        for _ in range(3):
            solutions = crowd.update(targets, threads=threads)
        results.append(solutions.q)
        crowd.reset(arm.middle())
        assert (crowd.q == arm.middle()).all()
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_tracks(arm):
    q, targets = path(arm, "flange", 40)
    crowd = sinew.Crowd(arm, "flange", 1)
    lengths = [40, 3, 17, 0, 25]
    tracks = [targets[:length].copy() for length in lengths]
    tracks[2][5, 0, 3] = np.nan  # a missing frame
    results = crowd.follow(tracks, seed=q[0])
    assert [len(solutions) for solutions in results] == lengths
    tracker = sinew.Tracker(arm, "flange", q[0])
    expected = [tracker.update(target).q for target in targets]
    np.testing.assert_allclose(results[0].q, expected, atol=1e-9)
    assert results[2].outcome[5] == sinew.Outcome.BAD_INPUT
    np.testing.assert_array_equal(results[2].q[5], results[2].q[4])
    for threads in (1, 3):
        again = crowd.follow(tracks, seed=np.tile(q[0], (5, 1)), threads=threads)
        for one, other in zip(again, results, strict=True):
            np.testing.assert_array_equal(one.q, other.q)


def test_a_crowd_in_use_is_refused(arm):
    """Two threads on one crowd: an exception in the one that comes second, never a crash."""
    crowd = sinew.Crowd(arm, "flange", 2000)
    targets = arm.fk(arm.random(2000, seed=1), "flange")
    refusals, done = [], threading.Event()

    def work():
        while not done.is_set():
            try:
                crowd.update(targets, threads=1)
            except RuntimeError as error:
                refusals.append(str(error))
                done.set()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    done.wait(60)
    done.set()
    for thread in threads:
        thread.join()
    assert refusals[0] == "the Crowd is in use by another thread"
    crowd.update(targets)


def test_two_threads_on_one_tracker(arm):
    targets = arm.fk(arm.random(50, seed=1), "flange")
    tracker = sinew.Tracker(arm, "flange")
    threads = [
        threading.Thread(target=lambda: [tracker.update(target) for target in targets] * 5)
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.isfinite(tracker.q).all()


def test_the_model_lives_as_long_as_they_do():
    model = sinew.load(MODELS / "arm7.urdf")
    target = model.fk(model.middle(), "flange")
    tracker, crowd = sinew.Tracker(model, "flange"), sinew.Crowd(model, "flange", 2)
    del model
    assert tracker.update(target)
    assert crowd.update([target, target]).converged.all()


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda m: sinew.Tracker(m, "flang"), sinew.UnknownNameError, "flange"),
        (lambda m: sinew.Tracker(m, 3), TypeError, "link must be"),
        (lambda m: sinew.Tracker(m, []), ValueError, "link is empty"),
        (lambda m: sinew.Tracker("m", "flange"), TypeError, "must be a sinew.Model, not str"),
        (lambda m: sinew.Tracker(m, "flange", np.zeros(3)), ValueError, r"q has shape \(3,\)"),
        (lambda m: sinew.Tracker(m, "flange", np.full(7, np.nan)), ValueError, "q: value 0"),
        (lambda m: sinew.Tracker(m, "flange", time_step=-1), sinew.Error, "time_step"),
        (lambda m: sinew.Tracker(m, "flange", error_gain=2), sinew.Error, "error_gain"),
        (lambda m: sinew.Tracker(m, "flange").update(np.zeros(3)), ValueError, "kind pose"),
        (lambda m: sinew.Tracker(m, "flange").update([np.eye(4)]), ValueError, "one target"),
        (lambda m: sinew.Tracker(m, "flange").update(np.full((4, 4), np.nan)), ValueError, "nan"),
        (lambda m: sinew.Tracker(m, "flange").update(np.eye(4), twist=[1]), ValueError, "twist"),
        (lambda m: sinew.Tracker(m, "flange").update(np.eye(4), out=[1]), TypeError, "out"),
        (lambda m: sinew.Tracker(m, ["flange"]).update([]), ValueError, "1 end effectors"),
        (lambda m: sinew.Tracker.__new__(sinew.Tracker).update(1), RuntimeError, "initialised"),
        (lambda m: sinew.Crowd(m, "flange", 0), ValueError, "figures is 0"),
        (lambda m: sinew.Crowd(m, "flange", 2, np.zeros((3, 7))), ValueError, r"\(2, 7\)"),
        (lambda m: sinew.Crowd(m, "flange", 2, lanes=3), sinew.Error, "lanes"),
        (lambda m: sinew.Crowd(m, sinew.Task("flange", level=1), 2), sinew.Error, "level 0"),
        (lambda m: sinew.Crowd(m, "flange", 2).update(np.eye(4)), ValueError, r"must be \(2,\)"),
        (
            lambda m: sinew.Crowd(m, "flange", 2).update([np.eye(4), np.full((4, 4), np.inf)]),
            ValueError,
            r"targets\[1\]: \[0, 0\] is infinite",
        ),
        (
            lambda m: sinew.Crowd(m, "flange", 2).update([np.eye(4)] * 2, threads=0),
            ValueError,
            "th",
        ),
        (lambda m: sinew.Crowd(m, "flange", 2).follow([np.eye(4)]), ValueError, r"tracks\[0\]"),
    ],
)
def test_bad_input(arm, make, kind, message):
    with pytest.raises(kind, match=message):
        make(arm)
