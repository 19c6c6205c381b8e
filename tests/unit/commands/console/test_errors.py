"""Errors in both command line syntaxes, and ends by signal at the right moment."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.commands.console.errors import (
    config_exception,
    ignored,
    java_line,
    kafka_error,
    keeps_trying,
)
from pykafka_ops.errors import ConnectError
from pykafka_ops.security.sasl import AuthenticationError
from pykafka_ops.wire.codes import ErrorCode

KAFKA = "org.apache.kafka.common."
SIGNALS = """
import os, signal, time
from pykafka_ops.commands.console import ending
ending.HOLD_SECONDS = {seconds}
with ending.ending_well() as signals:
    signals.hold()
    {then}
    print("not reached", flush=True)
"""
KILL = "os.kill(os.getpid(), signal.{name})"
SAY = 'print("together", flush=True)'


@pytest.mark.parametrize(
    ("code", "text", "line", "exit_code"),
    [
        (29, "x", "errors.TopicAuthorizationException: Not authorized to access topics: [t]", 3),
        (30, "no", "errors.GroupAuthorizationException: no", 3),
        (17, "x", "errors.InvalidTopicException: Invalid topics: [t]", 1),
        (10, "big", "errors.RecordTooLargeException: big", 1),
        (-190, "Local: Unknown partition", "KafkaException: Local: Unknown partition", 1),
    ],
)
def test_codes_become_errors_of_both_forms(code: int, text: str, line: str, exit_code: int) -> None:
    error = kafka_error(code, text, "t")
    assert java_line(error) == KAFKA + line
    assert error.exit_code == exit_code


def test_kafkas_tools_keep_trying_unless_the_password_is_wrong() -> None:
    assert keeps_trying(ConnectError("refused"))
    assert not keeps_trying(AuthenticationError("wrong"))
    assert not keeps_trying(kafka_error(ErrorCode.INVALID_TOPIC_EXCEPTION, "", "t"))
    line = java_line(AuthenticationError("wrong"))
    assert line == f"{KAFKA}errors.SaslAuthenticationException: wrong"


def test_a_bad_value_stands_alone_and_other_trouble_is_wrapped() -> None:
    bad = ClientConfigError("Invalid value x for configuration y: z")
    assert config_exception(bad, "Producer") == [f"{KAFKA}config.ConfigException: {bad}"]
    other = ClientConfigError("No resolvable bootstrap urls given in bootstrap.servers")
    assert config_exception(other, "Consumer") == [
        f"{KAFKA}KafkaException: Failed to construct kafka consumer",
        f"Caused by: {KAFKA}config.ConfigException: {other}",
    ]


def test_an_ignored_property_is_told_in_both_forms(capsys: pytest.CaptureFixture[str]) -> None:
    ignored("Consumer", flags=False)("a.b")
    ignored("Producer", flags=True)("a.b")
    ours, theirs = capsys.readouterr().err.splitlines()
    assert ours == "pko: The configuration 'a.b' is not known here and was ignored"
    assert theirs.endswith("ignored (org.apache.kafka.clients.producer.ProducerConfig)")
    assert " WARN The configuration 'a.b'" in theirs


@pytest.mark.parametrize(
    ("seconds", "then"),
    [
        (3600, (KILL, SAY, "signals.release()")),
        (0.01, (SAY, KILL, "time.sleep(3600)")),
    ],
)
@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGINT", 1)])
def test_a_signal_waits_for_what_belongs_together_but_not_for_long(
    name: str, code: int, seconds: float, then: tuple[str, ...]
) -> None:
    script = SIGNALS.format(seconds=seconds, then="; ".join(then).format(name=name))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=100
    )
    assert done.stdout == "together\n"
    assert done.returncode == code or (name == "SIGINT" and "KeyboardInterrupt" in done.stderr)
