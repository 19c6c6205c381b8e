"""Long work gives way: what comes meanwhile has its turn, and of several works one goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from pykafka_ops.broker.runtime import time_slice
from pykafka_ops.broker.runtime.time_slice import TimeSlice, take_turns


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pause is a turn for others; what a test sets up ends with it."""
    monkeypatch.setattr(time_slice, "STRETCH_S", -1.0)
    monkeypatch.setattr(time_slice, "_line", [])


def steps(count: int, seen: list[str], name: str) -> Generator[None, None, str]:
    for _ in range(count):
        seen.append(name)
        yield
    return name


def test_others_have_a_turn_between_the_steps_of_long_work() -> None:
    seen: list[str] = []

    async def body() -> str:
        loop = asyncio.get_running_loop()
        for turn in range(3):
            loop.call_soon(seen.append, f"other {turn}")
        return await TimeSlice().drive(steps(2, seen, "work"))

    assert asyncio.run(body()) == "work"
    assert seen == ["work", "other 0", "other 1", "other 2", "work"]


def test_of_many_that_are_at_long_work_one_goes_on_in_each_turn_of_the_loop() -> None:
    seen: list[str] = []

    async def body() -> list[str]:
        take_turns()
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def tick() -> None:
            seen.append("|")
            if not over.is_set():
                loop.call_soon(tick)

        works = [TimeSlice().drive(steps(4, seen, name)) for name in "abc"]
        tasks = [asyncio.ensure_future(work) for work in works]
        await asyncio.sleep(0)  # each has begun, and paused for the first time
        seen.clear()
        tick()
        found = await asyncio.gather(*tasks)
        over.set()
        return found

    assert asyncio.run(body()) == ["a", "b", "c"]
    turns = "".join(seen).split("|")
    assert max(map(len, turns)) == 1
    assert "".join(turns) == "abc" * 3


def test_work_that_is_given_up_does_not_hold_up_the_rest() -> None:
    seen: list[str] = []

    async def body() -> None:
        take_turns()
        tasks = [asyncio.ensure_future(TimeSlice().drive(steps(3, seen, n))) for n in "ab"]
        await asyncio.sleep(0)
        tasks[0].cancel()
        assert await tasks[1] == "b"

    asyncio.run(body())
    assert seen == list("abbb")
