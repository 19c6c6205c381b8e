"""Names and words that the actions of ``reassign-partitions`` share."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

Partition = tuple[str, int]
"""Topic, partition."""

EXISTING = (
    "Cannot execute because there is an existing partition assignment.  Use --additional to "
    "override this and create a new partition assignment in addition to the existing one. The "
    "--additional flag can also be used to change the throttle by resubmitting the current "
    "reassignment."
)


class TerseError(PkoError):
    """The action failed; Kafka's tool prints the text without ``Error:`` (TerseException)."""


class ReassignError(PkoError):
    """The action failed in a way that Kafka's tool prints behind ``Error:``."""


class Talk:
    """What an action says as it goes on: Kafka's text, or talk where another format is asked."""

    def __init__(self, run: Run) -> None:
        self.plain = run.output == "table"
        """Whether the text is the whole answer."""
        self._out = sys.stdout if self.plain else sys.stderr

    def say(self, text: str, end: str = "\n") -> None:
        """Write it now."""
        self._out.write(text + end)
        self._out.flush()


def by_zookeeper(run: Run) -> bool:
    """Whether ZooKeeper is asked, as tools did before 3.0; a broker that was named goes first."""
    args = run.args
    if not args.has("zookeeper"):
        return False
    if not args.has("bootstrap-server") or "bootstrap-server" in args.filled:
        return True
    Talk(run).say(
        "Warning: ignoring deprecated --zookeeper option because --bootstrap-server was "
        "specified.  The --zookeeper option will be removed in a future version of Kafka."
    )
    return False


def named(partition: Partition) -> str:
    """``orders-0``."""
    return f"{partition[0]}-{partition[1]}"


def joined(values: Iterable[object]) -> str:
    """``1,2,3``."""
    return ",".join(map(str, values))


def plural(word: str, count: int) -> str:
    """The word, with an s unless there is one."""
    return word if count == 1 else f"{word}s"


def names_of(partitions: Iterable[Partition]) -> str:
    """``orders-0,orders-1``, by topic and number."""
    return joined(named(p) for p in sorted(partitions))


def item_lines(errors: Mapping[Partition, PkoError]) -> str:
    """One line for each partition that failed: ``orders-0: why``, by partition."""
    from pykafka_ops.commands.framework.failures import text_of

    return "\n".join(f"{named(p)}: {text_of(errors[p])}" for p in sorted(errors))
