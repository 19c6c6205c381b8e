"""Which options of kafka-streams-groups go together, as StreamsGroupCommandOptions of Kafka 4.3."""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.groups.kafka4 import EITHER_GROUPS, bracketed, check_described

ACTIONS = ("list", "describe", "delete", "reset-offsets", "delete-offsets")
SCENARIOS = ("to-offset", "to-datetime", "by-duration", "to-earliest", "to-latest", "to-current",
             "shift-by", "from-file")  # fmt: skip
_TOPICS = bracketed(("input-topic", "all-input-topics"))


def check(args: Args) -> None:
    """Raises OptionError for the first rule that is broken."""
    check_described(args)
    somewhere = args.has("group") or args.has("all-groups")
    if args.has("delete"):
        if not somewhere:
            raise OptionError(f"Option [delete] takes one of these options: {EITHER_GROUPS}")
        if args.has("input-topic") or args.has("all-input-topics"):
            raise OptionError(
                "Kafka Streams does not support topic-specific offset deletion from a streams "
                "group."
            )
    if args.has("delete-offsets"):
        _check_delete_offsets(args)
    if args.has("reset-offsets"):
        _check_reset(args, somewhere=somewhere)
    _check_internal(args)
    if (args.has("dry-run") or args.has("execute")) and not args.has("reset-offsets"):
        raise OptionError("Only Option [reset-offsets] accepts [execute] or [dry-run]")
    args.forbid("list", "members", "offsets")
    args.forbid("group", "all-groups", "list")
    args.forbid("input-topic", "list", "describe", "delete")
    if sum(args.has(a) for a in ACTIONS) != 1:
        raise OptionError(
            "Command must include exactly one action: --list, --describe, --delete, "
            "--reset-offsets, or --delete-offsets."
        )


def _check_delete_offsets(args: Args) -> None:
    somewhat = args.has("input-topic") or args.has("all-input-topics")
    if not somewhat or not args.has("group"):
        raise OptionError(
            f"Option [delete-offsets] takes the [group] and one of these options: {_TOPICS}"
        )
    groups = args.given("group")
    if len(groups) > 1:
        raise OptionError(
            "Option [delete-offsets] supports only one [group] at a time, but found: "
            f"[{', '.join(groups)}]"
        )


def _check_reset(args: Args, *, somewhere: bool) -> None:
    head = "Option [reset-offsets]"
    if args.has("dry-run") and args.has("execute"):
        raise OptionError(f"{head} only accepts one of [execute] and [dry-run]")
    if not args.has("dry-run") and not args.has("execute"):
        raise OptionError(f"{head} takes the option: [execute] or [dry-run]")
    if not somewhere:
        raise OptionError(f"{head} takes one of these options: {EITHER_GROUPS}")
    for scenario in SCENARIOS:
        args.forbid(scenario, *(s for s in SCENARIOS if s != scenario))


def _check_internal(args: Args) -> None:
    """``--delete-all-internal-topics`` and ``--delete-internal-topic``."""
    resets, runs = args.has("reset-offsets"), args.has("execute")
    if args.has("delete-all-internal-topics"):
        head = "Option [delete-all-internal-topics] takes"
        if not resets and not args.has("delete"):
            names = bracketed(("reset-offsets", "delete"))
            raise OptionError(f"{head} one of these options: {names}")
        if resets and not runs:
            raise OptionError(f"{head} [execute] when [reset-offsets] is used.")
    elif args.has("delete-internal-topic") and not (resets and runs):
        raise OptionError(
            "Option [delete-internal-topic] takes [reset-offsets] when [execute] is used."
        )
