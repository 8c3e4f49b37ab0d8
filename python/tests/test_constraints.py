"""Fields of tasks, limits, frozen joints, gains and objectives. What they do is read from forward
kinematics and from the joint values themselves."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
import sinew
from scipy.spatial.transform import Rotation

from .conftest import ROOT

TOLERANCE = 1e-6


# ---- the tables ----


def members(header, struct):
    """The members of a struct in a public header, without its cookie and size."""
    text = (ROOT / "include" / "sinew" / header).read_text()
    body = re.search(rf"typedef struct {struct} {{(.*?)}} {struct};", text, re.DOTALL)[1]
    body = re.sub(r"//.*", "", body)
    names = set()
    for declaration in body.split(";"):
        for name in declaration.split(","):
            words = re.findall(r"\w+", re.sub(r"\[.*?\]", "", name))
            names.update(words[-1:])
    return names - {"cookie", "size"}


@pytest.mark.parametrize(
    ("python", "header", "struct"),
    [(sinew.Task, "task.h", "sinew_task"), (sinew.Objective, "objective.h", "sinew_objective")],
)
def test_every_field_of_the_core_is_here(python, header, struct):
    table = sinew._core._members()[python.__name__]
    assert {field.name for field in dataclasses.fields(python)} == set(table)
    only_c = {"context"} if struct == "sinew_objective" else set()
    assert set(table.values()) == members(header, struct) - only_c


def test_defaults_are_those_of_the_core(arm):
    T = arm.fk(arm.random(50, seed=3), "flange")
    by_name, by_task = arm.solve(T, "flange"), arm.solve(T, sinew.Task("flange"))
    assert by_name.q.tobytes() == by_task.q.tobytes()


# ---- fields of tasks ----


def test_rotation_of_the_tool(arm):
    T = arm.fk(arm.random(20, seed=3), "flange")
    tool = Rotation.from_euler("xyz", [0.3, -1, 2])
    for rotation in (tool, tool.as_matrix(), tool.as_matrix().tolist()):
        solutions = arm.solve(T, sinew.Task("flange", rotation=rotation))
        assert solutions.converged.any()
        reached = arm.fk(solutions.q, "flange")[solutions.converged]
        np.testing.assert_allclose(
            reached[:, :3, :3] @ tool.as_matrix(), T[solutions.converged, :3, :3], atol=3e-6
        )


def test_axes_of_weight_0_are_not_controlled(arm):
    T = arm.fk(arm.random(20, seed=3), "flange")
    turned = T.copy()
    turned[:, :3, :3] = T[:, :3, :3] @ Rotation.from_euler("z", 0.5).as_matrix()
    turned[:, :3, 3] += 0.03 * T[:, :3, 2]
    weights = (1, 1, 0, 1, 1, 0)  # not along and about z
    for axes in ("target", "tool"):  # which have the same z
        task = sinew.Task("flange", axis_weights=weights, weight_axes=axes)
        solutions = arm.solve(turned, task, seed=arm.random(20, seed=4))
        assert solutions.converged.all()
        reached = arm.fk(solutions.q, "flange")
        np.testing.assert_allclose(reached[:, :3, 2], T[:, :3, 2], atol=3e-6)
        across = np.cross(reached[:, :3, 3] - T[:, :3, 3], T[:, :3, 2])
        np.testing.assert_allclose(across, 0, atol=3e-6)
    task = sinew.Task("flange", "position", axis_weights=weights, weight_axes="frame")
    solutions = arm.solve(T[:, :3, 3] + [0, 0, 0.05], task)
    assert solutions.converged.all()
    np.testing.assert_allclose(arm.fk(solutions.q, "flange")[:, :2, 3], T[:, :2, 3], atol=3e-6)


def test_ranges_in_axes_of_the_frame(arm):
    T = arm.fk(arm.random(20, seed=3), "flange")
    task = sinew.Task(
        "flange", "position", weight_axes="frame", lower=(0, 0, -0.1, 0, 0, 0), upper=(0,) * 6
    )
    p = arm.fk(arm.solve(T[:, :3, 3], task).q, "flange")[:, :3, 3] - T[:, :3, 3]
    np.testing.assert_allclose(p[:, :2], 0, atol=3e-6)
    assert (p[:, 2] < 3e-6).all()
    assert (p[:, 2] > -0.1 - 3e-6).all()


def test_a_task_of_a_lower_level_yields(arm):
    q = arm.random(20, seed=3)
    hand = arm.fk(q, "flange")
    elbow = arm.fk(q, "link4")[:, :3, 3] + [0, 0, 0.5]  # cannot be met
    low = sinew.Task("link4", "position", level=1)
    plain = arm.solve(hand, "flange", seed=q)
    both = arm.solve([hand, elbow], ["flange", low], seed=q)
    assert both.converged.all()
    np.testing.assert_allclose(arm.fk(both.q, "flange"), hand, atol=3e-6)

    def distance(solutions):
        return np.linalg.norm(arm.fk(solutions.q, "link4")[:, :3, 3] - elbow, axis=1)

    assert distance(both).mean() < distance(plain).mean() - 0.01
    required = dataclasses.replace(low, required=True)
    assert not arm.solve([hand, elbow], ["flange", required], seed=q).converged.any()
    one = arm.solve([hand[0], elbow[0]], ["flange", low], seed=q[0])
    assert one.q.tobytes() == both.q[0].tobytes()


def test_a_task_that_is_not_required(arm):
    q = arm.random(seed=3)
    far = sinew.Task("link4", "position", required=False, position_weight=1e-3)
    solution = arm.solve([arm.fk(q, "flange"), [0, 0, 9]], ["flange", far], seed=q, tolerance=1e-2)
    assert solution


CHAIN = """<robot name="chain"><link name="base"/>{}</robot>"""
PART = """
<joint name="j{i}" type="revolute"><parent link="{parent}"/><child link="l{i}"/>
<origin xyz="{x} 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="2" effort="1"/>
</joint>
<link name="l{i}"><inertial><origin xyz="0.5 0 0"/><mass value="{mass}"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
MASSES = np.array([3.0, 1.0, 2.0, 0.5])


