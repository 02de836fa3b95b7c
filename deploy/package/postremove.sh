#!/bin/sh
# What the service kept goes when the package is purged. Its user stays, as others would get its number.
set -e
case "${1:-}" in
purge) rm -rf /var/lib/query-engine ;;
esac
[ ! -d /run/systemd/system ] || systemctl daemon-reload
