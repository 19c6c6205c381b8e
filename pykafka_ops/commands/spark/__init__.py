"""``pko spark``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.commands.framework.group import Group
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.types import (
    FILE_PATH,
    GROUP_NAME,
    INT,
    SPAN,
    TIME,
    TOPIC_NAME,
    OneOf,
)
from pykafka_ops.commands.options import SINCE, UNTIL

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Result, Run

LOG_DIRS = Option(
    "--log-dirs",
    metavar="DIR,DIR",
    type=FILE_PATH,
    multiple=True,
    help="log directories, topic-partition directories or segments, by comma; or URIs "
    "(s3://, hdfs://, file://)",
)
NOW = Option(
    "--now",
    metavar="TIME",
    type=TIME,
    help="the moment the report is about (default: now; of directories their newest time)",
)
TOPICS = Option(
    "--topics",
    metavar="TOPIC,TOPIC",
    type=TOPIC_NAME,
    multiple=True,
    help="only these topics, by comma",
)
GROUPS = Option(
    "--groups",
    metavar="GROUP,GROUP",
    type=GROUP_NAME,
    multiple=True,
    help="only these groups, by comma",
)
REGEX = Switch(
    "-e", "--regex", help="topics and groups are regular expressions that must match the whole name"
)
WINDOW = Option("--window", metavar="SPAN", type=SPAN, help="length of a window of time")
TOP = Option(
    "--top",
    metavar="N",
    type=INT,
    default="10",
    help="how many heavy keys to find, and rows of a table to show",
)
CONFIGS = Option(
    "--configs",
    metavar="FILE",
    type=FILE_PATH,
    help='settings of topics, where only directories are read: {"TOPIC": {"KEY": '
    '"VALUE"}} or lines of TOPIC.KEY=VALUE',
)
CHECKPOINT = Option(
    "--checkpoint",
    metavar="DIR",
    type=FILE_PATH,
    multiple=True,
    help="a checkpoint directory of a Structured Streaming job, to count as a group",
)
TARGET = Option(
    "--target",
    metavar="RATE",
    help="bytes per second that a topic shall carry, for its partition count: 50MiB",
)
PRODUCER_RATE = Option(
    "--producer-rate", metavar="RATE", help="bytes per second that one partition takes"
)
CONSUMER_RATE = Option(
    "--consumer-rate", metavar="RATE", help="bytes per second that one consumer reads"
)
RECORDS = Option(
    "--records",
    metavar="HOW",
    type=OneOf(("all", "none")),
    help="read keys and sizes of all records (default of files), or of none",
)
STRICT = Switch(
    "--strict", help="stop at the first thing that cannot be read, instead of counting it"
)
SECTION = Option(
    "--section",
    metavar="NAME",
    help="the section that -o table begins with, -o csv and --fail-on are about",
)
FAIL_ON = Option(
    "--fail-on",
    metavar="CONDITION",
    help="end with 4 if a row meets this: 'lag_seconds>300 | status=STOP'",
)
HISTORY = Option(
    "--history",
    metavar="DIR",
    type=FILE_PATH,
    help="keep each run in this directory (Parquet) and show what changed since",
)
HTML = Option(
    "--html",
    metavar="FILE",
    type=FILE_PATH,
    help="write a page with pictures that needs nothing else",
)
CSV = Option(
    "--csv",
    metavar="DIR",
    type=FILE_PATH,
    help="write every section as a CSV file into this directory",
)
PARQUET = Option(
    "--parquet",
    metavar="DIR",
    type=FILE_PATH,
    help="write every section as a Parquet file into this directory",
)
OUTPUT_FILE = Option(
    "--output-file",
    metavar="FILE",
    type=FILE_PATH,
    help="write what -o says to this file instead of standard output",
)
PROGRESS = Switch("--progress", help="tell the stages also where standard error is no terminal")
NO_PROGRESS = Switch("--no-progress", help="draw no progress bar")
MASTER = Option(
    "--master",
    metavar="URL",
    help="where Spark runs: local[4] (default: all cores), spark://HOST:7077, yarn, "
    "k8s://https://HOST:6443",
)
DEPLOY_MODE = Option(
    "--deploy-mode",
    metavar="MODE",
    type=OneOf(("client", "cluster")),
    default="client",
    help="where the driver runs on YARN and Kubernetes",
)
CONF = Option("--conf", metavar="KEY=VALUE", multiple=True, help="a setting of Spark")
PACKAGES = Option(
    "--packages",
    metavar="GROUP:ARTIFACT:VERSION",
    multiple=True,
    help="Maven coordinates of jars, by comma",
)
PY_FILES = Option(
    "--py-files",
    metavar="FILE,FILE",
    type=FILE_PATH,
    multiple=True,
    help="Python files or zips for the executors, by comma",
)
ARCHIVES = Option(
    "--archives",
    metavar="FILE#DIR",
    type=FILE_PATH,
    multiple=True,
    help="archives for the executors; of env.tar.gz#env the Python is used",
)
DRIVER_MEMORY = Option(
    "--driver-memory",
    metavar="SIZE",
    help="memory of the driver: 2g (default: a quarter of the machine, 4g at most)",
)
CORES = Option("--cores", metavar="N", type=INT, help="cores of this machine to use (default: all)")
KEEP = Option(
    "--keep",
    metavar="DIR",
    type=FILE_PATH,
    help="leave the demo's log directory and page in this new directory",
)
FILE = Option("--file", metavar="FILE.py", type=FILE_PATH, help="a Python program")
ARGS = Option("--args", metavar="ARG", multiple=True, help="what the program gets")

ENGINE = (MASTER, DEPLOY_MODE, CONF, PACKAGES, PY_FILES, ARCHIVES, DRIVER_MEMORY, CORES)
"""Where and how Spark runs."""
REPORT = (
    SINCE,
    UNTIL,
    NOW,
    TOPICS,
    GROUPS,
    REGEX,
    WINDOW,
    TOP,
    CONFIGS,
    STRICT,
    HISTORY,
    HTML,
    CSV,
    PARQUET,
    OUTPUT_FILE,
    PROGRESS,
    NO_PROGRESS,
)
"""What every report takes."""
SKEW = (TARGET, RECORDS, PRODUCER_RATE, CONSUMER_RATE)
spark = Group(
    "spark",
    "Reports on consumer lag, partition skew and retention, made by Apache Spark from a "
    "cluster (-b), from log directories, or from both.",
)


@spark.verb(
    "lag",
    words=(Words(LOG_DIRS, "*", metavar="DIR"),),
    options=(*REPORT, *ENGINE, SECTION, FAIL_ON, CHECKPOINT),
    examples=(
        "pko spark lag -b broker:9092",
        "pko spark lag /var/kafka/data --since -1d --html lag.html",
        "pko spark lag -b broker:9092 --fail-on 'lag_seconds>300' -o json",
    ),
)
def lag(run: Run) -> Result:
    """Who lags how far, how long and since when; who stopped; what nobody reads."""
    from pykafka_ops.commands.spark.report import lag as work

    return work(run)


@spark.verb(
    "skew",
    words=(Words(LOG_DIRS, "*", metavar="DIR"),),
    options=(*REPORT, *ENGINE, *SKEW, SECTION, FAIL_ON),
    examples=(
        "pko spark skew /var/kafka/data --topics orders",
        "pko spark skew -b broker:9092 --target 50MiB --html skew.html",
    ),
)
def skew(run: Run) -> Result:
    """Uneven partitions, brokers and keys, and what to do about them."""
    from pykafka_ops.commands.spark.report import skew as work

    return work(run)


@spark.verb(
    "retention",
    words=(Words(LOG_DIRS, "*", metavar="DIR"),),
    options=(*REPORT, *ENGINE, SECTION, FAIL_ON),
    examples=(
        "pko spark retention -b broker:9092 --history /var/lib/pko/history",
        "pko spark retention s3://backup/kafka/data --configs topics.json",
    ),
)
def retention(run: Run) -> Result:
    """What is kept and for how long, when disks are full, what is lost unread."""
    from pykafka_ops.commands.spark.report import retention as work

    return work(run)


@spark.verb(
    "all",
    words=(Words(LOG_DIRS, "*", metavar="DIR"),),
    options=(*REPORT, *ENGINE, *SKEW, CHECKPOINT),
    examples=("pko spark all -b broker:9092 --html kafka.html",),
)
def all_(run: Run) -> Result:
    """The three of them in one Spark session."""
    from pykafka_ops.commands.spark.report import every

    return every(run)


@spark.verb(
    "demo",
    options=(KEEP, HTML, TOP, CORES, DRIVER_MEMORY, CONF, PROGRESS, NO_PROGRESS),
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
    words=(
        Words(FILE, metavar="FILE"),
        Words(ARGS, "*"),
    ),
    options=(*ENGINE,),
    verbatim=True,
    examples=(
        "pko spark submit job.py 2026-11-21",
        "pko spark submit --master spark://host:7077 job.py --day 2026-11-21",
    ),
)
def submit(run: Run) -> Result:
    """Run your own Spark program; format('kafka-log') and the others are known."""
    from pykafka_ops.commands.spark.program import submit as work

    return work(run)