@pytest.fixture(scope="module")
def chain():
    """Links of 1 m in a plane, with their masses in their middles."""
    parts = [
        PART.format(i=i, parent=f"l{i - 1}" if i else "base", x=float(i > 0), mass=mass)
        for i, mass in enumerate(MASSES)
    ]
    return sinew.loads(CHAIN.format("".join(parts)))


def test_center_of_mass(chain):
    def center(q):
        middles = chain.fk(q, ["l0", "l1", "l2", "l3"])[..., :3, 0] * 0.5
        origins = chain.fk(q, ["l0", "l1", "l2", "l3"])[..., :3, 3]
        return np.einsum("l,...lx->...x", MASSES / MASSES.sum(), origins + middles)

    target = center(chain.random(20, seed=1))
    solutions = chain.solve(target, sinew.Task(kind="position", center_of_mass=True))
    assert solutions.converged.all()
    np.testing.assert_allclose(center(solutions.q), target, atol=3e-6)


# ---- limits, frozen joints, gains ----


def test_limits(arm):
    lower, upper = 0.5 * arm.lower, 0.5 * arm.upper
    inside = lower + (upper - lower) * np.random.default_rng(1).random((200, arm.nv))
    T = arm.fk(inside, "flange")
    many = arm.solve(T, "flange", limits=(lower, upper))
    assert many.converged.mean() > 0.98
    assert ((many.q >= lower) & (many.q <= upper)).all()
    assert (arm.solve(T, "flange").q > upper).any()
    for keywords in ({}, {"nearest": True}, {"local": True}):
        q = arm.solve(T[0], "flange", inside[0], limits=(lower, upper), **keywords).q
        assert ((q >= lower) & (q <= upper)).all()
    q = arm.solve_all(T[0], "flange", limits=(lower, upper))
    assert len(q) > 0
    assert ((q >= lower) & (q <= upper)).all()
    one = arm.solve(T[:50], "flange", limits={"joint2": (-0.1, 0.2)}).q
    assert (abs(one[:, 1] - 0.05) <= 0.15 + 1e-12).all()
    assert (abs(one[:, 0]) > 0.2).any()


