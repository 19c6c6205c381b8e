"""Heavy keys of real records: does ``pko spark skew`` find them, in what time and memory?

    .venv/bin/python -m scripts.benchmarks.spark_records --records 100000000 --keys 1000000

Writes a topic of 12 partitions into a directory of its own: batches of 1,000 records, with an
index. One key has a twentieth of all records, eight have a hundredth each, the rest is drawn from
``--keys``. Some batches are made, and written again and again with other offsets, so that the count
of each key is known. Prints a line of JSON; the exit code is 1 where a count is not within the
error that the report states, or a heavy key is not found; with ``--sample``, where a share is not
within twice its band, which by chance one of some 3,000 is not.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from struct import Struct
from typing import Any, Final

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.names import partition_dir, segment_file
from pykafka_ops.disk.record import Record
from scripts.benchmarks.spark_cluster import add_engine, engine_words, ran

NOW: Final = 1_800_000_000_000
TOPIC: Final = "events"
PARTITIONS: Final = 12
IN_BATCH: Final = 1_000
MADE: Final = 240
"""Batches that differ."""
SEGMENT_BYTES: Final = 1 << 30
VALUE: Final = bytes(range(40))
HOT: Final = {b"hot-0": 0.05, **{b"hot-%d" % n: 0.01 for n in range(1, 9)}}
"""Share of all records by key."""
_OFFSET: Final = Struct(">q")
_ENTRY: Final = Struct(">ii")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/benchmarks/spark_records", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--keys", type=int, default=1_000_000)
    add_engine(parser)
    parser.add_argument("--sample", help="count keys in a sample: 1%%")
    parser.add_argument("--folder", help="where to write (default: the system's temporary one)")
    return parser.parse_args()


def draw(random: Random, keys: int) -> bytes:
    """The key of a record."""
    at = random.random()
    for key, share in HOT.items():
        if at < share:
            return key
        at -= share
    return b"key-%d" % random.randrange(keys)


def batches(keys: int) -> tuple[list[bytes], list[Counter[bytes]]]:
    """The batches, from offset 0 on, and how often each has a key."""
    random, made, counts = Random(1), [], []
    for _ in range(MADE):
        drawn = [draw(random, keys) for _ in range(IN_BATCH)]
        records = [Record(n, NOW - IN_BATCH + n, key, VALUE, ()) for n, key in enumerate(drawn)]
        made.append(bytes(build_batch(records, base_offset=0)))
        counts.append(Counter(drawn))
    return made, counts


def write(root: Path, number: int, made: list[bytes], turns: range) -> None:
    """The log of one partition: a batch of ``made`` for each of ``turns``."""
    log = root / partition_dir(TOPIC, number)
    log.mkdir()
    each = SEGMENT_BYTES // max(map(len, made))
    for first in range(0, len(turns), each):
        path = log / segment_file(first * IN_BATCH)
        write_segment(path, first, [made[turn % MADE] for turn in turns[first : first + each]])


def write_segment(path: Path, first: int, batches: list[bytes]) -> None:
    """A segment with an index that has every batch; ``first`` is the number of the first in its
    log. What is patched, the base offset, is not covered by the CRC."""
    position = 0
    with path.open("wb") as out, path.with_suffix(".index").open("wb") as index:
        for number, data in enumerate(batches):
            out.write(_OFFSET.pack((first + number) * IN_BATCH))
            out.write(memoryview(data)[_OFFSET.size :])
            index.write(_ENTRY.pack((number + 1) * IN_BATCH - 1, position))
            position += len(data)


def astray(row: dict[str, Any], share: float) -> list[str]:
    """What the share of a key in a sample is wrong about."""
    if row["share"] is None:
        return [f"{row['key']} is not told from noise"]
    reach = (row["share_high"] - row["share_low"]) / 2
    if abs(row["share"] - share) <= 2 * reach:
        return []
    return [f"{row['key']}: {row['share']:.4f}, give or take {reach:.4f}, not {share:.4f}"]


def wrong(report: dict[str, Any], total: int, truth: Counter[bytes], payload: int) -> list[str]:
    """What of a report is not so; ``payload`` are the bytes of all keys and values."""
    found = []
    sections = report["sections"]
    records = sum(row["records"] for row in sections["topics"]["rows"])
    if records != total:
        found.append(f"{records} records, not {total}")
    rows = {row["key"]: row for row in sections["keys"]["rows"]}
    for key in HOT:
        row = rows.get(key.decode())
        if row is None:
            found.append(f"{key.decode()} is not among the heavy keys")
            continue
        size = len(key) + len(VALUE)
        if row["basis"] != "all":
            found += astray(row, truth[key] * size / payload)
            continue
        least, most = row["bytes"], row["bytes"] + (row["error"] or 0)
        if not least <= truth[key] * size <= most:
            found.append(f"{key.decode()}: {least} to {most} bytes, not {truth[key] * size}")
    return found


def main() -> int:
    asked = arguments()
    total = asked.records // IN_BATCH
    with tempfile.TemporaryDirectory(prefix="pko-records-", dir=asked.folder) as folder:
        root, begin = Path(folder), time.monotonic()
        made, counts = batches(asked.keys)
        truth: Counter[bytes] = Counter()
        payload = total * IN_BATCH * len(VALUE)
        written = [0] * MADE
        for number in range(PARTITIONS):
            turns = range(number * total // PARTITIONS, (number + 1) * total // PARTITIONS)
            write(root, number, made, turns)
            for turn in turns:
                written[turn % MADE] += 1
        for count, times in zip(counts, written, strict=True):
            truth.update({key: count[key] * times for key in HOT})
            payload += times * sum(len(key) * held for key, held in count.items())
        writing = time.monotonic() - begin
        argv = [sys.executable, "-m", "pykafka_ops", "spark", "skew", str(root), "-o", "json",
                "--now", str(NOW), *engine_words(asked),
                *(["--sample", asked.sample] if asked.sample else [])]  # fmt: skip
        size = sum(path.stat().st_size for path in root.rglob("*.log"))
        with tempfile.TemporaryFile("w+") as out:
            code, seconds, watched = ran(argv, out)
            out.seek(0)
            report = json.load(out) if code == 0 else None
    problems, read = [f"exit code {code}"], {}
    if report is not None:
        problems = wrong(report, total * IN_BATCH, truth, payload)
        read = report["source"]["read"]
    spent = watched.seconds()["all"]
    line = {
        "records": total * IN_BATCH, "keys": len(set().union(*counts)), "engine": asked.engine,
        "sample": asked.sample, "log_mb": size >> 20,
        "read_mb": {what: plan["bytes"] >> 20 for what, plan in read.items()},
        "written_seconds": round(writing, 1), "seconds": round(seconds, 1),
        "cpu_seconds": round(spent, 1), "cpu_us_each": round(spent / total / IN_BATCH * 1e6, 2),
        **{f"{name}_mb": mb for name, mb in sorted(watched.mb.items())},
        "load": round(os.getloadavg()[0], 1), "wrong": problems,
    }  # fmt: skip
    print(json.dumps(line))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
