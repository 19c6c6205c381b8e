"""Messages to real HTTP and SMTP servers and to commands."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pykafka_ops.monitor.alerts.delivery.failure import DeliveryError
from pykafka_ops.monitor.alerts.delivery.send import send
from pykafka_ops.monitor.alerts.rules.incidents import Notice
from pykafka_ops.monitor.alerts.settings.receivers import receiver
from tests.support.monitor.alert_receivers import hook, mailbox
from tests.support.monitor.alert_world import AlertWorld, group, rule
from tests.support.process.certificates import Authority
from tests.support.waiting import free_port

SECRET = "T0PSECRET"


def notice(name: str = "billing") -> Notice:
    return AlertWorld(rule()).round(group(name, 20))[0]


def deliver(found: Notice | None = None, **values: object) -> None:
    send(receiver("ops", values, "m.toml"), found or notice(), "")


@pytest.mark.parametrize("shape", ["generic", "slack", "teams", "pagerduty", "alertmanager"])
def test_every_form_is_posted_as_json(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", SECRET)
    more = {"routing_key_env": "KEY"} if shape == "pagerduty" else {}
    with hook() as there:
        deliver(url=there.url, shape=shape, **more)
    ((path, headers, body),) = there.got
    assert path == ("/api/v2/alerts" if shape == "alertmanager" else "/") or path == ""
    assert headers["Content-Type"] == "application/json"
    assert headers["Idempotency-Key"].endswith("-open-ops")
    assert (SECRET in str(body)) == (shape == "pagerduty")


def test_secrets_come_from_the_environment_and_files_and_go_into_headers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    (tmp_path / "password").write_text("pw\n")
    with hook() as there:
        (tmp_path / "url").write_text(f"{there.url}/hook\n")
        deliver(url_file=str(tmp_path / "url"), headers_env={"X-Token": "TOKEN"},
                username="u", password_file=str(tmp_path / "password"))  # fmt: skip
    ((path, headers, _),) = there.got
    assert path == "/hook"
    assert headers["X-Token"] == SECRET
    assert headers["Authorization"] == "Basic dTpwdw=="


@pytest.mark.parametrize(
    ("code", "lasting"), [(429, False), (408, False), (500, False), (503, False), (400, True),
                          (401, True), (404, True), (302, True)],
)  # fmt: skip
def test_what_may_pass_is_told_from_what_lasts(code: int, lasting: bool) -> None:
    with hook() as there, pytest.raises(DeliveryError) as caught:
        there.codes = [code]
        deliver(url=f"{there.url}/{SECRET}?key={SECRET}")
    assert caught.value.lasting is lasting
    assert f"HTTP {code}" in str(caught.value)
    assert SECRET not in str(caught.value)
    assert len(there.got) == 1, "no redirect is followed"


def test_silence_and_a_refused_connection_may_pass_and_show_no_secret() -> None:
    with hook() as there:
        there.hold.clear()
        with pytest.raises(DeliveryError, match="timed out") as late:
            deliver(url=f"{there.url}/{SECRET}", timeout="100ms")
        there.hold.set()
    with pytest.raises(DeliveryError, match="refused") as refused:
        deliver(url=f"http://127.0.0.1:{free_port()}/{SECRET}")
    for caught in (late, refused):
        assert not caught.value.lasting
        assert SECRET not in str(caught.value)


def test_a_secret_that_is_missing_is_named() -> None:
    with pytest.raises(DeliveryError, match="the environment variable NO_SUCH_URL is empty"):
        deliver(url_env="NO_SUCH_URL")
    with pytest.raises(DeliveryError, match="/no/such: No such file"):
        deliver(url_file="/no/such")


@pytest.mark.parametrize("name", ["x\r\n.\r\nMAIL FROM:<evil@x>\r\n", "\udc80", "y" * 32_000])
def test_a_mail_arrives_whatever_the_name(name: str) -> None:
    with mailbox() as there:
        deliver(notice(name), to="ops@example.com", host="127.0.0.1", port=there.port,
                tls="none", **{"from": "pko@example.com"})  # fmt: skip
    (text,) = there.mails
    assert "Subject: FIRING warning: late in prod" in text
    assert "evil@x>\r\n" not in text


@pytest.mark.parametrize(("code", "lasting"), [(450, False), (550, True)])
def test_recipients_that_are_refused(code: int, lasting: bool) -> None:
    with mailbox() as there, pytest.raises(DeliveryError, match=str(code)) as caught:
        there.refuse = code
        deliver(to="a@b", host="127.0.0.1", port=there.port, tls="none", **{"from": "c@d"})
    assert caught.value.lasting is lasting


def test_a_password_never_goes_out_without_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PW", SECRET)
    with mailbox() as there, pytest.raises(DeliveryError) as caught:
        deliver(to="a@b", host="127.0.0.1", port=there.port, username="u", password_env="PW",
                **{"from": "c@d"})  # fmt: skip
    assert "STARTTLS" in str(caught.value)
    assert there.mails == []


def test_a_command_gets_json_on_stdin_and_no_shell(tmp_path: Path) -> None:
    out = tmp_path / "out"
    code = "import sys,pathlib; pathlib.Path(sys.argv[1]).write_bytes(sys.stdin.buffer.read())"
    deliver(notice("$(touch /tmp/x); `id`"), command=[sys.executable, "-c", code, str(out)])
    assert '"group": "$(touch /tmp/x); `id`"' in out.read_text()


def test_a_command_that_fails_hangs_or_is_not_there() -> None:
    with pytest.raises(DeliveryError, match="exit code 3"):
        deliver(command=[sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(DeliveryError, match=r"not done within 0.1 s"):
        deliver(command=[sys.executable, "-c", "import time; time.sleep(600)"], timeout="100ms")
    with pytest.raises(DeliveryError, match="No such file"):
        deliver(command=["/no/such/command"])


def test_servers_are_checked_by_the_authority_that_is_named(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with hook(authority.issue("hook")) as there:
        with pytest.raises(DeliveryError, match="CERTIFICATE_VERIFY_FAILED") as caught:
            deliver(url=f"{there.url}/{SECRET}")
        assert SECRET not in str(caught.value)
        assert not caught.value.lasting
        deliver(url=f"{there.url}/{SECRET}", ca_file=str(authority.ca))
        deliver(url=f"{there.url}/{SECRET}", verify=False)
    assert len(there.got) == 2
    with pytest.raises(DeliveryError, match="/no/such: No such file"):
        deliver(url=there.url, ca_file="/no/such")
