"""Names in the cluster, for the completion of shells: kept for a minute, silent where none come.

They are kept in ``$XDG_CACHE_HOME/pko`` (default ``~/.cache/pko``), a file per cluster and kind.
"""

from __future__ import annotations

import contextlib
import os
import time

import click

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.params import Option, table
from pykafka_ops.commands.framework.run import Run, run_of
from pykafka_ops.errors import PkoError

COMPLETE = "_PKO_COMPLETE"
"""The variable in which the script of a shell says that it wants to complete."""
KEEP_SECONDS = 60
PATIENCE_MS = "2000"


def names(kind: str, ctx: click.Context) -> list[str]:
    """The topics, groups or brokers of the cluster that the unfinished line means, at most a minute
    old; [] where it does not answer."""
    try:
        run = run_of(_args(ctx))
        try:
            return _kept(kind, run)
        finally:
            run.close()
    except PkoError:
        return []


def _args(ctx: click.Context) -> Args:
    """What the line says so far of the cluster; two seconds are enough for it."""
    args = Args(table(p for p in ctx.command.params if isinstance(p, Option)), "", flags=False)
    for option in args.options.values():
        value = ctx.params.get(option.name or "")
        if value and option.value:
            args.values[option.long] = list(value) if isinstance(value, tuple) else [value]
    args.values.setdefault("setting", []).append(f"default.api.timeout.ms={PATIENCE_MS}")
    return args


def _kept(kind: str, run: Run) -> list[str]:
    base = run.env.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    servers = run.properties().get("bootstrap.servers", "")
    path = os.path.join(base, "pko", f"{kind}-{servers.replace('/', '_')}")
    with contextlib.suppress(OSError):
        if time.time() - os.stat(path).st_mtime < KEEP_SECONDS:
            with open(path, encoding="utf-8") as f:
                return f.read().splitlines()
    found = _asked(kind, run)
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(f"{name}\n" for name in found)
    return found


def _asked(kind: str, run: Run) -> list[str]:
    if kind == "brokers":
        return [str(i) for i in sorted(run.cluster().brokers())]
    if kind == "groups":
        from pykafka_ops.client.groups import list_groups

        return sorted(list_groups(run.cluster())[0])
    from pykafka_ops.client.topics import all_topics

    return [t.name for t in all_topics(run.cluster())]
