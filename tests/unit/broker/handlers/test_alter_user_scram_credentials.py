"""AlterUserScramCredentials: a user is changed as a whole or not at all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pykafka_ops.broker.handlers import alter_user_scram_credentials
from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.scram import Credential
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
)
from tests.support.memory.config_desk import ConfigDesk
from tests.support.memory.credentials import alter, describe, gone, new

UNSUPPORTED_MECHANISM, NOT_FOUND, DUPLICATE, UNACCEPTABLE = 33, 91, 92, 93
SERVER_TEXT = "The server experienced an unexpected error when processing the request."


@pytest.fixture
def desk(tmp_path: Path) -> ConfigDesk:
    return ConfigDesk(tmp_path)


def test_credentials_are_stored_as_keys_and_told_without(desk: ConfigDesk) -> None:
    assert alter(desk, new("o'neil", 1), new("o'neil", 2, 8192), new("bo")) == {
        "o'neil": (0, ""),
        "bo": (0, ""),
    }
    stored = desk.stored("users/o%27neil")
    credential = Credential.parse(stored["SCRAM-SHA-512"])
    assert (credential.salt, credential.iterations) == (b"salt", 8192)
    assert len(credential.stored_key) == 64
    assert describe(desk) == [("bo", 0, "", {1: 4096}), ("o'neil", 0, "", {1: 4096, 2: 8192})]
    assert sorted(desk.notified()) == ["users/bo", "users/o%27neil"]


def test_a_deletion_takes_only_its_mechanism(desk: ConfigDesk) -> None:
    desk.write("users/u", b'{"version":1,"config":{"producer_byte_rate":"5"}}')
    alter(desk, new("u", 1), new("u", 2))
    assert alter(desk, gone("u", 1)) == {"u": (0, "")}
    assert describe(desk, "u") == [("u", 0, "", {2: 4096})]
    assert alter(desk, gone("u", 2)) == {"u": (0, "")}
    assert desk.stored("users/u") == {"producer_byte_rate": "5"}
    alter(desk, new("v"))
    alter(desk, gone("v"))
    assert set(desk.znodes()) == {"users/u"}


def test_a_user_is_changed_as_a_whole_or_not_at_all(desk: ConfigDesk) -> None:
    alter(desk, new("deleter", 2))
    said = alter(
        desk,
        new("good"),
        new("", 1),
        new("few", iterations=4095),
        new("many", iterations=16385),
        new("strange", 3),
        gone("odd", 0),
        new("twice", 1),
        new("twice", 1),
        new("both", 1),
        gone("both", 1),
        gone("deleter", 1),
        new("deleter", 2, 5000),
        new("half", 1),
        new("half", 2, iterations=1),
    )
    assert said == {
        "": (UNACCEPTABLE, "Username must not be empty"),
        "few": (UNACCEPTABLE, "Too few iterations"),
        "many": (UNACCEPTABLE, "Too many iterations"),
        "strange": (UNSUPPORTED_MECHANISM, "Unknown SCRAM mechanism"),
        "odd": (UNSUPPORTED_MECHANISM, "Unknown SCRAM mechanism"),
        "twice": (DUPLICATE, "A user credential cannot be altered twice in the same request"),
        "both": (DUPLICATE, "A user credential cannot be altered twice in the same request"),
        "deleter": (NOT_FOUND, "Attempt to delete a user credential that does not exist"),
        "half": (UNACCEPTABLE, "Too few iterations"),
        "good": (0, ""),
    }
    assert describe(desk) == [("deleter", 0, "", {2: 4096}), ("good", 0, "", {1: 4096})]


def test_a_password_that_makes_no_key_fails_everybody(desk: ConfigDesk) -> None:
    said = alter(desk, new("u"), new("v", password=b""))
    assert said == dict.fromkeys(("u", "v"), (-1, SERVER_TEXT))
    assert desk.znodes() == {}


def test_another_broker_says_that_it_is_not_the_controller() -> None:
    request = AlterUserScramCredentialsRequest(
        deletions=[gone("b")], upsertions=[new("a"), new("b")]
    )
    answer = alter_user_scram_credentials.failed(request, 0, KafkaError(41))
    assert [(r.user, r.error_code, r.error_message) for r in answer.results] == [
        ("a", 41, None),
        ("b", 41, None),
    ]


def test_more_than_a_znode_holds_is_refused(desk: ConfigDesk) -> None:
    salty = new("u")
    salty.salt = bytes(600_000)
    said = alter(desk, salty, new("v"))
    assert said["v"] == (0, "")
    code, text = said["u"]
    assert code == 42
    assert re.fullmatch(r"The settings of users/u take \d+ bytes, more than 600000\.", text or "")
    assert set(desk.znodes()) == {"users/v"}


def test_only_the_controller_changes_credentials(desk: ConfigDesk) -> None:
    def refuse() -> None:
        raise KafkaError(ErrorCode.NOT_CONTROLLER)

    desk.require_controller = refuse
    assert alter(desk, new("bo"))["bo"][0] == ErrorCode.NOT_CONTROLLER
    assert desk.notified() == []
