"""Moving replicas to where a plan, or its rollback, wants them: checks, the run, what is left."""

from __future__ import annotations

import time
from collections.abc import Callable

from pykafka_ops.analysis.bars import size_text
from pykafka_ops.analysis.moves.waves import PartitionMove
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.elections import PREFERRED, elect_leaders
from pykafka_ops.client.topics import all_topics
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions import plan_file
from pykafka_ops.commands.reassign_partitions.facts import ClusterFacts, facts_of
from pykafka_ops.commands.reassign_partitions.limits import Pace, Throttles, locked, state_path
from pykafka_ops.commands.reassign_partitions.runner import Runner
from pykafka_ops.commands.reassign_partitions.text import ReassignError, joined, named
from pykafka_ops.commands.reassign_partitions.watching import (
    DONE,
    MoveProgress,
    Stoppable,
    Stopped,
    Watching,
    tell,
)
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode

COLUMNS = (
    Column("topic"),
    Column("partition", right=True),
    Column("before"),
    Column("after"),
    Column("bytes", right=True),
    Column("seconds", right=True),
    Column("state", bad=lambda state: state != DONE),
)
LOOKS, LOOK_SECONDS = 20, 0.25
_NO_ELECTION = (ErrorCode.ELECTION_NOT_NEEDED, ErrorCode.NONE)


def check(run: Run, plan: plan_file.PlanFile, facts: ClusterFacts) -> None:
    """The file is of this cluster, and nothing else moves."""
    cluster_id = run.cluster().cluster_id
    if plan.cluster and cluster_id and plan.cluster != cluster_id:
        raise UsageError(f"the plan is of cluster {plan.cluster}, not of {cluster_id}")
    others = sorted(key for key in facts.moving if key not in plan.after)
    if others and not run.args.has("additional"):
        raise ReassignError(
            f"{named(others[0])} is moving, which is not of this file: wait, cancel it, or give "
            "--additional"
        )


def gone_of(plan: plan_file.PlanFile, facts: ClusterFacts) -> list[ItemError]:
    """Partitions of the file that there are no more, or only others of their names."""
    found = []
    for key in sorted(plan.after):
        id_, now = plan.topics.get(key[0]), facts.ids.get(key[0])
        if key not in facts.partitions:
            found.append(ItemError(named(key), "NO_TOPIC", "there is no such partition"))
        elif id_ and now and id_ != now:
            text = f"topic {key[0]} is another one: it was deleted and made anew since the plan"
            found.append(ItemError(named(key), "STALE_PLAN", text))
    return found


def settled(
    cluster: Cluster, before: plan_file.Replicas, after: plan_file.Replicas, facts: ClusterFacts
) -> ClusterFacts:
    """Facts that know of moves that ended while they were asked for: until a broker has heard of
    it, a partition is on the replicas of both sides, and nothing moves it."""
    for _ in range(LOOKS):
        stale = _stale(before, after, facts)
        both = {key: {*before[key], *after[key]} for key in stale if key not in facts.moving}
        if all(set(stale[key]) != ids for key, ids in both.items()):
            break
        time.sleep(LOOK_SECONDS)
        later = facts_of(cluster)
        if not after.keys() <= later.partitions.keys():
            break  # a topic was deleted meanwhile: its move will report it
        facts = later
    return facts


def stale_of(
    before: plan_file.Replicas, after: plan_file.Replicas, facts: ClusterFacts, then: str
) -> list[ItemError]:
    """Partitions that are, or are on the way to, neither where the plan begins nor where it ends;
    ``then`` says what follows."""
    found = []
    for key, now in _stale(before, after, facts).items():
        where = "on its way to" if key in facts.moving else "on"
        text = (
            f"it is {where} {joined(now)} now, neither on {joined(before[key])} nor on "
            f"{joined(after[key])}: {then}"
        )
        found.append(ItemError(named(key), "STALE_PLAN", text))
    return found


def _stale(
    before: plan_file.Replicas, after: plan_file.Replicas, facts: ClusterFacts
) -> plan_file.Replicas:
    """Partitions of neither side: where they are, or are going."""
    now = {key: facts.replicas(key) for key in sorted(after)}
    return {
        key: ids for key, ids in now.items() if set(ids) not in (set(before[key]), set(after[key]))
    }


