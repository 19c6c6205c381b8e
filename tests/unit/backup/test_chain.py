"""Runs that follow each other, topics made anew, and what a run has to read."""

from __future__ import annotations

from pykafka_ops.backup.chain import Chain, Gap, chain_of, files_of, folder_of
from pykafka_ops.backup.manifest import KeptTopic, PartitionEntry, RunEntry, SegmentEntry
from pykafka_ops.backup.positions import ReadStretch, stretches, with_lives

P = ("orders", 0)


def topic(life: int = 0, topic_id: str = "aa", partitions: int = 1) -> KeptTopic:
    return KeptTopic("orders", topic_id, partitions, 1, {}, life)


def read(start: int, end: int, life: int = 0, log_start: int = 0) -> PartitionEntry:
    segments = (SegmentEntry(start, end, 10, 0, -1, -1),) if end > start else ()
    return PartitionEntry("orders", 0, start, end, end, log_start, life, segments)


def chain(*runs: tuple[KeptTopic, PartitionEntry]) -> Chain:
    made = [
        RunEntry(n, True, 0, 0, "c", (found,), (entry,)) for n, (found, entry) in enumerate(runs, 1)
    ]
    return chain_of(made)


def test_runs_of_one_life_are_one_log() -> None:
    stored = chain((topic(), read(3, 10)), (topic(), read(10, 12, log_start=5))).partitions[P]
    assert (stored.end, stored.log_start, stored.size, stored.gaps) == (12, 5, 20, [])
    assert [s.base for s in stored.segments] == [3, 10]


def test_what_was_deleted_before_it_was_read_is_a_gap() -> None:
    stored = chain((topic(), read(0, 10)), (topic(), read(15, 20))).partitions[P]
    assert stored.gaps == [Gap(10, 15)]


def test_only_the_life_of_the_newest_run_counts() -> None:
    found = chain((topic(), read(0, 10)), (topic(1, "bb"), read(0, 4, 1)))
    assert (found.partitions[P].life, found.partitions[P].end) == (1, 4)
    assert found.next_life("orders") == 2
    assert found.next_life("other") == 0


def test_a_topic_that_is_gone_has_no_partitions_but_its_next_life_is_another() -> None:
    gone = RunEntry(2, True, 0, 0, "c")
    found = chain_of([*chain((topic(), read(0, 10))).runs, gone])
    assert (found.topics, found.partitions, found.next_life("orders")) == ({}, {}, 1)


def test_each_life_has_files_of_its_own() -> None:
    assert folder_of("a.b", 3, 0) == "data/a.b-3"
    assert folder_of("a.b", 3, 2) == "data-2/a.b-3"
    segment = SegmentEntry(7, 8, 1, 0, -1, -1, (".index",))
    assert list(files_of("data/t-0", segment)) == [
        "data/t-0/00000000000000000007.log",
        "data/t-0/00000000000000000007.index",
    ]


def test_the_first_run_reads_everything() -> None:
    found = stretches([topic()], chain_of([]), {P: 4}, {P: 9})
    assert found == {P: ReadStretch(0, 4, 4, 9)}


def test_a_run_goes_on_where_the_last_one_ended() -> None:
    before = chain((topic(), read(0, 10)))
    assert with_lives([topic()], before, {P: 15}) == [topic(0)]
    assert stretches([topic()], before, {P: 2}, {P: 15}) == {P: ReadStretch(0, 2, 10, 15)}


def test_a_run_says_how_much_was_deleted_before_it() -> None:
    before = chain((topic(), read(0, 10)))
    assert stretches([topic()], before, {P: 13}, {P: 15}) == {P: ReadStretch(0, 13, 13, 15, 3)}
    assert stretches([topic()], before, {P: 15}, {P: 15})[P].lost == 5


def test_another_id_or_a_log_that_went_back_is_another_life() -> None:
    before = chain((topic(), read(0, 10)))
    assert with_lives([topic(topic_id="bb")], before, {P: 15}) == [topic(1, "bb")]
    assert with_lives([topic()], before, {P: 9}) == [topic(1)]
    assert with_lives([topic()], before, {}) == [topic(0)]
    assert stretches([topic(1)], before, {P: 0}, {P: 9}) == {P: ReadStretch(1, 0, 0, 9)}


def test_partitions_that_were_added_begin_at_their_beginning() -> None:
    before = chain((topic(), read(0, 10)))
    grown = topic(partitions=2)
    starts, ends = {P: 0, ("orders", 1): 0}, {P: 10, ("orders", 1): 3}
    assert stretches([grown], before, starts, ends)["orders", 1] == ReadStretch(0, 0, 0, 3)
