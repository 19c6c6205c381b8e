"""``--zookeeper``: leave the wish for a preferred election in its znode.

As kafka-preferred-replica-election did before 3.0; the controller removes the znode when done.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.configs.entity import scala_set
from pykafka_ops.commands.configs.zookeeper import WARNING, opened_tree
from pykafka_ops.commands.framework.output import PLACE, Column, ItemError, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.leader_election.election_file import read_file
from pykafka_ops.commands.leader_election.partitions import Wanted, named, of_pairs, wanted_of
from pykafka_ops.errors import PkoError, UsageError

PATH = "/admin/preferred_replica_election"
COLUMNS = (*PLACE, Column("election"), Column("result"))


class WishError(PkoError):
    """The wish could not be left."""


def elect(run: Run) -> Table | None:
    """Ask for the partitions meant that exist; they are not waited for."""
    wanted = _wanted(run)
    if run.args.has("dry-run"):
        raise UsageError("--dry-run does not go with --zookeeper")
    from kazoo.exceptions import KazooException

    try:
        with opened_tree(run) as tree:
            asked, missing = _meant(tree.client, wanted)
            if asked:
                _leave(tree.client, asked)
    except KazooException as error:
        raise WishError(f"ZooKeeper refuses: {type(error).__name__} {error}".rstrip()) from None
    if run.args.flags and run.output == "table":
        sys.stdout.write(WARNING + _text(asked, missing))
        return None
    return _table(asked, missing)


def _wanted(run: Run) -> Wanted:
    args = run.args
    if args.has("file"):
        return of_pairs(read_file(args.text("file") or ""))
    if args.flags and args.has("topic"):
        return {args.text("topic") or "": {args.number("partition") or 0}}
    return wanted_of(args.texts("topic"))


def _meant(client: Any, wanted: Wanted) -> tuple[list[Partition], list[Partition]]:
    """The partitions that are there, and those named that are not."""
    from kazoo.exceptions import NoNodeError

    asked: list[Partition] = []
    missing: list[Partition] = []
    names = sorted(wanted) if wanted else sorted(client.get_children("/brokers/topics"))
    for topic in names:
        numbers = wanted.get(topic)
        try:
            there = _partitions(topic, client.get(f"/brokers/topics/{topic}")[0])
        except (NoNodeError, ValueError):
            there = set()
        asked += [(topic, n) for n in sorted(there if numbers is None else there & numbers)]
        missing += [(topic, n) for n in sorted((numbers or set()) - there)]
        if numbers is None and not there:
            missing.append((topic, 0))
    return asked, missing


def _partitions(topic: str, data: bytes) -> set[int]:
    """The partitions of a topic's znode; WishError where it is not Kafka's."""
    try:
        return {int(number) for number in json.loads(data)["partitions"]}
    except (ValueError, LookupError, TypeError, RecursionError):
        raise WishError(f"/brokers/topics/{topic} is not what Kafka writes") from None


def _leave(client: Any, asked: Sequence[Partition]) -> None:
    from kazoo.exceptions import NodeExistsError, NoNodeError

    from pykafka_ops.zookeeper import acls

    rows = [{"topic": topic, "partition": index} for topic, index in asked]
    data = json.dumps({"version": 1, "partitions": rows}, separators=(",", ":")).encode()
    try:
        acls.create(client, PATH, data, secure=client.access.secure)
    except NodeExistsError:
        try:
            under_way = client.get(PATH)[0].decode(errors="replace")
        except NoNodeError:
            under_way = ""
        raise WishError(
            "Preferred replica leader election currently in progress for "
            f"{under_way}. Aborting operation"
        ) from None


def _text(asked: Sequence[Partition], missing: Sequence[Partition]) -> str:
    names = [named(p) for p in asked]
    said = ""
    if names:
        said += f"Created preferred replica election path with {','.join(names)}\n"
        said += (
            f"Successfully started preferred replica election for partitions {scala_set(names)}\n"
        )
    return said + "".join(
        f"Skipping preferred replica leader election for partition {named(p)} since it doesn't "
        "exist.\n"
        for p in missing
    )


def _table(asked: Sequence[Partition], missing: Sequence[Partition]) -> Table:
    rows = rows_of(COLUMNS, ((*p, "preferred", "asked") for p in asked))
    errors = [
        ItemError(named(p), "UNKNOWN_TOPIC_OR_PARTITION", "there is no such partition", 3)
        for p in missing
    ]
    return Table("leader-election", COLUMNS, rows, errors=errors)
