"""A history in a process of its own: killed while it records, and the memory that it takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pykafka_ops.monitor.history.model import SeriesKey
from pykafka_ops.monitor.history.store import History

ROOT = Path(__file__).resolve().parents[4]
START = 1_700_000_000_000
STEP = 60_000
SERIES = 20
RECORDS = f"""
import sys
from pykafka_ops.monitor.history.model import HistoryLimits, SeriesKey
from pykafka_ops.monitor.history.store import History
history = History(sys.argv[1], HistoryLimits(flush_ms=20, memory_bytes=20_000))
keys = [SeriesKey("group", f"g{{index}}", "lag") for index in range({SERIES})]
number = 0
while True:
    history.record("c", {START} + number * {STEP}, dict.fromkeys(keys, number))
    number += 1
    if number % 10 == 0:
        assert history.flush()
        print(number, flush=True)
"""
FILLS = """
import re, sys
from pykafka_ops.monitor.history.model import HistoryLimits, SeriesKey
from pykafka_ops.monitor.history.store import History
history = History(sys.argv[1], HistoryLimits(memory_bytes=16 << 20))
values = {SeriesKey("group", f"group-{index}", "lag"): index for index in range(100_000)}
for number in range(6):
    history.record("c", 1_700_000_000_000 + number * 15_000, values)
    assert history.flush(300)
assert history.status().series == 100_000 and history.status().lost == 0
with open("/proc/self/status") as status:  # getrusage counts what the parent had before exec, too
    print(int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read())[1]) >> 10)
history.close()
"""


def test_what_was_flushed_outlives_a_kill_and_nothing_comes_twice(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    least = 0
    for goal in (100, 350):  # within an hour's rows of the journal, and over several hours
        process = subprocess.Popen(
            [sys.executable, "-c", RECORDS, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for line in process.stdout:
            least = int(line)
            if least >= goal:
                break
        process.kill()
        for line in process.stdout:
            least = int(line)
        process.wait()
        history = History(path)
        for index in range(SERIES):
            key = SeriesKey("group", f"g{index}", "lag")
            points = history.read("c", key, 0, START * 2, 1)
            times = [point.at_ms for point in points]
            assert times[:least] == [START + number * STEP for number in range(least)]
            assert times == sorted(set(times))
            assert [point.last for point in points[:least]] == list(range(least))
        history.close()


@pytest.mark.slow
def test_a_hundred_thousand_series_take_less_than_300_mb(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FILLS, str(tmp_path / "history.db")],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 300
