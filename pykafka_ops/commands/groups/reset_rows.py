"""What ``reset-offsets`` and ``seek`` show of a plan, and say about it."""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.analysis.offset_reset import OffsetChange, moves
from pykafka_ops.client.group_describe import GroupDescription
from pykafka_ops.client.seeking import OffsetPlan
from pykafka_ops.commands.console.errors import log
from pykafka_ops.commands.framework.output import PLACE, Column, ItemError, counted, rows_of, say
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

LOGGER = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
COLUMNS = (
    Column("group"),
    *PLACE,
    Column("current_offset", "CURRENT", right=True),
    Column("new_offset", "NEW", right=True),
    Column("skipped", right=True, optional=True),
    Column("repeated", right=True, optional=True),
)


def plan_rows(name: str, plan: OffsetPlan) -> list[dict[str, object]]:
    """The plan with what it skips and repeats."""
    return move_rows(name, moves(plan.offsets, plan.committed))


def move_rows(name: str, found: Iterable[OffsetChange]) -> list[dict[str, object]]:
    """Rows of the table of moves."""
    rows: list[tuple[object, ...]] = []
    for m in found:
        skipped = m.records if m.records and m.records > 0 else None
        repeated = -m.records if m.records and m.records < 0 else None
        rows.append((name, m.topic, m.partition, m.current, m.new, skipped, repeated))
    return rows_of(COLUMNS, rows)


def say_clamped(plan: OffsetPlan, *, flags: bool, logger: str = LOGGER) -> None:
    """Say which offsets asked for lie outside the log, and which partitions have no record."""
    for (topic, index), wish, offset, high in plan.clamped:
        side = "higher than latest" if high else "lower than earliest"
        text = (
            f"New offset ({wish}) is {side} offset for topic partition {topic}-{index}. "
            f"Value will be set to {offset}"
        )
        if flags:
            log("WARN", text, logger)
        else:
            say(f"pko: {topic}-{index}: {wish} is outside the log, {offset} is taken")
    if not flags:
        for topic, index in plan.empty:
            say(f"pko: {topic}-{index}: no record since then, its end is taken")


def in_use(group: GroupDescription) -> ItemError:
    """The error for a group with members."""
    text = f"it has {counted(group.members, 'member')} ({group.state}): stop them first"
    return ItemError.of(group.id, KafkaError(ErrorCode.NON_EMPTY_GROUP, text))
