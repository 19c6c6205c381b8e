"""Which engine makes a report: Spark, or the one in this process for what is small."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from pykafka_ops.analysis.bars import size_text
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.objects import uris
from pykafka_ops.spark.inputs.names import INTERNAL
from pykafka_ops.spark.inputs.planned import LOCAL_PARTITIONS, Wanted, bytes_in, of_cluster

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Run
    from pykafka_ops.commands.spark.ask import ReportRequest

LITTLE: Final = 2 << 30
"""Bytes of logs up to which a report is a brief thing for Spark."""
LOCAL_BYTES: Final = 256 << 20
"""Bytes up to which this process is done before Spark would have started."""
OF_SPARK: Final = (
    "remote", "master", "conf", "packages", "py-files", "archives", "driver-memory", "cores",
    "output-table",
)  # fmt: skip
"""Options that only Spark can honour."""
OUTPUTS: Final = ("output-file", "html", "csv", "parquet", "history", "metrics")
SAMPLED: Final = ("formats",)
AUDITED: Final = ("audit",)
_OF_MACHINE: Final = ("cores", "driver-memory")
_NO_COMMITS: Final = {"skew", "formats"}
_COMMITS: Final = "__consumer_offsets"


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """``why`` in a few words; ``warning`` where it may have been the wrong choice."""

    local: bool
    why: str
    warning: str = ""

    @property
    def said(self) -> str:
        """``local: 7.5 MiB to read``."""
        return f"{'local' if self.local else 'spark'}: {self.why}"


SPARK: Final = EngineChoice(local=False, why="it is the only one for this")


def chosen(run: Run, asked: ReportRequest) -> EngineChoice:
    """As ``--engine`` says, or by what there is to read.

    Raises UsageError for what the engine asked for cannot do, and what connecting raises.
    """
    wish = run.args.text("engine") or "auto"
    if wish == "spark":
        return EngineChoice(local=False, why="asked for")
    binding = _only_spark(run)
    if binding and wish == "local":
        raise UsageError(f"--engine local: {binding}")
    if wish == "local":
        need_arrow()
        is_far = any(uris.is_remote(location) for location in asked.dirs)  # of unknown size
        much = "" if is_far else _much(asked)
        return EngineChoice(
            local=True,
            why="asked for",
            warning=f"{much}: Spark takes all cores for it" if much else "",
        )
    if binding := binding or _only_hadoop(run):
        return EngineChoice(local=False, why=binding)
    much = _much(asked) if _has("pyarrow", "numpy") else "pyarrow is not installed"
    if not much:
        return EngineChoice(local=True, why=f"at most {size_text(LOCAL_BYTES)} to read")
    if _has("pyspark"):
        return EngineChoice(local=False, why=much)
    need_arrow()
    return EngineChoice(
        local=True,
        why="pyspark is not installed",
        warning=f"{much}, and pyspark is not installed: one core goes through it",
    )


def is_brief(asked: ReportRequest) -> bool:
    """Whether little is to be read: lag of a cluster, or small logs of this machine."""
    if any(uris.is_uri(location) for location in asked.dirs):
        return False
    if not asked.dirs:
        return asked.kinds == ("lag",)
    return bytes_in(asked.dirs, lambda _: True, LITTLE) <= LITTLE


def is_light(run: Run, asked: ReportRequest) -> bool:
    """Whether Spark has so little to do that it need not plan queries (see ``spark/light.py``), and
    nobody says how it is to run but by cores and memory."""
    args = run.args
    if args.text("deploy-mode") == "cluster" or asked.kinds == AUDITED:
        return False
    if any(args.has(name) for name in OF_SPARK if name not in _OF_MACHINE):
        return False
    if any(uris.is_uri(args.text(name) or "") for name in OUTPUTS):
        return False
    return not any(uris.is_uri(location) for location in asked.dirs) and not _much(asked, LITTLE)


def _has(*modules: str) -> bool:
    return all(find_spec(name) is not None for name in modules)


def need_arrow() -> None:
    """PkoError with what to install unless it is there."""
    if not _has("pyarrow", "numpy"):
        raise PkoError("pyarrow and numpy are not installed: pip install 'pykafka-ops[reports]'")


def _only_spark(run: Run) -> str:
    """What only Spark can do of what is asked for; empty where there is nothing."""
    args = run.args
    for name in OF_SPARK:
        if args.has(name):
            return f"--{name} is for Spark"
    if args.text("deploy-mode") == "cluster":
        return "--deploy-mode cluster is for Spark"
    return ""


def _only_hadoop(run: Run) -> str:
    """The output that only a file system of Hadoop's may reach; empty where there is none."""
    for name in OUTPUTS:
        text = run.args.text(name)
        if text and uris.is_uri(text) and not uris.opens_in_arrow(text):
            return f"Spark writes to {uris.shown(text)}"
    return ""


def _much(asked: ReportRequest, most: int | None = None) -> str:
    """What makes a report a large one (more bytes than ``most``, LOCAL_BYTES if not given); empty
    where it is small."""
    wanted, most = _topics(asked), LOCAL_BYTES if most is None else most
    if asked.kinds == SAMPLED:  # some of each topic is read, however much there is
        return _much_of_cluster(asked, wanted, most) if asked.properties else ""
    for location in asked.dirs:
        if uris.is_remote(location):
            return f"{uris.shown(location)} is not on this machine"
    if asked.dirs:
        is_skew = asked.kinds == ("skew",)  # others read all batches
        size = bytes_in(asked.dirs, wanted, most, asked.key_sample if is_skew else None)
        if size > most:
            return f"more than {size_text(most)} or {LOCAL_PARTITIONS:,} logs to read"
    return _much_of_cluster(asked, wanted, most) if asked.properties else ""


def _topics(asked: ReportRequest) -> Wanted:
    """The topics whose logs are read, where they lie in directories."""
    commits = set(asked.kinds) - _NO_COMMITS
    return lambda topic: topic in asked.topics or (bool(commits) and topic == _COMMITS)


def _much_of_cluster(asked: ReportRequest, wanted: Callable[[str], bool], most: int) -> str:
    """The same of a cluster: its partitions, commits, and records where they are to be read."""
    from pykafka_ops.spark.reach import reached

    commits = not asked.dirs and bool(set(asked.kinds) - _NO_COMMITS)
    records = not asked.dirs and "skew" in asked.kinds and asked.options.get("records") == "all"

    def read(topic: str) -> bool:
        return (commits and topic == _COMMITS) or (
            records and topic in asked.topics and (topic not in INTERNAL or not asked.topics.every)
        )

    with reached(asked.properties) as cluster:
        planned = of_cluster(cluster, wanted, read)
    if planned.partitions > LOCAL_PARTITIONS:
        return f"{planned.partitions:,} partitions"
    if planned.bytes is None:
        return "brokers do not say how much there is to read"
    return f"{size_text(planned.bytes)} to read" if planned.bytes > most else ""
