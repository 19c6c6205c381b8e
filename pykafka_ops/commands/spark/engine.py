"""Which engine makes a report: Spark, or the one in this process for what is small."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from pykafka_ops.analysis.bars import size_text
from pykafka_ops.commands.spark.amount import LITTLE, LOCAL_BYTES, ReadAmount
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.objects import uris

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Run
    from pykafka_ops.commands.spark.ask import ReportRequest

OF_SPARK: Final = (
    "remote", "master", "conf", "packages", "py-files", "archives", "driver-memory", "cores",
    "output-table",
)  # fmt: skip
"""Options that only Spark can honour."""
OUTPUTS: Final = ("output-file", "html", "csv", "parquet", "history", "metrics")
AUDITED: Final = ("audit",)
_OF_MACHINE: Final = ("cores", "driver-memory")


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


def chosen(run: Run, asked: ReportRequest, amount: ReadAmount) -> EngineChoice:
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
        much = "" if is_far else amount.much(LOCAL_BYTES)
        return EngineChoice(
            local=True,
            why="asked for",
            warning=f"{much}: Spark takes all cores for it" if much else "",
        )
    if binding := binding or _only_hadoop(run):
        return EngineChoice(local=False, why=binding)
    has_arrow = _has("pyarrow", "numpy")
    much = amount.much(LOCAL_BYTES) if has_arrow else "pyarrow is not installed"
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


def is_light(run: Run, asked: ReportRequest, amount: ReadAmount) -> bool:
    """Whether Spark has so little to do that it need not plan queries (see ``spark/light.py``), and
    nobody says how it is to run but by cores and memory."""
    args = run.args
    if args.text("deploy-mode") == "cluster" or asked.kinds == AUDITED:
        return False
    if any(args.has(name) for name in OF_SPARK if name not in _OF_MACHINE):
        return False
    if any(uris.is_uri(args.text(name) or "") for name in OUTPUTS):
        return False
    return not any(uris.is_uri(location) for location in asked.dirs) and not amount.much(LITTLE)


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
