"""``pko top``: checks, then the screen until it is left."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.client.failure_text import cause_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.top.source import Source

LEAST_MS = 500
"""No cluster is asked more often."""
LOOK_SECONDS = 1.0
"""How long a broker may be silent before the screen is taken."""
TOKEN = "PKO_MONITOR_TOKEN"


def top(run: Run) -> int:
    """Until it is left; 0. Raises UsageError."""
    for library in ("textual", "msgspec"):
        if find_spec(library) is None:
            raise UsageError(f"pko top needs {library}: pip install 'pykafka-ops[top]'")
    args = run.args
    every = args.span("every") or 0
    if every < LEAST_MS:
        raise UsageError(f"--every {args.text('every')}: 500ms at least")
    if args.has("group") and args.has("topic"):
        raise UsageError("begin with --group or --topic, not both")
    source = _of_monitor(run, every) if args.has("monitor") else _of_brokers(run, every)
    if not all(f.isatty() for f in (sys.stdin, sys.stdout, sys.stderr)):  # it draws on stderr
        raise UsageError("pko top needs a terminal; pko cluster status and pko groups lag do not")
    return _shown(run, source)


def _of_brokers(run: Run, every: int) -> Source:
    from pykafka_ops.top.source import DirectSource

    for name in ("cluster", "token-file"):
        if run.args.has(name):
            raise UsageError(f"--{name} is for --monitor: a cluster itself is found by -b")
    run.cluster()  # says what is wrong with the settings before the screen is taken
    properties = run.properties()
    _look_first(properties)
    servers = properties["bootstrap.servers"]
    return DirectSource(servers, properties, poll_ms=every, command=_same_cluster(run, servers))


def _look_first(properties: Mapping[str, str]) -> None:
    """Raises for what keeps us outside for good; all else the screen shows, and asks again."""
    from pykafka_ops.client.cluster import Cluster
    from pykafka_ops.client.config import ClientConfig
    from pykafka_ops.client.connection import WrongProtocolError
    from pykafka_ops.commands.framework.failures import security_class

    config = ClientConfig.of(properties)
    config.patience, config.silence = 0.0, min(LOOK_SECONDS, config.silence)
    cluster = Cluster(config)
    try:
        cluster.brokers()
    except PkoError as error:
        cause = cause_of(error)
        if security_class(cause) or isinstance(cause, WrongProtocolError):
            raise
    finally:
        cluster.close()


def _of_monitor(run: Run, every: int) -> Source:
    """The monitor's cluster; brokers are asked for records and actions, where -b or a profile says
    how. Raises UsageError, ConnectError."""
    from pykafka_ops.top.monitor_api import MonitorApi
    from pykafka_ops.top.remote import MonitorSource
    from pykafka_ops.top.source import BrokerRecords

    properties = run.properties()
    servers = properties.get("bootstrap.servers")
    if run.args.has("actions") and not servers:
        raise UsageError("--actions changes the cluster itself: say with -b where its brokers are")
    api = MonitorApi(run.args.text("monitor") or "", _token(run))
    cluster = _chosen(api.clusters(), run.args.text("cluster"))
    return MonitorSource(
        api,
        cluster,
        look_ms=every,
        command=_same_cluster(run, servers) if servers else [],
        reader=BrokerRecords(properties) if servers else None,
    )


def _token(run: Run) -> str:
    """What the monitor knows the reader by, "" for nothing. UsageError."""
    path = run.args.text("token-file")
    token = run.env.get(TOKEN, "")
    if path is not None:
        try:
            token = Path(path).expanduser().read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "it is no text"
            raise UsageError(f"--token-file {path}: {why}") from None
    token = token.strip()
    if not (token.isascii() and token.isprintable()):
        raise UsageError("the token of the monitor has characters that no token has")
    return token


def _chosen(clusters: Sequence[str], wanted: str | None) -> str:
    """The cluster asked for, or the only one. UsageError."""
    if wanted is None and len(clusters) == 1:
        return clusters[0]
    if wanted in clusters and wanted is not None:
        return wanted
    if wanted is None:
        raise UsageError(f"--cluster: the monitor watches {', '.join(clusters)}: which one?")
    raise UsageError(f"--cluster: there is no {wanted}{did_you_mean(wanted, clusters)}")


def _shown(run: Run, source: Source) -> int:
    from pykafka_ops.commands.top.desk import ActionDesk
    from pykafka_ops.top.screen.app import TopApp
    from pykafka_ops.top.table import ViewPlace

    logger = logging.getLogger("pko.monitor")  # the screen shows it
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
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
