#!/usr/bin/env bash
# kafka-preferred-replica-election.sh (before Kafka 3.0) with its flags, run by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
case " $* " in
    *" --path-to-json-file"*|*" --zookeeper"*) scope=() ;;
    *) scope=(--all-topic-partitions) ;;
esac
pko_exec kafka-leader-election --election-type preferred "${scope[@]}" "$@"
