"""kafka-delete-records: which options it needs."""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args


def check(args: Args) -> None:
    """DeleteRecordsCommand's checks."""
    args.require("bootstrap-server", "file")
