"""What ``reset-offsets`` would commit: scope and scenario turned into an offset per partition."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta, timezone

from pykafka_ops.analysis.moments import moment, span
from pykafka_ops.analysis.offset_reset import Partition
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.seeking import (
    OffsetPlan,
    Offsets,
    committed_by,
    offsets_at,
    share_starts,
    since,
    within,
)
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.groups.kafka import SCENARIOS, ScopeError
from pykafka_ops.commands.groups.plan_file import by_group, read_plan
from pykafka_ops.commands.groups.topic_words import missing_topics, partitions_of
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode


class Planner:
    """Makes the plan of one group after the other, ``shared`` are share groups; a plan file is read
    once."""

    def __init__(
        self, cluster: Cluster, args: Args, groups: list[str], shared: Collection[str] = ()
    ) -> None:
        self.cluster, self.args, self.groups, self.shared = cluster, args, groups, shared
        self.now = int(time.time() * 1000)
        self.file: dict[str, Offsets] | None = None

    def plan(self, group: str) -> OffsetPlan:
        """Raises ScopeError for a scope or scenario that is missing, KafkaError, MomentError."""
        if group in self.shared:
            starts = share_starts(self.cluster, group)
            committed = {p: offset for p, offset in starts.items() if offset is not None}
            wanted = self._scope(starts)
        else:
            committed = committed_by(self.cluster, group)
            wanted = self._scope(committed)
        scenario = next((s for s in SCENARIOS if self.args.has(s)), None)
        if scenario is None:
            names = ", ".join(f"[{s}]" for s in SCENARIOS)
            raise ScopeError(
                f"Option '[reset-offsets]' requires one of the following scenarios: [{names}]"
            )
        if scenario == "from-file":
            return self._from_file(group, committed)
        return self._made(scenario, wanted, committed)

    def _scope(self, known: Iterable[Partition]) -> list[Partition]:
        args = self.args
        if args.has("all-topics"):
            return sorted(known)
        if args.has("topic"):
            wanted, missing = partitions_of(self.cluster, args)
            if missing:
                (error, *_) = missing_topics(self.cluster, missing)
                text = "" if args.flags else error.message
                raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)
            return wanted
        if not args.has("from-file"):
            raise ScopeError("One of the reset scopes should be defined: --all-topics, --topic.")
        return []

    # --- scenarios -------------------------------------------------------------------------------

    def _made(self, scenario: str, wanted: list[Partition], committed: Offsets) -> OffsetPlan:
        match scenario:
            case "to-offset":
                offset = self.args.number(scenario) or 0
                return within(self.cluster, dict.fromkeys(wanted, offset), committed)
            case "to-earliest":
                return OffsetPlan(offsets_at(self.cluster, wanted, offsets.EARLIEST), committed)
            case "to-latest":
                return OffsetPlan(offsets_at(self.cluster, wanted, offsets.LATEST), committed)
            case "to-current":
                new = [p for p in wanted if p not in committed]
                ends = offsets_at(self.cluster, new, offsets.LATEST)
                return OffsetPlan({p: committed.get(p, ends.get(p, 0)) for p in wanted}, committed)
            case "shift-by":
                return self._shift_by(wanted, committed)
        return since(self.cluster, self._moment(scenario), wanted, committed)

    def _shift_by(self, wanted: list[Partition], committed: Offsets) -> OffsetPlan:
        by = self.args.number("shift-by") or 0
        for topic, index in wanted:
            if (topic, index) not in committed:
                raise ScopeError(
                    f"Cannot shift offset for partition {topic}-{index} since there is no current "
                    "committed offset"
                )
        return within(self.cluster, {p: committed[p] + by for p in wanted}, committed)

    def _moment(self, scenario: str) -> int:
        """What ``--to-datetime`` or ``--by-duration`` says; in pko's form in our words, too."""
        text = self.args.text(scenario) or ""
        by_date = scenario == "to-datetime"
        try:
            at = parse_datetime(text) if by_date else self.now - parse_duration(text)
        except MomentError:
            if self.args.flags:
                raise
            at = moment(text, self.now)[0] if by_date else self.now - span(text)
        return at if self.args.flags or by_date else max(0, at)

    def _from_file(self, group: str, committed: Offsets) -> OffsetPlan:
        if self.file is None:
            self.file = by_group(read_plan(self.args.text("from-file") or ""), self.groups)
        if group not in self.file:
            return OffsetPlan({}, committed, found=False)
        return within(self.cluster, self.file[group], committed)


# --- moments -------------------------------------------------------------------------------------

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
