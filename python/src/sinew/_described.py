"""Texts of settings that are the same in all processes, for what is resumed."""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Mapping
from types import CodeType
from typing import Any, cast

import numpy as np
from sinew._objectives import Objective


def exact(value: object) -> str:
    """The text of a setting, with all digits of all its elements.

    A function is named by its module and its name, and described by what it computes with: its
    code, its defaults and the variables that it has from around it. Of objects of other kinds it
    has the class, and of those that are called their attributes.
    """
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return repr(_described(value))


def _described(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_described(item) for item in cast("list[Any]", value)]
    if not isinstance(value, Objective) or value.function is None:
        return value
    return dataclasses.replace(value, function=_of_function(value.function, ()))


def _of_function(function: Any, above: tuple[int, ...]) -> Any:
    """above: the objects that this one belongs to, which may refer to each other."""
    if id(function) in above:
        return "..."
    above = (*above, id(function))
    if isinstance(function, functools.partial):
        parts = cast("functools.partial[Any]", function)
        return [
            "partial",
            _of_function(parts.func, above),
            _of(parts.args, above),
            _of(parts.keywords, above),
        ]
    if hasattr(function, "__func__"):  # a method
        return [_of_function(function.__func__, above), _of_function(function.__self__, above)]
    kind = cast("type[Any]", type(function))
    name = getattr(function, "__qualname__", kind.__qualname__)
    named = f"{getattr(function, '__module__', kind.__module__)}.{name}"
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType):
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_set(cell)]
        return [
            named,
            _of_code(code),
            *(_of(part, above) for part in (function.__defaults__, function.__kwdefaults__, cells)),
        ]
    return [named, _of(getattr(function, "__dict__", None), above)]


def _is_set(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _of_code(code: CodeType) -> Any:
    constants = [_of_code(c) if isinstance(c, CodeType) else _of(c, ()) for c in code.co_consts]
    return [code.co_code.hex(), constants, list(code.co_names)]


def _of(value: Any, above: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return repr(cast("Any", value))
    if id(value) in above:
        return "..."
    above = (*above, id(value))
    if isinstance(value, (list, tuple)):
        return [_of(item, above) for item in cast("list[Any]", value)]
    if isinstance(value, (set, frozenset)):
        return sorted(repr(_of(item, above)) for item in cast("set[Any]", value))
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return [[_of(key, above), _of(item, above)] for key, item in items]
    if callable(value):
        return _of_function(value, above)
    kind = cast("type[Any]", type(value))
    return f"{kind.__module__}.{kind.__qualname__}"
