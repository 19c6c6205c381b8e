#!/usr/bin/env bash
# kafka-verifiable-consumer.sh with Kafka's flags, run by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
pko_exec kafka-verifiable-consumer "$@"
