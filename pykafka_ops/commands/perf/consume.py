"""``pko perf consume`` and kafka-consumer-perf-test: how fast records can be read."""

from __future__ import annotations

import secrets
import sys
import time
from typing import Any

from pykafka_ops.commands.console.errors import kafka_error, keeps_trying
from pykafka_ops.commands.console.rdkafka import error_text, load
from pykafka_ops.commands.framework.output import Column, Table, numbers
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.perf.client_metrics import SPAN_MS, Counted
from pykafka_ops.commands.perf.dates import date_text
from pykafka_ops.commands.perf.failures import ARGUMENT, PerfError
from pykafka_ops.commands.perf.settings import consumer, must_exist, settings_of
from pykafka_ops.errors import UsageError
from pykafka_ops.wire.codes import ErrorCode

COLUMNS = (
    *numbers("records", "mb", "records_per_sec", "mb_per_sec", "rebalance_ms", "fetch_ms",
             "fetch_records_per_sec", "fetch_mb_per_sec"),
    Column("complete"),
)  # fmt: skip
FILES, PAIRS = ("consumer.config",), ("command-property",)
_BATCH = 500
"""Records of one poll (max.poll.records)."""
MB = 1024.0 * 1024.0
_SOON = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.LEADER_NOT_AVAILABLE)
_TAIL = ", rebalance.time.ms, fetch.time.ms, fetch.MB.sec, fetch.nMsg.sec"
_HEAD = ", data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec"


def ratio(value: float, seconds: float) -> float:
    """``value / seconds`` as Java's doubles have it."""
    if seconds:
        return value / seconds
    return float("nan") if not value else float("inf")


def figure(value: float) -> str:
    """``%.4f``."""
    if value != value:
        return "NaN"
    return "Infinity" if value == float("inf") else f"{value:.4f}"


def consume(run: Run) -> Table | int:
    """Read as many records as asked for, or until none come; exit code 1, in pko's form, then."""
    if not run.args.flags and run.args.has("threads"):
        raise UsageError("--threads goes with --share GROUP")
    test = ConsumerTest(run)
    topic = run.args.text("topic")
    if not run.args.flags and topic is not None:
        must_exist(run, topic)
    test.run()
    return test.result()


