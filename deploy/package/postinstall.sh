#!/bin/sh
# The user of the service. It isn't started, nor enabled: it has no settings yet. After an update it is
# restarted if it runs.
set -e
getent passwd query-engine >/dev/null ||
	useradd --system --user-group --home-dir /var/lib/query-engine --no-create-home --shell /usr/sbin/nologin query-engine
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart query-engine.service
fi
