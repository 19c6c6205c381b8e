"""``pko reassign-partitions`` and kafka-reassign-partitions: options and checks.

The work is in ``reassign/``: Kafka's actions in a file each, the verbs of ours in ``verbs_*``.
"""

from __future__ import annotations

import sys

from pykafka_ops.commands._options import (
    BOOTSTRAP,
    COMMAND_CONFIG,
    Args,
    Command,
    OptionError,
    Verb,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands._context import Context
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

OPTIONS = (
    BOOTSTRAP,
    COMMAND_CONFIG,
)


def check(args: Args) -> None:
    """The checks of ReassignPartitionsCommand.validateAndParseArgs, in its order."""
    actions = [a for a in ACTIONS if args.has(a)]
    if len(actions) != 1:
        raise OptionError(
            "Command must include exactly one action: " + ", ".join(f"--{a}" for a in ACTIONS)
        )
    action = actions[0]
    if not args.has("bootstrap-server"):
        raise OptionError("Please specify --bootstrap-server")
    args.require(*REQUIRED[action])
    allowed = {action, *_ALWAYS, *REQUIRED[action], *PERMITTED[action]}
    for name in args.order:
        opt = args.command.opt(name)
        if name not in allowed and not (opt and opt.ours):
            raise OptionError(f'Option "[{name}]" can\'t be used with action "[{action}]"')


def failure(error: PkoError, ctx: Context) -> int:
    """What is wrong with the options is told on stderr, all else on stdout, as Kafka does."""
    from pykafka_ops.commands._failures import execution_text
    from pykafka_ops.commands.reassign.text import TerseError

    if isinstance(error, OptionError) and not ctx.started:
        sys.stderr.write(f"{error}\n")
    elif isinstance(error, TerseError):
        sys.stdout.write(f"{error}\n")
    else:
        sys.stdout.write(f"Error: {execution_text(error)}\n")
    return 1


COMMAND = Command(
    "reassign-partitions",
    "This tool helps to move topic partitions between replicas.",
    OPTIONS,
    (
        Verb("list", "the moves under way", "reassign.listing:list_moves", flag="list",
             examples=("pko reassign-partitions list",)),
    ),
    tool="kafka-reassign-partitions",
    check=check,
    failure=failure,
)  # fmt: skip
