"""``pko spark``."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.spark.options import (
    AUDIT,
    COMPARE,
    COST,
    DEMO,
    DIRS,
    ENGINE,
    FORECAST,
    FORMATS,
    JOB,
    JUDGE,
    LAG,
    REMOTE,
    REPORT,
    RUNS,
    SERVE,
    SKEW,
    SLO,
    WHICH_ENGINE,
)


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "demo":
            from pykafka_ops.commands.spark.demo import demo as work
        case "serve":
            from pykafka_ops.commands.spark.serve import serve as work
        case "submit":
            from pykafka_ops.commands.spark.submit import submit as work
        case "compare":
            from pykafka_ops.commands.spark.compare import compare as work
        case "forecast":
            from pykafka_ops.commands.spark.forecast import forecast as work
        case "audit":
            from pykafka_ops.commands.spark.audit import audit as work
        case _:
            from pykafka_ops.commands.spark.report import report as work
    return work(run)


spark = VerbGroup(
    "spark",
    "Reports on consumer lag, partition skew, retention and cost, and audits, made by Apache Spark "
    "from a cluster (-b), from log directories, or from both.",
    _work,
)
spark.verb(
    "lag",
    "Report which groups lag, how far and since when; which stopped; topics without readers.",
    words=DIRS,
    options=(*REPORT, *WHICH_ENGINE, *REMOTE, *ENGINE, *JUDGE, *LAG),
    examples=(
        "pko spark lag -b broker:9092",
        "pko spark lag /var/kafka/data --since 1d --html lag.html",
        "pko spark lag -b broker:9092 --fail-on 'lag_seconds>300' -o json",
    ),
)
spark.verb(
    "skew",
    "Report uneven partitions, brokers and keys, and what to do about it.",
    words=DIRS,
    options=(*REPORT, *WHICH_ENGINE, *REMOTE, *ENGINE, *SKEW, *JUDGE),
    examples=(
        "pko spark skew /var/kafka/data --topic orders",
        "pko spark skew /var/kafka/data --sample 1% --section keys --fail-on 'share>0.1'",
        "pko spark skew -b broker:9092 --target 50MiB --html skew.html",
    ),
)
spark.verb(
    "retention",
    "Report how much is kept and for how long, when disks fill, what gets lost unread.",
    words=DIRS,
    options=(*REPORT, *WHICH_ENGINE, *REMOTE, *ENGINE, *JUDGE),
    examples=(
        "pko spark retention -b broker:9092 --history /var/lib/pko/history",
        "pko spark retention s3://backup/kafka/data --configs topics.json",
    ),
)
spark.verb(
    "cost",
    "Report what topics cost by owner, at rest and on the network, and what could be saved.",
    words=DIRS,
    options=(*REPORT, *WHICH_ENGINE, *REMOTE, *ENGINE, *COST, *LAG, *JUDGE),
    examples=(
        "pko spark cost -b broker:9092 --price-gib-month 0.08 --currency EUR --owners owners.toml",
        "pko spark cost /var/kafka/data --price-gib-month 0.08 --replication-factor 3 -o csv",
    ),
)
spark.verb(
    "slo",
    "Report for how much of the time groups read within what was promised, and the error budget.",
    words=DIRS,
    options=(*REPORT, *WHICH_ENGINE, *REMOTE, *ENGINE, *SLO, *JUDGE),
    examples=(
        "pko spark slo -b broker:9092 --slo 30s --objective 99.9",
        "pko spark slo /var/kafka/data --since 7d --fail-on 'budget_left<=0|burn_1h>=14.4'",
    ),
)
spark.verb(
    "formats",
    "Report what keys and values are made of, how they are compressed, and what could be saved.",
    words=DIRS,
    options=(*FORMATS, *WHICH_ENGINE, *REMOTE, *ENGINE, *JUDGE),
    examples=(
        "pko spark formats -b broker:9092 --html formats.html",
        "pko spark formats /var/kafka/data --topic orders --sample 100000 --price-gib-month 0.08",
    ),
)
spark.verb(
    "forecast",
    "Forecast what brokers, directories and topics will hold, by the runs that a history keeps.",
    options=(*FORECAST, *JUDGE),
    examples=(
        "pko spark forecast --history /var/lib/pko/history --html forecast.html",
        "pko spark forecast --history h --capacity 2TiB --fail-on 'days_earliest<30'",
    ),
)
spark.verb(
    "audit",
    "Count records and their checksums as pko audit does, and compare tiers; exit code 4 if they "
    "differ.",
    words=DIRS,
    options=(*AUDIT, *WHICH_ENGINE, *REMOTE, *ENGINE, *JUDGE),
    examples=(
        "pko spark audit -b eu1:9092 --tier eu --against us --prefix us.",
        "pko spark audit s3://backup/kafka/data --against us --html audit.html",
        "pko spark audit /var/kafka-b --against /var/kafka-a --fail-on 'missing>0'",
    ),
)
spark.verb(
    "compare",
    "Compare two runs of a report, by their JSON files or, with --history, their times.",
    words=RUNS,
    options=(*COMPARE, *JUDGE),
    examples=(
        "pko spark compare monday.json tuesday.json",
        "pko spark compare --history /var/lib/pko/history --kind lag 1d 0s --fail-on 'state=gone'",
    ),
)
spark.verb(
    "all",
    "Make all three reports in one Spark session.",
    words=DIRS,
    options=(*REPORT, *WHICH_ENGINE, *REMOTE, *ENGINE, *SKEW, *LAG),
    examples=("pko spark all -b broker:9092 --html kafka.html",),
)
spark.verb(
    "demo",
    "Make a cluster with a history on a broker of its own, and report on it.",
    options=DEMO,
    examples=("pko spark demo", "pko spark demo --keep /tmp/demo --progress"),
)
spark.verb(
    "serve",
    "Keep Spark running for many reports: a Spark Connect server on this machine, for --remote.",
    options=(*SERVE, *ENGINE),
    examples=("pko spark serve", "pko spark serve --master spark://host:7077 --port 15003"),
)
spark.verb(
    "submit",
    "Run your own Spark program; it knows format('kafka-log') and our other sources.",
    words=JOB,
    options=(*REMOTE, *ENGINE),
    verbatim=True,
    examples=(
        "pko spark submit job.py 2026-11-21",
        "pko spark submit --master spark://host:7077 job.py --day 2026-11-21",
    ),
)
