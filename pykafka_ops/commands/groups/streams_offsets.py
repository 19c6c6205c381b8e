"""Where kafka-streams-application-reset moves the offsets of input topics.

Source: StreamsResetter.maybeReset.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.seeking import Offsets, committed_by, offsets_at, since
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.commands.groups.reset_plan import MomentError, parse_datetime, parse_duration
from pykafka_ops.errors import PkoError

PARSE, IO = "java.text.ParseException", "java.io.IOException"
NUMBER, STATE = "java.lang.NumberFormatException", "java.lang.IllegalStateException"
ARGUMENT = "java.lang.IllegalArgumentException"


class StreamsResetError(PkoError):
    """What ends the tool; ``java``: the class of Kafka's exception."""

    exit_code = 1

    def __init__(self, java: str, text: str) -> None:
        super().__init__(text)
        self.java = java


def new_offsets(cluster: Cluster, args: Args, group: str, places: Sequence[Partition]) -> Offsets:
    """Where ``places`` are to go; says what lies outside the log. StreamsResetError, PkoError."""
    if args.has("to-offset"):
        return _within(cluster, dict.fromkeys(places, args.number("to-offset") or 0))
    if args.has("to-latest"):
        return offsets_at(cluster, places, offsets.LATEST)
    if args.has("shift-by"):
        by, committed = args.number("shift-by") or 0, committed_by(cluster, group)
        fresh = [place for place in places if place not in committed]
        at = {**committed, **offsets_at(cluster, fresh, offsets.LATEST)}
        return _within(cluster, {place: at[place] + by for place in places})
    if args.has("to-datetime") or args.has("by-duration"):
        plan = since(cluster, _moment(args), places, {})
        for topic, number in plan.empty:
            print(f"Partition {number} from topic {topic} is empty, without a committed record. "
                  "Falling back to latest known offset.")  # fmt: skip
        return plan.offsets
    if args.has("from-file"):
        wanted = read_reset_plan(args.text("from-file") or "")
        _check(wanted, places)
        return _within(cluster, wanted)
    return offsets_at(cluster, places, offsets.EARLIEST)


def _moment(args: Args) -> int:
    by_date = args.has("to-datetime")
    text = args.text("to-datetime" if by_date else "by-duration") or ""
    try:
        return parse_datetime(text) if by_date else int(time.time() * 1000) - parse_duration(text)
    except MomentError as error:
        if not by_date:
            raise StreamsResetError("java.time.format.DateTimeParseException", str(error)) from None
        raise _failed(PARSE, str(error).removeprefix(f"{PARSE}: ")) from None


def _failed(java: str, text: str) -> StreamsResetError:
    say("ERROR: Resetting offsets failed.")
    return StreamsResetError(java, text)


def read_reset_plan(path: str) -> Offsets:
    """A file with ``TOPIC,PARTITION,OFFSET`` in each line. StreamsResetError."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        raise _failed(IO, f"Unable to read file {path}") from None
    if not text:
        raise _failed(PARSE, "Error parsing reset plan CSV file. It is empty,")
    found: Offsets = {}
    for line in text.rstrip("\n").split("\n"):
        cells = line.split(",")
        if len(cells) != 3:
            raise _failed(PARSE, "Reset plan CSV file is not following the format "
                          "`TOPIC,PARTITION,OFFSET`.")  # fmt: skip
        numbers = [java_integer(cells[1], 31), java_integer(cells[2], 63)]
        for cell, number in zip(cells[1:], numbers, strict=True):
            if number is None:
                raise StreamsResetError(NUMBER, f'For input string: "{cell}"')
        found[cells[0], numbers[0] or 0] = numbers[1] or 0
    return found


def _check(plan: Mapping[Partition, int], places: Sequence[Partition]) -> None:
    """Kafka's ends with a NullPointerException."""
    for topic, number in (*plan, *places):
        if (topic, number) not in plan:
            raise StreamsResetError(STATE, f"the plan has no line for {topic}-{number}")
        if (topic, number) not in places:
            text = f"the plan has a line for {topic}-{number}, which is not of an input topic"
            raise StreamsResetError(STATE, text)


def _within(cluster: Cluster, wishes: Mapping[Partition, int]) -> Offsets:
    """As checkOffsetRange, which calls the first offset and the end outside, too."""
    starts = offsets_at(cluster, list(wishes), offsets.EARLIEST)
    ends = offsets_at(cluster, list(wishes), offsets.LATEST)
    found: Offsets = {}
    for place, wish in wishes.items():
        if starts[place] < wish < ends[place]:
            found[place] = wish
            continue
        high = wish >= ends[place]
        side, found[place] = ("higher than latest", ends[place]) if high else (
            "lower than earliest", starts[place])  # fmt: skip
        print(f"New offset ({wish}) is {side} offset. Value will be set to {found[place]}")
    return found
