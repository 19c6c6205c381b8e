"""The throttles of a run: read from ``--throttle``, set as needed, taken away whatever happens.

What was set before the run is noted on this machine, in ``$XDG_STATE_HOME/pko/reassign`` (default
``~/.local/state``), before anything is changed. The end of the run restores it; should the run be
killed, the next one on the same cluster (or ``cancel``) does.
"""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import quote

from pykafka_ops.analysis.amounts import size_of
from pykafka_ops.analysis.bars import size_text
from pykafka_ops.analysis.moves import throttles as rt
from pykafka_ops.analysis.moves.rate import FIRST, LEAST, MOST
from pykafka_ops.analysis.moves.waves import PartitionMove
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import ConfigResource
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import ItemError
from pykafka_ops.commands.reassign_partitions import throttles
from pykafka_ops.commands.reassign_partitions.plan_file import write
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.state_home import state_folder
from pykafka_ops.wire.codes import ErrorCode

_GONE = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_REQUEST)
_PATIENCE_SECONDS = 10.0
Place = tuple[ConfigResource, str]
"""A setting of a broker or topic."""


@dataclass(slots=True)
class Pace:
    """The throttle asked for: ``rate`` in bytes a second (None: none is set); ``adapts`` up to
    ``most``."""

    rate: int | None = FIRST
    adapts: bool = True
    most: int = MOST


def limit_of(args: Args) -> Pace:
    """What ``--throttle`` says: auto[:MOST], none, or bytes a second; UsageError."""
    text = args.text("throttle") or ""
    if not args.has("throttle") or text == "auto":
        return Pace()
    if text in ("none", "-1"):
        return Pace(None, adapts=False)
    if text.startswith("auto:"):
        most = size_of(text.removeprefix("auto:"))
        if most < LEAST:
            raise UsageError(f"--throttle {text}: give at least {size_text(LEAST)}")
        return Pace(min(FIRST, most), adapts=True, most=most)
    return Pace(rate_of(args), adapts=False)


def rate_of(args: Args) -> int | None:
    """``--throttle`` as bytes a second, where it is a fixed one."""
    text = args.text("throttle") or ""
    if not args.has("throttle") or text in ("none", "-1") or text.startswith("auto"):
        return None
    rate = size_of(text)
    if rate < 1:
        raise UsageError(f"--throttle {text}: nothing would ever be copied; none lifts the limit")
    return rate


class Noted(NamedTuple):
    """The value before the run (None: not set), and the last ones that the run set."""

    before: str | None
    ours: tuple[str, ...]


def state_path(env: Mapping[str, str], cluster_id: str | None) -> Path:
    """Where the note on a cluster lies."""
    name = f"{quote(cluster_id or 'unknown', safe='')}.json"
    return state_folder(env, "reassign") / name


def locked(path: Path) -> IO[str]:
    """Keep other runs on this machine away from the cluster until the result is closed; PkoError
    where there is one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Held until the end of the run, so no with here.
        file = open(path.with_suffix(".lock"), "a", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise PkoError(
            f"cannot note throttles in {path.parent}: {error.strerror}; set XDG_STATE_HOME to a "
            "directory that can be written"
        ) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise PkoError(
            "another run on this machine moves replicas of this cluster: wait for it, or stop it"
        ) from None
    return file


def load(path: Path) -> dict[Place, Noted]:
    """The note of a run that did not end well; none where there is none that can be read."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["settings"]
        return {
            (ConfigResource(int(r["type"]), str(r["name"])), str(r["key"])): Noted(
                None if r["before"] is None else str(r["before"]), tuple(map(str, r["ours"]))
            )
            for r in rows
        }
    except (OSError, ValueError, KeyError, TypeError):
        return {}


