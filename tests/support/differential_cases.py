"""All cases of the differential test; those that change the whole broker come last, one by one."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from tests.support import (
    differential_broker,
    differential_compressed,
    differential_configs,
    differential_fetch,
    differential_group_offsets,
    differential_groups,
    differential_offsets,
    differential_orders,
    differential_produce,
    differential_produce_requests,
    differential_quotas,
    differential_requests,
    differential_sessions,
    differential_topics,
    differential_transaction_admin,
    differential_transactions,
)
from tests.support.differential import Case, Outcome, compare

MODULES = (
    differential_broker,
    differential_compressed,
    differential_configs,
    differential_fetch,
    differential_group_offsets,
    differential_groups,
    differential_offsets,
    differential_orders,
    differential_quotas,
    differential_requests,
    differential_produce,
    differential_produce_requests,
    differential_sessions,
    differential_topics,
    differential_transaction_admin,
    differential_transactions,
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

    def close(self) -> None:
        """Do not begin what has not begun."""
        self._pool.shutdown(wait=True, cancel_futures=True)
