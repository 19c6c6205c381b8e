"""The state of links as plain values, for JSON. Pure. What is not known is None, never 0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pykafka_ops.client.leaders import Partition
from pykafka_ops.mirror.copy.tasks import CopyProgress
from pykafka_ops.mirror.run.meter import Rates, eta_seconds
from pykafka_ops.mirror.run.view import LinkView


def status_document(views: Iterable[LinkView], now_ms: int) -> dict[str, Any]:
    """What /status answers."""
    return {"version": 1, "at": now_ms, "links": [link_status(view, now_ms) for view in views]}


def link_status(view: LinkView, now_ms: int) -> dict[str, Any]:
    """A link as this process sees it."""
    seated, outlook = view.seated, view.outlook
    choices = outlook.plan.choices if outlook is not None else []
    return {
        "link": view.link.name,
        "state": view.state,
        "trouble": view.trouble,
        "exactly_once": view.link.exactly_once,
        "leads": seated is not None and seated.leads,
        "generation": None if seated is None else seated.seat.generation,
        "slot": None if seated is None else seated.seat.slot,
        "processes": seated.members or None if seated is not None else None,
        "joins": view.joins,
        "rounds": view.rounds,
        "failed_rounds": view.failed_rounds,
        "records": view.records,
        "bytes": view.bytes,
        "last_round_ms": _known(view.last_round_ms),
        "looked_seconds": None if outlook is None else (now_ms - outlook.at_ms) / 1000,
        "topics": sum(choice.mirrored for choice in choices),
        "topics_left_out": sum(not choice.mirrored for choice in choices),
        "pauses": [] if outlook is None else [str(p) for p in outlook.control.pauses],
        "notes": [] if outlook is None else outlook.plan.notes,
        "troubles": {} if outlook is None else dict(outlook.troubles),
        "offsets": dict(view.offsets),
        "partitions": partitions_of(view),
    }


def partitions_of(view: LinkView) -> list[dict[str, Any]]:
    """Those that this process copies or is to copy."""
    rows = []
    for partition, task in sorted(view.tasks.items()):
        progress = view.progress.get(partition)
        rows.append(_partition(partition, task.target, progress, view.rates.get(partition)))
    return rows


def _partition(
    source: Partition, target: Partition, progress: CopyProgress | None, rates: Rates | None
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "topic": source[0],
        "partition": source[1],
        "target_topic": target[0],
    }
    if progress is None:
        names = ("position", "source_end", "target_end", "lag", "lag_bytes", "lag_seconds")
        rest = ("eta_seconds", "records", "bytes", "last_record_ms", "skipped", "lost", "trouble")
        return row | dict.fromkeys((*names, *rest, "note"))
    lag = progress.lag
    eta = eta_seconds(lag, rates)
    return row | {
        "position": _known(progress.position),
        "source_end": _known(progress.source_end),
        "target_end": _known(progress.target_end),
        "lag": _known(lag),
        "lag_bytes": _known(progress.lag_bytes),
        "lag_seconds": None if progress.lag_ms < 0 else progress.lag_ms / 1000,
        "eta_seconds": None if eta is None else round(eta, 1),
        "records": progress.records,
        "bytes": progress.bytes,
        "last_record_ms": _known(progress.last_record_ms),
        "skipped": progress.skipped,
        "lost": progress.lost,
        "trouble": progress.trouble,
        "note": progress.note,
    }


def _known(value: int) -> int | None:
    return value if value >= 0 else None
