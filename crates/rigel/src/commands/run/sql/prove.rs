//! `rigel sql prove`: a server is prepared, settings are proven on it, and everything is cleaned up.
//!
//! Must not judge a value; `rigel_uses::proof` does.

mod raw;

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
use rigel_sql::postgresql::prove::{self, ProofOutcome};
use rigel_sql::postgresql::{Address, Database};
use rigel_sql::private::{self, PrivateServer, Room};
use rigel_sql::prove::{ProofFacts, ProofRequest, ProofStep};
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
    let size =
        source.size.unwrap_or(USUAL_SIZE).0 / source.product.block_bytes() * source.product.block_bytes();
    let facts = door(source.product).proof_facts(size);
    let reporter = Reporter { options, streams };
    let run = SqlRun { reporter, source: &source, host, sessions: facts.sessions, nodes: 1 };
    if size < SMALL_BYTES {
        run.reporter.remarks(&[format!(
            "a table of {} is small: most statements finish in milliseconds, so noise may let a bad \
             value pass; {USUAL_SIZE} is usual",
            Bytes(size)
        )]);
    }
    let experiment = Experiment { run, size, facts, wall: wall(options.request.engine, None) };
    match &source.dsn {
        None => experiment.private(),
        Some(dsn) => experiment.there(dsn),
    }
}

struct Experiment<'a> {
    run: SqlRun<'a>,
    size: u64,
    facts: ProofFacts,
    /// When it began.
    wall: Wall,
}

impl Experiment<'_> {
    fn private(&self) -> Result<(), Problem> {
        let Place { programs, dir, .. } = self.run.place()?;
        let (more, sessions) = (self.facts.more_bytes, self.facts.sessions);
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
        let server = PrivateServer::make(dir, programs, Room { sessions, ahead_bytes: 0 })?;
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
        let writes_per_s = match self.facts.needs_writes {
            true => Some(raw::writes_per_s(&self.run, server.home(), signals)?),
            false => None,
        };
        let wanted = ProofRequest { writes_per_s, ..self.wanted() };
        let mut progress = self.progress();
        door(self.run.source.product).prove(server, wanted, &mut progress, signals.flag())
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
        let mut progress = self.progress();
        let ProofOutcome { proved, removed } =
            prove::prove(database, None, self.wanted(), &mut progress, life.signals.flag());
        drop(progress);
        both(self.run.reporter, proved.and_then(|proof| self.tell(&proof)), removed)
    }

    /// What is created, for people.
    fn tables(&self, more: u64) -> String {
        format!("a table of {}, and up to {} of {},", Bytes(self.size), Bytes(more), self.facts.beside)
    }

    fn prepare(&self) -> Result<Signals, Problem> {
        check_directory(&self.run.options().out_dir, OUTPUTS_BYTES)?;
        Signals::listen()
    }

    fn wanted(&self) -> ProofRequest {
        let options = self.run.options();
        ProofRequest {
            blocks: u32::try_from(self.size / self.run.block_bytes()).unwrap_or(u32::MAX),
            seed: options.request.seed,
            rounds: ROUNDS,
            most: options.request.max_duration().map(|time| Duration::from_nanos(time.0)),
            writes_per_s: None,
        }
    }

    /// Shows the current step.
    fn progress(&self) -> impl FnMut(ProofStep, u64, u64) {
        let (reporter, mut shown) = (self.run.reporter, None::<(ProofStep, WorkProgress)>);
        move |doing, done, total| {
            let bar = shown.take().filter(|(before, _)| *before == doing);
            let mut bar = bar.map_or_else(|| bar_of(reporter, doing), |(_, bar)| bar);
            bar.done_of(done, total);
            shown = Some((doing, bar));
        }
    }

    fn show(&self, writes: &str) -> Result<(), Problem> {
        self.run.reporter.streams.results(
            format!(
                "{writes}\nqueries under each value of {}, in up to {ROUNDS} rounds\n",
                self.facts.settings
            )
            .as_bytes(),
        )
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
            "what was measured with the advised value is slower than the fastest, or than with the default",
        )
        .next("set a value that passes, or keep the default if none does"))
}
