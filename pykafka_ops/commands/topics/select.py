"""Which topics a command line means."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.commands.framework.output import ItemError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import chosen, included, missing_topic
from pykafka_ops.errors import PkoError


class NoSuchTopicError(PkoError):
    """The topic asked for does not exist, in the words of Kafka's tool."""


def select(run: Run, names: Sequence[str]) -> tuple[list[str], list[ItemError]]:
    """Those of ``names`` that are meant, in either tongue, and an error for each word that means
    none. Raises NoSuchTopicError in Kafka's tongue."""
    args = run.args
    exclude = args.has("exclude-internal")
    if not args.flags:
        found, missing = chosen(
            names, args.texts("topic"), regex=args.has("regex"), exclude_internal=exclude
        )
        if args.has("if-exists"):
            missing = []
        return found, [missing_topic(word, names) for word in missing]
    raw = args.text("topic")
    found = included(names, raw, exclude_internal=exclude)
    if raw and not found and not args.has("if-exists"):
        raise NoSuchTopicError(f"Topic 'Optional[{raw}]' does not exist as expected")
    return found, []
