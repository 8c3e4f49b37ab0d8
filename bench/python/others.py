"""Compares the table of docs/tasks.md with the tasks and limits of pink, mink and placo.

Usage: others.py docs/tasks.md others.txt [--packages]

others.txt has a package and a name a line. Prints the names that only one of the two has; exits
with 1 if there are any. --packages: compares others.txt with the packages of peers.txt, too, which
are to be installed, and writes it first where there is none.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

# Classes that others are made of.
BASES = {"Task", "BaseTask", "Limit", "Barrier", "Constraint", "InvalidConstraint"}


def classes():
    """Pairs of a package and a name."""
    import mink
    import pink.barriers
    import pink.limits
    import pink.tasks

    modules = {"pink": (pink.tasks, pink.limits, pink.barriers), "mink": (mink,)}
    for package, parts in modules.items():
        for module in parts:
            for name in dir(module):
                if re.fullmatch(r"[A-Z]\w*(Task|Limit|Barrier)", name) and name not in BASES:
                    yield package, name


def of_placo():
    import placo

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


def differences(name_a, a, name_b, b) -> int:
    for package, name in sorted(a - b):
        print(f"{package} {name}: {name_a} has it, {name_b} does not")
    for package, name in sorted(b - a):
        print(f"{package} {name}: {name_b} has it, {name_a} does not")
    return int(a != b)


def main() -> None:
    page, path = Path(sys.argv[1]), Path(sys.argv[2])
    theirs = {*classes(), *of_placo()} if sys.argv[3:] == ["--packages"] else None
    if theirs is not None and not path.exists():
        path.write_text("".join(f"{package} {name}\n" for package, name in sorted(theirs)))
    listed = {tuple(line.split()) for line in path.read_text().splitlines()}
    failed = 0 if theirs is None else differences("a package", theirs, path, listed)
    text = page.read_text()
    table = text[text.index("| theirs | ours |") :]
    lines = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
    named = {pair for line in lines for pair in named_in(line)}
    failed += differences(path, listed, page, named)
    sys.exit(1 if failed else 0)


main()
