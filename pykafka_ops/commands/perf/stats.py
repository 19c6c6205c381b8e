"""How many records were sent, how fast, and how long each took (ProducerPerformance.Stats of 4.3).

Pure: times come in, in ms.
"""

from __future__ import annotations

from collections.abc import Callable

_SAMPLES = 500_000
_MB = 1024.0 * 1024.0
QUANTILES = (0.5, 0.95, 0.99, 0.999)


class SendStats:
    """``record`` for each record that arrived. ``tell`` gets a line for each ``interval`` ms.

    ``steady``: the figures of what comes after the warm-up.
    """

    def __init__(
        self, records: int, interval: int, now: float, tell: Callable[[str], None],
        *, steady: bool = False,
    ) -> None:  # fmt: skip
        self.start = self._window_start = now
        self.interval, self.tell, self.steady, self.silent = interval, tell, steady, False
        self._every = max(1, records // min(max(records, 1), _SAMPLES))
        self._latencies: list[int] = []
        self.count = self.bytes = self.worst = self._total = 0
        self._new_window(now)

    def _new_window(self, now: float) -> None:
        self._window_start = now
        self._window = self._window_bytes = self._window_total = self._window_worst = 0

    def record(self, latency: int, size: int, now: float) -> None:
        """A record of ``size`` bytes arrived after ``latency`` ms."""
        if self.count % self._every == 0:
            self._latencies.append(latency)
        self.count += 1
        self.bytes += size
        self._total += latency
        self.worst = max(self.worst, latency)
        self._window += 1
        self._window_bytes += size
        self._window_total += latency
        self._window_worst = max(self._window_worst, latency)
        if now - self._window_start >= self.interval:
            if self.steady and self.count == self._window:
                self.tell("In steady state.")
            if not self.silent:
                self.tell(self._window_line(now))
            self._new_window(now)

    def _window_line(self, now: float) -> str:
        elapsed = max(1.0, now - self._window_start)
        rate = 1000.0 * self._window / elapsed
        return (
            f"{self._window} records sent, {rate:.1f} records/sec "
            f"({1000.0 * self._window_bytes / elapsed / _MB:.2f} MB/sec), "
            f"{self._window_total / self._window:.1f} ms avg latency, "
            f"{float(self._window_worst):.1f} ms max latency."
        )

    def facts(self, now: float) -> dict[str, float | int | None]:
        """The figures of the whole: ``latency_*`` in ms, None where nothing arrived."""
        elapsed = max(1.0, now - self.start)
        found: dict[str, float | int | None] = {
            "records": self.count,
            "records_per_sec": 1000.0 * self.count / elapsed,
            "mb_per_sec": 1000.0 * self.bytes / elapsed / _MB,
            "latency_avg": self._total / self.count if self.count else None,
            "latency_max": self.worst if self.count else None,
        }
        values = sorted(self._latencies)
        for quantile in QUANTILES:
            at = values[int(quantile * len(values))] if values else None
            found[f"latency_p{quantile * 100:g}".replace(".", "")] = at
        return found

    def total_line(self, now: float) -> str:
        """The last line."""
        facts = self.facts(now)
        average = facts["latency_avg"]
        mean = "NaN" if average is None else f"{average:.2f}"
        values = [facts[f"latency_p{q}"] or 0 for q in ("50", "95", "99", "999")]
        return (
            f"{self.count}{' steady state' if self.steady else ''} records sent, "
            f"{facts['records_per_sec']:f} records/sec ({facts['mb_per_sec']:.2f} MB/sec), "
            f"{mean} ms avg latency, {float(self.worst):.2f} ms max latency, "
            + ", ".join(f"{v} ms {n}th" for v, n in zip(values, (50, 95, 99, 99.9), strict=True))
            + "."
        )
