"""The state that the records of a metadata log build up, as one tree (Kafka: ``MetadataImage``).

Directories have the names that kafka-metadata-shell gives them. Secrets never get in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from pykafka_ops.analysis.feature_levels import METADATA, level_text
from pykafka_ops.commands.quorum.image.naming import (
    access_rule,
    config_resource,
    quota_entity,
    scram_mechanism,
    shown_config,
)

Fields = Mapping[str, Any]
Path = tuple[str, ...]
_SAME_LEADER: Final = -2
_RECOVERY = ("RECOVERED", "RECOVERING")
_TOPICS: Final = ("topics", "byName")
_BROKERS: Final = ("cluster", "brokers")
_PARTITION = {
    "isr": "isr", "replicas": "replicas", "removingReplicas": "removingReplicas",
    "addingReplicas": "addingReplicas", "directories": "directories",
    "eligibleLeaderReplicas": "elr", "lastKnownElr": "lastKnownElr",
}  # fmt: skip


class StateChange(NamedTuple):
    """One thing that became another; None: it is not there."""

    path: Path
    before: object
    after: object


class MetadataState:
    """``tree`` is the state; ``journal`` gets what changes while it is not None."""

    def __init__(self) -> None:
        self.tree: dict[str, Any] = {
            "provenance": {}, "features": {}, "quorum": {},
            "cluster": {"brokers": {}, "controllers": {}},
            "topics": {"byName": {}, "byId": {}}, "configs": {}, "clientQuotas": {},
            "producerIds": {}, "acls": {"byId": {}}, "scram": {}, "delegationToken": {},
        }  # fmt: skip
        self.journal: list[StateChange] | None = None
        self._names: dict[str, str] = {}
        """Of topics, by id."""

    def replay(self, kind: str, fields: Fields) -> bool:
        """Take a record in, by its type as in ``TOPIC_RECORD``; False where it has no meaning here,
        or is about what is not there."""
        work = _REPLAYS.get(kind)
        return work is not None and work(self, fields) is not False

    def at(self, path: Path) -> Any:
        """What is there; None: nothing."""
        found: Any = self.tree
        for name in path:
            if not isinstance(found, dict) or name not in found:
                return None
            found = found[name]
        return found

    # --- how

    def _put(self, path: Path, value: object) -> None:
        folder = self.tree
        for name in path[:-1]:
            folder = folder.setdefault(name, {})
        before = folder.get(path[-1])
        folder[path[-1]] = value
        self._note(path, before, value)

    def _drop(self, path: Path) -> bool:
        folder = self.at(path[:-1])
        if not isinstance(folder, dict) or path[-1] not in folder:
            return False
        self._note(path, folder.pop(path[-1]), None)
        if not folder and path[0] in ("configs", "clientQuotas", "scram") and len(path) > 2:
            self.at(path[:-2]).pop(path[-2])
        return True

    def _note(self, path: Path, before: object, after: object) -> None:
        if self.journal is not None:
            self.journal += differences(path, before, after)

    # --- by record

    def _broker(self, f: Fields) -> None:
        self._put(
            (*_BROKERS, str(f["brokerId"])),
            {
                "epoch": f["brokerEpoch"], "incarnationId": f["incarnationId"],
                "listeners": _listeners(f["endPoints"]), "features": _features(f["features"]),
                "rack": f["rack"], "fenced": f["fenced"],
                "inControlledShutdown": f.get("inControlledShutdown", False),
                "isMigratingZkBroker": f.get("isMigratingZkBroker", False),
                "directories": f.get("logDirs", []),
                "cordonedDirectories": f.get("cordonedLogDirs"),
            },
        )  # fmt: skip

    def _broker_gone(self, f: Fields) -> bool:
        return self._drop((*_BROKERS, str(f["brokerId"])))

    def _fence(self, f: Fields) -> bool:
        return self._change_broker(f["id"], {"fenced": True})

    def _unfence(self, f: Fields) -> bool:
        return self._change_broker(f["id"], {"fenced": False})

    def _broker_change(self, f: Fields) -> bool:
        change: dict[str, object] = {}
        if f.get("fenced"):
            change["fenced"] = f["fenced"] > 0
        if f.get("inControlledShutdown"):
            change["inControlledShutdown"] = True
        if f.get("logDirs"):
            change["directories"] = f["logDirs"]
        if f.get("cordonedLogDirs") is not None:
            change["cordonedDirectories"] = f["cordonedLogDirs"]
        return self._change_broker(f["brokerId"], change)

    def _change_broker(self, number: int, change: Mapping[str, object]) -> bool:
        path = (*_BROKERS, str(number))
        broker = self.at(path)
        if broker is None:
            return False
        self._put(path, {**broker, **change})
        return True

    def _controller(self, f: Fields) -> None:
        self._put(
            ("cluster", "controllers", str(f["controllerId"])),
            {
                "incarnationId": f["incarnationId"], "zkMigrationReady": f["zkMigrationReady"],
                "listeners": _listeners(f["endPoints"]), "features": _features(f["features"]),
            },
        )  # fmt: skip

    def _topic(self, f: Fields) -> None:
        name, number = f["name"], f["topicId"]
        self._names[number] = name
        self._put((*_TOPICS, name), {"id": number, "partitions": {}})
        self.tree["topics"]["byId"][number] = name

    def _topic_gone(self, f: Fields) -> bool:
        name = self._names.pop(f["topicId"], None)
        if name is None:
            return False
        self.tree["topics"]["byId"].pop(f["topicId"], None)
        self._drop(("configs", f"TOPIC:{name}"))  # as ConfigurationsDelta does
        return self._drop((*_TOPICS, name))

    def _partition(self, f: Fields) -> bool:
        path = self._place(f)
        if path is None:
            return False
        self._put(
            path,
            {
                "leader": f["leader"], "replicas": f["replicas"], "isr": f["isr"],
                "elr": f.get("eligibleLeaderReplicas") or [],
                "lastKnownElr": f.get("lastKnownElr") or [],
                "removingReplicas": f["removingReplicas"], "addingReplicas": f["addingReplicas"],
                "directories": f.get("directories", []),
                "leaderRecoveryState": _recovery(f.get("leaderRecoveryState", 0)),
                "leaderEpoch": f["leaderEpoch"], "partitionEpoch": f["partitionEpoch"],
            },
        )  # fmt: skip
        return True

    def _partition_change(self, f: Fields) -> bool:
        path = self._place(f)
        old = None if path is None else self.at(path)
        if path is None or old is None:
            return False
        new = {**old, "partitionEpoch": old["partitionEpoch"] + 1}
        new |= {ours: f[name] for name, ours in _PARTITION.items() if f.get(name) is not None}
        if f.get("leader", _SAME_LEADER) != _SAME_LEADER:
            new |= {"leader": f["leader"], "leaderEpoch": old["leaderEpoch"] + 1}
        if f.get("leaderRecoveryState", -1) != -1:
            new["leaderRecoveryState"] = _recovery(f["leaderRecoveryState"])
        self._put(path, new)
        return True

    def _clear_elr(self, f: Fields) -> None:
        for name in [f["topicName"]] if f["topicName"] else list(self.at(_TOPICS)):
            for number, old in (self.at((*_TOPICS, name, "partitions")) or {}).items():
                if old["elr"] or old["lastKnownElr"]:
                    new = {**old, "elr": [], "lastKnownElr": []}
                    self._put((*_TOPICS, name, "partitions", number), new)

    def _place(self, f: Fields) -> Path | None:
        name = self._names.get(f["topicId"])
        if name is None:
            return None
        return (*_TOPICS, name, "partitions", str(f["partitionId"]))

    def _config(self, f: Fields) -> None:
        resource = config_resource(f["resourceType"], f["resourceName"])
        path = ("configs", resource, f["name"])
        if f["value"] is None:
            self._drop(path)
        else:
            self._put(path, shown_config(f["resourceType"], f["name"], f["value"]))

    def _quota(self, f: Fields) -> None:
        path = ("clientQuotas", quota_entity(f["entity"]), f["key"])
        if f["remove"]:
            self._drop(path)
        else:
            self._put(path, f["value"])

    def _feature(self, f: Fields) -> None:
        name, level = f["name"], f["featureLevel"]
        if level or name == METADATA:
            self._put(("features", name), level)
        else:
            self._drop(("features", name))
        if name == METADATA:
            self.tree["features"]["metadataVersion"] = level_text(name, level)

    def _producer_ids(self, f: Fields) -> None:
        self._put(("producerIds", "nextProducerId"), f["nextProducerId"])

    def _rule(self, f: Fields) -> None:
        self._put(("acls", "byId", f["id"]), access_rule(f))

    def _rule_gone(self, f: Fields) -> bool:
        return self._drop(("acls", "byId", f["id"]))

    def _scram(self, f: Fields) -> None:
        path = ("scram", scram_mechanism(f["mechanism"]), f["name"])
        self._put(path, {"iterations": f["iterations"]})

    def _scram_gone(self, f: Fields) -> bool:
        return self._drop(("scram", scram_mechanism(f["mechanism"]), f["name"]))

    def _token(self, f: Fields) -> None:
        names = ("owner", "requester", "renewers", "issueTimestamp", "maxTimestamp",
                 "expirationTimestamp")  # fmt: skip
        self._put(("delegationToken", f["tokenId"]), {name: f[name] for name in names})

    def _token_gone(self, f: Fields) -> bool:
        return self._drop(("delegationToken", f["tokenId"]))

    def _kraft_version(self, f: Fields) -> None:
        self._put(("quorum", "kraft.version"), f["kRaftVersion"])

    def _voters(self, f: Fields) -> None:
        voters = {
            str(v["voterId"]): {
                "directoryId": v["voterDirectoryId"],
                "listeners": [f"{e['name']}://{e['host']}:{e['port']}" for e in v["endpoints"]],
            }
            for v in f["voters"]
        }
        self._put(("quorum", "voters"), voters)

    def _leader(self, f: Fields) -> None:
        self._put(("quorum", "leader"), f["leaderId"])


def differences(path: Path, before: object, after: object) -> Iterator[StateChange]:
    """What differs between two values of one place, down to single fields; what is new or gone
    counts as a whole."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys([*before, *after]):
            yield from differences((*path, str(name)), before.get(name), after.get(name))
    elif before != after:
        yield StateChange(path, before, after)


