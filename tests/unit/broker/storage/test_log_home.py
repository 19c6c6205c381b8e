"""A data directory whose disk fails, or is full."""

from __future__ import annotations

import errno

import pytest

from pykafka_ops.broker.storage.log_home import LogHome, NoSpaceError
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.files import MemoryFiles


@pytest.fixture
def home() -> LogHome:
    return LogHome("/data", MemoryFiles())


def test_a_failing_disk_takes_the_directory_offline_once(home: LogHome) -> None:
    heard: list[OSError] = []
    home.on_failure = lambda _, error: heard.append(error)
    home.check()
    first = OSError(errno.EIO, "Input/output error")
    refused = [home.fail(error) for error in (first, OSError(errno.EROFS, "Read-only"))]
    assert [r.code for r in refused] == [ErrorCode.KAFKA_STORAGE_ERROR] * 2
    assert (heard, home.online) == ([first], False)
    with pytest.raises(KafkaError, match="/data: Input/output error"):
        home.check()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_does_not(home: LogHome, code: int) -> None:
    full: list[LogHome] = []
    home.on_full = full.append
    assert isinstance(home.fail(OSError(code, "full")), NoSpaceError)
    assert (full, home.online) == ([home], True)


class Told:
    """A job that notes what was called."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def run(self) -> None:
        self.calls.append("run")

    def done(self) -> None:
        self.calls.append("done")


def test_without_a_runner_jobs_and_what_is_for_later_are_done_at_once(home: LogHome) -> None:
    job = Told()
    home.submit(job)
    home.schedule(60_000, lambda: job.calls.append("later"))
    assert job.calls == ["run", "done", "later"]


def test_a_runner_gets_jobs_and_the_time_for_what_is_for_later(home: LogHome) -> None:
    job, jobs, later = Told(), [], []
    home.submitted = jobs.append
    home.delete_later = lambda at, action: later.append(at)
    home.settings.timer = lambda: 5.0
    home.submit(job)
    home.schedule(60_000, job.done)
    assert (jobs, later, job.calls) == ([job], [60_005.0], [])
