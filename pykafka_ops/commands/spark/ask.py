"""What a report's command line asks for, judged before Spark starts."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from pykafka_ops.analysis.amounts import size_of
from pykafka_ops.analysis.cost import CostRules, Prices
from pykafka_ops.analysis.freshness import FreshnessRules
from pykafka_ops.analysis.moments import between
from pykafka_ops.analysis.owners import OwnerRules
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError
from pykafka_ops.spark import conf
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.inputs.owners import read_owners
from pykafka_ops.spark.output.history import source_id
from pykafka_ops.spark.session import SessionOptions

LEAST_MEMORY = 450 << 20
"""Bytes that a driver of Spark starts with."""
MOST_SAMPLE = 10_000_000
"""Records of a topic that are looked at, at most."""
FORMATS_SAMPLE = "10000"
"""Those that are looked at unless others are asked for."""
_STARTING = ("master", "conf", "packages", "py-files", "archives", "driver-memory", "cores")


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """``dirs`` and ``properties`` (client settings with bootstrap.servers) say what to read: one
    or both. Moments are in ms, None where not said. ``options`` are fields of Options. ``owners``
    stand beside topics (None: nobody asked for them)."""

    kinds: tuple[str, ...]
    dirs: tuple[str, ...]
    properties: Mapping[str, str]
    now: int | None
    since: int | None
    until: int | None
    topics: Names
    groups: Names
    configs: str | None
    section: str | None
    condition: str | None
    history: str | None
    against: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    owners: OwnerRules | None = None

    @property
    def key_sample(self) -> float | None:
        """Of how much of each large topic keys are counted; None: of all."""
        found = self.options.get("key_sample")
        return found if isinstance(found, float) else None

    @property
    def source(self) -> str:
        """Identifies a history: those of other places or filters differ in it."""
        servers = self.properties.get("bootstrap.servers", "")
        return source_id(
            {
                "servers": sorted({s.strip() for s in servers.split(",")} - {""}),
                "dirs": sorted(self.dirs),
                "topics": (sorted(self.topics.names), self.topics.pattern),
                "groups": (sorted(self.groups.names), self.groups.pattern),
                **({} if self.against is None else {"against": self.against}),
            }
        )


def ask(run: Run, kinds: Sequence[str]) -> ReportRequest:
    """Read the command line. Raises UsageError for what cannot be meant."""
    args = run.args
    dirs = tuple(args.names("log-dirs"))
    wall = int(time.time() * 1000)
    now = args.moment("now", wall)
    since, until = between(args.text("since"), args.text("until"), now[0] if now else wall)
    regex = args.has("regex")
    return ReportRequest(
        tuple(kinds),
        dirs,
        _properties(run, dirs),
        now[0] if now else None,
        since,
        until,
        Names.of(args.names("topic"), regex=regex),
        Names.of(args.names("group"), regex=regex),
        args.text("configs"),
        args.text("section"),
        args.text("fail-on"),
        args.text("history"),
        args.text("against"),
        _options(run),
        owners_of(args),
    )


def owners_of(args: Args) -> OwnerRules | None:
    """Who ``--owners`` says; UsageError for a file that says nothing."""
    file = args.text("owners")
    return None if file is None else read_owners(file)


def wish(run: Run) -> SessionOptions:
    """How Spark shall run. Raises UsageError."""
    args = run.args
    cores = args.number("cores")
    if cores is not None and cores < 1:
        raise UsageError("--cores: at least 1")
    memory = args.size("driver-memory")
    if memory is not None and memory < LEAST_MEMORY:
        raise UsageError(f"--driver-memory {args.text('driver-memory')}: Spark takes 512m or more")
    remote = args.text("remote")
    if remote is not None:
        for name in _STARTING:
            if args.has(name):
                raise UsageError(f"--{name} is for starting Spark: --remote has it running")
        if args.text("deploy-mode") == "cluster":
            raise UsageError("--deploy-mode cluster is for starting Spark: --remote has it running")
    return SessionOptions(
        remote=remote,
        master=args.text("master"),
        cores=cores,
        driver_memory=None if memory is None else f"{memory >> 20}m",
        conf=conf.pairs(args.texts("conf")),
        packages=args.names("packages"),
        py_files=args.names("py-files"),
        archives=args.names("archives"),
        debug=run.debug,
    )


def _properties(run: Run, dirs: Sequence[str]) -> Mapping[str, str]:
    """Client settings; empty where only directories are meant."""
    if dirs and (not run.args.has("bootstrap-server") or "bootstrap-server" in run.args.filled):
        return {}
    found = run.properties()
    if not found.get("bootstrap.servers"):
        raise UsageError(
            "read what? give -b HOST:PORT, log directories, or both; PKO_BOOTSTRAP_SERVER or a "
            "profile stand in for -b"
        )
    return found


def _options(run: Run) -> dict[str, object]:
    args = run.args
    found: dict[str, object] = {"strict": args.has("strict")}
    top = args.number("top")
    if top is None or not 0 < top <= 10_000:
        raise UsageError(f"--top {top}: from 1 to 10000")
    found["top"] = top
    if args.has("window"):
        found["window"] = args.span("window")
    if args.has("checkpoint"):
        found["checkpoints"] = tuple(args.names("checkpoint"))
    if args.has("records"):
        found["records"] = args.text("records")
    found |= _of_verb(run)
    for name in ("target", "producer-rate", "consumer-rate"):
        if args.has(name):
            found[name.replace("-", "_")] = rate(name, args.text(name) or "")
    return found


def _of_verb(run: Run) -> dict[str, object]:
    """What only some reports have."""
    match run.args.verb:
        case "slo":
            return {"slo": _freshness(run)}
        case "cost":
            return {"cost": _cost(run)}
        case "formats":
            return _sample(run)
    return {"key_sample": _key_sample(run)} if run.args.has("sample") else {}


def _freshness(run: Run) -> FreshnessRules:
    limit, text = run.args.span("slo"), run.args.text("objective") or ""
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = 0.0
    if not 0 < percent < 100:
        raise UsageError(f"--objective {text}: a percentage above 0 and below 100, such as 99.9")
    assert limit is not None
    return FreshnessRules(limit, percent / 100)


def _sample(run: Run) -> dict[str, object]:
    """How much the report on formats looks at, and what bytes cost."""
    args = run.args
    text = args.text("sample") or FORMATS_SAMPLE
    sample = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
    if not 0 < sample <= MOST_SAMPLE:
        raise UsageError(f"--sample {text}: from 1 to {MOST_SAMPLE} records")
    prices = Prices(price("price-gib-month", args.text("price-gib-month")))
    return {"sample": sample, "cost": CostRules(prices, args.text("currency") or "")}


def _key_sample(run: Run) -> float | None:
    """Of how much of each topic keys are counted; None: of all."""
    args = run.args
    text = args.text("sample") or ""
    try:
        percent = float(text.removesuffix("%")) if text.endswith("%") else 0.0
    except ValueError:
        percent = 0.0
    if not 0 < percent <= 100:
        raise UsageError(f"--sample {text}: write a percentage above 0 and up to 100, such as 1%")
    if args.text("records") == "none":
        raise UsageError(
            "--sample is of records, which --records none leaves out: give one of them"
        )
    if not args.names("log-dirs"):
        raise UsageError(
            "--sample is of segments in log directories: name these, or leave it out and count the "
            "keys of all records with --records all"
        )
    return percent / 100 if percent < 100 else None


def _cost(run: Run) -> CostRules:
    """What the cost report goes by; UsageError without any price."""
    args = run.args
    names = ("price-gib-month", "price-in-gib", "price-out-gib")
    prices = Prices(*(price(name, args.text(name)) for name in names))
    if prices == Prices():
        raise UsageError("what does a GiB cost? give --price-gib-month PRICE")
    replication = args.number("replication-factor")
    if replication == 0:
        raise UsageError("--replication-factor: at least 1")
    keep = args.span("keep-at-least")
    assert keep is not None
    return CostRules(prices, args.text("currency") or "", replication, keep)


def price(option: str, text: str | None) -> float | None:
    """An amount of money, None of nothing; UsageError for what is none, or below 0."""
    if text is None:
        return None
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < inf:
        raise UsageError(f"--{option} {text}: write an amount of money, such as 0.08")
    return found


def rate(option: str, text: str) -> float:
    """Bytes per second of ``50MiB``, ``1.5GB/s`` or ``1000000``; UsageError."""
    try:
        found = size_of(text)
    except UsageError:
        found = 0
    if not found:
        raise UsageError(f"--{option} {text}: write bytes per second, such as 50MiB or 1.5GB/s")
    return found
