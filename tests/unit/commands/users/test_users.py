"""``pko users`` against a broker's own handlers, without sockets."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from pykafka_ops.commands.framework.run import Run, execute
from pykafka_ops.commands.framework.secret import password
from pykafka_ops.commands.users import users
from pykafka_ops.errors import PkoError, UsageError
from tests.support.memory.config_desk import ConfigDesk, DeskCluster
from tests.support.memory.context import args_of, work_of

SECRET = "correct horse battery"
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Run a verb; a negative code is that of an error. Standard input holds SECRET."""
    cluster = DeskCluster(ConfigDesk(tmp_path))

    def go(line: str, env: dict[str, str] | None = None) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{SECRET}\n"))
        args = args_of(users, line.split())
        run = Run(args, {}, env or {})
        run._cluster = cluster  # type: ignore[assignment]  # a double
        try:
            code = execute(run, work_of(users, args))
        except PkoError as error:
            code = -error.exit_code
            print(error, file=sys.stderr)
        out, err = capsys.readouterr()
        assert SECRET not in out + err
        return code, out, err

    return go


def rows(said: tuple[int, str, str]) -> dict[str, tuple[dict[str, int], dict[str, float]]]:
    """Logins and quotas by user, those of its clients aside."""
    items = json.loads(said[1])["items"]
    return {i["user"]: (i["scram"], i["quotas"]) for i in items if i["client_id"] is None}


def test_a_user_is_added_shown_changed_and_deleted(say: Say) -> None:
    said = say("add alice producer_byte_rate=10MB request_percentage=12.5 -o json")
    quotas = {"producer_byte_rate": 10_000_000, "request_percentage": 12.5}
    assert rows(said) == {"alice": ({"SCRAM-SHA-512": 4096}, quotas)}
    assert rows(say("list -o json")) == rows(said) == rows(say("describe User:alice -o json"))
    said = say("alter alice producer_byte_rate= consumer_byte_rate=5 -o json")
    quotas = {"consumer_byte_rate": 5, "request_percentage": 12.5}
    assert rows(said) == rows(say("list -o json"))
    assert rows(said) == {"alice": ({"SCRAM-SHA-512": 4096}, quotas)}
    assert say("delete alice -y")[0] == 0
    assert rows(say("list -o json")) == {}


def test_a_new_password_is_for_the_logins_that_there_are(say: Say) -> None:
    say("add alice --mechanism SCRAM-SHA-256 --iterations 5000")
    assert rows(say("alter alice --password -o json"))["alice"][0] == {"SCRAM-SHA-256": 4096}
    said = say("alter alice --password --mechanism SCRAM-SHA-512 -o json")
    both = {"SCRAM-SHA-256": 4096, "SCRAM-SHA-512": 4096}
    assert rows(said)["alice"][0] == rows(say("list -o json"))["alice"][0] == both
    assert say("delete alice --mechanism SCRAM-SHA-256 -y")[0] == 0
    assert rows(say("list -o json"))["alice"][0] == {"SCRAM-SHA-512": 4096}


def test_a_user_is_not_added_twice(say: Say) -> None:
    say("add alice")
    code, out, err = say("add alice")
    assert (code, out) == (-1, "")
    assert err == "user alice is there already; pko users alter changes it\n"


@pytest.mark.parametrize("line", ["add alice", "alter alice producer_byte_rate=1"])
def test_a_dry_run_changes_nothing(say: Say, line: str) -> None:
    code, out, err = say(f"{line} --dry-run")
    assert (code, err) == (0, "dry run: nothing was changed\n")
    assert "alice" in out
    assert rows(say("list -o json")) == {}


def test_the_password_comes_from_a_file_or_a_variable(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "alice.txt"
    file.write_text(f"{SECRET}\nnot this\n")
    assert say(f"add alice --password-file {file}")[0] == 0
    assert say("add bob --password-env PW", {"PW": SECRET})[0] == 0


@pytest.mark.parametrize(("second", "said"), [(SECRET, SECRET), ("another", "they differ")])
def test_a_password_is_typed_twice(second: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", mock.Mock(isatty=lambda: True))
    monkeypatch.setattr("getpass.getpass", mock.Mock(side_effect=[SECRET, second]))
    run = Run(args_of(users, ["add", "alice"]), {}, {})
    try:
        found = password(run, "alice")
    except UsageError as error:
        assert str(error) == "the passwords differ"
        found = "they differ"
    assert found == said


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("add alice --password-env NONE", "the variable NONE: there is no password"),
        ("add alice --password-file /nope", "/nope: No such file or directory"),
        ("add alice --password --password-env PW", "a password comes from one place"),
        ("add alice producer_rate=1", "no quota: producer_rate (did you mean producer_byte_rate?)"),
        ("add alice producer_byte_rate", "write it as QUOTA=VALUE"),
        ("add alice producer_byte_rate=-1", "-1"),
        ("add alice request_percentage=nan", "write a number above 0"),
        ("alter alice", "what to change?"),
        ("alter alice producer_byte_rate=1 --mechanism SCRAM-SHA-256", "cannot be converted"),
        ("add User:", "a user's name is not empty"),
    ],
)
def test_what_cannot_be_meant_is_refused(say: Say, line: str, text: str) -> None:
    code, out, err = say(line)
    assert (code, out) == (-2, "")
    assert text in err
    assert rows(say("list -o json")) == {}


def test_who_is_not_there_is_named(say: Say) -> None:
    say("add alice")
    for line in ("describe alice nobody", "delete nobody -y"):
        code, _, err = say(line)
        assert code == 1
        assert "pko: user nobody: it has no SCRAM password and no quota" in err
    _, _, err = say("delete alice --mechanism SCRAM-SHA-256 -y")
    assert "pko: user alice: it has no SCRAM-SHA-256 password" in err
    assert "alice" in rows(say("list -o json"))


def test_nothing_is_deleted_without_a_word(say: Say) -> None:
    say("add alice")
    code, _, err = say("delete alice")
    assert (code, "add --yes" in err) == (-2, True)
    assert say("delete alice --dry-run")[2] == "dry run: nothing was deleted\n"
    assert "alice" in rows(say("list -o json"))
