//! What was read is looked at: zeros of a sparse file, stamps of a scratch file, with every engine.

use crate::busy_host::expect_flag;
use crate::support::{Place, ProgramOutput};
use rigel_testdev::{MissingNeed, needs};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::process::Command;

const ENGINES: [&str; 3] = ["io_uring", "libaio", "threads"];
const MIB: u64 = 1 << 20;
const POINT: &str = "--matrix point --num-small 8 --num-large 2 --size-large 64K --workers 1 --quiet";
const SCRATCH: &str = "rigel-scratch.dat";

/// The lines of the record of a run of data.
fn record(place: &Place, name: &str, line: &str) -> Vec<Value> {
    record_of(place, name, line, ProgramOutput::expect_measured)
}

/// Those of a run of what is no data, or not where it belongs.
fn record_of_zeros(place: &Place, name: &str, line: &str) -> Vec<Value> {
    record_of(place, name, line, |told| expect_flag(told, "ZEROS"))
}

/// Those of a run that is long enough for reads of both classes: storage may stand still for a while.
fn record_of(
    place: &Place,
    name: &str,
    line: &str,
    expect: fn(ProgramOutput) -> ProgramOutput,
) -> Vec<Value> {
    let scratch = place.path().join(SCRATCH);
    let begins_without = !scratch.exists();
    for duration in ["300ms", "3s", "30s"] {
        let name = format!("{name}-{duration}");
        expect(place.line(&format!("run advanced {line} {POINT} --duration {duration} --name {name}")));
        let text = fs::read_to_string(place.only_of(&name, "_record.jsonl")).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        if ["small", "large"].iter().all(|class| visit(&lines)["tallies"][class]["reads"]["count"] != 0) {
            return lines;
        }
        if begins_without && scratch.exists() {
            fs::remove_file(&scratch).unwrap();
        }
    }
    panic!("{name}: no reads of a class in 30 s");
}

fn visit(record: &[Value]) -> &Value {
    record.iter().find(|line| line["line"] == "visit").unwrap()
}

/// What the reads of both classes held: looked at, zero, wrong.
fn looks(record: &[Value]) -> [(u64, u64, u64); 2] {
    let visit = visit(record);
    ["small", "large"].map(|class| {
        let looked = &visit["tallies"][class]["looked"];
        let number = |field: &str| looked[field].as_u64().unwrap();
        let reads = visit["tallies"][class]["reads"]["count"].as_u64().unwrap();
        let sampled = number("sampled");
        // Each worker counts for itself, and begins with the first; engines differ in how many there are.
        let workers = 8;
        let all = (reads / 64).saturating_sub(workers)..=reads / 64 + workers;
        assert!(all.contains(&sampled), "{class}: {sampled} of {reads}");
        assert!(sampled > 0, "{class}: {reads} reads");
        (sampled, number("zero_blocks"), number("wrong_stamps"))
    })
}

#[test]
fn a_sparse_file_is_all_zeros() {
    let place = Place::new();
    let target = place.path().join("sparse");
    fs::File::create(&target).unwrap().set_len(64 * MIB).unwrap();
    for engine in ENGINES {
        let record = record_of_zeros(&place, engine, &format!("sparse --engine {engine}"));
        for (sampled, zero, wrong) in looks(&record) {
            assert_eq!((zero, wrong), (sampled, 0), "{engine}");
        }
        let facts = &record[0]["targets"][0];
        assert!(facts["scratch"].is_null());
        let extents = Some(&facts["extents"]).filter(|extents| extents.is_object());
        let told = extents.ok_or_else(|| MissingNeed::new("the filesystem tells no extents"));
        if let Some(extents) = needs("a_sparse_file_is_all_zeros", told) {
            assert_eq!((&extents["hole_bytes"], &extents["written_bytes"]), (&(64 * MIB).into(), &0.into()));
        }
    }
}

