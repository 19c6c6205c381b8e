"""Nothing that goes wrong in the background is lost, and nothing else stops for it."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import pykafka_ops.broker
from pykafka_ops.broker import jobs
from pykafka_ops.broker.deadline_timer import DeadlineTimer
from pykafka_ops.broker.storage.background import Background
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.storage_site import TOPIC_ID, Site, append
from tests.support.waiting import wait_for

BROKER = Path(pykafka_ops.broker.__file__).parent
ELSEWHERE = {
    "runtime/process.py": 2,  # whose outcome is awaited
    "runtime/sockets/server.py": 1,  # whose outcome goes to a client
    "jobs.py": 1,
}


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno == logging.ERROR]


def boom() -> None:
    raise ZeroDivisionError("boom")


def test_tasks_are_started_in_one_place() -> None:
    found = {
        str(path.relative_to(BROKER)): len(calls)
        for path in BROKER.rglob("*.py")
        if (calls := re.findall(r"\.create_task\(|\bensure_future\(", path.read_text()))
    }
    assert found == ELSEWHERE


def test_what_was_foreseen_is_told_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    def refuse(text: str) -> None:
        raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, text)

    jobs.attempt("the job", lambda: refuse("the disk is gone"))
    jobs.attempt("the job", lambda: refuse(""))
    assert said(caplog) == ["the job: the disk is gone", "the job: KAFKA_STORAGE_ERROR"]
    assert [r.exc_info for r in caplog.records] == [None, None]


def test_a_task_that_failed_is_told_by_its_name(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        boom()

    async def body() -> None:
        asyncio.get_running_loop().set_exception_handler(jobs.uncaught)
        kept = jobs.start("the job", fail())
        await asyncio.wait([kept])
        await asyncio.sleep(0)
        cancelled = jobs.start("another", asyncio.sleep(60))
        cancelled.cancel()
        await asyncio.wait([cancelled])

    asyncio.run(body())
    assert said(caplog) == ["the job failed: ZeroDivisionError('boom')"]
    assert caplog.records[-1].exc_info is not None


def test_what_the_loop_calls_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(jobs.uncaught)
        loop.call_soon(boom)
        await asyncio.sleep(0)

    asyncio.run(body())
    (line,) = said(caplog)
    assert "boom" in line


class BadJob:
    def __init__(self, run: Callable[[], None], done: Callable[[], None]) -> None:
        self.run, self.done = run, done


def test_a_thread_goes_on_after_a_job_that_failed(caplog: pytest.LogCaptureFixture) -> None:
    over: list[str] = []
    background = Background(1)
    background.submit(BadJob(boom, lambda: over.append("never")))
    background.submit(BadJob(lambda: None, boom))
    background.submit(BadJob(lambda: None, lambda: over.append("job")))
    background.schedule(0, boom)
    background.schedule(0, lambda: over.append("later"))

    def finished() -> bool:
        background.tick(1)
        return len(over) == 2

    wait_for(finished, what="the other jobs")
    background.stop()
    assert set(over) == {"job", "later"}
    assert sorted(said(caplog)) == [
        "BadJob failed: ZeroDivisionError('boom')",
        "BadJob failed: ZeroDivisionError('boom')",
        "work for later failed: ZeroDivisionError('boom')",
    ]


def test_what_jobs_lead_to_at_the_end_is_done(caplog: pytest.LogCaptureFixture) -> None:
    over: list[str] = []
    background = Background(1)
    after = BadJob(lambda: over.append("run"), lambda: over.append("done"))
    background.submit(BadJob(lambda: None, lambda: background.submit(after)))
    background.stop()
    assert over == ["run", "done"] and said(caplog) == []


def test_a_deadline_that_failed_comes_again(caplog: pytest.LogCaptureFixture) -> None:
    class Loop:
        calls: list[tuple[float, Callable[[], None]]] = []  # noqa: RUF012 - of this test

        def call_later(self, delay: float, call: Callable[[], None]) -> object:
            self.calls.append((delay, call))
            return None

    loop = Loop()
    timer = DeadlineTimer(loop, lambda: 0.0)  # type: ignore[arg-type]  # a double
    timer.due = boom  # type: ignore[assignment]  # it never gets to a result
    timer.arm(5)
    loop.calls[-1][1]()
    assert (len(loop.calls), len(said(caplog))) == (2, 1)


def test_one_bad_log_does_not_keep_the_others_from_upkeep(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    site = Site(dirs=("/a",))
    logs = site.start()
    made = [logs.create("t", n, TOPIC_ID) for n in range(3)]
    for log in made:
        append(log, b"x")
    expired: list[str] = []

    def expire(log: Log) -> object:
        if log.place.key[1] == 1:
            boom()
        expired.append(log.place.name)
        return log.tail.producers

    monkeypatch.setattr(Log, "producers", property(expire))
    site.pass_time(600_000, lambda: site.files.exists("/a/recovery-point-offset-checkpoint"))
    assert {"t-0", "t-2"} <= set(expired)
    assert "expiry of producers of t-1 failed: ZeroDivisionError('boom')" in said(caplog)
    monkeypatch.undo()
    site.kill()
