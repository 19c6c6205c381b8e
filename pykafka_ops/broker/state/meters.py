"""What a broker counts from its start on: what topics take in and give out, changes of ISRs
(``BrokerTopicMetrics``, ``ReplicaManager``)."""

from __future__ import annotations

from collections.abc import Iterator

from pykafka_ops.broker.hot.heads import MeterHead

COUNTS = (
    "messages_in",
    "bytes_in",
    "bytes_out",
    "bytes_rejected",
    "produces",
    "fetches",
    "failed_produces",
    "failed_fetches",
    "conversions_out",
)


class TopicMeter(MeterHead):
    """Of one topic. Messages and bytes of records; ``produces`` and ``fetches`` count each
    partition of a request, those that failed are among them, conversions are of fetches."""

    __slots__ = (
        "bytes_out",
        "bytes_rejected",
        "conversions_out",
        "failed_fetches",
        "failed_produces",
        "fetches",
        "replicas",
    )

    def __init__(self) -> None:
        self.messages_in = 0
        self.bytes_in = 0
        self.bytes_out = 0
        self.bytes_rejected = 0
        self.produces = 0
        self.fetches = 0
        self.failed_produces = 0
        self.failed_fetches = 0
        self.conversions_out = 0
        self.replicas = 0
        """How many replicas of the topic are here."""

    def add(self, other: TopicMeter) -> None:
        """Count what another has counted."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Meters:
    """Of all topics that have a replica here; :meth:`total` forgets none.

    ``followers`` counts what followers elsewhere get, ``joining`` what those get that are being
    added; ``bytes_copied`` is copied from leaders elsewhere, ``bytes_moved_here`` of it to replicas
    that are being added here. The others count how often an ISR of a partition led here changed,
    or could not.
    """

    def __init__(self) -> None:
        self._topics: dict[str, TopicMeter] = {}
        self._gone = TopicMeter()
        self.followers = TopicMeter()
        self.joining = TopicMeter()
        self.bytes_copied = 0
        self.bytes_moved_here = 0
        self.isr_shrinks = 0
        self.isr_expands = 0
        self.isr_failures = 0

    def __iter__(self) -> Iterator[tuple[str, TopicMeter]]:
        return iter(list(self._topics.items()))

    def enter(self, topic: str) -> TopicMeter:
        """The meter of a topic that has one more replica here."""
        meter = self._topics.get(topic)
        if meter is None:
            meter = self._topics[topic] = TopicMeter()
        meter.replicas += 1
        return meter

    def leave(self, topic: str) -> None:
        """It has one less; the last takes its meter away."""
        meter = self._topics[topic]
        meter.replicas -= 1
        if not meter.replicas:
            del self._topics[topic]
            self._gone.add(meter)

    def total(self) -> TopicMeter:
        """All topics together, those that are gone, too."""
        total = TopicMeter()
        for meter in (self._gone, *self._topics.values()):
            total.add(meter)
        return total
