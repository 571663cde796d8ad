//! `rigel versus`: the arguments. It is a run whose load is put on two sides in turns.
//!
//! Must not judge what the arguments of a run hold as well; [`super::build`] does.

use super::build::no_storage;
use super::by_place::PlaceArgs;
use super::commit::CommitArgs;
use super::load::LoadArgs;
use super::names::Front;
use super::open::OpenArgs;
use super::own::OwnArgs;
use super::run::{FILES, LOAD, RunArgs};
use super::slo::requirement;
use super::target_args::TargetArgs;
use super::words::Words as _;
use super::{Environment, Invocation, ResumeOptions, Versus, values, words};
use clap::Arg;
use rigel_core::error::Problem;
use rigel_core::load::demands::Demands;
use rigel_core::load::matrix::{Grid, RunLevel};
use rigel_core::load::pace::{LevelChoice, Precision};
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::sides::Sides;
use rigel_core::load::slo::Requirement;
use rigel_core::nearest::nearest;
use rigel_core::path_text;
use rigel_core::uses::compare::gate::{Gate, demanded};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const SIDES: &str = "Side B";
const GATES: &str = "Gates";
/// A ratio is asked for more narrowly than a rate: what both sides have in common is not in it.
const USUAL: Precision = Precision(20);

/// The options that may stand beside --record and --resume: the record says everything else.
pub const BESIDE_RECORD: [&str; 15] = [
    "resume",
    "record",
    "html",
    "out",
    "force",
    "destroy_data",
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
  rigel versus /dev/sdb --and /dev/sdc          is sdc faster than sdb?
  rigel versus oltp old/file --and new/file     small I/O only
  rigel versus open --rate 8000 A --and B       the latency of both at 8,000 IOPS
All options and more examples: rigel help versus";

const EXAMPLES: &str = "\
Examples:
  rigel versus /dev/sdb --and /dev/sdc
      small and large I/O on both in turns: by how much sdc is faster, with the interval; nothing is written
  rigel versus oltp /data/old.dat --and /data/new.dat --precision 1%
      small I/O only, until every ratio is known to 1 %
  rigel versus open --rate 8000 /dev/sdb --and /dev/sdc
      mean and p99 latency of both when 8,000 small reads arrive per second
  rigel versus commit /mnt/a/rigel-scratch.dat --and /mnt/b/rigel-scratch.dat
      what a commit costs on both; `rigel run simple --keep-scratch` in a directory leaves such a file
  rigel versus --load shop.toml /dev/sdb --and /dev/sdc
      a load of your own on both
  rigel versus /dev/sdb --and-engine libaio
      the same device used in two ways
  rigel versus /dev/sdb --and /dev/sdc --fail-if 'small_iops < -5%'
      exit code 1 when sdc is slower by more than 5 % at some load
  rigel versus open /dev/sdb --and /dev/sdc --require 'p99 < 2ms @ 8000'
      which of the two keeps 2 ms at 8,000 IOPS; exit code 0 only when sdc surely does
  rigel versus --record versus_20260101_1200_record.jsonl --json
      the outputs again, from the record of a run
  rigel versus --engine sim:service=1ms --and-engine sim:service=1100us
      no storage at all, to see what it shows";

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, mut_args(adapted), override_usage = "rigel versus [OPTIONS] [LEVEL] A.. --and B..")]
pub struct VersusArgs {
    /// Files or block devices of side A, and the level: simple (if none is given), normal, oltp, dss, advanced, open, commit, zones or streams
    ///
    /// The level is the first or the last word. A file that is called like a level is written ./oltp.
    #[arg(value_name = "A")]
    a: Vec<PathBuf>,

    /// Files or block devices of side B
    #[arg(long, value_name = "B", num_args = 1.., help_heading = SIDES)]
    and: Vec<PathBuf>,

    /// Engine of side B [default: that of A]
    ///
    /// Without --and the targets of A are used in two ways.
    #[arg(long, value_name = "ENGINE", value_parser = values::engine, help_heading = SIDES)]
    and_engine: Option<EngineRequest>,

