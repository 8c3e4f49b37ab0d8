"""Exceptions of the package."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any


class Error(ValueError):
    """Input that the core refused: a file, a model, a setting, a target or a seed.

    The message names the file and line, the joint, link or element, and what is wrong.
    """

    code: str
    """The kind of failure, such as "invalid model definition"."""
    file: str | None
    """The file, if one was read."""
    line: int | None
    """The line in the file, from 1."""
    name: str | None
    """The joint, link or element."""

    def __init__(
        self,
        message: str,
        code: str = "",
        file: str | None = None,
        line: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.file = file
        self.line = line
        self.name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.code, self.file, self.line, self.name)


class UnknownNameError(Error, LookupError):
    """A link or joint that the model does not have."""

    nearest: list[str]
    """The names that are most alike, the nearest first."""

    def __init__(self, message: str, nearest: Sequence[str] = (), name: str | None = None) -> None:
        super().__init__(message, "unknown name", name=name)
        self.nearest = list(nearest)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.nearest, self.name)


def nearest_names(name: str, known: Sequence[str]) -> list[str]:
    """Up to three of the known names that are most like name, whatever their case."""
    by_lower: dict[str, str] = {}
    for other in known:
        by_lower.setdefault(other.lower(), other)
    found = difflib.get_close_matches(name.lower(), list(by_lower), n=3, cutoff=0.6)
    return [by_lower[other] for other in found]


def unknown_name(kind: str, name: str, known: Sequence[str]) -> UnknownNameError:
    """The error for a link or joint that is not among the known ones."""
    nearest = nearest_names(name, known)
    if nearest:
        hint = "did you mean " + " or ".join(repr(other) for other in nearest) + "?"
    elif len(known) <= 12:
        hint = f"the {kind}s are " + ", ".join(repr(other) for other in known)
    else:
        hint = f"the model has {len(known)} {kind}s, see model.{kind}s"
    return UnknownNameError(f"there is no {kind} {name!r}; {hint}", nearest, name)


def unknown_argument(function: str, name: str, known: Sequence[str]) -> str:
    """The message of a TypeError."""
    nearest = nearest_names(name, known)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return f"{function}() got an unexpected keyword argument {name!r}{hint}"
