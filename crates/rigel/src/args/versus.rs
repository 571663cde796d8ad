//! `rigel versus`: the arguments. It is a run whose load alternates between two sides.
//!
//! Must not judge what it shares with the arguments of a run; [`super::build`] does.

use super::build::{display, level_beside_file, no_storage};
use super::burst;
use super::level::LevelArgs;
use super::names::Front;
use super::output::OutputArgs;
use super::own::OwnArgs;
use super::rules::Line;
use super::run::{FILES, RunArgs};
use super::slo::requirement;
use super::target_args::TargetArgs;
use super::through;
use super::words::Words as _;
use super::working_set;
use super::{Display, Environment, Invocation, ResumeOptions, Versus, values, words};
use clap::Arg;
use rigel_core::error::Problem;
use rigel_core::load::demands::Demands;
use rigel_core::load::matrix::{Grid, RunLevel};
use rigel_core::load::pace::{LevelChoice, Precision};
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::sides::Sides;
use rigel_core::load::slo::Requirement;
use rigel_core::load::task::Task;
use rigel_core::nearest::nearest;
use rigel_core::path_text;
use rigel_uses::compare::gate::{Gate, demanded};
use std::path::{Path, PathBuf};

const OF_ENDS: &str = "only the lowest and the highest load of each kind, as no level is named: rigel versus simple compares all";
const SIDES: &str = "Side B";
const GATES: &str = "Gates";

/// The options allowed with --record and --resume: the record says everything else.
pub const BESIDE_RECORD: [&str; 16] = [
    "resume",
    "record",
    "html",
    "out",
    "force",
    "destroy_data",
    "dry_run",
    "json",
    "no_html",
    "quiet",
    "verbose",
    "tui",
    "fail_if",
    "require",
    "fail_undecided",
    "no_history",
];

const SUMMARY: &str = "\
Examples:
  rigel versus /mnt/old --and /mnt/new          how much faster is the new storage? (1 min)
  rigel versus oltp /dev/sdb --and /dev/sdc     small I/O only, on devices
  rigel versus open --rate 8000 A --and B       latency of both at 8,000 IOPS
All options and more examples: rigel help versus";

const EXAMPLES: &str = "\
Examples:
  rigel versus /mnt/old --and /mnt/new
      small and large I/O on both, alternating: how much faster is new? An answer in a minute, after filling a scratch file in each directory, which is removed
  rigel versus /dev/sdb --and /dev/sdc --for 5m
      the same on two devices, more precisely in five minutes; nothing is written
  rigel versus oltp /data/old.dat --and /data/new.dat --precision 1%
      small I/O only, until every ratio is known to ±1 %
  rigel versus open --rate 8000 /dev/sdb --and /dev/sdc
      mean and p99 latency of both if 8,000 small reads arrive per second
  rigel versus commit /mnt/a --and /mnt/b
      cost of a commit on both
  rigel versus --load shop.toml /dev/sdb --and /dev/sdc
      a load of your own on both
  rigel versus /dev/sdb --and-engine libaio
      the same device with two engines
  rigel versus /dev/sdb --and /dev/sdc --fail-if 'small_iops < -5%'
      exit code 1 if sdc is more than 5 % slower at any load
  rigel versus open /dev/sdb --and /dev/sdc --require 'p99 < 2ms @ 8000'
      which of the two stays below 2 ms at 8,000 IOPS? Exit code 0 only if sdc certainly does
  rigel versus --record versus_20260101_1200_record.jsonl --json
      show the results of a finished run again
  rigel versus --engine sim:service=1ms --and-engine sim:service=1100us
      no storage at all, to see the outputs";

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, mut_args(adapted), override_usage = "rigel versus [OPTIONS] [LEVEL] A.. --and B..")]
pub struct VersusArgs {
    /// Files, block devices or directories of side A, and the level: simple, normal, oltp, dss, advanced, open, commit, zones or streams
    ///
    /// The level is the first or the last word. Without one, the lowest and the highest load of simple are compared,
    /// in a minute unless --for says otherwise. A minute shows differences of several percent; name a level to
    /// compare all of its loads as precisely as --precision says. Write ./oltp for a file with the name of a level.
    #[arg(value_name = "A")]
    a: Vec<PathBuf>,

