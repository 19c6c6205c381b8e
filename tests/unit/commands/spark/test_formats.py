"""``pko spark formats``: logs whose formats and sizes are known, whole and damaged."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.cli import main
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec, compress
from pykafka_ops.disk.names import segment_file
from pykafka_ops.disk.record import Record
from pykafka_ops.spark.inputs.samples import PARTITIONS, PLACES, is_chosen, places
from tests.support.spark.damaged import damaged_places, write_damaged
from tests.support.spark.format_logs import PER_BATCH, TOPICS, write_formats

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PKO_BOOTSTRAP_SERVER", "PKO_PROFILE", "PKO_OUTPUT", "PKO_COMMAND_CONFIG"):
        monkeypatch.delenv(name, raising=False)


def formats(captured: Captured, *words: object) -> tuple[int, str, str]:
    captured.readouterr()
    code = main(["spark", "formats", *map(str, words)])
    out, err = captured.readouterr()
    return code, out, err


def document(captured: Captured, *words: object) -> dict[str, Any]:
    code, out, err = formats(captured, *words, "-o", "json")
    assert (code, err) == (0, "")
    return json.loads(out)  # type: ignore[no-any-return]


def rows(found: dict[str, Any], section: str) -> list[dict[str, Any]]:
    return found["sections"][section]["rows"]  # type: ignore[no-any-return]


def test_kinds_sizes_and_codecs_are_those_that_were_written(
    tmp_path: Path, capsys: Captured
) -> None:
    logs = write_formats(tmp_path / "logs")
    found = document(capsys, logs, "--sample", 1_000_000)
    topics = {r["topic"]: r for r in rows(found, "topics")}
    assert {t: (r["value_kind"], r["key_kind"], r["codec"]) for t, r in topics.items()} == {
        "json": ("json", "text", "none"), "avro": ("avro", "number", "lz4"),
        "protobuf": ("protobuf", "uuid", "snappy"), "noise": ("binary", "null", "zstd"),
        "mixed": ("text", "null", "gzip"),
    }  # fmt: skip
    mixed = [r for r in rows(found, "kinds") if (r["topic"], r["side"]) == ("mixed", "value")]
    assert {r["kind"]: r["share"] for r in mixed} == dict.fromkeys(
        ("number", "empty", "null", "json", "text"), pytest.approx(0.2)
    )
    assert {r["schema"] for r in rows(found, "kinds")} == {None, 7, 8}
    assert topics["avro"]["schemas"] == 1
    sizes = {(r["topic"], r["side"]): r for r in rows(found, "sizes")}
    every = [len(TOPICS["noise"].value(n) or b"") for n in range(800)]
    noise = sizes["noise", "value"]
    assert (noise["mean"], noise["largest"], noise["p99"]) == (
        301, max(every), pytest.approx(301, rel=0.02),
    )  # fmt: skip
    assert sizes["mixed", "key"]["mean"] is None
    assert all(r["sampled_records"] == r["records"] == 1600 for r in topics.values())
    note = found["sections"]["topics"]["note"]
    assert note == "Of a sample: 8,000 of 8,000 records."


def test_what_codecs_would_take_is_what_they_take(tmp_path: Path, capsys: Captured) -> None:
    logs = write_formats(tmp_path / "logs", partitions=1)
    found = document(capsys, logs, "--sample", 1_000_000, "--price-gib-month", 1024)
    topic = TOPICS["json"]
    truth = dict.fromkeys(("gzip", "snappy", "lz4", "zstd"), 0)
    plain = 0
    for first in range(0, 800, PER_BATCH):
        some = range(first, first + PER_BATCH)
        whole = build_batch(
            [Record(o, 1_000 + o, topic.key(o), topic.value(o)) for o in some], base_offset=first
        )
        plain += len(whole)
        for codec in truth:
            truth[codec] += 61 + len(compress(Codec[codec.upper()], whole[61:]))
    codecs = {r["codec"]: r for r in rows(found, "codecs") if r["topic"] == "json"}
    assert {c: codecs[c]["estimated_bytes"] for c in truth} == truth
    assert (codecs["none"]["stored"], codecs["none"]["estimated_bytes"]) == (plain, plain)
    best = min(truth, key=lambda codec: truth[codec])
    row = next(r for r in rows(found, "topics") if r["topic"] == "json")
    assert (row["best_codec"], row["saved_bytes"]) == (best, plain - truth[best])
    assert row["saving"] == pytest.approx((plain - truth[best]) / (1 << 20), abs=1e-6)
    noise = next(r for r in rows(found, "topics") if r["topic"] == "noise")
    assert (noise["best_codec"], noise["saved_bytes"], noise["ratio"]) == (
        "as it is", 0, pytest.approx(1, abs=0.05),
    )  # fmt: skip
    assert found["verdict"]["tone"] == "warn"
    code, _, err = formats(capsys, logs, "--fail-on", "codec=none & saved_bytes>1000")
    assert (code, err) == (4, f"pko: topic json: codec none, saved_bytes {row['saved_bytes']}\n")


def test_a_sample_is_bounded_and_says_so(tmp_path: Path, capsys: Captured) -> None:
    logs = write_formats(tmp_path / "logs")
    found = document(capsys, logs, "--sample", 80, "--topic", "json")
    (row,) = rows(found, "topics")
    # 10 records at each of 4 places of 2 partitions, in whole batches of 20.
    assert (row["sampled_records"], row["records"]) == (8 * PER_BATCH, 1600)
    page = tmp_path / "x.html"
    code, out, _ = formats(capsys, logs, "--sample", 80, "--html", page)
    assert code == 0
    assert "Of a sample: 800 of 8,000 records." in out
    for said in ("What values are made of", "What another codec would save",
                 "pko configs set topics json compression.type="):  # fmt: skip
        assert said in page.read_text()


def test_places_are_spread_over_partitions_and_offsets() -> None:
    for count in (1, 5, 16, 17, 100, 5000):
        rows = [{"highest": count - 1, "partition": n} for n in range(count)]
        looked = [row["partition"] for row in rows if is_chosen(row)]
        assert min(count, PARTITIONS) // 2 <= len(looked) <= PARTITIONS
        assert looked[0] == 0 and looked[-1] >= count // 2 * (count > 1) - 1
    assert places({"start_offset": 100, "end_offset": 500}) == [100, 200, 300, 400]
    assert places({"start_offset": 7, "end_offset": 9}) == [7, 8]
    assert len(places({"start_offset": 0, "end_offset": 2**62})) == PLACES


def test_damage_is_named_and_the_rest_counts(tmp_path: Path, capsys: Captured) -> None:
    logs = write_damaged(tmp_path)
    code, out, err = formats(capsys, logs, "-o", "json")
    assert code == 1
    found = json.loads(out)
    (row,) = rows(found, "topics")
    assert row["sampled_records"] > 0
    assert "Traceback" not in err
    said = {p["where"] for p in found["problems"]}
    assert said & damaged_places(logs)


def test_no_byte_that_is_wrong_brings_it_down(tmp_path: Path, capsys: Captured) -> None:
    logs = write_formats(tmp_path / "logs", partitions=1, batches=3)
    files = [logs / f"{name}-0" / segment_file(0) for name in TOPICS]
    whole = {file: file.read_bytes() for file in files}
    draw = random.Random(5)
    for _ in range(12):
        for file, data in whole.items():
            wrong = bytearray(data)
            for _ in range(draw.randrange(1, 6)):
                wrong[draw.randrange(len(wrong))] = draw.randrange(256)
            file.write_bytes(wrong[: draw.randrange(len(wrong))] if draw.random() < 0.3 else wrong)
        code, out, err = formats(capsys, logs, "-o", "json")
        assert code in (0, 1), err
        for row in rows(json.loads(out), "kinds"):
            assert 0 < row["share"] <= 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("logs --sample 0", "--sample 0: from 1 to 10000000"),
        ("logs --price-gib-month lots", "--price-gib-month lots: write an amount of money"),
        ("logs --section lags", "--section lags: choose one of topics, kinds, sizes, codecs"),
        ("logs --fail-on lag>1", "there is no field lag: choose from topic"),
        ("none", "none: no such directory"),
        ("", "read what? give -b HOST:PORT"),
    ],
)
def test_what_cannot_be_meant_is_told_in_a_line(
    words: str, said: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("logs").mkdir()
    code, out, err = formats(capsys, *words.split())
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
