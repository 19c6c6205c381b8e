"""``pko spark``: options; the work is in the modules beside."""

from __future__ import annotations

from pykafka_ops.commands.framework.options import Command, Opt, Pos, Verb

_ENGINE = ("master", "deploy-mode", "conf", "packages", "py-files", "archives", "driver-memory",
           "cores")  # fmt: skip
_REPORT = ("log-dirs", "since", "until", "now", "topics", "groups", "regex", "window", "top",
           "configs", "strict", "section", "fail-on", "history", "html", "csv", "parquet",
           "output-file", "progress", "no-progress", *_ENGINE)  # fmt: skip
_SKEW = ("target", "records", "producer-rate", "consumer-rate")

OPTIONS = (
    Opt("log-dirs", "log directories, topic-partition directories or segments, by comma; or URIs "
        "(s3://, hdfs://, file://)", "DIR,DIR", many=True, complete="file"),
    Opt("since", "look back to this moment: 2026-11-21, 2026-11-21T08:00 or -2h", "TIME"),
    Opt("until", "look no further than this moment", "TIME"),
    Opt("now", "the moment the report is about (default: now; of directories their newest time)",
        "TIME"),
    Opt("topics", "only these topics, by comma", "TOPIC,TOPIC", many=True, complete="topics"),
    Opt("groups", "only these groups, by comma", "GROUP,GROUP", many=True, complete="groups"),
    Opt("regex", "topics and groups are regular expressions that must match the whole name",
        short="e"),
    Opt("window", "length of a window of time: 5m, 1h, 1d", "LENGTH"),
    Opt("top", "how many heavy keys to find, and rows of a table to show", "N", kind="int",
        default="10"),
    Opt("configs", "settings of topics, where only directories are read: {\"TOPIC\": {\"KEY\": "
        "\"VALUE\"}} or lines of TOPIC.KEY=VALUE", "FILE", complete="file"),
    Opt("checkpoint", "a checkpoint directory of a Structured Streaming job, to count as a group",
        "DIR", many=True, complete="file"),
    Opt("target", "bytes per second that a topic shall carry, for its partition count: 50MiB",
        "RATE"),
    Opt("producer-rate", "bytes per second that one partition takes", "RATE"),
    Opt("consumer-rate", "bytes per second that one consumer reads", "RATE"),
    Opt("records", "read keys and sizes of all records (default of files), or of none", "HOW",
        choices=("all", "none")),
    Opt("strict", "stop at the first thing that cannot be read, instead of counting it"),
    Opt("section", "the section that -o table begins with, -o csv and --fail-on are about",
        "NAME"),
    Opt("fail-on", "end with 4 if a row meets this: 'lag_seconds>300 | status=STOP'", "CONDITION"),
    Opt("history", "keep each run in this directory (Parquet) and show what changed since", "DIR",
        complete="file"),
    Opt("html", "write a page with pictures that needs nothing else", "FILE", complete="file"),
    Opt("csv", "write every section as a CSV file into this directory", "DIR", complete="file"),
    Opt("parquet", "write every section as a Parquet file into this directory", "DIR",
        complete="file"),
    Opt("output-file", "write what -o says to this file instead of standard output", "FILE",
        complete="file"),
    Opt("progress", "tell the stages also where standard error is no terminal"),
    Opt("no-progress", "draw no progress bar"),
    Opt("master", "where Spark runs: local[4] (default: all cores), spark://HOST:7077, yarn, "
        "k8s://https://HOST:6443", "URL"),
    Opt("deploy-mode", "where the driver runs on YARN and Kubernetes", "MODE",
        choices=("client", "cluster"), default="client"),
    Opt("conf", "a setting of Spark", "KEY=VALUE", many=True),
    Opt("packages", "Maven coordinates of jars, by comma", "GROUP:ARTIFACT:VERSION", many=True),
    Opt("py-files", "Python files or zips for the executors, by comma", "FILE,FILE", many=True,
        complete="file"),
    Opt("archives", "archives for the executors; of env.tar.gz#env the Python is used", "FILE#DIR",
        many=True, complete="file"),
    Opt("driver-memory", "memory of the driver: 2g (default: a quarter of the machine, 4g at most)",
        "SIZE"),
    Opt("cores", "cores of this machine to use (default: all)", "N", kind="int"),
    Opt("keep", "leave the demo's log directory and page in this new directory", "DIR",
        complete="file"),
    Opt("file", "a Python program", "FILE.py", complete="file"),
    Opt("args", "what the program gets", "ARG", many=True),
)  # fmt: skip

_WORDS = (Pos("log-dirs", "*", "DIR"),)

COMMAND = Command(
    "spark",
    "Reports on consumer lag, partition skew and retention, made by Apache Spark from a cluster "
    "(-b), from log directories, or from both.",
    OPTIONS,
    (
        Verb("lag", "who lags how far, how long and since when; who stopped; what nobody reads",
             "spark.report:lag", words=_WORDS, options=(*_REPORT, "checkpoint"),
             examples=("pko spark lag -b broker:9092",
                       "pko spark lag /var/kafka/data --since -1d --html lag.html",
                       "pko spark lag -b broker:9092 --fail-on 'lag_seconds>300' -o json")),
        Verb("skew", "uneven partitions, brokers and keys, and what to do about them",
             "spark.report:skew", words=_WORDS, options=(*_REPORT, *_SKEW),
             examples=("pko spark skew /var/kafka/data --topics orders",
                       "pko spark skew -b broker:9092 --target 50MiB --html skew.html")),
        Verb("retention", "what is kept and for how long, when disks are full, what is lost unread",
             "spark.report:retention", words=_WORDS, options=_REPORT,
             examples=("pko spark retention -b broker:9092 --history /var/lib/pko/history",
                       "pko spark retention s3://backup/kafka/data --configs topics.json")),
        Verb("all", "the three of them in one Spark session", "spark.report:every", words=_WORDS,
             options=(*(o for o in _REPORT if o not in ("section", "fail-on")), "checkpoint",
                      *_SKEW),
             examples=("pko spark all -b broker:9092 --html kafka.html",)),
        Verb("demo", "make a cluster with a past on a broker of its own, and report on it",
             "spark.demo:demo",
             options=("keep", "html", "top", "cores", "driver-memory", "conf", "progress",
                      "no-progress"),
             examples=("pko spark demo", "pko spark demo --keep /tmp/demo --progress")),
        Verb("submit", "run your own Spark program; format('kafka-log') and the others are known",
             "spark.program:submit", words=(Pos("file"), Pos("args", "*", "ARG")), options=_ENGINE,
             verbatim=True,
             examples=("pko spark submit job.py 2026-11-21",
                       "pko spark submit --master spark://host:7077 job.py --day 2026-11-21")),
    ),
    parser="argparse",
)  # fmt: skip
