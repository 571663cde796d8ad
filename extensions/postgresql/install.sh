#!/bin/sh
# Builds calibrate_io() for a PostgreSQL server and installs it: install.sh [PG_CONFIG]
#
# PG_CONFIG is the pg_config of that server. DESTDIR goes before its directories, as with make install. PROFILE and FEATURES are those
# of cargo: tests have their own. With TARGET it is built for another system, by a command of cargo (BUILD) that can. LIBRARY names one that is
# built already.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# The program installs the same functions without a library (`rigel sql install`), so that most of the SQL is its own.
sql=$here/../../crates/rigel-sql/sql
pg_config=$(command -v "${1:-pg_config}") || {
    echo "install.sh: there is no ${1:-pg_config}: install the headers of the server (postgresql-server-dev-*)" >&2
    exit 3
}
version=$("$pg_config" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
if [ -z "${LIBRARY:-}" ]; then
    profile=${PROFILE:-release}
    target=${CARGO_TARGET_DIR:-$here/../../target/extension}
    # The same place for this script and for cargo, wherever either is started.
    mkdir -p "$target"
    target=$(cd "$target" && pwd)
    PGRX_PG_CONFIG_PATH=$pg_config "${CARGO:-cargo}" "${BUILD:-build}" --locked --manifest-path "$here/Cargo.toml" --target-dir "$target" \
        --profile "$profile" --features "pg$version${FEATURES:+,$FEATURES}" ${TARGET:+--target "$TARGET"}
    [ "$profile" = dev ] && profile=debug
    # A version of the C library may stand behind a point.
    LIBRARY=$target/${TARGET:+${TARGET%%.*}/}$profile/librigel_postgresql.so
fi
lib=${DESTDIR:-}$("$pg_config" --pkglibdir)
share=${DESTDIR:-}$("$pg_config" --sharedir)/extension
mkdir -p "$lib" "$share"
install -m 755 "$LIBRARY" "$lib/rigel.so"
install -m 644 "$here/rigel.control" "$share/rigel.control"
of=$(sed -n "s/^default_version = '\(.*\)'$/\1/p" "$here/rigel.control")
cat "$sql/schema.sql" "$sql/by_extension.sql" "$sql/calibrate_io.sql" >"$share/rigel--$of.sql"
# From each version to the next, for ALTER EXTENSION .. UPDATE.
install -m 644 "$here"/rigel--*--*.sql "$share/"
echo "installed for PostgreSQL $version: $lib/rigel.so; in a database: CREATE EXTENSION rigel;"
