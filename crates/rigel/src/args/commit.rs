//! `rigel run commit`: its options, and the load that they ask for.
//!
//! Classes of writers that append to a log, each write durable in one way or another, and the same without that beside
//! them. Must not know targets.

use super::load::LoadArgs;
use super::own::OwnArgs;
use super::values::{self, Misread};
use super::words::{self, Words};
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, LoadClass, Sync};
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::pace::LevelChoice;
use rigel_core::load::request::{DEFAULT_SMALL, Request};
use rigel_core::units::Bytes;
use std::collections::BTreeSet;

const COMMITS: &str = "Commits (only with 'commit')";
/// Writers of the points unless others are named.
const WRITERS: [u32; 5] = [1, 2, 4, 8, 16];
/// The reads beside them.
const READS: Class = Class::constant("reads");

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct CommitArgs {
    /// How a write becomes durable: dsync, fdatasync or none [default: both ways]
    ///
    /// dsync: each write asks for it (RWF_DSYNC, as O_DSYNC does). fdatasync: a flush follows each write. The same write
    /// without either is always measured beside them; none measures it alone.
    #[arg(long, value_name = "METHOD", ignore_case = true, hide_possible_values = true, hide_short_help = true, value_parser = words::parser::<Sync>(), help_heading = COMMITS)]
    pub sync: Option<Sync>,

    /// How many write at the same time, each one commit after the other [default: 1,2,4,8,16]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = writers, hide_short_help = true, help_heading = COMMITS)]
    pub writers: Vec<u32>,

    /// Bytes that a commit writes [default: 8K]
    #[arg(long, value_name = "SIZE", hide_short_help = true, help_heading = COMMITS)]
    pub commit_size: Option<Bytes>,

    /// Measure the commits beside so many outstanding random reads of 8 KiB as well
    ///
    /// About half of what saturates the storage is usual; `rigel run oltp --levels auto` finds that number.
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = COMMITS)]
    pub beside_reads: Option<u32>,
}

fn writers(text: &str) -> Result<u32, Misread> {
    values::number_of(text, "writers")
}

impl Words for Sync {
    fn all() -> Vec<(&'static str, Self)> {
        vec![("dsync", Self::Dsync), ("fdatasync", Self::Fdatasync), ("none", Self::None)]
    }
}

impl CommitArgs {
    /// Makes the load of `request`, whose level is `level`.
    ///
    /// # Errors
    /// When an option is given that does not go with the level.
    pub fn shape(
        &self,
        level: RunLevel,
        load: &LoadArgs,
        own: &OwnArgs,
        request: &mut Request,
    ) -> Result<(), Problem> {
        if level != RunLevel::Commit {
            return self.refuse_elsewhere();
        }
        refuse_others(load, own)?;
        let writers: BTreeSet<u32> = match self.writers.as_slice() {
            [] => WRITERS.into(),
            given => given.iter().copied().collect(),
        };
        let bytes = self.commit_size.unwrap_or(DEFAULT_SMALL).0;
        let mut classes: Vec<LoadClass> = self.methods().into_iter().map(|sync| class(sync, bytes)).collect();
        let levels: Vec<u32> = writers.into_iter().collect();
        classes.iter_mut().for_each(|class| class.levels.clone_from(&levels));
        if let Some(reads) = self.beside_reads {
            request.points = points(&classes, reads);
            classes.push(LoadClass { levels: vec![reads], ..LoadClass::random(READS, DEFAULT_SMALL.0) });
        }
        request.classes = classes;
        request.levels = LevelChoice::Own;
        request.check()
    }

    fn methods(&self) -> Vec<Sync> {
        match self.sync {
            None => vec![Sync::Dsync, Sync::Fdatasync, Sync::None],
            Some(Sync::None) => vec![Sync::None],
            Some(sync) => vec![sync, Sync::None],
        }
    }

    fn refuse_elsewhere(&self) -> Result<(), Problem> {
        let given = [
            ("--sync", self.sync.is_some()),
            ("--writers", !self.writers.is_empty()),
            ("--commit-size", self.commit_size.is_some()),
            ("--beside-reads", self.beside_reads.is_some()),
        ];
        let Some((option, _)) = given.into_iter().find(|given| given.1) else { return Ok(()) };
        Err(Problem::usage(format!("{option} goes with the level 'commit' only"))
            .at(option)
            .because("the other levels have no writers that commit")
            .next(format!("use `rigel run commit {option} ..`, or leave out {option}")))
    }
}

/// Refuses what is about small and large I/O.
fn refuse_others(load: &LoadArgs, own: &OwnArgs) -> Result<(), Problem> {
    let given = [
        ("--num-disks", load.num_disks.is_some(), "give the writers with --writers"),
        ("--write", load.write.is_some(), "commits only write; --beside-reads adds reads"),
        ("--cache-size", load.cache_size.is_some(), "leave it out"),
        ("--levels", own.levels.is_some(), "give the writers with --writers"),
    ];
    let Some((option, _, next)) = given.into_iter().find(|given| given.1) else { return Ok(()) };
    Err(Problem::usage(format!("{option} does not go with the level 'commit'"))
        .at(option)
        .because("it is about small and large I/O")
        .next(next))
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

/// Each class at its levels, alone and beside the reads; then the reads alone.
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

    fn request(args: &CommitArgs) -> Result<Request, Problem> {
        let mut request = Request::new(RunLevel::Commit);
        args.shape(RunLevel::Commit, &LoadArgs::default(), &OwnArgs::default(), &mut request)?;
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
        assert_eq!(found.points, [wanted, vec![Point::alone(READS, 32)]].concat());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let wrong = [
            CommitArgs { writers: vec![0], ..CommitArgs::default() },
            CommitArgs { commit_size: Some(Bytes(100)), ..CommitArgs::default() },
            CommitArgs { beside_reads: Some(0), ..CommitArgs::default() },
        ];
        assert!(wrong.iter().all(|args| request(args).is_err()));
        let args = CommitArgs { writers: vec![1], ..CommitArgs::default() };
        let (load, own) = (LoadArgs::default(), OwnArgs::default());
        let mut simple = Request::new(RunLevel::Simple);
        let text = args.shape(RunLevel::Simple, &load, &own, &mut simple).unwrap_err().to_string();
        assert!(text.contains("--writers goes with the level 'commit' only"), "{text}");
        let load = LoadArgs { write: Some(50), ..load };
        let text = args.shape(RunLevel::Commit, &load, &own, &mut simple).unwrap_err().to_string();
        assert!(text.contains("--write does not go with the level 'commit'"), "{text}");
    }
}
