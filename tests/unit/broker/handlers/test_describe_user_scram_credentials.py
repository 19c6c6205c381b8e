"""DescribeUserScramCredentials: mechanisms and iterations, never keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.memory.config_desk import ConfigDesk
from tests.support.memory.credentials import alter, describe, new

UNSUPPORTED_MECHANISM, NOT_FOUND, DUPLICATE, UNACCEPTABLE = 33, 91, 92, 93
SERVER_TEXT = "The server experienced an unexpected error when processing the request."


@pytest.fixture
def desk(tmp_path: Path) -> ConfigDesk:
    return ConfigDesk(tmp_path)


def test_users_are_described_one_by_one(desk: ConfigDesk) -> None:
    alter(desk, new("u"))
    desk.write("users/bad", b'{"version":1,"config":{"SCRAM-SHA-256":"salt=x"}}')
    assert describe(desk, "u", "", "nobody", "twice", "twice", "bad") == [
        ("u", 0, "", {1: 4096}),
        ("", NOT_FOUND, "Username must not be empty", {}),
        (
            "nobody",
            NOT_FOUND,
            "Attempt to describe a user credential that does not exist: nobody",
            {},
        ),
        (
            "twice",
            DUPLICATE,
            "Cannot describe SCRAM credentials for the same user twice in a single request: twice",
            {},
        ),
        ("bad", -1, SERVER_TEXT, {}),
    ]


def test_a_name_that_fills_a_response_is_told_in_part(desk: ConfigDesk) -> None:
    name = "\N{GRINNING FACE}" * (32_767 // 4)
    ((user, code, text, _),) = describe(desk, name)
    assert (user, code) == (name, NOT_FOUND)
    assert text is not None
    assert text.startswith("Attempt to describe a user credential that does not exist: ")