    /// Files, block devices or directories of side B
    #[arg(long, value_name = "B", num_args = 1.., help_heading = SIDES)]
    and: Vec<PathBuf>,

    /// Engine of side B [default: that of A]
    ///
    /// Without --and, both sides use the targets of A.
    #[arg(long, value_name = "ENGINE", value_parser = values::engine, help_heading = SIDES)]
    and_engine: Option<EngineRequest>,

    /// Use the page cache on side B
    #[arg(long, help_heading = SIDES)]
    and_buffered: bool,

    /// Allow both sides to be the same: "no difference" is then the right answer
    #[arg(long, help_heading = SIDES)]
    same: bool,

    /// Measure nothing; show the results in the record of such a run
    #[arg(long, value_name = "RECORD", value_hint = clap::ValueHint::FilePath, help_heading = FILES, conflicts_with = "resume")]
    record: Option<PathBuf>,

    /// With --record: write the page with charts, next to the record or into --out
    #[arg(long, requires = "record", help_heading = FILES, hide_short_help = true)]
    html: bool,

    /// Resume an interrupted run
    #[arg(long, value_name = "RECORD", value_hint = clap::ValueHint::FilePath, help_heading = FILES)]
    resume: Option<PathBuf>,

    /// Exit with 1 if B differs from A by more, such as 'small_iops < -5%', or breaks a limit, such as 'open_p99 > 2ms'; repeatable
    ///
    /// A limit in percent applies to the difference between B and A, one with another unit (us, ms, s; IOPS, MBPS, /s) to B. Quantities:
    /// small_iops, large_mbps, small_latency, large_latency (the mean), small_p99, large_p99; for another class such as open: open_per_s, open_mbps,
    /// open_latency, open_p99. A gate fails if the whole 95 % interval is beyond the limit at any load. If the interval contains the limit, the gate
    /// is undecided: exit code 0 with a note, or 1 with --fail-undecided.
    #[arg(long, value_name = "GATE", help_heading = GATES)]
    fail_if: Vec<String>,

    /// Exit with 1 unless B certainly meets a limit at a rate, such as 'p99 < 2ms @ 8000'; repeatable
    ///
    /// As in `rigel slo`, for p99 and mean. With the level open the rate is measured even without --rate. The result also says whether A meets the
    /// limit. 'p99 < 2ms @ 8000' is --fail-if 'open_p99 > 2ms' at that rate only, and also exits with 1 if undecided.
    #[arg(long, value_name = "LIMIT@RATE", value_parser = requirement, help_heading = GATES)]
    require: Vec<Requirement>,

    /// Also exit with 1 if a gate is undecided: its interval contains the limit, or there is no interval
    #[arg(long, requires = "fail_if", help_heading = GATES)]
    fail_undecided: bool,

    /// Ignore the history of calibrations, which shows how much repeated runs differ
    #[arg(long, help_heading = FILES, hide_short_help = true)]
    no_history: bool,

    #[command(flatten)]
    load: LevelArgs,

    /// Print more while measuring
    #[arg(short, long, help_heading = FILES, hide_short_help = true)]
    verbose: bool,

    #[command(flatten)]
    output: OutputArgs,
}

/// Records that are shown and not measured.
#[derive(Clone, Debug, PartialEq)]
pub struct VersusRecord {
    pub record: PathBuf,
    pub json: bool,
    /// The page, and where: next to the record unless a directory was named.
    pub html: bool,
    pub out: Option<PathBuf>,
    pub force: bool,
    pub wish: Versus,
}

