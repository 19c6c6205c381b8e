"""Which book, which topics, where a tier's records are."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from pykafka_ops.audit.book import AuditBook
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.audit.source import PartitionSource
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import ItemError
from pykafka_ops.commands.framework.profile import load_profile, of_profile
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import missing_topic, missing_topics, pattern
from pykafka_ops.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.client.cluster import Cluster

_INTERNAL = re.compile(r"__.*|.*[.-]internal")


def now_ms() -> int:
    """Now, in ms since 1970."""
    return time.time_ns() // 1_000_000


def book_path(run: Run) -> str:
    """``--book``, else the usual file of this user."""
    given = run.args.text("book")
    if given:
        return given
    base = run.env.get("XDG_DATA_HOME") or "~/.local/share"
    return os.path.expanduser(f"{base}/pko/audit.db")


def open_audit_book(run: Run, *, must_exist: bool = False) -> AuditBook:
    """The file of books. Raises UsageError, StorageError."""
    return AuditBook(book_path(run), must_exist=must_exist)


def wanted_topics(args: Args) -> Callable[[str], bool]:
    """``--topic`` and ``--regex``; all but internal ones where none are named."""
    names = args.names("topic") if not args.has("regex") else args.texts("topic")
    if not names:
        return lambda name: not _INTERNAL.fullmatch(name)
    if args.has("regex"):
        patterns = [pattern(name) for name in names]
        return lambda name: any(one.fullmatch(name) for one in patterns)
    known = set(names)
    return lambda name: name in known


def absent_topics(run: Run, place: Mapping[str, object], there: Collection[str]) -> list[ItemError]:
    """An error for each topic that was named and is not there."""
    words = run.args.texts("topic")
    if run.args.has("regex"):
        found = [word for word in words if not any(pattern(word).fullmatch(t) for t in there)]
        return [ItemError(w, "UNKNOWN_TOPIC_OR_PARTITION", "no topic matches") for w in found]
    missing = [name for name in run.args.names("topic") if name not in there]
    if "directories" in place:
        return [missing_topic(name, there) for name in missing]
    return missing_topics(run.cluster(), missing, there)


def compacted_topics(text: str | None) -> Callable[[str], bool]:
    """``--compacted``."""
    if text is None:
        return lambda name: False
    one = pattern(text)
    return lambda name: one.fullmatch(name) is not None


def place_of_tier(run: Run, option: str = "from") -> dict[str, object]:
    """What is remembered of where a tier is: the directories of an option, or a cluster; no
    secret."""
    args = run.args
    kept: dict[str, object] = {}
    if args.has("compacted"):
        kept["compacted"] = args.text("compacted")
    paths = args.names(option) if option != "from" else args.texts(option)
    if paths:
        return {**kept, "directories": [_whole(path) for path in paths]}
    servers = run.properties().get("bootstrap.servers", "")
    if not servers:
        raise UsageError("count what? name log directories, or a cluster with -b HOST:PORT")
    kept["bootstrap"] = servers
    file = args.text("command-config") or run.env.get("PKO_COMMAND_CONFIG")
    if file:
        kept["command_config"] = str(Path(file).expanduser().absolute())
    profile = args.text("profile") or run.env.get("PKO_PROFILE")
    if profile:
        kept["profile"] = profile
    return kept


def _whole(path: str) -> str:
    return path if "://" in path else str(Path(path).expanduser().absolute())


class Opened:
    """Opens tiers' sources, and closes their connections."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._clusters: list[Cluster] = []

    def here(self, place: Mapping[str, object]) -> PartitionSource:
        """The source that this command line names. Raises UsageError."""
        if "directories" in place:
            return self.source(place)
        return self._of(self._run.cluster(), place)

    def source(self, place: Mapping[str, object]) -> PartitionSource:
        """The source of what ``place_of_tier`` remembers. Raises UsageError."""
        compacted = compacted_topics(_text(place, "compacted"))
        paths = place.get("directories")
        if isinstance(paths, list):
            return AuditedFiles([str(path) for path in paths], now_ms, compacted)
        return self._of(self._cluster(place), place)

    @staticmethod
    def _of(cluster: Cluster, place: Mapping[str, object]) -> PartitionSource:
        from pykafka_ops.audit.cluster import AuditedCluster

        return AuditedCluster(cluster, now_ms, compacted_topics(_text(place, "compacted")))

    def _cluster(self, place: Mapping[str, object]) -> Cluster:
        from pykafka_ops.client.cluster import Cluster
        from pykafka_ops.client.completed import completed
        from pykafka_ops.client.config import ClientConfig

        own = self._run.args.text("command-config")
        name, file = _text(place, "profile"), own or _text(place, "command_config") or ""
        servers = _text(place, "bootstrap") or ""
        profile = load_profile(name, self._run.env) if name else self._run.profile
        if name or profile.get("bootstrap-server") == servers:
            file = file or str(profile.get("command-config") or "")
        else:
            profile = {}
        given = of_profile(profile, self._run.env, file)
        given.update(self._run.args.pairs("setting"))
        given["bootstrap.servers"] = servers
        given = completed(given, self._run.env)
        cluster = Cluster(ClientConfig.of(given))
        self._clusters.append(cluster)
        return cluster

    def close(self) -> None:
        """Close the connections."""
        for cluster in self._clusters:
            cluster.close()


def _text(place: Mapping[str, object], key: str) -> str | None:
    value = place.get(key)
    return None if value is None else str(value)
