"""The options of spark."""

from __future__ import annotations

from pykafka_ops.commands.audit import BOOK, BUCKET, COMPACTED, GRACE, PREFIX, RENAME, TOGETHER
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.types import (
    COUNT,
    FILE_PATH,
    GROUP_NAME,
    SIZE,
    SPAN,
    TIME,
    TOPIC_NAME,
    Choices,
)
from pykafka_ops.commands.options import FAIL_ON, REGEX, SINCE, UNTIL
from pykafka_ops.runs.layout import KINDS

# fmt: off
LOG_DIRS = Option("--log-dirs", metavar="DIR", type=FILE_PATH, multiple=True,
                  help="log directories, topic-partition directories or segments, by comma; or "
                  "URIs (s3://, hdfs://, file://)")
DIRS = (Words(LOG_DIRS, "*"),)
HTML = Option("--html", metavar="FILE", type=FILE_PATH,
              help="write one self-contained HTML page with charts")
TOP = Option("--top", metavar="N", type=COUNT, default="10",
             help="how many heavy keys to find, and rows of a table to show")
PROGRESS = (
    Switch("--progress", help="name the stages even where standard error is no terminal"),
    Switch("--no-progress", help="draw no progress bar"),
)
_NOW = Option("--now", metavar="TIME", type=TIME,
              help="the moment the report is about (default: now; of directories their newest "
              "time)")
_TOPIC = Option("--topic", "--topics", metavar="TOPIC", type=TOPIC_NAME, multiple=True,
                help="only these topics; a value may hold several, by comma")
_OWNERS = Option("--owners", metavar="FILE", type=FILE_PATH,
                 help="who owns which topics (TOML, CSV or JSON: name or pattern, owner, team, "
                 "tags), as columns beside topics")
_HISTORY = Option("--history", metavar="DIR", type=FILE_PATH,
                  help="keep each run in this directory or URI (Parquet) and show what changed "
                  "since; compare and forecast take them from it")
SAMPLE = Option("--sample", metavar="N|P%",
                help="skew: count keys in this part of each large topic in log directories, such "
                "as 1% (default: in all), and state shares with bands of 95 %; formats: look at "
                "about so many records of a topic (default: 10000)")
_FILES = (
    HTML,
    Option("--csv", metavar="DIR", type=FILE_PATH,
           help="write every section as a CSV file into this directory, whole: a large one may be "
           "a directory of files"),
    Option("--parquet", metavar="DIR", type=FILE_PATH,
           help="write every section as a Parquet file into this directory, whole, likewise"),
    Option("--output-file", metavar="FILE", type=FILE_PATH,
           help="write what -o says to this file instead of standard output"),
)
_METRICS = Option("--metrics", metavar="FILE", type=FILE_PATH,
                  help="write metrics as Prometheus' text, for node_exporter's textfile directory")
_TABLES = (
    Option("--output-table", metavar="CATALOG.DB.NAME",
           help="write every section into a table of a catalog of Spark's (NAME_lag_groups, ...); "
           "a run written again replaces its rows"),
    Option("--table-format", metavar="FORMAT", type=Choices(("parquet", "iceberg", "delta")),
           help="what tables that are new are made of (default: as the catalog has it; parquet in "
           "Spark's own)"),
)
_OUTPUT = (_OWNERS, _HISTORY, *_FILES, _METRICS, *_TABLES, *PROGRESS)
REPORT = (
    SINCE,
    UNTIL,
    _NOW,
    _TOPIC,
    Option("--group", "--groups", metavar="GROUP", type=GROUP_NAME, multiple=True,
           help="only these groups; a value may hold several, by comma"),
    REGEX,
    Option("--window", metavar="SPAN", type=SPAN, help="length of a window of time"),
    TOP,
    Option("--configs", metavar="FILE", type=FILE_PATH,
           help='settings of topics, where only directories are read: {"TOPIC": {"KEY": '
           '"VALUE"}} or lines of TOPIC.KEY=VALUE'),
    Switch("--strict", help="stop at the first thing that cannot be read, instead of counting it"),
    *_OUTPUT,
)
"""What the reports on groups and topics take."""
JUDGE = (
    Option("--section", metavar="NAME",
           help="the section that -o table begins with, -o csv and --fail-on are about"),
    FAIL_ON,
)
WHICH_ENGINE = (
    Option("--engine", metavar="NAME", type=Choices(("auto", "spark", "local")), default="auto",
           help="what makes the report: Spark, or this process without Java, which auto chooses "
           "where little is to be read (an audit is for Spark)"),
)
LAG = (
    Option("--checkpoint", metavar="DIR", type=FILE_PATH, multiple=True,
           help="a checkpoint directory of a Structured Streaming job, to count as a group"),
)
SKEW = (
    Option("--target", metavar="RATE",
           help="bytes per second that a topic is to carry, for its partition count: 50MiB"),
    Option("--records", metavar="HOW", type=Choices(("all", "none")),
           help="read keys and sizes of all records (default of files), or of none"),
    SAMPLE,
    Option("--producer-rate", metavar="RATE", help="bytes per second that one partition takes"),
    Option("--consumer-rate", metavar="RATE", help="bytes per second that one consumer reads"),
)
_PRICE = Option("--price-gib-month", metavar="PRICE", help="what a GiB on disk costs a month")
_CURRENCY = Option("--currency", metavar="NAME", help="what prices are in, such as EUR")
COST = (
    _PRICE,
    Option("--price-in-gib", metavar="PRICE", help="what a GiB costs that producers write"),
    Option("--price-out-gib", metavar="PRICE", help="what a GiB costs that groups read"),
    _CURRENCY,
    Option("--replication-factor", metavar="N", type=COUNT,
           help="replicas of each partition, where no cluster tells"),
    Option("--keep-at-least", metavar="SPAN", type=SPAN, default="1d",
           help="propose no shorter retention than this"),
)
SLO = (
    Option("--slo", metavar="SPAN", type=SPAN, default="30s",
           help="how soon a record is to be read"),
    Option("--objective", metavar="PERCENT", default="99.9",
           help="for how much of the time that is to hold"),
)
FORMATS = (
    _NOW,
    _TOPIC,
    REGEX,
    TOP,
    SAMPLE,
    _PRICE,
    _CURRENCY,
    *_OUTPUT,
)
CORES = Option("--cores", metavar="N", type=COUNT,
               help="cores of this machine to use (default: all)")
