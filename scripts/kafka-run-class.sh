#!/usr/bin/env bash
# kafka-run-class.sh [-daemon] [-name NAME] [-loggc] CLASS ARGS...: the tool of that class, by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
flags=()
while :; do
    case ${1:-} in
        -daemon) flags+=(--daemon); shift ;;
        -name) shift; [ $# -gt 0 ] && shift ;;
        -loggc) shift ;;
        *) break ;;
    esac
done
[ $# -gt 0 ] || { echo "USAGE: $0 [-daemon] [-name servicename] [-loggc] classname [opts]" >&2; exit 1; }
class=$1; shift
case $class in
    kafka.Kafka) tool=kafka-server-start ;;
    org.apache.zookeeper.ZooKeeperMain|org.apache.zookeeper.ZooKeeperMainWithTlsSupportForKafka) tool=zookeeper-shell ;;
    org.apache.kafka.tools.ClusterTool|kafka.admin.ClusterTool|kafka.tools.ClusterTool) tool=kafka-cluster ;;
    kafka.admin.TopicCommand|org.apache.kafka.tools.TopicCommand) tool=kafka-topics ;;
    kafka.admin.ConsumerGroupCommand|org.apache.kafka.tools.consumer.group.ConsumerGroupCommand) tool=kafka-consumer-groups ;;
    org.apache.kafka.tools.consumer.ConsoleShareConsumer) tool=kafka-console-share-consumer ;;
    org.apache.kafka.tools.GroupsCommand) tool=kafka-groups ;;
    org.apache.kafka.tools.consumer.group.ShareGroupCommand) tool=kafka-share-groups ;;
    org.apache.kafka.tools.streams.StreamsGroupCommand) tool=kafka-streams-groups ;;
    kafka.admin.MetadataQuorumCommand|org.apache.kafka.tools.MetadataQuorumCommand) tool=kafka-metadata-quorum ;;
    kafka.admin.FeatureCommand|org.apache.kafka.tools.FeatureCommand) tool=kafka-features ;;
    kafka.tools.JmxTool|org.apache.kafka.tools.JmxTool) tool=kafka-jmx ;;
    org.apache.kafka.tools.VerifiableProducer) tool=kafka-verifiable-producer ;;
    org.apache.kafka.tools.VerifiableConsumer) tool=kafka-verifiable-consumer ;;
    org.apache.kafka.tools.ProducerPerformance) tool=kafka-producer-perf-test ;;
    kafka.tools.ConsumerPerformance|org.apache.kafka.tools.ConsumerPerformance) tool=kafka-consumer-perf-test ;;
    org.apache.kafka.tools.ShareConsumerPerformance) tool=kafka-share-consumer-perf-test ;;
    kafka.tools.ReplicaVerificationTool|org.apache.kafka.tools.ReplicaVerificationTool) tool=kafka-replica-verification ;;
    kafka.tools.StreamsResetter|org.apache.kafka.tools.StreamsResetter) tool=kafka-streams-application-reset ;;
    kafka.tools.EndToEndLatency|org.apache.kafka.tools.EndToEndLatency) tool=kafka-e2e-latency ;;
    org.apache.kafka.tools.ClientMetricsCommand) tool=kafka-client-metrics ;;
    kafka.tools.StorageTool) tool=kafka-storage ;;
    org.apache.kafka.tools.TransactionsCommand) tool=kafka-transactions ;;
    kafka.tools.ConsumerOffsetChecker)
        tool=kafka-consumer-groups
        set -- "${@/#--zkconnect/--zookeeper}"  # as the documentation of 0.8 has it
        case " $* " in *" --zookeeper"*) ;; *) set -- --zookeeper localhost:2181 "$@" ;; esac
        set -- --offset-checker "$@" ;;
    kafka.tools.GetOffsetShell|org.apache.kafka.tools.GetOffsetShell) tool=kafka-get-offsets ;;
    kafka.admin.LogDirsCommand|org.apache.kafka.tools.LogDirsCommand) tool=kafka-log-dirs ;;
    kafka.admin.LeaderElectionCommand|org.apache.kafka.tools.LeaderElectionCommand) tool=kafka-leader-election ;;
    kafka.admin.DeleteRecordsCommand|org.apache.kafka.tools.DeleteRecordsCommand) tool=kafka-delete-records ;;
    kafka.admin.ReassignPartitionsCommand|org.apache.kafka.tools.reassign.ReassignPartitionsCommand) tool=kafka-reassign-partitions ;;
    kafka.admin.BrokerApiVersionsCommand|org.apache.kafka.tools.BrokerApiVersionsCommand) tool=kafka-broker-api-versions ;;
    kafka.admin.ZkSecurityMigrator) tool=zookeeper-security-migration ;;
    kafka.admin.ConfigCommand) tool=kafka-configs ;;
    kafka.admin.AclCommand|org.apache.kafka.tools.AclCommand) tool=kafka-acls ;;
    kafka.admin.DelegationTokenCommand|org.apache.kafka.tools.DelegationTokenCommand) tool=kafka-delegation-tokens ;;
    kafka.tools.ConsoleProducer|org.apache.kafka.tools.ConsoleProducer) tool=kafka-console-producer ;;
    kafka.tools.ConsoleConsumer|org.apache.kafka.tools.consumer.ConsoleConsumer) tool=kafka-console-consumer ;;
    kafka.tools.DumpLogSegments|org.apache.kafka.tools.DumpLogSegments) tool=kafka-dump-log ;;
    *) echo "kafka-run-class.sh: pko has no tool for class $class; pko --help lists what it has" >&2; exit 1 ;;
esac
[ "$tool" = kafka-server-start ] || flags=()
pko_exec "$tool" "${flags[@]}" "$@"
