"""Which units of segments a sample has."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pykafka_ops.analysis.sampled import GROUPS
from pykafka_ops.disk.names import INDEX_SUFFIX, segment_file
from pykafka_ops.spark.sources.files import SegmentFile, replicas
from pykafka_ops.spark.sources.log import units
from pykafka_ops.spark.sources.log.plan import seeker
from pykafka_ops.spark.sources.log.scan import Bad, BatchRun
from pykafka_ops.spark.sources.log.seek import Seeker
from tests.support.spark.log_tables import write_log

BATCHES = [30] * 400
"""Records of the batches of a segment: some 14 units."""


def opened(place: Path) -> tuple[Seeker, SegmentFile]:
    (replica,) = replicas(str(place))
    return seeker(replica), replica.segments[0]


def begins(seek: Seeker, segment: SegmentFile) -> set[int]:
    """Where batches begin, and the end."""
    runs = seek.pieces(segment, 0, segment.size)
    return {segment.size, *(n for r in runs if isinstance(r, BatchRun) for n in r.positions)}


def every(seek: Seeker, segment: SegmentFile) -> units.SampledUnits:
    return units.chosen(seek, segment, 0, segment.size, 1.0)


@pytest.mark.parametrize("indexed", [True, False])
def test_units_are_side_by_side_and_begin_with_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indexed: bool
) -> None:
    monkeypatch.setattr(units, "_LONG", 64 << 10)
    write_log(tmp_path, "orders", [BATCHES], indexed=indexed)
    seek, segment = opened(tmp_path)
    found = every(seek, segment).units
    assert len(found) > 8
    borders = [found[0].start, *(unit.end for unit in found)]
    assert (borders[0], borders[-1]) == (0, segment.size)
    assert [unit.start for unit in found[1:]] == [unit.end for unit in found[:-1]]
    assert set(borders) - {0} <= begins(seek, segment)
    sizes = [unit.end - unit.start for unit in found[:-1]]
    assert max(sizes) < 2 * units.UNIT_BYTES + 8192 and min(sizes) > units.UNIT_BYTES / 4


def test_a_range_has_the_units_that_the_whole_has_there(tmp_path: Path) -> None:
    write_log(tmp_path, "orders", [BATCHES])
    seek, segment = opened(tmp_path)
    whole = units.chosen(seek, segment, 0, segment.size, 0.5)
    assert 0 < len(whole.units) < whole.of
    assert units.chosen(seek, segment, 0, segment.size, 0.5) == whole
    more = units.chosen(seek, segment, 0, segment.size, 0.8).units
    assert set(whole.units) < set(more)
    places = sorted(begins(seek, segment))
    low, high = places[len(places) // 3], places[2 * len(places) // 3]
    part = units.chosen(seek, segment, low, high, 0.5)
    inside = [u for u in whole.units if u.start < high and u.end > low]
    assert part.units == [u._replace(start=max(u.start, low), end=min(u.end, high)) for u in inside]
    assert len(part.units) <= part.of < whole.of


def test_an_index_that_names_no_batch_is_not_used(tmp_path: Path) -> None:
    folder = write_log(tmp_path, "orders", [BATCHES])
    index = folder / segment_file(0, INDEX_SUFFIX)
    entries = np.frombuffer(index.read_bytes(), ">i4").reshape(-1, 2).copy()
    entries[:, 1] += 7
    index.write_bytes(entries.tobytes())
    seek, segment = opened(tmp_path)
    found = every(seek, segment).units
    assert {unit.start for unit in found} < {0, *begins(seek, segment)}
    assert not any(isinstance(p, Bad) for p in seek.pieces(segment, 0, segment.size))


def test_units_are_chosen_as_often_as_asked_and_dealt_evenly() -> None:
    names = np.arange(0, 4_000_000, 40, dtype=np.int64)
    hashes = units._hashes(("orders", 3), names)
    chosen = units.is_chosen(hashes, 0.01)
    assert abs(int(chosen.sum()) - 1_000) < 100
    groups = Counter(units.group_of(hashes[chosen]).tolist())
    assert set(groups) == set(range(GROUPS))
    assert max(groups.values()) < 60
    other = units.is_chosen(units._hashes(("orders", 4), names), 0.01)
    assert int((chosen & other).sum()) < 40
    assert units.is_chosen(hashes, 1.0).all()
