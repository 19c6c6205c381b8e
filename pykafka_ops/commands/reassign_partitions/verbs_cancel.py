"""``pko reassign-partitions cancel``: end moves, of a file or all, and take throttles away."""

from __future__ import annotations

import time

from pykafka_ops.analysis import reassign_throttles as rt
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import BROKER, TOPIC, Op, Resource, describe_configs
from pykafka_ops.client.reassignments import alter_reassignments, list_reassignments
from pykafka_ops.commands.framework.output import ItemError, Table, say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions import document, plan_file, throttles
from pykafka_ops.commands.reassign_partitions.limits import Throttles, locked, state_path
from pykafka_ops.commands.reassign_partitions.listing import COLUMNS, rows_of
from pykafka_ops.commands.reassign_partitions.text import Partition, named
from pykafka_ops.errors import PkoError
from pykafka_ops.settings.source import Source

_PATIENCE_SECONDS = 30.0
_SETTINGS = (*rt.BROKER_THROTTLES, *rt.TOPIC_THROTTLES)


def cancel(run: Run) -> Table | int | None:
    """Ask, cancel, wait for the end, then take throttles away."""
    if run.args.flags:
        from pykafka_ops.commands.reassign_partitions.cancel import cancel as as_kafka

        return as_kafka(run)
    path = run.args.text("reassignment-json-file")
    wanted = None if path is None else document.wanted_of(document.read_file(path)).replicas
    before = (path and _before(path)) or {}
    cluster = run.cluster()
    moving = list_reassignments(cluster, wanted)
    if moving and not run.confirm("cancel moves", [named(key) for key in sorted(moving)]):
        return 1
    note = state_path(run.env, cluster.cluster_id)
    with locked(note):
        found = alter_reassignments(cluster, {k: before.get(k) for k in moving}) if moving else {}
        failed = [key for key, error in found.items() if error is not None and key in before]
        if failed:  # a broker of before is not there
            found |= alter_reassignments(cluster, dict.fromkeys(failed))
        errors = [
            ItemError.of(named(key), error)
            for key, error in sorted(found.items())
            if error is not None
        ]
        ended = sorted(key for key in moving if found.get(key) is None)
        _wait(cluster, ended)
        if not run.args.has("preserve-throttles"):
            errors += Throttles(cluster, note).remove()
            topics = {topic for topic, _ in (*moving, *(wanted or ()))}
            errors += _clear(run, topics)
    if not moving:
        say("pko: nothing moves")
    rows = rows_of({key: moving[key] for key in ended})
    return Table("cancelled-reassignments", COLUMNS, rows, errors=errors)


def _before(path: str) -> plan_file.Replicas | None:
    """Replicas of before in their order, if a file of a plan tells."""
    try:
        return plan_file.read(path).before
    except document.DocumentError:
        return None


def _wait(cluster: Cluster, ended: list[Partition]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while ended and list_reassignments(cluster, ended) and time.monotonic() < deadline:
        time.sleep(0.1)


def _clear(run: Run, topics: set[str]) -> list[ItemError]:
    """Once nothing moves any more: what is still set, on brokers and on these topics, whoever
    did it, as Kafka's tool."""
    cluster = run.cluster()
    if list_reassignments(cluster):
        return []
    places = [Resource(BROKER, str(i)) for i in sorted(cluster.brokers())]
    places += [Resource(TOPIC, topic) for topic in sorted(topics)]
    own = (Source.DYNAMIC_TOPIC_CONFIG, Source.DYNAMIC_BROKER_CONFIG)
    found: dict[Resource, list[throttles.Change]] = {}
    errors = []
    for place, entries in describe_configs(cluster, places, keys=_SETTINGS).items():
        if isinstance(entries, PkoError):
            from pykafka_ops.commands.framework.failures import item_error

            what = "broker" if place.type == BROKER else "topic"
            errors.append(item_error(f"{what} {place.name}", entries))
        elif any(e.source in own and e.value and e.name in _SETTINGS for e in entries):
            names = rt.BROKER_THROTTLES if place.type == BROKER else rt.TOPIC_THROTTLES
            found[place] = [(Op.DELETE, name, None) for name in names]
            what = "broker" if place.type == BROKER else "topic"
            say(f"pko: throttles of {what} {place.name} are removed")
    throttles.alter(cluster, found)
    return errors
