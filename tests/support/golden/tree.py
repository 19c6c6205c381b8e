"""ZooKeeper trees of Apache Kafka 3.9.1 (tests/golden/zk), and what of one holds in any cluster.

Compared are all paths, the data field by field, both versions, the ephemeral flag and the ACL. Only
this is masked, since two clusters of Apache Kafka differ in it as well:

* topic ids, the cluster's id, times, ports, salts and keys of SCRAM: their form is compared
* the order of an ISR: followers catch up in any order
* the order of settings changed on several brokers: each of them is asked to write its own
* which partition of an internal topic has which replicas, since the first is drawn by lot: states
  are compared by replicas
* which broker asked for producer ids, and who is controller once the first one has gone
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "zk"
OWN = "/zookeeper"
"""ZooKeeper's own znodes, which the golden trees leave out."""

Tree = dict[str, dict[str, Any]]
"""By path ``data`` (text or None), ``version``, ``cversion``, ``ephemeral`` and ``acl``."""

FORMS = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r'(?<="topic_id":")[A-Za-z0-9_-]{22}(?=")', "ID"),
        (r'(?<="id":")[A-Za-z0-9_-]{22}(?=")', "ID"),
        (r'(?<="timestamp":")[0-9]{13}(?=")', "TIME"),
        (r'(?<=127\.0\.0\.1:)[0-9]+(?=")', "PORT"),
        (r'(?<="port":)[0-9]+', "0"),
        (r"(?<=salt=)[A-Za-z0-9+/]{20,48}={0,2}(?=,)", "SALT"),
        (r"(?<=_key=)[A-Za-z0-9+/]{43}=(?=,)", "32 BYTES"),
        (r"(?<=_key=)[A-Za-z0-9+/]{86}==(?=,)", "64 BYTES"),
    )
)
BROKER = re.compile(r'"brokers/[0-9]+"')
INTERNAL_STATE = re.compile(r"(/brokers/topics/__[a-z_]+)/partitions/([0-9]+)/state")


def moment(name: str) -> Tree:
    """What Apache Kafka had in ZooKeeper then."""
    found: Tree = json.loads((GOLDEN / f"{name}.json").read_text())
    return found


def tree_of(client: KazooClient) -> Tree:
    """What is there now; what vanishes meanwhile is left out."""
    found: Tree = {}

    def walk(path: str) -> None:
        try:
            data, stat = client.get(path)
            rules, _ = client.get_acls(path)
            children = client.get_children(path)
        except NoNodeError:
            return
        found[path] = {
            "data": None if data is None else data.decode(),
            "version": stat.version,
            "cversion": stat.cversion,
            "ephemeral": stat.ephemeralOwner != 0,
            "acl": sorted({f"{rule.id.scheme}:{rule.id.id}:{rule.perms}" for rule in rules}),
        }
        for child in children:
            below = f"{path.rstrip('/')}/{child}"
            if below != OWN:
                walk(below)

    walk("/")
    return found


def common(tree: Tree, left_out: Iterable[str] = (), *, epochs: bool = True) -> dict[str, object]:
    """What any cluster has that lived through the same; ``left_out`` are children of the root,
    left out with all below them. Without ``epochs`` it does not count how often a partition's
    state was changed: a leader may take in a follower that is about to stop, and let it go."""
    out = set(left_out)
    found: dict[str, object] = {}
    states: dict[str, set[str]] = {}
    brokers: list[str] = []
    for path, znode in tree.items():
        if f"/{path.split('/')[1]}" in out:
            continue
        seen = {**znode, "data": _data(path, znode["data"])}
        if path == "/":
            seen["cversion"] -= len(out & tree.keys())
        if not epochs and path.endswith("/state"):
            seen["version"], seen["data"] = 0, {**seen["data"], "leader_epoch": 0}
            seen["data"].pop("controller_epoch")
        internal = INTERNAL_STATE.fullmatch(path)
        if internal:
            replicas = json.loads(tree[internal[1]]["data"])["partitions"][internal[2]]
            states.setdefault(f"{internal[1]}: states of {replicas}", set()).add(repr(seen))
        if path.startswith("/config/changes/") and BROKER.search(znode["data"]):
            brokers.append(seen["data"])
            seen["data"] = "of a broker"
        found[path if not internal else f"{path}: exists"] = None if internal else seen
    return found | states | {"changes of brokers": sorted(brokers, key=str)}


def _data(path: str, text: str | None) -> object:
    for form, name in FORMS:
        text = text and form.sub(name, text)
    if not text or text[0] != "{":
        return text
    data: dict[str, Any] = json.loads(text)
    if "isr" in data:
        data["isr"] = sorted(data["isr"])
    if path == "/controller":
        data["brokerid"] = "the first" if data["brokerid"] == 0 else "another"
    if path == "/latest_producer_id_block":
        data["broker"] = "whoever asked"
    if path.startswith("/brokers/topics/__") and "partitions" in data:
        data["partitions"] = sorted({str(replicas) for replicas in data["partitions"].values()})
    return dict(sorted(data.items()))


def differences(found: dict[str, object], wanted: dict[str, object]) -> list[str]:
    """A line for each path that is not as wanted."""
    return [
        f"{path}: {found.get(path, 'missing')}, not {wanted.get(path, 'there')}"
        for path in sorted(found.keys() | wanted.keys())
        if path not in found or path not in wanted or found[path] != wanted[path]
    ]
