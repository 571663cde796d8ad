//! `rigel sql --probe index` on real servers: look-ups through a b-tree, whose blocks are counted separately.

use crate::sql::{place, private, refused, slack, visits};
use crate::support::{ProgramOutput, tell};
use rigel_testdev::{PostgresServer, needs};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// What a visit counted: look-ups, blocks of the table, and of the index.
fn counted(visit: &Value) -> (f64, f64, f64) {
    let counts = &visit["nodes"][0]["server"];
    (number(&counts["probes"]), number(&counts["table_blocks"]), number(&counts["index_blocks"]))
}

/// Whether every counter below the server has one block for each that it asked for.
fn all_from_storage(visit: &Value) -> bool {
    let counts = &visit["nodes"][0]["server"];
    let (look_ups, table, index) = counted(visit);
    let device = &counts["device"];
    let in_blocks = |bytes: &Value| number(bytes) / 8192.0;
    let seen = [in_blocks(&counts["process_bytes"]), number(&device["reads"]), in_blocks(&device["bytes"])];
    let near = |found: f64, asked: f64| (found - asked).abs() <= slack(asked);
    let known = seen.iter().filter(|count| !count.is_nan());
    seen.iter().any(|count| !count.is_nan())
        && near(table, look_ups)
        && known.into_iter().all(|count| near(*count, look_ups + index))
}

fn is_unverified(point: &Value) -> bool {
    point["flags"].to_string().contains("UNVERIFIED")
}

#[test]
fn look_ups_through_the_index_read_one_block_of_the_table_each() {
    let name = "look_ups_through_the_index_read_one_block_of_the_table_each";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let line = "sql oltp --probe index --size 64M --sessions 1,3 --duration 1s --seed 1 --json";
    let told = place.line(line);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let document = told.json();
    let visits = visits(&place, "sql");
    for (point, visit) in document["points"].as_array().unwrap().iter().zip(&visits) {
        let (look_ups, table, index) = counted(visit);
        assert!(look_ups > 10.0 && index >= 0.0, "{visit}");
        // No row comes twice before all came once, through an index or not.
        assert!((table - look_ups).abs() <= slack(look_ups) || look_ups > 8192.0, "{visit}");
        // All of the index has 24 blocks, and the server keeps them.
        assert!(index <= 48.0, "{visit}");
        assert_eq!(is_unverified(point), !all_from_storage(visit), "{visit}: {}", point["flags"]);
    }
    let costs = document["verdict"]["costs"].to_string();
    let is_told = costs.contains("A look-up through the index reads one block of the table and hardly any");
    assert!(is_told || costs.contains("of the index, so") || told.code == 1, "{costs}");
    assert!(place.read("_report.html").contains("through the index") || told.code == 1);
}

/// The server's own cache holds 16 blocks: it asks for a leaf again and again, and the page cache has it.
#[test]
fn an_index_that_a_cache_answers_for_is_told() {
    let name = "an_index_that_a_cache_answers_for_is_told";
    let Some(server) = needs(name, PostgresServer::start("shared_buffers = '128kB'")) else { return };
    let dsn = server.dsn();
    let sql = |more: &[&str]| -> (ProgramOutput, crate::support::Place) {
        let place = place();
        let line = ["sql", "oltp", "--dsn", &dsn, "--sessions", "1", "--duration", "500ms", "--no-html"];
        (tell(place.command().args(line).args(more)), place)
    };
    // A table that was made for other look-ups has none, and gets none.
    let (told, _) = sql(&["--create-in", "postgres", "--size", "8M"]);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let indexes = "select count(*) from pg_index where indrelid = 'rigel.big'::regclass";
    assert_eq!(server.ask(indexes).unwrap(), "0", "only when asked");
    refused(sql(&["--probe", "index"]).0, 3, &["rigel.big has no index", "rigel sql drop"]);
    tell(place().command().args(["sql", "--dsn", &dsn, "--drop"])).expect_code(0);
    let (told, place) = sql(&["--create-in", "postgres", "--size", "64M", "--probe", "index", "--json"]);
    let told = told.expect_unusable("UNVERIFIED");
    let (look_ups, table, index) = counted(&visits(&place, "sql")[0]);
    assert!((table / look_ups - 1.0).abs() < 0.01 || look_ups > 8192.0, "{table} of {look_ups}");
    assert!(index > 0.2 * look_ups, "{index} of {look_ups}");
    let flags = told.json()["points"][0]["flags"].to_string();
    // Where others read for the sessions, as from version 18 on, what these had fetched is not known.
    let counts = &visits(&place, "sql")[0]["nodes"][0]["server"];
    let fetched = if counts["process_bytes"].is_null() {
        "the device made"
    } else {
        "the sessions had the kernel fetch"
    };
    let parts = ["UNVERIFIED", "blocks of the index", fetched];
    assert!(parts.iter().all(|part| flags.contains(part)), "{flags}");
    // All other look-ups do with it as without it.
    let (told, _) = sql(&["--probe", "single"]);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    assert_eq!(server.ask(indexes).unwrap(), "1");
}
