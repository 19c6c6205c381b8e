"""``pko top``: checks, then the screen until it is left."""

from __future__ import annotations

import logging
import sys
from importlib.util import find_spec

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError

LEAST_MS = 500
"""No cluster is asked more often."""


def top(run: Run) -> int:
    """Until it is left; 0. Raises UsageError."""
    if find_spec("textual") is None:
        raise UsageError("pko top needs textual: pip install 'pykafka-ops[top]'")
    args = run.args
    every = args.span("every") or 0
    if every < LEAST_MS:
        raise UsageError(f"--every {args.text('every')}: 500ms at least")
    if args.has("group") and args.has("topic"):
        raise UsageError("begin with --group or --topic, not both")
    run.cluster()  # says what is wrong with the settings before the screen is taken
    if not all(f.isatty() for f in (sys.stdin, sys.stdout, sys.stderr)):  # it draws on stderr
        raise UsageError("pko top needs a terminal; pko cluster status and pko groups lag do not")
    return _shown(run, every)


def _shown(run: Run, every: int) -> int:
    from pykafka_ops.commands.top.desk import ActionDesk
    from pykafka_ops.top.screen.app import TopApp
    from pykafka_ops.top.source import DirectSource
    from pykafka_ops.top.table import ViewPlace

    logger = logging.getLogger("pko.monitor")  # the screen tells it
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    properties = run.properties()
    servers = properties["bootstrap.servers"]
    source = DirectSource(servers, properties, poll_ms=every, command=_same_cluster(run, servers))
    desk = ActionDesk(run) if run.args.has("actions") else None
    start = None
    for view in ("group", "topic"):
        if run.args.has(view):
            start = ViewPlace(view, run.args.text(view) or "")
    return TopApp(source, desk, start).run() or 0


def _same_cluster(run: Run, servers: str) -> list[str]:
    """Words that lead another command to the same cluster; settings of -X are left to the reader,
    as they may be secret."""
    words = ["-b", servers]
    for name in ("profile", "command-config"):
        if run.args.has(name):
            words += [f"--{name}", run.args.text(name) or ""]
    return words