def move(
    run: Run,
    before: plan_file.Replicas,
    after: plan_file.Replicas,
    facts: ClusterFacts,
    limit: Pace,
    stale: list[ItemError],
    *,
    note: tuple[str, str | None] = ("", None),
) -> Table:
    """Make the moves from ``before`` to ``after``, but those that are stale; a row for each.

    ``note``: path and text of a file that is to be there if any move is made."""
    skipped = {error.item for error in stale}
    jobs = [
        MoveProgress(PartitionMove(key, before[key], after[key], facts.sizes.get(key, 0)))
        for key in sorted(after)
        if named(key) not in skipped
    ]
    _brokers_there(jobs, facts)
    path = state_path(run.env, run.cluster().cluster_id)
    with locked(path):
        runner = Runner(
            run.cluster(),
            jobs,
            Throttles(run.cluster(), path),
            limit,
            per_broker=run.args.number("per-broker") or 1,
            watching=Watching(),
            errors=stale,
            behind={k for k, p in facts.partitions.items() if len(p.isr) < len(p.replicas)},
        )
        with plan_file.kept(*note, lambda: any(p.started is not None for p in jobs)):
            code = _guarded(run, runner)
    if code is None and not run.args.has("no-election"):
        runner.errors += _elect(run, jobs)
    tell(f"pko: {_summary(jobs)}{'; the same command goes on from there' if code else ''}")
    rows = shown = [_row(p) for p in jobs]
    if run.output in ("table", "wide"):
        shown = [
            row | {"bytes": size_text(p.job.copied)} for row, p in zip(rows, jobs, strict=True)
        ]
    return Table(
        "reassignment-run", COLUMNS, shown, items=rows, errors=runner.errors, exit_code=code
    )


def _brokers_there(jobs: list[MoveProgress], facts: ClusterFacts) -> None:
    for p in jobs:
        for id_ in p.job.targets:
            if id_ not in facts.brokers and p.job.key not in facts.moving:
                raise ReassignError(
                    f"{named(p.job.key)} shall go to broker {id_}, which is not there"
                )


def _guarded(run: Run, runner: Runner) -> int | None:
    """Run, and whatever happens take the throttles away; the exit code where it was stopped.

    Moves that were limited are cancelled where the run does not reach its end.
    """
    code = None
    with Stoppable() as stoppable:
        try:
            runner.run()
        except BaseException as end:
            stoppable.calm()
            runner.watching.clear()
            if runner.limit.rate is not None and not run.args.has("keep-moving"):
                tell("pko: the moves under way are cancelled, else they would go on unlimited")
                runner.errors += _tried(runner, runner.cancel, "the moves under way")
            if not isinstance(end, Stopped):
                raise
            code = 128 + end.number
        finally:
            stoppable.calm()
            runner.watching.clear()
            left = _tried(runner, runner.throttles.remove, "throttles")
            runner.errors += left
            if left:
                tell("pko: some throttles are left: run this again, or cancel, once brokers answer")
    return code


def _tried(runner: Runner, undo: Callable[[], list[ItemError]], what: str) -> list[ItemError]:
    """Undo it on new connections, for a signal may have broken the old ones; what went wrong."""
    runner.cluster.close()
    try:
        return undo()
    except PkoError as error:
        return [item_error(what, error)]


def _elect(run: Run, jobs: list[MoveProgress]) -> list[ItemError]:
    """Let those lead who are preferred, where that is another one than who leads."""
    first = {p.job.key: p.job.after[0] for p in jobs if p.state == DONE}
    wrong = [
        (topic.name, p.number)
        for topic in all_topics(run.cluster())
        for p in topic.partitions
        if first.get((topic.name, p.number), p.leader) != p.leader
    ]
    if not wrong:
        return []
    found = elect_leaders(run.cluster(), PREFERRED, wrong)
    return [
        ItemError.of(f"election of {named(key)}", error)
        for key, error in sorted(found.items())
        if error is not None and error.code not in _NO_ELECTION
    ]


def _row(p: MoveProgress) -> dict[str, object]:
    return {
        "topic": p.job.key[0],
        "partition": p.job.key[1],
        "before": list(p.job.before),
        "after": list(p.job.after),
        "bytes": p.job.copied,
        "seconds": p.seconds,
        "state": p.state,
    }


def _summary(jobs: list[MoveProgress]) -> str:
    done = [p for p in jobs if p.state == DONE]
    copied = sum(p.job.copied for p in done if p.started is not None)
    return f"{len(done)} of {len(jobs)} partitions are in place, {size_text(copied)} copied"
