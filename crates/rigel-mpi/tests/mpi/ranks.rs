//! The real program on several ranks of this host, started by mpirun: runs and refusals.

use crate::support::{Place, mpirun};
use rigel_testdev::{DeviceSpec, MissingNeed, TestDevice, needs};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// 4 stations of 1 ms on each node.
pub const SIM: &str = "--engine sim:servers=4,service=1ms,rate=0";

#[test]
fn four_nodes_give_four_times_the_rate_in_every_output() {
    let Some(mpirun) = needs("rigel-mpi: four nodes", mpirun()) else { return };
    let place = Place::new();
    let words = format!("--oversubscribe run oltp --num-disks 4 --duration 2s --seed 7 {SIM}");
    let told = place.run(&mpirun, 4, &words);
    told.expect_code(0);
    let record = place.read("_record.jsonl");
    let header: Value = serde_json::from_str(record.lines().next().unwrap()).unwrap();
    assert_eq!(header["nodes"].as_array().unwrap().len(), 4);
    assert_eq!(header["targets"].as_array().unwrap().len(), 4, "each node has a device of its own");
    let told = place.report("--format json");
    let found: Value = serde_json::from_str(&told).unwrap();
    let best = found["best"]["small"]["rate"]["value"].as_f64().unwrap();
    assert!((best / 16_000.0 - 1.0).abs() < 0.01, "{best}");
    let last = found["points"].as_array().unwrap().last().unwrap();
    let nodes = last["nodes"].as_array().unwrap();
    let rates: Vec<f64> =
        nodes.iter().map(|node| node["classes"]["small"]["iops"].as_f64().unwrap()).collect();
    assert!(rates.len() == 4 && rates.iter().all(|rate| (rate / 4000.0 - 1.0).abs() < 0.01), "{rates:?}");
    let text = place.report("--format text");
    assert!(
        text.lines().any(|line| line.trim_start().starts_with("node ") && line.contains("of its part")),
        "{text}"
    );
    fs::create_dir(place.path().join("csv")).unwrap();
    place.report("--format csv --out csv");
    let nodes = place.read_in("csv", "_nodes.csv");
    assert!(nodes.lines().next().unwrap().contains(",class,node,name,outstanding,iops,"), "{nodes}");
    let page = place.read("_report.html");
    assert!(page.contains("<h2>Nodes</h2>") && page.contains("<meter "), "a bar for each node");
}

#[test]
fn the_same_words_do_everything_that_one_program_does() {
    let Some(mpirun) = needs("rigel-mpi: every command", mpirun()) else { return };
    for words in [
        format!("calibrate --no-history {SIM}"),
        format!("slo --p99 5ms {SIM}"),
        "versus oltp --engine sim:servers=4,service=1ms,rate=0 --and-engine sim:servers=4,service=2ms,rate=0 --fast".to_owned(),
        format!("soak --for 20s {SIM}"),
        "orion -run simple -num_disks 2 -duration 2 --engine sim".to_owned(),
        "--version".to_owned(),
    ] {
        let place = Place::new();
        let told = place.run(&mpirun, 3, &format!("--oversubscribe {words}"));
        assert!([0, 1].contains(&told.code), "{words}: {}\n{}{}", told.code, told.stdout, told.stderr);
        assert!(!told.stdout.is_empty(), "{words}");
        assert!(!told.stderr.contains("bug"), "{words}: {}", told.stderr);
        let page = match words.split(' ').next() {
            Some("soak") => "_report.html",
            Some("versus") => "_versus.html",
            _ => continue,
        };
        assert!(told.stdout.contains("of its part"), "{words}: {}", told.stdout);
        assert!(!told.stdout.contains('\u{1b}'), "no colours in what a launcher carries: {}", told.stdout);
        assert!(place.read(page).contains("<h2>Nodes</h2>"), "{words}");
    }
}

#[test]
fn sixty_four_ranks_are_one_run() {
    let Some(mpirun) = needs("rigel-mpi: 64 ranks", mpirun()) else { return };
    let place = Place::new();
    place.load("one.toml", 64);
    let told = place.run(&mpirun, 64, &format!("--oversubscribe run --load one.toml --duration 1s {SIM}"));
    told.expect_code(0);
    let record = place.read("_record.jsonl");
    let visit: Value = serde_json::from_str(record.lines().nth(1).unwrap()).unwrap();
    assert_eq!(visit["nodes"].as_array().unwrap().len(), 64);
}

