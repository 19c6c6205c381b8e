"""The skew report: which topics are spread unevenly, and because of which partitions and keys."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pykafka_ops.analysis.skew import BANDS, EVEN, SEVERE, SKEWED, UNEVEN
from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.charts.columns import columns
from pykafka_ops.page.charts.frame import legend
from pykafka_ops.page.charts.heatmap import Cell, heatmap
from pykafka_ops.page.charts.lorenz import lorenz
from pykafka_ops.page.markup import join
from pykafka_ops.page.ticks import sizes
from pykafka_ops.page.units import NONE, moment, number, percent, share, size
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page.keys import heaviest, named, share_text
from pykafka_ops.spark.page.parts import (
    SHOWN,
    Picture,
    Tile,
    View,
    amount,
    blank,
    brief,
    lacking,
    listed,
    more,
    most,
    num,
    plural,
    rows,
    text,
    unknown_partitions,
    whole,
)

TONES = {EVEN: "ok", UNEVEN: "even", SKEWED: "warn", SEVERE: "stop"}
_BANDS = (*(name for _, name in BANDS), SEVERE)
COLUMNS = 60
TOPICS = 2
"""Topics that have pictures of their own."""
BALANCED = 20.0
"""Percent: a broker this far from the mean is worth a colour."""


def view(report: Report) -> View:
    """The page of a skew report."""
    topics = _worst(report)
    pictures: list[Picture | None] = [_topics(topics)]
    drawn = _off(topics) or topics
    for topic in drawn[:TOPICS]:
        pictures += [_partitions(report, topic), _lorenz(report, topic), _windows(report, topic)]
    pictures += [heaviest(report), _brokers(report)]
    return View(
        "Partition skew",
        headline(report),
        _tone(report, topics),
        tiles(report),
        [p for p in pictures if p is not None],
        "topics",
        TONES,
        _brief(report),
        2,
        {"partitions": "ratio_to_mean", "windows": "bytes", "brokers": "bytes"},
    )


def _brief(report: Report) -> str:
    bad = uneven(report)
    if not bad:
        return ""
    return f"{listed([text(r, 'topic') for r in bad])} {'is' if len(bad) == 1 else 'are'} skewed"


def _off(topics: Sequence[Row]) -> list[Row]:
    """Those that are known not to be even."""
    return [r for r in topics if r.get("band") is not None and text(r, "band") != EVEN]


def uneven(report: Report) -> list[Row]:
    """Topics that are skewed, the worst first."""
    return [r for r in _worst(report) if text(r, "band") in (SKEWED, SEVERE)]


def fullest(report: Report) -> dict[str, Row]:
    """Per topic the partition that holds most bytes."""
    found: dict[str, Row] = {}
    for row in rows(report, "partitions"):
        most = found.setdefault(text(row, "topic"), row)
        if amount(row, "bytes") > amount(most, "bytes"):
            found[text(row, "topic")] = row
    return found


def _band(row: Row) -> int:
    band = text(row, "band")
    return _BANDS.index(band) if band in _BANDS else 0


def _worst(report: Report) -> list[Row]:
    """Topics, the most uneven first; Kafka's own, which cannot be spread otherwise, last."""

    def rank(row: Row) -> tuple[bool, int, float]:
        return text(row, "topic").startswith("__"), -_band(row), -amount(row, "cv")

    return sorted(rows(report, "topics"), key=rank)


def _partitions_of(report: Report, topic: str) -> list[Row]:
    own = [r for r in rows(report, "partitions") if text(r, "topic") == topic]
    return sorted(own, key=lambda r: -amount(r, "bytes"))


def headline(report: Report) -> str:
    """In a sentence or two: what is uneven, and why."""
    topics = _worst(report)
    if not topics:
        return "No topic holds anything."
    bad, dark = uneven(report), unknown_partitions(report)
    lacks = (
        f" What {plural(dark, 'partition holds', 'partitions hold')} is not known." if dark else ""
    )
    known = [r for r in topics if r.get("band") is not None]
    if not bad:
        said = f"{plural(len(known), 'topic is', 'topics are')} spread evenly enough."
        return (said if known else "How topics are spread is not known.") + lacks
    names = listed([text(r, "topic") for r in bad])
    verb = "is" if len(bad) == 1 else "are"
    first = f"{len(bad)} of {plural(len(known), 'topic')} {verb} skewed: {names}."
    worst = text(bad[0], "topic")
    parts = _partitions_of(report, worst)
    if parts and num(parts[0], "share") is not None:
        first += (
            f" Partition {text(parts[0], 'partition')} of {brief(bad[0], 'topic')} holds"
            f" {share(amount(parts[0], 'share'))} of its bytes"
        )
        key = most([k for k in rows(report, "keys") if text(k, "topic") == worst], "share")
        if key is not None:
            alone = share_text(key)
            first += f"; key {brief(key, 'key')} alone makes {alone} of the topic"
        first += "."
    return first + lacks


