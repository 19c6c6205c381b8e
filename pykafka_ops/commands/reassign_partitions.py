"""``pko reassign-partitions`` and kafka-reassign-partitions: options and checks.

The work is in ``reassign/``: Kafka's actions in a file each, the verbs of ours in ``verbs_*``.
"""

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
from pykafka_ops.commands.reassign import verbs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.context import Context
    from pykafka_ops.errors import PkoError

ACTIONS = ("generate", "execute", "verify", "cancel", "list")
_ALWAYS = ("bootstrap-server", "command-config")
REQUIRED: dict[str, tuple[str, ...]] = {
    "generate": ("topics-to-move-json-file", "broker-list"),
    "execute": ("reassignment-json-file",),
    "verify": ("reassignment-json-file",),
    "cancel": ("reassignment-json-file",),
    "list": (),
}
PERMITTED: dict[str, tuple[str, ...]] = {
    "generate": ("disable-rack-aware",),
    "execute": ("additional", "throttle", "replica-alter-log-dirs-throttle", "timeout"),
    "verify": ("preserve-throttles",),
    "cancel": ("preserve-throttles", "timeout"),
    "list": (),
}

BROKERS_ONLY = ("additional", "cancel", "command-config", "replica-alter-log-dirs-throttle", "list",
                "timeout")  # fmt: skip
"""What the tools of before 3.0 could not do through ZooKeeper."""

OPTIONS = (
    BOOTSTRAP,
    COMMAND_CONFIG,
    Opt("reassignment-json-file", 'which replicas partitions shall have: {"partitions": [{"topic": '
        '"orders", "partition": 0, "replicas": [1,2], "log_dirs": ["any","/data/b"]}], "version": '
        '1}; log_dirs may be left out', "FILE", complete="file"),
    Opt("topics-to-move-json-file", 'topics to place anew: {"topics": [{"topic": "orders"}], '
        '"version": 1}', "FILE", complete="file"),
    Opt("broker-list", "brokers that the topics are placed on", "ID,ID", complete="brokers"),
    Opt("disable-rack-aware", "place replicas without regard to racks"),
    Opt("throttle", "bytes a second that a broker may copy to others, and from them; changes that "
        "of a move under way with --additional (-1: no change); run takes 50MB, auto (what the "
        "cluster bears, the default), auto:200MB or none, too", "BYTES", kind="long",
        default="-1"),
    Opt("replica-alter-log-dirs-throttle", "bytes a second that a broker may copy between its log "
        "directories (-1: no change)", "BYTES", kind="long", default="-1"),
    Opt("timeout", "how long to try to start moves between log directories (ms)", "MS",
        kind="long", default="10000"),
    Opt("additional", "even though other moves are under way"),
    Opt("preserve-throttles", "leave the throttles of brokers and topics as they are"),
    Opt("zookeeper", "write to ZooKeeper instead, as the tool did before 3.0", "HOST:PORT"),
    Opt("bootstrap-controller", "of clusters without ZooKeeper", "HOST:PORT", hidden=True),
    *verbs.OPTIONS,
)  # fmt: skip


def check(args: Args) -> None:
    """The checks of ReassignPartitionsCommand.validateAndParseArgs, in its order."""
    if args.has("bootstrap-controller"):
        raise OptionError(
            "bootstrap-controller is not a recognized option\n"
            "It is for clusters without ZooKeeper: ask a broker, --bootstrap-server HOST:9092"
        )
    actions = [a for a in ACTIONS if args.has(a)]
    if len(actions) != 1:
        raise OptionError(
            "Command must include exactly one action: " + ", ".join(f"--{a}" for a in ACTIONS)
        )
    action = actions[0]
    if not args.has("bootstrap-server") and not args.has("zookeeper"):
        raise OptionError("Please specify --bootstrap-server")
    args.require(*REQUIRED[action])
    allowed = {action, *_ALWAYS, *REQUIRED[action], *PERMITTED[action]}
    if action not in BROKERS_ONLY:
        allowed.add("zookeeper")
    for name in args.order:
        opt = args.command.opt(name)
        if name not in allowed and not (opt and opt.ours):
            raise OptionError(f'Option "[{name}]" can\'t be used with action "[{action}]"')
    if args.has("zookeeper") and "bootstrap-server" not in args.order:
        for name in BROKERS_ONLY:
            if args.has(name):
                raise OptionError(f'You must specify --bootstrap-server when using "[{name}]"')


def failure(error: PkoError, ctx: Context) -> int:
    """What is wrong with the options is told on stderr, all else on stdout, as Kafka does."""
    from pykafka_ops.commands.framework.failures import execution_text
    from pykafka_ops.commands.reassign.text import TerseError

    if isinstance(error, OptionError) and not ctx.started:
        sys.stderr.write(f"{error}\n")
    elif isinstance(error, TerseError):
        sys.stdout.write(f"{error}\n")
    else:
        sys.stdout.write(f"Error: {execution_text(error)}\n")
    return 1


_FILE = (Pos("reassignment-json-file", metavar="FILE"),)

COMMAND = Command(
    "reassign-partitions",
    "This tool helps to move topic partitions between replicas.",
    OPTIONS,
    (
        Verb("list", "the moves under way", "reassign.listing:list_moves", flag="list",
             examples=("pko reassign-partitions list",)),
        Verb("generate", "propose replicas by Kafka's algorithm, which moves nearly everything",
             "reassign.generate:generate", flag="generate",
             words=(Pos("topics-to-move-json-file", metavar="FILE"),),
             options=("broker-list", "disable-rack-aware", "zookeeper"),
             examples=("pko reassign-partitions generate topics.json --broker-list 0,1,2",)),
        Verb("execute", "start the moves of a file", "reassign.execute:execute", flag="execute",
             words=_FILE,
             options=("throttle", "replica-alter-log-dirs-throttle", "additional", "timeout",
                      "zookeeper"),
             examples=("pko reassign-partitions execute moves.json --throttle 50000000",)),
        Verb("verify", "how far the moves of a file are; once all are done, take throttles away",
             "reassign.verify:verify", flag="verify", words=_FILE,
             options=("preserve-throttles", "zookeeper"),
             examples=("pko reassign-partitions verify moves.json",)),
        Verb("cancel", "stop the moves of a file, or all, back to the replicas of before",
             "reassign.verbs_cancel:cancel", flag="cancel",
             words=(Pos("reassignment-json-file", "?", "FILE"),),
             options=("preserve-throttles", "timeout"),
             examples=("pko reassign-partitions cancel moves.json",)),
        *verbs.VERBS,
    ),
    tool="kafka-reassign-partitions",
    check=check,
    failure=failure,
)  # fmt: skip
