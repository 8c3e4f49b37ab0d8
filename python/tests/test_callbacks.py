"""Objectives that are functions of Python, and the one that reads a task. What a function does is
compared with the objective of the core that is the same, and with forward kinematics."""

from __future__ import annotations

import dataclasses
import functools
import gc
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import pytest
import sinew

from .conftest import MODELS

POSITION = sinew.Task("flange", "position")
C = np.array([1.0, 0, -1, 0, 0.5, 0, 0])
COUPLING = sinew.Objective("coupling", coefficients=C, value=0.1, weight=0.7)


def couple(q):
    return np.array([C @ q - 0.1]), C[np.newaxis]


def objective(function, rows=1, **keywords):
    return sinew.Objective("callback", function=function, rows=rows, **keywords)


CALLBACK = objective(couple, weight=0.7)


class Boom(Exception):
    pass


@pytest.fixture(scope="module")
def points(arm):
    return arm.fk(arm.random(40, seed=3), "flange")[:, :3, 3]


# ---- manipulability ----


def manipulability(arm, q, rows):
    J = arm.jacobian(q, "flange")[..., rows, :]
    return np.sqrt(np.linalg.det(J @ np.swapaxes(J, -1, -2)))


@pytest.mark.parametrize(
    ("task", "rows", "factor"),
    [
        (POSITION, slice(0, 3), 1.2),
        (sinew.Task("flange", "orientation"), slice(3, 6), 1.03),  # never far from its most
        (sinew.Task("flange"), slice(0, 6), 1.2),
        ("flange", slice(0, 6), 1.2),
    ],
)
def test_more_manipulability(arm, points, task, rows, factor):
    q = arm.random(40, seed=3)
    more = sinew.Objective("manipulability", task=task)
    solutions = arm.solve(points, POSITION, q, objectives=more)
    assert solutions.converged.all()
    before, after = manipulability(arm, q, rows), manipulability(arm, solutions.q, rows)
    assert (after >= before * (1 - 1e-6)).mean() > 0.9
    assert np.median(after / before) > factor
    one = arm.solve(points[7], POSITION, q[7], objectives=more)
    assert one.q.tobytes() == solutions.q[7].tobytes()
    if task == "flange":
        named = sinew.Objective("manipulability", task=sinew.Task("flange"))
        same = arm.solve(points, POSITION, q, objectives=named)
        assert same.q.tobytes() == solutions.q.tobytes()


@pytest.mark.parametrize(
    ("task", "kind", "message"),
    [
        (None, TypeError, "Objective: task must be a sinew.Task or the name of a link, not None"),
        (3, TypeError, "Objective: task must be"),
        ("flang", sinew.UnknownNameError, "did you mean 'flange'"),
        (sinew.Task("flange", "direction"), sinew.Error, "POSITION, ORIENTATION or POSE"),
    ],
)
def test_bad_tasks_of_manipulability(arm, task, kind, message):
    with pytest.raises(kind, match=message):
        sinew.Tracker(arm, "flange", objectives=sinew.Objective("manipulability", task=task))


# ---- functions do what objectives of the core do ----


@pytest.mark.parametrize("keywords", [{}, {"nearest": True}, {"local": True}])
def test_solves(arm, points, keywords):
    q = arm.random(40, seed=3)
    for point, seed in zip(points[:4], q, strict=False):
        expected = arm.solve(point, POSITION, seed, objectives=COUPLING, **keywords)
        solution = arm.solve(point, POSITION, seed, objectives=[CALLBACK], **keywords)
        assert solution.outcome == expected.outcome
        np.testing.assert_allclose(solution.q, expected.q, atol=1e-7)
        np.testing.assert_allclose(C @ solution.q, 0.1, atol=1e-2)
    if "nearest" in keywords:
        points, q = points[:8], q[:8]
    expected = arm.solve(points, POSITION, q, objectives=COUPLING, **keywords)
    results = [
        arm.solve(points, POSITION, q, objectives=CALLBACK, threads=threads, **keywords)
        for threads in (1, 3, None)
    ]
    np.testing.assert_allclose(results[0].q, expected.q, atol=1e-7)
    for other in results:
        assert other.q.tobytes() == results[0].q.tobytes()


