//! `rigel sql prove`: a server made ready, settings proven on it, everything put away.
//!
//! Must not judge a value; `rigel_uses::proof` does.

use super::{PRIVATE, Place, SqlRun, check_not_stopped, check_room};
use crate::args::{RunOptions, ServerSource, TargetSource};
use crate::commands::run::life::{Life, both};
use crate::commands::run::{present::Reporter, wall};
use crate::output::{OutputSet, check_directory};
use crate::progress::WorkProgress;
use crate::signals::Signals;
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text;
use rigel_core::units::{Bytes, MIB};
use rigel_report::proof::{ProofReport, files, json, text};
use rigel_run::wall::Wall;
use rigel_sql::postgresql::prove::{self, ProofOutcome, ProofRequest, ProofStep, Restart};
use rigel_sql::postgresql::{Address, Database};
use rigel_sql::private::{self, PrivateServer, Purpose, Room};
use rigel_sql::{Server as _, door};
use rigel_uses::proof::Proof;
use std::time::Duration;

/// Larger than what one reads while a query runs, and small enough for minutes.
const USUAL_SIZE: Bytes = Bytes(256 * MIB);
/// Below it most queries take less time than what disturbs them.
const SMALL_BYTES: u64 = 64 * MIB;
const ROUNDS: u32 = 6;
/// The outputs, generously.
const OUTPUTS_BYTES: u64 = 4 * MIB;

/// The experiment, from the server to the outputs.
pub fn prove(options: &RunOptions, streams: &Streams) -> Result<(), Problem> {
    let TargetSource::Server(source) = &options.targets else {
        return Err(Problem::new(ExitKind::Bug, "an experiment has no server"));
    };
    let source = ServerSource { size: Some(source.size.unwrap_or(USUAL_SIZE)), ..source.clone() };
    let host = rigel_io::host::host_facts();
    let run =
        SqlRun { reporter: Reporter { options, streams }, source: &source, host, sessions: prove::SESSIONS };
    let size = run.whole_blocks(source.size.unwrap_or(USUAL_SIZE).0);
    if size < SMALL_BYTES {
        run.reporter.remarks(&[format!(
            "a table of {} is small: most queries finish in milliseconds, so noise may hide slow plans and \
             let a bad value pass; {USUAL_SIZE} is usual",
            Bytes(size)
        )]);
    }
    let experiment = Experiment { run, size, wall: wall(options.request.engine, None) };
    match &source.dsn {
        None => experiment.private(),
        Some(dsn) => experiment.there(dsn),
    }
}

struct Experiment<'a> {
    run: SqlRun<'a>,
    size: u64,
    /// When it began.
    wall: Wall,
}

