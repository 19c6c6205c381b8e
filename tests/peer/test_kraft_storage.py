"""Apache Kafka 4 on a directory that ``pko storage format`` made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.process.apache_kraft import CLUSTER_ID, NEWEST, VERSION, KraftBroker
from tests.support.process.console import pko

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.mark.parametrize("version", [VERSION, NEWEST])
def test_apache_kafka_starts_from_a_directory_that_we_formatted(
    version: str, tmp_path: Path
) -> None:
    broker = KraftBroker(tmp_path / "data", version=version)
    release = () if version == NEWEST else ("-r", version)
    broker.overrides = {
        "controller.quorum.voters": "",
        "controller.quorum.bootstrap.servers": f"127.0.0.1:{broker.controller_port}",
    }
    try:
        user = "SCRAM-SHA-256=[name=carol,password=secret]"
        made = pko("kafka-storage", "format", "-c", str(broker.argv()[-1]), "-t", CLUSTER_ID,
                   "--standalone", "--add-scram", user, *release)  # fmt: skip
        assert made.returncode == 0, made.stderr
        broker.start()
        said = pko("users", "describe", "carol", "-b", broker.bootstrap, "-o", "json")
        assert b"SCRAM-SHA-256" in said.stdout, said.stderr
        said = pko("quorum", "replication", "-b", broker.bootstrap, "-o", "json")
        meta = (tmp_path / "data" / "meta.properties").read_text()
        directory = meta.partition("directory.id=")[2].split()[0]
        assert directory.encode() in said.stdout, said.stderr
    finally:
        broker.close()
