"""`pko dump-log` with its verbs: directories, JSON lines, verify, transactions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pykafka_ops import cli
from pykafka_ops.commands.dump_log.printing.internal import _partitions
from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.build import assemble, build_batch
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.disk.internal import TransactionLogValue, TransactionPartitions
from pykafka_ops.disk.record import Record
from tests.support.golden.segments import CASES, LOG_DIRS, SEGMENTS

NAME = "00000000000000000000.log"
HEALTHY = [case for case in CASES if not case.startswith("damage-")]
#: Damage that a live broker leaves behind by design, or that only a reader of CRCs would miss.
HARMLESS = {"damage-preallocated", "damage-fresh-preallocated", "damage-txnindex-version"}


class Answer(NamedTuple):
    """What a run gave."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """stdout as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Answer]


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.delenv("PKO_OUTPUT", raising=False)

    def call(*words: object, command: str = "dump-log") -> Answer:
        code = cli.main([command, *map(str, words)])
        got = capsysbinary.readouterr()
        return Answer(code, got.out.decode(), got.err.decode())

    return call


def test_a_directory_is_shown_file_by_file(run: Run) -> None:
    got = run("show", SEGMENTS / "v2-transactions")
    names = [
        Path(line.split(" ", 1)[1]).name
        for line in got.out.splitlines()
        if line.startswith("Dumping ")
    ]
    assert names[:2] == ["leader-epoch-checkpoint", "partition.metadata"]
    assert names[2:6] == [f"{0:020d}.{s}" for s in ("log", "index", "timeindex", "txnindex")]
    assert "epoch: 0 startOffset: 0" in got.out and "topicId: " in got.out
    assert got.code == 0


def test_small_files_of_a_log_directory_are_shown(run: Run) -> None:
    got = run("show", LOG_DIRS / "segments-broker")
    assert "topic: telemetry-16 partition: 0 offset: 77" in got.out
    assert "brokerId: 0" in got.out and "clusterId: XHLYT9KRTPm_yG-EodsD-w" in got.out


def test_json_has_one_object_a_line(run: Run) -> None:
    got = run("show", SEGMENTS / "v2-none" / NAME, "-o", "json", "--print-data-log").lines
    assert {line["kind"] for line in got} == {"batch", "record"}
    batch, record = got[0], got[1]
    assert batch["valid"] is True and batch["compression"] == "none"
    assert (batch["base_offset"], batch["last_offset"], batch["count"]) == (0, 12, 13)
    assert record["key"] == "k1" and record["value"] == "claims teams quotes"
    assert record["timestamp_type"] == "CreateTime" and record["headers"] == []
    shallow = run("show", SEGMENTS / "v2-none" / NAME, "-o", "json").lines
    assert {line["kind"] for line in shallow} == {"batch"}


def test_json_of_bytes_that_are_no_text_is_base64(run: Run) -> None:
    got = run("show", SEGMENTS / "v2-wide", "-o", "json", "--print-data-log").lines
    encodings = {line.get("value_encoding") for line in got if line["kind"] == "record"}
    assert encodings >= {"utf-8", "base64"}


@pytest.mark.parametrize("case", ["v0-gzip", "v1-none", "upgraded", "v2-compacted-txn"])
def test_json_of_old_and_compacted_logs(run: Run, case: str) -> None:
    got = run("show", SEGMENTS / case, "-o", "json", "--deep-iteration")
    records = [line for line in got.lines if line["kind"] == "record"]
    assert got.code == 0 and records
    assert all("offset" in record and "key" not in record for record in records)


def test_json_of_every_other_kind(run: Run) -> None:
    got = run("show", SEGMENTS / "v2-transactions", LOG_DIRS / "segments-broker", "-o", "json")
    kinds = {line["kind"] for line in got.lines}
    assert kinds == {
        *("batch", "index_entry", "time_index_entry", "aborted_transaction", "producer"),
        *("leader_epoch", "topic_id", "offset", "meta_properties"),
    }


def test_json_of_internal_topics(run: Run) -> None:
    offsets = run(
        "show", SEGMENTS / "internal-consumer-offsets-0", "--offsets-decoder", "-o", "json"
    ).lines
    commits = [line for line in offsets if line.get("type") == 1 and line["value"]]
    assert commits[0]["key"]["group"] == "audit-svc" and commits[0]["value"]["offset"] == 4
    states = run(
        "show", SEGMENTS / "internal-transaction-state-0", "--transaction-log-decoder", "-o", "json"
    ).lines
    assert {line["value"]["state"] for line in states if line.get("value")} <= {
        *("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort")
    }