impl Experiment<'_> {
    fn private(&self) -> Result<(), Problem> {
        let Place { programs, dir, .. } = self.run.place()?;
        let more =
            prove::more_bytes(self.size, door(self.run.source.product).kit().cache_bytes(prove::SESSIONS));
        let check_room = || check_room(dir, PRIVATE, self.size, self.run.empty_bytes() + more);
        let show = || {
            if !private::is_used(dir) {
                check_room()?;
            }
            self.show(&format!(
                "a private {} server with {} would be created in {}, and removed afterwards",
                programs.title(),
                self.tables(more),
                path_text::encode(dir)
            ))
        };
        let prepared = || {
            private::remove_left(dir)?;
            check_room()?;
            self.prepare()
        };
        let Some(life) = Life::begin(self.run.reporter, show, prepared)? else { return Ok(()) };
        self.run.reporter.note(format!("creating a private {} server", programs.title()));
        let server = PrivateServer::make(dir, programs, Room { sessions: prove::SESSIONS, ahead_bytes: 0 })?;
        let mut proof = None;
        let ended = life.end(server, |server| {
            proof = Some(self.served(server, &life.signals)?);
            Ok(None)
        });
        // What the experiment found is told whatever becomes of its server.
        both(self.run.reporter, proof.map_or(Ok(()), |proof| self.tell(&proof)), ended)
    }

    fn served(&self, server: &mut PrivateServer, signals: &Signals) -> Result<Proof, Problem> {
        check_not_stopped(signals)?;
        // The page cache is part of the experiment, which sets what is in it.
        server.start(Purpose::Fill)?;
        check_not_stopped(signals)?;
        let database = Database::open(Address::private(&server.socket()), prove::SESSIONS)?;
        let mut restart = |setting: &str| {
            server.stop()?;
            server.start_with(Purpose::Fill, Some(setting))?;
            Database::open(Address::private(&server.socket()), prove::SESSIONS)
        };
        self.ask(database, Some(&mut restart), signals).proved
    }

    fn there(&self, dsn: &str) -> Result<(), Problem> {
        let database = Database::open(Address::of_user(dsn)?, prove::SESSIONS)?;
        prove::check(&database)?;
        self.run.check_consent(&database, false)?;
        let more = prove::more_bytes(self.size, database.facts.shared_buffers);
        self.run.check_room_there(&database.facts(), self.size, more)?;
        let show = || {
            self.show(&format!(
                "the schema rigel with {} would be created in the database {}, and removed afterwards",
                self.tables(more),
                database.name()
            ))
        };
        let Some(life) = Life::begin(self.run.reporter, show, || self.prepare())? else { return Ok(()) };
        let ProofOutcome { proved, removed } = self.ask(database, None, &life.signals);
        both(self.run.reporter, proved.and_then(|proof| self.tell(&proof)), removed)
    }

    /// What is made, for people.
    fn tables(&self, more: u64) -> String {
        format!(
            "a table of {}, and up to {} of indexes and of a table that empties the server's own cache,",
            Bytes(self.size),
            Bytes(more)
        )
    }

    fn prepare(&self) -> Result<Signals, Problem> {
        check_directory(&self.run.options().out_dir, OUTPUTS_BYTES)?;
        Signals::listen()
    }

    fn ask(&self, database: Database, restart: Option<Restart<'_>>, signals: &Signals) -> ProofOutcome {
        let options = self.run.options();
        let wanted = ProofRequest {
            blocks: u32::try_from(self.size / self.run.block_bytes()).unwrap_or(u32::MAX),
            seed: options.request.seed,
            rounds: ROUNDS,
            most: options.request.max_duration().map(|time| Duration::from_nanos(time.0)),
        };
        let mut shown: Option<(ProofStep, WorkProgress)> = None;
        let mut progress = |doing: ProofStep, done: u64, total: u64| {
            let bar = shown.take().filter(|(before, _)| *before == doing);
            let mut bar = bar.map_or_else(|| bar_of(self.run.reporter, doing), |(_, bar)| bar);
            bar.done_of(done, total);
            shown = Some((doing, bar));
        };
        prove::prove(database, restart, wanted, &mut progress, signals.flag())
    }

    fn show(&self, writes: &str) -> Result<(), Problem> {
        self.run.reporter.streams.results(format!(
            "{writes}\nqueries under each value of random_page_cost and effective_io_concurrency, in up to {ROUNDS} rounds\n"
        )
        .as_bytes())
    }

    fn tell(&self, proof: &Proof) -> Result<(), Problem> {
        let Reporter { options, streams } = self.run.reporter;
        let set = OutputSet::without_record(&options.out_dir, &options.request.name, &self.wall.stamp())?;
        let started = self.wall.started();
        let proven = ProofReport { run: &set.run_id, started: &started, proof };
        let paths = set.write(&files(&proven, !options.display.no_html)?, options.force)?;
        if options.display.json {
            streams.results(&json(&proven)?)?;
        } else {
            let paths: Vec<String> = paths.iter().map(|path| path_text::encode(path)).collect();
            streams.results(text(&proven, streams.style(), &paths).as_bytes())?;
        }
        refuted(proof)
    }
}

fn bar_of(reporter: Reporter<'_>, doing: ProofStep) -> WorkProgress {
    let (streams, quiet) = (reporter.streams, reporter.options.display.quiet);
    match doing {
        ProofStep::Filling => WorkProgress::of_bytes(streams, quiet, "filling the table"),
        ProofStep::Timing(setting) => WorkProgress::of_queries(streams, quiet, setting),
    }
}

fn refuted(proof: &Proof) -> Result<(), Problem> {
    let refuted = proof.refuted();
    if refuted.is_empty() {
        return Ok(());
    }
    let what = format!("the value that rigel advise would give fails here for {}", refuted.join(", "));
    Err(Problem::new(ExitKind::GateFailed, what)
        .because(
            "plans or scans with the advised value are slower than the fastest, or than with the default",
        )
        .next("set a value that passes, or keep the default if none does"))
}
