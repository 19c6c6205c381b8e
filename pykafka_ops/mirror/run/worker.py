"""One link at work in this process: it takes its place in the group, and copies round by round."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import PkoError, internal
from pykafka_ops.mirror.copy.tasks import CopyProgress, CopyTask, RoundResult, SeatLike
from pykafka_ops.mirror.naming import link_id
from pykafka_ops.mirror.run.clients import connected
from pykafka_ops.mirror.run.follower import LinkFollower, MakeDuty
from pykafka_ops.mirror.run.meter import CopyMeter, Sample
from pykafka_ops.mirror.run.outlook import LinkOutlook
from pykafka_ops.mirror.run.told import Told, log
from pykafka_ops.mirror.run.view import LinkView
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.mirror.work.fencing import fence_slots, open_slots
from pykafka_ops.mirror.work.seat import GroupPlace, Seated

AGAIN_SECONDS: Final = 1.0
"""Between tries while something is wrong."""
IDLE_SECONDS: Final = 0.2
AGAIN_MS: Final = 2_000
"""Between looks for what the leader has seen already."""
SURE_MS: Final = 30_000
"""After so long what is given and not known here is another file's."""
SHARE_MS: Final = 600_000
"""How often several processes share anew, by what is busy then."""


class CopyEngine(Protocol):
    """What moves the records (``mirror.copy.copier``)."""

    def assign(self, tasks: Mapping[Partition, CopyTask], seat: SeatLike | None) -> None:
        """Copy these from now on; nothing of the others is in flight any more."""

    def round(self) -> RoundResult:
        """Copy for a while."""

    def progress(self) -> Mapping[Partition, CopyProgress]:
        """How far each partition is."""

    def close(self) -> None:
        """End."""


class Makers(NamedTuple):
    """What makes the parts that copy records, and that translate offsets."""

    engine: Callable[[LinkSettings, ClientConfig, ClientConfig], CopyEngine]
    duty: MakeDuty


def now_ms() -> int:
    """The wall clock."""
    return time.time_ns() // 1_000_000