def test_updates(arm):
    T = arm.fk(arm.middle() + 0.3, "flange")[:3, 3]
    both = [sinew.Tracker(arm, POSITION, objectives=one) for one in (COUPLING, CALLBACK)]
    for _ in range(30):
        results = [tracker.update(T).q for tracker in both]
        np.testing.assert_allclose(results[0], results[1], atol=1e-9)
    np.testing.assert_allclose(C @ results[1], 0.1, atol=1e-4)


def test_several_rows_in_any_form(arm, points):
    """Residuals as lists, float32, read-only and transposed arrays."""
    wanted = arm.middle() + 0.2
    eye = np.eye(7)
    forms = [
        lambda q: (q - wanted, eye),
        lambda q: [list(q - wanted), eye.tolist()],
        lambda q: ((q - wanted)[::-1][::-1], np.asfortranarray(eye)),
    ]
    q = arm.random(seed=3)
    results = [
        arm.solve(points[0], POSITION, q, objectives=objective(form, 7), local=True).q.tobytes()
        for form in forms
    ]
    assert results[0] == results[1] == results[2]
    posture = arm.solve(
        points[0], POSITION, q, objectives=sinew.Objective(posture=wanted), local=True
    )
    # A descent ends where a step gains less than a millionth of the cost.
    np.testing.assert_allclose(np.frombuffer(results[0]), posture.q, atol=1e-4)


def test_values_that_are_not_finite_count_for_nothing(arm, points):
    q = arm.random(seed=3)

    def nothing(q):
        return [np.nan], np.full((1, 7), np.inf)

    solution = arm.solve(points[5], POSITION, q, objectives=objective(nothing))
    assert solution
    assert np.isfinite(solution.q).all()


def test_files(arm, points, tmp_path):
    expected = arm.solve(points, POSITION, objectives=CALLBACK)
    solutions = sinew.batch(
        arm, points, tmp_path / "out.npy", POSITION, chunk=15, objectives=CALLBACK
    )
    np.testing.assert_array_equal(solutions.q, expected.q)


# ---- exceptions ----


class Failing:
    """Raises one exception at a call; counts the calls."""

    def __init__(self, at=3):
        self.error = Boom("bang")
        self.at = at
        self.calls = 0

    def __call__(self, q):
        self.calls += 1
        if self.calls >= self.at:
            raise self.error
        return couple(q)


@pytest.mark.parametrize(
    "keywords",
    [{}, {"nearest": True}, {"local": True}, {"threads": 1}, {"threads": 3}, {"invalid": "mark"}],
)
def test_exceptions_are_raised_as_they_are(arm, points, keywords):
    many = "threads" in keywords or "invalid" in keywords
    targets = points if many else points[0]
    failing = Failing()
    with pytest.raises(Boom) as caught:
        arm.solve(targets, POSITION, objectives=objective(failing), **keywords)
    assert caught.value is failing.error
    assert caught.traceback[-1].name == "__call__"
    assert 3 <= failing.calls < 3 + keywords.get("threads", 2)
    failing.at = 10**9
    again = arm.solve(targets, POSITION, objectives=objective(failing), **keywords)
    expected = arm.solve(targets, POSITION, objectives=objective(couple), **keywords)
    assert again.q.tobytes() == expected.q.tobytes()