def _tone(report: Report, topics: Sequence[Row]) -> str:
    bands = {text(r, "band") for r in topics}
    if SEVERE in bands:
        return "bad"
    return "warn" if SKEWED in bands or unknown_partitions(report) else "ok"


def tiles(report: Report) -> list[Tile]:
    """The figures on top."""
    topics = _worst(report)
    widest, key = most(topics, "max_over_mean"), most(rows(report, "keys"), "share")
    brokers = rows(report, "brokers")
    told = [r for r in brokers if num(r, "skew_percent") is not None]
    off = max(told, key=lambda r: abs(amount(r, "skew_percent")), default=None)
    ratio = num(widest, "max_over_mean") if widest else None
    heavy = num(key, "share") if key else None
    skew = num(off, "skew_percent") if off else None
    return [
        _skewed(report, topics),
        Tile("Fullest against the mean", ratio, NONE if ratio is None else f"{number(ratio)} ×",
             brief(widest, "topic") if widest else "", of="topics"),
        _hot(report),
        Tile("Heaviest key", heavy, NONE if key is None else share(amount(key, "share")),
             named(key) if key else "", unit="share", of="keys"),
        Tile("Broker off the mean", skew, NONE if skew is None else percent(skew),
             f"broker {brief(off, 'broker')}" if off else "", good=0, unit="percent", of="brokers"),
        _bytes(report, topics),
    ]  # fmt: skip


def _skewed(report: Report, topics: Sequence[Row]) -> Tile:
    bad, known = uneven(report), sum(r.get("band") is not None for r in topics)
    tone = _tone(report, topics)
    if topics and not known:
        return Tile("Skewed topics", None, NONE, "not known", tone, of="topics")
    note = listed([text(r, "topic") for r in bad], 2) or lacking(report)
    return Tile("Skewed topics", len(bad), f"{len(bad):,} of {known:,}", note, tone, of="topics")


def _hot(report: Report) -> Tile:
    parts = rows(report, "partitions")
    known = [r for r in parts if r.get("hot") is not None]
    hot = [r for r in known if r["hot"] is True]
    note = listed([f"{text(r, 'topic')}-{text(r, 'partition')}" for r in hot], 2) or lacking(report)
    tile = Tile("Hot partitions", len(hot), f"{len(hot):,} of {len(known):,}", note,
                "warn" if hot or unknown_partitions(report) else "ok", of="partitions")  # fmt: skip
    return blank(tile) if parts and not known else tile


def _bytes(report: Report, topics: Sequence[Row]) -> Tile:
    known = [held for r in topics if (held := num(r, "bytes")) is not None]
    note = f"at least: {lacks}" if (lacks := lacking(report)) else plural(len(topics), "topic")
    tile = Tile("Bytes", sum(known), size(sum(known)), note, good=0, unit="bytes", of="topics")
    return blank(tile) if topics and not known else tile


def _topics(topics: Sequence[Row]) -> Picture | None:
    off, dark = _off(topics), sum(r.get("band") is None for r in topics)
    even, shown = len(topics) - len(off) - dark, off[:SHOWN]
    if not shown:
        return None
    made = [
        Bar(text(r, "topic"), num(r, "max_over_mean"),
            f"{number(amount(r, 'max_over_mean'))} × · Gini {amount(r, 'gini'):.2f}",
            TONES.get(text(r, "band"), "plain"),
            tip=f"{text(r, 'topic')}: fullest partition {number(amount(r, 'max_over_mean'))} times "
                f"the mean, CV {number(amount(r, 'cv'))}, {text(r, 'band')}")
        for r in shown
    ]  # fmt: skip
    bands = {text(r, "band") for r in shown}
    title = "Topics by imbalance"
    return Picture(
        title,
        "Bytes of the fullest partition as a multiple of the mean of the topic: 1 is even.",
        join(legend([(TONES[b], b) for b in reversed(_BANDS) if b in bands]),
             bars(title, made, mark=(1.0, "even"))),
        "; ".join(filter(None, [
            more(len(off), len(shown), "topics"),
            f"{plural(even, 'topic')} spread evenly" if even else "",
            f"{plural(dark, 'topic')} not known" if dark else "",
        ])),
    )  # fmt: skip


