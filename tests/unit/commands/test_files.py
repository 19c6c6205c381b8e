"""A file that cannot be read or parsed is told with its name, line and reason; never in Java."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pykafka_ops.commands.framework.failures import in_one_line
from pykafka_ops.commands.groups.plan_file import PlanFileError, read_plan
from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker, HangUp

Fakes = tuple[FakeBroker, ...]
Pko = Callable[..., Said]
JAVA = re.compile(r"\b[a-z]+(\.[a-z]\w*)+\.[A-Z]\w+|Exception\b")
JSON = (
    "reassign-partitions run FILE",
    "reassign-partitions rollback FILE",
    "reassign-partitions status FILE",
    "reassign-partitions execute FILE",
    "reassign-partitions verify FILE",
    "reassign-partitions cancel FILE --yes",
    "reassign-partitions generate FILE --broker-list 0",
    "delete-records --file FILE --yes",
    "leader-election preferred --file FILE",
)
PROPERTIES = (
    "topics list --command-config FILE",
    "configs set topics orders --file FILE",
    "consume orders --consumer.config FILE",
    "consume orders --formatter-config FILE",
    "produce orders --producer.config FILE",
    "produce orders --reader-config FILE",
)


@pytest.fixture
def said(fakes: Fakes, pko: Pko, tmp_path: Path) -> Callable[[str, bytes | None], str]:
    """What is said of a line whose FILE holds these bytes (None: there is none)."""
    for fake in fakes:
        fake.topics = {"orders": [0]}
        fake.on("InitProducerId", lambda request: HangUp())

    def go(line: str, data: bytes | None) -> str:
        path = tmp_path / "the-file"
        if data is not None:
            path.write_bytes(data)
        answer = pko(line.replace("FILE", str(path)))
        assert answer.code == 2, answer
        assert answer.stderr.count("\n") == 1 and not JAVA.search(answer.stderr), answer
        return answer.stderr.removeprefix("pko: ").replace(str(path), "FILE").rstrip("\n")

    return go


@pytest.mark.parametrize("line", [*JSON, *PROPERTIES])
def test_a_file_that_is_not_there(said: Callable[[str, bytes | None], str], line: str) -> None:
    assert said(line, None) == "FILE: No such file or directory"


@pytest.mark.parametrize("line", JSON)
@pytest.mark.parametrize(
    ("data", "heard"),
    [
        (b'{"partitions": [\n{"topic": "orders",,\n]}', "FILE, line 2: "),
        (b"[1]", "FILE: Expected JSON object, received [1]"),
        (b"\xff\xfe", "FILE, line 1: "),
    ],
)
def test_a_file_that_is_no_json(
    said: Callable[[str, bytes | None], str], line: str, data: bytes, heard: str
) -> None:
    assert said(line, data).startswith(heard)


@pytest.mark.parametrize("line", PROPERTIES)
def test_a_file_that_is_no_properties(said: Callable[[str, bytes | None], str], line: str) -> None:
    assert said(line, b"a=1\nb=\\u12x4\n").startswith("FILE, line 2: ")


def test_kafkas_words_stay_in_its_form(tmp_path: Path) -> None:
    path = str(tmp_path / "no.csv")
    with pytest.raises(PlanFileError) as caught:
        read_plan(path)
    assert str(caught.value) == f"java.io.IOException: Unable to read file {path}"
    assert in_one_line(caught.value) == f"{path}: No such file or directory"