def test_an_exception_in_an_update(arm):
    T = arm.fk(arm.middle() + 0.3, "flange")
    failing = Failing(3)
    tracker = sinew.Tracker(arm, "flange", objectives=objective(failing))
    tracker.update(T)
    before, calls = tracker.q, failing.calls
    failing.at = calls
    with pytest.raises(Boom) as caught:
        tracker.update(T)
    assert caught.value is failing.error
    assert failing.calls == calls + 1
    assert tracker.q.tobytes() == before.tobytes()
    failing.at = 10**9
    for _ in range(50):
        tracker.update(T)
    np.testing.assert_allclose(arm.fk(tracker.q, "flange"), T, atol=1e-5)


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (None, TypeError, r"objectives\[1\]: function must return a pair.*NoneType"),
        (1.0, TypeError, "must return a pair"),
        (([0.0, 0.0],), TypeError, "must return a pair"),
        (([0.0, 0.0], np.zeros((2, 7)), 0), TypeError, "must return a pair"),
        ((0.0, np.zeros((2, 7))), ValueError, r"residual has shape \(\); it must be \(2,\)"),
        (([0.0], np.zeros((2, 7))), ValueError, r"\[1\]: residual has shape \(1,\); it must be"),
        ((np.zeros((2, 1)), np.zeros((2, 7))), ValueError, r"residual has shape \(2, 1\)"),
        (([0.0, 0.0], np.zeros(7)), ValueError, r"jacobian has shape \(7,\); it must be \(2, 7\)"),
        (([0.0, 0.0], np.zeros((7, 2))), ValueError, r"jacobian has shape \(7, 2\)"),
        ((["a", "b"], np.zeros((2, 7))), ValueError, r"objectives\[1\]: residual: could not"),
        (([0.0, 0.0], [[1], [1, 2]]), ValueError, r"objectives\[1\]: jacobian: "),
    ],
)
def test_bad_results(arm, points, value, kind, message):
    objectives = [CALLBACK, objective(lambda q: value, 2)]
    for targets in (points[0], points[:20]):
        with pytest.raises(kind, match=message):
            arm.solve(targets, POSITION, objectives=objectives)
    tracker = sinew.Tracker(arm, POSITION, objectives=objectives)
    with pytest.raises(kind, match=message):
        tracker.update(points[0])


@pytest.mark.parametrize(
    ("objectives", "kind", "message"),
    [
        (objective(None), TypeError, "Objective: function must be callable, not None"),
        (objective(3), TypeError, "Objective: function must be callable, not 3"),
        (objective(couple, 0), sinew.Error, "rows is not within 1 and 1000"),
        (objective(couple, -1), sinew.Error, "rows is not within 1 and 1000"),
        (objective(couple, 1001), sinew.Error, "rows is not within 1 and 1000"),
        (objective(couple, 1.5), TypeError, "Objective: rows must be an integer"),
        ([objective(couple, 600)] * 2, sinew.Error, "1200, more than"),
        (objective(couple, weights=np.ones(7)), sinew.Error, "weights are not of this kind"),
    ],
)
def test_bad_objectives(arm, objectives, kind, message):
    with pytest.raises(kind, match=message):
        sinew.Tracker(arm, "flange", objectives=objectives)
    with pytest.raises(kind, match=message):
        arm.solve(np.eye(4), "flange", objectives=objectives)


def test_ctrl_c(arm, points):
    for threads in (1, 2):
        calls = []

        def interrupt(q, calls=calls):
            calls.append(None)
            if len(calls) == 50:
                os.kill(os.getpid(), signal.SIGINT)
            return couple(q)

        old = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                arm.solve(
                    np.tile(points, (500, 1)),
                    POSITION,
                    objectives=objective(interrupt),
                    threads=threads,
                )
        finally:
            signal.signal(signal.SIGINT, old)
        assert len(calls) < 100_000


# ---- lifetimes ----


class Coupler:
    """Has a method, and can be referred to weakly."""

    def residual(self, q):
        return couple(q)


def test_functions_live_as_long_as_they_are_used(points):
    arm = sinew.load(MODELS / "arm7.urdf")
    coupler = Coupler()
    alive = weakref.ref(coupler)
    tracker = sinew.Tracker(arm, POSITION, objectives=objective(coupler.residual))
    expected = arm.solve(points[:3], POSITION, objectives=objective(coupler.residual)).q
    del coupler
    gc.collect()
    tracker.update(points[0])
    assert alive() is not None
    del tracker
    gc.collect()
    assert alive() is not None  # by the model's search
    again = arm.solve(points[:3], POSITION, objectives=objective(alive().residual)).q
    assert again.tobytes() == expected.tobytes()
    del arm
    gc.collect()
    assert alive() is None


