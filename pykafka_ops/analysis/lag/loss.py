"""What retention will take from a group before it reads it, and when.

Times in ms since 1970, spans in seconds, rates in records per second, sizes in bytes.
"""

from __future__ import annotations

from typing import NamedTuple


class TopicRetention(NamedTuple):
    """How long a topic keeps records: ``cleanup.policy``, ``retention.ms`` and
    ``retention.bytes`` (per partition; None or -1: no limit)."""

    cleanup_policy: str = "delete"
    retention_ms: int | None = None
    retention_bytes: int | None = None


def loss_in_seconds(
    policy: TopicRetention,
    now: int,
    *,
    lag: int | None,
    lead: int | None,
    next_timestamp: int | None,
    rate_in: float | None,
    average_size: float | None,
) -> float | None:
    """When retention may take the record at the committed offset, if the group stays there.

    ``next_timestamp`` belongs to that record, ``average_size`` is bytes per record. By time it is
    the record's age that counts, by size what is written behind it at ``rate_in``; the sooner of
    the two. Not before, since whole segments go and never the active one. 0.0 if it may be gone
    at any moment or is gone (``lead`` below 0), None for never or not known.
    """
    if not lag:
        return None
    if lead is not None and lead < 0:
        return 0.0
    if "delete" not in policy.cleanup_policy:
        return None
    spans = []
    if policy.retention_ms is not None and policy.retention_ms >= 0 and next_timestamp is not None:
        spans.append((next_timestamp + policy.retention_ms - now) / 1000)
    room = policy.retention_bytes
    if room is not None and room >= 0 and average_size is not None:
        left = room - lag * average_size
        if left <= 0:
            spans.append(0.0)
        elif rate_in is not None and rate_in > 0:
            spans.append(left / (rate_in * average_size))
    return round(max(0.0, min(spans)), 3) if spans else None


def retained_share(lag: int | None, start: int | None, end: int | None) -> float | None:
    """How much of what the log holds a group has yet to read: 0 to 1; None if not known.

    1.0 for a group that lost records, 0.0 of an empty log.
    """
    if lag is None or start is None or end is None:
        return None
    return round(min(1.0, lag / (end - start)), 6) if end > start else 0.0


def is_silent(silence_ms: int, window_ms: int, least_ms: int) -> bool:
    """Whether a group whose last commit is so long ago counts as one that stopped committing."""
    return silence_ms > max(window_ms, least_ms)
