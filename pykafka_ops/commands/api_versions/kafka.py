"""kafka-broker-api-versions: which options it needs."""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args


def check(args: Args) -> None:
    """BrokerApiVersionsCommand's checks."""
    args.require("bootstrap-server")
