"""``--verify``: how far the moves of a reassignment file are; when all are done, no throttles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.reassignments import list_reassignments
from pykafka_ops.commands.framework.files import in_file
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions import document, log_dirs, throttles
from pykafka_ops.commands.reassign_partitions.assignment import live_brokers, of_those_there
from pykafka_ops.commands.reassign_partitions.text import (
    Partition,
    ReassignError,
    Talk,
    by_zookeeper,
    joined,
    named,
)

COLUMNS = (
    Column("topic"),
    Column("partition", right=True),
    Column("broker", optional=True),
    Column("state"),
    Column("current"),
    Column("target"),
)
DONE = "completed"
_INCOMPLETE = (
    "Warning: because you are using the deprecated --zookeeper option, the results may be "
    "incomplete.  Use --bootstrap-server instead for more accurate results."
)


class MoveState(NamedTuple):
    """Replicas that a partition has and those it shall have; ``done``: nothing moves it."""

    current: list[int]
    target: list[int]
    done: bool

    @property
    def word(self) -> str:
        """The state in a word."""
        if not self.done:
            return "in progress"
        return DONE if self.current == self.target else "not as wanted"


def verify(run: Run) -> Table | int:
    """Show the state of each partition and replica.

    The exit code is 0 with Kafka's flags, else 4 unless all is as it should be.
    """
    args = run.args
    path = args.text("reassignment-json-file") or ""
    with in_file(path):
        wanted = document.wanted_of(document.read_file(path))
    preserve = args.has("preserve-throttles")
    if by_zookeeper(run):
        return _in_tree(run, wanted, preserve=preserve)
    cluster, talk = run.cluster(), Talk(run)
    states, ongoing = states_of(cluster, wanted.replicas)
    if talk.plain:
        talk.say(states_text(states))
    dirs = log_dirs.states_of(cluster, wanted.dirs)
    if talk.plain:
        talk.say("\n".join(log_dirs.state_line(key, state) for key, state in dirs.items()))
    if not ongoing and not preserve and all(state.done for state in dirs.values()):
        clear_all(partial(throttles.alter, cluster), live_brokers(cluster), wanted, talk)
    return answer(run, states, dirs)


def _in_tree(run: Run, wanted: document.WantedReplicas, *, preserve: bool) -> Table | int:
    """Show the state of each partition; take throttles away once nothing moves."""
    from pykafka_ops.commands.reassign_partitions import zookeeper

    talk = Talk(run)
    with zookeeper.connected(run) as tree:
        if wanted.dirs:
            raise ReassignError(zookeeper.NEEDS_BROKER)
        talk.say(_INCOMPLETE)
        moving = tree.moves() or {}
        current = zookeeper.of_those_there(tree, wanted.replicas)
        found = {
            key: MoveState(current[key], target, done=key not in moving)
            for key, target in sorted(wanted.replicas.items())
        }
        if talk.plain:
            talk.say(states_text(found))
        if not moving and not preserve:
            clear_all(tree.write, tree.brokers(), wanted, talk)
    return answer(run, found, {})


def answer(
    run: Run,
    states: Mapping[Partition, MoveState],
    dirs: Mapping[document.Replica, log_dirs.DirState],
) -> Table | int:
    """Rows unless the text is the whole answer, and the exit code."""
    reached = all(s.word == DONE for s in states.values()) and all(s.reached for s in dirs.values())
    code = 0 if reached or run.args.flags else 4
    return code if Talk(run).plain else table(states, dirs, code)


def states_of(
    cluster: Cluster, wanted: Mapping[Partition, list[int]]
) -> tuple[dict[Partition, MoveState], bool]:
    """The state of each partition, and whether anything moves in the cluster at all."""
    under_way = list_reassignments(cluster)
    resting = of_those_there(cluster, [key for key in wanted if key not in under_way])
    states = {
        key: MoveState(under_way[key].replicas, target, done=False)
        if key in under_way
        else MoveState(resting[key], target, done=True)
        for key, target in sorted(wanted.items())
    }
    return states, bool(under_way)


def states_text(states: Mapping[Partition, MoveState]) -> str:
    """The states in Kafka's words."""
    lines = ["Status of partition reassignment:"]
    for key, state in sorted(states.items()):
        if not state.done:
            lines.append(f"Reassignment of partition {named(key)} is still in progress.")
        elif state.current == state.target:
            lines.append(f"Reassignment of partition {named(key)} is completed.")
        else:
            lines.append(
                f"There is no active reassignment of partition {named(key)}, but replica set is "
                f"{joined(state.current)} rather than {joined(state.target)}."
            )
    return "\n".join(lines)


def clear_all(
    write: throttles.Write, live: Iterable[int], wanted: document.WantedReplicas, talk: Talk
) -> None:
    """Take away the throttles of all live brokers, and of brokers and topics that are named."""
    brokers = {*live, *(i for _, ids in wanted.partitions for i in ids)}
    throttles.clear(write, brokers, {topic for (topic, _), _ in wanted.partitions}, talk)


def table(
    states: Mapping[Partition, MoveState],
    dirs: Mapping[document.Replica, log_dirs.DirState],
    code: int,
) -> Table:
    """Partitions, then replicas that are to be in a directory."""
    rows: list[dict[str, object]] = [
        {"topic": key[0], "partition": key[1], "broker": None, "state": state.word,
         "current": state.current, "target": state.target}
        for key, state in sorted(states.items())
    ]  # fmt: skip
    for (topic, number, broker), state in sorted(dirs.items()):
        moving = DONE if state.reached else "not as wanted"
        rows.append(
            {"topic": topic, "partition": number, "broker": broker,
             "state": moving if state.done else "in progress",
             "current": state.dirs.current, "target": state.target}
        )  # fmt: skip
    return Table("reassignment-states", COLUMNS, rows, exit_code=code)
