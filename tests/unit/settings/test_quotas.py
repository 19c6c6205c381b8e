from pykafka_ops.settings.quotas import BROKER_QUOTAS, CLIENT_QUOTAS, IP_QUOTAS, USER_QUOTAS
from pykafka_ops.settings.setting import Update


def test_the_settings_that_are_only_dynamic_are_those_of_kafka() -> None:
    assert list(BROKER_QUOTAS) == [
        "leader.replication.throttled.rate",
        "follower.replication.throttled.rate",
        "replica.alter.log.dirs.io.max.bytes.per.second",
    ]
    assert set(USER_QUOTAS) == {"SCRAM-SHA-256", "SCRAM-SHA-512", *CLIENT_QUOTAS}
    assert CLIENT_QUOTAS["request_percentage"].default == "2.147483647E9"
    assert IP_QUOTAS["connection_creation_rate"].default == "2147483647"
    tables = (BROKER_QUOTAS, USER_QUOTAS, IP_QUOTAS)
    assert {s.update for table in tables for s in table.values()} == {Update.CLUSTER_WIDE}
