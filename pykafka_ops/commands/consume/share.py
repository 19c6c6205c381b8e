"""``pko consume --share`` and kafka-console-share-consumer: records of a share group (KIP-932)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import cast

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.share.consumer import ShareConsumer
from pykafka_ops.client.share.records import SharedRecord
from pykafka_ops.client.share.session import AckType
from pykafka_ops.client.topics import all_topics, describe_topics
from pykafka_ops.commands.console.ending import ending_well
from pykafka_ops.commands.console.errors import log
from pykafka_ops.commands.consume.formatter import Consumed, Formatter
from pykafka_ops.commands.consume.kafka import SERIALIZATION
from pykafka_ops.commands.consume.printing import Printer, formatter_of
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import quiet_pipe, say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import missing_topic
from pykafka_ops.errors import DeserializeError, KafkaError, UsageError
from pykafka_ops.wire.codes import ErrorCode

LOGGER = "org.apache.kafka.tools.consumer.ConsoleShareConsumer"
CALL_SECONDS = 5.0
"""How long one question may take; after that it is asked again."""
WITHOUT = (
    "group", "partition", "offset", "last", "since", "until", "follow", "from-beginning",
    "include", "isolation-level", "key", "key-regex", "value-regex", "header",
)  # fmt: skip
"""What a member of a share group does not choose, or what would let records go unseen."""


def consume_shared(run: Run) -> int:
    """Print records of a share group, in pko's form; the exit code."""
    args = run.args
    if not args.has("share"):
        raise UsageError("--acknowledge goes with --share GROUP")
    for name in WITHOUT:
        if args.has(name):
            raise UsageError(f"--share and --{name} exclude each other")
    if not args.has("topic"):
        raise UsageError("which topic? name one")
    kind = AckType[(args.text("acknowledge") or "accept").upper()]
    topic = args.text("topic") or ""
    out = formatter_of(run)
    cluster = run.cluster()
    _check_topic(cluster, topic)
    return print_shared(cluster, args, out, args.text("share") or "", topic, kind)


def _check_topic(cluster: Cluster, topic: str) -> None:
    found = describe_topics(cluster, [topic])[topic]
    if not isinstance(found, KafkaError):
        return
    if found.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
        known = [t.name for t in all_topics(cluster)]
        raise KafkaError(found.code, missing_topic(topic, known).message)
    raise found


def cluster_of(properties: dict[str, str]) -> Cluster:
    """The cluster of Kafka's tool, which asks again and again what is not answered."""
    config = ClientConfig.of(properties)
    config.api_timeout = min(config.api_timeout, CALL_SECONDS)
    return Cluster(config)


def print_shared(
    cluster: Cluster, args: Args, out: Formatter, group: str, topic: str, kind: AckType
) -> int:
    """Until --max-messages, --timeout-ms, Ctrl-C or a closed pipe; the exit code."""
    timeout, limit = args.number("timeout-ms"), args.number("max-messages")
    source = _ShareSource(ShareConsumer(cluster, group, [topic], _warn(args)), kind)
    printer = _SharePrinter(source, out, args)
    with ending_well() as signals:
        try:
            if not args.flags:
                source.consumer.join()
            printer.run(-1 if limit is None else limit, timeout, signals)
        except BrokenPipeError:
            if not args.flags:
                raise
            quiet_pipe()
        finally:
            source.consumer.close()
            if args.flags or sys.stderr.isatty():
                say(f"Processed a total of {printer.count} messages")
    return 0


def _warn(args: Args) -> Warner:
    return Warner(flags=args.flags)


class Warner:
    """Says what may pass, each thing once."""

    def __init__(self, *, flags: bool) -> None:
        self.flags, self.said = flags, set[str]()

    def __call__(self, text: str) -> None:
        """Say it, if it was not said before."""
        if text in self.said or len(self.said) > 100:
            return
        self.said.add(text)
        if self.flags:
            log("WARN", f"[ShareConsumer clientId=console-share-consumer] {text}", LOGGER)
        else:
            say(f"pko: {text}")


class _ShareSource:
    """A share consumer as the printer wants it; ``kind``: what becomes of what was printed."""

    finished = False

    def __init__(self, consumer: ShareConsumer, kind: AckType) -> None:
        self.consumer, self.kind = consumer, kind
        self.rejected: set[Consumed] = set()

    def poll(self, wanted: int, seconds: float) -> list[Consumed]:
        """Up to ``wanted`` records; [] after a short wait."""
        found = self.consumer.poll(wanted, seconds)
        return cast("list[Consumed]", found)

    def done(self, messages: Sequence[Consumed]) -> None:
        """Acknowledge them; those that could not be shown are rejected."""
        records = cast("Sequence[SharedRecord]", messages)
        bad, self.rejected = self.rejected, set()
        self.consumer.acknowledge([r for r in records if r not in bad], self.kind)
        self.consumer.acknowledge([r for r in records if r in bad], AckType.REJECT)


class _SharePrinter(Printer):
    """Rejects what it cannot show, if it is to go on."""

    def __init__(self, source: _ShareSource, out: Formatter, args: Args) -> None:
        super().__init__(source, out, args)
        self.shared = source
        self.skip = args.has("reject-message-on-error") or args.has("skip-message-on-error")

    def skipped(self, message: Consumed, error: DeserializeError) -> None:
        """Say so; it is rejected when the others are acknowledged."""
        self.shared.rejected.add(message)
        if self.flags:
            log("ERROR", "Error processing message, rejecting this message: ", LOGGER)
            say(f"{SERIALIZATION}: {error}")
        else:
            place = f"{message.topic()}-{message.partition()} @{message.offset()}"
            say(f"rejected {place}: {error}")
