"""``pko delete-records`` against fake brokers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.wire.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, ...]
Pko = Callable[..., Said]


@pytest.fixture
def deleted(filled: Fakes) -> dict[tuple[str, int], int]:
    """What the brokers were told to delete: the first offset to keep, by partition."""
    heard: dict[tuple[str, int], int] = {}

    def answer(request: Any) -> DeleteRecordsResponse:
        topics = []
        for topic in request.topics:
            results = []
            for p in topic.partitions:
                heard[topic.name, p.partition_index] = p.offset
                results.append(
                    DeleteRecordsPartitionResult(
                        partition_index=p.partition_index, low_watermark=p.offset
                    )
                )
            topics.append(DeleteRecordsTopicResult(name=topic.name, partitions=results))
        return DeleteRecordsResponse(topics=topics)

    for fake in filled:
        fake.on("DeleteRecords", answer)
    return heard


@pytest.mark.parametrize(
    ("words", "offsets"),
    [
        ("orders --before 20", {("orders", 0): 20, ("orders", 1): 20}),
        ("orders:1 --before end", {("orders", 1): -1}),
        ("orders:0,1,__consumer_offsets --before 7d",
         {("orders", 0): 50, ("orders", 1): 50, ("__consumer_offsets", 0): 50}),
        ("--topic orders:0 --before=-7d", {("orders", 0): 50}),
        ("orders:1 --before 2026-11-21T08:00", {("orders", 1): 50}),
    ],
)  # fmt: skip
def test_records_before_an_offset_or_a_time_are_deleted(
    deleted: dict[tuple[str, int], int], pko: Pko, words: str, offsets: dict[tuple[str, int], int]
) -> None:
    said = pko(f"delete-records {words} --yes")
    assert said.code == 0, said
    assert deleted == offsets


def test_a_dry_run_shows_what_would_go(deleted: dict[tuple[str, int], int], pko: Pko) -> None:
    said = pko("delete-records orders:0 --before 40 --dry-run -o json")
    (row,) = json.loads(said.stdout)["items"]
    assert (row["earliest"], row["before"], row["records"]) == (10, 40, 30)
    assert (deleted, said.stderr) == ({}, "dry run: nothing was deleted\n")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("orders --before noon", "'noon' is not a time: write 2026-11-21"),
        ("orders --before=-5", "an offset is not negative"),
        ("orders", "which records? TOPIC... --before OFFSET, or --file FILE"),
        ("orders --before 1 --file x", "either --file or TOPIC... --before OFFSET"),
        ("orders:x --before 1", "orders:x: partitions are numbers, as in orders:0,3"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(
    deleted: dict[tuple[str, int], int], pko: Pko, words: str, text: str
) -> None:
    said = pko(f"delete-records {words} --yes")
    assert (said.code, text in said.stderr) == (2, True), said
    assert deleted == {}


def test_a_topic_that_is_nearly_there_is_named(
    deleted: dict[tuple[str, int], int], pko: Pko
) -> None:
    said = pko("delete-records ordrs --before end --yes")
    assert said.code == 1
    assert "there is no topic ordrs (did you mean orders?)" in said.stderr


def test_a_file_says_it_in_both_forms(
    deleted: dict[tuple[str, int], int], filled: Fakes, pko: Pko, tmp_path: Path
) -> None:
    file = tmp_path / "offsets.json"
    file.write_text('{"partitions": [{"topic": "orders", "partition": 1, "offset": 15}]}')
    for words in (
        f"delete-records --file {file} --yes",
        f"delete-records -f {file} --yes",
        f"kafka-delete-records --bootstrap-server {filled[0].bootstrap} --offset-json-file {file}",
    ):
        deleted.clear()
        assert pko(words).code == 0
        assert deleted == {("orders", 1): 15}
    said = pko(f"kafka-delete-records --bootstrap-server {filled[0].bootstrap}")
    assert said.stderr == 'Missing required argument "[offset-json-file]"\n'
