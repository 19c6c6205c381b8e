"""The CSV of ``--export`` and ``--from-file``: [group,]topic,partition,offset without a header."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pykafka_ops.analysis.offset_reset import Partition
from pykafka_ops.commands.framework.files import in_file
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.errors import PkoError

_QUOTED_ABOVE = 24
"""Jackson, which writes Kafka's CSV, puts longer texts in quotes without looking at them."""


class PlanFileError(PkoError):
    """The file cannot be read."""


class PlanLineError(PlanFileError):
    """A line of it is not one of a plan."""


class PlanLine(NamedTuple):
    """One line; ``group`` is None where the file has three columns."""

    group: str | None
    partition: Partition
    offset: int


def read_plan(path: str) -> list[PlanLine]:
    """All lines of the file. Raises PlanFileError, PlanLineError with the line's number."""
    rows: list[tuple[int, list[str]]] = []
    with in_file(path):
        try:
            with open(path, encoding="utf-8", newline="") as file:
                reader = csv.reader(file)
                rows += ((reader.line_num, row) for row in reader)
        except OSError:
            raise PlanFileError(f"java.io.IOException: Unable to read file {path}") from None
        except (UnicodeDecodeError, csv.Error) as error:
            line = len(rows) + 1
            raise PlanFileError(f"{path}, line {line}: this is no CSV file: {error}") from None
    return [_line(path, number, row) for number, row in rows if row]


def _line(path: str, number: int, row: list[str]) -> PlanLine:
    numbers = [java_integer(cell, bits) for cell, bits in zip(row[-2:], (31, 63), strict=False)]
    if len(row) not in (3, 4) or len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        raise PlanLineError(
            f"{path}, line {number}: write [group,]topic,partition,offset, not {','.join(row)}"
        )
    return PlanLine(row[0] if len(row) == 4 else None, (row[-3], numbers[0]), numbers[1])


def by_group(lines: Iterable[PlanLine], groups: list[str]) -> dict[str, dict[Partition, int]]:
    """The plan of each group in the file; lines without one belong to the only group asked for."""
    plans: dict[str, dict[Partition, int]] = {}
    for line in lines:
        group = line.group
        if group is None:
            if len(groups) != 1:
                continue
            group = groups[0]
        plans.setdefault(group, {})[line.partition] = line.offset
    return plans


def write_plan(plans: Mapping[str, Mapping[Partition, int]], *, with_group: bool) -> Iterable[str]:
    """The lines of the file."""
    for group, plan in plans.items():
        for (topic, index), offset in plan.items():
            head = f"{_cell(group)}," if with_group else ""
            yield f"{head}{_cell(topic)},{index},{offset}\n"


def _cell(text: str) -> str:
    if len(text) <= _QUOTED_ABOVE and not any(c in text for c in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'