    /// Side B goes through the page cache
    #[arg(long, help_heading = SIDES)]
    and_buffered: bool,

    /// Allow that both sides are the same: no difference is then the right answer
    #[arg(long, help_heading = SIDES)]
    same: bool,

    /// Measure nothing: show what the record of such a run holds
    #[arg(long, value_name = "RECORD", value_hint = clap::ValueHint::FilePath, help_heading = FILES, conflicts_with = "resume")]
    record: Option<PathBuf>,

    /// With --record: write the page with charts, beside the record or into --out
    #[arg(long, requires = "record", help_heading = FILES, hide_short_help = true)]
    html: bool,

    /// Go on with an interrupted run
    #[arg(long, value_name = "RECORD", value_hint = clap::ValueHint::FilePath, help_heading = FILES)]
    resume: Option<PathBuf>,

    /// Exit with 1 when B differs from A by more, as 'small_iops < -5%', or breaks a bound, as 'open_p99 > 2ms'; may be repeated
    ///
    /// A bound in per cent is on the difference of B to A, one with another unit (us, ms, s; IOPS, MBPS, /s) on the number of B.
    /// Quantities of every load: small_iops, large_mbps, small_latency, large_latency (the mean), small_p99, large_p99; of another
    /// class such as open: open_per_s, open_mbps, open_latency, open_p99. A gate fails when at some load the whole 95 % interval is
    /// beyond the bound. It is undecided where the interval holds the bound: 0 with a note, 1 with --fail-undecided.
    #[arg(long, value_name = "GATE", help_heading = GATES)]
    fail_if: Vec<String>,

    /// Exit with 1 unless B surely keeps a bound at a rate, such as 'p99 < 2ms @ 8000'; may be repeated
    ///
    /// As in `rigel slo`, for p99 and mean; with the level open the rate is measured, also without --rate. The result says of A, too, whether
    /// it keeps the bound. 'p99 < 2ms @ 8000' is --fail-if 'open_p99 > 2ms' at that rate alone, and with 1 also when it is undecided.
    #[arg(long, value_name = "BOUND@RATE", value_parser = requirement, help_heading = GATES)]
    require: Vec<Requirement>,

    /// Exit with 1 also when a gate is undecided, because an interval holds its bound or there is none
    #[arg(long, requires = "fail_if", help_heading = GATES)]
    fail_undecided: bool,

    /// Do not look into the history of calibrations for how much sessions differ
    #[arg(long, help_heading = FILES, hide_short_help = true)]
    no_history: bool,

    /// Put the load in FILE, or of postgresql, mysql or oracle, on both sides instead of a level
    ///
    /// As for `rigel run`; docs/reference/load-files.md has every key and an example. Its classes may have no phases, and at most 4 can
    /// take turns.
    #[arg(long = "load", value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = LOAD, display_order = 0)]
    load_file: Option<PathBuf>,

    #[command(flatten)]
    load: LoadArgs,

    #[command(flatten)]
    commit: CommitArgs,

    #[command(flatten)]
    open: OpenArgs,

    #[command(flatten)]
    places: PlaceArgs,

    #[command(flatten)]
    own: OwnArgs,

    /// Name of the run; every output begins with it
    #[arg(long, value_name = "NAME", default_value = "versus", help_heading = FILES)]
    name: OsString,

    /// Directory of the outputs [default: the current one; with --record that of the record]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = FILES)]
    out: Option<PathBuf>,

    /// Tell more while measuring
    #[arg(short, long, help_heading = FILES, hide_short_help = true)]
    verbose: bool,

    /// Watch the run in a live view, ? helps and q ends it
    #[arg(long, help_heading = FILES)]
    tui: bool,
}

/// Records that are shown and not measured.
#[derive(Clone, Debug, PartialEq)]
pub struct VersusRecord {
    pub record: PathBuf,
    pub json: bool,
    /// The page, and where: beside the record unless a directory was named.
    pub html: bool,
    pub out: Option<PathBuf>,
    pub force: bool,
    pub wish: Versus,
}

