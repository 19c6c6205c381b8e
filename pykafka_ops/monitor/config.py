"""``monitor.toml``: which clusters to watch, where to listen, how much to keep.

Pure: bytes in, values out; UsageError with one line that names the table and the key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from pykafka_ops.analysis.moments import span
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.access.settings import KEYS

LISTEN: Final = "127.0.0.1:8000"
POLL_MS: Final = 15_000
LEAST_POLL_MS: Final = 1_000
Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ClusterSection:
    """``[cluster.NAME]``: how to connect; its files and profiles are read later."""

    name: str
    profile: str | None = None
    bootstrap_server: str | None = None
    command_config: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MonitorConfig:
    """The whole file. ``reports``: the directory that ``pko spark ... --history`` keeps runs in;
    ``others`` are tables that other parts of the monitor read."""

    listen: str = LISTEN
    data: str | None = None
    poll_ms: int = POLL_MS
    reports: str | None = None
    clusters: tuple[ClusterSection, ...] = ()
    others: Mapping[str, Any] = field(default_factory=dict)


OTHERS: Final = (
    "alerts", "alert", "notify", "silence", "metrics", "probe", "mask", "decode", "schema-registry",
    "books",
    *KEYS,
)  # fmt: skip
"""Tables that other modules read."""


def parse(data: bytes, source: str) -> MonitorConfig:
    """The file's content; ``source`` is its name in errors. Raises UsageError."""
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{source}: {error}") from None
    read = _Reader(source, "", table)
    clusters = table.get("cluster", {})
    if not isinstance(clusters, dict):
        raise UsageError(f"{source}: write clusters as [cluster.NAME] tables")
    config = MonitorConfig(
        listen=read.value("listen", str, LISTEN),
        data=read.value("data", str, None),
        poll_ms=read.value("poll", _poll, POLL_MS),
        reports=read.value("reports", _directory, None),
        clusters=tuple(_cluster(source, name, one) for name, one in clusters.items()),
        others={name: table[name] for name in OTHERS if name in table},
    )
    read.no_more("cluster", *OTHERS)
    return config


def listen_address(text: str) -> tuple[str, int]:
    """``HOST:PORT``, IPv6 in brackets, port 0 for a free one. UsageError."""
    host, colon, port = text.rpartition(":")
    plain = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not (colon and plain and port.isascii() and port.isdigit() and int(port[:6]) < 65536):
        raise UsageError(f"listen {text!r}: write HOST:PORT, such as {LISTEN}")
    return plain, int(port)


def _cluster(source: str, name: str, table: object) -> ClusterSection:
    if not isinstance(table, dict):
        raise UsageError(f"{source}: cluster.{name}: write it as a [cluster.{name}] table")
    read = _Reader(source, f"[cluster.{name}] ", table)
    found = ClusterSection(
        name,
        read.value("profile", str, None),
        read.value("bootstrap-server", str, None),
        read.value("command-config", str, None),
        read.value("settings", _settings, {}),
    )
    read.no_more()
    if found.profile is None and found.bootstrap_server is None:
        raise UsageError(f"{source}: [cluster.{name}] needs bootstrap-server or profile")
    return found


def _settings(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise TypeError("a table of client settings")
    texts = {True: "true", False: "false"}
    return {k: texts[v] if isinstance(v, bool) else str(v) for k, v in value.items()}


def _directory(value: object) -> str:
    if not isinstance(value, str) or not value or "://" in value:
        raise TypeError("a directory of this machine, that of --history,")
    return value


def _poll(value: object) -> int:
    if isinstance(value, str):
        with suppress(UsageError):
            if (found := span(value)) >= LEAST_POLL_MS:
                return found
    raise TypeError('a span of 1s or more, such as "15s"')


class _Reader:
    """Takes values out of a table, and raises UsageError for wrong ones."""

    def __init__(self, source: str, place: str, table: Table) -> None:
        self._source, self._place, self._table = source, place, table
        self._taken: set[str] = set()

    def value(self, key: str, read: Callable[[Any], Any], otherwise: Any) -> Any:
        """The value of a key, ``otherwise`` where it is not there. UsageError."""
        self._taken.add(key)
        if key not in self._table:
            return otherwise
        value = self._table[key]
        if read is str and not isinstance(value, str):
            raise UsageError(f"{self._source}: {self._place}{key}: a text is expected")
        try:
            return read(value)
        except TypeError as wanted:
            raise UsageError(f"{self._source}: {self._place}{key}: {wanted} is expected") from None

    def no_more(self, *known: str) -> None:
        """Raise UsageError for an unknown key."""
        allowed = [*sorted(self._taken), *known]
        for key in self._table:
            if key not in allowed:
                near = get_close_matches(key, allowed, 1)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(allowed)}"
                raise UsageError(f"{self._source}: {self._place}{key} is not known; {hint}")
