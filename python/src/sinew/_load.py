"""Reading models."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from sinew import _core
from sinew._errors import Error

if TYPE_CHECKING:
    from pyexpat import XMLParserType

    from sinew._core import Model

# A space, comment, instruction or declaration before the first element.
_PROLOG_ITEM = re.compile(rb"\s+|<!--.*?-->|<\?.*?\?>", re.DOTALL)


def load(path: str | os.PathLike[str], *, floating_base: bool = False) -> Model:
    """Reads a robot (URDF) or a skeleton (BVH) from a file; its content tells which.

    Mesh files are never opened. Lengths are in metres, in a BVH in the file's unit.

    floating_base: let a robot move freely: adds six degrees of freedom, the model's first.

    Raises OSError if the file cannot be read, and sinew.Error, with file, line and element, if its
    content is no model.
    """
    with open(path, "rb") as file:
        text = file.read()
    return loads(text, name=os.fspath(path), floating_base=floating_base)


def loads(text: str | bytes, *, name: str = "input", floating_base: bool = False) -> Model:
    """Reads a robot (URDF) or a skeleton (BVH) from a text. See load().

    name: the file's name for messages.
    """
    # bytes() takes more, numbers for example
    if not isinstance(text, (str, bytes)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"text must be a str or bytes, not {type(text).__name__}")
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    if _core.detect(data) != "URDF":
        return _core.read_text(data, name, floating_base)
    return _read_xml(data, name, floating_base, decoded=isinstance(text, str))


def _without_misplaced_declarations(data: bytes) -> bytes:
    """The text with spaces in place of XML declarations that a parser would refuse.

    These are not at the very start, or have no version. Lines keep their numbers.
    """
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    at = start
    while match := _PROLOG_ITEM.match(data, at):
        item = match.group()
        declares = re.match(rb"<\?xml[\s?]", item) is not None
        if declares and not (at == start and b"version" in item):
            data = data[:at] + re.sub(rb"[^\r\n]", b" ", item) + data[match.end() :]
        at = match.end()
    return data


def _read_xml(data: bytes, name: str, floating_base: bool, *, decoded: bool) -> Model:
    from xml.parsers import expat  # it takes a while to import

    reader = _core.XmlReader(data, name, floating_base)
    # A str has been decoded, whatever its declaration says.
    parser: XMLParserType = expat.ParserCreate("utf-8" if decoded else None)
    parser.ordered_attributes = True
    open_elements: list[str] = []

    def start(element: str, attributes: list[str]) -> None:
        reader.start(element, attributes, parser.CurrentLineNumber)
        open_elements.append(element)

    def end(element: str) -> None:
        reader.end(element, parser.CurrentLineNumber)
        open_elements.pop()

    def doctype(element: str, _system: str | None, _public: str | None, declares: bool) -> None:
        reader.doctype(element, bool(declares), parser.CurrentLineNumber)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(_without_misplaced_declarations(data.rstrip(b"\0")), True)
    except expat.ExpatError as error:
        element = open_elements[-1] if open_elements else None
        place = f"{name}:{error.lineno}: " + (f"{element}: " if element is not None else "")
        message = f"{place}not well-formed XML: {expat.ErrorString(error.code)}"
        raise Error(message, "not well formed", name, error.lineno, element) from None
    return reader.finish()


def restore(text: bytes, name: str, floating_base: bool) -> Model:
    """Restores a pickled model."""
    return loads(text, name=name, floating_base=floating_base)
