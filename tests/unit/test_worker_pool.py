"""Worker processes: begun as asked, missed when killed, gone when the work is given up."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from pykafka_ops.errors import StorageError
from pykafka_ops.worker_pool import worker_pool

_word = ""


def _begin(word: str) -> None:
    global _word
    _word = word


def _told() -> str:
    return _word


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _wait_for_ever(begun: Path) -> None:
    begun.touch()
    signal.pause()


def test_each_process_is_begun_with_what_is_given() -> None:
    with worker_pool(1, "counting", _begin, "hello") as pool:
        assert pool.submit(_told).result() == "hello"


def test_a_process_that_is_killed_is_one_clear_error() -> None:
    told = pytest.raises(StorageError, match="a counting process died, was it killed")
    with told, worker_pool(1, "counting") as pool:
        pool.submit(_die).result()


def test_work_that_is_given_up_is_not_waited_for(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    with pytest.raises(KeyboardInterrupt), worker_pool(1, "counting") as pool:
        pool.submit(_wait_for_ever, begun)
        while not begun.exists():
            os.sched_yield()
        raise KeyboardInterrupt
    assert multiprocessing.active_children() == []
