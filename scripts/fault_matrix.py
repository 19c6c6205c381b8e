"""Break a cluster of three brokers under a load with acks=all, mend it, check every record; again.

scripts/fault_matrix                         each fault once
scripts/fault_matrix --seed 7 --minutes 60   faults drawn by that seed, for an hour
scripts/fault_matrix --secure --minutes 10   Apache's brokers among ours, SASL_SSL, access rules

Exit 1 at the first record that is lost, doubled or changed, at a transaction that is copied in part
or twice, a commit that is forgotten, or when the cluster does not recover or holds more files,
threads, tasks and memory from round to round; logs and data are left in the directory that is named
then. The same seed draws the same faults and victims; what the machine does meanwhile is not
repeated. Needs Java and PySpark (for ZooKeeper), and root for disks that fill up; without, brokers
only get the error that theirs is full.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.cluster.faults import FAULTS, run_fault  # noqa: E402
from tests.support.cluster.faulty_cluster import FaultyCluster, Vitals  # noqa: E402
from tests.support.cluster.secured_faulty import SecuredFaultyCluster  # noqa: E402

ROUNDS_PER_CLUSTER, ROUNDS_PER_SECURED = 25, 8
"""A new cluster after so many rounds."""
APACHE = ((0,), (1, 2))
"""Which brokers are Apache Kafka's in one secured cluster and in the next."""
MOST = Vitals(pid=0, fds=120, threads=24, tasks=20, rss=96 << 20)
"""What a broker may hold after a round whose topics are gone; they begin at about half of it."""


class Round(NamedTuple):
    """What is drawn before it begins."""

    number: int
    fault: str
    seed: int

    @property
    def topic(self) -> str:
        """Its topic's name."""
        return f"round-{self.number}-{self.fault}"


def options() -> argparse.Namespace:
    """The command line."""
    summary, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        "scripts/fault_matrix",
        description=summary,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=1, help="what is drawn (default 1)")
    parser.add_argument("--minutes", type=float, help="how long; without: each fault once")
    parser.add_argument("--only", nargs="+", choices=sorted(FAULTS), metavar="FAULT",
                        help="only these: " + ", ".join(sorted(FAULTS)))  # fmt: skip
    parser.add_argument("--round-seed", type=int,
                        help="the seed of each round, to repeat one that failed")  # fmt: skip
    parser.add_argument("--secure", nargs="?", const="SCRAM-SHA-512", metavar="MECHANISM",
                        choices=("SCRAM-SHA-512", "PLAIN"),
                        help="brokers of Apache Kafka's among ours, SASL_SSL everywhere, clients "
                        "under rules; brokers log in by SCRAM-SHA-512 or PLAIN")  # fmt: skip
    parser.add_argument("--no-mounts", action="store_true",
                        help="mount nothing: brokers get errors of a full disk")  # fmt: skip
    parser.add_argument("--dir", type=Path, help="where to work (default: a new directory)")
    return parser.parse_args()


def rounds(args: argparse.Namespace) -> Iterator[Round]:
    """All of them; the last begins before the time is over."""
    names = args.only or sorted(FAULTS)
    draw = random.Random(args.seed)
    end = time.monotonic() + (args.minutes or 0) * 60
    number = 0
    while args.minutes is None or time.monotonic() < end:
        if args.minutes is None and number == len(names):
            return
        name = names[number] if args.minutes is None else draw.choice(names)
        drawn = draw.randrange(1 << 31)
        yield Round(number, name, drawn if args.round_seed is None else args.round_seed)
        number += 1


class Matrix:
    """The rounds of one run, on one cluster after the other in ``top``."""

    def __init__(self, top: Path, mounts: bool, mechanism: str | None) -> None:
        """``mechanism``: by which brokers log in; None for clusters that take everybody."""
        self.top, self.place, self._mounts, self._mechanism = top, top, mounts, mechanism
        self.cluster: FaultyCluster | None = None
        self.passed: Counter[str] = Counter()
        self.records = 0
        self.seconds: list[float] = []
        self.most = Vitals(0, 0, 0, 0, 0)

    def run(self, one: Round) -> None:
        """One round, and what it left behind. AssertionError if anything is amiss."""
        cluster = self._cluster(one.number)
        began = time.monotonic()
        records = run_fault(cluster, one.fault, one.topic, one.seed, more=True)
        took = time.monotonic() - began
        cluster.delete_topics([one.topic, f"{one.topic}-in", f"{one.topic}-out"])
        held = Vitals(*(max(column) for column in zip(*cluster.vitals().values(), strict=True)))
        print(
            f"{one.number:4} {one.fault:22} {one.seed:10} {records:8} records {took:6.1f} s  "
            f"{held.fds} files, {held.threads} threads, {held.tasks} tasks, {held.rss >> 20} MiB",
            flush=True,
        )
        assert all(have <= most for have, most in zip(held[1:], MOST[1:], strict=True)), held
        self.most = Vitals(*map(max, self.most, held))
        self.passed[one.fault] += 1
        self.records += records
        self.seconds.append(took)

    def _cluster(self, number: int) -> FaultyCluster:
        most = ROUNDS_PER_CLUSTER if self._mechanism is None else ROUNDS_PER_SECURED
        if self.cluster is None or number % most == 0:
            self.close()
            if self.place != self.top:
                shutil.rmtree(self.place)
            self.place = self.top / f"cluster-{number // most}"
            self.cluster = self._made(number // most)
            self.cluster.start()
        return self.cluster

    def _made(self, number: int) -> FaultyCluster:
        if self._mechanism is None:
            return FaultyCluster(self.place, mounts=self._mounts)
        apache = APACHE[number % len(APACHE)]
        print(f"     brokers {', '.join(map(str, apache))} are Apache Kafka's", flush=True)
        return SecuredFaultyCluster(
            self.place, mechanism=self._mechanism, apache=apache, mounts=self._mounts
        )

    def close(self, *, keep: bool = False) -> None:
        """End the cluster; ``keep``: its data are to be looked at."""
        if self.cluster is not None:
            self.cluster.close(keep=keep)
            self.cluster = None

    def summary(self) -> str:
        """What was seen."""
        if not self.passed:
            return "no round was finished"
        counts = ", ".join(f"{count} {name}" for name, count in sorted(self.passed.items()))
        most = self.most
        return (
            f"{self.passed.total()} rounds ({counts}), {self.records} records: nothing "
            "acknowledged lost, no offset given twice, transactions whole, commits kept; longest "
            f"round {max(self.seconds):.0f} s; at most {most.fds} files, {most.threads} threads, "
            f"{most.tasks} tasks, {most.rss >> 20} MiB in a broker"
        )


def main() -> int:
    """Run; 0 if all held."""
    args = options()
    top = args.dir or Path(tempfile.mkdtemp(prefix="fault-matrix-"))
    matrix = Matrix(top, not args.no_mounts, args.secure)
    one = None
    try:
        for one in rounds(args):
            matrix.run(one)
    except KeyboardInterrupt:
        print("interrupted")
    except Exception:
        traceback.print_exc()
        matrix.close(keep=True)
        print(matrix.summary())
        print(f"FAILED: {one}; logs and data in {matrix.place}")
        return 1
    finally:
        matrix.close()
    print(matrix.summary())
    shutil.rmtree(matrix.top)
    return 0


if __name__ == "__main__":
    sys.exit(main())