@pytest.mark.parametrize("frozen", [["joint3", "joint7"], np.isin(np.arange(7), [2, 6])])
def test_frozen(arm, frozen):
    q = arm.random(40, seed=3)
    seed = arm.random(40, seed=4)
    seed[:, [2, 6]] = q[:, [2, 6]]
    T = arm.fk(q, "flange")[:, :3, 3]
    many = arm.solve(T, "flange", seed, frozen=frozen)
    assert many.converged.mean() > 0.9
    assert (many.q[:, [2, 6]] == seed[:, [2, 6]]).all()
    one = arm.solve(T[0], "flange", seed[0], frozen=frozen)
    assert (one.q[[2, 6]] == seed[0, [2, 6]]).all()
    tracker = sinew.Tracker(arm, sinew.Task("flange", "position"), seed[0], frozen=frozen)
    for _ in range(5):
        assert (tracker.update(T[0]).q[[2, 6]] == seed[0, [2, 6]]).all()
    assert (tracker.q != seed[0]).sum() == 5
    crowd = sinew.Crowd(arm, sinew.Task("flange", "position"), 40, seed, frozen=frozen)
    moved = crowd.update(T).q
    assert (moved[:, [2, 6]] == seed[:, [2, 6]]).all()
    assert (moved != seed).any()


def test_crowds_take_a_posture(arm):
    q = arm.random(6, seed=5)
    T = arm.fk(q, "flange")[:, :3, 3]
    task = sinew.Task("flange", "position")
    rest = arm.middle()
    plain = sinew.Crowd(arm, task, 6, q)
    posed = sinew.Crowd(arm, task, 6, q, objectives=sinew.Objective(posture=rest))
    for _ in range(200):
        plain.update(T)
        posed.update(T)
    assert (abs(posed.q - rest).sum(axis=1) < abs(plain.q - rest).sum(axis=1)).all()
    assert abs(arm.fk(posed.q, "flange")[:, :3, 3] - T).max() < 1e-6
    with pytest.raises(ValueError, match="2 objectives"):
        sinew.Crowd(
            arm,
            task,
            6,
            q,
            objectives=[sinew.Objective(posture=rest), sinew.Objective(posture=rest)],
        )
    with pytest.raises(sinew.Error, match="posture"):
        sinew.Crowd(arm, task, 6, q, objectives=sinew.Objective(level=2, posture=rest))


def test_gains(arm):
    q = arm.middle()
    T = arm.fk(q, "flange")[:3, 3] + [0.02, 0.02, -0.02]
    task = sinew.Task("flange", "position")

    def moved(gains):
        return abs(arm.solve(T, task, q, local=True, gains=gains).q - q)

    assert moved({"joint2": 0})[1] == 0
    assert moved({"joint2": 0.1})[1] < 0.5 * moved(None)[1]
    assert (moved(0.5) == moved(np.full(7, 0.5))).all()


def test_derivatives_keep_the_limits(arm):
    from sinew._derivatives import solve_vjp

    q = arm.random(seed=3)
    T = arm.fk(q, "flange")
    free = solve_vjp(arm, q, "flange", T, np.array(True), np.eye(7)[0], {})
    assert np.abs(free).max() > 0
    for settings in ({"frozen": ["joint1"]}, {"limits": {"joint1": (q[0], 2.9)}}):
        none = solve_vjp(arm, q, "flange", T, np.array(True), np.eye(7)[0], settings)
        np.testing.assert_allclose(none, 0, atol=1e-12)


# ---- objectives ----