def _listeners(ends: list[Fields]) -> list[str]:
    return [f"{e['name']}://{e['host']}:{e['port']}" for e in ends]


def _features(features: list[Fields]) -> dict[str, str]:
    return {f["name"]: f"{f['minSupportedVersion']}-{f['maxSupportedVersion']}" for f in features}


def _recovery(state: int) -> str:
    return _RECOVERY[state] if 0 <= state < len(_RECOVERY) else str(state)


_REPLAYS: dict[str, Callable[[MetadataState, Fields], bool | None]] = {
    "REGISTER_BROKER_RECORD": MetadataState._broker,
    "UNREGISTER_BROKER_RECORD": MetadataState._broker_gone,
    "FENCE_BROKER_RECORD": MetadataState._fence,
    "UNFENCE_BROKER_RECORD": MetadataState._unfence,
    "BROKER_REGISTRATION_CHANGE_RECORD": MetadataState._broker_change,
    "REGISTER_CONTROLLER_RECORD": MetadataState._controller,
    "TOPIC_RECORD": MetadataState._topic,
    "REMOVE_TOPIC_RECORD": MetadataState._topic_gone,
    "PARTITION_RECORD": MetadataState._partition,
    "PARTITION_CHANGE_RECORD": MetadataState._partition_change,
    "CLEAR_ELR_RECORD": MetadataState._clear_elr,
    "CONFIG_RECORD": MetadataState._config,
    "CLIENT_QUOTA_RECORD": MetadataState._quota,
    "FEATURE_LEVEL_RECORD": MetadataState._feature,
    "PRODUCER_IDS_RECORD": MetadataState._producer_ids,
    "ACCESS_CONTROL_ENTRY_RECORD": MetadataState._rule,
    "REMOVE_ACCESS_CONTROL_ENTRY_RECORD": MetadataState._rule_gone,
    "USER_SCRAM_CREDENTIAL_RECORD": MetadataState._scram,
    "REMOVE_USER_SCRAM_CREDENTIAL_RECORD": MetadataState._scram_gone,
    "DELEGATION_TOKEN_RECORD": MetadataState._token,
    "REMOVE_DELEGATION_TOKEN_RECORD": MetadataState._token_gone,
    "KRAFT_VERSION": MetadataState._kraft_version,
    "KRAFT_VOTERS": MetadataState._voters,
    "LEADER_CHANGE": MetadataState._leader,
}
