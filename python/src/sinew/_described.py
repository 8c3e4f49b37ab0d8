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
    code, its defaults, its attributes and the variables that it has from around it. An object is
    described by its class and its attributes, and one that is called by the code of that too.
    Global variables and the functions that are called are not looked at.
    """
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return repr(_described(value))


def _described(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_described(item) for item in cast("list[Any]", value)]
    if not isinstance(value, Objective) or value.function is None:
        return value
    return dataclasses.replace(value, function=_Parts().of(value.function))


class _Parts:
    """What an object consists of. One that is met again is the number of when it was first met."""

    def __init__(self) -> None:
        self._met: list[Any] = []  # kept, so that no other object takes an identity over

    def of(self, value: Any) -> Any:
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
            return value
        if not isinstance(value, (tuple, frozenset, CodeType)):  # constants may be shared or not
            for number, other in enumerate(self._met):
                if other is value:
                    return f"object {number}"
            self._met.append(value)
        if isinstance(value, (np.ndarray, np.generic)):
            array = cast("Any", value)
            return self.of(array.tolist()) if array.dtype.hasobject else repr(array)
        if isinstance(value, (list, tuple)):
            return [self.of(item) for item in cast("list[Any]", value)]
        if isinstance(value, (set, frozenset)):
            return sorted(repr(self.of(item)) for item in cast("set[Any]", value))
        if isinstance(value, Mapping):
            items = cast("Mapping[Any, Any]", value).items()
            return [[self.of(key), self.of(item)] for key, item in items]
        if isinstance(value, CodeType):
            return [value.co_code.hex(), self.of(value.co_consts), list(value.co_names)]
        if isinstance(value, functools.partial):
            call = cast("functools.partial[Any]", value)
            return ["partial", self.of(call.func), self.of(call.args), self.of(call.keywords)]
        if isinstance(value, type):
            return f"{value.__module__}.{value.__qualname__}"
        return self._of_object(value)

    def _of_object(self, value: Any) -> Any:
        kind = cast("type[Any]", type(value))
        if hasattr(value, "__func__"):  # a method
            return [self.of(value.__func__), self.of(value.__self__)]
        attributes = self.of(getattr(value, "__dict__", None))
        code = getattr(value, "__code__", None)
        if isinstance(code, CodeType):
            cells = [_content(cell) for cell in value.__closure__ or ()]
            parts = (code, value.__defaults__, value.__kwdefaults__, cells)
            named = f"{value.__module__}.{value.__qualname__}"
            return [named, attributes, *(self.of(part) for part in parts)]
        if hasattr(value, "__qualname__"):  # of a compiled module
            return f"{getattr(value, '__module__', None)}.{value.__qualname__}"
        slots = [
            [name, self.of(getattr(value, name, None))]
            for base in kind.__mro__
            for name in _names(base.__dict__.get("__slots__", ()))
        ]
        calls = [base.__dict__["__call__"] for base in kind.__mro__ if "__call__" in base.__dict__]
        called = getattr(calls[0], "__code__", None) if calls else None
        return [f"{kind.__module__}.{kind.__qualname__}", attributes, slots, self.of(called)]


def _names(slots: Any) -> list[str]:
    return [
        name
        for name in ([slots] if isinstance(slots, str) else slots)
        if name not in {"__dict__", "__weakref__"}
    ]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not set yet
        return None
