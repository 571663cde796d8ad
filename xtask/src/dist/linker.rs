//! What binaries are linked with: zig, whose linker knows more than zig's own command line lets through.
//!
//! A program of many generic functions has thousands that are the same code. Folded into one they save some hundred KB. Must not change
//! what is linked, but for that and for what tells a debugger about the parts of zig.

use super::{GLIBC, Release, architecture::Architecture};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The variable by which cargo knows it.
pub fn variable(architecture: &Architecture) -> String {
    format!("CARGO_TARGET_{}_LINKER", architecture.variable().to_uppercase())
}

/// zig finds the parts of the old C library, links, and prints how it called its linker; this is repeated once. The
/// last call is the link; earlier ones may build objects for its cache.
const SCRIPT: &str = r#"#!/bin/sh
set -eu
said=$(cargo-zigbuild zig cc -- -g -fno-sanitize=all -target TARGET "$@" --verbose 2>&1) || {
    printf '%s\n' "$said" >&2
    exit 1
}
line=$(printf '%s\n' "$said" | sed -n 's/^ld\.lld //p' | tail -n 1)
if [ -z "$line" ]; then
    echo "zig does not tell how it links" >&2
    exit 1
fi
# Its words are not quoted. What zig itself adds has lines for a debugger that name the directory in which it was compiled once; they
# would make the symbols, and by their checksum the program, another one in every place.
parts=$0.parts
rm -rf "$parts"
mkdir "$parts"
# objcopy refuses archives whose members have paths for names, as zig's do.
archive() {
    mkdir "$2.d"
    n=1000
    ar t "$1" | while read -r member; do
        n=$((n + 1))
        ar pP "$1" "$member" >"$2.d/$n.o"
        OBJCOPY --strip-debug "$2.d/$n.o"
    done
    ar rcD "$2" "$2.d"/*.o
}
set --
for word in $line; do
    bare=$parts/$#-${word##*/}
    case $word in
    */zig/o/*.o)
        OBJCOPY --strip-debug "$word" "$bare"
        word=$bare
        ;;
    */zig/o/*.a)
        archive "$word" "$bare"
        word=$bare
        ;;
    esac
    set -- "$@" "$word"
done
if [ -z "$(ls "$parts")" ]; then
    echo "nothing of what is linked is zig's own" >&2
    exit 1
fi
exec python3 -m ziglang ld.lld "$@" --icf=all -O2
"#;

/// Writes it; the directories of the tools have to come first in the search path when it is started.
pub fn write(release: &Release, objcopy: &Path) -> anyhow::Result<PathBuf> {
    let place = release.work.join("linker");
    let spaces = place.to_string_lossy().contains(char::is_whitespace);
    anyhow::ensure!(!spaces, "{}: a path with a space cannot be told to the linker", place.display());
    let target = format!("{}.{GLIBC}", release.architecture.zig);
    fs::write(&place, SCRIPT.replace("TARGET", &target).replace("OBJCOPY", &objcopy.to_string_lossy()))?;
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755))?;
    Ok(place)
}
