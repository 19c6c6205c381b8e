"""The file of users: what it may hold, how a password is checked, and that a change counts at
once."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.access import passwords
from pykafka_ops.monitor.access.users import MOST_BYTES, UsersFile, put, read

OTHERS = "$scrypt$ln=4,r=8,p=1$TmFDbA$" + "A" * 43


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "LOG_N", 4)


def test_a_password_is_known_by_its_hash_alone() -> None:
    text = passwords.make("corréct horse")
    assert text.startswith("$scrypt$ln=4,r=8,p=1$")
    assert "horse" not in text
    found = passwords.parse(text)
    assert passwords.is_right("corréct horse", found)
    assert not passwords.is_right("correct horse", found)
    assert not passwords.is_right("\udc80", found)
    assert passwords.make("corréct horse") != text, "each hash has a salt of its own"


def test_the_key_is_that_of_rfc_7914() -> None:
    key = (
        "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
    )
    of_rfc = passwords.PasswordHash(10, 8, 16, b"NaCl", bytes.fromhex(key))
    assert passwords.is_right("password", of_rfc)


@pytest.mark.parametrize(
    "text",
    [
        "", "secret", "$apr1$x$y", "$2y$05$abc", "$scrypt$", "$scrypt$ln=15$a$b",
        OTHERS[:-1] + "!", OTHERS.replace("ln=4", "ln=40"), OTHERS.replace("ln=4", "ln=20,r=32"),
        OTHERS.replace("r=8", "r=99999999999"), OTHERS.replace("ln=4", "ln=-1"),
        OTHERS.replace("p=1", "p=1,x=2"), OTHERS + "$" + OTHERS, "$scrypt$ln=4,r=8,p=1$TmFDbA$AAAA",
        OTHERS.replace("ln=4,r=8", "ln=20,r=8"),
    ],
)  # fmt: skip
def test_what_is_no_hash_is_refused_before_it_costs_anything(text: str) -> None:
    with pytest.raises(UsageError) as said:
        passwords.parse(text)
    assert "\n" not in str(said.value)


def test_a_file_has_users_and_comments_and_says_what_is_wrong_with_a_line() -> None:
    data = (
        f"# team\n\nanna:{OTHERS}\nben:$apr1$x$y\nnonsense\nanna:{OTHERS}\n".encode() + b"\xff:x\n"
    )
    users, wrong = read(data, "users")
    assert list(users) == ["anna"]
    assert [line.partition("; ")[0] for line in wrong] == [
        "users, line 4: ben: $apr1$ is no hash that is read here, $scrypt$ alone is",
        "users, line 5: no colon",
        "users, line 6: anna: a second line for this user",
        "users, line 7: \ufffd: this is no hash that is read here, $scrypt$ alone is",
    ]
    assert all("pko monitor passwd NAME --file users" in line for line in wrong)


def test_a_user_logs_in_with_the_password_of_the_file(tmp_path: Path) -> None:
    path = str(tmp_path / "users")
    assert put(path, "anna", "first password")
    assert put(path, "ben", "another password")
    assert os.stat(path).st_mode & 0o777 == 0o600
    users = UsersFile(path)
    assert users.is_right("anna", "first password")
    assert users.is_right("anna", "another password") is None
    assert users.is_right("carl", "first password") is None


def test_a_change_of_the_file_counts_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "users")
    put(path, "anna", "first password")
    users = UsersFile(path)
    old = users.hash_of("anna")
    assert not put(path, "anna", "second password")
    assert users.is_right("anna", "first password") is None
    assert users.is_right("anna", "second password") == users.hash_of("anna") != old
    assert os.listdir(tmp_path) == ["users"], "nothing is left of the change"


def test_a_file_that_is_gone_or_damaged_lets_nobody_in(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "users"
    put(str(path), "anna", "first password")
    users = UsersFile(str(path))
    path.unlink()
    with caplog.at_level(logging.WARNING):
        assert users.hash_of("anna") is None
        path.write_bytes(b"anna:plain text password\n")
        assert users.hash_of("anna") is None
        path.write_bytes(b"x" * (MOST_BYTES + 1))
        assert users.hash_of("anna") is None
    assert "nobody can log in" in caplog.text
    assert "plain text password" not in caplog.text
    put(str(tmp_path / "new"), "anna", "first password")
    (tmp_path / "new").replace(path)
    assert users.is_right("anna", "first password")


def test_a_wrong_file_stops_the_start(tmp_path: Path) -> None:
    path = tmp_path / "users"
    with pytest.raises(UsageError, match="make it with pko monitor passwd"):
        UsersFile(str(path))
    path.write_text("anna:{SHA}x\n")
    with pytest.raises(UsageError, match="line 1: anna: this is no hash"):
        UsersFile(str(path))


@pytest.mark.parametrize("name", ["", "a:b", " a", "a\nb", "#a", "x" * 129])
def test_a_name_that_no_line_can_hold_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no name of a user"):
        put(str(tmp_path / "users"), name, "password")
