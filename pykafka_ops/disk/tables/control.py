"""Values of control records of KRaft logs and snapshots (KIP-595, 630, 853).

Made by ``scripts/record_tables.py``; read by :mod:`pykafka_ops.disk.tables.read`.
"""

from __future__ import annotations

TABLE = """
2 LeaderChangeMessage 0-1 flexible=0+
  Version int16 0+
  LeaderId int32 0+
  Voters []Voter 0+
    VoterId int32 0+
    VoterDirectoryId uuid 1+
  GrantingVoters []Voter 0+
    VoterId int32 0+
    VoterDirectoryId uuid 1+
3 SnapshotHeaderRecord 0 flexible=0+
  Version int16 0+
  LastContainedLogTimestamp int64 0+
4 SnapshotFooterRecord 0 flexible=0+
  Version int16 0+
5 KRaftVersionRecord 0 flexible=0+
  Version int16 0+
  KRaftVersion int16 0+
6 VotersRecord 0 flexible=0+
  Version int16 0+
  Voters []Voter 0+
    VoterId int32 0+
    VoterDirectoryId uuid 0+
    Endpoints []Endpoint 0+
      Name string 0+
      Host string 0+
      Port uint16 0+
    KRaftVersionFeature KRaftVersionFeature 0+
      MinSupportedVersion int16 0+
      MaxSupportedVersion int16 0+
"""
