"""``pko client-metrics alter`` and ``delete``."""

from __future__ import annotations

import sys

from pykafka_ops.client.client_metrics import (
    change_subscription,
    describe_subscriptions,
    subscription_names,
)
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.random_uuid import random_uuid
from pykafka_ops.wire.types import uuid_text

SETTINGS = {"interval": "interval.ms", "match": "match", "metrics": "metrics"}


def alter(run: Run) -> None:
    """Set what is given; an empty value, or ``--unset``, gives the default back."""
    args = run.args
    if args.has("name") == args.has("generate-name"):
        raise UsageError("give the subscription a name, or --generate-name")
    name = uuid_text(random_uuid()) if args.has("generate-name") else args.text("name") or ""
    given = {key: ",".join(args.given(key)) for key in SETTINGS if args.has(key)}
    changes = {SETTINGS[key]: value or None for key, value in given.items()}
    for key in args.given("unset"):
        if key in given:
            raise UsageError(f"--{key} and --unset {key}: give one of them")
        changes[SETTINGS[key]] = None
    if not changes and not args.flags:
        raise UsageError("give --interval, --match, --metrics or --unset")
    change_subscription(run.cluster(), name, changes)
    _say(run, f"Altered client metrics config for {name}.", f"{name}: changed")


def delete(run: Run) -> int:
    """Take all its settings, which is its end."""
    cluster, name = run.cluster(), run.args.text("name") or ""
    if not run.args.flags and name not in subscription_names(cluster):
        run.note(f"pko: {name}: no such subscription")
        return 1
    if not run.confirm("delete the subscription", [name]):
        return 1
    settings = describe_subscriptions(cluster, [name])[name]
    if isinstance(settings, PkoError):
        raise settings
    change_subscription(cluster, name, dict.fromkeys(settings))
    _say(run, f"Deleted client metrics config for {name}.", f"{name}: deleted")
    return 0


def _say(run: Run, kafka: str, ours: str) -> None:
    if run.args.flags:
        sys.stdout.write(f"{kafka}\n")
    else:
        run.note(ours)
