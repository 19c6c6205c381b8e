"""``pko delete-records`` and kafka-delete-records: drop the records before an offset."""

from __future__ import annotations

from pykafka_ops.commands.framework.options import (
    BOOTSTRAP,
    COMMAND_CONFIG,
    Args,
    Command,
    Opt,
    Pos,
    Verb,
)


def check(args: Args) -> None:
    """DeleteRecordsCommand's checks."""
    args.require("bootstrap-server", "offset-json-file")


COMMAND = Command(
    "delete-records",
    "This tool helps to delete records of the given partitions down to the specified offset.",
    (
        BOOTSTRAP,
        COMMAND_CONFIG,
        Opt("offset-json-file", 'what to delete: {"partitions": [{"topic": "t", "partition": 0, '
            '"offset": 5}], "version": 1}; offset -1 means all', "FILE", short="f",
            complete="file"),
        Opt("topic", "TOPIC means all its partitions, TOPIC:0,3 two of them", "TOPIC[:N,N]",
            ours=True, many=True, complete="topics"),
        Opt("before", "the first offset to keep; end to delete all; or a moment as in get-offsets "
            "--time (-2h, 2026-11-21T08:00:00Z)", "OFFSET", ours=True),
        Opt("dry-run", "show what would go, delete nothing", ours=True),
    ),
    (
        Verb("", "drop the records before an offset", "_delete_records:delete_records",
             words=(Pos("topic", "*", "TOPIC[:N,N]"),),
             options=("offset-json-file", "before", "dry-run"),
             examples=("pko delete-records orders --before end --yes",
                       "pko delete-records orders:0,1 --before 1000 --dry-run",
                       "pko delete-records orders --before=-7d")),
    ),
    tool="kafka-delete-records",
    check=check,
)  # fmt: skip