def test_a_method_is_one_function(arm, points):
    """Each use of a method is a new object: they share a search, which has a bank."""
    coupler = Coupler()
    arm.solve(points[0], POSITION, objectives=objective(coupler.residual))
    references = sys.getrefcount(coupler)
    for _ in range(5):
        arm.solve(points[0], POSITION, objectives=objective(coupler.residual))
    assert sys.getrefcount(coupler) == references


def test_functions_are_told_apart(arm, points):
    """Of the same code, by what they are; also after others with other addresses have come."""
    q = arm.random(seed=3)
    for value in np.linspace(-0.3, 0.3, 50):

        def towards(q, value=value):
            return [q[0] - value], np.eye(7)[:1]

        solution = arm.solve(points[0], POSITION, q, objectives=objective(towards), local=True)
        expected = sinew.Objective("coupling", coefficients={"joint1": 1}, value=value)
        same = arm.solve(points[0], POSITION, q, objectives=expected, local=True)
        np.testing.assert_allclose(solution.q, same.q, atol=1e-7)


def references_in_cycles(points):
    """To a model, to a function that refers to it, and to a tracker, which that refers to."""
    arm = sinew.load(MODELS / "arm7.urdf")
    holder = {}

    def function(q):
        assert "tracker" in holder
        return np.array([arm.fk(q, "flange")[2, 3]]), arm.jacobian(q, "flange")[2:3]

    holder["tracker"] = sinew.Tracker(arm, POSITION, objectives=objective(function))
    holder["tracker"].update(points[0])
    arm.solve(points[0], POSITION, objectives=objective(function))
    arm.solve(points[:20], POSITION, objectives=objective(function))
    return [weakref.ref(one) for one in (arm, function, holder["tracker"])]


def test_cycles_are_collected(points):
    alive = references_in_cycles(points)
    gc.collect()
    assert [one() for one in alive] == [None] * 3


# ---- calls within calls, and threads ----


def test_a_function_may_solve(arm, points):
    q = arm.random(seed=3)

    def nested(values):
        inner = arm.solve(points[1], POSITION, q, objectives=objective(couple))
        with pytest.raises(Boom):
            arm.solve(points[1], POSITION, q, objectives=objective(Failing(1)))
        with pytest.raises(Boom):
            arm.solve(points[:3], POSITION, q, objectives=objective(Failing(1)), threads=2)
        assert inner
        return couple(values)

    expected = arm.solve(points[0], POSITION, q, objectives=objective(couple), local=True)
    solution = arm.solve(points[0], POSITION, q, objectives=objective(nested), local=True)
    assert solution.q.tobytes() == expected.q.tobytes()


def test_objective_reports(arm):
    q = arm.middle() + 0.1
    residual = np.array([3.0, -4.0])
    failing = Failing(10**9)
    tracker = sinew.Tracker(
        arm,
        "flange",
        q,
        objectives=[
            sinew.Objective(posture=q - np.linspace(0, 0.3, 7)),
            sinew.Objective("limits"),
            sinew.Objective("coupling", coefficients=[1, 1, 0, 0, 0, 0, 0], value=5),
            objective(lambda q: (residual, np.zeros((2, 7))), 2),
            sinew.Objective("damping"),
        ],
    )
    posture, limits, coupling, callback, damping = tracker.objective_reports()
    assert type(posture) is sinew.ObjectiveReport
    assert posture == (pytest.approx(0.3), None, None)
    assert limits == (pytest.approx(0.1), None, None)
    assert coupling == (None, None, pytest.approx(abs(5 - q[0] - q[1])))
    assert callback == (None, None, 5.0)
    assert damping == (None, None, None)
    assert sinew.Tracker(arm, "flange", q).objective_reports() == []

    tracker = sinew.Tracker(arm, "flange", q, objectives=objective(failing))
    tracker.objective_reports()
    failing.at = failing.calls
    with pytest.raises(Boom):
        tracker.objective_reports()