def test_posture_of_a_redundant_arm(arm):
    q = arm.random(30, seed=3)
    T = arm.fk(q, "flange")
    wanted = 0.5 * (arm.lower + arm.upper)
    posture = sinew.Objective(posture=wanted)
    plain = arm.solve(T, "flange", q)
    guided = arm.solve(T, "flange", q, objectives=posture)
    assert guided.converged.all()
    np.testing.assert_allclose(arm.fk(guided.q, "flange"), T, atol=3e-6)
    cost = ((guided.q - wanted) ** 2).sum(axis=1)
    assert (cost <= ((plain.q - wanted) ** 2).sum(axis=1) + 1e-9).all()
    assert cost.mean() < 0.9 * ((plain.q - wanted) ** 2).sum(axis=1).mean()
    one = arm.solve(T[3], "flange", q[3], objectives=[posture])
    assert one.q.tobytes() == guided.q[3].tobytes()
    elbow = {"joint1": 0, "joint2": 0, "joint3": 1}
    weighed = arm.solve(
        T, "flange", q, objectives=sinew.Objective(posture=wanted, weights={**elbow, "joint4": 0})
    )
    assert not np.array_equal(weighed.q, guided.q)


def test_objectives_of_a_tracker(arm):
    T = arm.fk(arm.middle(), "flange")
    wanted = arm.middle() + 0.5 * np.eye(7)[0]
    plain = sinew.Tracker(arm, "flange")
    guided = sinew.Tracker(
        arm,
        "flange",
        objectives=[sinew.Objective(posture=wanted, gain=0.2), sinew.Objective("damping", 1, 0.1)],
    )
    for _ in range(200):
        plain.update(T)
        guided.update(T)
    np.testing.assert_allclose(arm.fk(guided.q, "flange"), T, atol=1e-5)
    assert np.linalg.norm(guided.q - wanted) < np.linalg.norm(plain.q - wanted) - 1e-3
    np.testing.assert_allclose(plain.q, arm.middle(), atol=1e-6)


def test_couplings_and_influence(arm):
    q = arm.random(seed=3)
    point = arm.fk(q, "flange")[:3, 3]
    task = sinew.Task("flange", "position")
    equal = sinew.Objective("coupling", coefficients={"joint1": 1, "joint3": -1}, value=0.1)
    solution = arm.solve(point, task, q, objectives=equal)
    assert solution
    np.testing.assert_allclose(solution.q[0] - solution.q[2], 0.1, atol=1e-3)
    half = sinew.Tracker(arm, sinew.Task("flange", "position", influence=0.0))
    half.update(point)
    np.testing.assert_array_equal(half.q, arm.middle())


def test_many_tasks_of_few_influences(arm):
    q = arm.random(seed=3)
    point = arm.fk(q, "flange")[:3, 3]
    for influences in ([0.5] * 20, [0.0] * 20, [k / 17 for k in range(1, 17)] * 2):
        tasks = [sinew.Task("flange", "position", influence=h) for h in influences]
        targets = [point] * len(tasks)
        solution = arm.solve(targets, tasks, q, local=True, bank=0)
        np.testing.assert_allclose(solution.q, q, atol=1e-6)
        tracker = sinew.Tracker(arm, tasks, q)
        tracker.update(targets)
        np.testing.assert_allclose(tracker.q, q, atol=1e-6)
    tasks = [sinew.Task("flange", "position", influence=k / 18) for k in range(1, 18)]
    with pytest.raises(sinew.Error, match="one more than the solver has room for"):
        sinew.Tracker(arm, tasks, q)
    with pytest.raises(sinew.Error, match="one more than the solver has room for"):
        arm.solve([point] * 17, tasks, q, bank=0)


# ---- gains and excluded joints of tasks ----


@pytest.mark.parametrize("gain", [0.25, np.float32(0.5), 1])
def test_an_update_removes_the_share_of_a_gain(arm, gain):
    start = arm.fk(arm.middle(), "flange")[:3, 3]
    goal = arm.fk(arm.middle() + 0.01, "flange")[:3, 3]
    tracker = sinew.Tracker(arm, sinew.Task("flange", "position", gain=gain))
    for n in range(3):
        left = np.linalg.norm(goal - arm.fk(tracker.q, "flange")[:3, 3])
        np.testing.assert_allclose(
            left, (1 - float(gain)) ** n * np.linalg.norm(goal - start), atol=1e-4
        )
        tracker.update(goal)
    with pytest.raises(sinew.Error, match="gain is not above 0"):
        sinew.Tracker(arm, sinew.Task("flange", "position", gain=0))


