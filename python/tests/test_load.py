"""Reading models: what they say, and errors that name the place."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import re
import subprocess
import weakref

import numpy as np
import pytest
import sinew

from .conftest import MODELS, PROGRAM, missing, real_files

ARM = """<robot name="two">
  <link name="base"/>
  <link name="upper arm"/>
  <link name="hand"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper arm"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="3" effort="1"/>
  </joint>
  <joint name="elbow" type="prismatic">
    <parent link="upper arm"/><child link="hand"/>
    <origin xyz="0.5 0 0"/><axis xyz="1 0 0"/><limit lower="0" upper="0.3" velocity="1" effort="1"/>
  </joint>
</robot>
"""


def test_attributes_of_an_arm():
    model = sinew.loads(ARM)
    assert model.name == "two"
    assert model.joint_names == ["shoulder", "elbow"]
    assert model.links == ["base", "upper arm", "hand"]
    assert model.root == "base"
    assert model.tips == ["hand"]
    assert (model.dof, model.nq, model.nv) == (2, 2, 2)
    np.testing.assert_array_equal(model.lower, [-1, 0])
    np.testing.assert_array_equal(model.upper, [2, 0.3])
    np.testing.assert_array_equal(model.velocity, [3, 1])
    np.testing.assert_array_equal(model.middle(), [0.5, 0.15])
    assert model.motion is None
    assert repr(model) == "<sinew.Model 'two': 2 degrees of freedom (shoulder, elbow), 3 links>"
    elbow = model.joints[1]
    assert (elbow.name, elbow.kind, elbow.parent, elbow.child) == (
        "elbow",
        "prismatic",
        "upper arm",
        "hand",
    )
    assert (elbow.q, elbow.v, elbow.driver) == (slice(1, 2), slice(1, 2), None)


def test_limits_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        sinew.loads(ARM).lower[0] = 0


def test_str_bytes_and_path(tmp_path):
    path = tmp_path / "two.urdf"
    path.write_text(ARM)
    for model in (
        sinew.loads(ARM),
        sinew.loads(ARM.encode()),
        sinew.load(path),
        sinew.load(str(path)),
    ):
        assert model.joint_names == ["shoulder", "elbow"]


def test_text_in_other_encodings():
    # A declaration applies to bytes; a str is decoded already.
    text = '<?xml version="1.0" encoding="latin-1"?>\n' + ARM.replace("two", "für zwei")
    assert sinew.loads(text.encode("latin-1")).name == "für zwei"
    assert sinew.loads(text).name == "für zwei"


def test_floating_base():
    model = sinew.loads(ARM, floating_base=True)
    assert (model.nq, model.nv, model.root) == (9, 8, "world")
    assert pickle.loads(pickle.dumps(model)).nq == 9


def test_bvh_has_a_motion():
    model = sinew.load(MODELS / "walk.bvh")
    assert model.motion is not None
    assert model.motion.shape == (len(model.motion), model.nq)
    assert model.frame_time > 0


def test_pickle_and_copy():
    model = sinew.load(MODELS / "arm7.urdf")
    assert copy.copy(model) is model
    assert copy.deepcopy({"model": model})["model"] is model
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        other = pickle.loads(pickle.dumps(model, protocol))
        q = model.random(5, seed=1)
        np.testing.assert_array_equal(other.fk(q, "flange"), model.fk(q, "flange"))


def test_models_are_collected():
    model = sinew.load(MODELS / "arm7.urdf")
    solution = model.solve(np.eye(4), "flange")
    alive = weakref.ref(model)
    del model
    gc.collect()
    assert alive() is None
    assert solution.q.shape == (7,)


# ---- errors ----


def test_file_that_is_not_there():
    with pytest.raises(FileNotFoundError, match="no such robot"):
        sinew.load("no such robot.urdf")


@pytest.mark.parametrize(
    ("change", "line", "name", "message"),
    [
        (("</robot>", ""), 15, "robot", "not well-formed XML: no element found"),
        (("<axis xyz", "<axis <xyz"), 7, "joint", "not well-formed XML"),
        (("</link>", ""), None, None, None),
        (('lower="-1"', 'lower="abc"'), 7, "limit", "abc"),
        (('upper="2"', 'upper="-2"'), 5, "shoulder", "limit"),
        (('child link="hand"', 'child link="foot"'), 11, "elbow", "foot"),
        (('type="prismatic"', 'type="rubber"'), 9, "elbow", "rubber"),
    ],
)
def test_errors_name_the_place(change, line, name, message):
    if message is None:
        assert sinew.loads(ARM.replace(*change)).dof == 2
        return
    with pytest.raises(sinew.Error, match=message) as caught:
        sinew.loads(ARM.replace(*change), name="two.urdf")
    error = caught.value
    assert error.file == "two.urdf"
    assert str(error).startswith(f"two.urdf:{error.line}: ")
    assert error.line is not None
    assert pickle.loads(pickle.dumps(error)).__dict__ == error.__dict__


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "unknown format"),
        ("hello", "unknown format"),
        ("<!DOCTYPE robot [<!ENTITY a 'b'>]><robot name='&a;'/>", "unknown format"),
        ("<robot name='\xff", "not well-formed"),
        ("HIERARCHY\nROOT hips\n{", "input:"),
    ],
)
def test_texts_that_are_no_model(text, message):
    with pytest.raises(sinew.Error, match=message):
        sinew.loads(text)


def test_types_that_are_no_text():
    with pytest.raises(TypeError):
        sinew.loads(3)
    with pytest.raises(TypeError):
        sinew.load(None)


def test_models_are_not_constructed():
    with pytest.raises(TypeError):
        sinew.Model()
    with pytest.raises((TypeError, RuntimeError)):
        sinew.Model.__new__(sinew.Model).solve(np.eye(4), "flange")
    with pytest.raises(TypeError):
        sinew.Model.solve("no model", np.eye(4))
    with pytest.raises(TypeError):
        sinew.Solution()


# ---- Python's XML parser and the library's own ----


def information(path):
    """What the program, whose parser is expat, prints of a file; None if it refuses it."""
    done = subprocess.run(
        [str(PROGRAM), "info", str(path), "--json"], capture_output=True, check=False
    )
    return json.loads(done.stdout) if done.returncode == 0 else None


@pytest.mark.parametrize("pattern", ["urdf/*.urdf", "urdf_edge/*", "arms/*.urdf", "bvh_edge/*"])
def test_same_models_as_the_program(pattern):
    if not PROGRAM.exists():
        missing(str(PROGRAM))
    files = real_files(pattern)
    if not files:
        pytest.skip("there is no shared data")
    for path in files:
        if path.suffix not in {".urdf", ".bvh"}:
            continue
        expected = information(path)
        if expected is None:
            with pytest.raises(sinew.Error, match=re.escape(path.name)):
                sinew.load(path)
            continue
        model = sinew.load(path)
        assert model.name == expected["name"], path
        assert model.links == [
            link["name"] if isinstance(link, dict) else link for link in expected["links"]
        ]
        assert model.dof == expected["dof"]
        assert [joint.name for joint in model.joints] == [j["name"] for j in expected["joints"]]
        assert [joint.kind for joint in model.joints] == [j["kind"] for j in expected["joints"]]
