#!/usr/bin/env bash
# kafka-streams-application-reset.sh with Kafka's flags, run by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
pko_exec kafka-streams-application-reset "$@"
