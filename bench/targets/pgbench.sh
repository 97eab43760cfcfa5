#!/bin/sh
# A PostgreSQL cluster under pgbench: starts the server on the folder DATA, lets CLIENTS work for SECONDS, then others connect
# for each transaction for a second, and stops it. LOG: what the names of files begin with that get the time of each
# transaction of the first part. RATE: so many transactions a second, and nothing after the first part.
#
#   pgbench.sh BIN DATA SECONDS [CLIENTS [LOG [RATE]]]
#
# FSYNC=on: a transaction ends when the disk has it.
set -eu
bin=$1 data=$2 seconds=$3 clients=${4:-4} log=${5:+-l --log-prefix=$5} rate=${6:-}
folder=$(mktemp -d "${TMPDIR:-/tmp}/lineheat-pg.XXXXXX")
"$bin/postgres" -D "$data" -k "$folder" -c listen_addresses= -c fsync="${FSYNC:-off}" -c logging_collector=off >"$folder/log" 2>&1 &
server=$!
# shellcheck disable=SC2064
trap "kill -INT $server 2>/dev/null || :; wait $server 2>/dev/null || :; rm -rf '$folder'" EXIT
until "$bin/pg_isready" -q -h "$folder"; do
  kill -0 $server || { cat "$folder/log" >&2; exit 1; }
  sleep 0.1
done
# shellcheck disable=SC2086
"$bin/pgbench" -h "$folder" -U postgres -n -T "$seconds" -c "$clients" -j 2 $log ${rate:+--rate=$rate} postgres
[ -z "$rate" ] || exit 0
# Backends that come and go: a connection for every transaction.
"$bin/pgbench" -h "$folder" -U postgres -n -T 1 -c 2 -C -S postgres
