"""Where ``pko consume`` gets its messages: a librdkafka consumer, in a group or on its own.

Without ``--group`` Kafka's tool makes up a group that never commits; reading the partitions
directly shows the same records, starts sooner and leaves no group behind.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from typing import Any

from pykafka_ops.client.read_bounds import ReadBounds
from pykafka_ops.commands.console.errors import SOON, ignored, kafka_error, keeps_trying, log
from pykafka_ops.commands.console.lookup import FoundTopic, TopicLookup
from pykafka_ops.commands.console.rdkafka import Given, client, librdkafka, load, one_of
from pykafka_ops.commands.consume.bounds import bounds_of
from pykafka_ops.commands.consume.formatter import Consumed
from pykafka_ops.commands.consume.kafka import LOGGER, WHITELIST
from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.failures import in_one_line
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import ConnectError, KafkaError, UsageError
from pykafka_ops.wire.codes import ErrorCode

REFRESH_SECONDS = 5.0
"""How often to look for new topics and partitions."""
AGAIN_SECONDS = 0.5
"""How soon to look again while there is nothing to read."""
IDLE_SECONDS = 0.1
FOREVER = float("inf")
OFFSETS_SECONDS = 2.0
ISOLATION = ("read_committed", "read_uncommitted")


class MessageSource:
    """``start``, then ``poll`` and ``done`` in turn, then ``close``.

    UsageError and ClientConfigError for wrong settings at once; nothing is asked before ``start``.
    """

    def __init__(self, run: Run) -> None:
        args = self.args = run.args
        self.topic = args.text("topic")
        self.pattern = _pattern(args)
        self.bounds = bounds_of(args, int(time.time() * 1000))
        settings, self.group, self.first = _settings(run, self.bounds)
        self.only = partitions_of(args)
        self.create = args.flags and settings["allow.auto.create.topics"] == "true"
        self.internal_too = settings.pop("exclude.internal.topics", "true") == "false"
        self.lookup = TopicLookup(settings, flags=args.flags, debug=run.debug)
        config: dict[str, object] = dict(librdkafka(settings, consumer=True))
        config["error_cb"] = self._client_error
        warn = ignored("Consumer", flags=args.flags)
        self.consumer = client("Consumer", config, debug=run.debug, warn=warn)
        self.committed = settings["isolation.level"] == ISOLATION[0]
        self.assigned: set[tuple[str, int]] = set()
        self.open: dict[tuple[str, int], int | None] = {}
        """Of a reading within bounds the partitions that are not at their end, and that end."""
        self.subscribed: list[str] = []
        self.next_look = 0.0  # monotonic seconds
        self.looked = self.closing = False
        self.said: set[str] = set()

    def start(self) -> None:
        """In pko's form: fail now if the cluster, topic or partition is not there."""
        if self.args.flags:
            return
        self._take(self._ask(None))
        self.next_look = time.monotonic() + REFRESH_SECONDS if self.bounds is None else FOREVER

    @property
    def finished(self) -> bool:
        """Whether all that lies within the bounds was read."""
        return self.bounds is not None and self.looked and not self.open

    def poll(self, wanted: int, seconds: float) -> list[Consumed]:
        """Up to ``wanted`` messages; [] after a short wait (at most ``seconds``) without any.

        PkoError for what does not pass.
        """
        if time.monotonic() >= self.next_look:
            self._look(seconds)
        found: list[Consumed] = self.consumer.consume(wanted, 0)
        if not found:
            message = self.consumer.poll(min(seconds, IDLE_SECONDS))
            found = [message] if message is not None else []
        if self.bounds is not None:  # in their order: what is behind an end is not before it
            return [m for m in found if self._good(m) and self._is_within(m)]
        if [message for message in found if message.error() is not None]:
            found = [message for message in found if self._good(message)]
        return found

    def _is_within(self, message: Consumed) -> bool:
        """Whether a record is wanted; notes where its partition is at its end."""
        assert self.bounds is not None
        place, stamp = (message.topic(), message.partition()), message.timestamp()[1]
        if place not in self.open:
            return False
        end = self.open[place]
        if end is not None and message.offset() + 1 >= end:
            self._ended(place)
            return message.offset() < end and self.bounds.holds(stamp)
        if end is None and self.bounds.is_over(stamp):
            self._ended(place)
        return self.bounds.holds(stamp)

    def _ended(self, place: tuple[str, int]) -> None:
        if place in self.open:
            del self.open[place]
            self.consumer.pause([load().TopicPartition(*place)])

    def done(self, messages: Sequence[Consumed]) -> None:
        """These were printed: a group commits behind them."""
        if not self.group:
            return
        library = load()
        last = {(m.topic(), m.partition()): m.offset() for m in messages}
        places = [
            library.TopicPartition(t, p, (offset or 0) + 1) for (t, p), offset in last.items()
        ]
        try:
            self.consumer.store_offsets(offsets=places)
        except library.KafkaException as error:  # no longer ours: its new owner reads them again
            if error.args[0].code() != library.KafkaError._STATE:
                raise kafka_error(error.args[0].code(), error.args[0].str()) from None

    def close(self) -> None:
        """Commit, leave the group, hang up."""
        self.closing = True
        self.lookup.close()
        self.consumer.close()

    # --- which partitions ------------------------------------------------------------------------

    def _look(self, seconds: float) -> None:
        """Look for topics and partitions; Kafka's form goes on where none can be had now."""
        try:
            self._take(self._ask(min(seconds, REFRESH_SECONDS) if not self.looked else 1.0))
        except ConnectError as error:
            if not keeps_trying(error):
                raise
            self._warn(in_one_line(error))
        busy = self.assigned or self.subscribed
        self.next_look = time.monotonic() + (REFRESH_SECONDS if busy else AGAIN_SECONDS)

    def _ask(self, seconds: float | None) -> dict[str, FoundTopic]:
        names = None if self.pattern else [str(self.topic)]
        return self.lookup.topics(names, seconds=seconds, create=self.create)

    def _take(self, topics: dict[str, FoundTopic]) -> None:
        """Read from what is there of what is wanted."""
        wanted = {name: found for name, found in topics.items() if self._is_wanted(name, found)}
        for name, found in wanted.items():
            self._check(name, found)
        if self.group:
            self._subscribe(sorted(name for name, found in wanted.items() if found.partitions))
        else:
            self._assign(
                (name, index)
                for name, found in wanted.items()
                for index in found.partitions
                if not self.only or index in self.only
            )
        self.looked = True

    def _is_wanted(self, name: str, found: FoundTopic) -> bool:
        if self.pattern is None:
            return True
        return bool(self.pattern.fullmatch(name)) and (self.internal_too or not found.internal)

    def _check(self, name: str, found: FoundTopic) -> None:
        """Raise for what will not come; in pko's form also for what is not there."""
        if found.error and found.error not in SOON and not ErrorCode.of(found.error).retriable:
            raise kafka_error(found.error, ErrorCode.of(found.error).text, name, operation="read")
        if self.args.flags and found.error:
            self._warn(
                f"Error while fetching metadata: {{{name}={ErrorCode.of(found.error).name}}}"
            )
        if self.args.flags or self.looked:
            return
        if found.error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            raise KafkaError(found.error, f"topic {name} does not exist{self.lookup.near(name)}")
        for only in self.only if found.partitions else ():
            if only not in found.partitions:
                raise KafkaError(
                    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                    f"topic {name} has no partition {only}: it has {len(found.partitions)}, "
                    f"numbered from 0",
                )

    def _subscribe(self, names: list[str]) -> None:
        if names and names != self.subscribed:
            self.subscribed = names
            self.consumer.subscribe(names)

    def _assign(self, wanted: Iterable[tuple[str, int]]) -> None:
        new = set(wanted) - self.assigned
        if not new:
            return
        if self.bounds is not None:
            self._assign_within(self.bounds, sorted(new))
            return
        start = self.first if not self.looked or self.first.isdigit() else "earliest"
        self.consumer.incremental_assign(self._places(sorted(new), start))
        self.assigned |= new

    def _assign_within(self, bounds: ReadBounds, partitions: list[tuple[str, int]]) -> None:
        """Read what lies within the bounds now; partitions that come later are not looked for."""
        spans = bounds.spans(self.lookup.cluster, partitions, read_committed=self.committed)
        wanted = {p: s for p, s in spans.items() if s.end is None or s.start < s.end}
        self.open = {p: span.end for p, span in wanted.items()}
        self.assigned |= set(partitions)
        library = load()
        places = [library.TopicPartition(t, n, s.start) for (t, n), s in wanted.items()]
        if places:
            self.consumer.incremental_assign(places)

    def _places(self, partitions: list[tuple[str, int]], start: str) -> list[Any]:
        """Partitions with the offsets to read from.

        First and last offsets are asked for here and now: a consumer that is given a symbol for
        them waits half a second before it asks the leader. The symbol stays where none is known.
        """
        library = load()
        if start.isdigit():
            return [library.TopicPartition(t, p, int(start)) for t, p in partitions]
        symbol = library.OFFSET_BEGINNING if start == "earliest" else library.OFFSET_END
        places = [library.TopicPartition(t, p, symbol) for t, p in partitions]
        try:  # the symbols are also the timestamps that ListOffsets takes for them
            found = self.consumer.offsets_for_times(places, timeout=OFFSETS_SECONDS)
        except library.KafkaException:
            return places
        for place in found:
            if place.error or place.offset < 0:
                place.offset = symbol
        return list(found)

    # --- what goes wrong -------------------------------------------------------------------------

    def _good(self, message: Consumed) -> bool:
        """Whether it is a record; an error that does not pass is raised."""
        error = message.error()
        if error is None:
            return True
        codes, code = load().KafkaError, error.code()
        if code == codes._PARTITION_EOF:
            if self.bounds is not None and not self.bounds.follow:
                self._ended((message.topic(), message.partition()))
            return False
        lasting = (
            codes._AUTO_OFFSET_RESET,
            codes._BAD_COMPRESSION,
            codes._BAD_MSG,
            codes._FATAL,
            codes._UNSUPPORTED_FEATURE,
        )
        if code == ErrorCode.GROUP_AUTHORIZATION_FAILED:
            if not self.group:  # librdkafka looks for the coordinator of its id all the same
                return False
            raise kafka_error(code, error.str(), operation="read", group=self.group)
        if code in lasting or (code > 0 and not ErrorCode.of(code).retriable):
            raise kafka_error(code, error.str(), message.topic() or "", operation="read")
        self._warn(error.str())
        return False

    def _client_error(self, error: Any) -> None:
        """librdkafka's trouble with brokers; it keeps trying by itself."""
        codes = load().KafkaError
        if error.code() in (codes._ALL_BROKERS_DOWN, codes._AUTHENTICATION, codes._SSL):
            self._warn(error.str())

    def _warn(self, text: str) -> None:
        """Say it once."""
        if text in self.said or self.closing:
            return
        self.said.add(text)
        if self.args.flags:
            log("WARN", f"[Consumer clientId=console-consumer] {text}", LOGGER)
        elif self.looked:
            say(f"pko: {text}; still trying")


