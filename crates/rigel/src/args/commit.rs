//! `rigel run commit`: its options, and the load that they ask for.
//!
//! Classes of writers that append to a log, each write durable in one way or another, and the same without durability next to them. Must not know
//! targets.

use super::values::{self, ValueError};
use super::words::{self, Words};
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, LoadClass, Sync};
use rigel_core::load::matrix::Point;
use rigel_core::load::request::{DEFAULT_SMALL, Request};
use rigel_core::load::task::Task;
use rigel_core::units::Bytes;
use std::collections::BTreeSet;

const COMMITS: &str = "Commits (only with 'commit')";
/// Writers of the points unless others are named.
const WRITERS: [u32; 5] = [1, 2, 4, 8, 16];
/// The reads that run with them.
const READS: Class = Class::constant("reads");

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct CommitArgs {
    /// How a write becomes durable: dsync, fdatasync or none [default: both ways]
    ///
    /// dsync: each write is durable on its own (RWF_DSYNC, like O_DSYNC). fdatasync: a flush follows each write. Writes without either are always
    /// measured for comparison; none measures only these.
    #[arg(long, value_name = "METHOD", ignore_case = true, hide_possible_values = true, hide_short_help = true, value_parser = words::parser::<Sync>(), help_heading = COMMITS)]
    pub sync: Option<Sync>,

    /// Concurrent writers, each making one commit after the other [default: 1,2,4,8,16, or 1,16 for an answer in a minute]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = writers, hide_short_help = true, help_heading = COMMITS)]
    pub writers: Vec<u32>,

    /// Size of a commit [default: 8K]
    #[arg(long, value_name = "SIZE", hide_short_help = true, help_heading = COMMITS)]
    pub commit_size: Option<Bytes>,

    /// Also measure commits while N random reads of 8 KiB are outstanding
    ///
    /// Usually about half of what saturates the storage; `rigel run oltp --levels auto` finds that number.
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = COMMITS)]
    pub beside_reads: Option<u32>,
}

fn writers(text: &str) -> Result<u32, ValueError> {
    values::number_of(text, "writers")
}

impl Words for Sync {
    fn all() -> Vec<(&'static str, Self)> {
        vec![("dsync", Self::Dsync), ("fdatasync", Self::Fdatasync), ("none", Self::None)]
    }
}

impl CommitArgs {
    /// Makes the load of `request`.
    ///
    /// # Errors
    /// When no run can have it.
    pub fn shape(&self, request: &mut Request) -> Result<(), Problem> {
        let writers: BTreeSet<u32> = match self.writers.as_slice() {
            [] => WRITERS.into(),
            given => given.iter().copied().collect(),
        };
        let bytes = self.commit_size.unwrap_or(DEFAULT_SMALL).0;
        let mut classes: Vec<LoadClass> = self.methods().into_iter().map(|sync| class(sync, bytes)).collect();
        let levels: Vec<u32> = writers.into_iter().collect();
        classes.iter_mut().for_each(|class| class.levels.clone_from(&levels));
        let mut beside = Vec::new();
        if let Some(reads) = self.beside_reads {
            beside = points(&classes, reads);
            classes.push(LoadClass { levels: vec![reads], ..LoadClass::random(READS, DEFAULT_SMALL.0) });
        }
        request.classes = classes;
        if let Task::Load { points, .. } = &mut request.task {
            *points = beside;
        }
        request.check()
    }

    fn methods(&self) -> Vec<Sync> {
        match self.sync {
            None => vec![Sync::Dsync, Sync::Fdatasync, Sync::None],
            Some(Sync::None) => vec![Sync::None],
            Some(sync) => vec![sync, Sync::None],
        }
    }
}

/// The class of a way to become durable.
fn class(sync: Sync, bytes: u64) -> LoadClass {
    let (name, unit) = match sync {
        Sync::Dsync => (Class::DSYNC, "commits/s"),
        Sync::Fdatasync => (Class::FDATASYNC, "commits/s"),
        Sync::None => (Class::UNSYNCED, "writes/s"),
    };
    LoadClass::log(name, bytes, sync, unit)
}

/// Each class at its levels, alone and with the reads; then the reads alone.
fn points(classes: &[LoadClass], reads: u32) -> Vec<Point> {
    let alone = |class: &LoadClass| -> Vec<Point> {
        class.levels.iter().map(|&level| Point::alone(class.name, level)).collect()
    };
    let beside = |class: &LoadClass| -> Vec<Point> {
        alone(class).into_iter().map(|point| point.with(READS, reads)).collect()
    };
    let all = classes.iter().flat_map(|class| [alone(class), beside(class)]).flatten();
    all.chain([Point::alone(READS, reads)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::load::matrix::RunLevel;

    fn request(args: &CommitArgs) -> Result<Request, Problem> {
        let mut request = Request::new(RunLevel::Commit);
        args.shape(&mut request)?;
        Ok(request)
    }

    #[test]
    fn both_ways_and_the_plain_write_are_measured_at_the_same_writers() {
        let found = request(&CommitArgs::default()).unwrap();
        let names: Vec<String> = found.classes.iter().map(|class| class.name.to_string()).collect();
        assert_eq!(names, ["dsync", "fdatasync", "unsynced"]);
        assert!(found.classes.iter().all(|class| class.levels == WRITERS && class.io_bytes() == 8192));
        let only = |sync| {
            let found = request(&CommitArgs { sync: Some(sync), ..CommitArgs::default() }).unwrap();
            found.classes.iter().map(|class| class.sync).collect::<Vec<_>>()
        };
        assert_eq!(only(Sync::Fdatasync), [Sync::Fdatasync, Sync::None]);
        assert_eq!(only(Sync::None), [Sync::None]);
    }

    #[test]
    fn beside_reads_each_point_is_there_with_and_without_them() {
        let args = CommitArgs {
            sync: Some(Sync::Dsync),
            writers: vec![4, 1, 4],
            beside_reads: Some(32),
            ..CommitArgs::default()
        };
        let found = request(&args).unwrap();
        let [dsync, unsynced] =
            [Class::DSYNC, Class::UNSYNCED].map(|class| [Point::alone(class, 1), Point::alone(class, 4)]);
        let with = |points: [Point; 2]| points.map(|point| point.with(READS, 32));
        let wanted = [dsync, with(dsync), unsynced, with(unsynced)].concat();
        assert_eq!(found.points(), [wanted, vec![Point::alone(READS, 32)]].concat());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let wrong = [
            CommitArgs { writers: vec![0], ..CommitArgs::default() },
            CommitArgs { commit_size: Some(Bytes(100)), ..CommitArgs::default() },
            CommitArgs { beside_reads: Some(0), ..CommitArgs::default() },
        ];
        assert!(wrong.iter().all(|args| request(args).is_err()));
    }
}
