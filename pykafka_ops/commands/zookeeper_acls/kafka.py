"""zookeeper-security-migration: what it checks, and how it words failures."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

WORDS = ("secure", "unsecure")


def check(args: Args) -> None:
    """ZkSecurityMigrator's options."""
    args.number("zookeeper.session.timeout")
    args.number("zookeeper.connection.timeout")
    if args.text("zookeeper.acl") not in WORDS:
        raise OptionError(f"--zookeeper.acl: one of {', '.join(WORDS)}")


def failure(error: PkoError, run: Run) -> int:
    """The message on stderr, 1."""
    sys.stderr.write(f"ERROR: {error}\n")
    return 1
