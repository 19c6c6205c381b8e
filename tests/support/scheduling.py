"""Which tests a worker runs one after another, and which come first (``--dist loadscope``).

pytest-xdist hands out units: what shares something dear to start (JVMs, a Spark session, three
brokers) is one. Its own groups by marks do not work with pytest 9.2, which names tests otherwise.
"""

from __future__ import annotations

import re

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

SPARK, TRIO, SECURED = "spark", "three Apache Kafka brokers", "a secured Apache Kafka"
OWN_SPARK = {f"tests/spark/test_{name}.py" for name in (
    "airflow", "connect", "demo", "hadoop_store", "local_cluster", "notebook", "output_tables",
    "schedule_examples", "standalone",
)}  # fmt: skip
TRIO_FILES = {
    "tests/peer/test_cluster_answers.py",
    *(
        f"tests/cli/test_{name}.py"
        for name in (
            "other_transcripts", "reassign_side_by_side", "reassign_transcript", "reassign_verbs",
            "reassign_zookeeper",
        )
    ),
}  # fmt: skip
SECURED_FILES = {
    f"tests/cli/test_{name}.py"
    for name in ("every_command_secured", "every_login_secured", "secured_screens")
}
BY_FILE = {"cli", "cluster", "pages", "peer", "storage"}
CLIENT_FILES = {
    f"tests/clients/test_{n}.py"
    for n in ("consumer_groups", "group_copies", "group_phases", "groups", "unsigned_tokens")
}
"""Their JVMs are not those of the fixture ``client``."""
LIBRARY = re.compile(r"[\[-](confluent-kafka|kafka-python|aiokafka|java-[\d.]+)[-\]]")
SHARED = {"apache_cluster_session": TRIO, "spark": SPARK, "secured_kafka": SECURED}
"""By the fixture that is dear, the unit of all that use it."""
LONG = (
    SPARK,
    "tests/peer/test_protocol.py",
    "tests/spark/test_standalone.py",
    "tests/spark/test_output_tables.py",
    "tests/spark/test_hadoop_store.py",
    "tests/spark/test_airflow.py",
    "tests/spark/test_connect.py",
    "tests/cluster/test_mixed.py",
    TRIO,
    "tests/cluster/test_faults.py",
    "tests/spark/test_demo.py",
    "tests/peer/test_interchange.py",
)
"""Units of a minute or more, longest first: begun last, one of them would end alone."""


def unit_of(node: str) -> str:
    """The unit of a test by its node id; a test that shares nothing is one by itself."""
    path, _, test = node.partition("::")
    folder = path.split("/")[1]
    if folder == "spark" and path not in OWN_SPARK:
        return SPARK
    if path in TRIO_FILES:
        return TRIO
    if path in SECURED_FILES:
        return SECURED
    if folder in BY_FILE or path in OWN_SPARK or path in CLIENT_FILES:
        return path
    if folder == "clients" and (library := LIBRARY.search(test)):
        return f"clients {library[1]}"
    return node


def rank(node: str) -> int:
    """Long units first, then the others that are shared, single tests last: they fill the end."""
    unit = unit_of(node)
    return LONG.index(unit) if unit in LONG else len(LONG) + (unit == node)


class Units(LoadScopeScheduling):
    """Hands out units in the order of their first tests."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)
