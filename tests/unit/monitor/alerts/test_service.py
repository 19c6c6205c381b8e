"""The whole of it: rounds in, messages at real servers, over kill -9 and with two monitors."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.alerts.delivery.failure import DeliveryError
from pykafka_ops.monitor.alerts.rules.model import PollRound
from pykafka_ops.monitor.alerts.service import AlertService, send_test, wall_ms
from pykafka_ops.monitor.alerts.settings.tables import AlertSettings, alert_settings
from pykafka_ops.monitor.alerts.store.database import AlertDatabase
from pykafka_ops.monitor.alerts.store.lease import TTL_SECONDS, FileLease, Lease
from pykafka_ops.monitor.alerts.store.spool import FIRST_WAIT_MS, MOST_WAIT_MS, wait_ms
from tests.support.monitor.alert_receivers import Hook, hook
from tests.support.monitor.alert_world import group
from tests.support.waiting import wait_for

Make = Callable[..., AlertService]


def settings(*urls: str, **more: object) -> AlertSettings:
    notify = {f"r{n}": {"url": url} for n, url in enumerate(urls)}
    rule = {"name": "late", "when": "lag>10", "groups": ".*"}
    general = {"built_in": False, "window": 0}
    return alert_settings({"alerts": general, "alert": [rule], "notify": notify, **more}, "m.toml")


@pytest.fixture
def there() -> Iterator[Hook]:
    with hook() as found:
        yield found


@pytest.fixture
def make(tmp_path: Path, there: Hook) -> Iterator[Make]:
    made: list[AlertService] = []

    def one(found: AlertSettings | None = None, **more: Any) -> AlertService:
        service = AlertService(
            found or settings(there.url), str(tmp_path / "alerts.db"), ["prod"], **more
        )
        made.append(service)
        service.start()
        return service

    yield one
    for service in made:
        service.close()


def lease_by(clock: Callable[[], float]) -> Callable[[AlertDatabase], Lease]:
    """A lease that goes by this clock, in seconds."""
    return lambda database: FileLease(database, clock=clock)


def poll(*services: AlertService, lag: int | None) -> None:
    for service in services:
        service.take(PollRound("prod", wall_ms(), [group(lag=lag)]))
        service.step()


def phases(there: Hook) -> list[str]:
    return [body["phase"] for body in there.bodies()]


def test_an_alert_is_told_when_it_begins_and_when_it_ends(make: Make, there: Hook) -> None:
    service = make()
    poll(service, lag=20)
    wait_for(lambda: len(there.got) == 1)
    poll(service, lag=None)
    poll(service, lag=2)
    wait_for(lambda: len(there.got) == 2)
    opened, closed = there.bodies()
    assert (opened["state"], closed["state"]) == ("firing", "resolved")
    assert opened["id"] == closed["id"]
    assert wait_for(lambda: service.spool.counts()["sent"] == 2)
    assert service.state().leads


def test_a_receiver_that_fails_is_tried_again_and_one_that_is_slow_holds_up_nobody(
    make: Make, there: Hook
) -> None:
    later = [0]
    with hook() as slow:
        slow.hold.clear()
        service = make(settings(slow.url, there.url), now=lambda: wall_ms() + later[0])
        there.codes = [503]
        poll(service, lag=20)
        wait_for(lambda: len(there.got) == 1)
        wait_for(lambda: any("HTTP 503" in d.reason for d in service.deliveries()))
        later[0] = FIRST_WAIT_MS
        service._workers.wake()
        wait_for(lambda: len(there.got) == 2)
        assert slow.got == []
        assert len({body["key"] for body in there.bodies()}) == 1
        slow.hold.set()
        wait_for(lambda: len(slow.got) >= 1)


def test_what_lasts_is_given_up_with_its_reason_and_its_end_is_not_told(
    make: Make, there: Hook
) -> None:
    service = make()
    there.codes = [404]
    poll(service, lag=20)
    (dead,) = wait_for(lambda: [d for d in service.deliveries() if d.state == "dead"])
    assert dead.reason.startswith("HTTP 404")
    poll(service, lag=2)
    wait_for(lambda: service.spool.counts()["dead"] == 2)
    assert len(there.got) == 1
    assert service.spool.again(dead.id, wall_ms())
    service._workers.wake()
    wait_for(lambda: len(there.got) == 2)


def test_silences_and_acknowledgements_survive(make: Make, there: Hook, tmp_path: Path) -> None:
    service = make()
    made = service.silence(
        {"groups": "bill.*", "until": "2999-01-01", "who": "ann", "why": "planned"}
    )
    poll(service, lag=20)
    assert there.got == []
    service.close()
    again = make()
    assert [s.id for s in again.state().silences] == [made.id]
    again.end_silence(made.id)
    poll(again, lag=20)
    wait_for(lambda: len(there.got) == 1)
    again.acknowledge(again.state().firing[0].id, "ann", "on it")
    again.close()
    third = make()
    assert third.state().firing[0].acknowledged == "ann: on it"
    with pytest.raises(UsageError, match="no alert nonsense"):
        third.acknowledge("nonsense", "ann")


def test_two_monitors_tell_once_and_the_second_goes_on_when_the_first_is_gone(
    make: Make, there: Hook
) -> None:
    spans = [0.0, 0.0]
    first, second = (make(lease=lease_by(lambda n=n: spans[n])) for n in (0, 1))
    poll(first, second, lag=20)
    wait_for(lambda: len(there.got) == 1)
    assert (first.state().leads, second.state().leads) == (True, False)
    with pytest.raises(UsageError, match="another monitor"):
        second.acknowledge("x", "ann")
    first._ended.set()  # killed: it gives nothing up
    first._thread.join()
    spans[:] = [TTL_SECONDS, TTL_SECONDS]
    poll(second, lag=20)
    assert not first.lease.held() and not second.state().leads, "the other may be slow"
    spans[1] = 3 * TTL_SECONDS
    poll(second, lag=20)
    assert second.state().leads
    poll(second, lag=2)
    wait_for(lambda: len(there.got) == 2)
    assert phases(there) == ["open", "close"]
    assert len({body["id"] for body in there.bodies()}) == 1


CHILD = """
    import json, sys, time
    from pykafka_ops.monitor.alerts.rules.model import PollRound, Subject
    from pykafka_ops.monitor.alerts.service import AlertService, wall_ms
    from pykafka_ops.monitor.alerts.settings.tables import alert_settings
    service = AlertService(alert_settings(json.loads(sys.argv[1]), "m"), sys.argv[2], ["prod"])
    service.start()
    service.take(PollRound("prod", wall_ms(), [Subject("group", "billing", {"lag": 20})]))
    service.step()
    print(service.spool.counts()["waiting"] + service.spool.counts()["sent"], flush=True)
    time.sleep(600)
