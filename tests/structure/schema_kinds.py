"""Holds the conditions of each kind in the schema of tasks files against what the program reads.

Usage: schema_kinds.py SCHEMA PROGRAM FOLDER. Every kind of task and of objective is written with
each field that any kind has, without each of its own, and with values of another form: the schema
must accept a file where 'sinew info' does, and no other. FOLDER is for files. Exit code 77 where the
package jsonschema is missing.
"""

import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)

JOINTS = 6
ROBOT = "<robot name='arm'>%s%s</robot>" % (
    "".join(
        f"<link name='l{i}'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
        "iyz='0' izz='1'/></inertial></link>"
        for i in range(JOINTS + 1)
    ),
    "".join(
        f"<joint name='j{i + 1}' type='revolute'><parent link='l{i}'/><child link='l{i + 1}'/>"
        f"<origin xyz='0.1 0 0.3'/><axis xyz='{i % 2} {(i + 1) % 2} 0'/>"
        "<limit lower='-2' upper='2' effort='1' velocity='1'/></joint>"
        for i in range(JOINTS)
    ),
)

POINT, ROTATION, DIRECTION = [0.3, 0, 0.9], [1, 0, 0, 0], [0, 0, 1]
TARGETS = {
    "position": {"position": POINT},
    "orientation": {"rotation": ROTATION},
    "pose": {"position": POINT, "rotation": ROTATION},
    "direction": {"direction": DIRECTION},
    "look_at": {"position": POINT},
    "plane": {"position": POINT, "direction": DIRECTION},
    "line": {"position": POINT, "direction": DIRECTION},
    "distance": {"position": POINT, "distance": 0.2},
    "yaw": {"direction": [1, 0, 0]},
}
CONTACTS = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
SIX = [0, 0, 0, 0, 0, 0]
TASK_FIELDS = [
    ("name", "n"),
    ("link", "l6"),
    ("center_of_mass", True),
    ("center_of_mass", False),
    ("frame_link", "l1"),
    ("chain_root", "l1"),
    ("point_l", [0.1, 0, 0]),
    ("rotation_l", [0, 1, 0, 0]),
    ("axis_l", [1, 0, 0]),
    ("up_axis", [0, 1, 0]),
    ("up_axis", [0, 0, 0]),
    ("cone_angle", 0.1),
    ("hard", False),
    ("position_weight", 0.5),
    ("orientation_weight", 0.5),
    ("free_axes", ["x"]),
    ("free_axes", ["rx"]),
    ("free_axes", ["x", "rx"]),
    ("axis_weights", [1, 1, 0.5, 0.5, 1, 1]),
    ("weight_axes", "tool"),
    ("weight_axes", "frame"),
    *((end, value) for end in ("range_lower", "range_upper") for value in (0, None, SIX, [None] * 6)),
    ("range_lower", -0.1),
    ("range_upper", 0.1),
    *(("range_upper", [*SIX[:i], 0.1, *SIX[i + 1 :]]) for i in range(6)),
    *(("range_lower", [*SIX[:i], -0.1, *SIX[i + 1 :]]) for i in range(6)),
    ("level", 1),
    ("required", False),
    ("influence", 0.5),
    ("excluded_joints", ["j1"]),
    ("gain", 0.5),
    ("contacts", CONTACTS),
    ("up", [0, 0, 1]),
    ("margin", 0.01),
    ("target", {}),
]
TARGET_FIELDS = [
    ("position", POINT),
    ("rotation", ROTATION),
    ("direction", [0, 1, 0.1]),
    ("distance", 0.1),
    ("twist", SIX),
]
OBJECTIVES = {
    "posture": {},
    "damping": {},
    "low_change": {},
    "limits": {},
    "coupling": {"coefficients": {"j1": 1}},
    "manipulability": {"task": {"kind": "pose", "link": "l6"}},
    "pole": {"links": ["l1", "l3", "l6"]},
}
OBJECTIVE_FIELDS = [
    ("level", 1),
    ("weight", 0.5),
    ("weights", {"j1": 2}),
    ("gain", 0.5),
    ("posture", "zero"),
    ("posture", {"j1": 1}),
    ("coefficients", {"j2": 1}),
    ("value", 0.1),
    ("task", {"kind": "position", "link": "l6"}),
    ("links", ["l2", "l3", "l6"]),
    ("pole", [0, 0, 1]),
    ("pole_is_direction", True),
]


def bases():
    """A task of each kind, and of the centre of mass; those with which a target has more fields."""
    for kind, target in TARGETS.items():
        of_link = {"kind": kind, "link": "l6", "target": target}
        yield {**of_link, "axis_l": [1, 0, 0], "up_axis": DIRECTION} if kind == "yaw" else of_link
        if kind in ("position", "plane", "line", "distance"):
            yield {"kind": kind, "center_of_mass": True, "target": target}
    position = {"kind": "position", "link": "l6", "target": TARGETS["position"]}
    weights, height = [1, 1, 0.5, 1, 1, 1], [0, 0, 0.1, 0, 0, None]
    yield {**position, "free_axes": ["z"]}
    yield {**position, "free_axes": []}
    yield {**position, "axis_weights": weights}
    yield {**position, "axis_weights": weights, "weight_axes": "frame"}
    yield {**position, "axis_weights": [1, 1, 1, 0.5, 1, 1], "weight_axes": "target"}
    yield {**position, "range_upper": height}
    yield {**position, "range_upper": height, "weight_axes": "tool"}
    yield {
        "kind": "look_at",
        "link": "l6",
        "up_axis": [0, 1, 0],
        "target": {**TARGETS["look_at"], "direction": DIRECTION},
    }
    yield {"kind": "support_polygon", "contacts": CONTACTS}


def variants(base, fields):
    """An object, with each field besides, and without each of its members."""
    yield base
    for name, value in fields:
        yield {**base, name: value}
    for name in base:
        yield {key: value for key, value in base.items() if key != name}


def has_free_range(task):
    """Whether an axis has a range and is free, which the schema does not compare."""
    ranges = [task.get(end) for end in ("range_lower", "range_upper")]
    return "z" in task.get("free_axes", []) and any(isinstance(r, list) and r[2] for r in ranges)


def documents():
    for base in bases():
        for task in variants(base, TASK_FIELDS):
            if not has_free_range(task):
                yield {"tasks": [task]}
        for target in variants(base.get("target", {}), TARGET_FIELDS):
            yield {"tasks": [{**base, "target": target}]}
    for kind, own in OBJECTIVES.items():
        for objective in variants({"kind": kind, **own}, OBJECTIVE_FIELDS):
            yield {"objectives": [objective]}


def main():
    schema_path, program, folder = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as file:
        validator = jsonschema.Draft202012Validator(json.load(file))
    model, tasks = (os.path.join(folder, name) for name in ("kinds.urdf", "kinds.json"))
    with open(model, "w", encoding="utf-8") as file:
        file.write(ROBOT)
    faults, accepted, refused = [], 0, 0
    for document in documents():
        with open(tasks, "w", encoding="utf-8") as file:
            json.dump(document, file)
        command = [program, "info", model, "--tasks", tasks]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        taken = run.returncode == 0
        accepted += taken
        refused += not taken
        if taken != validator.is_valid(document):
            said = "accepts" if taken else f"refuses ({run.stderr.strip()})"
            faults.append(f"the program {said}, the schema does not: {json.dumps(document)}")
    if accepted < 200 or refused < 200:
        faults.append(f"{accepted} files are accepted, {refused} are not: the test shows nothing")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
