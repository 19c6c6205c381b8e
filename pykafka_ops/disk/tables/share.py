"""Records of ``__share_group_state`` (KIP-932).

Made by ``scripts/record_tables.py``; read by :mod:`pykafka_ops.disk.tables.read`.
"""

from __future__ import annotations

TABLE = """
0 ShareSnapshotKey 0 flexible=none
  GroupId string 0+
  TopicId uuid 0+
  Partition int32 0+
0 ShareSnapshotValue 0 flexible=0+
  SnapshotEpoch int32 0+
  StateEpoch int32 0+
  LeaderEpoch int32 0+
  StartOffset int64 0+
  DeliveryCompleteCount int32 0+ tag=0:0+ default=-1
  CreateTimestamp int64 0+
  WriteTimestamp int64 0+
  StateBatches []StateBatch 0+
    FirstOffset int64 0+
    LastOffset int64 0+
    DeliveryState int8 0+
    DeliveryCount int16 0+
1 ShareUpdateKey 0 flexible=none
  GroupId string 0+
  TopicId uuid 0+
  Partition int32 0+
1 ShareUpdateValue 0 flexible=0+
  SnapshotEpoch int32 0+
  LeaderEpoch int32 0+
  StartOffset int64 0+
  DeliveryCompleteCount int32 0+ tag=0:0+ default=-1
  StateBatches []StateBatch 0+
    FirstOffset int64 0+
    LastOffset int64 0+
    DeliveryState int8 0+
    DeliveryCount int16 0+
"""
