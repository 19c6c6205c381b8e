"""``pko spark`` from an Apache Kafka that wants a certificate, a login and rights."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pykafka_ops.cli import main
from tests.support.process import certificates
from tests.support.process.lines import OTHERS
from tests.support.process.process_list import watched
from tests.support.process.secured_clients import (
    MISTAKES,
    NOBODY,
    SECRETS,
    SecuredClients,
    secured_clients,
)
from tests.support.process.secured_lines import GROUP, TOPIC

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or "")
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredClients]:
    with secured_clients(tmp_path_factory.mktemp("secured")) as made:
        yield made


@pytest.fixture
def run(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Run ``pko spark`` in the session of the tests; code, stdout, stderr."""

    def made(*words: object, **env: str) -> tuple[int, str, str]:
        for name in ("PKO_PROFILE", "PKO_CONFIG"):
            monkeypatch.delenv(name, raising=False)
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        code = main(["spark", *map(str, words)])
        return code, *capsys.readouterr()

    return made


def rows(out: str, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(out)["sections"][name]["rows"]
    return found


def modes_of(pattern: str) -> dict[str, int]:
    """Of temporary files and directories; of others' too, which may go meanwhile."""
    found = {}
    for path in Path(tempfile.gettempdir()).glob(pattern):
        with contextlib.suppress(FileNotFoundError):
            found[str(path)] = path.stat().st_mode
    return found


def test_reports_come_by_a_file_and_by_a_profile_and_show_no_secret(
    kafka: SecuredClients, run: Run
) -> None:
    file, profile = kafka.file("admin"), kafka.profile()
    with watched(os.getpid()) as seen:
        code, out, err = run("lag", "-b", kafka.where, "--command-config", file, "-o", "json")
        assert code == 0, err
        assert [row["group"] for row in rows(out, "groups")] == [GROUP]
        shown = out + err
        code, out, err = run("skew", "-o", "json", **profile)
        assert code == 0, err
        assert [row["topic"] for row in rows(out, "topics")] == [TOPIC]
    assert "pyspark" in seen.programs()
    assert seen.holding(SECRETS, given=profile) == []
    modes = modes_of("pko-spark-*")
    assert modes
    assert [path for path, mode in modes.items() if mode & OTHERS] == []
    assert not [word for word in SECRETS if word in shown + out + err]


def test_a_secret_of_a_child_is_seen() -> None:
    argv = ["sh", "-c", "read _", SECRETS[0]]
    env = {**os.environ, "WORD": SECRETS[1]}
    with watched(os.getpid()) as seen:
        child = subprocess.Popen(argv, stdin=subprocess.PIPE, env=env)
        seen.look()
        child.communicate(b"\n")
    held = [SECRETS[0], f"WORD={SECRETS[1]}"]
    assert seen.holding(SECRETS) == [f"{child.pid}: {word}" for word in sorted(held)]
    assert seen.holding(SECRETS, given=["WORD"]) == [f"{child.pid}: {SECRETS[0]}"]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_keeps_it_outside_is_named_before_spark_starts(
    kafka: SecuredClients, run: Run, monkeypatch: pytest.MonkeyPatch, mistake: str
) -> None:
    monkeypatch.setattr("pykafka_ops.spark.session.session", pytest.fail)
    where, file = kafka.wrong(mistake)
    code, out, err = run("lag", "-b", where, "--command-config", file)
    assert (code, out, err.count("\n")) == (3, "", 1), err
    assert MISTAKES[mistake].said in err


def test_who_may_see_no_group_hears_so(kafka: SecuredClients, run: Run) -> None:
    file = kafka.file("nobody", NOBODY)
    code, out, err = run("lag", "-b", kafka.where, "--command-config", file, "-o", "json")
    assert (code, rows(out, "groups")) == (0, [])
    assert err == "pko: no groups that this login may see\n"
