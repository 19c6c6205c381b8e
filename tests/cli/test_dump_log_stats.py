"""`pko dump-log stats` and `timeline` count what Apache Kafka's own tool printed."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pykafka_ops import cli
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import Record
from tests.support.each import each
from tests.support.golden.printed import READABLE, Printed, printed
from tests.support.golden.segments import SEGMENTS

NAME = "00000000000000000000.log"


class Answer(NamedTuple):
    """What a run gave."""

    code: int
    out: str
    err: str

    def rows(self, kind: str) -> list[dict[str, Any]]:
        """The objects of ``-o json`` of one kind."""
        return [row for row in map(json.loads, self.out.splitlines()) if row["kind"] == kind]


Run = Callable[..., Answer]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.delenv("PKO_OUTPUT", raising=False)

    def call(verb: str, *words: object, form: str = "json") -> Answer:
        code = cli.main(["dump-log", verb, *map(str, words), "-o", form])
        got = capsys.readouterr()
        return Answer(code, got.out, got.err)

    return call


def data_records(case: str) -> list[Printed]:
    return [record for record in printed(case)[1] if not record.control]


@pytest.mark.parametrize("case", READABLE)
def test_counts_are_those_of_kafka(run: Run, case: str) -> None:
    batches, records = printed(case)
    data = data_records(case)
    got = run("stats", SEGMENTS / case, "--keys", 1000)
    (one,) = got.rows("partition")
    assert got.code == 0
    assert one["batches"] == len(batches) and one["bytes"] == sum(b.size for b in batches)
    assert one["records"] == len(data) and one["markers"] == len(records) - len(data)
    assert one["payload"] == sum(r.payload for r in data)
    assert one["tombstones"] == sum(r.value_size < 0 for r in data)
    assert one["largest"] == max(b.size for b in batches)
    times = [r.timestamp for r in records if r.timestamp >= 0]
    assert (one["first_timestamp"], one["last_timestamp"]) == (
        (min(times), max(times)) if times else (None, None)
    )
    sizes = Counter(1 << (b.size.bit_length() - 1) for b in batches)
    assert {row["from"]: row["batches"] for row in one["batch_sizes"]} == sizes
    keys: Counter[str | None] = Counter()
    for record in data:
        keys[record.key] += record.payload
    assert {row["key"]: row["bytes"] for row in one["keys"]} == keys
    assert [row["bytes"] for row in one["keys"]] == sorted(keys.values(), reverse=True)
    assert one["keys_error"] == 0 and one["damages"] == 0 and one["back"] == 0


@pytest.mark.parametrize("case", READABLE)
def test_offsets_left_out_are_those_that_kafka_did_not_print(run: Run, case: str) -> None:
    (one,) = run("stats", SEGMENTS / case).rows("partition")
    offsets = {r.offset for r in printed(case)[1]}
    span = range(one["first_offset"], one["last_offset"] + 1)
    assert offsets <= set(span)
    assert one["missing"] == len(span) - len(offsets) and one["lost"] == 0


def test_transactions_are_those_of_the_log(run: Run) -> None:
    for case in ("v2-transactions", "v2-transactions-open"):
        said = cli_json(run, case)
        (one,) = run("stats", SEGMENTS / case).rows("partition")
        states = Counter(row["state"] for row in said)
        assert one["committed"] == states["committed"] and one["aborted"] == states["aborted"]
        assert one["open"] == states["open"]
        assert [t["first_offset"] for t in one["open_transactions"]] == [
            row["first_offset"] for row in said if row["state"] == "open"
        ]


def cli_json(run: Run, case: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads(run("transactions", SEGMENTS / case).out)["items"]
    return items


def test_codecs_tell_how_much_they_saved(run: Run) -> None:
    (one,) = run("stats", SEGMENTS / "v2-mixed-codecs").rows("partition")
    found = {row["codec"]: row for row in one["codecs"]}
    assert found.keys() == {"none", "gzip", "snappy", "lz4", "zstd"}
    assert found["none"]["stored"] == found["none"]["plain"] and found["none"]["ratio"] == 1.0
    for row in found.values():
        assert row["ratio"] == round(row["plain"] / row["stored"], 2)
    assert sum(row["batches"] for row in found.values()) == one["batches"]


def test_without_keys_records_stay_unopened(run: Run) -> None:
    (deep,) = run("stats", SEGMENTS / "v2-gzip").rows("partition")
    (flat,) = run("stats", SEGMENTS / "v2-gzip", "--keys", 0).rows("partition")
    for name in ("records", "batches", "bytes", "missing", "last_timestamp", "batch_sizes"):
        assert flat[name] == deep[name]
    assert flat["keys"] == [] and flat["payload"] is None and flat["tombstones"] is None
    assert [row["ratio"] for row in flat["codecs"]] == [None, None]


def test_many_keys_are_counted_in_bounded_memory(run: Run, tmp_path: Path) -> None:
    with (tmp_path / NAME).open("wb") as file:
        for base in range(0, 30_000, 500):
            records = [
                Record(base + i, 1, b"hot" if i % 5 == 0 else b"k%d" % (base + i), b"v" * 90)
                for i in range(500)
            ]
            file.write(build_batch(records, base_offset=base, codec=Codec.LZ4))
    got = run("stats", tmp_path, "--keys", 1)
    (one,) = got.rows("partition")
    (row,) = one["keys"]
    assert row["key"] == "hot" and one["keys_error"] > 0
    assert row["bytes"] <= 6000 * 93 <= row["bytes"] + one["keys_error"]
    assert one["keys_error"] <= one["payload"] / 4096
    assert "too many keys to count each" in run("stats", tmp_path, form="table").err


def test_damage_is_part_of_the_answer(run: Run) -> None:
    got = run("stats", SEGMENTS / "damage-bad-magic")
    (one,), (damage,) = got.rows("partition"), got.rows("damage")
    lost = [r for r in printed("v2-none")[1] if (r.file, r.position) == (NAME, 1183)]
    assert got.code == 4 and (damage["position"], damage["size"]) == (1183, 531)
    assert (one["damages"], one["damaged"], one["lost"]) == (1, 531, len(lost))
    assert one["records"] == 160 - len(lost) and one["missing"] == 0
    assert run("stats", SEGMENTS / "damage-bad-magic", "--keys", 0).code == 4


def test_several_partitions_have_a_total(run: Run, tmp_path: Path) -> None:
    for name, case in (("a-0", "v2-none"), ("a-1", "v2-zstd"), ("b-0", "v1-gzip")):
        shutil.copytree(SEGMENTS / case, tmp_path / name)
    got = run("stats", tmp_path)
    parts, (total,) = got.rows("partition"), got.rows("total")
    assert [(p["topic"], p["partition"]) for p in parts] == [("a", 0), ("a", 1), ("b", 0)]
    for name in ("records", "bytes", "batches", "payload", "segments"):
        assert total[name] == sum(p[name] for p in parts)
    assert total["partitions"] == 3 and total["formats"] == {"v1": 24, "v2": 31}
    csv = run("stats", tmp_path, form="csv").out.splitlines()
    assert [line.split(",")[0] for line in csv] == ["partition", "a-0", "a-1", "b-0", "all"]
    assert run("stats", tmp_path, form="name").out.split() == ["a-0", "a-1", "b-0"]
    table = run("stats", tmp_path, form="table").out
    assert "BATCH-SIZE" in table and "KEY" in table and "█" not in table


# --- timeline ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", READABLE)
@each("every", [1000, 7000, None])
def test_buckets_are_those_of_a_plain_count(run: Run, case: str, every: int | None) -> None:
    words = () if every is None else ("--every", f"{every}ms")
    got = run("timeline", SEGMENTS / case, *words)
    rows = got.rows("bucket")
    step = rows[0]["length_ms"] if rows else every or 1
    assert every in (None, step)
    want: dict[int, list[int]] = {}
    for record in data_records(case):
        if record.timestamp >= 0:
            bucket = want.setdefault(record.timestamp // step * step, [0, 0])
            bucket[0] += 1
            bucket[1] += record.payload
    assert {r["start"]: [r["records"], r["bytes"]] for r in rows if r["records"]} == want
    timeless = sum(r.timestamp < 0 for r in data_records(case))
    assert (f"{timeless} records without a timestamp" in got.err) == bool(timeless)


@pytest.mark.parametrize("case", ["v2-gzip", "v1-gzip", "v2-log-append-time", "v2-transactions"])
def test_since_and_until_cut_at_the_ms(run: Run, case: str) -> None:
    times = sorted(r.timestamp for r in data_records(case))
    since, until = times[len(times) // 3], times[2 * len(times) // 3]
    rows = run("timeline", SEGMENTS / case, "--since", since, "--until", until).rows("bucket")
    assert sum(r["records"] for r in rows) == sum(since <= t <= until for t in times)


def test_a_chart_on_a_terminal_plain_rows_in_a_pipe(run: Run) -> None:
    got = run("timeline", SEGMENTS / "v2-gzip", form="table")
    assert got.out.splitlines()[0].split() == ["TIME", "RECORDS", "BYTES"] and "█" not in got.out
    leader, follower = pty.openpty()
    argv = [sys.executable, "-m", "pykafka_ops", "dump-log", "timeline", str(SEGMENTS / "v2-gzip")]
    env = {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8", "PATH": "/usr/bin"}
    child = subprocess.Popen(argv, stdout=follower, stderr=subprocess.PIPE, env=env)
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(leader)
    assert child.wait(120) == 0
    lines = shown.decode().splitlines()
    assert 10 < len(lines) <= 31 and all("█" in line for line in lines[1:])
    assert max(map(len, lines)) <= 100


def test_damage_does_not_end_the_timeline(run: Run) -> None:
    got = run("timeline", SEGMENTS / "damage-flip-v2-none")
    lost = [r for r in printed("v2-none")[1] if (r.file, r.position) == (NAME, 4885)]
    assert got.code == 4 and len(got.rows("damage")) == 1
    assert sum(r["records"] for r in got.rows("bucket")) == 160 - len(lost)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--every", "x"), "is not a length of time"),
        (("--since", "never"), "is not a time"),
        (("--since", "9", "--until", "3"), "--until 3 is before --since 9"),
    ],
)
def test_what_cannot_be_drawn_is_one_line_and_code_2(
    run: Run, words: tuple[str, ...], text: str
) -> None:
    got = run("timeline", SEGMENTS / "v2-none", *words)
    assert got.code == 2 and text in got.err and got.err.count("\n") == 1
    assert run("stats", SEGMENTS / "v2-none", "--keys=-1").code == 2
