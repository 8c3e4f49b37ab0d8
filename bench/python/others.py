"""Tasks and limits of pink, mink and placo that docs/tasks.md does not name: none.

Usage: others.py docs/tasks.md, with the packages of peers.txt. Prints them, and exits with 1 if
there are any; and what the table names and no package has, which may be of other versions.
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
    for module in (pink.tasks, pink.limits, pink.barriers, mink):
        for name in dir(module):
            if re.fullmatch(r"[A-Z]\w*(Task|Limit|Barrier)", name) and name not in BASES:
                yield name


def of_placo():
    for name in dir(placo.KinematicsSolver):
        found = re.fullmatch(r"add_(\w+_(task|constraint))", name)
        if found:
            yield found[1].replace("axisalign", "axis_align")


def main() -> None:
    text = Path(sys.argv[1]).read_text()
    table = text[text.index("| theirs | ours |") :]
    lines = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
    named = {name for line in lines for name in re.findall(r"`(\w+)`", line)}
    theirs = {*classes(), *of_placo()}
    for name in sorted(theirs - named):
        print(f"{name}: docs/tasks.md says nothing of it")
    for name in sorted(named - theirs):
        print(f"{name}: in none of the packages")
    sys.exit(1 if theirs - named else 0)


main()
