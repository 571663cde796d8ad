//! The tidy table in a database of others, as CSV and, where it is built in, as Parquet.

use super::{HOSTILE, Ran, printed, python};
use serde_json::Value;

const DUCKDB: &str = "duckdb==2.0.0";

/// What a table says without any word about its columns: their types, and some figures.
const READ: &str = "
import duckdb, json, sys
findings = duckdb.sql('select * from ' + sys.argv[1] + '($1)', params=[sys.argv[2]])
types = dict(zip(findings.columns, map(str, findings.types)))
rows = duckdb.sql('select small, large, class, iops, iops_lo95, latency_p99_us, reads, reached, run_id from findings '
                  'order by small, large, class').fetchall()
print(json.dumps({'types': types, 'rows': rows}))
";

fn read(test: &str, function: &str, ran: &Ran, file: &std::path::Path) -> Option<Value> {
    let python = python(test, &[DUCKDB])?;
    let told = printed(python.command("python").args(["-c", READ, function]).arg(file));
    let findings = ran.findings();
    let rows = told["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 5 + 2 + 2 * 10, "a row per point and class");
    for row in rows {
        let at = |point: &&Value| point["levels"]["small"] == row[0] && point["levels"]["large"] == row[1];
        let point = findings["points"].as_array().unwrap().iter().find(at).unwrap();
        let io = &point["classes"][row[2].as_str().unwrap()];
        assert_eq!((&row[3], &row[4]), (&io["iops"]["mean"], &io["iops"]["lo95"]), "{row}");
        assert_eq!((&row[5], &row[6]), (&io["latency_us"]["p99"], &io["reads"]), "{row}");
        assert_eq!((&row[7], &row[8]), (&io["reached"], &findings["run"]["name"]), "{row}");
    }
    Some(told["types"].clone())
}

#[test]
fn duckdb_reads_the_csv() {
    let ran = Ran::calibration().renamed(HOSTILE);
    let Some(types) = read("duckdb_reads_the_csv", "read_csv", &ran, &ran.file("csv")) else { return };
    for (column, kind) in
        [("small", "BIGINT"), ("iops", "DOUBLE"), ("class", "VARCHAR"), ("reached", "BOOLEAN")]
    {
        assert_eq!(types[column], kind, "{column}");
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_that_is_not_built_in_is_told_how_to_get() {
    let ran = Ran::new("run oltp --engine sim --duration 1s --name out --quiet");
    let told = ran.report(&["parquet"]).expect_code(2);
    assert!(told.stderr.contains("--features parquet") && told.stdout.is_empty(), "{}", told.stderr);
}

#[cfg(feature = "parquet")]
#[test]
fn duckdb_reads_the_parquet() {
    let ran = Ran::calibration().renamed("plain");
    ran.report(&["parquet"]).expect_code(0);
    let file = ran.place.only("_findings.parquet");
    let Some(types) = read("duckdb_reads_the_parquet", "read_parquet", &ran, &file) else { return };
    for (column, kind) in
        [("small", "BIGINT"), ("iops", "DOUBLE"), ("class", "VARCHAR"), ("reached", "BOOLEAN")]
    {
        assert_eq!(types[column], kind, "{column}");
    }
}
