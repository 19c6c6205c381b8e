"""Types 3 and up of ``__consumer_offsets``: groups of new kinds (KIP-848, 932, 1071).

Made by ``scripts/record_tables.py``; read by :mod:`pykafka_ops.disk.tables.read`.
"""

from __future__ import annotations

TABLE = """
3 ConsumerGroupMetadataKey 0 flexible=none
  GroupId string 0+
3 ConsumerGroupMetadataValue 0 flexible=0+
  Epoch int32 0+
  MetadataHash int64 0+ tag=0:0+ default=0
4 ConsumerGroupPartitionMetadataKey 0 flexible=none
  GroupId string 0+
4 ConsumerGroupPartitionMetadataValue 0 flexible=0+
  Topics []TopicMetadata 0+
    TopicId uuid 0+
    TopicName string 0+
    NumPartitions int32 0+
    PartitionMetadata []PartitionMetadata 0+
      Partition int32 0+
      Racks []string 0+
5 ConsumerGroupMemberMetadataKey 0 flexible=none
  GroupId string 0+
  MemberId string 0+
5 ConsumerGroupMemberMetadataValue 0 flexible=0+
  InstanceId string 0+ null=0+
  RackId string 0+ null=0+
  ClientId string 0+
  ClientHost string 0+
  SubscribedTopicNames []string 0+
  SubscribedTopicRegex string 0+ null=0+
  RebalanceTimeoutMs int32 0+ default=-1
  ServerAssignor string 0+ null=0+
  ClassicMemberMetadata ClassicMemberMetadata 0+ null=0+ tag=0:0+
    SessionTimeoutMs int32 0+
    SupportedProtocols []ClassicProtocol 0+
      Name string 0+
      Metadata bytes 0+
6 ConsumerGroupTargetAssignmentMetadataKey 0 flexible=none
  GroupId string 0+
6 ConsumerGroupTargetAssignmentMetadataValue 0 flexible=0+
  AssignmentEpoch int32 0+
  AssignmentTimestamp int64 0+ tag=0:0+ default=0
7 ConsumerGroupTargetAssignmentMemberKey 0 flexible=none
  GroupId string 0+
  MemberId string 0+
7 ConsumerGroupTargetAssignmentMemberValue 0 flexible=0+
  TopicPartitions []TopicPartition 0+
    TopicId uuid 0+
    Partitions []int32 0+
8 ConsumerGroupCurrentMemberAssignmentKey 0 flexible=none
  GroupId string 0+
  MemberId string 0+
8 ConsumerGroupCurrentMemberAssignmentValue 0 flexible=0+
  MemberEpoch int32 0+
  PreviousMemberEpoch int32 0+
  State int8 0+
  AssignedPartitions []TopicPartitions 0+
    TopicId uuid 0+
    Partitions []int32 0+
    AssignmentEpochs []int32 0+ null=0+ tag=0:0+
  PartitionsPendingRevocation []TopicPartitions 0+
    TopicId uuid 0+
    Partitions []int32 0+
    AssignmentEpochs []int32 0+ null=0+ tag=0:0+
10 ShareGroupMemberMetadataKey 0 flexible=none
  GroupId string 0+
  MemberId string 0+
10 ShareGroupMemberMetadataValue 0 flexible=0+
  RackId string 0+ null=0+
  ClientId string 0+
  ClientHost string 0+
  SubscribedTopicNames []string 0+
11 ShareGroupMetadataKey 0 flexible=none
  GroupId string 0+
11 ShareGroupMetadataValue 0 flexible=0+
  Epoch int32 0+
  MetadataHash int64 0+
12 ShareGroupTargetAssignmentMetadataKey 0 flexible=none
  GroupId string 0+
12 ShareGroupTargetAssignmentMetadataValue 0 flexible=0+
  AssignmentEpoch int32 0+
  AssignmentTimestamp int64 0+ tag=0:0+ default=0
13 ShareGroupTargetAssignmentMemberKey 0 flexible=none
  GroupId string 0+
  MemberId string 0+
13 ShareGroupTargetAssignmentMemberValue 0 flexible=0+
  TopicPartitions []TopicPartition 0+
    TopicId uuid 0+
    Partitions []int32 0+
14 ShareGroupCurrentMemberAssignmentKey 0 flexible=none
  GroupId string 0+
  MemberId string 0+
14 ShareGroupCurrentMemberAssignmentValue 0 flexible=0+
  MemberEpoch int32 0+
  PreviousMemberEpoch int32 0+
  State int8 0+
  AssignedPartitions []TopicPartitions 0+
    TopicId uuid 0+
    Partitions []int32 0+
15 ShareGroupStatePartitionMetadataKey 0 flexible=none
  GroupId string 0+
15 ShareGroupStatePartitionMetadataValue 0 flexible=0+
  InitializingTopics []TopicPartitionsInfo 0+
    TopicId uuid 0+
    TopicName string 0+
    Partitions []int32 0+
  InitializedTopics []TopicPartitionsInfo 0+
    TopicId uuid 0+
    TopicName string 0+
    Partitions []int32 0+
  DeletingTopics []TopicInfo 0+
    TopicId uuid 0+
    TopicName string 0+
16 ConsumerGroupRegularExpressionKey 0 flexible=none
  GroupId string 0+
  RegularExpression string 0+
16 ConsumerGroupRegularExpressionValue 0 flexible=0+
  Topics []string 0+
  Version int64 0+
  Timestamp int64 0+
17 StreamsGroupMetadataKey 0 flexible=none
  GroupId string 0+
17 StreamsGroupMetadataValue 0 flexible=0+
  Epoch int32 0+
  MetadataHash int64 0+
  ValidatedTopologyEpoch int32 0+ tag=0:0+ default=-1
  LastAssignmentConfigs []LastAssignmentConfig 0+ null=0+ tag=1:0+
    Key string 0+
    Value string 0+
19 StreamsGroupMemberMetadataKey 0 flexible=none
  GroupId string 0+
  MemberId string 0+
19 StreamsGroupMemberMetadataValue 0 flexible=0+
  InstanceId string 0+ null=0+
  RackId string 0+ null=0+
  ClientId string 0+
  ClientHost string 0+
  RebalanceTimeoutMs int32 0+ default=-1
  TopologyEpoch int32 0+
  ProcessId string 0+
  UserEndpoint Endpoint 0+ null=0+ default=null
    Host string 0+
    Port uint16 0+
  ClientTags []KeyValue 0+
    Key string 0+
    Value string 0+
20 StreamsGroupTargetAssignmentMetadataKey 0 flexible=none
  GroupId string 0+
20 StreamsGroupTargetAssignmentMetadataValue 0 flexible=0+
  AssignmentEpoch int32 0+
  AssignmentTimestamp int64 0+ tag=0:0+ default=0
21 StreamsGroupTargetAssignmentMemberKey 0 flexible=none
  GroupId string 0+
  MemberId string 0+
21 StreamsGroupTargetAssignmentMemberValue 0 flexible=0+
  ActiveTasks []TaskIds 0+
    SubtopologyId string 0+
    Partitions []int32 0+
  StandbyTasks []TaskIds 0+
    SubtopologyId string 0+
    Partitions []int32 0+
  WarmupTasks []TaskIds 0+
    SubtopologyId string 0+
    Partitions []int32 0+
22 StreamsGroupCurrentMemberAssignmentKey 0 flexible=none
  GroupId string 0+
  MemberId string 0+
22 StreamsGroupCurrentMemberAssignmentValue 0 flexible=0+
  MemberEpoch int32 0+
  PreviousMemberEpoch int32 0+
  State int8 0+
  ActiveTasks []TaskIds 0+
    SubtopologyId string 0+
    Partitions []int32 0+
    AssignmentEpochs []int32 0+ null=0+ tag=0:0+
  StandbyTasks []TaskIds 0+
    SubtopologyId string 0+
    Partitions []int32 0+
    AssignmentEpochs []int32 0+ null=0+ tag=0:0+
  WarmupTasks []TaskIds 0+
    SubtopologyId string 0+
    Partitions []int32 0+
    AssignmentEpochs []int32 0+ null=0+ tag=0:0+
  ActiveTasksPendingRevocation []TaskIds 0+
    SubtopologyId string 0+
    Partitions []int32 0+
    AssignmentEpochs []int32 0+ null=0+ tag=0:0+
  StandbyTasksPendingRevocation []TaskIds 0+
    SubtopologyId string 0+
    Partitions []int32 0+
    AssignmentEpochs []int32 0+ null=0+ tag=0:0+
  WarmupTasksPendingRevocation []TaskIds 0+
    SubtopologyId string 0+
    Partitions []int32 0+
    AssignmentEpochs []int32 0+ null=0+ tag=0:0+
23 StreamsGroupTopologyKey 0 flexible=none
  GroupId string 0+
23 StreamsGroupTopologyValue 0 flexible=0+
  Epoch int32 0+
  Subtopologies []Subtopology 0+
    SubtopologyId string 0+
    SourceTopics []string 0+
    SourceTopicRegex []string 0+
    StateChangelogTopics []TopicInfo 0+
      Name string 0+
      Partitions int32 0+
      ReplicationFactor int16 0+
      TopicConfigs []TopicConfig 0+
        key string 0+
        value string 0+
    RepartitionSinkTopics []string 0+
    RepartitionSourceTopics []TopicInfo 0+
      Name string 0+
      Partitions int32 0+
      ReplicationFactor int16 0+
      TopicConfigs []TopicConfig 0+
        key string 0+
        value string 0+
    CopartitionGroups []CopartitionGroup 0+
      SourceTopics []int16 0+
      SourceTopicRegex []int16 0+
      RepartitionSourceTopics []int16 0+
"""
