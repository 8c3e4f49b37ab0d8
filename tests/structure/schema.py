"""Holds tasks files against their schema, with the package jsonschema.

Usage: schema.py SCHEMA FILE... Each file must be valid, and with one of its members renamed or one
of its texts replaced by a number it must not be. Exit code 77 where the package is missing.
"""

import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def places(value, path=()):
    """All objects and their keys, as paths."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield path, key
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from places(inner, (*path, i))


def changed(document, path, key, new_key, new_value=None):
    """A copy with one member renamed or replaced."""
    copy = json.loads(json.dumps(document))
    place = copy
    for step in path:
        place = place[step]
    value = place.pop(key)
    place[new_key] = value if new_value is None else new_value
    return copy


# Objects from joints to values
JOINTS = ("weights", "posture", "gains", "lower", "upper", "speeds", "accelerations")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    checker = jsonschema.Draft202012Validator
    checker.check_schema(schema)
    validator = checker(schema)
    faults = []
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        faults += [f"{name}: {error.message}" for error in validator.iter_errors(document)]
        for path, key in places(document):
            of_joint = path and path[-1] in JOINTS
            if not of_joint and validator.is_valid(changed(document, path, key, key + "_")):
                faults.append(f"{name}: {path}: {key}_ is accepted")
            if key not in JOINTS and validator.is_valid(changed(document, path, key, key, {"none": 0})):
                faults.append(f"{name}: {path}: an object as {key} is accepted")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
