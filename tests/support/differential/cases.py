"""All cases of the differential test; those that change the whole broker come last, one by one."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from tests.support.differential import (
    broker,
    compressed,
    configs,
    fetch,
    group_offsets,
    groups,
    offsets,
    orders,
    produce,
    produce_requests,
    quotas,
    refusals,
    replicas,
    requests,
    sessions,
    topics,
    transaction_admin,
    transactions,
)
from tests.support.differential.core import Case, Outcome, compare

MODULES = (
    broker,
    compressed,
    configs,
    fetch,
    group_offsets,
    groups,
    offsets,
    orders,
    quotas,
    refusals,
    replicas,
    requests,
    produce,
    produce_requests,
    sessions,
    topics,
    transaction_admin,
    transactions,
)
EVERY: list[Case] = sorted((c for m in MODULES for c in m.CASES), key=lambda case: case.alone)
AT_ONCE = 6


class Runner:
    """Runs cases beside each other, since a broker mostly makes one wait."""

    def __init__(self, cases: Iterable[Case], prefix: str, ours: str, theirs: str) -> None:
        self._about = (prefix, ours, theirs)
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._running: dict[str, Future[Outcome]] = {
            case.title: self._pool.submit(compare, case, *self._about)
            for case in cases
            if not case.alone
        }

    def outcome(self, case: Case) -> Outcome:
        """What a case found; a case that must be alone waits for all others, then runs."""
        if not case.alone:
            return self._running[case.title].result()
        self._pool.shutdown(wait=True)
        return compare(case, *self._about)

    def again(self, case: Case) -> Outcome:
        """What a case finds that runs once more, under other names."""
        prefix, *brokers = self._about
        return compare(case, f"{prefix}again", *brokers)

    def close(self) -> None:
        """Do not begin what has not begun."""
        self._pool.shutdown(wait=True, cancel_futures=True)
