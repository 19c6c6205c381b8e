"""``pko cluster status``: the cluster at a glance, once or again and again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.analysis import cluster_state as state
from pykafka_ops.analysis.conditions import Condition, ConditionField
from pykafka_ops.client.glance import broker_rows, bytes_of
from pykafka_ops.commands.cluster.gather import Gathered, gather
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import Column, Table, rows_of, with_sizes
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.watch import fail_on, met, watched
from pykafka_ops.errors import PkoError

NAMED = 5
"""Partitions named beside a count."""
BROKERS = (
    Column("id", "BROKER", right=True),
    Column("address"),
    Column("rack", optional=True),
    Column("version", spare=True),
    Column("controller", optional=True, spare=True),
    Column("replicas", right=True),
    Column("lagging", right=True, optional=True, bad=bool),
    Column("leaders", right=True),
    Column("preferred", right=True, spare=True),
    Column("bytes", right=True),
    Column("free_bytes", "FREE", right=True),
    Column("state", bad=lambda value: value != "up"),
)
FACTS = (
    Column("fact"),
    Column("value", right=True),
    Column("state", bad=lambda value: value == "bad"),
    Column("which", optional=True),
)
Row = dict[str, object]


def status(run: Run) -> Table | int:
    """One table; with ``--watch`` until Ctrl-C or until ``--fail-on`` holds."""
    failing = fail_on(run, dict.fromkeys(state.FACTS, ConditionField()))

    def table() -> Table:
        try:
            return _table(run, failing)
        except PkoError as error:
            if not run.args.has("watch"):
                raise
            # a cluster that comes back is worth waiting for
            return Table("cluster", FACTS, [], errors=[item_error("cluster", error)])

    return watched(run, table)


def _table(run: Run, failing: Condition | None) -> Table:
    found = gather(run.cluster())
    racks = {id_: node.rack for id_, node in found.nodes.items()}
    complete = bool(found.dirs) and len(found.dirs) == len(found.nodes)
    sizes = {b: bytes_of(found.dirs, b) or 0 for b in found.dirs} if complete else None
    looked = state.survey(found.partitions, racks)
    facts = state.facts(looked, found.controller, sizes)
    facts["reassigning"] = found.reassigning
    facts["brokers_silent"] = found.silent
    facts["dirs_failed"] = sum(d.error is not None for dirs in found.dirs.values() for d in dirs)
    which = looked.troubled
    brokers = broker_rows(found.nodes, found.controller, looked.shares, found.dirs, found.versions)
    item: Row = {
        "cluster_id": found.cluster_id,
        "controller": None if found.controller < 0 else found.controller,
        "facts": facts,
        "partitions": {kind: [f"{t}-{n}" for t, n in names] for kind, names in which.items()},
        "brokers": brokers,
    }
    human = run.output in ("table", "wide")
    notes = met(failing, [facts], ())
    code = 4 if notes else None
    return Table(
        "cluster", FACTS, _rows(found, facts, which, everything=run.output != "table"),
        items=[item], errors=found.errors, notes=notes, exit_code=code,
        above=Table("brokers", BROKERS, [*map(with_sizes, brokers)]) if human else None,
    )  # fmt: skip


def _rows(
    found: Gathered,
    facts: Mapping[str, float | None],
    which: Mapping[str, Sequence[state.Partition]],
    *,
    everything: bool,
) -> list[Row]:
    """A row per fact, the bad ones marked; for people without those that say nothing."""
    controller = None if found.controller < 0 else found.controller
    rows: list[tuple[object, ...]] = [
        ("cluster_id", found.cluster_id, None, None),
        ("controller", controller, None, None),
    ]
    for name in state.FACTS:
        value = facts[name]
        if not everything and not value and name not in state.BAD:
            continue
        bad = name in state.BAD and bool(value)
        word = "unknown" if value is None else "bad" if bad else None
        if name in state.BAD and value == 0:
            word = "ok"
        rows.append((name, value, word, _named(which.get(name, ()))))
    return rows_of(FACTS, rows)


def _named(partitions: Sequence[state.Partition]) -> str | None:
    if not partitions:
        return None
    names = [f"{topic}-{index}" for topic, index in partitions[:NAMED]]
    more = len(partitions) - NAMED
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