def test_a_function_may_not_move_its_tracker(arm, points):
    calls = [
        lambda tracker: tracker.update(points[0]),
        lambda tracker: tracker.reset(),
        lambda tracker: tracker.bounds(),
        lambda tracker: tracker.hard_rows(),
        lambda tracker: tracker.objective_reports(),
        lambda tracker: tracker.set_influences(1),
    ]
    holder = []
    for call in calls:

        def function(q, call=call):
            call(holder[0])
            return couple(q)

        tracker = sinew.Tracker(arm, POSITION, objectives=objective(function))
        holder[:] = [tracker]
        with pytest.raises(RuntimeError, match="the Tracker is in use"):
            tracker.update(points[0])
        tracker.reset()
        with pytest.raises(RuntimeError, match="the Tracker is in use"):
            tracker.update(points[0])


def test_threads(arm, points):
    """Several threads with one model and one objective; and with one tracker."""
    expected = arm.solve(points, POSITION, objectives=CALLBACK, local=True).q
    tracker = sinew.Tracker(arm, POSITION, objectives=CALLBACK)
    wrong, refused = [], []

    def work(first):
        for i in range(first, len(points), 4):
            q = arm.solve(points[i], POSITION, objectives=CALLBACK, local=True).q
            wrong.extend([i] * (q.tobytes() != expected[i].tobytes()))
            try:
                tracker.update(points[i])
            except RuntimeError as error:
                refused.append(str(error))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []
    assert np.isfinite(tracker.q).all()
    assert all("in use" in message for message in refused)
    tracker.update(points[0])


# ---- the check of a derivative ----


def test_check_callback(arm):
    q = arm.random(seed=3)
    target = arm.fk(arm.random(seed=4), "flange")[:3, 3]

    def right(q):
        return arm.fk(q, "flange")[:3, 3] - target, arm.jacobian(q, "flange")[:3]

    def wrong(q):
        r, J = right(q)
        J[1, 4] += 1e-3
        return r, J

    assert arm.check_callback(objective(right, 3), q) is None
    arm.check_callback([objective(right, 3), CALLBACK], q)
    message = r"joint5.*objective 0: jacobian\[1\]\[4\] is"
    with pytest.raises(sinew.Error, match=message) as caught:
        arm.check_callback(objective(wrong, 3), q)
    assert caught.value.name == "joint5"
    with pytest.raises(sinew.Error, match="objective 1: jacobian"):
        arm.check_callback([CALLBACK, objective(wrong, 3, level=4)], q)
    arm.check_callback(objective(wrong, 3), q, tolerance=1e-2)
    with pytest.raises(sinew.Error, match="jacobian"):
        arm.check_callback(objective(lambda q: ([np.nan], [[0] * 7])), q)


def test_check_callback_with_quaternions():
    """Columns are in the order of velocities, of which there are fewer than values in q."""
    model = sinew.load(MODELS / "arm7.urdf", floating_base=True)
    assert model.nq == model.nv + 1
    q = model.random(seed=3)

    def hand(q):
        return model.fk(q, "flange")[:3, 3], model.jacobian(q, "flange")[:3]

    def turned(q):
        r, J = hand(q)
        return r, J[:, ::-1]

    model.check_callback(objective(hand, 3), q)
    with pytest.raises(sinew.Error, match="by differences"):
        model.check_callback(objective(turned, 3), q)
    target = sinew.Task("flange", "orientation")
    tracker = sinew.Tracker(model, target, q, objectives=objective(hand, 3))
    for _ in range(100):
        tracker.update(model.fk(q, "flange")[:3, :3])
    np.testing.assert_allclose(hand(tracker.q)[0], 0, atol=1e-6)  # the base moves


@pytest.mark.parametrize(
    ("one", "q", "kind", "message"),
    [
        (COUPLING, np.zeros(7), sinew.Error, "objective 0: is no callback"),
        ([], np.zeros(7), sinew.Error, "objective 0 does not exist"),
        (None, np.zeros(7), TypeError, "check_callback"),
        (couple, np.zeros(7), TypeError, "sinew.Objective"),
        (CALLBACK, np.zeros(6), ValueError, r"q has shape \(6,\)"),
        (CALLBACK, None, TypeError, "check_callback"),
        (CALLBACK, np.full(7, np.nan), ValueError, "q: value 0"),
        (objective(couple, 2), np.zeros(7), ValueError, r"objectives\[0\]: residual has shape"),
        (objective(Failing(1)), np.zeros(7), Boom, "bang"),
    ],
)
def test_bad_checks(arm, one, q, kind, message):
    with pytest.raises(kind, match=message):
        arm.check_callback(one, q)


