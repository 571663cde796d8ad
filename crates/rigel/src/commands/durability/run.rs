//! `rigel durability run`: the target prepared as for any run that writes, then writers whose acknowledgements go to standard output.
//!
//! Must not write without a permit.

use crate::args::AcknowledgeArgs;
use crate::commands::answer::{answering, facts_of};
use crate::commands::run;
use crate::progress::WorkProgress;
use crate::signals::Signals;
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::load::request::DEFAULT_IO_TIMEOUT;
use rigel_core::path_text::{encode, printable, shell_word};
use rigel_core::units::{Bytes, MIB};
use rigel_io::standard::is_output_closed;
use rigel_io::targets::inspect::{Scan, Snapshot, directory_facts, target_facts};
use rigel_io::targets::open::Access;
use rigel_io::targets::scratch::{ScratchFile, ScratchRequest};
use rigel_io::targets::{Hold, OpenTargets};
use rigel_io::{durable, engine};
use rigel_run::durability::{Job, Listener, WriterEnd, write};
use rigel_run::wall::Wall;
use rigel_uses::durability::{Ack, Device, EarlierContents, Head, Rings, SCHEMA, ended, run_name};
use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How much is written by default.
const SIZE: u64 = 64 * MIB;
/// How often progress is shown.
const SHOW_NS: u64 = 100_000_000;

/// Writes until the time is over, or the power is cut.
pub fn run(options: &AcknowledgeArgs, streams: &Streams) -> Result<(), Problem> {
    if io::stdout().is_terminal() {
        return Err(Problem::usage("nothing would keep the acknowledgements")
            .at("standard output")
            .because("they go to standard output, which is a terminal")
            .next("pipe them to a witness on another host: rigel durability run .. | ssh other rigel durability witness acks"));
    }
    if is_output_closed() {
        return Err(Problem::refused("nothing would receive the acknowledgements")
            .at("standard output")
            .because("standard output is closed")
            .next("pipe them to a witness on another host"));
    }
    let signals = Signals::listen()?;
    let seed = crate::args::values::draw_seed()?;
    let (facts, hold) = target(options, streams, seed, signals.flag())?;
    let rings = Rings::new(seed, shape(options, &facts)?)?;
    let wanted = options.engine()?;
    let engine = engine::choose(wanted, false, &[options.writers])?.kind;
    let targets = Arc::new(open(options, (&facts, hold), streams, signals.flag())?);
    durable::check(engine, [options.sync], &targets, std::slice::from_ref(&facts))?;
    let job = Job {
        rings: &rings,
        targets,
        engine,
        sync: options.sync,
        for_ns: options.time.0,
        stop: signals.flag(),
    };
    let mut tells = AckPrinter::new(options, streams, head(options, &facts, &rings));
    let written = write(&job, &mut tells)?;
    tells.end(written)
}

/// What is written to, and the lock on it if it is a scratch file.
fn target(
    options: &AcknowledgeArgs,
    streams: &Streams,
    seed: u64,
    stop: &AtomicBool,
) -> Result<(TargetFacts, Option<Hold>), Problem> {
    let is_dir = |path: &&Path| answering(path, DEFAULT_IO_TIMEOUT, || path.is_dir());
    let dir = options.target.as_deref().map_or(Some(Path::new(".")), |path| Some(path).filter(is_dir));
    if let (Some(path), None) = (&options.target, dir) {
        let facts = facts_of(path, DEFAULT_IO_TIMEOUT, &Snapshot::take())?;
        run::check_names(&options.destroy_data, std::slice::from_ref(&facts))?;
        return Ok((facts, None));
    }
    let here = dir.unwrap_or(Path::new("."));
    run::check_names(&options.destroy_data, &[])?;
    run::check_not_memory(&directory_facts(here, &Snapshot::take())?, false)?;
    let block = options.block.0;
    let data_bytes = options.shape(options.size.map_or(SIZE, |size| size.0)).region_bytes.max(block);
    let wish =
        ScratchRequest { data_bytes, seed, keep: true, direct: true, resume: false, size_option: "--size" };
    let mut bar = WorkProgress::of_bytes(streams, options.quiet, "filling the scratch file");
    let file = ScratchFile::create(here, &wish, &mut |done, total| bar.done_of(done, total), stop)?;
    drop(bar);
    // Its name has to be there after the cut.
    File::open(here).and_then(|dir| dir.sync_all()).map_err(|error| {
        Problem::refused("the name of the scratch file cannot be made durable")
            .at(encode(file.path()))
            .because(format!("the system says: {error}"))
            .next("name a target on another filesystem")
    })?;
    Ok((target_facts(file.path())?, Some(file.hold())))
}

fn shape(options: &AcknowledgeArgs, facts: &TargetFacts) -> Result<rigel_uses::durability::Shape, Problem> {
    let size = facts.size_bytes;
    let wanted = options.size.map_or(SIZE.min(size), |wanted| wanted.0);
    if wanted > size {
        return Err(Problem::usage(format!("the target has only {}", Bytes(size)))
            .at("--size")
            .next("give less, or leave out --size"));
    }
    let unit = u64::from(facts.logical_block_bytes);
    if unit > options.block.0 {
        return Err(Problem::usage(format!("the target cannot write {} at a time", options.block))
            .at("--block")
            .because(format!("its blocks are {}", Bytes(unit)))
            .next(format!("give --block {}", Bytes(unit.next_power_of_two()))));
    }
    let shape = options.shape(wanted);
    shape.check().map_err(|problem| problem.at(facts.path.as_str()))?;
    Ok(shape)
}