"""


def test_a_kill_loses_no_message_and_tells_none_anew(
    make: Make, there: Hook, tmp_path: Path
) -> None:
    there.hold.clear()
    document = {
        "alerts": {"built_in": False, "window": 0},
        "alert": [{"name": "late", "when": "lag>10", "groups": ".*"}],
        "notify": {"r0": {"url": there.url}},
    }
    import json

    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), json.dumps(document),
         str(tmp_path / "alerts.db")],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == "1\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    there.hold.set()
    later, spans = [0], [0.0]
    service = make(now=lambda: wall_ms() + later[0], lease=lease_by(lambda: spans[0]))
    assert not service.state().leads
    spans[0] = 2 * TTL_SECONDS
    service.step()
    assert service.state().leads
    later[0] = MOST_WAIT_MS // 2
    poll(service, lag=20)
    service._workers.wake()
    wait_for(lambda: service.spool.counts()["sent"] == 1)
    poll(service, lag=2)
    wait_for(lambda: "close" in phases(there))
    assert len({body["key"] for body in there.bodies()}) == 2
    assert len({body["id"] for body in there.bodies()}) == 1


def test_waits_grow_to_a_bound() -> None:
    assert [wait_ms(n) for n in (1, 2, 3)] == [5_000, 10_000, 20_000]
    assert wait_ms(500) == MOST_WAIT_MS


def test_a_test_is_sent_to_a_receiver_or_to_those_of_a_rule(there: Hook) -> None:
    found = settings(there.url)
    assert send_test(found, "r0", wall_ms()) == "sent a test alert, opened and resolved, to r0"
    send_test(found, "late", wall_ms())
    assert phases(there) == ["open", "close", "open", "close"]
    with pytest.raises(UsageError, match="did you mean late"):
        send_test(found, "lat", wall_ms())
    with pytest.raises(UsageError, match="has no receiver"):
        send_test(settings(), "late", wall_ms())
    there.codes = [404]
    with pytest.raises(DeliveryError, match="HTTP 404"):
        send_test(found, "r0", wall_ms())
