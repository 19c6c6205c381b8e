"""``pko delete-records`` and kafka-delete-records: drop the records before an offset."""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args


def check(args: Args) -> None:
    """DeleteRecordsCommand's checks."""
    args.require("bootstrap-server", "offset-json-file")
