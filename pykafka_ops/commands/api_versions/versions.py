"""``pko api-versions``: ask every broker ApiVersions and compare with what we speak."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pykafka_ops import __version__
from pykafka_ops.client.cluster import Cluster, Node, Question
from pykafka_ops.client.generation import is_of_kafka_4
from pykafka_ops.commands.framework.failures import java_text, parted
from pykafka_ops.commands.framework.output import Column, Table, numbers, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse

Ranges = dict[int, tuple[int, int]]
_RELEASES: tuple[tuple[str, int, int], ...] = (
    ("4.0", 2, 10), ("3.9", 1, 17), ("3.5", 1, 15), ("3.3", 35, 4), ("3.1", 1, 13),
    ("2.8", 60, 0), ("2.7", 50, 0), ("2.6", 48, 0), ("2.4", 45, 0), ("2.3", 44, 0), ("2.1", 1, 10),
)  # fmt: skip
"""Newest first: a release, and a request with a version that came with it."""
_NAMES = {
    52: "Vote", 53: "BeginQuorumEpoch", 54: "EndQuorumEpoch", 59: "FetchSnapshot",
    62: "BrokerRegistration", 63: "BrokerHeartbeat", 70: "ControllerRegistration",
    73: "AssignReplicasToDirs", 82: "UpdateRaftVoter",
    71: "GetTelemetrySubscriptions", 72: "PushTelemetry", 76: "ShareGroupHeartbeat",
    78: "ShareFetch", 79: "ShareAcknowledge", 83: "InitializeShareGroupState",
    84: "ReadShareGroupState", 85: "WriteShareGroupState", 86: "DeleteShareGroupState",
    87: "ReadShareGroupStateSummary", 88: "StreamsGroupHeartbeat",
    93: "StreamsGroupTopologyDescriptionUpdate", 94: "UnregisterController",
}  # fmt: skip
"""Requests that we never send, those between controllers among them."""
_KNOWN = {
    **{key: (name, 0, 0) for key, name in _NAMES.items()},
    **{key: (spec.name, spec.min_version, spec.max_version) for key, spec in APIS.items()},
}
"""Name, first and last version of every request of clients and brokers."""
_NEW_NAMES = {74: "ListConfigResources"}
"""What was ListClientMetricsResources before Kafka 4.1."""
_OF_CONTROLLERS = frozenset((52, 53, 54, 56, 58, 59, 62, 63, 67, 70, 73, 82))
_OF_ZOOKEEPER = frozenset((4, 5, 6, 7))
_KNOWN_TO_39 = frozenset(_KNOWN.keys() & range(88)) - {52, 53, 54, 59, 62, 63, 70, 73, 82}
_KNOWN_TO_43 = frozenset(_KNOWN.keys() & range(93)) - _OF_CONTROLLERS - _OF_ZOOKEEPER
"""Requests that the tools of Kafka 3.9 and 4.3 know: they name those that a broker lacks."""

COLUMNS = (
    Column("broker", right=True),
    Column("address", spare=True),
    Column("api"),
    *numbers("key", "min", "max", "usable"),
)


def api_versions(run: Run) -> Table:
    """Every broker's ranges."""
    nodes = run.cluster().brokers("listNodes")
    return _table(run, nodes, ask_ranges(run.cluster(), sorted(nodes)))


def ask_ranges(
    cluster: Cluster, ids: Sequence[int], *, once: bool = False
) -> dict[int, Ranges | PkoError]:
    """What each broker announces, or why it does not; ``once``: nothing is tried again."""
    request = ApiVersionsRequest(client_software_name="pko", client_software_version=__version__)
    questions = [Question(i, request, ApiVersionsResponse, 0, 3) for i in ids]
    answers = cluster.call_each(questions, name="apiVersions", once=once)
    found: dict[int, Ranges | PkoError] = {}
    for i, answer in zip(ids, answers, strict=True):
        if isinstance(answer, PkoError):
            found[i] = answer
        elif answer.error_code:
            found[i] = KafkaError(answer.error_code)
        else:
            found[i] = {k.api_key: (k.min_version, k.max_version) for k in answer.api_keys}
    return found


def _table(run: Run, nodes: Mapping[int, Node], found: dict[int, Ranges | PkoError]) -> Table:
    good, errors = parted(found, "broker")
    shown = _differing(good) if run.args.has("diff") else None
    rows = rows_of(
        COLUMNS,
        (
            (i, str(nodes[i].address), _name(key, ranges), key, low, high, _usable(key, low, high))
            for i, ranges in good.items()
            for key, (low, high) in sorted(ranges.items())
            if shown is None or key in shown
        ),
    )
    notes = [] if run.args.flags else [f"broker {i}: Kafka {release(r)}" for i, r in good.items()]
    return Table(
        "api-versions", COLUMNS, rows, kafka=_kafka_text(nodes, found), errors=errors, notes=notes,
        name="api", exit_code=0 if run.args.flags else None,
    )  # fmt: skip


def _differing(good: Mapping[int, Ranges]) -> set[int]:
    keys = {key for ranges in good.values() for key in ranges}
    return {k for k in keys if len({ranges.get(k) for ranges in good.values()}) > 1}


def release(ranges: Ranges) -> str:
    """The release whose requests a broker understands, at the least."""
    for name, key, version in _RELEASES:
        if ranges.get(key, (0, -1))[1] >= version:
            return f"{name} or newer" if name == _RELEASES[0][0] else f"about {name}"
    return "older than 2.1"


def _name(key: int, ranges: Ranges) -> str | None:
    """As the release of a broker with these ranges calls it."""
    if key in _NEW_NAMES and is_of_kafka_4(ranges):
        return _NEW_NAMES[key]
    return _KNOWN[key][0] if key in _KNOWN else None


def _usable(key: int, low: int, high: int) -> int | None:
    _, first, last = _KNOWN.get(key, ("", 0, -1))
    return min(last, high) if first <= high and low <= last else None


def _kafka_text(nodes: Mapping[int, Node], found: dict[int, Ranges | PkoError]) -> Iterator[str]:
    for i, ranges in found.items():
        if isinstance(ranges, PkoError):
            yield f"{nodes[i]} -> ERROR: {_java(ranges)}\n"
            continue
        is_4 = is_of_kafka_4(ranges)
        known = _KNOWN_TO_43 if is_4 else _KNOWN_TO_39
        lines = [
            f"{_name(key, ranges) or 'UNKNOWN'}({key}): "
            + (_range(key, *ranges[key]) if key in ranges else "UNSUPPORTED")
            for key in sorted({*ranges, *known})
        ]
        node = f"{str(nodes[i])[:-1]} isFenced: false)" if is_4 else nodes[i]
        yield f"{node} -> (\n\t" + ",\n\t".join(lines) + "\n)\n"


def _java(error: PkoError) -> str:
    if isinstance(error, KafkaError):
        return java_text(error)
    return f"org.apache.kafka.common.errors.DisconnectException: {error}"


def _range(key: int, low: int, high: int) -> str:
    """NodeApiVersions.apiVersionToText, behind the name."""
    span = str(low) if low == high else f"{low} to {high}"
    if key not in _KNOWN:
        return span
    _, first, _ = _KNOWN[key]
    usable = _usable(key, low, high)
    if usable is not None:
        note = f"[usable: {usable}]"
    else:
        note = "[unusable: node too old]" if high < first else "[unusable: node too new]"
    return f"{span} {note}"
