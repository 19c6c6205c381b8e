"""``pko cluster`` and kafka-cluster: options; the work is in ``health/`` and ``_cluster_run``."""

from __future__ import annotations

import sys

from pykafka_ops.commands import _cluster_run as running
from pykafka_ops.commands.framework.options import (
    BOOTSTRAP,
    COMMAND_CONFIG,
    Command,
    Opt,
    Pos,
    Verb,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.context import Context
    from pykafka_ops.commands.framework.options import Args
    from pykafka_ops.errors import PkoError


def _tongue(command: Command, words: list[str]) -> Args:
    from pykafka_ops.commands.health.kafka_tongue import parse

    return parse(command, words)


def failure(error: PkoError, ctx: Context) -> int:
    """The message on stderr, 1."""
    from pykafka_ops.commands.framework.failures import execution_text

    sys.stderr.write(f"{execution_text(error)}\n")
    return 1


COMMAND = Command(
    "cluster",
    "The Kafka cluster tool.",
    (
        BOOTSTRAP,
        COMMAND_CONFIG,
        Opt("bootstrap-controller", "KRaft controllers to ask instead of brokers", "HOST:PORT"),
        Opt("fail-on", "exit with 4 where this holds: 'under_replicated>0|offline>0'; the fields "
            "are the facts of -o csv", "CONDITION", ours=True),
        Opt("watch", "again every so often (default 5s) until Ctrl-C or --fail-on", "SPAN",
            ours=True, optional="5s", values=r"\d+(ms|s|m|h|d|w)", short="w"),
        Opt("id", "the id of the broker", "N", kind="int", complete="brokers"),
        *running.OPTIONS,
    ),
    (
        Verb("status", "the cluster at a glance: brokers, what is missing, how even it is",
             "health.status:status", options=("fail-on", "watch"), tool_name="",
             examples=("pko cluster status", "pko cluster status --watch 2s",
                       "pko cluster status --fail-on 'under_replicated>0|offline>0' -o json")),
        Verb("id", "the id of the cluster", "health.members:cluster_id", tool_name="cluster-id",
             options=("bootstrap-controller",),
             examples=("pko cluster id",)),
        Verb("brokers", "who is there: address, rack, controller", "health.members:brokers",
             tool_name="list-endpoints", options=("bootstrap-controller",),
             examples=("pko cluster brokers -o json",)),
        Verb("unregister", "forget a broker that is gone (KRaft clusters only)",
             "health.members:unregister", words=(Pos("id"),),
             options=("bootstrap-controller",),
             examples=("pko cluster unregister 3 --yes",)),
        *running.VERBS,
    ),
    tool="kafka-cluster",
    parser="argparse",
    tongue=_tongue,
    failure=failure,
)  # fmt: skip
