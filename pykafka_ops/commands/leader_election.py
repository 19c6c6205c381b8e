"""``pko leader-election``, kafka-leader-election: options, checks; the work is in ``election/``."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.options import (
    BOOTSTRAP,
    COMMAND_CONFIG,
    Args,
    Command,
    Opt,
    OptionError,
    Pos,
    Verb,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.context import Context
    from pykafka_ops.errors import PkoError

TYPES = ("PREFERRED", "UNCLEAN")
_SCOPES = ("topic", "all-topic-partitions", "path-to-json-file")


def check(args: Args) -> None:
    """LeaderElectionCommandOptions.validate; with ``--zookeeper`` the checks of the tool of old."""
    if args.has("admin.config"):
        args.values.setdefault("command-config", args.values["admin.config"])
    if args.has("zookeeper"):
        _check_old(args)
        return
    missing = [n for n in ("bootstrap-server", "election-type") if not args.has(n)]
    if missing:
        raise OptionError(f"Missing required option(s): {', '.join(missing)}")
    if sum(args.has(name) for name in _SCOPES) != 1:
        raise OptionError(
            f"One and only one of the following options is required: {', '.join(_SCOPES)}"
        )
    if args.has("topic") and not args.has("partition"):
        raise OptionError("Missing required option(s): partition")
    if args.has("partition") and not args.has("topic"):
        raise OptionError("Option partition is only allowed if topic is used")
    kind = args.text("election-type") or ""
    if kind.upper() not in TYPES:
        raise OptionError(f"Cannot parse argument '{kind}' of option election-type")
    args.number("partition")


def _check_old(args: Args) -> None:
    """PreferredReplicaLeaderElectionCommand's, before 3.0."""
    if args.has("bootstrap-server") and "bootstrap-server" not in args.filled:
        raise OptionError("Exactly one of '[bootstrap-server]' or '[zookeeper]' must be provided")
    if (args.text("election-type") or TYPES[0]).upper() != TYPES[0]:
        raise OptionError(
            "--zookeeper knows preferred elections only: use --bootstrap-server for unclean ones"
        )
    if args.has("topic") and not args.has("partition"):
        raise OptionError("Missing required option(s): partition")


def failure(error: PkoError, ctx: Context) -> int:
    """The message on stderr, 1."""
    from pykafka_ops.commands.framework.failures import text_of

    sys.stderr.write(f"{text_of(error)}\n")
    return 1


COMMAND = Command(
    "leader-election",
    "This tool attempts to elect a new leader for a set of topic partitions. The type of elections "
    "supported are preferred replicas and unclean replicas.",
    (
        BOOTSTRAP,
        COMMAND_CONFIG,
        Opt("admin.config", "client settings, a .properties file", "FILE", complete="file"),
        Opt("election-type", "preferred: where another replica than the first leads; unclean: "
            "where there is no leader, from outside the ISR, which loses records", "TYPE"),
        Opt("topic", "the topic; in verbs TOPIC means all its partitions, TOPIC:0,3 two of them",
            "TOPIC", many=True, complete="topics"),
        Opt("partition", "the partition of --topic", "N", kind="int"),
        Opt("all-topic-partitions", "every partition where an election is needed"),
        Opt("path-to-json-file", 'which partitions: {"partitions": [{"topic": "t", '
            '"partition": 0}]}', "FILE", complete="file"),
        Opt("zookeeper", "leave the wish for a preferred election in ZooKeeper, as the tool did "
            "before 3.0", "HOST:PORT", ours=True),
        Opt("dry-run", "show which leaders would change, change nothing", ours=True),
    ),
    (
        Verb("preferred", "give leadership back to the first replica",
             "election.verbs:preferred", words=(Pos("topic", "*", "TOPIC[:N,N]"),),
             options=("path-to-json-file", "dry-run", "zookeeper"),
             examples=("pko leader-election preferred",
                       "pko leader-election preferred orders:0,3 --dry-run")),
        Verb("unclean", "elect from outside the ISR where nobody leads: loses records",
             "election.verbs:unclean", words=(Pos("topic", "*", "TOPIC[:N,N]"),),
             options=("path-to-json-file", "all-topic-partitions", "dry-run"),
             examples=("pko leader-election unclean orders:0 --yes",)),
        Verb("list", "partitions that have no leader, or not the preferred one",
             "election.listing:list_partitions", words=(Pos("topic", "*", "TOPIC[:N,N]"),),
             examples=("pko leader-election list",)),
    ),
    tool="kafka-leader-election",
    check=check,
    failure=failure,
)  # fmt: skip
