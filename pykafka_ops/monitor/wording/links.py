"""How mirror links are, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pykafka_ops.mirror.report.rows import IDLE, LOST, STOPPED, UNKNOWN
from pykafka_ops.monitor.cluster.links import BROKEN, MM2, STALLED, MirrorLink
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.text import many, safe, span

_SAID: Final = {
    LOST: "lost records",
    IDLE: "without a process",
    STALLED: "stalled",
    STOPPED: "stopped",
}
"""The worst first."""


def in_verdict(links: Sequence[MirrorLink]) -> list[tuple[str, str]]:
    """What is wrong with links, each with its tone; [] where nothing is."""
    words = []
    for state, said in _SAID.items():
        count = sum(link.state == state for link in links)
        if count:
            words.append((f"{many(count, 'mirror')} {said}", line.BAD))
    unknown = sum(link.state == UNKNOWN for link in links)
    if unknown:
        words.append((f"{many(unknown, 'mirror')} of unknown lag", line.WARN))
    return words


def broken_links(links: Sequence[MirrorLink]) -> list[str]:
    """A sentence for each link that somebody has to do something about, the worst first."""
    bad = [link for link in links if link.state in BROKEN]
    return [_sentence(link) for link in sorted(bad, key=lambda link: BROKEN.index(link.state))]


def _sentence(link: MirrorLink) -> str:
    count = link.counts
    behind = f", {span(link.lag_seconds)} behind" if link.lag_seconds else ""
    if link.state == LOST:
        lost = many(count.get(LOST, 0), "partition")
        said = f"the source deleted records of {lost} before they were copied"
    elif link.state == IDLE and link.kind == MM2:
        said = f"no heartbeat since {span(link.heartbeat_seconds)}"
    elif link.state == IDLE:
        some = count.get(IDLE, 0)
        every = some == link.partitions
        said = "no process copies it" if every else f"nobody copies {many(some, 'partition')}"
    elif link.state == STALLED:
        said = f"nothing was copied for {span(link.stalled_seconds)}, and records wait"
    else:
        said = "it cannot go on; its log says why"
    return f"mirror {safe(link.name)}: {said}{behind}"
