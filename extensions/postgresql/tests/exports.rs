//! The library from outside: what the SQL calls is in it. That it works is tested in a server, by the tests of the program.
#![expect(clippy::unwrap_used, reason = "a helper of a test that cannot go on should say where")]

use std::fs;
use std::path::Path;

/// Each function of C that the SQL names, behind the name of the library.
fn called() -> Vec<String> {
    let sql = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/rigel-sql/sql/by_extension.sql");
    let sql = fs::read_to_string(sql).unwrap();
    let names = sql.split("AS 'MODULE_PATHNAME', '").skip(1).filter_map(|rest| rest.split_once('\''));
    names.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn what_the_sql_calls_is_exported() {
    let test = std::env::current_exe().unwrap();
    let library = fs::read(test.with_file_name("librigel_postgresql.so")).unwrap();
    let called = called();
    assert!(!called.is_empty(), "the SQL calls nothing");
    for name in called {
        // The server looks for the function and for the record of how it is called.
        for symbol in [name.clone(), format!("pg_finfo_{name}")] {
            let whole = [b"\0", symbol.as_bytes(), b"\0"].concat();
            let is_there = library.windows(whole.len()).any(|bytes| bytes == whole);
            assert!(is_there, "the library has no {symbol}");
        }
    }
}