def test_excluded_joints_stay(arm):
    goal = arm.fk(arm.middle() + 0.05, "flange")[:3, 3]
    task = sinew.Task("flange", "position", excluded_joints=("joint3", "joint5"))
    tracker = sinew.Tracker(arm, task)
    for _ in range(20):
        tracker.update(goal)
    solution = arm.solve(goal, task, arm.middle())
    for q in (tracker.q, solution.q):
        np.testing.assert_allclose(arm.fk(q, "flange")[:3, 3], goal, atol=1e-5)
        assert q[2] == arm.middle()[2]
        assert q[4] == arm.middle()[4]
    with pytest.raises(sinew.UnknownNameError, match="joint33"):
        sinew.Tracker(arm, sinew.Task("flange", excluded_joints=["joint33"]))
    with pytest.raises(ValueError, match="more than 16 joints"):
        sinew.Tracker(arm, sinew.Task("flange", excluded_joints=["joint1"] * 17))
    with pytest.raises(TypeError, match="joint must be the name of a joint"):
        sinew.Tracker(arm, sinew.Task("flange", excluded_joints=[3]))


def test_fields_that_a_kind_does_not_read_are_refused(arm):
    with pytest.raises(sinew.Error, match="cone_angle: the kind position does not read it"):
        sinew.Tracker(arm, sinew.Task("flange", "position", cone_angle=0.1))
    sinew.Tracker(arm, sinew.Task("flange", "look_at", cone_angle=0.1))


# ---- influences that change ----


def test_influences_of_a_tracker(arm):
    """The task of an update goes as far as its influence; the tasks set anew do the same."""
    start, goal = (
        arm.fk(arm.middle(), "flange")[:3, 3],
        arm.fk(arm.middle() + 0.02, "flange")[:3, 3],
    )
    task = sinew.Task("flange", "position")
    for influence in (0, 0.25, np.float32(0.5), np.array(0.75), [1.0]):
        tracker = sinew.Tracker(arm, task)
        tracker.set_influences(influence)
        tracker.update(goal)
        moved = arm.fk(tracker.q, "flange")[:3, 3] - start
        share = float(np.reshape(influence, ()))
        np.testing.assert_allclose(moved, share * (goal - start), atol=2e-3 * (share > 0))
        given = sinew.Tracker(arm, dataclasses.replace(task, influence=share))
        assert given.update(goal).q.tobytes() == tracker.q.tobytes()


def test_influences_fade_without_a_jump(arm):
    """A second task comes and goes while the first is followed; as none it takes no part."""
    hand = arm.fk(arm.middle(), "flange")
    elbow = arm.fk(arm.middle(), "link4")[:3, 3] + [0.02, 0.03, 0]
    tasks = ["flange", sinew.Task("link4", "position", level=1)]
    both, alone = sinew.Tracker(arm, tasks), sinew.Tracker(arm, "flange")
    both.set_influences([1, 0])
    for k in range(30):
        moving = hand.copy()
        moving[0, 3] += 0.001 * k
        assert both.update([moving, elbow]).q.tobytes() == alone.update(moving).q.tobytes()
    path = [both.q]
    for influence in np.concatenate([np.linspace(0, 1, 30), np.linspace(1, 0, 30)]):
        both.set_influences(np.array([1, influence]))
        path.append(both.update([moving, elbow]).q)
    path = np.array(path)
    assert np.abs(path[30] - path[0]).max() > 0.01
    steps = np.abs(np.diff(path, axis=0)).max(axis=1)
    assert steps.max() < 0.3 * np.abs(path[30] - path[0]).max()
    np.testing.assert_allclose(arm.fk(both.q, "flange"), moving, atol=1e-4)


