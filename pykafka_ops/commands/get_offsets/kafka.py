"""kafka-get-offsets: which options it needs, and how it reports failures."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError


def check(args: Args) -> None:
    """GetOffsetShell's checks."""
    if not args.has("broker-list"):
        args.require("bootstrap-server")


def failure(error: PkoError, run: Run) -> int:
    """A missing option as such, the rest as "Error occurred", both on stderr."""
    from pykafka_ops.commands.framework.failures import execution_text

    missing = isinstance(error, OptionError) and str(error).startswith("Missing required")
    sys.stderr.write(f"{'' if missing else 'Error occurred: '}{execution_text(error)}\n")
    return 1
