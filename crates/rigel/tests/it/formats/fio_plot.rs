//! fio-plot on the directories that Rigel makes for it.

use super::{FormatRun, assert_near, printed, python};
use crate::support::{Place, point, tell};
use rigel_testdev::Python;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const FIO_PLOT: &str = "fio-plot==1.1.21";

/// What fio-plot itself reads from directories: its own steps up to the point where it draws. To load it takes longer than all else.
const READ: &str = "
import json, sys
from fio_plot.fiolib import getdata, defaultsettings
def read(directory, rw, depths, jobs, filter):
    settings = defaultsettings.get_default_settings()
    settings.update(input_directory=[directory], rw=rw, iodepth=depths, numjobs=jobs, filter=[filter])
    [read] = getdata.get_json_data(settings)
    return [{key: record[key] for key in keys} for record in read['data']]
keys = ['iodepth', 'numjobs', 'rw', 'bs', 'type', 'iops', 'bw', 'lat', 'iops_stddev', 'lat_stddev', 'fio_version',
        'cpu_usr', 'latency_ms']
print(json.dumps([read(*wanted) for wanted in json.loads(sys.argv[1])]))
";

/// A directory, kind of I/O, depths, jobs, and the half that is wanted.
type FioPlotHalf<'a> = (&'a str, &'a str, &'a [u64], &'a [u64], &'a str);

/// The records of each, in that order.
fn read(python: &Python, fio: &Path, wanted: &[FioPlotHalf<'_>]) -> Vec<Vec<Value>> {
    let whole = |&(directory, rw, depths, jobs, half): &FioPlotHalf<'_>| {
        json!([fio.join(directory), rw, depths, jobs, half])
    };
    let wanted = Value::from(wanted.iter().map(whole).collect::<Vec<_>>()).to_string();
    let told = printed(python.command("python").args(["-c", READ, &wanted]));
    told.as_array().unwrap().iter().map(|records| records.as_array().unwrap().clone()).collect()
}

/// The directories of a run, in one that is removed afterwards.
fn directories(ran: &FormatRun) -> (Place, PathBuf) {
    let out = Place::new();
    ran.report(&["fio", "--out", out.path().to_str().unwrap()]).expect_code(0);
    let name = out.files().into_iter().find(|name| name.ends_with("_fio")).unwrap();
    let path = out.path().join(name);
    (out, path)
}

#[track_caller]
fn assert_is_a_picture(path: &Path) {
    let bytes = fs::read(path).unwrap();
    assert!(
        bytes.starts_with(b"\x89PNG\r\n") && bytes.len() > 20_000,
        "{}: {} bytes",
        path.display(),
        bytes.len()
    );
}

#[test]
fn fio_plot_reads_the_figures_of_every_point() {
    let Some(python) = python("fio_plot_reads_the_figures_of_every_point", &[FIO_PLOT]) else { return };
    let ran = FormatRun::calibration();
    let findings = ran.findings();
    let (_out, fio) = directories(&ran);
    let asked =
        [("small", "small", 0), ("small_beside_2_large", "small", 2), ("large_beside_3_small", "large", 3)];
    let wanted = asked.map(|(directory, ..)| (directory, "randread", &[1, 2, 3, 4, 5][..], &[1][..], "read"));
    let mut seen = 0;
    for ((_, class, beside), records) in asked.into_iter().zip(read(&python, &fio, &wanted)) {
        for record in records {
            let depth: u64 = record["iodepth"].as_str().unwrap().parse().unwrap();
            let at = if class == "small" { (depth, beside) } else { (beside, depth) };
            let io = &point(&findings, at.0, at.1)["classes"][class];
            let iops = io["iops"]["value"].as_f64().unwrap();
            assert_near(record["iops"].as_f64().unwrap(), iops);
            assert_near(
                record["lat"].as_f64().unwrap(),
                1000.0 * io["latency_us"]["mean"]["value"].as_f64().unwrap(),
            );
            assert_near(
                record["lat_stddev"].as_f64().unwrap(),
                1000.0 * io["latency_us"]["stddev"].as_f64().unwrap(),
            );
            let bytes = if class == "small" { 8192.0 } else { 1_048_576.0 };
            assert!((record["bw"].as_f64().unwrap() - iops * bytes / 1024.0).abs() <= 1.0, "{record}");
            assert!(record["iops_stddev"].as_f64().unwrap() > 0.0, "{record}");
            assert_eq!(record["bs"], if class == "small" { "8k" } else { "1024k" });
            seen += 1;
        }
    }
    assert_eq!(seen, 5 + 5 + 2, "every file of a directory, and each once");
}

#[test]
fn fio_plot_draws_its_charts() {
    let Some(python) = python("fio_plot_draws_its_charts", &[FIO_PLOT]) else { return };
    let ran = FormatRun::calibration();
    let (out, fio) = directories(&ran);
    let (small, beside) = (fio.join("small"), fio.join("small_beside_2_large"));
    let draw = |name: &str, directories: &[&Path], more: &[&str]| {
        let picture = out.path().join(name);
        let mut command = python.command("fio-plot");
        command
            .current_dir(out.path())
            .arg("-i")
            .args(directories)
            .args(["-T", "Rigel", "-r", "randread", "-o"]);
        tell(command.arg(&picture).args(more)).expect_code(0);
        assert_is_a_picture(&picture);
    };
    draw("depths.png", &[&small], &["-l", "-d", "1", "2", "3", "4", "5", "-n", "1", "--show-cpu"]);
    draw("histogram.png", &[&small], &["-H", "-d", "4", "-n", "1"]);
    draw("compared.png", &[&small, &beside], &["-C", "-d", "4", "-n", "1"]);
}

#[test]
fn fio_plot_reads_streams_and_writes() {
    let Some(python) = python("fio_plot_reads_streams_and_writes", &[FIO_PLOT]) else { return };
    let ran = FormatRun::new(
        "run advanced --matrix basic --type seq --write 50 --engine sim:servers=4,service=20ms --seed 5 --name out --quiet --duration 1s",
    );
    let findings = ran.findings();
    let (_out, fio) = directories(&ran);
    let (depths, jobs) = (&[1, 2, 3, 4, 5][..], &[1, 2][..]);
    let halves = ["read", "write"];
    let small = halves.map(|half| ("small", "randrw", depths, &jobs[..1], half));
    let large = halves.map(|half| ("large", "rw", &depths[3..4], jobs, half));
    let all = read(&python, &fio, &[small, large].concat());
    let sum = |at: usize| -> Vec<f64> {
        let iops = |record: &Value| record["iops"].as_f64().unwrap();
        all[at].iter().zip(&all[at + 1]).map(|(reads, writes)| iops(reads) + iops(writes)).collect()
    };
    let small = sum(0);
    assert_eq!(small.len(), 5);
    for (depth, iops) in (1..).zip(&small) {
        assert_near(*iops, point(&findings, depth, 0)["classes"]["small"]["iops"]["value"].as_f64().unwrap());
    }
    // A level of streams is as many jobs with four I/Os each.
    let large = sum(2);
    assert_eq!(large.len(), 2);
    for (streams, iops) in (1..).zip(&large) {
        assert_near(
            *iops,
            point(&findings, 0, streams)["classes"]["large"]["iops"]["value"].as_f64().unwrap(),
        );
    }
}
