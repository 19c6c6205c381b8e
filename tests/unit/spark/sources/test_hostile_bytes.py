"""Whatever a broker or a file holds: rows, or one error that says where; never anything else."""

from __future__ import annotations

import random

import pytest

from pykafka_ops.errors import CorruptError
from pykafka_ops.spark.decode.commits import CommitDecoder
from pykafka_ops.spark.inputs.names import ALL
from pykafka_ops.spark.schemas import EVERY_RECORD as EVERY
from pykafka_ops.spark.sources.live.records.decode import Decoder, pieces
from pykafka_ops.spark.sources.live.records.fetch import FetchedPage
from pykafka_ops.spark.sources.live.records.offsets import OffsetRange
from pykafka_ops.spark.sources.log.scan import Bad
from pykafka_ops.spark.sources.offsets.fold import Fold
from tests.support.fuzz.mutations import changed
from tests.support.fuzz.seeds import golden_batches
from tests.support.golden.segments import SEGMENTS
from tests.support.raising import raises_only

SPAN = OffsetRange("t", 0, 0, 2**62)
COMMITS = [path.read_bytes() for path in sorted(SEGMENTS.glob("internal-consumer-offsets-*/*.log"))]


def as_records(data: bytes, *, crc: bool) -> None:
    decoder = Decoder(EVERY, SPAN, committed=True, crc=crc)
    with raises_only(CorruptError):
        made = decoder.decode(FetchedPage(data, [(0, 0), (1, 5)]))
        for batch in made.batches:
            batch.validate(full=True)


def as_commits(data: bytes) -> None:
    fold = Fold(CommitDecoder(ALL, ALL), 0)
    for piece in pieces(data):
        with raises_only(CorruptError):
            for made in fold.of(piece):
                if not isinstance(made, Bad):
                    made.validate(full=True)


@pytest.mark.parametrize("crc", [False, True])
def test_damaged_pages_give_records_or_say_what_is_corrupt(crc: bool) -> None:
    rng = random.Random(f"records {crc}")
    seeds = golden_batches()
    for data in [*seeds, *(changed(rng, seeds) for _ in range(400))]:
        as_records(data, crc=crc)


def test_damaged_commits_are_left_out_or_told() -> None:
    rng = random.Random("commits")
    seeds = [*COMMITS, *golden_batches()]
    for data in [*seeds, *(changed(rng, seeds) for _ in range(400))]:
        as_commits(data)