# ---- pickling ----


def test_pickling(arm, points):
    expected = arm.solve(points[:3], POSITION, objectives=CALLBACK).q
    model, one = pickle.loads(pickle.dumps((arm, CALLBACK)))
    assert one == CALLBACK
    assert model.solve(points[:3], POSITION, objectives=one).q.tobytes() == expected.tobytes()
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(objective(lambda q: couple(q)))
    with pytest.raises(TypeError, match=r"cannot pickle.*Tracker"):
        pickle.dumps(sinew.Tracker(arm, POSITION, objectives=CALLBACK))


RESUMED = """
    import functools, sys, sinew, numpy as np
    arm = sinew.load(sys.argv[1])
    one = 1.0
    def couple(scale, q):
        return [scale * one * value for value in q[:1]], np.eye(7)[:1]
    def report(done, count):
        print(done, flush=True)
        if done == 20 and len(sys.argv) == 3:
            raise SystemExit(0)
    sinew.batch(arm, arm.fk(arm.random(40), "flange"), sys.argv[2], "flange", chunk=10,
                objectives=[sinew.Objective("callback", function=functools.partial(couple, one))],
                resume=True, progress=report)
"""


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, q):
        return [self.factor * q[0]], self.factor * np.eye(7)[:1]

    def residual(self, q):
        return self(q)


@dataclasses.dataclass
class Slotted:
    __slots__ = ("factor",)
    factor: float

    def __call__(self, q):
        return scaled(self.factor, q)


class Config:
    def __init__(self, factor):
        self.factor = factor


def configured(config, q):
    return scaled(config.factor, q)


def called(factor):
    class Called:
        def __call__(self, q):
            return scaled(2, q) if factor == 2 else scaled(3, q)

    class Other:
        def __call__(self, q):
            return scaled(3, q)

    Other.__qualname__ = Called.__qualname__
    return Called() if factor == 2 else Other()


def attributed(factor):
    def function(q):
        return scaled(function.factor, q)

    function.factor = factor
    return function


def scaled(factor, q):
    return Scaled(factor)(q)


def closure(factor):
    return lambda q: scaled(float(np.sum(factor)), q)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (lambda q: scaled(2, q), lambda q: scaled(3, q)),
        (functools.partial(scaled, 2), functools.partial(scaled, 3)),
        (functools.partial(scaled, 2), Scaled(2)),
        (closure(2), closure(3)),
        (closure(np.full(1, 2.0)), closure(np.full(1, 3.0))),
        (Scaled(2), Scaled(3)),
        (Scaled(2).residual, Scaled(3).residual),
        (Slotted(2), Slotted(3)),
        (functools.partial(configured, Config(2)), functools.partial(configured, Config(3))),
        (called(2), called(3)),
        (attributed(2), attributed(3)),
    ],
)
def test_a_batch_with_another_function_does_not_go_on(arm, tmp_path, first, other):
    def stop(done, _):
        if done == 10:
            raise Boom

    def run(function, **more):
        objectives = [sinew.Objective("callback", function=function)]
        out = tmp_path / "out.npy"
        sinew.batch(arm, targets, out, "flange", chunk=10, objectives=objectives, **more)

    targets = arm.fk(arm.random(20), "flange")
    with pytest.raises(Boom):
        run(first, progress=stop)
    with pytest.raises(ValueError, match="other"):
        run(other, resume=True)
    run(first, resume=True)


def test_a_batch_with_a_function_goes_on(tmp_path):
    """In another process the function is at another address."""
    command = [sys.executable, "-c", textwrap.dedent(RESUMED), MODELS / "arm7.urdf"]
    out = []
    for more in ([], ["go on"]):
        done = subprocess.run(
            [*command, tmp_path / "out.npy", *more], capture_output=True, text=True, check=True
        )
        out.append([int(line) for line in done.stdout.split()])
    assert out == [[0, 10, 20], [20, 30, 40]]
