"""Where ``pko produce`` puts its records: a librdkafka producer, its settings and its errors."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.commands.console import errors
from pykafka_ops.commands.console.lookup import TopicLookup
from pykafka_ops.commands.console.rdkafka import Given, client, librdkafka, load, one_of
from pykafka_ops.commands.framework.failures import in_one_line
from pykafka_ops.commands.framework.output import counted, say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.produce.arrived import Arrived
from pykafka_ops.commands.produce.kafka import CODECS, UnsentError
from pykafka_ops.commands.produce.line_reader import Headers
from pykafka_ops.errors import ConnectError, KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

Record = tuple[bytes | None, bytes | None, Headers, int, int]
"""(key, value, headers, partition or -1, time in ms or 0 for now)"""

ACKS = ("all", "-1", "0", "1")
CALLBACK = "org.apache.kafka.clients.producer.internals.ErrorLoggingCallback"
LOGGER = "org.apache.kafka.clients.NetworkClient"
_KNOWN_SECONDS = 1.0
"""How long all brokers may take to learn of a new topic."""
LONGER = "--producer-property socket.connection.setup.timeout.ms=30000"
"""The flag that makes Kafka's tool wait longer; its --timeout means something else."""
HASTE_SECONDS = 3.0
"""How long what is under way may still take after Ctrl-C."""


