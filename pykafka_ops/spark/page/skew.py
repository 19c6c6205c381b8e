"""The skew report: which topics are spread unevenly, and because of which partitions and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from pykafka_ops.analysis.sampled import ALL
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
from pykafka_ops.spark.page.parts import (
    SHOWN,
    Picture,
    Tile,
    View,
    amount,
    band,
    barred,
    brief,
    listed,
    more,
    most,
    num,
    plural,
    rows,
    text,
    whole,
)

TONES = {EVEN: "ok", UNEVEN: "even", SKEWED: "warn", SEVERE: "stop"}
_BANDS = (*(name for _, name in BANDS), SEVERE)
COLUMNS = 60
TOPICS = 2
"""Topics that have pictures of their own."""
HEAVY = 0.01
"""Of a topic's bytes: keys below that are not worth a bar."""
BALANCED = 20.0
"""Percent: a broker this far from the mean is worth a colour."""


def view(report: Report) -> View:
    """The page of a skew report."""
    topics = _worst(report)
    pictures: list[Picture | None] = [_topics(topics)]
    drawn = [r for r in topics if text(r, "band") != EVEN] or topics
    for topic in drawn[:TOPICS]:
        pictures += [_partitions(report, topic), _lorenz(report, topic), _windows(report, topic)]
    pictures += [_keys(report), _brokers(report)]
    return View(
        "Partition skew",
        headline(report),
        _tone(topics),
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
    bad = uneven(report)
    if not bad:
        return f"{plural(len(topics), 'topic is', 'topics are')} spread evenly enough."
    names = listed([text(r, "topic") for r in bad])
    verb = "is" if len(bad) == 1 else "are"
    first = f"{len(bad)} of {plural(len(topics), 'topic')} {verb} skewed: {names}."
    worst = text(bad[0], "topic")
    parts = _partitions_of(report, worst)
    if parts and num(parts[0], "share") is not None:
        first += (
            f" Partition {text(parts[0], 'partition')} of {brief(bad[0], 'topic')} holds"
            f" {share(amount(parts[0], 'share'))} of its bytes"
        )
        key = most([k for k in rows(report, "keys") if text(k, "topic") == worst], "share")
        if key is not None:
            alone = _share(key)
            first += f"; key {brief(key, 'key')} alone makes {alone} of the topic"
        first += "."
    return first


def _tone(topics: Sequence[Row]) -> str:
    bands = {text(r, "band") for r in topics}
    return "bad" if SEVERE in bands else "warn" if SKEWED in bands else "ok"


def tiles(report: Report) -> list[Tile]:
    """The figures on top."""
    topics, parts = _worst(report), rows(report, "partitions")
    bad = uneven(report)
    widest, key = most(topics, "max_over_mean"), most(rows(report, "keys"), "share")
    hot = [r for r in parts if r.get("hot") is True]
    brokers = rows(report, "brokers")
    told = [r for r in brokers if num(r, "skew_percent") is not None]
    off = max(told, key=lambda r: abs(amount(r, "skew_percent")), default=None)
    total = sum(amount(r, "bytes") for r in topics)
    ratio = num(widest, "max_over_mean") if widest else None
    heavy = num(key, "share") if key else None
    skew = num(off, "skew_percent") if off else None
    return [
        Tile("Skewed topics", len(bad), f"{len(bad):,} of {len(topics):,}",
             listed([text(r, "topic") for r in bad], 2), _tone(topics), of="topics"),
        Tile("Fullest against the mean", ratio, NONE if ratio is None else f"{number(ratio)} ×",
             brief(widest, "topic") if widest else "", of="topics"),
        Tile("Hot partitions", len(hot), f"{len(hot):,} of {len(parts):,}",
             listed([f"{text(r, 'topic')}-{text(r, 'partition')}" for r in hot], 2),
             "warn" if hot else "ok", of="partitions"),
        Tile("Heaviest key", heavy, NONE if key is None else share(amount(key, "share")),
             _named(key) if key else "", unit="share", of="keys"),
        Tile("Broker off the mean", skew, NONE if skew is None else percent(skew),
             f"broker {brief(off, 'broker')}" if off else "", good=0, unit="percent", of="brokers"),
        Tile("Bytes", total, size(total), plural(len(topics), "topic"), good=0, unit="bytes",
             of="topics"),
    ]  # fmt: skip


def _topics(topics: Sequence[Row]) -> Picture | None:
    off = [r for r in topics if text(r, "band") != EVEN]
    shown = off[:SHOWN]
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
            f"{plural(len(topics) - len(off), 'topic')} spread evenly"
            if len(topics) > len(off) else "",
        ])),
    )  # fmt: skip


