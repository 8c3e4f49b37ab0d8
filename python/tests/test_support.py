"""Support polygons: edges are those of SciPy's convex hull, and centres of mass stay inside."""

from __future__ import annotations

import numpy as np
import pytest
import sinew
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

LINK = """
<joint name="j{i}" type="revolute"><parent link="{parent}"/><child link="l{i}"/>
<origin xyz="{x} 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="2" effort="1"/>
</joint>
<link name="l{i}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
COUNT = 5


@pytest.fixture(scope="module")
def chain():
    """Links of 1 m and 1 kg, seen from above."""
    links = [
        LINK.format(i=i, parent=f"l{i - 1}" if i else "base", x=float(i > 0)) for i in range(COUNT)
    ]
    return sinew.loads(f'<robot name="chain"><link name="base"/>{"".join(links)}</robot>')


def center(chain, q):
    T = chain.fk(q, [f"l{i}" for i in range(COUNT)])
    return (T[..., :3, 3] + 0.5 * T[..., :3, 0]).mean(axis=-2)


@pytest.mark.parametrize("seed", range(20))
def test_edges_are_those_of_the_convex_hull(seed):
    rng = np.random.default_rng(seed)
    flat = rng.normal(size=(rng.integers(3, 30), 2)) * 10.0 ** rng.integers(-3, 3)
    turn = Rotation.random(rng=rng).as_matrix()
    contacts = np.column_stack([flat, np.full(len(flat), 0.3)]) @ turn.T
    tasks, targets = sinew.support_polygon(contacts, 3 * turn[:, 2])
    hull = ConvexHull(flat)
    assert len(tasks) == len(targets) == len(hull.vertices)
    size = np.abs(flat).max()
    theirs = [[*-normal[:2], normal[2] / size] for normal in hull.equations]  # inward
    ours = []
    for target in targets:
        position, normal = target[:3] @ turn, target[3:] @ turn
        assert abs(normal[2]) < 1e-9
        ours.append([*normal[:2], -normal[:2] @ position[:2] / size])
    # the same set of half-planes, n . x + d >= 0
    gaps = np.abs(np.array(ours)[:, None] - np.array(theirs) * [1, 1, -1]).max(axis=-1)
    assert (gaps.min(axis=0) < 1e-6).all()
    assert (gaps.min(axis=1) < 1e-6).all()


SQUARE = np.array([[1.0, -0.5, 0], [2, -0.5, 0], [2, 0.5, 0], [1, 0.5, 0], [1.4, 0.2, 0]])


@pytest.mark.parametrize("margin", [0.0, 0.2])
def test_centres_of_mass_stay_inside(chain, margin):
    tasks, targets = sinew.support_polygon(SQUARE, margin=margin)
    assert len(tasks) == 4
    links = [sinew.Task(f"l{COUNT - 1}", "position"), *tasks]
    low, high = np.array([1, -0.5]) + margin, np.array([2, 0.5]) - margin

    def outside(q):
        c = center(chain, q)[..., :2]
        return np.maximum(np.maximum(low - c, c - high), 0).max()

    inside = []
    for hand in chain.fk(chain.random(60, seed=1), f"l{COUNT - 1}")[:, :3, 3]:
        solution = chain.solve([hand, *targets], links)
        inside.append(bool(solution))
        if solution:
            assert outside(solution.q) < 3e-6
            q = solution.q
    assert np.mean(inside) > 0.2
    assert outside(chain.random(60, seed=1)) > 0.1
    many = chain.solve([np.tile(hand, (3, 1)), *targets], links)
    assert (many.outcome == solution.outcome).all()
    below = sinew.Task(f"l{COUNT - 1}", "position", level=1)
    tracker = sinew.Tracker(chain, [below, *tasks], q)
    away = chain.fk(q, f"l{COUNT - 1}")[:3, 3]
    for _ in range(200):
        away += [0.02, 0.02, 0]
        tracker.update([away, *targets])
        assert outside(tracker.q) < 1e-4
    assert np.abs(center(chain, tracker.q)[:2] - high).min() < 1e-2  # at an edge


def test_fields_of_a_task_are_kept(chain):
    like = sinew.Task(position_weight=2.0, frame="l0", level=1, influence=0.5)
    tasks, _ = sinew.support_polygon(SQUARE, task=like)
    for task in tasks:
        assert (task.kind, task.center_of_mass) == ("plane", True)
        assert (task.position_weight, task.frame) == (2.0, "l0")
        assert (task.level, task.influence, task.required) == (1, 0.5, None)
        assert task.lower[0] == 0
        assert task.upper[0] == np.inf
    assert sinew.support_polygon(SQUARE, margin=0.1)[0][0].lower[0] == 0.1


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (([[0, 0, 0], [1, 0, 0]],), sinew.Error, "2 contacts have . corners"),
        (([[0, 0, 0], [1, 0, 0], [2, 0, 0]],), sinew.Error, "needs three"),
        ((np.zeros((0, 3)),), sinew.Error, "needs three"),
        (([[0, 0, 0], [1, 0, 0], [0, 1, 0.1]],), sinew.Error, "contact 2 is 0.1 m higher"),
        (([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]],), sinew.Error, "contact 2 is not finite"),
        ((SQUARE, (0, 0, 0)), sinew.Error, "up is zero"),
        ((SQUARE, (0, 0, 1), -1), sinew.Error, "margin"),
        ((SQUARE, (0, 0, 1), np.nan), sinew.Error, "margin"),
        ((SQUARE, (0, 1)), ValueError, r"up has shape \(2,\)"),
        ((SQUARE[:, :2],), ValueError, r"contacts has shape \(5, 2\); it must be \(n, 3\)"),
        ((["a"],), ValueError, "contacts: could not"),
    ],
)
def test_bad_contacts(arguments, kind, message):
    with pytest.raises(kind, match=message):
        sinew.support_polygon(*arguments)
