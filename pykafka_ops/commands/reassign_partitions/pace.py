"""How fast a run may copy: what ``--throttle`` says."""

from __future__ import annotations

from dataclasses import dataclass

from pykafka_ops.analysis.amounts import size_of
from pykafka_ops.analysis.bars import size_text
from pykafka_ops.analysis.moves.rate import FIRST, LEAST, MOST
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.errors import UsageError


@dataclass(slots=True)
class Pace:
    """The throttle asked for: ``rate`` in bytes a second (None: none is set); ``adapts`` up to
    ``most``."""

    rate: int | None = FIRST
    adapts: bool = True
    most: int = MOST


def limit_of(args: Args) -> Pace:
    """What ``--throttle`` says: auto[:MOST], none, or bytes a second; UsageError."""
    text = args.text("throttle") or ""
    if not args.has("throttle") or text == "auto":
        return Pace()
    if text == "none" or text.startswith("-"):
        return Pace(None, adapts=False)
    if text.startswith("auto:"):
        most = size_of(text.removeprefix("auto:"))
        if most < LEAST:
            raise UsageError(f"--throttle {text}: give at least {size_text(LEAST)}")
        return Pace(min(FIRST, most), adapts=True, most=most)
    return Pace(rate_of(args), adapts=False)


def rate_of(args: Args) -> int | None:
    """``--throttle`` as bytes a second, where it is a fixed one."""
    text = args.text("throttle") or ""
    if not args.has("throttle") or text.startswith(("auto", "none", "-")):
        return None
    rate = size_of(text)
    if rate < 1:
        raise UsageError(f"--throttle {text}: nothing would ever be copied; none lifts the limit")
    return rate
