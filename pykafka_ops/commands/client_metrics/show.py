"""``pko client-metrics list`` and ``describe``."""

from __future__ import annotations

from collections.abc import Iterator

from pykafka_ops.client.client_metrics import describe_subscriptions, subscription_names
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

NAMES = (Column("name"),)
COLUMNS = (
    Column("name"),
    Column("interval_ms", right=True),
    Column("match", optional=True),
    Column("metrics"),
)
_LISTS = ("match", "metrics")
KIND = "client-metrics"


def list_subscriptions(run: Run) -> Table:
    """A name a line."""
    names = subscription_names(run.cluster())
    text = "\n".join(names)
    return Table(KIND, NAMES, [{"name": n} for n in sorted(names)], kafka=[f"{text}\n"])


def describe(run: Run) -> Table:
    """A row for each subscription; those that are named must exist."""
    cluster, name = run.cluster(), run.args.text("name")
    there = subscription_names(cluster)
    names = there if name is None else [name]
    if name is not None and name not in there:
        missing = ItemError(name, "NOT_FOUND", "no such subscription")
        text = f"The client metric resource {name} doesn't exist and doesn't have dynamic config.\n"
        return Table(KIND, COLUMNS, [], kafka=[text], errors=[] if run.args.flags else [missing])
    found = describe_subscriptions(cluster, names)
    good = {n: settings for n, settings in found.items() if not isinstance(settings, PkoError)}
    failed = {n: error for n, error in found.items() if isinstance(error, PkoError)}
    if run.args.flags:
        for error in failed.values():
            raise error
    return Table(
        KIND, COLUMNS, [_row(n, good[n]) for n in sorted(good)], kafka=_text(good),
        errors=[item_error(n, error) for n, error in failed.items()],
    )  # fmt: skip


def _row(name: str, settings: dict[str, str]) -> dict[str, object]:
    interval = settings.get("interval.ms", "")
    lists = {key: [p for p in settings.get(key, "").split(",") if p] for key in _LISTS}
    return {"name": name, "interval_ms": int(interval) if interval.isdigit() else None, **lists}


def _text(found: dict[str, dict[str, str]]) -> Iterator[str]:
    for name, settings in found.items():
        yield f"Client metrics configs for {name} are:\n"
        yield from (f"  {key}={value}\n" for key, value in settings.items())