class LinkWorker:
    """Call ``start``, ``stop`` and, for what it does, ``view``."""

    def __init__(
        self, link: LinkSettings, source: ClientConfig, target: ClientConfig, make: Makers
    ) -> None:
        self.link = link
        self._told = Told(link.name)
        self._engine = make.engine(link, source, target)
        self._target = target
        self._place = GroupPlace(link_id(link.source, link.target), lambda: connected(target))
        self._stopped = threading.Event()
        self._follower = LinkFollower(link, source, target, self._told, self._stopped, make.duty)
        self._lock = threading.Lock()
        self._view = LinkView(link)
        self._meter = CopyMeter()
        self._tasks: dict[Partition, CopyTask] = {}
        self._shared: frozenset[Partition] = frozenset()
        self._shared_ms = 0
        self._thread = threading.Thread(target=self._run, name=f"copy {link.name}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._follower.start()
        self._thread.start()

    def stop(self) -> None:
        """End after the round that is under way, and give the place in the group up."""
        self._stopped.set()
        self._thread.join()
        self._follower.stop()

    def view(self) -> LinkView:
        """As it is now."""
        progress = self._engine.progress()
        away = self._follower.trouble
        with self._lock:
            self._meter.note(now_ms(), samples_of(progress))
            return replace(
                self._view,
                state="trouble" if away is not None else self._view.state,
                trouble=away or self._view.trouble,
                outlook=self._follower.outlook,
                progress=dict(progress),
                rates=self._meter.rates(),
                offsets=self._follower.offsets(),
            )

    def _run(self) -> None:
        try:
            while not self._stopped.is_set():
                try:
                    self._step()
                except PkoError as error:
                    self._failed(in_one_line(error))
                except Exception as error:
                    log.exception("%s: %s", self.link.name, internal(error))
                    self._failed(internal(error))
        finally:
            self._end()

    def _end(self) -> None:
        try:
            self._engine.assign({}, None)
            self._engine.close()
        except PkoError as error:
            self._told.trouble("the end", in_one_line(error))
        self._place.leave()

    def _failed(self, text: str) -> None:
        self._told.trouble("copying", text)
        self._change(state="trouble", trouble=text)
        self._stopped.wait(AGAIN_SECONDS)

    def _step(self) -> None:
        """Join where that is due, and one round."""
        outlook = self._follower.outlook
        if outlook is None:
            self._follower.looked.wait(AGAIN_SECONDS)
            return
        if self._place.must_join or self._is_shared_otherwise(outlook):
            self._join(outlook)
        self._assign(outlook)
        result = self._engine.round()
        self._after(result, outlook)

    def _is_shared_otherwise(self, outlook: LinkOutlook) -> bool:
        """Whether the leader has something else to share out than it had, or it is time to."""
        seated = self._view.seated
        if seated is None or not seated.leads:
            return False
        old = seated.members > 1 and now_ms() - self._shared_ms > SHARE_MS
        return old or self._shared != outlook.targets.keys()

    def _join(self, outlook: LinkOutlook) -> None:
        self._tasks = {}
        self._follower.leads.clear()
        self._engine.assign({}, None)
        self._change(seated=None, tasks={})
        targets = outlook.targets
        sources = {source: target for target, source in targets.items()}
        with self._lock:
            measured = self._meter.rates()
        rates = {sources[p]: r.bytes for p, r in measured.items() if p in sources}
        seated = self._place.join(sorted(targets), rates, self._fence)
        self._shared, self._shared_ms = frozenset(targets), now_ms()
        if seated.leads:
            self._follower.leads.set()
        self._follower.look_soon()
        with self._lock:
            self._view.joins += 1
            self._view.seated = seated
        self._told.fact(_joined(seated, len(targets)))

    def _fence(self, free: Sequence[int], used: Collection[int]) -> None:
        """The leader's: what those that are gone left open is ended."""
        if not self.link.exactly_once:
            return
        cluster = connected(self._target)
        group = link_id(self.link.source, self.link.target)
        try:
            unused = set(free)
            if self._view.joins == 0:  # of those before nobody may be left to tell
                unused |= set(open_slots(cluster, group)).difference(used)
            for name in fence_slots(cluster, group, sorted(unused)):
                self._told.fact(f"ended what {name} may have left open")
        except PkoError as error:
            self._told.fact(f"cannot end what others left open: {in_one_line(error)}")
        finally:
            cluster.close()

    def _assign(self, outlook: LinkOutlook) -> None:
        seated = self._view.seated
        if seated is None:
            return
        wanted = tasks_of(seated, outlook)
        self._check_share(seated, outlook)
        if wanted != self._tasks:
            self._engine.assign(wanted, seated.seat)
            self._tasks = wanted
            self._change(tasks=wanted)

    def _check_share(self, seated: Seated, outlook: LinkOutlook) -> None:
        """The leader may have seen topics that were not there when this process looked last."""
        unknown = set(seated.partitions).difference(outlook.targets)
        now, text = now_ms(), None
        if unknown and now - outlook.at_ms > AGAIN_MS:
            self._follower.look_soon(deep=False)
        if unknown and now - self._shared_ms > SURE_MS:
            some = ", ".join(sorted({topic for topic, _ in unknown})[:5])
            text = (
                f"{len(unknown)} partitions of {some} are given to this process, and are nothing "
                "that its file mirrors: do all processes of the link have the same file?"
            )
        self._told.trouble("what the leader gives", text)

    def _after(self, result: RoundResult, outlook: LinkOutlook) -> None:
        if result.state == "fenced":
            self._told.fact("the place in the group is lost: it joins again")
            self._place.lose()
            return
        progress = self._engine.progress()
        with self._lock:
            self._meter.note(now_ms(), samples_of(progress))
            self._view.rounds += 1
            self._view.failed_rounds += result.state == "trouble"
            self._view.records += result.records
            self._view.bytes += result.bytes
            self._view.last_round_ms = now_ms()
        if result.state == "trouble":
            self._failed(result.trouble or "a round failed")
            return
        self._told.trouble("copying", None)
        named = {f"{t}-{n}": p.trouble for (t, n), p in progress.items() if p.trouble}
        self._told.troubles("partition ", named)
        self._told.notes(f"{t}-{n}: {p.note}" for (t, n), p in progress.items() if p.note)
        self._change(state="paused" if outlook.control.is_paused() else "copying", trouble=None)
        if result.state == "idle":
            self._stopped.wait(IDLE_SECONDS if self._tasks else AGAIN_SECONDS)

    def _change(self, **fields: object) -> None:
        with self._lock:
            for name, value in fields.items():
                setattr(self._view, name, value)


def tasks_of(seated: Seated, outlook: LinkOutlook) -> dict[Partition, CopyTask]:
    """What a member is to copy: its partitions that are known here and not paused. Pure."""
    targets = outlook.targets
    mine = (targets[p] for p in seated.partitions if p in targets)
    return {p: outlook.tasks[p] for p in mine if outlook.pause_of(p) is None}


def samples_of(progress: Mapping[Partition, CopyProgress]) -> dict[Partition, Sample]:
    """What the meter takes. Pure."""
    return {
        partition: Sample(p.position, p.source_end, p.bytes)
        for partition, p in progress.items()
        if p.position >= 0 and p.source_end >= 0
    }


def _joined(seated: Seated, partitions: int) -> str:
    of = f" of {seated.members} processes" if seated.members else ""
    return (
        f"joined {seated.seat.group} in generation {seated.seat.generation}, slot "
        f"{seated.seat.slot}{of}{', as the leader' if seated.leads else ''}: copies "
        f"{len(seated.partitions)} of {partitions} partitions"
    )
