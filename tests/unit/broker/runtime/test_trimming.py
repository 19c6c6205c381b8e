"""Memory goes back to the system when clients have given much back, and only then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pykafka_ops.broker.runtime.trimming import MUCH, Trimming
from pykafka_ops.broker.state.memory import Memory
from pykafka_ops.broker.storage.linux import give_memory_back


class Desk:
    """A broker's memory, and how often it was trimmed."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.trims = 0
        self._trimming = Trimming(self.memory, self._at_once, self._trim)

    async def _at_once(self, work: Callable[[], Any]) -> Any:
        return work()

    def _trim(self) -> None:
        self.trims += 1

    def look(self) -> int:
        asyncio.run(self._trimming.look())
        return self.trims


def test_memory_is_given_back_once_clients_have_given_back_much() -> None:
    desk = Desk()
    group = desk.memory.state.holder()
    group.change(MUCH)
    assert desk.look() == 0
    group.release()
    assert (desk.look(), desk.look()) == (1, 1)


def test_what_came_and_went_between_two_looks_counts_too() -> None:
    desk = Desk()
    for _ in range(2):
        answer = desk.memory.answers.holder()
        answer.change(MUCH // 2)
        answer.release()
        desk.look()
    assert desk.trims == 1


def test_little_is_not_worth_it() -> None:
    desk = Desk()
    desk.memory.state.holder().change(10 * MUCH)
    small = desk.memory.state.holder()
    small.change(MUCH // 2)
    small.release()
    assert desk.look() == 0


def test_the_c_library_is_asked_where_it_can() -> None:
    assert give_memory_back() is None  # type: ignore[func-returns-value]
