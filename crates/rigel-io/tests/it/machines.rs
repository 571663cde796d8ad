//! The doctor on trees of other machines: what it finds is in the snapshot of each.
#![expect(clippy::unwrap_used, reason = "a helper of a test that cannot go on should say where")]

use rigel_io::survey::{Survey, survey};
use rigel_uses::doctor::{RuleResult, Status, System, examine};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

fn machines() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests-data/machines")
}

/// Makes the files of a tree below a directory; `capture.sh` describes the format.
fn unpack(tree: &str, root: &Path) {
    let below = |path: &str| {
        let place = root.join(path.trim_start_matches('/'));
        assert!(!path.contains(".."), "{path}");
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        place
    };
    let mut file = None;
    for line in tree.lines() {
        if let Some(text) = line.strip_prefix('\t') {
            let place: &PathBuf = file.as_ref().expect("a line of a file");
            let before = fs::read_to_string(place).unwrap();
            fs::write(place, format!("{before}{text}\n")).unwrap();
            continue;
        }
        let (kind, rest) = line.split_once(' ').unwrap_or_else(|| panic!("no line of a tree: {line}"));
        match kind {
            "F" => {
                let place = below(rest);
                fs::write(&place, "").unwrap();
                file = Some(place);
            }
            "D" => fs::create_dir_all(below(rest)).unwrap(),
            "L" => {
                let (from, to) = rest.split_once(' ').unwrap();
                symlink(below(to), below(from)).unwrap();
            }
            _ => panic!("no line of a tree: {line}"),
        }
    }
}

/// `error multipath-paths dm-0: 1 of 2 failed`, a line each, without what is fine.
fn text_of(all: &[RuleResult]) -> String {
    let line = |judged: &RuleResult| match &judged.verdict {
        Status::Bent { value, want } => {
            let severity = judged.rule.severity.name();
            Some(format!("{severity} {} {}: {value} -> {want}\n", judged.rule.name, judged.about))
        }
        Status::Unknown => Some(format!("unknown {} {}\n", judged.rule.name, judged.about)),
        Status::Fine(_) | Status::NotAsked => None,
    };
    all.iter().filter_map(line).collect()
}

fn surveyed(name: &str) -> Survey {
    let tree = fs::read_to_string(machines().join(format!("{name}.tree"))).unwrap();
    let root = tempfile::tempdir().unwrap();
    unpack(&tree, root.path());
    survey(root.path())
}

fn found_on(name: &str) -> String {
    let found = surveyed(name);
    text_of(&examine(&System::whole(&found.host, &found.devices, &found.mounts)))
}

#[test]
fn findings_on_captured_and_made_machines() {
    let trees = fs::read_dir(machines()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> =
        trees.filter_map(|name| name.to_str()?.strip_suffix(".tree").map(str::to_owned)).collect();
    names.sort();
    assert!(names.len() >= 3, "{names:?}");
    for name in names {
        insta::assert_snapshot!(name.as_str(), found_on(&name));
    }
}

/// Pages of every size that kernels for Arm are built with, cores of one kind and of two, firmware with DMI and with a device tree.
#[test]
fn arm_machines_have_their_facts() {
    for (name, cpu_model, page_kib, product, hypervisor, nodes) in [
        ("graviton-guest", "Arm Neoverse-N1", 4, "Amazon EC2 m6g.2xlarge", Some("KVM"), 1),
        ("altra-64k", "Arm Neoverse-N1", 64, "GIGABYTE R272-P30-JG", None, 2),
        ("mac-16k", "Apple Icestorm-M1, Apple Firestorm-M1", 16, "Apple Mac mini (M1, 2020)", None, 0),
    ] {
        let host = surveyed(name).host;
        assert_eq!(host.machine, "aarch64", "{name}");
        assert_eq!(host.cpu_model.as_deref(), Some(cpu_model), "{name}");
        assert_eq!(host.page_bytes, Some(page_kib << 10), "{name}");
        assert_eq!(host.product.as_deref(), Some(product), "{name}");
        assert_eq!(host.hypervisor.as_deref(), hypervisor, "{name}");
        assert_eq!(host.numa_nodes.len(), nodes, "{name}");
        assert_eq!(host.clock_source.as_deref(), Some("arch_sys_counter"), "{name}");
    }
}
