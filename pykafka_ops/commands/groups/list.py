"""``pko groups list``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pykafka_ops.client.cluster import CallTimeoutError
from pykafka_ops.client.groups import GroupListing
from pykafka_ops.client.groups import list_groups as ask
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka import EVERY_STATE, EVERY_TYPE, STATES, TYPES, ScopeError
from pykafka_ops.errors import ConnectError, UsageError

NO_BROKERS = (
    "java.util.concurrent.ExecutionException: org.apache.kafka.common.KafkaException: "
    "Failed to find brokers to send ListGroups"
)
COLUMNS = (
    Column("group"),
    Column("state"),
    Column("type", optional=True),
    Column("protocol_type", "PROTOCOL", wide=True),
    Column("coordinator", right=True),
)


class NoBrokersError(ConnectError):
    """Nobody could be asked, in the words of Kafka's admin client."""


def list_groups(run: Run) -> Table:
    """Names in Kafka's form (with state and type on demand), a table in ours."""
    args = run.args
    states = _chosen(run, "state", STATES if args.flags else EVERY_STATE)
    types = _chosen(run, "type", TYPES if args.flags else EVERY_TYPE)
    try:
        groups, failed = ask(select.cluster(run), states=states, types=types)
    except CallTimeoutError as error:
        if not args.flags:
            raise
        raise NoBrokersError(NO_BROKERS) from error
    if args.flags:
        for trouble in failed.values():
            raise trouble
        consumers = [g for g in groups.values() if g.protocol_type in ("", "consumer")]
        return Table("groups", COLUMNS, _rows(consumers), kafka=_kafka(consumers, run))
    found = [g for g in groups.values() if not args.has("group") or g.id in args.given("group")]
    errors = [item_error(f"broker {b}", e) for b, e in sorted(failed.items())]
    errors += [select.missing_group(n, groups) for n in args.given("group") if n not in groups]
    return Table("groups", COLUMNS, _rows(sorted(found)), errors=errors)


def _chosen(run: Run, option: str, known: Sequence[str]) -> list[str]:
    """The values of ``--state`` or ``--type`` in Kafka's spelling; [] for no filter."""
    text = run.args.text(option)
    if not text:
        return []
    by_name = {name.lower(): name for name in known}
    found = [by_name.get(word.strip().lower(), "") for word in text.split(",")]
    if all(found):
        return found
    if run.args.flags:
        one, many = ("state", "states") if option == "state" else ("types", "types")
        raise ScopeError(f"Invalid {one} list '{text}'. Valid {many} are: {', '.join(known)}")
    raise UsageError(f"--{option} {text}: choose from {', '.join(known)}")


def _rows(groups: Sequence[GroupListing]) -> list[dict[str, object]]:
    return rows_of(
        COLUMNS,
        ((g.id, g.state, g.type.capitalize(), g.protocol_type, g.coordinator) for g in groups),
    )


def _kafka(groups: Sequence[GroupListing], run: Run) -> Iterator[str]:
    """The layout of 3.8 and later."""
    with_type, with_state = run.args.has("type"), run.args.has("state")
    if not with_type and not with_state:
        for g in groups:
            yield f"{g.id}\n"
        return
    width = max([15, *(len(g.id) for g in groups)]) + 10
    for name, kind, state in (
        ("GROUP", "TYPE", "STATE"),
        *((g.id, g.type.capitalize() or "Classic", g.state) for g in groups),
    ):
        line = f"{name:<{width}}"
        line += f" {kind:<20}" if with_type else ""
        line += f" {state:<20}" if with_state else ""
        yield f"{line}\n"
