"""Three nodes of Apache Kafka in KRaft: one is lost, then the quorum."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from subprocess import CompletedProcess

import pytest

from tests.support.process.apache_kraft import NEWEST
from tests.support.process.console import pko
from tests.support.process.kraft_trio import KraftTrio
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(600)]
IMPATIENT = {"PKO_CONFIG": "", "PKO_PROFILE": ""}
"""As users have it: no waiting for a machine that is busy."""


SOON = ("-X", "default.api.timeout.ms=5000", "-X", "request.timeout.ms=2000")


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


def test_commands_tell_of_a_lost_node_and_of_a_lost_quorum(trio: KraftTrio) -> None:
    at = trio.bootstrap()
    assert pko("topics", "create", "t", "-p", "3", "-b", at).returncode == 0
    first = wait_for(lambda: leader(trio) is not None and [leader(trio)], what="a leader")[0]
    assert first is not None
    status = pko("cluster", "status", "-b", at, "--fail-on", "under_replicated>0|offline>0")
    assert (status.returncode, status.stderr) == (0, b"")

    trio.nodes[first].kill()
    left = [n for n in (0, 1, 2) if n != first]
    at = trio.bootstrap(*left)
    wait_for(lambda: leader(trio, *left) in left, what="another leader")
    changed = pko("topics", "create", "u", "-p", "1", "-r", "2", "-b", at)
    assert changed.returncode == 0, changed.stderr
    short = ("cluster", "status", "-b", at, "--fail-on", "under_replicated>0")
    wait_for(lambda: pko(*short).returncode == 4, what="partitions that lack a replica")

    second, last = left
    trio.nodes[second].kill()
    at = trio.bootstrap(last)
    for words in (("cluster", "status"), ("quorum", "status")):
        said = wait_for(partial(without_quorum, at, *words), what=f"exit code 4: {words}")
        assert b"quorum" in said.stderr, (words, said)
        assert b"Traceback" not in said.stderr
    topics = pko("topics", "list", "-b", at)
    assert topics.stdout.count(b"\n") == 3, topics
    refused = pko("topics", "create", "v", "-b", at, *SOON, env=IMPATIENT)
    assert refused.returncode not in (0, 4), refused
    assert refused.stderr.count(b"\n") == 1, refused
