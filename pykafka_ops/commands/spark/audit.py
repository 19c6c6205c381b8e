"""``pko spark audit``: the books of ``pko audit``, counted by executors."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pykafka_ops.analysis.books.compare import WRONG, CompareRules
from pykafka_ops.audit.book import AuditBook
from pykafka_ops.audit.collect import collect
from pykafka_ops.audit.comparing import CompareAsk, TierSide
from pykafka_ops.commands.audit.report import find_tier
from pykafka_ops.commands.audit.tiers_of import (
    book_path,
    compacted_topics,
    now_ms,
    place_of_tier,
    wanted_topics,
)
from pykafka_ops.commands.framework.renaming import renaming
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.spark.ask import ReportRequest, ask
from pykafka_ops.commands.spark.report import Made, finish, with_history
from pykafka_ops.commands.spark.stages import Stages
from pykafka_ops.errors import UsageError
from pykafka_ops.objects.uris import shown

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pykafka_ops.commands.spark.places import ReportPlaces
    from pykafka_ops.spark.model import Report
    from pykafka_ops.spark.output.history import History
    from pykafka_ops.spark.reports.audit.report import AuditCounts

_DIFFERS: Final = "|".join(f"state={state}" for state in WRONG)


def audit(run: Run) -> int:
    """0; 1 where something could not be read, 4 where tiers differ or ``--fail-on`` is met."""
    asked = ask(run, ("audit",))
    if asked.dirs and asked.properties:
        raise UsageError("count log directories or a cluster (-b), one at a time")
    if run.args.text("engine") == "local":
        raise UsageError(
            "--engine local: Spark alone counts here; without it 'pko audit' counts the same"
        )
    compares = asked.against is not None
    if not compares and (run.args.has("prefix") or run.args.has("rename")):
        raise UsageError("--prefix and --rename say what topics of --against are called here")
    asked = replace(
        asked,
        section=asked.section or ("partitions" if compares else "counted"),
        condition=asked.condition or (_DIFFERS if compares and not asked.section else None),
    )
    with ExitStack() as stack:
        job = _AuditJob(run, asked, stack)

        def make(spark: SparkSession, stages: Stages, places: ReportPlaces) -> Made:
            made, history = with_history(
                "audit", asked, job.now, places.history, lambda _: job.report(spark, stages)
            )
            histories: dict[str, History] = {"audit": history}
            return [made], histories

        return finish(run, asked, make)


class _AuditJob:
    """What is counted, and what it is compared with; wrong names fail before Spark starts."""

    def __init__(self, run: Run, asked: ReportRequest, stack: ExitStack) -> None:
        self._run, self._asked, self._stack = run, asked, stack
        self.now = now_ms()
        self._renamed = renaming(run.args)
        self._kept: AuditBook | None = None
        self._tier, against = run.args.text("tier"), asked.against
        width = run.args.span("bucket") or 0
        if not 1_000 <= width <= 86_400_000:
            raise UsageError("--bucket: from 1s to 1d")
        known = None
        self._a: TierSide | None = None
        if against is not None and os.sep not in against and not os.path.isdir(against):
            book = self._file(must_exist=True)
            self._a = TierSide(book, find_tier(book, against))
            known = self._a.tier
        if self._tier is not None:
            known = self._file().tier(self._tier) or known
        if known is not None and run.args.has("bucket") and known.width != width:
            raise UsageError(f"--bucket: {known.name} has buckets of {known.width // 1000}s")
        self.width = known.width if known else width

    def _file(self, *, must_exist: bool = False) -> AuditBook:
        if self._kept is None:
            self._kept = AuditBook(book_path(self._run), must_exist=must_exist)
            self._stack.enter_context(self._kept)
        return self._kept

    def _book(self, name: str | None) -> AuditBook:
        """The file for a tier with a name, else one that is not kept."""
        return self._file() if name else self._stack.enter_context(AuditBook(":memory:"))

    def report(self, spark: SparkSession, stages: Stages) -> Report:
        """Count and compare."""
        from pykafka_ops.spark.reports.audit.report import build

        against: AuditCounts | TierSide | None = self._a
        path = self._asked.against
        if against is None and path is not None:
            stages(f"audit: counting {shown(path)}")
            against = self._counted(
                spark, shown(path), None, {"directories": [path]}, wanted_topics(self._run.args)
            )
        stages("audit: counting")
        place = place_of_tier(self._run, "log-dirs")
        label = ", ".join(map(shown, self._asked.dirs)) or str(place["bootstrap"])
        counts = self._counted(spark, label, self._tier, place, self._wanted(against))
        args = self._run.args
        rules = CompareRules(
            self.width, args.span("grace") or 0, (self._asked.since, self._asked.until)
        )
        asks = CompareAsk(rules, wanted_topics(args), self._renamed, args.has("together"))
        source: Mapping[str, object] = {
            "tier": self._tier or label, "against": path and shown(path),
            "topics": ", ".join(args.texts("topic")), "bucket_ms": self.width,
        }  # fmt: skip
        return build(self.now, source, counts, against, asks)

    def _wanted(self, against: AuditCounts | TierSide | None) -> Callable[[str], bool]:
        """Topics that are counted: those asked for, by the names that they have here."""
        wanted, args = wanted_topics(self._run.args), self._run.args
        if against is None or not (args.has("prefix") or args.has("rename")):
            return wanted
        side = against if isinstance(against, TierSide) else against.side
        names = {place.topic for place in side.book.places(side.tier)}
        return {self._renamed(name) for name in names if wanted(name)}.__contains__

    def _counted(
        self,
        spark: SparkSession,
        label: str,
        name: str | None,
        place: Mapping[str, object],
        wanted: Callable[[str], bool],
    ) -> AuditCounts:
        from pykafka_ops.spark.reports.audit import count
        from pykafka_ops.spark.reports.audit.report import AuditCounts

        compacted = compacted_topics(self._run.args.text("compacted"))
        paths = place.get("directories")
        source = (
            count.of_files(spark, [str(path) for path in paths], compacted)
            if isinstance(paths, list)
            else count.of_cluster(spark, self._run.cluster(), self._asked.properties, compacted)
        )
        book = self._book(name)
        tier = book.put_tier(name or label, place, self.width)
        return AuditCounts(TierSide(book, tier), collect(book, tier, source, wanted))
