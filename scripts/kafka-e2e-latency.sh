#!/usr/bin/env bash
# kafka-e2e-latency.sh with Kafka's flags, run by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
pko_exec kafka-e2e-latency "$@"
