"""Records of the KRaft metadata log.

Made by ``scripts/record_tables.py``; read by :mod:`pykafka_ops.disk.tables.read`.
"""

from __future__ import annotations

TABLE = """
0 RegisterBrokerRecord 0-4 flexible=0+
  BrokerId int32 0+
  IsMigratingZkBroker bool 2+ default=false
  IncarnationId uuid 0+
  BrokerEpoch int64 0+
  EndPoints []BrokerEndpoint 0+
    Name string 0+
    Host string 0+
    Port uint16 0+
    SecurityProtocol int16 0+
  Features []BrokerFeature 0+
    Name string 0+
    MinSupportedVersion int16 0+
    MaxSupportedVersion int16 0+
  Rack string 0+ null=0+
  Fenced bool 0+ default=true
  InControlledShutdown bool 1+ default=false
  LogDirs []uuid 3+ tag=0:3+
  CordonedLogDirs []uuid 4+ null=4+ tag=1:4+ default=null
1 UnregisterBrokerRecord 0 flexible=0+
  BrokerId int32 0+
  BrokerEpoch int64 0+
2 TopicRecord 0 flexible=0+
  Name string 0+
  TopicId uuid 0+
3 PartitionRecord 0-2 flexible=0+
  PartitionId int32 0+ default=-1
  TopicId uuid 0+
  Replicas []int32 0+
  Isr []int32 0+
  RemovingReplicas []int32 0+
  AddingReplicas []int32 0+
  Leader int32 0+ default=-1
  LeaderRecoveryState int8 0+ tag=0:0+ default=0
  LeaderEpoch int32 0+ default=-1
  PartitionEpoch int32 0+ default=-1
  Directories []uuid 1+
  EligibleLeaderReplicas []int32 2+ null=2+ tag=1:2+ default=null
  LastKnownElr []int32 2+ null=2+ tag=2:2+ default=null
4 ConfigRecord 0 flexible=0+
  ResourceType int8 0+
  ResourceName string 0+
  Name string 0+
  Value string 0+ null=0+
5 PartitionChangeRecord 0-2 flexible=0+
  PartitionId int32 0+ default=-1
  TopicId uuid 0+
  Isr []int32 0+ null=0+ tag=0:0+ default=null
  Leader int32 0+ tag=1:0+ default=-2
  Replicas []int32 0+ null=0+ tag=2:0+ default=null
  RemovingReplicas []int32 0+ null=0+ tag=3:0+ default=null
  AddingReplicas []int32 0+ null=0+ tag=4:0+ default=null
  LeaderRecoveryState int8 0+ tag=5:0+ default=-1
  Directories []uuid 1+ null=1+ tag=8:1+ default=null
  EligibleLeaderReplicas []int32 2+ null=2+ tag=6:2+ default=null
  LastKnownElr []int32 2+ null=2+ tag=7:2+ default=null
7 FenceBrokerRecord 0 flexible=0+
  Id int32 0+
  Epoch int64 0+
8 UnfenceBrokerRecord 0 flexible=0+
  Id int32 0+
  Epoch int64 0+
9 RemoveTopicRecord 0 flexible=0+
  TopicId uuid 0+
10 DelegationTokenRecord 0 flexible=0+
  Owner string 0+
  Requester string 0+
  Renewers []string 0+
  IssueTimestamp int64 0+
  MaxTimestamp int64 0+
  ExpirationTimestamp int64 0+
  TokenId string 0+
11 UserScramCredentialRecord 0 flexible=0+
  Name string 0+
  Mechanism int8 0+
  Salt bytes 0+
  StoredKey bytes 0+
  ServerKey bytes 0+
  Iterations int32 0+
12 FeatureLevelRecord 0 flexible=0+
  Name string 0+
  FeatureLevel int16 0+
14 ClientQuotaRecord 0 flexible=0+
  Entity []EntityData 0+
    EntityType string 0+
    EntityName string 0+ null=0+
  Key string 0+
  Value float64 0+
  Remove bool 0+
15 ProducerIdsRecord 0 flexible=0+
  BrokerId int32 0+
  BrokerEpoch int64 0+ default=-1
  NextProducerId int64 0+
17 BrokerRegistrationChangeRecord 0-3 flexible=0+
  BrokerId int32 0+
  BrokerEpoch int64 0+
  Fenced int8 0+ tag=0:0+
  InControlledShutdown int8 1+ tag=1:1+
  LogDirs []uuid 2+ tag=2:2+
  CordonedLogDirs []uuid 3+ null=3+ tag=3:3+ default=null
18 AccessControlEntryRecord 0 flexible=0+
  Id uuid 0+
  ResourceType int8 0+
  ResourceName string 0+
  PatternType int8 0+
  Principal string 0+
  Host string 0+
  Operation int8 0+
  PermissionType int8 0+
19 RemoveAccessControlEntryRecord 0 flexible=0+
  Id uuid 0+
20 NoOpRecord 0 flexible=0+
21 ZkMigrationStateRecord 0 flexible=0+
  ZkMigrationState int8 0+
22 RemoveUserScramCredentialRecord 0 flexible=0+
  Name string 0+
  Mechanism int8 0+
23 BeginTransactionRecord 0 flexible=0+
  Name string 0+ null=0+ tag=0:0+ default=null
24 EndTransactionRecord 0 flexible=0+
25 AbortTransactionRecord 0 flexible=0+
  Reason string 0+ null=0+ tag=0:0+ default=null
26 RemoveDelegationTokenRecord 0 flexible=0+
  TokenId string 0+
27 RegisterControllerRecord 0 flexible=0+
  ControllerId int32 0+
  IncarnationId uuid 0+
  ZkMigrationReady bool 0+
  EndPoints []ControllerEndpoint 0+
    Name string 0+
    Host string 0+
    Port uint16 0+
    SecurityProtocol int16 0+
  Features []ControllerFeature 0+
    Name string 0+
    MinSupportedVersion int16 0+
    MaxSupportedVersion int16 0+
28 ClearElrRecord 0 flexible=0+
  TopicName string 0+
"""
