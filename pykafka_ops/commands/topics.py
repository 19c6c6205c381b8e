"""``pko topics`` and kafka-topics: options and checks; the work is in ``_topics_*``."""

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
_WHERE = ("topic", "regex", "exclude-internal")

OPTIONS = (
    BOOTSTRAP,
    COMMAND_CONFIG,
    Opt("topic", "the topic; a regular expression (not with create), commas mean or", "TOPIC",
        many=True, complete="topics"),
    Opt("topic-id", "the id of the topic to describe", "ID"),
    Opt("regex", "the words are regular expressions that must match the whole name", short="e",
        ours=True),
    Opt("config", "a setting of the topic", "NAME=VALUE", many=True, short="c"),
    Opt("delete-config", "a setting to set back to its default", "NAME", many=True),
    Opt("partitions", "number of partitions; growing a topic moves keys to other partitions", "N",
        kind="int", short="p"),
    Opt("replication-factor", "replicas of each partition (default: the cluster's)", "N",
        kind="int", short="r"),
    Opt("replica-assignment", "brokers of each partition: 1:2,2:3 is two partitions", "LIST"),
    Opt("under-replicated-partitions", "only partitions with replicas out of sync"),
    Opt("unavailable-partitions", "only partitions without a live leader"),
    Opt("under-min-isr-partitions", "only partitions below min.insync.replicas"),
    Opt("at-min-isr-partitions", "only partitions exactly at min.insync.replicas"),
    Opt("topics-with-overrides", "only topics that have settings of their own"),
    Opt("if-exists", "no error where the topic does not exist"),
    Opt("if-not-exists", "no error where the topic exists already"),
    Opt("exclude-internal", "leave out internal topics"),
    Opt("partition-size-limit-per-response", "accepted for Kafka's sake", "N", kind="int",
        default="2000"),
    Opt("dry-run", "let the brokers check it, change nothing", ours=True),
)  # fmt: skip


def check(args: Args) -> None:
    """The checks of TopicCommandOptions, in its order."""
    if sum(args.has(a) for a in ACTIONS) != 1:
        raise OptionError(
            "Command must include exactly one action: "
            "--list, --describe, --create, --alter or --delete"
        )
    if not args.has("bootstrap-server"):
        raise OptionError("--bootstrap-server must be specified")
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
    if args.has("alter"):
        if args.has("config"):
            raise OptionError(
                'Option combination "[[bootstrap-server], [config]]" can\'t be used with option '
                f'"[alter]"{_BY_KAFKA_CONFIGS}'
            )
        args.require("partitions")
    _check_combinations(args)


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


def failure(error: PkoError, ctx: Context) -> int:
    """What goes wrong before the work is told on stderr, the rest on stdout, as Kafka does."""
    from pykafka_ops.commands.framework.failures import is_usage, text_of

    if is_usage(error, ctx):
        sys.stderr.write(f"{text_of(error)}\n")
    else:
        sys.stdout.write(f"Error while executing topic command : {text_of(error)}\n")
    return 1


COMMAND = Command(
    "topics",
    "Create, delete, describe, or change a topic.",
    OPTIONS,
    (
        Verb("list", "the topics, with their size and health", "topic.listing:list_topics",
             words=(Pos("topic", "*"),), options=("regex", "exclude-internal"), flag="list",
             examples=("pko topics list", "pko topics list -e 'orders.*' -o json")),
        Verb("describe", "settings, leaders and replicas", "topic.reading:describe",
             words=(Pos("topic", "*"),), flag="describe",
             options=("regex", "exclude-internal", "topic-id", "topics-with-overrides",
                      "if-exists", *REPORTS),
             examples=("pko topics describe orders",
                       "pko topics describe --under-replicated-partitions")),
        Verb("check", "partitions in trouble; exit code 4 where there are any",
             "topic.reading:check", words=(Pos("topic", "*"),), options=_WHERE,
             examples=("pko topics check",)),
        Verb("create", "create topics", "topic.writing:create", words=(Pos("topic", "+"),),
             flag="create", options=("partitions", "replication-factor", "replica-assignment",
                                     "config", "if-not-exists", "dry-run"),
             examples=("pko topics create orders -p 12 -r 3 -c retention.ms=86400000",)),
        Verb("alter", "grow topics, or change their settings", "topic.writing:alter",
             words=(Pos("topic", "+"),), flag="alter",
             options=("regex", "partitions", "replica-assignment", "config", "delete-config",
                      "if-exists", "dry-run"),
             examples=("pko topics alter orders -p 24",
                       "pko topics alter orders -c retention.ms=60000")),
        Verb("delete", "delete topics with all their records", "topic.writing:delete",
             words=(Pos("topic", "+"),), flag="delete", options=("regex", "if-exists", "dry-run"),
             examples=("pko topics delete orders --yes",)),
    ),
    tool="kafka-topics",
    check=check,
    failure=failure,
)  # fmt: skip