#[test]
fn a_file_of_data_has_no_zeros() {
    let place = Place::new();
    place.random_file("data", 16 * MIB);
    for engine in ENGINES {
        let record = record(&place, engine, &format!("data --engine {engine}"));
        assert!(looks(&record).iter().all(|&(_, zero, wrong)| (zero, wrong) == (0, 0)), "{engine}");
    }
}

/// Filled, written by runs with other seeds, and read again: every block is always one that belongs there.
#[test]
fn a_scratch_file_is_right_whoever_wrote_to_it() {
    let place = Place::new();
    let clean = |name: &str, line: &str| {
        let record = record(&place, name, line);
        assert!(looks(&record).iter().all(|&(_, zero, wrong)| (zero, wrong) == (0, 0)), "{name}: {line}");
        record[0]["targets"][0].clone()
    };
    let facts = clean("fill", "--scratch-size 16M --keep-scratch --write 50 --seed 1");
    assert_eq!(
        facts["scratch"],
        serde_json::json!({ "own": true, "seed": 1, "used_before": false, "kept": true })
    );
    let unbacked = ["hole_bytes", "unwritten_bytes"].map(|field| facts["extents"][field].as_u64());
    assert!(unbacked.iter().all(|bytes| bytes.unwrap_or(0) == 0), "{facts}");
    for (seed, engine) in (2..).zip(ENGINES) {
        let line = format!("--scratch-size 16M --write 50 --seed {seed} --engine {engine}");
        let facts = clean(&format!("again-{engine}"), &line);
        assert_eq!(
            facts["scratch"],
            serde_json::json!({ "own": true, "seed": 1, "used_before": true, "kept": true })
        );
        // The same file, named as a target of the user's.
        let facts = clean(&format!("named-{engine}"), &format!("{SCRATCH} --engine {engine}"));
        assert_eq!(
            facts["scratch"],
            serde_json::json!({ "own": false, "seed": 1, "used_before": true, "kept": true })
        );
    }
}

#[test]
fn blocks_in_the_wrong_place_are_found() {
    let place = Place::new();
    record(&place, "fill", "--scratch-size 16M --keep-scratch");
    let path = place.path().join(SCRATCH);
    let file = fs::File::options().read(true).write(true).open(path).unwrap();
    let mut data = vec![0; usize::try_from(16 * MIB).unwrap()];
    file.read_exact_at(&mut data, 0).unwrap();
    let mut replace = |name: &str, change: fn(&mut [u8])| {
        change(&mut data);
        file.write_all_at(&data, 0).unwrap();
        file.sync_all().unwrap();
        looks(&record_of_zeros(&place, name, SCRATCH))
    };
    for (sampled, zero, wrong) in replace("turned", |data| data.rotate_left(4096)) {
        assert_eq!((zero, wrong), (0, sampled));
    }
    for (sampled, zero, wrong) in replace("zeroed", |data| data.fill(0)) {
        assert_eq!((zero, wrong), (sampled, 0));
    }
}

#[test]
fn an_allocated_file_is_told_by_its_extents() {
    let name = "an_allocated_file_is_told_by_its_extents";
    let place = Place::new();
    let allocated =
        Command::new("fallocate").args(["-l", "16M", "allocated"]).current_dir(place.path()).status();
    let allocated = match allocated {
        Ok(status) if status.success() => Ok(()),
        other => Err(MissingNeed::new(format!("fallocate: {other:?}"))),
    };
    let Some(()) = needs(name, allocated) else { return };
    let record = record_of_zeros(&place, "read", "allocated");
    assert!(looks(&record).iter().all(|&(sampled, zero, _)| sampled == zero));
    let extents = &record[0]["targets"][0]["extents"];
    let fiemap = if extents["source"] == "fiemap" { Ok(()) } else { Err(MissingNeed::new("no FIEMAP")) };
    if needs(name, fiemap).is_some() {
        assert_eq!(extents["unwritten_bytes"], 16 * MIB);
    }
}
