"""How long the disks last."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.monitor.pages.frame import block
from pykafka_ops.monitor.pages.tiles import FigureTile
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.runway import DiskRunway
from pykafka_ops.monitor.wording.text import UNKNOWN, some
from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.markup import Markup, el
from pykafka_ops.page.units import percent, size, span

_TONES = {line.GOOD: "ok", line.WARN: "warn", line.BAD: "stop", line.NONE: "plain"}


def disk_text(disk: DiskRunway) -> str:
    """Free space, growth and when it is full, in words."""
    if disk.free is None:
        return "not known"
    share = f" ({percent(100 * disk.share)})" if disk.share is not None else ""
    return f"{size(disk.free)}{share} free, {_lasts(disk)}"


def _lasts(disk: DiskRunway) -> str:
    if disk.growth is None:
        return "growth not known yet"
    if disk.full_in is None:
        return "does not fill"
    return f"full in {span(disk.full_in)}"


def _brokers(silent: list[str]) -> str:
    return f"broker{'' if len(silent) == 1 else 's'} {some(silent)}"


def disk_tile(disks: Sequence[DiskRunway], href: str) -> FigureTile:
    """The disk that is full first, else the one with the least free space. While a broker does not
    tell of its disks, no other is good."""
    known = [d for d in disks if d.free is not None]
    if not known:
        return FigureTile("Disk runway", UNKNOWN, "free bytes are not known", line.WARN, href)
    filling = [d for d in known if d.full_in is not None]
    if filling:
        worst = min(filling, key=lambda d: d.full_in or 0.0)
        text = span(worst.full_in or 0.0)
    else:
        worst = known[0]
        text = "not filling" if all(d.growth is not None for d in known) else UNKNOWN
    share = f"{percent(100 * worst.share)} free" if worst.share is not None else "size not reported"
    note = f"broker {worst.broker}: {share}"
    if worst.growth is None:
        note += ", growth not known yet"
    tone, silent = worst.tone, [str(d.broker) for d in disks if d.free is None]
    if silent:
        note += f"; not known of {_brokers(silent)}"
        tone = line.WARN if tone in (line.GOOD, line.NONE) else tone
    return FigureTile("Disk runway", text, note, tone, href)


def disk_block(disks: Sequence[DiskRunway]) -> Markup:
    """A bar for each broker with the least free space."""
    known = [d for d in disks if d.share is not None]
    silent = [str(d.broker) for d in disks if d.share is None]
    if not known:
        body = el("p", "not known: no broker said how many bytes are free", class_="nothing")
        return block("Disk runway", "pko log-dirs describe", body)
    unknown = None
    if silent:
        unknown = el("p", f"not known of {_brokers(silent)}", class_="note")
    shown = [
        Bar(f"broker {d.broker}", 1 - (d.share or 0.0), disk_text(d), _TONES[d.tone],
            tip=f"broker {d.broker}: {disk_text(d)}")
        for d in known[:10]
    ]  # fmt: skip
    chart = bars("Disks by the share that is used", shown, full=1.0)
    return block("Disk runway", "pko log-dirs describe", unknown, chart)
