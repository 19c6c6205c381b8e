"""``pko groups`` and kafka-consumer-groups: options and checks; the work is in ``groups/``."""

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

ACTIONS = ("list", "describe", "delete", "reset-offsets", "delete-offsets")
SCENARIOS = ("to-offset", "to-current", "to-datetime", "from-file", "by-duration", "to-earliest",
             "to-latest", "shift-by")  # fmt: skip
STATES = ("PreparingRebalance", "CompletingRebalance", "Stable", "Dead", "Empty", "Assigning",
          "Reconciling")  # fmt: skip
_STATE = f"({'|'.join(STATES).lower()})"
SCOPES = "[all-groups], [group]"
NO_EXECUTE = (
    "WARN: No action will be performed as the --execute option is missing.In a future major "
    "release, the default behavior of this command will be to prompt the user before executing "
    "the reset rather than doing a dry run. You should add the --dry-run option explicitly if you "
    "are scripting this command and want to keep the current default behavior without prompting."
)


class ScopeError(OptionError):
    """A wrong combination that Kafka's tool finds only after it has asked the cluster."""


OPTIONS = (
    BOOTSTRAP,
    COMMAND_CONFIG,
    Opt("group", "the group; may be given several times", "GROUP", many=True, complete="groups"),
    Opt("all-groups", "every group"),
    Opt("topic", "the topic, or TOPIC:0,2 for some of its partitions; may be given several times",
        "TOPIC[:N,N]", many=True, complete="topics"),
    Opt("all-topics", "every topic the group has committed offsets of"),
    Opt("timeout", "how long a call to the brokers may take (ms)", "MS", kind="long",
        default="5000"),
    Opt("offsets", "show offsets and lag (what describe does anyway)"),
    Opt("members", "show the members and what they read"),
    Opt("state", "show the state of the groups; with list: only those in these states",
        "STATE,STATE", optional="", values=rf"{_STATE}(,{_STATE})*"),
    Opt("type", "only groups of these types (classic, consumer)", "TYPE,TYPE", optional="",
        values="(consumer|classic)(,(consumer|classic))*"),
    Opt("verbose", "more columns"),
    Opt("dry-run", "show what would be committed, commit nothing"),
    Opt("execute", "commit it"),
    Opt("export", "print the plan as CSV, for --from-file"),
    Opt("to-offset", "to this offset", "OFFSET", kind="long"),
    Opt("to-earliest", "to the first record there is"),
    Opt("to-latest", "to the end: skip everything"),
    Opt("to-current", "to the committed offset, the end where there is none"),
    Opt("shift-by", "forward by so many records, back if negative", "N", kind="long"),
    Opt("to-datetime", "to the first record since YYYY-MM-DDTHH:mm:SS.sss[Z|+hh:mm]", "TIME"),
    Opt("by-duration", "to the first record of the last PnDTnHnMnS", "DURATION"),
    Opt("from-file", "as the CSV file says: [group,]topic,partition,offset", "FILE",
        complete="file"),
    Opt("all", "every group (as is without names)", ours=True),
    Opt("partitions", "a row for every partition", short="p", ours=True),
    Opt("window", "how far back commits and rates are looked at: 90s, 10m, 6h", "SPAN",
        default="10m", ours=True),
    Opt("watch", "again and again, every 5 seconds or so", "SPAN", optional="5s", short="w",
        values=r"\d+(ms|s|m|h|d|w)", ours=True),
    Opt("since", "how far back: 90s, 15m, 6h, 2d (default 1h; of files: all they hold)", "SPAN",
        ours=True),
    Opt("every", "length of a row's time (default: 24 rows)", "SPAN", ours=True),
    Opt("files", "segment files or directories of __consumer_offsets instead of a cluster", "PATH",
        many=True, complete="file", ours=True),
    Opt("undo", "back to the offsets before the last seek", ours=True),
    Opt("fail-on", "exit code 4 if a row meets this, e.g. 'lag>1000|status!=OK'", "CONDITION",
        ours=True),
)  # fmt: skip


def check(args: Args) -> None:
    """The checks of ConsumerGroupCommandOptions, in its order."""
    args.require("bootstrap-server")
    if args.has("describe"):
        _check_describe(args)
    somewhere = args.has("group") or args.has("all-groups")
    if args.has("delete"):
        if not somewhere:
            raise OptionError(f"Option [delete] takes one of these options: {SCOPES}")
        if args.has("topic"):
            raise OptionError(
                "The consumer does not support topic-specific offset deletion from a consumer "
                "group."
            )
    if args.has("delete-offsets") and not (args.has("group") and args.has("topic")):
        raise OptionError(f"Option [delete-offsets] takes the following options: {SCOPES}")
    if args.has("reset-offsets"):
        _check_reset(args, somewhere=somewhere)
    args.forbid("group", "all-groups", "list")
    args.forbid("topic", "list", "describe")
    if sum(args.has(a) for a in ACTIONS) != 1:
        raise OptionError(
            "Command must include exactly one action: "
            "--list, --describe, --delete, --reset-offsets, --delete-offsets"
        )