def test_room_for_influences(arm):
    point = arm.fk(arm.random(seed=3), "flange")[:3, 3]
    tasks = [sinew.Task(link, "position") for link in ("flange", "link6", "link5")]
    tracker = sinew.Tracker(arm, tasks)
    tracker.set_influences([1, 0.5, 0.5])  # one between 0 and 1
    with pytest.raises(sinew.Error, match="one more than the solver has room for"):
        tracker.set_influences([0.2, 0.3, 0.5])
    wide = sinew.Tracker(arm, tasks, influences=3)
    wide.set_influences([0.2, 0.3, 0.5])
    wide.set_influences([1, 0.5, 0.5])
    assert wide.update([point] * 3).q.tobytes() == tracker.update([point] * 3).q.tobytes()
    none = sinew.Tracker(arm, tasks, influences=0)
    with pytest.raises(sinew.Error, match="its influences are 0"):
        none.set_influences([1, 1, 1])
    plain = sinew.Tracker(arm, tasks)
    assert none.update([point] * 3).q.tobytes() == plain.update([point] * 3).q.tobytes()


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        ([1, 2], sinew.Error, "task 1: influence 2"),
        ([1, -0.5], sinew.Error, "task 1: influence -0.5"),
        ([np.nan, 1], sinew.Error, "task 0: influence nan"),
        ([1], ValueError, r"values has shape \(1,\); it must be \(2,\)"),
        (0.5, ValueError, r"values has shape \(\)"),
        ("half", ValueError, "values: could not convert"),
    ],
)
def test_bad_influences(arm, values, kind, message):
    tasks = [sinew.Task("flange", "position"), sinew.Task("link4", "position")]
    targets = arm.fk(arm.random(seed=5), ["flange", "link4"])[:, :3, 3]
    trackers = [sinew.Tracker(arm, tasks), sinew.Tracker(arm, tasks)]
    for tracker in trackers:
        tracker.set_influences([0.5, 0.5])
    with pytest.raises(kind, match=message):
        trackers[0].set_influences(values)
    results = [tracker.update(targets).q.tobytes() for tracker in trackers]  # the old ones stay
    assert results[0] == results[1]
    for room, error in (
        (-1, sinew.Error),
        (17, sinew.Error),
        (1.5, TypeError),
        (10**9, sinew.Error),
    ):
        with pytest.raises(error, match="influences"):
            sinew.Tracker(arm, tasks, influences=room)


@pytest.mark.parametrize("keywords", [{}, {"nearest": True}, {"local": True}])
def test_tasks_of_influence_0(arm, keywords):
    """They are solved by staying: a bank is for tasks that are searched for, and there is none."""
    q = arm.random(3, seed=3)
    T = arm.fk(arm.random(3, seed=4), "flange")
    none = sinew.Task("flange", influence=0.0)
    one = arm.solve(T[0], none, q[0], **keywords)
    many = arm.solve(T, none, q, **keywords)
    assert one.q.tobytes() == q[0].tobytes()
    assert many.q.tobytes() == q.tobytes()
    assert (many.outcome == one.outcome).all()
    two = [none, sinew.Task("link4", "position")]
    elbow = arm.fk(arm.random(seed=5), "link4")[:3, 3]
    alone = arm.solve(elbow, two[1], q[0], **keywords)
    assert arm.solve([T[0], elbow], two, q[0], **keywords).q.tobytes() == alone.q.tobytes()


# ---- limits of motion ----


def test_limits_of_motion(arm):
    h = 0.01
    q = arm.middle()
    T = arm.fk(q + 0.4, "flange")
    tracker = sinew.Tracker(
        arm, "flange", q, time_step=h, speeds={"joint1": 0.5}, accelerations=np.full(7, 4.0)
    )
    path = [q] + [tracker.update(T).q for _ in range(150)]
    speed = np.diff(path, axis=0) / h
    assert abs(speed[:, 0]).max() <= 0.5 + 1e-9
    assert abs(speed[:, 1:]).max() > 0.5
    acceleration = np.diff(speed, axis=0, prepend=0) / h
    assert abs(acceleration).max() <= 4 + 1e-6
    slow = sinew.Tracker(arm, "flange", q, time_step=h, speed_scale=0.1)
    slow.update(T)
    assert abs(slow.q - q).max() <= 0.1 * arm.velocity.max() * h + 1e-12
    bounds = slow.bounds()
    assert len(bounds) == arm.nv
    assert {bound.kind for bound in bounds} <= {"none", "position", "speed"}
    assert any(bound.kind == "speed" and bound.side in (-1, 1) for bound in bounds)


