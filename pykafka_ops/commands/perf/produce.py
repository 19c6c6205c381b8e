"""``pko perf produce`` and kafka-producer-perf-test: how fast records can be written."""

from __future__ import annotations

import sys
import time
from typing import Any

from pykafka_ops.commands.console.errors import java_line, kafka_error
from pykafka_ops.commands.console.rdkafka import error_text, load
from pykafka_ops.commands.framework.output import Column, Table, numbers
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.perf.client_metrics import SPAN_MS, Counted
from pykafka_ops.commands.perf.payload import payloads
from pykafka_ops.commands.perf.settings import PRODUCER, must_exist, producer, settings_of
from pykafka_ops.commands.perf.stats import SendStats
from pykafka_ops.commands.perf.throttle import Throttle
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.random_uuid import random_uuid
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import uuid_text

COLUMNS = (
    Column("phase"),
    *numbers("records", "records_per_sec", "mb_per_sec", "latency_avg", "latency_max",
             "latency_p50", "latency_p95", "latency_p99", "latency_p999", "failed"),
)  # fmt: skip
FILES, PAIRS = ("producer.config",), ("producer-props", "command-property")
TRANSACTION_MS = 3000
FULL_SECONDS = 0.1
BATCH_OVERHEAD = 88
"""Bytes of a batch and a record around a value (``estimateSizeInBytesUpperBound``)."""


def produce(run: Run) -> Table | int:
    """Send, then say how that went; exit code 1, in pko's form, where records failed."""
    test = ProducerTest(run)
    if not run.args.flags:
        must_exist(run, test.topic)
    test.run()
    return test.result()


class ProducerTest:
    """One test. UsageError, PerfError, ClientConfigError for what it cannot begin with."""

    def __init__(self, run: Run) -> None:
        args = self.args = run.args
        self.topic = args.text("topic") or ""
        self.records = args.number("num-records") or 0
        self.warmup = args.number("warmup-records") or 0
        self.interval = args.number("reporting-interval") or 5000
        if not args.flags and not 0 <= self.warmup < self.records:
            raise UsageError("--warmup-records: give 0 or more, and fewer than --num-records")
        self.value = payloads(run)
        settings = settings_of(run, FILES, PAIRS, {"client.id": "perf-producer-client"})
        self.client_id = settings["client.id"]
        self.limit = settings.get("max.request.size", PRODUCER["max.request.size"])
        self.transaction_ms = self._transactions(settings)
        self.counted = Counted()
        more: dict[str, object] = {"on_delivery": self._delivered}
        if args.has("print-metrics"):
            more |= {"statistics.interval.ms": SPAN_MS, "stats_cb": self.counted.callback}
        self.producer = producer(run, settings, more)
        self.failed = 0
        self.last_error = ""
        self.say = _on_stdout if args.flags else run.note
        now = time.time() * 1000
        self.stats = SendStats(self.records, self.interval, now, self.say)
        self.steady: SendStats | None = None
        self.done = 0

    def _transactions(self, settings: dict[str, str]) -> int | None:
        """How long each lasts, in ms; None without."""
        args = self.args
        wanted = args.text("transactional-id") if args.has("transactional-id") else None
        duration = args.number("transaction-duration-ms")
        if duration is None and wanted is None and "transactional.id" not in settings:
            return None
        name = wanted or settings.get("transactional.id")
        settings["transactional.id"] = name or f"performance-producer-{uuid_text(random_uuid())}"
        return TRANSACTION_MS if duration is None else duration

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self._failed(kafka_error(error.code(), error.str(), self.topic))
            return
        now = time.time() * 1000
        latency, size = int(message.latency() * 1000), len(message)
        self.stats.record(latency, size, now)
        self.done += 1
        if self.steady is not None and self.done > self.warmup:
            self.steady.record(latency, size, now)

    def _failed(self, error: PkoError) -> None:
        self.failed += 1
        self.last_error = str(error)
        if self.args.flags:
            sys.stderr.write(f"{java_line(error)}\n")

    def run(self) -> None:
        """Send all of it and wait until it has arrived, or failed."""
        client, transactional = self.producer, self.transaction_ms is not None
        throttle = Throttle(float(self.args.text("throughput") or -1))
        if self.warmup > 0:
            self.say(
                f"Warmup first {self.warmup} records. Steady state results will print after the "
                "complete test summary."
            )
        began = 0.0
        try:
            if transactional:
                client.init_transactions()
            for number in range(self.records):
                if self.warmup > 0 and number == self.warmup:
                    self._begin_steady()
                if transactional and not began:
                    client.begin_transaction()
                    began = time.monotonic()
                self._send(self.value(number))
                if began and (time.monotonic() - began) * 1000 >= (self.transaction_ms or 0):
                    client.commit_transaction()
                    began = 0.0
                wait = throttle.wait(number)
                self._serve(wait)
            if began:
                client.commit_transaction()
            client.flush()
        except load().KafkaException as error:
            code = error.args[0].code() if hasattr(error.args[0], "code") else 0
            raise kafka_error(code, error_text(error), self.topic) from None

    def _begin_steady(self) -> None:
        now = time.time() * 1000
        self.steady = SendStats(
            self.records - self.warmup, self.interval, now, self.say, steady=True
        )
        self.stats.silent = True

    def _serve(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        self.producer.poll(0)
        while (left := end - time.monotonic()) > 0:
            self.producer.poll(min(left, 1.0))

    def _send(self, value: bytes) -> None:
        while True:
            try:
                self.producer.produce(self.topic, value)
                return
            except BufferError:
                self.producer.poll(FULL_SECONDS)
            except load().KafkaException as error:
                code, text = error.args[0].code(), error_text(error)
                if code == ErrorCode.MESSAGE_TOO_LARGE:
                    text = (
                        f"The message is {len(value) + BATCH_OVERHEAD} bytes when serialized which "
                        f"is larger than {self.limit}, which is the value of the max.request.size "
                        "configuration."
                    )
                self._failed(kafka_error(code, text, self.topic))
                return

    def result(self) -> Table | int:
        """The last lines, or the table."""
        now = time.time() * 1000
        phases = [("all", self.stats), *([("steady", self.steady)] if self.steady else [])]
        if self.args.flags:
            for _, stats in phases:
                self.say(stats.total_line(now))
        if self.args.has("print-metrics"):
            self.counted.wait(self.producer.poll)
            for line in self.counted.lines("producer", self.client_id):
                self.say(line)
        if self.args.flags:
            return 0
        rows = [_row(name, stats.facts(now), self.failed) for name, stats in phases]
        notes = [f"pko: {self.failed} records failed: {self.last_error}"] if self.failed else []
        code = 1 if self.failed else 0
        return Table("performance", COLUMNS, rows, notes=notes, exit_code=code)


def _row(name: str, facts: dict[str, float | int | None], failed: int) -> dict[str, object]:
    shown = {k: round(v, 2) if isinstance(v, float) else v for k, v in facts.items()}
    return {"phase": name, **shown, "failed": failed}


def _on_stdout(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