impl VersusArgs {
    /// What was requested; `command_line` is its echo, and `line` is what the rules apply to.
    pub fn invocation(
        mut self,
        line: Line,
        command_line: String,
        environment: &Environment,
    ) -> Result<Invocation, Problem> {
        // What a gate is about is looked up when the load is known.
        self.fail_if.iter().try_for_each(|text| Gate::read(text).map(drop))?;
        let demands = Demands {
            through: Vec::new(),
            fail_if: self.fail_if.clone(),
            required: self.require.clone(),
            undecided_fails: self.fail_undecided,
        };
        let wish = Versus { demands, same: self.same, no_history: self.no_history };
        if let Some(record) = self.record.take() {
            let OwnArgs { how, force, .. } = self.load.own;
            let (html, out) = (self.html, self.output.out);
            return Ok(Invocation::VersusRecord(VersusRecord {
                record,
                json: how.show.json,
                html,
                out,
                force,
                wish,
            }));
        }
        if let Some(record) = self.resume.take() {
            let OwnArgs { how, orion_version, .. } = self.load.own;
            let shown = display(how.show, self.output.tui, orion_version, environment)?;
            return Ok(Invocation::Resume(ResumeOptions {
                record,
                destroy: how.consent.destroy_data,
                dry_run: how.consent.dry_run,
                display: Display { verbose: self.verbose, ..shown },
                versus: wish,
                server: None,
            }));
        }
        let named = self.named_level()?;
        let level = self.level(named)?;
        check_for_two(level)?;
        let is_brief = named.is_none() && level == RunLevel::Simple && self.be_brief();
        line.at_level(level.name()).check(Front::Rigel)?;
        self.check_sides()?;
        if level == RunLevel::Open {
            self.visit_required();
        }
        let sides = self.sides(&wish)?;
        let b = if self.and.is_empty() { self.a.clone() } else { self.and.clone() };
        let disks = self.a.len().max(b.len()).max(1);
        let all = [self.a.clone(), b].concat();
        let mut options = self.run(all, level).options(Front::Rigel, command_line, environment)?;
        options.request.demands = wish.demands.clone();
        options.request = in_turns(options.request, disks, sides)?;
        options.versus = wish;
        options.notes.extend(is_brief.then(|| OF_ENDS.to_owned()));
        Ok(Invocation::Run(Box::new(options)))
    }

    /// A rate that is required is measured, as `rigel slo` does.
    fn visit_required(&mut self) {
        let required = self.require.iter().map(|one| one.rate);
        required.for_each(|rate| {
            if !self.load.open.rate.contains(&rate) {
                self.load.open.rate.push(rate);
            }
        });
    }

    /// Without a level, the answer takes a minute: the lowest and the highest load only. Returns whether that was requested.
    fn be_brief(&mut self) -> bool {
        let precision = &mut self.load.own.precision;
        let is_brief = precision.take_a_minute();
        if is_brief {
            precision.levels = Some(LevelChoice::Ends);
        }
        is_brief
    }

    /// The load: a level, or a file.
    fn level(&self, named: Option<RunLevel>) -> Result<RunLevel, Problem> {
        match (named, &self.load.load_file) {
            (Some(level), Some(_)) => Err(level_beside_file(level)),
            (None, Some(_)) => Ok(RunLevel::Load),
            (level, None) => Ok(level.unwrap_or(RunLevel::Simple)),
        }
    }

    /// Takes the level out of the words: the first or the last of A, or the last of B.
    fn named_level(&mut self) -> Result<Option<RunLevel>, Problem> {
        let is_level = |path: &Path| path.to_str().and_then(words::find::<RunLevel>);
        let mut found: Vec<RunLevel> = Vec::new();
        found.extend(self.a.first().and_then(|word| is_level(word)));
        if !found.is_empty() {
            self.a.remove(0);
        }
        for list in [&mut self.a, &mut self.and] {
            if let Some(level) = list.last().and_then(|word| is_level(word)) {
                list.pop();
                found.push(level);
            }
        }
        match found.as_slice() {
            [one, other, ..] => {
                Err(Problem::usage(format!("two levels are named: {} and {}", one.name(), other.name()))
                    .at("LEVEL")
                    .because("both sides get the same load, or their difference would be that of the loads")
                    .next("name one; write a file with the name of a level as ./oltp"))
            }
            [level] => Ok(Some(*level)),
            [] => self.nearly_a_level().map_or(Ok(None), Err),
        }
    }

