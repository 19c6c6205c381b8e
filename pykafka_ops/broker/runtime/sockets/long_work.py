"""A request of few items that takes long, or has a long answer: others are served in between."""

from __future__ import annotations

from pykafka_ops.broker.runtime.sockets.memory import DecodedMemory
from pykafka_ops.broker.runtime.time_slice import TimeSlice
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.wire.bulk import long_array
from pykafka_ops.wire.division import GatheredAnswer
from pykafka_ops.wire.message import Struct

FEW = 500
"""Items of a request that is served, and of an answer that is encoded, at once."""
MOST_ANSWER = 100_000_000
"""Bytes of an answer: what librdkafka takes."""
LONG_WORK_BYTES = 128 << 20
"""Memory that work in a thread may take: a batch that is decompressed."""


async def long_work(steps: Steps[object], memory: DecodedMemory, version: int) -> object:
    """The answer that the work gives."""
    time_slice, held = TimeSlice(), 0

    async def take() -> None:
        nonlocal held
        if not held:
            await memory.take(LONG_WORK_BYTES)
            held = LONG_WORK_BYTES

    try:
        answer = await time_slice.drive(steps, take)
    finally:
        memory.give_back(held)
    return await in_pieces(answer, version, time_slice)


async def in_pieces(answer: object, version: int, time_slice: TimeSlice) -> object:
    """A message whose longest array is encoded already, if it is long."""
    name = long_array(answer, FEW) if isinstance(answer, Struct) else None
    if name is None:
        return answer
    gathered = GatheredAnswer([name], version, MOST_ANSWER)
    await time_slice.drive(gathered.add(answer, goes_on=False))
    return gathered
