"""Break a cluster of three brokers under a load with acks=all, mend it, check every record; again.

scripts/fault_matrix                         each fault once
scripts/fault_matrix --seed 7 --minutes 60   faults drawn by that seed, for an hour

Exit 1 at the first record that is lost, doubled or changed, or when the cluster does not recover;
logs and data are left in the directory that is named then. The same seed draws the same faults and
victims; what the machine does meanwhile is not repeated. Needs Java and PySpark (for ZooKeeper).
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.faults import FAULTS, run_fault  # noqa: E402
from tests.support.faulty_cluster import FaultyCluster  # noqa: E402

TOPICS_PER_CLUSTER = 25
"""A new cluster after so many rounds: each leaves a topic behind."""


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
    parser.add_argument("--dir", type=Path, help="where to work (default: a new directory)")
    return parser.parse_args()


def rounds(args: argparse.Namespace) -> Iterator[tuple[int, str, int]]:
    """Number, fault and seed of each round."""
    names = args.only or sorted(FAULTS)
    draw = random.Random(args.seed)
    end = time.monotonic() + (args.minutes or 0) * 60
    number = 0
    while args.minutes is None or time.monotonic() < end:
        if args.minutes is None and number == len(names):
            return
        name = names[number] if args.minutes is None else draw.choice(names)
        yield number, name, draw.randrange(1 << 31)
        number += 1


def main() -> int:
    """Run; 0 if all held."""
    args = options()
    top = args.dir or Path(tempfile.mkdtemp(prefix="fault-matrix-"))
    cluster: FaultyCluster | None = None
    place, passed, name = top, 0, "start"
    try:
        for number, name, seed in rounds(args):
            if number % TOPICS_PER_CLUSTER == 0:
                if cluster is not None:
                    cluster.close()
                    shutil.rmtree(place)
                place = top / f"cluster-{number // TOPICS_PER_CLUSTER}"
                cluster = FaultyCluster(place)
                cluster.start()
            assert cluster is not None
            began = time.monotonic()
            records = run_fault(cluster, name, f"round-{number}-{name}", seed, copies=True)
            took = time.monotonic() - began
            print(f"{number:4} {name:20} {records:8} records  {took:6.1f} s", flush=True)
            passed += 1
    except KeyboardInterrupt:
        print(f"interrupted after {passed} rounds")
    except Exception:
        traceback.print_exc()
        print(f"FAILED in round {passed}, {name}, seed {args.seed}; logs and data in {place}")
        return 1
    finally:
        if cluster is not None:
            cluster.close()
    print(f"{passed} rounds, nothing acknowledged lost, no offset given twice")
    shutil.rmtree(top)
    return 0


if __name__ == "__main__":
    sys.exit(main())
