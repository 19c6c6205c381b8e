"""Znodes as commands read them, from ZooKeeper or from the file of a broker without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from pykafka_ops.errors import PkoError, UsageError


class ZnodeStat(NamedTuple):
    """What ZooKeeper knows of a znode; times in ms since 1970, ``owner`` a session id or 0."""

    czxid: int
    mzxid: int
    pzxid: int
    ctime: int
    mtime: int
    version: int
    cversion: int
    aversion: int
    owner: int
    length: int
    children: int


class Znode(NamedTuple):
    """A znode as read; ``data`` is None where nothing was ever set, ``refused`` why it could not
    be read."""

    path: str
    data: bytes | None
    stat: ZnodeStat | None
    refused: str = ""


class ZnodeReader(Protocol):
    """What answers questions about many znodes: a Session, or the file of a broker without."""

    def read(self, paths: Sequence[str]) -> list[Znode | None]:
        """Each znode, None where there is none."""
        ...

    def children(self, paths: Sequence[str]) -> list[list[str] | None]:
        """The names of each one's children, sorted; None where it is gone or must not be seen."""
        ...


def path_of(text: str | None) -> str:
    """The path in ZooKeeper's form; UsageError."""
    path = text or "/"
    if not path.startswith("/"):
        raise UsageError(f"{path}: a path begins with /")
    if "//" in path or "\0" in path or any(p in (".", "..") for p in path.split("/")):
        raise UsageError(f"{path}: no path that ZooKeeper knows")
    return path.rstrip("/") or "/"


def no_znode(path: str) -> PkoError:
    """There is nothing at ``path``."""
    why = ": ZooKeeper has nothing under this chroot" if path == "/" else ""
    return PkoError(f"Node does not exist: {path}{why}")


def by_number(path: str) -> tuple[bool, int, str]:
    """Partition 2 before partition 10."""
    name = path.rpartition("/")[2]
    number = name.isascii() and name.isdigit()
    return not number, int(name[:18]) if number else 0, name


def walk(
    session: ZnodeReader,
    top: str,
    depth: int | None = None,
    order: Callable[[str], tuple[bool, int, str]] | None = None,
) -> Iterator[Znode]:
    """``top`` and what is below, parents first; level by level, many at once.

    Children come by name, or in ``order``, a key of their paths.

    Raises PkoError where there is no ``top``; what vanishes meanwhile is left out.
    """
    found: dict[str, Znode] = {}
    below: dict[str, list[str]] = {}
    level, left = [top], depth
    while level:
        found.update({znode.path: znode for znode in session.read(level) if znode is not None})
        if left is not None and left <= 0:
            break
        parents = [p for p in level if p in found and _may_have_children(found[p])]
        level = []
        for path, names in zip(parents, session.children(parents), strict=True):
            below[path] = [f"{path.rstrip('/')}/{name}" for name in names or ()]
            level += below[path]
        left = None if left is None else left - 1
    if top not in found:
        raise no_znode(top)
    pending = [top]
    while pending:
        path = pending.pop()
        if path in found:
            yield found[path]
            children = below.get(path, [])
            if order is not None:
                children = sorted(children, key=order)
            pending += reversed(children)


def _may_have_children(znode: Znode) -> bool:
    return znode.stat is None or znode.stat.children > 0