class Sender:
    """``values`` or ``records`` as they come, ``finish`` in the end, then ``result``.

    In Kafka's form librdkafka reports only what fails: nothing is done in Python for a record
    that arrives.
    """

    def __init__(self, run: Run) -> None:
        args = self.args = run.args
        self.topic = str(args.text("topic"))
        self.sync = args.has("sync")
        settings = _settings(run)
        block = settings.get("max.block.ms", "60000")
        if not block.isdigit():
            raise ClientConfigError(
                f"Invalid value {block} for configuration max.block.ms: Not a number of type LONG"
            )
        self.block_ms = int(block)
        config: dict[str, object] = dict(librdkafka(settings, consumer=False))
        config["error_cb"] = self._client_error
        config["on_delivery"] = self._delivered
        config["delivery.report.only.error"] = args.flags
        config["queue.buffering.max.messages"] = 0  # bytes are bounded, by buffer.memory
        self.expiry, self.limit = settings["delivery.timeout.ms"], settings["max.request.size"]
        warn = errors.ignored("Producer", flags=args.flags)
        self.producer = client("Producer", config, debug=run.debug, warn=warn)
        self.lookup = TopicLookup(settings, flags=args.flags, debug=run.debug)
        self.ready = False
        self.sent = self.failed = 0
        self.arrived = Arrived()
        self.last_error: PkoError | None = None
        self.trouble = ""
        self.said: set[str] = set()

    # --- before the first record -----------------------------------------------------------------

    def must_be_ready(self) -> None:
        """Pko's form: raise now if the cluster or the topic is not there.

        A topic that is being created has max.block.ms to get its leader.
        """
        if self.args.has("create"):
            self._create()
        missing_since = time.monotonic()
        for found in self.lookup.tries(self.topic, seconds=self.block_ms / 1000, create=False):
            if not found.error:
                self.ready = True
                return
            if found.error not in errors.SOON:
                raise self._kafka_error(found.error, ErrorCode.of(found.error).text)
            if found.error == ErrorCode.LEADER_NOT_AVAILABLE:
                missing_since = time.monotonic()
            elif time.monotonic() > missing_since + _KNOWN_SECONDS:
                break
        if found.error == ErrorCode.LEADER_NOT_AVAILABLE:
            raise KafkaError(found.error, f"topic {self.topic} has no leader")
        near = self.lookup.near(self.topic)
        raise KafkaError(found.error, f"there is no topic {self.topic}{near}: --create makes it")

    def _create(self) -> None:
        """Make the topic by the brokers' defaults, unless it is there; KafkaError."""
        made = self.lookup.create(self.topic)
        if isinstance(made, KafkaError) and made.code != ErrorCode.TOPIC_ALREADY_EXISTS:
            raise made

    def _why_not_ready(self) -> PkoError | None:
        """Kafka's ``max.block.ms``: None once the topic is known, else what the record fails of."""
        if self.ready:
            return None
        deadline = time.monotonic() + self.block_ms / 1000
        while (left := deadline - time.monotonic()) > 0:
            try:
                for found in self.lookup.tries(self.topic, seconds=left, create=True):
                    if not found.error:
                        self.ready = True
                        return None
                    if found.error not in errors.SOON:
                        text = ErrorCode.of(found.error).text
                        return self._kafka_error(found.error, text)
            except ConnectError as error:
                if not errors.keeps_trying(error):
                    return error
                self._tell(in_one_line(error, timeout=LONGER))
                time.sleep(min(0.05, max(0.0, deadline - time.monotonic())))
        return KafkaError(
            ErrorCode.REQUEST_TIMED_OUT,
            f"Topic {self.topic} not present in metadata after {self.block_ms} ms.",
        )

    def _tell(self, text: str) -> None:
        """Log, once, why nothing is sent yet."""
        if text not in self.said:
            self.said.add(text)
            errors.log("WARN", f"[Producer clientId=console-producer] {text}", LOGGER)

    # --- sending ---------------------------------------------------------------------------------

    def values(self, lines: list[bytes]) -> None:
        """Send values without keys: the fast way, as long as nothing stands in it."""
        if self.sync or not self.ready:
            self.records((None, line, [], -1, 0) for line in lines)
            return
        self.sent += len(lines)
        produce, topic, rest = self.producer.produce, self.topic, iter(lines)
        while True:
            try:
                for line in rest:
                    produce(topic, line)
                return
            except (BufferError, load().KafkaException):
                self._send((None, line, [], -1, 0))

    def records(self, records: Iterable[Record]) -> None:
        """Send each; with ``--sync`` FailedError at the first that is not taken."""
        for record in records:
            self.sent += 1
            failed = None if self.ready else self._why_not_ready()
            if failed is None:
                self._send(record)
            else:
                self._failed(failed, record[0], record[1])
            if self.sync:
                self._wait(None)
                if self.last_error is not None:
                    self._give_up()

    def serve(self) -> None:
        """Hear what librdkafka has to report."""
        self.producer.poll(0)

    def _send(self, record: Record) -> None:
        """Hand it to librdkafka, waiting ``max.block.ms`` for room in ``buffer.memory``."""
        if self._offered(record):
            return
        deadline = time.monotonic() + self.block_ms / 1000
        while not self._offered(record):
            self.producer.poll(0.01)
            if time.monotonic() > deadline:
                text = f"no room in buffer.memory within {self.block_ms} ms"
                error = KafkaError(ErrorCode.REQUEST_TIMED_OUT, text)
                self._failed(error, record[0], record[1])
                return

    def _offered(self, record: Record) -> bool:
        """Whether that is done with, taken or refused for good; False where there is no room."""
        key, value, headers, partition, timestamp = record
        try:
            if headers or timestamp:
                self.producer.produce(
                    self.topic, value, key, partition, headers=headers or None, timestamp=timestamp
                )
            else:
                self.producer.produce(self.topic, value, key, partition)
        except BufferError:
            return False
        except load().KafkaException as error:
            code, text = error.args[0].code(), error.args[0].str()
            if code == ErrorCode.MESSAGE_TOO_LARGE:
                size = len(key or b"") + len(value or b"")
                text = f"a record of {size} bytes is larger than max.request.size {self.limit}"
            self._failed(self._kafka_error(code, text), key, value)
        return True

    # --- the end ---------------------------------------------------------------------------------

    def finish(self, *, patient: bool) -> None:
        """Wait for what is under way: until it arrives or fails, or not ``patient``, briefly."""
        left = self._wait(None if patient else HASTE_SECONDS)
        summary = self.arrived.text(self.topic)
        if summary:
            say(summary)
        if left and not self.args.flags:
            say(f"pko: {counted(range(left), 'record')} not delivered")
        self.lookup.close()

    def _wait(self, seconds: float | None) -> int:
        """How many records are left after ``seconds`` (None: as long as it takes)."""
        end = None if seconds is None else time.monotonic() + seconds
        left: int = len(self.producer)
        while left and (end is None or time.monotonic() < end):
            left = self.producer.flush(0.2)
        self.serve()
        return left

    def result(self) -> int:
        """The exit code; in pko's form an error that counts what was not delivered."""
        if self.last_error is None or self.args.flags:
            return 0
        text = (
            f"{self.failed} of {counted(range(self.sent), 'record')} not delivered to "
            f"{self.topic}: {self.last_error.ours or self.last_error}"
            f"{self.trouble and f' ({self.trouble})'}"
        )
        if isinstance(self.last_error, KafkaError):
            raise type(self.last_error)(self.last_error.code, text)
        raise PkoError(text)

    def _give_up(self) -> None:
        """``--sync``: the first failure is the last."""
        if self.args.flags and self.last_error is not None:
            raise UnsentError(errors.java_line(self.last_error))
        self.result()

    # --- what goes wrong -------------------------------------------------------------------------

    def _kafka_error(self, code: int, text: str) -> PkoError:
        return errors.kafka_error(code, text, self.topic, operation="write")

    def _delivered(self, error: Any, message: Any) -> None:
        if error is None:
            self.arrived.add(message.partition(), message.offset())
        else:
            self._not_delivered(error, message)

    def _not_delivered(self, error: Any, message: Any) -> None:
        code = error.code()
        if code == load().KafkaError._MSG_TIMED_OUT:
            problem: PkoError = KafkaError(
                ErrorCode.REQUEST_TIMED_OUT,
                f"Expiring 1 record(s) for {self.topic}-{message.partition()}:{self.expiry} ms "
                "has passed since batch creation",
            )
        else:
            problem = self._kafka_error(code, error.str())
        self._failed(problem, message.key(), message.value())

    def _failed(self, error: PkoError, key: bytes | None, value: bytes | None) -> None:
        self.failed += 1
        self.last_error = error
        if self.args.flags and not self.sync:
            errors.log(
                "ERROR",
                f"Error when sending message to topic {self.topic} with key: {_size(key)}, "
                f"value: {_size(value)} with error:",
                CALLBACK,
            )
            say(errors.java_line(error))

    def _client_error(self, error: Any) -> None:
        """librdkafka's trouble with brokers; it keeps trying by itself."""
        self.trouble = str(error.str())


