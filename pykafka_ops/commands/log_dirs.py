"""``pko log-dirs`` and kafka-log-dirs: what lies on the brokers' disks."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.options import (
    BOOTSTRAP,
    COMMAND_CONFIG,
    Args,
    Command,
    Opt,
    Pos,
    Verb,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.context import Context
    from pykafka_ops.errors import PkoError


def check(args: Args) -> None:
    """LogDirsCommand's checks."""
    args.require("bootstrap-server", "describe")


def failure(error: PkoError, ctx: Context) -> int:
    """The message on stderr."""
    from pykafka_ops.commands.framework.failures import execution_text

    sys.stderr.write(f"{execution_text(error)}\n")
    return 1


COMMAND = Command(
    "log-dirs",
    "This tool helps to query log directory usage on the specified brokers.",
    (
        BOOTSTRAP,
        COMMAND_CONFIG,
        Opt("topic-list", "only these topics: a,b", "TOPICS", default="", complete="topics"),
        Opt("broker-list", "only these brokers: 0,1", "IDS", default="", complete="brokers"),
        Opt("by", "sum up by", "WHAT", ours=True, default="dir",
            choices=("broker", "dir", "topic", "partition", "replica")),
        Opt("human", "sizes as 1.5 GiB", ours=True, short="H"),
        Opt("sort-by-size", "the biggest first", ours=True, short="s"),
    ),
    (
        Verb("describe", "bytes per broker, directory, topic, partition or replica",
             "_log_dirs:describe", words=(Pos("topic-list", "*", "TOPIC"),), flag="describe",
             options=("broker-list", "by", "human", "sort-by-size"),
             examples=("pko log-dirs describe", "pko log-dirs describe --by topic -H -s",
                       "pko log-dirs describe orders --by replica")),
    ),
    tool="kafka-log-dirs",
    check=check,
    failure=failure,
)  # fmt: skip
