"""Forward kinematics and Jacobians against pinocchio, and over shapes and types of arrays."""

from __future__ import annotations

import numpy as np
import pytest
import sinew
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import MODELS, need

# Rounding errors of a product of ten transforms of some metres.
EXACT = 1e-12


def pinocchio_configuration(pin, oracle, model, q):
    """q in pinocchio's order, where a continuous joint has a cosine and a sine."""
    out = pin.neutral(oracle)
    for joint in model.joints:
        if joint.q.stop == joint.q.start or not oracle.existJointName(joint.name):
            continue
        other = oracle.joints[oracle.getJointId(joint.name)]
        value = q[joint.q][0]
        if other.nq == 2:
            out[other.idx_q : other.idx_q + 2] = np.cos(value), np.sin(value)
        else:
            out[other.idx_q] = value
    return out


def test_against_pinocchio(arm_file):
    # req: B1
    pin = need("pinocchio")
    model = sinew.load(arm_file)
    oracle = pin.buildModelFromUrdf(str(arm_file))
    data = oracle.createData()
    driven = [joint.name for joint in model.joints if joint.driver is not None]
    assert not driven, "pinocchio moves coupled joints by themselves"
    columns = {
        joint.name: oracle.joints[oracle.getJointId(joint.name)].idx_v
        for joint in model.joints
        if joint.v.stop > joint.v.start
    }
    order = [columns[name] for name in model.joint_names]
    for q in model.random(20, seed=7):
        pin.computeJointJacobians(oracle, data, pinocchio_configuration(pin, oracle, model, q))
        pin.updateFramePlacements(oracle, data)
        for link in model.links:
            frame = oracle.getFrameId(link, pin.FrameType.BODY)
            expected = data.oMf[frame].homogeneous
            np.testing.assert_allclose(model.fk(q, link), expected, atol=EXACT)
            for axes, reference in (("root", pin.LOCAL_WORLD_ALIGNED), ("link", pin.LOCAL)):
                J = pin.getFrameJacobian(oracle, data, frame, reference)
                np.testing.assert_allclose(
                    model.jacobian(q, link, axes=axes), J[:, order], atol=EXACT
                )


def test_fk_as_quaternions(arm):
    rotation = need("scipy.spatial.transform").Rotation
    q = arm.random((3, 2), seed=2)
    T = arm.fk(q, "flange")
    xyzw = arm.fk(q, "flange", quaternion="xyzw")
    wxyz = arm.fk(q, "flange", quaternion="wxyz")
    assert xyzw.shape == wxyz.shape == (3, 2, 7)
    np.testing.assert_array_equal(xyzw[..., 3:], wxyz[..., [4, 5, 6, 3]])
    np.testing.assert_array_equal(xyzw[..., :3], T[..., :3, 3])
    matrices = rotation.from_quat(xyzw[..., 3:].reshape(-1, 4)).as_matrix().reshape(3, 2, 3, 3)
    np.testing.assert_allclose(matrices, T[..., :3, :3], atol=EXACT)


def test_fk_of_several_links(arm):
    q = arm.random(4, seed=2)
    both = arm.fk(q, ["link3", "flange"])
    assert both.shape == (4, 2, 4, 4)
    np.testing.assert_array_equal(both[:, 0], arm.fk(q, "link3"))
    np.testing.assert_array_equal(both[:, 1], arm.fk(q, "flange"))


def test_jacobian_is_the_derivative_of_fk(arm):
    q, point = arm.random(seed=4), np.array([0.1, -0.2, 0.3])
    J = arm.jacobian(q, "flange", point=point)
    step = 1e-6
    for i in range(arm.nv):
        d = np.zeros(arm.nv)
        d[i] = step
        after, before = (arm.fk(arm.integrate(q, s * d), "flange") for s in (1, -1))
        moved = (after - before) / (2 * step)
        # central differences: step^2 times third derivatives, and rounding over step
        np.testing.assert_allclose(moved[:3, :3] @ point + moved[:3, 3], J[:3, i], atol=1e-8)
        spin = moved[:3, :3] @ arm.fk(q, "flange")[:3, :3].T
        np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], J[3:, i], atol=1e-8)


def test_configurations_of_spherical_joints():
    model = sinew.load(MODELS / "arm7.urdf", floating_base=True)
    q0, q1 = model.random(2, seed=9)
    v = model.difference(q0, q1)
    assert v.shape == (model.nv,)
    end = model.integrate(q0, v)
    np.testing.assert_allclose(model.fk(end, model.links), model.fk(q1, model.links), atol=1e-12)
    np.testing.assert_allclose(model.normalize(q0 * 1.0), q0, atol=1e-15)
    assert model.integrate(q0, np.zeros((5, model.nv))).shape == (5, model.nq)