def test_json_with_the_wrong_decoder_says_so_and_goes_on(run: Run) -> None:
    got = run("show", SEGMENTS / "v2-none" / NAME, "--offsets-decoder", "-o", "json").lines
    errors = [line["error"] for line in got if "error" in line]
    assert "Unknown record type 27441" in errors and "no key" in errors


def test_kafkas_flags_take_json_and_directories_too(run: Run) -> None:
    got = run("--files", SEGMENTS / "v2-none", "-o", "json")
    assert {line["kind"] for line in got.lines} >= {"batch", "index_entry", "topic_id"}


def test_show_takes_formats_of_keys_and_values(run: Run, tmp_path: Path) -> None:
    records = [Record(0, 1, (5).to_bytes(8, "big"), b'{"a": 1}'), Record(1, 1, b"odd", None)]
    (tmp_path / NAME).write_bytes(build_batch(records))
    formats = ("--key-format", "long", "--value-format", "json")
    got = run("show", tmp_path, *formats, "-o", "json").lines
    assert [(r["key"], r["key_encoding"], r["value"]) for r in got[1:]] == [
        (5, "long", {"a": 1}),
        ("b2Rk", "base64", None),
    ]
    assert "LongDeserializer is not 8" in got[2]["key_error"]
    text = run("show", tmp_path, *formats).out
    assert ' key: 5 payload: {"a":1}\n' in text and " key: odd (not long: Size" in text
    assert run("show", tmp_path, "--value-format", "hex").out.endswith("key: odd\n")
    refused = run("show", tmp_path, *formats, "--offsets-decoder")
    assert refused.code == 2 and "goes without decoder options" in refused.err


def test_a_damaged_file_does_not_hide_the_others(run: Run) -> None:
    got = run("show", SEGMENTS / "damage-zero-tail", SEGMENTS / "v2-none")
    assert got.code == 1 and "Found record size 0" in got.err
    assert f"v2-none/{NAME}" in got.out


def test_unknown_formats_and_paths_are_usage_errors(run: Run) -> None:
    assert run("show", SEGMENTS / "v2-none", "-o", "csv").code == 2
    got = run("show", SEGMENTS / "nowhere")
    assert got.code == 2 and "no such file or directory" in got.err


def test_deleted_and_swapped_segments_are_readable(run: Run, tmp_path: Path) -> None:
    shutil.copy(SEGMENTS / "v2-none" / NAME, tmp_path / f"{NAME}.deleted")
    got = run("show", tmp_path)
    assert got.code == 0 and "Log starting offset: 0" in got.out
    assert len(run("show", tmp_path, "-o", "json").lines) == 11


@pytest.mark.parametrize("case", HEALTHY)
def test_what_kafka_wrote_verifies(run: Run, case: str) -> None:
    got = run("verify", SEGMENTS / case)
    assert (got.code, got.out) == (0, ""), got.out


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("damage-")])
def test_every_damage_is_found(run: Run, case: str) -> None:
    got = run("verify", SEGMENTS / case, "-o", "json")
    problems = [text for item in got.lines[:-1] for text in item["problems"]]
    if case in HARMLESS:
        assert (got.code, problems) == (0, [])
    elif case == "damage-gap":
        assert any("no batch begins" in text for text in problems)
    else:
        assert got.code == 4 and problems


def test_verify_of_whole_log_directories(run: Run) -> None:
    got = run("verify", LOG_DIRS)
    assert got.code == 0 and "files checked, 0 with problems" in got.err
    assert run("verify", LOG_DIRS / "segments-broker", "-o", "wide").out.count("\n") == 6


def test_verify_finds_what_a_right_crc_hides(run: Run, tmp_path: Path) -> None:
    good = build_batch([Record(0, 1, b"k", b"v"), Record(1, 2, b"k", b"v")])
    header = read_header(good)
    fewer = assemble(header._replace(base_offset=4, record_count=1), good[61:])
    beyond = assemble(header._replace(base_offset=10, last_offset_delta=0), good[61:])
    (tmp_path / NAME).write_bytes(good + good + fewer + beyond)
    problems = run("verify", tmp_path, "-o", "json", "--keep-going").lines[0]["problems"]
    assert [text.split(": ", 1)[1] for text in problems] == [
        "offset 0 after 1",
        "Incorrect declared batch size, records still remaining in file",
        "record offset 11 after 10 in a batch up to 10",
    ]


