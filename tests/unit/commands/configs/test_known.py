"""Names of settings that are nearly right."""

from __future__ import annotations

import pytest

from pykafka_ops.commands.configs.known import BROKERS, say_near


def test_a_name_that_is_near_one_is_questioned(capsys: pytest.CaptureFixture[str]) -> None:
    say_near(BROKERS, ["num.partition", "num.partitions", "listener.name.a.x", "my.plugin"])
    assert capsys.readouterr().err == (
        "pko: num.partition is no setting of brokers (did you mean num.partitions?)\n"
    )