impl VersusArgs {
    /// What was asked for; `command_line` is its echo.
    pub fn invocation(
        mut self,
        command_line: String,
        environment: &Environment,
    ) -> Result<Invocation, Problem> {
        // What a gate is about is looked up when the load is known.
        self.fail_if.iter().try_for_each(|text| Gate::read(text).map(drop))?;
        let demands = Demands {
            fail_if: self.fail_if.clone(),
            required: self.require.clone(),
            undecided_fails: self.fail_undecided,
        };
        let wish = Versus { demands, same: self.same, no_history: self.no_history };
        if let Some(record) = self.record.take() {
            let OwnArgs { show, force, .. } = self.own;
            let (html, out) = (self.html, self.out);
            return Ok(Invocation::VersusRecord(VersusRecord {
                record,
                json: show.json,
                html,
                out,
                force,
                wish,
            }));
        }
        if let Some(record) = self.resume.take() {
            let destroy = self.own.consent.destroy_data.clone();
            let display = self.run(Vec::new(), None).display(Front::Rigel, environment)?;
            return Ok(Invocation::Resume(ResumeOptions {
                record,
                destroy,
                display,
                versus: wish,
                server: None,
            }));
        }
        if self.load.duration.is_some() {
            return Err(Problem::usage("--duration does not go with two sides")
                .at("--duration")
                .because("two sides take turns for many rounds, and a fixed time per data point leaves one")
                .next("leave out --duration; --max-duration limits the time"));
        }
        let level = self.level()?;
        self.check_sides()?;
        if level == RunLevel::Open {
            self.visit_required();
        }
        let sides = self.sides(&wish)?;
        let b = if self.and.is_empty() { self.a.clone() } else { self.and.clone() };
        let disks = self.a.len().max(b.len()).max(1);
        let all = [self.a.clone(), b].concat();
        let mut options = self.run(all, Some(level)).options(Front::Rigel, command_line, environment)?;
        options.request.demands = wish.demands.clone();
        options.request = in_turns(options.request, disks, sides)?;
        options.versus = wish;
        Ok(Invocation::Run(Box::new(options)))
    }

    /// A rate that is required is measured, as `rigel slo` does.
    fn visit_required(&mut self) {
        let required = self.require.iter().map(|one| one.rate);
        required.for_each(|rate| {
            if !self.open.rate.contains(&rate) {
                self.open.rate.push(rate);
            }
        });
    }

