"""kafka-log-dirs: which options it needs, and how it reports failures."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError


def check(args: Args) -> None:
    """LogDirsCommand's checks."""
    args.require("bootstrap-server", "describe")


def failure(error: PkoError, run: Run) -> int:
    """The message on stderr."""
    from pykafka_ops.commands.framework.failures import execution_text

    sys.stderr.write(f"{execution_text(error)}\n")
    return 1
