"""kafka-topics: which options go together, and how it reports failures."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

ACTIONS = ("alter", "create", "describe", "list", "delete")
REPORTS = (
    "under-replicated-partitions",
    "unavailable-partitions",
    "under-min-isr-partitions",
    "at-min-isr-partitions",
)
_BY_KAFKA_CONFIGS = (
    " (the kafka-configs CLI supports altering topic configs with a --bootstrap-server option)"
)


def check(args: Args) -> None:
    """The checks of TopicCommandOptions, in its order."""
    if sum(args.has(a) for a in ACTIONS) != 1:
        raise OptionError(
            "Command must include exactly one action: "
            "--list, --describe, --create, --alter or --delete"
        )
    _check_connection(args)
    if args.has("describe") and args.has("if-exists"):
        if not args.has("topic") and not args.has("topic-id"):
            raise OptionError("--topic or --topic-id is required to describe a topic")
        if args.has("topic") and args.has("topic-id"):
            sys.stdout.write(
                "Only topic id will be used when both --topic and --topic-id are specified "
                "and topicId is not Uuid.ZERO_UUID\n"
            )
    if not args.has("list") and not args.has("describe"):
        args.require("topic")
    if args.has("alter") and not args.has("zookeeper"):
        if args.has("config"):
            raise OptionError(
                'Option combination "[[bootstrap-server], [config]]" can\'t be used with option '
                f'"[alter]"{_BY_KAFKA_CONFIGS}'
            )
        args.require("partitions")
    _check_combinations(args)


def _check_connection(args: Args) -> None:
    """A broker, or as before 3.0 ZooKeeper, where nothing has a default."""
    if args.has("zookeeper"):
        if args.has("bootstrap-server"):
            raise OptionError("Only one of --bootstrap-server or --zookeeper must be specified")
        if args.has("create") and not args.has("replica-assignment"):
            args.require("topic", "partitions", "replication-factor")
    elif not args.has("bootstrap-server"):
        raise OptionError("--bootstrap-server must be specified")


def _check_combinations(args: Args) -> None:
    """Which option goes with which action (checkInvalidArgs)."""

    def only_with(option: str, *actions: str) -> None:
        args.forbid(option, *(a for a in ACTIONS if a not in actions))

    only_with("config", "alter", "create")
    only_with("partitions", "alter", "create")
    only_with("replication-factor", "create")
    only_with("replica-assignment", "alter", "create")
    if args.has("create"):
        args.forbid("replica-assignment", "partitions", "replication-factor")
    for report in REPORTS:
        only_with(report, "describe")
        args.forbid(report, "topics-with-overrides")
    only_with("topics-with-overrides", "describe")
    args.forbid("topics-with-overrides", *REPORTS)
    only_with("if-exists", "alter", "delete", "describe")
    only_with("if-not-exists", "create")
    only_with("exclude-internal", "list", "describe")


def failure(error: PkoError, run: Run) -> int:
    """What goes wrong before the work goes to stderr, the rest to stdout, as in Kafka; 1."""
    from pykafka_ops.commands.framework.failures import is_usage, text_of

    if is_usage(error, run):
        sys.stderr.write(f"{text_of(error)}\n")
    else:
        sys.stdout.write(f"Error while executing topic command : {text_of(error)}\n")
    return 1


def in_kafkas_words(run: Run) -> bool:
    """Whether to answer as Kafka's tool: its form, and no other format asked for."""
    return run.args.flags and run.output == "table"
