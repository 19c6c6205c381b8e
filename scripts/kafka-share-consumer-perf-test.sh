#!/usr/bin/env bash
# kafka-share-consumer-perf-test.sh with Kafka's flags, run by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
pko_exec kafka-share-consumer-perf-test "$@"