def _size(data: bytes | None) -> str:
    return "null" if data is None else f"{len(data)} bytes"


# --- settings ------------------------------------------------------------------------------------

OPTIONS = (
    ("timeout", "linger.ms", "1000"),
    ("request-required-acks", "acks", "-1"),
    ("request-timeout-ms", "request.timeout.ms", "1500"),
    ("message-send-max-retries", "retries", "3"),
    ("retry-backoff-ms", "retry.backoff.ms", "100"),
    ("socket-buffer-size", "send.buffer.bytes", "102400"),
    ("max-memory-bytes", "buffer.memory", "33554432"),
    ("batch-size", "batch.size", "16384"),
    ("max-partition-memory-bytes", "batch.size", "16384"),
    ("metadata-expiry-ms", "metadata.max.age.ms", "300000"),
    ("max-block-ms", "max.block.ms", "60000"),
)
"""(option, client property, default of Kafka's tool): CommandLineUtils.maybeMergeOptions."""
DEFAULTS = {
    "linger.ms": "5",
    "batch.size": "1000000",
    "buffer.memory": "134217728",
    "retries": "2147483647",
    "acks": "-1",
    "compression.type": "none",
    "partitioner": "murmur2_random",
    "delivery.timeout.ms": "120000",
    "max.request.size": "1048576",
}
"""In pko's form some that serve better than the tool's; the others in both."""


def _settings(run: Run) -> dict[str, str]:
    """Client properties: an option given, else a property given, else the default."""
    args = run.args
    properties = dict(Given(run, "producer").merged)
    properties.setdefault("client.id", "console-producer" if args.flags else "pko-produce")
    for option, name, default in OPTIONS:
        value = args.text(option) if args.flags or option != "timeout" else None
        if value is not None:
            if option != "request-required-acks":
                args.number(option)
            properties[name] = value
        elif args.flags:
            properties.setdefault(name, default)
    codec = args.text("compression-codec")
    if codec is not None:
        properties["compression.type"] = codec
    properties = {**DEFAULTS, **properties}
    one_of("acks", properties["acks"], ACKS)
    one_of("compression.type", properties["compression.type"], CODECS)
    safe = properties["acks"] in ("all", "-1") and properties["retries"] != "0"
    properties.setdefault("enable.idempotence", "true" if safe else "false")
    return {name: value for name, value in properties.items() if value != ""}
