"""The calls of ikpy and roboticstoolbox."""

from __future__ import annotations

import numpy as np
import pytest
import sinew
from sinew import compat

from .conftest import MODELS, need


@pytest.fixture
def chain(arm):
    return compat.Chain(arm)


def test_same_forward_kinematics_as_ikpy(arm, chain):
    ikpy = need("ikpy.chain")
    mask = [False, *(joint.kind != "fixed" for joint in chain.joints)]
    path = str(MODELS / "arm7.urdf")
    theirs = ikpy.Chain.from_urdf_file(path, base_elements=["link0"], active_links_mask=mask)
    ours = compat.Chain.from_urdf_file(path, base_elements=["link0"])
    assert len(ours) == len(theirs.links) == len(chain)
    for q in arm.random(10, seed=1):
        joints = [0, *q, 0]
        np.testing.assert_allclose(
            ours.forward_kinematics(joints), theirs.forward_kinematics(joints), atol=1e-9
        )


def test_inverse_kinematics(arm, chain):
    for q in arm.random(10, seed=1):
        pose = arm.fk(q, "flange")
        joints = chain.inverse_kinematics(pose[:3, 3])
        assert joints.shape == (9,)
        np.testing.assert_allclose(chain.forward_kinematics(joints)[:3, 3], pose[:3, 3], atol=3e-6)
        joints = chain.inverse_kinematics(pose[:3, 3], pose[:3, :3], "all")
        np.testing.assert_allclose(chain.forward_kinematics(joints), pose, atol=3e-6)
        joints = chain.inverse_kinematics_frame(pose, orientation_mode="all")
        np.testing.assert_allclose(chain.forward_kinematics(joints), pose, atol=3e-6)
        for axis, mode in enumerate("XYZ"):
            joints = chain.inverse_kinematics_frame(
                pose, initial_position=[0, *arm.middle(), 0], orientation_mode=mode
            )
            reached = chain.forward_kinematics(joints)
            np.testing.assert_allclose(reached[:3, [axis, 3]], pose[:3, [axis, 3]], atol=3e-6)
        joints = chain.inverse_kinematics_frame(pose, orientation_mode="all", no_position=True)
        np.testing.assert_allclose(
            chain.forward_kinematics(joints)[:3, :3], pose[:3, :3], atol=3e-6
        )


def test_errors_of_chains(arm, humanoid, chain):
    with pytest.raises(ValueError, match="end links"):
        compat.Chain(humanoid)
    with pytest.raises(ValueError, match="one value"):
        compat.Chain(humanoid, "LeftHand")
    with pytest.raises(ValueError, match=r"joints has shape \(7,\); it must be \(9,\)"):
        chain.forward_kinematics(arm.middle())
    with pytest.raises(ValueError, match="link0"):
        compat.Chain.from_urdf_file(MODELS / "arm7.urdf", base_elements=["link1"])


def test_ik_lm(arm):
    pose = arm.fk(arm.random(seed=3), "flange")
    q, success, steps, searches, residual = compat.ik_LM(arm, pose, q0=arm.middle(), mask=[1] * 6)
    assert success is True
    assert searches == 1
    assert steps > 0
    assert residual < 1e-6
    np.testing.assert_allclose(arm.fk(q, "flange"), pose, atol=3e-6)
    pose[:3, 3] = 9
    assert not compat.ik_LM(arm, pose, end="flange").success


def test_order_of_joints(arm):
    q = arm.random(3, seed=1)
    names = arm.joint_names[::-1]
    np.testing.assert_array_equal(q[..., arm.order(names)], q[:, ::-1])
    assert arm.order(["flange_joint"]).size == 0
    floating = sinew.load(MODELS / "arm7.urdf", floating_base=True)
    np.testing.assert_array_equal(floating.order(["floating_base"]), np.arange(7))
    with pytest.raises(sinew.UnknownNameError, match=r"no joint 'joint_3'.*'joint3'"):
        arm.order(["joint_3"])
