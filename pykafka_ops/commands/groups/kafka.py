"""kafka-consumer-groups: which options go together, and how it reports failures."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

ACTIONS = ("list", "describe", "delete", "reset-offsets", "delete-offsets")
SCENARIOS = ("to-offset", "to-current", "to-datetime", "from-file", "by-duration", "to-earliest",
             "to-latest", "shift-by")  # fmt: skip
STATES = ("PreparingRebalance", "CompletingRebalance", "Stable", "Dead", "Empty", "Assigning",
          "Reconciling")  # fmt: skip
EVERY_STATE = (*STATES, "NotReady")
"""Those of streams groups, too."""
TYPES = ("Consumer", "Classic")
EVERY_TYPE = (*TYPES, "Share", "Streams")
"""Those that the tool does not list, too."""
SCOPES = "[all-groups], [group]"
NO_EXECUTE = (
    "WARN: No action will be performed as the --execute option is missing.In a future major "
    "release, the default behavior of this command will be to prompt the user before executing "
    "the reset rather than doing a dry run. You should add the --dry-run option explicitly if you "
    "are scripting this command and want to keep the current default behavior without prompting."
)


NEW_CONSUMER = (
    "The [new-consumer] option is deprecated and will be removed in a future major release."
    "The new consumer is used by default if the [bootstrap-server] option is provided."
)
OLD_ACTIONS = ("list", "describe", "delete", "reset-offsets")


class ScopeError(OptionError):
    """A wrong combination that Kafka's tool finds only after it has asked the cluster."""


def check(args: Args) -> None:
    """The checks of ConsumerGroupCommandOptions, in its order, or of older tools."""
    if args.has("offset-checker") or args.has("zookeeper"):
        _check_old(args)
        return
    if args.has("new-consumer"):
        sys.stderr.write(f"{NEW_CONSUMER}\n")
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


def _check_old(args: Args) -> None:
    """Those of ConsumerOffsetChecker, or of 1.1 for ``--zookeeper``."""
    if args.has("offset-checker"):
        args.require("group", "zookeeper")
        args.text("group")
        return
    if sum(args.has(a) for a in OLD_ACTIONS) != 1:
        raise OptionError(
            "Command must include exactly one action: --list, --describe, --delete, --reset-offsets"
        )
    for option in ("bootstrap-server", "new-consumer"):
        if args.has(option) and option not in args.filled:
            raise OptionError(f"Option [{option}] is not valid with [zookeeper].")
    if args.has("describe"):
        args.require("group")
    if args.has("delete") and not (args.has("group") or args.has("topic")):
        raise OptionError("Option [delete] either takes [group], [topic], or both")
    args.forbid("group", "list")
    args.forbid("topic", "list", "describe")


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


def failure(error: PkoError, run: Run) -> int:
    """Usage errors on stderr, exit code 1; the rest on stdout with exit code 0, as Kafka does."""
    from pykafka_ops.commands.framework.failures import is_usage, java_text, security_class, text_of
    from pykafka_ops.errors import KafkaError

    if is_usage(error, run) or isinstance(error, ScopeError):
        sys.stderr.write(f"{text_of(error)}\n")
        return 1
    text = text_of(error)
    if run.args.has("offset-checker"):
        sys.stdout.write(f"Exiting due to: {text}.\n")
        return 0
    if isinstance(error, KafkaError):
        text = f"java.util.concurrent.ExecutionException: {java_text(error)}"
    elif hasattr(error, "trouble") or security_class(error):
        text = java_text(error)
    lead = "" if run.args.has("zookeeper") else "\n"
    sys.stdout.write(f"{lead}Error: Executing consumer group command failed due to {text}\n")
    return 0
