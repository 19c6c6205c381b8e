"""What kafka-dump-log checks, and which words are paths."""

from __future__ import annotations

import os

from pykafka_ops.commands.framework.args import Args


def is_path(word: str) -> bool:
    """Whether a word that is no verb is meant as a file to show."""
    return "/" in word or "." in word or "*" in word or os.path.lexists(word)


def check(args: Args) -> None:
    """DumpLogSegments asks for nothing but files."""
    args.require("files")
