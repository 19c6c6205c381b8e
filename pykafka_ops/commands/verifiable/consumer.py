"""kafka-verifiable-consumer: what a member of a group sees, as events (VerifiableConsumer)."""

from __future__ import annotations

from typing import Any

from pykafka_ops.commands.console.ending import ending_well
from pykafka_ops.commands.console.errors import kafka_error, keeps_trying, log
from pykafka_ops.commands.console.rdkafka import error_text, load
from pykafka_ops.commands.framework.failures import text_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.perf.settings import consumer, settings_of
from pykafka_ops.commands.verifiable.events import tell
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.codes import ErrorCode

_BATCH = 500
_LOGGER = "org.apache.kafka.tools.VerifiableConsumer"
_SOON = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.LEADER_NOT_AVAILABLE)

Place = tuple[str, int]


def consume(run: Run) -> int:
    """Read until all are read, or until SIGTERM or Ctrl-C."""
    return _Consuming(run).work()


def _settings(run: Run) -> dict[str, str]:
    args = run.args
    settings = settings_of(run, ("consumer.config",), (), {})
    if (args.text("group-protocol") or "").lower() == "consumer":
        settings["group.protocol"] = "consumer"
        if args.has("group-remote-assignor"):
            settings["group.remote.assignor"] = args.text("group-remote-assignor") or ""
    else:
        settings["partition.assignment.strategy"] = args.text("assignment-strategy") or ""
        settings["session.timeout.ms"] = args.text("session-timeout") or ""
    if args.has("group-instance-id"):
        settings["group.instance.id"] = args.text("group-instance-id") or ""
    settings |= {
        "group.id": args.text("group-id") or "",
        "enable.auto.commit": "true" if args.has("enable-autocommit") else "false",
        "auto.offset.reset": args.text("reset-policy") or "",
    }
    return settings


class _Consuming:
    def __init__(self, run: Run) -> None:
        args = self.args = run.args
        limit = args.number("max-messages")
        self.limit = None if limit is None or limit < 0 else limit
        self.read = 0
        self.consumer = consumer(run, _settings(run), {})

    def work(self) -> int:
        tell("startup_complete")
        asked = False
        with ending_well():
            try:
                self.consumer.subscribe(
                    [self.args.text("topic")], on_assign=self._assigned, on_revoke=self._revoked
                )
                while self.limit is None or self.read < self.limit:
                    self._round()
            except (KeyboardInterrupt, SystemExit):
                tell("shutdown_requested")
                asked = True
            except PkoError as error:
                text = f"Error during processing, terminating consumer process: {text_of(error)}"
                log("ERROR", text, _LOGGER)
            finally:
                self.consumer.close()
                tell("shutdown_complete")
        if not asked:
            tell("shutdown_requested")
        return 0

    def _round(self) -> None:
        found = [m for m in self.consumer.consume(_BATCH, 0.1) if self._good(m)]
        if not found:
            return
        by_place: dict[Place, list[Any]] = {}
        for message in found:
            by_place.setdefault((message.topic(), message.partition()), []).append(message)
        ends = self._tell_of(by_place, len(found))
        if not self.args.has("enable-autocommit"):
            self._commit(ends)

    def _tell_of(self, by_place: dict[Place, list[Any]], count: int) -> dict[Place, int]:
        """Events for what came, up to the limit; where each partition was read to."""
        ends: dict[Place, int] = {}
        summaries: list[dict[str, object]] = []
        for (topic, partition), messages in by_place.items():
            wanted = messages if self.limit is None else messages[: self.limit - self.read]
            if not wanted:
                break
            first, last = wanted[0].offset(), wanted[-1].offset()
            ends[topic, partition] = last + 1
            summaries.append({"topic": topic, "partition": partition, "count": len(wanted),
                              "minOffset": first, "maxOffset": last})  # fmt: skip
            if self.args.has("verbose"):
                for message in wanted:
                    tell("record_data", key=_text(message.key()), value=_text(message.value()),
                         topic=topic, partition=partition, offset=message.offset())  # fmt: skip
            self.read += len(wanted)
        tell("records_consumed", count=count, partitions=summaries)
        return ends

    def _good(self, message: Any) -> bool:
        error = message.error()
        if error is None:
            return True
        if error.code() > 0 and error.code() not in _SOON:
            problem = kafka_error(error.code(), error.str(), message.topic() or "")
            if not keeps_trying(problem):
                raise problem
        return False

    def _commit(self, ends: dict[Place, int]) -> None:
        library, failed = load(), {}
        try:
            self.consumer.commit(
                offsets=[library.TopicPartition(*place, end) for place, end in ends.items()],
                asynchronous=False,
            )
        except library.KafkaException as error:
            failed = {"error": error_text(error)}
        shown = [{"topic": t, "partition": p, "offset": end} for (t, p), end in ends.items()]
        tell("offsets_committed", offsets=shown, **failed, success=not failed)

    def _assigned(self, client: Any, partitions: list[Any]) -> None:
        tell("partitions_assigned", partitions=_places(partitions))

    def _revoked(self, client: Any, partitions: list[Any]) -> None:
        tell("partitions_revoked", partitions=_places(partitions))


def _places(partitions: list[Any]) -> list[dict[str, object]]:
    return [{"topic": p.topic, "partition": p.partition} for p in partitions]


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode(errors="replace")
