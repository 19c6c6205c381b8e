"""The moments that ``--to-datetime`` and ``--by-duration`` mean, as Java reads them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from pykafka_ops.errors import PkoError

_STAMP = re.compile(
    r"(\d{1,4})-(\d+)-(\d+)T(\d+):(\d+):(\d+)\.(\d{1,3})(Z|([+-])(\d\d)(?::?(\d\d))?)", re.ASCII
)
_DURATION = re.compile(
    r"([+-]?)P(?:([+-]?\d+)D)?(T(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?)(\d+)(?:[.,](\d{0,9}))?S)?)?",
    re.IGNORECASE | re.ASCII,
)


class MomentError(PkoError):
    """A date or duration that cannot be read, in Java's words."""


def parse_datetime(text: str) -> int:
    """ms since 1970 of ``yyyy-MM-ddTHH:mm:ss.SSS[Z|+hh|+hhmm|+hh:mm]``, UTC where no zone is given.

    As Utils.getDateTime of Kafka, which however drops the minutes of a zone without a colon.
    """
    _, t, clock = text.partition("T")
    if not t:
        raise MomentError(
            "java.text.ParseException: Error parsing timestamp. It does not contain a 'T' "
            "according to ISO8601 format"
        )
    zoned = text if "+" in clock or "-" in clock or "Z" in clock else f"{text}Z"
    match = _STAMP.fullmatch(zoned)
    if match is None:
        raise MomentError(f'java.text.ParseException: Unparseable date: "{zoned}"')
    year, month, day, hour, minute, second, milli = (int(x) for x in match.groups()[:7])
    offset = timedelta(hours=int(match[10] or 0), minutes=int(match[11] or 0))
    try:
        zone = timezone(-offset if match[9] == "-" else offset)
        moment = datetime(year, month, day, hour, minute, second, milli * 1000, tzinfo=zone)
    except (ValueError, OverflowError):
        raise MomentError(f'java.text.ParseException: Unparseable date: "{zoned}"') from None
    return int((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1))


def parse_duration(text: str) -> int:
    """ms of an ISO 8601 duration of days to seconds (java.time.Duration.parse)."""
    match = _DURATION.fullmatch(text)
    if match is None or match[3] in ("T", "t") or not any(match.group(2, 4, 5, 7)):
        raise MomentError("Text cannot be parsed to a Duration")
    days, hours, minutes = (int(match[i] or 0) for i in (2, 4, 5))
    fraction = int((match[8] or "").ljust(9, "0")) // 1_000_000
    seconds = int(match[7] or 0) * 1000 + fraction
    total = ((days * 24 + hours) * 60 + minutes) * 60_000
    total += -seconds if match[6] == "-" else seconds
    return -total if match[1] == "-" else total
