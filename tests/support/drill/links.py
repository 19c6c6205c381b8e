"""The mirrors of a drill: for each pair of clusters a file and processes that share its work."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.drill.sites import DrillSite
from tests.support.process.console import pko
from tests.support.process.mirror import MirrorProcess
from tests.support.waiting import wait_for

CAUGHT_UP_SECONDS = 300.0


class DrillPair(NamedTuple):
    """Clusters by alias; ``->`` copies one way, ``<->`` both."""

    a: str
    b: str
    both: bool

    @classmethod
    def of(cls, text: str, aliases: Sequence[str]) -> DrillPair:
        """``ours->apache3``, ``ours<->apache4``. ValueError."""
        a, arrow, b = text.partition("<->" if "<->" in text else "->")
        if not arrow or a == b or a not in aliases or b not in aliases:
            raise ValueError(f"{text!r}: write A->B or A<->B with two of {', '.join(aliases)}")
        return cls(a, b, arrow == "<->")

    def ways(self) -> Iterator[tuple[str, str]]:
        """Source and target of each link."""
        yield self.a, self.b
        if self.both:
            yield self.b, self.a


class DrillMirror:
    """The processes of a pair. ``deletes`` as in the file."""

    def __init__(
        self,
        pair: DrillPair,
        sites: Mapping[str, DrillSite],
        topics: Sequence[str],
        directory: Path,
        *,
        deletes: str,
        processes: int,
    ) -> None:
        self.pair, self.deletes, self._count = pair, deletes, processes
        self.file = directory / f"{pair.a}-{pair.b}.toml"
        clusters = (
            f'[cluster.{alias}]\nbootstrap-server = "{sites[alias].bootstrap}"\n'
            for alias in (pair.a, pair.b)
        )
        self.file.write_text(
            'listen = "127.0.0.1:0"\n'
            + "".join(clusters)
            + f'[[link]]\nfrom = "{pair.a}"\nto = "{pair.b}"\n'
            + f"both-ways = {str(pair.both).lower()}\n"
            + f'topics = {json.dumps(list(topics))}\ndeletes = "{deletes}"\n'
            + 'topics-every = "500ms"\nconfigs-every = "5s"\ngroups-every = "2s"\n'
        )
        self.processes: list[MirrorProcess] = []
        self._log = self.file.with_suffix(".log")

    def start(self) -> None:
        """As many processes as are to share the work."""
        while len(self.processes) < self._count:
            self.processes.append(MirrorProcess(self.file))

    def kill(self, number: int) -> None:
        """kill -9 of one; AssertionError where it has ended by itself."""
        one = self.processes.pop(number % len(self.processes))
        assert one.process.poll() is None, f"{self.file}: ended by itself: {one.lines[-5:]}"
        self._end(one, signal.SIGKILL)

    def close(self) -> list[int]:
        """Stop them all; their exit codes."""
        codes = [self._end(one, signal.SIGTERM) for one in self.processes]
        self.processes.clear()
        return codes

    def _end(self, one: MirrorProcess, number: signal.Signals) -> int:
        code = one.end(number)
        with self._log.open("a") as log:
            log.writelines(f"{line}\n" for line in (*one.lines, f"--- ended with {code}"))
        return code

    def log_text(self) -> str:
        """What processes that have ended said."""
        return self._log.read_text() if self._log.exists() else ""

    def rows(self) -> list[dict[str, Any]]:
        """Of ``pko mirror status``; none where a cluster does not answer."""
        done = pko("mirror", "status", str(self.file), "-o", "json")
        return json.loads(done.stdout)["items"] if done.returncode == 0 else []

    def caught_up(self, topics: int) -> None:
        """Wait until ``pko mirror status`` says that everything is copied, of so many topics and
        way."""
        wanted = topics * (2 if self.pair.both else 1)
        last: list[dict[str, Any]] = []

        def all_copied() -> bool:
            rows = self.rows()
            last[:] = [row for row in rows if row["lag"] != 0 or row["state"] != "ok"]
            return len(rows) == wanted and not last

        wait_for(all_copied, what=f"{self.file.name} has caught up", about=last, poll=0.5,
                 seconds=CAUGHT_UP_SECONDS)  # fmt: skip
