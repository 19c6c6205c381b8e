"""``pko reassign-partitions plan``: which replicas to move, as few bytes as can be."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from pykafka_ops.analysis.bars import size_text
from pykafka_ops.analysis.conditions import Condition
from pykafka_ops.analysis.moves.model import (
    BYTES,
    LEADERS,
    REPLICAS,
    Limits,
    MovePlan,
    PlanBroker,
    PlanError,
    PlanPartition,
)
from pykafka_ops.analysis.moves.plan import plan_moves
from pykafka_ops.analysis.moves.rate import time_text
from pykafka_ops.analysis.moves.waves import PartitionMove, least_seconds, waves
from pykafka_ops.commands.framework.absent import check_brokers
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import Table, counted, say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.commands.framework.watch import fail_on, met
from pykafka_ops.commands.reassign_partitions import plan_file, plan_rows
from pykafka_ops.commands.reassign_partitions.facts import ClusterFacts, facts_of
from pykafka_ops.commands.reassign_partitions.limits import rate_of
from pykafka_ops.errors import KafkaError, UsageError

RACKS = "racks"
BALANCE = (BYTES, REPLICAS, LEADERS, RACKS)
SHOWN, _UNMET = 40, 10
"""Partitions that a table for people shows; goals that are named."""


def plan(run: Run) -> Table:
    """Ask the cluster, plan, show, and write the file that was asked for."""
    args = run.args
    failing = fail_on(run, plan_rows.FIELDS)
    drain, add = (frozenset(ids_of(args, name)) for name in ("drain", "add"))
    path = _free(args)
    asked, rate = _limits(args, drain, add), rate_of(args)
    facts = facts_of(run.cluster(), racks=not args.has("disable-rack-aware"))
    _check(facts, drain, add)
    down = frozenset(i for p in facts.partitions.values() for i in p.replicas) - set(facts.brokers)
    limits = replace(asked, keep=down - drain)
    meant = _meant(run, facts)
    partitions = [
        PlanPartition(
            *(*key, facts.replicas(key), facts.sizes[key]),
            fixed=key in facts.moving,
            other=key[0] not in meant,
        )
        for key in facts.partitions
    ]
    brokers: list[PlanBroker] = list(facts.brokers.values())
    try:
        made = plan_moves(partitions, brokers, limits)
    except PlanError as error:
        raise UsageError(str(error)) from None
    if path and made.after:
        text = plan_file.text_of(made.before, made.after, run.cluster().cluster_id, facts.ids)
        plan_file.write(path, text)
    _tell_unmet(made)
    notes = [*_notes(made, facts, down - drain), *_summary(args, made, facts, rate)]
    return _table(run, made, facts, notes, failing)


def _free(args: Args) -> str | None:
    """``--file``, if nothing that may be needed lies there."""
    path = args.text("file")
    if path and os.path.exists(path) and not args.has("yes"):
        raise UsageError(
            f"{path} is there already, and may be needed to roll back: give another --file, or "
            "--yes to write over it"
        )
    return path


def ids_of(args: Args, name: str) -> list[int]:
    """Brokers of an option: ``1,2``."""
    found = []
    for word in (w for text in args.texts(name) for w in text.split(",") if w):
        value = java_integer(word)
        if value is None or value < 0:
            raise UsageError(f"--{name} {word}: write ids of brokers, such as 3 or 3,4")
        found.append(value)
    return found


def _percent(args: Args, name: str, most: int) -> float:
    text = args.text(name) or ""
    value = java_integer(text.removesuffix("%"))
    if value is None or not 0 <= value <= most:
        raise UsageError(f"--{name} {text}: write a percentage from 0 to {most}")
    return value / 100


def _limits(args: Args, drain: frozenset[int], add: frozenset[int]) -> Limits:
    factor = args.number("replication-factor")
    # Who empties a broker or wants more replicas wants that done, and the rest left alone.
    names: tuple[str, ...] = () if (drain and not add) or factor is not None else BALANCE
    given = args.text("balance")
    if given is not None:
        names = tuple(w for w in given.split(",") if w and w != "none")
        wrong = [w for w in names if w not in BALANCE]
        if wrong:
            raise UsageError(f"--balance {wrong[0]}: choose from {', '.join(BALANCE)}, or none")
    return Limits(
        tolerance=_percent(args, "tolerance", 100),
        drain=drain,
        add=add,
        max_moves=args.number("max-moves"),
        max_bytes=args.size("max-bytes"),
        max_disk=_percent(args, "max-disk", 100),
        mend_racks=RACKS in names,
        replication_factor=factor,
        balance=frozenset(names) - {RACKS},
    )


def _check(facts: ClusterFacts, drain: frozenset[int], add: frozenset[int]) -> None:
    held = {i for p in facts.partitions.values() for i in p.replicas}
    check_brokers(sorted(drain - held), facts.brokers)
    check_brokers(sorted(add), facts.brokers)
    for id_ in sorted(add & drain):
        raise UsageError(f"broker {id_} cannot be drained and added at once")
    if not set(facts.brokers) - drain:
        raise UsageError("--drain names every broker: there is none left to move replicas to")


def _meant(run: Run, facts: ClusterFacts) -> set[str]:
    """Topics that were asked for."""
    from pykafka_ops.commands.framework.topic_filter import chosen, missing_topics

    args = run.args
    names = sorted({topic for topic, _ in facts.partitions})
    found, missing = chosen(names, args.names("topic"), regex=args.has("regex"))
    if missing:
        (error, *_) = missing_topics(run.cluster(), missing, names)
        raise KafkaError(error.code, error.message)
    return set(found)


def _tell_unmet(made: MovePlan) -> None:
    """What is asked for and not reached, before anything else."""
    if not made.unmet:
        return
    say("pko: this plan does not reach its goal:")
    for text in made.unmet[:_UNMET]:
        say(f"pko:   {text}")
    if len(made.unmet) > _UNMET:
        say(f"pko:   and {len(made.unmet) - _UNMET} more; -o json shows all")


def _notes(made: MovePlan, facts: ClusterFacts, down: frozenset[int]) -> list[str]:
    notes = []
    for id_ in sorted(down):
        held = made.shares_before[id_].replicas
        notes.append(
            f"pko: broker {id_} is not there: its {held} replicas stay; --drain {id_} gives them "
            "to others"
        )
    if facts.moving:
        many = counted(list(facts.moving), "partition")
        notes.append(f"pko: {many} on the move already, left alone")
    with_rack = sum(1 for b in facts.brokers.values() if b.rack is not None)
    if 0 < with_rack < len(facts.brokers):
        notes.append("pko: only some brokers have a rack, so racks are not looked at")
    return notes


def _summary(args: Args, made: MovePlan, facts: ClusterFacts, rate: int | None) -> list[str]:
    if not made.after:
        return [f"pko: nothing to move{', so no file is written' if args.has('file') else ''}"]
    copies = [m for m in made.moves if m.target is not None]
    least = f" (no plan can do with less than {size_text(made.least)})" if made.least else ""
    orders = sum(1 for k in made.after if set(made.after[k]) == set(made.before[k]))
    only = f", {orders} of them only in their order" if orders else ""
    text = (
        f"pko: {counted(list(made.after), 'partition')} to change{only}; "
        f"{counted(copies, 'replica')}, {size_text(made.moved)} to copy{least}"
    )
    jobs = jobs_of(made.before, made.after, facts)
    many = len(waves(jobs, args.number("per-broker") or 1))
    text += f", in {many} wave{'' if many == 1 else 's'}"
    if rate and made.moved:
        leaders = {key: p.leader for key, p in facts.partitions.items()}
        seconds = least_seconds(jobs, rate, leaders)
        text += f"; at {size_text(rate)}/s at least {time_text(seconds)}"
    path = args.text("file")
    if path:
        return [text, f"pko: start it with: pko reassign-partitions run {path}"]
    return [text, "pko: --file FILE keeps the plan, for run"]


def jobs_of(
    before: plan_file.Replicas, after: plan_file.Replicas, facts: ClusterFacts
) -> list[PartitionMove]:
    """The partitions that change, by name."""
    return [
        PartitionMove(key, before[key], after[key], facts.sizes.get(key, 0))
        for key in sorted(after)
        if before[key] != after[key]
    ]


def _table(
    run: Run, made: MovePlan, facts: ClusterFacts, notes: list[str], failing: Condition | None
) -> Table:
    brokers = plan_rows.broker_rows(made, facts)
    rows = plan_rows.partition_rows(made, facts)
    plain = not sys.stdout.isatty()
    above = Table("brokers", plan_rows.BROKERS, plan_rows.with_bars(brokers, plain=plain))
    shown = rows
    if run.output == "table" and len(rows) > SHOWN:
        shown = rows[:SHOWN]
        say(f"pko: {counted(rows[SHOWN:], 'partition')} more; -o wide shows all")
    if run.output in ("table", "wide"):
        shown = [row | {"bytes": size_text(int(str(row["bytes"])))} for row in shown]
    named = met(failing, brokers, ("broker",))
    code = 4 if named else 1 if made.unmet else None
    return Table(
        "reassignment-plan",
        plan_rows.PARTITIONS,
        shown,
        items=[plan_rows.document(made, brokers, rows)],
        errors=facts.errors,
        notes=[*notes, *named],
        exit_code=code,
        above=above,
    )
