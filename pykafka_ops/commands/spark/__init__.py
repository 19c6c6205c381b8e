"""``pko spark``."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Words
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.spark.options import (
    ARGS,
    CONF,
    CORES,
    DRIVER_MEMORY,
    ENGINE,
    FILE,
    HTML,
    JUDGE,
    KEEP,
    LAG,
    LOG_DIRS,
    PROGRESS,
    REPORT,
    SKEW,
    TOP,
)

DIRS = Words(LOG_DIRS, "*")
spark = VerbGroup(
    "spark",
    "Reports on consumer lag, partition skew and retention, made by Apache Spark from a "
    "cluster (-b), from log directories, or from both.",
)


@spark.verb(
    "lag",
    words=(DIRS,),
    options=(*REPORT, *ENGINE, *JUDGE, *LAG),
    examples=(
        "pko spark lag -b broker:9092",
        "pko spark lag /var/kafka/data --since 1d --html lag.html",
        "pko spark lag -b broker:9092 --fail-on 'lag_seconds>300' -o json",
    ),
)
def lag(run: Run) -> Result:
    """Report who lags how far, how long and since when; who stopped; what nobody reads."""
    from pykafka_ops.commands.spark.report import report

    return report(run, "lag")


@spark.verb(
    "skew",
    words=(DIRS,),
    options=(*REPORT, *ENGINE, *SKEW, *JUDGE),
    examples=(
        "pko spark skew /var/kafka/data --topic orders",
        "pko spark skew -b broker:9092 --target 50MiB --html skew.html",
    ),
)
def skew(run: Run) -> Result:
    """Report uneven partitions, brokers and keys, and what to do about them."""
    from pykafka_ops.commands.spark.report import report

    return report(run, "skew")


@spark.verb(
    "retention",
    words=(DIRS,),
    options=(*REPORT, *ENGINE, *JUDGE),
    examples=(
        "pko spark retention -b broker:9092 --history /var/lib/pko/history",
        "pko spark retention s3://backup/kafka/data --configs topics.json",
    ),
)
def retention(run: Run) -> Result:
    """Report what is kept and for how long, when disks are full, what is lost unread."""
    from pykafka_ops.commands.spark.report import report

    return report(run, "retention")


@spark.verb(
    "all",
    words=(DIRS,),
    options=(*REPORT, *ENGINE, *SKEW, *LAG),
    examples=("pko spark all -b broker:9092 --html kafka.html",),
)
def all_(run: Run) -> Result:
    """Make all three reports in one Spark session."""
    from pykafka_ops.commands.spark.report import report

    return report(run, "lag", "skew", "retention")


@spark.verb(
    "demo",
    options=(KEEP, HTML, TOP, CORES, DRIVER_MEMORY, CONF, *PROGRESS),
    examples=(
        "pko spark demo",
        "pko spark demo --keep /tmp/demo --progress",
    ),
)
def demo(run: Run) -> Result:
    """Make a cluster with a past on a broker of its own, and report on it."""
    from pykafka_ops.commands.spark.demo import demo as work

    return work(run)


@spark.verb(
    "submit",
    words=(Words(FILE, metavar="FILE"), Words(ARGS, "*")),
    options=ENGINE,
    verbatim=True,
    examples=(
        "pko spark submit job.py 2026-11-21",
        "pko spark submit --master spark://host:7077 job.py --day 2026-11-21",
    ),
)
def submit(run: Run) -> Result:
    """Run your own Spark program; it knows format('kafka-log') and our other sources."""
    from pykafka_ops.commands.spark.submit import submit as work

    return work(run)
