#!/usr/bin/env bash
# kafka-replica-verification.sh with Kafka's flags, run by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
pko_exec kafka-replica-verification "$@"
