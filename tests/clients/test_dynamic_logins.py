"""Users of PLAIN change while the broker runs; their passwords are shown nowhere."""

from __future__ import annotations

from pathlib import Path

from tests.support.process.console import pko
from tests.support.process.logins import LoginBroker, jaas_setting, login_settings, module
from tests.support.waiting import wait_for


def test_a_new_user_logs_in_at_once_and_after_a_restart(tmp_path: Path) -> None:
    broker = LoginBroker(tmp_path / "data", login_settings(password_encoder_secret="encoder"))
    name, secret = jaas_setting("PLAIN"), "carols secret"

    def logs_in(user: str, password: str) -> bool:
        login = module("PLAIN", username=user, password=password)
        (tmp_path / "c.properties").write_text(
            f"security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config={login}\n"
        )
        words = ("-b", broker.login_bootstrap, "--command-config", str(tmp_path / "c.properties"))
        return pko("topics", "list", *words).returncode == 0

    try:
        broker.start()
        assert logs_in("alice", "alice-secret")
        assert not logs_in("carol", secret)
        change = f"{name}={module('PLAIN', user_carol=secret)}"
        said = pko("configs", "set", "brokers", "0", change, "--yes", "-b", broker.bootstrap)
        assert said.returncode == 0, said.stderr
        assert secret.encode() not in said.stdout + said.stderr
        wait_for(lambda: logs_in("carol", secret), what="carol to be let in")
        assert not logs_in("alice", "alice-secret")
        broker.restart()
        assert logs_in("carol", secret)
        shown = pko("configs", "describe", "brokers", "0", "-b", broker.bootstrap, "-o", "json")
        assert secret.encode() not in shown.stdout
        assert secret not in broker.log.read_text()
        stored = b"".join(p.read_bytes() for p in broker.data_dir.glob("*") if p.is_file())
        assert secret.encode() not in stored
    finally:
        broker.close()
