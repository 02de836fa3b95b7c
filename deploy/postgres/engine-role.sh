#!/bin/sh
# The role that the services connect as, which is no superuser, and its database. PostgreSQL's
# image runs this when it makes its data directory.
set -eu
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  -v password="$(cat /run/secrets/postgres/engine-password)" <<'SQL'
CREATE ROLE engine LOGIN PASSWORD :'password';
CREATE DATABASE engine OWNER engine;
REVOKE CONNECT ON DATABASE engine FROM PUBLIC;
SQL
