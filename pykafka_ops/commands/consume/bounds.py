"""Where ``pko consume`` begins and ends in each partition, as its options say."""

from __future__ import annotations

from pykafka_ops.analysis.logs.query import offset_range
from pykafka_ops.analysis.moments import between
from pykafka_ops.client.read_bounds import ReadBounds
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.errors import UsageError

DOTS = ".."


def bounds_of(args: Args, now: int) -> ReadBounds | None:
    """What the options ask for; None where reading begins and ends as in Kafka's tool.

    UsageError for what cannot be read or does not go together.
    """
    offset = args.text("offset") or ""
    given = [f"--{o}" for o in ("last", "since", "until") if args.has(o)]
    given += ["--offset FIRST..LAST"] if DOTS in offset else []
    if args.flags or not given:
        return None
    starts = [o for o in ("last", "since", "offset", "from-beginning") if args.has(o)]
    if len(starts) > 1:
        raise UsageError(f"{' and '.join('--' + o for o in starts)} exclude each other")
    if args.has("group"):
        raise UsageError(f"{given[0]} goes without --group, which goes on from its commits")
    return ReadBounds(
        last=args.number("last"),
        times=between(args.text("since"), args.text("until"), now),
        offsets=offset_range(offset) if DOTS in offset else None,
        follow=args.has("follow"),
    )
