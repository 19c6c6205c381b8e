"""Sessions end, and neither they nor failed logins can fill the memory."""

from __future__ import annotations

from pykafka_ops.monitor.access import attempts, sessions
from pykafka_ops.monitor.access.attempts import Attempts
from pykafka_ops.monitor.access.sessions import MOST_EACH, Sessions


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self) -> int:
        return self.now


def test_a_session_ends_when_it_is_not_used_or_too_old_or_logged_out() -> None:
    clock = Clock()
    all_ = Sessions(clock, idle_ms=100, longest_ms=1000)
    used, idle, out = (all_.open("anna") for _ in range(3))
    found = all_.find(out)
    assert found is not None
    all_.close(found.key)
    assert all_.find(out) is None
    for _ in range(19):
        clock.now += 50
        assert all_.find(used) is not None
    assert all_.find(idle) is None
    clock.now += 50
    assert all_.find(used) is None
    assert len(all_) == 0


def test_what_a_page_does_by_itself_keeps_no_session_alive() -> None:
    clock = Clock()
    all_ = Sessions(clock, idle_ms=100, longest_ms=1000)
    secret = all_.open("anna")
    clock.now += 99
    assert all_.find(secret, use=False) is not None
    clock.now += 1
    assert all_.find(secret) is None


def test_the_secret_is_not_kept_and_no_other_opens() -> None:
    all_ = Sessions(Clock(), 100, 1000)
    secret = all_.open("anna")
    found = all_.find(secret)
    assert found is not None
    assert secret not in repr(found)
    assert all_.find(found.key) is None
    assert all_.find("") is None
    assert all_.find("\udc80" * 10_000) is None


def test_a_person_has_so_many_sessions_and_all_persons_so_many() -> None:
    clock = Clock()
    all_ = Sessions(clock, 100, 1000)
    mine = [all_.open("anna") for _ in range(MOST_EACH + 1)]
    assert [all_.find(one) is not None for one in mine] == [False, *[True] * MOST_EACH]
    others = [all_.open(f"user {n}") for n in range(sessions.MOST)]
    assert len(all_) == sessions.MOST
    assert all_.find(others[-1]) is not None
    assert all_.find(mine[-1]) is None
    clock.now += 100
    all_.open("ben")
    assert len(all_) == 1, "those that have ended make room first"


def test_failures_of_an_address_take_longer_and_longer() -> None:
    clock = Clock()
    tries = Attempts(clock)
    assert [tries.begin("a") for _ in range(7)] == [0] * attempts.FREE + [1000, 1000]
    clock.now += 1000
    assert [tries.begin("a"), tries.begin("a")] == [0, 2000]
    assert tries.begin("b") == 0
    for _ in range(12):
        clock.now += attempts.LONGEST_MS
        assert tries.begin("a") == 0
    assert tries.begin("a") == attempts.LONGEST_MS
    tries.succeeded("a")
    assert tries.begin("a") == 0


def test_failures_are_forgotten() -> None:
    clock = Clock()
    tries = Attempts(clock)
    for _ in range(10):
        tries.begin("a")
    clock.now += attempts.FORGOTTEN_MS
    assert [tries.begin("a") for _ in range(6)] == [0] * attempts.FREE + [1000]


def test_no_crowd_of_addresses_fills_the_memory() -> None:
    tries = Attempts(Clock())
    for n in range(3 * attempts.MOST):
        tries.begin(f"address {n}")
    assert len(tries) == attempts.MOST
