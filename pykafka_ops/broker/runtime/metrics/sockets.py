"""Connections, requests that wait, fetch sessions, memory (``socket-server-metrics``)."""

from __future__ import annotations

from collections import Counter

from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.metrics.family import Book, Labels, MetricKind

_SOCKETS = "kafka.server:socket-server-metrics"
MOST_KINDS = 100
"""Client libraries with the most connections, and how many characters of their names are kept."""
_LOGINS = {
    "failed-authentication-total": ("Logins that failed", "failed"),
    "successful-authentication-total": ("Logins", "succeeded"),
    "failed-reauthentication-total": ("Sessions that were not prolonged", "failed_again"),
    "successful-reauthentication-total": ("Sessions that were prolonged", "succeeded_again"),
    "expired-connections-killed-count": ("Connections whose session had ended", "expired"),
}
_PURGATORY = "kafka.server:DelayedOperationPurgatory:PurgatorySize"


def collect(parts: Parts, book: Book) -> None:
    """Connections, purgatories, fetch sessions and memory at this moment."""
    server = parts.server
    connections = book.bean("kafka.server:socket-server-metrics::connection-count", "Connections")
    for listener, count in server.connections_by_listener().items():
        connections.add(count, Labels(listener=listener, networkProcessor=0))
    _collect_software(parts, book)
    counts = {
        "connection-creation-total": ("Connections since the start", server.made),
        "connection-close-total": ("Connections that have ended", server.ended),
    }
    for name, (what, by_listener) in counts.items():
        family = book.bean(f"{_SOCKETS}::{name}", what, MetricKind.COUNTER)
        for listener in server.connections_by_listener():
            family.add(by_listener[listener], Labels(listener=listener, networkProcessor=0))
    for name, (what, kind) in _LOGINS.items():
        family = book.bean(f"{_SOCKETS}::{name}", what, MetricKind.COUNTER)
        for listener in server.connections_by_listener():
            found = server.login_counts.get(listener)
            number = 0 if found is None else getattr(found, kind)
            family.add(number, Labels(listener=listener, networkProcessor=0))
    waiting = book.bean(_PURGATORY, "Requests that wait for replicas, records or members")
    replicas = parts.replicas
    waiting.add(len(replicas.produces), Labels(delayedOperation="Produce"))
    waiting.add(len(replicas.fetches), Labels(delayedOperation="Fetch"))
    waiting.add(len(replicas.deletes), Labels(delayedOperation="DeleteRecords"))
    sessions = parts.services.fetches.sessions
    cache = "kafka.server:FetchSessionCache"
    book.bean(f"{cache}:NumIncrementalFetchSessions", "Fetch sessions").add(len(sessions))
    book.bean(f"{cache}:NumIncrementalFetchPartitionsCached", "Partitions of fetch sessions").add(
        sum(len(session.partitions) for session in sessions)
    )
    book.bean(
        f"{cache}:IncrementalFetchSessionEvictionsPerSec",
        "Fetch sessions that were evicted for others",
        MetricKind.COUNTER,
    ).add(sessions.evictions)
    memory = parts.memory
    book.bean(
        "kafka.network:SocketServer:MemoryPoolUsed",
        "Bytes of queued.max.request.bytes in use",
    ).add(memory.limit - memory.for_requests)
    book.bean(
        "kafka.network:SocketServer:MemoryPoolAvailable",
        "Free bytes of queued.max.request.bytes",
    ).add(memory.for_requests)
    held = book.plain("pko_broker_memory_held_bytes", "Bytes that clients make the broker hold")
    for name in ("state", "answers", "producers", "copies"):
        held.add(getattr(memory, name).held, Labels(account=name))


def _collect_software(parts: Parts, book: Book) -> None:
    family = book.plain(
        "kafka_server_socket_server_metrics_connections_software",
        "Connections by the library that the client uses",
    )
    kinds: Counter[tuple[str, str, str]] = Counter()
    for kind, number in parts.server.connections_by_software().most_common(MOST_KINDS):
        listener, name, version = kind
        kinds[listener, name[:MOST_KINDS], version[:MOST_KINDS]] += number
    for (listener, name, version), number in kinds.items():
        of = {"clientSoftwareName": name, "clientSoftwareVersion": version, "listener": listener}
        family.add(number, Labels(**of, networkProcessor=0))
