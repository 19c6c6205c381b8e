"""`pko dump-log find` finds what Apache Kafka's own tool printed of the same segments."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pykafka_ops import cli
from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.build import assemble, build_batch
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

    @property
    def matches(self) -> list[dict[str, Any]]:
        """The matches of ``-o json``."""
        return [row for row in map(json.loads, self.out.splitlines()) if row["kind"] == "match"]

    @property
    def offsets(self) -> list[int]:
        """Their offsets."""
        return [row["offset"] for row in self.matches]


Find = Callable[..., Answer]


@pytest.fixture
def find(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Find:
    monkeypatch.delenv("PKO_OUTPUT", raising=False)

    def call(*words: object, form: str = "json") -> Answer:
        code = cli.main(["dump-log", "find", *map(str, words), "-o", form])
        got = capsys.readouterr()
        return Answer(code, got.out, got.err)

    return call


def expected(case: str, wanted: Callable[[Printed], bool]) -> list[tuple[str, int, int]]:
    """(file, position of the batch, offset) of the records that Kafka printed and are wanted."""
    return [(r.file, r.position, r.offset) for r in printed(case)[1] if wanted(r)]


def places(answer: Answer) -> list[tuple[str, int, int]]:
    return [(Path(r["file"]).name, r["position"], r["offset"]) for r in answer.matches]


@pytest.mark.parametrize("case", READABLE)
def test_keys_are_found_where_kafka_printed_them(find: Find, case: str) -> None:
    keys = {record.key for record in printed(case)[1] if record.key}
    for key in [*sorted(keys)[:4], "k1", "1"]:
        want = expected(case, lambda r, key=key: r.key == key)
        got = find(SEGMENTS / case, f"--key={key}")
        assert places(got) == want
        assert got.code == (0 if want else 1)


@pytest.mark.parametrize("case", READABLE)
@each("pattern", ["^clai", "s p?o?s?t", "(orders|quotes) .*s$", "zzz+", "[aeiou]d"])
def test_texts_are_found_where_kafka_printed_them(find: Find, case: str, pattern: str) -> None:
    def wanted(record: Printed) -> bool:
        return record.value is not None and re.search(pattern, record.value) is not None

    assert places(find(SEGMENTS / case, "--value-regex", pattern)) == expected(case, wanted)


@pytest.mark.parametrize("case", READABLE)
def test_offsets_and_times_are_found_with_indexes_and_without(
    find: Find, case: str, tmp_path: Path
) -> None:
    bare = tmp_path / "bare-0"
    bare.mkdir()
    for path in (SEGMENTS / case).glob("*.log"):
        shutil.copy(path, bare)
    records = printed(case)[1]
    middle = records[len(records) // 2]
    first, last = middle.offset, middle.offset + 5
    want = expected(case, lambda r: first <= r.offset <= last)
    for folder in (SEGMENTS / case, bare):
        assert places(find(folder, "--offset", f"{first}..{last}")) == want
    if middle.timestamp >= 0:
        start, end = middle.timestamp - 700, middle.timestamp + 700
        want = expected(case, lambda r: start <= r.timestamp <= end)
        for folder in (SEGMENTS / case, bare):
            assert places(find(folder, "--time", f"{start}..{end}")) == want


@pytest.mark.parametrize("case", ["v2-idempotent", "v2-transactions", "v2-java"])
def test_producers_and_headers_are_found(find: Find, case: str) -> None:
    records = printed(case)[1]
    for producer in {r.producer_id for r in records if r.producer_id >= 0} | {987654}:
        got = find(SEGMENTS / case, "--producer-id", producer)
        assert places(got) == expected(case, lambda r, p=producer: r.producer_id == p)
        assert all(row["producer_id"] == producer for row in got.matches)
    for name in {name for r in records for name in r.headers} | {"nothing"}:
        got = find(SEGMENTS / case, "--header", name)
        assert places(got) == expected(case, lambda r, n=name: n in r.headers)


def test_markers_are_shown_as_such_and_hold_no_keys(find: Find) -> None:
    markers = [r.offset for r in printed("v2-transactions")[1] if r.control]
    got = find(SEGMENTS / "v2-transactions", "--offset", f"0..{markers[-1]}")
    assert [row["offset"] for row in got.matches if row["control"]] == markers
    assert {row["control"] for row in got.matches} == {"COMMIT", "ABORT", None}
    assert not any(
        r["control"] for r in find(SEGMENTS / "v2-transactions", "--key-regex", "").matches
    )


def test_all_that_is_asked_must_hold(find: Find, tmp_path: Path) -> None:
    headers = (("trace", b"7"), ("empty", None))
    records = [
        Record(0, 1000, b"a", b"one", headers),
        Record(1, 2000, b"a", b"two", (("trace", b"8"),)),
        Record(2, 3000, b"b", b"two", headers),
        Record(3, 4000, None, None),
    ]
    (tmp_path / NAME).write_bytes(build_batch(records))
    assert find(tmp_path, "--key", "a", "--header", "trace=7").offsets == [0]
    assert find(tmp_path, "--header", "trace").offsets == [0, 1, 2]
    assert find(tmp_path, "--header", "empty", "--header", "trace=7").offsets == [0, 2]
    assert find(tmp_path, "--key", "a", "--value-regex", "w").offsets == [1]
    assert find(tmp_path, "--time", "1000..2000", "--offset", "1..").offsets == [1]
    assert find(tmp_path, "--key", "a", "--time", "..1999").offsets == [0]


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.LZ4])
def test_positions_lead_to_the_bytes(find: Find, tmp_path: Path, codec: Codec) -> None:
    batches = [
        build_batch([Record(n + i, n + i, b"k%d" % i, b"v" * i) for i in range(300)],
                    base_offset=n, codec=codec)
        for n in (0, 300, 600)
    ]  # fmt: skip
    data = b"".join(map(bytes, batches))
    (tmp_path / NAME).write_bytes(data)
    got = find(tmp_path, "--key-regex", "^k(7|250)$").matches
    assert [row["offset"] for row in got] == [7, 250, 307, 550, 607, 850]
    for row in got:
        assert data[row["position"] : row["position"] + 8] == row["base_offset"].to_bytes(8, "big")
        if codec:
            assert row["record_position"] is None
        else:
            record = data[row["record_position"] : row["record_position"] + 16]
            assert row["key"].encode() in record


def test_only_segments_that_can_hold_an_offset_are_read(find: Find, tmp_path: Path) -> None:
    folder = tmp_path / "t-3"
    folder.mkdir()
    for base in (0, 10, 20):
        batch = build_batch([Record(base + i, 5, b"k", b"v") for i in range(10)], base_offset=base)
        (folder / f"{base:020}.log").write_bytes(batch)
    (folder / f"{0:020}.log").write_bytes(b"garbage of a segment that does not matter")
    got = find(folder, "--offset", "15")
    assert (got.code, got.offsets, got.err) == (0, [15], "")
    assert got.matches[0]["topic"] == "t" and got.matches[0]["partition"] == 3


@pytest.mark.parametrize("what", ["wrong-position", "mid-batch", "offset-backwards"])
def test_an_index_that_lies_hides_nothing(find: Find, what: str) -> None:
    case = SEGMENTS / f"damage-index-{what}"
    for offset in range(107):
        assert find(case / NAME, "--offset", offset).offsets == [offset]


@pytest.mark.parametrize("what", ["last-small", "out-of-order", "wrong-offset", "truncated"])
def test_a_time_index_that_lies_hides_nothing(find: Find, what: str) -> None:
    case = SEGMENTS / f"damage-timeindex-{what}"
    for record in printed("v2-none")[1][::7]:
        got = find(case, "--time", record.timestamp, "--offset", record.offset)
        assert got.offsets == [record.offset]


@pytest.mark.parametrize(
    "case", ["v2-none", "v2-gzip", "v2-compacted", "v1-none", "v2-log-append-time"]
)
def test_indexes_damaged_at_random_hide_nothing(find: Find, case: str, tmp_path: Path) -> None:
    chance = random.Random(case)
    records = printed(case)[1]
    folder = tmp_path / "t-0"
    shutil.copytree(SEGMENTS / case, folder)
    for _ in range(60):
        for path in SEGMENTS.joinpath(case).glob("*index"):
            data = bytearray(path.read_bytes())
            for _ in range(chance.randrange(4) if data else 0):
                at = chance.randrange(len(data))
                data[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
                data = data or bytearray(1)
            (folder / path.name).write_bytes(data)
        one = chance.choice(records)
        late = [r.offset for r in records if r.timestamp >= one.timestamp]
        assert find(folder, "--offset", one.offset).offsets == [one.offset]
        assert find(folder, "--time", f"{one.timestamp}..").offsets == late


def test_damage_is_told_and_what_lies_behind_it_is_found(find: Find) -> None:
    got = find(SEGMENTS / "damage-bad-magic", "--offset", "0..")
    lost = {r.offset for r in printed("v2-none")[1] if (r.file, r.position) == (NAME, 1183)}
    assert got.code == 4 and len(lost) > 3
    assert got.offsets == [r.offset for r in printed("v2-none")[1] if r.offset not in lost]
    (damage,) = [r for r in map(json.loads, got.out.splitlines()) if r["kind"] == "damage"]
    assert (damage["position"], damage["size"], damage["reason"]) == (1183, 531, "unknown magic 9")
    assert "damage at byte 1183: unknown magic 9; 531 bytes skipped" in got.err
    assert find(SEGMENTS / "damage-bad-magic", "--key", "no such").code == 4


def test_records_that_a_right_crc_hides_are_damage(find: Find, tmp_path: Path) -> None:
    good = build_batch([Record(0, 1, b"k", b"v" * 9), Record(1, 2, b"k", b"v" * 9)])
    payload = bytearray(good[61:])
    payload[len(payload) // 2] = 60
    after = build_batch([Record(2, 3, b"k", b"v")], base_offset=2)
    (tmp_path / NAME).write_bytes(assemble(read_header(good), payload) + after)
    got = find(tmp_path, "--key", "k")
    assert (got.code, got.offsets) == (4, [0, 2])
    assert "Invalid record size" in got.err


def test_max_count_and_names(find: Find) -> None:
    case = SEGMENTS / "v2-none"
    everything = find(case, "--key-regex", "k").offsets
    assert find(case, "--key-regex", "k", "--max", 3).offsets == everything[:3]
    rows = [json.loads(x) for x in find(case, "--key-regex", "k", "--count").out.splitlines()]
    assert [Path(r["file"]).name for r in rows] == [NAME, f"{107:020}.log"]
    assert sum(r["count"] for r in rows) == len(everything)
    assert find(case, "--key", "k1", form="name").out.splitlines() == [
        str(case / NAME), str(case / f"{107:020}.log")
    ]  # fmt: skip
    none = find(case, "--key", "nothing", "--count", form="csv")
    assert none.code == 1 and none.out.splitlines()[1].endswith(f"{NAME},0")


def test_tables_and_csv_have_the_same_rows(find: Find) -> None:
    case = SEGMENTS / "v2-none"
    csv = find(case, "--key", "k1", form="csv").out.splitlines()
    assert csv[0].startswith("partition,offset,time,file,position,record_position")
    table = find(case, "--key", "k1", form="table").out.splitlines()
    assert len(csv) == len(table) == 1 + len(find(case, "--key", "k1").offsets)
    assert "2023-11-15T12:11:33.925Z" in table[1] and table[1].endswith("claims teams quotes")


def test_a_table_lets_no_control_sequence_through(find: Find, tmp_path: Path) -> None:
    record = Record(0, 1, b"k", b"\x1b[31mred\nnext\x9b")
    (tmp_path / NAME).write_bytes(build_batch([record]))
    for form in ("table", "wide"):
        out = find(tmp_path, "--key", "k", form=form).out
        assert len(out.splitlines()) == 2 and "\x1b" not in out and "\x9b" not in out


def test_keys_can_be_written_in_their_format(find: Find, tmp_path: Path) -> None:
    records = [
        Record(n, 1, (n - 2).to_bytes(8, "big", signed=True), b'{"n":%d}' % n) for n in range(5)
    ]
    (tmp_path / NAME).write_bytes(build_batch(records))
    got = find(tmp_path, "--key=-1", "--key-format", "long", "--value-format", "json")
    (row,) = got.matches
    assert (row["key"], row["key_encoding"], row["value"]) == (-1, "long", {"n": 1})
    assert find(tmp_path, "--key", "0000000000000002", "--key-format", "hex").offsets == [4]
    assert find(tmp_path, "--key-regex", "^-", "--key-format", "long").offsets == [0, 1]
    wrong = find(tmp_path, "--offset", "0", "--key-format", "int").matches[0]
    assert (
        wrong["key_encoding"] == "base64" and "IntegerDeserializer is not 4" in wrong["key_error"]
    )


def test_globs_named_files_and_leftovers(find: Find, tmp_path: Path) -> None:
    for partition in range(3):
        shutil.copytree(SEGMENTS / "v2-none", tmp_path / f"t-{partition}")
    shutil.move(tmp_path / "t-2" / NAME, tmp_path / "t-2" / f"{NAME}.deleted")
    got = find(tmp_path / "t-*", "--key", "k1")
    assert [r["partition"] for r in got.matches] == [0] * 4 + [1] * 4 + [2]
    assert len(find(tmp_path / "t-2" / f"{NAME}.deleted", "--key", "k1").offsets) == 3
    assert find(tmp_path / "t-0", tmp_path / "t-0" / NAME, "--key", "k1").offsets == [
        0,
        38,
        69,
        128,
    ]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "what to find?"),
        (("--key-regex", "("), "no regular expression"),
        (("--offset", "9..3"), "the last is before the first"),
        (("--offset", "x"), "write an offset"),
        (("--time", "yesterday"), "is not a time"),
        (("--key", "x", "--key-format", "long"), "is no long of 8 bytes"),
        (("--key", "x", "--key-format", "json"), "use --key-regex"),
        (("--key", "x", "--value-format", "xml"), "choose one of utf-8"),
        (("--key", "x", "--max", "0"), "from 1 on"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_one_line_and_code_2(
    find: Find, words: tuple[str, ...], text: str
) -> None:
    got = find(SEGMENTS / "v2-none", *words)
    assert got.code == 2 and text in got.err and got.err.count("\n") == 1 and not got.out


def test_paths_without_logs_are_told(find: Find, tmp_path: Path) -> None:
    assert "no log segments" in find(tmp_path, "--key", "k").err
    assert "no such file" in find(tmp_path / "*.log", "--key", "k").err
