"""pko audit tiers, export and --history."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pykafka_ops.audit import audit_message
from pykafka_ops.audit.book import AuditBook
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.audit.published import follow
from pykafka_ops.runs.read import runs, section, sections
from tests.support.golden.transcripts import Said
from tests.support.kept_logs import Sent, in_batches, write_log

Pko = Callable[..., Said]
SENT: list[Sent] = [(n * 1000, b"k%d" % n, b"v") for n in range(1200)]


def say(count: int, bucket: int, tier: str = "producer") -> bytes:
    return audit_message(
        topic="orders", tier=tier, bucket_start=bucket, bucket_end=bucket + 300_000, host="h",
        application="shop", count=count, bytes=0,
    )  # fmt: skip


@pytest.fixture
def book(tmp_path: Path, pko: Pko) -> str:
    """The tier ``us`` has 1200 records; producers have said 1210, in buckets half as long."""
    path = str(tmp_path / "book.db")
    write_log(tmp_path / "logs", "orders-0", in_batches(SENT))
    assert pko("audit collect us", str(tmp_path / "logs"), "--book", path).code == 0
    messages = [say(300, 0), say(310, 300_000), say(300, 600_000), say(300, 900_000)]
    write_log(tmp_path / "said", "pko.audit-0", in_batches([(0, None, m) for m in messages]))
    with AuditBook(path) as opened:
        source = AuditedFiles([str(tmp_path / "said")], lambda: 0)
        assert follow(opened, "x", source, "pko.audit").new == 4
    return path


def rows(said: Said, code: int) -> list[dict[str, Any]]:
    assert said.code == code, said.stderr
    found: list[dict[str, Any]] = json.loads(said.stdout)["items"]
    return found


def test_what_was_produced_is_held_against_what_is_there(book: str, pko: Pko) -> None:
    found = rows(pko("audit tiers -o json --book", book), 4)
    figures = [(r["tier"], r["records"], r["missing"], r["state"]) for r in found]
    assert figures == [("producer", 1210, 0, "reference"), ("us", 1200, 10, "missing")]
    buckets = rows(pko("audit tiers us --buckets -o json --book", book), 4)
    assert [(r["bucket"], r["missing"]) for r in buckets if r["tier"] == "us"] == [
        (0, 10), (600_000, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--fail-on", "missing>9"], 4), (["--fail-on", "missing>10"], 0),
     (["--since", "1970-01-01T00:10"], 0), (["--against", "nobody"], 2), (["nobody"], 2)],
)  # fmt: skip
def test_conditions_times_and_names(book: str, pko: Pko, words: Sequence[str], code: int) -> None:
    assert pko("audit tiers --book", book, *words).code == code


def test_without_messages_there_is_a_line_for_it(tmp_path: Path, pko: Pko) -> None:
    write_log(tmp_path / "logs", "orders-0", in_batches(SENT[:3]))
    path = str(tmp_path / "book.db")
    pko("audit collect us", str(tmp_path / "logs"), "--book", path)
    said = pko("audit tiers --book", path)
    assert said.code == 2 and "AuditedProducer" in said.stderr


def test_a_book_goes_into_a_file_of_parquet(book: str, tmp_path: Path, pko: Pko) -> None:
    path = tmp_path / "book.parquet"
    assert pko("audit export", str(path), "us", "--book", book).code == 0
    found = pq.read_table(path).to_pylist()
    assert [row["records"] for row in found] == [600, 600]
    (first, _) = rows(pko("audit report us --buckets -o json --book", book), 0)
    assert f"{found[0]['checksum']:016x}" == first["checksum"]
    assert pko("audit export", str(tmp_path / "no" / "x"), "--book", book).code == 1


def test_a_comparison_is_kept_as_a_run_that_the_monitor_shows(tmp_path: Path, pko: Pko) -> None:
    a, b, kept = tmp_path / "a", tmp_path / "b", tmp_path / "runs"
    write_log(a, "orders-0", in_batches(SENT))
    write_log(b, "orders-0", in_batches(SENT[1:]))
    words = ["audit compare", str(a), str(b), "--records", "--history", str(kept)]
    assert pko(*words).code == 4
    assert pko(*words).code == 4
    first, second = runs(kept)["audit"]
    assert first.source == second.source
    assert sections(kept, "audit", first.name) == ["buckets", "partitions", "records"]
    (row,) = section(kept, "audit", first.name, "records", 10).rows
    assert (row["what"], row["key"], row["offset_a"], row["offset_b"]) == ("missing", "k0", 0, None)
    (row,) = section(kept, "audit", first.name, "partitions", 10).rows
    assert (row["state"], row["missing"]) == ("missing", 1)