    /// What is loaded: a level, or a file.
    fn level(&mut self) -> Result<RunLevel, Problem> {
        match (self.named_level()?, &self.load_file) {
            (Some(level), Some(_)) => {
                Err(Problem::usage(format!("--load does not go with the level '{}'", level.name()))
                    .at("--load")
                    .because("the file says what is measured")
                    .next(format!("leave out one of them; a target of that name is ./{}", level.name())))
            }
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
                    .next("name one; a file that is called like a level is written ./oltp"))
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
            Some(
                Problem::usage(format!("'{shown}' is no level ({})", words::list::<RunLevel>()))
                    .at("LEVEL")
                    .next(format!("perhaps {near} was meant; a file of that name is written ./{shown}")),
            )
        })
    }

    /// Whether there are two sides at all.
    fn check_sides(&self) -> Result<(), Problem> {
        let form = "name both: rigel versus A --and B; `rigel help versus` has examples";
        let simulated = self.own.engine.is_simulated();
        if simulated && !(self.a.is_empty() && self.and.is_empty()) {
            return Err(no_storage("a target"));
        }
        if self.a.is_empty() && !simulated {
            return Err(Problem::usage("side A is missing")
                .because("two storages are measured in turns, and the first one has no target; a scratch file is made for no side")
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

    /// What side B has of its own.
    fn sides(&self, wish: &Versus) -> Result<Sides, Problem> {
        let (a, b) = (self.own.engine, self.and_engine.unwrap_or(self.own.engine));
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
            buffered: self.own.buffered || self.and_buffered,
        };
        let alike = a == b && sides.buffered == self.own.buffered;
        if alike && (self.and.is_empty() || a.is_simulated()) && !wish.same {
            return Err(same_sides("--and-engine"));
        }
        Ok(sides)
    }

    /// As the arguments of a run.
    fn run(self, targets: Vec<PathBuf>, level: Option<RunLevel>) -> RunArgs {
        let own = OwnArgs { precision: self.own.precision.or(Some(USUAL)), ..self.own };
        RunArgs {
            level,
            targets: TargetArgs { targets, ..TargetArgs::default() },
            load_file: self.load_file,
            load: self.load,
            commit: self.commit,
            open: self.open,
            places: self.places,
            own,
            name: self.name,
            out: self.out.unwrap_or_else(|| PathBuf::from(".")),
            verbose: self.verbose,
            tui: self.tui,
            ..RunArgs::default()
        }
    }
}

/// The options of a run, as two sides have them. What is there to be refused in words of its own is not offered, nor are the
/// layouts of files that a comparison has not.
fn adapted(arg: Arg) -> Arg {
    let told = |arg: Arg, short: &'static str, long: &'static str| {
        arg.help(short).long_help(format!("{short}\n\n{long}"))
    };
    match arg.get_id().as_str() {
        "duration" | "levels" | "orion_version" => arg.hide(true),
        "precision" => told(
            arg,
            "How narrow the 95 % interval of every ratio of B to A has to get [default: 2%]",
            "Half its width: 5%, 2%, 1% or others. Each load is visited for 2 s on both sides, again and again, 6 to 24 times. Where \
             the precision is not reached by then, the width that was reached is shown.",
        ),
        "num_disks" => told(
            arg,
            "Disks behind the targets of a side [default: the targets of the side that has more]",
            "The number sets the load range, which is the same on both sides: the levels go up to 5 small and 2 large outstanding \
             I/Os per disk (oltp: 20 small, dss: 15 large). It need not match the hardware.",
        ),
        "engine" => arg.help(
            "How I/O reaches the kernel on both sides, or on A beside --and-engine; sim simulates a device",
        ),
        "buffered" => arg.help("Measure both sides through the page cache: memory rather than storage"),
        "allow_memory" => told(
            arg,
            "Measure memory on purpose: end such a run with 0",
            "What lies on tmpfs, zram or the like is memory, and no storage. Numbers of it are flagged MEMORY. A run that measured \
             nothing else ends with 1 without this option.",
        ),
        "label" => arg.help("What you call this comparison, such as old-and-new-san").long_help(None::<&str>),
        "no_html" => arg.help("Do not write the page with charts, NAME_versus.html"),
        _ => arg,
    }
}

/// Both sides would be measured in the same way.
pub fn same_sides(place: &str) -> Problem {
    Problem::usage("A and B are the same").at(place).because("only chance could make a difference").next(
        "name another target behind --and, or another way to use A (--and-engine, --and-buffered); --same allows it, \
         to see that no difference is found",
    )
}

/// The load of a run on both sides. That of a file is not known before it is read.
fn in_turns(request: Request, disks: usize, sides: Sides) -> Result<Request, Problem> {
    if request.level == RunLevel::Load {
        return Ok(Request { sides: Some(sides), ..request });
    }
    if request.levels == LevelChoice::Auto {
        return Err(Problem::usage("--levels auto does not go with two sides")
            .at("--levels")
            .because("the levels that suit A need not suit B, and both get the same load")
            .next("leave it out; --num-disks sets the load, --matrix with the level advanced single loads"));
    }
    if request.level.is_own() {
        return on_both(request, sides);
    }
    let disks = request.num_disks.unwrap_or_else(|| u32::try_from(disks).unwrap_or(u32::MAX));
    let points = Grid::new(request.level, request.shape, disks).points;
    on_both(Request { num_disks: Some(disks), points, ..request }, sides)
}

/// The load of a request on both sides in turns.
pub fn on_both(request: Request, sides: Sides) -> Result<Request, Problem> {
    let points = Grid::of_own(&request.classes, &request.points).points;
    let request = request.in_turns(&points, sides)?;
    request.check()?;
    demanded(&request)?;
    Ok(request)
}
