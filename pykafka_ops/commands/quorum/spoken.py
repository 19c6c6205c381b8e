"""How verbs that change the quorum say what they did."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.run import Run


def say(run: Run, text: str) -> None:
    """On stdout in Kafka's form, else to the user."""
    if run.args.flags:
        sys.stdout.write(f"{text}\n")
    else:
        run.note(f"pko: {text}")
