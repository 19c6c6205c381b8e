"""Connections, requests that wait, fetch sessions, memory (``socket-server-metrics``)."""

from __future__ import annotations

from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.metrics.family import Book, Labels

_PURGATORY = "kafka.server:DelayedOperationPurgatory:PurgatorySize"


def tell(parts: Parts, book: Book) -> None:
    """What stands at this moment."""
    server = parts.server
    connections = book.bean("kafka.server:socket-server-metrics::connection-count", "Connections")
    for listener, count in server.connections_by_listener().items():
        connections.add(count, Labels(listener=listener, networkProcessor=0))
    waiting = book.bean(_PURGATORY, "Requests that wait for replicas, records or members")
    replicas = parts.replicas
    waiting.add(len(replicas.produces), Labels(delayedOperation="Produce"))
    waiting.add(len(replicas.fetches), Labels(delayedOperation="Fetch"))
    waiting.add(len(replicas.deletes), Labels(delayedOperation="DeleteRecords"))
    book.bean("kafka.server:FetchSessionCache:NumIncrementalFetchSessions", "Fetch sessions").add(
        len(parts.services.fetches.sessions)
    )
    memory = parts.memory
    book.bean(
        "kafka.network:SocketServer:MemoryPoolUsed",
        "Bytes of queued.max.request.bytes that are in use",
    ).add(memory.limit - memory.for_requests)
    book.bean(
        "kafka.network:SocketServer:MemoryPoolAvailable",
        "Bytes of queued.max.request.bytes that are free",
    ).add(memory.for_requests)
    held = book.plain("pko_broker_memory_held_bytes", "Bytes that clients make the broker hold")
    for name in ("state", "answers", "producers", "copies"):
        held.add(getattr(memory, name).held, Labels(account=name))
