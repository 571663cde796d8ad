//! The tidy table.

use crate::support::{MINUTE, Run, steady};
use rigel_core::matrix::{MatrixShape, RunLevel};
use rigel_core::request::Request;
use rigel_report::Format;

fn mixed() -> Run {
    let request =
        Request { shape: MatrixShape::Point { small: 2, large: 1 }, ..Request::new(RunLevel::Advanced) };
    let mut run = Run::new(request, &[("/dev/sdb", 1 << 34)]);
    let small = steady(8192, 2, MINUTE, 6000);
    let large = steady(1 << 20, 1, MINUTE, 600);
    run.visit((2, 1), MINUTE, Some(small), Some(large));
    run
}

#[test]
fn a_row_per_point_and_class() {
    insta::assert_snapshot!(mixed().file(Format::Csv, "_findings.csv"), @r"
    run_id,small,large,class,io_bytes,seconds,iops,mbps,latency_mean_us,latency_min_us,latency_max_us,latency_stddev_us,latency_p50_us,latency_p90_us,latency_p99_us,latency_p99_9_us,latency_p99_99_us,reads,writes,errors,outstanding_planned,outstanding_mean,flags
    orion_20260101_1200,2,1,small,8192,60,100,0.78125,20000,20000,20000,0,20000,20000,20000,20000,20000,6000,0,0,2,2,
    orion_20260101_1200,2,1,large,1048576,60,10,10,100000,100000,100000,0,100000,100000,100000,100000,100000,600,0,0,1,1,
    ");
}

#[test]
fn what_is_not_there_is_empty_and_commas_are_quoted() {
    let mut run = mixed();
    run.record.header.run_id = "a,\"b\"".into();
    run.record.header.request.buffered = true;
    let small = run.record.visits[0].small.as_mut().unwrap();
    small.reads.clear();
    let file = run.file(Format::Csv, "_findings.csv");
    let mut lines = file.lines();
    let columns = lines.next().unwrap().split(',').count();
    let small = lines.next().unwrap();
    assert_eq!(small, "\"a,\"\"b\"\"\",2,1,small,8192,60,0,0,,,,,,,,,,0,0,0,2,2,BUFFERED;NO_DATA");
    assert_eq!(small.split(',').count(), columns + 1, "the quoted comma");
}