def test_joint_values_of_coupled_joints():
    text = """<robot name="gripper"><link name="a"/><link name="b"/><link name="c"/>
      <joint name="left" type="revolute"><parent link="a"/><child link="b"/>
        <limit lower="0" upper="1"/></joint>
      <joint name="right" type="revolute"><parent link="a"/><child link="c"/>
        <limit lower="-2" upper="2"/><mimic joint="left" multiplier="-2" offset="0.5"/></joint>
      </robot>"""
    model = sinew.loads(text)
    assert (model.nq, model.joint_names) == (1, ["left"])
    np.testing.assert_allclose(model.joint_values([[0.25], [0.5]]), [[0.25, 0], [0.5, -0.5]])
    right = model.joints[1]
    assert (right.driver, right.ratio, right.offset) == ("left", -2, 0.5)
    assert right.q.start == right.q.stop or right.driver is not None


# ---- shapes and types ----

shapes = st.lists(st.integers(0, 3), max_size=3).map(tuple)
types = st.sampled_from(["f8", "f4", ">f8", "f2", "i4", "bool"])


@settings(max_examples=150, deadline=None)
@given(
    shape=shapes, dtype=types, order=st.sampled_from("CF"), reverse=st.booleans(), data=st.data()
)
def test_any_leading_shape_and_type(arm, shape, dtype, order, reverse, data):
    q = np.asarray(arm.random(shape, seed=data.draw(st.integers(0, 5))).astype(dtype), order=order)
    if reverse:
        q = q[..., ::-1]
    plain = np.ascontiguousarray(q, dtype=np.float64)
    expected = np.array([arm.fk(row, "flange") for row in plain.reshape(-1, 7)])
    T = arm.fk(q, "flange")
    assert T.shape == (*shape, 4, 4)
    assert T.dtype == np.float64
    np.testing.assert_array_equal(T.reshape(-1, 4, 4), expected.reshape(-1, 4, 4))
    J = arm.jacobian(q, "flange")
    assert J.shape == (*shape, 6, 7)
    if shape == ():
        np.testing.assert_array_equal(arm.fk(q.tolist(), "flange"), T)


def test_random_configurations(arm):
    q = arm.random(1000, seed=3)
    assert (q >= arm.lower).all()
    assert (q <= arm.upper).all()
    np.testing.assert_array_equal(arm.random(10, seed=3), q[:10])
    assert not np.array_equal(arm.random(10, seed=4), q[:10])
    assert arm.random().shape == (7,)
    assert arm.random((2, 3)).shape == (2, 3, 7)


# ---- errors ----


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda m: m.fk(np.zeros(6), "flange"), ValueError, r"q has shape \(6,\).*7 values"),
        (lambda m: m.fk(0.0, "flange"), ValueError, r"q has shape \(\)"),
        (lambda m: m.fk(np.zeros(7) * 1j, "flange"), TypeError, "q: Cannot cast"),
        (lambda m: m.fk(["a"] * 7, "flange"), ValueError, "q: could not convert"),
        (lambda m: m.fk([0, np.nan, 0, 0, 0, 0, 0], "flange"), ValueError, "row 0"),
        (lambda m: m.fk(np.full((3, 7), np.inf), "flange"), ValueError, "row 0"),
        (lambda m: m.fk(np.zeros(7), "Flange"), sinew.UnknownNameError, "did you mean 'flange'"),
        (lambda m: m.fk(np.zeros(7), "\ud800"), sinew.UnknownNameError, "no link"),
        (lambda m: m.fk(np.zeros(7), 3), TypeError, "int"),
        (lambda m: m.fk(np.zeros(7), "flange", quaternion="zyxw"), ValueError, "wxyz"),
        (lambda m: m.jacobian(np.zeros(7), "flange", axes="world"), ValueError, '"root"'),
        (lambda m: m.jacobian(np.zeros(7), "flange", point=[1, 2]), ValueError, "point"),
        (lambda m: m.jacobian(np.zeros(7), "flange", point=[1, 2, np.nan]), ValueError, "point"),
        (lambda m: m.integrate(np.zeros(7), np.zeros((2, 6))), ValueError, "v has shape"),
        (lambda m: m.difference(np.zeros((2, 7)), np.zeros((3, 7))), ValueError, "leading shapes"),
        (lambda m: m.random(-1), ValueError, "negative"),
    ],
)
def test_bad_input(arm, call, kind, message):
    with pytest.raises(kind, match=message):
        call(arm)


def test_unknown_names_carry_the_nearest(arm):
    with pytest.raises(sinew.UnknownNameError) as caught:
        arm.fk(np.zeros(7), "lnk3")
    assert caught.value.nearest[0] == "link3"
    assert isinstance(caught.value, LookupError)
    assert isinstance(caught.value, ValueError)
