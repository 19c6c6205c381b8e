"""What everybody on a machine can read of processes, and others of the same user of their
environment: the children of one, and theirs, while something runs."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

POLL_SECONDS = 0.05


class ProcessList:
    """``texts``: words and variables of each process that was there, by its id."""

    def __init__(self, root: int) -> None:
        self.root = root
        self.texts: dict[int, set[str]] = {}

    def look(self) -> None:
        """Add those that are there now."""
        for pid in _below(self.root):
            found = self.texts.setdefault(pid, set())
            for name in ("cmdline", "environ"):
                found.update(_words(Path(f"/proc/{pid}/{name}")))

    def programs(self) -> str:
        """All words, to look for programs in."""
        return " ".join(word for words in self.texts.values() for word in words)

    def holding(self, secrets: Collection[str], *, given: Collection[str] = ()) -> list[str]:
        """Words and variables with one of ``secrets`` in them, but for the variables ``given``,
        which the user has set."""
        return [
            f"{pid}: {word}"
            for pid, words in self.texts.items()
            for word in sorted(words)
            if word.partition("=")[0] not in given and any(secret in word for secret in secrets)
        ]


def _words(path: Path) -> list[str]:
    try:
        return [word for word in path.read_bytes().decode(errors="replace").split("\0") if word]
    except OSError:  # it has ended, or is another user's
        return []


def _below(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and (words := _words(path / "stat")):
            parent = int(words[0].rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(path.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found[1:]


@contextmanager
def watched(root: int) -> Iterator[ProcessList]:
    """Those below ``root`` in the block, looked at again and again."""
    made, done = ProcessList(root), threading.Event()

    def go() -> None:
        while not done.wait(POLL_SECONDS):
            made.look()

    thread = threading.Thread(target=go)
    made.look()
    thread.start()
    try:
        yield made
    finally:
        done.set()
        thread.join()
        made.look()
