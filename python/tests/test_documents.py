"""The programs in documents are those that are tested."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from .conftest import ROOT, need

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


@pytest.mark.parametrize(
    ("page", "packages"),
    [("python.md", []), ("python-neighbours.md", ["pinocchio", "mujoco", "viser"])],
)
def test_pages_run(page, packages):
    """The blocks of a page, one after another, are one program."""
    for package in packages:
        need(package)
    path = ROOT / "docs" / page
    code = compile("\n".join(blocks(path)), str(path), "exec")
    directory = os.getcwd()
    os.chdir(ROOT)
    try:
        exec(code, {"__name__": "page"})
    finally:
        os.chdir(directory)
