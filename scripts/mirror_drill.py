"""Mirror clusters into each other under load, kill -9 mirrors and brokers at random, compare all.

scripts/mirror_drill                                   every pair, both ways at once, 10 minutes
scripts/mirror_drill --pairs 'ours->apache3' --minutes 2 --seed 7

Clusters: ours, apache3 (Apache Kafka 3.9.1 with ZooKeeper), apache4 (4.3.1 without). A pair A<->B
is a link in each direction, with a prefix and exactly once. Producers write in every codec, plain,
idempotent and in transactions, into topics that are compacted, stamped by the broker, trimmed by
DeleteRecords, and deleted and made anew. Then the load stops, and once `pko mirror status` says
that everything is copied, each record of both sides is compared by a consumer of librdkafka, and
by `pko audit`; last, audit itself must tell planted losses, duplicates, alterations and moved
records by their offsets and keys.

Exit 1 at anything that is amiss; logs and data are left in the directory that is named then. The
same seed draws the same records, kills and victims; what the machine does meanwhile is not
repeated. Needs Java.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.drill.drill import DrillTerms, MirrorDrill  # noqa: E402
from tests.support.drill.links import DrillPair  # noqa: E402
from tests.support.drill.sites import ALIASES  # noqa: E402

ALL = ("ours<->apache3", "ours<->apache4", "apache3<->apache4")


def options() -> argparse.Namespace:
    """The command line."""
    summary, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        "scripts/mirror_drill",
        description=summary,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pairs", nargs="+", type=_pair, default=[_pair(text) for text in ALL],
                        metavar="PAIR", help="A->B or A<->B (default: all, both ways)")  # fmt: skip
    parser.add_argument("--minutes", type=float, default=10.0, help="of load (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn (default 1)")
    parser.add_argument("--kill-every", type=float, default=10.0, metavar="SECONDS",
                        help="between two kills, on average (default 10)")  # fmt: skip
    parser.add_argument("--processes", type=int, default=2,
                        help="that share the work of a pair (default 2)")  # fmt: skip
    parser.add_argument("--dir", type=Path, help="where to work (default: a new directory)")
    return parser.parse_args()


def _pair(text: str) -> DrillPair:
    try:
        return DrillPair.of(text, ALIASES)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _amiss(drill: MirrorDrill) -> list[str]:
    try:
        return drill.run()
    except Exception:
        return [traceback.format_exc()]
    finally:
        drill.close()


def main() -> int:
    """Run; 0 if nothing is amiss."""
    args = options()
    top = args.dir or Path(tempfile.mkdtemp(prefix="mirror-drill-"))
    terms = DrillTerms(args.pairs, args.minutes * 60, args.seed, args.kill_every, args.processes)
    begun = time.monotonic()
    drill = MirrorDrill(
        terms, top, lambda line: print(f"{time.monotonic() - begun:5.0f} s  {line}", flush=True)
    )
    amiss = _amiss(drill)
    for alias, load in drill.loads.items():
        print(f"{alias}: {', '.join(f'{name} {n}' for name, n in load.figures().items())}")
    kills = ", ".join(f"{count} {name}" for name, count in sorted(drill.kills.items()))
    print(f"{drill.kills.total()} kills: {kills}")
    for each in amiss:
        print(each)
    if amiss:
        print(f"FAILED: {len(amiss)} amiss; seed {args.seed}, logs and data in {top}")
        return 1
    print(f"PASSED: {args.minutes:g} minutes, seed {args.seed}: nothing is lost, doubled, altered")
    if args.dir is None:
        shutil.rmtree(top)
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    with suppress(OSError):
        os._exit(code)  # clients' threads that hang keep nobody waiting
