use super::*;
use rigel_core::error::ExitKind;
use rigel_core::facts::Identity;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::EngineRequest;
use rigel_core::load::sides::Sides;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::Nanos;

fn disk(name: &str, serial: Option<&str>) -> TargetFacts {
    TargetFacts {
        path: format!("/dev/{name}"),
        real_path: format!("/dev/{name}"),
        kind: TargetKind::BlockDevice,
        size_bytes: 1 << 40,
        identity: Identity { device: (8, name.len().try_into().unwrap()), inode: 0 },
        device: Some(DeviceFacts {
            name: name.into(),
            identifier: serial.map(Into::into),
            ..DeviceFacts::default()
        }),
        ..TargetFacts::default()
    }
}

fn file(filesystem: &str, inode: u64) -> TargetFacts {
    TargetFacts {
        path: "/data/x".into(),
        kind: TargetKind::File,
        size_bytes: 1 << 30,
        identity: Identity { device: (0, 42), inode },
        filesystem: Some(filesystem.into()),
        ..TargetFacts::default()
    }
}

fn node(name: &str, targets: Vec<TargetFacts>) -> Hello {
    Hello {
        name: name.into(),
        host: HostFacts { boot_id: Some(format!("boot of {name}")), ..HostFacts::default() },
        request: Request::new(RunLevel::Oltp),
        targets,
        own_list: false,
        strays: Vec::new(),
        foretold: TargetNotice::default(),
        server: None,
    }
}

fn refused(hellos: &[Hello], rules: Rules) -> String {
    let problem = Meeting::of(hellos, rules).unwrap_err();
    assert!(problem.next.is_some() && [ExitKind::Refused, ExitKind::Usage].contains(&problem.kind));
    problem.what
}

const PLAIN: Rules = Rules { oversubscribe: false, own_targets: false, coordinator_only: false };

#[test]
fn what_all_nodes_say_of_their_targets_is_said_once() {
    let [bare, full] = ["/dev/x needs consent", "/dev/x needs none"].map(|line| TargetNotice {
        consent: vec![line.to_owned()],
        notes: vec!["/dev/x is in use".to_owned()],
    });
    assert_eq!(TargetNotice::of_all(&[("a", &bare), ("b", &bare)]), bare);
    let told = TargetNotice::of_all(&[("a", &bare), ("b", &full)]);
    assert_eq!(told.consent, ["a: /dev/x needs consent", "b: /dev/x needs none"]);
    assert_eq!(told.notes, ["/dev/x is in use"]);
    assert_eq!(TargetNotice::of_all(&[]), TargetNotice::default());
}

#[test]
fn a_disk_of_all_is_one_target_whatever_each_calls_it() {
    let nodes = [node("a", vec![disk("sdb", Some("wwn-1"))]), node("b", vec![disk("sdcc", Some("wwn-1"))])];
    let met = Meeting::of(&nodes, PLAIN).unwrap();
    assert_eq!((met.targets.len(), met.shared), (1, true));
    assert_eq!(met.members.iter().map(|member| &member.targets[..]).collect::<Vec<_>>(), [[0], [0]]);
    // Who goes on with the run has to find it under the name that it has there.
    let found = |member: usize| met.members[member].facts(&met.targets)[0].path.clone();
    assert_eq!([found(0), found(1)], ["/dev/sdb", "/dev/sdcc"]);
    assert!(met.members[0].own.is_empty(), "it is in the list");
}

