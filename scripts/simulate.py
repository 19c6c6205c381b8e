"""Runs the simulation of a cluster (``tests/support/simulated``) for many seeds.

Each seed runs in a process of its own, with string hashes that are the same every time: a seed that
fails does so again. Its rule, its last events and its traceback are shown; once it is understood,
put it into ``KEPT`` of ``tests/unit/broker/runtime/test_simulation.py``. With ``--bugs`` it plants
known bugs in the rules, one after the other, and prints which seed catches each.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections.abc import Sequence
from functools import partial
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pykafka_ops.broker.handlers import ROUTES
from pykafka_ops.wire.apis import APIS
from tests.support.simulated.bugs import BUGS, planted
from tests.support.simulated.course import Course
from tests.support.simulated.world import TROUBLE_S, World

LAST_LINES = 30
"""Things that happened last that are shown of a run that fails."""

PROGRESS = 50
"""It prints how far it is after so many seeds."""


def load() -> None:
    """Import what a broker imports at first use: once for all seeds."""
    for route in ROUTES.values():
        route.load()
    for spec in APIS.values():
        _ = spec.request


def run(seed: int, seconds: float, bug: str = "") -> str:
    """One run; what it broke, empty if all went well."""
    with planted(bug):
        world = World(seed, seconds)
        try:
            Course(world).run()
        except BaseException as error:
            trace = traceback.format_exc()
            last = "\n".join(world.history[-LAST_LINES:])
            return f"{type(error).__name__}: {error}\n{last}\n{trace}"
    return ""


def catch(bug: str, *, seeds: Sequence[int], seconds: float) -> bool:
    """Whether a planted bug is caught soon; prints by which seed and rule."""
    for seed in seeds:
        found = run(seed, seconds, bug)
        if found:
            print(f"{bug}: seed {seed}: {found.splitlines()[0][:150]}", flush=True)
            return True
    print(f"{bug}: not caught in {len(seeds)} seeds", flush=True)
    return False


def check(seed: int, *, seconds: float) -> bool:
    """Whether a seed runs well; prints what it breaks."""
    found = run(seed, seconds)
    if found:
        print(f"seed {seed} fails: {found}", flush=True)
    return not found


def check_all(pool: Pool, seeds: Sequence[int], seconds: float) -> list[int]:
    """The seeds that fail; prints now and then how far it is."""
    failed = []
    results = pool.imap(partial(check, seconds=seconds), seeds)
    for done, (seed, well) in enumerate(zip(seeds, results, strict=True), 1):
        if not well:
            failed.append(seed)
        if done % PROGRESS == 0:
            print(f"{done} of {len(seeds)} seeds", flush=True)
    return failed


def main() -> int:
    """The exit code: 1 if a seed failed, or a planted bug was not caught."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100, help="how many (default: 100)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--these", nargs="+", type=int, metavar="SEED", help="these seeds only")
    parser.add_argument(
        "--seconds",
        type=float,
        default=TROUBLE_S,
        help=f"virtual seconds in which things go wrong (default: {TROUBLE_S:g})",
    )
    parser.add_argument("--jobs", type=int, default=1, help="seeds at a time (default: 1)")
    parser.add_argument("--bugs", nargs="*", help="plant these (default: all) and catch them")
    options = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # sets of strings must have one order
        os.execve(
            sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"}
        )
    load()
    begun = time.monotonic()
    seeds = options.these or range(options.first, options.first + options.seeds)
    processes = get_context("fork").Pool(options.jobs, maxtasksperchild=1)  # each leaves nothing
    with processes as pool:
        if options.bugs is not None:
            unknown = set(options.bugs) - set(BUGS)
            if unknown:
                parser.error(
                    f"no such bugs: {', '.join(sorted(unknown))}; there are {', '.join(BUGS)}"
                )
            one = partial(catch, seeds=seeds, seconds=options.seconds)
            return 0 if all(pool.map(one, options.bugs or BUGS, chunksize=1)) else 1
        failed = check_all(pool, seeds, options.seconds)
    seconds = time.monotonic() - begun
    print(f"{len(seeds)} seeds, {len(failed)} failed {failed or ''} in {seconds:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
