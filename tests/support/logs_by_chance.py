"""Logs of all kinds of batches, by chance."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pykafka_ops.disk.compression import Codec
from tests.support.kept_logs import Sent, in_batches, marker, transaction


def _sent(chance: random.Random, base: int) -> Sent:
    at = chance.choice((-1, chance.randrange(9_000), base * 3))
    key = chance.choice((None, b"k%d" % chance.randrange(9)))
    return at, key, chance.choice((None, chance.randbytes(chance.randrange(90))))


def random_batches(chance: random.Random, base: int, count: int) -> list[bytes]:
    """Batches of all kinds: late records, codecs, gaps, transactions that commit, abort, stay open,
    overlap."""
    found: list[bytes] = []
    going: set[int] = set()
    for _ in range(count):
        sent = [_sent(chance, base) for _ in range(chance.randrange(1, 9))]
        kind = chance.random()
        if kind < 0.4:
            producer = chance.randrange(1, 4)
            found += transaction(sent, base, producer, ends=None)
            going.add(producer)
        else:
            found += in_batches(sent, 5, base=base, codec=chance.choice((Codec.NONE, Codec.ZSTD)))
        base += len(sent)
        if going and chance.random() < 0.4:
            producer = chance.choice(sorted(going))
            going.discard(producer)
            found.append(marker(base, producer, chance.random() < 0.5))
            base += 1
        if chance.random() < 0.1:
            base += chance.randrange(20)  # compaction leaves gaps
    return found


def end_of(batches: Sequence[bytes]) -> int:
    """The offset behind them."""
    last = batches[-1]
    return int.from_bytes(last[:8], "big") + int.from_bytes(last[23:27], "big") + 1