def _check_describe(args: Args) -> None:
    if not args.has("group") and not args.has("all-groups"):
        raise OptionError(
            "Option [describe] takes one of these options: "
            "[reset-offsets], [describe], [delete], [list]"
        )
    if sum(args.has(o) for o in ("members", "offsets", "state")) > 1:
        raise OptionError(
            "Option [describe] takes at most one of these options: [members], [offsets], [state]"
        )
    if args.has("state") and args.text("state"):
        raise OptionError("Option [describe] does not take a value for [state]")


def _check_reset(args: Args, *, somewhere: bool) -> None:
    if args.has("dry-run") and args.has("execute"):
        raise OptionError("Option [reset-offsets] only accepts one of [execute] and [dry-run]")
    if not args.has("dry-run") and not args.has("execute"):
        sys.stderr.write(f"{NO_EXECUTE}\n")
    if not somewhere:
        raise OptionError(f"Option [reset-offsets] takes one of these options: {SCOPES}")
    for scenario in ("to-offset", "to-datetime", "by-duration", "to-earliest", "to-latest",
                     "to-current", "shift-by", "from-file"):  # fmt: skip
        args.forbid(scenario, *(s for s in SCENARIOS if s != scenario))


def failure(error: PkoError, ctx: Context) -> int:
    """Usage errors on stderr, exit code 1; the rest on stdout with exit code 0, as Kafka does."""
    from pykafka_ops.commands.framework.failures import is_usage, java_text, text_of
    from pykafka_ops.errors import KafkaError

    if is_usage(error, ctx) or isinstance(error, ScopeError):
        sys.stderr.write(f"{text_of(error)}\n")
        return 1
    text = text_of(error)
    if isinstance(error, KafkaError):
        text = f"java.util.concurrent.ExecutionException: {java_text(error)}"
    elif hasattr(error, "trouble"):
        text = java_text(error)
    sys.stdout.write(f"\nError: Executing consumer group command failed due to {text}\n")
    return 0


_WHICH = (Pos("group", "*"),)
_RESET = (*SCENARIOS, "topic", "all-topics", "all-groups", "dry-run", "execute", "export")

COMMAND = Command(
    "groups",
    "This tool helps to list all consumer groups, describe a consumer group, delete consumer group "
    "info, or reset consumer group offsets.",
    OPTIONS,
    (
        Verb("list", "the groups, their state and where they are coordinated",
             "groups.listing:list_groups", words=_WHICH, flag="list", options=("state", "type"),
             examples=("pko groups list", "pko groups list --state stable,empty -o json")),
        Verb("describe", "offsets and lag, members or state", "groups.describe:describe",
             words=_WHICH, flag="describe",
             options=("all-groups", "offsets", "members", "state", "verbose"),
             examples=("pko groups describe billing", "pko groups describe billing --members",
                       "pko groups describe --all-groups --state")),
        Verb("lag", "how far behind, in records and time, how fast, and Burrow's verdict",
             "groups.lag:lag", words=_WHICH,
             options=("all", "partitions", "window", "watch", "fail-on"),
             examples=("pko groups lag", "pko groups lag billing --partitions --watch",
                       "pko groups lag --all --fail-on 'lag>1000|status!=OK'")),
        Verb("history", "its commits over time: how it moved, stood still, went back",
             "groups.history:history", words=(Pos("group"),),
             options=("since", "every", "files"),
             examples=("pko groups history billing --since 6h",
                       "pko groups history billing --files /var/kafka/__consumer_offsets-*")),
        Verb("reset-offsets", "commit other offsets for a group without members",
             "groups.reset:reset", words=_WHICH, flag="reset-offsets", options=_RESET,
             examples=("pko groups reset-offsets billing --topic orders --to-earliest --dry-run",
                       "pko groups reset-offsets billing --all-topics "
                       "--to-datetime 2026-11-21T08:00:00.000 --execute")),
        Verb("seek", "move a group: shows what is skipped or repeated, asks, and can undo it",
             "groups.seek:seek", words=(Pos("group"),),
             options=(*SCENARIOS, "topic", "dry-run", "undo"),
             examples=("pko groups seek billing --to-earliest",
                       "pko groups seek billing --topic orders:0 --shift-by=-100",
                       "pko groups seek billing --undo")),
        Verb("delete-offsets", "forget the committed offsets of topics",
             "groups.delete:delete_offsets", words=(Pos("group"),), flag="delete-offsets",
             options=("topic",), examples=("pko groups delete-offsets billing --topic orders:0",)),
        Verb("delete", "delete groups without members, with all their offsets",
             "groups.delete:delete_groups", words=(Pos("group", "*"),), flag="delete",
             options=("all-groups",), examples=("pko groups delete billing --yes",)),
    ),
    tool="kafka-consumer-groups",
    check=check,
    failure=failure,
)  # fmt: skip