class ConsumerTest:
    """One test. UsageError, PerfError, ClientConfigError for what it cannot begin with."""

    def __init__(self, run: Run) -> None:
        args = self.args = run.args
        self.flags, self.detailed = args.flags, args.has("show-detailed-stats")
        self.say = on_stdout if args.flags else run.note
        if args.flags and not args.has("hide-header"):
            self.say(
                ("time, threadId" if self.detailed else "start.time, end.time") + _HEAD + _TAIL
            )
        topic, include = args.text("topic"), args.text("include")
        if (topic is None) == (include is None):
            raise UsageError("give a topic, or --include REGEX")
        self.topics = [topic if topic is not None else f"^({include})$"]
        wanted = args.number("num-records")
        self.wanted = args.number("messages") or 0 if wanted is None else wanted
        self.patience = (args.number("timeout") if args.flags else args.number("idle")) or 0
        interval = args.number("reporting-interval")
        self.interval = 5000 if interval is None else interval
        if self.interval <= 0:
            raise PerfError("Reporting interval must be greater than 0.", ARGUMENT)
        self.date_format = args.text("date-format") or ""
        settings = settings_of(run, FILES, PAIRS, {"client.id": "perf-consumer-client"})
        self.client_id = settings["client.id"]
        settings |= {
            "group.id": args.text("group") or f"perf-consumer-{secrets.randbelow(100_000)}",
            "auto.offset.reset": "latest" if args.has("from-latest") else "earliest",
            "receive.buffer.bytes": str(args.number("socket-buffer-size")),
            "max.partition.fetch.bytes": str(args.number("fetch-size")),
            "check.crcs": "false",
        }
        self.counted = Counted()
        more: dict[str, object] = {}
        if args.has("print-metrics"):
            more = {"statistics.interval.ms": SPAN_MS, "stats_cb": self.counted.callback}
        self.consumer = consumer(run, settings, more)
        self.records = self.bytes = self.joined = self.joined_now = 0
        self.join_start = self.start = self.end = now_ms()

    def run(self) -> None:
        """Read."""
        self.join_start = self.start = now_ms()
        try:
            self.consumer.subscribe(self.topics, on_assign=self._assigned, on_revoke=self._revoked)
        except load().KafkaException as error:
            raise UsageError(f"--include: {error_text(error)}") from None
        last_report = last_seen = now = self.start
        last_bytes = last_records = 0
        while self.records < self.wanted and now - last_seen <= self.patience:
            found = self.consumer.consume(_BATCH, 0.1)
            now = now_ms()
            good = [m for m in found if self._good(m)]
            last_seen = now if good else last_seen
            self.records += len(good)
            self.bytes += sum(len(m.value() or b"") + len(m.key() or b"") for m in good)
            if good and now - last_report >= self.interval:
                self._progress(now, last_report, self.bytes - last_bytes,
                               self.records - last_records)  # fmt: skip
                self.joined_now = 0
                last_report, last_records, last_bytes = now, self.records, self.bytes
        self.end = now_ms()
        if self.records < self.wanted and self.flags:
            self.say(
                "WARNING: Exiting before consuming the expected number of records: timeout "
                f"({self.patience} ms) exceeded. You can use the --timeout option to increase the "
                "timeout."
            )

    def _assigned(self, client: Any, partitions: Any) -> None:
        elapsed = now_ms() - self.join_start
        self.joined += elapsed
        self.joined_now += elapsed

    def _revoked(self, client: Any, partitions: Any) -> None:
        self.join_start = now_ms()

    def _good(self, message: Any) -> bool:
        error = message.error()
        if error is None:
            return True
        code = error.code()
        if code == load().KafkaError._PARTITION_EOF or code in _SOON:
            return False
        problem = kafka_error(code, error.str(), message.topic() or "", operation="READ")
        if code > 0 and not keeps_trying(problem):
            raise problem
        return False

    def _progress(self, now: int, before: int, size: int, count: int) -> None:
        if not self.detailed:
            return
        seconds = (now - before) / 1000
        fetch = now - before - self.joined_now
        rates = (1000 * size / MB / fetch, 1000 * count / fetch) if fetch > 0 else (0.0, 0.0)
        figures = (
            self._date(now), "0", figure(self.bytes / MB), figure(ratio(size / MB, seconds)),
            str(self.records), figure(ratio(count, seconds)), str(self.joined_now), str(fetch),
            *map(figure, rates),
        )  # fmt: skip
        self.say(", ".join(figures))

    def _date(self, ms: int) -> str:
        return date_text(self.date_format, ms)

    def result(self) -> Table | int:
        """The last line, or the table."""
        seconds, fetch = (self.end - self.start) / 1000, self.end - self.start - self.joined
        if self.args.has("print-metrics"):
            self.counted.wait(self.consumer.poll)
        self.consumer.close()
        size = self.bytes / MB
        rates = (ratio(size, seconds), ratio(self.records, seconds),
                 ratio(size, fetch / 1000), ratio(self.records, fetch / 1000))  # fmt: skip
        if self.flags and not self.detailed:
            shown = [figure(rate) for rate in rates]
            self.say(", ".join((
                self._date(self.start), self._date(self.end), figure(size), shown[0],
                str(self.records), shown[1], str(self.joined), str(fetch), shown[2], shown[3],
            )))  # fmt: skip
        if self.args.has("print-metrics"):
            for line in self.counted.lines("consumer", self.client_id):
                self.say(line)
        if self.flags:
            return 0
        return self._table(size, rates, fetch)

    def _table(self, size: float, rates: tuple[float, ...], fetch: int) -> Table:
        known = [round(r, 2) if r == r and r != float("inf") else None for r in rates]
        complete = self.records >= self.wanted
        row: dict[str, object] = {
            "records": self.records, "mb": round(size, 4), "mb_per_sec": known[0],
            "records_per_sec": known[1], "rebalance_ms": self.joined, "fetch_ms": fetch,
            "fetch_mb_per_sec": known[2], "fetch_records_per_sec": known[3], "complete": complete,
        }  # fmt: skip
        text = f"pko: no more records for {self.patience} ms: {self.records} of {self.wanted} read"
        notes = [] if complete else [text]
        return Table("performance", COLUMNS, [row], notes=notes, exit_code=0 if complete else 1)


def now_ms() -> int:
    """Milliseconds since 1970."""
    return int(time.time() * 1000)


def on_stdout(line: str) -> None:
    """A line, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
