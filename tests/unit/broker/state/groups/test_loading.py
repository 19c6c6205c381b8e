"""What is loaded in bulk is what applying the log record by record gives."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.broker.state.groups.logged import ShardParts
from pykafka_ops.broker.state.groups.records import (
    GroupRecord,
    OffsetAndMetadata,
    OffsetRecord,
    decode_entry,
    encode_entry,
)
from pykafka_ops.broker.state.groups.settings import GroupSettings
from pykafka_ops.broker.state.groups.shard import GroupShard
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.broker.state.outcome import Instant
from pykafka_ops.broker.state.replay import LeftOut
from pykafka_ops.broker.state.timers import Timers
from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.internal import GroupMetadataValue
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptError

Entry = tuple[bytes, bytes | None]
PRODUCER = 7

VALUES = st.builds(
    OffsetAndMetadata,
    st.integers(0, 2**62),
    st.integers(-1, 5),
    st.sampled_from(["", "", "note", "ü"]),
    st.integers(-1, 2**40),
    st.sampled_from([-1, -1, 2**40]),
)
GROUPS = st.sampled_from(["a", "b", "long"])
OFFSETS = st.builds(
    OffsetRecord, GROUPS, st.sampled_from(["t", "u"]), st.integers(0, 3), st.none() | VALUES
)
MEMBERLESS = st.builds(
    GroupMetadataValue,
    protocol_type=st.just("consumer"),
    generation=st.integers(1, 9),
    protocol=st.none(),
    leader=st.none(),
    members=st.just([]),
)
ENTRIES = st.one_of(OFFSETS, OFFSETS, st.builds(GroupRecord, GROUPS, st.none() | MEMBERLESS))
DAMAGE = st.sampled_from([None] * 8 + ["key", "value", "longer", "size", "old", "text"])
BATCHES = st.lists(
    st.one_of(
        st.tuples(st.just("plain"), st.lists(st.tuples(ENTRIES, DAMAGE), min_size=1, max_size=4)),
        st.tuples(st.just("inside"), st.lists(st.tuples(OFFSETS, DAMAGE), min_size=1, max_size=4)),
        st.tuples(st.sampled_from(["commit", "abort"]), st.just([])),
    ),
    max_size=12,
)


def shard() -> GroupShard:
    return GroupShard(ShardParts(GroupSettings(), Timers(), object(), lambda: "id", Account()))


def _stored(entry: OffsetRecord | GroupRecord, damage: str | None) -> Entry:
    key, value = encode_entry(entry)
    if damage == "key":
        return key[:-1], value
    if damage == "value" and value is not None:
        return key, value[:-1]
    if damage == "longer":
        return key + b"\0", value
    if damage == "size":
        return key[:3] + bytes([key[3] ^ 1]) + key[4:], value
    if damage == "old":
        return b"\0\0" + key[2:], value
    if damage == "text":
        return key.replace(b"t", b"\xff").replace(b"a", b"\xed"), value
    return key, value


def one_by_one(target: GroupShard, base: int, entries: list[Entry], producer: int) -> set[int]:
    """Apply as the rules say; the offsets of records that are left out."""
    left_out = set()
    for n, (key, value) in enumerate(entries):
        try:
            found = decode_entry(key, value)
        except CorruptError:
            left_out.add(base + n)
            continue
        if found is not None:
            target.apply(found, base, producer)
    return left_out


def replay(target: GroupShard, batch: bytes, left_out: LeftOut) -> None:
    """As the loader does it."""
    if target.skim(batch, 0) is None:
        target.replay(batch, 0, read_header(batch), left_out)


def state(target: GroupShard) -> object:
    target.loaded(Instant(0, 0.0))
    offsets = {
        name: (found.committed, found.transactions) for name, found in target.offsets.items()
    }
    groups = {name: (g.generation, g.state, g.protocol_type) for name, g in target.groups.items()}
    return offsets, groups


@settings(max_examples=40, deadline=None)
@given(BATCHES, st.integers(1, 4))
def test_bulk_loading_ends_where_single_steps_end(
    batches: list[tuple[str, list[tuple[OffsetRecord | GroupRecord, str | None]]]], times: int
) -> None:
    stepped, loaded = shard(), shard()
    base = 0
    for kind, made in batches * times:
        if not made:
            for each in (stepped, loaded):
                each.apply_marker(PRODUCER, base, committed=kind == "commit")
            base += 1
            continue
        entries = [_stored(entry, damage) for entry, damage in made]
        producer = PRODUCER if kind == "inside" else -1
        records = [Record(base + n, 5000, *entry) for n, entry in enumerate(entries)]
        batch = build_batch(
            records, base_offset=base, producer_id=producer, transactional=producer >= 0
        )
        told: list[int] = []
        replay(loaded, bytes(batch), lambda offset, _, told=told: told.append(offset))  # type: ignore[misc]
        assert set(told) == one_by_one(stepped, base, entries, producer)
        base += len(entries)
    assert state(loaded) == state(stepped)


def test_what_is_kept_back_is_applied_piece_by_piece() -> None:
    loaded = shard()
    for base in (0, 10, 20):
        entries = [
            encode_entry(OffsetRecord("g", "t", n, OffsetAndMetadata(base + n, timestamp=1)))
            for n in range(10)
        ]
        batch = build_batch(
            [Record(base + n, 5, *entry) for n, entry in enumerate(entries)], base_offset=base
        )
        replay(loaded, bytes(batch), _never)
    assert not loaded.offsets
    assert loaded.settle(4)
    assert len(loaded.offsets["g"].committed) == 4
    assert loaded.settle(4)
    assert not loaded.settle(4)
    wanted = {("t", n): OffsetAndMetadata(20 + n, timestamp=1, position=20) for n in range(10)}
    assert loaded.offsets["g"].committed == wanted


def test_all_groups_share_the_name_of_a_topic_and_nothing_learned_is_kept() -> None:
    loaded = shard()
    known = b""
    for base in range(6):
        place = "topic", base % 2
        entry = encode_entry(OffsetRecord(f"g{base}", *place, OffsetAndMetadata(5, timestamp=1)))
        known = bytes(build_batch([Record(base, 5, *entry)], base_offset=base))
        replay(loaded, known, _never)
    assert loaded.skim(known, 0) is not None
    loaded.loaded(Instant(0, 0.0))
    places = [place for found in loaded.offsets.values() for place in found.committed]
    assert places == [("topic", n % 2) for n in range(6)]
    assert len({id(topic) for topic, _ in places}) == 1
    assert loaded.skim(known, 0) is None


def _never(offset: int, error: CorruptError) -> None:
    raise AssertionError(f"offset {offset}: {error}")
