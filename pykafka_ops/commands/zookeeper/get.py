"""``pko zookeeper get``: one znode, decoded or raw, once or whenever it changes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run, show
from pykafka_ops.commands.zookeeper.decode import decode, plain, summary
from pykafka_ops.commands.zookeeper.rows import item
from pykafka_ops.commands.zookeeper.session import ZnodeSession, connected, lost, reader
from pykafka_ops.commands.zookeeper.znodes import Znode, ZnodeStat, no_znode, path_of
from pykafka_ops.errors import ConnectError, UsageError

COLUMNS = (Column("field"), Column("value", bad=lambda value: False))
Row = dict[str, object]


def get(run: Run) -> Table | int:
    """The znode's data field by field, its stat with ``--stat``; exit code 4 where it is bad."""
    args = run.args
    path = path_of(args.text("path"))
    if args.has("raw") and args.has("stat"):
        raise UsageError("--raw shows the data alone, without --stat")
    if args.has("acl") and (args.has("raw") or args.has("watch") or args.has("store")):
        raise UsageError("--acl goes with --zookeeper, without --raw and --watch")
    if args.has("watch"):
        if args.has("store"):
            raise UsageError("--watch goes with --zookeeper, not with --store")
        with connected(run) as session:
            return _watch(run, session, path)
    with reader(run) as source:
        znode = source.read([path])[0]
        if znode is None:
            raise no_znode(path)
        acl = source.acl(path) if args.has("acl") and isinstance(source, ZnodeSession) else None
    return _shown(run, znode, acl)


def _shown(run: Run, znode: Znode, acl: list[str] | None = None) -> Table | int:
    if run.args.has("raw"):
        if znode.stat is None:
            raise UsageError(f"{znode.path}: {znode.refused}")
        sys.stdout.flush()
        sys.stdout.buffer.write(znode.data or b"")
        sys.stdout.buffer.flush()
        return 0
    decoded = decode(znode)
    rows: list[Row] = [{"field": "path", "value": plain(znode.path)}]
    if decoded.kind:
        rows.append({"field": "kind", "value": decoded.kind})
    if isinstance(decoded.value, Mapping):
        rows += [{"field": plain(k), "value": _text(k, v)} for k, v in decoded.value.items()]
    else:
        rows.append({"field": "data", "value": summary(decoded.value)})
    if decoded.problem:
        rows.append({"field": "problem", "value": decoded.problem})
    if run.args.has("stat") and znode.stat:
        rows += [{"field": name, "value": text} for name, text in stat_lines(znode.stat)]
    rows += [{"field": "acl", "value": text} for text in acl or ()]
    return Table("znode", COLUMNS, rows, items=[{**item(znode, decoded), "acl": acl}],
                 exit_code=4 if decoded.problem else 0)  # fmt: skip


def _text(name: str, value: object) -> str | None:
    text = summary(value)
    if name == "timestamp" and text is not None and text.isdigit() and len(text) < 15:
        return f"{text} ({_moment(int(text))})"
    return text


def _moment(ms: int) -> str:
    """To the second; the number itself where no calendar reaches."""
    text = moment_text(ms)
    return f"{text[:-5]}Z" if text.endswith("Z") else text


def stat_lines(stat: ZnodeStat) -> list[tuple[str, str]]:
    """The names of zookeeper-shell, times in UTC."""
    return [
        ("cZxid", hex(stat.czxid)), ("ctime", _moment(stat.ctime)),
        ("mZxid", hex(stat.mzxid)), ("mtime", _moment(stat.mtime)),
        ("pZxid", hex(stat.pzxid)), ("cversion", str(stat.cversion)),
        ("dataVersion", str(stat.version)), ("aclVersion", str(stat.aversion)),
        ("ephemeralOwner", hex(stat.owner)), ("dataLength", str(stat.length)),
        ("numChildren", str(stat.children)),
    ]  # fmt: skip


def _watch(run: Run, session: ZnodeSession, path: str) -> int:
    """Show it now and after each change, until Ctrl-C; a znode that is missing is waited for."""
    from kazoo.exceptions import KazooException

    first = True
    try:
        while True:
            changed = threading.Event()
            try:
                session.client.exists(path, watch=lambda _, event=changed: event.set())
            except KazooException as error:
                raise lost(error) from None
            znode = session.read([path])[0]
            if znode is None:
                run.note(f"{path}: {'not there yet' if first else 'gone'}")
            else:
                result = _shown(run, znode)
                if isinstance(result, Table):
                    show(result, run, run.output)
                sys.stdout.flush()
            first = False
            while not changed.wait(0.2):
                if not session.client.connected:
                    raise ConnectError("the connection to ZooKeeper was lost")
    except KeyboardInterrupt:
        return 0
