"""``pko reassign-partitions`` and kafka-reassign-partitions."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Words
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.options import FAIL_ON, REGEX
from pykafka_ops.commands.reassign_partitions import kafka
from pykafka_ops.commands.reassign_partitions.options import (
    ADD,
    ADDITIONAL,
    BALANCE,
    BOOTSTRAP_CONTROLLER,
    BROKER_LIST,
    DIRS_THROTTLE,
    DISABLE_RACK_AWARE,
    DRAIN,
    FILE,
    MAX_BYTES,
    MAX_DISK,
    MAX_MOVES,
    MOVES,
    PER_BROKER,
    PRESERVE_THROTTLES,
    REPLICATION_FACTOR,
    RUN,
    THROTTLE,
    TIMEOUT,
    TOLERANCE,
    TOPIC,
    TOPICS_FILE,
    ZOOKEEPER,
)
from pykafka_ops.commands.tongue.tool import Tool

TOOL = Tool(
    "kafka-reassign-partitions",
    "This tool helps to move topic partitions between replicas.",
    options=(BOOTSTRAP_CONTROLLER,),
    check=kafka.check,
    failure=kafka.failure,
)
reassign_partitions = VerbGroup(
    "reassign-partitions", "Move replicas between brokers and log directories.", tool=TOOL
)


@reassign_partitions.verb("list", flag="list", examples=("pko reassign-partitions list",))
def list_(run: Run) -> Result:
    """List the moves under way."""
    from pykafka_ops.commands.reassign_partitions.list import list_moves

    return list_moves(run)


@reassign_partitions.verb(
    "generate",
    words=(Words(TOPICS_FILE),),
    options=(BROKER_LIST, DISABLE_RACK_AWARE, ZOOKEEPER),
    flag="generate",
    examples=("pko reassign-partitions generate topics.json --broker-list 0,1,2",),
)
def generate(run: Run) -> Result:
    """Propose replicas by Kafka's algorithm, which moves nearly everything."""
    from pykafka_ops.commands.reassign_partitions.generate import generate as work

    return work(run)


@reassign_partitions.verb(
    "execute",
    words=(Words(MOVES),),
    options=(THROTTLE, DIRS_THROTTLE, ADDITIONAL, TIMEOUT, ZOOKEEPER),
    flag="execute",
    examples=("pko reassign-partitions execute moves.json --throttle 50000000",),
)
def execute(run: Run) -> Result:
    """Start the moves of a file."""
    from pykafka_ops.commands.reassign_partitions.execute import execute as work

    return work(run)


@reassign_partitions.verb(
    "verify",
    words=(Words(MOVES),),
    options=(PRESERVE_THROTTLES, ZOOKEEPER),
    flag="verify",
    examples=("pko reassign-partitions verify moves.json",),
)
def verify(run: Run) -> Result:
    """Show how far the moves of a file are; lift throttles at their end; exit code 4: not done."""
    from pykafka_ops.commands.reassign_partitions.verify import verify as work

    return work(run)


@reassign_partitions.verb(
    "cancel",
    words=(Words(MOVES, "?"),),
    options=(PRESERVE_THROTTLES, TIMEOUT),
    flag="cancel",
    examples=("pko reassign-partitions cancel moves.json",),
)
def cancel(run: Run) -> Result:
    """Stop the moves of a file, or all, back to the replicas of before."""
    from pykafka_ops.commands.reassign_partitions.cancel import cancel as work

    return work(run)


@reassign_partitions.verb(
    "plan",
    words=(Words(TOPIC, "*"),),
    options=(
        *(REGEX, DRAIN, ADD, REPLICATION_FACTOR, BALANCE, TOLERANCE),
        *(MAX_MOVES, MAX_BYTES, MAX_DISK, DISABLE_RACK_AWARE),
        *(FILE, THROTTLE, PER_BROKER, FAIL_ON),
    ),
    examples=(
        "pko reassign-partitions plan",
        "pko reassign-partitions plan --drain 3 --file moves.json",
        "pko reassign-partitions plan orders --replication-factor 3 --file moves.json",
        "pko reassign-partitions plan --add 4,5 --max-bytes 100GiB --throttle 50MB",
    ),
)
def plan(run: Run) -> Result:
    """Plan which replicas to move for balance, with as few bytes to copy as can be."""
    from pykafka_ops.commands.reassign_partitions.plan import plan as work

    return work(run)


@reassign_partitions.verb(
    "run",
    words=(Words(MOVES),),
    options=RUN,
    examples=(
        "pko reassign-partitions run moves.json",
        "pko reassign-partitions run moves.json --throttle 50MB --per-broker 2",
        "pko reassign-partitions run moves.json --throttle auto:200MB",
    ),
)
def run(run: Run) -> Result:
    """Make the moves of a file, a few at a time, throttled; go on where it stopped."""
    from pykafka_ops.commands.reassign_partitions.run import run as work

    return work(run)


@reassign_partitions.verb(
    "status",
    words=(Words(MOVES, "?"),),
    options=(FAIL_ON,),
    examples=(
        "pko reassign-partitions status",
        "pko reassign-partitions status moves.json --fail-on 'state!=done'",
    ),
)
def status(run: Run) -> Result:
    """Show the moves under way and how far they are, and the throttles that are set."""
    from pykafka_ops.commands.reassign_partitions.status import status as work

    return work(run)


@reassign_partitions.verb(
    "rollback",
    words=(Words(MOVES),),
    options=RUN,
    examples=("pko reassign-partitions rollback moves.json",),
)
def rollback(run: Run) -> Result:
    """Put replicas back to where they were before a plan."""
    from pykafka_ops.commands.reassign_partitions.rollback import rollback as work

    return work(run)
