"""A headless Chromium: what a page becomes in a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
INSTALL = "install Chromium, on Debian: apt-get install chromium"
QUIET = (
    "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--enable-logging=stderr",
)  # fmt: skip
VOID = frozenset({"meta", "link", "br", "hr", "input", "img"})


def find() -> str | None:
    """The browser's path."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def missing() -> str | None:
    """Why tests that need a browser cannot run here, or None when they can."""
    return None if find() else f"no {NAMES[0]} on the PATH: {INSTALL}"


@dataclass
class Node:
    """An element of a page: its name, attributes, and what is in it (elements and text)."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in it."""
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    def all(self, name: str, **attributes: str) -> list[Node]:
        """The elements below with that name and these attributes (``class_``: one of its words)."""
        found = []
        for child in self.children:
            if isinstance(child, Node):
                if child.name == name and all(child.has(k, v) for k, v in attributes.items()):
                    found.append(child)
                found += child.all(name, **attributes)
        return found

    def one(self, name: str, **attributes: str) -> Node:
        """The only such element."""
        found = self.all(name, **attributes)
        assert len(found) == 1, (name, attributes, len(found))
        return found[0]

    def has(self, key: str, value: str) -> bool:
        """Whether an attribute has that value."""
        own = self.attributes.get(key.rstrip("_").replace("_", "-"), "")
        return value in own.split() if key == "class_" else own == value


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Node("document")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {k: v or "" for k, v in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open[-1].name == tag, f"<{self.open[-1].name}> ends with </{tag}>"
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse(page: str) -> Node:
    """The elements of a page; AssertionError where tags do not match."""
    tree = _Tree()
    tree.feed(page)
    tree.close()
    assert len(tree.open) == 1, f"<{tree.open[-1].name}> is not ended"
    return tree.open[0]


def run(
    page: Path | str, directory: Path, *options: str, width: int = 1280, height: int = 2000
) -> tuple[str, list[str]]:
    """What Chromium prints of a page, a file or an address, and what the page wrote to the
    console."""
    browser = find()
    assert browser is not None, missing()
    profile = directory / f"profile-{len(list(directory.glob('profile-*')))}"
    argv = [
        browser,
        *QUIET,
        f"--user-data-dir={profile}",
        f"--window-size={width},{height}",
        *options,
    ]
    if os.geteuid() == 0:
        argv.append("--no-sandbox")
    address = page if isinstance(page, str) else page.resolve().as_uri()
    done = subprocess.run(
        [*argv, address], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def dom(page: Path | str, directory: Path, *, width: int = 1280) -> tuple[Node, list[str]]:
    """The page's elements after its scripts ran, and what it wrote to the console."""
    printed, console = run(page, directory, "--dump-dom", width=width)
    return parse(printed), console
