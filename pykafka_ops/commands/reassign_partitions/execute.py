"""``--execute``: start the moves of a reassignment file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from pykafka_ops.analysis.moves.throttles import copying
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.log_dirs import ReplicaKey
from pykafka_ops.client.reassignments import (
    Reassignment,
    alter_reassignments,
    list_reassignments,
)
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.files import in_file
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions import document, log_dirs, throttles
from pykafka_ops.commands.reassign_partitions.assignment import (
    Assignment,
    live_brokers,
    of_partitions,
    present_dirs,
    require_live,
)
from pykafka_ops.commands.reassign_partitions.limits import rate_of
from pykafka_ops.commands.reassign_partitions.plan_rows import replicas_table
from pykafka_ops.commands.reassign_partitions.text import (
    EXISTING,
    Partition,
    ReassignError,
    Talk,
    TerseError,
    by_zookeeper,
    item_lines,
    names_of,
    plural,
)
from pykafka_ops.errors import PkoError, UsageError

_ASKED_OF_BROKERS = ("additional", "disallow-replication-factor-change",
                     "replica-alter-log-dirs-throttle")  # fmt: skip


def execute(run: Run) -> Table | None:
    """Show what is, set the throttles, start the moves, then those between directories."""
    args = run.args
    if not args.flags:
        _rate(args)
    path = args.text("reassignment-json-file") or ""
    text = document.read_file(path)
    rate = _rate(args)
    if by_zookeeper(run):
        for name in (*_ASKED_OF_BROKERS, "timeout"):
            if args.has(name) and (args.flags or name != "timeout"):
                raise UsageError(f"--{name} needs a broker: --bootstrap-server HOST:PORT")
        return _in_tree(run, text, rate)
    dirs_rate = args.number("replica-alter-log-dirs-throttle") or 0
    patience = log_dirs.patience_of(args)
    with in_file(path):
        wanted = document.plan_of(text)
    cluster, talk = run.cluster(), Talk(run)
    under_way = list_reassignments(cluster)
    if under_way and not args.has("additional"):
        raise TerseError(EXISTING)
    require_live(live_brokers(cluster), (i for _, ids in wanted.partitions for i in ids))
    current = of_partitions(cluster, wanted.replicas)
    talk.say(for_rollback(current, present_dirs(cluster, current)))
    _throttle(cluster, wanted, under_way, current, (rate, dirs_rate), talk)
    keeps = args.has("disallow-replication-factor-change")
    errors = refused(cluster, wanted.replicas, keep_factor=keeps)
    if errors:
        raise TerseError(f"Error reassigning partition(s):\n{item_lines(errors)}")
    talk.say(started(wanted.replicas))
    if wanted.dirs:
        log_dirs.start(cluster, wanted.dirs, patience, talk)
    return None if talk.plain else _started(current, wanted.replicas)


def _in_tree(run: Run, text: str, rate: int) -> Table | None:
    """Set the throttles (``rate``, bytes a second; negative: none), leave the wish."""
    from pykafka_ops.commands.reassign_partitions import zookeeper

    talk = Talk(run)
    with zookeeper.connected(run) as tree:
        with in_file(run.args.text("reassignment-json-file") or ""):
            wanted = document.plan_of(text)
        if wanted.dirs:
            raise ReassignError(zookeeper.NEEDS_BROKER)
        target = wanted.replicas
        current = zookeeper.require_known(tree, target)
        if tree.moves() is not None:
            raise TerseError(EXISTING)
        talk.say(for_rollback(current))
        if rate >= 0:
            talk.say(throttles.MUST_VERIFY)
            throttles.limit_replication(tree.write, copying({}, target, current), rate, talk)
        tree.ask(target)
    talk.say(started(target))
    return None if talk.plain else _started(current, target)


def _rate(args: Args) -> int:
    """Bytes a second, negative for no throttle."""
    if args.flags:
        return args.number("throttle") or 0
    if (args.text("throttle") or "").startswith("auto"):
        raise UsageError("--throttle auto goes with run: give bytes a second, or none")
    rate = rate_of(args)
    return -1 if rate is None else rate


def _throttle(
    cluster: Cluster,
    wanted: document.WantedReplicas,
    under_way: Mapping[Partition, Reassignment],
    current: Assignment,
    rates: tuple[int, int],
    talk: Talk,
) -> None:
    """Bytes per second between brokers, and between directories; negative: as it is."""
    between_brokers, between_dirs = rates
    if between_brokers < 0 and between_dirs < 0:
        return
    talk.say(throttles.MUST_VERIFY)
    write = partial(throttles.alter, cluster)
    if between_brokers >= 0:
        moving = {key: (move.replicas, move.adding) for key, move in under_way.items()}
        moves = copying(moving, wanted.replicas, current)
        throttles.limit_replication(write, moves, between_brokers, talk)
    if between_dirs >= 0:
        brokers = {broker for _, _, broker in wanted.dirs}
        throttles.limit_log_dirs(write, brokers, between_dirs, talk)


def refused(
    cluster: Cluster,
    moves: Mapping[Partition, Sequence[int] | None],
    *,
    keep_factor: bool = False,
) -> dict[Partition, PkoError]:
    """What the controller does not do, and why; all of them where it gives no answer."""
    try:
        answers = alter_reassignments(cluster, moves, keep_factor=keep_factor)
    except PkoError as e:
        return dict.fromkeys(moves, e)
    return {key: error for key, error in answers.items() if error is not None}


def for_rollback(current: Assignment, dirs: Mapping[ReplicaKey, str] | None = None) -> str:
    """The present replicas, and their directories where they are known, to come back to them."""
    return (
        f"Current partition replica assignment\n\n{document.text_of(current, dirs)}\n\n"
        "Save this to use as the --reassignment-json-file option during rollback"
    )


def started(moves: Mapping[Partition, object]) -> str:
    """That the moves were accepted."""
    what = plural("partition reassignment", len(moves))
    return f"Successfully started {what} for {names_of(moves)}"


def _started(current: Assignment, target: Assignment) -> Table:
    return replicas_table("started-reassignments", current, "target", target)
