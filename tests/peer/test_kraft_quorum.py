"""Three nodes of Apache Kafka in KRaft: one is lost, then the quorum."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.process.apache_kraft import NEWEST
from tests.support.process.console import pko
from tests.support.process.kraft_lines import EVERY, KRAFT, Kraft
from tests.support.process.kraft_trio import KraftTrio
from tests.support.process.secured_lines import TOOLS, Line
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(600)]
SOON = "default.api.timeout.ms=5000\nrequest.timeout.ms=2000\ndelivery.timeout.ms=5000\n"
CONSUMERS = ("consume", "kafka-console-consumer")
"""They wait for a leader for as long as it takes, as those of Kafka do."""
FOUND = {"smoke": 4}
"""Exit codes of what finds that a node is lost."""
IMPATIENT = {"PKO_CONFIG": "", "PKO_PROFILE": ""}
"""As users have it: no waiting for a machine that is busy."""


@pytest.fixture(scope="module")
def trio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KraftTrio]:
    made = KraftTrio(tmp_path_factory.mktemp("trio"), NEWEST)
    try:
        yield made.start()
    finally:
        made.close()


def leader(trio: KraftTrio, *nodes: int) -> int | None:
    said = pko("quorum", "status", "-b", trio.bootstrap(*nodes), "-o", "json")
    if said.returncode:
        return None
    found: int = json.loads(said.stdout)["items"][0]["leader"]
    return found


def without_quorum(at: str, *words: str) -> CompletedProcess[bytes] | None:
    """What is said once the last controller has noticed that it is alone."""
    said = pko(*words, "-b", at, env=IMPATIENT)
    return said if said.returncode == 4 else None


def asked(kraft: Kraft, but: tuple[str, ...] = ()) -> list[tuple[Line, CompletedProcess[bytes]]]:
    """Every command, some at once: each may have to wait for a while."""
    lines = [line for line in (*EVERY, *KRAFT, *TOOLS) if line.command not in but]
    with ThreadPoolExecutor(6) as pool:
        return list(zip(lines, pool.map(kraft.ask, lines), strict=True))


def told(said: CompletedProcess[bytes]) -> str:
    return (said.stdout + said.stderr).decode()


def test_every_command_while_a_node_and_then_the_quorum_is_lost(
    trio: KraftTrio, tmp_path: Path
) -> None:
    kraft = Kraft(trio.nodes[0], tmp_path)
    kraft.bootstrap, kraft.login_at = trio.bootstrap(), trio.logins()
    first = wait_for(lambda: [leader(trio)], what="a leader")[0]
    assert first is not None
    left = [n for n in (0, 1, 2) if n != first]
    kraft.prepare(replicas=[*left, first])
    status = pko("cluster", "status", "-b", kraft.bootstrap, "--fail-on", "under_replicated>0")
    assert (status.returncode, status.stderr) == (0, b"")

    trio.nodes[first].kill()
    kraft.bootstrap, kraft.login_at = trio.bootstrap(*left), trio.logins(*left)
    wait_for(lambda: leader(trio, *left) in left, what="another leader")
    short = ("cluster", "status", "-b", kraft.bootstrap, "--fail-on", "under_replicated>0")
    wait_for(lambda: pko(*short).returncode == 4, what="partitions that lack a replica")
    wrong = [
        f"{line.words}: exit code {said.returncode}: {told(said)[-400:]}"
        for line, said in asked(kraft)
        if said.returncode != FOUND.get(line.command, 0) or line.wanted not in told(said)
    ]
    assert not wrong, "\n".join(wrong)

    second, last = left
    trio.nodes[second].kill()
    kraft.bootstrap, kraft.login_at = trio.bootstrap(last), trio.logins(last)
    for words in (("cluster", "status"), ("quorum", "status")):
        what = f"exit code 4: {words}"
        said = wait_for(partial(without_quorum, kraft.bootstrap, *words), what=what)
        assert b"quorum" in said.stderr, (words, said)
    for file in (kraft.open, kraft.login):
        file.write_text(file.read_text() + SOON)
    silent = []
    for line, said in asked(kraft, but=CONSUMERS):
        if "Traceback" in told(said) or (said.returncode and not told(said).strip()):
            silent.append(f"{line.words}: exit code {said.returncode}: {told(said)[-400:]}")
        if (
            said.returncode
            and line.one_line
            and not said.stderr.splitlines()[-1].startswith(b"pko:")
        ):
            silent.append(f"{line.words}: no reason in its last line: {told(said)}")
    assert not silent, "\n".join(silent)
