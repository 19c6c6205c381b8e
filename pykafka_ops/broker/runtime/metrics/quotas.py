"""The use of quotas by clients (``type=Produce``, ``Fetch`` and ``Request``)."""

from __future__ import annotations

from pykafka_ops.broker.metadata.znodes.config import sanitize
from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.state.steps import STEP, Steps
from pykafka_ops.metrics.family import Book, Labels

MOST = 1_000
"""Clients reported for each quota; Kafka has a bean for every client."""


def collect(parts: Parts, book: Book) -> Steps[None]:
    """Of clients with quotas: bytes per second, and percent of a thread. Users are named as by
    Kafka (``Sanitizer``)."""
    quotas, now = parts.server.dispatch.client_quotas, parts.services.timer()
    rates = book.plain(
        "kafka_server_quota_byte_rate", "Bytes per second of clients with such a quota"
    )
    times = book.plain(
        "kafka_server_quota_request_time", "Percent of a thread, of clients with such a quota"
    )
    pauses = book.plain(
        "kafka_server_quota_throttle_time", "How long clients with quotas are throttled, in ms"
    )
    kinds = (("Produce", quotas.produce), ("Fetch", quotas.fetch), ("Request", quotas.request))
    for resource, quota in kinds:
        family = times if resource == "Request" else rates
        for number, ((user, client), rate, limit) in enumerate(quota.measured):
            if number >= MOST:
                break
            if not number % STEP:
                yield None
            of = Labels(resource=resource, user=sanitize(user), clientId=client)
            family.add(round(rate.at(now), 3), of)
            pauses.add(quota.pause_ms(rate, limit, now), of)
