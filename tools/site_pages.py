#!/usr/bin/env python3
"""The pages of the site that tools/site builds, and the check of its links.

site_pages.py make FOLDER   the pages that mkdocs reads, from the root of the project
site_pages.py check FOLDER  that all links of the finished site lead to a place in it
"""

import html.parser
import pathlib
import re
import shutil
import sys
import urllib.parse

PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"]
REFERENCE = "\n- [Reference of the headers](reference/index.html)\n"


def program(match):
    """A line that is only a link to a C file becomes that file."""
    source = pathlib.Path("docs", match[2]).read_text()
    return f"`{match[1]}`:\n\n```c\n{source.rstrip()}\n```"


def make(folder):
    for name in PAGES + sorted(str(p) for p in pathlib.Path("docs").glob("*.md")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = pathlib.Path(name).read_text()
        if name == "docs/cookbook.md":
            text = re.sub(r"(?m)^\[(.+\.[ch])\]\((.+\.[ch])\)$", program, text)

        def link(match, name=name):
            """A link to a file that is no page becomes its text."""
            path = match[2].split("#")[0]
            if ":" in path or not path:
                return match[0]
            inside = (pathlib.Path(name).parent / path).as_posix()
            parts = []
            for part in inside.split("/"):
                parts = parts[:-1] if part == ".." else parts + [part]
            inside = "/".join(p for p in parts if p != ".")
            kept = inside in PAGES or (
                inside.startswith("docs/") and pathlib.Path(inside).is_file()
            )
            return match[0] if kept else match[1]

        text = re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", link, text)
        if name == "README.md":
            text = text.replace("\n- [CONTRIBUTING.md]", REFERENCE + "- [CONTRIBUTING.md]")
            if REFERENCE not in text:
                sys.exit("README.md: no place for the link to the reference")
        target.write_text(text)
    shutil.copytree("docs/images", folder / "docs/images")
    for extra in [*pathlib.Path("docs").glob("*.json"), "docs/site.css"]:
        shutil.copy(extra, folder / "docs")


class Links(html.parser.HTMLParser):
    """What a page refers to, and its anchors."""

    def __init__(self):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.anchors.update(v for v in (a.get("id"), a.get("name")) if v)
        if tag == "a" and a.get("href"):
            self.links.append(a["href"])
        elif tag == "link" and a.get("href") and a.get("rel") != "canonical":
            self.loads.append(a["href"])
        elif a.get("src"):
            self.loads.append(a["src"])


def read(path):
    page = Links()
    page.feed(path.read_text(errors="replace"))
    return page


def check(folder):
    pages = {p.resolve(): read(p) for p in sorted(folder.rglob("*.html"))}
    faults, count = [], 0
    for path, page in pages.items():
        for target in page.links + page.loads:
            split = urllib.parse.urlsplit(target)
            if split.scheme or split.netloc:
                if target in page.loads and split.scheme not in ("data", "javascript"):
                    faults.append(f"{path}: loads {target}, from outside of the folder")
                continue
            count += 1
            other = (path.parent / urllib.parse.unquote(split.path)).resolve() if split.path else path
            other = other / "index.html" if other.is_dir() else other
            if folder.resolve() not in other.parents or not other.is_file():
                faults.append(f"{path}: {target} leads nowhere")
            elif split.fragment and other in pages:
                if urllib.parse.unquote(split.fragment) not in pages[other].anchors:
                    faults.append(f"{path}: {target} has no such place")
    print("\n".join(faults[:50]))
    print(f"{len(pages)} pages, {count} links, {len(faults)} faults")
    return 1 if faults or len(pages) < 20 else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("make", "check"):
        sys.exit(__doc__)
    sys.exit({"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2])))
