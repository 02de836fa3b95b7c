#!/bin/sh
# Removed, not updated: dpkg says "remove", rpm counts what is left.
set -e
case "${1:-}" in
remove | 0) [ ! -d /run/systemd/system ] || systemctl disable --now query-engine.service ;;
esac
