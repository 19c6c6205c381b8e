"""Znodes as commands read them, from ZooKeeper or from the file of a broker without one."""

from __future__ import annotations

from collections.abc import Sequence
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