def test_margins(arm):
    beyond = arm.fk(arm.upper, "flange")
    tracker = sinew.Tracker(arm, "flange", arm.middle(), margins=(0, 0.2))
    for _ in range(100):
        tracker.update(beyond)
    assert (tracker.q <= arm.upper - 0.2 + 1e-12).all()
    assert (tracker.q >= arm.lower + 0.2 - 1e-12).all()


def test_hard_rows(arm):
    q = arm.middle()
    T = arm.fk(q, "flange")
    height = T[2, 3] - 0.05
    below = T.copy()
    below[2, 3] -= 0.2
    above = sinew.Task("flange", "plane", upper=[np.inf, 0, 0, 0, 0, 0], hard=True)
    side = sinew.Task(
        "flange",
        "position",
        lower=[-np.inf, -0.5, -np.inf, 0, 0, 0],
        upper=[np.inf, 0.5, np.inf, 0, 0, 0],
        hard=True,
    )
    plane = np.array([0, 0, height, 0, 0, 1])
    tracker = sinew.Tracker(arm, ["flange", above, side], q)
    for _ in range(60):
        tracker.update([below, plane, T])
    assert arm.fk(tracker.q, "flange")[2, 3] >= height - 1e-9
    rows = tracker.hard_rows()
    assert rows[0] == (1, 0, "clearance", -1, 0.0)
    assert rows[1] == (2, 1, "interval", 0, 0.0)
    assert [type(row) for row in rows] == 2 * [sinew.HardRow]
    # Two planes that contradict each other: the later one yields.
    over = np.array([0, 0, height + 0.02, 0, 0, -1])
    under = np.array([0, 0, height - 0.02, 0, 0, -1])
    for last, yielded in ((over, 0), (under, -0.02)):
        both = sinew.Tracker(arm, ["flange", above, above], q)
        for _ in range(200):
            both.update([below, plane, last])
        assert both.hard_rows()[1].yielded == pytest.approx(yielded, abs=1e-9)
    assert sinew.Tracker(arm, "flange", q).hard_rows() == []


def test_hard_tasks_may_have_an_influence(arm):
    q = arm.middle()
    below = arm.fk(q, "flange")[:3, 3] - [0, 0, 0.06]
    plane = np.array([0, 0, below[2] + 0.01, 0, 0, 1])
    table = sinew.Task("flange", "plane", upper=[np.inf, 0, 0, 0, 0, 0], hard=True, influence=0.5)
    tracker = sinew.Tracker(arm, [sinew.Task("flange", "position"), table], q)
    for _ in range(200):
        tracker.update([below, plane])
    assert arm.fk(tracker.q, "flange")[2, 3] == pytest.approx(below[2] + 0.005, abs=1e-5)


def test_crowds_keep_hard_tasks(arm):
    q = arm.random(3, seed=5)
    T = arm.fk(q, "flange")[:, :3, 3]
    planes = np.array([[0, 0, t[2] - 0.02, 0, 0, 1] for t in T])
    goals = T - [0, 0, 0.1]
    above = sinew.Task("flange", "plane", upper=[np.inf, 0, 0, 0, 0, 0], hard=True)
    tasks = [sinew.Task("flange", "position"), above]
    posture = sinew.Objective(posture=arm.middle())
    crowd = sinew.Crowd(arm, tasks, 3, q, time_step=0.02, objectives=posture)
    for _ in range(60):
        crowd.update([goals, planes])
    for i in range(3):
        tracker = sinew.Tracker(arm, tasks, q[i], time_step=0.02, objectives=posture)
        for _ in range(60):
            tracker.update([goals[i], planes[i]])
        np.testing.assert_allclose(crowd.q[i], tracker.q, atol=1e-9)
    assert (arm.fk(crowd.q, "flange")[:, 2, 3] >= planes[:, 2] - 1e-9).all()


# ---- bad input ----

EYE = np.eye(4)