# --- settings ------------------------------------------------------------------------------------


def _pattern(args: Args) -> re.Pattern[str] | None:
    text = args.text("include")
    if args.has("whitelist"):
        say(WHITELIST)
        text = text or args.text("whitelist")
    if text is None:
        return None
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError(f"--include {text}: {error}") from None


def _settings(run: Run, bounds: ReadBounds | None) -> tuple[dict[str, str], str | None, str]:
    """Client properties, the group (None: read on our own), where to start."""
    args = run.args
    given = Given(run, "consumer")
    group = _group(args, given)
    properties = {"client.id": "console-consumer" if args.flags else "pko-consume", **given.merged}
    start = _start(args, properties) if bounds is None else "earliest"
    if args.has("from-beginning"):
        properties["auto.offset.reset"] = "earliest"
    properties.setdefault("auto.offset.reset", "latest")
    properties["group.id"] = group or "pko-consume"
    if group is None:
        properties["enable.auto.commit"] = "false"
    isolation = args.text("isolation-level") or properties.get("isolation.level", ISOLATION[1])
    one_of("isolation.level", isolation, ISOLATION)
    properties["isolation.level"] = isolation
    properties["enable.auto.offset.store"] = "false"
    properties.setdefault("allow.auto.create.topics", "true" if args.flags else "false")
    properties.setdefault("check.crcs", "true")
    if bounds is not None:
        properties["enable.partition.eof"] = "true"
    properties.setdefault("fetch.queue.backoff.ms", "10")  # librdkafka's 1000 starves a fast reader
    return properties, group, start


