"""Solves: one target and many, in every shape and type of array. Poses are reached: the targets are
made by forward kinematics, and so are the checks."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sinew
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import MODELS, need

TOLERANCE = 1e-6


def distance(a, b):
    """The largest difference of homogeneous matrices: a bound on metres and radians."""
    return np.abs(a - b).max()


def test_every_pose_of_every_arm_is_reached(arm_file):
    # req: C1 C2
    model = sinew.load(arm_file)
    tip = model.tips[-1]
    targets = model.fk(model.random(300, seed=11), tip)
    seeds = model.random(300, seed=12)
    many = model.solve(targets, link=tip, seed=seeds)
    assert many.converged.all()
    assert distance(model.fk(many.q, tip), targets) < 3 * TOLERANCE
    assert (many.q >= model.lower).all()
    assert (many.q <= model.upper).all()
    for target, seed in zip(targets[:30], seeds, strict=False):
        one = model.solve(target, link=tip, seed=seed)
        assert one
        assert distance(model.fk(one.q, tip), target) < 3 * TOLERANCE


def test_result_of_one(arm):
    target = arm.fk(arm.random(seed=1), "flange")
    solution = arm.solve(target, link="flange")
    assert bool(solution) is solution.converged is True
    assert solution.outcome == sinew.Outcome.CONVERGED
    assert str(solution.outcome) == "converged"
    assert solution.q is solution.q
    assert solution.q.shape == (7,)
    assert solution.q.dtype == np.float64
    assert solution.position_error <= TOLERANCE
    assert solution.orientation_error <= TOLERANCE
    assert solution.steps > 0
    assert solution.limiting_joint is solution.reach is solution.target_distance is None
    assert solution.reach_task is None
    assert repr(solution).startswith("Solution(converged, q=[")


def test_result_of_many(arm):
    targets = arm.fk(arm.random((2, 3), seed=1), "flange")
    solutions = arm.solve(targets, link="flange")
    assert solutions.q.shape == (2, 3, 7)
    for array, dtype in (
        (solutions.converged, bool),
        (solutions.outcome, np.uint8),
        (solutions.position_error, float),
        (solutions.orientation_error, float),
        (solutions.steps, np.int32),
        (solutions.reach_task, np.int32),
        (solutions.reach, float),
        (solutions.target_distance, float),
    ):
        assert array.shape == (2, 3)
        assert array.dtype == dtype
    assert repr(solutions) == "Solutions(6 converged; q of shape (2, 3, 7))"
    np.testing.assert_array_equal(solutions[1, :2].q, solutions.q[1, :2])
    np.testing.assert_array_equal(solutions[..., 0].q, solutions.q[:, 0])
    np.testing.assert_array_equal(solutions[solutions.steps >= 0].q, solutions.q.reshape(6, 7))
    assert [row.q.shape for row in solutions] == [(3, 7), (3, 7)]
    with pytest.raises(ValueError, match=r"converged\.all"):
        bool(solutions)


def test_out_of_reach(arm):
    solution = arm.solve([5.0, 0, 0], link="flange")
    assert not solution
    assert solution.outcome == sinew.Outcome.OUT_OF_REACH
    assert solution.reach < solution.target_distance
    assert "reach=" in repr(solution)
    many = arm.solve([[5.0, 0, 0], [0.4, 0, 0.5]], link="flange")
    np.testing.assert_array_equal(many.converged, [False, True])
    assert repr(many) == "Solutions(1 converged, 1 out_of_reach; q of shape (2, 7))"
    np.testing.assert_array_equal(many.reach_task, [0, -1])
    np.testing.assert_array_equal(many.reach, [solution.reach, np.nan])
    np.testing.assert_array_equal(many.target_distance, [solution.target_distance, np.nan])


@pytest.mark.parametrize("keywords", [{}, {"nearest": True}, {"local": True}])
def test_proofs_of_many_are_those_of_one(arm, keywords):
    """How far the chain reaches is the same for all targets in one direction from its centre."""
    rng = np.random.default_rng(1)
    points = rng.normal(size=(30, 3))
    points *= (0.6 + 1.5 * rng.random((30, 1))) / np.linalg.norm(points, axis=1, keepdims=True)
    tasks = [sinew.Task("link4", "position", position_weight=1e-3, required=False), "flange"]
    many = arm.solve([[0.1, 0, 0.5], points], tasks, arm.middle(), **keywords)
    out = many.outcome == sinew.Outcome.OUT_OF_REACH
    assert 0.2 < out.mean() < 1
    np.testing.assert_array_equal(many.reach_task, np.where(out, 1, -1))
    np.testing.assert_array_equal(np.isnan(many.reach), ~out)
    np.testing.assert_array_equal(np.isnan(many.target_distance), ~out)
    assert (many.reach[out] < many.target_distance[out]).all()
    for i, point in enumerate(points):
        one = arm.solve([[0.1, 0, 0.5], point], tasks, arm.middle(), **keywords)
        assert one.reach_task == (1 if out[i] else None)
        if out[i]:
            assert (one.reach, one.target_distance) == (many.reach[i], many.target_distance[i])
    picked = many[out][:3]
    np.testing.assert_array_equal(picked.reach, many.reach[out][:3])
    np.testing.assert_array_equal(picked.target_distance, many.target_distance[out][:3])
    np.testing.assert_array_equal(picked.reach_task, [1, 1, 1])


def test_limiting_joint(arm):
    """Near the edge of the workspace some positions are beyond the limits of a joint."""
    directions = np.random.default_rng(1).normal(size=(100, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    solutions = [arm.solve(p, "flange") for p in directions * 0.8 * arm.size]
    joints = {solution.limiting_joint for solution in solutions if not solution}
    assert joints & set(arm.joint_names)
    assert joints <= {*arm.joint_names, None}
    assert all(solution.limiting_joint is None for solution in solutions if solution)
    named = next(solution for solution in solutions if solution.limiting_joint)
    assert f"limiting_joint={named.limiting_joint!r}" in repr(named)
    assert repr(pickle.loads(pickle.dumps(named))) == repr(named)


def test_outcomes_have_the_names_of_the_program():
    names = [str(outcome) for outcome in sinew.Outcome]
    assert names == [
        "converged",
        "out_of_reach",
        "blocked_by_limits",
        "stalled",
        "step_limit",
        "time_limit",
        "bad_input",
        "no_task",
        "rejected",
    ]


# ---- forms of targets ----


def test_forms_of_one_pose_agree(arm):
    transform = need("scipy.spatial.transform")
    T = arm.fk(arm.random(seed=5), "flange")
    xyzw = arm.fk(arm.random(seed=5), "flange", quaternion="xyzw")
    wxyz = arm.fk(arm.random(seed=5), "flange", quaternion="wxyz")
    rotation = transform.Rotation.from_matrix(T[:3, :3])
    seed = arm.random(seed=6)
    expected = arm.solve(T, "flange", seed=seed).q
    forms = [
        ((T.tolist(),), {}),
        ((np.asfortranarray(T),), {}),
        ((xyzw,), {"quaternion": "xyzw"}),
        ((wxyz,), {"quaternion": "wxyz"}),
        ((wxyz * [1, 1, 1, -3, -3, -3, -3],), {"quaternion": "wxyz"}),
        (((T[:3, 3], rotation),), {}),
    ]
    if hasattr(transform, "RigidTransform"):
        forms.append(((transform.RigidTransform.from_matrix(T),), {}))
    for arguments, keywords in forms:
        solution = arm.solve(*arguments, "flange", seed=seed, **keywords)
        assert solution, (arguments, keywords)
        np.testing.assert_allclose(solution.q, expected, atol=1e-9)


def test_pinocchio_poses(arm):
    pin = need("pinocchio")
    targets = [pin.SE3(T) for T in arm.fk(arm.random(3, seed=5), "flange")]
    assert arm.solve(targets[0], "flange")
    solutions = arm.solve(targets, "flange")
    np.testing.assert_allclose(
        arm.fk(solutions.q, "flange"), [T.homogeneous for T in targets], atol=3 * TOLERANCE
    )


def test_positions_leave_the_orientation_free(arm):
    positions = arm.fk(arm.random(50, seed=8), "flange")[:, :3, 3]
    solutions = arm.solve(positions, "flange")
    assert solutions.converged.all()
    reached = arm.fk(solutions.q, "flange")[:, :3, 3]
    np.testing.assert_allclose(reached, positions, atol=3 * TOLERANCE)
    assert arm.solve(positions[0], "flange")


def test_rotations_leave_the_position_free(arm):
    rotation = need("scipy.spatial.transform").Rotation
    rotations = rotation.from_matrix(arm.fk(arm.random(20, seed=8), "flange")[:, :3, :3])
    solutions = arm.solve(rotations, "flange")
    assert solutions.converged.all()
    reached = rotation.from_matrix(arm.fk(solutions.q, "flange")[:, :3, :3])
    assert (reached.inv() * rotations).magnitude().max() < 3 * TOLERANCE
    assert arm.solve(rotations[0], "flange")
    task = sinew.Task("flange", kind="orientation")
    assert arm.solve(rotations.as_matrix(), task).converged.all()


def test_tasks(arm):
    q = arm.random(30, seed=3)
    T = arm.fk(q, "flange")
    tool = np.array([0.0, 0.05, 0.2])
    solutions = arm.solve(
        T[:, :3, :3] @ tool + T[:, :3, 3], sinew.Task("flange", "position", point=tuple(tool))
    )
    assert solutions.converged.all()
    reached = arm.fk(solutions.q, "flange")
    np.testing.assert_allclose(
        reached[:, :3, :3] @ tool + reached[:, :3, 3],
        T[:, :3, :3] @ tool + T[:, :3, 3],
        atol=3 * TOLERANCE,
    )
    pointing = arm.solve(T[:, :3, 0] * 7, sinew.Task("flange", "direction", axis=(2, 0, 0)))
    np.testing.assert_allclose(
        arm.fk(pointing.q, "flange")[:, :3, 0], T[:, :3, 0], atol=3 * TOLERANCE
    )
    spinning = arm.solve(T, sinew.Task("flange", free=("rz",)))
    assert spinning.converged.all()
    np.testing.assert_allclose(
        arm.fk(spinning.q, "flange")[:, :3, 2:], T[:, :3, 2:], atol=3 * TOLERANCE
    )


def test_other_kinds_of_tasks(arm):
    """A target for each, made from a pose; and what the solution has to satisfy."""
    T = arm.fk(arm.random(20, seed=3), "flange")
    p, x, z = T[:, :3, 3], T[:, :3, 0], T[:, :3, 2]
    near = {"atol": 1e-5}

    def solved(targets, kind, **fields):
        solutions = arm.solve(targets, sinew.Task("flange", kind, **fields))
        assert solutions.converged.all(), kind
        pose = arm.fk(solutions.q, "flange")
        return pose[:, :3, 3], pose[:, :3, :3]

    at, _ = solved(np.hstack([p, z]), "plane")
    np.testing.assert_allclose(np.einsum("ij,ij->i", at - p, z), 0, **near)
    at, _ = solved(np.hstack([p, z]), "line")
    np.testing.assert_allclose(np.cross(at - p, z), 0, **near)
    at, _ = solved(np.hstack([p, np.full((20, 1), 0.1)]), "distance")
    np.testing.assert_allclose(np.linalg.norm(at - p, axis=1), 0.1, **near)
    at, axes = solved(p + 0.5 * z, "look_at")
    sight = p + 0.5 * z - at
    np.testing.assert_allclose(np.cross(axes[:, :, 2], sight), 0, **near)
    _, axes = solved(x, "yaw", axis=(1, 0, 0))
    np.testing.assert_allclose(axes[:, 0, 0] * x[:, 1] - axes[:, 1, 0] * x[:, 0], 0, **near)
    _, axes = solved(z, "direction", cone_angle=0.3)
    assert (np.einsum("ij,ij->i", axes[:, :, 2], z) > np.cos(0.3 + 1e-5)).all()
    free = (-0.05, -0.05, -0.05, -0.2, -0.2, -0.2)
    at, _ = solved(T, "pose", lower=free, upper=tuple(-value for value in free))
    assert np.abs(at - p).max() < 0.0501 * np.sqrt(3)


def test_targets_in_the_frame_of_a_link(arm):
    q = arm.random(20, seed=3)
    pose = arm.fk(q, ["link1", "flange"])
    local = np.linalg.inv(pose[:, 0]) @ pose[:, 1]
    solutions = arm.solve(local, sinew.Task("flange", frame="link1"), seed=q)
    assert solutions.converged.all()
    pose = arm.fk(solutions.q, ["link1", "flange"])
    np.testing.assert_allclose(np.linalg.inv(pose[:, 0]) @ pose[:, 1], local, atol=1e-5)


def test_several_end_effectors(humanoid):
    frames = sinew.load(MODELS / "walk.bvh").motion[:20] * 0.5
    links = ["LeftHand", "RightHand", "Head"]
    T = humanoid.fk(frames[:, : humanoid.nq], links)
    targets = [T[:, 0, :3, 3], T[:, 1, :3, 3], T[:, 2]]
    solutions = humanoid.solve(targets, link=links, tolerance=(1e-3, 1e-4))
    assert solutions.converged.all()
    reached = humanoid.fk(solutions.q, links)
    np.testing.assert_allclose(reached[:, :2, :3, 3], T[:, :2, :3, 3], atol=3e-3)
    one = humanoid.solve([target[4] for target in targets], link=links, tolerance=1e-3)
    assert one
    mixed = humanoid.solve([targets[0], targets[1][0], targets[2][0]], link=links)
    assert mixed.q.shape == (20, humanoid.nq)


# ---- settings ----


def test_seed_that_is_the_solution(arm):
    q = arm.random(10, seed=2)
    solutions = arm.solve(arm.fk(q, "flange"), "flange", seed=q)
    np.testing.assert_allclose(solutions.q, q, atol=1e-12)
    one = arm.solve(arm.fk(q[0], "flange"), "flange", seed=q[0])
    np.testing.assert_allclose(one.q, q[0], atol=1e-12)


def test_nearest_is_nearer(arm):
    targets = arm.fk(arm.random(10, seed=2), "flange")
    seed = arm.middle()
    nearest = arm.solve(targets, "flange", seed=seed, nearest=True)
    first = arm.solve(targets, "flange", seed=seed)
    assert nearest.converged.all()

    def lengths(solutions):
        return np.linalg.norm(solutions.q - seed, axis=1)

    assert (lengths(nearest) <= lengths(first) + 1e-9).all()
    assert lengths(nearest).sum() < lengths(first).sum()
    one = arm.solve(targets[3], "flange", seed=seed, nearest=True)
    np.testing.assert_array_equal(one.q, nearest.q[3])


def test_local_keeps_near_the_seed(arm):
    q = arm.random(20, seed=2) * 0.9
    near = q + 0.02
    solutions = arm.solve(arm.fk(q, "flange"), "flange", seed=near, local=True)
    assert solutions.converged.all()
    assert np.abs(solutions.q - near).max() < 0.5
    one = arm.solve(arm.fk(q[4], "flange"), "flange", seed=near[4], local=True)
    np.testing.assert_array_equal(one.q, solutions.q[4])


def test_all_solutions_of_a_six_joint_arm():
    model = sinew.load(MODELS / "arm6.urdf")
    tip = model.tips[-1]
    q = model.random(seed=4)
    target = model.fk(q, tip)
    solutions = model.solve_all(target, tip, seed=q)
    assert solutions.shape[1] == 6
    assert len(solutions) >= 2
    np.testing.assert_allclose(model.fk(solutions, tip), [target] * len(solutions), atol=1e-9)
    np.testing.assert_allclose(solutions[0], q, atol=1e-6)
    lengths = np.linalg.norm(solutions - q, axis=1)
    assert (np.diff(lengths) >= -1e-9).all()
    assert len(model.solve_all(target, tip, capacity=1)) == 1
    assert model.solve_all([9.0, 0, 0], tip).shape == (0, 6)
    with pytest.raises(ValueError, match="one target"):
        model.solve_all([target, target], tip)


def test_sets_of_solutions_say_whether_they_are_complete(arm):
    six = sinew.load(MODELS / "arm6.urdf")
    q = six.random(seed=4)
    target = six.fk(q, "flange")
    solutions, report = six.solve_all(target, "flange", report=True)
    np.testing.assert_array_equal(solutions, six.solve_all(target, "flange"))
    assert report == (sinew.Outcome.CONVERGED, "complete", 0)
    # The upper arm's joint, which axis 5 is parallel to where it is straight: any sum will do
    q[4] = 0.0
    straight = six.solve_all(six.fk(q, "flange"), "flange", report=True)[1]
    assert straight.completeness == "complete"
    assert straight.continuum > 0
    solutions, report = six.solve_all(
        [9.0, 0, 0, 1, 0, 0, 0], "flange", quaternion="wxyz", report=True
    )
    assert len(solutions) == 0
    assert report.outcome != sinew.Outcome.CONVERGED
    pose = arm.fk(arm.middle(), "flange")
    assert arm.solve_all(pose, "flange", report=True)[1].completeness == "complete to a grid"
    position = arm.solve_all(pose[:3, 3], "flange", report=True)[1]
    assert position.completeness == "searched"


def test_branches_have_names(arm):
    model = sinew.load(MODELS / "arm6.urdf")
    tip = model.tips[-1]
    solutions = model.solve_all(model.fk(model.random(seed=4), tip), tip)
    branches = [model.branch(q, tip) for q in solutions]
    words = {"shoulder": {"left", "right"}, "elbow": {"up", "down"}, "wrist": {"flip", "no flip"}}
    for branch in branches:
        assert list(branch) == list(words)
        assert all(word in words[name] for name, word in branch.items())
    assert len({tuple(branch.values()) for branch in branches}) == len(solutions)
    # seven joints at a value of the last
    assert list(arm.branch(arm.random(seed=1), "flange")) == ["shoulder", "elbow", "wrist"]
    frozen = arm.branch(arm.random(seed=1), "flange", frozen=[arm.joints[6].name])
    assert set(frozen) <= {"shoulder", "elbow", "wrist", "arm"}
    assert model.branch(solutions[0], model.links[3]) == {}  # fewer joints: no closed form
    with pytest.raises(ValueError, match="q"):
        model.branch([np.nan] * 6, tip)
    for link in ([tip], sinew.Task(tip, "position")):
        with pytest.raises(TypeError, match="link must be"):
            model.branch(solutions[0], link)
    assert model.branch(solutions[0], sinew.Task(tip)) == model.branch(solutions[0], tip)
    with pytest.raises(sinew.UnknownNameError):
        model.branch(solutions[0], "nowhere")


def test_tolerance(arm):
    target = arm.fk(arm.random(seed=1), "flange")
    fine = arm.solve(target, "flange", tolerance=1e-12)
    assert fine
    assert fine.position_error <= 1e-12
    coarse = arm.solve(target, "flange", tolerance=(1e-2, 1e-1))
    assert coarse.steps <= fine.steps


def test_same_bits(arm):
    """Alone, in another order, on other numbers of threads, again, and by a copy of the model."""
    targets = arm.fk(arm.random(5000, seed=1), "flange")
    seeds = arm.random(5000, seed=2)
    for lanes in (0, 1, 2):
        q = arm.solve(targets, "flange", seed=seeds, lanes=lanes, threads=1).q
        for threads in (2, 3):
            again = arm.solve(targets, "flange", seed=seeds, lanes=lanes, threads=threads).q
            np.testing.assert_array_equal(again, q)
        other = pickle.loads(pickle.dumps(arm))
        part = other.solve(targets[::-7], "flange", seed=seeds[::-7], lanes=lanes).q
        np.testing.assert_array_equal(part, q[::-7])


def test_default_link(arm, humanoid):
    target = arm.fk(arm.random(seed=1), "flange")
    np.testing.assert_array_equal(arm.solve(target).q, arm.solve(target, "flange").q)
    with pytest.raises(TypeError, match=r"link must be given: .*LeftHand"):
        humanoid.solve([0.0, 0, 0])


# ---- arrays ----

shapes = st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple)


@settings(max_examples=100, deadline=None)
@given(
    shape=shapes,
    dtype=st.sampled_from(["f8", "f4", ">f8"]),
    form=st.sampled_from(["transform", "xyzw", "wxyz", "position"]),
    layout=st.sampled_from(["C", "F", "reversed", "part"]),
)
def test_any_layout(arm, shape, dtype, form, layout):
    q = arm.random(shape, seed=1)
    keywords = {}
    if form in {"xyzw", "wxyz"}:
        targets = arm.fk(q, "flange", quaternion=form)
        keywords["quaternion"] = form
    else:
        targets = arm.fk(q, "flange")
        if form == "position":
            targets = targets[..., :3, 3]
    targets = targets.astype(dtype)
    plain = np.ascontiguousarray(targets, dtype=np.float64)
    if layout == "F":
        targets = np.asfortranarray(targets)
    elif layout == "reversed":
        targets, plain = targets[::-1], np.ascontiguousarray(plain[::-1])
    elif layout == "part":
        wide = np.full((*targets.shape[:-1], targets.shape[-1] + 2), np.nan, dtype)
        wide[..., : targets.shape[-1]] = targets
        targets = wide[..., : targets.shape[-1]]
    solutions = arm.solve(targets, "flange", **keywords)
    assert solutions.q.shape == (*shape, 7)
    assert solutions.outcome.shape == shape
    expected = arm.solve(plain, "flange", **keywords)
    np.testing.assert_array_equal(solutions.q, expected.q)
    np.testing.assert_array_equal(solutions.outcome, expected.outcome)


def test_out(arm):
    targets = arm.fk(arm.random(5, seed=1), "flange")
    out = np.empty((5, 7))
    solutions = arm.solve(targets, "flange", out=out)
    assert solutions.q is out
    np.testing.assert_array_equal(out, arm.solve(targets, "flange").q)
    for _ in range(2):  # first the general path, then the fast one
        row = np.empty(7)
        solution = arm.solve(targets[2], "flange", out=row)
        assert solution.q is row
        np.testing.assert_array_equal(row, arm.solve(targets[2], "flange").q)


def test_out_may_be_the_seed(arm):
    targets = arm.fk(arm.random(100, seed=1), "flange")
    seeds = arm.random(100, seed=2)
    expected = arm.solve(targets, "flange", seed=seeds).q
    q = seeds.copy()
    arm.solve(targets, "flange", seed=q, out=q)
    np.testing.assert_array_equal(q, expected)
    buffer = np.empty((101, 7))
    buffer[:100] = seeds
    arm.solve(targets, "flange", seed=buffer[:100], out=buffer[1:])
    np.testing.assert_array_equal(buffer[1:], expected)
    one = seeds[0].copy()
    arm.solve(targets[0], "flange", seed=one, out=one)
    np.testing.assert_array_equal(one, arm.solve(targets[0], "flange", seed=seeds[0]).q)


def test_inputs_are_not_changed(arm):
    targets, seeds = arm.fk(arm.random(50, seed=1), "flange"), arm.random(50, seed=2)
    kept = copy.deepcopy((targets, seeds))
    arm.solve(targets, "flange", seed=seeds)
    arm.solve(targets[0], "flange", seed=seeds[0])
    np.testing.assert_array_equal(targets, kept[0])
    np.testing.assert_array_equal(seeds, kept[1])


# ---- bad input ----

EYE = np.eye(4)


def changed(index, value):
    T = np.eye(4)
    T[index] = value
    return T


@pytest.mark.parametrize(
    ("arguments", "keywords", "kind", "message"),
    [
        (([0.0] * 5,), {}, ValueError, r"targets has shape \(5,\); its last axes must be"),
        ((0.5,), {}, ValueError, r"shape \(\)"),
        (
            (np.zeros((3, 4)),),
            {},
            ValueError,
            r"quaternion=.*Homogeneous matrices have shape \(4, 4\)",
        ),
        ((np.zeros(7),), {}, ValueError, "wxyz"),
        ((np.zeros(7),), {"quaternion": "wxyz"}, ValueError, "targets: the quaternion is zero"),
        ((np.zeros(7),), {"quaternion": "zyxw"}, ValueError, 'quaternion must be "wxyz"'),
        ((np.zeros((2, 7)),), {"quaternion": "xyzw"}, ValueError, r"targets\[0\]: the quaternion"),
        ((changed((0, 3), np.nan),), {}, ValueError, r"targets: \[0, 3\] is nan"),
        ((changed((3, 0), 1),), {}, ValueError, "last row"),
        ((changed((0, 0), -1),), {}, ValueError, "no rotation matrix"),
        ((changed((0, 0), 1.001),), {}, ValueError, "no rotation matrix"),
        (([EYE, changed((1, 3), np.inf)],), {}, ValueError, r"targets\[1\]: \[1, 3\] is infinite"),
        (([0.1, np.nan, 0.2],), {}, ValueError, "targets: y is nan"),
        ((np.full((2, 2, 3), np.nan),), {}, ValueError, r"targets\[0, 0\]: x is nan"),
        (([[0, 0, 0, 0, 0, np.nan, 1]],), {"quaternion": "xyzw"}, ValueError, r"targets\[0\]: qz"),
        (("flange",), {}, ValueError, "targets: could not convert"),
        ((EYE * 1j,), {}, TypeError, "targets: Cannot cast"),
        (([EYE, EYE[:3]],), {}, ValueError, "targets: setting an array element"),
        ((None,), {}, (ValueError, TypeError), "targets"),
        ((), {}, TypeError, "needs the argument 'targets'"),
        ((EYE, "flange", None, True), {}, TypeError, "at most 3 positional"),
        ((EYE, "flange"), {"link": "flange"}, TypeError, "two values for 'link'"),
        ((EYE,), {"sed": 3}, TypeError, "did you mean 'seed'"),
        ((EYE, "flang"), {}, sinew.UnknownNameError, "did you mean 'flange'"),
        ((EYE, 3), {}, TypeError, "link must be the name of a link"),
        ((EYE, []), {}, ValueError, "link is empty"),
        (([EYE], ["flange", "link3"]), {}, ValueError, "targets has 1"),
        ((EYE,), {"seed": np.zeros(6)}, ValueError, r"seed has shape \(6,\); it must be \(7,\)"),
        ((EYE,), {"seed": [0, 0, np.nan, 0, 0, 0, 0]}, ValueError, "seed: joint3.*nan"),
        (([EYE, EYE],), {"seed": np.zeros((3, 7))}, ValueError, r"\(7,\) or \(2, 7\)"),
        (([EYE, EYE],), {"seed": np.full((2, 7), np.nan)}, ValueError, "joint1.*seed is nan"),
        ((EYE,), {"seed": "a"}, ValueError, "seed: could not"),
        ((EYE,), {"tolerance": -1}, sinew.Error, "tolerances.position"),
        ((EYE,), {"tolerance": np.nan}, sinew.Error, "tolerances.position"),
        ((EYE,), {"tolerance": "a"}, TypeError, "tolerance must be a number"),
        ((EYE,), {"tolerance": (1, 2, 3)}, ValueError, "pair"),
        ((EYE,), {"max_starts": 0}, ValueError, "max_starts is 0"),
        ((EYE,), {"max_starts": 1.5}, TypeError, "max_starts must be an integer"),
        ((EYE,), {"max_starts": 10**30}, ValueError, "max_starts is too large"),
        ((EYE,), {"lanes": 3}, sinew.Error, "lanes"),
        ((EYE,), {"bank": -1}, ValueError, "bank is -1"),
        ((EYE,), {"threads": 0}, ValueError, "threads is 0"),
        ((EYE,), {"nearest": True, "local": True}, ValueError, "exclude"),
        ((EYE,), {"out": [0] * 7}, TypeError, "out must be a NumPy array"),
        ((EYE,), {"out": np.zeros(7, "f4")}, ValueError, "out must be a writable float64"),
        ((EYE,), {"out": np.zeros(6)}, ValueError, r"out has shape \(6,\); it must be \(7,\)"),
        ((EYE,), {"out": np.zeros(14)[::2]}, ValueError, "C order"),
        (([EYE],), {"out": np.zeros(7)}, ValueError, r"must be \(1, 7\)"),
        ((np.eye(4), sinew.Task("flange", "position")), {}, ValueError, r"\(3,\).*kind position"),
        ((np.eye(4), sinew.Task("flange", "flying")), {}, ValueError, "kind must be"),
        ((np.eye(4), sinew.Task("flange", free=("w",))), {}, ValueError, "free has axes"),
        ((np.eye(4), sinew.Task("flange", point=(1, 2))), {}, ValueError, "point has shape"),
        ((np.eye(4), sinew.Task("flange", position_weight=-1)), {}, sinew.Error, "weight"),
        ((np.eye(4), sinew.Task("flange", chain_root="no")), {}, sinew.UnknownNameError, "no link"),
        (([0, 0, 0], sinew.Task("flange", "direction")), {}, ValueError, "direction is zero"),
        (([0, 0, 0], sinew.Task("flange", "plane")), {}, ValueError, "6 values: x, y, z, dx"),
        (([0] * 6, sinew.Task("flange", "line")), {}, ValueError, "direction is zero"),
        (([0, 0, 0, np.nan], sinew.Task("flange", "distance")), {}, ValueError, "distance is nan"),
        ((np.eye(4), sinew.Task("flange", lower=(0, 0))), {}, ValueError, r"it must be \(6,\)"),
    ],
)
def test_bad_input(arm, arguments, keywords, kind, message):
    for _ in range(2):
        with pytest.raises(kind, match=message):
            arm.solve(*arguments, **keywords)
    # and a correct call after it
    assert arm.solve(arm.fk(arm.middle(), "flange"), "flange")


def test_read_only_out(arm):
    out = np.zeros(7)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        arm.solve([0.4, 0, 0.5], "flange", out=out)


def test_bad_row_among_many_is_named(arm):
    targets = arm.fk(arm.random(5000, seed=1), "flange")
    targets[4321, 1, 3] = np.nan
    targets[4700, 1, 3] = np.nan
    with pytest.raises(ValueError, match=r"targets\[4321\]: \[1, 3\] is nan"):
        arm.solve(targets, "flange", threads=1)


# ---- threads and processes ----


def test_threads_share_a_model(arm):
    targets = arm.fk(arm.random(40, seed=1), "flange")
    expected = [arm.solve(target, "flange").q for target in targets]

    def work(_):
        return (
            [arm.solve(target, "flange").q for target in targets],
            arm.solve(targets, "flange", nearest=True, threads=2).q,
            arm.solve_all(targets[0], "flange", capacity=4),
        )

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(8)))
    for one, nearest, every in results:
        np.testing.assert_array_equal(one, expected)
        np.testing.assert_array_equal(nearest, results[0][1])
        np.testing.assert_array_equal(every, results[0][2])


def test_the_interpreter_runs_during_a_solve_of_many(arm):
    """A thread that only counts goes on counting."""
    targets = arm.fk(arm.random(100, seed=1), "flange")
    count, done = [0], threading.Event()

    def counting():
        while not done.wait(0.001):
            count[0] += 1

    thread = threading.Thread(target=counting)
    thread.start()
    before = count[0]
    while count[0] < before + 3:  # ends only if the other thread runs between or during calls
        arm.solve(targets, "flange", nearest=True, threads=1)
    done.set()
    thread.join()


def solve_in_process(model, target):
    return model.solve(target, "flange")


def test_spawned_processes(arm):
    targets = arm.fk(arm.random(4, seed=1), "flange")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        solutions = pool.starmap(solve_in_process, [(arm, target) for target in targets])
    for solution, target in zip(solutions, targets, strict=True):
        expected = arm.solve(target, "flange")
        assert repr(solution) == repr(expected)
        np.testing.assert_array_equal(solution.q, expected.q)


def run(program):
    """Runs a program in a process of its own, and returns what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_ctrl_c_ends_a_solve_of_many():
    code, out, error = run(f"""
        import os, signal, threading, numpy, sinew
        signal.signal(signal.SIGINT, signal.default_int_handler) # the parent may ignore it
        arm = sinew.load({str(MODELS / "arm7.urdf")!r})
        targets = numpy.broadcast_to(arm.fk(arm.random(seed=1), "flange"), (1000000000, 4, 4))
        arm.solve(targets[:1], "flange")
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            arm.solve(targets[:50000000], "flange", nearest=True)
        except KeyboardInterrupt:
            print("interrupted")
        print(arm.solve(targets[0], "flange").converged)
    """)
    assert (code, out) == (0, "interrupted\nTrue\n"), error


