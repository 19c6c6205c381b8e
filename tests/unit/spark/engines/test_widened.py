"""How many tasks Spark makes of many rows."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.spark.engines import local_session, narrowed_to, widened


class _Session:
    """Of Spark, as far as its settings go."""

    def __init__(self, tasks: str) -> None:
        self.set_to = {"spark.sql.shuffle.partitions": tasks}
        self.conf: Any = self

    def get(self, name: str) -> str:
        return self.set_to[name]

    def set(self, name: str, value: str) -> None:
        self.set_to[name] = value


@pytest.mark.parametrize(
    ("rows", "tasks"), [(0, "2"), (40_000, "2"), (40_001, "3"), (1_000_000, "50")]
)
def test_many_rows_make_more_tasks_until_they_are_read(rows: int, tasks: str) -> None:
    session: Any = _Session("2")
    before = widened(session, rows, 20_000)
    assert session.get("spark.sql.shuffle.partitions") == tasks
    assert (before is None) == (tasks == "2")
    if before is not None:
        narrowed_to(session, before)
    assert session.get("spark.sql.shuffle.partitions") == "2"


def test_the_local_engine_has_one_task() -> None:
    assert widened(local_session(), 1_000_000, 20_000) is None
