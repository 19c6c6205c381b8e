"""Tables that are shown again and again."""

from __future__ import annotations

import json

import pytest

from pykafka_ops.commands.cluster import cluster
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.watch import fail_on, watched
from pykafka_ops.errors import UsageError
from tests.support.memory.context import run_of


def table(number: int) -> Table:
    code = 4 if number == 3 else None
    return Table("numbers", (Column("n"),), [{"n": number}], exit_code=code)


def test_without_watch_there_is_one_table() -> None:
    made = table(1)
    assert watched(run_of(cluster, ["status"]), lambda: made) is made


def test_with_watch_it_is_shown_until_a_check_fails(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = iter((1, 2, 3, 4))
    run = run_of(cluster, ["status", "--watch", "1ms", "-o", "json"])
    assert watched(run, lambda: table(next(numbers))) == 4
    out = capsys.readouterr().out
    decoder, shown = json.JSONDecoder(), []
    while out.strip():
        document, end = decoder.raw_decode(out.lstrip())
        shown.append(document["items"][0]["n"])
        out = out.lstrip()[end:]
    assert shown == [1, 2, 3]


def test_ctrl_c_ends_it_well() -> None:
    def stop() -> Table:
        raise KeyboardInterrupt

    assert watched(run_of(cluster, ["status", "--watch"]), stop) == 0


def test_a_condition_is_over_the_fields_there_are() -> None:
    holds = fail_on(run_of(cluster, ["status", "--fail-on", "n>1"]), ["n"])
    assert holds is not None and holds({"n": 2}) and not holds({"n": 1})
    assert fail_on(run_of(cluster, ["status"]), ["n"]) is None
    with pytest.raises(UsageError, match="--fail-on: there is no field m: choose from n"):
        fail_on(run_of(cluster, ["status", "--fail-on", "m>1"]), ["n"])
