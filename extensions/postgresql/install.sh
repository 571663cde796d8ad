#!/bin/sh
# Builds calibrate_io() for a PostgreSQL server and installs it: install.sh [PG_CONFIG]
#
# PG_CONFIG is the pg_config of that server. DESTDIR goes before its directories, as with make install. PROFILE and FEATURES are those
# of cargo: tests have their own.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
pg_config=$(command -v "${1:-pg_config}") || {
    echo "install.sh: there is no ${1:-pg_config}: install the headers of the server (postgresql-server-dev-*)" >&2
    exit 3
}
version=$("$pg_config" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
profile=${PROFILE:-release}
target=${CARGO_TARGET_DIR:-$here/target}
# The same place for this script and for cargo, wherever either is started.
mkdir -p "$target"
target=$(cd "$target" && pwd)

PGRX_PG_CONFIG_PATH=$pg_config "${CARGO:-cargo}" build --locked --manifest-path "$here/Cargo.toml" --target-dir "$target" \
    --profile "$profile" --features "pg$version${FEATURES:+,$FEATURES}"

[ "$profile" = dev ] && profile=debug
lib=${DESTDIR:-}$("$pg_config" --pkglibdir)
share=${DESTDIR:-}$("$pg_config" --sharedir)/extension
mkdir -p "$lib" "$share"
install -m 755 "$target/$profile/librigel_postgresql.so" "$lib/rigel.so"
install -m 644 "$here/rigel.control" "$share/rigel.control"
cat "$here/sql/schema.sql" "$here/sql/by_extension.sql" "$here/sql/calibrate_io.sql" >"$share/rigel--0.1.0.sql"
echo "installed for PostgreSQL $version: $lib/rigel.so; in a database: CREATE EXTENSION rigel;"