#[test]
fn disks_that_are_not_surely_one_are_refused_unless_each_has_its_own() {
    for (serial, words) in [(Some("wwn-2"), "wwn-1 here, wwn-2 there"), (None, "wwn-1 here, unknown there")] {
        let nodes = [node("a", vec![disk("sdb", Some("wwn-1"))]), node("b", vec![disk("sdb", serial)])];
        let what = refused(&nodes, PLAIN);
        assert!(what.contains("/dev/sdb on b") && what.contains(words), "{what}");
        let met = Meeting::of(&nodes, Rules { own_targets: true, ..PLAIN }).unwrap();
        assert_eq!((met.targets.len(), met.shared, met.members[1].targets.clone()), (2, false, vec![1]));
    }
    let two = vec![disk("sdb", Some("a")), disk("sdc", Some("b"))];
    let told = refused(&[node("a", vec![disk("sdb", Some("a"))]), node("b", two)], Rules::default());
    assert!(told.contains("a has 1 target, but b has 2"), "{told}");
    let lists = ["a", "b"].map(|name| Hello { own_list: true, ..node(name, vec![disk("sdb", Some(name))]) });
    assert_eq!(Meeting::of(&lists, PLAIN).unwrap().targets.len(), 2, "a list of each host's own");
}

#[test]
fn a_file_is_one_on_a_filesystem_of_several_hosts_only() {
    let nodes =
        |filesystem, inode| [node("a", vec![file(filesystem, 7)]), node("b", vec![file(filesystem, inode)])];
    assert!(Meeting::of(&nodes("nfs4", 7), PLAIN).unwrap().shared);
    assert!(refused(&nodes("nfs4", 8), PLAIN).contains("may differ"));
    assert!(refused(&nodes("xfs", 7), PLAIN).contains("files on xfs and xfs"));
    let met = Meeting::of(&nodes("xfs", 7), Rules { own_targets: true, ..PLAIN }).unwrap();
    assert_eq!((met.targets.len(), met.shared), (2, false));
}

#[test]
fn one_host_twice_is_refused_unless_it_is_meant() {
    let nodes = [node("a", vec![file("xfs", 7)]), node("a", vec![file("xfs", 7)])];
    assert_eq!(refused(&nodes, PLAIN), "nodes 0 and 1 are on the same host (a)");
    let met = Meeting::of(&nodes, Rules { oversubscribe: true, ..PLAIN }).unwrap();
    assert_eq!((met.targets.len(), met.shared), (1, true));
    assert_eq!(met.members.iter().map(|member| &member.name[..]).collect::<Vec<_>>(), ["a:0", "a:1"]);
}

#[test]
fn another_load_is_refused_and_another_seed_is_none() {
    let mut nodes = ["a", "b"].map(|name| node(name, vec![disk("sdb", Some("wwn"))]));
    nodes[1].request.seed = 99;
    assert!(Meeting::of(&nodes, PLAIN).is_ok());
    nodes[1].request.buffered = true;
    assert_eq!(refused(&nodes, PLAIN), "node 1 (b) was asked for another load");
}

#[test]
fn shares_are_those_of_the_nodes_that_are_there() {
    let mut nodes = ["a", "b", "c"].map(|name| node(name, vec![disk("sdb", Some("wwn"))]));
    nodes.iter_mut().for_each(|node| node.request.node_share = vec![2, 1]);
    assert!(refused(&nodes, PLAIN).contains("shares for 2 nodes, but there are 3"));
    nodes.iter_mut().for_each(|node| node.request.node_share = vec![2, 1, 1]);
    let met = Meeting::of(&nodes, Rules { coordinator_only: true, ..PLAIN }).unwrap();
    assert_eq!(met.team(5).shares, [0, 1, 1]);
    assert!(met.members[0].targets.is_empty(), "who only coordinates needs no target");
    let alone = node("a", Vec::new());
    assert!(refused(&[alone], Rules { coordinator_only: true, ..PLAIN }).contains("no node has a share"));
}

#[test]
fn the_targets_of_side_a_come_first() {
    let sides = Some(Sides { targets_of_a: 1, engine: EngineRequest::Auto, buffered: false });
    let nodes = ["a", "b"].map(|name| {
        let mut node = node(name, vec![disk("sdb", Some(name)), disk("sdccc", Some("both"))]);
        node.request.sides = sides;
        node
    });
    let met = Meeting::of(&nodes, Rules { own_targets: true, ..PLAIN }).unwrap();
    assert_eq!((met.targets.len(), met.targets_of_a), (3, Some(2)));
    assert_eq!(met.members.iter().map(|member| &member.targets[..]).collect::<Vec<_>>(), [[0, 2], [1, 2]]);
}

