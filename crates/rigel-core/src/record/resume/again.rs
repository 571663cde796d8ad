//! The command that resumes an interrupted run. Must not know what its targets contain now.

use crate::facts::{TargetFacts, TargetKind};
use crate::load::request::Request;
use crate::path_text::shell_word;
use crate::record::Nodes;

/// The command that resumes a run from `record`; a database run has its own words for its server. It repeats the consent to
/// overwrite: since the run wrote to a target, the target holds data.
pub fn command(request: &Request, nodes: &Nodes, targets: &[TargetFacts], record: &str) -> String {
    let program = if nodes.first().member.is_some() { "mpirun .. rigel-mpi" } else { "rigel" };
    let record = shell_word(record);
    let name = match request {
        _ if request.is_soak() => "soak",
        _ if request.sides.is_some() => "versus",
        _ => "run",
    };
    let needs_consent =
        |target: &&TargetFacts| target.kind != TargetKind::Simulated && target.scratch.is_none();
    // Of what hosts share, each asks for the name that it has there.
    let own = nodes.all().iter().filter_map(|node| node.member.as_ref()).flat_map(|member| &member.own);
    let written = TargetFacts::each_once(targets).into_iter().chain(own).filter(|_| request.writes_at_all());
    let mut consent: Vec<String> = Vec::new();
    for target in written.filter(needs_consent) {
        // As it was typed, where that is the same from every directory.
        let path = if target.path.starts_with('/') { &target.path } else { &target.real_path };
        let one = format!(" --destroy-data {}", shell_word(path));
        if !consent.contains(&one) {
            consent.push(one);
        }
    }
    format!("{program} {name} --resume {record}{}", consent.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::workload::WritePercent;
    use crate::record::Member;
    use crate::record::tests::header;

    #[test]
    fn consent_is_asked_for_what_is_written_and_not_made_by_rigel() {
        let mut header = header();
        let told = |header: &crate::record::Header| {
            command(&header.request, &header.nodes, &header.targets, "a b_record.jsonl")
        };
        header.targets.iter_mut().for_each(|target| {
            target.kind = TargetKind::File;
            target.scratch = None;
            target.path = "data".into();
            target.real_path = "/somewhere/data".into();
        });
        header.request.classes.iter_mut().for_each(|class| class.write_percent = WritePercent::default());
        assert_eq!(told(&header), "rigel run --resume 'a b_record.jsonl'");
        header.request.classes[0].write_percent = WritePercent::new(30).unwrap();
        assert_eq!(
            told(&header),
            "rigel run --resume 'a b_record.jsonl' --destroy-data /somewhere/data",
            "each target once"
        );
        header.targets[0].path = "/dev/disk/by-id/x y".into();
        assert!(told(&header).ends_with("--destroy-data '/dev/disk/by-id/x y'"));
        let shared = |path: &str| TargetFacts { path: path.into(), ..header.targets[0].clone() };
        let own = vec![shared("/dev/dm-5"), shared("/dev/disk/by-id/x y")];
        let member = Member { name: "db2".into(), share: 1, targets: vec![0], own };
        let nodes = crate::record::Node { member: Some(member), ..header.nodes.first().clone() };
        let nodes = Nodes::try_from(vec![nodes]).unwrap();
        let told_there = command(&header.request, &nodes, &header.targets, "record");
        assert!(
            told_there
                .ends_with("--resume record --destroy-data '/dev/disk/by-id/x y' --destroy-data /dev/dm-5"),
            "{told_there}"
        );
        header.targets[0].kind = TargetKind::Simulated;
        assert!(!told(&header).contains("--destroy-data"));
    }
}
