//! What the doctor found, as a text: the verdict first, then the parts, a line for each finding, and the way on.

use rigel_core::facts::{DeviceFacts, HostFacts, MountFacts};
use rigel_report::doctor::{DoctorReport, json};
use rigel_report::document::Document as _;
use rigel_report::text::Style;
use rigel_uses::doctor::{Part, Severity, System, examine, rules};
use serde_json::Value;

const MEASUREMENT: &str = "Affects this measurement";
const DATABASE: &str = "Affects the database";

/// A disk whose scheduler costs performance: a warning about the measurement. Its merging is one, too, in the same queue.
fn disk(name: &str) -> DeviceFacts {
    let scheduler = Some("bfq".to_owned());
    DeviceFacts { name: name.to_owned(), scheduler, nomerges: Some(2), ..DeviceFacts::default() }
}

fn mount(options: &str) -> MountFacts {
    MountFacts {
        mount_point: "/data".to_owned(),
        filesystem: "ext4".to_owned(),
        source: "/dev/sda".to_owned(),
        options: options.split(',').map(str::to_owned).collect(),
        device: None,
        lies_on: None,
    }
}

fn host(swappiness: u32) -> HostFacts {
    let mut host = HostFacts { clock_source: Some("tsc".to_owned()), ..HostFacts::default() };
    host.settings.swappiness = Some(swappiness);
    host
}

fn told(system: &System<'_>, named: &[String], everything: bool) -> String {
    DoctorReport { system, all: &examine(system), named, known: &[], everything }.text(Style::default())
}

fn text(host: &HostFacts, devices: &[DeviceFacts], mounts: &[MountFacts], everything: bool) -> String {
    let system = System::whole(host, devices, mounts);
    told(&system, &[], everything)
}

fn at(text: &str, what: &str) -> usize {
    text.find(what).unwrap_or_else(|| panic!("no {what:?} in {text}"))
}

/// The lines of a part that begin with a number.
fn numbered<'a>(text: &'a str, title: &str) -> Vec<&'a str> {
    let part = text[at(text, title)..].lines().skip(1);
    let part = part.take_while(|line| !line.starts_with("Affects") && !line.starts_with("Nothing"));
    part.filter(|line| line.split_whitespace().next().is_some_and(|word| word.parse::<u32>().is_ok()))
        .collect()
}

#[test]
fn the_verdict_stands_first_and_goes_by_the_gravest() {
    let good = text(&host(10), &[], &[], false);
    assert!(good.starts_with("Nothing to fix.\n"), "{good}");
    assert!(good.contains("\nNext: rigel calibrate\n"), "{good}");
    let noted = text(&host(60), &[], &[], false);
    assert!(noted.starts_with("Nothing to fix (1 note).\n"), "{noted}");
    let warned = text(&host(10), &[], &[mount("rw")], false);
    assert!(
        warned.starts_with("1 setting to fix (1 warning).\n1 setting slows or endangers a database, which"),
        "{warned}"
    );
    let bent = text(&host(10), &[disk("sda")], &[], false);
    assert!(
        bent.starts_with("2 settings to fix (2 warnings).\n2 settings change what is measured: change or"),
        "{bent}"
    );
    let both = text(&host(60), &[disk("sda")], &[mount("rw")], false);
    assert!(
        both.starts_with(
            "3 settings to fix (3 warnings, 1 note).\n2 settings change what is measured, 1 setting slows"
        ),
        "{both}"
    );
    let lost = text(&host(60), &[disk("sda")], &[mount("rw,nobarrier,noatime")], false);
    assert!(
        lost.starts_with("3 settings to fix (1 error, 2 warnings, 1 note).\nFix errors before you measure"),
        "{lost}"
    );
}

#[test]
fn two_parts_with_the_worst_first_and_a_line_for_each() {
    let (host, devices) = (host(60), [disk("sda")]);
    let mounts = [mount("rw,nobarrier")];
    let short = text(&host, &devices, &mounts, false);
    assert!(at(&short, DATABASE) < at(&short, MEASUREMENT), "the part with the error stands first: {short}");
    assert_eq!(
        numbered(&short, DATABASE),
        [
            "  1 error    /data: a power failure can destroy files (nobarrier)",
            "  2 warning  /data: every read changes metadata (strictatime)",
            "  3 note     host: memory is swapped out early (vm.swappiness 60)",
        ]
    );
    assert_eq!(
        numbered(&short, MEASUREMENT),
        [
            "  4 warning  sda: the scheduler bfq delays requests",
            "  5 warning  sda: sequential I/O is not merged (nomerges 2)",
        ]
    );
    let warned = text(&host, &devices, &[mount("rw")], false);
    assert!(at(&warned, MEASUREMENT) < at(&warned, DATABASE), "both have warnings: {warned}");
    // A note has no command here, because most need none.
    at(&short, "(nobarrier)\n             change: mount -o remount,barrier=1 /data, and");
    assert!(short.contains("\nNext: rigel doctor --all\n"), "{short}");
    for missing in ["sysctl", "https://", "nobarrier)\n    setting"] {
        assert!(!short.contains(missing), "{missing} in {short}");
    }
    let whole = text(&host, &devices, &mounts, true);
    for title in [MEASUREMENT, DATABASE] {
        assert_eq!(numbered(&whole, title), numbered(&short, title), "the same numbers");
    }
    let third = &whole[at(&whole, "  1 error")..at(&whole, "  2 warning")];
    for line in [
        "setting  write barriers: nobarrier",
        "change   mount -o remount,barrier=1 /data",
        "source   https://",
    ] {
        at(third, line);
    }
}

