"""``pko backup verify``."""

from __future__ import annotations

from pykafka_ops.backup.verify import verify_partition
from pykafka_ops.commands.backup.place import chain_at, opened, topics_meant
from pykafka_ops.commands.framework.output import PLACE, Cells, Column, Table, numbers
from pykafka_ops.commands.framework.progress import ProgressBar
from pykafka_ops.commands.framework.run import Run

_COLUMNS = (
    *PLACE,
    *numbers("records"),
    Column("read_bytes", "BYTES", right=True),
    Column("problems", bad=bool),
)
BROKEN = 4


def verify(run: Run) -> Table:
    """A row for each partition with a problem; those that are sound are counted."""
    store = opened(run)
    chain = chain_at(run, store)
    names, errors = topics_meant(run, chain)
    wanted = [p for (topic, _), p in sorted(chain.partitions.items()) if topic in set(names)]
    items: list[Cells] = []
    with ProgressBar(sum(p.size for p in wanted), "verified") as bar:
        for stored in wanted:
            found = verify_partition(store, stored)
            bar.add(stored.size)
            items.append(
                {
                    "topic": found.topic,
                    "partition": found.partition,
                    "records": found.records,
                    "read_bytes": found.size,
                    "problems": found.problems,
                }
            )
    broken = [item for item in items if item["problems"]]
    good = len(items) - len(broken)
    total = sum(stored.size for stored in wanted)
    note = f"{good} of {len(items)} partitions are as they were written, {total:,} bytes"
    code = BROKEN if broken else None
    return Table(
        "backup-verified", _COLUMNS, broken, items=items, errors=errors, notes=[note],
        exit_code=code,
    )  # fmt: skip
