"""The programs in documents are those that are tested."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from .conftest import ROOT

EXAMPLES = ROOT / "python" / "examples"


def blocks(path):
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)


@pytest.mark.parametrize("document", ["README.md", "python/README.md"])
def test_first_program(document):
    assert (EXAMPLES / "first.py").read_text() in blocks(ROOT / document)


def test_first_program_prints_what_the_readme_says():
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "first.py")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout in (ROOT / "README.md").read_text()


def test_pages_run():
    """The blocks of docs/python.md, one after another, are one program."""
    page = ROOT / "docs" / "python.md"
    program = "\n".join(blocks(page))
    code = compile(program, str(page), "exec")
    directory = os.getcwd()
    os.chdir(ROOT)
    try:
        exec(code, {"__name__": "page"})
    finally:
        os.chdir(directory)
