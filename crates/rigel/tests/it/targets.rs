//! What there is to measure, told by the evidence of the write guard.

use crate::safety::{filesystem_on_a_loop_device, mount};
use crate::support::Place;
use rigel_testdev::needs;
use serde_json::Value;
use std::fs;

fn only(document: &Value) -> &Value {
    let targets = document["targets"].as_array().unwrap();
    assert_eq!((document["schema"].as_str(), targets.len()), (Some("rigel.targets/1"), 1), "{document}");
    &targets[0]
}

#[test]
fn files_by_what_is_in_them() {
    let place = Place::new();
    place.random_file("data.dbf", 8 << 20);
    fs::File::create(place.path().join("new.dbf")).unwrap().set_len(8 << 20).unwrap();
    let data = place.line("targets data.dbf --json").expect_code(0).json();
    let data = only(&data);
    assert_eq!(
        (data["write"].as_str(), data["free"].as_bool()),
        (Some("needs consent"), Some(false)),
        "{data}"
    );
    assert_eq!(data["consent"], "--destroy-data data.dbf");
    let new = place.line("targets new.dbf --json").expect_code(0).json();
    let new = only(&new);
    assert_eq!((new["write"].as_str(), new["consent"].as_str()), (Some("may be written"), None), "{new}");
    let missing = place.line("targets nowhere").expect_code(3);
    assert!(missing.stderr.contains("nowhere"), "{}", missing.stderr);
}

#[test]
fn a_device_with_a_filesystem_before_and_while_it_is_mounted() {
    let place = Place::new();
    let test = "a_device_with_a_filesystem_before_and_while_it_is_mounted";
    let Some(device) = needs(test, filesystem_on_a_loop_device(&place)) else { return };
    let path = device.path().to_str().unwrap().to_owned();
    let look = || place.rigel(["targets", path.as_str(), "--json"]).expect_code(0).json();
    let found = look();
    let found = only(&found);
    assert_eq!(
        (found["transport"].as_str(), found["write"].as_str()),
        (Some("loop"), Some("needs consent")),
        "{found}"
    );
    assert_eq!(found["signatures"], serde_json::json!(["ext4"]), "{found}");
    let Some(mounted) = needs(test, mount(device.path(), &place)) else { return };
    let found = look();
    let found = only(&found);
    assert_eq!((found["write"].as_str(), found["consent"].as_str()), (Some("refused"), None), "{found}");
    assert_eq!(found["mounts"].as_array().unwrap().len(), 1);
    assert!(found["remedy"].as_str().unwrap().starts_with("umount "), "{found}");
    // Among all devices it is there as well.
    let all = place.rigel(["targets", "--quiet"]).expect_code(0).stdout;
    assert!(all.lines().any(|line| line.starts_with(&path) && line.contains("refused")), "{all}");
    drop(mounted);
}
