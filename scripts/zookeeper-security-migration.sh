#!/usr/bin/env bash
# zookeeper-security-migration.sh with Kafka's flags, run by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
pko_exec zookeeper-security-migration "$@"
