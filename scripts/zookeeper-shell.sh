#!/usr/bin/env bash
# zookeeper-shell.sh host:port[/chroot] [command]: the commands that look at and change znodes, run by pko.
source "$(dirname "$(readlink -f "$0")")/_pko.sh"
pko_exec zookeeper-shell "$@"
