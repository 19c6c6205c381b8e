"""Producers that publish what they have sent: records counted by topic and time, for a report of
what was produced against what is there.

``AuditedProducer`` wraps a producer of confluent-kafka, kafka-python or aiokafka-like shape;
``AuditCounter`` is told of each record by a call. Both add up records and bytes by topic and time
bucket, and publish the sums to an audit topic, with the fields of LinkedIn's and Uber's audits
(``audit_message``). Standard library only; safe with threads.

Each message has a uuid. A message that is delivered twice, since an answer was lost, counts once.
A process that starts anew publishes under other uuids what it has sent since: each message stands
for records of its own, and sums are added. So nothing is counted twice, and what a process had not
published when it was killed is missing: publish often.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any, Final

WIDTH_MS: Final = 600_000
"""Length of a bucket: 10 minutes."""
AUDIT_TOPIC: Final = "pko.audit"

Publish = Callable[[bytes], None]
"""Sends the value of an audit message; raises where that fails."""


class _Sum:
    """Records and bytes of one topic and bucket since the last message."""

    __slots__ = ("bytes", "records")

    def __init__(self) -> None:
        self.records = self.bytes = 0


class AuditCounter:
    """Counts records by a call for each, and publishes the sums.

    ``publish`` sends one message; :meth:`flush` calls it, and so does :meth:`count` once
    ``every`` seconds have passed. ``tier`` is what this side of the books is called.
    """

    def __init__(
        self,
        publish: Publish,
        *,
        application: str,
        tier: str = "producer",
        host: str | None = None,
        width_ms: int = WIDTH_MS,
        every: float = 60.0,
    ) -> None:
        """Raises ValueError for a width or interval that is not above 0."""
        if width_ms <= 0 or every <= 0:
            raise ValueError("width_ms and every must be above 0")
        self._publish, self._application, self._tier = publish, application, tier
        self._host = host if host is not None else socket.gethostname()
        self._width, self._every = width_ms, every
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._sums: dict[tuple[str, int], _Sum] = {}
        self._unsent: list[bytes] = []
        self._due = time.monotonic() + every

    def count(
        self,
        topic: str,
        *,
        key: bytes | str | None = None,
        value: bytes | str | None = None,
        size: int | None = None,
        timestamp_ms: int | None = None,
    ) -> None:
        """Count a record that was sent. ``size``: its bytes, where key and value are not given;
        ``timestamp_ms``: its own timestamp, by default now.

        Raises what ``publish`` raises; what could not be published is kept for the next time.
        """
        self.add(topic, _bytes(key) + _bytes(value) if size is None else size, timestamp_ms)
        self.flush_if_due()

    def add(self, topic: str, size: int, timestamp_ms: int | None = None) -> None:
        """Count a record, and publish nothing: for callbacks that may not wait."""
        at = time.time_ns() // 1_000_000 if timestamp_ms is None else timestamp_ms
        bucket = at - at % self._width
        with self._lock:
            found = self._sums.get((topic, bucket))
            if found is None:
                found = self._sums[topic, bucket] = _Sum()
            found.records += 1
            found.bytes += size

    def flush_if_due(self) -> None:
        """Publish what was counted, if it is time. Raises what ``publish`` raises."""
        if time.monotonic() >= self._due:
            self.flush()

    def flush(self) -> None:
        """Publish all that was counted. Raises what ``publish`` raises: what was not sent is sent
        by the next call, under the same uuid."""
        with self._sending:
            with self._lock:
                sums, self._sums = self._sums, {}
                self._due = time.monotonic() + self._every
                self._unsent += [self._message(*place, one) for place, one in sums.items()]
            while message := self._next():
                try:
                    self._publish(message)
                except BaseException:
                    self.again(message)
                    raise

    def again(self, message: bytes) -> None:
        """A message that was not delivered: it goes out by the next ``flush``, as it is."""
        with self._lock:
            self._unsent.append(message)

    def _next(self) -> bytes | None:
        with self._lock:
            return self._unsent.pop(0) if self._unsent else None

    def close(self) -> None:
        """Publish the rest."""
        self.flush()

    def __enter__(self) -> AuditCounter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _message(self, topic: str, bucket: int, one: _Sum) -> bytes:
        return audit_message(
            topic=topic,
            tier=self._tier,
            bucket_start=bucket,
            bucket_end=bucket + self._width,
            host=self._host,
            application=self._application,
            count=one.records,
            bytes=one.bytes,
        )


def audit_message(**fields: Any) -> bytes:
    """An audit message: JSON with ``time`` (ms), ``topic``, ``tier``, ``bucket_start`` and
    ``bucket_end`` (ms), ``host``, ``application``, ``count``, ``bytes``, a ``uuid``, and what else
    is given (``checksum``: hex of 64 bits)."""
    whole = {
        "version": 1,
        "time": time.time_ns() // 1_000_000,
        "uuid": str(uuid.UUID(bytes=os.urandom(16), version=4)),
        **fields,
    }
    return json.dumps(whole, separators=(",", ":")).encode()


class AuditedProducer:
    """A producer whose records are counted once they are acknowledged; all else is the producer's.

    Of confluent-kafka (``produce``, with a delivery report) and kafka-python (``send``, with a
    future): records that fail do not count. The audit messages go to ``audit_topic`` through the
    same producer.
    """

    def __init__(
        self,
        producer: Any,
        *,
        application: str,
        audit_topic: str = AUDIT_TOPIC,
        tier: str = "producer",
        width_ms: int = WIDTH_MS,
        every: float = 60.0,
    ) -> None:
        """Raises TypeError for a producer of another kind."""
        self._producer, self._audit_topic = producer, audit_topic
        if not hasattr(producer, "produce") and not hasattr(producer, "send"):
            raise TypeError("a producer has produce() or send(); use AuditCounter with any other")
        self.audit = AuditCounter(
            self._send_audit, application=application, tier=tier, width_ms=width_ms, every=every
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._producer, name)

    def __enter__(self) -> AuditedProducer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def produce(
        self, topic: str, value: Any = None, key: Any = None, *args: Any, **more: Any
    ) -> None:
        """As ``produce`` of confluent-kafka."""
        reported = more.pop("on_delivery", None) or more.pop("callback", None)
        size = _bytes(key) + _bytes(value)

        def delivered(error: Any, message: Any) -> None:
            if error is None:
                at = message.timestamp()[1]
                self.audit.add(topic, size, at if at > 0 else None)
            if reported is not None:
                reported(error, message)

        self._producer.produce(topic, value, key, *args, on_delivery=delivered, **more)
        self._publish_if_due()

    def send(self, topic: str, value: Any = None, key: Any = None, **more: Any) -> Any:
        """As ``send`` of kafka-python; the size of a record is that of its serialized bytes."""
        future = self._producer.send(topic, value=value, key=key, **more)

        def delivered(found: Any) -> None:
            sizes = (found.serialized_key_size, found.serialized_value_size)
            size = sum(each for each in sizes if each and each > 0)
            self.audit.add(topic, size, found.timestamp)

        future.add_callback(delivered)
        self._publish_if_due()
        return future

    def flush(self, *args: Any, **more: Any) -> Any:
        """As the producer's, and the audit messages with it."""
        self._producer.flush(*args, **more)
        self.audit.flush()
        return self._producer.flush(*args, **more)

    def close(self, *args: Any, **more: Any) -> None:
        """Send all there is, and close the producer."""
        self.flush()
        close = getattr(self._producer, "close", None)
        if close is not None:
            close(*args, **more)

    def _publish_if_due(self) -> None:
        """What cannot be published now is told by the next ``flush``, not by a record's call."""
        with contextlib.suppress(Exception):
            self.audit.flush_if_due()

    def _send_audit(self, message: bytes) -> None:
        if hasattr(self._producer, "produce"):

            def reported(error: Any, _: Any) -> None:
                if error is not None:
                    self.audit.again(message)

            self._producer.produce(self._audit_topic, message, on_delivery=reported)
            return
        future = self._producer.send(self._audit_topic, value=message)
        future.add_errback(lambda _: self.audit.again(message))


def _bytes(content: bytes | str | None) -> int:
    if content is None:
        return 0
    return len(content) if isinstance(content, (bytes, bytearray)) else len(str(content).encode())
