#!/usr/bin/env bash
# kafka-server-stop.sh [server.properties | --data-dir DIR]: stops one broker, run by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
pko_exec broker stop "$@"
