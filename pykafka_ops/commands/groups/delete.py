"""``pko groups delete``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pykafka_ops.client.generation import is_kafka_4
from pykafka_ops.client.group_offsets import delete_groups
from pykafka_ops.commands.framework.failures import item_error, java_text
from pykafka_ops.commands.framework.output import Column, Table, counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.errors import PkoError

COLUMNS = (Column("group"), Column("deleted"))


def delete(run: Run) -> Table | int:
    """Delete them all; an error for each that is in use or does not exist."""
    names = select.wanted(run)
    cluster = select.cluster(run)
    if not run.confirm(f"delete {counted(names, 'group')} with all committed offsets", names):
        return 1
    results = delete_groups(cluster, names)
    rows = [{"group": n, "deleted": error is None} for n, error in results.items()]
    if run.args.flags:
        text = _kafka_text(results, is_4=is_kafka_4(cluster))
        return Table("groups-deleted", COLUMNS, rows, kafka=text)
    missing = [n for n, error in results.items() if error and select.is_missing(error)]
    errors = [item_error(n, e) for n, e in results.items() if e and n not in missing]
    errors += select.missing_groups(cluster, missing)
    return Table("groups-deleted", COLUMNS, [r for r in rows if r["deleted"]], errors=errors)


def _kafka_text(results: Mapping[str, PkoError | None], *, is_4: bool) -> Iterator[str]:
    failed = {n: e for n, e in results.items() if e is not None}
    done = [n for n, e in results.items() if e is None]
    if not failed:
        yield f"Deletion of requested consumer groups ('{', '.join(done)}') was successful.\n"
        return
    yield "\nError: Deletion of some consumer groups failed:\n"
    around = "" if is_4 else "java.util.concurrent.ExecutionException: "
    for name, error in failed.items():
        yield f"* Group '{name}' could not be deleted due to: {around}{java_text(error)}\n"
    if done:
        listed = "', '".join(done)
        yield f"\nThese consumer groups were deleted successfully: '{listed}'\n"