    /// A word that is nearly a level, and cannot be meant as a path.
    fn nearly_a_level(&self) -> Option<Problem> {
        let words = [self.a.first(), self.a.last(), self.and.last()].into_iter().flatten();
        let mut plain = words.filter_map(|path| path.to_str()).filter(|word| !word.contains(['/', '.']));
        plain.find_map(|word| {
            let near = nearest(word, RunLevel::all().into_iter().map(|level| level.0))?;
            let shown = path_text::printable(word);
            if values::engine(word).is_ok() {
                return Some(self.engine_as_target(&shown));
            }
            Some(
                Problem::usage(format!("'{shown}' is not a level ({})", words::list::<RunLevel>()))
                    .at("LEVEL")
                    .next(format!("did you mean {near}? write a file of that name as ./{shown}")),
            )
        })
    }

    /// The name of an engine where a target belongs: `--and sim`.
    fn engine_as_target(&self, word: &str) -> Problem {
        let is_of_b = self.and.last().is_some_and(|path| path.as_os_str() == word);
        let option = if is_of_b { "--and-engine" } else { "--engine" };
        Problem::usage(format!("'{word}' is an engine, and not a target"))
            .at(if is_of_b { "--and" } else { "TARGET" })
            .next(format!("did you mean {option} {word}? write a file of that name as ./{word}"))
    }

    /// Checks that there are two sides at all.
    fn check_sides(&self) -> Result<(), Problem> {
        let form = "name both: rigel versus A --and B, files, devices or directories; `rigel help versus` has examples";
        let simulated = self.load.own.how.engine.engine.is_simulated();
        if simulated && !(self.a.is_empty() && self.and.is_empty()) {
            return Err(no_storage("a target"));
        }
        if self.a.is_empty() && !simulated {
            return Err(Problem::usage("side A is missing")
                .because("two storages are measured alternately, and the first one has no target")
                .next(form));
        }
        let has_b = !self.and.is_empty() || self.and_engine.is_some() || self.and_buffered || self.same;
        if has_b {
            Ok(())
        } else {
            Err(Problem::usage("side B is missing")
                .at("--and")
                .because("there is nothing to compare A with")
                .next(format!("{form}; --and-engine and --and-buffered use A in another way")))
        }
    }

    /// What is specific to side B.
    fn sides(&self, wish: &Versus) -> Result<Sides, Problem> {
        let (a, own) = (self.load.own.how.engine.engine, &self.load.own);
        let b = self.and_engine.unwrap_or(a);
        let virtual_time = |engine| matches!(engine, EngineRequest::Sim(_));
        if a.is_simulated() != b.is_simulated() || virtual_time(a) != virtual_time(b) {
            return Err(Problem::usage("one side is simulated, and the other one is not")
                .at("--engine, --and-engine")
                .because("they have no time in common")
                .next("simulate both, or none"));
        }
        let sides = Sides {
            targets_of_a: if a.is_simulated() { 1 } else { u16::try_from(self.a.len()).unwrap_or(u16::MAX) },
            engine: b,
            buffered: own.buffered || self.and_buffered,
        };
        let alike = a == b && sides.buffered == own.buffered;
        if alike && (self.and.is_empty() || a.is_simulated()) && !wish.same {
            return Err(same_sides("--and-engine"));
        }
        Ok(sides)
    }

    /// As the arguments of a run.
    fn run(mut self, targets: Vec<PathBuf>, level: RunLevel) -> RunArgs {
        self.load.own.precision.precision.get_or_insert(Precision::OF_RATIOS);
        RunArgs {
            level: Some(level),
            targets: TargetArgs { targets, ..TargetArgs::default() },
            load: self.load,
            output: self.output,
            verbose: self.verbose,
            ..RunArgs::default()
        }
    }
}

