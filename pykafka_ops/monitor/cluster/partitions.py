"""The partitions of one group as columns, for a group may have 100,000: a row for each takes
seconds, a column what a look at it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Final

from pykafka_ops.analysis.commits.burrow import OK
from pykafka_ops.analysis.lag.rows import LagRow, lag_of
from pykafka_ops.client.group_describe import SHARE, GroupDescription
from pykafka_ops.monitor.cluster.groups import (
    GroupJudge,
    KnownFacts,
    partition_row,
    places_of,
    readers_by_topic,
)
from pykafka_ops.monitor.cluster.judged import JudgedPartitions

_FIELDS: Final = frozenset(field.name for field in fields(LagRow))
Column = Sequence[object]


class GroupPartitions:
    """Those of one group in one round, by topic and number. Whoever uses it holds the lock of the
    cluster, for it reads what the next round changes."""

    def __init__(
        self, known: KnownFacts, group: GroupDescription, judged: JudgedPartitions | None
    ) -> None:
        """``judged``: what the round kept (None: it is found out where it is wanted)."""
        self._known, self._group, self._judged = known, group, judged
        self._readers = readers_by_topic(group)
        self._topics = [(t, sorted(found)) for t, found in sorted(places_of(known, group).items())]
        self._places = [(topic, n) for topic, numbers in self._topics for n in numbers]
        self._made: dict[str, Column] = {}
        self._every: list[LagRow] | None = None

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        """Whether there is such a column."""
        return name in _FIELDS

    @property
    def texts(self) -> list[Column]:
        """The columns that a search looks into."""
        return [self[name] for name in ("topic", "client_id", "status")]

    def __getitem__(self, name: str) -> Column:
        """A column of ``LagRow``, None where a value is not known. KeyError."""
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = self._column(name)
        return found

    def rows(self, chosen: Iterable[int]) -> list[LagRow]:
        """The rows of these places in the columns."""
        return [self._row(*self._places[number]) for number in chosen]

    def _row(self, topic: str, n: int) -> LagRow:
        reader = self._readers.get(topic, {}).get(n)
        return partition_row(self._known, self._group, (topic, n), reader)

    def _column(self, name: str) -> Column:
        makers: dict[str, Callable[[], Column]] = {
            "topic": lambda: [topic for topic, _ in self._places],
            "partition": lambda: [n for _, n in self._places],
            "client_id": self._clients,
            "status": lambda: self._of_judged(self._verdicts().statuses, OK),
            "lag_seconds": lambda: self._of_judged(self._verdicts().behind, 0.0),
            "current_offset": self._committed,
            "log_end_offset": self._ends,
            "lag": self._lags,
            "lead": self._leads,
        }
        if name in makers and (self._group.type != SHARE or name in ("topic", "partition")):
            return makers[name]()
        if name not in _FIELDS:
            raise KeyError(name)
        if self._every is None:
            self._every = [self._row(*place) for place in self._places]
        return [getattr(row, name) for row in self._every]

    def _lags(self) -> list[int | None]:
        each = zip(self._committed(), self._starts(), self._ends(), strict=True)
        return [
            end - at if at is not None and end is not None and at <= end else lag_of(at, start, end)
            for at, start, end in each  # a call for each of 100,000 would be felt
        ]

    def _leads(self) -> list[int | None]:
        both = zip(self._committed(), self._starts(), strict=True)
        return [None if c is None or s is None else c - s for c, s in both]

    def _starts(self) -> list[int | None]:
        return self._offsets(self._known.starts)

    def _committed(self) -> list[int | None]:
        stored = self._known.commits.topics(self._group.id)
        return self._offsets({topic: one.committed for topic, one in stored.items()})

    def _ends(self) -> list[int | None]:
        ends = self._known.ends
        return self._offsets({topic: ends.all_latest(topic) for topic, _ in self._topics})

    def _verdicts(self) -> JudgedPartitions:
        if self._judged is None:
            self._judged = JudgedPartitions(GroupJudge(self._known).behind(self._group))
        return self._judged

    def _of_judged(self, known: Callable[[str], Mapping[int, object]], otherwise: object) -> Column:
        found: list[object] = []
        for topic, numbers in self._topics:
            of = known(topic)
            found += [of.get(n, otherwise) for n in numbers]
        return found

    def _offsets(self, known: Mapping[str, Sequence[int]]) -> list[int | None]:
        found: list[int | None] = []
        for topic, numbers in self._topics:
            offsets = known.get(topic, ())
            last = len(offsets)
            found += [offset if n < last and (offset := offsets[n]) >= 0 else None for n in numbers]
        return found

    def _clients(self) -> Column:
        found: list[str | None] = []
        for topic, numbers in self._topics:
            mine = self._readers.get(topic, {})
            found += [None if (m := mine.get(n)) is None else m.client_id for n in numbers]
        return found
