"""Control records of KRaft logs and snapshots; read only to be shown."""

from __future__ import annotations

from pykafka_ops.disk.schema import ByteReader, RecordStruct, kept, read_struct, table


@table(flexible=0)
class SnapshotHeaderRecord(RecordStruct):
    """First record of a snapshot; time ms."""

    version: int = kept("int16")
    last_contained_log_timestamp: int = kept("int64")


@table(flexible=0)
class SnapshotFooterRecord(RecordStruct):
    """Last record of a snapshot."""

    version: int = kept("int16")


@table(flexible=0)
class KRaftVersionRecord(RecordStruct):
    """The level of the KRaft protocol."""

    version: int = kept("int16")
    k_raft_version: int = kept("int16")


@table(flexible=0)
class VoterEndpoint(RecordStruct):
    """Where a voter listens."""

    name: str = kept("string")
    host: str = kept("string")
    port: int = kept("uint16")


@table(flexible=0)
class KRaftVersionFeature(RecordStruct):
    """Levels a voter supports."""

    min_supported_version: int = kept("int16")
    max_supported_version: int = kept("int16")


@table(flexible=0)
class Voter(RecordStruct):
    """One voter of the quorum."""

    voter_id: int = kept("int32")
    voter_directory_id: bytes = kept("uuid")
    endpoints: list[VoterEndpoint] = kept(VoterEndpoint, many=True)
    k_raft_version_feature: KRaftVersionFeature = kept(KRaftVersionFeature)


@table(flexible=0)
class VotersRecord(RecordStruct):
    """All voters."""

    version: int = kept("int16")
    voters: list[Voter] = kept(Voter, many=True)


CONTROL_RECORDS: dict[int, tuple[str, type[RecordStruct]]] = {
    3: ("SnapshotHeader", SnapshotHeaderRecord),
    4: ("SnapshotFooter", SnapshotFooterRecord),
    5: ("KRaftVersion", KRaftVersionRecord),
    6: ("KRaftVoters", VotersRecord),
}


def read_control_value(kind: int, value: bytes) -> RecordStruct:
    """The value of a control record of ``kind`` 3 to 6 (version 0); CorruptError on damage."""
    return read_struct(CONTROL_RECORDS[kind][1], ByteReader(value), 0)
