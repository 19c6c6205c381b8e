"""Old segments go from the front, and every run knows it."""

from __future__ import annotations

from pathlib import Path

from pykafka_ops.backup.chain import chain_of
from pykafka_ops.backup.manifest import KeptTopic, PartitionEntry, RunEntry, SegmentEntry
from pykafka_ops.backup.prune import PruneRules, prunable, prune
from pykafka_ops.backup.runs import keep_run, read_chain
from pykafka_ops.backup.store.directory import BackupDirectory

OLD = PruneRules(1_000, False, False)
P = ("orders", 0)


def segment(base: int, max_ms: int) -> SegmentEntry:
    return SegmentEntry(base, base + 10, 100, 0, -1, max_ms, (".index",))


def run(number: int, *segments: SegmentEntry, life: int = 0, log_start: int = 0) -> RunEntry:
    start, end = segments[0].base, segments[-1].next
    entry = PartitionEntry("orders", 0, start, end, end, log_start, life, segments, 5, 50, 7)
    return RunEntry(number, True, 0, 0, "c", (KeptTopic("orders", "aa", 1, 1, {}, life),), (entry,))


RUNS = [
    run(1, segment(0, 500), segment(10, 900)),
    run(2, segment(20, 999), segment(30, 2_000), log_start=20),
]


def dropped(rules: PruneRules, runs: list[RunEntry] = RUNS) -> list[tuple[int, int]]:
    return [(one.stored.life, one.entry.before) for one in prunable(runs, rules)]


def test_segments_go_whose_records_are_all_old() -> None:
    assert dropped(OLD) == [(0, 30)]
    assert dropped(OLD._replace(older_ms=501)) == [(0, 10)]
    assert dropped(OLD._replace(older_ms=500)) == []


def test_the_last_segment_stays_for_the_next_run() -> None:
    assert dropped(OLD._replace(older_ms=9_999)) == [(0, 30)]


def test_an_old_segment_behind_a_young_one_stays() -> None:
    runs = [run(1, segment(0, 2_000), segment(10, 5), segment(20, 6))]
    assert dropped(OLD, runs) == []


def test_what_the_source_has_deleted_goes_if_asked() -> None:
    assert dropped(PruneRules(None, True, False)) == [(0, 20)]


def test_older_lives_go_whole_if_asked() -> None:
    runs = [*RUNS, run(3, segment(0, 5_000), life=1)]
    assert dropped(PruneRules(None, False, True), runs) == [(0, 40)]
    assert dropped(PruneRules(None, True, False), runs) == []


def test_what_is_dropped_is_gone_from_every_run_and_from_the_store(tmp_path: Path) -> None:
    store = BackupDirectory(tmp_path)
    for one in RUNS:
        keep_run(store, one)
    for base in (0, 10, 20, 30):
        for ending in ("log", "index"):
            file = store.create(f"data/orders-0/{base:020d}.{ending}")
            file.close()
    assert len(prune(store, OLD, dry_run=True)) == 1
    assert len(store.names("data/orders-0")) == 8
    prune(store, OLD, dry_run=False)
    assert store.names("data/orders-0") == [f"{30:020d}.index", f"{30:020d}.log"]
    chain = read_chain(store)
    stored = chain.partitions[P]
    assert [s.base for s in stored.segments] == [30]
    assert (stored.end, stored.gaps) == (40, [])
    assert stored.runs[-1].records is None, "what was counted was more"
    assert read_chain(store, upto=1).partitions[P].segments == []
    assert prune(store, OLD, dry_run=False) == []


def test_runs_without_a_prune_keep_their_counts() -> None:
    assert chain_of(RUNS).partitions[P].runs[0].records == 5
