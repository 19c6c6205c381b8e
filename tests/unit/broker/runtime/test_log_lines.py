"""The broker's log: one line for each message, whatever clients call themselves."""

from __future__ import annotations

import json
import logging
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.broker.runtime.log_lines import Repeats, set_up_log

ODD = "a\nINFO all is well\r\x1b[31m\x7f\x9b\u2028"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    path = tmp_path / "broker.log"
    set_up_log(str(path), "INFO")
    try:
        yield path
    finally:
        for handler in root.handlers:
            handler.close()
        root.handlers[:] = handlers
        root.setLevel(level)


def test_control_characters_of_a_name_are_shown_as_escapes_in_one_line(log: Path) -> None:
    logging.getLogger("kafka.server").warning("client %s is gone", ODD)
    (line, end) = log.read_text(encoding="utf-8").split("\n")
    assert r"client a\x0aINFO all is well\x0d\x1b[31m\x7f\x9b\u2028 is gone" in line
    assert end == ""


def test_a_line_has_its_own_second(log: Path) -> None:
    formatter = logging.getLogger().handlers[0].formatter
    assert formatter is not None
    lines = []
    for at in (1_700_000_000.25, 1_700_000_000.75, 1_700_000_061.5, 1_700_000_000.25):
        record = logging.LogRecord("kafka", logging.INFO, "", 0, "%d", (7,), None)
        record.created, record.msecs = at, at % 1 * 1000
        lines.append(formatter.format(record))
    assert [line[18:25] for line in lines] == ["20,250]", "20,750]", "21,500]", "20,250]"]
    assert lines[0] == lines[3]
    assert lines[0].endswith("INFO 7 (kafka)")


def test_a_traceback_keeps_its_lines(log: Path) -> None:
    try:
        raise ValueError("no")
    except ValueError as error:
        logging.getLogger("kafka.server").error("failed", exc_info=error)
    lines = log.read_text().splitlines()
    assert lines[0].endswith("failed (kafka.server)")
    assert lines[-1] == "ValueError: no"


def said(repeats: Repeats, at: float, text: str = "no", level: int = logging.ERROR) -> str | None:
    """The line that is written of one at this time (seconds); None if none is."""
    record = logging.LogRecord("kafka", level, "", 0, "%s", (text,), None)
    record.created = at
    return record.getMessage() if repeats.filter(record) else None


def test_the_same_error_again_and_again_is_told_every_ten_seconds_with_its_number() -> None:
    repeats = Repeats()
    assert said(repeats, 100.0) == "no"
    assert [said(repeats, 100.0 + n) for n in range(1, 10)] == [None] * 9
    again = said(repeats, 110.0)
    assert again is not None
    assert again.startswith("no (9 times more since ")
    assert said(repeats, 125.0) == "no"


def test_other_texts_and_lines_that_are_no_warnings_are_all_told() -> None:
    repeats = Repeats()
    assert said(repeats, 100.0) == "no"
    assert said(repeats, 100.0, "not") == "not"
    assert [said(repeats, 100.0, "yes", logging.INFO) for _ in range(3)] == ["yes"] * 3


def test_texts_that_are_always_new_take_no_memory_without_end() -> None:
    repeats = Repeats()
    for n in range(5000):
        said(repeats, 100.0, f"client {n}")
    assert len(repeats._seen) == 1000


def test_long_texts_are_known_again_without_being_held() -> None:
    repeats = Repeats()
    tracemalloc.start()
    assert [said(repeats, 100.0, "x" * 100_000 + str(n % 50)) for n in range(100)][50:] == [
        None
    ] * 50
    assert tracemalloc.get_traced_memory()[0] < 500_000
    tracemalloc.stop()


def test_json_lines_hold_one_object_each_whatever_a_name_holds(log: Path) -> None:
    set_up_log(str(log), "INFO", {"broker": "7"})
    try:
        raise ValueError("no\nat all")
    except ValueError as error:
        logging.getLogger("kafka.server").error("client %s is gone", ODD, exc_info=error)
    logging.getLogger("kafka.server").warning("odd \ud800")
    first, second, end = log.read_text(encoding="ascii").split("\n")
    assert end == ""
    told_of = json.loads(first)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", told_of.pop("time"))
    assert told_of.pop("exception").endswith("ValueError: no\nat all")
    assert told_of == {
        "level": "ERROR",
        "logger": "kafka.server",
        "thread": "MainThread",
        "broker": "7",
        "message": f"client {ODD} is gone",
    }
    assert json.loads(second)["message"] == "odd \ud800"
    assert not any(ord(letter) < 32 for letter in first)
