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
FACTS_OF_KRAFT = ("brokers_fenced", "elr", "last_known_elr")
"""Fenced brokers; partitions with replicas out of the ISR that may lead, or might (KIP-966)."""
EVERY_FACT = (*state.FACTS, *FACTS_OF_KRAFT)
BAD = (*state.BAD, "brokers_fenced")
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
    failing = fail_on(run, dict.fromkeys(EVERY_FACT, ConditionField()))

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
    controller = -1 if found.controller is None else found.controller
    facts = state.facts(looked, controller, sizes)
    if found.controller is None:
        facts["no_controller"] = None
    facts["reassigning"] = found.reassigning
    facts["brokers_silent"] = found.silent
    facts["dirs_failed"] = sum(d.error is not None for dirs in found.dirs.values() for d in dirs)
    facts["brokers_fenced"] = None if found.fenced is None else len(found.fenced)
    elr = {p: e.elr for p, e in sorted(found.eligible.items()) if e.elr}
    last_known = {p: e.last_known for p, e in sorted(found.eligible.items()) if e.last_known}
    facts["elr"], facts["last_known_elr"] = len(elr), len(last_known)
    which = {kind: [f"{t}-{n}" for t, n in names] for kind, names in looked.troubled.items()}
    which["elr"], which["last_known_elr"] = _replicas(elr), _replicas(last_known)
    which["brokers_fenced"] = [str(broker) for broker in found.fenced or ()]
    brokers = broker_rows(found.nodes, controller, looked.shares, found.dirs, found.versions)
    for row in brokers:
        if row["id"] in (found.fenced or ()):
            row["state"] = "fenced"
    item: Row = {
        "cluster_id": found.cluster_id,
        "controller": None if controller < 0 else controller,
        "facts": facts,
        "partitions": {k: names for k, names in which.items() if k != "brokers_fenced"},
        "fenced": found.fenced,
        "brokers": brokers,
    }
    human = run.output in ("table", "wide")
    notes = met(failing, [facts], ())
    code = 4 if notes or facts["no_controller"] != 0 else None
    return Table(
        "cluster", FACTS, _rows(found, facts, which, everything=run.output != "table"),
        items=[item], errors=found.errors, notes=notes, exit_code=code,
        above=Table("brokers", BROKERS, [*map(with_sizes, brokers)]) if human else None,
    )  # fmt: skip


def _rows(
    found: Gathered,
    facts: Mapping[str, float | None],
    which: Mapping[str, Sequence[str]],
    *,
    everything: bool,
) -> list[Row]:
    """A row per fact, the bad ones marked; for people without those that say nothing."""
    controller = None if found.controller == -1 else found.controller
    rows: list[tuple[object, ...]] = [
        ("cluster_id", found.cluster_id, None, None),
        ("controller", controller, None, None),
    ]
    for name in EVERY_FACT:
        value = facts[name]
        if not everything and not value and name not in BAD:
            continue
        bad = name in BAD and bool(value)
        word = "unknown" if value is None else "bad" if bad else None
        if name in BAD and value == 0:
            word = "ok"
        rows.append((name, value, word, _named(which.get(name, ()))))
    return rows_of(FACTS, rows)


def _replicas(found: Mapping[state.Partition, Sequence[int]]) -> list[str]:
    """Each partition with these replicas of it."""
    return [f"{t}-{n} ({', '.join(map(str, ids))})" for (t, n), ids in found.items()]


def _named(names: Sequence[str]) -> str | None:
    if not names:
        return None
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
