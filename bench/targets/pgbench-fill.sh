#!/bin/sh
# Fills the tables of pgbench in the data folder DATA.
#
#   pgbench-fill.sh BIN DATA
set -eu
bin=$1 data=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/lineheat-pg.XXXXXX")
trap 'rm -rf "$folder"' EXIT
"$bin/pg_ctl" -D "$data" -w -s -l "$folder/log" -o "-k $folder -c listen_addresses= -c fsync=off" start
"$bin/pgbench" -q -h "$folder" -U postgres -i -s 3 postgres
"$bin/pg_ctl" -D "$data" -w -s -m fast stop
