"""Which broker coordinates a group or a transactional id (KIP-699: many in one request)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from pykafka_ops.client.answers import complete, error_of, taken_apart
from pykafka_ops.client.cluster import ANY, TRANSIENT, Cluster, Question, lasting
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import find_coordinator as fc

R = TypeVar("R")
V = TypeVar("V")

GROUP: Final = 0
TRANSACTION: Final = 1
LEAST_PART: Final = 500
MOST_PARTS: Final = 4
"""Most keys in a request to one coordinator, and most requests to it at a time."""
_PASSING: Final = (
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.CONCURRENT_TRANSACTIONS,
)


def find_coordinators(
    cluster: Cluster, keys: Sequence[str], kind: int = GROUP, name: str = "findCoordinator"
) -> dict[str, int | PkoError]:
    """The node id that coordinates each key; tried again while coordinators are coming up."""
    return _until_settled(cluster, keys, lambda pending: _find(cluster, pending, kind, name))


def _passes(result: object, config: ClientConfig, age: float) -> bool:
    """Whether another try, of another coordinator perhaps, may help, ``age`` seconds after the
    first."""
    if isinstance(result, KafkaError):
        return result.code in _PASSING and age <= config.api_timeout
    return isinstance(result, TRANSIENT) and age <= lasting(config, result)


def _until_settled(
    cluster: Cluster, keys: Iterable[str], ask: Callable[[list[str]], dict[str, V]]
) -> dict[str, V]:
    """The answer of ``ask`` for each key; passing errors are retried within the time of a call."""
    wanted = list(dict.fromkeys(keys))
    results: dict[str, V] = {}
    pending = wanted
    started, wait = time.monotonic(), cluster.config.backoff
    while pending:
        results.update(ask(pending))
        age = time.monotonic() + wait - started
        pending = [k for k in pending if _passes(results[k], cluster.config, age)]
        if pending:
            time.sleep(wait)
            wait = min(wait * 2, cluster.config.backoff_max)
    return {k: results[k] for k in wanted}


def _find(cluster: Cluster, keys: Sequence[str], kind: int, name: str) -> dict[str, int | PkoError]:
    cluster.brokers(name)
    request = fc.FindCoordinatorRequest(coordinator_keys=list(keys), key_type=kind)
    try:
        response = cluster.call(request, fc.FindCoordinatorResponse, name=name, lowest=4)
    except UnsupportedVersionError:
        return _one_by_one(cluster, keys, kind)
    found: dict[str, int | PkoError] = {
        c.key: error_of(c) or c.node_id for c in response.coordinators
    }
    return {**complete(found, keys)}


def _one_by_one(cluster: Cluster, keys: Sequence[str], kind: int) -> dict[str, int | PkoError]:
    """Brokers before 2.8 take one key a question."""
    questions = [
        Question(
            ANY, fc.FindCoordinatorRequest(key=key, key_type=kind), fc.FindCoordinatorResponse, 0, 3
        )
        for key in keys
    ]
    found: dict[str, int | PkoError] = {}
    for key, answer in zip(keys, cluster.call_each(questions, name="findCoordinator"), strict=True):
        found[key] = answer if isinstance(answer, PkoError) else error_of(answer) or answer.node_id
    return found


Ask = Callable[[int, list[str]], Question]
"""The question to one coordinator (node id) about its keys."""
Answers = Iterable[tuple[str, KafkaError | None, R]]
"""What an answer says of each key: which, its error, else its value."""


def ask_coordinators(
    cluster: Cluster,
    keys: Iterable[str],
    ask: Ask,
    read: Callable[[Any], Answers[R]],
    *,
    kind: int = GROUP,
    name: str,
) -> dict[str, R | PkoError]:
    """For each key the value its coordinator gives, or the PkoError that stands for it.

    What may pass (a coordinator that moves or loads, a transaction that is being ended) is tried
    again within the time of a call.
    Source: CoordinatorStrategy and AdminApiDriver of Kafka's admin client.
    """
    return _until_settled(
        cluster, keys, lambda pending: _ask_once(cluster, pending, ask, read, kind, name)
    )


def ask_coordinator(
    cluster: Cluster,
    key: str,
    request: Any,
    answer: type[R],
    *,
    kind: int = GROUP,
    lowest: int = 0,
    highest: int = 0x7FFF,
    codes: Callable[[Any], Iterable[int]] = lambda got: [got.error_code],
) -> R:
    """What the coordinator of one key answers: no error that may pass, but any other.

    ``codes`` finds the errors in an answer. Raises PkoError.
    """

    def ask(node: int, keys: list[str]) -> Question:
        return Question(node, request, answer, lowest, highest)

    def read(got: Any) -> Answers[R]:
        passing = [code for code in codes(got) if code in _PASSING]
        yield key, KafkaError(passing[0]) if passing else None, got

    name = type(request).__wire__.name.removesuffix("Request")
    found = ask_coordinators(cluster, [key], ask, read, kind=kind, name=name)[key]
    if isinstance(found, PkoError):
        raise found
    return found


def _ask_once(
    cluster: Cluster,
    keys: Sequence[str],
    ask: Ask,
    read: Callable[[Any], Answers[R]],
    kind: int,
    name: str,
) -> dict[str, R | PkoError]:
    """Find the coordinators, ask each for its keys, take the answers apart."""
    results: dict[str, R | PkoError] = {}
    by_node: dict[int, list[str]] = {}
    for key, node in _nodes(cluster, keys, kind, f"{name}(api=FIND_COORDINATOR)").items():
        if isinstance(node, PkoError):
            results[key] = node
        else:
            by_node.setdefault(node, []).append(key)
    parts = [(node, part) for node, mine in by_node.items() for part in _parts(mine)]
    answers = cluster.call_each([ask(*part) for part in parts], name=name, once=True)
    for (_, covered), answer in zip(parts, answers, strict=True):
        results.update(taken_apart(covered, answer, read))
    for key, result in results.items():
        if isinstance(result, PkoError):
            cluster.coordinators.pop((kind, key), None)
    return results


def _nodes(
    cluster: Cluster, keys: Sequence[str], kind: int, name: str
) -> dict[str, int | PkoError]:
    """The coordinator of each key: as remembered, which is found out where it is no longer true,
    or as the brokers say now: who asks tries again."""
    known = cluster.coordinators
    found: dict[str, int | PkoError] = {k: known[kind, k] for k in keys if (kind, k) in known}
    missing = [k for k in keys if k not in found]
    asked = _find(cluster, missing, kind, name) if missing else {}
    known.update({(kind, k): n for k, n in asked.items() if isinstance(n, int)})
    return {**found, **asked}


def _parts(keys: list[str]) -> list[list[str]]:
    """Many keys in a few requests: while one is answered, the answer before is read."""
    size = max(LEAST_PART, -(-len(keys) // MOST_PARTS))
    return [keys[n : n + size] for n in range(0, len(keys), size)]
