"""``pko mirror`` with files that are wrong, and clusters that are not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.golden.transcripts import run
from tests.support.waiting import free_port

VERBS = ("run", "plan", "status", "pause", "resume")
GOOD = """
[cluster.a]
bootstrap-server = "127.0.0.1:{0}"
[cluster.b]
bootstrap-server = "127.0.0.1:{0}"
[[link]]
from = "a"
to = "b"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Clusters that nobody listens for."""
    path = tmp_path / "mirror.toml"
    settings = '[cluster.{0}.settings]\n"default.api.timeout.ms" = 300\n"retries" = 0\n'
    path.write_text(GOOD.format(free_port()) + settings.format("a") + settings.format("b"))
    return path


@pytest.mark.parametrize("verb", VERBS)
def test_a_file_that_is_not_there_is_a_line(verb: str) -> None:
    said = run("mirror", verb, "/nonexistent/mirror.toml")
    assert said.code == 2
    assert said.stderr == "pko: /nonexistent/mirror.toml: No such file or directory\n"


@pytest.mark.parametrize("verb", VERBS)
def test_a_wrong_file_is_a_line(verb: str, tmp_path: Path) -> None:
    path = tmp_path / "mm2.properties"
    path.write_text("clusters = a, b\na->b.topcs = x\n")
    said = run("mirror", verb, str(path))
    assert said.code == 2
    assert said.stderr == f"pko: {path}: a->b.topcs is not known (did you mean topics?)\n"
    path.write_text("x = \\u00zz\n")
    assert run("mirror", verb, str(path)).code == 2


def test_a_wrong_login_names_the_cluster(tmp_path: Path) -> None:
    path = tmp_path / "mirror.toml"
    path.write_text(GOOD.format(1) + '[cluster.a.settings]\n"security.protocol" = "TLS"\n')
    said = run("mirror", "plan", str(path))
    assert said.code == 2 and "security.protocol" in said.stderr


def test_an_unknown_link_is_a_line(file: Path) -> None:
    said = run("mirror", "status", str(file), "--link", "a->c")
    assert said.code == 2
    assert said.stderr == "pko: --link a->c: there is none; the file has a->b\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--topics", "("), "--topics (: a regular expression"),
        (("--partition", "orders"), "--partition orders: write TOPIC-N, such as orders-3"),
        (("--partition", "-3"), "--partition -3: write TOPIC-N"),
    ],
)
def test_what_cannot_be_paused_is_a_line(file: Path, words: tuple[str, ...], line: str) -> None:
    for verb in ("pause", "resume"):
        said = run("mirror", verb, str(file), *words)
        assert said.code == 2 and line in said.stderr


@pytest.mark.parametrize("verb", ["plan", "status", "pause"])
def test_a_cluster_that_is_away_is_named(verb: str, file: Path) -> None:
    said = run("mirror", verb, str(file), "-o", "json")
    assert said.code == 3
    (error,) = json.loads(said.stdout)["errors"]
    assert error["item"] == "a->b" and error["error"] == "UNREACHABLE"
    assert "cluster b" in error["message"] and "127.0.0.1" in error["message"]


def test_a_wrong_place_to_listen_is_a_line(file: Path) -> None:
    said = run("mirror", "run", str(file), "--listen", "nowhere")
    assert said.code == 2 and "write HOST:PORT" in said.stderr
