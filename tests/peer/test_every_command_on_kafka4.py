"""Every command that asks brokers, in both forms of command lines, of Apache Kafka 4 without
ZooKeeper; and while none of its nodes runs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.process.apache_kraft import NEWEST, VERSION, KraftBroker
from tests.support.process.kraft_lines import EVERY, KRAFT, Kraft
from tests.support.process.secured_lines import TOOLS

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module", params=[VERSION, NEWEST])
def kraft(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Kraft]:
    base = tmp_path_factory.mktemp("kraft")
    secret = {"delegation.token.secret.key": "secret"}
    broker = KraftBroker(base / "data", secret, version=request.param)
    try:
        made = Kraft(broker.start(), base)
        made.prepare()
        yield made
    finally:
        broker.close()


def test_every_command_gets_its_answer(kraft: Kraft) -> None:
    wrong = []
    for line in (*EVERY, *KRAFT, *TOOLS):
        said = kraft.ask(line)
        told = (said.stdout + said.stderr).decode()
        if said.returncode or line.wanted not in told:
            wrong.append(f"{line.words}: exit code {said.returncode}: {told[-400:]}")
    assert not wrong, "\n".join(wrong)


def test_while_no_node_runs_every_command_says_so_in_a_line(kraft: Kraft) -> None:
    """This ends the broker: it is the last one here."""
    kraft.broker.kill()
    wrong = []
    lines = (*EVERY, *KRAFT)
    with ThreadPoolExecutor(8) as pool:  # each tries for a while
        heard = pool.map(lambda line: kraft.ask(line, "--timeout", "1s"), lines)
    for line, said in zip(lines, heard, strict=True):
        told = said.stderr.decode()
        if said.returncode != line.code or "refused" not in told + said.stdout.decode():
            wrong.append(f"{line.words}: exit code {said.returncode}: {told[-400:]}")
        if line.one_line and told.count("\n") != 1:
            wrong.append(f"{line.words}: not one line: {told}")
    assert not wrong, "\n".join(wrong)
