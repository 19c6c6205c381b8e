"""Write the tables in pykafka_ops/disk/tables from Kafka's message definitions.

    scripts/record_tables.py FOLDER

FOLDER has ``*.json`` somewhere below it: the definitions of a Kafka release, from its sources or
its jars (``common/metadata``, ``common/message``, ``message``).
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1] / "pykafka_ops" / "disk" / "tables"
WANTED: dict[str, tuple[str, str]] = {
    "metadata": (
        r"metadata/.*Record",
        "Records of the KRaft metadata log",
    ),
    "groups": (
        r"(ConsumerGroup|ShareGroup|StreamsGroup).*(Key|Value)",
        "Types 3 and up of ``__consumer_offsets``: groups of new kinds (KIP-848, 932, 1071)",
    ),
    "share": (r"Share(Snapshot|Update)(Key|Value)", "Records of ``__share_group_state`` (KIP-932)"),
    "remote": (r"message/Remote.*Record", "Records of ``__remote_log_metadata`` (KIP-405)"),
    "control": (
        r"(Snapshot(Header|Footer)|KRaftVersion|Voters)Record|LeaderChangeMessage",
        "Values of control records of KRaft logs and snapshots (KIP-595, 630, 853)",
    ),
}
CONTROL = {
    "LeaderChangeMessage": 2, "SnapshotHeaderRecord": 3, "SnapshotFooterRecord": 4,
    "KRaftVersionRecord": 5, "VotersRecord": 6,
}  # fmt: skip


def lines(fields: list[dict[str, Any]], common: dict[str, Any], indent: str) -> list[str]:
    """A line for each field, those of a struct below it, further in."""
    found = []
    for field in fields:
        words = [field["name"], field["type"], field.get("versions", "0+")]
        if words[2] == "0":
            words[2] = "0+"  # keys: there the type of the record is taken for the version
        if "nullableVersions" in field:
            words.append(f"null={field['nullableVersions']}")
        if "tag" in field:
            words.append(f"tag={field['tag']}:{field['taggedVersions']}")
        if field.get("default") not in (None, ""):
            words.append(f"default={field['default']}")
        found.append(indent + " ".join(words))
        inner = field.get("fields") or common.get(field["type"].removeprefix("[]"))
        if inner:
            found += lines(inner, common, indent + "  ")
    return found


def table(folder: Path, pattern: str) -> list[str]:
    """The lines of all definitions whose names match, in the order of their types."""
    wanted = re.compile(rf".*/(?:{pattern})\.json")
    found: list[tuple[int, str, list[str]]] = []
    for path in folder.rglob("*.json"):
        if not wanted.fullmatch(path.as_posix()):
            continue
        made = json.loads(re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE))
        common = {one["name"]: one["fields"] for one in made.get("commonStructs", [])}
        number = made["apiKey"] if "apiKey" in made else CONTROL[made["name"]]
        head = (
            f"{number} {made['name']} {made['validVersions']} flexible={made['flexibleVersions']}"
        )
        found.append((number, made["name"], [head, *lines(made["fields"], common, "  ")]))
    return [line for _, _, some in sorted(found) for line in some]


def main() -> None:
    """Write every table anew."""
    for name, (pattern, text) in WANTED.items():
        made = "\n".join(table(Path(sys.argv[1]), pattern))
        (HERE / f"{name}.py").write_text(
            f'"""{text}.\n\nMade by ``scripts/record_tables.py``; '
            f'read by :mod:`pykafka_ops.disk.tables.read`.\n"""\n\n'
            f'from __future__ import annotations\n\nTABLE = """\n{made}\n"""\n'
        )


if __name__ == "__main__":
    main()
