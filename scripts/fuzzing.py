"""Feed damaged bytes to everything that reads bytes of others, until something falls over.

    scripts/fuzz                        every reader for 10 seconds
    scripts/fuzz --seconds 600 produced recovered
    scripts/fuzz --list
    scripts/fuzz --again FILE           once more, with the traceback

The readers are those of ``tests/support/fuzz/targets.py``. With ``atheris`` installed (``pip
install atheris``) and ``--atheris`` the search is guided by coverage, one reader at a time; without
it bytes of golden files are changed at random, from ``--seed`` on. What falls over, takes more than
10 seconds or more than 4 GB is kept in ``.cache/fuzz``.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import os
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
FOUND = ROOT / ".cache" / "fuzz"
MEMORY = 4 << 30
SLOW = 10


def main() -> int:
    """Run the chosen readers; 1 if one fell over."""
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("targets", nargs="*", metavar="READER")
    parser.add_argument("--seconds", type=float, default=10, help="for each reader")
    parser.add_argument("--seed", type=int, default=None, help="of the changes (default: the time)")
    parser.add_argument("--atheris", action="store_true", help="guided by coverage")
    parser.add_argument("--list", action="store_true", help="names of the readers")
    parser.add_argument("--again", type=Path, help="a file that was kept")
    asked = parser.parse_args()
    if "-fsanitize" not in os.environ.get("PKO_HOT_FLAGS", ""):  # it maps terabytes
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if asked.atheris:
        return guided(asked.targets, asked.seconds)
    from tests.support.fuzz.targets import TARGETS

    if asked.list:
        print("\n".join(TARGETS))
        return 0
    if asked.again:
        TARGETS[asked.again.name.partition(".")[0]].run(asked.again.read_bytes())
        return 0
    unknown = set(asked.targets) - set(TARGETS)
    if unknown:
        parser.error(f"no such reader: {', '.join(sorted(unknown))}; see --list")
    seed = int(time.time()) if asked.seed is None else asked.seed
    return max(hammer(name, asked.seconds, seed) for name in asked.targets or TARGETS)


# -- changed at random ---------------------------------------------------------------------------


def hammer(name: str, seconds: float, seed: int) -> int:
    """One reader for so long; 1 if it fell over, once for each place where it does."""
    from tests.support.fuzz.mutations import changed
    from tests.support.fuzz.targets import TARGETS

    target, rng = TARGETS[name], random.Random(seed)
    seeds = [data for data in target.seeds() if data]
    end, runs, places = time.monotonic() + seconds, 0, set[str]()
    while time.monotonic() < end:
        data = changed(rng, seeds)
        runs += 1
        try:
            with at_most(SLOW):
                target.run(data)
        except Exception as error:
            place = str(traceback.extract_tb(error.__traceback__)[-1][:2]) + type(error).__name__
            if place not in places:
                places.add(place)
                print(f"{name}: {error!r} at {place}, kept in {keep(name, data)}", flush=True)
    print(f"{name}: {runs} inputs from seed {seed}, fell over in {len(places)} places", flush=True)
    return 1 if places else 0


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in what takes longer."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def keep(name: str, data: bytes) -> Path:
    """Write down what a reader fell over; where."""
    FOUND.mkdir(parents=True, exist_ok=True)
    path = FOUND / f"{name}.{hashlib.sha1(data).hexdigest()[:10]}"
    path.write_bytes(data)
    return path.relative_to(ROOT)


# -- guided by coverage --------------------------------------------------------------------------


def guided(names: Sequence[str], seconds: float) -> int:
    """One reader under libFuzzer; its corpus is kept, so that it goes on where it stopped."""
    if len(names) != 1:
        print("scripts/fuzz --atheris takes one reader; see --list", file=sys.stderr)
        return 2
    try:
        atheris = importlib.import_module("atheris")
    except ImportError:
        print("scripts/fuzz: no atheris here: pip install atheris", file=sys.stderr)
        return 2
    with atheris.instrument_imports(include=["pykafka_ops"]):
        from tests.support.fuzz.targets import TARGETS

        target = TARGETS[names[0]]
    corpus = ROOT / ".cache" / "fuzz-corpus" / names[0]
    corpus.mkdir(parents=True, exist_ok=True)
    FOUND.mkdir(parents=True, exist_ok=True)
    for data in target.seeds():
        (corpus / hashlib.sha1(data).hexdigest()).write_bytes(data)
    options = (
        f"-max_total_time={int(seconds)}",
        f"-timeout={SLOW}",
        "-rss_limit_mb=4096",
        "-max_len=20000",
        f"-artifact_prefix={FOUND}/{names[0]}.",
        str(corpus),
    )
    atheris.Setup(["fuzz", *options], target.run)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
