"""One broker under mixed load, watched for what grows without bound.

Clients of all kinds at once, for minutes: producers, consumers, groups whose members come and go,
transactions, topics that are created and deleted, changes of settings, readers that do not read,
hostile requests; logs roll and expire, and SIGHUP renames the broker's log. After a warm-up (a
third of the time) memory, open files, threads, data and the latency of small requests must not
grow. Every acknowledged record must be read once and in order, every committed transaction whole,
and the broker's log may hold no error. Prints a table and a verdict; exit code 1 if anything is
amiss.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.process.broker import BrokerProcess  # noqa: E402
from tests.support.soak.admin import Members, Settings, Topics, admin, create  # noqa: E402
from tests.support.soak.hostile import Attackers, Probe, SlowReaders  # noqa: E402
from tests.support.soak.job import Job  # noqa: E402
from tests.support.soak.records import Reader, Transactions, Writer, producer  # noqa: E402
from tests.support.soak.watch import Watch  # noqa: E402

SETTINGS = {
    "group.initial.rebalance.delay.ms": 0,
    "offsets.topic.num.partitions": 4,
    "offsets.topic.segment.bytes": 262_144,
    "transaction.state.log.num.partitions": 4,
    "transaction.state.log.segment.bytes": 262_144,
    "log.retention.check.interval.ms": 5000,
    "log.segment.delete.delay.ms": 1000,
    "log.cleaner.backoff.ms": 5000,
    "log.cleaner.min.cleanable.ratio": 0.3,
    "producer.id.expiration.ms": 60_000,
    "producer.id.expiration.check.interval.ms": 10_000,
    "offsets.retention.check.interval.ms": 20_000,
}
ROLLING = {"segment_bytes": 1 << 20, "retention_bytes": 6 << 20}
SAMPLE_SECONDS = 2.0
SIGHUP_SECONDS = 20.0
END_SECONDS = 180.0
"""For what was sent to be acknowledged and read."""
MEMBERS = 3
ERRORS = (" ERROR ", " FATAL ", " CRITICAL ", "Traceback")
FIGURE_HEAD = ("FIGURE", "FIRST", "LAST", "GAIN", "HIGHEST", "VERDICT")


def options() -> argparse.Namespace:
    """The command line."""
    summary, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        "scripts/soak",
        description=summary,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="how long (default 10)")
    parser.add_argument("--dir", type=Path, help="where to work (default: a new directory)")
    parser.add_argument("--quiet", action="store_true", help="no line while it runs")
    return parser.parse_args()


class Soak:
    """One run in the directory ``top``."""

    def __init__(self, top: Path, *, quiet: bool) -> None:
        self._quiet = quiet
        self._log = top / "broker.log"
        self.broker = BrokerProcess(
            top / "data", SETTINGS, log=top / "stderr", arguments=["--log-file", str(self._log)]
        )
        self._renamed = 0
        self.jobs: list[Job] = []

    def run(self, seconds: float) -> list[str]:
        """Everything; what is amiss."""
        self.broker.start()
        watch = self._begin()
        self._watch(watch, seconds)
        if not self.broker.running.alive():
            return ["the broker has ended", *self._report(watch, seconds / 3), *self._errors()]
        for job in self.jobs:  # the writer before those who read what it wrote
            job.stop(END_SECONDS)
        amiss = self._report(watch, seconds / 3)
        code = self.broker.stop()
        return amiss + ([f"the broker ended with code {code}"] if code else []) + self._errors()

    def _begin(self) -> Watch:
        """Create the topics and set everybody to work."""
        bootstrap = self.broker.bootstrap
        client = admin(bootstrap)
        create(client, "stream", **ROLLING)
        create(client, "transactions", **ROLLING)
        create(client, "large")
        filler = producer(bootstrap)
        for n in range(1500):
            filler.produce("large", bytes(20_000), partition=n % 3)
            filler.poll(0)
        assert filler.flush(60) == 0
        writer, probe = Writer(bootstrap, "stream"), Probe(bootstrap)
        self.jobs = [
            writer,
            Reader(bootstrap, writer),
            Transactions(bootstrap, "transactions"),
            *(Members(bootstrap, "stream", n) for n in range(MEMBERS)),
            Topics(bootstrap),
            Settings(bootstrap, "stream"),
            SlowReaders(bootstrap, "large"),
            Attackers(bootstrap),
            probe,
        ]
        for job in self.jobs:
            job.start()
        return Watch(self.broker.running, self.broker.data_dir, probe)

    def _watch(self, watch: Watch, seconds: float) -> None:
        renamed_at = said_at = 0.0
        while watch.seconds < seconds and self.broker.running.alive():
            time.sleep(SAMPLE_SECONDS)
            line = watch.sample()
            if watch.seconds >= said_at + 30 and not self._quiet:
                said_at = watch.seconds
                print(f"{said_at:4.0f} s  {line}", flush=True)
            if watch.seconds >= renamed_at + SIGHUP_SECONDS:
                renamed_at = watch.seconds
                self._renamed += 1
                self._log.rename(self._log.with_suffix(f".{self._renamed}"))
                self.broker.running.signal(signal.SIGHUP)

    def _report(self, watch: Watch, warm_up: float) -> list[str]:
        """Print the table; what is amiss."""
        lines = watch.lines(warm_up)
        _table(FIGURE_HEAD, [line.cells for line in lines])
        print(f"slowest of the small requests: {watch.slowest_ms:.0f} ms\n")
        done = [(job.name, str(job.done), str(len(job.troubles))) for job in self.jobs]
        _table(("LOAD", "DONE", "TROUBLES"), done)
        amiss = [f"{line.cells[0]} grows" for line in lines if line.grows]
        for job in self.jobs:
            amiss += [f"{job.name}: {trouble}" for trouble in job.troubles]
            if not job.done:
                amiss.append(f"{job.name}: nothing was done")
        return amiss

    def _errors(self) -> list[str]:
        """Lines of the broker's log that report an error."""
        logs = sorted(self._log.parent.glob("broker.*"))
        found = [
            f"{path.name}: {line}"
            for path in (*logs, self.broker.log)
            for line in path.read_text(errors="replace").splitlines()
            if any(word in line for word in ERRORS)
        ]
        if not self._log.exists():
            found.append("no log was reopened on SIGHUP")
        return found[:20]


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Print it; the first column is of names, the others of figures."""
    columns = zip_longest(head, *rows, fillvalue="")
    widths = [max(map(len, column)) for column in columns]
    for first, *others in (head, *rows):
        cells = [text.rjust(width) for text, width in zip(others, widths[1:], strict=False)]
        print("  ".join((first.ljust(widths[0]), *cells)).rstrip())
    print()


def main() -> int:
    """Run; 0 if nothing is amiss."""
    args = options()
    top = args.dir or Path(tempfile.mkdtemp(prefix="soak-"))
    soak = Soak(top, quiet=args.quiet)
    try:
        amiss = soak.run(args.minutes * 60)
    finally:
        soak.broker.close()
    for each in amiss:
        print(each)
    if amiss:
        print(f"FAILED: {len(amiss)} amiss; logs and data in {top}")
        return 1
    print(f"PASSED: {args.minutes:g} minutes; nothing grows, nothing is lost, no error is logged")
    if args.dir is None:
        shutil.rmtree(top)
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    with suppress(OSError):
        os._exit(code)  # clients' threads that hang keep nobody waiting