def test_transactions_tell_how_each_ended(run: Run) -> None:
    got = run("transactions", SEGMENTS / "v2-transactions-open", "-o", "json")
    states = [(t["state"], t["first_offset"]) for t in json.loads(got.out)["items"]]
    assert states == [("committed", 0), ("aborted", 4), ("open", 9)]
    only = run("transactions", SEGMENTS / "v2-transactions-open", "--open", "-o", "json")
    assert [t["first_offset"] for t in json.loads(only.out)["items"]] == [9]


def test_aborted_transactions_are_those_of_the_index(run: Run) -> None:
    case = SEGMENTS / "v2-transactions"
    heard = json.loads(run("transactions", case, "-o", "json").out)["items"]
    index = [
        line
        for line in run("show", case, "-o", "json").lines
        if line["kind"] == "aborted_transaction"
    ]
    assert {(t["producer_id"], t["first_offset"], t["last_offset"]) for t in index} == {
        (t["producer_id"], t["first_offset"], t["last_offset"])
        for t in heard
        if t["state"] == "aborted"
    }


def test_a_marker_without_records_is_a_transaction_of_none(run: Run, tmp_path: Path) -> None:
    marker = EndTxnMarker(ControlType.ABORT, 5)
    data = build_marker(marker, timestamp=9, producer_id=3, producer_epoch=1)
    (tmp_path / NAME).write_bytes(data)
    (row,) = json.loads(run("transactions", tmp_path, "-o", "json").out)["items"]
    assert (row["state"], row["records"], row["coordinator_epoch"]) == ("aborted", 0, 5)
    assert row["duration_ms"] is None


def test_partitions_of_a_transaction_come_in_scalas_order() -> None:
    def shown(*groups: tuple[str, list[int]]) -> list[str]:
        partitions = [TransactionPartitions(topic=t, partition_ids=p) for t, p in groups]
        return _partitions(
            TransactionLogValue(
                producer_id=1,
                producer_epoch=0,
                transaction_timeout_ms=0,
                transaction_status=1,
                transaction_partitions=partitions,
                transaction_last_update_timestamp_ms=0,
                transaction_start_timestamp_ms=0,
            )
        )

    # Both orders were printed by Scala 2.13.
    assert shown(("topic808", [41, 42, 60])) == ["topic808-60", "topic808-42", "topic808-41"]
    assert shown(
        ("topic744", [43, 70]),
        ("topic764", [26, 15, 43, 28, 58, 44]),
        ("topic388", [43, 40]),
        ("topic253", [24, 10, 78, 58, 43]),
    ) == [
        *("topic744-70", "topic253-78", "topic253-43", "topic764-15", "topic253-10"),
        *("topic253-58", "topic388-43", "topic253-24", "topic764-44", "topic764-28"),
        *("topic764-43", "topic764-26", "topic764-58", "topic388-40", "topic744-43"),
    ]
    assert shown(("orders", [2, 1, 2])) == shown(("orders", [1, 2]))


def test_records_cut_short_end_in_javas_words(run: Run, tmp_path: Path) -> None:
    good = build_batch([Record(0, 1, b"k", b"v" * 9), Record(1, 2, b"k", b"v" * 9)])
    payload = bytearray(good[61:])
    payload[len(payload) // 2] = 60  # the second record claims more than there is
    path = tmp_path / NAME
    path.write_bytes(assemble(read_header(good), payload))
    got = run("--files", path, "--print-data-log", command="kafka-dump-log")
    assert got.code == 1 and got.out.count("| offset: 0") == 1 and "| offset: 1" not in got.out
    assert got.err.startswith(
        'Exception in thread "main" org.apache.kafka.common.InvalidRecordException: Invalid record'
        " size: expected 30 bytes in record payload, but instead the buffer has only"
    )


def test_paths_alone_are_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    said = run("show", SEGMENTS / "v2-none", "--deep-iteration")
    assert run(SEGMENTS / "v2-none", "--deep-iteration") == said and said.code == 0
    assert run("--deep-iteration", SEGMENTS / "v2-none") == said
    monkeypatch.chdir(SEGMENTS)
    assert run("v2-none").code == 0
    assert run(f"v2-*/{NAME}").out.count("Dumping ") > 10
    assert run("verify").code == 2 and run("shwo").code == 2
    assert "no such verb: shwo" in run("shwo").err
    assert "no such file or directory: no/where" in run("no/where").err


def test_verify_of_a_directory_without_logs_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    said = run("verify", tmp_path)
    assert said.code == 2
    assert "nothing to check in" in said.err