#[test]
fn a_line_has_the_names_that_fit() {
    let named = |name: fn(usize) -> String| {
        let devices: Vec<DeviceFacts> = (0..9).map(|index| disk(&name(index))).collect();
        text(&host(10), &devices, &[], false)
    };
    let long = named(|index| format!("nvme{index}n1"));
    assert!(long.contains("nvme0n1, nvme1n1 and 7 more: the scheduler bfq"), "{long}");
    assert!(named(|index| format!("s{index}")).contains("s0, s1, s2, s3, s4 and 4 more: the"), "{long}");
    assert!(long.lines().all(|line| line.len() <= 80), "{long}");
    assert!(
        long.starts_with("18 settings to fix (18 warnings).\n18 settings change"),
        "settings count, as in the JSON document, and not lines: {long}"
    );
    let vast = named(|index| format!("{}{index}", "x".repeat(90)));
    at(&vast, &format!("{}0\n             and 8 more: the scheduler", "x".repeat(90)));
}

/// One line may stand for several devices; the numbers are those of settings all the same.
#[test]
fn text_and_json_count_the_same() {
    let (host, devices) = (host(60), [disk("sda"), disk("sdb")]);
    let document: Value =
        serde_json::from_slice(&json(&examine(&System::whole(&host, &devices, &[]))).unwrap()).unwrap();
    let found = text(&host, &devices, &[], false);
    let counts = format!("({} warnings, {} note)", document["warnings"], document["notes"]);
    assert!(found.lines().next().unwrap().contains(&counts), "{counts}: {found}");
}

#[test]
fn the_disks_whose_write_cache_is_meant_are_named() {
    let caching = |name: &str| DeviceFacts {
        name: name.to_owned(),
        write_cache: Some("write back".to_owned()),
        ..DeviceFacts::default()
    };
    let flat = |devices: &[DeviceFacts]| {
        text(&host(10), devices, &[], false).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let one = flat(&[caching("sda")]);
    assert!(
        one.contains("with the write cache of sda, run `rigel run commit` in a directory on that disk."),
        "{one}"
    );
    let two = flat(&[caching("sda"), caching("sdb")]);
    assert!(
        two.contains("with the write caches of sda, sdb, run") && two.contains("on one of those disks."),
        "{two}"
    );
}

/// A virtual disk says that it spins; what is right for one that spins is then not plainly right.
#[test]
fn what_rests_on_a_finding_points_at_it() {
    let disk = |rotational| DeviceFacts {
        name: "vda".to_owned(),
        transport: Some("virtio".to_owned()),
        rotational: Some(rotational),
        scheduler: Some("mq-deadline".to_owned()),
        read_ahead_kb: Some(8192),
        ..DeviceFacts::default()
    };
    let spins = text(&host(10), &[disk(true)], &[], true);
    at(&spins, "  1 note     vda: treated as a spinning disk");
    at(&spins, "  vda: I/O scheduler: mq-deadline, but see 1\n");
    at(&spins, "  vda: read-ahead of buffered reads: 8 MiB, but see 1\n");
    let flash = text(&host(10), &[disk(false)], &[], true);
    assert!(!flash.contains("but see"), "{flash}");
}

/// The command leads on with the targets as they were named, for a shell.
#[test]
fn the_next_command_can_be_pasted() {
    let host = host(60);
    let system = System::whole(&host, &[], &[]);
    let named = ["my data.dbf".to_owned(), "/dev/sdb".to_owned()];
    let text = |everything| told(&system, &named, everything);
    at(&text(false), "\nNext: rigel doctor 'my data.dbf' /dev/sdb --all\n");
    at(&text(true), "\nNext: rigel doctor 'my data.dbf' /dev/sdb\n");
}

#[test]
fn programs_get_the_part_of_every_setting() {
    let (host, devices) = (host(60), [disk("sda")]);
    let system = System::whole(&host, &devices, &[]);
    let document: Value = serde_json::from_slice(&json(&examine(&system)).unwrap()).unwrap();
    for setting in document["settings"].as_array().unwrap() {
        let rule = rules().find(|rule| setting["rule"] == rule.name).unwrap();
        assert_eq!(setting["part"], rule.part.name());
    }
    let of =
        |part: Part, severity| rules().filter(move |rule| rule.part == part && rule.severity == severity);
    for part in Part::ALL {
        assert!(of(part, Severity::Error).count() > 0 && of(part, Severity::Note).count() > 0, "{part:?}");
    }
}