#[test]
fn a_shared_file_is_read_by_all_from_their_start_together() {
    let Some(mpirun) = needs("rigel-mpi: a shared file", mpirun()) else { return };
    let place = Place::new();
    place.file("data", 64 << 20);
    let told = place.run(
        &mpirun,
        3,
        "--oversubscribe run advanced data --matrix row --num-large 0 --duration 1s --num-disks 1 --buffered --engine threads",
    );
    // What is measured is memory, as asked for.
    told.expect_measured();
    let record = place.read("_record.jsonl");
    let mut lines = record.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let header = lines.next().unwrap();
    assert_eq!(header["targets"].as_array().unwrap().len(), 1, "all have the same one");
    for visit in lines.filter(|line| line["line"] == "visit") {
        for node in visit["nodes"].as_array().unwrap() {
            assert!(
                node["joined"]["late_ns"].as_u64().is_some()
                    && node["joined"]["clock_ahead_ns"].as_i64().is_some()
            );
        }
    }
}

#[test]
fn what_does_not_fit_together_is_refused_by_all() {
    let Some(mpirun) = needs("rigel-mpi: refusals", mpirun()) else { return };
    let place = Place::new();
    place.file("data", 8 << 20);
    fs::write(place.path().join("three.toml"), THREE).unwrap();
    for (nodes, words, code, said) in [
        (2, format!("run oltp --duration 1s {SIM}"), 3, "nodes 0 and 1 are on the same host"),
        (2, "--oversubscribe run oltp --duration 1s".to_owned(), 2, "several nodes need named targets"),
        (2, "--oversubscribe run oltp missing --duration 1s".to_owned(), 3, "missing"),
        (
            2,
            format!("--oversubscribe run --load three.toml --duration 1s {SIM}"),
            2,
            "shares for 3 nodes, but there are 2",
        ),
        (2, "--oversubscribe sql simple".to_owned(), 2, "several nodes need a server that all of them reach"),
        (2, "--oversubscribe run nonsense".to_owned(), 2, "nonsense"),
        (2, "--seed 1 run simple".to_owned(), 2, "rigel-mpi has no option --seed"),
        (1, format!("--coordinator-only run oltp --duration 1s {SIM}"), 0, ""),
    ] {
        let told = place.run(&mpirun, nodes, &words);
        assert_eq!(told.code, code, "{words}:\n{}{}", told.stdout, told.stderr);
        assert!(told.stderr.contains(said), "{words}:\n{}", told.stderr);
    }
    // Nobody consented, so that nothing was written.
    let before = fs::read(place.path().join("data")).unwrap();
    let told = place.run(&mpirun, 2, "--oversubscribe run oltp data --write 100 --duration 1s");
    assert_eq!(told.code, 3, "{}", told.stderr);
    assert_eq!(fs::read(place.path().join("data")).unwrap(), before);
}

/// Each rank gets a directory of its own, as hosts have disks of their own under one name.
fn each(place: &Place) -> PathBuf {
    for node in ["node0", "node1"] {
        fs::create_dir(place.path().join(node)).unwrap();
    }
    let script = place.path().join("each");
    let program = env!("CARGO_BIN_EXE_rigel-mpi");
    fs::write(&script, format!("#!/bin/sh\ncd \"node$OMPI_COMM_WORLD_RANK\" && exec {program} \"$@\"\n"))
        .unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    script
}

/// The answer of the second node is so long that it is under way until the first one takes it, which looks at its own targets meanwhile and refuses.
#[test]
fn a_refusal_of_the_first_node_is_not_lost_by_long_answers() {
    let Some(mpirun) = needs("rigel-mpi: a refusal and long answers", mpirun()) else { return };
    let place = Place::new();
    let script = each(&place);
    let mut names = String::new();
    for number in 0..24 {
        names += &format!(" data{number}");
        place.file(&format!("node0/data{number}"), 1 << 20);
        fs::File::create(place.path().join(format!("node1/data{number}"))).unwrap().set_len(1 << 20).unwrap();
    }
    let words =
        format!("--oversubscribe --own-targets run oltp{names} --write 10 --duration 1s --num-disks 1");
    let mut run = place.start_program(&mpirun, 2, &script, &words);
    assert_eq!(run.end(), 3, "{}", run.told());
    assert!(run.told().contains("data0") && !run.told().contains("got no answer"), "{}", run.told());
}

