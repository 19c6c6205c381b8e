"""kafka-share-groups of Kafka 4 (KIP-932)."""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import GROUP_NAME, TOPIC_NAME
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.groups.kafka4 import (
    RELEASE,
    TIMEOUT,
    bracketed,
    check_described,
    failure_of,
    list_of,
)
from pykafka_ops.commands.kafka_syntax.tool import Tool

KIND = "Share"
STATES = ("Dead", "Empty", "Stable")
ACTIONS = ("list", "describe", "delete", "reset-offsets", "delete-offsets")
SCENARIOS = ("to-datetime", "to-earliest", "to-latest")

GROUP = Option("--group", metavar="GROUP", type=GROUP_NAME, multiple=True, help="the share group")
ALL_GROUPS = Switch("--all-groups", help="every share group")
TOPIC = Option("--topic", metavar="TOPIC[:N,N]", type=TOPIC_NAME, multiple=True,
               help="the topic whose offsets are deleted or reset; to reset, TOPIC:0,2 for some of "
                    "its partitions")  # fmt: skip
ALL_TOPICS = Switch("--all-topics", help="every topic that the group has read")
VIEWS = (
    Switch("--offsets", help="show where the group begins and its lag (as describe does anyway)"),
    Switch("--members", help="show the members and what they read"),
    Option("--state", metavar="STATE,STATE", bare="",
           help="show states; with list: only groups in these states"),
    Switch("--verbose", help="more columns"),
)  # fmt: skip
TO = (
    Option("--to-datetime", metavar="TIME",
           help="to the first record since YYYY-MM-DDTHH:mm:SS.sss[Z|+hh:mm]"),
    Switch("--to-earliest", help="to the first record"),
    Switch("--to-latest", help="to the end: skip everything"),
)  # fmt: skip
DRY_RUN = Switch("--dry-run", help="show what would be set, set nothing")
EXECUTE = Switch("--execute", help="set it")


def _check(args: Args) -> None:
    """The checks of ShareGroupCommandOptions, in its order."""
    check_described(args)
    if args.has("delete"):
        _check_delete(args)
    if args.has("delete-offsets") and not (args.has("group") and args.has("topic")):
        raise OptionError("Option [delete-offsets] takes the following options: [group], [topic]")
    if args.has("reset-offsets"):
        _check_reset(args)
    args.forbid("group", "all-groups", "list")
    args.forbid("topic", "list", "describe")
    if sum(args.has(a) for a in ACTIONS) != 1:
        actions = ", ".join(f"--{a}" for a in ACTIONS)
        raise OptionError(f"Command must include exactly one action: {actions}.")


def _check_delete(args: Args) -> None:
    if not args.has("group") and not args.has("all-groups"):
        raise OptionError("Option [delete] takes the options [group] or [all-groups]")
    if args.has("group") and args.has("all-groups"):
        raise OptionError("Option [delete] takes either [group] or [all-groups], not both.")
    if args.has("topic"):
        raise OptionError("Option [delete] does not take the option: [topic]")


def _check_reset(args: Args) -> None:
    head = "Option [reset-offsets]"
    if args.has("dry-run") and args.has("execute"):
        raise OptionError(f"{head} only accepts one of [execute] and [dry-run]")
    if not args.has("dry-run") and not args.has("execute"):
        raise OptionError(f"{head} takes the option: [execute] or [dry-run]")
    if not args.has("group"):
        raise OptionError(f"{head} takes the option: [group]")
    if not args.has("topic") and not args.has("all-topics"):
        names = bracketed(("topic", "all-topics"))
        raise OptionError(f"{head} takes one of these options: {names}")
    if not any(args.has(s) for s in SCENARIOS):
        raise OptionError(f"{head} takes one of these options: {bracketed(SCENARIOS)}")
    for scenario in SCENARIOS:
        args.forbid(scenario, *(s for s in SCENARIOS if s != scenario))


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "list":
            return list_of(run, KIND, STATES)
        case "describe":
            from pykafka_ops.commands.groups.share.describe import describe as work
        case "delete":
            from pykafka_ops.commands.groups.share.delete import delete as work
        case "reset-offsets":
            from pykafka_ops.commands.groups.share.reset_offsets import reset as work
        case "delete-offsets":
            from pykafka_ops.commands.groups.share.delete_offsets import delete_offsets as work
    return work(run)


TOOL = Tool(
    "kafka-share-groups",
    "This tool helps to list, describe, reset and delete share groups.",
    options=(TIMEOUT, ALL_TOPICS),
    check=_check,
    failure=failure_of("share", 0, outside=True),
)
TOOL.release = RELEASE
for _name, _help, _options in (
    ("list", "list share groups", ()),
    ("describe", "show where groups are, their members or state", (GROUP, ALL_GROUPS, *VIEWS)),
    ("delete", "delete groups without members", (GROUP, ALL_GROUPS)),
    ("reset-offsets", "let a group without members begin elsewhere",
     (GROUP, TOPIC, *TO, DRY_RUN, EXECUTE)),
    ("delete-offsets", "let a group without members forget topics", (GROUP, TOPIC)),
):  # fmt: skip
    TOOL.add(Verb(_name, _work, flag=_name, help=_help, options=_options))