@pytest.mark.parametrize(
    ("keywords", "kind", "message"),
    [
        ({"limits": (1, -1)}, sinew.Error, "joint1"),
        ({"limits": (np.zeros(3), 1)}, ValueError, r"limits\[0\] has shape \(3,\)"),
        ({"limits": 3}, ValueError, "limits must be a pair"),
        ({"limits": {"joint1": 3}}, ValueError, "'joint1' must be a pair"),
        ({"limits": {"joint9": (0, 1)}}, sinew.UnknownNameError, "did you mean 'joint"),
        ({"limits": ("a", 1)}, ValueError, r"limits\[0\]: could not convert"),
        ({"limits": (np.nan, 1)}, sinew.Error, "joint1"),
        ({"limits": {"flange_joint": (0, 1)}}, ValueError, "fixed or coupled"),
        ({"frozen": "joint1"}, TypeError, "names of joints"),
        ({"frozen": ["joint9"]}, sinew.UnknownNameError, "joint9"),
        ({"frozen": [1, 0, 0, 0, 0, 0, 0]}, ValueError, "booleans"),
        ({"frozen": [True]}, ValueError, r"\(7,\) booleans"),
        ({"gains": -1}, sinew.Error, "joint1|gain"),
        ({"gains": np.ones(6)}, ValueError, r"\(6,\)"),
        ({"objectives": "posture"}, TypeError, "sinew.Objective"),
        ({"objectives": 1}, TypeError, "sinew.Objective"),
        ({"objectives": sinew.Objective("lazy")}, ValueError, "posture, damping, low_change"),
        ({"objectives": sinew.Objective(level=0)}, sinew.Error, "level"),
        ({"objectives": sinew.Objective(gain=2)}, sinew.Error, "gain"),
        ({"objectives": sinew.Objective(weight=np.nan)}, sinew.Error, "weight"),
        ({"objectives": sinew.Objective(posture=[1])}, ValueError, r"posture has shape \(1,\)"),
        ({"objectives": sinew.Objective(weights=[1, 2])}, ValueError, r"weights has shape \(2,\)"),
        ({"link": sinew.Task("flange", level=-1)}, sinew.Error, "level"),
        ({"link": sinew.Task("flange", level=0.5)}, TypeError, "Task: level must be an integer"),
        ({"link": sinew.Task("flange", level=10**30)}, ValueError, "level is too large"),
        ({"link": sinew.Task("flange", weight_axes="x")}, ValueError, "target, tool, frame"),
        ({"link": sinew.Task("flange", axis_weights=(1,) * 5)}, ValueError, r"\(6,\)"),
        ({"link": sinew.Task("flange", axis_weights=(-1,) * 6)}, sinew.Error, "axis_weights"),
        ({"link": sinew.Task("flange", rotation=np.eye(3) * 2)}, ValueError, "Task: rotation"),
        ({"link": sinew.Task("flange", rotation=[1, 0, 0, 0])}, ValueError, "rotation.*order"),
        ({"link": sinew.Task("flange", rotation=[np.eye(3)] * 2)}, ValueError, "one rotation"),
        ({"link": sinew.Task("flange", position_weight="a")}, TypeError, "must be a number"),
        ({"link": sinew.Task()}, ValueError, "link must be given"),
        ({"link": sinew.Task("flange", center_of_mass=True)}, sinew.Error, "mass"),
        ({"link": sinew.Task("flange", frame="no")}, sinew.UnknownNameError, "no link"),
    ],
)
def test_bad_input(arm, keywords, kind, message):
    with pytest.raises(kind, match=message):
        arm.solve(EYE, **{"link": "flange", **keywords})
    with pytest.raises(kind, match=message):
        sinew.Tracker(arm, **{"link": "flange", **keywords})


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"speeds": -1}, "joint1"),
        ({"speed_scale": 2}, "scale"),
        ({"accelerations": {"joint2": 0}}, "joint2"),
        ({"margins": -1}, "margin"),
    ],
)
def test_bad_limits_of_motion(arm, keywords, message):
    with pytest.raises(sinew.Error, match=message):
        sinew.Tracker(arm, "flange", time_step=0.01, **keywords)