class Throttles:
    """Throttles of one run. ``noted`` is what is to be restored."""

    def __init__(self, cluster: Cluster, path: Path) -> None:
        self.cluster, self.path = cluster, path
        self.noted = load(path)
        self._known: set[Place] = set()

    def limit(self, jobs: Sequence[PartitionMove], rate: int) -> None:
        """Let brokers copy at most ``rate`` bytes a second for these jobs; PkoError."""
        moves = {
            job.key: rt.Copying(frozenset(job.before), frozenset(job.targets))
            for job in jobs
            if job.targets
        }
        there = set(rt.brokers_of(moves)) & set(self.cluster.brokers())
        values = throttles.of_topics(moves) | throttles.of_brokers(there, rate)
        wanted = {(place, key): text for place, of in values.items() for key, text in of.items()}
        self._note(wanted)
        throttles.alter(self.cluster, _by_resource(wanted))

    def _note(self, wanted: dict[Place, str]) -> None:
        """Note what is there, before it is changed; replicas that are limited already stay so."""
        unknown = [place for place in wanted if place not in self._known]
        for place, value in _values(self.cluster, unknown).items():
            left = self.noted.get(place)  # by a run that was killed
            if left is None or value not in (None, left.before, *left.ours):
                self.noted[place] = Noted(value, ())
        self._known.update(unknown)
        for place, text in wanted.items():
            before, ours = self.noted[place]
            wanted[place] = value = _joined(place[1], before, text)
            if value != (ours or (None,))[-1]:
                self.noted[place] = Noted(before, (*ours[-1:], value))
        self._save()

    def _save(self) -> None:
        rows = [
            {"type": r.type, "name": r.name, "key": key, "before": n.before, "ours": n.ours}
            for (r, key), n in sorted(self.noted.items())
        ]
        write(str(self.path), json.dumps({"version": 1, "settings": rows}))

    def remove(self) -> list[ItemError]:
        """Restore what was before, where nobody else changed it since. What could not be restored
        stays noted, and is returned."""
        if not self.noted:
            return []
        errors: dict[ConfigResource, ItemError] = {}
        wanted: dict[Place, str | None] = {}
        for place, value in self._present(errors).items():
            before, ours = self.noted[place]
            if value is None or value in ours or value == before:  # brokers may not know of it yet
                wanted[place] = before
        for resource, trouble in throttles.altered(self.cluster, _by_resource(wanted)).items():
            if trouble is not None and not _is_gone(trouble):
                errors[resource] = _failed(resource, trouble)
        self._wait({place: v for place, v in wanted.items() if place[0] not in errors})
        self.noted = {place: n for place, n in self.noted.items() if place[0] in errors}
        if self.noted:
            self._save()
        else:
            self.path.unlink(missing_ok=True)
        return list(errors.values())

    def _wait(self, wanted: Mapping[Place, str | None]) -> None:
        """Until brokers show what was restored: else a next run would take it for what others
        set."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < deadline:
            errors: dict[ConfigResource, ItemError] = {}
            found = self._present(errors)
            if all(found.get(place) == value for place, value in wanted.items() if place in found):
                return
            time.sleep(0.05)

    def _present(self, errors: dict[ConfigResource, ItemError]) -> dict[Place, str | None]:
        """What is set now; brokers that do not answer are put among the errors."""
        found: dict[Place, str | None] = {}
        for resource in sorted({resource for resource, _ in self.noted}):
            try:
                found |= _values(self.cluster, [p for p in self.noted if p[0] == resource])
            except PkoError as error:
                if not _is_gone(error):
                    errors[resource] = _failed(resource, error)
        return found


def _failed(resource: ConfigResource, error: PkoError) -> ItemError:
    return item_error(f"throttle of {throttles.called(resource)}", error)


def _is_gone(error: PkoError) -> bool:
    """Whether the topic is not there any more."""
    return isinstance(error, KafkaError) and error.code in _GONE


def _joined(key: str, before: str | None, value: str) -> str:
    """Replicas to throttle, besides those that were before; of rates the new one."""
    if key in throttles.RATES or not before:
        return value
    if before == "*":
        return before
    return ",".join(sorted({*before.split(","), *value.split(",")} - {""}))


def _values(cluster: Cluster, places: Iterable[Place]) -> dict[Place, str | None]:
    """What these settings are set to, on the broker or topic itself; PkoError."""
    places = list(places)
    present = throttles.present(cluster, list(dict.fromkeys(resource for resource, _ in places)))
    found: dict[Place, str | None] = {}
    for resource, key in places:
        values = present[resource]
        if isinstance(values, PkoError):
            raise values
        found[resource, key] = values.get(key)
    return found


def _by_resource(wanted: Mapping[Place, str | None]) -> dict[ConfigResource, dict[str, str | None]]:
    found: dict[ConfigResource, dict[str, str | None]] = {}
    for (resource, key), value in wanted.items():
        found.setdefault(resource, {})[key] = value
    return found
