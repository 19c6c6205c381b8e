"""What one process of a link does about offsets for all of them: groups, MirrorMaker 2's topics,
the upkeep of the offset map. Its trouble stops nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pykafka_ops.client import offsets as ends
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.control.state import PROMOTED
from pykafka_ops.mirror.control.topic import ControlTopic
from pykafka_ops.mirror.groups.sync import GroupsOutcome, GroupSync
from pykafka_ops.mirror.mm2.writer import Mm2Writer
from pykafka_ops.mirror.naming import Naming, map_topic
from pykafka_ops.mirror.offsets.reader import MapReader
from pykafka_ops.mirror.offsets.upkeep import tidy
from pykafka_ops.mirror.settings.model import LinkSettings

UPKEEP_MS: Final = 30_000
PRUNE_MS: Final = 600_000
SHOWN: Final = 100
"""Groups that the status names, those in trouble first."""


class OffsetDuty:
    """For the leader of a link, from one thread; ``source`` and ``target`` are of its own."""

    def __init__(self, source: Cluster, target: Cluster, link: LinkSettings) -> None:
        self.source, self.target, self.link = source, target, link
        self.reader = MapReader(target, map_topic(link.source), pieces=True)
        self.groups = GroupSync(source, target, link, self.reader)
        self.mm2 = Mm2Writer(source, target, link)
        self.control = ControlTopic(target, link.source)
        self.is_paused = False
        """Whether groups are left alone: after a failover they are the target's own."""
        self.outcome = GroupsOutcome()
        self.troubles: dict[str, str] = {}
        """What failed last, by the task that did."""
        self._map_size = 0, 0
        self._status: dict[str, Any] = {}
        self._due: dict[str, int] = {}
        self._tasks: list[tuple[str, int, Callable[[int], None]]] = [
            ("upkeep", UPKEEP_MS, self._upkeep),
            ("prune", PRUNE_MS, self._prune),
        ]
        if link.sync_groups:
            self._tasks.insert(0, ("groups", link.groups_every_ms, self._groups))
        if link.mm2:
            self._tasks += [
                ("heartbeats", link.heartbeats_every_ms, self.mm2.heartbeat),
                ("checkpoints", link.checkpoints_every_ms, self._checkpoints),
            ]
        if link.offset_syncs != "off":
            self._tasks.append(("offset syncs", link.checkpoints_every_ms, self._syncs))

    def step(self, now_ms: int) -> None:
        """Do what is due. What fails is noted in ``troubles`` and tried again when due next."""
        for name, every, work in self._tasks:
            if now_ms < self._due.get(name, 0):
                continue
            self._due[name] = now_ms + every
            try:
                work(now_ms)
            except PkoError as error:
                self.troubles[name] = in_one_line(error)
            else:
                self.troubles.pop(name, None)
            self._status = self._summed()

    def close(self) -> None:
        """Close the connections."""
        self.source.close()
        self.target.close()

    def status(self) -> dict[str, Any]:
        """How it stands after the last step, for JSON; of many groups those in trouble. Any thread
        may ask."""
        return self._status

    def _summed(self) -> dict[str, Any]:
        partitions, runs = self._map_size
        outcomes = list(self.outcome.groups.values())
        worst = sorted(outcomes, key=lambda g: (g.state == "synced", g.group))[:SHOWN]
        return {
            "groups_paused": self.is_paused,
            "groups": {
                state: sum(g.state == state for g in outcomes)
                for state in ("synced", "active", "failed")
            },
            "groups_ahead": sum(g.ahead > 0 for g in outcomes),
            "worst": [
                {"group": g.group, "state": g.state, "ahead": g.ahead, "trouble": g.trouble}
                for g in worst
                if g.state != "synced" or g.ahead
            ],
            "map": {
                "partitions": partitions,
                "runs": runs,
                "damaged": self.reader.damaged,
            },
            "troubles": [*self.outcome.troubles, *(f"{k}: {v}" for k, v in self.troubles.items())],
        }

    def _groups(self, now_ms: int) -> None:
        outcome = self._look()
        if not self.is_paused:
            self.groups.write(outcome)
        self.outcome = outcome

    def _look(self) -> GroupsOutcome:
        """The groups, without places in topics that were given to the target by a failover."""
        state = self.control.catch_up()
        self.is_paused = state.is_paused()
        own = {topic for topic, origin in state.topics.items() if origin.state == PROMOTED}
        outcome = self.groups.look()
        for group in outcome.groups.values():
            group.places = [place for place in group.places if place.topic not in own]
        return outcome

    def _checkpoints(self, now_ms: int) -> None:
        outcome = self.outcome if self.link.sync_groups else self._look()
        self.mm2.checkpoints(((g.group, g.places) for g in outcome.groups.values()), now_ms)

    def _syncs(self, now_ms: int) -> None:
        self.reader.catch_up()
        self.mm2.offset_syncs(self.reader, now_ms)

    def _upkeep(self, now_ms: int) -> None:
        self.reader.catch_up()
        tidy(self.reader, now_ms)
        maps = self.reader.maps
        self._map_size = len(maps), sum(len(kept.runs) for kept in maps.values())

    def _prune(self, now_ms: int) -> None:
        """Forget what both logs no longer have."""
        name = Naming.of(self.link).source_topic
        sources = {
            target: (topic, target[1])
            for target in self.reader.maps
            if (topic := name(target[0])) is not None
        }
        here = ends.known_offsets(self.source, sources.values(), ends.EARLIEST)
        there = ends.known_offsets(self.target, sources, ends.EARLIEST)
        self.reader.prune(
            {
                target: (here[source].offset, there[target].offset)
                for target, source in sources.items()
                if source in here and target in there
            }
        )
