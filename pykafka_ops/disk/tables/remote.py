"""Records of ``__remote_log_metadata`` (KIP-405).

Made by ``scripts/record_tables.py``; read by :mod:`pykafka_ops.disk.tables.read`.
"""

from __future__ import annotations

TABLE = """
0 RemoteLogSegmentMetadataRecord 0 flexible=0+
  RemoteLogSegmentId RemoteLogSegmentIdEntry 0+
    TopicIdPartition TopicIdPartitionEntry 0+
      Name string 0+
      Id uuid 0+
      Partition int32 0+
    Id uuid 0+
  StartOffset int64 0+
  EndOffset int64 0+
  BrokerId int32 0+
  MaxTimestampMs int64 0+
  EventTimestampMs int64 0+
  SegmentLeaderEpochs []SegmentLeaderEpochEntry 0+
    LeaderEpoch int32 0+
    Offset int64 0+
  SegmentSizeInBytes int32 0+
  CustomMetadata bytes 0+ null=0+ default=null
  RemoteLogSegmentState int8 0+
  TxnIndexEmpty bool 0+ tag=0:0+
1 RemoteLogSegmentMetadataUpdateRecord 0 flexible=0+
  RemoteLogSegmentId RemoteLogSegmentIdEntry 0+
    TopicIdPartition TopicIdPartitionEntry 0+
      Name string 0+
      Id uuid 0+
      Partition int32 0+
    Id uuid 0+
  BrokerId int32 0+
  EventTimestampMs int64 0+
  CustomMetadata bytes 0+ null=0+ default=null
  RemoteLogSegmentState int8 0+
2 RemotePartitionDeleteMetadataRecord 0 flexible=0+
  TopicIdPartition TopicIdPartitionEntry 0+
    Name string 0+
    Id uuid 0+
    Partition int32 0+
  BrokerId int32 0+
  EventTimestampMs int64 0+
  RemotePartitionDeleteState int8 0+
3 RemoteLogSegmentMetadataSnapshotRecord 0 flexible=0+
  SegmentId uuid 0+
  StartOffset int64 0+
  EndOffset int64 0+
  BrokerId int32 0+
  MaxTimestampMs int64 0+
  EventTimestampMs int64 0+
  SegmentLeaderEpochs []SegmentLeaderEpochEntry 0+
    LeaderEpoch int32 0+
    Offset int64 0+
  SegmentSizeInBytes int32 0+
  CustomMetadata bytes 0+ null=0+ default=null
  RemoteLogSegmentState int8 0+
  TxnIndexEmpty bool 0+ tag=0:0+
"""
