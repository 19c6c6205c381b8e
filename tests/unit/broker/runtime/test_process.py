"""The broker's log: one line for each message, whatever clients call themselves."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.broker.runtime.process import set_up_log

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


def test_a_traceback_keeps_its_lines(log: Path) -> None:
    try:
        raise ValueError("no")
    except ValueError as error:
        logging.getLogger("kafka.server").error("failed", exc_info=error)
    lines = log.read_text().splitlines()
    assert lines[0].endswith("failed (kafka.server)")
    assert lines[-1] == "ValueError: no"
