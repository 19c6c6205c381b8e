"""The client settings of a performance test, and its librdkafka clients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pykafka_ops.commands.console.errors import ignored
from pykafka_ops.commands.console.rdkafka import client, librdkafka, one_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.perf.failures import ARGUMENT, PerfError
from pykafka_ops.errors import UsageError

PRODUCER = {
    "acks": "all", "linger.ms": "5", "batch.size": "16384", "buffer.memory": "33554432",
    "delivery.timeout.ms": "120000", "max.request.size": "1048576",
}  # fmt: skip
"""Kafka's defaults, where librdkafka has others."""
ACKS = ("all", "-1", "0", "1")


def settings_of(
    run: Run, files: Sequence[str], pairs: Sequence[str], defaults: Mapping[str, str]
) -> dict[str, str]:
    """All settings, strongest last: ``defaults``, profile and --command-config, the options
    ``files`` and ``pairs``, --bootstrap-server and -X. UsageError, PerfError."""
    from pykafka_ops.client.completed import completed
    from pykafka_ops.commands.framework.profile import gathered, read_properties

    args = run.args
    base = gathered(args, run.profile, run.env)
    given: dict[str, str] = {}
    for option in files:
        path = args.text(option) if args.has(option) else None
        if path:
            given.update(read_properties(path))
    for option in pairs:
        for text in args.given(option):
            key, equals, value = text.partition("=")
            if not equals and "producer-props" in pairs:
                raise PerfError(f"Invalid property: {text}", ARGUMENT)
            given[key] = value
    strong = {pair.partition("=")[0].strip() for pair in args.texts("setting")}
    if args.has("bootstrap-server"):
        strong.add("bootstrap.servers")
    merged = {**defaults, **base, **given, **{k: base[k] for k in strong if k in base}}
    if not merged.get("bootstrap.servers"):
        raise UsageError(
            "which cluster? give -b HOST:PORT, set PKO_BOOTSTRAP_SERVER or make a profile"
        )
    return completed(merged, run.env)


def producer(run: Run, settings: dict[str, str], more: Mapping[str, object]) -> Any:
    """A librdkafka producer with Kafka's defaults. ClientConfigError."""
    if "transactional.id" in settings and "delivery.timeout.ms" not in settings:
        settings["delivery.timeout.ms"] = settings.get("transaction.timeout.ms", "60000")
    settings = {**PRODUCER, **settings}
    one_of("acks", settings["acks"], ACKS)
    safe = settings["acks"] in ("all", "-1") and settings.get("retries") != "0"
    settings.setdefault("enable.idempotence", "true" if safe else "false")
    config = {**librdkafka(settings, consumer=False), "queue.buffering.max.messages": 0, **more}
    return client("Producer", config, debug=run.debug, warn=_warn(run, "Producer"))


def consumer(run: Run, settings: dict[str, str], more: Mapping[str, object]) -> Any:
    """A librdkafka consumer. ClientConfigError."""
    config = {"fetch.queue.backoff.ms": "10", **librdkafka(settings, consumer=True), **more}
    return client("Consumer", config, debug=run.debug, warn=_warn(run, "Consumer"))


def _warn(run: Run, kind: str) -> Any:
    return ignored(kind, flags=run.args.flags)


def must_exist(run: Run, topic: str) -> None:
    """Pko's form: KafkaError, ConnectError where topic or cluster is not there."""
    from pykafka_ops.analysis.near import did_you_mean
    from pykafka_ops.client.topics import all_topics
    from pykafka_ops.errors import KafkaError
    from pykafka_ops.wire.codes import ErrorCode

    names = [found.name for found in all_topics(run.cluster())]
    if topic not in names:
        near = did_you_mean(topic, names)
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {topic}{near}")
