"""``reassign-partitions cancel`` and ``--cancel``: end moves and take their throttles away."""

from __future__ import annotations

import time
from functools import partial

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import BROKER, TOPIC, ConfigResource
from pykafka_ops.client.reassignments import alter_reassignments, list_reassignments
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.files import in_file
from pykafka_ops.commands.framework.output import ItemError, Table, say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions import document, log_dirs, plan_file, throttles
from pykafka_ops.commands.reassign_partitions.assignment import live_brokers
from pykafka_ops.commands.reassign_partitions.execute import refused
from pykafka_ops.commands.reassign_partitions.limits import Throttles, locked, state_path
from pykafka_ops.commands.reassign_partitions.list import COLUMNS, rows_of
from pykafka_ops.commands.reassign_partitions.text import (
    Partition,
    Talk,
    TerseError,
    item_lines,
    named,
    names_of,
    plural,
)
from pykafka_ops.commands.reassign_partitions.verify import clear_all
from pykafka_ops.errors import PkoError

_PATIENCE_SECONDS = 30.0


def cancel(run: Run) -> Table | int | None:
    """Ask, cancel, wait for the end, then take throttles away."""
    if run.args.flags:
        return _as_kafka(run)
    path = run.args.text("reassignment-json-file")
    wanted = None
    if path is not None:
        with in_file(path):
            wanted = document.wanted_of(document.read_file(path)).replicas
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
    """Replicas of before in their order, if the file is of a plan."""
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
    places = [ConfigResource(BROKER, str(i)) for i in sorted(cluster.brokers())]
    places += [ConfigResource(TOPIC, topic) for topic in sorted(topics)]
    found, errors = [], []
    for place, values in throttles.present(cluster, places).items():
        if isinstance(values, PkoError):
            errors.append(item_error(throttles.called(place), values))
        elif any(values.values()):
            found.append(place)
            say(f"pko: throttles of {throttles.called(place)} are removed")
    throttles.alter(cluster, throttles.none_of(found))
    return errors


# --- Kafka's form ------------------------------------------------------------------------------


def _as_kafka(run: Run) -> Table | None:
    """Cancel what moves, send replicas back to their directories, take the throttles away.

    Kafka's tool of 3.7 to 3.9 leaves moves that only add replicas running, and takes away their
    throttle; before it cancelled them, and so does this.
    """
    args = run.args
    wanted = document.wanted_of(document.read_file(args.text("reassignment-json-file") or ""))
    patience = log_dirs.patience_of(args)
    cluster, talk = run.cluster(), Talk(run)
    under_way = sorted(list_reassignments(cluster, wanted.replicas))
    errors = refused(cluster, dict.fromkeys(under_way)) if under_way else {}
    if errors:
        what = plural("partition reassignment", len(errors))
        raise TerseError(f"Error cancelling {what} for:\n{item_lines(errors)}")
    if under_way:
        what = plural("partition reassignment", len(under_way))
        talk.say(f"Successfully cancelled {what} for: {names_of(under_way)}")
    else:
        talk.say("None of the specified partition reassignments are active.")
    moving = {
        key: state.dirs.current
        for key, state in log_dirs.states_of(cluster, wanted.dirs).items()
        if state.active and state.dirs.current is not None
    }
    if moving:
        log_dirs.start(cluster, moving, patience, talk)
    else:
        talk.say(
            "None of the specified partition moves are active.", end="" if args.flags else "\n"
        )
    if not args.has("preserve-throttles"):
        clear_all(partial(throttles.alter, cluster), live_brokers(cluster), wanted, talk)
    if talk.plain:
        return None
    rows = [{"topic": topic, "partition": number} for topic, number in under_way]
    return Table("cancelled-reassignments", COLUMNS[:2], rows)