/// The options of a run, as two sides have them. Options that exist only to be refused with their own message are not offered, nor are file
/// layouts that a comparison lacks.
fn adapted(arg: Arg) -> Arg {
    let told = |arg: Arg, short: &'static str, long: &'static str| {
        arg.help(short).long_help(format!("{short}\n\n{long}"))
    };
    match arg.get_id().as_str() {
        "levels" | "orion_version" => arg.hide(true),
        "load_file" => told(
            arg,
            "Use the load in FILE, or of postgresql, mysql or oracle, on both sides",
            "As for `rigel run`; docs/reference/load-files.md describes its keys. Phases are not possible, and at most 4 classes.",
        ),
        "name" => arg
            .help("Name of the run; all output files start with it")
            .default_value("versus")
            .hide_short_help(false),
        "out" => {
            arg.help("Directory of the outputs [default: the current one; with --record that of the record]")
        }
        "tui" => arg.help("Show a live view; ? shows help, q ends the run"),
        "precision" => told(
            arg,
            "Measure until the 95 % interval of every ratio of B to A is at most ±PERCENT [default: 2%]",
            "Each load is measured 6 to 24 times for 2 s on both sides. A ratio that does not reach the precision is shown with the \
             interval that was reached.",
        ),
        "num_disks" => told(
            arg,
            "Disks behind the targets of a side [default: number of targets of the larger side]",
            "Sets the load range, which is the same on both sides: up to 5 small and 2 large outstanding I/Os per disk (oltp: 20 \
             small, dss: 15 large). It need not match the hardware.",
        ),
        "engine" => {
            arg.help("How I/O is submitted on both sides, or on A with --and-engine; sim simulates a device")
        }
        "buffered" => arg.help("Measure both sides through the page cache: memory rather than storage"),
        "allow_memory" => told(
            arg,
            "Measure memory on purpose, and exit with 0",
            "A file on tmpfs, on a compressed filesystem or behind a page cache is answered from memory. Without this option Rigel \
             refuses such targets, and exits with 1 after measuring a device that is memory, such as zram. The numbers are flagged \
             MEMORY in either case.",
        ),
        "label" => arg.help("Your name for this comparison, such as old-and-new-san").long_help(None::<&str>),
        "no_html" => arg.help("Do not write the page with charts (NAME_versus.html)"),
        _ => arg,
    }
}

/// The problem of two sides that would be measured in the same way.
pub fn same_sides(place: &str) -> Problem {
    Problem::usage("A and B are the same").at(place).because("only chance could make a difference").next(
        "name another target after --and, or another way to use A (--and-engine, --and-buffered); --same \
         allows it, \
         to see that no difference is found",
    )
}

/// Refuses what only one side can have.
fn check_for_two(level: RunLevel) -> Result<(), Problem> {
    match level {
        RunLevel::Burst => Err(burst::for_one_side()),
        RunLevel::WorkingSet => Err(working_set::for_one_side()),
        RunLevel::Through => Err(through::for_one_side()),
        _ => Ok(()),
    }
}

/// The load of a run on both sides. That of a file is not known before it is read.
fn in_turns(request: Request, disks: usize, sides: Sides) -> Result<Request, Problem> {
    if request.level() == RunLevel::Load {
        return Ok(Request { sides: Some(sides), ..request });
    }
    let Task::Matrix { level, shape, pace, levels } = request.task else {
        return on_both(request, sides);
    };
    let disks = request.num_disks.unwrap_or_else(|| u32::try_from(disks).unwrap_or(u32::MAX));
    let task = Task::named(level, Grid::new(level, shape, disks).with_choice(levels).points, pace);
    on_both(Request { num_disks: Some(disks), task, ..request }, sides)
}

/// The load of a request, alternately on both sides.
pub fn on_both(request: Request, sides: Sides) -> Result<Request, Problem> {
    let points = Grid::of_own(&request.classes, &request.points()).points;
    let request = request.in_turns(&points, sides)?;
    request.check()?;
    demanded(&request)?;
    Ok(request)
}