#[test]
fn verified_blocks_need_the_same_list_on_all_hosts() {
    let lists = |verify| {
        ["a", "b"].map(|name| {
            let disks = vec![disk("sdb", Some("x")), disk("sdccc", Some("y"))];
            let mut node = Hello { own_list: true, ..node(name, disks) };
            node.request.classes[0].verify = verify;
            node
        })
    };
    let mut nodes = lists(true);
    assert!(Meeting::of(&nodes, PLAIN).is_ok());
    nodes[1].targets.reverse();
    assert_eq!(refused(&nodes, PLAIN), "a and b share targets, but list them differently");
    let mut nodes = lists(false);
    nodes[1].targets.reverse();
    assert_eq!(Meeting::of(&nodes, PLAIN).unwrap().members[1].targets, [1, 0]);
}

/// Who has a list of his own is not compared with the others, and keeps nobody from being compared.
#[test]
fn a_list_of_one_host_leaves_the_others_to_be_compared() {
    let listed = Hello { own_list: true, ..node("a", vec![disk("nvme0n1", Some("own"))]) };
    let named = |name, serial| node(name, vec![disk("sdb", Some(serial))]);
    let what = refused(&[listed.clone(), named("b", "wwn-1"), named("c", "wwn-2")], PLAIN);
    assert!(what.contains("/dev/sdb on c may not be the one on b"), "{what}");
    let met = Meeting::of(&[named("b", "wwn-1"), listed, named("c", "wwn-1")], PLAIN).unwrap();
    assert_eq!(met.members.iter().map(|member| &member.targets[..]).collect::<Vec<_>>(), [[0], [1], [0]]);
}

/// The commits of a calibration come to its request when its targets are known.
#[test]
fn lists_are_checked_with_the_classes_that_come_later() {
    let mut nodes = ["a", "b"].map(|name| {
        let disks = vec![disk("sdb", Some("x")), disk("sdccc", Some("y"))];
        Hello { own_list: true, ..node(name, disks) }
    });
    nodes[1].targets.reverse();
    let met = Meeting::of(&nodes, PLAIN).unwrap();
    assert!(met.check_lists(&nodes[0].request).is_ok());
    let bound = LatencyBound { limit: Nanos::from_secs(1), of: LatencyOf::Mean };
    let request = Request::calibration(bound, Nanos::from_secs(60)).with_commits(true);
    let problem = met.check_lists(&request).unwrap_err();
    assert_eq!(problem.what, "a and b share targets, but list them differently");
}

#[test]
fn nodes_of_a_database_load_have_to_reach_the_same_server() {
    let at = |name: &str, identity: &str| Hello {
        server: Some(ServerView {
            title: format!("PostgreSQL 15.14 at {name}"),
            identity: identity.to_owned(),
        }),
        ..node(name, Vec::new())
    };
    let met = Meeting::at_server(&[at("a", "1"), at("b", "1")], PLAIN).unwrap();
    assert!(met.shared && met.members.iter().all(|member| member.targets == [0] && member.own.is_empty()));
    let problem = Meeting::at_server(&[at("a", "1"), at("b", "1"), at("c", "2")], PLAIN).unwrap_err();
    assert_eq!(
        problem.what,
        "a and c reach different servers: PostgreSQL 15.14 at a and PostgreSQL 15.14 at c"
    );
    assert!(Meeting::at_server(&[at("a", "1"), node("b", Vec::new())], PLAIN).is_err(), "no server");
    let one = [at("a", "1"), at("a", "1")];
    assert_eq!(Meeting::at_server(&one, PLAIN).unwrap_err().kind, ExitKind::Refused, "one host");
    let other = Hello { request: Request::new(RunLevel::Simple), ..at("b", "1") };
    assert!(Meeting::at_server(&[at("a", "1"), other], PLAIN).is_err(), "another load");
}
