"""Names that topics have elsewhere: ``--prefix`` and ``--rename``."""

from __future__ import annotations

import re
from collections.abc import Callable

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.errors import UsageError


def renaming(args: Args) -> Callable[[str], str]:
    """What a topic is called there. Raises UsageError."""
    args.forbid("prefix", "rename")
    prefix, rule = args.text("prefix"), args.text("rename")
    if rule is None:
        return lambda name: f"{prefix or ''}{name}"
    text, equals, name = rule.partition("=")
    try:
        found = re.compile(text)
        found.sub(name, "")
    except (re.error, IndexError) as error:
        raise UsageError(f"--rename {rule}: {error}") from None
    if not equals:
        raise UsageError(f"--rename {rule}: write it as REGEX=NAME")

    def renamed(topic: str) -> str:
        match = found.fullmatch(topic)
        return topic if match is None else match.expand(name)

    return renamed
