"""Who may reach a monitor: the commands that set it up, and what a start refuses."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pykafka_ops.commands.monitor.access import checked_access, known_hosts
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.access import passwords
from pykafka_ops.monitor.access.users import UsersFile
from pykafka_ops.monitor.config import MonitorConfig, parse
from tests.support.golden.transcripts import Said

Pko = Callable[..., Said]


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "LOG_N", 4)


def config(text: str) -> MonitorConfig:
    return parse(text.encode(), "m")


def test_a_password_comes_from_the_input_and_shows_nowhere(
    pko: Pko, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "users"
    monkeypatch.setattr(sys, "stdin", io.StringIO("correct horse\n"))
    said = pko("monitor passwd anna --file", str(path))
    assert (said.code, said.stdout, said.stderr) == (0, "", f"{path}: added anna\n")
    assert "horse" not in path.read_text()
    assert UsersFile(str(path)).is_right("anna", "correct horse")
    monkeypatch.setattr(sys, "stdin", io.StringIO("battery staple\n"))
    assert pko("monitor passwd anna --file", str(path)).stderr == f"{path}: changed anna\n"
    assert UsersFile(str(path)).is_right("anna", "battery staple")


@pytest.mark.parametrize(
    ("words", "given", "complaint"),
    [
        (("anna",), "correct horse", "give --file FILE"),
        (("anna", "--file", "F"), "short", "a password has 8 to 1024 characters"),
        (("anna", "--file", "F"), "x" * 2000, "a password has 8 to 1024 characters"),
        (("an:na", "--file", "F"), "correct horse", "is no name of a user"),
        (("anna", "--file", "none/F"), "correct horse", "none/F: No such file or directory"),
    ],
)
def test_what_is_wrong_with_a_password_is_told_in_one_line(
    pko: Pko, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...], given: str, complaint: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO(given))
    said = pko("monitor passwd", *words)
    assert said.code != 0
    assert complaint in said.stderr
    assert said.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_address_that_others_reach_needs_a_login(capsys: pytest.CaptureFixture[str]) -> None:
    open_ = config('listen = "0.0.0.0:8000"')
    with pytest.raises(UsageError, match=r"set \[login\], or say --insecure"):
        checked_access(open_, "m", insecure=False)
    assert checked_access(open_, "m", insecure=True).actions == frozenset()
    changing = config('listen = "0.0.0.0:8000"\nactions = ["seek"]')
    with pytest.raises(UsageError, match="could change the clusters"):
        checked_access(changing, "m", insecure=True)
    local = config('actions = ["seek"]')
    assert checked_access(local, "m", insecure=False).actions == {"seek"}
    assert capsys.readouterr().err == ""


def test_passwords_in_clear_text_are_warned_of_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    users = tmp_path / "users"
    users.touch()
    login = f'[login]\nmode = "users"\nusers-file = "{users}"\n'
    for listen, more, warned in (
        ("0.0.0.0:8000", "", 1), ("127.0.0.1:8000", "", 0),
        ("0.0.0.0:8000", 'proxies = ["10.0.0.1"]', 0),
    ):  # fmt: skip
        checked_access(config(f'listen = "{listen}"\n{login}{more}'), "m", insecure=False)
        assert capsys.readouterr().err.count("clear text") == warned


def test_names_are_checked_where_no_session_protects(tmp_path: Path) -> None:
    def hosts(text: str) -> tuple[str, ...] | None:
        found = config(text)
        return known_hosts(found, checked_access(found, "m", insecure=False), insecure=False)

    loopback = ("127.0.0.1", "localhost", "::1")
    assert hosts("") == (*loopback, "127.0.0.1")
    assert hosts('allowed-hosts = ["m.example"]') == (*loopback, "127.0.0.1", "m.example")
    header = '[login]\nmode = "header"\nurl = "https://m.example"'
    assert hosts(header) == (*loopback, "127.0.0.1", "m.example")
    (tmp_path / "users").touch()
    users = f'[login]\nmode = "users"\nusers-file = "{tmp_path / "users"}"\n'
    assert hosts(users) is None


def test_check_config_looks_into_the_files_that_are_named(pko: Pko, tmp_path: Path) -> None:
    path = tmp_path / "monitor.toml"
    cluster = "[cluster.x]\nbootstrap-server = 'b:9092'\n"
    (tmp_path / "users").write_text("anna:$apr1$x$y\n")
    for text, complaint in (
        ("[login]\nmode = 'users'\nusers-file = 'none'\n", "none: No such file"),
        (f"[login]\nmode = 'users'\nusers-file = '{tmp_path / 'users'}'\n", "$apr1$ is no hash"),
        (f"tls-cert = '{path}'\ntls-key = '{path}'\n", "no certificate and key that fit"),
        ("[login]\nmode = 'user'\n", "did you mean users?"),
    ):
        path.write_text(text + cluster)
        said = pko("monitor check-config", str(path))
        assert (said.code, said.stderr.count("\n")) == (2, 1), said
        assert complaint in said.stderr
    path.write_text("[login]\nmode = 'header'\n[role.a]\nallow = ['view', 'seek']\n" + cluster)
    said = pko("monitor check-config", str(path))
    assert said.code == 0
    assert said.stderr == "[role.a] allows seek, which actions does not switch on\n"