def test_fork_during_a_solve_of_many():
    code, out, error = run(f"""
        import os, threading, sinew
        arm = sinew.load({str(MODELS / "arm7.urdf")!r})
        targets = arm.fk(arm.random(20000, seed=1), "flange")
        thread = threading.Thread(target=lambda: arm.solve(targets, "flange", threads=2))
        thread.start()
        child = os.fork()
        if child == 0:
            solved = arm.solve(targets[:100], "flange", threads=2).converged.all()
            os._exit(0 if solved else 1)
        thread.join()
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert (code, out) == (0, "0\n"), error


def test_solutions_outlive_the_model():
    model = sinew.load(MODELS / "arm7.urdf")
    solution = model.solve([0.4, 0.1, 0.5], "flange")
    many = model.solve([[0.4, 0.1, 0.5]], "flange")
    del model
    assert solution.q.shape == (7,)
    assert "converged" in repr(solution)
    assert "1 converged" in repr(many)


def test_pickled_results(arm):
    for target in ([0.4, 0.1, 0.5], [9.0, 0, 0]):
        solution = arm.solve(target, "flange")
        other = pickle.loads(pickle.dumps(solution))
        assert repr(other) == repr(solution)
        assert other.reach_task == solution.reach_task
        many = arm.solve([target], "flange")
        assert repr(pickle.loads(pickle.dumps(many))) == repr(many)
