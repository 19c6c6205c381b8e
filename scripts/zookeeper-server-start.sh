#!/usr/bin/env bash
# zookeeper-server-start.sh [-daemon] zookeeper.properties: the ZooKeeper that comes with PySpark, run by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
if [ "${1:-}" = -daemon ]; then shift; set -- --daemon "$@"; fi
[ $# -gt 0 ] || { echo "USAGE: $0 [-daemon] zookeeper.properties" >&2; exit 1; }
pko_exec zookeeper start "$@"
