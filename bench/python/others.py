"""Tasks and limits of pink, mink and placo that docs/tasks.md does not name: none.

Usage: others.py docs/tasks.md, with the packages of peers.txt. Prints them, and what the table says
of a package that has no such thing; exits with 1 if there is any.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import mink
import pink.barriers
import pink.limits
import pink.tasks
import placo

# Classes that others are made of.
BASES = {"Task", "BaseTask", "Limit", "Barrier", "Constraint", "InvalidConstraint"}


def classes():
    """Pairs of a package and a name."""
    modules = {"pink": (pink.tasks, pink.limits, pink.barriers), "mink": (mink,)}
    for package, parts in modules.items():
        for module in parts:
            for name in dir(module):
                if re.fullmatch(r"[A-Z]\w*(Task|Limit|Barrier)", name) and name not in BASES:
                    yield package, name


def of_placo():
    for name in dir(placo.KinematicsSolver):
        found = re.fullmatch(r"add_(\w+_(?:task|constraint))|((?:enable|mask)_\w+)", name)
        if found:
            yield "placo", (found[1] or found[2]).replace("axisalign", "axis_align")


def named_in(cell: str):
    """Of each name in a cell the package before it: pink `A`, `B`, mink `C`."""
    package = ""
    for word, name in re.findall(r"(pink|mink|placo)|`(\w+)`", cell):
        package = word or package
        if name:
            yield package, name


def main() -> None:
    text = Path(sys.argv[1]).read_text()
    table = text[text.index("| theirs | ours |") :]
    lines = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
    named = {pair for line in lines for pair in named_in(line)}
    theirs = {*classes(), *of_placo()}
    for package, name in sorted(theirs - named):
        print(f"{package} {name}: docs/tasks.md says nothing of it")
    for package, name in sorted(named - theirs):
        print(f"{package} {name}: the package has none")
    sys.exit(1 if theirs != named else 0)


main()
