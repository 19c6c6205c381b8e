"""``pko perf latency`` and kafka-e2e-latency: from a send until the record is read."""

from __future__ import annotations

import random
import sys
import time
from typing import Any

from pykafka_ops.client.topics import all_topics
from pykafka_ops.commands.console.errors import kafka_error
from pykafka_ops.commands.console.lookup import TopicLookup
from pykafka_ops.commands.console.rdkafka import load
from pykafka_ops.commands.framework.output import Table, numbers
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.perf.failures import PerfError
from pykafka_ops.commands.perf.settings import consumer, must_exist, producer, settings_of
from pykafka_ops.errors import KafkaError
from pykafka_ops.java_numbers import java_double

COLUMNS = numbers("records", "avg_ms", "p50_ms", "p99_ms", "p999_ms", "max_ms")
RUNTIME = "java.lang.RuntimeException"
POLL_SECONDS = 60.0
"""How long a record may take."""


def latency(run: Run) -> Table | int:
    """Send records one by one, reading each; the quantiles in ms."""
    test = LatencyTest(run)
    try:
        test.run()
    finally:
        test.consumer.close()
    return test.result()


class LatencyTest:
    """One test. UsageError, ClientConfigError for what it cannot begin with."""

    def __init__(self, run: Run) -> None:
        args = self.args = run.args
        self.topic, self.records = args.text("topic") or "", args.number("num-records") or 0
        self.sizes = {
            name: args.number(name) or 0
            for name in ("record-size", "record-key-size", "num-headers", "record-header-size",
                         "record-header-key-size")
        }  # fmt: skip
        settings = settings_of(run, (), (), {})
        self.lookup = TopicLookup(settings, flags=args.flags, debug=run.debug)
        self._find_topic(run)
        group = f"test-group-{int(time.time() * 1000)}"
        sending = {**settings, "linger.ms": "0", "acks": args.text("producer-acks") or "all"}
        reading = {**settings, "group.id": group, "enable.auto.commit": "false",
                   "auto.offset.reset": "latest", "fetch.max.wait.ms": "1"}  # fmt: skip
        self.answers: list[Any] = []
        self.producer = producer(run, sending, {"on_delivery": self._delivered})
        self.consumer = consumer(run, reading, {})
        self.took: list[int] = []

    def _find_topic(self, run: Run) -> None:
        if not run.args.flags:
            must_exist(run, self.topic)
            return
        if self.topic not in [found.name for found in all_topics(run.cluster())]:
            sys.stdout.write(
                f'Topic "{self.topic}" does not exist. Will create topic with 1 partition(s) and '
                "replication factor = 1\n"
            )
            self._create(run)

    def _create(self, run: Run) -> None:
        made = self.lookup.create(self.topic)
        if isinstance(made, KafkaError):
            sys.stdout.write(f"Creation of topic {self.topic} failed\n")
            raise PerfError(str(made), RUNTIME)
        for found in self.lookup.tries(self.topic, seconds=POLL_SECONDS, create=False):
            if not found.error:
                return

    def _delivered(self, error: Any, message: Any) -> None:
        self.answers.append(error)

    def _assign(self) -> None:
        library = load()
        known = self.consumer.list_topics(self.topic, timeout=POLL_SECONDS).topics[self.topic]
        places = []
        for number in known.partitions:
            place = library.TopicPartition(self.topic, number)
            _, place.offset = self.consumer.get_watermark_offsets(place, timeout=POLL_SECONDS)
            places.append(place)
        self.consumer.assign(places)

    def run(self) -> None:
        """All records, one after the other."""
        self._assign()
        source = random.Random(0)
        for number in range(self.records):
            value = self._bytes(source, "record-size") or b""
            key = self._bytes(source, "record-key-size") or None
            headers = self._headers(source)
            begin = time.perf_counter_ns()
            self._send(value, key, headers)
            message = self.consumer.poll(POLL_SECONDS)
            elapsed = time.perf_counter_ns() - begin
            self._validate(value, message)
            if number % 1000 == 0 and self.args.flags:
                sys.stdout.write(f"{number}\t{java_double(elapsed / 1000 / 1000)}\n")
                sys.stdout.flush()
            self.took.append(elapsed)

    def _bytes(self, source: random.Random, name: str) -> bytes | None:
        size = self.sizes[name]
        return None if size < 0 else bytes([65 + source.randrange(26)]) * size

    def _headers(self, source: random.Random) -> list[tuple[str, bytes | None]]:
        found = []
        for _ in range(self.sizes["num-headers"]):
            key = self._bytes(source, "record-header-key-size") or b""
            found.append((key.decode(), self._bytes(source, "record-header-size")))
        return found

    def _send(self, value: bytes, key: bytes | None, headers: list[Any]) -> None:
        library = load()
        self.answers.clear()
        try:
            self.producer.produce(self.topic, value, key, headers=headers or None)
        except library.KafkaException as error:
            raise kafka_error(error.args[0].code(), error.args[0].str(), self.topic) from None
        while not self.answers:
            self.producer.poll(1.0)
        refused = self.answers[0]
        if refused is not None:
            raise kafka_error(refused.code(), refused.str(), self.topic)

    def _validate(self, value: bytes, message: Any) -> None:
        if message is None:
            timeout = int(POLL_SECONDS * 1000)
            raise PerfError(
                f"poll() timed out before finding a result (timeout:[{timeout}])", RUNTIME
            )
        if message.error() is not None:
            error = message.error()
            raise kafka_error(error.code(), error.str(), self.topic)
        read = message.value() or b""
        if read != value:
            shown, sent = (b.decode(errors="replace") for b in (read, value))
            raise PerfError(
                f"The message read [{shown}] did not match the message sent [{sent}]", RUNTIME
            )

    def result(self) -> Table | int:
        """The last lines, or the table."""
        took = sorted(n // 1_000_000 for n in self.took)
        average = sum(self.took) / len(self.took) / 1_000_000
        at = {q: took[int(q * len(took))] for q in (0.5, 0.99, 0.999)}
        if self.args.flags:
            sys.stdout.write(
                f"Avg latency: {average:.4f} ms\nPercentiles: 50th = {at[0.5]}, "
                f"99th = {at[0.99]}, 99.9th = {at[0.999]}\n"
            )
            return 0
        exact = sorted(self.took)
        values = [round(exact[int(q * len(exact))] / 1e6, 3) for q in (0.5, 0.99, 0.999)]
        row = (len(took), round(average, 3), *values, round(exact[-1] / 1e6, 3))
        return Table("latency", COLUMNS, [dict(zip([c.key for c in COLUMNS], row, strict=True))])
