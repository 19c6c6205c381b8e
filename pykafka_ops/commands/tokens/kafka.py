"""kafka-delegation-tokens: which options go together, and how it reports failures."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.failures import execution_text
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

_ACTIONS = ("create", "renew", "expire", "describe")
_PERIODS = ("max-life-time-period", "renew-time-period", "expiry-time-period")


def check(args: Args) -> None:
    """DelegationTokenCommand.execute and checkArgs, in their order and words."""
    if sum(args.has(action) for action in _ACTIONS) != 1:
        raise OptionError(
            "Command must include exactly one action: --create, --renew, --expire or --describe"
        )
    args.require("bootstrap-server", "command-config")
    if args.has("create"):
        args.require("max-life-time-period")
    if args.has("renew"):
        args.require("hmac", "renew-time-period")
    if args.has("expire"):
        args.require("hmac", "expiry-time-period")
    args.forbid("create", "hmac", "renew-time-period", "expiry-time-period")
    args.forbid("renew", "renewer-principal", "max-life-time-period", "expiry-time-period",
                "owner-principal")  # fmt: skip
    args.forbid("expire", "renew", "max-life-time-period", "renew-time-period", "owner-principal")
    args.forbid("describe", "renew-time-period", "max-life-time-period", "hmac",
                "expiry-time-period")  # fmt: skip
    for name in (*_PERIODS, "hmac"):
        if args.has(name) and not args.given(name):
            what = "" if name == "hmac" else ", in ms"
            raise OptionError(f"--{name} needs a value{what}")  # Kafka's tool ends with a NPE


def failure(error: PkoError, run: Run) -> int:
    """The message on stderr, as the tool prints it before the stack."""
    sys.stderr.write(f"{execution_text(error)}\n")
    return 1
