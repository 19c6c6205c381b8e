"""A znode and all below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pykafka_ops.commands.zookeeper.znodes import Znode, ZnodeReader, no_znode


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
