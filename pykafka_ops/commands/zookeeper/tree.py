"""``pko zookeeper tree|check``: many znodes, decoded."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.decode import Decoded, decode, plain, summary
from pykafka_ops.commands.zookeeper.listing import no_znode, path_of
from pykafka_ops.commands.zookeeper.session import Reader, Znode, reader
from pykafka_ops.errors import UsageError

WIDTH = 100
"""Characters of data that ``-o table`` shows."""
COLUMNS = (
    Column("znode"),
    Column("path", wide=True),
    Column("kind", optional=True),
    Column("version", right=True, wide=True),
    Column("ephemeral", optional=True),
    Column("data"),
    Column("problem", optional=True, bad=bool),
)
Row = dict[str, object]


def by_number(path: str) -> tuple[bool, int, str]:
    """Partition 2 before partition 10."""
    name = path.rpartition("/")[2]
    number = name.isascii() and name.isdigit()
    return not number, int(name[:18]) if number else 0, name


def walk(
    session: Reader,
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


def tree(run: Run) -> Table:
    """The znode and all below it, or ``--depth`` levels of it."""
    top = path_of(run.args.text("path"))
    depth = run.args.number("depth")
    if depth is not None and depth < 0:
        raise UsageError(f"--depth {depth}: how many levels, 0 or more")
    with reader(run) as session:
        found = list(walk(session, top, depth, by_number))
    return _table(run, "znode-tree", top, found, indented=True)


def check(run: Run) -> Table:
    """The znodes that a broker could not read; exit code 4 where there are any."""
    top = path_of(run.args.text("path"))
    with reader(run) as session:
        found = list(walk(session, top, order=by_number))
    bad = [znode for znode in found if decode(znode).problem]
    table = _table(run, "bad-znodes", top, bad, indented=False)
    table.notes = (f"{len(found)} znodes read, {len(bad)} bad",)
    table.exit_code = 4 if bad else 0
    return table


def _table(run: Run, kind: str, top: str, found: list[Znode], *, indented: bool) -> Table:
    rows: list[Row] = []
    items: list[Row] = []
    for znode in found:
        decoded = decode(znode)
        rows.append(_row(run, top, znode, decoded, indented=indented))
        items.append(item(znode, decoded))
    return Table(kind, COLUMNS, rows, items=items, name="path")


def _row(run: Run, top: str, znode: Znode, decoded: Decoded, *, indented: bool) -> Row:
    text = summary(decoded.value)
    if text is not None and run.output == "table" and len(text) > WIDTH:
        text = f"{text[: WIDTH - 3]}..."
    return {
        "znode": _indented(top, znode.path) if indented else plain(znode.path),
        "path": znode.path,
        "kind": decoded.kind or None,
        "version": znode.stat.version if znode.stat else None,
        "ephemeral": bool(znode.stat and znode.stat.owner),
        "data": text,
        "problem": decoded.problem or None,
    }


def _indented(top: str, path: str) -> str:
    if path == top:
        return plain(path)
    inside = path[len(top.rstrip("/")) + 1 :].split("/")
    return "  " * len(inside) + plain(inside[-1])


def item(znode: Znode, decoded: Decoded) -> Row:
    """As JSON shows a znode."""
    return {
        "path": znode.path,
        "kind": decoded.kind or None,
        "value": decoded.value,
        "problem": decoded.problem or None,
        "stat": znode.stat._asdict() if znode.stat else None,
    }