def _partitions(report: Report, topic: Row) -> Picture | None:
    name = text(topic, "topic")
    own = _partitions_of(report, name)
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
        more(len(own), len(made), "partitions"),
    )  # fmt: skip


def _lorenz(report: Report, topic: Row) -> Picture | None:
    name, gini = text(topic, "topic"), num(topic, "gini")
    values = [amount(r, "bytes") for r in _partitions_of(report, name)]
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
    own = [r for r in rows(report, "windows") if text(r, "topic") == name]
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


def _share(key: Row) -> str:
    """The share of a key, with its band."""
    said = _reach(key)
    return share(amount(key, "share")) + (f" ({said})" if said else "")


def _reach(key: Row) -> str:
    return band(key, "share", ("share_low", "share_high"), "share")


def _named(key: Row) -> str:
    """A key, its topic, and how far its share may be off."""
    said = _reach(key)
    return f"{brief(key, 'key')} in {brief(key, 'topic')}" + (f", {said}" if said else "")


def _sampled_keys(report: Report) -> Picture | None:
    """Shares with their bands, where keys were counted in a sample."""
    ordered = sorted(rows(report, "keys"), key=lambda r: -amount(r, "share"))
    shown = [r for r in ordered if amount(r, "share") >= HEAVY][:SHOWN]
    made = [
        Bar(f"{text(r, 'key')}  in {text(r, 'topic')}", num(r, "share"), _share(r), "plain",
            num(r, "share_low"), num(r, "share_high"),
            f"key {text(r, 'key')} in {text(r, 'topic')}: {_share(r)} of its topic{_where(r)}")
        for r in shown
    ]  # fmt: skip
    note = (
        "Share of a topic's bytes, by a sample; the line is the band of 95 %. Keys that are not"
        " told from noise are left out."
    )
    return barred("Heaviest keys", note, made, len(ordered), "keys")


def _keys(report: Report) -> Picture | None:
    if any(r.get("basis") not in (None, ALL) for r in rows(report, "keys")):
        return _sampled_keys(report)
    ordered = sorted(rows(report, "keys"), key=lambda r: -amount(r, "bytes"))
    shown = [r for r in ordered if amount(r, "share") >= HEAVY][:SHOWN]
    if not shown:
        return None
    made = [
        Bar(f"{text(r, 'key')}  in {text(r, 'topic')}", num(r, "bytes"),
            f"{size(amount(r, 'bytes'))} · {share(amount(r, 'share'))}", "plain",
            num(r, "bytes"), amount(r, "bytes") + amount(r, "error"),
            f"key {text(r, 'key')} in {text(r, 'topic')}: {size(amount(r, 'bytes'))}, "
            f"at most {size(amount(r, 'error'))} more{_where(r)}")
        for r in shown
    ]  # fmt: skip
    return Picture(
        "Heaviest keys",
        "Bytes of the records of a key; the line behind a bar is what may have been missed.",
        bars("Heaviest keys", made),
        more(len(ordered), len(shown), "keys"),
    )


def _where(row: Row) -> str:
    found = row.get("partitions")
    if not isinstance(found, Sequence) or isinstance(found, str | bytes):
        return ""
    parts = [p for p in found if isinstance(p, Mapping)]
    said = [f"{text(p, 'partition')} ({share(amount(p, 'share'))})" for p in parts[:4]]
    return f"; in partition {', '.join(said)}" if said else ""


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
