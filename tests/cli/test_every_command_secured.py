"""Every command into an Apache Kafka that wants a certificate, a login and rights: by every form of
store, in both forms of command lines; and every login. What fails is named at the first try."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.commands import ROWS
from tests.support.process import certificates
from tests.support.process.console import PATIENT
from tests.support.process.lines import Heard, Lines
from tests.support.process.secured_clients import (
    FORMS,
    MISTAKES,
    NOBODY,
    SECRETS,
    WRONG,
    SecuredClients,
)
from tests.support.process.secured_lines import (
    DELETED,
    ELSEWHERE,
    LINES,
    TO_DELETE,
    TOOLS,
    TOPIC,
    Line,
    keep_backup,
)

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
EVERY = (*LINES, *TOOLS)
NEEDS_FILE = "kafka-delegation-tokens"
"""It takes no login but that of --command-config, as in Kafka."""


@pytest.fixture(autouse=True)
def what_is_deleted(lines: Lines) -> None:
    (lines.directory / DELETED).write_text(TO_DELETE)
    keep_backup(lines.directory)


def test_every_command_has_a_line_here() -> None:
    assert {row.name for row in ROWS} == {*(line.command for line in LINES), *ELSEWHERE}
    tools = {row.tool for row in ROWS if row.tool and row.name not in ELSEWHERE}
    assert {line.command for line in TOOLS} == tools


@pytest.mark.parametrize("form", FORMS)
def test_every_command_gets_in_by_every_form_of_store_and_shows_no_secret(
    secured_kafka: SecuredClients, lines: Lines, form: str
) -> None:
    profile = secured_kafka.profile() if form == "profile" else None
    file = secured_kafka.file("store", **({} if profile else secured_kafka.stores()[form]))
    wrong = []
    for line in EVERY:
        if profile and line.command == NEEDS_FILE:
            continue
        ours = line in LINES
        argv = line.argv() if ours else line.argv("--bootstrap-server", secured_kafka.where)
        argv = argv if profile else line.reach(secured_kafka.where, file)
        argv += ["--debug"] if ours else []
        env = profile or {**PATIENT, **line.env(file)}
        heard = lines(*argv, text="a record\n", env=env)
        if heard.code or line.wanted not in heard.told:
            wrong.append(f"{line.words}: exit code {heard.code}: {heard.told[-300:]}")
        wrong += [f"{line.words}: {leak}" for leak in heard.leaks(SECRETS)]
    assert not wrong, "\n".join(wrong)


def test_a_secret_that_is_shown_or_given_away_is_seen(
    secured_kafka: SecuredClients, lines: Lines, tmp_path: Path
) -> None:
    """Words that stand where secrets may not, taken for secrets."""
    file = secured_kafka.file("store", **secured_kafka.stores()["PKCS12"])
    heard = lines("topics", "list", "-b", secured_kafka.where, "--command-config", str(file))
    assert heard.leaks([TOPIC]) == [f"shows {TOPIC}"]
    assert heard.leaks(["pkcs12"]) == ["gives pkcs12"] * 2  # of the program openssl
    (tmp_path / "open").write_text(SECRETS[0])
    (tmp_path / "closed").touch(0o600)
    (tmp_path / "closed").write_text(SECRETS[0])
    written = [str(tmp_path / name) for name in ("open", "closed", "gone")]
    assert heard._replace(written=written).leaks(SECRETS) == [
        f"{written[0]} is open to others", f"{written[2]} is gone",
    ]  # fmt: skip


def complaints(line: Line, heard: Heard, said: str, code: int) -> list[str]:
    """What is wrong with how a line failed: it says ``said``, and waits for nothing but the
    brokers: no time runs out, it does not try again."""
    found = [] if said in heard.told else [f"does not say {said!r}: {heard.told[-500:]}"]
    if heard.code != code:
        found.append(f"exit code {heard.code}, not {code}")
    if line.one_line and not (heard.err.count("\n") == 1 and heard.err.startswith("pko: ")):
        found.append(f"not one line: {heard.err}")
    if heard.time_outs or heard.paused or heard.connections > 2:
        found.append(f"waited: {heard}")
    return [f"{line.words}: {what}" for what in found]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_keeps_every_command_outside_is_named_at_the_first_try(
    secured_kafka: SecuredClients, lines: Lines, mistake: str
) -> None:
    where, file = secured_kafka.wrong(mistake)
    wrong = []
    for line in EVERY:
        env = {**PATIENT, **line.env(file)}
        heard = lines(*line.reach(where, file), text="a record\n", env=env)
        wrong += complaints(line, heard, MISTAKES[mistake].said, line.code)
        wrong += [f"{line.words}: {leak}" for leak in heard.leaks((*SECRETS, WRONG))]
    assert not wrong, "\n".join(wrong)


def test_every_command_names_the_right_that_is_lacking(
    secured_kafka: SecuredClients, lines: Lines
) -> None:
    file = secured_kafka.file("nobody", NOBODY)
    wrong = []
    for line in EVERY:
        env = {**PATIENT, **line.env(file)}
        heard = lines(*line.reach(secured_kafka.where, file), text="a record\n", env=env)
        if line.right:
            wrong += complaints(line, heard, line.right, line.right_code)
        elif heard.code or line.wanted not in heard.told:
            wrong.append(f"{line.words}: exit code {heard.code}: {heard.told[-300:]}")
    assert not wrong, "\n".join(wrong)
