"""What the target of a mirror link has of it. Values."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pykafka_ops.client.group_describe import MemberDescription
from pykafka_ops.mirror.control.state import MIRRORED, ControlState
from pykafka_ops.mirror.naming import OWN
from pykafka_ops.monitor.cluster.answers import Ends, Partition
from pykafka_ops.monitor.cluster.links import MM2, PKO

_SEPARATORS: Final = ".-_"


@dataclass(frozen=True, slots=True)
class LinkFound:
    """A link by the aliases of its clusters, and how far it says that it is.

    Of a ``pko mirror``: its ``control`` state, the ``committed`` offsets of the source by topics
    of the target, ``members`` that share the work (None: not known), whether they share it anew
    (``is_sharing``): then nobody knows who has what. Of MirrorMaker 2:
    ``positions`` by partitions of the source; ``beat_ms`` its newest heartbeat, ``copied_beat_ms``
    the newest that it has copied. ``troubles``: what could not be read.
    """

    kind: str
    source: str
    target: str
    control: ControlState = field(default_factory=ControlState)
    committed: Ends = field(default_factory=dict)
    members: Sequence[MemberDescription] | None = None
    is_sharing: bool = False
    positions: Mapping[Partition, int] = field(default_factory=dict)
    beat_ms: int | None = None
    copied_beat_ms: int | None = None
    troubles: Sequence[str] = ()

    @property
    def name(self) -> str:
        """As files, logs and commands write it."""
        return f"{self.source}->{self.target}"

    @property
    def topics(self) -> list[str]:
        """Topics of the target that a ``pko mirror`` writes to."""
        return [name for name, origin in self.control.topics.items() if origin.state == MIRRORED]

    @property
    def is_over(self) -> bool:
        """Whether nothing is left of it but what it has made: all topics were given to the
        target."""
        ended = self.members is not None and not self.members
        return self.kind == PKO and ended and not (self.topics or self.troubles)


def sources_named(topics: Iterable[str], pattern: str) -> list[str]:
    """The aliases of sources in names of topics; a NUL stands for them in ``pattern``."""
    before, behind = pattern.split("\0")
    own = [n for n in topics if n.startswith(before) and n.endswith(behind)]
    return [n[len(before) : len(n) - len(behind)] for n in own if len(n) > len(before + behind)]


def link_of_group(group: str, sources: Iterable[str]) -> tuple[str, str]:
    """Source and target of the link whose group this is: aliases may have dashes, so one of
    ``sources`` goes first."""
    rest = group[len(OWN) :]
    fitting = [s for s in sources if rest.startswith(f"{s}-") and len(rest) > len(s) + 1]
    source = max(fitting, key=len, default=rest.partition("-")[0])
    return source, rest[len(source) + 1 :]


def source_name(target: str, source: str, known: Container[str] | None) -> str | None:
    """What a mirrored topic of the target is called at the source: with its alias before the name,
    or the same. ``known``: topics of the source, None: nobody knows them. None: it is not there."""
    plain = target[len(source) + 1 :]
    has_prefix = target.startswith(source) and target[len(source) : len(source) + 1] in _SEPARATORS
    names = [plain] if has_prefix and plain else []
    names.append(target)
    if known is None:
        return names[0]
    return next((name for name in names if name in known), None)


def is_mm2(found: LinkFound) -> bool:
    """Whether it is a link of MirrorMaker 2."""
    return found.kind == MM2
