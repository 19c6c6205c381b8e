"""Metrics by family: what each is called as an MBean of Kafka, and its values by labels."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple


class MetricKind(Enum):
    """What a value is: a state, a sum since the start, :class:`Times`, :class:`Buckets`, or not
    said."""

    GAUGE = "gauge"
    COUNTER = "counter"
    SUMMARY = "summary"
    HISTOGRAM = "histogram"
    UNTYPED = "untyped"


class Bean(NamedTuple):
    """An attribute of an MBean, which has labels beside: of ``kafka.server`` with
    ``type=ReplicaManager,name=LeaderCount`` the ``Value``. Some have no name, but many
    attributes."""

    domain: str
    type: str
    name: str
    attribute: str

    @classmethod
    def parse(cls, text: str, kind: MetricKind) -> Bean:
        """Of ``DOMAIN:TYPE:NAME``, with an ``:ATTRIBUTE`` where that is not the usual one."""
        domain, of_type, name, *attribute = text.split(":")
        usual = "Value" if kind is MetricKind.GAUGE else "Count"
        return cls(domain, of_type, name, attribute[0] if attribute else usual)

    def text(self, labels: Labels) -> str:
        """The name of the MBean."""
        name = (("name", self.name),) if self.name else ()
        keys = (("type", self.type), *name, *labels.pairs)
        return f"{self.domain}:{','.join(f'{key}={_quoted(value)}' for key, value in keys)}"


def _quoted(value: str) -> str:
    """As Kafka's ``Sanitizer.jmxSanitize``: what would end a value is quoted."""
    if not any(c in ',=:*?"\n\\' for c in value):
        return value
    escaped = value.replace("\\", "\\\\")
    for char in '"*?':
        escaped = escaped.replace(char, f"\\{char}")
    return '"' + escaped.replace("\n", "\\n") + '"'


class Times(NamedTuple):
    """What was measured of many: quantiles by the share of those below, how many there were."""

    quantiles: tuple[tuple[str, float], ...]
    number: int
    total: float


class Buckets(NamedTuple):
    """What was measured of many: how many were at most so much, by that, as Prometheus writes it;
    how many there were."""

    at_most: tuple[tuple[str, int], ...]
    number: int
    total: float


class Labels:
    """Names and values that identify a sample of a family; ``text`` is how Prometheus writes
    them. Those of a partition are made once and serve all its families."""

    __slots__ = ("pairs", "text")

    def __init__(self, **pairs: str | int) -> None:
        self.pairs = tuple((key, str(value)) for key, value in pairs.items())
        inner = ",".join(f'{key}="{_escaped(value)}"' for key, value in self.pairs)
        self.text = f"{{{inner}}}" if inner else ""

    def __repr__(self) -> str:
        return self.text


def _escaped(value: str) -> str:
    if "\\" in value or '"' in value or "\n" in value:
        return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return value


NONE = Labels()
Value = int | float | Times | Buckets


class Family:
    """All values of one metric. Of a bean the name follows from it, else it is ``name``."""

    __slots__ = ("bean", "help", "kind", "name", "samples")

    def __init__(
        self, kind: MetricKind, what: str, *, bean: Bean | None = None, name: str = ""
    ) -> None:
        self.kind = kind
        self.help = what
        self.bean = bean
        self.name = name
        self.samples: list[tuple[Labels, Value]] = []

    def add(self, value: Value | None, labels: Labels = NONE) -> None:
        """Add a value; an unknown one (None) is left out, and never becomes 0."""
        if value is not None:
            self.samples.append((labels, value))


class Book:
    """Families in the order in which they were first added."""

    def __init__(self) -> None:
        self._families: dict[Bean | str, Family] = {}

    def __iter__(self) -> Iterator[Family]:
        return (family for family in self._families.values() if family.samples)

    def bean(self, bean: str, what: str, kind: MetricKind = MetricKind.GAUGE) -> Family:
        """The family of a bean as :meth:`Bean.parse` reads it."""
        key = Bean.parse(bean, kind)
        return self._families.setdefault(key, Family(kind, what, bean=key))

    def plain(self, name: str, what: str, kind: MetricKind = MetricKind.GAUGE) -> Family:
        """The family of that name, which is no bean of Kafka."""
        return self._families.setdefault(name, Family(kind, what, name=name))