#[test]
fn a_list_that_all_share_names_the_same_targets() {
    let Some(mpirun) = needs("rigel-mpi: one list for all", mpirun()) else { return };
    let place = Place::new();
    let script = each(&place);
    for node in ["node0", "node1"] {
        place.file(&format!("{node}/data"), 1 << 20);
        fs::write(place.path().join(node).join("all.lun"), "data\n").unwrap();
    }
    let words = "run oltp --lun all.lun --duration 1s --dry-run";
    for (options, code) in [("--oversubscribe", 3), ("--oversubscribe --own-targets", 0)] {
        let mut run = place.start_program(&mpirun, 2, &script, &format!("{options} {words}"));
        assert_eq!(run.end(), code, "{options}: {}", run.told());
        assert_eq!(run.told().contains("may not be the one on"), code == 3, "{}", run.told());
    }
}

#[test]
fn consent_may_name_the_target_of_another_node() {
    let Some(mpirun) = needs("rigel-mpi: consent for each node", mpirun()) else { return };
    let place = Place::new();
    let script = each(&place);
    for node in ["node0", "node1"] {
        place.file(&format!("{node}/data"), 1 << 20);
    }
    let words = "--oversubscribe --own-targets run oltp data --write 10 --duration 1s --dry-run \
                 --destroy-data ../node0/data --destroy-data ../node1/data";
    for (more, code) in [("", 0), (" --destroy-data ../each", 2)] {
        let mut run = place.start_program(&mpirun, 2, &script, &format!("{words}{more}"));
        assert_eq!(run.end(), code, "{}", run.told());
        assert_eq!(run.told().contains("is not a target of this run"), code == 2, "{}", run.told());
    }
}

/// The second node has its target on a filesystem that is mounted read-only.
#[test]
fn a_host_that_can_only_read_refuses_for_all() {
    let name = "rigel-mpi: a host that can only read";
    let Some(mpirun) = needs(name, mpirun()) else { return };
    let may_mount = Command::new("unshare").args(["--mount", "true"]).output();
    let may_mount = may_mount.ok().filter(|told| told.status.success());
    let may_mount = may_mount.ok_or_else(|| MissingNeed::new("nothing can be mounted here"));
    let Some(_) = needs(name, may_mount) else { return };
    let place = Place::new();
    let plain = each(&place);
    for node in ["node0", "node1"] {
        place.file(&format!("{node}/data"), 1 << 20);
    }
    let before = fs::read(place.path().join("node0/data")).unwrap();
    let script = place.path().join("reads");
    let text = format!(
        "#!/bin/sh\n[ \"$OMPI_COMM_WORLD_RANK\" = 0 ] && exec {0} \"$@\"\n\
         exec unshare --mount sh -c 'mount --bind node1 node1 && mount -o remount,bind,ro node1 && exec {0} \"$@\"' sh \"$@\"\n",
        plain.display()
    );
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let words = "--oversubscribe --own-targets run oltp data --write 10 --duration 1s --out .. \
                 --destroy-data ../node0/data --destroy-data ../node1/data";
    let mut run = place.start_program(&mpirun, 2, &script, words);
    assert_eq!(run.end(), 3, "{}", run.told());
    for part in ["data on node 1", "likely cause: it is read-only"] {
        assert!(run.told().contains(part), "{part}: {}", run.told());
    }
    assert_eq!(fs::read(place.path().join("node0/data")).unwrap(), before, "nothing was written anywhere");
    assert!(!place.has_record());
    run.nothing_is_left();
}

