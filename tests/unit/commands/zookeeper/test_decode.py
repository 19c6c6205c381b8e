"""Znodes, decoded: what Apache Kafka wrote, and what nobody should have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.zookeeper.decode import decode, plain, shown, summary
from pykafka_ops.commands.zookeeper.znodes import Znode, ZnodeStat

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "zk"
MOMENTS = sorted(GOLDEN.glob("[0-9]*.json"))
PATHS = (
    "/cluster/id", "/controller", "/controller_epoch", "/brokers/ids/1", "/brokers/seqid",
    "/brokers/topics/t", "/brokers/topics/t/partitions/0/state", "/config/changes/c_1",
    "/config/topics/t", "/config/users/u/clients/c", "/isr_change_notification/i_1",
    "/log_dir_event_notification/l_1", "/admin/reassign_partitions",
    "/admin/preferred_replica_election", "/admin/delete_topics/t", "/latest_producer_id_block",
    "/feature", "/kafka-acl/Topic/t", "/kafka-acl/Nope/t", "/kafka-acl-extended/prefixed/Group/g",
    "/kafka-acl-changes/a_1", "/kafka-acl-extended-changes/a_1", "/delegation_token/tokens/t", "/x",
)  # fmt: skip


def stat(version: int = 0, czxid: int = 7) -> ZnodeStat:
    return ZnodeStat(czxid, czxid, czxid, 0, 0, version, 0, 0, 0, 0, 0)


def znode(path: str, data: bytes | None, version: int = 0) -> Znode:
    return Znode(path, data, stat(version))


@pytest.mark.parametrize("moment", MOMENTS, ids=[m.stem for m in MOMENTS])
def test_what_kafka_wrote_is_known_and_good(moment: Path) -> None:
    for path, found in json.loads(moment.read_text()).items():
        data = (found.get("data") or "").encode() or None
        decoded = decode(znode(path, data, found["version"]))
        assert decoded.problem == "", path
        assert decoded.kind or not data, f"{path} has data nobody knows"


def test_a_partition_state_tells_its_epoch() -> None:
    data = b'{"controller_epoch":1,"leader":2,"version":1,"leader_epoch":3,"isr":[2]}'
    decoded = decode(znode("/brokers/topics/t/partitions/0/state", data, 9))
    assert decoded.kind == "partition state"
    assert decoded.value == {**json.loads(data), "partition_epoch": 9}


def test_secrets_are_hidden() -> None:
    value = "salt=YWJj,stored_key=ZGVm,server_key=Z2hp,iterations=4096"
    data = json.dumps({"version": 1, "config": {"SCRAM-SHA-256": value}}).encode()
    text = summary(decode(znode("/config/users/u", data)).value) or ""
    assert "iterations=4096" in text
    assert not {"YWJj", "ZGVm", "Z2hp"} & set(text.replace(",", "=").split("="))
    token = decode(znode("/delegation_token/tokens/t", b'{"hmac":"c2VjcmV0","version":3}'))
    assert token.value == {"hmac": "[hidden]", "version": 3}


@pytest.mark.parametrize(
    ("path", "data", "problem"),
    [
        ("/brokers/topics/t", b"\xff", "not JSON"),
        ("/brokers/topics/t", b"[]", "not a JSON object"),
        ("/brokers/topics/t/partitions/0/state", b'{"leader":1}', "no field 'leader_epoch'"),
        ("/brokers/topics/t", b'{"version":1,"partitions":{"0":["a"]}}', "'a' is no number"),
        ("/controller_epoch", b"x", "'x' is no number"),
        ("/config/changes/config_change_0000000001", b"x", "not JSON"),
        (
            "/config/topics/t",
            b'{"version":1,"config":{"retention.ms":"soon"}}',
            "Invalid value soon for configuration retention.ms",
        ),
        ("/kafka-acl/Nope/x", b"{}", "unknown resource type Nope"),
    ],
)
def test_a_bad_znode_is_shown_with_its_problem(path: str, data: bytes, problem: str) -> None:
    decoded = decode(znode(path, data))
    assert problem in decoded.problem
    assert "\n" not in decoded.problem
    assert "/" not in decoded.problem, "the path stands beside it"
    assert "Error" not in decoded.problem, "that is Python's"
    assert decoded.value is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                (
                    "version",
                    "id",
                    "brokerid",
                    "partitions",
                    "isr",
                    "leader",
                    "config",
                    "acls",
                    "features",
                    "status",
                    "broker",
                    "endpoints",
                    "host",
                    "port",
                    "topic_id",
                    "adding_replicas",
                    "entity_path",
                    "hmac",
                )
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=10,
)


@given(st.sampled_from(PATHS), st.none() | st.binary(max_size=40) | JSON.map(json.dumps))
def test_no_data_at_all_is_too_bad_to_be_shown(path: str, data: bytes | str | None) -> None:
    raw = data.encode() if isinstance(data, str) else data
    decoded = decode(znode(path, raw))
    text = summary(decoded.value)
    assert text is None or text.isprintable()
    json.dumps(decoded.value, ensure_ascii=False).encode()


def test_what_cannot_be_text_is_base64() -> None:
    assert shown(b"\xff\x00") == {"base64": "/wA="}
    assert shown(b"\x1b[31m") == {"base64": "G1szMW0="}
    assert shown(b"[" * 500 + b"]" * 500) == "[" * 500 + "]" * 500
    assert summary(shown(b'"\\ud800\\u001b"')) == '"\\\\ud800\\u001b"'
    assert plain("a\x1bb") == '"a\\u001bb"'


def test_what_must_not_be_read_says_so() -> None:
    assert decode(Znode("/x", None, None, "not allowed to read it")).problem
