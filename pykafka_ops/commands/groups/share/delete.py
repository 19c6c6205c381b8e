"""``kafka-share-groups --delete``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pykafka_ops.analysis.java_hash import in_hash_order, java_hash
from pykafka_ops.client.group_describe import SHARE
from pykafka_ops.client.group_offsets import delete_groups
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka4 import EXECUTION, ToldError, deletions, listed, refusals


def delete(run: Run) -> Table:
    """Delete those named that are share groups without members."""
    try:
        groups = listed(run, SHARE)
    except ToldError as error:
        raise ToldError(f"{EXECUTION}{error}") from error
    every = run.args.has("all-groups")
    names = [g.id for g in groups] if every else list(dict.fromkeys(run.args.texts("group")))
    failed = refusals(names, groups, "share", "is not a share group.")
    wanted = [name for name in names if name not in failed]
    results = delete_groups(select.cluster(run), wanted) if wanted else {}
    done = deletions(results, failed)
    return Table("groups-deleted", (), [], kafka=_kafka(done, failed))


def _kafka(done: Sequence[str], failed: Mapping[str, str]) -> Iterator[str]:
    names = ", ".join(f"'{name}'" for name in done)
    if not failed:
        yield f"Deletion of requested share groups ({names}) was successful.\n"
        return
    yield "\nError: Deletion of some share groups failed:\n"
    for name in in_hash_order(failed, java_hash):
        yield f"* Group '{name}' could not be deleted due to: {failed[name]}\n"
    if done:
        yield f"\nThese share groups were deleted successfully: {names}\n"