#[test]
fn a_dry_run_says_what_each_node_says_of_its_own_targets() {
    let Some(mpirun) = needs("rigel-mpi: --dry-run with targets of each node", mpirun()) else { return };
    let place = Place::new();
    let script = each(&place);
    place.file("node1/data", 8 << 20);
    let told = |words: &str, code: i32| {
        let mut run = place.start_program(&mpirun, 2, &script, words);
        assert_eq!(run.end(), code, "{words}: {}", run.told());
        run.told().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // The first node has no such file, and need not.
    let words =
        "--oversubscribe --own-targets --coordinator-only run oltp data --write 10 --duration 1s --dry-run";
    let text = told(words, 0);
    assert!(text.contains("This run would be refused: data may hold data"), "{text}");
    let words = "--oversubscribe --own-targets run oltp data --write 10 --duration 1s --dry-run";
    assert!(told(words, 3).contains("data"), "the first node needs it here");
    // Nothing was ever written to that of the first node.
    fs::File::create(place.path().join("node0/data")).unwrap().set_len(8 << 20).unwrap();
    let text = told(words, 0);
    assert!(
        text.contains(":0: data needs no consent") && text.contains(":1: This run would be refused: data"),
        "{text}"
    );
    assert!(
        !place.path().join("node0").read_dir().unwrap().any(|entry| entry.unwrap().file_name() != "data")
    );
}

const THREE: &str = "load = \"rigel.load/1\"\nnode_share = [2, 1, 1]\npoints = [ { small = 8 } ]\n[[class]]\nname = \"small\"\nsize = \"8K\"\n";

#[test]
fn shares_of_a_load_file_are_kept() {
    let Some(mpirun) = needs("rigel-mpi: node_share", mpirun()) else { return };
    let place = Place::new();
    fs::write(place.path().join("three.toml"), THREE).unwrap();
    place
        .run(&mpirun, 3, &format!("--oversubscribe run --load three.toml --duration 1s {SIM}"))
        .expect_code(0);
    let record = place.read("_record.jsonl");
    let visit: Value = serde_json::from_str(record.lines().nth(1).unwrap()).unwrap();
    let nodes = visit["nodes"].as_array().unwrap();
    let planned: Vec<u64> =
        nodes.iter().map(|node| node["joined"]["counted"]["small"]["planned"].as_u64().unwrap()).collect();
    assert_eq!(planned, [4, 2, 2]);
}

pub const VERIFIED: &str = "load = \"rigel.load/1\"\n[[class]]\nname = \"data\"\nsize = \"4K\"\nwrite = 10\nverify = true\narrival = { outstanding = 9 }\n\
                        [[phase]]\nfor = \"4s\"\n[[phase]]\nfor = \"2s\"\n";

/// Who has no part of the load is there again, or is not looked at.
#[test]
fn a_run_with_a_share_of_nothing_goes_on() {
    let Some(mpirun) = needs("rigel-mpi: --resume with a share of 0", mpirun()) else { return };
    for shares in ["[1, 0, 1]", "[0, 1, 1]"] {
        let place = Place::new();
        fs::write(place.path().join("zero.toml"), THREE.replace("[2, 1, 1]", shares)).unwrap();
        let words = format!("--oversubscribe run --load zero.toml --duration 1s {SIM}");
        place.run(&mpirun, 3, &words).expect_code(0);
        let (_, _, name) = left_of(&place, &place.read("_record.jsonl"), 1);
        place.run(&mpirun, 3, &format!("--oversubscribe run --resume {name}")).expect_code(0);
    }
}

/// A node that has no part of the load has no such file, locks none and is asked for no consent.
#[test]
fn a_node_without_a_share_opens_nothing() {
    let Some(mpirun) = needs("rigel-mpi: a share of 0 on a target that is written", mpirun()) else { return };
    let place = Place::new();
    let script = each(&place);
    let zero = THREE.replace("[2, 1, 1]", "[1, 0]").replace("size = \"8K\"", "size = \"8K\"\nwrite = 20");
    for node in ["node0", "node1"] {
        fs::write(place.path().join(node).join("zero.toml"), &zero).unwrap();
    }
    place.file("node0/data", 8 << 20);
    let words =
        "--oversubscribe --own-targets run --load zero.toml data --destroy-data data --duration 1s --out ..";
    let mut run = place.start_program(&mpirun, 2, &script, words);
    // 1: on a busy host none of the numbers may be used.
    let code = run.end();
    assert!([0, 1].contains(&code), "{code}: {}", run.told());
    let (_, header, name) = left_of(&place, &place.read("_record.jsonl"), 1);
    let nodes = serde_json::from_str::<Value>(&header).unwrap()["nodes"].as_array().unwrap().len();
    assert_eq!(nodes, 1, "who loads nothing is none of the nodes of the record");
    // It goes on, whatever engine the idle node would have.
    let words = format!("--oversubscribe --own-targets run --resume ../{name} --destroy-data data");
    let mut run = place.start_program(&mpirun, 2, &script, &words);
    let code = run.end();
    assert!([0, 1].contains(&code), "{code}: {}", run.told());

    // On a file that all have, the idle node is not another run.
    let place = Place::new();
    place.file("data", 8 << 20);
    fs::write(place.path().join("zero.toml"), zero.replace("[1, 0]", "[1, 0, 1]")).unwrap();
    let words = "--oversubscribe run --load zero.toml data --destroy-data data --duration 1s";
    place.run(&mpirun, 3, words).expect_measured();
}

/// The commits of a calibration are logs, and who writes which follows from the place in the list.
#[test]
fn lists_in_another_order_are_refused_for_the_commits_of_a_calibration() {
    let Some(mpirun) = needs("rigel-mpi: lists in another order", mpirun()) else { return };
    let place = Place::new();
    let script = each(&place);
    for (node, list) in [("node0", "../a\n../b\n"), ("node1", "../b\n../a\n")] {
        fs::write(place.path().join(node).join("all.lun"), list).unwrap();
    }
    ["a", "b"].into_iter().for_each(|name| place.file(name, 16 << 20));
    let words = "--oversubscribe --own-targets calibrate --no-history --lun all.lun --destroy-data ../a --destroy-data ../b";
    let before = fs::read(place.path().join("a")).unwrap();
    let mut run = place.start_program(&mpirun, 2, &script, words);
    assert_eq!(run.end(), 3, "{}", run.told());
    assert!(run.told().contains("share targets, but list them differently"), "{}", run.told());
    assert_eq!(fs::read(place.path().join("a")).unwrap(), before);
}

/// The other node would read its target for longer than any test may take.
#[test]
fn a_refusal_does_not_wait_for_what_another_node_reads() {
    let name = "rigel-mpi: a refusal while another node reads its target";
    let Some(mpirun) = needs(name, mpirun()) else { return };
    let spec = DeviceSpec { size_bytes: 4 << 30, servers: 1, service_us: 20_000, ..DeviceSpec::default() };
    for refusing in [0, 1] {
        let Some(slow) = needs(name, TestDevice::mount(spec)) else { return };
        let place = Place::new();
        let script = each(&place);
        place.file(&format!("node{refusing}/data"), 1 << 20);
        std::os::unix::fs::symlink(slow.disk(), place.path().join(format!("node{}/data", 1 - refusing)))
            .unwrap();
        let words = "--oversubscribe --own-targets run oltp data --write 10 --duration 1s --num-disks 1";
        let mut run = place.start_program(&mpirun, 2, &script, words);
        assert_eq!(run.end(), 3, "{}", run.told());
        let told = run.told();
        assert!(told.contains("data") && !told.contains("stopped"), "{told}");
        assert!(!told.contains("has not ended"), "the node that reads has heard of it: {told}");
        run.nothing_is_left();
    }
}

/// The loader of the system could only say that a library is missing, not who has it.
#[test]
fn without_mpi_its_package_is_named() {
    let place = Place::new();
    let [program, node] = [env!("CARGO_BIN_EXE_rigel-mpi"), env!("CARGO_BIN_EXE_rigel-mpi-node")];
    let is_linked = fs::read(program).unwrap().windows(9).any(|part| part == b"libmpi.so");
    assert!(!is_linked, "rigel-mpi itself has to start without MPI");
    // By a program of its own: a file that this process writes may still be open in a child of another test.
    let copy = |from: &Path, to: &str| {
        assert!(Command::new("cp").arg(from).arg(place.path().join(to)).status().unwrap().success());
    };
    copy(Path::new(program), "rigel-mpi");
    let told = || Command::new(place.path().join("rigel-mpi")).arg("--version").output().unwrap();
    let alone = told();
    let text = String::from_utf8_lossy(&alone.stderr).into_owned();
    assert_eq!(alone.status.code(), Some(3), "{text}");
    assert!(text.contains("both programs") && text.contains("rigel-mpi-node"), "{text}");
    // It asks for a library that no host has.
    let mut bytes = fs::read(node).unwrap();
    let name = b"libmpi.so.40\0";
    let at = bytes.windows(name.len()).position(|part| part == name);
    let Some(at) = needs(
        "rigel-mpi: no MPI at run time",
        at.ok_or_else(|| MissingNeed::new("another MPI than Open MPI")),
    ) else {
        return;
    };
    bytes[at + name.len() - 3..][..2].copy_from_slice(b"99");
    let written = place.path().join("written");
    fs::write(&written, bytes).unwrap();
    fs::set_permissions(&written, fs::Permissions::from_mode(0o755)).unwrap();
    copy(&written, "rigel-mpi-node");
    let without = told();
    let text = String::from_utf8_lossy(&without.stderr).into_owned();
    assert_eq!(without.status.code(), Some(3), "{text}");
    for part in ["libmpi.so.99", "openmpi-bin", "next step"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(without.stdout.is_empty());
}

/// The record of a run with so many of its lines: its path, they, and its name.
pub fn left_of(place: &Place, whole: &str, lines: usize) -> (PathBuf, String, String) {
    let kept: String = whole.lines().take(lines).map(|line| format!("{line}\n")).collect();
    let record = place.record();
    fs::write(&record, &kept).unwrap();
    let name = record.file_name().unwrap().to_str().unwrap().to_owned();
    (record, kept, name)
}
