"""``pko perf consume --share`` and kafka-share-consumer-perf-test: how fast a share group reads.

Source: ShareConsumerPerformance of Kafka 4.3. That one breaks off with an InterruptException where
the whole test takes longer than ``--timeout``; this one goes on while records come.
"""

from __future__ import annotations

from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.client.share.settings import check_share_settings
from pykafka_ops.commands.console.ending import ending_well
from pykafka_ops.commands.framework.output import Column, Table, numbers
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.perf.client_metrics import metric_lines
from pykafka_ops.commands.perf.consume import FILES, MB, PAIRS, figure, now_ms, on_stdout, ratio
from pykafka_ops.commands.perf.dates import date_text
from pykafka_ops.commands.perf.settings import must_exist, settings_of
from pykafka_ops.commands.perf.share_members import PerfMembers, PerfReading, Sharer
from pykafka_ops.errors import UsageError

COLUMNS = (
    Column("consumer"),
    *numbers("records", "mb", "records_per_sec", "mb_per_sec", "fetch_ms"),
    Column("complete"),
)
WITHOUT = ("group", "include", "from-latest")
"""What does not go with ``--share``."""
GROUP, CLIENT = "perf-share-consumer", "perf-share-consumer-client"
_HEAD = (
    "start.time, end.time, data.consumed.in.MB, MB.sec, nMsg.sec, data.consumed.in.nMsg, "
    "fetch.time.ms"
)


def consume_shared(run: Run) -> Table | int:
    """Read as many records as asked for, or until none come; exit code 1, in pko's form, then.

    Raises PkoError for what does not pass.
    """
    if not run.args.flags:
        _check(run)
    test = ShareTest(run)
    with ending_well():
        test.run()
    return test.result()


def _check(run: Run) -> None:
    args = run.args
    for name in WITHOUT:
        if args.has(name):
            raise UsageError(f"--share and --{name} exclude each other")
    if not args.has("topic"):
        raise UsageError("which topic? name one")
    must_exist(run, args.text("topic") or "")


class ShareTest:
    """One test. UsageError, ClientConfigError for what it cannot begin with."""

    def __init__(self, run: Run) -> None:
        args = self.args = run.args
        self.flags = args.flags
        self.say = on_stdout if args.flags else run.note
        if args.flags and not args.has("hide-header"):
            self.say(_HEAD)
        threads = 1 if (given := args.number("threads")) is None else given
        if threads < 1:
            raise UsageError(f"--threads {threads}: write a number from 1 on")
        settings = settings_of(run, FILES, PAIRS, {"client.id": CLIENT})
        check_share_settings(settings)
        fetch_size = args.number("fetch-size") or 0
        if fetch_size < 0:
            text = "Invalid value {} for configuration fetch.max.bytes: Value must be at least 0"
            raise ClientConfigError(text.format(fetch_size))
        settings |= {
            "receive.buffer.bytes": str(args.number("socket-buffer-size")),
            "fetch.max.bytes": str(fetch_size),
        }
        group = args.text("group" if args.flags else "share")
        group = GROUP if group is None else group
        if not group.strip():
            raise ClientConfigError(
                "You must provide a valid group.id in the consumer configuration."
            )
        self.date_format = args.text("date-format") or ""
        self.members = PerfMembers(settings, group, args.text("topic") or "", threads, args.flags)
        self.start = self.end = 0

    def run(self) -> None:
        """Read; what members hold is given back whatever happens."""
        args = self.args
        wanted = args.number("num-records")
        wanted = args.number("messages") or 0 if wanted is None else wanted
        patience = (args.number("timeout") if self.flags else args.number("idle")) or 0
        interval = args.number("reporting-interval")
        told = self._progress if args.has("show-detailed-stats") else None
        reading = PerfReading(wanted, patience, 5000 if interval is None else interval, told)
        try:
            self.start = now_ms()
            self.members.read(reading, lambda: self._date(self.start))
            self.end = now_ms()
        finally:
            self.members.close()
        if not self.flags:
            return
        if args.has("show-consumer-stats"):
            for member in self.members.all:
                line = self._line(member.records, member.bytes)
                self.say(
                    f"Share consumer {member.number} having client id {member.client_id} "
                    f"consumption metrics- {line}"
                )
        if self.members.records < wanted:
            self.say(
                "WARNING: Exiting before consuming the expected number of records: timeout "
                f"({patience} ms) exceeded. You can use the --timeout option to increase the "
                "timeout."
            )

    def _progress(self, member: Sharer, before: int, now: int, size: int, count: int) -> None:
        """What came between two times (ms), in bytes and records."""
        spent = now - before
        self.say(", ".join((
            self._date(before), self._date(now), figure(member.bytes / MB),
            figure(ratio(1000 * size / MB, spent)), figure(ratio(1000 * count, spent)),
            str(member.records), f"{spent} for share consumer {member.number}",
        )))  # fmt: skip

    def _date(self, ms: int) -> str:
        return date_text(self.date_format, ms)

    def _line(self, records: int, size: int) -> str:
        seconds = (self.end - self.start) / 1000
        return ", ".join((
            self._date(self.start), self._date(self.end), figure(size / MB),
            figure(ratio(size / MB, seconds)), figure(ratio(records, seconds)), str(records),
            str(self.end - self.start),
        ))  # fmt: skip

    def result(self) -> Table | int:
        """The last lines, or the table."""
        members = self.members
        if self.flags:
            self.say(self._line(members.records, members.bytes))
        if self.args.has("print-metrics"):
            for member in members.all:
                for line in metric_lines(member.metrics()):
                    self.say(line)
        return 0 if self.flags else self._table()

    def _table(self) -> Table:
        members, wanted = self.members, self.args.number("num-records") or 0
        complete = members.records >= wanted
        rows = [self._row("all", members.records, members.bytes, complete=complete)]
        if len(members.all) > 1:
            rows += [self._row(str(m.number), m.records, m.bytes) for m in members.all]
        notes = []
        if not complete:
            notes.append(f"pko: no more records for {self.args.number('idle')} ms: "
                         f"{members.records} of {wanted} read")  # fmt: skip
        if not members.records:
            notes.append("pko: a new share group begins at the end: set share.auto.offset.reset="
                         "earliest first (pko configs set groups GROUP ...)")  # fmt: skip
        return Table("performance", COLUMNS, rows, notes=notes, exit_code=0 if complete else 1)

    def _row(
        self, name: str, records: int, size: int, *, complete: bool | None = None
    ) -> dict[str, object]:
        spent = self.end - self.start
        return {
            "consumer": name, "records": records, "mb": round(size / MB, 4),
            "records_per_sec": round(1000 * records / spent, 2) if spent else None,
            "mb_per_sec": round(1000 * size / MB / spent, 2) if spent else None,
            "fetch_ms": spent, "complete": complete,
        }  # fmt: skip
