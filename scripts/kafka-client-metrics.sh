#!/usr/bin/env bash
# kafka-client-metrics.sh with Kafka's flags, run by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
pko_exec kafka-client-metrics "$@"
