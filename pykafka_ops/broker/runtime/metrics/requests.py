"""Requests by API: how many, their errors, their times (``RequestMetrics``)."""

from __future__ import annotations

from collections import Counter

from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.runtime.sockets.tally import ApiTimes, RequestTally, error_name
from pykafka_ops.metrics.family import Book, Labels, MetricKind
from pykafka_ops.metrics.spread import Spread
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.codes import ErrorCode

_TYPE = "kafka.network:RequestMetrics"
SAMPLED = "timed by sample, each timed request stands for those of its API since the last one"
OF_EACH = {
    "total": ("TotalTimeMs", "Time from the arrival of a request to the end of its answer"),
    "queue": ("RequestQueueTimeMs", "Time until the event loop gets to a request"),
    "local": ("LocalTimeMs", "Time at work, until a request is answered or has to wait"),
    "remote": ("RemoteTimeMs", "Time that a request waits for records, replicas, members"),
    "send": ("ResponseSendTimeMs", "Time to encode and write an answer"),
    "throttle": ("ThrottleTimeMs", "Time for which a client over a quota is throttled"),
}
SIZES = ("RequestBytes", "Bytes of requests")
SECONDS = "pko_broker_request_seconds"


def collect(parts: Parts, book: Book) -> None:
    """All APIs that had a request since the start."""
    tally = parts.server.tally
    if tally is not None:
        _collect_counts(tally, book)
        _collect_errors(tally, book)
        _collect_times(tally, book)


def _collect_counts(tally: RequestTally, book: Book) -> None:
    requests = book.bean(f"{_TYPE}:RequestsPerSec", "Requests", MetricKind.COUNTER)
    fetches: Counter[int] = Counter()
    for count in tally:
        requests.add(count.requests, Labels(request=count.times.name, version=count.version))
        if count.key == ApiKey.FETCH:
            fetches[count.version] += count.requests
    for version, number in fetches.items():
        requests.add(number, Labels(request="Fetch", version=version))


def _collect_errors(tally: RequestTally, book: Book) -> None:
    errors = book.bean(f"{_TYPE}:ErrorsPerSec", "Error codes in answers", MetricKind.COUNTER)
    found: dict[int, Counter[int]] = {}
    for count in tally:
        codes = found.setdefault(count.key, Counter())
        codes.update(count.codes)
        codes[ErrorCode.NONE] += count.sure
    for key, codes in found.items():
        for code, number in codes.items():
            errors.add(number, Labels(request=APIS[key].name, error=error_name(code)))


def _collect_times(tally: RequestTally, book: Book) -> None:
    timed = book.plain("pko_broker_requests_timed", "Requests that were timed", MetricKind.COUNTER)
    seconds = book.plain(SECONDS, f"Time of requests by part; {SAMPLED}", MetricKind.HISTOGRAM)
    sizes = book.bean(f"{_TYPE}:{SIZES[0]}", f"{SIZES[1]}; {SAMPLED}", MetricKind.SUMMARY)
    beans = {
        part: book.bean(f"{_TYPE}:{name}", f"{what}, in ms; {SAMPLED}", MetricKind.SUMMARY)
        for part, (name, what) in OF_EACH.items()
    }
    now = tally.timer()
    for times in _with_fetch(tally.times):
        of = Labels(request=times.name)
        timed.add(times.timed, of)
        for part, family in beans.items():
            spread: Spread = getattr(times, part)
            spread.turn(now)
            family.add(spread.times(), of)
            seconds.add(spread.seconds(), Labels(request=times.name, part=part))
        times.sizes.turn(now)
        sizes.add(times.sizes.times(), of)


def _with_fetch(times: list[ApiTimes]) -> list[ApiTimes]:
    """All names, and Fetch as the sum of its two kinds, as in Kafka."""
    fetches = [each for each in times if each.name in ("FetchConsumer", "FetchFollower")]
    if not fetches:
        return times
    both = ApiTimes("Fetch")
    for each in fetches:
        both.take_in(each)
    return [*times, both]
