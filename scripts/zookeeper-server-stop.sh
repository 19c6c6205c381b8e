#!/usr/bin/env bash
# zookeeper-server-stop.sh [zookeeper.properties | --data-dir DIR]: stops one ZooKeeper, run by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
pko_exec zookeeper stop "$@"
