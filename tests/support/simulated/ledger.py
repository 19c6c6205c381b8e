"""What was promised and seen so far, and the rules that must hold of it (invariants I1-I8).

Everything is told as it happens; a rule that is broken raises :class:`BrokenError` at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from pykafka_ops.disk.batch import scan
from pykafka_ops.disk.record import iter_records

Key = tuple[bytes, int]
"""Topic id, partition."""


class BrokenError(AssertionError):
    """A rule does not hold; the text begins with its name."""


def demand(holds: bool, rule: str, text: str) -> None:
    """Raise BrokenError unless it ``holds``."""
    if not holds:
        raise BrokenError(f"{rule}: {text}")


@dataclass(slots=True)
class Committed:
    """What every replica below its high watermark must hold of one partition."""

    end: int = 0
    batches: dict[int, bytes] = field(default_factory=dict)
    """By base offset, the bytes as on disk."""
    values: dict[int, bytes] = field(default_factory=dict)
    """By offset; of control records the key."""

    def take(self, where: str, data: bytes) -> None:
        """Batches below the high watermark of one replica (I3)."""
        view = memoryview(data)
        for position, header in scan(view):
            base = header.base_offset
            batch = data[position : position + header.size]
            known = self.batches.setdefault(base, batch)
            demand(known == batch, "I3", f"{where} has another batch at offset {base}")
            if header.next_offset <= self.end:
                continue
            demand(base == self.end, "I4", f"{where}: offset {self.end} is followed by {base}")
            for record in iter_records(data, position, header, 1 << 20):
                content = record.key if header.is_control else record.value
                self.values[record.offset] = bytes(content or b"")
            self.end = header.next_offset


class Outcome(Enum):
    """What may become of a transaction."""

    OPEN = "open"
    ENDING = "a commit was sent"
    COMMITTED = "committed"
    ABORTED = "never committed"


@dataclass(slots=True)
class Transaction:
    """One transaction of one producer; ``values`` by partition."""

    name: str
    outcome: Outcome = Outcome.OPEN
    values: dict[tuple[str, int], list[bytes]] = field(default_factory=dict)
    offset: int | None = None
    """What it commits for its group."""


class Ledger:
    """All promises of one run."""

    def __init__(self) -> None:
        self.committed: dict[Key, Committed] = {}
        self.kinds: dict[str, type[Committed]] = {}
        """By topic, of those that are kept in another way than most."""
        self.topic_ids: dict[str, bytes] = {}
        """Of the topics that stay."""
        self.acknowledged: dict[tuple[str, int], dict[int, bytes]] = {}
        self.sent: dict[tuple[str, int], set[bytes]] = {}
        self.in_order: dict[tuple[str, str, int], list[bytes]] = {}
        """By producer and partition: what an idempotent one wrote, in its order."""
        self.confirmed: dict[tuple[str, str, int], int] = {}
        """How many of these were acknowledged."""
        self.transactions: dict[bytes, Transaction] = {}
        """By value."""
        self.leaders: dict[tuple[Key, int], int] = {}
        self.commits = Commits()
        self._unchecked: list[tuple[str, int, int, bytes]] = []

    def of(self, topic: str, index: int) -> Committed:
        """What is committed of a partition of a topic that stays."""
        return self.held(topic, (self.topic_ids[topic], index))

    def held(self, topic: str, key: Key) -> Committed:
        """What is committed of any partition."""
        found = self.committed.get(key)
        if found is None:
            found = self.committed[key] = self.kinds.get(topic, Committed)()
        return found

    # -- producers

    def write(self, topic: str, index: int, values: Iterable[bytes]) -> None:
        """Values go out."""
        self.sent.setdefault((topic, index), set()).update(values)

    def acknowledge(self, topic: str, index: int, base: int, values: list[bytes]) -> None:
        """Offsets were promised to values, by acks=all (I1, I3)."""
        held = self.acknowledged.setdefault((topic, index), {})
        for offset, value in enumerate(values, base):
            known = held.setdefault(offset, value)
            place = f"{topic}-{index} offset {offset}"
            demand(known == value, "I3", f"{place} was promised to {known!r} and {value!r}")
            self._unchecked.append((topic, index, offset, value))

    def check_acknowledged(self, *, finally_: bool = False) -> None:
        """What was acknowledged is committed (I1); it may be seen a moment later."""
        later = []
        for topic, index, offset, value in self._unchecked:
            held = self.of(topic, index)
            place = f"{topic}-{index} offset {offset}"
            if offset < held.end:
                found = held.values[offset]
                demand(found == value, "I1", f"{place} holds {found!r}, not {value!r}")
            else:
                demand(not finally_, "I1", f"{place} is lost: {value!r}")
                later.append((topic, index, offset, value))
        self._unchecked = later

    def led(self, key: Key, epoch: int, broker: int) -> None:
        """A broker believes to lead (I5)."""
        leader = self.leaders.setdefault((key, epoch), broker)
        demand(leader == broker, "I5", f"{leader} and {broker} lead partition {key[1]} in {epoch}")

    # -- readers

    def read(self, topic: str, index: int, offset: int, value: bytes, *, stable: bool) -> None:
        """Somebody consumed a record (I3, I7)."""
        place = f"{topic}-{index} offset {offset}"
        held = self.of(topic, index)
        known = held.values.get(offset)
        demand(known in (None, value), "I3", f"{place}: read {value!r}, committed is {known!r}")
        promised = self.acknowledged.get((topic, index), {}).get(offset, value)
        demand(promised == value, "I3", f"{place}: read {value!r}, promised was {promised!r}")
        demand(value in self.sent.get((topic, index), ()), "I3", f"{place}: who wrote {value!r}?")
        transaction = self.transactions.get(value)
        if stable and transaction is not None:
            good = transaction.outcome in (Outcome.ENDING, Outcome.COMMITTED)
            said = f"{place}: read_committed sees {value!r} of {transaction.name}"
            demand(good, "I7", f"{said}, which is {transaction.outcome.value}")

    # -- the end

    def check_order(self) -> None:
        """Idempotent producers: nothing twice, nothing missing, in order (I2)."""
        for (name, topic, index), sent in self.in_order.items():
            mine = set(sent)
            found = [v for _, v in sorted(self.of(topic, index).values.items()) if v in mine]
            place = f"{name} in {topic}-{index}"
            demand(len(found) == len(set(found)), "I2", f"{place}: some are there twice")
            demand(found == sent[: len(found)], "I2", f"{place}: {found} of {sent}")
            least = self.confirmed.get((name, topic, index), 0)
            demand(len(found) >= least, "I2", f"{place}: {len(found)} of {least} acknowledged")

    def check_transactions(self, visible: dict[tuple[str, int], dict[int, bytes]]) -> None:
        """All or nothing of each (I7); ``visible`` is what read_committed sees in the end."""
        seen = {place: list(values.values()) for place, values in visible.items()}
        for transaction in dict.fromkeys(map(_Same, self.transactions.values())):
            self._check_one(transaction.it, seen)

    @staticmethod
    def _check_one(one: Transaction, seen: dict[tuple[str, int], list[bytes]]) -> None:
        counts = [
            seen.get(place, []).count(v) for place, values in one.values.items() for v in values
        ]
        said = f"{one.name}, which is {one.outcome.value}: its values are seen {counts} times"
        demand(max(counts, default=0) <= 1, "I7", said)
        if one.outcome is Outcome.COMMITTED:
            demand(all(counts), "I7", said)
        elif one.outcome is Outcome.ENDING:
            demand(len(set(counts)) <= 1, "I7", said)
        else:
            demand(not any(counts), "I7", said)


class _Same:
    """Compares by identity."""

    def __init__(self, it: Transaction) -> None:
        self.it = it

    def __hash__(self) -> int:
        return hash(self.it.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.it is self.it


class Commits:
    """Of consumer groups: who owns what, and which offsets were committed (I8)."""

    def __init__(self) -> None:
        self._owners: dict[tuple[str, int, int], str] = {}
        self._tried: dict[tuple[str, int], list[int]] = {}
        self._kept: dict[tuple[str, int], int] = {}

    def own(self, group: str, generation: int, index: int, member: str) -> None:
        """A member is given a partition."""
        owner = self._owners.setdefault((group, generation, index), member)
        said = f"partition {index} belongs to {owner} and {member} in generation {generation}"
        demand(owner == member, "I8", f"{group}: {said}")

    def attempt(self, group: str, index: int, offset: int) -> int:
        """A commit goes out; its number."""
        tried = self._tried.setdefault((group, index), [])
        tried.append(offset)
        return len(tried) - 1

    def kept(self, group: str, index: int, number: int) -> None:
        """It was acknowledged."""
        place = (group, index)
        self._kept[place] = max(number, self._kept.get(place, -1))

    def floor(self, group: str, index: int) -> int:
        """The number of the last one that must not be forgotten, -1 if there is none."""
        return self._kept.get((group, index), -1)

    def fetched(self, group: str, index: int, offset: int, floor: int) -> None:
        """The committed offset as a member hears it, asked for when ``floor`` was the last."""
        tried = self._tried.get((group, index), [])
        allowed = {*tried[max(0, floor) :], *([-1] if floor < 0 else [])}
        said = f"{group} {index}: {offset} is committed, not one of {sorted(allowed)}"
        demand(offset in allowed, "I8", said)
