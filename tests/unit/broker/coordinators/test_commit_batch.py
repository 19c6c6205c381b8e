"""A batch of commits is changed where its values are, whatever its keys look like."""

from __future__ import annotations

from pykafka_ops.broker.coordinators.commit_batch import batch_of
from pykafka_ops.broker.state.groups.records import (
    NEVER,
    OffsetAndMetadata,
    OffsetRecord,
    decode_entry,
    encode_entry,
)
from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.record import iter_records


def test_places_of_values_are_found_behind_keys_that_look_like_values() -> None:
    value = encode_entry(OffsetRecord("", "t", 0, OffsetAndMetadata(0, 0, "x", 0, NEVER)))[1]
    assert value is not None
    for group in ("g", value.decode("latin-1"), "\0\1" * 40, "\0\3" + "\0" * 30):
        places, notes = [("t", 0), ("t", 300), ("u", 1 << 20)], ["x", "", "ü" * 70]
        batch, offsets, times = batch_of(group, places, notes)
        for number, (offset, time) in enumerate(zip(offsets, times, strict=True)):
            batch[offset : offset + 12] = (7 + number).to_bytes(8, "big") + b"\0\0\0\5"
            batch[time : time + 8] = (99).to_bytes(8, "big")
        records = iter_records(bytes(batch), 0, read_header(bytes(batch)))
        assert [decode_entry(r.key or b"", r.value) for r in records] == [
            OffsetRecord(group, *place, OffsetAndMetadata(7 + n, 5, notes[n], 99, NEVER))
            for n, place in enumerate(places)
        ]
