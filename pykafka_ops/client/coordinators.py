"""Which broker coordinates a group or a transactional id (KIP-699 for many in one question)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from pykafka_ops.client.cluster import ANY, TRANSIENT, Cluster, Question, complete
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

R = TypeVar("R")

GROUP: Final = 0
TRANSACTION: Final = 1
_LATER: Final = (ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)


def find_coordinators(
    cluster: Cluster, keys: Sequence[str], kind: int = GROUP, name: str = "findCoordinator"
) -> dict[str, int | PkoError]:
    """The node id that coordinates each key; tried again while coordinators are coming up."""
    found: dict[str, int | PkoError] = {}
    pending = list(dict.fromkeys(keys))
    deadline, wait = time.monotonic() + cluster.config.api_timeout, cluster.config.backoff
    while pending:
        found.update(_find(cluster, pending, kind, name))
        pending = [k for k in pending if _later(found[k])]
        if not pending or time.monotonic() + wait > deadline:
            return found
        time.sleep(wait)
        wait = min(wait * 2, cluster.config.backoff_max)
    return found


def _later(result: int | PkoError) -> bool:
    return isinstance(result, KafkaError) and result.code in _LATER


def _find(cluster: Cluster, keys: Sequence[str], kind: int, name: str) -> dict[str, int | PkoError]:
    cluster.brokers(name)
    request = FindCoordinatorRequest(coordinator_keys=list(keys), key_type=kind)
    try:
        response = cluster.call(request, FindCoordinatorResponse, name=name, lowest=4)
    except UnsupportedVersionError:
        return _one_by_one(cluster, keys, kind)
    found: dict[str, int | PkoError] = {
        c.key: KafkaError(c.error_code, c.error_message or "") if c.error_code else c.node_id
        for c in response.coordinators
    }
    return {**complete(found, keys)}


def _one_by_one(cluster: Cluster, keys: Sequence[str], kind: int) -> dict[str, int | PkoError]:
    """Brokers before 2.8 take one key a question."""
    questions = [
        Question(ANY, FindCoordinatorRequest(key=key, key_type=kind), FindCoordinatorResponse, 0, 3)
        for key in keys
    ]
    found: dict[str, int | PkoError] = {}
    for key, answer in zip(keys, cluster.call_each(questions, name="findCoordinator"), strict=True):
        if isinstance(answer, PkoError):
            found[key] = answer
        elif answer.error_code:
            found[key] = KafkaError(answer.error_code, answer.error_message or "")
        else:
            found[key] = answer.node_id
    return found


Read = Callable[[Any], Iterable[tuple[str, int, str | None, R]]]
"""What an answer says of each key: which, error code, error text, value."""


def ask_coordinators(
    cluster: Cluster,
    keys: Iterable[str],
    ask: Callable[[int, list[str]], list[tuple[Question, list[str]]]],
    read: Read[R],
    *,
    kind: int = GROUP,
    name: str,
) -> dict[str, R | PkoError]:
    """For each key the value its coordinator gives, or the PkoError that stands for it.

    ``ask(node, keys)`` makes the questions to one coordinator, each with the keys it covers. What
    may pass (a coordinator that moves or loads) is tried again within the time of a call.
    Source: CoordinatorStrategy and AdminApiDriver of Kafka's admin client.
    """
    wanted = list(dict.fromkeys(keys))
    results: dict[str, R | PkoError] = {}
    pending = wanted
    deadline, wait = time.monotonic() + cluster.config.api_timeout, cluster.config.backoff
    while pending:
        results.update(_ask_once(cluster, pending, ask, read, kind, name))
        pending = [k for k in pending if _passes(results[k])]
        if not pending or time.monotonic() + wait > deadline:
            break
        time.sleep(wait)
        wait = min(wait * 2, cluster.config.backoff_max)
    return {k: results[k] for k in wanted}


def _passes(result: object) -> bool:
    if isinstance(result, KafkaError):
        return result.code in _LATER or result.code == ErrorCode.NOT_COORDINATOR
    return isinstance(result, TRANSIENT)


def _ask_once(
    cluster: Cluster,
    keys: Sequence[str],
    ask: Callable[[int, list[str]], list[tuple[Question, list[str]]]],
    read: Read[R],
    kind: int,
    name: str,
) -> dict[str, R | PkoError]:
    """Find the coordinators, ask each for its keys, take the answers apart."""
    results: dict[str, R | PkoError] = {}
    by_node: dict[int, list[str]] = {}
    for key, node in find_coordinators(
        cluster, keys, kind, f"{name}(api=FIND_COORDINATOR)"
    ).items():
        if isinstance(node, PkoError):
            results[key] = node
        else:
            by_node.setdefault(node, []).append(key)
    questions = [q for node, mine in by_node.items() for q in ask(node, mine)]
    answers = cluster.call_each([q for q, _ in questions], name=name, once=True)
    for (_, covered), answer in zip(questions, answers, strict=True):
        if isinstance(answer, PkoError):
            results.update(dict.fromkeys(covered, answer))
            continue
        results.update(complete({}, covered))
        for key, code, text, value in read(answer):
            results[key] = KafkaError(code, text or "") if code else value
    return results
