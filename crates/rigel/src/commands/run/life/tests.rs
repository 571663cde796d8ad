use super::*;
use crate::args::{Environment, Invocation, RunOptions, read};
use crate::streams::Streams;
use std::cell::Cell;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Counts how often it is cleaned up, and remembers behind what.
struct Thing<'a> {
    ways: &'a Cell<Vec<String>>,
    trouble: Option<&'a str>,
}

impl PutAway for Thing<'_> {
    fn put_away(&mut self, _: Reporter<'_>, ending: Ending<'_>) -> Result<(), Problem> {
        let mut ways = self.ways.take();
        ways.push(match ending {
            Ending::Whole => "whole".to_owned(),
            Ending::Cut(problem) => format!("cut: {}", problem.what),
            Ending::Failed(problem) => format!("failed: {}", problem.what),
        });
        self.ways.set(ways);
        self.trouble.map_or(Ok(()), |trouble| Err(Problem::refused(trouble)))
    }
}

fn options(line: &str) -> RunOptions {
    let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
    match read(&words, &Environment::default()) {
        Ok(Invocation::Run(options)) => *options,
        other => panic!("{line}: {other:?}"),
    }
}

/// What a life ends with, what it printed, and how the thing was cleaned up.
fn lived(
    trouble: Option<&str>,
    live: impl FnOnce(&Life<'_>, Thing<'_>) -> Result<(), Problem>,
) -> (Result<(), String>, String, Vec<String>) {
    let (options, streams, ways) = (options("rigel run simple"), Streams::in_memory(), Cell::default());
    let reporter = Reporter { options: &options, streams: &streams };
    let life = Life::again(reporter, Signals::listen().unwrap());
    let ended = live(&life, Thing { ways: &ways, trouble });
    let [_, printed] = streams.texts();
    (ended.map_err(|problem| problem.what), printed, ways.take())
}

fn refused(what: &str) -> Problem {
    Problem::refused(what)
}

#[test]
fn what_was_made_is_put_away_once_behind_every_end() {
    let of = |worked: MeasuredEnd| lived(None, |life, thing| life.end(thing, |_| worked));
    assert_eq!(of(Ok(None)), (Ok(()), String::new(), vec!["whole".to_owned()]));
    let cut = of(Ok(Some(refused("stopped"))));
    assert_eq!(cut, (Err("stopped".to_owned()), String::new(), vec!["cut: stopped".to_owned()]));
    let failed = of(Err(refused("no disk")));
    assert_eq!(failed, (Err("no disk".to_owned()), String::new(), vec!["failed: no disk".to_owned()]));
}

#[test]
fn trouble_of_putting_away_is_told_and_never_hides_the_first_problem() {
    let of = |worked: MeasuredEnd| {
        let (ended, printed, _) = lived(Some("it stays"), |life, thing| life.end(thing, |_| worked));
        (ended, printed)
    };
    assert_eq!(of(Ok(None)), (Err("it stays".to_owned()), String::new()));
    let both = "note: it stays\n".to_owned();
    assert_eq!(of(Ok(Some(refused("stopped")))), (Err("stopped".to_owned()), both.clone()));
    assert_eq!(of(Err(refused("no disk"))), (Err("no disk".to_owned()), both));
}

#[test]
fn a_part_is_put_away_before_the_whole_and_hides_no_problem_either() {
    let of = |worked: MeasuredEnd| {
        let (ended, printed, ways) = lived(Some("it stays"), |life, thing| {
            let (ways, part) = (thing.ways, Thing { ways: thing.ways, trouble: Some("a part stays") });
            life.end(thing, |_| {
                let measured = life.within(part, |_| worked);
                let so_far = ways.take();
                assert_eq!(so_far.len(), 1, "the part goes first");
                ways.set(so_far);
                measured
            })
        });
        (ended, printed, ways.len())
    };
    assert_eq!(of(Ok(None)), (Err("a part stays".to_owned()), "note: it stays\n".to_owned(), 2));
    let told = "note: a part stays\nnote: it stays\n".to_owned();
    assert_eq!(of(Ok(Some(refused("stopped")))), (Err("stopped".to_owned()), told.clone(), 2));
    assert_eq!(of(Err(refused("no disk"))), (Err("no disk".to_owned()), told, 2));
}

#[test]
fn a_panic_puts_away_too_and_tells_what_stays() {
    let (ended, printed, ways) = lived(Some("it stays"), |life, thing| {
        let panicking = || life.end(thing, |_| -> MeasuredEnd { panic!("a bug") });
        assert!(catch_unwind(AssertUnwindSafe(panicking)).is_err());
        Ok(())
    });
    assert_eq!((ended, printed.as_str()), (Ok(()), "note: it stays\n"));
    assert_eq!(ways, ["failed: the program panicked"]);
}

#[test]
fn what_is_only_shown_prepares_nothing() {
    let (options, streams) = (options("rigel run simple --dry-run"), Streams::in_memory());
    let reporter = Reporter { options: &options, streams: &streams };
    let never = || -> Result<Signals, Problem> { panic!("prepared") };
    let show = || reporter.streams.results(b"the plan\n");
    assert!(Life::begin(reporter, show, never).unwrap().is_none());
    assert_eq!(streams.texts()[0], "the plan\n");
    let refused = Life::begin(reporter, || Err(refused("no room")), never).err().map(|problem| problem.what);
    assert_eq!(refused.as_deref(), Some("no room"));
}