def partitions_of(args: Args) -> set[int]:
    """Those of ``--partition``, several by comma but in Kafka's form; none for all."""
    if args.flags:
        number = args.number("partition")
        return set() if number is None else {number}
    return {int(text) for text in args.names("partition")}


def _group(args: Args, given: Given) -> str | None:
    ids = [args.text("group"), given.options.get("group.id"), given.file.get("group.id")]
    known = sorted({i for i in ids if i})
    if len(known) > 1:
        raise OptionError(
            "The group ids provided in different places (directly using '--group', via "
            "'--consumer-property', or via '--consumer.config') do not match. Detected group ids: "
            + ", ".join(f"'{i}'" for i in known)
        )
    if known and args.has("partition"):
        raise OptionError("Options group and partition cannot be specified together.")
    if not known and not args.has("partition") and given.merged.get("group.id"):
        return given.merged["group.id"]
    return known[0] if known else None


def _start(args: Args, properties: dict[str, str]) -> str:
    """Where partitions without a committed offset are read from."""
    reset = properties.get("auto.offset.reset")
    if args.has("from-beginning"):
        if reset and reset != "earliest":
            raise OptionError(
                f"Can't simultaneously specify --from-beginning and 'auto.offset.reset={reset}', "
                "please remove one option"
            )
        return "earliest"
    offset = args.text("offset")
    if offset is None:
        return "earliest" if reset == "earliest" and not args.has("partition") else "latest"
    if offset.lower() in ("earliest", "latest"):
        return offset.lower()
    if not (offset.isascii() and offset.isdigit() and int(offset) < 1 << 63):
        raise OptionError(
            f"The provided offset value '{offset}' is incorrect. Valid values are 'earliest', "
            "'latest', or a non-negative long."
        )
    return offset
