//! The session's figures beside those of the program on the same file, in turns.

use crate::calibrate_io::installed::{Table, server};
use crate::support::Place;
use rigel_testdev::{MissingNeed, PostgresServer, needs};
use serde_json::Value;
use std::path::Path;

/// Intervals hold what one calibration varies within itself; two that follow each other differ by a little more.
const BETWEEN: f64 = 1.25;
/// Rounds that are tried on a host with company.
const TRIED: usize = 2;
const FIGURES: [&str; 4] = ["max_iops", "unbounded_iops", "max_mbps", "latency_at_1_us"];

#[test]
fn the_figures_are_those_of_the_program() {
    let name = "the_figures_are_those_of_the_program";
    let Some(server) = server(name, Table { megabytes: 256 }) else { return };
    let data = server.ask("SHOW data_directory").unwrap();
    let file = Path::new(&data).join(server.ask("SELECT pg_relation_filepath('big')").unwrap());
    let place = Place::new();
    for round in 0..TRIED {
        let inside = inside(&server);
        let line = "calibrate --budget 20s --max-latency 20ms --num-disks 1 --no-commits --no-history --no-html --json --quiet";
        let mut program = place.command();
        let outside = crate::support::tell(program.args(line.split(' ')).arg(&file)).expect_code(0).json();
        let apart: Vec<String> =
            FIGURES.iter().filter_map(|figure| apart(figure, &inside, &outside)).collect();
        if apart.is_empty() {
            return;
        }
        let busy = [&inside, &outside].iter().any(|one| one["flags"].to_string().contains("FOREIGN"));
        assert!(busy || round + 1 < TRIED, "{apart:?}\n{inside}\n{outside}");
    }
    let reason = MissingNeed::new("other programs took the CPU or the disk in every round");
    needs::<()>("the_figures_are_those_of_the_program (busy host)", Err(reason));
}

/// The answer, the table and the view say the same.
fn inside(server: &PostgresServer) -> Value {
    let call = "SELECT max_iops, max_mbps, actual_latency FROM rigel.calibrate_io(1, 20, relation => 'big', budget => 20)";
    let answer = server.ask(call).unwrap();
    let kept = "SELECT max_iops, max_mbps, latency FROM rigel.io_calibration";
    assert_eq!(server.ask(kept).unwrap(), answer);
    let facts = "SELECT num_physical_disks, max_latency, files, bytes = pg_relation_size('big'), \
                 end_time - start_time BETWEEN '5 s' AND '60 s', c.end_time = s.calibration_time, s.status \
                 FROM rigel.io_calibration AS c, rigel.io_calibration_status AS s";
    assert_eq!(server.ask(facts).unwrap(), "1|20|1|t|t|t|READY");
    let document: Value =
        serde_json::from_str(&server.ask("SELECT additional_info FROM rigel.io_calibration").unwrap())
            .unwrap();
    // PostgreSQL rounds a half away from zero; Rust's format rounds it to even.
    let iops = document["max_iops"]["value"].as_f64().unwrap().round();
    assert!(answer.starts_with(&format!("{iops:.0}|")), "{answer}: {document}");
    document
}

/// How far apart a figure is, when its intervals have nothing in common.
fn apart(name: &str, inside: &Value, outside: &Value) -> Option<String> {
    let ends = |document: &Value| {
        let figure = &document[name];
        let mean = figure["value"].as_f64().unwrap_or_else(|| panic!("no {name}: {document}"));
        (figure["lo95"].as_f64().unwrap_or(mean) / BETWEEN, figure["hi95"].as_f64().unwrap_or(mean) * BETWEEN)
    };
    let (one, other) = (ends(inside), ends(outside));
    let overlap = one.0 <= other.1 && other.0 <= one.1;
    (!overlap).then(|| format!("{name}: {} and {}", inside[name], outside[name]))
}
