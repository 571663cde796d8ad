//! The tidy table in a database of others.

use super::{FormatRun, HOSTILE, printed, python};
use serde_json::Value;

const DUCKDB: &str = "duckdb==2.0.0";

/// What a table says without any word about its columns: their types, and some figures.
const READ: &str = "
import duckdb, json, sys
findings = duckdb.sql('select * from read_csv($1)', params=[sys.argv[1]])
types = dict(zip(findings.columns, map(str, findings.types)))
rows = duckdb.sql('select small, large, class, iops, iops_lo95, latency_p99_us, reads, reached, run_id from findings '
                  'order by small, large, class').fetchall()
print(json.dumps({'types': types, 'rows': rows}))
";

#[test]
fn duckdb_reads_the_csv() {
    let ran = FormatRun::calibration().renamed(HOSTILE);
    let Some(python) = python("duckdb_reads_the_csv", &[DUCKDB]) else { return };
    let told = printed(python.command("python").args(["-c", READ]).arg(ran.file("csv")));
    let findings = ran.findings();
    let rows = told["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 5 + 2 + 2 * 10, "a row per point and class");
    for row in rows {
        let at = |point: &&Value| point["levels"]["small"] == row[0] && point["levels"]["large"] == row[1];
        let point = findings["points"].as_array().unwrap().iter().find(at).unwrap();
        let io = &point["classes"][row[2].as_str().unwrap()];
        assert_eq!((&row[3], &row[4]), (&io["iops"]["value"], &io["iops"]["lo95"]), "{row}");
        assert_eq!((&row[5], &row[6]), (&io["latency_us"]["p99"]["value"], &io["reads"]), "{row}");
        assert_eq!((&row[7], &row[8]), (&io["reached"], &findings["run"]["name"]), "{row}");
    }
    for (column, kind) in
        [("small", "BIGINT"), ("iops", "DOUBLE"), ("class", "VARCHAR"), ("reached", "BOOLEAN")]
    {
        assert_eq!(told["types"][column], kind, "{column}");
    }
}