/// Opens it for writing, after the guard permitted that.
fn open(
    options: &AcknowledgeArgs,
    (facts, hold): (&TargetFacts, Option<Hold>),
    streams: &Streams,
    stop: &AtomicBool,
) -> Result<OpenTargets, Problem> {
    let (permit, why) = run::permit_for(
        facts,
        &options.destroy_data,
        (streams, options.quiet, DEFAULT_IO_TIMEOUT),
        (&Snapshot::take(), Scan::Whole),
        stop,
    )?;
    if !options.quiet {
        streams.aside(&format!("{why}\n"));
    }
    let permit = match hold {
        Some(hold) => permit.with_hold(hold),
        None => permit,
    };
    let direct = facts.direct_io == Some(true);
    if !direct {
        streams.remark("writes go through the page cache: the target does not support direct I/O");
    }
    OpenTargets::open(std::slice::from_ref(facts), Access::Permits(&[Some(permit)]), direct)
}

fn head(options: &AcknowledgeArgs, facts: &TargetFacts, rings: &Rings) -> Head {
    let text = |text: &str| printable(text).into_owned();
    Head {
        schema: SCHEMA.to_owned(),
        run: run_name(rings.seed()),
        seed: rings.seed(),
        program: env!("CARGO_PKG_VERSION").to_owned(),
        began: Wall::system().started(),
        boot: rigel_io::host::boot_id(),
        target: facts.path.clone(),
        size_bytes: facts.size_bytes,
        is_device: facts.kind == TargetKind::BlockDevice,
        device: facts
            .device
            .as_ref()
            .map(|device| Device { name: text(&device.name), model: device.model.as_deref().map(text) }),
        shape: rings.shape(),
        sync: options.sync,
        before: EarlierContents::default(),
    }
}

/// Passes acknowledgements on to standard output.
struct AckPrinter<'a> {
    streams: &'a Streams,
    head: Head,
    quiet: bool,
    lines: String,
    bar: WorkProgress,
    /// The count that the bar shows.
    count: Arc<AtomicU64>,
    shown_ns: u64,
    for_ns: u64,
}

impl<'a> AckPrinter<'a> {
    fn new(options: &AcknowledgeArgs, streams: &'a Streams, head: Head) -> Self {
        let count = Arc::new(AtomicU64::new(0));
        let bar = WorkProgress::of_acknowledged(streams, options.quiet, Arc::clone(&count));
        let (quiet, for_ns) = (options.quiet, options.time.0);
        Self { streams, head, quiet, lines: String::new(), bar, count, shown_ns: 0, for_ns }
    }

    fn note(&self, text: &str) {
        if !self.quiet {
            self.streams.aside(&format!("{text}\n"));
        }
    }

    /// Nothing is in flight any more.
    fn end(mut self, written: WriterEnd) -> Result<(), Problem> {
        let run = self.head.run.clone();
        self.lines = ended(&run, written.acknowledged);
        self.put()?;
        drop(std::mem::replace(
            &mut self.bar,
            WorkProgress::of_acknowledged(self.streams, true, Arc::default()),
        ));
        let told = format!("{} writes were acknowledged", written.acknowledged);
        if written.stopped {
            return Err(Problem::new(ExitKind::CutShort, "the run was stopped early")
                .because(format!("stopped by the user; {told}, and nothing is in flight"))
                .next("a power cut is only a test of the storage while the run is active"));
        }
        self.note(&format!("{told}, and the power was not cut during the run; start again for a test"));
        Ok(())
    }

    /// Passes on the lines immediately; the next writes begin after that.
    fn put(&self) -> Result<(), Problem> {
        let mut out = io::stdout().lock();
        out.write_all(self.lines.as_bytes()).and_then(|()| out.flush()).map_err(|error| {
            Problem::new(ExitKind::CutShort, "nothing receives the acknowledgements any longer")
                .at("standard output")
                .because(format!("the witness stopped, or its host is unreachable: {error}"))
                .next("check the messages of the witness; start again with a new witness")
        })
    }
}

impl Listener for AckPrinter<'_> {
    fn begins(&mut self, before: EarlierContents) -> Result<(), Problem> {
        self.head.before = before;
        let line = self.head.line();
        self.lines =
            line.map_err(|error| Problem::new(ExitKind::Bug, format!("the header is not JSON: {error}")))?;
        self.put()?;
        let Head { run, target, shape, .. } = &self.head;
        self.note(&format!(
            "run {run}: {} writers of {} each, over {} of {target}; cut the power now, and then: rigel durability check {} ACKS",
            shape.writers,
            Bytes(shape.block_bytes),
            Bytes(shape.region_bytes),
            shell_word(target)
        ));
        Ok(())
    }

    fn acknowledged(&mut self, acks: &[Ack]) -> Result<(), Problem> {
        self.lines.clear();
        acks.iter().for_each(|ack| ack.write(&self.head.run, &mut self.lines));
        self.put()
    }

    fn progress(&mut self, elapsed_ns: u64, acknowledged: u64) {
        if elapsed_ns.saturating_sub(self.shown_ns) >= SHOW_NS {
            self.shown_ns = elapsed_ns;
            self.count.store(acknowledged, Ordering::Relaxed);
            self.bar.done_of(elapsed_ns.min(self.for_ns), self.for_ns);
        }
    }
}
