"""The cleaner's process as the broker sees it: started at the first job, ended when idle."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import pykafka_ops

if TYPE_CHECKING:  # loaded when there is something to compact
    from pykafka_ops.broker.storage.cleaner.job import (
        CleanedSegment,
        CompactionJob,
        CompactionReport,
    )

_MODULE = "pykafka_ops.broker.storage.cleaner.worker"
_LONGEST_LINE = 64 << 20

Place = Callable[["CleanedSegment"], Awaitable[bool]]
"""Puts a cleaned segment in place; False if the log has changed too much for that."""


class CleaningError(Exception):
    """A compaction did not come to its end."""


class AbortedError(CleaningError):
    """The log was cut, moved or deleted meanwhile."""


class FailedError(CleaningError):
    """The process gave up; ``errno`` is that of a failed disk, else 0."""

    def __init__(self, text: str, errno: int) -> None:
        super().__init__(text)
        self.errno = errno


class CleanerProcess:
    """One child. It reads jobs from a pipe and ends when that is closed, so it cannot outlive the
    broker, however that ends."""

    def __init__(self) -> None:
        self._child: asyncio.subprocess.Process | None = None

    async def run(self, job: CompactionJob, place: Place) -> CompactionReport:
        """Have ``job`` done; ``place`` is awaited for each cleaned segment.

        Raises AbortedError (``place`` refused), FailedError, or CleaningError if the child ended.
        But for FailedError it is gone then.
        """
        from pykafka_ops.broker.storage.cleaner.job import CleanedSegment, CompactionReport

        if self._child is not None and self._child.returncode is not None:
            self._child = None  # it ended while it had nothing to do
        child = self._child or await self._start()
        assert child.stdin is not None and child.stdout is not None
        try:
            child.stdin.write(job.to_json().encode() + b"\n")
            await child.stdin.drain()
            while True:
                line = await child.stdout.readline()
                if not line.endswith(b"\n"):
                    raise CleaningError("the cleaner's process ended")
                answer = json.loads(line)
                if "segment" in answer:
                    if not await place(CleanedSegment(**answer["segment"])):
                        raise AbortedError("the log has changed")
                elif "done" in answer:
                    return CompactionReport(**answer["done"])
                else:
                    raise FailedError(answer["failed"], answer["errno"])
        except FailedError:
            raise
        except (ConnectionError, ValueError) as error:
            await self.kill()
            raise CleaningError(f"the cleaner's process ended: {error}") from error
        except BaseException:
            await self.kill()
            raise

    async def _start(self) -> asyncio.subprocess.Process:
        above = os.path.dirname(os.path.dirname(pykafka_ops.__file__))
        paths = [above, *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        environment.pop("PYTHONHASHSEED", None)  # keys are compared by hashes with a secret
        try:
            child = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", _MODULE),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=environment,
                limit=_LONGEST_LINE,
                start_new_session=True,  # signals of the terminal are for the broker
            )
        except OSError as error:
            raise AbortedError(f"the cleaner's process does not start: {error}") from error
        self._child = child
        return child

    async def kill(self) -> None:
        """End the child, whatever it does."""
        child, self._child = self._child, None
        if child is None:
            return
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
        await child.wait()
