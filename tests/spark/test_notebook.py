"""The notebook of the sources runs from top to bottom, and shows what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebooks" / "spark-sources.ipynb"
SECONDS = 900


def test_every_cell_runs_and_the_stream_goes_on_where_it_was() -> None:
    found = json.loads(NOTEBOOK.read_text())
    assert (found["nbformat"], found["nbformat_minor"]) == (4, 5)
    cells = ["".join(cell["source"]) for cell in found["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] for cell in found["cells"] if cell["cell_type"] == "code")
    program = "\n\n".join(cells).replace("before, after\n", "print('stream', before, after)\n")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=SECONDS,
        check=False, env={**os.environ, "PYSPARK_PYTHON": sys.executable},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    for said in (
        "|  orders|    100|", "|payments|    100|", "PushedFilters: [IsNotNull(topic)",
        "| 99|148.5|", "|0        |21    |no JSON", "|0    |2025-11-21 04:40:00 ", "stream 100 101",
    ):  # fmt: skip
        assert said in done.stdout, done.stdout
