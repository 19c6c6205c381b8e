"""Records of the control topic, and what they add up to."""

from __future__ import annotations

from pykafka_ops.mirror.control.state import (
    MIRRORED,
    PROMOTED,
    ControlState,
    Entry,
    MirrorPause,
    TopicOrigin,
    forgotten_entry,
    origin_entry,
    pause_entry,
    resume_entry,
    source_entry,
)


def state(*entries: Entry) -> ControlState:
    found = ControlState()
    found.take(entries)
    return found


def test_a_pause_holds_until_it_is_taken_back() -> None:
    entry = pause_entry(MirrorPause(), 5, by="alice")
    assert state(entry).is_paused()
    assert state(entry).pauses[MirrorPause()] == {"at": 5, "by": "alice"}
    assert not state(entry, resume_entry(MirrorPause())).is_paused()


def test_pauses_of_patterns_and_partitions_hold_what_they_name() -> None:
    found = state(
        pause_entry(MirrorPause("or.*"), 1, by=""),
        pause_entry(MirrorPause(topic="x", partition=2), 1, by=""),
    )
    assert not found.is_paused()
    assert found.paused("orders", 0) == MirrorPause("or.*")
    assert found.paused("x", 2) == MirrorPause(topic="x", partition=2)
    assert found.paused("x", 1) is None
    assert str(found.paused("x", 2)) == "x-2"
    assert state(pause_entry(MirrorPause(), 1, by="")).paused("x", 1) == MirrorPause()


def test_origins_are_kept_by_topic_of_the_target() -> None:
    mirrored, promoted = TopicOrigin(MIRRORED, "aa", "bb"), TopicOrigin(PROMOTED)
    found = state(origin_entry("t", mirrored), origin_entry("u", promoted))
    assert found.topics == {"t": mirrored, "u": promoted}
    assert found.made_here("t") and not found.made_here("u") and not found.made_here("v")
    found.take([forgotten_entry("t")])
    assert not found.made_here("t")


def test_the_source_is_remembered() -> None:
    assert state(source_entry("abc")).source_cluster == "abc"
    assert state().source_cluster is None


def test_what_is_not_ours_is_left_out() -> None:
    found = state(
        (b"{", b"{}"),
        (b"[1]", b"{}"),
        (b'{"kind":"pause","topics":"("}', b"{}"),
        (b'{"kind":"topic","topic":3}', b"[]"),
        (b'{"kind":"topic","topic":"x"}', b"nonsense"),
        (b'{"kind":"source"}', b'{"cluster":5}'),
        (b"[" * 50_000, b"{}"),
        (b"x" * 100_000, b"{}"),
    )
    found.take([(None, b"{}")])
    assert found.paused("x", 0) is None and not found.made_here("x")
    assert found.source_cluster is None
