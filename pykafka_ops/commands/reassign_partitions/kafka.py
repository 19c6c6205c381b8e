"""kafka-reassign-partitions: what it checks, and how it words failures."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.run import Run
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
    "execute": (
        "additional",
        "throttle",
        "replica-alter-log-dirs-throttle",
        "timeout",
        "disallow-replication-factor-change",
    ),
    "verify": ("preserve-throttles",),
    "cancel": ("preserve-throttles", "timeout"),
    "list": (),
}

BROKERS_ONLY = ("additional", "cancel", "command-config", "replica-alter-log-dirs-throttle", "list",
                "timeout")  # fmt: skip
"""What the tools of before 3.0 could not do through ZooKeeper."""


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
        opt = args.options.get(name)
        if name not in allowed and not (opt and opt.ours):
            raise OptionError(f'Option "[{name}]" can\'t be used with action "[{action}]"')
    if args.has("zookeeper") and "bootstrap-server" not in args.order:
        for name in BROKERS_ONLY:
            if args.has(name):
                raise OptionError(f'You must specify --bootstrap-server when using "[{name}]"')


def failure(error: PkoError, run: Run) -> int:
    """What is wrong with the options goes to stderr, all else to stdout, as in Kafka."""
    from pykafka_ops.commands.framework.failures import execution_text
    from pykafka_ops.commands.reassign_partitions.text import TerseError

    if isinstance(error, OptionError) and not run.started:
        sys.stderr.write(f"{error}\n")
    elif isinstance(error, TerseError):
        sys.stdout.write(f"{error}\n")
    else:
        sys.stdout.write(f"Error: {execution_text(error)}\n")
    return 1
