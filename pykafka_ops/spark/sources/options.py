"""Options of the sources, as Spark hands them over: texts by case-insensitive name."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pyarrow as pa

from pykafka_ops.errors import UsageError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.sources.conditions import Conditions

_PREFIX = "kafka."


class SourceOptions:
    """Reads options; UsageError names the option that is wrong."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = {str(k).lower(): str(v) for k, v in values.items()}

    def values(self) -> dict[str, str]:
        """All of them, by their names in small letters."""
        return dict(self._values)

    def text(self, name: str, default: str = "") -> str:
        """The text, ``default`` where absent or blank."""
        return self._values.get(name.lower(), "").strip() or default

    def has(self, name: str) -> bool:
        """Whether it is given, and not blank."""
        return bool(self.text(name))

    def integer(self, name: str, default: int | None = None, *, lowest: int = 0) -> int | None:
        """A whole number from ``lowest`` on."""
        text = self.text(name)
        if not text:
            return default
        try:
            value = int(text)
        except ValueError:
            value = lowest - 1
        if value < lowest or value > 2**63 - 1:
            raise UsageError(f"option {name}={text}: not a whole number from {lowest} on")
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        """``true`` or ``false``."""
        text = self.text(name, str(default)).lower()
        if text not in ("true", "false"):
            raise UsageError(f"option {name}={text}: not true or false")
        return text == "true"

    def one_of(self, name: str, allowed: Iterable[str]) -> str:
        """One of some words; the first where absent."""
        words = list(allowed)
        text = self.text(name, words[0])
        if text not in words:
            raise UsageError(f"option {name}={text}: not one of {', '.join(words)}")
        return text

    def words(self, name: str) -> list[str]:
        """A comma list, or a JSON list of texts."""
        text = self.text(name)
        if text.startswith("["):
            found = self.json(name)
            if not isinstance(found, list) or not all(isinstance(w, str) for w in found):
                raise UsageError(f"option {name}={text}: not a JSON list of texts")
            return [word for word in found if word]
        return [word for part in text.split(",") if (word := part.strip())]

    def json(self, name: str) -> Any:
        """A JSON value."""
        text = self.text(name)
        try:
            return json.loads(text)
        except ValueError as error:
            raise UsageError(f"option {name}={text}: not JSON ({error})") from None

    def assigned(self) -> set[tuple[str, int]]:
        """The partitions that ``assign`` names."""
        value = self.json("assign")
        if not isinstance(value, dict) or not all(
            isinstance(ps, list) and all(type(p) is int for p in ps) for ps in value.values()
        ):
            raise UsageError('option assign: not {"topic": [0, 1]}')
        return {(topic, p) for topic, ps in value.items() for p in ps}

    def places(self) -> list[str]:
        """The locations that ``paths`` and ``path`` name."""
        return [*self.words("paths"), *self.words("path")]

    def read_committed(self) -> bool:
        """Whether only records of committed transactions count, and no open ones."""
        for name in ("kafka.isolation.level", "isolation.level", "isolationLevel"):
            if level := self.text(name).lower():
                if level not in ("read_uncommitted", "read_committed"):
                    raise UsageError(
                        f"option {name}={level}: not one of read_uncommitted, read_committed"
                    )
                return level == "read_committed"
        return False

    def record_columns(self) -> pa.Schema:
        """The columns of Spark's own source for records."""
        headers = self.flag("includeHeaders", default=False)
        return schemas.RECORDS_WITH_HEADERS if headers else schemas.RECORDS

    def columns(self, usual: pa.Schema, every: pa.Schema, source: str) -> pa.Schema:
        """Those of ``every`` that ``columns`` names, in that order; ``usual`` where it names none.

        UsageError for a column that ``source`` has not.
        """
        wanted = self.words("columns")
        for name in wanted:
            if name not in every.names:
                known = ", ".join(every.names)
                raise UsageError(f"option columns: {source} has no column {name}: it has {known}")
        return pa.schema([every.field(name) for name in dict.fromkeys(wanted)]) if wanted else usual

    def where(self, every: pa.Schema) -> Conditions:
        """What the option ``where`` wants of columns of ``every``."""
        if not self.has("where"):
            return Conditions()
        from pykafka_ops.spark.sources.where import conditions_of

        return conditions_of(self.text("where"), every)

    def names(self, names: str, pattern: str) -> Names:
        """Names by a list or by a pattern, of which only one may be given; none: all."""
        if self.has(names) and self.has(pattern):
            raise UsageError(f"options {names} and {pattern}: only one of them can hold")
        if self.has(pattern):
            return Names.of([self.text(pattern)], regex=True)
        return Names.of(self.words(names))

    def only(self, listed: str, pattern: str, allowed: Collection[Any]) -> SourceOptions | None:
        """The same with the names alone that are also ``allowed``; None where none is left."""
        meant = self.names(listed, pattern)
        both = sorted(name for name in allowed if name in meant)
        left = {k: v for k, v in self._values.items() if k != pattern.lower()}
        return SourceOptions({**left, listed.lower(): json.dumps(both)}) if both else None

    def client(self) -> dict[str, str]:
        """The client properties: every ``kafka.*`` option without its prefix."""
        found = {
            key.removeprefix(_PREFIX): value
            for key, value in self._values.items()
            if key.startswith(_PREFIX)
        }
        if not found.get("bootstrap.servers"):
            raise UsageError("option kafka.bootstrap.servers is missing: give HOST:PORT,...")
        return found


def by_topic(places: Mapping[tuple[str, int], int]) -> dict[str, dict[str, int]]:
    """``{"topic": {"0": 23}}``, as checkpoints of Spark's kafka source have offsets."""
    found: dict[str, dict[str, int]] = {}
    for (topic, partition), offset in sorted(places.items()):
        found.setdefault(topic, {})[str(partition)] = offset
    return found


def limited(
    begins: Mapping[tuple[str, int], int], ends: Mapping[tuple[str, int], int], most: int
) -> dict[tuple[str, int], int]:
    """Nearer ends, about ``most`` offsets in all: each partition has its share of what is there,
    and one at least."""
    sizes = {p: max(0, end - begins.get(p, 0)) for p, end in ends.items()}
    total = sum(sizes.values())
    if total <= most:
        return dict(ends)
    return {
        p: ends[p] - size + min(size, max(1, size * most // total)) for p, size in sizes.items()
    }


def now_ms() -> int:
    """Milliseconds since 1970."""
    return int(time.time() * 1000)


def by_partition(value: Any, what: str) -> dict[tuple[str, int], int]:
    """``{"topic": {"0": 23, "1": -2}}``, as Spark's kafka source takes it, by (topic, partition).

    UsageError where it is not that; ``what`` is its name.
    """
    found: dict[tuple[str, int], int] = {}
    good = isinstance(value, dict)
    for topic, partitions in value.items() if good else ():
        if not isinstance(partitions, dict):
            good = False
            break
        for number, offset in partitions.items():
            if not re.fullmatch(r"\d{1,10}", str(number)) or type(offset) is not int:
                good = False
                break
            found[topic, int(number)] = offset
    if not good:
        raise UsageError(f'option {what}: not {{"topic": {{"0": 23, "1": -2}}}}')
    return found
