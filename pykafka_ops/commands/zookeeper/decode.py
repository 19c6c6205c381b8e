"""What a znode of Kafka's says: by its path, with the same codecs as the broker's.

What is shown here as bad is what a broker would refuse.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from pykafka_ops.broker.metadata.znodes import acl, admin, brokers, cluster, config, topics
from pykafka_ops.broker.metadata.znodes.json_data import ZnodeError, decode_json
from pykafka_ops.commands.zookeeper.znodes import Znode, ZnodeStat
from pykafka_ops.security.acls.rules import PatternType, ResourcePattern
from pykafka_ops.settings.check import misfits

HIDDEN = "[hidden]"
DEEPEST = 100
"""How deep JSON may be nested that is shown as such."""
_SECRETS = re.compile(r"(salt|stored_key|server_key)=[^,]*")
Groups = tuple[str, ...]
Check = Callable[[Groups, bytes | None, ZnodeStat], object]


class DecodedZnode(NamedTuple):
    """``kind`` in words ("": no znode of Kafka's), ``value`` as JSON has it, ``problem`` "" or why
    a broker cannot read it; then ``value`` is what can be shown of the data."""

    kind: str
    value: object
    problem: str = ""


class Rule(NamedTuple):
    """Znodes whose path matches: ``check`` raises ZnodeError for bad data; what it returns is
    added to the JSON object in the data, if it is a dict, else shown instead of the data."""

    pattern: re.Pattern[str]
    kind: str
    check: Check


def _plain(check: Callable[[bytes | None], object]) -> Check:
    """Check alone: the JSON in the data says it all."""

    def run(groups: Groups, data: bytes | None, stat: ZnodeStat) -> object:
        check(data)
        return {}

    return run


def _broker(groups: Groups, data: bytes | None, stat: ZnodeStat) -> object:
    brokers.BrokerIdZNode.decode(int(groups[0]), data, stat.czxid)
    return {"broker_epoch": stat.czxid}


def _topic(groups: Groups, data: bytes | None, stat: ZnodeStat) -> object:
    topics.TopicZNode.decode(groups[0], data)
    return {}


def _state(groups: Groups, data: bytes | None, stat: ZnodeStat) -> object:
    topics.PartitionState.decode(groups[0], int(groups[1]), data, stat.version)
    return {"partition_epoch": stat.version}


def _entity(groups: Groups, data: bytes | None, stat: ZnodeStat) -> object:
    values = config.EntityConfig.decode(groups[0], data)
    bad = misfits(values) if groups[0].startswith("topics/") else []
    if bad:
        raise ZnodeError("; ".join(bad))
    return {}


def _rules_of(pattern: PatternType) -> Check:
    def run(groups: Groups, data: bytes | None, stat: ZnodeStat) -> object:
        type_ = acl.RESOURCE_TYPES.get(groups[0])
        if type_ is None:
            raise ZnodeError(f"unknown resource type {groups[0]}")
        acl.AclRules.decode(ResourcePattern(type_, groups[1], pattern), data)
        return {}

    return run


def _literal_change(groups: Groups, data: bytes | None, stat: ZnodeStat) -> object:
    resource = acl.AclChanges.decode_literal(data)
    return f"{resource.type.name}:{resource.name}"


RULES = tuple(
    Rule(re.compile(pattern), kind, check)
    for pattern, kind, check in (
        ("/cluster/id", "cluster id", _plain(cluster.ClusterId.decode)),
        ("/controller", "controller", _plain(cluster.ControllerZNode.decode)),
        (
            "/controller_epoch",
            "controller epoch",
            lambda g, d, s: cluster.ControllerEpoch.decode(d),
        ),
        ("/brokers/ids/([0-9]{1,10})", "broker", _broker),
        ("/brokers/seqid", "broker ids given", lambda g, d, s: s.version),
        ("/brokers/topics/([^/]+)", "topic", _topic),
        ("/brokers/topics/([^/]+)/partitions/([0-9]{1,10})/state", "partition state", _state),
        ("/config/changes/[^/]+", "config change", _plain(config.ConfigChanges.decode)),
        ("/config/((?:topics|brokers|ips|clients|users)/[^/]+)", "config", _entity),
        ("/config/(users/[^/]+/clients/[^/]+)", "config", _entity),
        (
            "/isr_change_notification/[^/]+",
            "ISR change",
            _plain(admin.IsrChangeNotifications.decode),
        ),
        ("/log_dir_event_notification/[^/]+", "log dir failure", _plain(admin.LogDirEvents.decode)),
        ("/admin/reassign_partitions", "reassignment", _plain(admin.Reassignments.decode)),
        ("/admin/preferred_replica_election", "election", _plain(admin.PreferredElection.decode)),
        ("/admin/delete_topics/[^/]+", "topic to delete", lambda g, d, s: None),
        ("/latest_producer_id_block", "producer ids", _plain(cluster.ProducerIdBlockZNode.decode)),
        ("/feature", "features", _plain(cluster.Feature.decode)),
        ("/kafka-acl/([^/]+)/(.+)", "ACL", _rules_of(PatternType.LITERAL)),
        ("/kafka-acl-extended/prefixed/([^/]+)/(.+)", "ACL", _rules_of(PatternType.PREFIXED)),
        ("/kafka-acl-changes/[^/]+", "ACL change", _literal_change),
        ("/kafka-acl-extended-changes/[^/]+", "ACL change", _plain(acl.AclChanges.decode_extended)),
        (
            "/delegation_token/tokens/[^/]+",
            "delegation token",
            _plain(partial(decode_json, "delegation token")),
        ),
    )
)


def decode(znode: Znode) -> DecodedZnode:
    """What the znode says; never raises for what is in it. Secrets are hidden."""
    if znode.stat is None:
        return DecodedZnode("", None, znode.refused)
    for rule in RULES:
        match = rule.pattern.fullmatch(znode.path)
        if match is None:
            continue
        try:
            extra = rule.check(match.groups(), znode.data, znode.stat)
        except ZnodeError as error:
            return DecodedZnode(rule.kind, hidden(shown(znode.data)), _why(error, znode.path))
        if not isinstance(extra, dict):
            return DecodedZnode(rule.kind, extra)
        value = shown(znode.data)
        return DecodedZnode(
            rule.kind, hidden({**value, **extra} if isinstance(value, dict) else value)
        )
    return DecodedZnode("", hidden(shown(znode.data)))


def _why(error: ZnodeError, path: str) -> str:
    text = str(error).removeprefix(f"{path}: ").removeprefix(f"{path.rpartition('/')[0]}: ")
    return " ".join(text.split())


def shown(data: bytes | None) -> Any:
    """The data as JSON can hold it: parsed, else text, else {"base64": ...}; None where empty."""
    if not data:
        return None
    try:
        return _encodable(json.loads(data))
    except (ValueError, RecursionError):
        pass
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
    return text if text.isprintable() else {"base64": base64.b64encode(data).decode()}


def _encodable(value: Any, depth: int = 0) -> Any:
    """Half surrogate pairs, which no output can hold, as escapes; ValueError where it is nested
    too deep to be shown."""
    if depth > DEEPEST:
        raise ValueError("nested too deep")
    if isinstance(value, dict):
        return {_encodable(k): _encodable(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list):
        return [_encodable(v, depth + 1) for v in value]
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    return value


def plain(text: str) -> str:
    """Text without what could command a terminal."""
    return text if text.isprintable() else json.dumps(text)


def hidden(value: Any) -> Any:
    """Without the keys of SCRAM credentials and delegation tokens."""
    if isinstance(value, dict):
        return {k: HIDDEN if k == "hmac" else hidden(v) for k, v in value.items()}
    if isinstance(value, list):
        return [hidden(v) for v in value]
    if isinstance(value, str) and "stored_key=" in value:
        return _SECRETS.sub(rf"\1={HIDDEN}", value)
    return value


def summary(value: object) -> str | None:
    """The value in one line."""
    if value is None:
        return None
    if isinstance(value, str):
        return plain(value)
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value, separators=(",", ":"))