def _partitions(report: Report, topic: Row) -> Picture | None:
    name = text(topic, "topic")
    every = _partitions_of(report, name)
    own = [r for r in every if num(r, "bytes") is not None]
    if not own:
        return None
    made = [
        Bar(text(r, "partition"), num(r, "bytes"), size(amount(r, "bytes")),
            "stop" if r.get("hot") is True else "plain",
            tip=f"partition {text(r, 'partition')}: {size(amount(r, 'bytes'))}, "
                f"{share(amount(r, 'share'))} of the topic, "
                f"{number(amount(r, 'ratio_to_mean'))} times the mean")
        for r in own[:COLUMNS]
    ]  # fmt: skip
    mean = sum(amount(r, "bytes") for r in own) / len(own)
    ticks = sizes(max([mean, *(amount(r, "bytes") for r in own)]))
    title = f"Partitions of {name}"
    hot = any(b.tone == "stop" for b in made)
    key = legend([("stop", "hot: far above the mean"), ("plain", "others")]) if hot else None
    return Picture(
        title,
        "Bytes per partition, the fullest first, with its number below.",
        join(key, columns(title, f"{name}: {'; '.join(b.tip for b in made[:SHOWN])}", made, ticks,
                          size, (mean, f"mean {size(mean)}"))),
        "; ".join(filter(None, [
            more(len(own), len(made), "partitions"),
            f"{plural(len(every) - len(own), 'partition')} not known"
            if len(every) > len(own) else "",
        ])),
    )  # fmt: skip


def _lorenz(report: Report, topic: Row) -> Picture | None:
    name, gini = text(topic, "topic"), num(topic, "gini")
    held = (num(r, "bytes") for r in _partitions_of(report, name))
    values = [value for value in held if value is not None]
    if len(values) < 2:
        return None
    said = "" if gini is None else f" Gini {gini:.3f}: 0 is even, near 1 all is in one partition."
    title = f"Inequality of {name}"
    return Picture(
        title,
        f"Share of the bytes that the smaller partitions hold together.{said}",
        lorenz(title, f"Lorenz curve of the bytes of {len(values)} partitions.{said}", values,
               gini),
    )  # fmt: skip


def _windows(report: Report, topic: Row) -> Picture | None:
    name = text(topic, "topic")
    own = [
        r for r in rows(report, "windows")
        if text(r, "topic") == name and num(r, "bytes") is not None
    ]  # fmt: skip
    if not own:
        return None
    starts = sorted({int(amount(r, "start")) for r in own})
    length = min((b - a for a, b in pairwise(starts)), default=3_600_000)
    found: dict[int, list[Row]] = {}
    for row in own:
        found.setdefault(whole(row, "partition") or 0, []).append(row)
    fullest = sorted(found, key=lambda p: -sum(amount(r, "bytes") for r in found[p]))
    shown = sorted(fullest[: 2 * SHOWN])
    cells = [(str(p), [_cell(r, length) for r in found[p]]) for p in shown]
    title = f"{name} over time"
    return Picture(
        title,
        "Bytes written per partition and window: the stronger the colour, the more.",
        heatmap(title, f"Bytes of {len(shown)} partitions in {len(starts)} windows", cells, size,
                beside=True),
        more(len(found), len(shown), "partitions"),
    )  # fmt: skip


def _cell(row: Row, length: int) -> Cell:
    start, held = whole(row, "start") or 0, amount(row, "bytes")
    tip = f"partition {text(row, 'partition')}, {moment(start, '%d %b %H:%M')}: {size(held)}"
    return Cell(start, start + length, held, tip)


def _brokers(report: Report) -> Picture | None:
    told = [r for r in rows(report, "brokers") if num(r, "bytes") is not None]
    found = sorted(told, key=lambda r: -amount(r, "bytes"))
    if len(found) < 2:
        return None
    shown = found[:SHOWN]
    made = [
        Bar(f"broker {text(r, 'broker')}", num(r, "bytes"),
            f"{size(amount(r, 'bytes'))} · {amount(r, 'skew_percent'):+.0f} %",
            "warn" if abs(amount(r, "skew_percent")) > BALANCED else "plain",
            tip=f"broker {text(r, 'broker')}: {size(amount(r, 'bytes'))}, "
                f"{plural(int(amount(r, 'replicas')), 'replica')}, "
                f"{plural(int(amount(r, 'leaders')), 'leader')}")
        for r in shown
    ]  # fmt: skip
    mean = sum(amount(r, "bytes") for r in found) / len(found) if found else 0.0
    return Picture(
        "Brokers",
        "Bytes of all replicas per broker, and how far that is from the mean.",
        bars("Brokers", made, mark=(mean, f"mean {size(mean)}")),
        more(len(found), len(shown), "brokers"),
    )