DRIVER_MEMORY = Option("--driver-memory", metavar="SIZE", type=SIZE,
                       help="memory of the driver: 2g (default: a quarter of the machine, 4g at "
                       "most)")
CONF = Option("--conf", metavar="KEY=VALUE", multiple=True, help="a setting of Spark")
REMOTE = (
    Option("--remote", metavar="URL",
           help="run on this Spark Connect server instead of starting Spark: sc://HOST:PORT, such "
           "as that of 'pko spark serve'"),
)
SERVE = (
    Option("--port", metavar="PORT", type=COUNT, default="15002",
           help="where on the loopback interface to listen; 0: a free one"),
)
ENGINE = (
    Option("--master", metavar="URL",
           help="where Spark runs: local[4] (default: all cores), spark://HOST:7077, yarn, "
           "k8s://https://HOST:6443"),
    Option("--deploy-mode", metavar="MODE", type=Choices(("client", "cluster")), default="client",
           help="where the driver runs on YARN and Kubernetes"),
    CONF,
    Option("--packages", metavar="GROUP:ARTIFACT:VERSION", multiple=True,
           help="Maven coordinates of jars, by comma"),
    Option("--py-files", metavar="FILE,FILE", type=FILE_PATH, multiple=True,
           help="Python files or zips for the executors, by comma"),
    Option("--archives", metavar="FILE#DIR", type=FILE_PATH, multiple=True,
           help="archives for the executors; of env.tar.gz#env the Python is used"),
    DRIVER_MEMORY,
    CORES,
)
"""Where and how Spark runs."""
BEFORE = Option("--before", metavar="RUN", help="the earlier run: a file of -o json, or a time")
AFTER = Option("--after", metavar="RUN", help="the later run: a file of -o json, or a time")
RUNS = (Words(BEFORE, metavar="RUN"), Words(AFTER, metavar="RUN"))
_KIND = Option("--kind", metavar="REPORT", type=Choices(KINDS),
               help="which report, where there are several (default of forecast: the one with "
               "most runs)")
COMPARE = (
    _HISTORY,
    _KIND,
    TOP,
    _OWNERS,
    *_FILES,
)
FORECAST = (
    _HISTORY,
    _KIND,
    Option("--source", metavar="ID",
           help="which runs, where a history has those of several clusters or filters"),
    Option("--capacity", metavar="SIZE", type=SIZE,
           help="what a broker may hold, such as 2TiB (default: what its volumes have room for)"),
    Option("--days", metavar="N", type=COUNT, default="90", help="how far to look ahead"),
    SINCE,
    _NOW,
    _TOPIC,
    REGEX,
    TOP,
    _OWNERS,
    *_FILES,
    _METRICS,
)
AUDIT = (
    SINCE,
    UNTIL,
    _TOPIC,
    REGEX,
    TOP,
    *_OUTPUT,
    Option("--tier", metavar="TIER",
           help="keep what is counted in the book as this tier, and count only what is new next "
           "time (default: count all, keep nothing)"),
    Option("--against", metavar="TIER",
           help="compare with this tier of the book, or a directory or URI: it has what the one "
           "that is counted should have"),
    BOOK,
    BUCKET,
    COMPACTED,
    GRACE,
    PREFIX,
    RENAME,
    TOGETHER,
)

DEMO = (
    Option("--keep", metavar="DIR", type=FILE_PATH,
           help="leave the demo's log directory and page in this new directory"),
    HTML,
    TOP,
    CORES,
    DRIVER_MEMORY,
    CONF,
    *PROGRESS,
)
FILE = Option("--file", metavar="FILE.py", type=FILE_PATH, help="a Python program")
ARGS = Option("--args", metavar="ARG", multiple=True, help="arguments of the program")
JOB = (Words(FILE, metavar="FILE"), Words(ARGS, "*"))
# fmt: on
