"""Clusters, links, load, kills, and the judgement: one run of ``scripts/mirror_drill``."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.support.drill.judge import DrillJudge
from tests.support.drill.links import DrillMirror, DrillPair
from tests.support.drill.site_load import IDEMPOTENT, TOPICS, SiteLoad
from tests.support.drill.sites import DrillSite


class DrillTerms(NamedTuple):
    """How large a drill is. ``kill_every``: seconds between two kills on average; it goes on until
    there were ``least_kills``."""

    pairs: Sequence[DrillPair]
    seconds: float
    seed: int = 1
    kill_every: float = 10.0
    processes: int = 2
    at_once: int = 5
    life_seconds: float = 30.0
    least_kills: int = 0


class Kill(NamedTuple):
    """What is drawn: seconds after the last, who, and seconds until it is back."""

    wait: float
    victim: str
    away: float
    number: int


class MirrorDrill:
    """One run in ``directory``. ``say`` gets a line now and then."""

    def __init__(
        self, terms: DrillTerms, directory: Path, say: Callable[[str], None] = print
    ) -> None:
        self.terms, self.directory, self._say = terms, directory, say
        aliases = sorted({alias for pair in terms.pairs for alias in (pair.a, pair.b)})
        self.sites = {alias: DrillSite(alias, directory / alias) for alias in aliases}
        self.mirrors: list[DrillMirror] = []
        self.loads: dict[str, SiteLoad] = {}
        self.kills: Counter[str] = Counter()
        self._chance = random.Random(terms.seed)

    def run(self) -> list[str]:
        """All of it; what is amiss. AssertionError where something does not come back, end or catch
        up."""
        self._begin()
        self._kill_until(time.monotonic() + self.terms.seconds)
        self._say("the load ends")
        amiss = [line for load in self.loads.values() for line in load.stop()]
        for mirror in self.mirrors:
            mirror.caught_up(len(TOPICS))
        self._say("every mirror says that it has caught up")
        ended = [(mirror.file.name, mirror.close()) for mirror in self.mirrors]
        amiss += [f"{name}: exit codes {codes}" for name, codes in ended if any(codes)]
        return amiss + self._judge()

    def close(self) -> None:
        """End what runs."""
        for load in self.loads.values():
            for job in load.jobs:
                job.stopping.set()
        for mirror in self.mirrors:
            with suppress(Exception):
                mirror.close()
        for site in self.sites.values():
            site.close()

    # --- load and kills --------------------------------------------------------------------------

    def _begin(self) -> None:
        terms = self.terms
        for site in self.sites.values():
            site.start()
        sources = sorted({a for pair in terms.pairs for a, _ in pair.ways()})
        for n, alias in enumerate(sources):
            self.loads[alias] = SiteLoad(
                self.sites[alias], terms.seed * 1000 + n * 100, at_once=terms.at_once,
                life_seconds=terms.life_seconds,
            )  # fmt: skip
        for n, pair in enumerate(terms.pairs):
            deletes = ("delete", "keep")[n % 2]
            mirror = DrillMirror(
                pair, self.sites, TOPICS, self.directory, deletes=deletes,
                processes=terms.processes,
            )  # fmt: skip
            self.mirrors.append(mirror)
            mirror.start()
        for load in self.loads.values():
            load.start()
        self._say(f"load on {', '.join(self.loads)}; {len(self.mirrors)} mirrors run")

    def _draw(self) -> Kill:
        """The next kill; one of two is of a mirror."""
        chance = self._chance
        names = [mirror.file.name for mirror in self.mirrors]
        victim = chance.choice(names if chance.random() < 0.5 else sorted(self.sites))
        wait = self.terms.kill_every * chance.uniform(0.3, 1.7)
        return Kill(wait, victim, chance.choice((0.0, 0.5, 4.0)), chance.randrange(8))

    def _kill_until(self, end: float) -> None:
        while True:
            kill = self._draw()
            is_due = self.kills.total() < self.terms.least_kills
            left = end - time.monotonic()
            time.sleep(kill.wait if is_due else max(0.0, min(kill.wait, left)))
            if time.monotonic() >= end and not is_due:
                return
            self._kill(kill)
            sent = sum(load.sent for load in self.loads.values())
            self._say(f"{sent} records; kill -9 of {kill.victim}, away for {kill.away:g} s")

    def _kill(self, kill: Kill) -> None:
        self.kills[kill.victim] += 1
        mirror = next((m for m in self.mirrors if m.file.name == kill.victim), None)
        if mirror is not None:
            mirror.kill(kill.number)
            time.sleep(kill.away)
            mirror.start()
            return
        site = self.sites[kill.victim]
        site.kill()
        time.sleep(kill.away)
        site.start()

    # --- the judgement ---------------------------------------------------------------------------

    def _judge(self) -> list[str]:
        self.judge = judge = DrillJudge(self.sites, self.loads, self.directory)
        ways = [(m, a, b) for m in self.mirrors for a, b in m.pair.ways()]
        judge.read((a, b) for _, a, b in ways)
        for alias, topic, n in sorted(judge.hung):
            self._say(
                f"{alias}: {topic}-{n}: a transaction hangs that its coordinator has forgotten"
            )
        judge.judge_sources()
        for mirror, a, b in ways:
            judge.judge_link(mirror, a, b)
        self._say(f"{judge.compared} records of targets were compared with their sources")
        judge.count()
        for mirror, a, b in ways:
            judge.audit_link(mirror, a, b)
        self._say(f"pko audit: {judge.audited} partitions are equal")
        for n, (_, a, b) in enumerate(ways):
            judge.test_audit(a, b, IDEMPOTENT, self.terms.seed + n)
        self._say(f"pko audit found {judge.found.total()} planted faults")
        return judge.amiss
